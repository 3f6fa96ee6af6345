//! The model of a study: Algorithm 1's allocation and fit, from the last step's state to this one's.
//!
//! ```text
//!     previous posterior ─▶ kernel and quality ─▶ Z ─▶ θ̂ (warm) ─▶ posterior                (Moss et al. 2023, Algorithm 1)
//! ```

use super::config::{Config, OutcomeTransformChoice};
use super::credit::{Credit, Shares};
use super::entered::EnteredSums;
use super::goal::Goal;
use super::lineages::LineageModels;
use super::local::LocalModel;
use super::observed::{Observed, ObservedOutput};
use super::prepare::{Prepared, inducing_points};
use super::scaffold::Scaffold;
use super::shortlist::Shortlist;
use crate::acquire::ParetoState;
use crate::data::{Direction, OutcomeTransform, Warp};
use crate::error::Result;
use crate::linalg::{Mat, MatRef, column_major};
use crate::model::{Fit, FitReport, Hyperparameters, Inference, Likelihood, Posterior, fit};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// What the next step needs of this one's model of an output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ModelState {
    /// The name of the output.
    pub output: String,
    /// The units of the outcomes.
    pub units: OutcomeTransform,
    /// Hyperparameters, in the model's units.
    pub hyper: Hyperparameters,
    /// Z of a sparse posterior, [m, d]; none if it was exact.
    pub inducing: Option<Inducing>,
    /// Which posterior.
    pub inference: Inference,
    /// How outcomes arise from f.
    pub likelihood: Likelihood,
    /// Observations at the last search from several starts; 0 of a prior.
    pub searched: usize,
    /// The last tell that the model has seen.
    pub seen: u64,
    /// The last tell that was seen when the hyperparameters and Z were chosen, if others have come since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<u64>,
}

/// Z, [m, d].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Inducing(#[serde(with = "column_major")] pub Mat);

/// A model of one output, of all trials or of a neighbourhood; the prior, as long as the output has no outcome.
#[derive(Debug, Clone)]
pub(super) struct Surrogate {
    pub posterior: Arc<Posterior>,
    /// The transform of the output's outcomes.
    pub units: OutcomeTransform,
    /// The noise variance, in the model's units.
    pub noise: f64,
}

impl Surrogate {
    /// Whether the output has no outcome yet.
    pub fn is_prior(&self) -> bool {
        self.posterior.is_prior()
    }

    /// Posterior means at points as models see them, in the user's units; an objective's are to be maximised.
    pub fn means(&self, x: MatRef<'_>) -> Result<Vec<f64>> {
        Ok(self.posterior.mean(x)?.into_iter().map(|mean| self.units.from_model(mean)).collect())
    }
}

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReport {
    /// The name of the output.
    pub output: String,
    /// Observations.
    pub observations: usize,
    /// Inducing points; the observations themselves if the posterior is exact, or points that span a kernel of finite rank.
    pub inducing: usize,
    /// Which posterior.
    pub inference: Inference,
    /// How outcomes are mapped before the model sees them.
    pub warp: Warp,
    /// Seconds for the last posterior at the data and the choice of inducing points.
    pub allocate_s: f64,
    /// Seconds for warp, hyperparameters and posterior.
    pub fit_s: f64,
    /// How the fit came about; `None` if the last step's models were used again.
    pub fit: Option<FitReport>,
}

/// A model for each output, all of which have seen the same trials.
#[derive(Debug, Default)]
pub(super) struct Models {
    pub outputs: Vec<Surrogate>,
    pub states: Vec<ModelState>,
    pub reports: Vec<ModelReport>,
    /// The sums of each posterior that is sparse.
    pub sums: Vec<Option<EnteredSums>>,
    /// What each source of points has lately found.
    pub credit: Credit,
    /// The shares of batches that they choose.
    pub shares: Shares,
    /// The best trial by local models, once it was asked for.
    pub local: OnceLock<Option<LocalModel>>,
    /// The trials that the models have seen by their means, once these were needed.
    pub pareto: OnceLock<Arc<ParetoState>>,
    /// The models of lineages of trust regions, once they were needed.
    pub lineages: Mutex<Vec<Arc<LineageModels>>>,
    /// The trials that may matter until the next refit, once they were needed.
    pub shortlist: OnceLock<Arc<Shortlist>>,
    /// What further draws share, once one was made without a fit.
    pub scaffold: OnceLock<Option<Scaffold>>,
}

/// What the last step left.
pub(super) struct LastStep<'a> {
    /// One per output.
    pub states: &'a [ModelState],
    /// What the step had seen, as it is known now, made if need be.
    pub before: &'a dyn Fn() -> Result<Arc<Observed>>,
    /// Whether something that it had seen was corrected since: then nothing is learned from where it ended.
    pub is_revised: bool,
    /// Models that this process has made from the same state, or left as this state.
    pub kept: Option<&'a Models>,
}

impl Models {
    /// Allocates and fits, given what the last step left, if there was one.
    pub fn new(
        config: &Config,
        last: Option<&LastStep<'_>>,
        observed: &Observed,
        step: u64,
        seen: u64,
    ) -> Result<Self> {
        let prepare = |(k, own): (usize, &Option<ObservedOutput>)| {
            own.as_ref().map(|own| Prepared::new(config, k, last, own, observed.x())).transpose()
        };
        let prepared = observed.outputs.iter().enumerate().map(prepare).collect::<Result<Vec<_>>>()?;
        let mut models = Models::default();
        for (k, own) in prepared.iter().enumerate() {
            match own {
                Some(own) => models.fit(config, &prepared, (k, own), step, seen)?,
                None => models.push_prior(ModelState::prior(config, k, seen)?, observed.x().ncols()),
            }
        }
        Ok(models)
    }

    /// The models that left these states, given the same data.
    pub fn restored(states: Vec<ModelState>, observed: &Observed) -> Result<Self> {
        let mut models = Models::default();
        for (state, own) in states.into_iter().zip(&observed.outputs) {
            match own {
                Some(own) => models.restore(state, own, &observed.records)?,
                None => models.push_prior(state, observed.x().ncols()),
            }
        }
        Ok(models)
    }

    /// Adds the model of another output that left a state.
    fn restore(&mut self, state: ModelState, own: &ObservedOutput, records: &[usize]) -> Result<()> {
        let (posterior, sums) = match EnteredSums::restored(&state, own)? {
            Some(sums) => sums.enter(&state, own, records).map(|(posterior, sums)| (posterior, Some(sums)))?,
            None => (state.posterior(&own.data)?, None),
        };
        self.push(posterior, state, own.data.len());
        self.sums[self.outputs.len() - 1] = sums;
        Ok(())
    }

    /// Chooses the inducing points of an output and fits its model.
    fn fit(
        &mut self,
        config: &Config,
        all: &[Option<Prepared>],
        (output, own): (usize, &Prepared),
        step: u64,
        seen: u64,
    ) -> Result<()> {
        let Prepared { data, units, start, options, searched, warp_s, predict_s, .. } = own;
        let started = Instant::now();
        let inducing = match options.inference {
            Inference::Exact => None,
            _ => Some(inducing_points(config, all, (output, own), step)?),
        };
        let allocate_s = predict_s + started.elapsed().as_secs_f64();

        let started = Instant::now();
        let z = inducing.as_ref().map_or(data.x(), Mat::as_ref);
        let Fit { posterior, hyper, report, sums } = fit(start, data, z, options)?;
        let state = ModelState {
            output: config.outputs[output].name.clone(),
            units: *units,
            hyper,
            inducing: inducing.map(Inducing),
            inference: options.inference,
            likelihood: options.likelihood,
            searched: searched.unwrap_or(data.len()),
            seen,
            fitted: None,
        };
        let reported = self.push(posterior, state, data.len());
        reported.allocate_s = allocate_s;
        reported.fit_s = warp_s + started.elapsed().as_secs_f64();
        reported.fit = Some(report);
        self.sums[output] = sums.map(EnteredSums::new);
        Ok(())
    }

    /// Adds the prior of another output, which has no outcome.
    pub(super) fn push_prior(&mut self, state: ModelState, inputs: usize) {
        self.push(Posterior::prior(&state.hyper, inputs), state, 0);
    }

    /// Adds the model of another output; its report says that nothing was done for it.
    pub(super) fn push(&mut self, posterior: Posterior, state: ModelState, observations: usize) -> &mut ModelReport {
        let report = ModelReport {
            output: state.output.clone(),
            observations,
            inducing: posterior.z().nrows(),
            inference: state.inference,
            warp: state.units.warp(),
            allocate_s: 0.0,
            fit_s: 0.0,
            fit: None,
        };
        self.outputs.push(Surrogate { posterior: Arc::new(posterior), units: state.units, noise: state.hyper.noise });
        self.states.push(state);
        self.reports.push(report);
        self.sums.push(None);
        &mut self.reports[self.outputs.len() - 1]
    }

    /// The models of the last refit, by the sums that rows have entered since.
    pub fn at_refit(&self) -> Result<Vec<Surrogate>> {
        let of = |(own, sums): (&Surrogate, &Option<EnteredSums>)| match sums {
            Some(sums) => Ok(Surrogate { posterior: Arc::new(sums.at_refit()?), ..own.clone() }),
            None => Ok(own.clone()),
        };
        self.outputs.iter().zip(&self.sums).map(of).collect()
    }

    /// The last tell that the models have seen.
    pub fn seen(&self) -> u64 {
        self.states.first().map_or(0, |state| state.seen)
    }

    /// Reports of models that were made for an earlier ask: nothing was done again.
    pub fn reports_again(&self) -> Vec<ModelReport> {
        let again = |report| ModelReport { allocate_s: 0.0, fit_s: 0.0, fit: None, ..report };
        self.reports.iter().cloned().map(again).collect()
    }
}

impl Goal {
    /// The logarithm of outcomes that are positive in the user's units.
    pub(super) fn log(self) -> Warp {
        Warp::Log { direction: if self == Goal::Minimize { Direction::Minimize } else { Direction::Maximize } }
    }
}

impl Config {
    /// The logarithm, if that is how the outcomes of an output are transformed.
    pub(super) fn log_warp(&self, output: usize) -> Option<Warp> {
        let goal = self.outputs[output].goal;
        let is_log = self.warping(output) == OutcomeTransformChoice::Log && goal != Goal::Classify;
        is_log.then(|| goal.log())
    }
}
