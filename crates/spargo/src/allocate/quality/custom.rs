//! A quality from outside the crate: settings hold its name, and the function once it is registered.

use super::{Needs, QualityFunction};
use crate::data::AllocationContext;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A quality by its name; read from settings, it is only that until the function is registered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "String", into = "String")]
pub struct CustomQuality {
    name: String,
    #[cfg_attr(feature = "schema", schemars(skip))]
    function: Option<Arc<dyn QualityFunction>>,
}

impl CustomQuality {
    /// A quality that is there.
    pub fn new(function: Arc<dyn QualityFunction>) -> Self {
        CustomQuality { name: function.name().into(), function: Some(function) }
    }

    /// Takes the function of this name, if it is among these.
    pub fn register(&mut self, functions: &[Arc<dyn QualityFunction>]) {
        if let Some(function) = functions.iter().find(|function| function.name() == self.name) {
            self.function = Some(function.clone());
        }
    }

    /// The function; refused by its name if it is not registered.
    pub fn function(&self) -> Result<&dyn QualityFunction> {
        self.function.as_deref().ok_or_else(|| Error::Unsupported {
            what: format!("the quality '{}', which is not registered", self.name),
            remedy: "open the study with extensions that have it".into(),
        })
    }
}

impl PartialEq for CustomQuality {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl From<String> for CustomQuality {
    fn from(name: String) -> Self {
        CustomQuality { name, function: None }
    }
}

impl From<CustomQuality> for String {
    fn from(quality: CustomQuality) -> Self {
        quality.name
    }
}

impl QualityFunction for CustomQuality {
    fn name(&self) -> &str {
        &self.name
    }

    fn needs(&self) -> Needs {
        self.function.as_ref().map_or(Needs::Output, |function| function.needs())
    }

    fn evaluate(&self, context: &AllocationContext, m: usize) -> Result<Vec<f64>> {
        self.function()?.evaluate(context, m)
    }
}
