//! The history as models see it: encoded points, and outcomes to be maximised, of every output those that it has.
//!
//! ```text
//!     rows of the history that were observed in part or in whole        X  [rows, inputs]
//!     output k:  the rows that have it, y_k = ± value, noise variances  (X, y)_k ⊂ rows
//! ```
//!
//! Extreme outcomes are screened: what is told stays as it is, but no model sees it as such.

use super::config::Config;
use super::observed::Observed;
use super::pure_error::bits;
use super::screen::{Screen, Screened};
use super::storage::{History, Record};
use super::{Measurement, Output};
use crate::acquire::optimizer::Excluded;
use crate::error::Result;
use crate::linalg::Mat;
use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

/// Changes at a time that are put into sorted lists one by one.
const FEW_CHANGES: usize = 16;

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
    /// Those of these points at which several trials are, by their bits.
    replicated: HashSet<Vec<u64>>,
    /// How many trials these are beyond the first at each: those that were asked for, and the others.
    pub replicates: [usize; 2],
    /// The rows of the candidates that these points are.
    taken: HashSet<u64>,
    pub(super) outputs: Vec<Output>,
    /// How each output's outcomes are screened, if they are.
    pub(super) screens: Vec<Option<Screen>>,
    /// Records of which some output was observed and none failed, in the order of their numbers.
    pub observed: Vec<usize>,
    /// Records of which some output failed.
    pub failed: Vec<usize>,
    /// Records of which something is still to come.
    pub pending: Vec<usize>,
    /// Records whose outcomes are taken for failures, once they were asked for.
    penalised: OnceCell<Vec<usize>>,
    /// How many trials were asked for.
    pub asked: usize,
    /// What was last observed, if that is much: then it grows with the history.
    pub(super) kept: RefCell<Option<Arc<Observed>>>,
}

impl Observations {
    pub fn new(config: &Config) -> Self {
        let (dimension, outputs) = (config.space.dimensions().len(), config.outputs.clone());
        let screens = (0..outputs.len()).map(|output| Screen::new(config, output)).collect();
        Observations { dimension, outputs, screens, ..Observations::default() }
    }

    /// Takes in what is new in the history; `rows` are the new points as models see them, unless these are still to be encoded.
    pub fn extend(&mut self, config: &Config, history: &History, rows: Vec<Vec<f64>>) -> Result<()> {
        let (records, mut rows) = (history.records(), rows.into_iter());
        self.penalised.take();
        self.excluded.share();
        let mut changed: Vec<usize> = history.told()[self.tells..].iter().map(|&trial| trial as usize - 1).collect();
        let known = self.points.len() / self.dimension;
        self.excluded.reserve(records.len() - known);
        self.points.reserve((records.len() - known) * self.dimension);
        for (i, record) in records.iter().enumerate().skip(known) {
            self.asked += usize::from(record.ask.is_some());
            let point = rows.next().map_or_else(|| self.encoded(config, record), Ok)?;
            let is_inside = config.space.contains_numbers(&point);
            // What lies outside uses up none of the points inside.
            if is_inside {
                self.exclude(record, &point);
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
        (self.replicated, self.replicates) = Default::default();
        let points = std::mem::take(&mut self.points);
        for (i, (record, point)) in records.iter().zip(points.chunks(self.dimension)).enumerate() {
            if !record.is_discarded && self.inside[i] {
                self.exclude(record, point);
            }
        }
        self.points = points;
    }

    /// A candidate that is evaluated again uses up no other one at the same point.
    fn exclude(&mut self, record: &Record, point: &[f64]) {
        if self.excluded.contains(point) {
            self.replicated.insert(bits(point));
            self.replicates[usize::from(record.ask.is_none())] += 1;
        }
        if record.trial.row.is_none_or(|row| self.taken.insert(row)) {
            self.excluded.insert(point);
        }
    }

    /// Whether the point of a record has other trials.
    pub fn is_replicated(&self, record: usize) -> bool {
        let start = record * self.dimension;
        self.replicated.contains(&bits(&self.points[start..start + self.dimension]))
    }

    /// The encoded point of a record.
    pub fn point(&self, record: usize) -> &[f64] {
        &self.points[record * self.dimension..(record + 1) * self.dimension]
    }

    /// Encoded points of these records, [records, inputs].
    pub fn rows(&self, records: &[usize]) -> Mat {
        Mat::from_fn(records.len(), self.dimension, |i, k| self.points[records[i] * self.dimension + k])
    }

    /// The records of which some output was observed and none failed up to a tell, and those of which some output failed.
    pub fn evaluated(&self, seen: u64, history: &History) -> [Vec<usize>; 2] {
        let penalised = self.penalised_until(seen, history);
        let (mut observed, mut failed) = (Vec::new(), Vec::new());
        for (i, record) in history.records().iter().enumerate().filter(|(_, record)| !record.is_discarded) {
            let is = |of: fn(&Measurement) -> bool| record.told.iter().any(|t| t.seq <= seen && of(&t.measurement));
            if is(Measurement::is_failed) || penalised.binary_search(&i).is_ok() {
                failed.push(i);
            } else if is(|measurement| measurement.observed().is_some()) {
                observed.push(i);
            }
        }
        [observed, failed]
    }

    /// Records of which some outcome is taken for a failure, in their order.
    pub fn penalised(&self, history: &History) -> &Vec<usize> {
        self.penalised.get_or_init(|| self.penalised_until(history.tells(), history))
    }

    fn penalised_until(&self, seen: u64, history: &History) -> Vec<usize> {
        if self.screens.iter().flatten().all(|screen| !screen.finds_failures()) {
            return Vec::new();
        }
        let extremes = (0..self.outputs.len()).flat_map(|output| self.extremes_until(seen, output, history));
        let failed = extremes.filter(|(_, seen)| *seen == Screened::Failed);
        let mut records: Vec<usize> = failed.map(|(record, _)| record).collect();
        records.sort_unstable();
        records.dedup();
        records
    }
}

/// Takes records that changed out of a list in the order of the trials, and puts in those that belong there now.
fn update(list: &mut Vec<usize>, records: &[Record], changed: &[usize], belongs: impl Fn(&Record) -> bool) {
    let belongs = |i: usize| !records[i].is_discarded && belongs(&records[i]);
    if changed.len() <= FEW_CHANGES {
        // Moving what follows a place costs far less than sorting it.
        for &i in changed {
            match (list.binary_search(&i), belongs(i)) {
                (Err(place), true) => list.insert(place, i),
                (Ok(place), false) => _ = list.remove(place),
                _ => {}
            }
        }
        return;
    }
    // All before the first change stays.
    let mut tail = list.split_off(list.partition_point(|&i| i < changed[0]));
    tail.retain(|i| changed.binary_search(i).is_err());
    tail.extend(changed.iter().filter(|&&i| belongs(i)));
    tail.sort_unstable();
    list.extend(tail);
}
