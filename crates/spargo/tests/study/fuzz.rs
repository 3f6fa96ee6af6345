//! Any sequence of calls with any values: no panic, counts that add up, and nothing told that is lost.

use super::outputs::with_goals;
use super::*;
use crate::process::repeats;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use serde_json::json;
use spargo::study::{Correction, Counts, Goal, Measurement, Note};

/// One call of a study; whatever changes studies belongs here.
#[derive(Debug, Clone)]
enum Call {
    Ask(usize),
    Replicate(usize),
    Tell(Vec<(u64, Told)>),
    Add(Vec<(Vec<Odd>, Option<Told>)>),
    Enqueue(Vec<Vec<Odd>>),
    Amend(Vec<(u64, Told)>),
    Discard(Vec<u64>),
    DiscardPending,
    Retry(Vec<u64>, Option<usize>),
    RetryFailed,
    /// Other batches, and sometimes other goals.
    Reconfigure(usize, bool),
    /// Another space: one of its inputs, by its place, or a new one.
    Reshape(usize, Reshape),
    /// Closed, and opened from its bytes.
    Reopen,
}

/// What is done to an input.
#[derive(Debug, Clone)]
enum Reshape {
    /// A range that begins and ends elsewhere, by these shares of its width.
    Range(f64, f64),
    AddChoice,
    TakeChoice,
    Take,
    /// A new one, with the value that past trials had or without.
    Add(bool),
}

/// An outcome as a caller may give it.
#[derive(Debug, Clone)]
enum Told {
    Failed,
    Measured(Vec<Measurement>),
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
    let noisy = (number(), prop::option::of(number()));
    let one = prop_oneof![
        8 => number().prop_map(Measurement::value),
        1 => noisy.prop_map(|(value, variance)| Measurement::Observed { value, variance }),
        1 => Just(Measurement::Pending),
        1 => Just(Measurement::failed("as told")),
    ];
    prop_oneof![
        1 => Just(Told::Failed),
        1 => prop::collection::vec(one.clone(), 0..4).prop_map(Told::Measured),
        4 => one.clone().prop_map(|one| Told::Measured(vec![one])),
        4 => (one.clone(), one).prop_map(|(first, second)| Told::Measured(vec![first, second])),
    ]
}

fn odd() -> impl Strategy<Value = Odd> {
    prop_oneof![
        4 => number().prop_map(Odd::Real),
        2 => (-3..12i64).prop_map(Odd::Int),
        1 => prop::sample::select(vec!["x", "y", "z", "", "unknown"]).prop_map(|word| Odd::Word(word.into())),
    ]
}

fn reshape() -> impl Strategy<Value = Reshape> {
    prop_oneof![
        4 => (-0.6..0.6f64, -0.6..0.6f64).prop_map(|(lower, upper)| Reshape::Range(lower, upper)),
        1 => Just(Reshape::AddChoice),
        2 => Just(Reshape::TakeChoice),
        1 => Just(Reshape::Take),
        1 => any::<bool>().prop_map(Reshape::Add),
    ]
}

/// The space with one input changed, as a settings file would say it; `None` if it cannot be so.
fn reshaped(space: &Space, input: usize, change: &Reshape) -> Option<Space> {
    let mut form = serde_json::to_value(space).unwrap();
    let inputs = form["inputs"].as_array_mut().unwrap();
    let (count, place) = (inputs.len(), input % inputs.len());
    let one = &mut inputs[place];
    match change {
        Reshape::Range(lower, upper) => {
            let whole = one["real"].is_null();
            let ends = one.get_mut(if whole { "int" } else { "real" })?.as_array_mut()?;
            let (low, high) = (ends[0].as_f64()?, ends[1].as_f64()?);
            let moved = [low + lower * (high - low), high + upper * (high - low)];
            let end = |end: f64| if whole { json!(end.round() as i64) } else { json!(end) };
            *ends = moved.map(end).into();
        }
        Reshape::AddChoice => one.get_mut("choice")?.as_array_mut()?.push(json!(format!("new {count}"))),
        Reshape::TakeChoice => drop(one.get_mut("choice")?.as_array_mut()?.pop()),
        Reshape::Take => drop(inputs.remove(place)),
        Reshape::Add(true) => inputs.push(json!({ "name": format!("i{count}"), "int": [1, 3], "past": 2 })),
        Reshape::Add(false) => inputs.push(json!({ "name": format!("i{count}"), "real": [0.0, 1.0] })),
    }
    serde_json::from_value(form).ok()
}

fn call() -> impl Strategy<Value = Call> {
    let point = || prop::collection::vec(odd(), 0..5);
    prop_oneof![
        3 => (0..4usize).prop_map(Call::Ask),
        1 => (0..3usize).prop_map(Call::Replicate),
        5 => prop::collection::vec((0..12u64, told()), 0..4).prop_map(Call::Tell),
        2 => prop::collection::vec((point(), prop::option::of(told())), 0..3).prop_map(Call::Add),
        1 => prop::collection::vec(point(), 0..3).prop_map(Call::Enqueue),
        2 => prop::collection::vec((0..12u64, told()), 0..3).prop_map(Call::Amend),
        1 => prop::collection::vec(0..12u64, 0..3).prop_map(Call::Discard),
        1 => Just(Call::DiscardPending),
        1 => (prop::collection::vec(0..12u64, 0..3), prop::option::of(0..3usize)).prop_map(|(t, k)| Call::Retry(t, k)),
        1 => Just(Call::RetryFailed),
        1 => (1..9usize, any::<bool>()).prop_map(|(batch, turns)| Call::Reconfigure(batch, turns)),
        2 => (0..5usize, reshape()).prop_map(|(input, change)| Call::Reshape(input, change)),
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
            Told::Measured(measurements) => Outcome::Measured(measurements),
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

fn note() -> Note {
    Note::new("fuzzed", "someone")
}

fn point(values: &[Odd]) -> Point {
    values.iter().map(Odd::value).collect()
}

fn correction(call: &Call) -> Correction {
    match call {
        Call::Amend(told) => Correction::Amend(told.iter().map(|(trial, told)| (*trial, told.outcome())).collect()),
        Call::Discard(trials) => Correction::Discard(trials.clone()),
        Call::Retry(trials, output) => Correction::Retry { trials: trials.clone(), output: *output },
        Call::RetryFailed => Correction::RetryFailed,
        _ => Correction::DiscardPending,
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
        Call::Enqueue(points) => {
            study.enqueue(&points.iter().map(|one| point(one)).collect::<Vec<_>>(), &note()).is_err()
        }
        Call::Reconfigure(batch, turns) => {
            let mut config = Config { batch: *batch, ..study.config().clone() };
            match config.outputs[0].goal {
                Goal::Maximize if *turns => config.outputs[0].goal = Goal::Minimize,
                Goal::Minimize if *turns => config.outputs[0].goal = Goal::Maximize,
                _ => {}
            }
            study.reconfigure(config, &note()).is_err()
        }
        Call::Reshape(input, change) => match reshaped(&study.config().space, *input, change) {
            Some(space) => {
                let config = Config { space, ..study.config().clone() };
                study.reconfigure(config, &note()).is_err()
            }
            None => true,
        },
        Call::Amend(_) | Call::Discard(_) | Call::DiscardPending | Call::Retry(..) | Call::RetryFailed => {
            let correction = correction(call);
            let (expected, changed) = (study.preview(&correction), study.correct(&correction, &note()));
            // Refusals in words: a NaN that is refused differs from itself.
            let [expected, now] = [expected, changed.clone()].map(|changes| changes.map_err(|error| error.to_string()));
            assert_eq!(expected, now, "{call:?}");
            changed.is_err()
        }
        Call::Add(points) => {
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
    // What was told stays in its place, unless it is corrected.
    let records = study.history().records();
    assert!(records.len() >= before.records().len());
    for (now, then) in records.iter().zip(before.records()) {
        assert_eq!((now.trial.id, now.ask), (then.trial.id, then.ask), "{call:?}");
        let is_longer = matches!(call, Call::Reshape(..)) && now.trial.point.starts_with(&then.trial.point);
        assert!(is_longer || now.trial == then.trial, "{call:?}: {then:?} became {now:?}");
        let is_kept = now.told.iter().zip(&then.told).all(|(now, then)| then.measurement.is_pending() || now == then);
        assert!(is_kept || now.revisions.len() > then.revisions.len(), "{call:?}: {then:?} became {now:?}");
        assert_eq!(now.revisions[..then.revisions.len()], then.revisions, "{call:?}");
    }
    study
}

fn assert_counts_add_up(study: &Study) {
    let Counts { trials, observed, failed, pending, partial, discarded } = study.counts();
    assert_eq!(trials + discarded, study.history().records().len());
    assert_eq!(pending, study.history().pending().count());
    assert_eq!(observed + failed + pending, trials);
    assert!(partial <= pending);
    for record in study.history().records() {
        assert!(record.measurements().filter_map(Measurement::observed).all(f64::is_finite), "{record:?}");
    }
}

#[test]
fn no_sequence_of_calls_breaks_a_study() {
    let cases = Cases { cases: repeats(200, 5000) as u32, failure_persistence: None, ..Cases::default() };
    let calls = (0..4usize, 0..goals().len(), prop::collection::vec(call(), 1..12));
    let run = |(space, goal, calls): (usize, usize, Vec<Call>)| {
        let space = spaces()[space].1.clone();
        let mut config = Config { initial: 3.into(), inducing: 4.into(), ..with_goals(space, &goals()[goal]) };
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
