//! Problems that a program evaluates, in `spargo-lab optimize` and `spargo-lab compare`.

mod common;

use common::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::tempdir;

/// A small study.
const SMALL: [&str; 10] = ["--batches", "2", "--batch", "10", "--initial", "12", "--inducing", "15", "--pool", "300"];

fn python(name: &str, arguments: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/problems").join(name);
    format!("command:python3 '{}' {arguments}", script.display())
}

fn example(arguments: &str) -> String {
    python("example.py", arguments)
}

/// The command of a shell script, whose lines answer the description and the first batch.
fn script(name: &str, lines: &str) -> String {
    format!("command:sh '{}'", file(name, lines))
}

fn optimize(problem: &str) -> Value {
    json(&[&["optimize", problem, "--json"], &SMALL[..]].concat())
}

#[test]
fn a_program_is_optimised_as_a_built_in_problem_is() {
    let report = optimize(&example("--dimension 2 --noise 0.0001"));
    assert_eq!((&report["problem"], &report["optimum_is_known"]), (&json!("sphere2"), &json!(true)));
    let regret = report["regret"].as_array().unwrap();
    assert!(regret.iter().all(|regret| regret.as_f64().unwrap() >= 0.0), "{report}");
    assert!(regret[1].as_f64().unwrap() < 0.1, "{report}");
}

#[test]
fn a_program_may_have_conditional_inputs_and_constraints() {
    for function in ["branches", "simplex10-digits"] {
        let report = optimize(&python("constrained.py", &format!("--function {function}")));
        let regret: Vec<f64> = report["regret"].as_array().unwrap().iter().map(|r| r.as_f64().unwrap()).collect();
        assert!(regret.iter().all(|regret| *regret >= 0.0), "{report}");
    }
}

#[test]
fn values_stand_in_place_of_regret_where_the_minimum_is_not_known() {
    let [known, hidden] = ["", "--hide-minimum"].map(|more| optimize(&example(more)));
    assert_eq!((&known["regret"], &hidden["optimum_is_known"]), (&hidden["regret"], &json!(false)));
    let text = stdout(&[&["optimize", &example("--hide-minimum")], &SMALL[..]].concat());
    assert!(text.contains("minimum of sphere2 is not known: values are shown"), "{text}");
}

#[test]
fn programs_are_compared_and_resumed_beside_built_in_problems() {
    let folder = tempdir().unwrap();
    let settings = folder.path().join("small.toml").display().to_string();
    fs::write(&settings, "initial = 20\nbatch = 10\ninducing = 15\n[acquisition]\npool = 200\n").unwrap();
    let (out, program) = (folder.path().join("out"), example("--function rastrigin --dimension 3"));
    let path = out.display().to_string();
    let words = ["compare", "--problems", "branin", "--problems", &program, "--settings", &settings, "--seeds", "2"];
    let words = [&words[..], &["--budget", "40", "--output", &path]].concat();
    let said = stdout(&words);
    assert!(["4 rows", "## branin", "## rastrigin3"].iter().all(|word| said.contains(word)), "{said}");
    let rows = || fs::read_to_string(out.join("compare.jsonl")).unwrap();
    let before = rows();
    stdout(&[&words[..], &["--resume"]].concat());
    assert_eq!(rows(), before);
    let mut rows = before.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let row = rows.find(|row| row["settings"]["function"] == "rastrigin3").unwrap();
    let program = &row["settings"]["program"];
    assert_eq!((&program["command"][0], &program["description"]["minimum"]), (&json!("python3"), &json!(0.0)));
    let twice = [&words[..], &["--resume", "--problems", "branin"]].concat();
    assert!(complaint(&twice).contains("two problems are called 'branin'"));
}

#[test]
fn faults_of_programs_are_named() {
    let described = r#"echo '{"name": "f", "dimension": 2, "timeout": 0.5}'"#;
    let words = r#"{"name": "f", "space": {"inputs": [{"name": "a", "choice": ["x", "y"]}]}}"#;
    let scripts = [
        ("garbage.sh", "echo hello".to_string(), "describes itself as 'hello'"),
        ("silent.sh", "exit 3".to_string(), "ended (exit status: 3) before it described itself"),
        ("inputs.sh", r#"echo '{"name": "f"}'"#.to_string(), "none or several of 'inputs', 'dimension' and 'space'"),
        ("words.sh", format!("echo '{words}'"), "an input whose values are words"),
        ("key.sh", r#"echo '{"name": "f", "dimension": 2, "max": 1}'"#.to_string(), "unknown field `max`"),
        ("short.sh", format!("{described}\nread line\necho '{{\"values\": [1]}}'"), "answered 1 values for 12 points"),
        ("nan.sh", format!("{described}\nread line\necho '{{\"values\": [NaN]}}'"), "instead of {\"values\": [...]}"),
        ("exit.sh", format!("{described}\nread line\nexit 4"), "ended (exit status: 4) before it answered"),
        ("slow.sh", format!("{described}\nread line\nexec sleep 60"), "has not answered within 0.5 s"),
    ];
    for (name, text, answer) in scripts {
        let said = complaint(&[&["optimize", &script(name, &text)], &SMALL[..]].concat());
        assert!(said.contains(answer) && said.contains(name), "{name}: {said}");
    }
    let missing = complaint(&["optimize", "command:no-such-program-here"]);
    assert!(missing.contains("cannot be started"), "{missing}");
    let empty = complaint(&["optimize", "command:"]);
    assert!(empty.contains("no command after 'command:'"), "{empty}");
}
