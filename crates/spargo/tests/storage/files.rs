//! Files that are not studies, or cannot be used, are refused with the reason and the remedy; never with a panic.

use super::*;
use spargo::Error;

/// The cause and the remedy of a refusal that names the file.
#[track_caller]
fn refusal<T: std::fmt::Debug>(path: &Path, result: Result<T, Error>) -> String {
    match result {
        Err(Error::Storage { path: named, cause, remedy }) => {
            assert_eq!(named, path.display().to_string());
            assert!(!remedy.is_empty());
            format!("{cause}; {remedy}")
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(path: &Path, words: &str) {
    for result in [SqliteStorage::open(path), SqliteStorage::open_or_create(path)] {
        let refusal = refusal(path, result);
        assert!(refusal.contains(words), "{refusal}");
    }
}

/// A study of some pages.
pub fn study(path: &Path) {
    let points: Vec<_> = (0..500).map(|i| (point(f64::from(i)), Some(Outcome::value(f64::from(i))))).collect();
    Study::create(path, config()).unwrap().add(&points).unwrap();
}

pub fn change(path: &Path, sql: &str) {
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_study_is_created_once() {
    let folder = Folder::new();
    let path = folder.file("a ?study=ä.db");
    assert!(refusal(&path, Study::open(&path)).starts_with("does not exist; create it"));
    drop(Study::create(&path, config()).unwrap());
    assert!(refusal(&path, Study::create(&path, config())).starts_with("exists already; open it"));
    let other = Study::open_or_create(&path, Config { seed: 7, ..config() }).unwrap_err();
    assert!(
        other.to_string().contains("has 'seed' = 0, these settings have 7: open it as it is and change it"),
        "{other}"
    );
    assert_eq!(*Study::open(&path).unwrap().config(), config());
    assert!(path.exists());
}

#[test]
fn an_empty_file_becomes_a_study_only_by_creation() {
    let folder = Folder::new();
    // Nothing, or what a process leaves that is killed before it has written the settings.
    let (path, killed) = (folder.file("study.db"), folder.file("killed.db"));
    fs::write(&path, "").unwrap();
    drop(SqliteStorage::open_or_create(&killed).unwrap());
    for path in [path, killed] {
        assert!(refusal(&path, Study::open(&path)).starts_with("is empty; give the path of a study"));
        assert!(Study::create(&path, config()).is_ok());
    }
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
    assert!(refusal(Path::new(""), SqliteStorage::open_or_create(Path::new(""))).starts_with("has no path"));
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
    assert_eq!(Study::open(&folder.file(":memory:")).unwrap().history().records().len(), 500);
}

#[test]
fn files_of_other_versions_are_refused_with_a_remedy() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    study(&path);
    for (version, words) in [
        (
            1,
            "early version of spargo (format 1, not 5); export it with that version, and add its trials to a new study",
        ),
        (6, "later version of spargo (format 6, not 5); use that version of spargo"),
    ] {
        change(&path, &format!("PRAGMA user_version = {version}"));
        refused(&path, &format!("was written by an {words}").replace("an later", "a later"));
    }
}

/// The superuser may write everywhere, so this is tried by a process of another user.
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
        let earlier = Study::open_to_read(&locked.join("format2.db")).unwrap();
        assert_eq!((earlier.history().records().len(), earlier.history().asks()), (25, 5));
        for path in [folder.join("read-only.db"), locked.join("study.db"), locked.join("a ?study=%.db")] {
            let mut study = Study::open_to_read(&path).unwrap();
            assert_eq!(study.history().records().len(), 500, "{}", path.display());
            let refused = study.add(&[(point(0.5), None)]).unwrap_err().to_string();
            assert!(refused.contains("check that you may write"), "{refused}");
        }
        for (name, words) in
            [("logged.db", "copy both to a folder of yours"), ("../unreadable.db", "may read the file")]
        {
            let path = locked.join(name);
            let refusal = refusal(&path, SqliteStorage::open_to_read(&path));
            assert!(refusal.contains(words), "{refusal}");
        }
        let new = locked.join("new.db");
        let refusal = refusal(&new, SqliteStorage::open_or_create(&new));
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
    fs::write(folder.file("locked/format2.db"), include_bytes!("format2.db")).unwrap();
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
