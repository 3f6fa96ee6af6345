//! Samples of large studies for drawing.

use spargo::study::{Goal, Record, Status, Study, Trial};
use std::collections::HashSet;

/// Largest number of points of a drawing.
pub const MOST: usize = 2000;

/// How many of these are the best ones.
const BEST: usize = 200;

/// The value of an output in a trial.
#[derive(Clone, Copy)]
pub struct OutputValue {
    /// The trial's number.
    pub trial: u64,
    pub value: f64,
}

/// Trials of which every output was observed with their values, in the order of the trials.
pub fn observed(study: &Study) -> impl Iterator<Item = (&Trial, Vec<f64>)> {
    study.history().records().iter().filter_map(|record| Some((&record.trial, record.values()?)))
}

/// Failed trials with their reasons, in the order of the trials.
pub fn failed(study: &Study) -> impl Iterator<Item = (&Trial, &str)> {
    let failed = study.history().records().iter().filter(|record| record.status() == Status::Failed);
    failed.filter_map(|record| Some((&record.trial, record.failure()?)))
}

/// All outcomes of an output, in the order of the trials.
pub fn values_of(study: &Study, output: usize) -> Vec<OutputValue> {
    let kept = study.history().records().iter().filter(|record| !record.is_discarded);
    let value = |record: &Record| {
        Some(OutputValue { trial: record.trial.id, value: record.told[output].measurement.observed()? })
    };
    kept.filter_map(value).collect()
}

/// Whether the first of two outcomes of an output is better.
pub fn better(study: &Study, output: usize) -> impl Fn(f64, f64) -> bool + use<> {
    let minimize = study.config().outputs[output].goal == Goal::Minimize;
    move |a, b| if minimize { a < b } else { a > b }
}

/// Outcomes by value, the best one first; equal ones in their order.
pub fn best_first(study: &Study, output: usize, all: &[OutputValue]) -> Vec<OutputValue> {
    let better = better(study, output);
    let mut order = all.to_vec();
    order.sort_by(|a, b| better(b.value, a.value).cmp(&better(a.value, b.value)));
    order
}

/// At most [`MOST`] outcomes in their order: the best ones, and the others evenly spaced.
pub fn some(study: &Study, output: usize, all: &[OutputValue]) -> Vec<OutputValue> {
    if all.len() <= MOST {
        return all.to_vec();
    }
    let best: HashSet<u64> = best_first(study, output, all)[..BEST].iter().map(|told| told.trial).collect();
    let (mut kept, others): (Vec<OutputValue>, Vec<OutputValue>) =
        all.iter().copied().partition(|told| best.contains(&told.trial));
    kept.extend(evenly(&others, MOST - BEST));
    kept.sort_by_key(|told| told.trial);
    kept
}

/// At most `count` items of a list, evenly spaced.
pub fn evenly<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    match all.len() {
        n if n <= count => all.to_vec(),
        n => (0..count).map(|i| all[i * n / count].clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::space::{Dimension, Space, Value};
    use spargo::study::Outcome;
    use spargo::study::{Config, Output};

    #[test]
    fn the_best_are_kept_for_both_directions() {
        for goal in [Goal::Maximize, Goal::Minimize] {
            let mut config = Config::new(Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap());
            config.outputs = vec![Output::new("y", goal)];
            let study = Study::in_memory(config).unwrap();
            let all: Vec<OutputValue> =
                (0..9000).map(|i| OutputValue { trial: i + 1, value: ((i * 7919) % 9000) as f64 }).collect();
            let some = some(&study, 0, &all);
            assert_eq!(some.len(), MOST);
            assert!(some.is_sorted_by_key(|told| told.trial));
            let values: HashSet<u64> = some.iter().map(|told| told.value as u64).collect();
            let best = |i: u64| if goal == Goal::Maximize { 8999 - i } else { i };
            assert!((0..BEST as u64).all(|i| values.contains(&best(i))));
            assert!(some.iter().filter(|told| told.trial > 8000).count() > 150);
        }
    }

    #[test]
    fn outcomes_are_read_off_the_history() {
        let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
        let mut study = Study::in_memory(Config::new(space)).unwrap();
        let point = |x: f64| vec![Value::Real(x)];
        let outcomes = [Some(Outcome::failed("no")), None, Some(Outcome::value(3.0))];
        let points: Vec<_> = outcomes.into_iter().enumerate().map(|(i, o)| (point(0.1 * i as f64), o)).collect();
        study.add(&points).unwrap();
        let told = values_of(&study, 0);
        assert_eq!(told.len(), 1);
        assert_eq!((told[0].trial, told[0].value), (3, 3.0));
    }
}
