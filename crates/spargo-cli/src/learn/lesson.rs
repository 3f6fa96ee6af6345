//! The study of a map: its cells are the candidates, the class of a cell is the outcome.

use super::scores;
use miette::{IntoDiagnostic, Result, miette};
use spargo::linalg::Mat;
use spargo::math::normal;
use spargo::model::Prediction;
use spargo::problems::prevalence::{Map, Split};
use spargo::space::{Domain, Point, Space, Value};
use spargo::study::{Config, Goal, Outcome, Output, Study};
use std::collections::HashMap;

/// A map that is being learned.
pub struct Lesson<'a> {
    map: &'a Map,
    held_out: &'a [usize],
    labels: Vec<bool>,
    study: Study,
    /// Cells by the bits of their coordinates.
    places: HashMap<[u64; 2], usize>,
}

/// After one batch has been told.
pub struct Step {
    pub evaluations: usize,
    pub accuracy: f64,
    pub log_loss: f64,
    pub inducing: usize,
    pub allocate_s: f64,
    pub fit_s: f64,
    pub acquire_s: f64,
}

impl<'a> Lesson<'a> {
    pub fn new(map: &'a Map, split: &'a Split, configure: impl FnOnce(&mut Config)) -> Result<Self> {
        let cell = |i: &usize| map.cells()[*i].map(Value::Real).to_vec();
        let names = ["longitude", "latitude"].map(String::from);
        let space = Space::from_table(&names, split.pool.iter().map(cell).collect()).into_diagnostic()?;
        let mut config = Config::new(space);
        config.name = "malaria".into();
        config.outputs = vec![Output { name: "high".into(), goal: Goal::Classify }];
        configure(&mut config);
        let places = map.cells().iter().enumerate().map(|(i, cell)| (cell.map(f64::to_bits), i)).collect();
        let study = Study::in_memory(config).into_diagnostic()?;
        Ok(Lesson { map, held_out: &split.held_out, labels: map.labels(), study, places })
    }

    /// Asks for a batch, tells its classes and scores what is believed then.
    pub fn step(&mut self, number: usize) -> Result<Step> {
        let config = self.study.config();
        let count = if number == 0 { config.initial } else { config.batch };
        let trials = self.study.ask(count).into_diagnostic()?;
        let class = |point: &Point| self.place(point).map(|cell| Outcome::value(f64::from(self.labels[cell])));
        let told = trials.iter().map(|trial| Ok((trial.id, class(&trial.point)?))).collect::<Result<Vec<_>>>()?;
        self.study.tell(&told).into_diagnostic()?;
        let z = self.latent(self.held_out)?;
        let labels = self.labels(self.held_out);
        let report = self.study.model_reports().into_diagnostic()?.remove(0);
        let asked = self.study.reports().into_diagnostic()?;
        Ok(Step {
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
        let one = |record: &spargo::study::store::Record| {
            let cell = self.place(&record.trial.point)?;
            Ok((self.map.cells()[cell], self.labels[cell]))
        };
        records.map(one).collect()
    }

    /// Where the inducing points are.
    pub fn inducing(&mut self) -> Result<Vec<[f64; 2]>> {
        let points = self.study.inducing_points(0).into_diagnostic()?.unwrap_or_default();
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
        let posterior = self.study.posterior(0).into_diagnostic()?;
        let Prediction { mean, variance } = posterior.predict(x.as_ref()).into_diagnostic()?;
        Ok(mean.iter().zip(variance).map(|(mean, variance)| mean / (1.0 + variance).sqrt()).collect())
    }

    /// The cell of a point.
    fn place(&self, point: &Point) -> Result<usize> {
        let place = self.places.get(&coordinates(point)?.map(f64::to_bits)).copied();
        place.ok_or_else(|| miette!("{point:?} is no cell of the map"))
    }
}

fn ends(domain: &Domain) -> (f64, f64) {
    match domain {
        Domain::Real { lower, upper, .. } => (*lower, *upper),
        _ => (0.0, 1.0),
    }
}

fn coordinates(point: &Point) -> Result<[f64; 2]> {
    match point.as_slice() {
        [Value::Real(x), Value::Real(y)] => Ok([*x, *y]),
        _ => Err(miette!("{point:?} is no place on a map")),
    }
}
