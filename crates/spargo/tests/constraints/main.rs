//! Input constraints, conditional and fixed inputs: everything that is asked for satisfies them as it is printed.

mod random;

use random::{holds, random_space};
use spargo::error::Error;
use spargo::rng::{normal, uniform};
use spargo::space::{Dimension, InputConstraint, Limits, Point, Space, Value};
use spargo::study::{Config, Outcome, Refit, Replicates, Study};
use std::collections::HashSet;

/// Refuses a point that does not satisfy all constraints as it is printed.
fn check(space: &Space, printed: &[Value], what: &str) {
    for constraint in space.input_constraints() {
        assert!(holds(space, constraint, printed), "{what}: {constraint} at {printed:?}");
    }
    assert!(space.contains(printed), "{what}");
}

#[test]
fn random_and_repaired_points_satisfy_all_constraints_as_they_are_printed() {
    for case in 0..200 {
        let (space, known, mut rng) = random_space(case);
        assert!(space.contains_numbers(&known), "case {case}");
        for _ in 0..10 {
            let mut random: Vec<f64> = known.iter().map(|_| uniform(&mut rng)).collect();
            assert!(space.scatter(&mut random, &mut rng), "case {case}");
            let mut near: Vec<f64> = known.iter().map(|v| v + 0.1 * normal(&mut rng)).collect();
            assert!(space.settle(&mut near, &[]), "case {case}");
            for point in [random, near] {
                let printed = space.decode(&point).unwrap();
                check(&space, &printed, &format!("case {case}"));
                assert_eq!(space.encode(&printed).unwrap(), point, "case {case}");
                let mut again = point.clone();
                assert!(space.settle(&mut again, &[]) && again == point, "case {case}");
            }
        }
    }
}

/// A small study, so that many fit in a test.
fn small(space: Space) -> Config {
    let mut config = Config { initial: 12.into(), batch: 8, inducing: 20.into(), ..Config::new(space) };
    config.replicates = Replicates::Never;
    (config.acquisition.pool, config.acquisition.near, config.sampling.features) = (300, 60, 100);
    config
}

/// A smooth function of whatever there is.
fn outcome(space: &Space, point: &[Value]) -> Outcome {
    let numbers = space.encode(point).unwrap();
    Outcome::value(numbers.iter().enumerate().map(|(k, v)| -(v - 0.3 - 0.01 * k as f64).powi(2)).sum())
}

fn tell(study: &mut Study, trials: &[spargo::study::Trial]) {
    let space = study.config().space.clone();
    let outcomes: Vec<_> = trials.iter().map(|trial| (trial.id, outcome(&space, &trial.point))).collect();
    study.tell(&outcomes).unwrap();
}

#[test]
fn studies_of_random_spaces_ask_for_feasible_points_only_and_for_none_again() {
    for case in 0..24 {
        let (space, ..) = random_space(case);
        let config = small(space.clone());
        let mut study = Study::in_memory(config).unwrap();
        let mut seen: HashSet<String> = HashSet::new();
        for batch in [12, 8, 8] {
            let trials = study.ask(batch).unwrap_or_else(|error| panic!("case {case}: {error}"));
            for trial in &trials {
                check(&space, &trial.point, &format!("case {case}, trial {}", trial.id));
                assert!(seen.insert(format!("{:?}", trial.point)), "case {case}: {:?} again", trial.point);
            }
            tell(&mut study, &trials);
        }
    }
}

fn sum(names: &[&str], limits: Limits) -> InputConstraint {
    InputConstraint::Sum { terms: names.iter().map(|name| (name.to_string(), 1.0)).collect(), limits }
}

fn equal(value: f64) -> Limits {
    Limits { lower: value, upper: value }
}

fn at_most(value: f64) -> Limits {
    Limits { lower: f64::NEG_INFINITY, upper: value }
}

fn exclude(pairs: &[(&str, &str)]) -> InputConstraint {
    InputConstraint::Exclude {
        inputs: pairs.iter().map(|(name, _)| name.to_string()).collect(),
        rows: vec![pairs.iter().map(|(_, value)| Value::from(*value)).collect()],
    }
}

/// Two fractions in tenths that sum to 1, and a catalyst that goes with one solvent only: 11 × 3 points.
fn finite() -> Space {
    let fraction = |name: &str| Dimension::real(name, 0.0, 1.0).digits(1);
    let inputs = vec![
        fraction("water"),
        fraction("glycol"),
        Dimension::choice("catalyst", &["Pd", "Cu"]),
        Dimension::choice("solvent", &["DMF", "THF"]),
    ];
    let constraints = vec![sum(&["water", "glycol"], equal(1.0)), exclude(&[("catalyst", "Cu"), ("solvent", "DMF")])];
    Space::new(inputs).unwrap().with_input_constraints(constraints).unwrap()
}

#[test]
fn a_finite_space_is_exhausted_exactly() {
    let space = finite();
    assert_eq!(space.size(), Some(33));
    let mut study = Study::in_memory(small(space.clone())).unwrap();
    let mut seen = HashSet::new();
    for batch in [12, 12, 9] {
        let trials = study.ask(batch).unwrap();
        trials.iter().for_each(|trial| check(&space, &trial.point, "finite"));
        seen.extend(trials.iter().map(|trial| format!("{:?}", trial.point)));
        tell(&mut study, &trials);
    }
    assert_eq!(seen.len(), 33);
    assert_eq!(study.ask(1).unwrap_err(), Error::Exhausted { wanted: 1, left: 0 });
}

#[test]
fn constraints_that_contradict_each_other_are_named() {
    let fraction = |name: &str| Dimension::real(name, 0.0, 1.0);
    let space = || Space::new(vec![fraction("a"), fraction("b"), fraction("c")]).unwrap();
    let constraints =
        vec![sum(&["a", "c"], at_most(1.5)), sum(&["a", "b"], equal(1.5)), sum(&["a", "b", "c"], at_most(1.0))];
    let message = space().with_input_constraints(constraints).unwrap_err().to_string();
    assert!(message.contains("number 2 (a + b = 1.5) and number 3 (a + b + c ≤ 1)"), "{message}");
    assert!(!message.contains("number 1"), "{message}");
    let message = space().with_input_constraints(vec![sum(&["a", "water"], at_most(1.0))]).unwrap_err().to_string();
    assert!(message.contains("number 1") && message.contains("no input 'water'"), "{message}");
}

/// A branch with an input of its own.
fn conditional() -> Space {
    let inputs = vec![
        Dimension::choice("catalyst", &["Pd", "Ni"]),
        Dimension::real("loading", 0.01, 0.2).when("catalyst", &["Pd"]),
        Dimension::real("temperature", 20.0, 120.0).step(0.5),
        Dimension::choice("ligand", &["XPhos", "SPhos"]).when("catalyst", &["Pd"]),
    ];
    Space::new(inputs).unwrap()
}

#[test]
fn inactive_inputs_have_no_value() {
    let space = conditional();
    let mut config = small(space.clone());
    config.model.exact_until = 10;
    let mut study = Study::in_memory(config).unwrap();
    let mut branches = HashSet::new();
    for batch in [12, 8, 8] {
        let trials = study.ask(batch).unwrap();
        for trial in &trials {
            let is_active = trial.point[0] == Value::from("Pd");
            branches.insert(is_active);
            assert_eq!([1, 3].map(|k| trial.point[k] == Value::Null), [!is_active; 2], "{:?}", trial.point);
        }
        let outcomes: Vec<_> = trials.iter().map(|trial| (trial.id, outcome(&space, &trial.point))).collect();
        study.tell(&outcomes).unwrap();
    }
    assert_eq!(branches.len(), 2);
    let inducing = study.inducing_points(0).unwrap().unwrap();
    assert!(inducing.iter().all(|z| (z[0] == Value::from("Pd")) == (z[1] != Value::Null)), "{inducing:?}");
    let point = |catalyst: &str, loading: Value, ligand: Value| -> Point {
        vec![catalyst.into(), loading, Value::Real(60.0), ligand]
    };
    let refusal = |point: Point| space.encode(&point).unwrap_err().to_string();
    let message = refusal(point("Ni", Value::Real(0.1), Value::Null));
    assert!(message.contains("input 'loading'") && message.contains("where catalyst is 'Pd'"), "{message}");
    assert!(refusal(point("Pd", Value::Null, "XPhos".into())).contains("input 'loading'"));
    assert!(space.contains(&point("Ni", Value::Null, Value::Null)));
    // Written and read again.
    let json = serde_json::to_string(&space).unwrap();
    assert_eq!(serde_json::from_str::<Space>(&json).unwrap(), space);
    let circle = Dimension::int("a", 0, 3).when("b", &[1i64]);
    let message = Space::new(vec![circle, Dimension::int("b", 0, 3).when("a", &[1i64])]).unwrap_err().to_string();
    assert!(message.contains("depends on itself"), "{message}");
}

#[test]
fn inputs_that_are_fixed_for_an_ask_have_their_value_and_satisfy_the_rest() {
    let inputs = ["a", "b", "c"].map(|name| Dimension::real(name, 0.0, 1.0).digits(2));
    let inputs = [&inputs[..], &[Dimension::choice("d", &["x", "y"])]].concat();
    let space = Space::new(inputs).unwrap().with_input_constraints(vec![sum(&["a", "b", "c"], equal(1.0))]).unwrap();
    let mut study = Study::in_memory(small(space.clone())).unwrap();
    let fixed = [("a".to_string(), Value::Real(0.25)), ("d".to_string(), Value::from("y"))];
    for batch in [12, 8, 8] {
        let trials = study.ask_fixed(batch, &fixed, Refit::Always).unwrap();
        for trial in &trials {
            assert_eq!((&trial.point[0], &trial.point[3]), (&fixed[0].1, &fixed[1].1));
            check(&space, &trial.point, "fixed");
        }
        tell(&mut study, &trials);
    }
    // 76 points have these values.
    let error = study.ask_fixed(100, &fixed, Refit::Always).unwrap_err();
    assert_eq!(error, Error::Exhausted { wanted: 100, left: 48 });
    let wrong = study.ask_fixed(1, &[("a".into(), Value::Real(1.25))], Refit::Always).unwrap_err().to_string();
    assert!(wrong.contains("input 'a'"), "{wrong}");
    let trials = study.ask(8).unwrap();
    assert!(trials.iter().any(|trial| trial.point[0] != fixed[0].1));
}

#[test]
fn inputs_that_are_fixed_have_their_value_to_the_last_digit() {
    let inputs = vec![
        Dimension::real("temperature", 20.0, 120.0),
        Dimension::real("rate", 1e-3, 1.0).log(),
        Dimension::real("flow", 0.0, 60.0),
    ];
    let total = sum(&["temperature", "flow"], at_most(90.0));
    let space = Space::new(inputs).unwrap().with_input_constraints(vec![total]).unwrap();
    let mut study = Study::in_memory(small(space.clone())).unwrap();
    let fixed = [("temperature".to_string(), Value::Int(60)), ("rate".to_string(), Value::Real(0.03))];
    for batch in [12, 8] {
        let trials = study.ask_fixed(batch, &fixed, Refit::Always).unwrap();
        for trial in &trials {
            assert_eq!(trial.point[..2], [Value::Real(60.0), Value::Real(0.03)]);
            check(&space, &trial.point, "fixed");
        }
        tell(&mut study, &trials);
    }
}

#[test]
fn past_points_that_break_a_constraint_are_used_and_never_recommended() {
    let space = finite();
    let mut study = Study::in_memory(small(space.clone())).unwrap();
    let point = |water: f64, glycol: f64| vec![Value::Real(water), Value::Real(glycol), "Pd".into(), "THF".into()];
    let told = [(point(0.9, 0.9), 10.0), (point(0.4, 0.6), 2.0), (point(0.6, 0.4), 1.0)];
    for (point, value) in &told {
        study.add(&[(point.clone(), Some(Outcome::value(*value)))]).unwrap();
    }
    let best = study.best().unwrap().unwrap();
    assert_eq!(best.believed.trial.point, told[1].0);
}

#[test]
fn a_fixed_input_that_is_conditional_has_its_value() {
    let space = conditional();
    let mut study = Study::in_memory(small(space)).unwrap();
    // XPhos is what stands for no value as well, as the first of the choices.
    let fixed = [("ligand".to_string(), Value::from("XPhos"))];
    for batch in [12, 8] {
        let trials = study.ask_fixed(batch, &fixed, Refit::Always).unwrap();
        for trial in &trials {
            assert_eq!((&trial.point[0], &trial.point[3]), (&Value::from("Pd"), &fixed[0].1), "{:?}", trial.point);
        }
        tell(&mut study, &trials);
    }
}

#[test]
fn designs_that_are_asked_for_one_by_one_fill_every_range() {
    let labels = |name: &str| Dimension::choice(name, &["x", "y"]);
    let inputs = vec![Dimension::real("a", 0.0, 1.0), labels("b"), labels("c")];
    let space = Space::new(inputs).unwrap().with_input_constraints(vec![exclude(&[("b", "x"), ("c", "x")])]).unwrap();
    let mut study = Study::in_memory(Config { initial: 64.into(), ..small(space) }).unwrap();
    let quarter = |trial: &spargo::study::Trial| match trial.point[0] {
        Value::Real(a) => (a * 3.999) as usize,
        _ => unreachable!(),
    };
    let quarters: HashSet<usize> = (0..16).map(|_| quarter(&study.ask(1).unwrap()[0])).collect();
    assert_eq!(quarters.len(), 4);
}

#[test]
fn candidates_have_no_conditional_inputs_and_keep_constraints() {
    let message = conditional().with_candidates(vec![]).unwrap_err().to_string();
    assert!(message.contains("candidates have no conditional inputs"), "{message}");
    let space = Space::new(["a", "b"].map(|name| Dimension::real(name, 0.0, 1.0)).to_vec()).unwrap();
    let space = space.with_input_constraints(vec![sum(&["a", "b"], at_most(1.0))]).unwrap();
    let row = |a: f64, b: f64| vec![Value::Real(a), Value::Real(b)];
    let space = space.with_candidates(vec![row(0.5, 0.25), row(0.75, 0.5), row(0.5, 0.5)]).unwrap();
    assert_eq!(space.size(), Some(2));
    let error = space.with_input_constraints(vec![sum(&["a", "b"], Limits { lower: 1.5, upper: 2.0 })]).unwrap_err();
    assert!(error.to_string().contains("contradict each other"), "{error}");
}
