//! The loop: ask, tell, and what a study knows. Settings, reports and findings travel as the JSON of the library's own
//! structs; points and arrays as they are.

use crate::arrays::Vector;
use crate::errors::exception;
use crate::frame::Frame;
use crate::heavy::{heavy, unsupported};
use crate::posterior::Posterior;
use crate::quality::PythonQuality;
use crate::reconfigure::Changes;
use crate::records::{
    EncodedAnywhere, EncodedCandidate, EncodedChange, EncodedInput, EncodedOutcome, EncodedRecord, EncodedTable,
    EncodedTrial, EncodedUnit, Labels, check_rows, column_units, dimensions, encode_anywhere, encode_change,
    encode_record, encode_trials, identify, outcome, space,
};
use crate::session::Session;
use crate::settings::{Json, json, read};
use crate::values::{Cell, Points, cells, value};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spargo::space::Point;
use spargo::study::{
    Change, Config, Correction, Goal, HistoryEntry, LeaveOneOut, Note, Outcome, Record, Refit, Revision, Study as Inner,
};
use spargo::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// A study.
#[pyclass(frozen, module = "spargo._spargo")]
pub struct Study {
    pub session: Session,
}

#[pymethods]
impl Study {
    /// A study with these settings, in memory, or in a file that is created unless it exists.
    ///
    /// The space has these inputs, or those of `candidates`, the names of the columns and the rows of a table; `labels` are columns
    /// that travel with its rows, and `constraints` those among inputs as JSON.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "one per part of a study")]
    fn begin(
        py: Python<'_>,
        config: &str,
        inputs: Vec<EncodedInput<'_>>,
        candidates: Option<EncodedTable>,
        labels: Labels,
        constraints: &str,
        path: Option<PathBuf>,
        quality: Option<PythonQuality>,
    ) -> PyResult<Self> {
        let inputs = dimensions(inputs)?;
        let inner = heavy(py, || {
            let mut config: Config = read(config, "help(spargo.Study) lists the settings")?;
            let constraints = read(constraints, "help(spargo.Study) describes input_constraints")?;
            config.space = space(inputs, candidates, labels, constraints)?;
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
        Ok(PyBytes::new(py, &self.session.at_once(py, Inner::to_bytes)?))
    }

    /// A study in memory from the bytes of another one.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], quality: Option<PythonQuality>) -> PyResult<Self> {
        Ok(Study::new(heavy(py, || Inner::from_bytes(bytes))?, None, quality))
    }

    /// File of the study, if it has one.
    fn path(&self) -> Option<PathBuf> {
        self.session.path.clone()
    }

    /// All settings.
    fn config(&self, py: Python<'_>) -> PyResult<Json> {
        json(&*self.session.config()).map_err(|error| exception(py, &error))
    }

    /// Number of points of the space, if it is finite.
    fn size(&self) -> Option<u64> {
        self.session.config().space.size()
    }

    /// Closes the file.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.session.close(py)
    }

    /// Whether the study is closed.
    fn closed(&self, py: Python<'_>) -> PyResult<bool> {
        self.session.is_closed(py)
    }

    /// Numbers and points of new trials, with these inputs at these values; models are fitted again once `refit_every` outcomes are new.
    fn ask(
        &self,
        py: Python<'_>,
        count: Option<usize>,
        refit_every: u64,
        fixed: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Vec<EncodedTrial>> {
        let fixed = fixed.into_iter().map(|(name, one)| Ok((name, value(&one)?))).collect::<PyResult<Vec<_>>>()?;
        self.session.with(py, |study| {
            study.refresh()?;
            let refit = Refit::Every(refit_every);
            let trials = match count {
                _ if !fixed.is_empty() => {
                    study.ask_fixed(count.unwrap_or_else(|| study.default_count()), &fixed, refit)
                }
                Some(count) => study.ask_with(count, refit),
                None => study.ask_by_default(refit),
            };
            Ok(encode_trials(&study.config().space, &trials?))
        })
    }

    /// Numbers and points of trials that re-evaluate the likely winners; by default as many as a batch has.
    fn replicate(&self, py: Python<'_>, count: Option<usize>) -> PyResult<Vec<EncodedTrial>> {
        self.session.with(py, |study| {
            let trials = study.replicate(count.unwrap_or(study.config().batch))?;
            Ok(encode_trials(&study.config().space, &trials))
        })
    }

    /// Names of the columns of a table without the units of inputs and outputs, and the units that are new to the study.
    fn read_headers(&self, py: Python<'_>, headers: Vec<String>) -> PyResult<(Vec<String>, Vec<EncodedUnit>)> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            let (names, units) = study.read_headers(&headers, "a table in Python")?;
            Ok((names, units.into_iter().map(|unit| (unit.column, unit.unit, unit.source)).collect()))
        })
    }

    /// Tells outcomes, and keeps units of columns; returns how many are new.
    #[pyo3(signature = (outcomes, units=Vec::new()))]
    fn tell(&self, py: Python<'_>, outcomes: Vec<EncodedOutcome>, units: Vec<EncodedUnit>) -> PyResult<usize> {
        let (outcomes, units) = (numbered(outcomes), column_units(units));
        self.session.at_once(py, |study| {
            let told = study.tell_table(&outcomes, &[], &[], &units);
            told.map(|(new, _)| new).map_err(|refused| refused.error)
        })
    }

    /// Refuses rows of a table whose inputs or labels are not those of the trials they name.
    ///
    /// `points` has the values of the inputs with these names, and `candidates` the texts of labels, `None` where they are not known.
    fn check_rows(
        &self,
        py: Python<'_>,
        trials: Vec<u64>,
        names: Vec<String>,
        points: Points,
        candidates: Vec<EncodedCandidate>,
    ) -> PyResult<()> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            check_rows(study, &trials, &names, &points.into_values(), &candidates)
        })
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
    ///
    /// `points` has the values of the inputs with these names; `candidates` has, for each point, the row of the table of
    /// candidates, or the texts of its labels, as far as they are known.
    fn enqueue(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        points: Points,
        candidates: Vec<EncodedCandidate>,
        reason: String,
        by: String,
    ) -> PyResult<usize> {
        let note = Note::new(reason, by);
        self.session.at_once(py, |study| {
            let (points, rows) = identify(&study.config().space, &names, points.into_values(), &candidates)?;
            study.enqueue_candidates(&points, &rows, &note)
        })
    }

    /// Changes settings, the candidates or some of the inputs; returns what differs.
    #[expect(clippy::too_many_arguments, reason = "one per keyword of Python's")]
    fn configure(
        &self,
        py: Python<'_>,
        settings: String,
        inputs: Vec<EncodedInput<'_>>,
        candidates: Option<EncodedTable>,
        labels: Labels,
        quality: Option<PythonQuality>,
        reason: String,
        by: String,
    ) -> PyResult<Vec<EncodedChange>> {
        let inputs = dimensions(inputs)?;
        let note = Note::new(reason, by);
        self.session.configure(py, quality.clone(), |study| {
            let changes = match candidates {
                None => Changes { settings, inputs, candidates: None, quality },
                Some(table) => {
                    let candidates = Some(space(inputs, Some(table), labels, Vec::new())?);
                    Changes { settings, inputs: Vec::new(), candidates, quality }
                }
            };
            Ok(changes.apply(study, &note)?.into_iter().map(encode_change).collect())
        })
    }

    /// Number of settings that the study has had, as of the last call.
    fn configurations(&self) -> usize {
        self.session.configurations()
    }

    /// Corrections, changes of settings and enqueued points, in the order of time.
    fn history(&self, py: Python<'_>) -> PyResult<Vec<EncodedChange>> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            Ok(study.changes()?.into_iter().map(encode_change).collect())
        })
    }

    /// Adds points with their outcomes, if anything is known, and keeps units of columns; returns the number of the first trial.
    ///
    /// For each point, `candidates` has the row of the table of candidates, or the texts of its labels, as far as they are known.
    fn add(
        &self,
        py: Python<'_>,
        points: Points,
        outcomes: Vec<EncodedOutcome>,
        candidates: Vec<EncodedCandidate>,
        units: Vec<EncodedUnit>,
    ) -> PyResult<u64> {
        let units = column_units(units);
        let one = |encoded| Some(outcome(encoded)).filter(|outcome| !outcome.is_pending());
        self.session.at_once(py, |study| {
            let points = points.into_values();
            if points.len() != outcomes.len() {
                let what = "the list of outcomes".into();
                return Err(Error::Shape { what, found: outcomes.len(), expected: points.len() });
            }
            let space = &study.config().space;
            let row = |(point, (row, labels)): (&Point, &EncodedCandidate)| {
                let labels: Vec<_> = labels.iter().map(Option::as_deref).collect();
                row.map_or_else(|| space.row_with(point, &labels), |row| Ok(Some(row)))
            };
            let rows = points.iter().zip(&candidates).map(row).collect::<Result<Vec<_>>>()?;
            let points: Vec<_> = points.into_iter().zip(outcomes.into_iter().map(one)).collect();
            study.tell_table(&[], &points, &rows, &units).map_err(|refused| refused.error)?;
            Ok((study.history().records().len() - points.len()) as u64 + 1)
        })
    }

    /// Reads what other processes have written.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        self.session.at_once(py, Inner::refresh)
    }

    /// Numbers of trials by what is known of them.
    fn counts(&self, py: Python<'_>) -> PyResult<Json> {
        self.session.at_once(py, |study| study.refresh().and_then(|()| json(&study.counts())))
    }

    /// Warnings about outcomes, each with what tells it from others as it grows.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            Ok(study.warnings().iter().map(|warning| (warning.key(), warning.to_string())).collect())
        })
    }

    /// Best feasible outcome of the only objective, if there is one.
    fn best_observed(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.session.at_once(py, |study| Ok(study.best_observation().map(|best| best.value)))
    }

    /// Records of the trials from a number on.
    fn records_from(&self, py: Python<'_>, first: u64) -> PyResult<Vec<EncodedRecord>> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            let (space, records) = (&study.config().space, study.history().records());
            let records = records.iter().skip(first.saturating_sub(1) as usize);
            Ok(records.map(|record| encode_record(space, record)).collect())
        })
    }

    /// Records of the trials of which something is still to come.
    fn pending_records(&self, py: Python<'_>) -> PyResult<Vec<EncodedRecord>> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            let (space, records) = (&study.config().space, study.history().records().iter());
            Ok(records.filter(|record| record.is_pending()).map(|record| encode_record(space, record)).collect())
        })
    }

    /// Numbers of the trials of which an output could not be measured.
    fn failed(&self, py: Python<'_>, output: usize) -> PyResult<Vec<u64>> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            let failed = |record: &&Record| {
                !record.is_discarded && record.told.get(output).is_some_and(|told| told.measurement.failure().is_some())
            };
            Ok(study.history().records().iter().filter(failed).map(|record| record.trial.id).collect())
        })
    }

    /// Records of the trials with these numbers.
    fn records(&self, py: Python<'_>, numbers: Vec<u64>) -> PyResult<Vec<EncodedRecord>> {
        self.session.at_once(py, |study| {
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
        self.session.config().is_feasible(&values)
    }

    /// The recommended trial, and the best one by its outcome.
    fn best(&self, py: Python<'_>) -> PyResult<Json> {
        self.session.with(py, |study| {
            check_single_objective(study)?;
            study.best()?.map_or_else(|| Err(no_best(study)), |best| json(&best))
        })
    }

    /// The model's optimum, evaluated or not.
    fn best_anywhere(&self, py: Python<'_>) -> PyResult<EncodedAnywhere> {
        self.session.with(py, |study| {
            check_single_objective(study)?;
            let found = study.best_anywhere()?.ok_or_else(|| no_best(study))?;
            Ok(encode_anywhere(&study.config().space, &found))
        })
    }

    /// Pareto fronts.
    fn fronts(&self, py: Python<'_>) -> PyResult<Json> {
        self.session.with(py, |study| json(&study.fronts()?))
    }

    /// Posterior of an output.
    fn posterior(&self, py: Python<'_>, output: usize) -> PyResult<Posterior> {
        let (model, units) =
            self.session.with(py, |study| Ok((study.posterior(output)?, study.hyperparameters(output)?.1)))?;
        let config = self.session.config();
        let sign = if config.outputs[output].goal == Goal::Minimize { -1.0 } else { 1.0 };
        let frame = Frame::of_study(config.space.clone(), units, sign);
        Ok(Posterior { model, frame: Arc::new(frame) })
    }

    /// Means and variances of an output without noise; of a class, the probability of yes and the label's variance.
    fn predict(&self, py: Python<'_>, output: usize, points: Points) -> PyResult<[Vector; 2]> {
        let found = self.session.with(py, |study| study.predict(output, &points.into_values()))?;
        Ok(columns(found.mean.iter().zip(&found.variance).map(|(mean, variance)| [*mean, *variance])))
    }

    /// Means of an output without noise, and bounds of central 95 % intervals.
    fn predict_interval(&self, py: Python<'_>, output: usize, points: Points) -> PyResult<[Vector; 3]> {
        let predictions = self.session.with(py, |study| study.predict_interval(output, &points.into_values()))?;
        Ok(columns(predictions.iter().map(|at| [at.mean, at.interval.0, at.interval.1])))
    }

    /// Outcomes of an output, and their leave-one-out means and bounds of central 95 % intervals, noise included.
    fn leave_one_out(&self, py: Python<'_>, output: usize) -> PyResult<[Vector; 4]> {
        let found = self.session.with(py, |study| {
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
        self.session.with(py, |study| json(&study.hyperparameters(output)?.0))
    }

    /// Importance of each input for an output.
    fn importance(&self, py: Python<'_>, output: usize) -> PyResult<Vec<f64>> {
        self.session.with(py, |study| study.importance(output))
    }

    /// Inducing points of an output's model, unless it is exact.
    fn inducing_points(&self, py: Python<'_>, output: usize) -> PyResult<Option<Vec<Vec<Cell>>>> {
        let points = self.session.with(py, |study| study.inducing_points(output))?;
        Ok(points.map(|points| points.iter().map(|point| cells(point)).collect()))
    }

    /// Reports of all asks but the first few.
    fn reports(&self, py: Python<'_>, known: usize) -> PyResult<Json> {
        self.session.at_once(py, |study| {
            study.refresh()?;
            json(&study.reports_after(known)?)
        })
    }

    /// The study as an HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        self.session.with(py, spargo_report::html)
    }
}

impl Study {
    fn new(inner: Inner, path: Option<PathBuf>, quality: Option<PythonQuality>) -> Self {
        Study { session: Session::new(inner, path, quality) }
    }

    fn correct(
        &self,
        py: Python<'_>,
        correction: Correction,
        note: Note,
        dry_run: bool,
    ) -> PyResult<Vec<EncodedChange>> {
        let change = |study: &mut Inner| {
            if dry_run { study.preview(&correction) } else { study.correct(&correction, &note) }
        };
        let changes = self.session.at_once(py, change)?;
        let config = self.session.config();
        let entries = |Change { trial, before, after }| {
            let outputs = config.outputs.iter().map(|output| output.name.as_str());
            HistoryEntry::of_revision(trial, &Revision { before, after, note: note.clone() }, outputs)
        };
        Ok(changes.into_iter().flat_map(entries).map(encode_change).collect())
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

/// Refuses a study in which nothing is the best.
fn check_single_objective(study: &Inner) -> Result<()> {
    if study.config().outputs.iter().filter(|output| output.goal.is_objective()).count() == 1 {
        return Ok(());
    }
    Err(unsupported("the best of a study without a single objective", "use fronts()"))
}

/// Why a study with a single objective has no best trial.
fn no_best(study: &Inner) -> Error {
    if study.counts().observed == 0 {
        return Error::Empty { what: "the list of outcomes that were observed".into() };
    }
    unsupported(
        "no trial has all of its outputs and satisfies all constraints",
        "to_dataframe() shows how far they are; ask for more trials, or loosen a constraint",
    )
}
