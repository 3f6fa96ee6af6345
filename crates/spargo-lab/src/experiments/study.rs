//! A [`Study`] as an optimizer of one objective.

use super::{Optimizer, PosteriorAtData};
use crate::error::Result;
use spargo::study::{Config, Outcome, Study};
use spargo_problems::numbers;

/// A study of a problem in memory.
#[derive(Debug)]
pub struct StudyOptimizer {
    study: Study,
    known_noise: Option<f64>,
    /// Number of trials from which on only the likely winners are evaluated again.
    replicate_from: Option<usize>,
    /// Asks before the last batch, which may take two.
    asks: usize,
}

impl StudyOptimizer {
    /// A study with these settings.
    pub fn new(config: Config) -> Result<Self> {
        Ok(StudyOptimizer { study: Study::in_memory(config)?, known_noise: None, replicate_from: None, asks: 0 })
    }

    /// This study with a known noise variance.
    pub fn with_known_noise(self, variance: f64) -> Self {
        StudyOptimizer { known_noise: Some(variance), ..self }
    }

    /// This study, which replicates its likely winners once it has so many trials.
    pub fn replicating_from(self, trials: usize) -> Self {
        StudyOptimizer { replicate_from: Some(trials), ..self }
    }
}

impl Optimizer for StudyOptimizer {
    fn ask(&mut self, count: usize) -> Result<Vec<(u64, Vec<f64>)>> {
        self.asks = self.study.reports()?.len();
        let new = self.replicate_from.unwrap_or(usize::MAX).saturating_sub(self.study.history().records().len());
        let mut trials = self.study.ask(count.min(new))?;
        trials.extend(self.study.replicate(count - trials.len())?);
        Ok(trials.iter().map(|trial| (trial.id, numbers(&trial.point))).collect())
    }

    fn tell(&mut self, outcomes: &[(u64, f64)]) -> Result<()> {
        let outcome = |y: f64| match self.known_noise {
            Some(variance) => Outcome::noisy(y, variance),
            None => Outcome::value(y),
        };
        let outcomes: Vec<(u64, Outcome)> = outcomes.iter().map(|&(id, y)| (id, outcome(y))).collect();
        self.study.tell(&outcomes)?;
        Ok(())
    }

    fn belief(&mut self) -> Result<PosteriorAtData> {
        let best = self.study.best()?.ok_or_else(|| spargo::Error::Empty { what: "the list of outcomes".into() })?;
        let report = self.study.model_reports()?.remove(0);
        let (hyper, units) = self.study.hyperparameters(0)?;
        // du/dy is 1/scale where outcomes are not warped.
        let scale = (-units.log_slope(units.from_model(0.0))).exp();
        Ok(PosteriorAtData {
            best: numbers(&best.believed.trial.point),
            warp: report.warp,
            noise: self.known_noise.unwrap_or(hyper.noise * scale * scale),
            inducing: report.inducing,
            seconds: (report.allocate_s, report.fit_s),
        })
    }

    fn acquire_s(&self) -> Result<f64> {
        Ok(self.study.reports()?[self.asks..].iter().map(|report| report.acquire_s).sum())
    }
}
