//! A kernel from outside the crate, in the place of a leaf.
//!
//! Its state is its unconstrained parameters: with the same ones it is the same kernel, to the last bit. So the store holds
//! a name and these numbers, and a study that is opened again finds the kernel by its name.

use super::{Composite, Covariance, KERNELS, Kernel, Role};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A leaf kernel that settings can name, of your own.
pub trait CustomKernel: Covariance + Debug {
    /// The name by which settings and the store call it.
    fn name(&self) -> &str;

    /// The kernel that a search begins with, over this many inputs in the unit cube.
    fn cold(&self, inputs: usize) -> Box<dyn CustomKernel>;
}

/// Stands for the covariance of a kernel that is not registered: [`Kernel::check`] refuses it before any is computed.
static NOTHING: Composite = Composite::Sum(Vec::new());

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
        Custom::with(kernel.name(), inputs, &kernel.cold(inputs).parameters(), Some(kernel))
    }

    fn with(name: &str, inputs: usize, parameters: &[f64], kernel: Option<&dyn CustomKernel>) -> Self {
        let kernel = kernel.map(|kernel| kernel.cold(inputs));
        let mut custom = Custom { name: name.into(), inputs, parameters: Vec::new(), kernel };
        custom.set_parameters(parameters);
        custom
    }

    pub(super) fn register(&mut self, kernel: &dyn CustomKernel) {
        if kernel.name() == self.name {
            *self = Custom::with(&self.name, self.inputs, &self.parameters, Some(kernel));
        }
    }

    pub(super) fn covariance(&self) -> &(dyn Covariance + 'static) {
        self.kernel.as_ref().map_or(&NOTHING, |kernel| kernel.as_ref())
    }

    pub(super) fn set_parameters(&mut self, parameters: &[f64]) {
        self.parameters = parameters.to_vec();
        if let Some(kernel) = &mut self.kernel {
            kernel.set_parameters(parameters);
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
        let roles = self.covariance().roles();
        let variances: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] == Role::Variance).collect();
        let [variance] = variances[..] else {
            return Kernel::product(vec![Kernel::constant(factor), Kernel::Custom(self)]);
        };
        let mut parameters = self.parameters.clone();
        parameters[variance] += factor.ln();
        self.set_parameters(&parameters);
        Kernel::Custom(self)
    }
}

/// The kernel of a name; refused by that if it is not registered.
pub(super) fn registered<'a>(name: &str, kernel: Option<&'a dyn CustomKernel>) -> Result<&'a dyn CustomKernel> {
    kernel.ok_or_else(|| Error::Unsupported {
        what: format!("the kernel '{name}' is not registered"),
        remedy: format!(
            "open the study with extensions that have it, or use one of {}",
            KERNELS.map(|kernel| kernel.name).join(", ")
        ),
    })
}

impl Clone for Custom {
    fn clone(&self) -> Self {
        Custom::with(&self.name, self.inputs, &self.parameters, self.kernel.as_deref())
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.inputs, &self.parameters) == (&other.name, other.inputs, &other.parameters)
    }
}
