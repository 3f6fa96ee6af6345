//! Threads that fit the next models and draw points ahead, while workers evaluate and outcomes are told.
//!
//! ```text
//!     outcomes ─▶ fit ─▶ draw ─▶ ready        beside     ready ─▶ ask ─▶ evaluate ─▶ tell
//!                        draw ─▶ ready        by the last models, if few are left before the next are fitted
//! ```
//!
//! They share nothing with the asking thread but the store, as other processes would.

use super::ask::Prepared;
use super::storage::Work;
use super::{Refit, Study};
use crate::error::{Error, Result};
use crate::interrupt::{self, Flag};
use rayon::ThreadPoolBuilder;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Pauses between two looks at the store, for what other processes have told: longer and longer ones, if that is nothing.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Points that are ready after a fit: at least the first number, at most the second.
const READY: (usize, usize) = (32, 2000);

/// Points that are ready where a rule chooses one after the other.
const FEW: usize = 8;

/// Points that are drawn between fits at most: asks may wait for all of them.
const REFILL: usize = 200;

/// Fits models and draws points in threads of its own, until it is dropped.
#[derive(Debug)]
pub struct BackgroundFitter {
    flag: Flag,
    threads: Vec<Thread>,
    /// Whether the last fit gave no models.
    is_stuck: Arc<AtomicBool>,
}

/// A thread that works whenever there is news.
#[derive(Debug)]
struct Thread {
    news: SyncSender<()>,
    handle: JoinHandle<Result<()>>,
}

impl BackgroundFitter {
    /// Begins to fit the models of a study when the last ones have missed this many outcomes, and to draw points by them; `None`
    /// if its storage cannot be used by several threads.
    pub fn start(study: &Study, refit_every: u64) -> Result<Option<Self>> {
        let (flag, is_stuck) = (Flag::new(), Arc::new(AtomicBool::new(false)));
        let mut fitter = BackgroundFitter { flag, threads: Vec::new(), is_stuck };
        // A fit takes longer than what is ready may last: another thread draws meanwhile.
        for task in [Work::Fit, Work::Draw] {
            let Some(study) = study.another()? else { return Ok(None) };
            // What was asked for before the run says nothing about it.
            let (refit, trials) = (Refit::Every(refit_every), study.history().records().len());
            let is_stuck = fitter.is_stuck.clone();
            let worker = Worker { study, task, refit, ready: READY.0, trials, not_before: 0, is_stuck };
            fitter.threads.push(Thread::start(worker, fitter.flag.clone())?);
        }
        Ok(Some(fitter))
    }

    /// Says that something was told or asked for.
    pub fn wake(&self) {
        // One that is full says so already; what has ended a thread is said by `finish`.
        for thread in &self.threads {
            let _ = thread.news.try_send(());
        }
    }

    /// Whether a thread has ended by itself, with an error: then asks must fit.
    pub fn is_over(&self) -> bool {
        self.threads.iter().any(|thread| thread.handle.is_finished())
    }

    /// Whether the last fit gave no models: then an ask must fit, and say why that cannot be done.
    pub fn is_stuck(&self) -> bool {
        self.is_stuck.load(Ordering::Relaxed)
    }

    /// Ends the threads; says what ended one before.
    pub fn finish(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        self.flag.raise();
        let ended = self.threads.drain(..).map(Thread::join).collect::<Vec<_>>();
        ended.into_iter().collect()
    }
}

impl Drop for BackgroundFitter {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Thread {
    fn start(mut worker: Worker, end: Flag) -> Result<Self> {
        let (news, wake) = sync_channel(1);
        let name = if worker.task == Work::Fit { "spargo-fit" } else { "spargo-draw" };
        // As many threads as the caller has; if there can be no others, the work is done in those that all share.
        let pool = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok();
        let mut work = move || interrupt::until(&end, || worker.work());
        let work = move || {
            let mut pause = PAUSES.0;
            loop {
                let worked = if let Some(pool) = &pool { pool.install(&mut work) } else { work() };
                match worked {
                    Err(Error::Interrupted) => return Ok(()),
                    Err(error) => return Err(error),
                    Ok(true) => pause = PAUSES.0,
                    Ok(false) => {
                        pause = match wake.recv_timeout(pause) {
                            Err(RecvTimeoutError::Disconnected) => return Ok(()),
                            Err(RecvTimeoutError::Timeout) => PAUSES.1.min(2 * pause),
                            Ok(()) => PAUSES.0,
                        }
                    }
                }
            }
        };
        let handle = std::thread::Builder::new().name(name.into()).spawn(work).map_err(|error| {
            let remedy = "allow for more threads, or run in batches";
            Error::unsupported(format!("cannot start a thread that fits models ({error})"), remedy)
        })?;
        Ok(Thread { news, handle })
    }

    /// Waits for the end of a thread that is to end.
    fn join(self) -> Result<()> {
        drop(self.news);
        let panicked =
            || Error::unsupported("a thread that chooses points has panicked", "report this; run in batches");
        self.handle.join().unwrap_or_else(|_| Err(panicked()))
    }
}

/// What a thread has.
struct Worker {
    study: Study,
    /// Whether it fits, and draws by what it has fitted, or only draws.
    task: Work,
    refit: Refit,
    /// Points that are to be ready.
    ready: usize,
    /// Trials when it last worked.
    trials: usize,
    /// The number of tells before which there is nothing to do.
    not_before: u64,
    is_stuck: Arc<AtomicBool>,
}

impl Worker {
    /// Fits or draws if it is time to; says whether it has.
    fn work(&mut self) -> Result<bool> {
        self.study.refresh()?;
        if !self.study.may_prepare() || self.study.history().tells() < self.not_before {
            return Ok(false);
        }
        let (usable, tells) = (self.study.last_usable()?, self.study.history().tells());
        let is_outdated = usable.is_none_or(|seen| !self.refit.allows(tells - seen));
        let is_low = self.study.history().ready().len() < self.ready / 2;
        let (is_due, refit, most) = match self.task {
            Work::Fit => (is_outdated, self.refit, READY.1),
            Work::Draw => (usable.is_some() && is_low, Refit::Never, REFILL),
        };
        if !is_due || self.study.is_leased(self.task) {
            return Ok(false);
        }
        // As many as were asked for since it last worked, twice over: the next time may take as long.
        let trials = self.study.history().records().len();
        self.ready = match self.study.config().rule().name {
            "thompson" => (2 * trials.saturating_sub(self.trials)).clamp(READY.0, most),
            _ => FEW,
        };
        let prepared = self.study.prepare(self.ready, refit)?;
        if self.task == Work::Fit {
            self.is_stuck.store(prepared == Prepared::Nothing, Ordering::Relaxed);
        }
        match prepared {
            Prepared::Done => self.trials = trials,
            // Not before something else is told.
            Prepared::Nothing => self.not_before = tells + 1,
            Prepared::ByOthers => {}
        }
        Ok(prepared == Prepared::Done)
    }
}

impl Study {
    /// Whether there is enough to fit models to before the design has been asked for: so they are there in time.
    fn may_prepare(&self) -> bool {
        2 * self.table.observed.len() >= self.config.initial_count().max(1)
    }
}
