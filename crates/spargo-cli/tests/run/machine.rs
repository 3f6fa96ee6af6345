//! What programs rely on: JSON from every command, errors as JSON, streams as files, numbers after flags, tables that come back.

use crate::folder::{Folder, PLAIN, Said, said};
use clap::{Command, CommandFactory};
use serde_json::Value;
use spargo_cli::Cli;
use std::any::TypeId;
use std::io::Write;
use std::process::Stdio;

/// Commands that print text for a shell, a pager or an editor, and have no keys.
const TEXT_ONLY: [&str; 4] = ["schema", "completions", "man", "help"];

fn commands() -> Vec<Command> {
    Cli::command().get_subcommands().cloned().collect()
}

/// Runs a command with this text on its standard input.
fn fed(folder: &Folder, words: &[&str], text: &str) -> Said {
    let mut command = folder.command(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    said(child.wait_with_output().unwrap())
}

#[test]
fn every_command_has_json_and_its_errors_are_json() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 9", "echo $1");
    for command in commands().iter().filter(|command| !TEXT_ONLY.contains(&command.get_name())) {
        let name = command.get_name();
        let json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
        assert!(json, "{name} has no --json");
        assert!(
            command.get_after_help().unwrap().to_string().contains("--json"),
            "the keys of {name} are not documented"
        );
        let usage = folder.spargo(&[name, "--json", "--no-such-flag"]);
        assert_eq!(usage.code, Some(2), "{name}");
        let missing: &[&str] = match name {
            "fit" => &["no/such", "--target", "y"],
            "tell" => &["no/such.toml", "no/such.csv"],
            "demo" => &["-o", "no/such/file"],
            "amend" => &["no/such.toml", "--trial", "1", "--value", "1", "--reason", "why"],
            "discard" => &["no/such.toml", "--pending", "--reason", "why"],
            "retry" => &["no/such.toml", "--failed", "--reason", "why"],
            "enqueue" => &["no/such.toml", "--set", "x=1"],
            "copy" => &["no/such.db", "to.db"],
            _ => &["no/such.toml"],
        };
        let failed = folder.spargo(&[&[name, "--json"], missing].concat());
        assert_eq!(failed.code, Some(1), "{name}: {failed:?}");
        for stderr in [usage.stderr, failed.stderr] {
            let error: Value = serde_json::from_str(&stderr).unwrap_or_else(|_| panic!("{name}: {stderr}"));
            let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["cause", "file", "help", "line", "message"], "{name}");
            assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{name}: {error}");
        }
    }
    for (file, text, line) in [
        ("study.toml", "name = 'a'\n[objectives]\ny = { goal = 'up' }\n", 3),
        ("results.csv", "x,n,y\n0.5,1,2\n0.5,1,good\n", 3),
    ] {
        let folder = Folder::new(PLAIN, "{x}", "", "");
        folder.write("results.csv", "x,n,y\n");
        folder.write(file, text);
        let said = folder.spargo(&["suggest", "study.toml", "--data", "results.csv", "--json"]);
        let error: Value = serde_json::from_str(&said.stderr).unwrap();
        assert_eq!((&error["file"], &error["line"]), (&file.into(), &line.into()), "{error}");
    }
}

#[test]
fn the_schema_is_json_and_texts_for_shells_and_pagers_are_not() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    let line = folder.done(&["schema", "--json"]);
    assert_eq!(line.lines().count(), 1);
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(&line), read(&folder.done(&["schema"])));
    for words in [&["completions", "bash", "--json"][..], &["man", "--json"]] {
        let said = folder.spargo(words);
        assert_eq!((said.code, said.stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(read(&said.stderr)["message"].as_str().unwrap().contains("'--json'"), "{said:?}");
    }
}

#[test]
fn a_dash_is_a_stream() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 9", "echo $1");
    folder.done(&["run", "study.toml"]);
    let results = "x,n,y\n0.5,1,2\n0.6,3,4\n";
    folder.write("results.csv", results);
    let by_file = folder.done(&["suggest", "study.toml", "--data", "results.csv", "-n", "3"]);
    let by_stream = fed(&folder, &["suggest", "study.toml", "--data", "-", "-n", "3"], results);
    assert_eq!((by_stream.code, &by_stream.stdout), (Some(0), &by_file), "{by_stream:?}");
    assert!(
        by_stream
            .stderr
            .contains("2 outcomes, 0 failed, 0 pending, 0 rows without outcome; 3 points written to standard output")
    );
    let twice = fed(&folder, &["suggest", "study.toml", "--data", "-", "-"], results);
    assert!(twice.code == Some(1) && twice.stderr.contains("only once"), "{twice:?}");
    assert_eq!(
        fed(&folder, &["tell", "study.toml", "-"], results).stdout.lines().last(),
        Some("2 told; 11 of 11 trials have an outcome")
    );
    assert_eq!(folder.done(&["export", "study.toml", "-o", "-"]), folder.done(&["export", "study.toml"]));
    let page = folder.spargo(&["report", "study.toml", "-o", "-"]);
    assert!(page.stdout.starts_with("<!") && page.stderr.contains("report of 11 trials"), "{}", page.stderr);
    let fit = ["fit", "results.csv", "--target", "y", "--predict", "results.csv", "-o", "-"];
    assert!(folder.done(&fit).starts_with("x,n,y,mean,sd,sd_y\n"));
    assert!(!folder.path("-").exists());
}

#[test]
fn numbers_after_flags_may_be_negative_with_an_exponent() {
    let folder = Folder::new(PLAIN, "{x}", "budget = 9", "echo $1");
    let mut flags = 0;
    for command in commands() {
        let numeric = |argument: &&clap::Arg| argument.get_value_parser().type_id() == TypeId::of::<f64>();
        for argument in command.get_arguments().filter(numeric) {
            flags += 1;
            let (name, flag) = (command.get_name(), format!("--{}", argument.get_long().unwrap()));
            for words in [&[flag.as_str(), "-3.5e-05"][..], &[&format!("{flag}=-3.5e-05")]] {
                let said = folder.spargo(&[&[name], words].concat());
                assert!(!said.stderr.contains("unexpected argument"), "{name} {words:?}: {}", said.stderr);
            }
        }
    }
    assert!(flags >= 7, "{flags}");
    folder.done(&["ask", "study.toml", "-n", "2"]);
    folder.done(&["tell", "study.toml", "--trial", "1", "--value", "-3.5e-05"]);
    folder.done(&["tell", "study.toml", "--trial", "2", "--value=-3.5e-05"]);
    let values: Vec<String> = folder.export().into_iter().map(|row| row[3].clone()).collect();
    assert_eq!(values, ["-3.5e-5", "-3.5e-5"]);
}

#[test]
fn values_that_are_not_finite_are_said_to_be_failures() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    folder.done(&["ask", "study.toml"]);
    for (trial, value) in [("1", "inf"), ("2", "1e400"), ("3", "NaN")] {
        let said = folder.spargo(&["tell", "study.toml", "--trial", trial, "--value", value]);
        let words = format!("--value {value} is no finite number: 'y' of trial {trial} counts as failed");
        assert_eq!((said.code, said.stderr), (Some(0), words));
    }
    assert_eq!(folder.status()["failed"], 3);
    folder.write("past.csv", "x,n,y\n0.5,7,3\n0.25,8,1e400\n0.75,9,inf\n");
    let said = folder.spargo(&["suggest", "study.toml", "--data", "past.csv"]).stderr;
    assert!(said.starts_with("1 outcome, 2 failed, 0 pending, 0 rows without outcome"), "{said}");
}

/// Categories that a spreadsheet would run go through export and tell unharmed.
#[test]
fn formulas_are_exported_as_text_and_come_back() {
    let words = ["=1+1", "+x", "-x", "@SUM(A1)", "'=x", "-5", "plain"];
    let choices = words.map(|word| format!("\"{word}\"")).join(", ");
    let study = PLAIN.replace("initial = 8", "initial = 28");
    let study = study.replace("n = { int = [0, 99] }", &format!("\"=c\" = {{ choice = [{choices}] }}"));
    let folder = Folder::new(&study, "{x}", "budget = 30", "echo $1");
    folder.done(&["run", "study.toml"]);
    let table = folder.done(&["export", "study.toml", "-o", "table.csv"]) + &folder.read("table.csv");
    for line in table.lines() {
        let cells = line.split(',');
        let run = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
        assert!(!cells.clone().any(run), "{line}");
    }
    // Told once more, everything is known; without trial numbers, everything is new and the same.
    assert!(folder.done(&["tell", "study.toml", "table.csv"]).contains("\n0 told, 30 already known"));
    let json = |folder: &Folder| folder.done(&["export", "study.toml", "--json"]);
    let category = |row: &str| serde_json::from_str::<Value>(row).unwrap()["=c"].clone();
    let before: Vec<Value> = json(&folder).lines().map(category).collect();
    assert!(words.iter().all(|word| before.contains(&Value::from(*word))), "{before:?}");
    let renamed: String = table.replacen("trial,", "number,", 1);
    folder.write("table.csv", &renamed);
    folder.done(&["tell", "study.toml", "table.csv"]);
    let after: Vec<Value> = json(&folder).lines().map(category).collect();
    assert_eq!(after, [before.clone(), before].concat());
}

#[test]
fn a_plate_has_the_dialect_of_the_results() {
    let folder = Folder::new(&PLAIN.replace("initial = 8", "initial = 2"), "{x}", "", "");
    for (name, text, delimiter, comma) in [
        ("german.csv", "x;n;y\n0,25;1;2,5\n0,75;3;4,5\n", ';', true),
        ("tabs.csv", "x\tn\ty\n0.25\t1\t2.5\n0.75\t3\t4.5\n", '\t', false),
        ("english.csv", "x,n,y\n0.25,1,2.5\n0.75,3,4.5\n", ',', false),
    ] {
        folder.write(name, text);
        let plate = folder.done(&["suggest", "study.toml", "--data", name, "-n", "3", "--predict"]);
        let header = ["x", "n", "y mean", "y low", "y high"].join(&delimiter.to_string());
        assert_eq!(plate.lines().next(), Some(header.as_str()), "{plate}");
        assert_eq!(plate.contains("0."), !comma, "{plate}");
        folder.write("plate.csv", &plate);
        let again = folder.spargo(&["suggest", "study.toml", "--data", name, "--pending", "plate.csv", "-n", "1"]);
        assert!(
            again.stderr.contains("2 outcomes, 0 failed, 3 pending, 0 rows without outcome; 1 point written"),
            "{again:?}"
        );
    }
    let both = folder.spargo(&["suggest", "study.toml", "--data", "german.csv", "tabs.csv", "-n", "1"]);
    assert!(both.stderr.contains("4 outcomes, 0 failed"), "{both:?}");
}

#[test]
fn what_is_read_otherwise_than_it_stands_there_is_said_or_refused() {
    let folder = Folder::new(&PLAIN.replace("n = {", "\"größe\" = {"), "{x}", "", "");
    let suggest = |bytes: &[u8]| {
        std::fs::write(folder.path("results.csv"), bytes).unwrap();
        folder.spargo(&["suggest", "study.toml", "--data", "results.csv", "-n", "1"])
    };
    let commented = suggest("# from the robot, run 7\n# and more\nx,größe,y\n0.5,1,2\n".as_bytes());
    assert!(
        commented.code == Some(0) && commented.stderr.contains("results.csv: 2 lines of comments on top"),
        "{commented:?}"
    );
    let windows = suggest(b"x;gr\xf6\xdfe;y\n0,5;1;2,5\n");
    assert!(windows.code == Some(0) && windows.stderr.contains("read as Windows-1252"), "{windows:?}");
    let workbook = suggest(b"PK\x03\x04\xff\xfe\x00");
    assert!(workbook.code == Some(1) && workbook.stderr.contains("not a text file"), "{workbook:?}");
    for (text, place) in [
        ("x;größe;y\n0,5;1;2,5\n0,5;1;1.234\n", "results.csv, line 3, column 'y': '1.234' may be 1234"),
        ("x;größe;y\n0.5;1;2.5\n0.5;1;12,345\n", "results.csv, line 3, column 'y': '12,345' may be 12345"),
    ] {
        let refused = suggest(text.as_bytes());
        assert!(refused.code == Some(1) && refused.stderr.contains(place), "{refused:?}");
    }
    for text in ["x;größe;y\n0,5;1;1,234\n", "x;größe;y\n0.5;1;1.234\n", "x;größe;y\n0;1;1.234\n"] {
        assert_eq!(suggest(text.as_bytes()).code, Some(0), "{text}");
    }
}
