//! Extreme outcomes: one of them, or a region of penalties, leaves a study about as good as it was.

use super::process::repeats;
use super::*;
use spargo::study::{Goal, Noise, Note, Output, Penalties, Treatment};

/// What the mean true value of the believed best may lack, compared with runs on the same seeds without extreme outcomes.
const TOLERANCE: f64 = 0.03;

const SIZES: [f64; 3] = [1e3, 1e6, 1e12];

/// What the program returns in the place of an outcome, given the point and the trial's number.
type Fault = fn(&[f64], u64, f64) -> Option<f64>;

const FAULTS: [(&str, Fault, Treatment); 3] = [
    ("single low", |_, id, size| (id == 7).then_some(-size), Treatment::LeftOut),
    ("single high", |_, id, size| (id == 7).then_some(size), Treatment::Doubted),
    ("region low", |x, _, size| (x[0] > 0.6 && x[1] < 0.5).then_some(-size), Treatment::Repeated),
];

fn settings(seed: u64, penalties: Penalties) -> Config {
    let inputs = ["a", "b", "c", "d"].map(|name| Dimension::real(name, 0.0, 1.0));
    let mut config = Config { seed, initial: 40.into(), batch: 20, ..Config::new(Space::new(inputs.into()).unwrap()) };
    config.model.penalties = penalties;
    config
}

fn numbers(point: &Point) -> Vec<f64> {
    point.iter().map(|value| if let Value::Real(number) = value { *number } else { f64::NAN }).collect()
}

/// Its maximum is 1.
fn truth(point: &Point) -> f64 {
    (-4.0 * numbers(point).iter().map(|x| (x - 0.6).powi(2)).sum::<f64>()).exp()
}

/// A study of 140 trials.
fn run(config: Config, fault: impl Fn(&[f64], u64) -> Option<f64>) -> Study {
    let seed = config.seed;
    let mut study = memory(config);
    let outcome = |_: &Space, trial: &Trial| {
        let noise = 0.02 * normal(&mut stream(seed, Purpose::Data, 0, trial.id));
        Outcome::value(fault(&numbers(&trial.point), trial.id).unwrap_or(truth(&trial.point) + noise))
    };
    for count in [40, 20, 20, 20, 20, 20] {
        advance(&mut study, count, outcome);
    }
    study
}

/// The mean true value of what is believed to be best, over seeds.
fn believed(
    seeds: usize,
    penalties: Penalties,
    fault: impl Fn(&[f64], u64) -> Option<f64> + Copy,
) -> (f64, Vec<Study>) {
    let mut studies: Vec<Study> = (0..seeds as u64).map(|seed| run(settings(seed, penalties), fault)).collect();
    let values = studies.iter_mut().map(|study| truth(&study.best().unwrap().unwrap().believed.trial.point));
    (values.sum::<f64>() / seeds as f64, studies)
}

#[test]
fn an_extreme_outcome_costs_little() {
    let (seeds, is_long) = (repeats(2, 5), repeats(1, 2) == 2);
    let (clean, studies) = believed(seeds, Penalties::Warn, |_, _| None);
    assert!(studies.iter().all(|study| study.outcome_warnings().is_empty()));
    println!("| fault | p | believed best | with penalties = \"keep\" |\n|---|---|---|---|\n| none | | {clean:.3} | |");
    let mut lost = Vec::new();
    for (name, fault, treatment) in FAULTS {
        for &size in if is_long { &SIZES[..] } else { &SIZES[1..2] } {
            let (found, studies) = believed(seeds, Penalties::Warn, |x, id| fault(x, id, size));
            let kept = is_long.then(|| believed(seeds, Penalties::Keep, |x, id| fault(x, id, size)).0);
            println!("| {name} | {size:e} | {found:.3} | {:.3} |", kept.unwrap_or(f64::NAN));
            let warnings: Vec<_> = studies.iter().flat_map(Study::outcome_warnings).collect();
            assert!(warnings.len() == seeds && warnings.iter().all(|w| w.treatment == treatment), "{warnings:?}");
            if clean - found > TOLERANCE {
                lost.push(format!("{name} {size:e}: {found:.3} instead of {clean:.3}"));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

/// A study with these outcomes along a line.
fn line(penalties: Penalties, outcomes: &[f64]) -> Study {
    let mut config = small(Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap());
    config.model.penalties = penalties;
    let mut study = memory(config);
    let x = |i: usize| vec![Value::Real(i as f64 / (outcomes.len() - 1) as f64)];
    let rows: Vec<_> = outcomes.iter().enumerate().map(|(i, &y)| (x(i), Some(Outcome::value(y)))).collect();
    study.add(&rows).unwrap();
    study
}

/// A bowl whose best trial is the 16th of 41, but for the outcomes that are given by the trial's number.
fn bowl_with(extremes: &[(usize, f64)]) -> Vec<f64> {
    let mut y: Vec<f64> = (0..41).map(|i| -(f64::from(i) / 40.0 - 0.375).powi(2)).collect();
    extremes.iter().for_each(|&(trial, value)| y[trial - 1] = value);
    y
}

#[test]
fn an_outcome_that_is_too_good_is_not_recommended_until_it_is_confirmed() {
    let mut study = line(Penalties::Warn, &bowl_with(&[(31, 1e4)]));
    let best = study.best().unwrap().unwrap();
    assert!((14..=18).contains(&best.believed.trial.id), "{best:?}");
    assert_eq!((best.observed.trial.id, best.observed.value), (31, 1e4));
    assert_eq!(study.leave_one_out(0, &[31]).unwrap()[0].observed, 1e4);
    let [warning] = &study.outcome_warnings()[..] else { panic!("{:?}", study.outcome_warnings()) };
    assert_eq!((warning.treatment, &warning.trials[..], warning.value), (Treatment::Doubted, &[31][..], 1e4));
    assert!(warning.to_string().starts_with("the outcome of trial 31, objective = 10000, is far above all others"));
    study.add(&[(study.trial(31).unwrap().trial.point.clone(), Some(Outcome::value(1.01e4)))]).unwrap();
    assert_eq!(study.outcome_warnings(), []);
    let best = study.best().unwrap().unwrap();
    assert!([31, 42].contains(&best.believed.trial.id) && best.believed.mean > 1e3, "{best:?}");
}

#[test]
fn repeated_penalties_are_failures_if_the_settings_say_so() {
    let outcomes = bowl_with(&[(15, -1e6), (16, -1e6), (17, -1e6), (18, -1e6)]);
    let mut warned = line(Penalties::Warn, &outcomes);
    assert_eq!((warned.counts().observed, warned.counts().failed), (41, 0));
    assert_eq!(warned.outcome_warnings()[0].treatment, Treatment::Repeated);
    assert!(![15, 16, 17, 18].contains(&warned.best().unwrap().unwrap().believed.trial.id));
    let mut failed = line(Penalties::Failures, &outcomes);
    assert_eq!((failed.counts().observed, failed.counts().failed), (37, 4));
    let [warning] = &failed.outcome_warnings()[..] else { panic!("{:?}", failed.outcome_warnings()) };
    assert_eq!((warning.treatment, &warning.trials[..]), (Treatment::Failures, &[15, 16, 17, 18][..]));
    // The model sees what the others say of that place, and yet no failure is recommended.
    assert!(failed.predict(0, &[vec![Value::Real(0.375)]]).unwrap().mean[0].abs() < 0.05);
    assert!([14, 19].contains(&failed.best().unwrap().unwrap().believed.trial.id));
    assert_eq!(failed.ranking(0).unwrap().len(), 37);
    assert_eq!(failed.trial(16).unwrap().values(), Some(vec![-1e6]));
    failed.ask(3).unwrap();
    let kept = line(Penalties::Keep, &outcomes);
    assert_eq!((kept.outcome_warnings(), kept.counts().failed), (Vec::new(), 0));
}

/// A study of an objective to be maximised and a constraint of at most 1, with these outcomes along a line.
fn constrained(noise: Noise, outcomes: impl Fn(usize) -> [f64; 2]) -> Study {
    let limit = Goal::Constraint { at_least: None, at_most: Some(1.0) };
    let outputs = vec![Output::new("y", Goal::Maximize).with_noise(noise), Output::new("c", limit)];
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let mut study = memory(Config { outputs, ..small(space) });
    let row = |i: usize| (vec![Value::Real(i as f64 / 40.0)], Some(Outcome::values(outcomes(i))));
    study.add(&(0..41).map(row).collect::<Vec<_>>()).unwrap();
    study
}

#[test]
fn an_error_is_not_recommended_because_nothing_else_is_feasible() {
    let wave = |i: usize| (i as f64 / 6.0).sin();
    for noise in [Noise::Auto, Noise::None] {
        let mut study = constrained(noise, |i| if i == 6 { [-1e6, 0.0] } else { [wave(i), 5.0 + 0.01 * wave(i)] });
        let best = study.best().unwrap().unwrap();
        assert!(best.believed.trial.id != 7 && best.believed.mean.is_finite() && !best.feasible, "{best:?}");
    }
}

#[test]
fn one_gross_violation_of_a_limit_is_no_error() {
    let mut study = constrained(Noise::Auto, |i| {
        let x = i as f64 / 40.0;
        [-(x - 0.375).powi(2), if i == 15 { 1e3 } else { x / 2.0 }]
    });
    let best = study.best().unwrap().unwrap();
    assert!(best.feasible && best.believed.trial.id != 16, "{best:?}");
    assert_eq!(study.outcome_warnings()[0].treatment, Treatment::Clipped);
}

#[test]
fn the_best_point_anywhere_is_not_among_failures_by_penalty() {
    let penalties: Vec<(usize, f64)> = (14..=18).map(|trial| (trial, -1e6)).collect();
    let mut study = line(Penalties::Failures, &bowl_with(&penalties));
    let best = study.best_anywhere().unwrap().unwrap();
    let x = numbers(&best.point)[0];
    assert!(!(13.0 / 40.0..=17.0 / 40.0).contains(&x), "{x}");
}

#[test]
fn a_measurement_with_its_own_noise_is_not_exact_among_exact_outcomes() {
    let mut study = line(Penalties::Warn, &bowl_with(&[]));
    let mut config = study.config().clone();
    config.outputs[0].noise = Noise::None;
    study.reconfigure(config, &Note::new("a simulation", "me")).unwrap();
    assert_eq!(study.best().unwrap().unwrap().believed.interval, (0.0, 0.0));
    study.add(&[(vec![Value::Real(0.98)], Some(Outcome::noisy(0.5, 4.0)))]).unwrap();
    let best = study.best().unwrap().unwrap();
    assert!((14..=18).contains(&best.believed.trial.id) && best.observed.value == 0.5, "{best:?}");
}

/// An outcome that is not believed is not on the front by beliefs, and the last of its ranking.
#[test]
fn an_outcome_that_is_not_believed_is_on_no_believed_front() {
    let outputs = vec![Output::new("y", Goal::Maximize), Output::new("z", Goal::Minimize)];
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let mut study = memory(Config { outputs, ..small(space) });
    let row = |i: usize| {
        let x = i as f64 / 40.0;
        (vec![Value::Real(x)], Some(Outcome::values([if i == 30 { 1e6 } else { x }, x * x])))
    };
    study.add(&(0..41).map(row).collect::<Vec<_>>()).unwrap();
    assert_eq!(study.outcome_warnings()[0].treatment, Treatment::Doubted);
    let fronts = study.fronts().unwrap();
    assert!(fronts.believed.len() > 10 && fronts.believed.iter().all(|point| point.trial.id != 31));
    assert_eq!(fronts.observed[0].trial.id, 31, "as it was told");
    assert_eq!(study.ranking(0).unwrap().last(), Some(&31));
}

/// The rows of a model without an error are not those of the trials.
#[test]
fn replicates_at_the_end_are_of_the_best_trials_where_an_error_is_left_out() {
    let noise = |i: usize| 1e-3 * normal(&mut stream(1, Purpose::Data, 0, i as u64));
    let steps: Vec<f64> = (0..41).map(|i| if i == 24 { 1.0 } else { (i % 2) as f64 / 2.0 } + noise(i)).collect();
    let mut outcomes = steps;
    outcomes[3] = -1e6;
    let mut study = line(Penalties::Warn, &outcomes);
    assert_eq!(study.outcome_warnings()[0].treatment, Treatment::LeftOut);
    let best = study.best().unwrap().unwrap().believed.trial;
    let again = study.replicate(20).unwrap();
    let of_best = again.iter().filter(|trial| trial.point == best.point).count();
    assert!(of_best >= 10, "{of_best} of 20 at the best trial, {}", best.id);
}

/// A study says the same after any number of tells, whatever was screened in between.
#[test]
fn a_third_penalty_makes_a_region_of_two_errors() {
    let mut study = line(Penalties::Warn, &bowl_with(&[(30, -1e6), (33, -2e6)]));
    let treatments = |study: &Study| study.outcome_warnings().iter().map(|w| w.treatment).collect::<Vec<_>>();
    assert_eq!(treatments(&study), [Treatment::LeftOut, Treatment::LeftOut]);
    assert_eq!(study.leave_one_out(0, &[30, 31]).unwrap().len(), 1);
    let trials = study.ask(2).unwrap();
    study.tell(&[(trials[0].id, Outcome::value(-3e6)), (trials[1].id, Outcome::value(-0.1))]).unwrap();
    assert_eq!(treatments(&study), [Treatment::Clipped]);
    assert_eq!(study.leave_one_out(0, &[30, 31]).unwrap().len(), 2);
    study.ask(2).unwrap();
    study.discard(&[trials[0].id], &Note::new("a slip", "me")).unwrap();
    assert_eq!(treatments(&study), [Treatment::LeftOut, Treatment::LeftOut]);
}

/// A peak far above everything else, of which the first outcome is doubted, is confirmed by a replicate of it in the next batch; that
/// first trial has 0.53.
#[test]
fn a_narrow_peak_survives() {
    let space = Space::new(["a", "b"].map(|name| Dimension::real(name, 0.0, 1.0)).into()).unwrap();
    let peak = |point: &Point| {
        let x = numbers(point);
        (-((x[0] - 0.3).powi(2) + (x[1] - 0.7).powi(2)) / (2.0 * 0.05f64.powi(2))).exp()
    };
    let outcome =
        |point: &Point, id: u64| Outcome::value(peak(point) + 2e-4 * normal(&mut stream(3, Purpose::Data, 0, id)));
    let (seeds, mut found) = (repeats(3, 20), 0.0);
    for seed in 0..seeds as u64 {
        let mut study = memory(Config { seed, initial: 30.into(), ..Config::new(space.clone()) });
        // On its slope, after a design that has missed it.
        let design = study.ask(30).unwrap().into_iter().filter(|trial| peak(&trial.point) < 1e-3);
        let mut told: Vec<_> = design.map(|trial| (trial.id, outcome(&trial.point, trial.id))).collect();
        let slope = vec![Value::Real(0.34), Value::Real(0.66)];
        told.push((study.add(&[(slope.clone(), None)]).unwrap().start, outcome(&slope, 31)));
        study.tell(&told).unwrap();
        assert_eq!(study.outcome_warnings()[0].treatment, Treatment::Doubted);
        let again = study.ask(10).unwrap();
        assert_eq!(again.iter().filter(|trial| trial.point == slope).count(), 1, "{seed}");
        let outcomes: Vec<_> = again.iter().map(|trial| (trial.id, outcome(&trial.point, trial.id))).collect();
        study.tell(&outcomes).unwrap();
        assert_eq!(study.outcome_warnings(), [], "{seed}");
        for _ in 0..4 {
            advance(&mut study, 10, |_, trial| outcome(&trial.point, trial.id));
        }
        let best = study.best().unwrap().unwrap().believed.trial;
        assert!(peak(&best.point) > 0.52 && study.outcome_warnings().is_empty(), "{seed}: {}", peak(&best.point));
        found += peak(&best.point) / seeds as f64;
    }
    assert!(found > 0.8, "{found}");
}
