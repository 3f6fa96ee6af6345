//! What a model says of an output, as a user reads it: a class by its probability, anything else by itself.
//!
//! ```text
//!     P(yes) = Φ(μ/√(1 + σ²)),    its central 95 %: Φ(μ ± 1.96 σ)
//! ```

use spargo::Result;
use spargo::math::normal;
use spargo::space::Point;
use spargo::study::{CrediblePrediction, Goal, Study};

/// Of an output at points.
pub fn of(study: &mut Study, output: usize, points: &[Point]) -> Result<Vec<CrediblePrediction>> {
    if study.config().outputs[output].goal != Goal::Classify {
        return study.predict_interval(output, points);
    }
    let latent = study.predict(output, points)?;
    Ok(latent.mean.into_iter().zip(latent.variance).map(|(mean, variance)| probability(mean, variance)).collect())
}

fn probability(mean: f64, variance: f64) -> CrediblePrediction {
    let spread = INTERVAL * variance.sqrt();
    CrediblePrediction {
        mean: normal::cdf(mean / (1.0 + variance).sqrt()),
        interval: (normal::cdf(mean - spread), normal::cdf(mean + spread)),
    }
}

/// Standard deviations to the ends of a central 95 % interval.
const INTERVAL: f64 = 1.959_963_984_540_054;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probability_is_the_mean_of_the_probit() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let sure = probability(1.0, 0.0);
        assert!(close(sure.mean, 0.841344746069) && close(sure.interval.0, sure.interval.1), "{sure:?}");
        // ∫ Φ(f) N(f; 0.7, 0.8) df by the midpoint rule.
        let density = |f: f64| (-(f - 0.7f64).powi(2) / 1.6).exp() / (0.8f64 * std::f64::consts::TAU).sqrt();
        let step = 1e-3;
        let naive: f64 =
            (-8000..8000).map(|i| (f64::from(i) + 0.5) * step).map(|f| normal::cdf(f) * density(f) * step).sum();
        let found = probability(0.7, 0.8);
        assert!(close(found.mean, naive), "{found:?} {naive}");
        assert!(close(found.interval.0, normal::cdf(0.7 - 1.959963984540054 * 0.8f64.sqrt())));
    }
}
