//! `spargo allocate` as a user runs it.

mod common;

use common::*;
use serde_json::Value;

/// The library's golden file of this name.
fn golden(name: &str) -> Value {
    let path = format!("{}/../spargo/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn csv(name: &str, golden: &Value) -> String {
    let rows = golden["X"].as_array().unwrap().iter().map(numbers);
    let y = golden.get("y").map(numbers);
    let line = |(i, row): (usize, Vec<f64>)| {
        let cells = row.iter().chain(y.as_ref().map(|y| &y[i])).map(f64::to_string);
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    let header = if y.is_some() { "a,b,c,d,y\n" } else { "a,b,c,d\n" };
    file(name, &(header.to_string() + &rows.enumerate().map(line).collect::<String>()))
}

fn given(golden: &Value) -> Vec<String> {
    let lengthscales: Vec<String> = numbers(&golden["lengthscales"]).iter().map(f64::to_string).collect();
    let variance = golden["variance"].to_string();
    let words = ["--lengthscales", &lengthscales.join(","), "--variance", &variance, "--inducing", "40", "--json"];
    words.map(String::from).to_vec()
}

fn run(words: &[&str], more: &[String]) -> Value {
    json(&words.iter().copied().chain(more.iter().map(String::as_str)).collect::<Vec<_>>())
}

fn assert_close(found: &Value, expected: &[f64], tolerance: f64) {
    assert_eq!(numbers(found).len(), expected.len());
    for (f, e) in numbers(found).iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * e.abs().max(1e-12), "{f} {e}");
    }
}

#[test]
fn cvr_without_outcomes_repeats_the_golden_sequence() {
    let golden = golden("cvr_selection");
    let data = csv("cvr.csv", &golden);
    let found = run(&["allocate", &data, "--allocation", "cvr"], &given(&golden));
    assert_eq!(found["rows"], golden["indices"]);
    assert_close(&found["variance"], &numbers(&golden["scores_at_selection"]), 1e-8);
    let trace = golden["trace_residual"].as_f64().unwrap();
    assert!((found["trace"].as_f64().unwrap() / trace - 1.0).abs() < 1e-8);
    assert_eq!(found["trace"], found["trace_q"]);
}

#[test]
fn imp_dpp_repeats_the_golden_sequence() {
    let golden = golden("imp_selection");
    let data = csv("imp.csv", &golden);
    let mut words = given(&golden);
    let (noise, mean) = (golden["noise_variance"].to_string(), golden["constant_mean"].to_string());
    words.extend(["--noise", &noise, "--mean", &mean].map(String::from));
    let found = run(&["allocate", &data, "--allocation", "imp-dpp", "--target", "y", "--goal", "min"], &words);
    assert_eq!(found["rows"], golden["indices"]);
    let quality = numbers(&golden["quality"]);
    let chosen: Vec<f64> = numbers(&golden["indices"]).iter().map(|&i| quality[i as usize]).collect();
    assert_close(&found["quality"], &chosen, 1e-6);
}

/// A bump at (0.7, 0.3) on a flat ground.
fn bump(name: &str, rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = ((i as f64 * 0.618_034).fract(), (i as f64 * 0.414_214).fract());
        let noise = 0.1 * ((i as f64 * 12.9898).sin() * 43758.5453).fract().abs() - 0.05;
        format!("{a},{b},{}\n", (-20.0 * ((a - 0.7).powi(2) + (b - 0.3).powi(2))).exp() + noise)
    };
    file(name, &("a,b,y\n".to_string() + &(0..rows).map(row).collect::<String>()))
}

#[test]
fn every_single_output_method_runs_and_fits() {
    let data = bump("methods.csv", 200);
    for method in ["random", "uniform", "kmeans", "cvr", "dpp", "lin-dpp", "imp-dpp", "ent-dpp", "al-dpp"] {
        let words = [&data, "--target", "y", "--inducing", "15", "--json"];
        let found = json(&[&["allocate"], &words[..], &["--allocation", method]].concat());
        let rows = found["rows"].as_array().map(Vec::len).or(found["points"].as_array().map(Vec::len));
        assert_eq!(rows, Some(15), "{method}: {found}");
        let fitted = json(&[&["fit"], &words[..], &["--allocation", method]].concat());
        assert!(fitted["bound"].is_number() && fitted["inducing"] == 15, "{method}: {fitted}");
    }
}

#[test]
fn imp_dpp_goes_where_the_goal_is() {
    let data = bump("goal.csv", 250);
    let near_bump = |goal: &str| {
        let words = ["allocate", &data, "--target", "y", "--inducing", "25", "--goal", goal, "--json"];
        let rows = numbers(&json(&words)["rows"]);
        let near = |i: &&f64| {
            let (a, b) = ((**i * 0.618_034).fract(), (**i * 0.414_214).fract());
            (a - 0.7).powi(2) + (b - 0.3).powi(2) < 0.09
        };
        rows.iter().filter(near).count()
    };
    let (max, min) = (near_bump("max"), near_bump("min"));
    assert!(max >= 2 * min && max >= 10, "{max} of 25 near the bump for max, {min} for min");
}

/// The same data with outcomes moved by a map.
fn mapped(name: &str, rows: usize, map: impl Fn(f64) -> f64) -> String {
    let text = std::fs::read_to_string(bump("mapped_from.csv", rows)).unwrap();
    let line = |line: &str| match line.rsplit_once(',') {
        Some((inputs, y)) if y != "y" => format!("{inputs},{}\n", map(y.parse().unwrap())),
        _ => format!("{line}\n"),
    };
    file(name, &text.lines().map(line).collect::<String>())
}

#[test]
fn levels_and_goals_move_with_the_outcomes() {
    let (plain, shifted) = (mapped("plain.csv", 150, |y| y), mapped("shifted.csv", 150, |y| y + 100.0));
    let turned = mapped("turned.csv", 150, |y| -y);
    let rows = |data: &str, more: &[&str]| {
        let words = ["allocate", data, "--target", "y", "--inducing", "12", "--json"];
        json(&[&words[..], more].concat())["rows"].clone()
    };
    let bound = |data: &str, more: &[&str]| {
        let words = ["fit", data, "--target", "y", "--inducing", "12", "--json"];
        json(&[&words[..], more].concat())["bound"].as_f64().unwrap()
    };
    let (near, far) = (["--level", "0.6"], ["--level", "100.6"]);
    let al = |level: [&'static str; 2]| [&["--allocation", "al-dpp"][..], &level].concat();
    assert_eq!(rows(&plain, &al(near)), rows(&shifted, &al(far)));
    assert_ne!(rows(&shifted, &al(near)), rows(&shifted, &al(far)));
    let al = |level: [&'static str; 2]| [&["--allocation", "al-dpp"][..], &level].concat();
    assert!((bound(&plain, &al(near)) - bound(&shifted, &al(far))).abs() < 1e-6);
    assert!((bound(&shifted, &al(near)) - bound(&shifted, &al(far))).abs() > 1e-3);
    assert_eq!(rows(&plain, &["--goal", "min"]), rows(&turned, &["--goal", "max"]));
    let imp = |goal: &'static str| ["--allocation", "imp-dpp", "--goal", goal];
    assert!((bound(&plain, &imp("min")) - bound(&turned, &imp("max"))).abs() < 1e-6);
    assert!((bound(&plain, &imp("min")) - bound(&plain, &imp("max"))).abs() > 1e-3);
}

#[test]
fn settings_of_a_method_are_a_table() {
    let data = bump("settings.csv", 150);
    let rows = |method: &str| {
        let words = ["allocate", &data, "--target", "y", "--inducing", "12", "--json", "--allocation", method];
        let found = json(&words);
        (found["rows"].clone(), found["quality"].clone())
    };
    assert_eq!(rows("imp-dpp"), rows(r#"{"method": "imp-dpp", "baseline": "min"}"#));
    assert_ne!(rows("imp-dpp"), rows(r#"{"method": "imp-dpp", "link": "softplus"}"#));
    assert_ne!(rows("ent-dpp"), rows(r#"{"method": "ent-dpp", "share": "per-point"}"#));
    assert_ne!(rows("dpp"), rows(r#"{"method": "dpp", "quality": {"imp": {}}}"#));
}

#[test]
fn draws_data_and_chosen_points() {
    let data = bump("draw.csv", 60);
    let svg = file("draw.svg", "");
    stdout(&["allocate", &data, "--target", "y", "--inducing", "10", "--svg", &svg, "--force", "--axes", "b,a"]);
    let text = std::fs::read_to_string(svg).unwrap();
    // Two more circles stand in the legend.
    assert_eq!(text.matches("<circle").count(), 72);
    assert!(text.starts_with("<svg") && text.matches("<rect").count() > 1000, "quality is the background");
    for word in ["chosen", "data", "quality", ">\na\n<", ">\nb\n<"] {
        assert!(text.contains(word), "{word} is missing");
    }
}

#[test]
fn complaints_say_what_to_do() {
    let data = bump("complain.csv", 30);
    let cases: [(&[&str], &[&str]); 8] = [
        (&["--allocation", "imp"], &["'imp'", "imp-dpp"]),
        (&["--allocation", "imp-dpp"], &["outcomes", "--target"]),
        (&["--allocation", "{\"method\": \"kmeans\", \"inputs\": \"squared\"}"], &["squared", "scaled"]),
        (&["--target", "y", "--svg", "x.svg", "--axes", "a,a"], &["'a' twice"]),
        (&["--target", "y", "--lengthscales", "1,2,3"], &["--lengthscales has 3", "2"]),
        (&["--target", "y", "--noise", "0"], &["--noise 0", "positive"]),
        (&["--target", "y", "--svg", "x.svg", "--axes", "a,q"], &["'q'", "a, b"]),
        (&["--target", "y", "--inducing", "0"], &["inducing points", "positive"]),
    ];
    for (words, expected) in cases {
        let complaint = complaint(&[&["allocate", data.as_str()], words].concat());
        for word in expected {
            assert!(complaint.contains(word), "'{word}' is missing from: {complaint}");
        }
    }
}
