//! What a step leaves for the next one, and what was read: both are checked, as anyone may have written the file.

use super::config::Config;
use super::credit::Credit;
use super::goal::Goal;
use super::model::{Inducing, ModelState};
use super::storage::Event;
use super::trust_regions::RegionMemory;
use crate::data::check_finite;
use crate::error::{Error, Result, check_length};
use crate::kernel::Kernel;
use crate::model::{Inference, Likelihood};
use serde::{Deserialize, Serialize};

/// What the next step needs of the last one, besides settings and history.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StepState {
    /// One per output.
    pub models: Vec<ModelState>,
    /// What trust regions remember; `None` if that is nothing.
    pub regions: Option<RegionMemory>,
    /// What each source of points has lately found.
    #[serde(default)]
    pub credit: Credit,
}

impl StepState {
    /// The last tell that the models have seen.
    pub fn seen(&self) -> Option<u64> {
        self.models.first().map(|model| model.seen)
    }

    /// Refuses a state that no step of such a study leaves after so many tells.
    pub fn check(&self, config: &Config, tells: u64) -> Result<()> {
        if !self.models.is_empty() {
            check_length("the state's list of models", self.models.len(), config.outputs.len())?;
        }
        let seen = self.regions.iter().map(|regions| regions.seen).chain(self.models.iter().map(|model| model.seen));
        if seen.max().is_some_and(|seen| seen > tells)
            || self.models.iter().any(|model| Some(model.seen) != self.seen())
        {
            return Err(wrong("the outcomes that its models have seen"));
        }
        if !self.credit.is_valid(config.space.dimensions().len()) {
            return Err(wrong("the credit of its sources of points"));
        }
        self.models.iter().enumerate().try_for_each(|(output, model)| model.check(config, output))
    }
}

impl ModelState {
    fn check(&self, config: &Config, output: usize) -> Result<()> {
        let (inputs, goal) = (config.space.dimensions().len(), config.outputs[output].goal);
        if self.output != config.outputs[output].name {
            return Err(wrong("the names of its outputs"));
        }
        // One from outside the crate may not be registered, and is checked when it is used.
        if config.model.kernel.is_built_in() {
            self.hyper.check(inputs)?;
            if !is_shaped(&self.hyper.kernel, &Kernel::for_space(&config.space, &config.model.kernel)?) {
                return Err(wrong("a kernel of another space"));
            }
        }
        let classifies = self.inference == Inference::Variational && self.likelihood == Likelihood::Bernoulli;
        let regresses = self.inference != Inference::Variational && self.likelihood == Likelihood::Gaussian;
        if !(if goal == Goal::Classify { classifies } else { regresses }) {
            return Err(wrong("a model that does not suit its output"));
        }
        if !self.units.is_valid() {
            return Err(wrong("the units of its outcomes"));
        }
        if self.searched as u64 > self.seen || self.fitted() > self.seen {
            return Err(wrong("the observations of its last search"));
        }
        match &self.inducing {
            None if self.inference == Inference::Exact => Ok(()),
            Some(Inducing(z)) if self.inference != Inference::Exact && z.nrows() > 0 => {
                check_length("a row of inducing points", z.ncols(), inputs)?;
                check_finite("an inducing point", z.as_ref())
            }
            _ => Err(wrong("its inducing points")),
        }
    }
}

impl Config {
    /// Refuses an event with an outcome that this library would not have kept.
    pub(super) fn check_event(&self, position: u64, event: &Event) -> Result<()> {
        if let Event::Asked { ahead: Some(ahead), .. } = event {
            // They become trials without another look at them.
            ahead.points.iter().try_for_each(|point| self.space.encode_observed(point).map(|_| ()))?;
        }
        let (of, outcome) = match event {
            Event::Told { outcome, .. } | Event::Added { outcome: Some(outcome), .. } if self.is_settled(outcome) => {
                return Ok(());
            }
            Event::Told { trial, outcome } => (format!("trial {trial}"), outcome),
            Event::Added { outcome: Some(outcome), .. } => (format!("a point after event {position}"), outcome),
            _ => return Ok(()),
        };
        if self.settled(&of, outcome)? == *outcome { Ok(()) } else { Err(wrong(&format!("the outcome of {of}"))) }
    }
}

/// Whether two kernels differ in the values of their parameters at most.
fn is_shaped(kernel: &Kernel, cold: &Kernel) -> bool {
    let at = |kernel: &Kernel| {
        let mut kernel = kernel.clone();
        kernel.set_parameters(&vec![0.0; kernel.roles().len()]);
        kernel
    };
    at(kernel) == at(cold)
}

fn wrong(what: &str) -> Error {
    Error::unsupported(format!("{what} cannot be so"), "use a file as spargo has written it")
}
