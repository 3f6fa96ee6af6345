//! A quality from outside the crate: settings hold its name, and the function once it is registered.

use super::{Needs, QualityFunction};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A quality by its name; read from settings, it is only that until the function is registered.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CustomQuality {
    name: String,
    #[serde(skip)]
    function: Option<Arc<dyn QualityFunction>>,
}

impl CustomQuality {
    /// A quality that is there.
    pub fn new(function: impl QualityFunction + 'static) -> Self {
        CustomQuality { name: function.name().into(), function: Some(Arc::new(function)) }
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
            what: format!("the quality '{}' is not registered", self.name),
            remedy: "open the study with it: Study::with_extensions in Rust, Study.open(…, quality=…) in Python".into(),
        })
    }

    /// The name in settings.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which posteriors the context must have, as far as is known.
    pub(super) fn needs(&self) -> Needs {
        self.function.as_ref().map_or(Needs::Output, |function| function.needs())
    }
}

impl PartialEq for CustomQuality {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
