//! The outcome of a trial, read off the exit status and the output of its program.
//!
//! ```text
//!     …, 71.3                                             a number on the last line (if there is one output)
//!     {"yield": 71.3}                                     an object with a key per output: the last line, or all of it
//!     {"yield": {"value": 71.3, "variance": 0.4}}         a value whose noise variance is known
//!     1, 0, yes, no, true, false                          a class, in either place
//!     NaN, null, anything else; a nonzero exit code       failed
//! ```

use crate::io::csv::outcome_cells::{class, number, unreadable};
use crate::io::output::excerpt::excerpt;
use serde_json::Value;
use signal_hook::low_level::signal_name;
use spargo::study::{Config, Goal, Measurement, Outcome, Output};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The outcome of a program that ended by itself.
pub fn outcome(status: ExitStatus, stdout: &[u8], stderr: &[u8], config: &Config) -> Outcome {
    let [stdout, stderr] = [stdout, stderr].map(String::from_utf8_lossy);
    if !status.success() {
        return Outcome::failed(with_stderr(ending(status), &stderr));
    }
    let settled = |outcome| config.settled_or_failed("it", &outcome).map_err(|error| error.to_string());
    let read = values(&stdout, &config.outputs).and_then(settled);
    read.unwrap_or_else(|reason| Outcome::failed(with_stderr(reason, &stderr)))
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal} ({})", signal_name(signal).unwrap_or("unknown")),
        (None, None) => status.to_string(),
    }
}

/// A reason, with the last line of standard error.
fn with_stderr(reason: String, stderr: &str) -> String {
    match last_line(stderr) {
        Some(line) => format!("{reason}; stderr: {}", excerpt(line)),
        None => reason,
    }
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

fn values(stdout: &str, outputs: &[Output]) -> Result<Outcome, String> {
    let Some(line) = last_line(stdout) else { return Err("it printed nothing".into()) };
    if let [Output { goal, .. }] = outputs
        && let Some(number) = number(line, *goal)
    {
        return Ok(Outcome::value(number));
    }
    match serde_json::from_str(line).or_else(|_| serde_json::from_str(stdout.trim())) {
        Ok(Value::Object(object)) => {
            let read = |output: &Output| match object.get(&output.name) {
                Some(value) => measured(value, output.goal).unwrap_or_else(|| {
                    let found = quoted(&value.to_string(), output.goal);
                    Measurement::failed(format!("its '{}' is {found}", output.name))
                }),
                None => Measurement::failed(format!("its output has no '{}': {}", output.name, excerpt(line))),
            };
            let outcome = Outcome::Measured(outputs.iter().map(read).collect());
            outcome.failure().map_or(Ok(outcome.clone()), |reason| Err(reason.into()))
        }
        Ok(Value::Null) => Err("its output is null".into()),
        _ => Err(format!("its output is {}", quoted(line, outputs[0].goal))),
    }
}

/// A number, or an object of a value and its noise variance.
fn measured(value: &Value, goal: Goal) -> Option<Measurement> {
    let Value::Object(table) = value else { return scalar(value, goal).map(Measurement::value) };
    let variance = match table.get("variance") {
        None | Some(Value::Null) => None,
        Some(variance) => Some(variance.as_f64()?),
    };
    Some(Measurement::Observed { value: scalar(table.get("value")?, goal)?, variance })
}

fn scalar(value: &Value, goal: Goal) -> Option<f64> {
    match (goal, value) {
        (Goal::Classify, Value::String(word)) => class(word),
        (Goal::Classify, _) => class(&value.to_string()),
        _ => value.as_f64(),
    }
}

fn quoted(text: &str, goal: Goal) -> String {
    format!("{}: {}", unreadable(goal), excerpt(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::output::excerpt::LONGEST;
    use proptest::prelude::*;
    use spargo::study::Goal;

    fn read(stdout: &str, names: &[&str]) -> Outcome {
        read_for(Goal::Maximize, stdout, names)
    }

    fn read_for(goal: Goal, stdout: &str, names: &[&str]) -> Outcome {
        let outputs = names.iter().map(|name| Output::new(*name, goal)).collect();
        outcome(ExitStatus::from_raw(0), stdout.as_bytes(), b"", &Config { outputs, ..Config::default() })
    }

    fn observed(values: &[f64], noise: &[Option<f64>]) -> Outcome {
        let noise = noise.iter().copied().chain(std::iter::repeat(None));
        Outcome::with_variances(values.iter().copied(), noise)
    }

    #[test]
    fn numbers_and_json_are_values() {
        for stdout in [
            "71.3",
            "7.13e1\n",
            "log\r\n 71.3 \r\n\r\n",
            r#"{"a": 71.3}"#,
            "log\n{\"a\": {\"value\": 71.3}}",
            "{\n\"a\":\n71.3}\n",
        ] {
            assert_eq!(read(stdout, &["a"]), observed(&[71.3], &[]), "{stdout}");
        }
        let both = r#"{"b": {"value": 2, "variance": 0.5}, "a": 1, "c": null}"#;
        assert_eq!(read(both, &["a", "b"]), observed(&[1.0, 2.0], &[None, Some(0.5)]));
    }

    #[test]
    fn classes_are_words_as_well_and_nothing_else() {
        for stdout in ["1", "True", "yes\n", r#"{"a": true}"#, r#"{"a": {"value": "yes"}}"#, r#"{"a": 1.0}"#] {
            assert_eq!(read_for(Goal::Classify, stdout, &["a"]), observed(&[1.0], &[]), "{stdout}");
        }
        assert_eq!(read_for(Goal::Classify, r#"{"a": false}"#, &["a"]), observed(&[0.0], &[]));
        for (stdout, words) in [
            ("2", "its output is not a class (1 or 0, yes or no): 2"),
            ("maybe", "not a class"),
            (r#"{"a": 0.5}"#, "its 'a' is not a class (1 or 0, yes or no): 0.5"),
            ("nan", "the outcome is NaN"),
        ] {
            let outcome = read_for(Goal::Classify, stdout, &["a"]);
            let reason = outcome.failure().unwrap();
            assert!(reason.contains(words), "{stdout}: {reason}");
        }
    }

    #[test]
    fn of_several_outputs_those_fail_that_have_no_number() {
        for (b, reason) in [
            (r#""b": null"#, "its 'b' is not a number: null"),
            (r#""c": 1"#, r#"its output has no 'b': {"a": 1, "c": 1}"#),
        ] {
            let outcome = read(&format!(r#"{{"a": 1, {b}}}"#), &["a", "b"]);
            let expected = [Measurement::value(1.0), Measurement::failed(reason)];
            assert_eq!(outcome, Outcome::Measured(expected.into()), "{b}");
        }
    }

    #[test]
    fn all_else_failed_and_says_why() {
        for (stdout, names, words) in [
            ("inf", &["a"][..], "the outcome is inf"),
            ("null", &["a"], "its output is null"),
            ("", &["a"], "it printed nothing"),
            ("71.3 %", &["a"], "not a number: 71.3 %"),
            ("[1]", &["a"], "not a number: [1]"),
            ("1", &["a", "b"], "not a number: 1"),
            (r#"{"a": null}"#, &["a"], "its 'a' is not a number: null"),
            (r#"{"a": "1"}"#, &["a"], "its 'a' is not a number"),
            (r#"{"a": true}"#, &["a"], "its 'a' is not a number: true"),
            (r#"{"a": {"value": 1, "variance": "x"}}"#, &["a"], "its 'a' is not a number"),
            (r#"{"a": {"value": 1, "variance": -1}}"#, &["a"], "must be positive"),
            (r#"{"c": 1}"#, &["a", "b"], "has no 'a'"),
        ] {
            let outcome = read(stdout, names);
            let reason = outcome.failure().unwrap();
            assert!(reason.contains(words), "{stdout}: {reason}");
        }
    }

    proptest! {
        #[test]
        fn reasons_are_short_and_printable(stdout: Vec<u8>, stderr: Vec<u8>, tail in ".{0,400}", status: u16) {
            let stdout = [&stdout[..], tail.as_bytes()].concat();
            let outcome = outcome(ExitStatus::from_raw(status.into()), &stdout, &stderr, &Config::default());
            match outcome.failure() {
                Some(reason) => {
                    prop_assert!(!reason.chars().any(char::is_control), "{reason:?}");
                    prop_assert!(reason.chars().count() < 2 * LONGEST + 100, "{reason:?}");
                }
                None => prop_assert!(outcome.observed().unwrap()[0].is_finite()),
            }
        }
    }
}
