//! The files of a study: whole by themselves at every orderly end, and never another's.

use crate::folder::{Folder, PLAIN, exists, said, signal, wait_until};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Hangs from the fourth trial on until a file is there; not for ever, as it may outlive a run that is killed.
const HANGING: &str = "echo $$ >> started; i=0
    while [ $1 -ge 4 ] && [ ! -e go ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done; echo $1";

/// A run that waits for its fifth evaluation, after three outcomes.
fn waiting() -> (Folder, Child) {
    let folder = Folder::new(PLAIN, "{trial}", "budget = 12\nparallel = 2", HANGING);
    let run = folder.start();
    folder.wait_for_lines("started", 5);
    wait_until("three outcomes", || folder.status()["observed"] == 3);
    (folder, run)
}

/// The trials with an outcome in a copy of the database alone.
fn observed_in_copy(folder: &Folder) -> usize {
    let copy = folder.path("copy.db");
    fs::copy(folder.path("plain.db"), &copy).unwrap();
    let export = folder.done(&["export", "copy.db"]);
    fs::remove_file(copy).unwrap();
    export.lines().filter(|line| line.contains(",done,")).count()
}

#[test]
fn a_copy_of_the_database_alone_is_whole_at_every_orderly_end() {
    for name in ["INT", "TERM"] {
        let (folder, mut run) = waiting();
        signal(name, run.id());
        run.wait().unwrap();
        assert_eq!((observed_in_copy(&folder), exists(&folder.path("plain.db-wal"))), (3, false), "{name}");
        folder.write("go", "");
        folder.done(&["run", "study.toml"]);
        assert_eq!((observed_in_copy(&folder), exists(&folder.path("plain.db-wal"))), (12, false), "{name}");
    }
}

#[test]
fn the_next_command_after_a_kill_folds_the_log_in() {
    let (folder, mut run) = waiting();
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(exists(&folder.path("plain.db-wal")));
    assert_eq!(folder.status()["observed"], 3);
    assert_eq!((observed_in_copy(&folder), exists(&folder.path("plain.db-wal"))), (3, false));
}

#[test]
fn a_study_is_copied_while_it_is_run() {
    let (folder, mut run) = waiting();
    assert!(folder.done(&["copy", "study.toml", "copy.db"]).contains("5 trials of plain.db copied to copy.db"));
    assert_eq!(folder.done(&["export", "copy.db"]), folder.done(&["export", "study.toml"]));
    assert!(folder.refused(&["copy", "plain.db", "copy.db"]).contains("exists already"));
    folder.done(&["copy", "plain.db", "copy.db", "--force"]);
    let before = folder.read("study.toml");
    for (to, words) in [("study.toml", "is not a study of spargo"), ("plain.db", "is the study itself")] {
        let refused = folder.refused(&["copy", "study.toml", to, "--force"]);
        assert!(refused.contains(words), "{refused}");
    }
    assert_eq!(folder.read("study.toml"), before);
    folder.write("go", "");
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_database_that_is_removed_or_replaced_under_a_run_ends_it() {
    type Accident = fn(&Folder);
    let accidents: [(Accident, &str); 2] = [
        (|folder| fs::remove_file(folder.path("plain.db")).unwrap(), "was removed or renamed while it was open"),
        (
            |folder| {
                folder.done(&["copy", "plain.db", "other.db"]);
                fs::rename(folder.path("other.db"), folder.path("plain.db")).unwrap();
            },
            "was replaced by another file while it was open",
        ),
    ];
    for (accident, words) in accidents {
        let (folder, run) = waiting();
        folder.done(&["copy", "plain.db", "kept.db"]);
        accident(&folder);
        folder.write("go", "");
        let said = said(run.wait_with_output().unwrap());
        assert_eq!((said.code, said.stdout.lines().count()), (Some(1), 1), "only the line of the batch: {said:?}");
        let message = ["outcomes that were not kept: trial", "nothing more is kept", words, "--force"];
        assert!(message.iter().all(|words| said.stderr.contains(words)), "{said:?}");
        // The remedy of the message; a log that is left belongs to another file.
        folder.done(&["copy", "kept.db", "plain.db", "--force"]);
        assert_eq!((folder.status()["trials"].as_u64(), folder.status()["observed"].as_u64()), (Some(5), Some(3)));
        assert!(folder.done(&["run", "study.toml"]).contains("12 trials, 12 observed"));
    }
}

#[test]
fn a_study_has_one_lock_under_whatever_name() {
    let (folder, mut run) = waiting();
    let elsewhere = folder.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink("../plain.db", elsewhere.join("plain.db")).unwrap();
    fs::copy(folder.path("study.toml"), elsewhere.join("study.toml")).unwrap();
    let refused = folder.refused(&["run", "elsewhere/study.toml"]);
    assert!(refused.contains("another `spargo run`") && refused.contains(&run.id().to_string()), "{refused}");
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn what_is_no_lock_file_is_never_overwritten() {
    type Make = fn(&Folder, PathBuf);
    let lock_files: [Make; 4] = [
        |folder, lock| std::os::unix::fs::symlink(folder.path("victim"), lock).unwrap(),
        |folder, lock| fs::hard_link(folder.path("victim"), lock).unwrap(),
        |folder, lock| assert!(fs::copy(folder.path("victim"), lock).unwrap() > 0),
        |_, lock| fs::create_dir(lock).unwrap(),
    ];
    for make in lock_files {
        let folder = Folder::new(PLAIN, "{trial}", "budget = 2", "echo $1");
        folder.write("victim", "a thesis");
        make(&folder, folder.path("plain.db.lock"));
        let refused = folder.refused(&["run", "study.toml"]);
        assert!(refused.contains("plain.db.lock"), "{refused}");
        assert_eq!(folder.read("victim"), "a thesis");
        assert!(["", "a thesis"].contains(&folder.read("plain.db.lock").as_str()));
    }
}

/// As right after a kill, when a program that was just being started still has the lock of the run that started it.
#[test]
fn a_lock_whose_holder_is_gone_is_waited_for() {
    let folder = Folder::new(PLAIN, "{trial}", "budget = 2", "echo $1");
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    folder.write("plain.db.lock", &gone.id().to_string());
    let lock = fs::File::open(folder.path("plain.db.lock")).unwrap();
    lock.lock().unwrap();
    let run = folder.start();
    std::thread::sleep(Duration::from_millis(600));
    drop(lock);
    let said = said(run.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_process_that_a_program_leaves_behind_does_not_hold_up_the_run() {
    let script = "setsid sleep 20 & echo $! >> left; echo $1";
    let folder = Folder::new(PLAIN, "{trial}", "budget = 8", script);
    let started = Instant::now();
    folder.done(&["run", "study.toml"]);
    let elapsed = started.elapsed();
    folder.read("left").lines().for_each(|process| drop(Command::new("kill").arg(process).status()));
    // Each of them once cost four seconds.
    assert!(elapsed < Duration::from_secs(12), "{elapsed:?}");
    assert!(folder.export().iter().all(|row| row[0].parse::<f64>() == row[3].parse()));
}
