//! What one more evaluation is worth, as a function of what is believed about f there.

use super::failure::SuccessWeighting;
use super::{bald, gibbon, log_ei, straddle};
use crate::error::{Error, Result};
use crate::math::information;
use serde::{Deserialize, Serialize};

/// What is believed about f at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// E f.
    pub mean: f64,
    /// Var f.
    pub variance: f64,
    /// Var f once the pending points are told.
    pub conditional: f64,
}

/// The slopes of a merit in each of the [`Moments`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slopes {
    /// ∂/∂mean.
    pub mean: f64,
    /// ∂/∂variance.
    pub variance: f64,
    /// ∂/∂conditional.
    pub conditional: f64,
}

/// The rule by which points are chosen one by one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Merit {
    /// The logarithm of the expected improvement on a baseline, which for noisy data is the largest posterior mean there.
    LogEi {
        /// What is to be improved on.
        baseline: f64,
    },
    /// The information that a batch carries about the maximum of f.
    Gibbon {
        /// Samples of the maximum of f, such as the maxima of paths.
        maxima: Vec<f64>,
    },
    /// What a yes or no tells about the latent f of a probit model, and how far from the others: a diverse batch.
    Bald,
    /// Closeness to where f crosses a level, and uncertainty.
    LevelSet {
        /// The level.
        level: f64,
    },
}

impl Merit {
    /// Refuses a baseline, a level and maxima that are not finite, and an empty list of maxima.
    pub fn check(&self) -> Result<()> {
        let (what, values) = match self {
            Merit::LogEi { baseline } => ("the baseline of the improvement", std::slice::from_ref(baseline)),
            Merit::Gibbon { maxima } => ("a sample of the maximum", maxima.as_slice()),
            Merit::Bald => return Ok(()),
            Merit::LevelSet { level } => ("the level", std::slice::from_ref(level)),
        };
        if values.is_empty() {
            return Err(Error::Empty { what: "the list of samples of the maximum".into() });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(Error::NonFinite { what: what.into(), row, value: values[row] }),
            None => Ok(()),
        }
    }

    /// The worth of an observation with this noise variance: finite, whatever finite moments it is given.
    pub fn value(&self, at: Moments, noise: f64) -> f64 {
        self.alone(at, noise) + self.given_pending(at, noise)
    }

    /// The part of the worth that pending points do not change.
    pub(super) fn alone(&self, at: Moments, noise: f64) -> f64 {
        match self {
            Merit::LogEi { .. } | Merit::LevelSet { .. } => 0.0,
            Merit::Bald => bald::log_quality(at.mean, at.variance),
            Merit::Gibbon { maxima } => information::about_maximum(at.mean, at.variance, noise, maxima),
        }
    }

    /// The part of the worth that pending points change.
    pub(super) fn given_pending(&self, at: Moments, noise: f64) -> f64 {
        match self {
            Merit::LogEi { baseline } => log_ei::value(at.mean - baseline, at.conditional),
            Merit::Gibbon { .. } => gibbon::diversity(at.variance, at.conditional, noise),
            Merit::Bald => bald::diversity(at.variance, at.conditional),
            Merit::LevelSet { level } => straddle::value(at.mean - level, at.conditional),
        }
    }

    /// The slopes of [`value`](Self::value).
    pub fn slopes(&self, at: Moments, noise: f64) -> Slopes {
        let slopes = match self {
            Merit::LogEi { baseline } => {
                let (mean, conditional) = log_ei::slopes(at.mean - baseline, at.conditional);
                Slopes { mean, variance: 0.0, conditional }
            }
            Merit::Gibbon { maxima } => {
                let (mean, own) = information::about_maximum_slopes(at.mean, at.variance, noise, maxima);
                let (joint, conditional) = gibbon::diversity_slopes(at.variance, at.conditional, noise);
                Slopes { mean, variance: own + joint, conditional }
            }
            Merit::Bald => {
                let (mean, own) = bald::log_quality_slopes(at.mean, at.variance);
                let (joint, conditional) = bald::diversity_slopes(at.variance, at.conditional);
                Slopes { mean, variance: own + joint, conditional }
            }
            Merit::LevelSet { level } => {
                let (mean, conditional) = straddle::slopes(at.mean - level, at.conditional);
                Slopes { mean, variance: 0.0, conditional }
            }
        };
        slopes.capped()
    }

    /// How votes on success change this worth: an improvement happens if the evaluation succeeds, information is gained
    /// if it does.
    pub fn weighing(&self) -> SuccessWeighting {
        match self {
            Merit::LogEi { .. } | Merit::Bald => SuccessWeighting::Logarithm,
            Merit::Gibbon { .. } | Merit::LevelSet { .. } => SuccessWeighting::Above { baseline: 0.0 },
        }
    }
}

impl Slopes {
    /// Slopes that no climb could use, but whose products with others must not overflow.
    pub(super) fn capped(self) -> Self {
        let cap = |slope: f64| slope.clamp(-1e100, 1e100);
        Slopes { mean: cap(self.mean), variance: cap(self.variance), conditional: cap(self.conditional) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merits() -> [Merit; 4] {
        let (log_ei, gibbon) = (Merit::LogEi { baseline: 0.4 }, Merit::Gibbon { maxima: vec![1.1, 1.6, -2.0] });
        [log_ei, gibbon, Merit::Bald, Merit::LevelSet { level: 0.5 }]
    }

    #[test]
    fn slopes_agree_with_central_differences() {
        let cases = [(0.0, 0.3, 0.2), (0.9, 1.0, 1.0), (-4.0, 0.2, 0.02), (30.0, 0.5, 0.1), (0.4, 2.0, 1e-3)];
        for (merit, (mean, variance, conditional)) in
            merits().iter().flat_map(|merit| cases.map(|case| (merit.clone(), case)))
        {
            let value = |mean, variance, conditional| merit.value(Moments { mean, variance, conditional }, 0.07);
            let slope = |f: &dyn Fn(f64) -> f64, h: f64| {
                let slope = |h: f64| (f(h) - f(-h)) / (2.0 * h);
                (4.0 * slope(h / 2.0) - slope(h)) / 3.0
            };
            let expected = [
                slope(&|h| value(mean + h, variance, conditional), 1e-4),
                slope(&|h| value(mean, variance + h, conditional), 1e-3 * variance),
                slope(&|h| value(mean, variance, conditional + h), 1e-3 * conditional),
            ];
            let found = merit.slopes(Moments { mean, variance, conditional }, 0.07);
            for (found, expected) in [found.mean, found.variance, found.conditional].into_iter().zip(expected) {
                let close = (found - expected).abs() <= 1e-8 * expected.abs().max(1e-2);
                assert!(close, "{merit:?} at {mean} {variance} {conditional}: {found} {expected}");
            }
        }
    }

    #[test]
    fn extremes_stay_finite() {
        let variances = [0.0, 1e-320, 1e-300, 1e-20, 1.0, 1e20, 1e300];
        let pairs = variances.iter().flat_map(|&v| variances.map(|c| (v, c))).filter(|(v, c)| c <= v);
        for (variance, conditional) in pairs {
            for mean in [-f64::MAX, -1e200, -1e5, 0.0, 0.4, 1e-300, 1e8, 1e200, f64::MAX] {
                for (merit, noise) in
                    merits().into_iter().flat_map(|merit| [0.0, 1e-300, 0.1].map(|n| (merit.clone(), n)))
                {
                    let at = Moments { mean, variance, conditional };
                    let (value, slopes) = (merit.value(at, noise), merit.slopes(at, noise));
                    assert!(value.is_finite(), "{merit:?} {at:?} {noise}: {value}");
                    for slope in [slopes.mean, slopes.variance, slopes.conditional] {
                        assert!(slope.is_finite(), "{merit:?} {at:?} {noise}: {slopes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn useless_settings_are_refused() {
        let refused = [
            Merit::LogEi { baseline: f64::NAN },
            Merit::LevelSet { level: f64::NEG_INFINITY },
            Merit::Gibbon { maxima: vec![] },
            Merit::Gibbon { maxima: vec![1.0, f64::INFINITY] },
        ];
        assert!(refused.iter().all(|merit| merit.check().is_err()));
        assert!(merits().iter().all(|merit| merit.check().is_ok()));
    }
}
