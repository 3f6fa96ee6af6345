//! A kernel from outside the crate, in the place of a leaf.
//!
//! Its state is its unconstrained parameters: with the same ones it is the same kernel, to the last bit. So the store holds
//! a name and these numbers, and a study that is opened again finds the kernel by its name.

use super::{Cache, Covariance, KERNELS, Kernel, Role, Spectrum};
use crate::error::{Error, Result};
use crate::linalg::{MatMut, MatRef};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A leaf kernel that settings can name, of your own.
pub trait CustomKernel: Covariance + Debug + Send + Sync {
    /// The name by which settings and the store call it.
    fn name(&self) -> &str;

    /// The kernel that a search begins with, over this many inputs in the unit cube.
    fn cold(&self, inputs: usize) -> Box<dyn CustomKernel>;
}

/// A custom kernel with its parameters; read from a store, it is only these until the kernel is registered.
#[derive(Debug, Serialize, Deserialize)]
pub struct Custom {
    name: String,
    inputs: usize,
    parameters: Vec<f64>,
    #[serde(skip)]
    kernel: Option<Box<dyn CustomKernel>>,
}

impl Custom {
    /// The kernel over this many inputs that a search begins with.
    pub(super) fn cold(kernel: &dyn CustomKernel, inputs: usize) -> Self {
        let kernel = kernel.cold(inputs);
        let (name, parameters) = (kernel.name().into(), kernel.parameters());
        Custom::with(name, inputs, parameters, Some(kernel))
    }

    /// The parameters are set, as they are whenever the kernel is cloned or read.
    fn with(name: String, inputs: usize, parameters: Vec<f64>, kernel: Option<Box<dyn CustomKernel>>) -> Self {
        let mut custom = Custom { name, inputs, parameters: Vec::new(), kernel };
        custom.set_parameters(&parameters);
        custom
    }

    pub(super) fn register(&mut self, kernel: &dyn CustomKernel) {
        if kernel.name() == self.name {
            let kernel = Some(kernel.cold(self.inputs));
            *self = Custom::with(self.name.clone(), self.inputs, self.parameters.clone(), kernel);
        }
    }

    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        let kernel = registered(&self.name, self.kernel.as_deref())?;
        let lengths = [(self.inputs, dimension), (self.parameters.len(), kernel.roles().len())];
        for ((found, expected), what) in lengths.into_iter().zip(["inputs", "parameters"]) {
            if found != expected {
                let what = format!("the list of {what} of the kernel '{}'", self.name);
                return Err(Error::Shape { what, found, expected });
            }
        }
        match self.parameters.iter().find(|value| !value.is_finite()) {
            Some(&value) => {
                let name = format!("a parameter of the kernel '{}'", self.name);
                Err(Error::Parameter { name, value, must: "finite".into() })
            }
            None => Ok(()),
        }
    }

    /// This kernel times a positive factor: through its variance if it has one, else through a constant kernel.
    pub(super) fn scaled(mut self, factor: f64) -> Kernel {
        let variances = self.roles().iter().filter(|role| **role == Role::Variance).count();
        match self.roles().iter().position(|role| *role == Role::Variance) {
            Some(variance) if variances == 1 => {
                let mut parameters = self.parameters.clone();
                parameters[variance] += factor.ln();
                self.set_parameters(&parameters);
                Kernel::Custom(self)
            }
            _ => Kernel::Product(vec![Kernel::constant(factor), Kernel::Custom(self)]),
        }
    }
}

/// The kernel of a name; refused by that if it is not registered.
pub(super) fn registered<'a>(name: &str, kernel: Option<&'a dyn CustomKernel>) -> Result<&'a dyn CustomKernel> {
    kernel.ok_or_else(|| Error::Unsupported {
        what: format!("the kernel '{name}', which is not registered"),
        remedy: format!(
            "open the study with extensions that have it, or use one of {}",
            KERNELS.map(|kernel| kernel.name).join(", ")
        ),
    })
}

impl Clone for Custom {
    fn clone(&self) -> Self {
        let kernel = self.kernel.as_ref().map(|kernel| kernel.cold(self.inputs));
        Custom::with(self.name.clone(), self.inputs, self.parameters.clone(), kernel)
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.inputs, &self.parameters) == (&other.name, other.inputs, &other.parameters)
    }
}

/// One that is not registered has no covariance: [`Kernel::check`] refuses it before any is computed.
impl Covariance for Custom {
    fn dimension(&self) -> Option<usize> {
        Some(self.inputs)
    }

    fn roles(&self) -> Vec<Role> {
        self.kernel.as_ref().map_or(Vec::new(), |kernel| kernel.roles())
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        self.kernel.as_ref().map_or(Vec::new(), |kernel| kernel.inputs())
    }

    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.parameters = parameters.to_vec();
        if let Some(kernel) = &mut self.kernel {
            kernel.set_parameters(parameters);
        }
    }

    fn cross(&self, a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>) {
        if let Some(kernel) = &self.kernel {
            kernel.cross(a, b, out);
        }
    }

    fn diagonal(&self, x: MatRef<'_, f64>) -> Vec<f64> {
        self.kernel.as_ref().map_or_else(|| vec![0.0; x.nrows()], |kernel| kernel.diagonal(x))
    }

    fn forward(&self, a: MatRef<'_, f64>, b: MatRef<'_, f64>, out: MatMut<'_, f64>, cache: &mut Cache) {
        if let Some(kernel) = &self.kernel {
            kernel.forward(a, b, out, cache);
        }
    }

    fn backward(
        &self,
        a: MatRef<'_, f64>,
        b: MatRef<'_, f64>,
        k: MatRef<'_, f64>,
        g: MatRef<'_, f64>,
        cache: &Cache,
        gradient: &mut [f64],
    ) {
        if let Some(kernel) = &self.kernel {
            kernel.backward(a, b, k, g, cache, gradient);
        }
    }

    fn add_diagonal_gradient(&self, x: MatRef<'_, f64>, g: &[f64], gradient: &mut [f64]) {
        if let Some(kernel) = &self.kernel {
            kernel.add_diagonal_gradient(x, g, gradient);
        }
    }

    fn add_input_gradient(&self, a: MatRef<'_, f64>, b: MatRef<'_, f64>, g: MatRef<'_, f64>, out: MatMut<'_, f64>) {
        if let Some(kernel) = &self.kernel {
            kernel.add_input_gradient(a, b, g, out);
        }
    }

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        registered(&self.name, self.kernel.as_deref())?.spectrum(dimension, count, rng)
    }
}
