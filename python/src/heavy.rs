//! Calls without the interpreter's lock, ended by Ctrl-C.
//!
//! Only the interpreter's main thread runs the handlers of signals, so it must not be the one that computes: a long call works
//! in a pool of threads while the calling one checks signals. Concurrent calls have a pool each: a thread that waits for part of
//! its work may take up any other work of its pool, and that must not be another call. A forked process gets its own pools, as
//! a fork copies no threads.

use crate::errors::exception;
use pyo3::prelude::*;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use spargo::interrupt::{self, Flag};
use spargo::{Error, Result};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Period at which signals are checked.
const SIGNALS: Duration = Duration::from_millis(20);

/// A long call: it ends within moments of a signal whose handler raises, such as Ctrl-C.
pub fn heavy<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let ended = py.detach(|| listening(work));
    finish(py, ended)
}

/// A long call that holds a lock; it ends within moments of a signal whose handler raises.
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
    finish(py, ended)
}

/// A short call that holds a lock.
pub fn light_with<S: Send, T: Send>(
    py: Python<'_>,
    shared: &Mutex<S>,
    work: impl FnOnce(&mut S) -> Result<T> + Send,
) -> PyResult<T> {
    let ended = py.detach(|| lock(shared).map(|mut guard| work(&mut guard)));
    finish(py, ended)
}

/// The exception of a signal's handler, or the result of a call.
type Ended<T> = std::result::Result<Result<T>, PyErr>;

fn finish<T>(py: Python<'_>, ended: Ended<T>) -> PyResult<T> {
    ended?.map_err(|error| exception(py, &error))
}

/// Works in a pool, while this thread checks signals.
fn listening<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Ended<T> {
    let flag = &Flag::new();
    let pool = Lease::new();
    let (mut result, mut signal) = (None, None);
    pool.in_place_scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(|_| {
            // Closes the channel when the work is over, also by a panic, which the scope passes on.
            let _done = done;
            result = Some(interrupt::until(flag, work));
        });
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(SIGNALS) {
            if signal.is_none()
                && let Err(error) = Python::attach(|py| py.check_signals())
            {
                flag.raise();
                signal = Some(error);
            }
        }
    });
    match (signal, result) {
        (Some(error), _) => Err(error),
        (None, Some(result)) => Ok(result),
        (None, None) => Ok(Err(Error::Interrupted)),
    }
}

/// A pool of threads for one call.
struct Lease {
    pool: Option<ThreadPool>,
    process: u32,
}

/// Idle pools, and the process that has their threads.
static IDLE: Mutex<(u32, Vec<ThreadPool>)> = Mutex::new((0, Vec::new()));

impl Lease {
    fn new() -> Self {
        let process = std::process::id();
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.0 != process {
            // The threads of these pools exist in the parent process only, and cannot be joined here.
            std::mem::take(&mut idle.1).into_iter().for_each(std::mem::forget);
            idle.0 = process;
        }
        // If no pool can be built, the call works in the global one.
        let pool = idle.1.pop().or_else(|| ThreadPoolBuilder::new().build().ok());
        Lease { pool, process }
    }

    fn in_place_scope<'scope>(&self, work: impl FnOnce(&Scope<'scope>)) {
        match &self.pool {
            Some(pool) => pool.in_place_scope(work),
            None => rayon::in_place_scope(work),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.0 == self.process {
            idle.1.extend(self.pool.take());
        }
    }
}

/// Waits for a lock while checking signals.
fn lock<T>(mutex: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    let mut rounds = 0u32;
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
        rounds += 1;
        if rounds.is_multiple_of(20) {
            Python::attach(|py| py.check_signals())?;
        }
    }
}

/// An error of the bindings themselves.
pub fn unsupported(what: impl Into<String>, remedy: impl Into<String>) -> Error {
    Error::Unsupported { what: what.into(), remedy: remedy.into() }
}
