//! Stationary hyperparameters between the user's units and the model's (inputs in the unit cube, outcomes standardized).

use miette::{Result, miette};
use spargo::data::{Dataset, Standardizer};
use spargo::kernel::{Family, Kernel, Stationary};
use spargo::model::Hyperparameters;

/// The units of the data, whose variances the user can be told.
pub fn standardizer(data: &Dataset) -> Result<Standardizer> {
    let units = Standardizer::from_data(data);
    if !(units.scale * units.scale).is_normal() {
        return Err(miette!(
            "the target varies by {:e}, and its square is out of range: rescale the column",
            units.scale
        ));
    }
    Ok(units)
}

/// What the command line fits: a stationary kernel, a constant mean and a noise variance, in the user's units.
#[derive(Debug, Clone)]
pub struct UserModel {
    pub family: Family,
    pub variance: f64,
    pub lengthscales: Vec<f64>,
    pub noise: f64,
    pub mean: f64,
}

impl UserModel {
    pub fn from_model(hyper: &Hyperparameters, units: &Standardizer) -> Self {
        let Kernel::Stationary(kernel) = &hyper.kernel else {
            unreachable!("the command line fits stationary kernels")
        };
        UserModel {
            family: kernel.family,
            variance: units.variance(kernel.variance),
            lengthscales: kernel.lengthscales.iter().zip(&units.range).map(|(l, range)| l * range).collect(),
            noise: units.variance(hyper.noise),
            mean: units.mean(hyper.mean),
        }
    }

    pub fn to_model(&self, units: &Standardizer) -> Hyperparameters {
        let square = units.scale * units.scale;
        let lengthscales = self.lengthscales.iter().zip(&units.range).map(|(l, range)| l / range).collect();
        Hyperparameters {
            kernel: Kernel::Stationary(Stationary {
                family: self.family,
                variance: self.variance / square,
                lengthscales,
            }),
            mean: (self.mean - units.centre) / units.scale,
            noise: self.noise / square,
        }
    }

    pub fn kernel(&self) -> Kernel {
        let (variance, lengthscales) = (self.variance, self.lengthscales.clone());
        Kernel::Stationary(Stationary { family: self.family, variance, lengthscales })
    }
}
