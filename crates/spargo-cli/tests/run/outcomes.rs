//! What programs get, and what is made of what they return.

use crate::folder::{Folder, PLAIN, alive, exists, wait_until};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn every_kind_of_failure_is_recorded_with_its_reason() {
    let script = r#"
        case $(($1 % 8)) in
            0) echo 1; echo ouch >&2; exit 3;;
            1) kill -9 $$;;
            2) printf 'a\033[31mb'; exit 0;;
            3) echo nan;;
            4) exit 0;;
            5) echo 'noise on stdout'; echo warning >&2; echo '{"y": 2.5, "more": "x"}';;
            6) echo '{"z": 1}';;
            7) printf 'first\n-1.5e0\n\n';;
        esac"#;
    let folder = Folder::new(PLAIN, "{trial}", "budget = 16\nparallel = 3", script);
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("plain: 16 trials, 4 observed, 12 failed, 0 pending"), "{summary}");
    assert!(summary.contains("best observed: y 2.5") && summary.contains("plain.db"), "{summary}");
    for row in folder.export() {
        let trial: usize = row[0].parse().unwrap();
        let expected = match trial % 8 {
            0 => ["", "failed", "exit code 3; stderr: ouch"],
            1 => ["", "failed", "killed by signal 9 (SIGKILL)"],
            2 => ["", "failed", r"its output is not a number: a\u{1b}[31mb"],
            3 => ["", "failed", "the outcome is NaN"],
            4 => ["", "failed", "it printed nothing"],
            5 => ["2.5", "done", ""],
            6 => ["", "failed", r#"its output has no 'y': {"z": 1}"#],
            _ => ["-1.5", "done", ""],
        };
        assert_eq!(row[3..], expected, "{row:?}");
    }
}

#[test]
fn an_outcome_without_a_logarithm_is_a_failure_and_the_run_goes_on() {
    let study = format!("{PLAIN}[model]\noutcome-transform = 'log'\n");
    let folder = Folder::new(&study, "{trial}", "budget = 14", "echo $(($1 % 4)).5 | sed s/0.5/-0.5/");
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("14 trials, 11 observed, 3 failed"), "{summary}");
    assert_eq!(folder.export()[3][3..], ["", "failed", "'y' = -0.5 has no logarithm"]);
}

#[test]
fn an_overdue_program_is_killed_with_its_children() {
    let script = "sleep 300 & echo $! > grandchild; wait; echo 1";
    let folder = Folder::new(PLAIN, "{trial}", "budget = 1\ntimeout = 1.5", script);
    let complaint = folder.refused(&["run", "study.toml"]);
    assert!(complaint.contains("the first evaluation failed with: timeout"), "{complaint}");
    assert_eq!(folder.export()[0][3..], ["", "pending", ""], "nothing was ever observed");
    let grandchild = folder.read("grandchild");
    wait_until("the end of the grandchild", || !alive(&grandchild));
}

#[test]
fn an_evaluation_ends_with_its_program() {
    let folder = Folder::new(PLAIN, "{trial}", "budget = 1", "sleep 300 & echo $! > grandchild; echo 5");
    folder.done(&["run", "study.toml"]);
    assert_eq!(folder.export()[0][3..], ["5.0", "done", ""]);
    let grandchild = folder.read("grandchild");
    wait_until("the end of the grandchild", || !alive(&grandchild));
}

#[test]
fn values_are_never_interpreted_by_a_shell() {
    let words = [
        "$(touch x)",
        "`touch x`",
        "; touch x",
        "| touch x",
        "&& touch x",
        "> x",
        "'\" quotes '",
        "--help",
        "-",
        "a\nb",
        " spaces ",
        "{n}",
        "*",
        "ünï ☃",
        "\\",
    ];
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    let study = format!(
        "name = 'words'\n[objectives]\ny = {{ goal = 'min' }}\n[space]\nword = {{ choice = [{}] }}\n",
        quoted.join(", ")
    );
    let script = r#"printf '%s' "$1" > got-$SPARGO_TRIAL; printf '%s' "$2" > with-$SPARGO_TRIAL; echo 1"#;
    let folder = Folder::new(&study, "{word} --w={word}", "parallel = 4", script);
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("every point of the space has been asked for"), "{summary}");
    let got: BTreeSet<String> = (1..=words.len()).map(|trial| folder.read(&format!("got-{trial}"))).collect();
    assert_eq!(got, words.iter().map(|word| word.to_string()).collect());
    let with: BTreeSet<String> = (1..=words.len()).map(|trial| folder.read(&format!("with-{trial}"))).collect();
    assert_eq!(with, words.iter().map(|word| format!("--w={word}")).collect());
    assert!(!exists(&folder.path("x")));
}

#[test]
fn replicates_follow_the_exhaustion_of_a_small_space() {
    let study = "name = 'few'\nbatch = 4\n[objectives]\ny = { goal = 'min' }\n[space]\nn = { int = [1, 6] }\n";
    let folder = Folder::new(study, "{n}", "budget = 50\nfinal-replicates = 9", "echo $1");
    for _ in 0..2 {
        let summary = folder.done(&["run", "study.toml"]);
        assert!(summary.contains("15 trials, 15 observed"), "{summary}");
    }
    let rows = folder.export();
    assert_eq!(rows[..6].iter().map(|row| &row[1]).collect::<BTreeSet<_>>().len(), 6, "{rows:?}");
    assert!(rows[6..].iter().filter(|row| row[1] == "1").count() > 4, "{rows:?}");
    // Points that were added before leave none of the others out.
    let folder = Folder::new(study, "{n}", "budget = 50\nfinal-replicates = 3", "echo $1");
    folder.done(&["ask", "study.toml", "-n", "1"]);
    folder.write("own.csv", "n,y\n2,2\n2,2\n2,2\n2,2\n");
    folder.done(&["tell", "few.db", "own.csv"]);
    folder.done(&["run", "study.toml"]);
    let rows = folder.export();
    assert_eq!(rows.iter().map(|row| &row[1]).collect::<BTreeSet<_>>().len(), 6, "{rows:?}");
    assert_eq!(folder.status()["step"]["again"], 3);
    // If points may be asked for again anyway, there is no end of them.
    let folder =
        Folder::new(&format!("replicates = 'allowed'\n{study}"), "{n}", "budget = 20\nfinal-replicates = 3", "echo $1");
    assert!(folder.done(&["run", "study.toml"]).contains("20 trials, 20 observed"));
}

#[test]
fn the_point_comes_as_json_and_the_variance_goes_back() {
    let script = r#"cat > point-$SPARGO_TRIAL; printf '{\n "y": {"value": 1.5,\n "variance": 0.25}\n}\n'"#;
    let folder = Folder::new(PLAIN, "fixed", "budget = 3", script);
    let events = folder.done(&["run", "study.toml", "--json"]);
    for row in folder.export() {
        let point: Value = serde_json::from_str(&folder.read(&format!("point-{}", row[0]))).unwrap();
        assert_eq!(point["trial"].to_string(), row[0]);
        assert_eq!(point["x"].as_f64(), row[1].parse().ok());
        assert_eq!(point["n"].as_i64(), row[2].parse().ok());
        assert_eq!(point.as_object().unwrap().len(), 3, "{point}");
        assert_eq!(row[3], "1.5");
    }
    assert_eq!(events.matches(r#""variances":{"y":0.25}"#).count(), 3, "{events}");
}

#[test]
fn a_program_may_ignore_its_input_and_flood_its_output() {
    let script =
        "i=0; while [ $i -lt 12 ]; do head -c 262144 /dev/zero | tr '\\0' 'y'; i=$((i+1)); done; echo; echo 42";
    let long = "word-".repeat(40_000);
    let study = format!(
        "name = 'flood'\n[objectives]\ny = {{ goal = 'max' }}\n[space]\nw = {{ choice = ['{long}1', '{long}2'] }}\n"
    );
    let folder = Folder::new(&study, "", "", script);
    folder.done(&["run", "study.toml"]);
    assert!(folder.export().iter().all(|row| row[2] == "42.0" && row[3] == "done"));
}

#[test]
fn events_report_the_whole_run() {
    check_events("batch", |batches| batches == [8, 4, 4, 2]);
    check_events("async", |asked| asked.iter().sum::<usize>() == 18 && asked.iter().all(|&count| count <= 2));
}

/// Runs in a mode and checks its events, and the number of points of every ask.
fn check_events(mode: &str, as_expected: fn(&[usize]) -> bool) {
    let script = "[ $1 = 3 ] && exit 1; awk -v x=$2 'BEGIN { print x * (1 - x) }'";
    let run = format!("mode = '{mode}'\nbudget = 18\nparallel = 2");
    let folder = Folder::new(PLAIN, "{trial} {x}", &run, script);
    let said = folder.spargo(&["run", "study.toml", "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    let events: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    assert_eq!(
        (&events[0]["event"], &events[0]["budget"], &events[0]["parallel"]),
        (&"started".into(), &18.into(), &2.into())
    );
    let batches: Vec<usize> = of("asked").iter().map(|asked| asked["trials"].as_array().unwrap().len()).collect();
    assert!(as_expected(&batches), "{mode}: {batches:?}");
    let numbers = |list: Vec<&Value>| list.iter().map(|of| of["trial"].as_u64().unwrap()).collect::<BTreeSet<u64>>();
    let asked = numbers(of("asked").iter().flat_map(|asked| asked["trials"].as_array().unwrap()).collect());
    assert_eq!(asked, (1..=18).collect());
    assert_eq!(numbers(of("told")), asked);
    for told in of("told") {
        match told["trial"].as_u64() {
            Some(3) => assert_eq!((&told["status"], &told["reason"]), (&"failed".into(), &"exit code 1".into())),
            _ => assert!(told["status"] == "done" && told["values"]["y"].as_f64().unwrap() <= 0.25, "{told}"),
        }
        assert!(told["seconds"].as_f64().unwrap() > 0.0, "{told}");
    }
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["why"]), (&"finished".into(), &"budget".into()));
    let best = &last["best"];
    assert!(best["observed"]["value"].as_f64().unwrap() <= 0.25 && best["observed"]["point"]["x"].is_f64(), "{last}");
    let of = |key: &str| best["believed"][key].as_f64().unwrap();
    assert!(of("low") <= of("mean") && of("mean") <= of("high"), "{last}");
}

#[test]
fn parallel_evaluations_are_as_many_as_set() {
    let script = "mkdir -p now; : > now/$1; ls now | wc -l >> counts; sleep 0.2; rm now/$1; echo $1";
    let folder = Folder::new(PLAIN, "{trial}", "budget = 12\nparallel = 4", script);
    folder.done(&["run", "study.toml"]);
    let counts: Vec<usize> = folder.read("counts").lines().map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(counts.len(), 12);
    assert!(counts.iter().all(|&count| count <= 4) && counts.iter().any(|&count| count > 1), "{counts:?}");
}

#[test]
fn a_program_is_relative_to_the_study_file() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 2", "pwd > where; echo 1");
    folder.edit("study.toml", "'sh sim.sh", "'./shell sim.sh");
    std::os::unix::fs::symlink("/bin/sh", folder.path("shell")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let file = folder.path("study.toml").display().to_string();
    let output = folder.command(&["run", &file]).current_dir(&elsewhere).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let here = folder.path("").canonicalize().unwrap();
    assert_eq!(folder.read("where").trim(), here.display().to_string());
}

#[test]
fn a_program_that_cannot_be_started_is_no_failed_trial() {
    let commands = [
        ("no-such-program {x}", ["run.command: cannot start 'no-such-program'", "check its name"]),
        ("./missing {x}", ["/missing'", "relative to the folder of the study file"]),
        ("./sim.sh {x}", ["/sim.sh'", "chmod +x"]),
    ];
    for (mode, pending) in [("async", 3), ("batch", 8)] {
        let folder = Folder::new(PLAIN, "{x}", "", "");
        for (command, words) in commands {
            let run = format!("[run]\ncommand = '{command}'\nmode = '{mode}'\nparallel = 3\n");
            folder.write("study.toml", &format!("{PLAIN}{run}"));
            let complaint = folder.refused(&["run", "study.toml"]);
            assert!(words.iter().all(|word| complaint.contains(word)), "{complaint}");
            let status = folder.status();
            let counts = ["failed", "observed", "pending"].map(|key| status[key].as_u64().unwrap());
            assert_eq!(counts, [0, 0, pending], "{mode}");
        }
    }
}

#[test]
fn one_crash_is_no_reason_to_give_up() {
    let study = PLAIN.replace("initial = 8", "initial = 1");
    let folder = Folder::new(&study, "{trial}", "budget = 6", "[ $1 -gt 4 ] && echo $1");
    assert!(folder.done(&["run", "study.toml"]).contains("6 trials, 2 observed, 4 failed"));
    folder.write("sim.sh", "exit 1");
    folder.edit("study.toml", "name = 'plain'", "name = 'other'");
    assert!(folder.refused(&["run", "study.toml"]).contains("all of the first 5 evaluations failed"));
}

#[test]
fn a_run_gives_up_when_everything_fails() {
    let folder = Folder::new(PLAIN, "{trial}", "budget = 20", "[ $1 = 2 ] && exit 7; echo no licence >&2; exit 5");
    let complaint = folder.refused(&["run", "study.toml"]);
    for words in
        ["all of the first 8 evaluations failed", "7 of them", "exit code 5; stderr: no licence", "--keep-going"]
    {
        assert!(complaint.contains(words), "{complaint}");
    }
    assert!(complaint.contains("as nothing was ever observed, 8 trials are pending again"), "{complaint}");
    assert_eq!((&folder.status()["failed"], &folder.status()["pending"]), (&0.into(), &8.into()));
    let summary = folder.done(&["run", "study.toml", "--keep-going"]);
    assert!(summary.contains("20 trials, 0 observed, 20 failed"), "{summary}");
    folder.edit("study.toml", "budget = 20", "budget = 40");
    folder.write("sim.sh", "echo 1");
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("40 trials, 40 observed, 0 failed"), "{summary}");
    // What an earlier run observed says nothing about this one.
    folder.edit("study.toml", "budget = 40", "budget = 60");
    folder.write("sim.sh", "exit 5");
    let again = "make them pending again (`spargo retry --failed`)";
    assert!(!complaint.contains(again), "{complaint}");
    let complaint = folder.refused(&["run", "study.toml"]);
    assert!(complaint.contains("all of the first 8 evaluations failed") && complaint.contains(again), "{complaint}");
    assert_eq!(folder.status()["failed"], 8);
}

/// Garbage in place of a class is a failed trial like any other, and the run continues.
#[test]
fn outcomes_that_are_no_class_fail() {
    let study = PLAIN.replace("'max'", "'classify'");
    let folder = Folder::new(
        &study,
        "{trial}",
        "budget = 12",
        "case $(($1 % 3)) in 0) echo 2;; 1) echo True;; 2) echo 0;; esac",
    );
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("plain: 12 trials, 8 observed, 4 failed, 0 pending"), "{summary}");
    for row in folder.export() {
        let expected = match row[0].parse::<usize>().unwrap() % 3 {
            0 => ["", "failed", "its output is not a class (1 or 0, yes or no): 2"],
            1 => ["1.0", "done", ""],
            _ => ["0.0", "done", ""],
        };
        assert_eq!(row[3..], expected, "{row:?}");
    }
}

/// Without a feasible trial the one that violates the constraints least is shown, and the summary says so.
#[test]
fn summaries_count_feasible_trials() {
    let study = PLAIN.replace("[space]", "[constraints]\nz = { at-most = 0 }\n[space]");
    for (script, kept, best) in [("echo '{\"y\": 1, \"z\": 1}'", 0, false), ("echo '{\"y\": 1, \"z\": -1}'", 12, true)]
    {
        let folder = Folder::new(&study, "{trial}", "budget = 12", script);
        let summary = folder.done(&["run", "study.toml"]);
        assert!(summary.contains(&format!("within all constraints: {kept} of 12 observed")), "{summary}");
        assert_eq!(
            summary.contains("no trial satisfies all constraints; closest to them by the model"),
            !best,
            "{summary}"
        );
        let status: Value = serde_json::from_str(&folder.done(&["status", "study.toml", "--json"])).unwrap();
        assert_eq!((&status["feasible"], &status["best"]["feasible"]), (&kept.into(), &best.into()), "{status}");
    }
}

#[test]
fn an_output_without_any_outcome_is_named_and_does_not_stop_the_others() {
    let folder = Folder::new(&PLAIN.replace("[space]", "[constraints]\nz = { at-most = 1 }\n[space]"), "{x}", "", "");
    let rows: String = (0..10).map(|i| format!("0.{i},{},{}\n", 7 * i, i * i)).collect();
    folder.write("today.csv", &format!("x,n,y\n{rows}"));
    folder.done(&["tell", "study.toml", "today.csv"]);
    let asked = folder.spargo(&["ask", "study.toml", "-n", "3"]);
    assert_eq!(asked.code, Some(0), "{asked:?}");
    let words = "no outcome of 'z' is known yet, and the choice does not depend on it";
    assert!(asked.stderr.contains(words) && !asked.stderr.contains("no model"), "{asked:?}");
    assert_eq!(folder.status()["warnings"], serde_json::json!([words]));
    folder.done(&["report", "study.toml", "-o", "page.html"]);
    let page = folder.read("page.html");
    assert!(page.contains("There is no outcome of z yet") && page.contains(words), "{words}");
    let suggested = folder.done(&["suggest", "study.toml", "--data", "today.csv", "--predict", "-n", "2"]);
    let lines: Vec<&str> = suggested.lines().collect();
    assert_eq!(lines[0], "x,n,y mean,y low,y high,z mean,z low,z high");
    assert!(
        lines.len() == 3 && lines[1..].iter().all(|line| line.ends_with(",,,") && !line.contains(",,,,")),
        "{lines:?}"
    );
}

#[test]
fn a_program_that_never_prints_one_of_its_outputs_is_warned_of() {
    let study = PLAIN.replace("[space]", "[constraints]\nz = { at-most = 1 }\n[space]");
    let folder = Folder::new(&study, "{x}", "budget = 12", "echo \"{\\\"y\\\": $1}\"");
    let said = folder.spargo(&["run", "study.toml"]);
    let words = "warning: no outcome of 'z' is known yet, and the choice does not depend on it: it failed in ";
    assert!(said.code == Some(0) && said.stderr.matches(words).count() == 1, "{said:?}");
    assert!(said.stdout.contains(&format!("{words}12 trials\n")), "{said:?}");
}
