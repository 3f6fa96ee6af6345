//! Runs with `mode = "async"`: every worker is busy, nothing is lost or repeated when they are killed, and others see them.

use crate::folder::{Folder, PLAIN, said, wait_until};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Duration;

/// Evaluates the design and half as much again, then hangs until a file is there; not for ever, as it may outlive a run that is
/// killed.
const HANGING: &str = "echo $1 >> started; i=0
    while [ $1 -gt 12 ] && [ ! -e go ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i + 1)); done; echo $2";

/// The numbers of a column of the export.
fn trials(folder: &Folder) -> Vec<u64> {
    folder.export().iter().map(|row| row[0].parse().unwrap()).collect()
}

/// Programs that wait for others end at their timeout, as failures, if these are not evaluated at the same time.
#[test]
fn workers_wait_neither_for_a_batch_nor_for_a_straggler() {
    let all_busy = "echo $1 >> began; least=$(($1 + 3)); [ $least -le 16 ] || least=16; \
                    while [ $(wc -l < began) -lt $least ]; do sleep 0.02; done; echo $1";
    let straggler = "[ $1 != 2 ] || while [ $(wc -l < ended) -lt 15 ]; do sleep 0.02; done; echo $1 >> ended; echo $1";
    for (script, log) in [(all_busy, "began"), (straggler, "ended")] {
        let study = PLAIN.replace("batch = 4", "batch = 1").replace("initial = 8", "initial = 4");
        let folder = Folder::new(&study, "{trial}", "budget = 16\nparallel = 4\ntimeout = 40", script);
        folder.write(log, "");
        let summary = folder.done(&["run", "study.toml"]);
        assert!(summary.contains("16 trials, 16 observed, 0 failed, 0 pending"), "{log}: {summary}");
        assert_eq!(folder.read(log).lines().count(), 16, "{log}");
        let points: BTreeSet<Vec<String>> = folder.export().iter().map(|row| row[1..3].to_vec()).collect();
        assert_eq!(points.len(), 16, "{log}");
    }
}

/// With a run, all that asks, fits and evaluates is killed at once.
#[test]
fn a_killed_run_loses_nothing_and_evaluates_nothing_again_that_was_told() {
    let script = "echo $RUN $1 >> log; sleep 0.02; awk -v x=$2 -v n=$$ 'BEGIN { print sin(7 * x) + n * 1e-9 }'";
    let study = format!("replicates = 'never'\n{PLAIN}");
    let folder = Folder::new(&study, "{trial} {x}", "budget = 60\nparallel = 3", script);
    let start = |run: usize| {
        let mut command = folder.command(&["run", "study.toml"]);
        command.env("RUN", run.to_string()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (mut known, mut lines, mut state) = (BTreeMap::new(), 0, 1_u64);
    let mut random = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % most
    };
    for run in 0..6 {
        let mut process = start(run);
        lines += 2 + random(8) as usize;
        folder.wait_for_lines("log", lines);
        std::thread::sleep(Duration::from_millis(random(30)));
        process.kill().unwrap();
        process.wait().unwrap();
        lines = folder.read("log").lines().count();
        let rows = folder.export();
        let told = rows.into_iter().filter(|row| row[4] == "done").map(|row| (row[0].clone(), row));
        for (trial, row) in told {
            let (_, before) = known.entry(trial).or_insert((run, row.clone()));
            assert_eq!(*before, row);
        }
    }
    let last = said(start(6).wait_with_output().unwrap());
    assert!(last.code == Some(0) && last.stdout.contains("60 trials, 60 observed, 0 failed, 0 pending"), "{last:?}");
    let (rows, log) = (folder.export(), folder.read("log"));
    assert_eq!(trials(&folder), (1..=60).collect::<Vec<_>>());
    assert_eq!(rows.iter().map(|row| &row[1..3]).collect::<BTreeSet<_>>().len(), 60, "{rows:?}");
    assert!(known.len() > 6, "{known:?}");
    for (trial, (run, row)) in &known {
        assert!(rows.contains(row), "{row:?} is lost");
        let later = |line: &&str| {
            let (of, which) = line.split_once(' ').unwrap();
            which == trial && of.parse::<usize>().unwrap() > *run
        };
        assert_eq!(log.lines().find(later), None, "trial {trial} was known after run {run}");
    }
}

/// A run that hangs, with points ready: its process, to be killed.
fn hanging(folder: &Folder) -> std::process::Child {
    let run = folder.start();
    folder.wait_for_lines("started", 14);
    wait_until("points that are ready", || {
        let status = folder.status();
        status["observed"] == 12 && status["ready"].as_array().is_some_and(|ready| !ready.is_empty())
    });
    run
}

fn hanging_folder() -> Folder {
    // So large a batch that what is ready stays good for all that is told here.
    let study = PLAIN.replace("batch = 4", "batch = 16");
    Folder::new(&study, "{trial} {x}", "budget = 40\nparallel = 2", HANGING)
}

#[test]
fn an_ask_takes_what_a_run_has_ready_until_its_model_has_missed_a_batch() {
    let folder = hanging_folder();
    let mut run = hanging(&folder);
    let ask = |count: usize| {
        folder.done(&["ask", "study.toml", "-n", &count.to_string()]);
        folder.status()["step"].clone()
    };
    let beside = ask(2);
    assert_eq!((&beside["asked"], &beside["ready"], &beside["models"]), (&2.into(), &2.into(), &Value::Array(vec![])));
    run.kill().unwrap();
    run.wait().unwrap();
    let runner = &folder.status()["runners"][0];
    assert_eq!((&runner["alive"], &runner["stopped"]), (&false.into(), &false.into()), "{runner}");
    assert!(folder.done(&["status", "study.toml"]).contains(": killed?"));
    let after = ask(1);
    assert_eq!((&after["ready"], &after["models"]), (&1.into(), &Value::Array(vec![])), "what is ready outlives a run");
    assert_eq!(trials(&folder), (1..=17).collect::<Vec<_>>());
    let rows: String = (0..16).map(|i| format!("{},{i},{}\n", f64::from(i) / 16.0, i % 5)).collect();
    folder.write("others.csv", &format!("x,n,y\n{rows}"));
    folder.done(&["tell", "study.toml", "others.csv"]);
    let fitted = ask(1);
    assert_eq!(fitted["ready"], 0);
    assert_eq!(fitted["models"][0]["observations"], 28, "the model has seen everything: {fitted}");
    assert_eq!(folder.status()["ready"], Value::Array(vec![]), "its points replace the others");
}

#[test]
fn status_says_what_a_run_evaluates_and_what_is_ready() {
    let folder = hanging_folder();
    let run = hanging(&folder);
    let status = folder.status();
    let runner = &status["runners"][0];
    let keys: Vec<&String> = runner.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["alive", "busy_s", "busy_share", "heartbeat_s", "name", "stopped", "trials", "waiting_s", "workers"]
    );
    assert_eq!((&runner["alive"], &runner["workers"]), (&true.into(), &2.into()), "{runner}");
    let trials: Vec<u64> =
        runner["trials"].as_array().unwrap().iter().map(|trial| trial["trial"].as_u64().unwrap()).collect();
    assert_eq!(trials, [13, 14], "{runner}");
    assert!(runner["heartbeat_s"].as_f64() >= Some(0.0), "{runner}");
    let text = folder.done(&["status", "study.toml"]);
    let name = runner["name"].as_str().unwrap();
    let points = status["ready"][0]["points"].as_u64().unwrap();
    let step = status["ready"][0]["ask"].as_u64().unwrap();
    for words in [
        format!("run {name}: 2 workers"),
        "; last heartbeat ".into(),
        "  evaluating: trials 13 for ".into(),
        format!("ready: {points} points chosen in step {step}"),
    ] {
        assert!(text.contains(&words), "{words}: {text}");
    }
    folder.write("go", "");
    let said = said(run.wait_with_output().unwrap());
    assert!(said.code == Some(0) && said.stdout.contains("40 trials, 40 observed"), "{said:?}");
    assert_eq!(folder.status()["runners"], Value::Array(vec![]), "it is over");
}

#[test]
fn a_wrong_mode_is_named_with_its_line() {
    let folder = Folder::new(PLAIN, "{x}", "mode = 'asinc'", "echo 1");
    let complaint = folder.refused(&["run", "study.toml"]);
    for words in ["study.toml:11", "asinc", "did you mean", "async"] {
        assert!(complaint.contains(words), "{words}: {complaint}");
    }
}

#[test]
fn a_run_out_of_time_begins_nothing_and_waits_for_what_runs() {
    let script = "echo $1 >> started; sleep 0.2; echo $1 >> ended; echo $1";
    for mode in ["async", "batch"] {
        let study = PLAIN.replace("initial = 8", "initial = 4000");
        let run = format!("mode = '{mode}'\nbudget = 4000\nparallel = 2\nduration = 1");
        let folder = Folder::new(&study, "{trial}", &run, script);
        let said = folder.spargo(&["run", "study.toml"]);
        let words = "stopped after its duration of 1 s";
        assert!(said.code == Some(0) && said.stdout.contains(words), "{mode}: {said:?}");
        let (started, ended) = (folder.read("started").lines().count(), folder.read("ended").lines().count());
        assert!(started < 4000, "{mode}: {said:?}");
        assert!(started == ended && folder.status()["observed"] == started, "{mode}: {started} started, {ended} ended");
        folder.edit("study.toml", "duration = 1", "duration = -1");
        let complaint = folder.refused(&["run", "study.toml"]);
        assert!(complaint.contains("a duration must be positive") && complaint.contains(":14"), "{complaint}");
    }
}
