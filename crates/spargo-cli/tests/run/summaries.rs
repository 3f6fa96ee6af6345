//! What `run` and `status` say of a study: fronts, classes, failures, the budget, and a line per batch.

use crate::folder::{Folder, PLAIN};

#[test]
fn a_finished_run_names_budget_failures_and_report() {
    let script = "case $SPARGO_TRIAL in 2|5) echo oops >&2; exit 3;; 7) sleep 9;; esac; echo $1";
    let folder = Folder::new(PLAIN, "{x}", "mode = 'batch'\nbudget = 12\ntimeout = 1\nparallel = 4", script);
    let said = folder.done(&["run", "study.toml"]);
    assert!(said.contains("failed: 2 exit code 3, 1 timeout after 1 s\n"), "{said}");
    assert!(said.contains("budget of 12 trials spent, 3 failed"), "{said}");
    assert!(said.contains("`spargo report study.toml`"), "{said}");
    // Standard output is no terminal: a line per batch.
    assert!(said.starts_with("batch 1: 8 points in "), "{said}");
    assert!(said.contains("\nbatch 2: 4 points in "), "{said}");
    assert!(said.contains("12 of 12 trials asked for, 5 observed, 3 failed, best 0."), "{said}");
    assert_eq!(folder.status()["failures"][0], serde_json::json!({ "reason": "exit code 3", "trials": 2 }));
}

#[test]
fn a_log_of_an_async_run_has_a_line_for_every_batch_of_points() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 18\nparallel = 2", "echo $1");
    let said = folder.done(&["run", "study.toml"]);
    let lines: Vec<&str> = said.lines().filter(|line| line.contains(" trials asked for, ")).collect();
    assert!((3..=4).contains(&lines.len()), "{said}");
    let points = |line: &&str| line.split(' ').next().unwrap().parse::<usize>().unwrap();
    assert!(lines.iter().all(|line| (4..=5).contains(&points(line))), "{said}");
}

#[test]
fn the_ends_and_the_knee_of_a_front_are_shown() {
    let study = PLAIN.replace("y = { goal = 'max' }", "y = { goal = 'max' }\nz = { goal = 'min' }");
    // z is least where y is: every trial is on the front, and the knee lies between.
    let script = "echo $1 | awk '{ printf \"{\\\"y\\\": %.9f, \\\"z\\\": %.9f}\\n\", $1, $1 * $1 * $1 }'";
    let folder = Folder::new(&study, "{x}", "budget = 12", script);
    for said in [folder.done(&["run", "study.toml"]), folder.done(&["status", "study.toml"])] {
        for words in ["  largest y: y 0.9", "  smallest z: y 0.0", "  knee: y 0."] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
    let front = folder.status()["front"].clone();
    let place = |trial: &serde_json::Value| {
        let list = front["believed"].as_array().unwrap();
        list.iter().find(|point| point["trial"] == *trial).unwrap()["outputs"]["y"].as_f64().unwrap()
    };
    let (low, knee, high) = (place(&front["ends"]["z"]), place(&front["knee"]), place(&front["ends"]["y"]));
    assert!(low < knee && knee < high, "{front}");
}

#[test]
fn classes_have_their_accuracy() {
    let study = PLAIN.replace("goal = 'max'", "goal = 'classify'").replace("initial = 8", "initial = 40");
    let folder = Folder::new(&study, "{x}", "budget = 44\nparallel = 4", "echo $1 | awk '{ print ($1 > 0.4) }'");
    let said = folder.done(&["run", "study.toml"]);
    assert!(said.contains("classes predicted right, each left out in turn: "), "{said}");
    let accuracy = folder.status()["accuracy"].as_f64().unwrap();
    assert!(accuracy > 0.85 && accuracy <= 1.0, "{accuracy}");
}

#[test]
fn words_of_a_shell_and_names_too_long_are_refused_with_a_remedy() {
    for (command, word) in [
        ("sh sim.sh {x} | tail -1", "'|'"),
        ("sh sim.sh {x} > log", "'>'"),
        ("sh sim.sh {x} 2>&1", "'2>&1'"),
        ("cd there && ./sim {x}", "'&&'"),
    ] {
        let folder = Folder::new(PLAIN, "{x}", "", "");
        folder.edit("study.toml", "sh sim.sh {x}", command);
        let complaint = folder.refused(&["run", "study.toml"]);
        assert!(complaint.contains("study.toml:10") && complaint.contains(word), "{complaint}");
        assert!(complaint.contains("command = [\"sh\", \"-c\""), "{complaint}");
        folder.edit("study.toml", &format!("'{command}'"), "['sh', '-c', 'echo {x} | cat']");
        folder.edit("study.toml", "initial = 8", "initial = 2");
        folder.write("study.toml", &(folder.read("study.toml") + "budget = 2\n"));
        folder.done(&["run", "study.toml"]);
    }
    let folder = Folder::new(&PLAIN.replace("'plain'", &format!("'{}'", "n".repeat(300))), "{x}", "", "");
    let complaint = folder.refused(&["ask", "study.toml"]);
    assert!(complaint.contains("study.toml:1") && complaint.contains("at most 200"), "{complaint}");
}

#[test]
fn refusals_name_their_line_in_a_sentence() {
    let refused = |from: &str, to: &str| {
        let folder = Folder::new(PLAIN, "{x}", "", "");
        folder.edit("study.toml", from, to);
        folder.refused(&["ask", "study.toml"])
    };
    let rule = refused("batch = 4", "batch = 4\nrule = 'ehvi'");
    assert!(rule.contains("study.toml:4") && rule.contains("'rule' cannot be \"ehvi\" for these outputs"), "{rule}");
    let class = refused("y = { goal = 'max' }", "y = { goal = 'max' }\nz = { goal = 'classify' }");
    assert!(class.contains("study.toml:6") && class.contains("'z' cannot be classified"), "{class}");
}

#[test]
fn the_demo_looks_at_its_folder_before_it_begins() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    let said = folder.spargo(&["demo", "-o", "no/such/folder.svg"]);
    assert!(said.code == Some(1) && said.stdout.is_empty(), "{said:?}");
    assert!(said.stderr.contains("cannot write no/such/folder.svg"), "{said:?}");
}

#[test]
fn extreme_outcomes_are_warned_of_everywhere() {
    let script = "case $SPARGO_TRIAL in 3|6|9) echo -1e6;; *) echo $1;; esac";
    let folder = Folder::new(PLAIN, "{x}", "mode = 'batch'\nbudget = 24", script);
    let said = folder.spargo(&["run", "study.toml"]);
    let words = "3 trials (3, 6, 9) have exactly y = -1e6, far below all others, and models do not see them as they are: are these failures?";
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.stderr.matches(words).count(), 1, "{said:?}");
    for text in [said.stdout, folder.done(&["status", "study.toml"])] {
        assert!(text.contains(&format!("warning: {words}")), "{text}");
    }
    let status = folder.status();
    assert!(status["warnings"][0].as_str().unwrap().starts_with(words), "{status}");
    assert_eq!(status["failed"], 0);
    let asked = folder.spargo(&["ask", "study.toml", "-n", "1"]);
    assert!(asked.stderr.contains(words), "{asked:?}");
    folder.edit("study.toml", "[space]", "[model]\npenalties = 'failures'\n[space]");
    folder.done(&["ask", "study.toml", "-n", "1"]);
    let status = folder.status();
    assert_eq!((&status["observed"], &status["failed"]), (&21.into(), &3.into()), "{status}");
    assert!(status["warnings"][0].as_str().unwrap().contains("are taken for failures"), "{status}");
}

#[test]
fn events_have_the_warnings_about_extreme_outcomes() {
    let script = "case $SPARGO_TRIAL in 3|6|9) echo -1e6;; *) echo $1;; esac";
    let folder = Folder::new(PLAIN, "{x}", "mode = 'batch'\nbudget = 24", script);
    let said = folder.spargo(&["run", "study.toml", "--json"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    let events = said.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let warnings: Vec<_> = events.filter(|event| event["event"] == "warning").collect();
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!((&warning["output"], &warning["trials"]), (&"y".into(), &serde_json::json!([3, 6, 9])));
    assert!(warning["message"].as_str().unwrap().starts_with("3 trials (3, 6, 9) have exactly y = -1e6"), "{warning}");
}

/// A wave whose top lies between two trials.
#[test]
fn the_best_point_may_be_one_that_was_not_evaluated() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    let rows = |rows: std::ops::Range<i32>| -> String {
        let y = |i: i32| (3.0 * f64::from(i) / 5.0).sin();
        rows.map(|i| format!("{},7,{}\n", f64::from(i) / 5.0, y(i))).collect()
    };
    folder.write("past.csv", &format!("x,n,y\n{}", rows(0..6)));
    folder.done(&["tell", "study.toml", "past.csv"]);
    let said = folder.done(&["status", "study.toml", "--anywhere"]);
    assert!(said.contains("\nbest anywhere: y ") && said.contains(") (not evaluated)\n  x 0.5"), "{said}");
    assert!(!folder.done(&["status", "study.toml"]).contains("anywhere"));
    let json = folder.done(&["status", "study.toml", "--anywhere", "--json"]);
    let best = serde_json::from_str::<serde_json::Value>(&json).unwrap()["best"].clone();
    let (anywhere, number) = (&best["anywhere"], |value: &serde_json::Value| value.as_f64().unwrap());
    assert!(anywhere["trial"].is_null() && anywhere["feasible"] == true, "{best}");
    assert!((number(&anywhere["point"]["x"]) - std::f64::consts::FRAC_PI_6).abs() < 0.05, "{best}");
    assert!(number(&anywhere["low"]) <= number(&anywhere["mean"]), "{best}");
    assert!(number(&anywhere["mean"]) <= number(&anywhere["high"]), "{best}");
    assert!(folder.status()["best"].get("anywhere").is_none());
    // Of five points, all of which were evaluated, it is a trial.
    let listed = PLAIN.replace("x = { real = [0, 1] }\nn = { int = [0, 99] }", "n = { int = [1, 5] }");
    let folder = Folder::new(&listed, "{n}", "", "");
    folder.write("past.csv", "n,y\n1,1\n2,4\n3,9\n4,5\n5,2\n");
    folder.done(&["tell", "study.toml", "past.csv"]);
    let said = folder.done(&["status", "study.toml", "--anywhere"]);
    assert!(said.contains(") (trial 3)\n  n 3\n"), "{said}");
}

#[test]
fn several_objectives_have_no_best_point_anywhere() {
    let study = PLAIN.replace("y = { goal = 'max' }", "y = { goal = 'max' }\nz = { goal = 'min' }");
    let folder = Folder::new(&study, "{x}", "", "");
    folder.done(&["ask", "study.toml"]);
    let complaint = folder.refused(&["status", "study.toml", "--anywhere"]);
    assert!(complaint.contains("--anywhere") && complaint.contains("has 2"), "{complaint}");
}
