//! The history as models see it: encoded points, and outcomes to be maximised, of every output those that it has.
//!
//! ```text
//!     rows of the history that were observed in part or in whole        X  [rows, inputs]
//!     output k:  the rows that have it, y_k = ± value, noise variances  (X, y)_k ⊂ rows
//! ```

use super::config::Config;
use super::storage::{History, Record};
use super::{Measurement, Output, Trial};
use crate::acquire::optimizer::Excluded;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::Mat;
use std::collections::HashSet;

/// What is known of the history's records; a record is named by its index.
#[derive(Debug, Default)]
pub(super) struct Observations {
    dimension: usize,
    /// The number of tells that are taken into account.
    tells: usize,
    /// Encoded points, row after row.
    points: Vec<f64>,
    /// Whether each record lies inside the space: only then it may be recommended.
    pub inside: Vec<bool>,
    /// Every point inside the space of which something is known or still to come.
    pub excluded: Excluded,
    /// The rows of the candidates that these points are.
    taken: HashSet<u64>,
    outputs: Vec<Output>,
    /// Records of which some output was observed and none failed, in the order of their numbers.
    pub observed: Vec<usize>,
    /// Records of which some output failed.
    pub failed: Vec<usize>,
    /// Records of which something is still to come.
    pub pending: Vec<usize>,
}

/// What was observed up to a tell.
#[derive(Debug)]
pub(super) struct Observed {
    /// The records of which some output was observed, in their order.
    pub records: Vec<usize>,
    /// Their encoded points, [records, inputs].
    pub x: Mat,
    /// One per output; `None` as long as no trial has it.
    pub outputs: Vec<Option<ObservedOutput>>,
}

/// An output of the trials that have it.
#[derive(Debug)]
pub(super) struct ObservedOutput {
    /// The place of each row among the records of [`Observed`].
    pub rows: Vec<usize>,
    /// Encoded points and outcomes; an objective is to be maximised.
    pub data: Dataset,
}

impl Observations {
    pub fn new(config: &Config) -> Self {
        let (dimension, outputs) = (config.space.dimensions().len(), config.outputs.clone());
        Observations { dimension, outputs, ..Observations::default() }
    }

    /// Takes in what is new in the history; `rows` are the new points as models see them, unless these are still to be encoded.
    pub fn extend(&mut self, config: &Config, history: &History, rows: Vec<Vec<f64>>) -> Result<()> {
        let (records, mut rows) = (history.records(), rows.into_iter());
        let mut changed: Vec<usize> = history.told()[self.tells..].iter().map(|&trial| trial as usize - 1).collect();
        for (i, record) in records.iter().enumerate().skip(self.points.len() / self.dimension) {
            let point = rows.next().map_or_else(|| self.encoded(config, record), Ok)?;
            let is_inside = config.space.contains_numbers(&point);
            // What lies outside uses up none of the points inside.
            if is_inside {
                self.exclude(&record.trial, &point);
            }
            self.inside.push(is_inside);
            self.points.extend(point);
            changed.push(i);
        }
        changed.sort_unstable();
        changed.dedup();
        for &i in changed.iter().filter(|&&i| self.points[i * self.dimension].is_nan()) {
            self.encoded(config, &records[i])?;
        }
        self.list(records, &changed);
        if changed.iter().any(|&i| !records[i].revisions.is_empty()) {
            self.exclude_again(records);
        }
        self.tells = history.told().len();
        Ok(())
    }

    /// The point of a record as models see it; NaN for a discarded trial that has no place in the space.
    fn encoded(&self, config: &Config, record: &Record) -> Result<Vec<f64>> {
        let point = config.space.encode_observed(&record.trial.point);
        if record.is_discarded { Ok(point.unwrap_or_else(|_| vec![f64::NAN; self.dimension])) } else { point }
    }

    /// Puts the records that changed into the lists to which they belong now.
    fn list(&mut self, records: &[Record], changed: &[usize]) {
        let is = |record: &Record, of: fn(&Measurement) -> bool| record.measurements().any(of);
        let is_failed = |record: &Record| is(record, Measurement::is_failed);
        let is_observed = |record: &Record| is(record, |m| m.observed().is_some()) && !is_failed(record);
        let is_pending = |record: &Record| is(record, Measurement::is_pending);
        update(&mut self.observed, records, changed, is_observed);
        update(&mut self.failed, records, changed, is_failed);
        update(&mut self.pending, records, changed, is_pending);
    }

    /// Points of discarded trials may be asked for again, unless another trial is there.
    fn exclude_again(&mut self, records: &[Record]) {
        (self.excluded, self.taken) = Default::default();
        let points = std::mem::take(&mut self.points);
        for (i, (record, point)) in records.iter().zip(points.chunks(self.dimension)).enumerate() {
            if !record.is_discarded && self.inside[i] {
                self.exclude(&record.trial, point);
            }
        }
        self.points = points;
    }

    /// A candidate that is evaluated again uses up no other one at the same point.
    fn exclude(&mut self, trial: &Trial, point: &[f64]) {
        if trial.row.is_none_or(|row| self.taken.insert(row)) {
            self.excluded.insert(point);
        }
    }

    /// Encoded points of these records, [records, inputs].
    pub fn rows(&self, records: &[usize]) -> Mat {
        Mat::from_fn(records.len(), self.dimension, |i, k| self.points[records[i] * self.dimension + k])
    }

    /// What was observed up to a tell; refuses if that is nothing.
    pub fn until(&self, seen: u64, history: &History) -> Result<Observed> {
        let has = |record: &Record, k: usize| {
            let told = &record.told[k];
            told.seq <= seen && told.measurement.observed().is_some() && !record.is_discarded
        };
        let all = history.records();
        let records: Vec<usize> =
            (0..all.len()).filter(|&i| (0..self.outputs.len()).any(|k| has(&all[i], k))).collect();
        if records.is_empty() {
            return Err(Error::Empty { what: "the list of outcomes".into() });
        }
        let of_output = |k: usize| -> Result<Option<ObservedOutput>> {
            let rows: Vec<usize> = (0..records.len()).filter(|&row| has(&all[records[row]], k)).collect();
            let own: Vec<usize> = rows.iter().map(|&row| records[row]).collect();
            let (mut y, mut noise) = (Vec::with_capacity(own.len()), Vec::with_capacity(own.len()));
            for &record in &own {
                if let Measurement::Observed { value, variance } = all[record].told[k].measurement {
                    y.push(self.outputs[k].goal.sign() * value);
                    noise.push(variance);
                }
            }
            if own.is_empty() {
                return Ok(None);
            }
            let data = Dataset::new(self.rows(&own), y)?;
            let data = if noise.iter().all(Option::is_none) { data } else { data.with_known_noise(noise)? };
            Ok(Some(ObservedOutput { rows, data }))
        };
        let outputs = (0..self.outputs.len()).map(of_output).collect::<Result<_>>()?;
        Ok(Observed { x: self.rows(&records), records, outputs })
    }
}

/// Takes records that changed out of a list in the order of the trials, and puts in those that belong there now.
fn update(list: &mut Vec<usize>, records: &[Record], changed: &[usize], belongs: impl Fn(&Record) -> bool) {
    let Some(&first) = changed.first() else { return };
    // All before the first change stays.
    let mut tail = list.split_off(list.partition_point(|&i| i < first));
    tail.retain(|i| changed.binary_search(i).is_err());
    tail.extend(changed.iter().filter(|&&i| !records[i].is_discarded && belongs(&records[i])));
    tail.sort_unstable();
    list.extend(tail);
}
