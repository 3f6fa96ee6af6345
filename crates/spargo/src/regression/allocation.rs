//! What a choice of inducing points goes by, in the user's units: a kernel, and the evidence of a first model.

use super::{FixedHyperparameters, UserHyperparameters, Wish, fit_initial, standardizer};
use crate::allocate::Quality;
use crate::data::{AllocationContext, Dataset, Standardizer};
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel};
use crate::linalg::MatRef;
use crate::model::{FitOptions, Hyperparameters, Prediction, Priors};

/// How kernel and evidence are found.
#[derive(Debug, Clone)]
pub struct AllocationOptions {
    /// The quality that the evidence is for.
    pub quality: Quality,
    /// What is wanted of the outcomes.
    pub wish: Wish,
    /// The kernel.
    pub family: Family,
    /// Hyperparameters that are known; the others are learned from outcomes.
    pub given: FixedHyperparameters,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// Of every random choice.
    pub seed: u64,
}

impl AllocationOptions {
    /// Kernel and evidence for points x, [n, d], with their outcomes if these are known.
    ///
    /// Without outcomes there is no evidence, and what is not given takes its default for inputs spread over their box.
    pub fn kernel_and_evidence(
        &self,
        x: MatRef<'_, f64>,
        y: Option<&[f64]>,
    ) -> Result<(UserHyperparameters, AllocationContext)> {
        let cold = Hyperparameters::cold(Kernel::cold(self.family, x.ncols()));
        let Some(y) = y else {
            if self.quality != Quality::Unit {
                return Err(Error::Unsupported {
                    what: format!("a choice that looks at outcomes ({}) without any", self.quality.name()),
                    remedy: "give the outcomes".into(),
                });
            }
            let units = Standardizer::from_data(&Dataset::new(x.to_owned(), vec![0.0; x.nrows()])?);
            return Ok((
                self.given.complete(UserHyperparameters::from_model(&cold, &units))?,
                AllocationContext::default(),
            ));
        };
        let data = Dataset::new(x.to_owned(), y.to_vec())?;
        let units = standardizer(&data)?;
        let start = self.given.complete(UserHyperparameters::from_model(&cold, &units))?.to_model(&units);
        let fitting =
            FitOptions { priors: self.priors, fixed: self.given.fixed(), seed: self.seed, ..FitOptions::default() };
        let first = fit_initial(&units.apply(&data), &start, &fitting, self.quality)?;
        let model = UserHyperparameters::from_model(&first.hyper, &units);
        let evidence = match first.prediction {
            Some(Prediction { mean, variance }) => {
                let mean = mean.iter().map(|m| units.mean(*m)).collect();
                let variance = variance.iter().map(|v| units.variance(*v)).collect();
                self.wish.evidence(y, Prediction { mean, variance }, vec![model.noise; data.len()])?
            }
            None => AllocationContext::default(),
        };
        Ok((model, evidence))
    }
}
