//! One error type for the whole library: fields say what was wrong, the message says what to do about it.

use thiserror::Error;

/// Everything that can be refused.
///
/// An optimizer that does not converge is not an error: that is a [`Stop`](crate::optim::Stop) in a report.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// Two arrays that must agree in size do not.
    #[error("{what} has {found} but {expected} is needed")]
    Shape {
        /// The array, in words.
        what: String,
        /// Its size.
        found: usize,
        /// The size it should have.
        expected: usize,
    },

    /// There is nothing to work on.
    #[error("{what} is empty: give at least one row")]
    Empty {
        /// The array, in words.
        what: String,
    },

    /// A NaN or an infinity among the data.
    #[error("{what} is not finite ({value}) at row {row}: remove the row or mark it as failed")]
    NonFinite {
        /// The array, in words.
        what: String,
        /// Row, counted from 0.
        row: usize,
        /// The offending number.
        value: f64,
    },

    /// A number outside the range that makes sense.
    #[error("{name} = {value} must be {must}")]
    Parameter {
        /// Its name.
        name: String,
        /// The value given.
        value: f64,
        /// The condition it violates, in words.
        must: String,
    },

    /// An input of a space whose description makes no sense.
    #[error("input '{name}': {problem}; {remedy}")]
    Input {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: String,
    },

    /// A value that an input cannot take.
    #[error("input '{input}' cannot be {value}: give {allowed}")]
    Value {
        /// The input's name.
        input: String,
        /// The value given.
        value: String,
        /// What it may be, in words.
        allowed: String,
    },

    /// A constraint among inputs that makes no sense.
    #[error("number {} of the input constraints: {error}", number + 1)]
    InputConstraint {
        /// Which one, counted from 0.
        number: usize,
        /// What is wrong with it.
        error: Box<Error>,
    },

    /// A row of a table of candidates that is refused.
    #[error("row {row} of the candidates: {error}")]
    Candidate {
        /// Row, counted from 0.
        row: usize,
        /// What is wrong with it.
        error: Box<Error>,
    },

    /// A matrix that stays indefinite at the top of the jitter ladder.
    #[error(
        "a {size}×{size} covariance matrix is not positive definite, even with {jitter:e} added to its diagonal; \
         check for extreme length scales or non-finite parameters"
    )]
    NotPositiveDefinite {
        /// Its number of rows.
        size: usize,
        /// The largest jitter tried.
        jitter: f64,
    },

    /// More new points were wanted than there are.
    #[error(
        "{wanted} new points are wanted, but only {left} are neither evaluated nor pending: ask for fewer, or allow \
         replicates"
    )]
    Exhausted {
        /// The number of points asked for.
        wanted: usize,
        /// The number of points left.
        left: usize,
    },

    /// A setting that cannot be combined with another, or with these data.
    #[error("{what}: {remedy}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// What to do instead.
        remedy: String,
    },

    /// An outcome of a trial that was withdrawn.
    #[error("trial {trial} was discarded: `amend` it with its outcome, or `retry` it")]
    Discarded {
        /// Which of the outcomes that were told, counted from 0.
        index: usize,
        /// The number of the trial.
        trial: u64,
    },

    /// A trial that already has another outcome.
    #[error("trial {trial} already has the outcome {told} (got {now}): `amend` it to correct it")]
    Retold {
        /// Which of the outcomes that were told, counted from 0.
        index: usize,
        /// The number of the trial.
        trial: u64,
        /// The outcome on record.
        told: String,
        /// The outcome that was refused.
        now: String,
    },

    /// A trial that the study does not have.
    #[error("there is no trial {trial}: the study has {trials}, counted from 1; tell other points without a number")]
    UnknownTrial {
        /// Which of the outcomes that were told, counted from 0.
        index: usize,
        /// The number given.
        trial: u64,
        /// The number of trials.
        trials: u64,
    },

    /// A row of a table with the number of a trial and the inputs or labels of another one.
    #[error(
        "trial {trial} was asked for at {asked}, not {found}: check that '{column}' and the numbers of the trials are in the right rows"
    )]
    OtherPoint {
        /// Which of the rows, counted from 0.
        index: usize,
        /// The number of the trial.
        trial: u64,
        /// The input or label that differs.
        column: String,
        /// What it is in the trial.
        asked: String,
        /// What it is in the row.
        found: String,
    },

    /// An outcome that has no logarithm, in a study that models those.
    #[error(
        "'{output}' = {value} in {of} has no logarithm: report the trial as failed, or make the study with \
         outcome-transform = \"asinh\""
    )]
    NoLogarithm {
        /// The trial or the row, in words.
        of: String,
        /// The name of the output.
        output: String,
        /// Its value.
        value: f64,
    },

    /// A study whose storage cannot be used.
    #[error("the study '{path}' {cause}; {remedy}")]
    Storage {
        /// The file, or another name of the storage.
        path: String,
        /// What is wrong with it, in words that follow its name.
        cause: String,
        /// What to do about it.
        remedy: String,
    },

    /// A study that was made with other settings.
    #[error(
        "the study in {path} has '{field}' = {before}, these settings have {after}: open it as it is and change it \
         (Python: `Study.open(path).configure(…)`, Rust: `Study::reconfigure`), or create another study"
    )]
    OtherSettings {
        /// The file, or another name of the storage.
        path: String,
        /// The first setting that differs, with the names of its tables: `space.inputs.temperature.real`.
        field: String,
        /// What it is in the study, as JSON, abbreviated; null if it is not set.
        before: String,
        /// What the caller has given, as JSON, abbreviated; null if it is not set.
        after: String,
    },

    /// The program around the library wanted a call to end (see [`interrupt`](crate::interrupt)).
    #[error("the call was interrupted; nothing changed")]
    Interrupted,
}

impl Error {
    /// A setting that cannot be combined with another, or with these data.
    pub fn unsupported(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::Unsupported { what: what.into(), remedy: remedy.into() }
    }

    /// A number outside the range that makes sense.
    pub fn parameter(name: impl Into<String>, value: f64, must: impl Into<String>) -> Self {
        Error::Parameter { name: name.into(), value, must: must.into() }
    }

    /// An input of a space whose description makes no sense.
    pub(crate) fn input(name: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::Input { name: name.into(), problem: problem.into(), remedy: remedy.into() }
    }
}

/// Shorthand for results of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// Refuses an array whose size is not the expected one.
pub(crate) fn check_length(what: impl Into<String>, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Shape { what: what.into(), found, expected }) }
}

/// Refuses a list with a NaN or an infinity.
pub(crate) fn check_finite(what: impl Into<String>, values: &[f64]) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(Error::NonFinite { what: what.into(), row, value: values[row] }),
        None => Ok(()),
    }
}
