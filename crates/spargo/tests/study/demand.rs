//! Points that are drawn for other processes: as many as they ask for, before they run out, and none like theirs.

use super::*;
use spargo::study::Refit;
use spargo::study::storage::{Appended, Event, SqliteStorage, Storage};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// More outcomes than a test tells.
const SELDOM: Refit = Refit::Every(1000);

/// Two askers of one file, in which the design was told; the second asks for this many points, one by one.
fn askers(path: &std::path::Path, asks: usize) -> [Study; 2] {
    let mut study = Study::create(path, small(plane())).unwrap();
    advance(&mut study, 8, observe);
    study.ask_with(1, SELDOM).unwrap();
    let mut other = Study::open(path).unwrap();
    for _ in 0..asks {
        other.ask_with(1, SELDOM).unwrap();
    }
    [study, other]
}

/// Tells what is pending.
fn tell_pending(study: &mut Study) {
    let pending: Vec<Trial> = study.history().pending().cloned().collect();
    let outcomes: Vec<_> = pending.iter().map(|trial| (trial.id, observe(&study.config().space, trial))).collect();
    study.tell(&outcomes).unwrap();
}

#[test]
fn a_fit_draws_twice_what_others_asked_for_since_the_last() {
    for (asks, drawn) in [(0, 25), (10, 25), (40, 80), (150, 200)] {
        let folder = Folder::new();
        let [mut study, mut other] = askers(&folder.file("study.db"), asks);
        study.refresh().unwrap();
        tell_pending(&mut study);
        study.ask_with(1, Refit::Every(1)).unwrap();
        let report = last_report(&study);
        assert!(report.models[0].fit.is_some());
        let ahead = if asks == 0 { 0 } else { drawn - 1 };
        assert_eq!(report.ahead, ahead, "{asks} asks");
        // A batch is for its own asker.
        other.refresh().unwrap();
        tell_pending(&mut other);
        other.ask(3).unwrap();
        assert_eq!(last_report(&other).ahead, 0);
    }
}

#[test]
fn more_is_drawn_before_others_have_to_wait_for_it() {
    let folder = Folder::new();
    let [mut study, mut other] = askers(&folder.file("study.db"), 20);
    let left = other.history().ready().len();
    assert!((1..10).contains(&left), "{left} points are ready");
    study.ask_with(1, SELDOM).unwrap();
    let reports = study.reports().unwrap();
    let [.., drawn, asked] = reports.as_slice() else { panic!("{reports:?}") };
    assert_eq!((drawn.asked, drawn.ahead, asked.asked, asked.ready), (0, 40, 1, 1));
    assert!(drawn.models[0].fit.is_none());
    assert_eq!(study.history().ready().len(), left + 40 - 1);
    // What one process asks for itself says nothing about others.
    let asks = study.history().asks();
    other.ask_with(left + 40 - 2, SELDOM).unwrap();
    other.ask_with(1, SELDOM).unwrap();
    assert_eq!(other.history().asks(), asks + 2);
}

/// A file in which another process tells an outcome and asks, just before the owner's next points are written.
#[derive(Debug)]
struct Overtaken {
    file: SqliteStorage,
    path: PathBuf,
    is_armed: Arc<AtomicBool>,
}

impl Storage for Overtaken {
    fn name(&self) -> String {
        self.file.name()
    }

    fn load(&mut self, position: u64) -> spargo::Result<Vec<Event>> {
        self.file.load(position)
    }

    fn append(&mut self, position: u64, events: &[Event]) -> spargo::Result<Appended> {
        let is_ask = matches!(events, [Event::Asked { .. }]);
        if is_ask && self.is_armed.swap(false, Ordering::Relaxed) {
            let mut rival = Study::open(&self.path)?;
            tell_pending(&mut rival);
            rival.ask(8)?;
        }
        self.file.append(position, events)
    }
}

#[test]
fn a_leased_fit_that_was_overtaken_draws_other_paths() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let [mut study, _] = askers(&path, 1);
    let pending = study.history().pending().next().unwrap().clone();
    study.tell(&[(pending.id, observe(&study.config().space, &pending))]).unwrap();
    let is_armed = Arc::new(AtomicBool::new(false));
    let file = SqliteStorage::open(&path).unwrap();
    let storage = Overtaken { file, path, is_armed: is_armed.clone() };
    let mut study = Study::with_storage(study.config().clone(), Box::new(storage)).unwrap();
    is_armed.store(true, Ordering::Relaxed);
    let known = study.history().records().len();
    let own = study.ask_with(8, Refit::Every(1)).unwrap();
    assert!(!is_armed.load(Ordering::Relaxed));
    assert_eq!(last_report(&study).redraws, 1);
    assert_eq!(own[0].id as usize, known + 8 + 1, "the other process has asked for 8 before");
}
