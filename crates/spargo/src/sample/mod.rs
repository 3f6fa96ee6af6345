//! Whole functions drawn from a posterior, which can be evaluated, and climbed, anywhere.
//!
//! ```text
//!     path(x) = μ + φ(x)ᵀθ + k(x, Z) v,     v = L⁻ᵀ(ξ − L⁻¹Φ(Z)θ),   ξ = w + Vε,   θ, ε ~ N(0, I)
//! ```
//!
//! A draw from the prior by random Fourier features φ (Rahimi & Recht 2007) is corrected by Matheron's rule into one from
//! the posterior (Wilson et al. 2020, 2021). V is L⁻¹Σ^½ for the exact GP and W for the sparse ones, so one formula, in the
//! notation of [`Posterior`](crate::model::Posterior), serves every model.
//!
//! With A = k(x, Z)L⁻ᵀ and C = Φ(x) − A L⁻¹Φ(Z), paths that share their frequencies have
//!
//! ```text
//!     mean = μ + A w,        covariance = C Cᵀ + A V Vᵀ Aᵀ
//! ```
//!
//! The mean is the posterior's own whatever the features are. The covariance is too once Φ Φᵀ = K, and so it is on average
//! over the frequencies: C is linear in Φ, and E Φ Φᵀ = K. Around that average it scatters as 1/√F.

mod features;
mod path;

pub use features::Features;
pub use path::{Draws, Paths, SamplingOptions};
