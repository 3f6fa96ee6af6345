//! Trials that are evaluated again because each may be the best: Thompson's rule among what has been evaluated.
//!
//! ```text
//!     f(C) ~ p(f(C) | D),     again = argmax_{c ∈ C} f(c),     C = trials of every neighbourhood that may be its best
//! ```
//!
//! At the end of a budget no new point is wanted, but to know which of the trials to report. Draws of one model are joint: trials
//! that rise and fall together are told apart by what differs between them. Different models know nothing of each other.

use super::config::{MOST_POINTS, check_count};
use super::local::{Local, Surrogate, distinct};
use super::model::Models;
use super::{StepReport, Study, Trial, best_rows};
use crate::data::{Dataset, OutcomeTransform};
use crate::error::{Error, Result};
use crate::linalg::{Mat, cholesky, select_rows};
use crate::model::Prediction;
use crate::rng::{Purpose, normal, stream};
use crate::space::Point;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

impl Study {
    /// `count` trials to evaluate again, each a point that has an outcome: those that may be the best, the likelier the more
    /// often. They are trials of their own, whatever [`Replicates`](super::Replicates) says. For one objective without limits.
    pub fn replicate(&mut self, count: usize) -> Result<Vec<Trial>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        check_count("the number of trials to confirm", count, MOST_POINTS)?;
        let refuse = |what: &str, remedy: &str| Err(Error::Unsupported { what: what.into(), remedy: remedy.into() });
        if !self.config.is_one_objective() {
            let remedy =
                "it is for one output that is maximised or minimised; add points to be evaluated again yourself";
            return refuse("confirming the best trial of such outputs", remedy);
        }
        let started = Instant::now();
        self.refresh()?;
        if self.table.observed().is_empty() {
            return refuse("confirming trials before any has an outcome", "tell outcomes first");
        }
        let seen = self.history().tells();
        let mut report = StepReport { again: count, ..StepReport::new(self.history().asks() + 1, count) };
        let (finalists, models) = self.finalists(&mut report)?;
        loop {
            let points = self.draw_again(&finalists, report.step, count);
            report.total_s = started.elapsed().as_secs_f64();
            if let Some(trials) = self.commit(&points, models.as_ref(), &report, seen)? {
                return Ok(trials);
            }
            // Others may have drawn the same.
            self.refresh()?;
            report.step = self.history().asks() + 1;
        }
    }

    /// The contenders of every model that has the say somewhere, and the models of everything that they come from.
    fn finalists(&mut self, report: &mut StepReport) -> Result<(Vec<Contenders>, Option<Arc<Models>>)> {
        match self.models() {
            Ok(models) => {
                report.models = self.reports_of(Some(&models))?;
                let started = Instant::now();
                let data = self.table.dataset(0, models.seen())?;
                let mut told = Vec::new();
                Local::each(&models.outputs[0], &data, &self.config, |local| told.push(local))?;
                let groups = by_teller(&Surrogate::of(&models.outputs[0]), &told, &data);
                let of = |(teller, rows): &(Surrogate, Vec<usize>)| self.contenders(teller, &data, rows);
                let contenders = groups.iter().map(of).collect::<Result<_>>()?;
                report.acquire_s = started.elapsed().as_secs_f64();
                Ok((contenders, Some(models)))
            }
            Err(Error::Interrupted) => Err(Error::Interrupted),
            // A model that cannot be had must not end the run.
            Err(error) => {
                report.without_model = Some(error.to_string());
                report.design = report.asked;
                Ok((vec![self.best_observed()], None))
            }
        }
    }

    /// Who may be the best of these rows.
    fn contenders(&self, teller: &Surrogate, data: &Dataset, rows: &[usize]) -> Result<Contenders> {
        let Prediction { mean, variance } = teller.posterior.predict(select_rows(data.x(), rows).as_ref())?;
        let hoped: Vec<f64> = mean.iter().zip(&variance).map(|(mean, variance)| mean + variance.sqrt()).collect();
        let best = best_rows(&hoped, CONTENDERS);
        let rows: Vec<usize> = best.iter().map(|&i| rows[i]).collect();
        let covariance = teller.posterior.covariance(select_rows(data.x(), &rows).as_ref())?;
        let root = match cholesky(covariance, 0.0) {
            Ok(factor) => factor.l,
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            // Outcomes without noise: nothing is left to be learned, and means decide.
            Err(_) => Mat::zeros(rows.len(), rows.len()),
        };
        let records = rows.iter().map(|&row| self.table.observed()[row]).collect();
        Ok(Contenders { records, mean: best.iter().map(|&i| mean[i]).collect(), root, units: teller.units })
    }

    /// Without any model: the best outcomes, as if they were equal and nothing else were known.
    fn best_observed(&self) -> Contenders {
        let best = best_rows(self.table.outcomes(0), FEW);
        let records: Vec<usize> = best.iter().map(|&row| self.table.observed()[row]).collect();
        let (mean, root) = (vec![0.0; records.len()], Mat::identity(records.len(), records.len()));
        Contenders { records, mean, root, units: OutcomeTransform::identity() }
    }

    fn draw_again(&self, finalists: &[Contenders], step: u64, count: usize) -> Vec<Point> {
        let draw = |number: usize| {
            let mut rng = stream(self.config.seed, Purpose::Replicate, step, number as u64);
            let best = finalists.iter().map(|some| some.draw(&mut rng)).max_by(|a, b| a.1.total_cmp(&b.1));
            best.map(|(record, _)| self.trial_of(record).point)
        };
        (0..count).filter_map(draw).collect()
    }
}

/// Every model that has the say somewhere, and the different points that it has the say of; of all trials, if there are no
/// neighbourhoods.
fn by_teller(far: &Surrogate, locals: &[Local], data: &Dataset) -> Vec<(Surrogate, Vec<usize>)> {
    let all: Vec<usize> = (0..data.len()).collect();
    let told = match locals.is_empty() {
        true => vec![(far, &all)],
        false => locals.iter().map(|local| (&local.teller, &local.known)).collect(),
    };
    let mut groups: Vec<(Surrogate, Vec<usize>)> = Vec::new();
    let mut seen = HashSet::new();
    for (teller, rows) in told {
        // Who knows a point first has the say of it.
        let own: Vec<usize> = distinct(data.x(), rows.iter().copied(), &mut seen).collect();
        match groups.iter_mut().find(|(other, _)| Arc::ptr_eq(&other.posterior, &teller.posterior)) {
            Some((_, rows)) => rows.extend(own),
            None if own.is_empty() => {}
            None => groups.push((teller.clone(), own)),
        }
    }
    groups
}

/// Trials at different points that may be the best of some, and what is believed of them together.
struct Contenders {
    /// Their numbers in the history.
    records: Vec<usize>,
    mean: Vec<f64>,
    /// L with L Lᵀ = cov f(records).
    root: Mat<f64>,
    /// Of mean and root.
    units: OutcomeTransform,
}

impl Contenders {
    /// The best record of one draw, and its value there in the user's units.
    fn draw(&self, rng: &mut ChaCha8Rng) -> (usize, f64) {
        let noise: Vec<f64> = self.records.iter().map(|_| normal(rng)).collect();
        let value = |i: usize| self.mean[i] + (0..=i).map(|j| self.root[(i, j)] * noise[j]).sum::<f64>();
        let values: Vec<f64> = (0..self.records.len()).map(value).collect();
        let best = best_rows(&values, 1)[0];
        (self.records[best], self.units.from_model(values[best]))
    }
}

/// Points that may be the best of those that one model has the say of.
const CONTENDERS: usize = 50;

/// The same if nothing is known but their outcomes.
const FEW: usize = 10;
