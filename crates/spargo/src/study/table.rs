//! The history as models see it: encoded points and outcomes to be maximised, grown as the history grows.

use super::Outcome;
use super::config::Config;
use super::store::{History, Record};
use crate::acquire::optimizer::Excluded;
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::Mat;

/// Rows are the history's records.
#[derive(Debug)]
pub(super) struct Table {
    dimension: usize,
    /// Encoded points, row after row.
    points: Vec<f64>,
    excluded: Excluded,
    /// Records that were observed, in the order of their numbers, with their tells.
    observed: Vec<usize>,
    seq: Vec<u64>,
    /// One an output.
    outputs: Vec<Column>,
    failed: Vec<usize>,
    pending: Vec<usize>,
}

/// An output of the observed records.
#[derive(Debug)]
struct Column {
    /// The factor that makes larger values better.
    sign: f64,
    /// With that sign.
    outcomes: Vec<f64>,
    /// Variances where they are known.
    noise: Vec<Option<f64>>,
}

impl Table {
    pub fn new(config: &Config) -> Self {
        Table {
            dimension: config.space.dimensions().len(),
            points: Vec::new(),
            excluded: Excluded::default(),
            observed: Vec::new(),
            seq: Vec::new(),
            outputs: config.outputs.iter().map(|output| Column::new(output.goal.sign())).collect(),
            failed: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Brings the table up to date; the points of the trials from number `first` on, `rows`, have been encoded before.
    pub fn extend(&mut self, config: &Config, history: &History, first: u64, rows: Vec<Vec<f64>>) -> Result<()> {
        let known = self.points.len() / self.dimension;
        let mut rows = rows.into_iter();
        for record in &history.records()[known..] {
            let encoded = if record.trial.id >= first { rows.next() } else { None };
            let point = encoded.map_or_else(|| config.space.encode(&record.trial.point), Ok)?;
            self.excluded.insert(&point);
            self.points.extend(point);
        }
        self.sort(history.records());
        Ok(())
    }

    /// Sorts the records by what is known of them; their order is that of the trials, whenever they were told.
    fn sort(&mut self, records: &[Record]) {
        self.observed.clear();
        self.failed.clear();
        self.pending.clear();
        self.seq.clear();
        self.outputs.iter_mut().for_each(|output| *output = Column::new(output.sign));
        for (i, record) in records.iter().enumerate() {
            match &record.told {
                None => self.pending.push(i),
                Some(told) => match &told.outcome {
                    Outcome::Failed { .. } => self.failed.push(i),
                    Outcome::Observed { values, noise } => {
                        self.observed.push(i);
                        self.seq.push(told.seq);
                        for (k, output) in self.outputs.iter_mut().enumerate() {
                            output.outcomes.push(output.sign * values[k]);
                            output.noise.push(noise.as_ref().and_then(|noise| noise[k]));
                        }
                    }
                },
            }
        }
    }

    /// Records with an outcome.
    pub fn observed(&self) -> &[usize] {
        &self.observed
    }

    /// One of their outputs; an objective is to be maximised.
    pub fn outcomes(&self, output: usize) -> &[f64] {
        &self.outputs[output].outcomes
    }

    /// Records that failed.
    pub fn failed(&self) -> &[usize] {
        &self.failed
    }

    /// Records without an outcome.
    pub fn pending(&self) -> &[usize] {
        &self.pending
    }

    /// Every point there is.
    pub fn excluded(&self) -> Excluded {
        self.excluded.clone()
    }

    /// Encoded points of these records, [records, inputs].
    pub fn rows(&self, records: &[usize]) -> Mat<f64> {
        Mat::from_fn(records.len(), self.dimension, |i, k| self.points[records[i] * self.dimension + k])
    }

    /// One output of the observations up to a tell.
    pub fn dataset(&self, output: usize, seen: u64) -> Result<Dataset> {
        let Column { outcomes, noise, .. } = &self.outputs[output];
        let rows: Vec<usize> = (0..self.observed.len()).filter(|&i| self.seq[i] <= seen).collect();
        let records: Vec<usize> = rows.iter().map(|&i| self.observed[i]).collect();
        let data = Dataset::new(self.rows(&records), rows.iter().map(|&i| outcomes[i]).collect())?;
        let noise: Vec<Option<f64>> = rows.iter().map(|&i| noise[i]).collect();
        if noise.iter().all(Option::is_none) { Ok(data) } else { data.with_known_noise(noise) }
    }

    /// Every output of the observations up to a tell.
    pub fn datasets(&self, seen: u64) -> Result<Vec<Dataset>> {
        (0..self.outputs.len()).map(|output| self.dataset(output, seen)).collect()
    }
}

impl Column {
    fn new(sign: f64) -> Self {
        Column { sign, outcomes: Vec::new(), noise: Vec::new() }
    }
}
