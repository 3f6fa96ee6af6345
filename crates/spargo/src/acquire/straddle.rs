//! Where f crosses a level: uncertain, and close to it (the straddle heuristic: Bryan et al. 2005).
//!
//! ```text
//!     u(x) = 1.96 σ_P(x) − |μ(x) − level|
//! ```
//!
//! σ_P is the deviation once pending points are told, so points of a batch keep away from each other. Where u is negative,
//! f is on one side of the level with 97.5 % confidence.

/// u, for this distance of the mean above the level and this conditional variance.
pub(super) fn value(above: f64, conditional: f64) -> f64 {
    WIDTH * conditional.sqrt() - above.abs().min(f64::MAX)
}

/// The slopes in both; the second may be infinite.
pub(super) fn slopes(above: f64, conditional: f64) -> (f64, f64) {
    let by_mean = if above == 0.0 { 0.0 } else { -above.signum() };
    // What is certain stays so: all its slope is rounding.
    (by_mean, if conditional == 0.0 { 0.0 } else { 0.5 * WIDTH / conditional.sqrt() })
}

/// The normal distribution's 97.5 % quantile, to the digits of the source.
const WIDTH: f64 = 1.96;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!([value(0.0, 4.0), value(-2.0, 0.25), value(3.0, 0.0)], [3.92, 0.98 - 2.0, -3.0]);
        assert_eq!([slopes(2.0, 4.0), slopes(-2.0, 0.0)], [(-1.0, 0.49), (1.0, 0.0)]);
    }
}
