//! An open study as one object of Python uses it: one call at a time, in one process, with inputs and outputs whose names it knows.

use crate::errors::exception;
use crate::heavy::{heavy_with, light_with, unsupported};
use crate::quality::PythonQuality;
use pyo3::prelude::*;
use spargo::Result;
use spargo::study::{Config, Study};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A study, used by one call at a time.
pub struct Session {
    /// The study; `None` once it is closed.
    study: Mutex<Option<Study>>,
    /// The settings as of the last call.
    seen: Mutex<Seen>,
    pub path: Option<PathBuf>,
    quality: Mutex<Option<PythonQuality>>,
    /// Id of the process that uses the study.
    process: AtomicU32,
}

/// Settings, and the number of those that the study had had by then.
struct Seen {
    config: Arc<Config>,
    configurations: usize,
}

impl Seen {
    fn of(study: &Study) -> Self {
        Seen { config: Arc::new(study.config().clone()), configurations: study.history().configurations() }
    }
}

impl Session {
    pub fn new(mut study: Study, path: Option<PathBuf>, quality: Option<PythonQuality>) -> Self {
        if let Some(quality) = &quality {
            study = study.with_extensions(&quality.extensions());
        }
        let seen = Mutex::new(Seen::of(&study));
        let process = AtomicU32::new(std::process::id());
        Session { study: Mutex::new(Some(study)), seen, path, quality: Mutex::new(quality), process }
    }

    /// The settings as of the last call.
    pub fn config(&self) -> Arc<Config> {
        self.seen().config.clone()
    }

    /// Number of settings that the study has had, as of the last call.
    pub fn configurations(&self) -> usize {
        self.seen().configurations
    }

    /// Closes the file.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        light_with(py, &self.study, |study| {
            *study = None;
            Ok(())
        })
    }

    /// Whether the study is closed.
    pub fn is_closed(&self, py: Python<'_>) -> PyResult<bool> {
        light_with(py, &self.study, |study| Ok(study.is_none()))
    }

    /// A long call, which Ctrl-C ends.
    pub fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Study) -> Result<T> + Send) -> PyResult<T> {
        self.check_process(py)?;
        let raised = || self.quality().as_ref().and_then(PythonQuality::take_raised);
        raised();
        heavy_with(py, &self.study, |study| self.checked(opened(study)?, work))
            .map_err(|error| raised().unwrap_or(error))
    }

    /// A short call.
    pub fn at_once<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Study) -> Result<T> + Send) -> PyResult<T> {
        self.check_process(py)?;
        light_with(py, &self.study, |study| self.checked(opened(study)?, work))
    }

    /// A short call that changes the settings, names of inputs and outputs and the quality among them.
    pub fn configure<T: Send>(
        &self,
        py: Python<'_>,
        quality: Option<PythonQuality>,
        work: impl FnOnce(&mut Study) -> Result<T> + Send,
    ) -> PyResult<T> {
        // Another process's change of names is refused before this one's.
        self.at_once(py, Study::refresh)?;
        light_with(py, &self.study, |study| {
            if let (Some(quality), Some(_)) = (&quality, &self.path) {
                quality.check_name()?;
            }
            let study = opened(study)?;
            let done = work(study)?;
            *self.seen() = Seen::of(study);
            if quality.is_some() {
                *self.quality() = quality;
            }
            Ok(done)
        })
    }

    /// Does some work; refuses its result if another process has changed the inputs or outputs, whose names this object has.
    fn checked<T>(&self, study: &mut Study, work: impl FnOnce(&mut Study) -> Result<T>) -> Result<T> {
        let done = work(study)?;
        let mut seen = self.seen();
        if study.history().configurations() > seen.configurations {
            let (now, then) = (study.config(), &seen.config);
            if now.space != then.space || now.outputs != then.outputs {
                let what = "another process has changed the inputs or outputs of the study";
                return Err(unsupported(what, "open it again"));
            }
            *seen = Seen::of(study);
        }
        Ok(done)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn quality(&self) -> MutexGuard<'_, Option<PythonQuality>> {
        self.quality.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a study that a fork has broken: a fork copies neither a file's connection nor the thread that holds the lock.
    fn check_process(&self, py: Python<'_>) -> PyResult<()> {
        let here = std::process::id();
        if self.process.load(Ordering::Relaxed) == here {
            return Ok(());
        }
        if self.path.is_some() || matches!(self.study.try_lock(), Err(TryLockError::WouldBlock)) {
            let what = "a study that was in use or had a file when the process was forked";
            return Err(exception(py, &unsupported(what, "open its file in this process, or copy it before")));
        }
        self.process.store(here, Ordering::Relaxed);
        Ok(())
    }
}

fn opened(study: &mut Option<Study>) -> Result<&mut Study> {
    study.as_mut().ok_or_else(|| unsupported("a study that is closed", "open it again"))
}

/// The name of the network file system that a file is on, if it is on one.
#[pyfunction]
pub fn network_file_system(path: PathBuf) -> Option<&'static str> {
    spargo::study::network_file_system(&path)
}
