//! Warps of outcomes: the most likely one is found, and a study speaks in the user's units all the same.

use spargo::data::{Dataset, Warp};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::model::{CANDIDATE_WARPS, FitOptions, Hyperparameters, learn_outcome_transform};
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo::space::{Dimension, Space, Value};
use spargo::study::OutcomeTransformChoice::{self, Asinh, Auto, Log, Off};
use spargo::study::{Config, Goal, ModelOptions, Outcome, Output, Study};

/// A smooth function of two inputs, about standard.
fn smooth(x: &[f64]) -> f64 {
    (7.0 * x[0]).sin() + (5.0 * x[1] + 1.0).cos()
}

fn data(outcome: impl Fn(f64) -> f64) -> Dataset {
    let mut rng = stream(5, Purpose::Data, 0, 0);
    let x = Mat::from_fn(250, 2, |_, _| uniform(&mut rng));
    let y = (0..250).map(|i| outcome(smooth(&[x[(i, 0)], x[(i, 1)]]) + 0.05 * normal(&mut rng))).collect();
    Dataset::new(x, y).unwrap()
}

/// What is observed of a smooth function.
type Outcomes = fn(f64) -> f64;

#[test]
fn the_learned_warp_undoes_a_known_one() {
    let start = Hyperparameters::cold(Kernel::cold(Family::Matern52, 2));
    let learn =
        |outcome: Outcomes| learn_outcome_transform(&start, &data(outcome), &FitOptions::default(), &CANDIDATE_WARPS);
    let outcomes: [Outcomes; 3] = [|v| v, |v| (2.0 * v).exp(), |v| (4.0 * v).sinh()];
    for (outcome, name) in outcomes.into_iter().zip(["identity", "upper tail", "both tails"]) {
        let units = learn(outcome);
        match (name, units.warp()) {
            ("identity", warp) => assert_eq!(warp, Warp::Identity),
            ("upper tail", Warp::YeoJohnson { power }) => assert!(power <= 0.25, "{power}"),
            ("both tails", Warp::Asinh { strength }) => assert!(strength >= 0.3, "{strength}"),
            (name, warp) => panic!("{name}: {warp:?}"),
        }
        // Equal steps of the smooth function are about equal steps of the warped outcomes, not 245 times larger at the top.
        let steps: Vec<f64> = (-6..6)
            .map(|i| 0.25 * f64::from(i))
            .map(|v| units.to_model(outcome(v + 0.25)) - units.to_model(outcome(v)))
            .collect();
        let (least, largest) = steps.iter().fold((f64::INFINITY, 0f64), |(l, h), &s| (l.min(s), h.max(s)));
        assert!(least > 0.0 && largest / least < 6.0, "{name}: {steps:?}");
    }
}

#[test]
fn predictions_are_in_the_users_units_under_every_transform() {
    for outcome_transform in [Auto, Asinh, Log, Off] {
        let space = Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::real("b", 0.0, 1.0)]).unwrap();
        let model = ModelOptions { outcome_transform, ..ModelOptions::default() };
        let mut study = Study::in_memory(Config { initial: 80.into(), model, ..Config::new(space) }).unwrap();
        let f = |x: &[f64]| 1000.0 + (2.0 * smooth(x)).exp();
        let told: Vec<(Vec<Value>, Option<Outcome>)> = {
            let mut rng = stream(6, Purpose::Data, 0, 0);
            let mut one = || [uniform(&mut rng), uniform(&mut rng)];
            (0..120).map(|_| one()).map(|x| (x.map(Value::Real).to_vec(), Some(Outcome::value(f(&x))))).collect()
        };
        study.add(&told).unwrap();
        let x = [0.31, 0.77];
        let prediction = study.predict(0, &[x.map(Value::Real).to_vec()]).unwrap();
        assert!((prediction.mean[0] - f(&x)).abs() < 0.5, "{outcome_transform:?}: {prediction:?} {}", f(&x));
        assert!(prediction.variance[0] > 0.0 && prediction.variance[0] < 1.0, "{outcome_transform:?}: {prediction:?}");
        let best = study.best().unwrap().unwrap();
        let (low, high) = best.believed.interval;
        assert!(low < best.believed.mean && best.believed.mean < high, "{outcome_transform:?}: {best:?}");
        assert!((best.observed.value - best.believed.mean).abs() < 1.0, "{outcome_transform:?}: {best:?}");
    }
}

/// Without noise nearly all trials end up close to the optimum with nearly equal outcomes: no transform should stretch these
/// differences at the cost of all others.
#[test]
fn a_cluster_at_the_optimum_does_not_decide_the_transform() {
    for seed in 0..3 {
        let inputs = ["a", "b", "c"].map(|name| Dimension::real(name, 0.0, 1.0));
        let config = Config { initial: 48.into(), seed, ..Config::new(Space::new(inputs.to_vec()).unwrap()) };
        let mut study = Study::in_memory(config).unwrap();
        for count in [48, 24, 24, 24, 24, 24, 24, 24, 24] {
            let trials = study.ask(count).unwrap();
            let told: Vec<_> = trials.iter().map(|trial| (trial.id, Outcome::value(bump(&trial.point)))).collect();
            study.tell(&told).unwrap();
        }
        let leave_one_out = study.leave_one_out(0, &(1..=48).collect::<Vec<_>>()).unwrap();
        let off = leave_one_out.iter().map(|one| (one.predict_interval.mean - one.observed).abs()).sum::<f64>() / 48.0;
        assert!(off < 4.0, "seed {seed}: {off} of a range of 100");
    }
}

fn bump(point: &[Value]) -> f64 {
    let centre = [0.6, 0.3, 0.45];
    let square = |(value, centre): (&Value, f64)| match value {
        Value::Real(x) => (2.0 * (x - centre)).powi(2),
        other => panic!("{other:?}"),
    };
    100.0 * (-point.iter().zip(centre).map(square).sum::<f64>()).exp()
}

#[test]
fn a_space_filling_subset_decides_the_transform() {
    // A tenth of the trials all over the square, the others within a hundredth of the best point.
    let mut rng = stream(7, Purpose::Data, 0, 0);
    let (a, b) = (0.2244, 0.9);
    let x = Mat::from_fn(1000, 2, |i, k| {
        let u = uniform(&mut rng);
        if i < 100 { u } else { [a, b][k] + 0.01 * (u - 0.5) }
    });
    let y = (0..1000).map(|i| (3.0 * smooth(&[x[(i, 0)], x[(i, 1)]])).exp() + 0.5 * normal(&mut rng)).collect();
    let data = Dataset::new(x, y).unwrap();
    let start = Hyperparameters::cold(Kernel::cold(Family::Matern52, 2));
    match learn_outcome_transform(&start, &data, &FitOptions::default(), &CANDIDATE_WARPS).warp() {
        Warp::YeoJohnson { power } => assert!(power <= 0.25, "{power}"),
        other => panic!("{other:?}"),
    }
}

fn one_output(goal: Goal, outcome_transform: OutcomeTransformChoice) -> Config {
    let space = Space::new(vec![Dimension::real("a", 0.0, 1.0)]).unwrap();
    let model = ModelOptions { outcome_transform, ..ModelOptions::default() };
    let outputs = vec![Output::new("yield", goal)];
    Config { initial: 12.into(), model, outputs, ..Config::new(space) }
}

/// Trials on a line, with these outcomes.
fn told(study: &mut Study, outcomes: impl Fn(f64) -> f64) {
    let points: Vec<f64> = (0..12).map(|i| f64::from(i) / 11.0).collect();
    let rows = points.iter().map(|&x| (vec![Value::Real(x)], Some(Outcome::value(outcomes(x)))));
    study.add(&rows.collect::<Vec<_>>()).unwrap();
}

#[test]
fn log_and_asinh_are_the_warps_that_were_chosen() {
    for (goal, sign) in [(Goal::Maximize, 1.0), (Goal::Minimize, -1.0)] {
        let mut study = Study::in_memory(one_output(goal, Log)).unwrap();
        told(&mut study, |x| (20.0 * x).exp());
        assert!(matches!(study.model_reports().unwrap()[0].warp, Warp::Log { direction } if direction.sign() == sign));
        let prediction = study.predict_interval(0, &[vec![Value::Real(0.45)]]).unwrap()[0];
        let (low, high) = prediction.interval;
        assert!(0.0 < low && low < 9f64.exp() && 9f64.exp() < high && high < 1e5, "{prediction:?}");
        assert_eq!(study.ask(3).unwrap().len(), 3);
        let mut study = Study::in_memory(one_output(goal, Asinh)).unwrap();
        told(&mut study, |x| x - 0.5);
        assert!(matches!(study.model_reports().unwrap()[0].warp, Warp::Asinh { .. }));
    }
}

#[test]
fn outcomes_without_a_logarithm_are_refused_when_they_are_told() {
    for goal in [Goal::Maximize, Goal::Minimize] {
        let mut study = Study::in_memory(one_output(goal, Log)).unwrap();
        told(&mut study, |x| 1.0 + x);
        let trials = study.ask(3).unwrap();
        for value in [0.0, -0.5] {
            let outcomes = [(trials[0].id, Outcome::value(1.0)), (trials[1].id, Outcome::value(value))];
            let refused = study.tell(&outcomes).unwrap_err();
            let trial = format!("'yield' = {value} in trial {} has no logarithm", trials[1].id);
            assert!(refused.to_string().contains(&trial) && refused.to_string().contains("asinh"), "{refused}");
            let rows = [
                (vec![Value::Real(0.5)], Some(outcomes[0].1.clone())),
                (vec![Value::Real(0.5)], Some(Outcome::value(value))),
            ];
            let refused = study.add_rows(&rows).unwrap_err();
            assert_eq!(refused.index, 1);
            assert!(refused.error.to_string().contains("in point 2 of 2"), "{}", refused.error);
            // A run records it as a failure.
            let failed = study.config().settled_or_failed("it", &Outcome::value(value)).unwrap();
            assert_eq!(failed, Outcome::failed(format!("'yield' = {value} has no logarithm")));
            assert_eq!(study.counts().observed, 12);
        }
        // An outcome that is not finite is a failure, whatever its sign.
        study.tell(&[(trials[1].id, Outcome::value(f64::NEG_INFINITY))]).unwrap();
        assert_eq!(study.ask(3).unwrap().len(), 3);
    }
    for goal in [Goal::Level(0.0), Goal::Level(-1.0)] {
        let refused = Study::in_memory(one_output(goal, Log)).unwrap_err().to_string();
        assert!(refused.contains("'yield'") && refused.contains("above 0"), "{refused}");
        assert!(Study::in_memory(one_output(goal, Asinh)).is_ok());
    }
    assert!(Study::in_memory(one_output(Goal::Level(1.0), Log)).is_ok());
    let mut bounded = one_output(Goal::Maximize, Log);
    bounded.outputs.push(Output::new("waste", Goal::Constraint { at_least: None, at_most: Some(-1.0) }));
    assert!(Study::in_memory(bounded).unwrap_err().to_string().contains("'waste'"));
    let mut several = one_output(Goal::Maximize, Log);
    several.outputs.push(Output::new("purity", Goal::Maximize));
    assert!(Study::in_memory(several).unwrap_err().to_string().contains("several objectives"));
}
