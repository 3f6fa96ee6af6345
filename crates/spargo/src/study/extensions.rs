//! Kernels, qualities and policies of trust regions from outside the crate, which settings and files name.
//!
//! A file holds names only. Without the extensions a study can be read, told and exported; what needs a model, or a batch, is
//! refused by the name that is missing.

use super::{Config, Study, TrustRegionPolicy};
use crate::allocate::{Quality, QualityFunction};
use crate::error::Result;
use crate::kernel::CustomKernel;
use std::sync::Arc;

/// What settings may name beyond this crate's own kernels, qualities and policies of trust regions.
#[derive(Debug, Clone, Default)]
pub struct Extensions {
    kernels: Vec<Arc<dyn CustomKernel>>,
    qualities: Vec<Arc<dyn QualityFunction>>,
    policies: Vec<Arc<dyn TrustRegionPolicy>>,
}

impl Extensions {
    /// Adds a kernel.
    pub fn with_kernel(mut self, kernel: impl CustomKernel + 'static) -> Self {
        self.kernels.push(Arc::new(kernel));
        self
    }

    /// Adds a quality.
    pub fn with_quality(mut self, quality: impl QualityFunction + 'static) -> Self {
        self.qualities.push(Arc::new(quality));
        self
    }

    /// Adds a policy of trust regions.
    pub fn with_trust_regions(mut self, policy: impl TrustRegionPolicy + 'static) -> Self {
        self.policies.push(Arc::new(policy));
        self
    }

    /// Settings with the kernel, the quality and the policy that they name.
    pub fn complete(&self, mut config: Config) -> Config {
        config.model.kernel.register(&self.kernels);
        config.allocation.register(&self.qualities);
        config.trust_regions.policy.register(&self.policies);
        config
    }
}

impl Study {
    /// This study with the kernel, the quality and the policy that its settings name.
    pub fn with_extensions(mut self, extensions: &Extensions) -> Self {
        self.config = extensions.complete(self.config);
        self.state.take();
        self
    }

    /// Refuses, with the name of what is missing, what no batch can be chosen by.
    pub(super) fn check_asked(&self) -> Result<()> {
        self.config.trust_regions.policy.check()?;
        self.check_modelled()
    }

    /// Refuses, with the name of what is missing, what no model can be made of.
    pub(super) fn check_modelled(&self) -> Result<()> {
        self.config.check_extensions()
    }
}

impl Config {
    /// Refuses what cannot be run, extensions that are not there among it.
    pub(super) fn check_complete(&self) -> Result<()> {
        self.check()?;
        self.trust_regions.policy.check()?;
        self.check_extensions()
    }

    fn check_extensions(&self) -> Result<()> {
        self.model.kernel.check()?;
        match self.allocation.quality() {
            Quality::Custom(quality) => quality.function().map(|_| ()),
            _ => Ok(()),
        }
    }
}
