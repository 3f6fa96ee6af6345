//! A branch-free exponential that the compiler vectorises inside loops compiled for AVX-512, AVX2 or NEON.
//!
//! ```text
//!     exp(x) = 2ⁿ exp(r),   n = round(x / ln 2),   r = x − n ln 2 in two parts (Cody & Waite 1980),   |r| ≤ ½ ln 2
//! ```
//!
//! exp(r) = 1 + r + r²q(r), with q interpolating at ten Chebyshev nodes (relative error 1.7e-17) and summed in Estrin's
//! order, whose short chains keep the pipeline full. The error is below 2 ulp for every x from −708 to 0; NaN stays NaN.

/// ln 2 with its last 21 bits cleared, so that n·LN2_HIGH is exact for |n| < 2²¹.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);

/// What ln 2 has beyond LN2_HIGH.
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// q, constant term first: nearly 1/2!, 1/3!, …, 1/11!.
const TAIL: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_623_99,
    0.008_333_333_333_330_051,
    0.001_388_888_891_728_179_4,
    0.000_198_412_698_631_059_68,
    2.480_152_119_021_773e-5,
    2.755_726_837_868_419_2e-6,
    2.762_013_871_973_399_4e-7,
    2.510_042_415_700_506_7e-8,
];

/// 1.5·2⁵²: adding it leaves the nearest integer in the low bits of the mantissa.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// exp(x) for x ≤ 0, to be inlined into a loop; `FMA` says whether that loop is compiled for a CPU with fused multiply-add.
///
/// What would be subnormal (below 1e-307) is 0, which no kernel notices.
#[inline(always)]
pub fn exp_decay<const FMA: bool>(x: f64) -> f64 {
    let (n, series) = reduced::<FMA>(if x < -708.0 { -708.0 } else { x });
    if x < -708.0 { 0.0 } else { series * power_of_two(n) }
}

/// n and exp(r) with x = n ln 2 + r.
#[inline(always)]
fn reduced<const FMA: bool>(x: f64) -> (f64, f64) {
    let n = fma::<FMA>(x, std::f64::consts::LOG2_E, ROUNDER) - ROUNDER;
    let r = fma::<FMA>(n, -LN2_HIGH, x);
    let r = fma::<FMA>(n, -LN2_LOW, r);
    // exp(r) = 1 + (r + r² q(r)): the small part is summed first.
    (n, 1.0 + fma::<FMA>(r * r, tail::<FMA>(r), r))
}

/// a·b + c, fused where the hardware fuses; elsewhere `mul_add` would be a slow library call.
#[inline(always)]
pub fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// q(r) = (exp(r) − 1 − r)/r².
#[inline(always)]
fn tail<const FMA: bool>(r: f64) -> f64 {
    let pair = |i: usize| fma::<FMA>(TAIL[i + 1], r, TAIL[i]);
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = fma::<FMA>(pair(2), r2, pair(0));
    let high = fma::<FMA>(pair(6), r2, pair(4));
    fma::<FMA>(fma::<FMA>(pair(8), r4, high), r4, low)
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
    fn is_within_two_ulp_of_every_decay() {
        let mut inputs: Vec<f64> = (0..=2_000_000).map(|i| -708.0 * i as f64 / 2e6).collect();
        inputs.extend((-1074..9).flat_map(|e| [-2f64.powi(e), -1.3 * 2f64.powi(e)]));
        for x in inputs {
            for value in [exp_decay::<false>(x), exp_decay::<true>(x)] {
                let ulps = value.to_bits().abs_diff(libm::exp(x).to_bits());
                assert!(ulps <= 1, "exp({x}) = {value}, {ulps} ulp from {}", libm::exp(x));
            }
        }
    }

    #[test]
    fn keeps_the_special_values() {
        let found = [-708.1, f64::NEG_INFINITY, 0.0, -0.0].map(exp_decay::<true>);
        assert_eq!(found, [0.0, 0.0, 1.0, 1.0]);
        assert!(exp_decay::<true>(f64::NAN).is_nan());
    }

    #[test]
    fn splits_ln2_exactly() {
        assert_eq!(LN2_HIGH.to_bits() & ((1 << 21) - 1), 0);
        assert_eq!(LN2_HIGH + LN2_LOW, std::f64::consts::LN_2);
    }
}
