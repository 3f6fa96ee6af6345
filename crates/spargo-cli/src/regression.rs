//! A model of a data set in the user's units: standardize, choose inducing points, fit, predict, score.

use crate::belief::{First, Wish, believe};
use crate::machine::peak_rss_mb;
use crate::units::{UserModel, standardizer};
use miette::{IntoDiagnostic, Result};
use serde::Serialize;
use spargo::allocate::{Allocation, allocate};
use spargo::data::{Dataset, Evidence, Standardizer};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, MatRef};
use spargo::model::{Fit, Fitting, Hyperparameters, Inference, Learning, Priors, Start, fit};
use spargo::optimize::Stop;
use spargo::rng::{Purpose, stream};
use std::f64::consts::PI;
use std::fmt;
use std::time::Instant;

/// What can be chosen about a fit.
#[derive(Debug, Clone)]
pub struct Settings {
    pub inducing: usize,
    pub allocation: Allocation,
    pub wish: Wish,
    pub family: Family,
    pub learning: Learning,
    pub inference: Inference,
    pub priors: Priors,
    pub seed: u64,
}

impl Settings {
    /// The inducing points, chosen by what the first model believes.
    fn points(&self, standard: &Dataset, units: &Standardizer, first: &First) -> Result<Mat<f64>> {
        let level = (self.wish.level - units.centre) / units.scale;
        let noise = standard.noise(first.hyper.noise);
        let evidence = match first.prediction.clone() {
            Some(prediction) => self.wish.evidence(standard.y(), prediction, noise, level)?,
            None => Evidence::default(),
        };
        let mut rng = stream(self.seed, Purpose::Allocation, 0, 0);
        let kernel = &first.hyper.kernel;
        let chosen = allocate(&self.allocation, standard.x(), kernel, &evidence, self.inducing, &mut rng);
        Ok(chosen.into_diagnostic()?.points)
    }
}

/// A fitted model with the units of its data.
pub struct Regression {
    units: Standardizer,
    fit: Fit,
    rows: usize,
    inducing: Option<usize>,
    seconds: f64,
}

/// Predictions in the user's units.
pub struct Predicted {
    pub mean: Vec<f64>,
    /// Of f.
    pub deviation: Vec<f64>,
    /// Of an observation.
    pub observed_deviation: Vec<f64>,
}

impl Regression {
    /// Fits from a cold start. A method that looks at a model gets two rounds: a fit on random inducing points, then the
    /// choice by its kernel and posterior, and a refit that starts from its hyperparameters.
    pub fn fit(data: &Dataset, settings: &Settings) -> Result<Self> {
        let started = Instant::now();
        let units = standardizer(data)?;
        let standard = units.apply(data);
        let fitting = Fitting {
            learning: settings.learning,
            inference: settings.inference,
            priors: settings.priors,
            seed: settings.seed,
            ..Fitting::default()
        };
        let cold = Hyperparameters::cold(Kernel::cold(settings.family, data.dimension()));
        let needs_points = settings.inference != Inference::Exact || settings.learning == Learning::Bound;
        let (first, fitting) = match settings.allocation {
            method if needs_points && !matches!(method, Allocation::Random | Allocation::Uniform) => {
                let first = believe(&standard, &cold, &fitting, method.quality())?;
                (first, Fitting { start: Start::Warm, ..fitting })
            }
            _ => (First { hyper: cold, prediction: None, evaluations: 0 }, fitting),
        };
        let z = match needs_points {
            true => settings.points(&standard, &units, &first)?,
            false => Mat::zeros(0, data.dimension()),
        };
        let mut fit = fit(&first.hyper, &standard, z.as_ref(), &fitting).into_diagnostic()?;
        fit.report.evaluations += first.evaluations;
        let seconds = started.elapsed().as_secs_f64();
        let inducing = (settings.inference != Inference::Exact).then_some(z.nrows());
        Ok(Regression { units, fit, rows: data.len(), inducing, seconds })
    }

    /// Predictions at points in the user's units.
    pub fn predict(&self, x: MatRef<'_, f64>) -> Result<Predicted> {
        let prediction = self.fit.posterior.predict(self.units.inputs(x).as_ref()).into_diagnostic()?;
        let noise = self.fit.hyper.noise;
        let deviation = |extra: f64| {
            let of = |v: &f64| self.units.scale * (v + extra).sqrt();
            prediction.variance.iter().map(of).collect::<Vec<_>>()
        };
        Ok(Predicted {
            deviation: deviation(0.0),
            observed_deviation: deviation(noise),
            mean: prediction.mean.iter().map(|m| self.units.mean(*m)).collect(),
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

    /// What there is to say about the fit, in the user's units.
    pub fn summary(&self, inputs: &[String]) -> Summary {
        let Fit { hyper, report, .. } = &self.fit;
        let model = UserModel::from_model(hyper, &self.units);
        Summary {
            rows: self.rows,
            inducing: self.inducing,
            bound: self.units.log_density(report.objective / self.rows as f64),
            noise: model.noise,
            variance: model.variance,
            mean: model.mean,
            lengthscales: model.lengthscales,
            inputs: inputs.to_vec(),
            seconds: self.seconds,
            evaluations: report.evaluations,
            stop: report.stop,
            kept: report.kept.clone(),
            jitter: self.units.variance(report.jitter),
            peak_rss_mb: peak_rss_mb(),
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
    /// The same without the noise: for test values of f itself.
    pub nlpd_latent: f64,
}

/// A fit in numbers, in the user's units.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
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
}

impl fmt::Display for Summary {
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
        let stop = self.stop.map_or("hyperparameters were given".to_string(), |stop| stop.to_string());
        write!(out, "{:<24}{} evaluations: {stop}", "search", self.evaluations)
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<24}{:.4}", "test RMSE", self.rmse)?;
        writeln!(out, "{:<24}{:.4} nats", "test NLPD", self.nlpd)?;
        write!(out, "{:<24}{:.4} nats", "test NLPD of f", self.nlpd_latent)
    }
}
