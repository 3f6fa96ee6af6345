//! The loop: ask, tell, and what a study knows. Settings, reports and findings travel as the JSON of the library's own
//! structs; points and arrays as they are.

use crate::arrays::vector;
use crate::errors::exception;
use crate::frame::Frame;
use crate::heavy::{heavy, heavy_with, light_with, unsupported};
use crate::posterior::Posterior;
use crate::quality::PythonQuality;
use crate::records::{EncodedOutcome, dimension, outcome, to_tuple};
use crate::settings::{json, read};
use crate::values::{Points, to_list};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use spargo::space::Space;
use spargo::study::{Config, Goal, Outcome, Record, Refit, Study as Inner, Trial};
use spargo::{Error, Result};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

/// A study, used by one call at a time.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Study {
    /// The study; `None` once it is closed.
    inner: Mutex<Option<Inner>>,
    config: Config,
    path: Option<PathBuf>,
    quality: Option<PythonQuality>,
    /// Id of the process that uses the study.
    process: AtomicU32,
}

type Array<'py> = Bound<'py, PyArray1<f64>>;

#[pymethods]
impl Study {
    /// A study with these settings, in memory, or in a file that is created unless it exists.
    ///
    /// The space has these inputs, as (name, kind, bounds or labels, logarithmic), or it is that of `candidates`: the names of
    /// the columns and the rows of a table.
    #[staticmethod]
    fn begin(
        py: Python<'_>,
        config: &str,
        inputs: Vec<(String, String, Bound<'_, PyAny>, bool)>,
        candidates: Option<(Vec<String>, Bound<'_, PyAny>)>,
        path: Option<PathBuf>,
        quality: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let quality = quality.map(PythonQuality::new).transpose()?;
        let inputs = inputs.into_iter().map(dimension).collect::<PyResult<Vec<_>>>()?;
        let table = candidates.map(|(names, rows)| Points::new(&rows).map(|rows| (names, rows))).transpose()?;
        let inner = heavy(py, || {
            let mut config: Config = read(config, "help(spargo.Study) lists the settings")?;
            config.space = match table {
                Some((names, rows)) => Space::from_table(&names, rows.into_values())?,
                None => Space::new(inputs)?,
            };
            if let Some(quality) = &quality {
                config.allocation = quality.allocation();
            }
            match &path {
                None => Inner::in_memory(config),
                Some(path) => Inner::open_or_create(path, config),
            }
        })?;
        Ok(Study::new(inner, path, quality))
    }

    /// Opens the study in a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, quality: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let quality = quality.map(PythonQuality::new).transpose()?;
        Ok(Study::new(heavy(py, || Inner::open(&path))?, Some(path), quality))
    }

    /// The study as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.at_once(py, Inner::to_bytes)?))
    }

    /// A study in memory from the bytes of another one.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], quality: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let quality = quality.map(PythonQuality::new).transpose()?;
        Ok(Study::new(heavy(py, || Inner::from_bytes(bytes))?, None, quality))
    }

    /// File of the study, if it has one.
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// Settings as JSON.
    fn config(&self, py: Python<'_>) -> PyResult<String> {
        heavy(py, || json(&self.config))
    }

    /// Names and kinds of the inputs: real, int or choice.
    fn inputs(&self) -> Vec<(String, &'static str)> {
        self.config.space.dimensions().iter().map(|d| (d.name.clone(), d.domain.name())).collect()
    }

    /// Number of points of the space, if it is finite.
    fn size(&self) -> Option<u64> {
        self.config.space.size()
    }

    /// Closes the file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        light_with(py, &self.inner, |inner| {
            *inner = None;
            Ok(())
        })
    }

    /// Whether the study is closed.
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        light_with(py, &self.inner, |inner| Ok(inner.is_none()))
    }

    /// Numbers and points of new trials; models are fitted again once `refit_every` outcomes are new.
    fn ask<'py>(&self, py: Python<'py>, count: Option<usize>, refit_every: u64) -> PyResult<Bound<'py, PyList>> {
        let trials = self.with(py, |study| {
            study.refresh()?;
            study.ask_with(count.unwrap_or_else(|| study.default_count()), Refit::Every(refit_every))
        })?;
        listed(py, &trials)
    }

    /// Numbers and points of trials that re-evaluate the likely winners.
    fn replicate<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Bound<'py, PyList>> {
        listed(py, &self.with(py, |study| study.replicate(count))?)
    }

    /// Tells outcomes; returns how many are new.
    fn tell(&self, py: Python<'_>, outcomes: Vec<EncodedOutcome>) -> PyResult<usize> {
        let outcomes: Vec<(u64, Outcome)> = outcomes
            .into_iter()
            .map(|(trial, values, noise, reason)| (trial, outcome(values, noise, reason)))
            .collect();
        self.at_once(py, |study| study.tell(&outcomes))
    }

    /// Adds points with their outcomes (pending without values and reason); returns the number of the first trial.
    fn add(&self, py: Python<'_>, points: &Bound<'_, PyAny>, outcomes: Vec<EncodedOutcome>) -> PyResult<u64> {
        let points = Points::new(points)?;
        let one = |(_, values, noise, reason): EncodedOutcome| {
            (values.is_some() || reason.is_some()).then(|| outcome(values, noise, reason))
        };
        let trials = self.at_once(py, |study| {
            let points = points.into_values();
            if points.len() != outcomes.len() {
                let what = "the list of outcomes".into();
                return Err(Error::Shape { what, found: outcomes.len(), expected: points.len() });
            }
            let points: Vec<_> = points.into_iter().zip(outcomes.into_iter().map(one)).collect();
            study.add(&points)
        })?;
        Ok(trials.start)
    }

    /// Reads what other processes have written.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        self.at_once(py, Inner::refresh)
    }

    /// Numbers of trials, of pending trials, and of failed trials.
    fn counts(&self, py: Python<'_>) -> PyResult<(usize, usize, usize)> {
        let counts = self.at_once(py, |study| study.refresh().map(|()| study.counts()))?;
        Ok((counts.trials, counts.pending, counts.failed))
    }

    /// Best feasible outcome of the only objective, if there is one.
    fn best_observed(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.at_once(py, |study| Ok(study.best_observation().map(|best| best.value)))
    }

    /// Records of the trials from a number on.
    fn records_from<'py>(&self, py: Python<'py>, first: u64) -> PyResult<Bound<'py, PyList>> {
        let records = self.at_once(py, |study| {
            study.refresh()?;
            let from = (first.max(1) - 1) as usize;
            Ok(study.history().records().get(from..).unwrap_or_default().to_vec())
        })?;
        recorded(py, &records)
    }

    /// Records of the trials with these numbers.
    fn records<'py>(&self, py: Python<'py>, numbers: Vec<u64>) -> PyResult<Bound<'py, PyList>> {
        let records = self.at_once(py, |study| {
            study.refresh()?;
            let records = study.history().records();
            let find = |(index, &trial): (usize, &u64)| {
                let found = (trial as usize).checked_sub(1).and_then(|place| records.get(place)).cloned();
                found.ok_or(Error::UnknownTrial { index, trial, trials: records.len() as u64 })
            };
            numbers.iter().enumerate().map(find).collect::<Result<Vec<_>>>()
        })?;
        recorded(py, &records)
    }

    /// Whether values, one per output, satisfy all constraints.
    fn is_feasible(&self, values: Vec<f64>) -> bool {
        self.config.is_feasible(&values)
    }

    /// The best trials by posterior mean and by outcome, as JSON.
    fn best(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |study| {
            if study.config().outputs.iter().filter(|output| output.goal.is_objective()).count() != 1 {
                return Err(unsupported("the best of a study without a single objective", "use fronts()"));
            }
            match study.best()? {
                Some(best) => json(&best),
                None => Err(Error::Empty { what: "the list of feasible outcomes".into() }),
            }
        })
    }

    /// Pareto fronts, as JSON.
    fn fronts(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |study| json(&study.fronts()?))
    }

    /// Posterior of an output.
    fn posterior(&self, py: Python<'_>, output: usize) -> PyResult<Posterior> {
        let (model, units) = self.with(py, |study| Ok((study.posterior(output)?, study.hyperparameters(output)?.1)))?;
        let sign = if self.config.outputs[output].goal == Goal::Minimize { -1.0 } else { 1.0 };
        let frame = Frame::Study { space: self.config.space.clone(), units, sign };
        Ok(Posterior { model, frame: Arc::new(frame) })
    }

    /// Means of an output without noise, and bounds of central 95 % intervals.
    fn predict_interval<'py>(
        &self,
        py: Python<'py>,
        output: usize,
        points: &Bound<'py, PyAny>,
    ) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
        let points = Points::new(points)?;
        let predictions = self.with(py, |study| study.predict_interval(output, &points.into_values()))?;
        let column =
            |of: fn(&spargo::study::CrediblePrediction) -> f64| vector(py, predictions.iter().map(of).collect());
        Ok((column(|f| f.mean), column(|f| f.interval.0), column(|f| f.interval.1)))
    }

    /// Outcomes of an output, and their leave-one-out means and bounds of central 95 % intervals, noise included.
    fn leave_one_out<'py>(&self, py: Python<'py>, output: usize) -> PyResult<[Array<'py>; 4]> {
        let found = self.with(py, |study| {
            study.refresh()?;
            let trials: Vec<u64> = (1..=study.history().records().len() as u64).collect();
            study.leave_one_out(output, &trials)
        })?;
        let column = |of: fn(&spargo::study::LeaveOneOut) -> f64| vector(py, found.iter().map(of).collect());
        let (lower, upper) =
            (column(|one| one.predict_interval.interval.0), column(|one| one.predict_interval.interval.1));
        Ok([column(|one| one.observed), column(|one| one.predict_interval.mean), lower, upper])
    }

    /// Hyperparameters of an output, in the model's units, as JSON.
    fn hyperparameters(&self, py: Python<'_>, output: usize) -> PyResult<String> {
        self.with(py, |study| json(&study.hyperparameters(output)?.0))
    }

    /// Importance of each input for an output.
    fn importance(&self, py: Python<'_>, output: usize) -> PyResult<Vec<f64>> {
        self.with(py, |study| study.importance(output))
    }

    /// Inducing points of an output's model, unless it is exact.
    fn inducing_points<'py>(&self, py: Python<'py>, output: usize) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(points) = self.with(py, |study| study.inducing_points(output))? else { return Ok(None) };
        let points = points.iter().map(|point| to_list(py, point)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, points).map(Some)
    }

    /// Report of every ask, as JSON.
    fn reports(&self, py: Python<'_>) -> PyResult<String> {
        self.at_once(py, |study| {
            study.refresh()?;
            json(&study.reports()?)
        })
    }

    /// The study as an HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, spargo_report::html)
    }
}

impl Study {
    fn new(mut inner: Inner, path: Option<PathBuf>, quality: Option<PythonQuality>) -> Self {
        if let Some(quality) = &quality {
            inner = inner.with_extensions(&quality.extensions());
        }
        let config = inner.config().clone();
        Study { inner: Mutex::new(Some(inner)), config, path, quality, process: AtomicU32::new(std::process::id()) }
    }

    /// A long call, which Ctrl-C ends.
    pub fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> Result<T> + Send) -> PyResult<T> {
        self.check_process(py)?;
        let raised = || self.quality.as_ref().and_then(PythonQuality::take_raised);
        raised();
        heavy_with(py, &self.inner, |inner| work(opened(inner)?)).map_err(|error| raised().unwrap_or(error))
    }

    /// A short call.
    fn at_once<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> Result<T> + Send) -> PyResult<T> {
        self.check_process(py)?;
        light_with(py, &self.inner, |inner| work(opened(inner)?))
    }

    /// Refuses a study that a fork has broken: a fork copies neither a file's connection nor the thread that holds the lock.
    fn check_process(&self, py: Python<'_>) -> PyResult<()> {
        let here = std::process::id();
        if self.process.load(Ordering::Relaxed) == here {
            return Ok(());
        }
        if self.path.is_some() || matches!(self.inner.try_lock(), Err(TryLockError::WouldBlock)) {
            let what = "a study that was in use or had a file when the process was forked";
            return Err(exception(py, &unsupported(what, "open its file in this process, or copy it before")));
        }
        self.process.store(here, Ordering::Relaxed);
        Ok(())
    }
}

/// Records as a list of tuples.
fn recorded<'py>(py: Python<'py>, records: &[Record]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, records.iter().map(|record| to_tuple(py, record)).collect::<PyResult<Vec<_>>>()?)
}

/// Numbers and points of trials.
pub fn listed<'py>(py: Python<'py>, trials: &[Trial]) -> PyResult<Bound<'py, PyList>> {
    let list = trials.iter().map(|trial| Ok((trial.id, to_list(py, &trial.point)?)));
    PyList::new(py, list.collect::<PyResult<Vec<_>>>()?)
}

fn opened(inner: &mut Option<Inner>) -> Result<&mut Inner> {
    inner.as_mut().ok_or_else(|| unsupported("a study that is closed", "open it again"))
}
