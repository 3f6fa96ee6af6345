//! Rows of tables and the trials they are of: rows that name their trial must have its inputs and labels, or numbers have slipped;
//! rows that name none may be those of a table that was told before.

use super::storage::Record;
use super::{Measurement, Outcome, Study, Trial};
use crate::error::{Error, Result};
use crate::space::{Point, Value};
use std::collections::HashSet;

/// Pairs of a pending trial and a row that are compared.
const MOST_COMPARED: usize = 1_000_000;

impl Study {
    /// Refuses a row of a table with the number of a trial if one of its inputs, or a label that tells candidates apart, is not
    /// the trial's, but for a spreadsheet's rounding. `inputs` and `labels` have one entry each, `None` where the row says nothing.
    pub fn check_row(&self, index: usize, trial: u64, inputs: &[Option<Value>], labels: &[Option<&str>]) -> Result<()> {
        let trials = self.history.records().len() as u64;
        let asked = &self.trial(trial).ok_or(Error::UnknownTrial { index, trial, trials })?.trial;
        let other = |column: &str, asked: String, found: String| {
            Err(Error::OtherPoint { index, trial, column: column.into(), asked, found })
        };
        for ((input, asked), found) in self.config.space.dimensions().iter().zip(&asked.point).zip(inputs) {
            if let Some(found) = found.as_ref().filter(|found| !input.is_same(found, asked)) {
                return other(&input.name, asked.to_string(), found.to_string());
            }
        }
        match asked.row.and_then(|row| self.config.space.other_label(row, labels)) {
            Some((name, own, label)) => other(name, format!("'{own}'"), format!("'{label}'")),
            None => Ok(()),
        }
    }

    /// The trials of which nothing has been measured at the inputs of these points, but for a spreadsheet's rounding: a table that
    /// has lost the numbers of its trials would leave them pending for ever. `rows` are the candidates that the points are, where
    /// that is known.
    pub fn pending_at(&self, points: &[(Point, Option<Outcome>)], rows: &[Option<u64>]) -> Vec<u64> {
        if points.is_empty() {
            return Vec::new();
        }
        let is_open = |record: &&Record| !record.is_discarded && record.measurements().all(Measurement::is_pending);
        let open: Vec<&Record> = self.history.records().iter().filter(is_open).collect();
        if open.len().saturating_mul(points.len()) > MOST_COMPARED {
            return Vec::new();
        }
        let inputs = self.config.space.dimensions();
        let is_same = |a: &Point, b: &Point| inputs.iter().zip(a).zip(b).all(|((input, a), b)| input.is_same(a, b));
        let is_at = |trial: &Trial, point: &Point, row: Option<&u64>| {
            is_same(point, &trial.point) && row.is_none_or(|row| trial.row.is_none_or(|own| own == *row))
        };
        let row = |i: usize| rows.get(i).and_then(Option::as_ref);
        let is_among =
            |record: &&Record| points.iter().enumerate().any(|(i, (point, _))| is_at(&record.trial, point, row(i)));
        open.into_iter().filter(is_among).map(|record| record.trial.id).collect()
    }

    /// How many of these points have the inputs and the values of a trial: as replicates rarely have, and tables that are told
    /// again.
    pub fn count_known(&self, points: &[(Point, Option<Outcome>)]) -> usize {
        if points.is_empty() {
            return 0;
        }
        let known = |point: &Point, outcome: Option<Outcome>| {
            let Outcome::Measured(measurements) = outcome? else { return None };
            let values: Vec<_> = measurements.iter().map(|one| one.observed().map(f64::to_bits)).collect();
            let numbers = self.config.space.encode_observed(point).ok()?.into_iter();
            let has_value = values.iter().any(Option::is_some);
            has_value.then(|| (numbers.map(f64::to_bits).collect::<Vec<u64>>(), values))
        };
        let live = self.history.records().iter().filter(|record| !record.is_discarded);
        let trials: HashSet<_> = live.filter_map(|record| known(&record.trial.point, record.outcome())).collect();
        let points = points.iter().filter_map(|(point, outcome)| known(point, outcome.clone()));
        points.filter(|point| trials.contains(point)).count()
    }
}
