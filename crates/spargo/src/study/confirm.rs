//! Trials that are evaluated again because each may be the best: Thompson's rule among what has been evaluated.
//!
//! ```text
//!     f(C) ~ p(f(C) | D),     again = argmax_{c ∈ C} f(c),     C = trials of every neighbourhood that may be its best
//! ```
//!
//! At the end of a budget no new point is wanted, but to know which of the trials to report. Draws are joint: trials that
//! rise and fall together are told apart by what differs between them.

use super::config::{MOST_POINTS, check_count};
use super::local::{Local, Teller};
use super::model::Models;
use super::{StepReport, Study, Trial, best_rows};
use crate::data::{Dataset, Units};
use crate::error::{Error, Result};
use crate::linalg::{Mat, cholesky, select_rows};
use crate::model::Prediction;
use crate::rng::{Purpose, normal, stream};
use crate::space::Point;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Instant;

impl Study {
    /// `count` trials to evaluate again, each a point that has an outcome: those that may be the best, the likelier the more
    /// often. They are trials of their own, whatever [`Replicates`](super::Replicates) says. For one objective without limits.
    pub fn confirm(&mut self, count: usize) -> Result<Vec<Trial>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        check_count("the number of trials to confirm", count, MOST_POINTS)?;
        if !self.config.is_one_objective() {
            return Err(Error::Unsupported {
                what: "evaluating the best trials again, if there is more than one objective and nothing else".into(),
                remedy: "add the points that are to be evaluated again yourself".into(),
            });
        }
        let started = Instant::now();
        self.refresh()?;
        if self.table.observed().is_empty() {
            return Err(Error::Empty { what: "the list of outcomes to confirm".into() });
        }
        let (seen, step) = (self.history().tells(), self.history().asks() + 1);
        let mut report = StepReport::new(step, count);
        let (rows, models) = self.choose_again(count, &mut report)?;
        let points: Vec<Point> = rows.iter().map(|&row| self.trial(self.table.observed()[row]).point).collect();
        loop {
            report.total_s = started.elapsed().as_secs_f64();
            if let Some(trials) = self.commit(&points, models.as_ref(), &report, seen)? {
                return Ok(trials);
            }
            // Whatever others have asked for: these may be evaluated again.
            self.refresh()?;
            report.step = self.history().asks() + 1;
        }
    }

    /// Rows of observations, and the models that have chosen them.
    fn choose_again(&mut self, count: usize, report: &mut StepReport) -> Result<(Vec<usize>, Option<Arc<Models>>)> {
        let models = match self.models() {
            Ok(models) => models,
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            // A model that cannot be had must not end the run.
            Err(error) => {
                report.without_model = Some(error.to_string());
                report.design = count;
                let best = best_rows(self.table.outcomes(0), CONTENDERS);
                return Ok((best.into_iter().cycle().take(count).collect(), None));
            }
        };
        report.models = self.reports_of(Some(&models))?;
        let started = Instant::now();
        let data = self.table.dataset(0, models.seen())?;
        let contenders = self.contenders(&models, &data)?;
        let draw = |number: usize| {
            let mut rng = stream(self.config.seed, Purpose::Again, report.step, number as u64);
            let best = contenders.iter().map(|some| some.draw(&mut rng)).max_by(|a, b| a.1.total_cmp(&b.1));
            best.map_or(0, |(row, _)| row)
        };
        let rows = (0..count).map(draw).collect();
        report.acquire_s = started.elapsed().as_secs_f64();
        Ok((rows, Some(models)))
    }

    /// Those of every neighbourhood, by who has the say there; of all trials, if there are no neighbourhoods.
    fn contenders(&self, models: &Models, data: &Dataset) -> Result<Vec<Contenders>> {
        let model = &models.outputs[0];
        let locals = Local::all(model, data, &self.config)?;
        if locals.is_empty() {
            let all: Vec<usize> = (0..data.len()).collect();
            return Ok(vec![Contenders::new(&Teller::of(model), data, &all)?]);
        }
        locals.iter().map(|local| Contenders::new(&local.teller, data, &local.known)).collect()
    }
}

/// Trials that may be the best of some, and what is believed of them together.
struct Contenders {
    rows: Vec<usize>,
    mean: Vec<f64>,
    /// L with L Lᵀ = cov f(rows).
    root: Mat<f64>,
    /// Of mean and root.
    units: Units,
}

impl Contenders {
    fn new(teller: &Teller, data: &Dataset, rows: &[usize]) -> Result<Self> {
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
        Ok(Contenders { mean: best.iter().map(|&i| mean[i]).collect(), rows, root, units: teller.units })
    }

    /// The best row of one draw, and its value there in the user's units.
    fn draw(&self, rng: &mut ChaCha8Rng) -> (usize, f64) {
        let noise: Vec<f64> = self.rows.iter().map(|_| normal(rng)).collect();
        let value = |i: usize| self.mean[i] + (0..=i).map(|j| self.root[(i, j)] * noise[j]).sum::<f64>();
        let values: Vec<f64> = (0..self.rows.len()).map(value).collect();
        let best = best_rows(&values, 1)[0];
        (self.rows[best], self.units.from_model(values[best]))
    }
}

/// Trials of a neighbourhood that may be its best.
const CONTENDERS: usize = 50;
