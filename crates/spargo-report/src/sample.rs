//! Samples of large studies for drawing.

use spargo::study::Study;
use spargo::study::{Goal, Outcome};
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

/// All outcomes of an output, in the order of the trials.
pub fn values_of(study: &Study, output: usize) -> Vec<OutputValue> {
    let records = study.history().records().iter();
    let value = |outcome: &Outcome| match outcome {
        Outcome::Observed { values, .. } => values.get(output).copied(),
        Outcome::Failed { .. } => None,
    };
    let one = |record: &spargo::study::Record| {
        let told = record.told.as_ref()?;
        value(&told.outcome).map(|value| OutputValue { trial: record.trial.id, value })
    };
    records.filter_map(one).collect()
}

/// Whether the first of two outcomes of an output is better.
pub fn better(study: &Study, output: usize) -> impl Fn(f64, f64) -> bool + use<> {
    let minimize = study.config().outputs.get(output).is_some_and(|output| output.goal == Goal::Minimize);
    move |a, b| if minimize { a < b } else { a > b }
}

/// At most [`MOST`] outcomes in their order: the best ones, and the others evenly spaced.
pub fn some(study: &Study, output: usize, all: &[OutputValue]) -> Vec<OutputValue> {
    if all.len() <= MOST {
        return all.to_vec();
    }
    let better = better(study, output);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&i, &j| match (all[i].value, all[j].value) {
        (a, b) if better(a, b) => std::cmp::Ordering::Less,
        (a, b) if better(b, a) => std::cmp::Ordering::Greater,
        _ => i.cmp(&j),
    });
    let best: HashSet<usize> = order[..BEST].iter().copied().collect();
    let others: Vec<usize> = (0..all.len()).filter(|i| !best.contains(i)).collect();
    let mut kept: Vec<usize> = best.into_iter().chain(evenly(&others, MOST - BEST)).collect();
    kept.sort_unstable();
    kept.into_iter().map(|i| all[i]).collect()
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
    use spargo::study::{Config, Output};

    #[test]
    fn the_best_are_kept_for_both_directions() {
        for goal in [Goal::Maximize, Goal::Minimize] {
            let mut config = Config::new(Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap());
            config.outputs = vec![Output { name: "y".into(), goal }];
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
