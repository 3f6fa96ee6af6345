//! Corrections by other processes: between runs that are killed, and during them.

use crate::folder::{Folder, PLAIN, said, wait_until};
use serde_json::Value;
use std::time::Duration;

/// A value for every point.
const SCRIPT: &str = "echo $1 >> log; sleep 0.03; awk -v x=$2 -v n=$3 'BEGIN { print sin(7 * x) + n / 99 }'";

/// Hangs in one trial until a file is there.
const HANGING: &str = "echo $1 >> log; [ $1 != 8 ] || while [ ! -e go ]; do sleep 0.02; done;
    awk -v x=$2 -v n=$3 'BEGIN { print sin(7 * x) + n / 99 }'";

/// A budget that grows: corrections come in between.
const BUDGETS: [&str; 3] = ["budget = 12", "budget = 22", "budget = 30"];

fn amend<'a>(trial: &'a str, value: &'a str) -> [&'a str; 8] {
    ["amend", "study.toml", "--trial", trial, "--value", value, "--reason", "a typo"]
}

fn withdraw<'a>(how: &'a str, trial: &'a str) -> [&'a str; 6] {
    [how, "study.toml", "--trial", trial, "--reason", "a swapped vial"]
}

/// Corrections after each budget but the last, among them a trial that counts again after it was discarded.
fn correct(folder: &Folder, step: usize) {
    match step {
        0 => {
            folder.done(&amend("3", "1.75"));
            folder.done(&withdraw("discard", "5"));
            folder.done(&withdraw("retry", "7"));
            folder.done(&["enqueue", "study.toml", "--set", "x=0.5", "--set", "n=42"]);
        }
        1 => {
            folder.done(&["amend", "study.toml", "--trial", "9", "--failed", "cracked", "--reason", "seen late"]);
            folder.done(&amend("5", "0.125"));
        }
        _ => {}
    }
}

/// Runs the study to its end, killed so many times on the way.
fn run_killed(folder: &Folder, kills: u64, state: &mut u64) -> u64 {
    for kill in 0..kills {
        let mut run = folder.start();
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(40 * kill + (*state >> 33) % 120));
        if run.try_wait().unwrap().is_some() {
            return kill;
        }
        run.kill().unwrap();
        run.wait().unwrap();
    }
    folder.done(&["run", "study.toml"]);
    kills
}

#[test]
fn killed_runs_with_corrections_in_between_end_like_runs_that_are_not_killed() {
    let folder = || Folder::new(PLAIN, "{trial} {x} {n}", "mode = 'batch'\nparallel = 3\nbudget = 12", SCRIPT);
    let (calm, rough) = (folder(), folder());
    let (mut kills, mut state) = (0, 3_u64);
    for (step, budget) in BUDGETS.into_iter().enumerate() {
        for folder in [&calm, &rough] {
            folder.edit("study.toml", BUDGETS[step.saturating_sub(1)], budget);
        }
        calm.done(&["run", "study.toml"]);
        kills += run_killed(&rough, 4, &mut state);
        assert_eq!(rough.export(), calm.export(), "{budget}");
        correct(&calm, step);
        correct(&rough, step);
    }
    assert!(kills >= 3, "{kills} kills");
    let rows = calm.export();
    assert_eq!((rows[2][3].as_str(), rows[4][3].as_str(), rows[8][5].as_str()), ("1.75", "0.125", "cracked"));
    assert_eq!(rows[12][1..3], ["0.5", "42"], "{rows:?}");
    assert!(rows.len() == 30 && rows.iter().all(|row| row[4] != "pending"), "{rows:?}");
}

#[test]
fn corrections_during_runs_that_are_killed_are_kept() {
    let folder = Folder::new(PLAIN, "{trial} {x} {n}", "budget = 32\nparallel = 3", SCRIPT);
    let (mut state, mut acknowledged) = (5_u64, Vec::new());
    for life in 1..=5 {
        let mut run = folder.start();
        // Evaluations are no measure: what a killed run left pending is evaluated again.
        let trials = || folder.path("plain.db").exists().then(|| folder.status()["trials"].as_u64())?;
        wait_until("trials to correct", || trials() >= Some(3 * life as u64 + 3));
        for (which, how) in ["amended", "discarded", "retried"].into_iter().enumerate() {
            let trial = (3 * (life - 1) + which + 1).to_string();
            folder.done(&match how {
                "amended" => amend(&trial, "0.0625").to_vec(),
                "discarded" => withdraw("discard", &trial).to_vec(),
                _ => withdraw("retry", &trial).to_vec(),
            });
            acknowledged.push((trial, how));
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis((state >> 33) % 60));
        run.kill().unwrap();
        run.wait().unwrap();
    }
    folder.done(&["run", "study.toml"]);
    let history = folder.done(&["export", "study.toml", "--history", "--json"]);
    let history: Vec<Value> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rows = folder.export();
    for (trial, how) in acknowledged {
        let row = &rows[trial.parse::<usize>().unwrap() - 1];
        let changes: Vec<&Value> =
            history.iter().filter(|change| change["trial"].as_u64() == trial.parse().ok()).collect();
        match how {
            "amended" => assert_eq!((row[3].as_str(), row[4].as_str()), ("0.0625", "done")),
            "discarded" => assert_eq!(row[4], "discarded"),
            _ => assert_eq!(row[4], "done", "evaluated again, or for the first time"),
        }
        // A trial that had no outcome yet is as pending as it was.
        assert!(how == "retried" || changes.len() == 1 && changes[0]["change"] == how, "{trial} {how} {history:?}");
    }
    assert_eq!(rows.iter().filter(|row| row[4] == "done").count(), 32, "{rows:?}");
}

#[test]
fn a_run_uses_corrections_from_its_next_batch_on() {
    let folder = || Folder::new(PLAIN, "{trial} {x} {n}", "mode = 'batch'\nbudget = 12\nparallel = 2", HANGING);
    let (during, between, never) = (folder(), folder(), folder());
    let run = during.start();
    wait_until("seven outcomes", || during.path("plain.db").exists() && during.status()["observed"] == 7);
    during.done(&amend("2", "50"));
    during.write("go", "");
    assert_eq!(said(run.wait_with_output().unwrap()).code, Some(0));

    between.write("go", "");
    between.edit("study.toml", "budget = 12", "budget = 8");
    between.done(&["run", "study.toml"]);
    between.done(&amend("2", "50"));
    between.edit("study.toml", "budget = 8", "budget = 12");
    between.done(&["run", "study.toml"]);
    assert_eq!(during.export(), between.export());

    never.write("go", "");
    never.done(&["run", "study.toml"]);
    let (with, without) = (during.export(), never.export());
    assert_eq!(with[2..8], without[2..8]);
    assert!((8..12).any(|i| with[i][1..3] != without[i][1..3]), "{with:?}");
}

#[test]
fn a_run_repeats_what_is_retried_and_outlives_what_is_discarded_in_flight() {
    let folder = Folder::new(PLAIN, "{trial} {x} {n}", "mode = 'batch'\nbudget = 12\nparallel = 2", HANGING);
    let run = folder.start();
    wait_until("seven outcomes", || folder.path("plain.db").exists() && folder.status()["observed"] == 7);
    folder.done(&withdraw("retry", "3"));
    folder.done(&withdraw("discard", "8"));
    folder.write("go", "");
    let said = said(run.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stderr.contains("trial 8 was discarded"), "{said:?}");
    assert!(said.stdout.contains("12 trials, 12 observed"), "{said:?}");
    let log = folder.read("log");
    assert_eq!(log.lines().filter(|line| *line == "3").count(), 2, "{log}");
    let rows = folder.export();
    let status: Vec<&str> = rows.iter().map(|row| row[4].as_str()).collect();
    assert_eq!(status, [["done"; 7].as_slice(), &["discarded"], &["done"; 5]].concat());
}
