//! The history as models see it: encoded points and outcomes to be maximised, grown as the history grows.

use super::config::Config;
use super::storage::{History, Told};
use super::{Outcome, Output};
use crate::acquire::optimizer::Excluded;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::Mat;

/// What was observed of the history's records; a record is named by its index.
#[derive(Debug, Default)]
pub(super) struct Observations {
    dimension: usize,
    /// The number of tells that are taken into account.
    tells: usize,
    /// Encoded points, row after row.
    points: Vec<f64>,
    /// Every point inside the space.
    pub excluded: Excluded,
    /// Records that were observed, in the order of their numbers.
    pub observed: Vec<usize>,
    /// The tell of each observed record.
    seq: Vec<u64>,
    /// One per output.
    outputs: Vec<Column>,
    /// Records that failed.
    pub failed: Vec<usize>,
    /// Records without an outcome.
    pub pending: Vec<usize>,
}

/// An output of the observed records.
#[derive(Debug, Default)]
struct Column {
    /// The factor that makes larger values better.
    sign: f64,
    /// Values times the sign.
    outcomes: Vec<f64>,
    /// Noise variances where they are known.
    noise: Vec<Option<f64>>,
}

impl Observations {
    pub fn new(config: &Config) -> Self {
        let column = |output: &Output| Column { sign: output.goal.sign(), ..Column::default() };
        let outputs = config.outputs.iter().map(column).collect();
        Observations { dimension: config.space.dimensions().len(), outputs, ..Observations::default() }
    }

    /// Takes in what is new in the history; `rows` are the new points as models see them, unless these are still to be encoded.
    ///
    /// Rows stand in the order of the trials, whenever these were told; so the rows after the first new one are made again.
    pub fn extend(&mut self, config: &Config, history: &History, rows: Vec<Vec<f64>>) -> Result<()> {
        let (records, mut rows) = (history.records(), rows.into_iter());
        for (i, record) in records.iter().enumerate().skip(self.points.len() / self.dimension) {
            let point = rows.next().map_or_else(|| config.space.encode_observed(&record.trial.point), Ok)?;
            // What lies outside uses up none of the points inside.
            if config.space.contains_numbers(&point) {
                self.excluded.insert(&point);
            }
            self.points.extend(point);
            self.pending.push(i);
        }
        let mut new: Vec<usize> = history.told()[self.tells..].iter().map(|&trial| trial as usize - 1).collect();
        let Some(&first) = new.iter().min() else { return Ok(()) };
        self.pending.retain(|&i| records[i].told.is_none());
        new.extend(self.failed.split_off(self.failed.partition_point(|&i| i < first)));
        new.extend(self.observed.split_off(self.observed.partition_point(|&i| i < first)));
        new.sort_unstable();
        new.dedup();
        self.seq.truncate(self.observed.len());
        for output in &mut self.outputs {
            output.outcomes.truncate(self.observed.len());
            output.noise.truncate(self.observed.len());
        }
        for (i, told) in new.into_iter().filter_map(|i| Some((i, records[i].told.as_ref()?))) {
            self.push(i, told)?;
        }
        self.tells = history.told().len();
        Ok(())
    }

    fn push(&mut self, record: usize, told: &Told) -> Result<()> {
        let Outcome::Observed { values, noise } = &told.outcome else {
            self.failed.push(record);
            return Ok(());
        };
        let expected = self.outputs.len();
        for found in [values.len(), noise.as_ref().map_or(expected, Vec::len)] {
            if found != expected {
                return Err(Error::Shape { what: format!("the outcome of trial {}", record + 1), found, expected });
            }
        }
        self.observed.push(record);
        self.seq.push(told.seq);
        for (k, output) in self.outputs.iter_mut().enumerate() {
            output.outcomes.push(output.sign * values[k]);
            output.noise.push(noise.as_ref().and_then(|noise| noise[k]));
        }
        Ok(())
    }

    /// One output of the observed records; an objective is to be maximised.
    pub fn outcomes(&self, output: usize) -> &[f64] {
        &self.outputs[output].outcomes
    }

    /// Rows of the observed records that were reported after a tell, up to another.
    pub fn rows_between(&self, before: u64, seen: u64) -> Vec<usize> {
        (0..self.observed.len()).filter(|&row| (before + 1..=seen).contains(&self.seq[row])).collect()
    }

    /// Encoded points of these records, [records, inputs].
    pub fn rows(&self, records: &[usize]) -> Mat {
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
