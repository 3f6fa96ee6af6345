//! How many inducing points a model has: the user's number, or as many as the bound on its error asks for.
//!
//! ```text
//!     t^q(Z)/σ² = Σᵢ qᵢ² σ²(xᵢ | Z)/σ²  ≤  τ Σᵢ qᵢ²          E KL[Q‖P] ≤ t(Z)/σ²        (Moss et al. 2023, Appendix A; Burt et al. 2020)
//! ```

use super::config::Config;
use super::count::CountOrAuto;
use super::goal::Goal;
use crate::error::{Error, Result};
use crate::model::Inference;

/// τ, the divergence from the exact posterior that "auto" allows for, in nats per observation.
const TOLERANCE: f64 = 0.1;

/// The most inducing points that "auto" chooses, unless the user says otherwise: a step with more takes minutes.
pub(super) const MOST_AUTO: usize = 2000;

/// Whether it is the default, which files leave out.
pub(super) fn is_most_auto(most: &usize) -> bool {
    *most == MOST_AUTO
}

impl Config {
    /// The largest number of inducing points that a model may have.
    pub fn most_inducing(&self) -> usize {
        match self.inducing {
            CountOrAuto::Auto => self.inducing_max,
            CountOrAuto::Count(count) => count,
        }
    }

    /// τ, if the number of inducing points is chosen automatically.
    pub(super) fn inducing_tolerance(&self) -> Option<f64> {
        (self.inducing == CountOrAuto::Auto).then_some(TOLERANCE)
    }

    /// Exact while that is what the settings say, or no approximation is needed.
    pub(super) fn inference(&self, observations: usize) -> Inference {
        match self.inducing {
            CountOrAuto::Auto => self.model.inference(observations, 0),
            CountOrAuto::Count(count) => self.model.inference(observations, count),
        }
    }

    /// Refuses an automatic number where there is no bound, or no search that ends by it.
    pub(super) fn check_inducing(&self) -> Result<()> {
        let refuse = |what: String, remedy: &str| Err(Error::unsupported(what, remedy));
        if self.inducing != CountOrAuto::Auto {
            return Ok(());
        }
        if !self.allocation.is_greedy() {
            let what = "'inducing' cannot be \"auto\" with an allocation that knows no bound on its error";
            return refuse(what.into(), "give a number, or use a greedy allocation such as imp-dpp or cvr");
        }
        match self.outputs.iter().find(|output| output.goal == Goal::Classify) {
            Some(output) => {
                let what = format!("'inducing' cannot be \"auto\" for '{}', a class: there is no bound", output.name);
                refuse(what, "give a number")
            }
            None => Ok(()),
        }
    }
}
