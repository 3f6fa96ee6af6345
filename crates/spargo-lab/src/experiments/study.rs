//! A [`Study`] as an optimizer of one objective.

use super::{Optimizer, Recommendation};
use crate::error::Result;
use spargo::study::{Budget, Campaign, Config, Next, Outcome, Refit, Study};
use spargo_problems::numbers;

/// A study of a problem in memory.
#[derive(Debug)]
pub struct StudyOptimizer {
    study: Study,
    campaign: Campaign,
    known_noise: Option<f64>,
    /// Outcomes that models may miss; none for batches.
    refit_every: Option<u64>,
}

impl StudyOptimizer {
    /// A study with these settings.
    pub fn new(config: Config) -> Result<Self> {
        let campaign = Campaign::new(Budget::Total(usize::MAX));
        Ok(StudyOptimizer { study: Study::in_memory(config)?, campaign, known_noise: None, refit_every: None })
    }

    /// This study for workers that wait for nothing, with a model per so many outcomes.
    pub fn asynchronous(self, refit_every: u64) -> Self {
        StudyOptimizer { refit_every: Some(refit_every), ..self }
    }

    /// This study with a known noise variance.
    pub fn with_known_noise(self, variance: f64) -> Self {
        StudyOptimizer { known_noise: Some(variance), ..self }
    }

    /// This study with a budget, the last trials of which are replicates of the likely winners.
    pub fn with_final_replicates(mut self, budget: usize, replicates: usize) -> Self {
        (self.campaign.budget, self.campaign.final_replicates) = (Budget::Total(budget), replicates);
        self
    }
}

impl Optimizer for StudyOptimizer {
    fn ask(&mut self, count: usize) -> Result<Vec<(u64, Vec<f64>)>> {
        if let Some(refit_every) = self.refit_every {
            let trials = self.study.ask_with(count, Refit::Every(refit_every))?;
            return Ok(trials.iter().map(|trial| (trial.id, numbers(&trial.point))).collect());
        }
        self.campaign.batch = Some(count);
        let trials = match self.campaign.next(&mut self.study, 0)? {
            Next::Evaluate(trials) => trials,
            Next::Wait | Next::Done(_) => Vec::new(),
        };
        Ok(trials.iter().map(|trial| (trial.id, numbers(&trial.point))).collect())
    }

    fn tell(&mut self, outcomes: &[(u64, f64)]) -> Result<()> {
        let outcome = |y: f64| match self.known_noise {
            Some(variance) => Outcome::noisy(y, variance),
            None => Outcome::value(y),
        };
        let config = self.study.config();
        let settled = |&(id, y): &(u64, f64)| Ok((id, config.settled_or_failed("the trial", &outcome(y))?));
        let outcomes = outcomes.iter().map(settled).collect::<Result<Vec<_>>>()?;
        self.study.tell(&outcomes)?;
        Ok(())
    }

    fn recommendation(&mut self) -> Result<Recommendation> {
        let best = self.study.best()?.ok_or_else(|| spargo::Error::Empty { what: "the list of outcomes".into() })?;
        let report = self.study.model_reports()?.remove(0);
        let (hyper, units) = self.study.hyperparameters(0)?;
        // du/dy is 1/scale where outcomes are not warped.
        let scale = (-units.log_slope(units.from_model(0.0))).exp();
        Ok(Recommendation {
            best: numbers(&best.believed.trial.point),
            warp: report.warp,
            noise: self.known_noise.unwrap_or(hyper.noise * scale * scale),
            inducing: report.inducing,
            seconds: (report.allocate_s, report.fit_s),
        })
    }

    fn acquire_s(&self) -> Result<f64> {
        Ok(self.study.reports()?.last().map_or(0.0, |report| report.acquire_s))
    }
}
