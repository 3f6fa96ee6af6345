//! Any sequence of calls with any values: no panic, counts that add up, and nothing told that is lost.

use super::outputs::with_goals;
use super::*;
use crate::process::repeats;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use spargo::study::{Counts, Goal};

/// One call of a study; whatever changes studies belongs here.
#[derive(Debug, Clone)]
enum Call {
    Ask(usize),
    Replicate(usize),
    Tell(Vec<(u64, Told)>),
    Add(Vec<(Vec<Odd>, Option<Told>)>),
    /// Closed, and opened from its bytes.
    Reopen,
}

/// An outcome as a caller may give it.
#[derive(Debug, Clone)]
enum Told {
    Failed,
    Values(Vec<f64>),
    Noisy(Vec<f64>, Vec<Option<f64>>),
}

/// A value of an input as a caller may give it.
#[derive(Debug, Clone)]
enum Odd {
    Real(f64),
    Int(i64),
    Word(String),
}

fn number() -> impl Strategy<Value = f64> {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e300, 5e-324, 0.0, -0.0, 1e15];
    prop_oneof![6 => -2.0..2.0f64, 1 => prop::sample::select(odd.to_vec())]
}

fn told() -> impl Strategy<Value = Told> {
    // Mostly as many as there are outputs: one or two.
    let values = || prop::collection::vec(number(), 0..4);
    let noise = prop::collection::vec(prop::option::of(number()), 0..4);
    prop_oneof![
        1 => Just(Told::Failed),
        4 => values().prop_map(Told::Values),
        4 => number().prop_map(|value| Told::Values(vec![value])),
        4 => (number(), number()).prop_map(|(first, second)| Told::Values(vec![first, second])),
        1 => (values(), noise).prop_map(|(values, noise)| Told::Noisy(values, noise)),
    ]
}

fn odd() -> impl Strategy<Value = Odd> {
    prop_oneof![
        4 => number().prop_map(Odd::Real),
        2 => (-3..12i64).prop_map(Odd::Int),
        1 => prop::sample::select(vec!["x", "y", "z", "", "unknown"]).prop_map(|word| Odd::Word(word.into())),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let point = || prop::collection::vec(odd(), 0..5);
    prop_oneof![
        3 => (0..4usize).prop_map(Call::Ask),
        1 => (0..3usize).prop_map(Call::Replicate),
        5 => prop::collection::vec((0..12u64, told()), 0..4).prop_map(Call::Tell),
        2 => prop::collection::vec((point(), prop::option::of(told())), 0..3).prop_map(Call::Add),
        1 => Just(Call::Reopen),
    ]
}

fn goals() -> Vec<Vec<Goal>> {
    let bounded = Goal::Constraint { at_least: Some(-1.0), at_most: Some(1.0) };
    vec![
        vec![Goal::Maximize],
        vec![Goal::Minimize],
        vec![Goal::Maximize, Goal::Minimize],
        vec![Goal::Minimize, bounded],
        vec![Goal::Classify],
        vec![Goal::Level(0.5)],
    ]
}

impl Told {
    fn outcome(&self) -> Outcome {
        match self.clone() {
            Told::Failed => Outcome::failed("as told"),
            Told::Values(values) => Outcome::Observed { values, noise: None },
            Told::Noisy(values, noise) => Outcome::Observed { values, noise: Some(noise) },
        }
    }
}

impl Odd {
    fn value(&self) -> Value {
        match self.clone() {
            Odd::Real(number) => Value::Real(number),
            Odd::Int(number) => Value::Int(number),
            Odd::Word(word) => Value::Choice(word),
        }
    }
}

/// Makes the call; whatever it refuses leaves the study as it was.
fn apply(mut study: Study, call: &Call) -> Study {
    let before = study.history().clone();
    let is_refused = match call {
        Call::Ask(count) => study.ask(*count).is_err(),
        Call::Replicate(count) => study.replicate(*count).is_err(),
        Call::Tell(outcomes) => {
            let outcomes: Vec<_> = outcomes.iter().map(|(trial, told)| (*trial, told.outcome())).collect();
            study.tell(&outcomes).is_err()
        }
        Call::Add(points) => {
            let point = |values: &[Odd]| values.iter().map(Odd::value).collect::<Point>();
            let points: Vec<_> = points.iter().map(|(p, told)| (point(p), told.as_ref().map(Told::outcome))).collect();
            study.add(&points).is_err()
        }
        Call::Reopen => {
            let bytes = study.to_bytes().unwrap();
            study = Study::from_bytes(&bytes).unwrap();
            true
        }
    };
    if is_refused {
        assert_eq!(study.history(), &before, "{call:?}");
    }
    // What was told stays, in its place.
    let records = study.history().records();
    assert!(records.len() >= before.records().len());
    for (now, then) in records.iter().zip(before.records()) {
        assert_eq!((&now.trial, now.ask), (&then.trial, then.ask), "{call:?}");
        assert!(then.told.is_none() || now.told == then.told, "{call:?}: {then:?} became {now:?}");
    }
    study
}

fn assert_counts_add_up(study: &Study) {
    let Counts { trials, observed, failed, pending } = study.counts();
    assert_eq!(trials, study.history().records().len());
    assert_eq!((observed + failed) as u64, study.history().tells());
    assert_eq!(pending, study.history().pending().count());
    assert_eq!(observed + failed + pending, trials);
    for record in study.history().records() {
        if let Some(Outcome::Observed { values, .. }) = record.told.as_ref().map(|told| &told.outcome) {
            assert!(values.iter().all(|value| value.is_finite()), "{record:?}");
        }
    }
}

#[test]
fn no_sequence_of_calls_breaks_a_study() {
    let cases = Cases { cases: repeats(200, 5000) as u32, failure_persistence: None, ..Cases::default() };
    let calls = (0..4usize, 0..goals().len(), prop::collection::vec(call(), 1..12));
    let run = |(space, goal, calls): (usize, usize, Vec<Call>)| {
        let space = spaces()[space].1.clone();
        let mut config = Config { initial: 3, inducing: 4, ..with_goals(space, &goals()[goal]) };
        (config.acquisition.pool, config.acquisition.near, config.sampling.features) = (20, 5, 16);
        config.local_models.neighbours = 5;
        let mut study = memory(config);
        for call in &calls {
            study = apply(study, call);
            assert_counts_add_up(&study);
        }
        // What looks at the study may refuse, but not panic.
        let _ = (study.best().is_ok(), study.fronts().is_ok(), study.ranking(0).is_ok(), study.reports().unwrap());
        let again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        assert_eq!(again.history(), study.history());
        assert_eq!(again.counts(), study.counts());
        Ok(())
    };
    TestRunner::new_with_rng(cases, proptest::test_runner::TestRng::deterministic_rng(Default::default()))
        .run(&calls, run)
        .unwrap();
}
