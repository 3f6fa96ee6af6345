//! Calls without the interpreter's lock, ended by Ctrl-C.
//!
//! Only the interpreter's main thread runs the handlers of signals, so it must not be the one that computes: a long call works
//! in a thread of its own while the calling one listens. In a process that was forked the library's threads are not there
//! any more: it gets others.

use crate::errors::exception;
use pyo3::prelude::*;
use rayon::ThreadPool;
use spargo::interrupt::{self, Flag};
use spargo::{Error, Result};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

/// How often the interpreter is asked whether a signal has come.
const SIGNALS: Duration = Duration::from_millis(20);

/// A long call: it ends within moments of a signal whose handler raises, such as Ctrl-C.
pub fn heavy<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let ended = py.detach(|| listening(work));
    conclude(py, ended)
}

/// A long call with something that is locked meanwhile.
pub fn heavy_with<S: Send, T: Send>(
    py: Python<'_>,
    shared: &Mutex<S>,
    work: impl FnOnce(&mut S) -> Result<T> + Send,
) -> PyResult<T> {
    let ended = py.detach(|| {
        let mut guard = lock(shared)?;
        let shared: &mut S = &mut guard;
        listening(move || work(shared))
    });
    conclude(py, ended)
}

/// A call that takes a moment, with something that is locked meanwhile.
pub fn light_with<S: Send, T: Send>(
    py: Python<'_>,
    shared: &Mutex<S>,
    work: impl FnOnce(&mut S) -> Result<T> + Send,
) -> PyResult<T> {
    let ended = py.detach(|| Ok(lock(shared).map(|mut guard| work(&mut guard))?));
    conclude(py, ended)
}

/// What a call came to: the exception of a signal's handler, or its own result.
type Ended<T> = std::result::Result<Result<T>, PyErr>;

fn conclude<T>(py: Python<'_>, ended: Ended<T>) -> PyResult<T> {
    ended?.map_err(|error| exception(py, &error))
}

/// Works in another thread, listens in this one.
fn listening<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Ended<T> {
    let flag = &Flag::new();
    std::thread::scope(|scope| {
        let (done, ended) = channel();
        let worker = scope.spawn(move || {
            let result = match own_threads() {
                None => interrupt::until(flag, work),
                Some(pool) => pool.install(|| interrupt::until(flag, work)),
            };
            // The receiver outlives this thread; if it panics, the channel is closed without a word.
            let _ = done.send(());
            result
        });
        let mut signal = None;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(SIGNALS) {
            if signal.is_none()
                && let Err(error) = Python::attach(|py| py.check_signals())
            {
                flag.raise();
                signal = Some(error);
            }
        }
        let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match signal {
            Some(error) => Err(error),
            None => Ok(result),
        }
    })
}

/// Waits for a lock without deafness to signals.
fn lock<T>(mutex: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    let mut rounds = 0u32;
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
        rounds += 1;
        if rounds % 20 == 0 {
            Python::attach(|py| py.check_signals())?;
        }
    }
}

/// The threads of a process that was forked from the one in which the package was imported: a fork copies none.
fn own_threads() -> Option<&'static ThreadPool> {
    static POOLS: Mutex<Vec<(u32, &'static ThreadPool)>> = Mutex::new(Vec::new());
    let process = std::process::id();
    if process == *IMPORTED.get_or_init(std::process::id) {
        return None;
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = pools.iter().find(|(of, _)| *of == process) {
        return Some(pool);
    }
    // One a process, for as long as it lives.
    let pool: &'static ThreadPool = Box::leak(Box::new(rayon::ThreadPoolBuilder::new().build().ok()?));
    pools.push((process, pool));
    Some(pool)
}

/// The process that imported the package.
static IMPORTED: OnceLock<u32> = OnceLock::new();

/// To be called at import.
pub fn remember_process() {
    IMPORTED.get_or_init(std::process::id);
}

/// A refusal of the binding's own.
pub fn unsupported(what: impl Into<String>, remedy: impl Into<String>) -> Error {
    Error::Unsupported { what: what.into(), remedy: remedy.into() }
}
