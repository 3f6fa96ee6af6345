//! Those who evaluate: `parallel` threads, each with one child at a time.

use super::evaluate::{Answer, Evaluator, too_many};
use super::watch::Watch;
use miette::Result;
use spargo::study::Trial;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// What the run must know of.
#[derive(Debug)]
pub enum Event {
    /// An evaluation is over, after so many seconds.
    Evaluated { trial: u64, answer: Answer, seconds: f64 },
    /// The user, or the system, wants an end.
    Signal(i32),
}

/// The threads; they end, and so do their children, when it is dropped.
pub struct Crew {
    jobs: Option<Sender<Trial>>,
    threads: Vec<JoinHandle<()>>,
    watch: Arc<Watch>,
}

impl Crew {
    pub fn new(evaluator: Evaluator, parallel: usize, watch: &Arc<Watch>, events: &Sender<Event>) -> Result<Self> {
        let (jobs, queue) = mpsc::channel();
        let (evaluator, queue) = (Arc::new(evaluator), Arc::new(Mutex::new(queue)));
        // Dropped at a fault, it ends those that were started.
        let mut crew = Crew { jobs: Some(jobs), threads: Vec::new(), watch: watch.clone() };
        for _ in 0..parallel {
            let (evaluator, queue, watch, events) = (evaluator.clone(), queue.clone(), watch.clone(), events.clone());
            let started = thread::Builder::new().spawn(move || work(&evaluator, &queue, &watch, &events));
            crew.threads.push(started.map_err(|error| too_many(&error))?);
        }
        Ok(crew)
    }

    /// Evaluates trials in their order, as many at a time as there are threads; each is answered by an event.
    pub fn evaluate(&self, trials: Vec<Trial>) {
        if let Some(jobs) = &self.jobs {
            // The threads take jobs until it is dropped.
            trials.into_iter().for_each(|trial| drop(jobs.send(trial)));
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.watch.stop();
        self.jobs = None;
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

fn work(evaluator: &Evaluator, queue: &Mutex<Receiver<Trial>>, watch: &Watch, events: &Sender<Event>) {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(trial) = next() {
        let started = Instant::now();
        let answer = if watch.stopped() { Answer::Stopped } else { evaluator.evaluate(&trial, watch) };
        let seconds = started.elapsed().as_secs_f64();
        if events.send(Event::Evaluated { trial: trial.id, answer, seconds }).is_err() {
            return;
        }
    }
}
