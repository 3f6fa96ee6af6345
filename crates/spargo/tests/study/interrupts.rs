//! Calls that are interrupted: wherever it falls, the study is as it was and goes on as if nothing had been.

use super::*;
use spargo::Error;
use spargo::interrupt::{Flag, until};
use std::time::{Duration, Instant};

/// Studies of every rule that is slow enough to be interrupted, and some that are not.
fn begun() -> Vec<Study> {
    let rules = [by_name("thompson"), by_name("log-ei"), by_name("gibbon")];
    let spaces = spaces().into_iter().map(|(_, space)| Config { rule: None, ..small(space) });
    let configs = rules.map(|rule| Config { rule: Some(rule), ..small(plane()) }).into_iter().chain(spaces);
    let study = |config: Config| {
        let mut study = Study::in_memory(config).unwrap();
        for _ in 0..4 {
            let trials = study.ask(10).unwrap();
            study.tell(&trials.iter().map(|trial| (trial.id, value(trial))).collect::<Vec<_>>()).unwrap();
        }
        study
    };
    configs.map(study).collect()
}

/// Good where numbers are small.
fn value(trial: &Trial) -> Outcome {
    let number = |value: &Value| match value {
        Value::Real(x) => *x,
        Value::Int(i) => *i as f64,
        other => other.to_string().len() as f64,
    };
    Outcome::value(-trial.point.iter().map(|v| number(v).powi(2)).sum::<f64>().sqrt())
}

#[test]
fn an_interrupted_ask_leaves_no_trace() {
    for mut study in begun() {
        let mut undisturbed = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        let started = Instant::now();
        let expected = undisturbed.ask(10).unwrap();
        let length = started.elapsed();
        let before = study.history().clone();
        let mut interrupted = 0;
        for part in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9] {
            let flag = Flag::new();
            let raiser = flag.clone();
            let raise = std::thread::spawn(move || {
                std::thread::sleep(length.mul_f64(part));
                raiser.raise();
            });
            // A copy each time: an ask that was too quick must not be in the way of the next.
            let mut copy = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
            match until(&flag, || copy.ask(10)) {
                Err(error) => {
                    assert_eq!(error, Error::Interrupted);
                    interrupted += 1;
                    assert_eq!(copy.history().records(), before.records());
                    assert_eq!(copy.ask(10).unwrap(), expected);
                }
                Ok(trials) => assert_eq!(trials, expected),
            }
            raise.join().unwrap();
        }
        assert!(interrupted > 0);
        let flag = Flag::new();
        flag.raise();
        assert_eq!(until(&flag, || study.ask(10)), Err(Error::Interrupted));
        assert_eq!(study.history(), &before);
        assert_eq!(study.ask(10).unwrap(), expected);
    }
}

#[test]
fn an_ask_ends_soon() {
    let mut config = small(plane());
    (config.initial, config.inducing, config.model.exact_until) = (1.into(), 400.into(), 3000);
    let mut study = Study::in_memory(config).unwrap();
    let point = |i: usize| vec![Value::Real((i as f64 * 0.618).fract()), Value::Real(1.0 + (i as f64 * 0.414).fract())];
    let trials: Vec<_> = (0..2500).map(|i| (point(i), Some(Outcome::value((i as f64).sin())))).collect();
    study.add(&trials).unwrap();
    for wait in [50, 200, 500, 900] {
        let flag = Flag::new();
        let raiser = flag.clone();
        let raise = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(wait));
            raiser.raise();
            Instant::now()
        });
        assert_eq!(until(&flag, || study.ask(5000)), Err(Error::Interrupted));
        let late = raise.join().unwrap().elapsed();
        assert!(late < Duration::from_secs(2), "{late:?}");
    }
}
