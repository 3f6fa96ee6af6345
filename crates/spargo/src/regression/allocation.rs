//! What an allocation of inducing points depends on, in the user's units: a kernel, and an initial model's posterior.

use super::{FixedHyperparameters, Target, UserHyperparameters, fit_initial, standardizer};
use crate::allocate::{Needs, Quality};
use crate::data::{AllocationContext, Dataset, Standardizer};
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel};
use crate::linalg::MatRef;
use crate::model::{FitOptions, Hyperparameters, Prediction, Priors};

/// How the kernel and the context of an allocation are found.
#[derive(Debug, Clone)]
pub struct AllocationOptions {
    /// The quality that the context is for.
    pub quality: Quality,
    /// The outcomes that matter.
    pub target: Target,
    /// The kernel's family.
    pub family: Family,
    /// Hyperparameters that are known; the others are learned from outcomes.
    pub given: FixedHyperparameters,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// Random seed.
    pub seed: u64,
}

impl AllocationOptions {
    /// The kernel and the context for points x, [n, d], with their outcomes if these are known.
    ///
    /// Without outcomes there is no posterior, and what is not given takes its default for inputs spread over their box.
    pub fn kernel_and_context(
        &self,
        x: MatRef<'_>,
        y: Option<&[f64]>,
    ) -> Result<(UserHyperparameters, AllocationContext)> {
        let cold = Hyperparameters::cold(Kernel::cold(self.family, x.ncols()));
        let Some(y) = y else {
            if self.quality.needs() != Needs::Nothing {
                return Err(Error::Unsupported {
                    what: format!("a choice that depends on outcomes ({}) needs them", self.quality.name()),
                    remedy: "give the outcomes".into(),
                });
            }
            let units = Standardizer::from_data(&Dataset::new(x.to_owned(), vec![0.0; x.nrows()])?);
            return Ok((
                self.given.complete(UserHyperparameters::from_model(&cold, &units))?,
                AllocationContext::of_rows(x.nrows()),
            ));
        };
        let data = Dataset::new(x.to_owned(), y.to_vec())?;
        let units = standardizer(&data)?;
        let start = self.given.complete(UserHyperparameters::from_model(&cold, &units))?.to_model(&units);
        let fitting =
            FitOptions { priors: self.priors, fixed: self.given.fixed(), seed: self.seed, ..FitOptions::default() };
        let first = fit_initial(&units.apply(&data), &start, &fitting, &self.quality)?;
        let model = UserHyperparameters::from_model(&first.hyper, &units);
        let context = match first.prediction {
            Some(Prediction { mean, variance }) => {
                let moments = mean.iter().zip(&variance).map(|(&m, &v)| units.outcomes.moments(m, v));
                let (mean, variance) = moments.unzip();
                self.target.context(y, Prediction { mean, variance }, vec![model.noise; data.len()])?
            }
            None => AllocationContext::of_rows(x.nrows()),
        };
        Ok((model, context))
    }
}
