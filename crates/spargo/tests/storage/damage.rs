//! Damaged files: none is read with other values, none makes a panic, and what is refused is left as it is.

use super::files::{change, study};
use super::*;
use rand::RngExt;
use spargo::Error;
use spargo::rng::{Purpose, stream};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Damaged files in all.
const DAMAGED: u64 = 250;

/// Bytes of a page of SQLite's.
const PAGE: usize = 4096;

/// Opens a study and reads everything.
fn open_all(path: &Path) -> Result<(History, usize), Error> {
    let study = Study::open(path)?;
    Ok((study.history().clone(), study.reports()?.len()))
}

/// A study of some pages, with a state and reports.
fn full_study(path: &Path) {
    study(path);
    let mut log = Log::open(path);
    let state = "x".repeat(10_000);
    assert_eq!(log.append(&[asked(500, &[point(0.25)], Some(&state), "{}")]), Appended::Done);
}

#[test]
fn no_damaged_file_is_read_with_other_values() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    full_study(&path);
    let whole = fs::read(&path).unwrap();
    let history = Study::open(&path).unwrap().history().clone();
    let mut refused = 0;
    for case in 0..DAMAGED {
        let (mut bytes, mut rng) = (whole.clone(), stream(6, Purpose::Data, case, 0));
        for _ in 0..rng.random_range(1..=16) {
            // The headers of pages are short, and weigh most.
            let page = rng.random_range(0..bytes.len() / PAGE) * PAGE;
            let within = if rng.random_bool(0.3) { rng.random_range(0..100) } else { rng.random_range(0..PAGE) };
            bytes[page + within] = rng.random();
        }
        fs::write(&path, &bytes).unwrap();
        let opened = catch_unwind(AssertUnwindSafe(|| Study::open(&path).map(|study| study.history().clone())));
        match opened {
            Err(_) => panic!("case {case}: a panic"),
            Ok(Ok(read)) => assert_eq!(read, history, "case {case}"),
            Ok(Err(_)) => {
                refused += 1;
                // Bytes 18 and 19 say that there is a log: if these are damaged as well, they are set again.
                let left = fs::read(&path).unwrap();
                let untouched = |range: std::ops::Range<usize>| left[range.clone()] == bytes[range];
                let logged = bytes[18..20] == whole[18..20];
                assert!(!logged || untouched(0..bytes.len()), "case {case}: a refused file was changed");
            }
        }
        ["-wal", "-shm"].iter().for_each(|ending| _ = fs::remove_file(folder.file(&format!("study.db{ending}"))));
    }
    assert!(refused > DAMAGED / 4, "only {refused} were refused");
}

#[test]
fn cut_and_overwritten_files_are_refused() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    full_study(&path);
    let whole = fs::read(&path).unwrap();
    let history = open_all(&path);
    let damaged = |error: &Error| {
        let words = ["is damaged", "another kind of file", "cannot be used"];
        words.iter().any(|words| error.to_string().contains(words))
    };
    // Cut anywhere: at its header, in a page, between pages.
    for length in [40, 700, PAGE, 9000, whole.len() - PAGE, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(open_all(&path).is_err_and(|error| damaged(&error)), "cut to {length}");
    }
    for page in 0..whole.len() / PAGE {
        let mut bytes = whole.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        fs::write(&path, bytes).unwrap();
        match open_all(&path) {
            Err(error) => assert!(damaged(&error), "{page}: {error}"),
            opened => assert_eq!(opened, history, "{page}"),
        }
    }
}

/// Rows that this library does not write.
#[test]
fn changed_swapped_and_missing_rows_are_refused() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    full_study(&path);
    let whole = fs::read(&path).unwrap();
    let no_checks = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;";
    let swap = "UPDATE events SET id = -id WHERE id IN (5, 6); UPDATE events SET id = 11 + id WHERE id < 0";
    for (sql, words) in [
        ("DELETE FROM events WHERE id = 3", "is damaged: event 3 is missing"),
        ("DELETE FROM events WHERE id > 400", "is damaged: event 401 is missing"),
        ("UPDATE events SET json = '{}' WHERE id = 5", "is damaged: the checksum of event 5 does not agree"),
        ("UPDATE events SET checksum = 0 WHERE id = 5", "is damaged: the checksum of event 5 does not agree"),
        (swap, "is damaged: the checksum of event 5 does not agree"),
        ("UPDATE state SET json = 'y'", "is damaged: the checksum of the state of the last step"),
        ("UPDATE state SET event = 9", "is damaged: the state of its last step is missing"),
        ("DELETE FROM state", "is damaged: the state of its last step is missing"),
        ("UPDATE extent SET events = 7", "is damaged: it has 502 events instead of 7"),
        ("DELETE FROM extent", "is damaged: its number of events is missing"),
        ("DELETE FROM events", "is damaged: event 1 is missing"),
        ("DROP TABLE events", "cannot be used (no such table: events"),
    ] {
        fs::write(&path, &whole).unwrap();
        change(&path, &format!("{no_checks} {sql}"));
        let error = open_all(&path).unwrap_err().to_string();
        assert!(error.contains(words), "{sql}: {error}");
    }
}

/// Events that are what was written, but cannot follow each other: a stranger may write checksums as well.
#[test]
fn events_that_do_not_fit_are_refused() {
    let observed = |values: &str| format!(r#"{{"told":{{"trial":2,"outcome":{{"observed":{{"values":{values}}}}}}}}}"#);
    let noisy = r#"{"told":{"trial":2,"outcome":{"observed":{"values":[1.0],"noise":NOISE}}}}"#;
    let added = r#"{"added":{"point":POINT}}"#;
    for (event, words) in [
        (r#"{"created":{"settings":"{}"}}"#.into(), "is damaged: it was created twice"),
        (observed("[1.0]").replace(":2,", ":9,"), "is damaged: it has an outcome of trial 9, but no such trial"),
        (observed("[1.0]").replace(":2,", ":1,"), "is damaged: it has two outcomes of trial 1"),
        (observed("[]"), "trial 2"),
        (observed("[1.0, 2.0]"), "trial 2"),
        (observed("[null]"), "is damaged"),
        (observed("[1e999]"), "is damaged"),
        (noisy.replace("NOISE", "[-1.0]"), "trial 2"),
        (noisy.replace("NOISE", "[0.1, 0.2]"), "is damaged"),
        (added.replace("POINT", "[]"), "3"),
        (added.replace("POINT", "[1.0, 7, 1]"), "input 'colour'"),
        (added.replace("POINT", r#"["red", 7, "red"]"#), "input 'x'"),
    ] {
        let mut study = Study::in_memory(config()).unwrap();
        study.add(&[(point(1.0), Some(Outcome::value(1.0))), (point(2.0), None)]).unwrap();
        let mut bytes = study.to_bytes().unwrap();
        assert_eq!(bytes.pop(), Some(b']'));
        bytes.extend(format!(",{event}]").bytes());
        let error = Study::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{event}: {error}");
    }
}
