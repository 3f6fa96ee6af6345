//! A map learned by a study: its cells are the candidates, the class of a cell is the outcome. Section 5.2 of the paper, and
//! what `spargo-lab learn` runs.
//!
//! ```text
//!     ask for cells ─▶ tell their classes ─▶ scores of P(cell is positive) = Φ(μ/√(1 + σ²)) on cells held out
//! ```

use super::scores;
use crate::error::{Error, Result};
use spargo::linalg::Mat;
use spargo::math::normal;
use spargo::model::Prediction;
use spargo::space::{Domain, Point, Space, Value};
use spargo::study::{Config, Goal, Outcome, Output, Study};
use spargo_problems::prevalence::{Map, Split};
use std::collections::HashMap;

/// A map that is being learned.
#[derive(Debug)]
pub struct ActiveLearning<'a> {
    map: &'a Map,
    held_out: &'a [usize],
    labels: Vec<bool>,
    study: Study,
    /// Cells by the bits of their coordinates.
    places: HashMap<[u64; 2], usize>,
}

/// After one batch has been told.
#[derive(Debug, Clone)]
pub struct ActiveLearningStep {
    /// Cells asked for so far.
    pub evaluations: usize,
    /// Share of the held-out cells whose class is the likelier one.
    pub accuracy: f64,
    /// −log of the probability of a held-out cell's class, on average, in nats.
    pub log_loss: f64,
    /// Inducing points.
    pub inducing: usize,
    /// Seconds for the inducing points.
    pub allocate_s: f64,
    /// Seconds for the model.
    pub fit_s: f64,
    /// Seconds for the batch that was asked for.
    pub acquire_s: f64,
}

impl ActiveLearningStep {
    /// Seconds that are not spent on evaluations.
    pub fn overhead_s(&self) -> f64 {
        self.allocate_s + self.fit_s + self.acquire_s
    }
}

impl<'a> ActiveLearning<'a> {
    /// A study of the cells that may be asked for.
    pub fn new(map: &'a Map, split: &'a Split, configure: impl FnOnce(&mut Config)) -> Result<Self> {
        let cell = |i: &usize| map.cells()[*i].map(Value::Real).to_vec();
        let names = ["longitude", "latitude"].map(String::from);
        let space = Space::from_table(&names, split.pool.iter().map(cell).collect())?;
        let mut config = Config::new(space);
        config.name = "malaria".into();
        config.outputs = vec![Output::new("high", Goal::Classify)];
        configure(&mut config);
        let places = map.cells().iter().enumerate().map(|(i, cell)| (cell.map(f64::to_bits), i)).collect();
        let study = Study::in_memory(config)?;
        Ok(ActiveLearning { map, held_out: &split.held_out, labels: map.labels(), study, places })
    }

    /// Asks for the initial cells and then `batches` batches.
    pub fn run(&mut self, batches: usize) -> Result<Vec<ActiveLearningStep>> {
        (0..=batches).map(|number| self.step(number)).collect()
    }

    /// Asks for a batch, tells its classes and scores what is believed then.
    fn step(&mut self, number: usize) -> Result<ActiveLearningStep> {
        let config = self.study.config();
        let count = if number == 0 { config.initial_count() } else { config.batch };
        let trials = self.study.ask(count)?;
        let class = |point: &Point| self.place(point).map(|cell| Outcome::value(f64::from(self.labels[cell])));
        let told = trials.iter().map(|trial| Ok((trial.id, class(&trial.point)?))).collect::<Result<Vec<_>>>()?;
        self.study.tell(&told)?;
        let z = self.latent(self.held_out)?;
        let labels = self.labels(self.held_out);
        let report = self.study.model_reports()?.remove(0);
        let asked = self.study.reports()?;
        Ok(ActiveLearningStep {
            evaluations: self.study.history().records().len(),
            accuracy: scores::accuracy(&z, &labels),
            log_loss: scores::log_loss(&z, &labels),
            inducing: report.inducing,
            allocate_s: report.allocate_s,
            fit_s: report.fit_s,
            acquire_s: asked.last().map_or(0.0, |report| report.acquire_s),
        })
    }

    /// Which cells are positive.
    pub fn labels(&self, cells: &[usize]) -> Vec<bool> {
        cells.iter().map(|&i| self.labels[i]).collect()
    }

    /// The probability that a cell is positive.
    pub fn probabilities(&mut self, cells: &[usize]) -> Result<Vec<f64>> {
        Ok(self.latent(cells)?.into_iter().map(normal::cdf).collect())
    }

    /// Where all cells are.
    pub fn cells(&self) -> &[[f64; 2]] {
        self.map.cells()
    }

    /// Cells asked for, and whether they are positive.
    pub fn asked(&self) -> Result<Vec<([f64; 2], bool)>> {
        let records = self.study.history().records().iter();
        let one = |record: &spargo::study::Record| {
            let cell = self.place(&record.trial.point)?;
            Ok((self.map.cells()[cell], self.labels[cell]))
        };
        records.map(one).collect()
    }

    /// Where the inducing points are.
    pub fn inducing(&mut self) -> Result<Vec<[f64; 2]>> {
        let points = self.study.inducing_points(0)?.unwrap_or_default();
        points.iter().map(coordinates).collect()
    }

    /// μ/√(1 + σ²), whose Φ is the probability of a cell. Cells that are no candidates have no point of the study's space.
    fn latent(&mut self, cells: &[usize]) -> Result<Vec<f64>> {
        let ranges: Vec<(f64, f64)> = self.study.config().space.dimensions().iter().map(|d| ends(&d.domain)).collect();
        let share = |i: usize, k: usize| match ranges[k] {
            (lower, upper) if upper > lower => (self.map.cells()[cells[i]][k] - lower) / (upper - lower),
            _ => 0.0,
        };
        let x = Mat::from_fn(cells.len(), 2, share);
        let posterior = self.study.posterior(0)?;
        let Prediction { mean, variance } = posterior.predict(x.as_ref())?;
        Ok(mean.iter().zip(variance).map(|(mean, variance)| mean / (1.0 + variance).sqrt()).collect())
    }

    /// The cell of a point.
    fn place(&self, point: &Point) -> Result<usize> {
        let place = self.places.get(&coordinates(point)?.map(f64::to_bits)).copied();
        place.ok_or_else(|| nowhere(point))
    }
}

fn ends(domain: &Domain) -> (f64, f64) {
    domain.range().map_or((0.0, 1.0), |(lower, upper, _)| (lower, upper))
}

fn coordinates(point: &Point) -> Result<[f64; 2]> {
    match point.as_slice() {
        [Value::Real(x), Value::Real(y)] => Ok([*x, *y]),
        _ => Err(nowhere(point)),
    }
}

fn nowhere(point: &Point) -> Error {
    Error::Unsupported { what: format!("{point:?} is no cell of the map"), remedy: "this is a defect".into() }
}
