//! The kernel over ordered inputs by its name: what settings files, the command line and Python call it.

use super::custom::{Custom, CustomKernel, registered};
use super::{Family, Kernel, LinearSphere};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::sync::Arc;

/// The name of the linear kernel on a sphere.
const LINEAR_SPHERE: &str = "linear-sphere";

/// A kernel that settings can name.
#[derive(Debug, Clone, Copy)]
pub struct KernelRecord {
    /// The name in settings.
    pub name: &'static str,
    /// The functions it assumes, in a few words.
    pub about: &'static str,
    /// The family of a stationary kernel; `None` of the linear kernel on a sphere.
    pub family: Option<Family>,
}

/// Every kernel of this crate that settings can name.
pub static KERNELS: [KernelRecord; 5] = [
    KernelRecord { name: "matern52", about: "twice differentiable functions", family: Some(Family::Matern52) },
    KernelRecord { name: "matern32", about: "once differentiable functions", family: Some(Family::Matern32) },
    KernelRecord { name: "matern12", about: "continuous functions without slopes", family: Some(Family::Matern12) },
    KernelRecord { name: "rbf", about: "infinitely smooth functions", family: Some(Family::Rbf) },
    KernelRecord { name: LINEAR_SPHERE, about: "linear functions on a sphere, for many inputs", family: None },
];

/// The kernel over ordered inputs: one of [`KERNELS`], one that is registered, or a sum of such.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Names", into = "Names")]
pub enum KernelChoice {
    /// A stationary kernel.
    Stationary(Family),
    /// A linear kernel on a sphere.
    LinearSphere,
    /// A kernel from outside the crate.
    Custom {
        /// The name in settings.
        name: String,
        /// The kernel; read from settings, there is none until it is registered.
        kernel: Option<Arc<dyn CustomKernel>>,
    },
    /// A sum of different kernels.
    Sum(Vec<KernelChoice>),
}

/// A kernel in settings: a name, or those of the parts of a sum.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "the name of a kernel, or a list of names")]
enum Names {
    One(String),
    Sum(Vec<String>),
}

impl KernelChoice {
    /// A kernel of your own.
    pub fn custom(kernel: impl CustomKernel + 'static) -> Self {
        KernelChoice::Custom { name: kernel.name().into(), kernel: Some(Arc::new(kernel)) }
    }

    /// The names in settings: one, or those of the parts of a sum.
    pub fn names(&self) -> Vec<&str> {
        match self {
            KernelChoice::Stationary(family) => vec![family.name()],
            KernelChoice::LinearSphere => vec![LINEAR_SPHERE],
            KernelChoice::Custom { name, .. } => vec![name],
            KernelChoice::Sum(parts) => parts.iter().flat_map(KernelChoice::names).collect(),
        }
    }

    /// The kernel itself, or the parts of a sum.
    fn parts(&self) -> &[KernelChoice] {
        if let KernelChoice::Sum(parts) = self { parts } else { std::slice::from_ref(self) }
    }

    /// Whether no part of it is from outside the crate.
    pub fn is_built_in(&self) -> bool {
        !self.parts().iter().any(|part| matches!(part, KernelChoice::Custom { .. }))
    }

    /// Refuses, by its name, a kernel that is neither of this crate nor registered, and sums of nothing, of sums or of a kernel and
    /// itself.
    pub fn check(&self) -> Result<()> {
        let names = self.names();
        if names.is_empty() {
            return Err(Error::Empty { what: "the list of kernels in a sum".into() });
        }
        if let Some(name) = (1..names.len()).find_map(|i| names[..i].contains(&names[i]).then_some(names[i])) {
            return Err(Error::unsupported(
                format!("the kernel '{name}' is in a sum twice"),
                "name each kernel of a sum once",
            ));
        }
        for part in self.parts() {
            match part {
                KernelChoice::Custom { name, kernel } => registered(name, kernel.as_deref()).map(|_| ())?,
                KernelChoice::Sum(_) => {
                    return Err(Error::unsupported("a sum of sums of kernels", "name all kernels in one list"));
                }
                KernelChoice::Stationary(_) | KernelChoice::LinearSphere => {}
            }
        }
        Ok(())
    }

    /// Takes the kernel of this name, if it is among these.
    pub fn register(&mut self, kernels: &[Arc<dyn CustomKernel>]) {
        match self {
            KernelChoice::Custom { name, kernel } => {
                if let Some(found) = kernels.iter().find(|kernel| kernel.name() == name) {
                    *kernel = Some(found.clone());
                }
            }
            KernelChoice::Sum(parts) => parts.iter_mut().for_each(|part| part.register(kernels)),
            KernelChoice::Stationary(_) | KernelChoice::LinearSphere => {}
        }
    }

    /// The kernel that a search begins with, over this many inputs in the unit cube; the parts of a sum share its variance.
    pub fn cold(&self, inputs: usize) -> Result<Kernel> {
        // Of no inputs there is only the constant kernel.
        if inputs == 0 && !matches!(self, KernelChoice::Stationary(_)) {
            self.check()?;
            return Ok(Kernel::cold(Family::Rbf, 0));
        }
        match self {
            KernelChoice::Stationary(family) => Ok(Kernel::cold(*family, inputs)),
            KernelChoice::LinearSphere => Ok(Kernel::LinearSphere(LinearSphere::cold(inputs))),
            KernelChoice::Custom { name, kernel } => {
                Ok(Kernel::Custom(Custom::cold(registered(name, kernel.as_deref())?, inputs)))
            }
            KernelChoice::Sum(parts) => {
                self.check()?;
                let share = 1.0 / parts.len() as f64;
                let parts = parts.iter().map(|part| Ok(part.cold(inputs)?.scaled(share)));
                Ok(Kernel::sum(parts.collect::<Result<_>>()?))
            }
        }
    }

    /// Makes a kernel that was read from a store one that can be computed with.
    pub fn restore(&self, stored: &mut Kernel) {
        for part in self.parts() {
            if let KernelChoice::Custom { kernel: Some(kernel), .. } = part {
                stored.register(kernel.as_ref());
            }
        }
    }

    /// The stationary kernel that it is or begins with; any other is taken for a Matérn-5/2.
    pub fn family(&self) -> Family {
        let first = self.parts().iter().find_map(|part| match part {
            KernelChoice::Stationary(family) => Some(*family),
            _ => None,
        });
        first.unwrap_or(Family::Matern52)
    }
}

impl Default for KernelChoice {
    fn default() -> Self {
        KernelChoice::Stationary(Family::Matern52)
    }
}

impl PartialEq for KernelChoice {
    fn eq(&self, other: &Self) -> bool {
        self.names() == other.names()
    }
}

impl Family {
    /// The name in settings.
    pub fn name(self) -> &'static str {
        KERNELS.iter().find(|kernel| kernel.family == Some(self)).map_or("", |kernel| kernel.name)
    }
}

impl FromStr for Family {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut stationary = KERNELS.iter().filter_map(|kernel| Some((kernel.name, kernel.family?)));
        let found = stationary.clone().find(|(known, _)| *known == name).map(|(_, family)| family);
        found.ok_or_else(|| Error::Unsupported {
            what: format!("there is no stationary kernel '{name}'"),
            remedy: format!(
                "use one of {}",
                stationary.by_ref().map(|(known, _)| known).collect::<Vec<_>>().join(", ")
            ),
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
            Err(_) if name == LINEAR_SPHERE => KernelChoice::LinearSphere,
            Err(_) => KernelChoice::Custom { name, kernel: None },
        }
    }
}

impl From<Names> for KernelChoice {
    fn from(names: Names) -> Self {
        match names {
            Names::One(name) => name.into(),
            Names::Sum(mut names) if names.len() == 1 => names.remove(0).into(),
            Names::Sum(names) => KernelChoice::Sum(names.into_iter().map(KernelChoice::from).collect()),
        }
    }
}

impl From<KernelChoice> for Names {
    fn from(choice: KernelChoice) -> Self {
        let mut names: Vec<String> = choice.names().into_iter().map(String::from).collect();
        if matches!(choice, KernelChoice::Sum(_)) { Names::Sum(names) } else { Names::One(names.remove(0)) }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for KernelChoice {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KernelChoice".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let kernel = |kernel: &KernelRecord| serde_json::json!({ "const": kernel.name, "description": kernel.about });
        let names = KERNELS.map(|kernel| kernel.name);
        let sum = serde_json::json!({
            "type": "array", "items": { "enum": names }, "minItems": 1, "uniqueItems": true, "description": "a sum of kernels"
        });
        schemars::json_schema!({ "oneOf": KERNELS.iter().map(kernel).chain([sum]).collect::<Vec<_>>() })
    }
}
