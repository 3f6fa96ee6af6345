//! A timed fit of a data set, its predictions and its scores, in the user's units.

use crate::io::output::execution::peak_rss_mb;
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::data::Dataset;
use spargo::linalg::MatRef;
use spargo::model::Fit;
use spargo::optim::Stop;
use spargo::regression::{Regression, RegressionOptions};
use std::f64::consts::PI;
use std::fmt;
use std::time::Instant;

/// A fitted model, and how long the fit took.
pub struct TimedRegression {
    model: Regression,
    seconds: f64,
}

/// Predictions in the user's units.
pub struct Predicted {
    pub mean: Vec<f64>,
    /// Standard deviations of f.
    pub deviation: Vec<f64>,
    /// Standard deviations of an observation.
    pub observed_deviation: Vec<f64>,
}

impl TimedRegression {
    /// Fits from a cold start.
    pub fn fit(data: &Dataset, options: &RegressionOptions) -> Result<Self> {
        let started = Instant::now();
        let model = Regression::fit(data, options).into_diagnostic()?;
        Ok(TimedRegression { model, seconds: started.elapsed().as_secs_f64() })
    }

    /// Predictions at points in the user's units.
    pub fn predict(&self, x: MatRef<'_>) -> Result<Predicted> {
        let prediction =
            self.model.posterior().predict(self.model.units.inputs.to_model(x).as_ref()).into_diagnostic()?;
        let (noise, units) = (self.model.fit.hyper.noise, &self.model.units);
        let deviation = |extra: f64| {
            let of = |v: &f64| units.outcomes.scale() * (v + extra).sqrt();
            prediction.variance.iter().map(of).collect::<Vec<_>>()
        };
        Ok(Predicted {
            deviation: deviation(0.0),
            observed_deviation: deviation(noise),
            mean: prediction.mean.iter().map(|m| units.outcomes.from_model(*m)).collect(),
        })
    }

    /// Scores on held-out data.
    pub fn scores(&self, test: &Dataset) -> Result<Scores> {
        let predicted = self.predict(test.x())?;
        let n = test.len() as f64;
        let square: f64 = predicted.mean.iter().zip(test.y()).map(|(m, y)| (m - y).powi(2)).sum();
        let nlpd = |deviations: &[f64]| {
            let density =
                |((m, s), y): ((&f64, &f64), &f64)| 0.5 * ((y - m) / s).powi(2) + s.ln() + 0.5 * (2.0 * PI).ln();
            predicted.mean.iter().zip(deviations).zip(test.y()).map(density).sum::<f64>() / n
        };
        Ok(Scores {
            rmse: (square / n).sqrt(),
            nlpd: nlpd(&predicted.observed_deviation),
            nlpd_latent: nlpd(&predicted.deviation),
        })
    }

    /// The fit in numbers, in the user's units.
    pub fn summary(&self, inputs: Vec<String>, scores: Option<Scores>) -> FitSummary {
        let Fit { report, .. } = &self.model.fit;
        let model = self.model.hyperparameters();
        FitSummary {
            rows: self.model.rows,
            inducing: self.model.inducing.as_ref().map(|z| z.nrows()),
            bound: self.model.objective() / self.model.rows as f64,
            noise: model.noise,
            variance: model.variance,
            mean: model.mean,
            lengthscales: model.lengthscales,
            inputs,
            seconds: self.seconds,
            evaluations: report.evaluations,
            stop: report.stop,
            kept: report.kept.clone(),
            jitter: report.jitter * self.model.units.outcomes.scale().powi(2),
            peak_rss_mb: peak_rss_mb(),
            scores,
        }
    }
}

/// Scores on held-out data, in the units of y.
#[derive(Debug, Clone, Serialize)]
pub struct Scores {
    /// Root mean squared error of the predicted mean.
    pub rmse: f64,
    /// Mean negative log predictive density of an observation.
    pub nlpd: f64,
    /// Mean negative log predictive density of f, for test values without noise.
    pub nlpd_latent: f64,
}

/// A fit in numbers, in the user's units.
#[derive(Debug, Clone, Serialize)]
pub struct FitSummary {
    pub rows: usize,
    /// `null` for an exact posterior.
    pub inducing: Option<usize>,
    /// Log likelihood, or its bound, of all data: nats per point.
    pub bound: f64,
    pub noise: f64,
    pub variance: f64,
    pub mean: f64,
    pub lengthscales: Vec<f64>,
    pub inputs: Vec<String>,
    pub seconds: f64,
    pub evaluations: usize,
    pub stop: Option<Stop>,
    pub kept: Option<String>,
    pub jitter: f64,
    pub peak_rss_mb: Option<f64>,
    /// On held-out data, if there are any.
    #[serde(flatten)]
    pub scores: Option<Scores>,
}

impl fmt::Display for FitSummary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<24}{}", "rows", self.rows)?;
        let inducing = self.inducing.map_or("none: exact".to_string(), |m| m.to_string());
        writeln!(out, "{:<24}{inducing}", "inducing points")?;
        writeln!(out, "{:<24}{:.4} nats per point", "bound", self.bound)?;
        writeln!(out, "{:<24}{:.4e}", "noise variance", self.noise)?;
        writeln!(out, "{:<24}{:.4e}", "signal variance", self.variance)?;
        writeln!(out, "{:<24}{:.4e}", "prior mean", self.mean)?;
        for (name, lengthscale) in self.inputs.iter().zip(&self.lengthscales) {
            writeln!(out, "{:<24}{lengthscale:.4e}", format!("length scale of {name}"))?;
        }
        writeln!(out, "{:<24}{:.2e}", "jitter", self.jitter)?;
        writeln!(out, "{:<24}{:.2}", "seconds", self.seconds)?;
        if let Some(peak) = self.peak_rss_mb {
            writeln!(out, "{:<24}{peak:.0} MB", "peak memory")?;
        }
        if let Some(kept) = &self.kept {
            writeln!(out, "{:<24}{kept}", "hyperparameters kept")?;
        }
        let stop = self.stop.map_or("hyperparameters are fixed".to_string(), |stop| stop.to_string());
        write!(out, "{:<24}{} evaluations: {stop}", "search", self.evaluations)?;
        let Some(scores) = &self.scores else { return Ok(()) };
        write!(out, "\n{:<24}{:.4}", "test RMSE", scores.rmse)?;
        write!(out, "\n{:<24}{:.4} nats", "test NLPD", scores.nlpd)?;
        write!(out, "\n{:<24}{:.4} nats", "test NLPD of f", scores.nlpd_latent)
    }
}
