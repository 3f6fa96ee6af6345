//! The kernel over ordered inputs by its name: what settings files, the command line and Python call it.

use super::custom::{Custom, CustomKernel, registered};
use super::{Family, Kernel};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// A kernel that settings can name.
#[derive(Debug, Clone, Copy)]
pub struct KernelRecord {
    /// The name in settings.
    pub name: &'static str,
    /// The functions it assumes, in a few words.
    pub about: &'static str,
    /// The shape of the kernel.
    pub family: Family,
}

/// Every kernel of this crate that settings can name.
pub static KERNELS: [KernelRecord; 4] = [
    KernelRecord { name: "matern52", about: "twice differentiable functions", family: Family::Matern52 },
    KernelRecord { name: "matern32", about: "once differentiable functions", family: Family::Matern32 },
    KernelRecord { name: "matern12", about: "continuous functions without slopes", family: Family::Matern12 },
    KernelRecord { name: "rbf", about: "infinitely smooth functions", family: Family::Rbf },
];

/// The kernel over ordered inputs: one of [`KERNELS`], or one that is registered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum KernelChoice {
    /// A stationary kernel.
    Stationary(Family),
    /// A kernel from outside the crate.
    Custom {
        /// The name in settings.
        name: String,
        /// The kernel; read from settings, there is none until it is registered.
        kernel: Option<Arc<dyn CustomKernel>>,
    },
}

impl KernelChoice {
    /// A kernel of your own.
    pub fn custom(kernel: impl CustomKernel + 'static) -> Self {
        KernelChoice::Custom { name: kernel.name().into(), kernel: Some(Arc::new(kernel)) }
    }

    /// The name in settings.
    pub fn name(&self) -> &str {
        match self {
            KernelChoice::Stationary(family) => family.name(),
            KernelChoice::Custom { name, .. } => name,
        }
    }

    /// Refuses, by its name, a kernel that is neither of this crate nor registered.
    pub fn check(&self) -> Result<()> {
        match self {
            KernelChoice::Stationary(_) => Ok(()),
            KernelChoice::Custom { name, kernel } => registered(name, kernel.as_deref()).map(|_| ()),
        }
    }

    /// Takes the kernel of this name, if it is among these.
    pub fn register(&mut self, kernels: &[Arc<dyn CustomKernel>]) {
        if let KernelChoice::Custom { name, kernel } = self
            && let Some(found) = kernels.iter().find(|kernel| kernel.name() == name)
        {
            *kernel = Some(found.clone());
        }
    }

    /// The kernel that a search begins with, over this many inputs in the unit cube.
    pub fn cold(&self, inputs: usize) -> Result<Kernel> {
        match self {
            KernelChoice::Stationary(family) => Ok(Kernel::cold(*family, inputs)),
            // Of no inputs there is only the constant kernel.
            KernelChoice::Custom { .. } if inputs == 0 => Ok(Kernel::cold(Family::Rbf, 0)),
            KernelChoice::Custom { name, kernel } => {
                Ok(Kernel::Custom(Custom::cold(registered(name, kernel.as_deref())?, inputs)))
            }
        }
    }

    /// Makes a kernel that was read from a store one that can be computed with.
    pub fn restore(&self, stored: &mut Kernel) {
        if let KernelChoice::Custom { kernel: Some(kernel), .. } = self {
            stored.register(kernel.as_ref());
        }
    }

    /// The stationary kernel that it is; a custom one is taken for a Matérn-5/2.
    pub fn family(&self) -> Family {
        if let KernelChoice::Stationary(family) = self { *family } else { Family::Matern52 }
    }
}

impl Default for KernelChoice {
    fn default() -> Self {
        KernelChoice::Stationary(Family::Matern52)
    }
}

impl PartialEq for KernelChoice {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Family {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        KERNELS.iter().find(|kernel| kernel.family == self).map_or("", |kernel| kernel.name)
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = KERNELS.iter().find(|kernel| kernel.name == name).map(|kernel| kernel.family);
        found.ok_or_else(|| Error::Unsupported {
            what: format!("there is no kernel '{name}'"),
            remedy: format!("use one of {}", KERNELS.map(|kernel| kernel.name).join(", ")),
        })
    }
}

impl From<Family> for KernelChoice {
    fn from(family: Family) -> Self {
        KernelChoice::Stationary(family)
    }
}

impl From<String> for KernelChoice {
    fn from(name: String) -> Self {
        match name.parse() {
            Ok(family) => KernelChoice::Stationary(family),
            Err(_) => KernelChoice::Custom { name, kernel: None },
        }
    }
}

impl From<KernelChoice> for String {
    fn from(choice: KernelChoice) -> Self {
        choice.name().into()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for KernelChoice {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KernelChoice".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let kernel = |kernel: &KernelRecord| serde_json::json!({ "const": kernel.name, "description": kernel.about });
        schemars::json_schema!({ "oneOf": KERNELS.iter().map(kernel).collect::<Vec<_>>() })
    }
}
