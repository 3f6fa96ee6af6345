//! Information that a batch carries about the maximum of f, chosen greedily (GIBBON: Moss, Leslie, Gonzalez & Rayson 2021).
//!
//! ```text
//!     α(B) = ½ log|R(B)| + Σ_{x ∈ B} α(x),        α(B ∪ x) − α(B) = α(x) + ½ log((var_B(x) + σ_n²)/(var(x) + σ_n²))
//! ```
//!
//! R is the predictive correlation of the noisy observations in B, α(x) the information of one alone
//! ([`information`](crate::math::information)). The increment holds as |C + σ_n²I| is the product of the conditional
//! variances of its rows. α(B) bounds the information from below, so an increment may be negative: then the point repeats
//! what the others say more than it adds.

/// ½ log((var_B + σ_n²)/(var + σ_n²)).
pub(super) fn diversity(variance: f64, conditional: f64, noise: f64) -> f64 {
    let predictive = variance + noise;
    // Where nothing is uncertain nothing is repeated.
    if predictive == 0.0 { 0.0 } else { 0.5 * ((conditional + noise) / predictive).max(f64::MIN_POSITIVE).ln() }
}

/// The slopes in variance and conditional variance; the second may be infinite.
pub(super) fn diversity_slopes(variance: f64, conditional: f64, noise: f64) -> (f64, f64) {
    if variance + noise == 0.0 { (0.0, 0.0) } else { (-0.5 / (variance + noise), 0.5 / (conditional + noise)) }
}
