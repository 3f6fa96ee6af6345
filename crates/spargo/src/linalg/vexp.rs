//! A branch-free exponential that the compiler vectorises inside loops compiled for AVX-512, AVX2 or NEON.
//!
//! ```text
//!     exp(x) = 2ⁿ exp(r),   n = round(x / ln 2),   r = x − n ln 2 in two parts (Cody & Waite 1980),   |r| ≤ ½ ln 2
//! ```
//!
//! exp(r) is its Taylor polynomial of degree 13 (truncation below 5e-18), and 2ⁿ is applied in two halves so that
//! gradual underflow rounds once. The error is below 2 ulp for every f64; NaN stays NaN.

use multiversion::{multiversion, target::target_cfg_f};

/// Replaces every element by its exponential, with the widest vectors this CPU has.
#[multiversion(targets = "simd")]
pub fn exp_in_place(values: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for value in values {
        *value = exp::<FMA>(*value);
    }
}

/// exp(x), to be inlined into a loop; `FMA` says whether that loop is compiled for a CPU with fused multiply-add.
#[inline(always)]
pub fn exp<const FMA: bool>(x: f64) -> f64 {
    // Beyond ±800 the result is 0 or ∞ anyway; NaN fails both comparisons and passes through.
    let x = if x > 800.0 { 800.0 } else { x };
    let x = if x < -800.0 { -800.0 } else { x };
    let n = round(x * std::f64::consts::LOG2_E);
    let r = fma::<FMA>(n, -LN2_HIGH, x);
    let r = fma::<FMA>(n, -LN2_LOW, r);
    let mut tail = TAYLOR[0];
    for &coefficient in &TAYLOR[1..] {
        tail = fma::<FMA>(tail, r, coefficient);
    }
    // exp(r) = 1 + (r + r² tail): the small part is summed first.
    let series = 1.0 + fma::<FMA>(r * r, tail, r);
    let half = round(0.5 * n);
    series * power_of_two(half) * power_of_two(n - half)
}

/// a·b + c, fused where the hardware fuses; elsewhere `mul_add` would be a slow library call.
#[inline(always)]
pub fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// ln 2 with its last 21 bits cleared, so that n·LN2_HIGH is exact for |n| < 2²¹.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// 1/13!, …, 1/3!, 1/2!: Horner's order.
const TAYLOR: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// 1.5·2⁵²: adding it leaves the nearest integer in the low bits of the mantissa.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn round(x: f64) -> f64 {
    (x + ROUNDER) - ROUNDER
}

/// 2ᵏ for an integral k in [−1022, 1023]: the biased exponent is shifted into place.
#[inline(always)]
fn power_of_two(k: f64) -> f64 {
    f64::from_bits((k + (ROUNDER + 1023.0)).to_bits() << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// libm's exp is itself within 1 ulp, so a distance of 1 from it means at most 2 from the truth.
    #[test]
    fn is_within_two_ulp_over_the_whole_range() {
        let mut inputs: Vec<f64> = (0..=2_000_000).map(|i| -746.0 + i as f64 * (746.0 + 709.9) / 2e6).collect();
        inputs.extend((-1074..10).flat_map(|e| [2f64.powi(e), -2f64.powi(e), 1.7 * 2f64.powi(e)]));
        let mut outputs = inputs.clone();
        exp_in_place(&mut outputs);
        for (&x, &fast) in inputs.iter().zip(&outputs) {
            for value in [fast, exp::<false>(x), exp::<true>(x)] {
                let ulps = value.to_bits().abs_diff(libm::exp(x).to_bits());
                assert!(ulps <= 1, "exp({x}) = {value}, {ulps} ulp from {}", libm::exp(x));
            }
        }
    }

    #[test]
    fn keeps_the_special_values() {
        let mut values = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 710.0, -746.0, f64::MAX, f64::MIN, f64::NAN];
        exp_in_place(&mut values);
        assert_eq!(values[..8], [1.0, 1.0, f64::INFINITY, 0.0, f64::INFINITY, 0.0, f64::INFINITY, 0.0]);
        assert!(values[8].is_nan());
    }

    #[test]
    fn splits_ln2_exactly() {
        assert_eq!(LN2_HIGH.to_bits() & ((1 << 21) - 1), 0);
        assert_eq!(LN2_HIGH + LN2_LOW, std::f64::consts::LN_2);
    }
}
