//! The history as models see it: encoded points, and outcomes to be maximised, of every output those that it has.
//!
//! ```text
//!     rows of the history that were observed in part or in whole        X  [rows, inputs]
//!     output k:  the rows that have it, y_k = ± value, noise variances  (X, y)_k ⊂ rows
//! ```
//!
//! Extreme outcomes are screened: what is told stays as it is, but no model sees it as such.

use super::config::Config;
use super::pure_error::{Replicated, bits};
use super::screen::{Outcomes, Screen, Screened};
use super::storage::{History, Record};
use super::{Measurement, Output};
use crate::acquire::optimizer::Excluded;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::Mat;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::OnceLock;

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
    outputs: Vec<Output>,
    /// How each output's outcomes are screened, if they are.
    screens: Vec<Option<Screen>>,
    /// Records of which some output was observed and none failed, in the order of their numbers.
    pub observed: Vec<usize>,
    /// Records of which some output failed.
    pub failed: Vec<usize>,
    /// Records of which something is still to come.
    pub pending: Vec<usize>,
    /// Records whose outcomes are taken for failures, once they were asked for.
    penalised: OnceCell<Vec<usize>>,
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
    /// Whether the study asked for the trial of each row.
    pub asked: Vec<bool>,
    /// The tell that each row came with.
    pub seq: Vec<u64>,
    /// Those of the rows whose outcomes are not seen as they were told, in their order.
    screened: Vec<usize>,
    /// Rows at the same points, once they were asked for.
    replicated: OnceLock<Replicated>,
}

/// An extreme outcome, by its record, and what a model sees of it.
pub(super) type Extreme = (usize, Screened);

impl Observed {
    /// The row of a record among those that have an output, if models see it.
    pub fn row_of(&self, output: usize, record: usize) -> Option<usize> {
        let place = self.records.binary_search(&record).ok()?;
        self.outputs[output].as_ref()?.rows.binary_search(&place).ok()
    }
}

impl ObservedOutput {
    /// All rows of some data, as they were told, and asked for.
    #[cfg(test)]
    pub fn of(data: Dataset) -> Self {
        let (rows, asked, seq) = ((0..data.len()).collect(), vec![true; data.len()], (1..=data.len() as u64).collect());
        ObservedOutput { rows, asked, seq, data, screened: Vec::new(), replicated: OnceLock::new() }
    }

    /// Rows at the same points.
    pub fn replicated(&self) -> &Replicated {
        self.replicated.get_or_init(|| Replicated::of(self.data.x()))
    }

    /// Whether the outcome of a row is not seen as it was told.
    pub fn is_screened(&self, row: usize) -> bool {
        self.screened.binary_search(&row).is_ok()
    }
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
        for (i, record) in records.iter().enumerate().skip(self.points.len() / self.dimension) {
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

    /// Encoded points of these records, [records, inputs].
    pub fn rows(&self, records: &[usize]) -> Mat {
        Mat::from_fn(records.len(), self.dimension, |i, k| self.points[records[i] * self.dimension + k])
    }

    /// What was observed up to a tell; refuses if that is nothing.
    pub fn until(&self, seen: u64, history: &History) -> Result<Observed> {
        let told = (0..self.outputs.len()).map(|k| self.told(k, seen, history)).collect::<Vec<_>>();
        let mut records: Vec<usize> = told.iter().flat_map(Told::accepted).collect();
        records.sort_unstable();
        records.dedup();
        if records.is_empty() {
            return Err(Error::Empty { what: "the list of outcomes".into() });
        }
        let seen = |(output, told)| self.seen(output, told, &records, history);
        let outputs = told.into_iter().enumerate().map(seen).collect::<Result<_>>()?;
        Ok(Observed { x: self.rows(&records), records, outputs })
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

    /// The extreme outcomes of an output, in the order of their records.
    pub fn extremes(&self, output: usize, history: &History) -> Vec<Extreme> {
        self.extremes_until(history.tells(), output, history)
    }

    fn extremes_until(&self, seen: u64, output: usize, history: &History) -> Vec<Extreme> {
        let Told { records, screened, .. } = self.told(output, seen, history);
        screened.into_iter().map(|(row, screened)| (records[row], screened)).collect()
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

    /// The outcomes of an output up to a tell, as they were told, and which of them are extreme.
    fn told(&self, output: usize, seen: u64, history: &History) -> Told {
        let (mut records, mut y, mut noise) = (Vec::new(), Vec::new(), Vec::new());
        for (i, record) in history.records().iter().enumerate().filter(|(_, record)| !record.is_discarded) {
            let told = &record.told[output];
            if let Measurement::Observed { value, variance } = told.measurement
                && told.seq <= seen
            {
                records.push(i);
                y.push(self.outputs[output].goal.sign() * value);
                noise.push(variance);
            }
        }
        let x = self.rows(&records);
        let outcomes = Outcomes { x: x.as_ref(), y: &y, noise: &noise };
        let screened = self.screens[output].as_ref().map_or(Vec::new(), |screen| screen.apply(&outcomes));
        Told { records, y, noise, screened }
    }

    /// What models see of an output's outcomes; `None` if that is nothing.
    fn seen(&self, output: usize, told: Told, records: &[usize], history: &History) -> Result<Option<ObservedOutput>> {
        let Told { records: mut own, mut y, mut noise, screened } = told;
        let mut is_seen = vec![true; own.len()];
        for &(row, as_seen) in &screened {
            match as_seen {
                Screened::Failed | Screened::LeftOut => is_seen[row] = false,
                Screened::Clipped(value) => y[row] = value,
                Screened::Doubted { value, variance } => (y[row], noise[row]) = (value, Some(variance)),
            }
        }
        // The places of the rows among those that are left.
        let places: Vec<usize> =
            is_seen.iter().scan(0, |next, &seen| Some(std::mem::replace(next, *next + usize::from(seen)))).collect();
        let screened = screened.iter().filter(|(row, _)| is_seen[*row]).map(|(row, _)| places[*row]).collect();
        keep(&mut own, &is_seen);
        keep(&mut y, &is_seen);
        keep(&mut noise, &is_seen);
        if own.is_empty() {
            return Ok(None);
        }
        let rows = own.iter().filter_map(|record| records.binary_search(record).ok()).collect();
        let data = Dataset::new(self.rows(&own), y)?;
        let data = if noise.iter().all(Option::is_none) { data } else { data.with_known_noise(noise)? };
        let asked = own.iter().map(|&record| history.records()[record].ask.is_some()).collect();
        let seq = own.iter().map(|&record| history.records()[record].told[output].seq).collect();
        Ok(Some(ObservedOutput { rows, data, asked, seq, screened, replicated: OnceLock::new() }))
    }
}

/// The outcomes of an output as they were told, an objective's to be maximised.
struct Told {
    /// The records that have the output.
    records: Vec<usize>,
    y: Vec<f64>,
    noise: Vec<Option<f64>>,
    /// The rows with extreme outcomes, in their order.
    screened: Vec<(usize, Screened)>,
}

impl Told {
    /// The records whose outcomes are not taken for failures.
    fn accepted(&self) -> impl Iterator<Item = usize> {
        let failed = self.screened.iter().filter(|(_, seen)| *seen == Screened::Failed);
        let failed: HashSet<usize> = failed.map(|&(row, _)| row).collect();
        (0..self.records.len()).filter(move |row| !failed.contains(row)).map(|row| self.records[row])
    }
}

/// Keeps the values that are marked.
fn keep<T>(values: &mut Vec<T>, marks: &[bool]) {
    let mut marks = marks.iter();
    values.retain(|_| marks.next().is_some_and(|mark| *mark));
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
