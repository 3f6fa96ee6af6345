//! What is written: to readers who have gone, to devices that are full, and never over what it is made from.

use crate::folder::{Folder, PLAIN, said};
use std::fs::OpenOptions;
use std::process::Stdio;

/// A study that has begun, with everything that a command may read beside it.
fn desk() -> Folder {
    let folder = Folder::new(PLAIN, "{x}", "budget = 9", "echo $1");
    folder.write("pool.csv", "x (mm),n\n0.1,1\n0.2,2\n0.3,3\n");
    folder.write("pool.toml", "name = 'pool'\n[objectives]\ny = { goal = 'max' }\n[space]\ncandidates = 'pool.csv'\n");
    folder.write("results.csv", "x,n,y\n0.5,1,2\n0.6,3,4\n");
    folder.write("plate.csv", "x,n\n0.7,1\n");
    folder.done(&["run", "study.toml"]);
    folder.done(&["ask", "pool.toml", "-n", "1"]);
    folder
}

/// A stream whose reader has gone.
fn closed() -> Stdio {
    let (_, writer) = std::io::pipe().unwrap();
    writer.into()
}

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

#[test]
fn inputs_are_never_overwritten() {
    let folder = desk();
    let suggest = ["suggest", "study.toml", "--data", "results.csv", "--pending", "plate.csv", "-n", "1"];
    for (words, files) in [
        (&["export", "study.toml"][..], &["study.toml", "plain.db", "plain.db.lock"][..]),
        (&["export", "plain.db"], &["plain.db"]),
        (&["export", "pool.toml"], &["pool.csv", "pool.toml", "pool.db"]),
        (&["report", "study.toml"], &["study.toml", "plain.db"]),
        (&suggest, &["study.toml", "results.csv", "plate.csv"]),
        (&["suggest", "pool.toml", "-n", "1"], &["pool.toml", "pool.csv"]),
        (&["fit", "results.csv", "--target", "y", "--predict", "results.csv"], &["results.csv"]),
    ] {
        for file in files {
            let before = std::fs::read(folder.path(file)).unwrap();
            // By another name of it.
            let other = format!("./{file}");
            let complaint = folder.refused(&[words, &["-o", &other]].concat());
            assert!(complaint.contains("would overwrite"), "{words:?} {file}: {complaint}");
            assert!(std::fs::read(folder.path(file)).unwrap() == before, "{words:?} {file}");
        }
        folder.write("output", "old");
        let complaint = folder.refused(&[words, &["-o", "output"]].concat());
        assert!(complaint.contains("output exists already") && complaint.contains("--force"), "{complaint}");
        assert_eq!(folder.read("output"), "old");
        folder.done(&[words, &["-o", "output", "--force"]].concat());
        assert_ne!(folder.read("output"), "old");
    }
}

#[test]
fn closed_pipes_and_full_devices_never_panic() {
    let folder = desk();
    for words in [
        &["suggest", "study.toml", "-n", "2"][..],
        &["schema"],
        &["status", "study.toml"],
        &["export", "study.toml"],
        &["report", "study.toml", "--force"],
        &["fit", "results.csv", "--target", "y"],
        &["completions", "bash"],
        &["run", "study.toml"],
        &["new", "new.toml"],
    ] {
        let end = |stdout: Stdio| {
            let _ = std::fs::remove_file(folder.path("new.toml"));
            said(
                folder
                    .command(words)
                    .stdout(stdout)
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
                    .wait_with_output()
                    .unwrap(),
            )
        };
        let gone = end(closed());
        assert!(gone.code == Some(0) && !gone.stderr.contains("Error"), "{words:?} {gone:?}");
        let full = end(full());
        assert!(full.code == Some(1) && full.stderr.contains("cannot write to standard output"), "{words:?} {full:?}");
    }
}

/// Nothing else delivers the points of an ask: if they are lost, the message must say so.
#[test]
fn an_ask_that_reaches_nobody_says_which_trials_are_pending() {
    let folder = desk();
    let ask = |redirection: &str| {
        let line = format!("{} ask study.toml -n 3 {redirection}", env!("CARGO_BIN_EXE_spargo"));
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).current_dir(folder.path("")).stdin(Stdio::null());
        said(shell.output().unwrap())
    };
    folder.write("taken", "");
    for (redirection, first) in [(">&-", 10), ("> /dev/full", 13), ("-o /dev/full", 16)] {
        let ended = ask(redirection);
        let trials = format!("trials {first} to {} are pending", first + 2);
        assert_eq!(ended.code, Some(1), "{redirection}: {ended:?}");
        assert!(ended.stderr.contains(&trials), "{redirection}: {ended:?}");
        assert!(ended.stderr.contains("although their points were not delivered"), "{redirection}: {ended:?}");
    }
    let gone = folder.command(&["ask", "study.toml", "-n", "1"]).stdout(closed()).stderr(Stdio::piped()).spawn();
    let gone = said(gone.unwrap().wait_with_output().unwrap());
    assert!(gone.code == Some(1) && gone.stderr.contains("trial 19 is pending although its point was"), "{gone:?}");
    // The way out works as it is written, and leaves the other pending trials alone.
    let before = folder.status()["pending"].as_u64().unwrap();
    let help = gone.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let way = help.split('`').find(|words| words.starts_with("spargo discard")).unwrap();
    assert_eq!(way, "spargo discard study.toml --trial 19 --reason 'not delivered'");
    folder.done(&["discard", "study.toml", "--trial", "19", "--reason", "not delivered"]);
    assert_eq!(folder.status()["pending"], before - 1);
    // A shell's > /dev/null is meant, and what can be known before is refused before.
    assert_eq!(ask("> /dev/null").code, Some(0));
    assert_eq!(ask("-o taken").code, Some(1));
    assert_eq!(folder.status()["pending"], 12);
}

#[test]
fn a_run_continues_without_a_reader_of_its_log() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 12\nparallel = 40000", "echo $1");
    for stderr in [closed(), full()] {
        let _ = std::fs::remove_file(folder.path("plain.db"));
        let output = folder.command(&["-vv", "run", "study.toml"]).stderr(stderr).output().unwrap();
        let said = said(output);
        assert!(said.code == Some(0) && said.stdout.contains("12 trials, 12 observed"), "{said:?}");
    }
}

#[test]
fn requests_beyond_memory_are_refused() {
    let folder = desk();
    for words in [["ask", "study.toml", "-n", "18446744073709551615"], ["suggest", "study.toml", "-n", "1000000000000"]]
    {
        let complaint = folder.refused(&words);
        assert!(complaint.contains("must be at most 1000000"), "{words:?}: {complaint}");
    }
    folder.edit("study.toml", "batch = 4", "batch = 1000000000000");
    let complaint = folder.refused(&["suggest", "study.toml"]);
    assert!(complaint.contains("study.toml:3") && complaint.contains("at most 1000000"), "{complaint}");
}

#[test]
fn too_many_evaluations_at_a_time_are_refused() {
    let study = PLAIN.replace("batch = 4", "batch = 30000");
    let folder = Folder::new(&study, "{x}", "budget = 30000\nparallel = 30000", "");
    let complaint = folder.refused(&["run", "study.toml"]);
    assert!(complaint.contains("30000 is more than 4096") && complaint.contains("`parallel`"), "{complaint}");
}
