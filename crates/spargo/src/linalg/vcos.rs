//! A branch-free cosine of angles in turns, vectorised like [`vexp`](super::vexp).
//!
//! ```text
//!     cos(2πt) = sin(2πs),   s = ¼ − |t − round(t)| ∈ [−¼, ¼],   sin(2πs) = s p(s²)
//! ```
//!
//! Counted in turns, the reduction t − round(t) is exact for every t, where one in radians would need 2/π to hundreds
//! of digits; ¼ − |·| is exact too except near s = ¼, where the sine is flat. p interpolates at nine Chebyshev nodes
//! (relative error 3.2e-19) and is summed in Estrin's order. For every finite t tested the result is within 4ε,
//! relatively, of libm's after an exact reduction; other values give NaN.

use super::vexp::fma;
use multiversion::{multiversion, target::target_cfg_f};

/// p, constant term first: nearly 2π, −(2π)³/3!, (2π)⁵/5!, …
const SERIES: [f64; 9] = [
    std::f64::consts::TAU,
    -41.341_702_240_399_755,
    81.605_249_276_073_62,
    -76.705_859_752_824_92,
    42.058_693_925_428_685,
    -15.094_641_676_117_9,
    3.819_928_094_227_164_3,
    -0.717_733_792_141_345_4,
    0.100_896_955_016_468_12,
];

/// Replaces every t by scale·cos(2πt), with the widest vectors this CPU has.
#[multiversion(targets = "simd")]
pub fn cos_turns_in_place(values: &mut [f64], scale: f64) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for value in values {
        *value = scale * cos_turns::<FMA>(*value);
    }
}

#[inline(always)]
fn cos_turns<const FMA: bool>(t: f64) -> f64 {
    let s = 0.25 - (t - t.round_ties_even()).abs();
    s * series::<FMA>(s * s)
}

/// p(u) = sin(2π√u)/√u.
#[inline(always)]
fn series<const FMA: bool>(u: f64) -> f64 {
    let pair = |i: usize| fma::<FMA>(SERIES[i + 1], u, SERIES[i]);
    let u2 = u * u;
    let low = fma::<FMA>(pair(3), u2, pair(1));
    let high = fma::<FMA>(pair(7), u2, pair(5));
    // The constant is added last: its rounding is then the only one of its size.
    fma::<FMA>(fma::<FMA>(high, u2 * u2, low), u, SERIES[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn inputs() -> Vec<f64> {
        let mut inputs: Vec<f64> = (0..=2_000_000).map(|i| -3.0 + i as f64 * 3e-6).collect();
        inputs.extend((0..200_000).map(|i| 1e5 * (i as f64 * 0.618_033_988_749_895).fract()));
        inputs.extend((-1074..1024).flat_map(|e| [2f64.powi(e), -2f64.powi(e), 1.7 * 2f64.powi(e)]));
        inputs
    }

    /// The reference multiplies by 2π after an exact reduction of its own: it is within 2 ulp of the truth itself.
    #[test]
    fn is_within_a_few_ulp_at_any_angle() {
        let inputs = inputs();
        let mut outputs = inputs.clone();
        cos_turns_in_place(&mut outputs, 1.0);
        for (&t, &fast) in inputs.iter().zip(&outputs) {
            let turn = libm::fabs(libm::remainder(t, 1.0));
            let exact = if turn < 0.125 { libm::cos(TAU * turn) } else { libm::sin(TAU * (0.25 - turn)) };
            for value in [fast, cos_turns::<false>(t), cos_turns::<true>(t)] {
                assert!(
                    (value - exact).abs() <= 4.0 * f64::EPSILON * exact.abs(),
                    "cos_turns({t}) = {value}, not {exact}"
                );
                assert!(value.abs() <= 1.0 + f64::EPSILON, "cos_turns({t}) = {value}");
            }
        }
    }

    #[test]
    fn scales_and_keeps_quarter_turns_exact() {
        let mut values = [0.0, 0.25, 0.5, 0.75, 1.0, -0.25, 4_503_599_627_370_496.5];
        cos_turns_in_place(&mut values, 3.0);
        assert_eq!(values.map(|v| v.round() + 0.0), [3.0, 0.0, -3.0, 0.0, 3.0, 0.0, 3.0]);
        assert_eq!([values[1], values[3], values[5]], [0.0; 3]);
        assert!(cos_turns::<true>(f64::NAN).is_nan() && cos_turns::<true>(f64::INFINITY).is_nan());
    }
}
