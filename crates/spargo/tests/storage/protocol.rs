//! Events: kept in their order, refused if others came first; of the states only the last is kept.

use super::*;
use spargo::interrupt;
use std::sync::{Arc, Mutex};

#[test]
fn events_come_back_in_their_order_from_any_position() {
    let folder = Folder::new();
    for mut storage in storages(&folder) {
        assert_eq!(storage.load(0).unwrap(), []);
        let events = [
            Event::Created { settings: "{\"name\": \"first\"}\0".into() },
            added(0.5, Some(Outcome::value(2.0))),
            asked(1, &[point(1.0), point(2.0)], None, "one"),
            Event::Told { trial: 3, outcome: Outcome::noisy(1.0, 0.5) },
            asked(2, &[point(3.0)], Some("state"), "two"),
            Event::Told { trial: 4, outcome: Outcome::failed("spilt") },
        ];
        for (position, call) in [(0, &events[..1]), (1, &events[1..4]), (4, &events[4..])] {
            assert_eq!(storage.append(position, call), Ok(Appended::Done));
        }
        for position in 0..=events.len() {
            assert_eq!(storage.load(position as u64).unwrap(), events[position..]);
        }
        assert_eq!(storage.load(100).unwrap(), []);
    }
    let log = Log::open(&folder.file("study.db"));
    assert_eq!((log.history.asks(), log.history.tells(), log.history.position()), (2, 3, 6));
    assert_eq!((log.history.state(), log.history.reports()), (Some("state"), &["one", "two"].map(String::from)[..]));
    assert_eq!(log.history.pending().map(|trial| trial.id).collect::<Vec<_>>(), [2]);
    let asks: Vec<Option<u64>> = log.history.records().iter().map(|record| record.ask).collect();
    assert_eq!(asks, [None, Some(1), Some(1), Some(2)]);
}

#[test]
fn events_at_another_position_than_the_last_are_a_conflict() {
    let folder = Folder::new();
    for mut storage in storages(&folder) {
        let (first, second) = (added(1.0, None), added(2.0, None));
        assert_eq!(storage.append(0, &[first.clone(), second.clone()]), Ok(Appended::Done));
        for position in [0, 1, 3, 100] {
            assert_eq!(storage.append(position, std::slice::from_ref(&first)), Ok(Appended::Conflict));
        }
        assert_eq!(storage.load(0).unwrap(), [first, second]);
    }
}

/// What another process does to a study.
type Change = fn(&mut Study);

/// A storage on a file that another process uses just before the second event.
#[derive(Debug)]
struct Meddling {
    storage: SqliteStorage,
    other: Option<(PathBuf, Change)>,
}

impl Storage for Meddling {
    fn name(&self) -> String {
        self.storage.name()
    }

    fn load(&mut self, position: u64) -> spargo::Result<Vec<Event>> {
        self.storage.load(position)
    }

    fn append(&mut self, position: u64, events: &[Event]) -> spargo::Result<Appended> {
        if let Some((path, act)) = self.other.take_if(|_| position > 0) {
            act(&mut Study::open(&path).unwrap());
        }
        self.storage.append(position, events)
    }
}

#[test]
fn an_ask_follows_asks_and_points_that_came_in_between_and_is_not_disturbed_by_tells() {
    let meantime: [(Change, u64, usize); 4] = [
        (|study| _ = study.ask(1).unwrap(), 2, 1),
        (|study| _ = study.add(&[(point(1.0), None)]).unwrap(), 1, 0),
        (|study| _ = study.add(&[(point(0.5), Some(Outcome::value(1.0)))]).unwrap(), 1, 0),
        (|study| _ = study.tell(&[(1, Outcome::value(1.0))]).unwrap(), 1, 0),
    ];
    for (act, step, replaced) in meantime {
        let folder = Folder::new();
        let path = folder.file("study.db");
        Study::create(&path, config()).unwrap().add(&[(point(0.0), None)]).unwrap();
        let storage = Meddling { storage: SqliteStorage::open(&path).unwrap(), other: Some((path.clone(), act)) };
        let mut study = Study::with_storage(config(), Box::new(storage)).unwrap();
        let trials = study.ask(2).unwrap();
        let report = study.reports().unwrap().pop().unwrap();
        assert_eq!((report.step, report.replaced), (step, replaced));
        let last = study.history().records().len() as u64;
        assert_eq!(trials.iter().map(|trial| trial.id).collect::<Vec<_>>(), [last - 1, last]);
        assert_eq!(study.history(), Study::open(&path).unwrap().history());
    }
}

/// A log that others change: it may lose events, and grow just before the first appends of a study.
#[derive(Debug, Clone, Default)]
struct Shared {
    log: Arc<Mutex<Vec<Event>>>,
    overtaken: Arc<Mutex<usize>>,
}

impl Storage for Shared {
    fn name(&self) -> String {
        "shared".into()
    }

    fn load(&mut self, position: u64) -> spargo::Result<Vec<Event>> {
        Ok(self.log.lock().unwrap().get(position as usize..).unwrap_or_default().to_vec())
    }

    fn append(&mut self, position: u64, events: &[Event]) -> spargo::Result<Appended> {
        let (mut log, mut overtaken) = (self.log.lock().unwrap(), self.overtaken.lock().unwrap());
        if *overtaken > 0 {
            *overtaken -= 1;
            log.push(added(0.5, None));
        }
        if log.len() as u64 != position {
            return Ok(Appended::Conflict);
        }
        log.extend_from_slice(events);
        Ok(Appended::Done)
    }
}

/// A log whose events are loaded all at once, and how many were.
#[derive(Debug, Clone, Default)]
struct Counted {
    shared: Shared,
    loaded: Arc<Mutex<usize>>,
}

impl Storage for Counted {
    fn name(&self) -> String {
        "counted".into()
    }

    fn load(&mut self, position: u64) -> spargo::Result<Vec<Event>> {
        let events = self.shared.load(position)?;
        *self.loaded.lock().unwrap() += events.len();
        Ok(events)
    }

    fn append(&mut self, position: u64, events: &[Event]) -> spargo::Result<Appended> {
        self.shared.append(position, events)
    }
}

#[test]
fn a_log_is_loaded_once_when_a_study_is_opened() {
    let counted = Counted::default();
    let mut study = Study::with_storage(config(), Box::new(counted.clone())).unwrap();
    for count in [20, 20_000] {
        study.add(&(0..count).map(|i| (point(f64::from(i) / 2e4), None)).collect::<Vec<_>>()).unwrap();
        *counted.loaded.lock().unwrap() = 0;
        let again = Study::with_storage(config(), Box::new(counted.clone())).unwrap();
        assert_eq!(again.history(), study.history());
        assert_eq!(*counted.loaded.lock().unwrap(), counted.shared.log.lock().unwrap().len());
    }
}

#[test]
fn a_log_that_was_restored_is_refused_and_can_be_opened_again() {
    let shared = Shared::default();
    let mut study = Study::with_storage(config(), Box::new(shared.clone())).unwrap();
    study.ask(2).unwrap();
    study.tell(&[(1, Outcome::value(1.0))]).unwrap();
    shared.log.lock().unwrap().pop();
    let calls: [fn(&mut Study) -> spargo::Result<()>; 4] = [
        |study| study.tell(&[(2, Outcome::value(1.0))]).map(drop),
        |study| study.add(&[(point(1.0), None)]).map(drop),
        |study| study.ask(1).map(drop),
        |study| study.replicate(1).map(drop),
    ];
    for call in calls {
        let refused = call(&mut study).unwrap_err().to_string();
        assert!(refused.contains("fewer than the 3 events") && refused.contains("open it again"), "{refused}");
        assert_eq!(shared.log.lock().unwrap().len(), 2);
    }
    let mut study = Study::with_storage(config(), Box::new(shared)).unwrap();
    assert_eq!(study.tell(&[(1, Outcome::value(2.0))]), Ok(1));
}

#[test]
fn a_writer_that_is_overtaken_again_and_again_can_be_interrupted() {
    let shared = Shared::default();
    let mut study = Study::with_storage(config(), Box::new(shared.clone())).unwrap();
    let flag = interrupt::Flag::new();
    flag.raise();
    // Not at the first attempt: what was evaluated before an interrupt can be told after it.
    assert_eq!(interrupt::until(&flag, || study.add(&[(point(1.0), None)])), Ok(1..2));
    *shared.overtaken.lock().unwrap() = 50;
    assert_eq!(interrupt::until(&flag, || study.add(&[(point(1.0), None)])), Err(spargo::Error::Interrupted));
    assert_eq!(study.add(&[(point(1.0), None)]), Ok(52..53));
}

#[test]
fn only_the_last_state_is_kept() {
    let folder = Folder::new();
    for mut storage in storages(&folder) {
        for (position, state) in [Some("first"), Some("second"), None].into_iter().enumerate() {
            storage.append(position as u64, &[asked(0, &[], state, "report")]).unwrap();
        }
        let mut log = Log { storage, history: History::new(1) };
        assert_eq!(log.refresh().state(), Some("second"));
        let states = log.storage.load(0).unwrap().into_iter().map(|event| match event {
            Event::Asked { state, .. } => state,
            other => panic!("{other:?}"),
        });
        assert_eq!(states.collect::<Vec<_>>(), [None, Some("second".into()), None]);
    }
}

#[test]
fn a_file_does_not_grow_with_its_states() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let large = "x".repeat(1 << 20);
    let mut sizes = Vec::new();
    for step in 0..12 {
        let mut log = Log::open_or_create(&path);
        log.append(&[asked(0, &[point(step as f64)], Some(&format!("{step}{large}")), "report")]);
        // The log's part, too.
        drop(log);
        sizes.push(fs::metadata(&path).unwrap().len());
    }
    assert!(sizes[11] < 3 << 20, "{sizes:?}");
    assert_eq!(sizes[11], sizes[4], "{sizes:?}");
    assert!(Log::open(&path).history.state().unwrap().starts_with("11x"));
}

#[test]
fn the_log_shrinks_again_while_a_process_lives() {
    let folder = Folder::new();
    let mut log = Log::open_or_create(&folder.file("study.db"));
    let mut lengths = Vec::new();
    for size in [24 << 20, 1, 1, 1] {
        log.append(&[asked(0, &[point(1.0)], Some(&"x".repeat(size)), "report")]);
        lengths.push(fs::metadata(folder.file("study.db-wal")).unwrap().len());
    }
    assert!(lengths[0] > 24 << 20 && lengths[3] <= 1 << 24, "{lengths:?}");
}

#[test]
fn bytes_make_a_study_in_memory_that_goes_on_alone() {
    let folder = Folder::new();
    for mut study in studies(&folder) {
        study.ask(2).unwrap();
        study.tell(&[(2, Outcome::failed("spilt"))]).unwrap();
        study.add(&[(point(-0.0), Some(Outcome::noisy(0.1 + 0.2, 1e-300)))]).unwrap();
        let mut copy = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        assert_eq!(format!("{:?}", copy.history()), format!("{:?}", study.history()));
        assert_eq!((copy.config(), copy.reports()), (study.config(), study.reports()));
        assert_eq!(copy.ask(1).unwrap()[0].id, 4);
        study.refresh().unwrap();
        assert_eq!((copy.history().asks(), study.history().asks()), (2, 1));
        assert!(study.trial(4).is_none() && study.trial(0).is_none());
        assert_eq!(copy.trial(3), study.trial(3));
    }
    for bytes in [&b""[..], b"[]", b"SQLite format 3", &[0; 4096], &[7; 9999]] {
        assert!(matches!(Study::from_bytes(bytes), Err(spargo::Error::Storage { .. })));
    }
}
