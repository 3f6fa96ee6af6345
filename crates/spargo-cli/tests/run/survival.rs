//! Runs that are interrupted, killed, resumed and disturbed.

use crate::folder::{Folder, PLAIN, alive, said, signal, wait_until};
use std::time::Duration;

/// Hangs from the fourth trial on until a file is there.
const HANGING: &str = "echo $$ >> started; [ $1 -lt 4 ] || while [ ! -e go ]; do sleep 0.05; done; echo $1";

#[test]
fn a_run_that_is_killed_again_and_again_ends_like_one_that_is_not() {
    let script = "echo $1 >> log; sleep 0.05; awk -v x=$2 -v n=$3 'BEGIN { print sin(7 * x) + n / 99 }'";
    let folder = || {
        Folder::new(PLAIN, "{trial} {x} {n}", "mode = 'batch'\nbudget = 36\nfinal-replicates = 7\nparallel = 3", script)
    };
    let (calm, rough) = (folder(), folder());
    calm.done(&["run", "study.toml"]);
    let (mut kills, mut state) = (0, 1_u64);
    loop {
        let mut run = rough.start();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // At first too early for anything, in the end late enough.
        std::thread::sleep(Duration::from_millis(20 * kills + (state >> 33) % 150));
        if run.try_wait().unwrap().is_some() || kills == 15 {
            let said = said(run.wait_with_output().unwrap());
            assert_eq!(said.code, Some(0), "{said:?}");
            break;
        }
        run.kill().unwrap();
        run.wait().unwrap();
        kills += 1;
        // Whenever it was killed: what was told is there, and no trial is missing.
        if rough.path("plain.db").exists() {
            let rows = rough.export();
            assert!(rows.iter().enumerate().all(|(i, row)| row[0] == (i + 1).to_string()), "{rows:?}");
        }
    }
    assert!(kills >= 3, "{kills} kills");
    assert_eq!(rough.export(), calm.export());
    let rows = calm.export();
    assert!(rows.len() == 36 && rows.iter().all(|row| row[4] == "done"), "{rows:?}");
    let inputs: Vec<&[String]> = rows.iter().map(|row| &row[1..3]).collect();
    let again = (0..36).filter(|&i| inputs[..i].contains(&inputs[i])).collect::<Vec<_>>();
    assert_eq!(again, (29..36).collect::<Vec<_>>(), "{rows:?}");
}

/// Noise, crashes and programs that hang, together, in runs that are killed.
#[test]
fn every_trial_has_one_outcome_however_the_run_is_disturbed() {
    let script = r#"
        echo $1 >> log
        case $(($1 % 6)) in
            1) sleep 300;;
            2) kill -9 $$;;
            3) exit 4;;
            *) awk -v seed=$1$$ -v x=$2 'BEGIN { srand(seed); print sin(7 * x) + rand() }';;
        esac"#;
    let folder = Folder::new(PLAIN, "{trial} {x}", "budget = 30\nparallel = 3\ntimeout = 1", script);
    for lines in [4, 9, 16] {
        let mut run = folder.start();
        folder.wait_for_lines("log", lines);
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let before = folder.export();
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("30 trials, 15 observed, 15 failed, 0 pending"), "{summary}");
    let rows = folder.export();
    for (i, row) in rows.iter().enumerate() {
        let reason = match (i + 1) % 6 {
            1 => "timeout after 1 s",
            2 => "killed by signal 9 (SIGKILL)",
            3 => "exit code 4",
            _ => "",
        };
        let status = if reason.is_empty() { "done" } else { "failed" };
        assert_eq!((&row[0], &row[4], &row[5]), (&(i + 1).to_string(), &status.into(), &reason.into()), "{row:?}");
        assert_eq!(row[3].parse::<f64>().is_ok(), reason.is_empty(), "{row:?}");
        // Noise differs from time to time: what was told stays.
        assert!(before.get(i).is_none_or(|before| before[4] == "pending" || before == row), "{row:?}");
    }
    assert_eq!(rows.len(), 30);
}

#[test]
fn a_run_under_nohup_survives_its_terminal() {
    let folder = Folder::new(PLAIN, "{trial}", "budget = 8", "echo $1 >> log; sleep 0.1; echo $1");
    let nohup = format!("trap '' HUP; exec {} run study.toml", env!("CARGO_BIN_EXE_spargo"));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &nohup]).current_dir(folder.path("")).stdout(std::process::Stdio::piped());
    let run = command.spawn().unwrap();
    folder.wait_for_lines("log", 2);
    signal("HUP", run.id());
    let said = said(run.wait_with_output().unwrap());
    assert!(said.code == Some(0) && said.stdout.contains("8 trials, 8 observed"), "{said:?}");
}

#[test]
fn interrupted_runs_leave_a_consistent_study() {
    let signals = [("INT", 130), ("TERM", 143), ("HUP", 129)];
    // Under nohup a run has no ear for it.
    let signals = signals.into_iter().filter(|(name, _)| *name != "HUP" || !hang_up_is_ignored());
    for ((name, code), (mode, pending)) in
        signals.flat_map(|signal| [("batch", 5), ("async", 2)].map(|mode| (signal, mode)))
    {
        let folder = Folder::new(PLAIN, "{trial}", &format!("mode = '{mode}'\nbudget = 12\nparallel = 2"), HANGING);
        let run = folder.start();
        folder.wait_for_lines("started", 5);
        signal(name, run.id());
        let said = said(run.wait_with_output().unwrap());
        assert_eq!(said.code, Some(code), "{said:?}");
        let words = format!(
            "stopped by SIG{name}: 3 of 12 trials have an outcome, best 3; the {pending} pending ones will be repeated"
        );
        assert!(
            said.stdout.contains(&words) && said.stdout.contains("continue with `spargo run study.toml`"),
            "{said:?}"
        );
        assert!(folder.read("started").lines().all(|process| !alive(process)));
        let status = folder.status();
        let counts = ["observed", "failed", "pending"].map(|key| status[key].as_u64().unwrap());
        assert_eq!(counts, [3, 0, pending], "{mode}");
        let runner = &status["runners"][0];
        let left = runner["trials"].as_array().unwrap().len() as u64;
        assert_eq!((&runner["alive"], &runner["stopped"], left), (&false.into(), &true.into(), pending), "{runner}");
        let text = folder.done(&["status", "study.toml"]);
        assert!(text.contains("; stopped ") && !text.contains("killed"), "{text}");
        folder.write("go", "");
        folder.done(&["run", "study.toml"]);
        assert!(folder.export().iter().all(|row| row[0].parse::<f64>() == row[3].parse() && row[4] == "done"));
    }
}

/// A scheduler ends a job by a signal to all of its processes, and programs may be gone before the run knows.
#[test]
fn programs_that_end_with_the_run_have_not_failed() {
    for ending in ["kill -TERM $$", "exit 143"] {
        // The run gets its signal a little after the third trial, from outside of the program's group.
        let later = "touch left; sleep 0.2; kill -TERM $PPID";
        let left = format!("setsid sh -c \"{later}\" & until [ -e left ]; do sleep 0.01; done");
        let script = format!("[ $SPARGO_TRIAL != 3 ] || [ -e left ] || {{ {left}; {ending}; }}; echo $1");
        let folder = Folder::new(PLAIN, "{trial}", "mode = 'batch'\nbudget = 8\nparallel = 1", &script);
        let said = folder.spargo(&["run", "study.toml"]);
        assert_eq!(said.code, Some(143), "{ending}: {said:?}");
        let status = folder.status();
        assert_eq!((&status["observed"], &status["failed"]), (&2.into(), &0.into()), "{ending}: {status}");
        folder.done(&["run", "study.toml"]);
        assert_eq!(folder.status()["observed"], 8, "{ending}");
    }
    // Alone, it is a failure.
    let folder = Folder::new(PLAIN, "{trial}", "budget = 8", "[ $SPARGO_TRIAL = 3 ] && kill -TERM $$; echo $1");
    folder.done(&["run", "study.toml"]);
    assert_eq!(folder.status()["failures"][0]["reason"], "killed by signal 15 (SIGTERM)");
}

fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

#[test]
fn the_last_event_of_an_interrupted_run_has_the_best_outcome() {
    let folder = Folder::new(PLAIN, "{trial}", "budget = 12\nparallel = 2", HANGING);
    let mut command = folder.command(&["run", "study.toml", "--json"]);
    let run = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    // A study that is just being created is empty.
    folder.wait_for_lines("started", 5);
    wait_until("the first outcomes", || folder.status()["observed"] == 3);
    signal("INT", run.id());
    let said = said(run.wait_with_output().unwrap());
    let last: serde_json::Value = serde_json::from_str(said.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["why"]), (&"finished".into(), &"signal".into()));
    let best = &last["best"];
    assert_eq!((&best["observed"]["trial"], &best["observed"]["value"]), (&3.into(), &3.0.into()), "{last}");
    assert!(best["believed"].is_null() && best["observed"]["point"]["x"].is_f64(), "{last}");
}

#[test]
fn a_study_has_one_run_at_a_time_and_others_may_tell() {
    let folder = Folder::new(PLAIN, "{trial}", "mode = 'batch'\nbudget = 12\nparallel = 2", HANGING);
    let run = folder.start();
    folder.wait_for_lines("started", 5);
    let complaint = folder.refused(&["run", "study.toml"]);
    let process = format!("process {}", run.id());
    assert!(["plain.db", "plain.db.lock", &process].iter().all(|word| complaint.contains(word)), "{complaint}");

    // Somebody else evaluates the trial that hangs, and asks for one of their own.
    wait_until("the first outcomes", || folder.status()["observed"] == 3);
    folder.done(&["tell", "plain.db", "--trial", "4", "--value", "99"]);
    let asked = folder.done(&["ask", "plain.db", "-n", "1"]);
    assert!(asked.contains("\n9,"), "{asked}");
    folder.write("go", "");
    let said = said(run.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("12 trials, 11 observed, 0 failed, 1 pending"), "{said:?}");
    assert!(said.stderr.contains("trial 4 already has the outcome"), "{said:?}");
    let rows = folder.export();
    assert_eq!((rows[3][3].as_str(), rows[8][4].as_str()), ("99.0", "pending"));
    let summary = folder.done(&["run", "study.toml"]);
    assert!(summary.contains("12 trials, 12 observed"), "{summary}");
}

#[test]
fn settings_may_change_but_not_what_trials_have_no_meaning_under() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 9", "echo $1");
    folder.done(&["run", "study.toml"]);
    folder.edit("study.toml", "budget = 9", "budget = 10\nparallel = 3\ntimeout = 100");
    assert!(folder.done(&["run", "study.toml"]).contains("10 trials, 10 observed"));
    folder.edit("study.toml", "goal = 'max'", "goal = 'min'");
    // Commands that only look do not change it.
    let said = folder.spargo(&["status", "study.toml"]);
    assert!(said.code == Some(0) && said.stderr.contains("'outputs.y.goal' was changed in study.toml"), "{said:?}");
    let best = |of: &serde_json::Value| of["best"]["observed"]["value"].as_f64().unwrap();
    let before = best(&folder.status());
    let said = folder.spargo(&["run", "study.toml"]);
    assert!(
        said.code == Some(0) && said.stderr.contains("'outputs.y.goal' was changed from \"max\" to \"min\""),
        "{said:?}"
    );
    assert!(best(&folder.status()) < before);
    folder.edit("study.toml", "y = {", "z = {");
    for command in ["run", "ask"] {
        let complaint = folder.refused(&[command, "study.toml"]);
        for words in ["the outputs cannot change from y to z", "export the trials", "as new points"] {
            assert!(complaint.contains(words), "{complaint}");
        }
    }
    assert!(folder.done(&["status", "plain.db"]).contains("10 trials"));
}

#[test]
fn a_study_file_without_a_command_cannot_be_run() {
    let folder = Folder::new(PLAIN, "", "", "");
    folder.write("study.toml", PLAIN);
    let complaint = folder.refused(&["run", "study.toml"]);
    assert!(complaint.contains("no section [run]") && complaint.contains("command ="), "{complaint}");
    assert!(!folder.path("plain.db").exists());
}
