//! The inner loops of stationary kernels, compiled for each instruction set and chosen at run time.
//!
//! Each loop runs over the points of `a`, whose coordinates lie contiguously input by input, against one other point;
//! everything is in units of the length scales. Loops stay functions of their own with slices for arguments: only then
//! does the compiler know that they do not overlap, and vectorises without checks.

use super::Family;
use crate::linalg::vexp::fma;
use crate::linalg::{MatRef, column};
use multiversion::{multiversion, target::target_cfg_f};

/// Partial sums of a reduction: floating-point addition is not associative, so the compiler would not split it.
const LANES: usize = 16;

/// Expands to one copy of the loop per family, so that each is vectorised with its profile inlined.
macro_rules! for_family {
    ($family:expr, $name:ident => $body:block) => {
        for_family!(@ $family, $name => $body, Rbf, Matern12, Matern32, Matern52)
    };
    (@ $family:expr, $name:ident => $body:block, $($member:ident),*) => {
        match $family {
            $(Family::$member => {
                const $name: Family = Family::$member;
                $body
            })*
        }
    };
}

/// r² of every row of `a` to one point; two inputs per pass halve the traffic.
pub(super) fn squared_distances(a: MatRef<'_>, point: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (pair, centres) in point.chunks(2).enumerate() {
        let first = column(a, 2 * pair);
        match *centres {
            [p, q] => add_two_squares(first, p, column(a, 2 * pair + 1), q, out),
            [p] => add_squares(first, p, out),
            _ => {}
        }
    }
}

#[multiversion(targets = "simd")]
fn add_squares(x: &[f64], p: f64, out: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for (out, x) in out.iter_mut().zip(x) {
        *out = fma::<FMA>(x - p, x - p, *out);
    }
}

#[multiversion(targets = "simd")]
fn add_two_squares(x: &[f64], p: f64, y: &[f64], q: f64, out: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out = fma::<FMA>(x - p, x - p, fma::<FMA>(y - q, y - q, *out));
    }
}

/// r² to s² g(r²), in place.
#[multiversion(targets = "simd")]
pub(super) fn profile(family: Family, variance: f64, values: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for_family!(family, FAMILY => {
        for value in values.iter_mut() {
            *value = variance * FAMILY.profile::<FMA>(*value).0;
        }
    });
}

/// r² to s² g(r²) in place, with s² g′(r²) into `slopes`.
#[multiversion(targets = "simd")]
pub(super) fn profile_and_slope(family: Family, variance: f64, values: &mut [f64], slopes: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for_family!(family, FAMILY => {
        for (value, slope) in values.iter_mut().zip(slopes.iter_mut()) {
            let (g, g_prime) = FAMILY.profile::<FMA>(*value);
            (*value, *slope) = (variance * g, variance * g_prime);
        }
    });
}

/// weights = g ∘ slopes; returns Σ g ∘ values.
#[multiversion(targets = "simd")]
pub(super) fn weigh(g: &[f64], values: &[f64], slopes: &[f64], weights: &mut [f64]) -> f64 {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    weights.iter_mut().zip(g).zip(slopes).for_each(|((w, g), s)| *w = g * s);
    sum_of_products::<FMA>(g, values, |g, value| (g, value))
}

/// totals[k] += Σᵢ weightᵢ (aᵢₖ − pointₖ)².
#[multiversion(targets = "simd")]
pub(super) fn add_weighted_squares(a: MatRef<'_>, point: &[f64], weights: &[f64], totals: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for (k, (&centre, total)) in point.iter().zip(totals).enumerate() {
        *total += sum_of_products::<FMA>(weights, column(a, k), |weight, x| (weight * (x - centre), x - centre));
    }
}

/// Σᵢ uᵢ vᵢ of (u, v) = map(aᵢ, bᵢ).
#[inline(always)]
fn sum_of_products<const FMA: bool>(a: &[f64], b: &[f64], map: impl Fn(f64, f64) -> (f64, f64)) -> f64 {
    let mut sums = [0.0; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = 0.0;
    for (&x, &y) in a_chunks.remainder().iter().zip(b_chunks.remainder()) {
        let (u, v) = map(x, y);
        rest = fma::<FMA>(u, v, rest);
    }
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..LANES {
            let (u, v) = map(x[lane], y[lane]);
            sums[lane] = fma::<FMA>(u, v, sums[lane]);
        }
    }
    sums.iter().sum::<f64>() + rest
}
