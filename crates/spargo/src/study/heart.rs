//! A thread that says that a run is alive: an evaluation in the calling thread may take hours.
//!
//! ```text
//!     every 30 s:   activity of the workers ─▶ log
//! ```
//!
//! It knows the position of the log and nothing of the study.

use super::activity::{HEARTBEAT, Monitor};
use super::storage::{Appended, Event, Storage};
use super::{Study, Trial};
use crate::error::{Error, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Attempts to write a heartbeat while others write.
const TRIES: usize = 20;

/// What a run's workers do, and the thread that says so while the run itself does not.
#[derive(Debug, Default)]
pub(super) struct Heart {
    monitor: Arc<Mutex<Monitor>>,
    thread: Option<HeartThread>,
}

#[derive(Debug)]
struct HeartThread {
    end: Sender<()>,
    handle: JoinHandle<()>,
}

impl Heart {
    /// Counts the time since the last look, and the trials that are in flight from now on.
    pub fn look(&self, in_flight: usize, workers: usize) {
        self.monitor().look(in_flight, workers);
    }

    /// Trials that another process has asked for are evaluated from now on.
    pub fn resume(&self, trials: &[Trial]) {
        self.monitor().resume(trials);
    }

    /// Writes a heartbeat, if it is time for one.
    pub fn beat(&mut self, study: &mut Study) -> Result<()> {
        let event = self.monitor().beat(&study.by);
        let Some(event) = event else { return Ok(()) };
        study.write_heartbeat(&event)?;
        self.start(study, HEARTBEAT)
    }

    /// Ends the thread and writes a last heartbeat, once.
    pub fn finish(&mut self, study: &mut Study) -> Result<()> {
        self.end();
        let event = self.monitor().end(&study.by);
        event.map_or(Ok(()), |event| study.write_heartbeat(&event))
    }

    /// Starts the thread, unless it is there or the log can be used by one thread only.
    fn start(&mut self, study: &Study, pause: Duration) -> Result<()> {
        if self.thread.is_some() {
            return Ok(());
        }
        let Some(storage) = study.storage.another()? else { return Ok(()) };
        let (monitor, by, position) = (self.monitor.clone(), study.by.clone(), study.history.position());
        let (end, ended) = channel();
        let work = move || beat_until(&ended, pause, &monitor, &by, (storage, position));
        let handle = std::thread::Builder::new().name("spargo-heart".into()).spawn(work).map_err(|error| {
            let remedy = "allow for more threads";
            Error::unsupported(format!("cannot start a thread that says that a run is alive ({error})"), remedy)
        })?;
        self.thread = Some(HeartThread { end, handle });
        Ok(())
    }

    fn monitor(&self) -> MutexGuard<'_, Monitor> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&mut self) {
        if let Some(HeartThread { end, handle }) = self.thread.take() {
            drop(end);
            let _ = handle.join();
        }
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.end();
    }
}

/// Writes heartbeats until the run is over.
fn beat_until(
    ended: &Receiver<()>,
    pause: Duration,
    monitor: &Mutex<Monitor>,
    by: &str,
    (mut storage, mut position): (Box<dyn Storage>, u64),
) {
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let event = monitor.lock().unwrap_or_else(PoisonError::into_inner).beat(by);
        // What keeps it from being written is said by the next tell.
        let _ = event.map_or(Ok(()), |event| append(&mut *storage, &mut position, event));
    }
}

fn append(storage: &mut dyn Storage, position: &mut u64, event: Event) -> Result<()> {
    for _ in 0..TRIES {
        if storage.append(*position, std::slice::from_ref(&event))? == Appended::Done {
            *position += 1;
            break;
        }
        *position += storage.load(*position)?.len() as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::space::{Dimension, Space};
    use std::time::Instant;

    #[test]
    fn a_run_that_evaluates_for_long_is_seen_to_be_alive() {
        let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
        let mut study = Study::in_memory(Config::new(space)).unwrap();
        let mut other = study.another().unwrap().unwrap();
        // The thread begins behind the end of the log.
        other.ask(2).unwrap();
        let mut heart = Heart::default();
        heart.look(2, 3);
        heart.start(&study, Duration::from_millis(5)).unwrap();
        let started = Instant::now();
        while study.history.heartbeats().is_empty() {
            assert!(started.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
            study.refresh().unwrap();
        }
        let activity = study.history.heartbeats()[&study.by].activity;
        assert!(activity.workers == 3 && activity.busy_s > 0.0 && activity.busy_share() > Some(0.6), "{activity:?}");
        heart.finish(&mut study).unwrap();
        let last = study.history.heartbeats()[&study.by];
        assert!(heart.thread.is_none() && last.has_ended && last.activity.busy_s > activity.busy_s, "{last:?}");
    }
}
