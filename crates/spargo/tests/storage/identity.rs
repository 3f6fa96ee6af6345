//! A study whose file is removed, renamed or replaced refuses to write: what it says it has kept is there.

use super::*;

/// What happens to the file of a study that is open, and what its next tell says.
type Accident = (fn(&Path), &'static str);

const ACCIDENTS: [Accident; 6] = [
    (|path| fs::remove_file(path).unwrap(), "was removed or renamed while it was open"),
    (|path| fs::rename(path, with(path, ".old")).unwrap(), "was removed or renamed while it was open"),
    (
        |path| {
            fs::copy(path, with(path, ".copy")).unwrap();
            fs::rename(with(path, ".copy"), path).unwrap();
        },
        "was replaced by another file while it was open",
    ),
    (
        |path| {
            ["", "-wal", "-shm"].iter().for_each(|ending| fs::remove_file(with(path, ending)).unwrap());
            Study::create(path, config()).unwrap().ask(3).unwrap();
        },
        "was replaced by another file while it was open",
    ),
    (|path| fs::remove_file(with(path, "-wal")).unwrap(), "lost its log (-wal), which was removed"),
    (
        |path| {
            fs::remove_file(with(path, "-wal")).unwrap();
            fs::write(with(path, "-wal"), "").unwrap();
        },
        "lost its log (-wal), which was replaced",
    ),
];

fn with(path: &Path, ending: &str) -> PathBuf {
    format!("{}{ending}", path.display()).into()
}

#[test]
fn nothing_is_acknowledged_once_the_file_is_not_the_one_that_was_opened() {
    for (case, (accident, words)) in ACCIDENTS.into_iter().enumerate() {
        let folder = Folder::new();
        let path = folder.file("study.db");
        let mut study = Study::create(&path, config()).unwrap();
        let asked = study.ask(2).unwrap();
        study.tell(&[(asked[0].id, Outcome::value(1.0))]).unwrap();
        accident(&path);
        let told = study.tell(&[(asked[1].id, Outcome::value(2.0))]).unwrap_err().to_string();
        assert!(told.contains(words) && told.contains("nothing more is kept"), "{case}: {told}");
        let refusals = [study.ask(1).map(|_| ()), study.add(&[(point(1.0), None)]).map(|_| ())];
        assert!(refusals.iter().all(Result::is_err), "{case}: {refusals:?}");
    }
}

/// A storage whose file is removed between the commit and its acknowledgement cannot be made to order; what can be is a
/// file that is put back as it was.
#[test]
fn a_file_that_is_back_is_written_again() {
    let folder = Folder::new();
    let (path, other) = (folder.file("study.db"), folder.file("other.db"));
    let mut study = Study::create(&path, config()).unwrap();
    fs::rename(&path, &other).unwrap();
    assert!(study.ask(1).is_err());
    fs::rename(&other, &path).unwrap();
    assert_eq!(study.ask(1).unwrap().len(), 1);
    drop(study);
    assert_eq!(Study::open(&path).unwrap().history().records().len(), 1);
}

#[test]
fn a_study_that_is_being_written_is_copied_whole() {
    let folder = Folder::new();
    let (path, copy) = (folder.file("study.db"), folder.file("copy.db"));
    let mut study = Study::create(&path, config()).unwrap();
    study.ask(3).unwrap();
    let trials = |path: &Path| Study::open(path).unwrap().history().records().len();
    let refused = |from: &Path, to: &Path, words: &str| {
        let refusal = SqliteStorage::copy(from, to, false).unwrap_err().to_string();
        assert!(refusal.contains(words), "{refusal}");
    };
    SqliteStorage::copy(&path, &copy, false).unwrap();
    assert_eq!(trials(&copy), 3);
    study.ask(2).unwrap();
    refused(&path, &copy, "exists already");
    assert_eq!(trials(&copy), 3);
    // The log of another study, which must not be taken for the copy's.
    fs::copy(with(&path, "-wal"), with(&copy, "-wal")).unwrap();
    SqliteStorage::copy(&path, &copy, true).unwrap();
    assert!(!with(&copy, "-wal").exists());
    assert_eq!((trials(&copy), integrity(&copy).as_str()), (5, "ok"));
    fs::remove_file(&copy).unwrap();
    fs::write(with(&copy, "-wal"), "of another study").unwrap();
    refused(&path, &copy, "has the log (-wal) of another study next to it");
    refused(&path, &path, "is the study itself");
    refused(&folder.file("none.db"), &folder.file("new.db"), "does not exist");
    refused(&path, &folder.file("none/new.db"), "is in the folder");
    // Damage is not copied, and nothing is left.
    drop(study);
    rusqlite::Connection::open(&path).unwrap().execute_batch("UPDATE events SET json = '{}' WHERE id = 2").unwrap();
    refused(&path, &folder.file("new.db"), "the checksum of event 2 does not agree");
    let mut names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["copy.db-wal", "study.db"]);
}
