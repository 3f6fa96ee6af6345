//! A pool of `parallel` worker threads, each of which evaluates one trial at a time.

use super::evaluate::{Answer, Evaluator, too_many};
use miette::Result;
use spargo::study::Trial;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// What happens during a run.
#[derive(Debug)]
pub enum Event {
    /// An evaluation has ended, after so many seconds.
    Evaluated { trial: u64, answer: Answer, seconds: f64 },
    /// The user, or the system, asks the run to end.
    Signal(i32),
}

/// Worker threads; dropping the pool ends them and their child processes.
pub struct WorkerPool {
    jobs: Option<Sender<Trial>>,
    threads: Vec<JoinHandle<()>>,
    evaluator: Arc<Evaluator>,
}

impl WorkerPool {
    pub fn new(evaluator: Evaluator, parallel: usize, events: &Sender<Event>) -> Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let (evaluator, queue) = (Arc::new(evaluator), Arc::new(Mutex::new(queue)));
        // If a thread cannot be started, dropping the pool ends the others.
        let mut pool = WorkerPool { jobs: Some(jobs), threads: Vec::new(), evaluator: evaluator.clone() };
        for _ in 0..parallel {
            let (evaluator, queue, events) = (evaluator.clone(), queue.clone(), events.clone());
            let started = thread::Builder::new().spawn(move || evaluate_jobs(&evaluator, &queue, &events));
            pool.threads.push(started.map_err(|error| too_many(&error))?);
        }
        Ok(pool)
    }

    /// Ends the evaluations that are running, and those that have not begun.
    pub fn stop(&self) {
        self.evaluator.supervisor.stop();
    }

    /// Whether evaluations were ended.
    pub fn is_stopped(&self) -> bool {
        self.evaluator.supervisor.stopped()
    }

    /// Ends the evaluations that have not begun, without the others.
    pub fn close(&self) {
        self.evaluator.supervisor.close();
    }

    /// Evaluates trials in their order, as many at a time as there are threads; each ends with an event.
    pub fn evaluate(&self, trials: Vec<Trial>) {
        if let Some(jobs) = &self.jobs {
            // The threads receive until the pool is dropped.
            trials.into_iter().for_each(|trial| drop(jobs.send(trial)));
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.stop();
        self.jobs = None;
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

fn evaluate_jobs(evaluator: &Evaluator, queue: &Mutex<Receiver<Trial>>, events: &Sender<Event>) {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(trial) = next() {
        let started = Instant::now();
        let answer = evaluator.evaluate(&trial);
        let seconds = started.elapsed().as_secs_f64();
        if events.send(Event::Evaluated { trial: trial.id, answer, seconds }).is_err() {
            return;
        }
    }
}
