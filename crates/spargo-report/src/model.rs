//! The model: its facts, the importance of its inputs, and the calibration of its intervals.

use super::axis::Inputs;
use super::sample::{MOST, evenly, values_of};
use serde::Serialize;
use spargo::Result;
use spargo::data::Warp;
use spargo::math::normal;
use spargo::model::Inference;
use spargo::study::{Goal, LeaveOneOut, Study};

#[derive(Serialize)]
pub struct Model {
    facts: Vec<(&'static str, String)>,
    /// Whether outcomes are transformed before modelling: a mean may then lie outside its interval.
    warped: bool,
    /// Importance of the shown inputs; the largest is 1.
    importance: Vec<f64>,
    /// Calibration; none for a class, whose predictions are not normal.
    calibration: Option<Calibration>,
}

/// Outcomes against their leave-one-out predictions.
#[derive(Serialize)]
struct Calibration {
    points: Vec<Pair>,
    /// (level, share of the outcomes within their central intervals of this level).
    coverage: Vec<(f64, f64)>,
}

#[derive(Serialize)]
struct Pair {
    trial: u64,
    observed: f64,
    mean: f64,
    interval: (f64, f64),
}

impl Model {
    pub fn of(study: &mut Study, output: usize, inputs: &Inputs) -> Result<Self> {
        let importance = study.importance(output)?;
        let classified = study.config().outputs[output].goal == Goal::Classify;
        let largest = importance.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Ok(Model {
            facts: facts(study, output)?,
            warped: study.model_reports()?.remove(output).warp != Warp::Identity,
            importance: inputs.places.iter().map(|&k| importance[k] / largest).collect(),
            calibration: (!classified).then(|| Calibration::of(study, output)).transpose()?,
        })
    }
}

impl Calibration {
    /// The calibration of trials spread evenly over the study; the best ones alone would be biased.
    fn of(study: &mut Study, output: usize) -> Result<Self> {
        let trials: Vec<u64> = values_of(study, output).into_iter().map(|told| told.trial).collect();
        let leave_one_out = study.leave_one_out(output, &evenly(&trials, MOST))?;
        let pair = |one: &LeaveOneOut| Pair {
            trial: one.trial,
            observed: one.observed,
            mean: one.predict_interval.mean,
            interval: one.predict_interval.interval,
        };
        Ok(Calibration { points: leave_one_out.iter().map(pair).collect(), coverage: coverage(&leave_one_out) })
    }
}

/// An outcome lies within the central interval of level p if 2Φ(|deviations|) − 1 ≤ p.
fn coverage(leave_one_out: &[LeaveOneOut]) -> Vec<(f64, f64)> {
    let needed: Vec<f64> = leave_one_out.iter().map(|one| 2.0 * normal::cdf(one.deviations.abs()) - 1.0).collect();
    let share = |level: f64| needed.iter().filter(|&&needed| needed <= level).count() as f64 / needed.len() as f64;
    let levels = (1..20).map(|i| f64::from(i) / 20.0);
    if needed.is_empty() { Vec::new() } else { levels.map(|level| (level, share(level))).collect() }
}

fn facts(study: &mut Study, output: usize) -> Result<Vec<(&'static str, String)>> {
    let report = study.model_reports()?.remove(output);
    let (hyper, _) = study.hyperparameters(output)?;
    let posterior = match report.inference {
        Inference::Exact => format!("exact, given {} outcomes", report.observations),
        Inference::Variational => {
            format!("variational, {} inducing points for {} outcomes", report.inducing, report.observations)
        }
        _ => format!("sparse, {} inducing points for {} outcomes", report.inducing, report.observations),
    };
    let (goal, known) = (study.config().outputs[output].goal, study.config().outputs[output].noise);
    if goal == Goal::Classify {
        let enter = "as yes or no, with probability Φ(f) of yes for a latent f".into();
        return Ok(vec![("Posterior", posterior), ("Outcomes enter", enter)]);
    }
    let warp = match report.warp {
        Warp::Identity => "as they are".into(),
        Warp::Log { .. } => "as logarithms".into(),
        Warp::Asinh { strength } => format!("asinh, both tails shortened (strength {strength})"),
        Warp::YeoJohnson { power } if power < 1.0 => format!("Yeo–Johnson, upper tail shortened (power {power})"),
        Warp::YeoJohnson { power } => format!("Yeo–Johnson, lower tail shortened (power {power})"),
    };
    let told = if known.is_auto() { String::new() } else { format!("; by the settings: {known}") };
    let noise = format!("{:.2e} of the outcomes’ variance, as the model sees them{told}", hyper.noise);
    let sense = if goal == Goal::Minimize { "; with the other sign" } else { "" };
    Ok(vec![("Posterior", posterior), ("Outcomes enter", format!("{warp}{sense}")), ("Noise variance", noise)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::study::CrediblePrediction;

    #[test]
    fn coverage_counts_outcomes_within_central_intervals() {
        let predict_interval = CrediblePrediction { mean: 0.0, interval: (-1.0, 1.0) };
        let one = |deviations: f64| LeaveOneOut { trial: 1, observed: 0.0, predict_interval, deviations };
        // 0.6745 and 1.2816 are the ends of the central 50 % and 80 %.
        let found = coverage(&[one(0.0), one(-0.67), one(0.68), one(1.28), one(-9.0)]);
        let at = |level: f64| found.iter().find(|(l, _)| (l - level).abs() < 1e-9).unwrap().1;
        assert_eq!((at(0.5), at(0.8), at(0.95)), (0.4, 0.8, 0.8));
        assert!(coverage(&[]).is_empty());
    }
}
