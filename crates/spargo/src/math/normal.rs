//! The normal distribution, accurate relative to its own size far into both tails.
//!
//! ```text
//!     φ(z) = exp(−z²/2)/√2π,   Φ(z) = ½ erfc(−z/√2),   h(z) = φ(z) + zΦ(z) = E max(z + ξ, 0),  ξ ~ N(0, 1)
//! ```
//!
//! Below z = −2 differences of nearly equal numbers would cancel, so everything is written with Laplace's continued
//! fraction (Abramowitz & Stegun 26.2.14): with t = −z, φ(t)/Φ(−t) = t + w, w = 1/(t + u), u = 2/(t + s), s = 3/(t + 4/…),
//! so that h = φ·w/(t + w), and the variance of ξ given ξ < z is v = 1 − w(t + w) = (u − w)/(t + u). From w' = −v (in t)
//! and u = 1/w − t follows dv/dt = (1 − v)(u − 2w), where u − 2w = 2(u − s)/((t + s)(t + u)).

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Where the continued fraction takes over.
const TAIL: f64 = -2.0;

/// φ(z).
pub fn pdf(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// Φ(z).
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// log Φ(z).
pub fn log_cdf(z: f64) -> f64 {
    if z < TAIL { log_pdf(z) - pdf_over_cdf(z).ln() } else { (-cdf(-z)).ln_1p() }
}

/// φ(z)/Φ(z): the slope of log Φ, and minus the mean of ξ given ξ < z.
pub fn pdf_over_cdf(z: f64) -> f64 {
    if z < TAIL {
        let Fraction { t, w, .. } = Fraction::at(-z);
        t + w
    } else {
        pdf(z) / cdf(z)
    }
}

/// The variance of a standard normal variable given that it is below z, in (0, 1].
pub fn truncated_variance(z: f64) -> f64 {
    if z < TAIL {
        let Fraction { t, w, u, .. } = Fraction::at(-z);
        if t.is_infinite() { 0.0 } else { (u - w) / (t + u) }
    } else {
        let ratio = pdf_over_cdf(z);
        // At z = +∞ the ratio is 0 and z·ratio has no value.
        if ratio == 0.0 { 1.0 } else { 1.0 - ratio * (z + ratio) }
    }
}

/// The slope of [`truncated_variance`].
pub fn truncated_variance_slope(z: f64) -> f64 {
    let left = truncated_variance(z);
    if z < TAIL {
        let Fraction { t, u, s, .. } = Fraction::at(-z);
        if t.is_infinite() { 0.0 } else { (1.0 - left) * (2.0 * ((s - u) / (t + s)) / (t + u)) }
    } else {
        let ratio = pdf_over_cdf(z);
        // At z = +∞ the ratio is 0 and z·ratio has no value.
        if ratio == 0.0 { 0.0 } else { ratio * ((z + ratio).powi(2) - left) }
    }
}

/// h(z) = φ(z) + zΦ(z).
pub fn improvement(z: f64) -> f64 {
    if z < TAIL {
        let Fraction { t, w, .. } = Fraction::at(-z);
        if t.is_infinite() { 0.0 } else { pdf(z) * (w / (t + w)) }
    } else {
        pdf(z) + z * cdf(z)
    }
}

/// log h(z).
pub fn log_improvement(z: f64) -> f64 {
    if z < TAIL {
        let Fraction { t, w, .. } = Fraction::at(-z);
        log_pdf(z) + (w / (t + w)).ln()
    } else {
        improvement(z).ln()
    }
}

/// Φ(z)/h(z), the slope of log h.
pub fn log_improvement_slope(z: f64) -> f64 {
    if z < TAIL {
        let Fraction { t, u, .. } = Fraction::at(-z);
        t + u
    } else {
        cdf(z) / improvement(z)
    }
}

/// E max(f, 0) of f ~ N(mean, deviation²); the deviation may be 0.
pub fn expected_positive_part(mean: f64, deviation: f64) -> f64 {
    let z = mean / deviation;
    // Beyond z = 40, h(z) = z to the last bit; this also covers a deviation of 0.
    if deviation == 0.0 || z.abs() > 40.0 { mean.max(0.0) } else { deviation * improvement(z) }
}

fn log_pdf(z: f64) -> f64 {
    -0.5 * (z * z + (2.0 * PI).ln())
}

/// The continued fraction at t ≥ 2.
struct Fraction {
    t: f64,
    w: f64,
    u: f64,
    s: f64,
}

impl Fraction {
    /// Evaluated from the back; the truncation error falls as exp(−2t√(2n)), so n ≈ 350/t² terms are enough near 2. Beyond
    /// 10, sixteen bring u − s, the most demanding, to 3e-15 of itself.
    fn at(t: f64) -> Self {
        let terms = 16 + (400.0 / (t * t)) as usize;
        let mut rest = 0.0;
        for n in (3..2 + terms).rev() {
            rest = n as f64 / (t + rest);
        }
        let (s, u) = (rest, 2.0 / (t + rest));
        Fraction { t, w: 1.0 / (t + u), u, s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::LN_2;

    fn relative(found: f64, expected: f64) -> f64 {
        (found - expected).abs() / expected.abs()
    }

    /// z, log Φ, φ/Φ and the truncated variance by mpmath with 60 digits.
    const REFERENCE: &[[f64; 4]] = &[
        [-1000.0, -500007.82669481216, 1000.000999998, 9.999940000499995e-07],
        [-100.0, -5005.524208694205, 100.00999800099926, 9.994004994826346e-05],
        [-38.0, -726.5572160188201, 38.02627946657587, 0.0006896597534662589],
        [-20.0, -203.91715537109727, 20.04975306852785, 0.0024632616150521637],
        [-10.0, -53.23128515051247, 10.098093233962512, 0.009445377825656262],
        [-5.0, -15.064998393988725, 5.186503967125842, 0.032696434617112226],
        [-3.0, -6.607726221510349, 3.2830986549304364, 0.07055918678526811],
        [-2.25, -4.404315381153271, 2.596402538686962, 0.10059956914556287],
        [-2.0, -3.783184333682032, 2.373215532822841, 0.11427910041408125],
        [-1.5, -2.7059444008238898, 1.938677166622543, 0.1495465935502027],
        [-1.0, -1.8410216450092636, 1.525135276160981, 0.1990976655703488],
        [-0.5, -1.1759117615936185, 1.1410777703680646, 0.26848040715587895],
        [0.0, -LN_2, 0.7978845608028654, 0.3633802276324187],
        [0.5, -0.3689464152886564, 0.5091604338370335, 0.4861754356963671],
        [1.0, -0.17275377902344988, 0.2875999709391784, 0.6296862857766053],
        [2.0, -0.02301290932896349, 0.055247862678989956, 0.8864519483114236],
        [4.0, -3.167174337748927e-05, 0.00013383446446857514, 0.9994646442304618],
        [7.0, -1.279812543886654e-12, 9.134720408376284e-12, 0.9999999999360569],
    ];

    #[test]
    fn agrees_with_high_precision_references() {
        for &[z, log_cdf_z, ratio, variance] in REFERENCE {
            assert!(relative(log_cdf(z), log_cdf_z) < 2e-15, "log Φ({z}) = {}", log_cdf(z));
            assert!(relative(pdf_over_cdf(z), ratio) < 2e-15, "φ/Φ({z}) = {}", pdf_over_cdf(z));
            // Just above −2 one minus a number near 0.9 is left to plain arithmetic.
            assert!(relative(truncated_variance(z), variance) < 2e-14, "variance({z}) = {}", truncated_variance(z));
        }
    }

    /// z, log h, its slope and the slope of the truncated variance by mpmath with 200 digits.
    const SLOPES: &[[f64; 4]] = &[
        [-100000.0, -5000000023.94479, 100000.00002, 1.9999999976e-15],
        [-1000.0, -500014.73445209116, 1000.001999994, 1.999976000299996e-09],
        [-100.0, -5010.12957880025, 100.01999400419587, 1.997602995862343e-06],
        [-40.0, -808.29856835662, 40.04990665764852, 3.101744039648625e-05],
        [-10.0, -55.55312203612235, 10.194383033412553, 0.0017864003921165069],
        [-3.0, -7.869686059603029, 3.5323375176251606, 0.03147067283084249],
        [-2.25, -5.464469154700998, 2.886814870902786, 0.05035761582377058],
        [-2.0, -4.768783523917114, 2.679416883955586, 0.059355861291565816],
        [-1.5, -3.52993592080571, 2.2795806941564463, 0.08315192442392713],
        [-1.0, -2.4851210257126413, 1.9042712333296918, 0.11693119540604884],
        [0.0, -0.9189385332046728, 1.2533141373155003, 0.21801361414499015],
        [1.0, 0.08002621884930694, 0.7766387252017393, 0.2957181701822712],
        [4.0, 1.3862961474329032, 0.2499916356258311, 0.0020077319117895783],
        [7.0, 1.9459101490553385, 0.14285714285695644, 4.3846657960381394e-10],
        [1e8, 18.420680743952367, 1e-8, 0.0],
    ];

    #[test]
    fn slopes_agree_with_high_precision_references() {
        for &[z, log, log_slope, variance_slope] in SLOPES {
            assert!(relative(log_improvement(z), log) < 2e-14, "log h({z}) = {}", log_improvement(z));
            let found = log_improvement_slope(z);
            assert!(relative(found, log_slope) < 2e-14, "slope of log h({z}) = {found}");
            let found = truncated_variance_slope(z);
            // Just above −2 a difference of numbers near 0.1 is left to plain arithmetic.
            assert!((found - variance_slope).abs() <= 2e-13 * variance_slope, "slope of variance({z}) = {found}");
        }
    }

    #[test]
    fn improvement_is_the_integral_of_the_cdf() {
        // h′ = Φ, by a central difference.
        for z in [-30.0, -6.0, -2.5, -1.9, 0.0, 1.3, 7.0] {
            let step = 1e-4 / f64::max(1.0, -z);
            let slope = (improvement(z + step) - improvement(z - step)) / (2.0 * step);
            assert!(relative(slope, cdf(z)) < 1e-7, "{z}: {slope} {}", cdf(z));
        }
    }

    #[test]
    fn both_sides_of_the_switch_agree() {
        let (below, above) = (TAIL - 1e-13, TAIL);
        let functions = [
            log_cdf,
            pdf_over_cdf,
            truncated_variance,
            truncated_variance_slope,
            improvement,
            log_improvement,
            log_improvement_slope,
        ];
        for function in functions {
            assert!(relative(function(below), function(above)) < 1e-12);
        }
    }

    #[test]
    fn limits() {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!([cdf(low), cdf(high), log_cdf(low), log_cdf(high)], [0.0, 1.0, low, 0.0]);
        assert_eq!([truncated_variance(low), truncated_variance(high)], [0.0, 1.0]);
        assert_eq!([truncated_variance_slope(low), truncated_variance_slope(high)], [0.0, 0.0]);
        assert_eq!([improvement(low), improvement(high)], [0.0, high]);
        assert_eq!([expected_positive_part(3.0, 0.0), expected_positive_part(-3.0, 0.0)], [3.0, 0.0]);
        assert_eq!(expected_positive_part(0.0, 0.0), 0.0);
        assert!(improvement(f64::NAN).is_nan() && log_cdf(f64::NAN).is_nan());
    }
}
