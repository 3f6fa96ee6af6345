//! Increasing maps of outcomes, so that a Gaussian process need not explain a peak and a plain by one variance.
//!
//! ```text
//!     u = (w((y − centre) / scale) − shift) / spread,       u has mean 0 and variance 1
//!
//!     identity      w(z) = z
//!     log           w(y) = ± log(±y), of outcomes of one sign; its centre is 0 and its scale 1
//!     asinh         w(z) = asinh(λz) / λ
//!     Yeo–Johnson   w(z) = ((1 + z)^λ − 1) / λ for z ≥ 0,   −((1 − z)^(2−λ) − 1) / (2 − λ) for z < 0
//! ```
//!
//! Yeo & Johnson (2000), here with 0 < λ < 2, so that w reaches every number. Known noise variances become those of u to
//! first order.

use super::{Dataset, Direction, centre_and_scale};
use crate::math::quadrature::GaussHermite;
use serde::{Deserialize, Serialize};

/// Nodes of the quadrature for moments.
const NODES: usize = 20;

/// A median deviation below this part of the standard one says that most outcomes are alike, and nothing of the others.
const SMALLEST: f64 = 1e-3;

/// The spread that outcomes may have in units that were made for others, if these units are to be kept.
const SPREADS: std::ops::Range<f64> = 1e-2..1e2;

/// Known noise variances in a model's units, at least and at most: beyond these an outcome is as good as exact, or says nothing.
const LEAST_KNOWN: f64 = 1e-100;
const MOST_KNOWN: f64 = 1e100;

/// w, increasing and smooth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Warp {
    /// w(z) = z.
    #[default]
    Identity,
    /// The logarithm of outcomes that are all positive, or of those that were positive before their sign was turned.
    Log {
        /// Minimised outcomes are negative here: their sign is turned so that larger is better.
        direction: Direction,
    },
    /// Both tails as logarithms.
    Asinh {
        /// λ > 0: outcomes farther than 1/λ deviations from the centre are the tails.
        strength: f64,
    },
    /// One tail shorter, the other longer.
    YeoJohnson {
        /// λ in (0, 2): 1 is the identity, less shortens the upper tail.
        power: f64,
    },
}

impl Warp {
    /// Whether w(z) is finite.
    pub fn accepts(self, z: f64) -> bool {
        match self {
            Warp::Log { direction } => direction.sign() * z > 0.0,
            Warp::Identity | Warp::Asinh { .. } | Warp::YeoJohnson { .. } => true,
        }
    }

    /// w(z); infinite beyond the numbers that have a logarithm.
    pub fn apply(self, z: f64) -> f64 {
        match self {
            Warp::Identity => z,
            Warp::Log { direction } => direction.sign() * (direction.sign() * z).max(0.0).ln(),
            Warp::Asinh { strength } => (strength * z).asinh() / strength,
            Warp::YeoJohnson { power } if z >= 0.0 => (power * z.ln_1p()).exp_m1() / power,
            Warp::YeoJohnson { power } => -((2.0 - power) * (-z).ln_1p()).exp_m1() / (2.0 - power),
        }
    }

    /// z with w(z) = w.
    pub fn invert(self, w: f64) -> f64 {
        match self {
            Warp::Identity => w,
            Warp::Log { direction } => direction.sign() * (direction.sign() * w).exp(),
            Warp::Asinh { strength } => (strength * w).sinh() / strength,
            Warp::YeoJohnson { power } if w >= 0.0 => ((power * w).ln_1p() / power).exp_m1(),
            Warp::YeoJohnson { power } => -((-(2.0 - power) * w).ln_1p() / (2.0 - power)).exp_m1(),
        }
    }

    /// log w′(z).
    pub fn log_slope(self, z: f64) -> f64 {
        match self {
            Warp::Identity => 0.0,
            Warp::Log { .. } => -z.abs().ln(),
            Warp::Asinh { strength } => -0.5 * (strength * z).powi(2).ln_1p(),
            Warp::YeoJohnson { power } if z >= 0.0 => (power - 1.0) * z.ln_1p(),
            Warp::YeoJohnson { power } => (1.0 - power) * (-z).ln_1p(),
        }
    }
}

/// The map from outcomes to a model's units, and back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OutcomeTransform {
    centre: f64,
    scale: f64,
    warp: Warp,
    shift: f64,
    spread: f64,
}

impl OutcomeTransform {
    /// Outcomes that stay as they are.
    pub fn identity() -> Self {
        OutcomeTransform { centre: 0.0, scale: 1.0, warp: Warp::Identity, shift: 0.0, spread: 1.0 }
    }

    /// The units in which these outcomes, warped, have mean 0 and variance 1.
    pub fn of(y: &[f64], warp: Warp) -> Self {
        let (mean, scale) = centre_and_scale(y);
        let units = match warp {
            Warp::Identity => return OutcomeTransform { centre: mean, scale, warp, shift: 0.0, spread: 1.0 },
            Warp::Log { .. } => OutcomeTransform { warp, ..OutcomeTransform::identity() },
            // The tails must not pull the centre and the scale after them.
            Warp::Asinh { .. } | Warp::YeoJohnson { .. } => {
                let (centre, robust) = median_and_deviation(y);
                let scale = if robust > SMALLEST * scale { robust } else { scale };
                OutcomeTransform { centre, scale, warp, shift: 0.0, spread: 1.0 }
            }
        };
        let warped: Vec<f64> = y.iter().map(|&y| units.to_model(y)).collect();
        let (shift, spread) = centre_and_scale(&warped);
        OutcomeTransform { shift, spread, ..units }
    }

    /// Whether it maps every number to a number, as one that was read from a file need not.
    pub(crate) fn is_valid(&self) -> bool {
        let warp = match self.warp {
            Warp::Identity | Warp::Log { .. } => true,
            Warp::Asinh { strength } => strength.is_finite() && strength > 0.0,
            Warp::YeoJohnson { power } => power > 0.0 && power < 2.0,
        };
        let scaled = [self.scale, self.spread].iter().all(|scale| scale.is_finite() && *scale > 0.0);
        warp && scaled && self.centre.is_finite() && self.shift.is_finite()
    }

    /// Whether outcomes have about the spread in these units that those had which the units were made from.
    pub fn fits(&self, y: &[f64]) -> bool {
        let u: Vec<f64> = y.iter().map(|&y| self.to_model(y)).collect();
        SPREADS.contains(&centre_and_scale(&u).1)
    }

    /// w.
    pub fn warp(&self) -> Warp {
        self.warp
    }

    /// The length of the model's unit in the user's, around the centre and before the warp.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// An outcome in the model's units.
    pub fn to_model(&self, y: f64) -> f64 {
        (self.warp.apply(self.scaled(y)) - self.shift) / self.spread
    }

    /// An outcome in the user's units; the largest number, if it lies beyond all numbers.
    pub fn from_model(&self, u: f64) -> f64 {
        bounded(self.centre + self.scale * self.warp.invert(self.shift + self.spread * u))
    }

    /// log ∂u/∂y.
    pub fn log_slope(&self, y: f64) -> f64 {
        self.warp.log_slope(self.scaled(y)) - self.scale.ln() - self.spread.ln()
    }

    /// (y − centre)/scale, also where the difference overflows.
    fn scaled(&self, y: f64) -> f64 {
        let offset = y - self.centre;
        if offset.is_finite() { offset / self.scale } else { y / self.scale - self.centre / self.scale }
    }

    /// Observations in the model's units; inputs are as they were.
    pub fn apply(&self, data: &Dataset) -> Dataset {
        let known = data.known_noise.as_ref().map(|known| {
            let in_units = |v: f64, y: f64| (v.ln() + 2.0 * self.log_slope(y)).exp().clamp(LEAST_KNOWN, MOST_KNOWN);
            let scaled = |(noise, &y): (&Option<f64>, &f64)| noise.map(|v| in_units(v, y));
            known.iter().zip(&data.y).map(scaled).collect()
        });
        Dataset { x: data.x.clone(), y: data.y.iter().map(|&y| self.to_model(y)).collect(), known_noise: known }
    }

    /// Mean and variance in the user's units of a normal variable in the model's; the largest number stands for those beyond it.
    pub fn moments(&self, mean: f64, variance: f64) -> (f64, f64) {
        if self.warp == Warp::Identity {
            return (self.from_model(mean), bounded(variance * self.scale * self.spread * self.scale * self.spread));
        }
        let (rule, deviation) = (GaussHermite::new(NODES), variance.sqrt());
        // Around the median, so that little is lost when the spread is small.
        let centre = self.from_model(mean);
        let offset = |xi: f64| bounded(self.from_model(mean + deviation * xi) - centre);
        // In units of the largest, so that squares neither overflow nor vanish.
        let largest = rule.nodes.iter().fold(0.0, |most: f64, &xi| most.max(offset(xi).abs()));
        if largest == 0.0 {
            return (centre, 0.0);
        }
        let first = rule.expectation(|xi| offset(xi) / largest);
        let second = rule.expectation(|xi| (offset(xi) / largest).powi(2));
        let variance = (second - first * first).max(0.0);
        (bounded(centre + largest * first), bounded(variance * largest * largest))
    }
}

/// The closest finite number.
fn bounded(value: f64) -> f64 {
    value.clamp(f64::MIN, f64::MAX)
}

/// The median, and the median distance from it.
fn median_and_deviation(y: &[f64]) -> (f64, f64) {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let centre = median(y.to_vec());
    (centre, median(y.iter().map(|y| bounded((y - centre).abs())).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Mat;
    use crate::rng::{Purpose, normal, stream};

    fn warps() -> [Warp; 8] {
        [
            Warp::Identity,
            Warp::Log { direction: Direction::Maximize },
            Warp::Log { direction: Direction::Minimize },
            Warp::Asinh { strength: 0.3 },
            Warp::Asinh { strength: 3.0 },
            Warp::YeoJohnson { power: 0.25 },
            Warp::YeoJohnson { power: 1.0 },
            Warp::YeoJohnson { power: 1.7 },
        ]
    }

    /// These outcomes, of the sign that the warp is for.
    fn outcomes(warp: Warp, y: &[f64]) -> Vec<f64> {
        y.iter().map(|y| if warp.accepts(*y) { *y } else { -y }).collect()
    }

    #[test]
    fn warps_increase_are_inverted_and_have_their_slopes() {
        for warp in warps() {
            let mut last = f64::NEG_INFINITY;
            for z in (-400..=400).map(|i| 0.05 * f64::from(i)).filter(|&z| warp.accepts(z)) {
                let w = warp.apply(z);
                assert!(w > last, "{warp:?} at {z}");
                last = w;
                assert!((warp.invert(w) - z).abs() < 1e-11 * (1.0 + z.abs()), "{warp:?} at {z}");
                let h = 1e-5;
                let slope = (warp.apply(z + h) - warp.apply(z - h)) / (2.0 * h);
                assert!((slope.ln() - warp.log_slope(z)).abs() < 1e-5, "{warp:?} at {z}");
            }
        }
        assert!((Warp::YeoJohnson { power: 1.0 }.apply(-3.2) + 3.2).abs() < 1e-14);
    }

    #[test]
    fn units_standardize_and_return_at_every_scale() {
        for warp in warps() {
            for size in [1e-12, 1.0, 1e12] {
                let y: Vec<f64> = [1.0, 2.0, 4.0, 3.0, 50.0, -1.0].iter().map(|v| v * size).collect();
                let y = outcomes(warp, &y);
                let units = OutcomeTransform::of(&y, warp);
                let u: Vec<f64> = y.iter().map(|&y| units.to_model(y)).collect();
                let mean = u.iter().sum::<f64>() / 6.0;
                let variance = u.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / 6.0;
                assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12, "{warp:?} {size}");
                for (&y, &u) in y.iter().zip(&u) {
                    assert!((units.from_model(u) - y).abs() < 1e-11 * 50.0 * size, "{warp:?} {size}");
                    let h = 1e-6 * size;
                    let slope = (units.to_model(y + h) - units.to_model(y - h)) / (2.0 * h);
                    assert!((slope.ln() - units.log_slope(y)).abs() < 1e-6, "{warp:?} {size} {y}");
                }
            }
        }
        for y in [vec![5.0], vec![2.0; 4], vec![1.0; 2]] {
            for warp in warps() {
                let y = outcomes(warp, &y);
                let units = OutcomeTransform::of(&y, warp);
                assert!(units.to_model(y[0]).abs() < 1e-12 && units.log_slope(y[0]).is_finite());
            }
        }
    }

    #[test]
    fn numbers_without_a_logarithm_lie_beyond_all_others() {
        for direction in [Direction::Maximize, Direction::Minimize] {
            let (warp, sign) = (Warp::Log { direction }, direction.sign());
            let units = OutcomeTransform::of(&[sign, 2.0 * sign], warp);
            for y in [0.0, -3.0] {
                assert!(!warp.accepts(sign * y));
                assert_eq!(sign * units.to_model(sign * y), f64::NEG_INFINITY);
            }
            assert!(!units.fits(&[sign, 0.0]));
        }
    }

    #[test]
    fn units_of_constants_fit_no_other_scale() {
        for (size, suits) in [(1e-6, false), (0.5, true), (1e6, false)] {
            let units = OutcomeTransform::of(&[0.0; 5], Warp::Identity);
            assert_eq!(units.fits(&[0.0, size, 0.0, -size]), suits, "{size}");
        }
    }

    #[test]
    fn known_noise_is_scaled_by_the_slope() {
        for warp in warps() {
            let y = outcomes(warp, &[0.5, 1.0, 2.0, 30.0]);
            let data = Dataset::new(Mat::zeros(4, 1), y.clone()).unwrap();
            let data = data.with_known_noise(vec![Some(0.01), None, Some(0.01), Some(0.01)]).unwrap();
            let units = OutcomeTransform::of(&y, warp);
            let noise = units.apply(&data).noise(7.0);
            assert_eq!(noise[1], 7.0);
            for i in [0, 2, 3] {
                assert!((noise[i] / (0.01 * (2.0 * units.log_slope(y[i])).exp()) - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn moments_are_those_of_draws() {
        let y: Vec<f64> = (0..50).map(|i| (0.15 * f64::from(i)).exp()).collect();
        let mut rng = stream(0, Purpose::Data, 0, 0);
        let xi: Vec<f64> = (0..400_000).map(|_| normal(&mut rng)).collect();
        // A long tail made longer has a mean that no reasonable number of draws would find.
        for warp in warps().into_iter().filter(|&warp| warp != Warp::YeoJohnson { power: 1.7 }) {
            let units = OutcomeTransform::of(&outcomes(warp, &y), warp);
            let draws: Vec<f64> = xi.iter().map(|xi| units.from_model(0.4 + 0.3 * xi)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            let (found, spread) = units.moments(0.4, 0.09);
            assert!((found - mean).abs() < 5.0 * (variance / 400_000.0).sqrt(), "{warp:?}: {found} {mean}");
            assert!((spread / variance - 1.0).abs() < 0.05, "{warp:?}: {spread} {variance}");
            assert_eq!(units.moments(0.4, 0.0).1, 0.0);
        }
    }
}
