//! Stationary hyperparameters between the user's units and the model's (inputs in the unit cube, outcomes standardized).

use crate::data::{Dataset, Standardizer};
use crate::error::{Error, Result};
use crate::kernel::{Family, Kernel, Role, Stationary};
use crate::model::Hyperparameters;
use serde::{Deserialize, Serialize};

/// The units of the data, whose variances the user can be told.
pub fn standardizer(data: &Dataset) -> Result<Standardizer> {
    let units = Standardizer::from_data(data);
    let scale = units.outcomes.scale();
    if (scale * scale).is_normal() {
        return Ok(units);
    }
    Err(Error::Unsupported {
        what: format!("the outcomes vary by {scale:e}, whose square is out of range"),
        remedy: "rescale them".into(),
    })
}

/// A stationary kernel, a constant mean and a noise variance, in the user's units.
#[derive(Debug, Clone, PartialEq)]
pub struct UserHyperparameters {
    /// The kernel's family.
    pub family: Family,
    /// The kernel's variance.
    pub variance: f64,
    /// The kernel's length scales, one per input.
    pub lengthscales: Vec<f64>,
    /// σ², the noise variance.
    pub noise: f64,
    /// μ, the constant mean.
    pub mean: f64,
}

impl UserHyperparameters {
    /// From the model's units. Of another than a stationary kernel there would be nothing to say: it has none of these.
    pub fn from_model(hyper: &Hyperparameters, units: &Standardizer) -> Self {
        let (family, variance, lengthscales) = match &hyper.kernel {
            Kernel::Stationary(kernel) => (kernel.family, kernel.variance, kernel.lengthscales.clone()),
            _ => (Family::Matern52, f64::NAN, vec![f64::NAN; units.inputs.range.len()]),
        };
        let square = units.outcomes.scale() * units.outcomes.scale();
        UserHyperparameters {
            family,
            variance: square * variance,
            lengthscales: lengthscales.iter().zip(&units.inputs.range).map(|(l, range)| l * range).collect(),
            noise: square * hyper.noise,
            mean: units.outcomes.from_model(hyper.mean),
        }
    }

    /// To the model's units.
    pub fn to_model(&self, units: &Standardizer) -> Hyperparameters {
        let square = units.outcomes.scale() * units.outcomes.scale();
        let lengthscales = self.lengthscales.iter().zip(&units.inputs.range).map(|(l, range)| l / range).collect();
        Hyperparameters {
            kernel: Kernel::Stationary(Stationary {
                family: self.family,
                variance: self.variance / square,
                lengthscales,
            }),
            mean: units.outcomes.to_model(self.mean),
            noise: self.noise / square,
        }
    }

    /// The kernel in the user's units.
    pub fn kernel(&self) -> Kernel {
        let (variance, lengthscales) = (self.variance, self.lengthscales.clone());
        Kernel::Stationary(Stationary { family: self.family, variance, lengthscales })
    }
}

/// Hyperparameters that are known, in the user's units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FixedHyperparameters {
    /// The kernel's variance.
    pub variance: Option<f64>,
    /// The kernel's length scales: one for all inputs, or one per input.
    pub lengthscales: Option<Vec<f64>>,
    /// The noise variance.
    pub noise: Option<f64>,
    /// The constant mean.
    pub mean: Option<f64>,
}

impl FixedHyperparameters {
    /// The given ones in place of a model's.
    pub fn complete(&self, model: UserHyperparameters) -> Result<UserHyperparameters> {
        let inputs = model.lengthscales.len();
        let lengthscales = match self.lengthscales.as_deref() {
            None => model.lengthscales,
            Some([one]) => vec![*one; inputs],
            Some(list) if list.len() == inputs => list.to_vec(),
            Some(list) => {
                let what = "the list of length scales".into();
                return Err(Error::Shape { what, found: list.len(), expected: inputs });
            }
        };
        for &value in &lengthscales {
            positive("a length scale", value)?;
        }
        self.variance.map_or(Ok(()), |value| positive("variance", value))?;
        self.noise.map_or(Ok(()), |value| positive("noise", value))?;
        Ok(UserHyperparameters {
            lengthscales,
            variance: self.variance.unwrap_or(model.variance),
            noise: self.noise.unwrap_or(model.noise),
            mean: self.mean.unwrap_or(model.mean),
            family: model.family,
        })
    }

    /// Those that are not to be learned.
    pub fn fixed(&self) -> Vec<Role> {
        let given = [
            (self.lengthscales.is_some(), Role::Lengthscale),
            (self.variance.is_some(), Role::Variance),
            (self.noise.is_some(), Role::Noise),
            (self.mean.is_some(), Role::Mean),
        ];
        given.into_iter().filter(|(given, _)| *given).map(|(_, role)| role).collect()
    }
}

fn positive(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::Parameter { name: name.into(), value, must: "positive and finite".into() })
}
