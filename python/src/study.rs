//! The loop: ask, tell, and what a study knows. Settings, reports and findings travel as the JSON of the library's own
//! structs; points and arrays as they are.

use crate::arrays::Vector;
use crate::errors::exception;
use crate::frame::Frame;
use crate::heavy::{heavy, heavy_with, light_with, unsupported};
use crate::posterior::Posterior;
use crate::quality::PythonQuality;
use crate::records::{
    EncodedChange, EncodedInput, EncodedOutcome, EncodedRecord, EncodedTrial, dimension, encode_record,
    encode_revision, encode_trials, outcome,
};
use crate::settings::{Json, json, read};
use crate::values::{Cell, Points, cells};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spargo::space::{LabelColumn, Space};
use spargo::study::{
    Change, Config, Correction, Goal, LeaveOneOut, Note, Outcome, Record, Refit, Revision, Study as Inner,
};
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
    /// The number of settings that the study had by then.
    configurations: usize,
    path: Option<PathBuf>,
    quality: Option<PythonQuality>,
    /// Id of the process that uses the study.
    process: AtomicU32,
}

#[pymethods]
impl Study {
    /// A study with these settings, in memory, or in a file that is created unless it exists.
    ///
    /// The space has these inputs, or those of `candidates`, the names of the columns and the rows of a table; `labels` are columns
    /// that travel with its rows.
    #[staticmethod]
    fn begin(
        py: Python<'_>,
        config: &str,
        inputs: Vec<EncodedInput<'_>>,
        candidates: Option<(Vec<String>, Points)>,
        labels: Vec<(String, Vec<String>)>,
        path: Option<PathBuf>,
        quality: Option<PythonQuality>,
    ) -> PyResult<Self> {
        let inputs = inputs.into_iter().map(dimension).collect::<PyResult<Vec<_>>>()?;
        let labels = labels.into_iter().map(|(name, values)| LabelColumn { name, values }).collect();
        let inner = heavy(py, || {
            let mut config: Config = read(config, "help(spargo.Study) lists the settings")?;
            config.space = match candidates {
                Some((names, rows)) if inputs.is_empty() => {
                    Space::from_labelled_table(&names, rows.into_values(), labels)?
                }
                Some((_, rows)) => Space::new(inputs)?.with_labelled_candidates(rows.into_values(), labels)?,
                None => Space::new(inputs)?,
            };
            if let Some(quality) = &quality {
                config.allocation = quality.allocation();
            }
            match &path {
                None => Inner::in_memory(config),
                Some(path) => {
                    quality.as_ref().map_or(Ok(()), PythonQuality::check_name)?;
                    Inner::open_or_create(path, config)
                }
            }
        })?;
        Ok(Study::new(inner, path, quality))
    }

    /// Opens the study in a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, quality: Option<PythonQuality>) -> PyResult<Self> {
        let inner = heavy(py, || {
            let inner = Inner::open(&path)?;
            quality.as_ref().map_or(Ok(()), |quality| quality.check_named_by(inner.config()))?;
            Ok(inner)
        })?;
        Ok(Study::new(inner, Some(path), quality))
    }

    /// The study as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.at_once(py, Inner::to_bytes)?))
    }

    /// A study in memory from the bytes of another one.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], quality: Option<PythonQuality>) -> PyResult<Self> {
        Ok(Study::new(heavy(py, || Inner::from_bytes(bytes))?, None, quality))
    }

    /// File of the study, if it has one.
    fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// All settings.
    fn config(&self, py: Python<'_>) -> PyResult<Json> {
        json(&self.config).map_err(|error| exception(py, &error))
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
    fn ask(&self, py: Python<'_>, count: Option<usize>, refit_every: u64) -> PyResult<Vec<EncodedTrial>> {
        self.with(py, |study| {
            study.refresh()?;
            let refit = Refit::Every(refit_every);
            let trials = match count {
                Some(count) => study.ask_with(count, refit),
                None => study.ask_by_default(refit),
            };
            Ok(encode_trials(&study.config().space, &trials?))
        })
    }

    /// Numbers and points of trials that re-evaluate the likely winners; by default as many as a batch has.
    fn replicate(&self, py: Python<'_>, count: Option<usize>) -> PyResult<Vec<EncodedTrial>> {
        self.with(py, |study| {
            let trials = study.replicate(count.unwrap_or(self.config.batch))?;
            Ok(encode_trials(&study.config().space, &trials))
        })
    }

    /// Tells outcomes; returns how many are new.
    fn tell(&self, py: Python<'_>, outcomes: Vec<EncodedOutcome>) -> PyResult<usize> {
        let outcomes = numbered(outcomes);
        self.at_once(py, |study| study.tell(&outcomes))
    }

    /// Corrects outcomes; returns what changed, or would change.
    fn amend(
        &self,
        py: Python<'_>,
        outcomes: Vec<EncodedOutcome>,
        reason: String,
        by: String,
        dry_run: bool,
    ) -> PyResult<Vec<EncodedChange>> {
        self.correct(py, Correction::Amend(numbered(outcomes)), Note::new(reason, by), dry_run)
    }

    /// Withdraws trials, all of which nothing was observed if there are no numbers; returns what changed, or would change.
    fn discard(
        &self,
        py: Python<'_>,
        trials: Option<Vec<u64>>,
        reason: String,
        by: String,
        dry_run: bool,
    ) -> PyResult<Vec<EncodedChange>> {
        let correction = trials.map_or(Correction::DiscardPending, Correction::Discard);
        self.correct(py, correction, Note::new(reason, by), dry_run)
    }

    /// Makes outputs of trials pending, those that failed if there are no numbers; returns what changed, or would change.
    fn retry(
        &self,
        py: Python<'_>,
        trials: Option<Vec<u64>>,
        output: Option<usize>,
        reason: String,
        by: String,
        dry_run: bool,
    ) -> PyResult<Vec<EncodedChange>> {
        let correction = trials.map_or(Correction::RetryFailed, |trials| Correction::Retry { trials, output });
        self.correct(py, correction, Note::new(reason, by), dry_run)
    }

    /// Points that the next asks begin with; returns how many are waiting.
    fn enqueue(&self, py: Python<'_>, points: Points, reason: String, by: String) -> PyResult<usize> {
        let note = Note::new(reason, by);
        self.at_once(py, |study| study.enqueue(&points.into_values(), &note))
    }

    /// All corrections, trial by trial.
    fn history(&self, py: Python<'_>) -> PyResult<Vec<EncodedChange>> {
        let outputs = self.config.outputs.len();
        self.at_once(py, |study| {
            study.refresh()?;
            let records = study.history().records().iter();
            let changes = |record: &Record| {
                let of_revision = |revision| encode_revision(record.trial.id, revision, outputs);
                record.revisions.iter().flat_map(of_revision).collect::<Vec<_>>()
            };
            Ok(records.flat_map(changes).collect())
        })
    }

    /// Adds points with their outcomes, if anything is known; returns the number of the first trial.
    fn add(&self, py: Python<'_>, points: Points, outcomes: Vec<EncodedOutcome>) -> PyResult<u64> {
        let one = |encoded| Some(outcome(encoded)).filter(|outcome| !outcome.is_pending());
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

    /// Numbers of trials by what is known of them.
    fn counts(&self, py: Python<'_>) -> PyResult<Json> {
        self.at_once(py, |study| study.refresh().and_then(|()| json(&study.counts())))
    }

    /// Best feasible outcome of the only objective, if there is one.
    fn best_observed(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.at_once(py, |study| Ok(study.best_observation().map(|best| best.value)))
    }

    /// Records of the trials from a number on.
    fn records_from(&self, py: Python<'_>, first: u64) -> PyResult<Vec<EncodedRecord>> {
        self.at_once(py, |study| {
            study.refresh()?;
            let (space, records) = (&study.config().space, study.history().records());
            let records = records.iter().skip(first.saturating_sub(1) as usize);
            Ok(records.map(|record| encode_record(space, record)).collect())
        })
    }

    /// Records of the trials with these numbers.
    fn records(&self, py: Python<'_>, numbers: Vec<u64>) -> PyResult<Vec<EncodedRecord>> {
        self.at_once(py, |study| {
            study.refresh()?;
            let (space, records) = (&study.config().space, study.history().records());
            let find = |(index, &trial): (usize, &u64)| {
                let found = (trial as usize).checked_sub(1).and_then(|place| records.get(place));
                found.map(|record| encode_record(space, record)).ok_or(Error::UnknownTrial {
                    index,
                    trial,
                    trials: records.len() as u64,
                })
            };
            numbers.iter().enumerate().map(find).collect()
        })
    }

    /// Whether values, one per output, satisfy all constraints.
    fn is_feasible(&self, values: Vec<f64>) -> bool {
        self.config.is_feasible(&values)
    }

    /// The best trials by posterior mean and by outcome.
    fn best(&self, py: Python<'_>) -> PyResult<Json> {
        self.with(py, |study| {
            if study.config().outputs.iter().filter(|output| output.goal.is_objective()).count() != 1 {
                return Err(unsupported("the best of a study without a single objective", "use fronts()"));
            }
            match study.best()? {
                Some(best) => json(&best),
                None if study.counts().observed == 0 => {
                    Err(Error::Empty { what: "the list of outcomes that were observed".into() })
                }
                None => Err(unsupported(
                    "no trial has all of its outputs and satisfies all constraints",
                    "to_dataframe() shows how far they are; ask for more trials, or loosen a constraint",
                )),
            }
        })
    }

    /// Pareto fronts.
    fn fronts(&self, py: Python<'_>) -> PyResult<Json> {
        self.with(py, |study| json(&study.fronts()?))
    }

    /// Posterior of an output.
    fn posterior(&self, py: Python<'_>, output: usize) -> PyResult<Posterior> {
        let (model, units) = self.with(py, |study| Ok((study.posterior(output)?, study.hyperparameters(output)?.1)))?;
        let sign = if self.config.outputs[output].goal == Goal::Minimize { -1.0 } else { 1.0 };
        let frame = Frame::of_study(self.config.space.clone(), units, sign);
        Ok(Posterior { model, frame: Arc::new(frame) })
    }

    /// Means and variances of an output without noise; of a class, the probability of yes and the label's variance.
    fn predict(&self, py: Python<'_>, output: usize, points: Points) -> PyResult<[Vector; 2]> {
        let found = self.with(py, |study| study.predict(output, &points.into_values()))?;
        Ok(columns(found.mean.iter().zip(&found.variance).map(|(mean, variance)| [*mean, *variance])))
    }

    /// Means of an output without noise, and bounds of central 95 % intervals.
    fn predict_interval(&self, py: Python<'_>, output: usize, points: Points) -> PyResult<[Vector; 3]> {
        let predictions = self.with(py, |study| study.predict_interval(output, &points.into_values()))?;
        Ok(columns(predictions.iter().map(|at| [at.mean, at.interval.0, at.interval.1])))
    }

    /// Outcomes of an output, and their leave-one-out means and bounds of central 95 % intervals, noise included.
    fn leave_one_out(&self, py: Python<'_>, output: usize) -> PyResult<[Vector; 4]> {
        let found = self.with(py, |study| {
            study.refresh()?;
            let trials: Vec<u64> = (1..=study.history().records().len() as u64).collect();
            study.leave_one_out(output, &trials)
        })?;
        Ok(columns(found.iter().map(|LeaveOneOut { observed, predict_interval: at, .. }| {
            [*observed, at.mean, at.interval.0, at.interval.1]
        })))
    }

    /// Hyperparameters of an output, in the model's units.
    fn hyperparameters(&self, py: Python<'_>, output: usize) -> PyResult<Json> {
        self.with(py, |study| json(&study.hyperparameters(output)?.0))
    }

    /// Importance of each input for an output.
    fn importance(&self, py: Python<'_>, output: usize) -> PyResult<Vec<f64>> {
        self.with(py, |study| study.importance(output))
    }

    /// Inducing points of an output's model, unless it is exact.
    fn inducing_points(&self, py: Python<'_>, output: usize) -> PyResult<Option<Vec<Vec<Cell>>>> {
        let points = self.with(py, |study| study.inducing_points(output))?;
        Ok(points.map(|points| points.iter().map(|point| cells(point)).collect()))
    }

    /// Report of every ask.
    fn reports(&self, py: Python<'_>) -> PyResult<Json> {
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
        let (config, configurations) = (inner.config().clone(), inner.history().configurations());
        let process = AtomicU32::new(std::process::id());
        Study { inner: Mutex::new(Some(inner)), config, configurations, path, quality, process }
    }

    /// A long call, which Ctrl-C ends.
    pub fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> Result<T> + Send) -> PyResult<T> {
        self.check_process(py)?;
        let raised = || self.quality.as_ref().and_then(PythonQuality::take_raised);
        raised();
        heavy_with(py, &self.inner, |inner| self.checked(opened(inner)?, work))
            .map_err(|error| raised().unwrap_or(error))
    }

    fn correct(
        &self,
        py: Python<'_>,
        correction: Correction,
        note: Note,
        dry_run: bool,
    ) -> PyResult<Vec<EncodedChange>> {
        let changes =
            self.at_once(
                py,
                |study| {
                    if dry_run { study.preview(&correction) } else { study.correct(&correction, &note) }
                },
            )?;
        let outputs = self.config.outputs.len();
        let encode = |Change { trial, before, after }| {
            encode_revision(trial, &Revision { before, after, note: note.clone() }, outputs)
        };
        Ok(changes.into_iter().flat_map(encode).collect())
    }

    /// A short call.
    fn at_once<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Inner) -> Result<T> + Send) -> PyResult<T> {
        self.check_process(py)?;
        light_with(py, &self.inner, |inner| self.checked(opened(inner)?, work))
    }

    /// Does some work; refuses its result if another process has changed the inputs or outputs, whose names this object has.
    fn checked<T>(&self, study: &mut Inner, work: impl FnOnce(&mut Inner) -> Result<T>) -> Result<T> {
        let done = work(study)?;
        let (now, then) = (study.config(), &self.config);
        let is_same = || now.space == then.space && now.outputs == then.outputs;
        if study.history().configurations() > self.configurations && !is_same() {
            let what = "another process has changed the inputs or outputs of the study";
            return Err(unsupported(what, "open it again"));
        }
        Ok(done)
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

/// Outcomes with the numbers of their trials.
fn numbered(outcomes: Vec<EncodedOutcome>) -> Vec<(u64, Outcome)> {
    outcomes.into_iter().map(|encoded| (encoded.0, outcome(encoded))).collect()
}

/// Columns of rows.
fn columns<const N: usize>(rows: impl Iterator<Item = [f64; N]> + Clone) -> [Vector; N] {
    std::array::from_fn(|k| Vector(rows.clone().map(|row| row[k]).collect()))
}

fn opened(inner: &mut Option<Inner>) -> Result<&mut Inner> {
    inner.as_mut().ok_or_else(|| unsupported("a study that is closed", "open it again"))
}
