//! Files that are not studies, or cannot be used, are refused with the reason and the remedy; never with a panic.

use super::*;
use spargo::Error;
use spargo::study::Outcome;

/// The cause and the remedy of a refusal that names the file.
#[track_caller]
fn refusal(path: &Path, result: Result<Store, Error>) -> String {
    match result {
        Err(Error::Store { path: named, cause, remedy }) => {
            assert_eq!(named, path.display().to_string());
            assert!(!remedy.is_empty());
            format!("{cause}; {remedy}")
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(path: &Path, words: &str) {
    let options = StoreOptions::default();
    for result in [Store::open(path, &options), Store::open_or_create(path, "{}", &options)] {
        let refusal = refusal(path, result);
        assert!(refusal.contains(words), "{refusal}");
    }
}

/// A study of some pages.
fn study(path: &Path) {
    let mut store = open_or_create(path);
    let points: Vec<_> = (0..500).map(|i| (point(f64::from(i)), Some(Outcome::value(f64::from(i))))).collect();
    store.add(&points).unwrap();
}

fn change(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn the_config_is_written_once() {
    let folder = Folder::new();
    let path = folder.file("a ?study=ä.db");
    let options = StoreOptions::default();
    assert!(refusal(&path, Store::open(&path, &options)).starts_with("does not exist; create it"));
    let first = "{\"name\": \"first\"}\0";
    assert_eq!(Store::create(&path, first, &options).unwrap().config(), first);
    assert!(refusal(&path, Store::create(&path, "second", &options)).starts_with("exists already; open it"));
    assert_eq!(Store::open_or_create(&path, "third", &options).unwrap().config(), first);
    assert_eq!(open(&path).config(), first);
    assert!(path.exists());
}

#[test]
fn an_empty_file_becomes_a_study_only_by_creation() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    fs::write(&path, "").unwrap();
    let options = StoreOptions::default();
    assert!(refusal(&path, Store::open(&path, &options)).starts_with("is empty; give the path of a study"));
    assert!(Store::create(&path, "{}", &options).is_ok());
}

#[test]
fn files_of_others_are_refused_and_left_alone() {
    let folder = Folder::new();
    let text = folder.file("notes.txt");
    fs::write(&text, "These are notes, and long enough to be mistaken for a header. ".repeat(20)).unwrap();
    let short = folder.file("short.txt");
    fs::write(&short, "xy").unwrap();
    let database = folder.file("other.db");
    change(&database, "CREATE TABLE mine (x)");
    let marked = folder.file("marked.db");
    change(&marked, "PRAGMA application_id = 7; CREATE TABLE mine (x)");
    for (path, words) in [
        (&text, "is not a study of spargo, but another kind of file"),
        (&short, "is not a study of spargo, but another kind of file"),
        (&database, "is not a study of spargo, but another program's database"),
        (&marked, "is not a study of spargo, but another program's database"),
    ] {
        let before = fs::read(path).unwrap();
        refused(path, words);
        assert_eq!(fs::read(path).unwrap(), before, "{}", path.display());
    }
}

#[test]
fn paths_that_lead_nowhere_are_refused() {
    let folder = Folder::new();
    refused(&folder.0, "is a folder");
    refused(&folder.file("missing/study.db"), "which does not exist; create it");
    let options = StoreOptions::default();
    assert!(refusal(Path::new(""), Store::create(Path::new(""), "{}", &options)).starts_with("has no path"));
}

/// SQLite alone would keep a study of this name in memory, and lose it.
#[test]
fn no_name_is_special() {
    if task().is_some() {
        return study(Path::new(":memory:"));
    }
    let folder = Folder::new();
    let output = child("files::no_name_is_special", "create").current_dir(&folder.0).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(open(&folder.file(":memory:")).refresh().unwrap().records().len(), 500);
}

#[test]
fn another_version_is_refused() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    study(&path);
    change(&path, "PRAGMA user_version = 2");
    refused(&path, "has format 2, and this version of spargo reads format 1; use the version of spargo that wrote it");
}

#[test]
fn damage_is_noticed() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    study(&path);
    let whole = fs::read(&path).unwrap();
    let try_all = |what: &str| match open_all(&path) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("not noticed: {what}"),
    };

    // Cut anywhere: at its header, in a page, between pages.
    for length in [40, 700, 4096, 9000, whole.len() - 4096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = try_all(&format!("cut to {length}"));
        assert!(error.contains("is damaged") || error.contains("another kind of file"), "{length}: {error}");
    }
    // Overwritten pages, whichever.
    for page in 0..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&path, bytes).unwrap();
        if let Err(error) = open_all(&path) {
            let error = error.to_string();
            assert!(error.contains("is damaged") || error.contains("another kind of file"), "{page}: {error}");
        }
    }
    // Rows that this library does not write.
    let no_checks = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;";
    for (sql, words) in [
        ("DELETE FROM trials WHERE id = 3", "is damaged: trial 3 is missing"),
        ("DELETE FROM outcomes WHERE seq = 4", "is damaged: tell 4 is missing"),
        (
            "UPDATE outcomes SET trial = 501 WHERE seq = 4",
            "is damaged: it has an outcome of trial 501, but no such trial",
        ),
        ("UPDATE trials SET point = x'00' WHERE id = 5", "is damaged: the point of trial 5 cannot be read"),
        ("UPDATE outcomes SET numbers = x'00' WHERE seq = 6", "is damaged: the outcome of trial 6 cannot be read"),
        ("UPDATE outcomes SET noise = x'00' WHERE seq = 6", "is damaged: the outcome of trial 6 cannot be read"),
        ("UPDATE outcomes SET numbers = NULL WHERE seq = 6", "is damaged: the outcome of trial 6 cannot be read"),
        ("DELETE FROM study", "is damaged"),
        ("DROP TABLE outcomes", "cannot be used (no such table: outcomes)"),
    ] {
        fs::write(&path, &whole).unwrap();
        change(&path, &format!("{no_checks} {sql}"));
        let error = try_all(sql);
        assert!(error.contains(words), "{sql}: {error}");
    }
}

/// Opens a study and reads everything.
fn open_all(path: &Path) -> Result<(), Error> {
    let mut store = Store::open(path, &StoreOptions::default())?;
    store.refresh()?;
    store.reports().map(|_| ())
}

/// The superuser may write everywhere, so this is tried by a process of nobody's.
#[test]
#[cfg(unix)]
fn files_and_folders_without_permission_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    if let Some(folder) = task() {
        let folder = Path::new(&folder);
        refused(&folder.join("read-only.db"), "check that you may write the file and its folder");
        refused(&folder.join("unreadable.db"), "check that you may write the file and its folder");
        let locked = folder.join("locked");
        refused(&locked.join("study.db"), "check that you may write the file and its folder");
        for path in [folder.join("read-only.db"), locked.join("study.db"), locked.join("a ?study=%.db")] {
            let mut store = Store::open_to_read(&path, &StoreOptions::default()).unwrap();
            assert_eq!(store.refresh().unwrap().records().len(), 500, "{}", path.display());
            let refused = store.add(&[(point(0.5), None)]).unwrap_err().to_string();
            assert!(refused.contains("check that you may write"), "{refused}");
        }
        for (name, words) in
            [("logged.db", "copy both to a folder of yours"), ("../unreadable.db", "may read the file")]
        {
            let path = locked.join(name);
            let refusal = refusal(&path, Store::open_to_read(&path, &StoreOptions::default()));
            assert!(refusal.contains(words), "{refusal}");
        }
        let new = locked.join("new.db");
        let refusal = refusal(&new, Store::create(&new, "{}", &StoreOptions::default()));
        assert!(refusal.contains("check that you may write"), "{refusal}");
        return acknowledge("all refused");
    }
    let folder = Folder::new();
    fs::create_dir(folder.file("locked")).unwrap();
    for (name, mode) in [("read-only.db", 0o444), ("unreadable.db", 0o000), ("locked/study.db", 0o666)] {
        study(&folder.file(name));
        fs::set_permissions(folder.file(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    study(&folder.file("locked/a ?study=%.db"));
    study(&folder.file("locked/logged.db"));
    fs::write(folder.file("locked/logged.db-wal"), "changes").unwrap();
    fs::set_permissions(&folder.0, PermissionsExt::from_mode(0o777)).unwrap();
    fs::set_permissions(folder.file("locked"), PermissionsExt::from_mode(0o555)).unwrap();
    let mut child = child("files::files_and_folders_without_permission_are_refused", folder.0.to_str().unwrap());
    if fs::write(folder.file("locked/probe"), "").is_ok() {
        child.uid(65534);
    }
    match child.output() {
        Ok(output) => assert_eq!(acknowledged(&output.stderr), ["all refused"], "{output:?}"),
        Err(error) => println!("skipped: this program cannot be run by another user ({error})"),
    }
    fs::set_permissions(folder.file("locked"), PermissionsExt::from_mode(0o777)).unwrap();
}

#[test]
fn a_writer_that_does_not_end_is_named_after_the_patience() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    study(&path);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let options = StoreOptions { patience: std::time::Duration::from_millis(50), ..StoreOptions::default() };
    let mut store = Store::open(&path, &options).unwrap();
    let error = store.tell(&[]).unwrap_err().to_string();
    assert!(error.contains("is kept locked by another process"), "{error}");
    // Reading goes on.
    assert_eq!(store.refresh().unwrap().records().len(), 500);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.tell(&[]), Ok(0));
}

#[test]
fn bytes_make_a_store_in_memory_that_goes_on_alone() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    for mut store in [memory(), open_or_create(&path)] {
        ask(&mut store, &[point(1.0), point(2.0)]);
        store.tell(&[(2, Outcome::failed("spilt"))]).unwrap();
        store.refresh().unwrap();
        let bytes = store.to_bytes().unwrap();
        let mut copy = Store::from_bytes(&bytes).unwrap();
        copy.refresh().unwrap();
        assert_eq!(copy.history(), store.history());
        assert_eq!((copy.config(), copy.reports().unwrap()), (store.config(), store.reports().unwrap()));
        ask(&mut copy, &[point(3.0)]);
        store.refresh().unwrap();
        assert_eq!((copy.refresh().unwrap().asks(), store.history().asks()), (2, 1));
    }
    for bytes in [&b""[..], b"SQLite format 3", &[0; 4096], &[7; 9999]] {
        assert!(matches!(Store::from_bytes(bytes), Err(Error::Store { .. })));
    }
}
