//! The history as models see it: encoded points and outcomes to be maximised, grown as the history grows.

use super::Outcome;
use super::config::Config;
use super::store::{History, Record};
use crate::data::Dataset;
use crate::error::Result;
use crate::linalg::Mat;
use crate::maximize::Taken;

/// Rows are the history's records.
#[derive(Debug)]
pub(super) struct Table {
    dimension: usize,
    /// Encoded points, row after row.
    points: Vec<f64>,
    taken: Taken,
    /// Records that were observed, in the order of their numbers, with outcome, noise variance and tell.
    observed: Vec<usize>,
    outcomes: Vec<f64>,
    noise: Vec<Option<f64>>,
    seq: Vec<u64>,
    failed: Vec<usize>,
    pending: Vec<usize>,
}

impl Table {
    pub fn new(config: &Config) -> Self {
        Table {
            dimension: config.space.dimensions().len(),
            points: Vec::new(),
            taken: Taken::default(),
            observed: Vec::new(),
            outcomes: Vec::new(),
            noise: Vec::new(),
            seq: Vec::new(),
            failed: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Brings the table up to date.
    pub fn extend(&mut self, config: &Config, history: &History) -> Result<()> {
        let known = self.points.len() / self.dimension;
        for record in &history.records()[known..] {
            let point = config.space.encode(&record.trial.point)?;
            self.taken.insert(&point);
            self.points.extend(point);
        }
        self.sort(config.sign(), history.records());
        Ok(())
    }

    /// Sorts the records by what is known of them; their order is that of the trials, whenever they were told.
    fn sort(&mut self, sign: f64, records: &[Record]) {
        self.observed.clear();
        self.failed.clear();
        self.pending.clear();
        self.outcomes.clear();
        self.noise.clear();
        self.seq.clear();
        for (i, record) in records.iter().enumerate() {
            match &record.told {
                None => self.pending.push(i),
                Some(told) => match &told.outcome {
                    Outcome::Failed { .. } => self.failed.push(i),
                    Outcome::Observed { values, noise } => {
                        self.observed.push(i);
                        self.outcomes.push(sign * values[0]);
                        self.noise.push(noise.as_ref().and_then(|noise| noise[0]));
                        self.seq.push(told.seq);
                    }
                },
            }
        }
    }

    /// Records with an outcome.
    pub fn observed(&self) -> &[usize] {
        &self.observed
    }

    /// Their outcomes, to be maximised.
    pub fn outcomes(&self) -> &[f64] {
        &self.outcomes
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
    pub fn taken(&self) -> Taken {
        self.taken.clone()
    }

    /// Encoded points of these records, [records, inputs].
    pub fn rows(&self, records: &[usize]) -> Mat<f64> {
        Mat::from_fn(records.len(), self.dimension, |i, k| self.points[records[i] * self.dimension + k])
    }

    /// The observations up to a tell.
    pub fn dataset(&self, seen: u64) -> Result<Dataset> {
        let rows: Vec<usize> = (0..self.observed.len()).filter(|&i| self.seq[i] <= seen).collect();
        let records: Vec<usize> = rows.iter().map(|&i| self.observed[i]).collect();
        let data = Dataset::new(self.rows(&records), rows.iter().map(|&i| self.outcomes[i]).collect())?;
        let noise: Vec<Option<f64>> = rows.iter().map(|&i| self.noise[i]).collect();
        if noise.iter().all(Option::is_none) { Ok(data) } else { data.with_known_noise(noise) }
    }
}
