//! The rows under results/ belong to jobs of today's settings, so that they can be resumed and drawn.

mod common;

use common::*;
use serde_json::Value;
use spargo_lab::{ALL, Options, Rows};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::tempdir;

const FUNCTIONS: &str = "shekel4,hartmann6,ackley5,michalewicz5,rosenbrock4";

fn results(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results").join(folder)
}

/// What `compare --draw` says of a copy of a folder.
fn draw(folder: &str, words: &str) -> String {
    let copy = tempdir().unwrap();
    for entry in fs::read_dir(results(folder)).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_some_and(|extension| extension == "jsonl") {
            fs::copy(&entry, copy.path().join(entry.file_name().unwrap())).unwrap();
        }
    }
    let out = copy.path().display().to_string();
    let words = format!("compare --draw {words} --output {out}");
    stdout(&words.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn comparisons_are_drawn() {
    let default = results("comparison").join("default.toml").display().to_string();
    let said = draw(
        "comparison",
        &format!("--problems {FUNCTIONS} --settings paper,{default} --seeds 10 --seed-from 100 --budget 5000"),
    );
    // 100 rows of spargo, and 165 of peers.
    assert!(said.contains("265 rows"), "{said}");
    let rover = format!("--problems rover60 --settings {default} --seed-from 100 --budget 10000");
    let said = draw("comparison/rover60", &rover);
    assert!(said.contains("36 rows"), "{said}");
}

#[test]
fn ablations_of_the_defaults_are_drawn() {
    let files = ["default", "no-trust-regions", "no-exclusion", "no-local-models", "unbounded-noise", "no-transform"];
    let files = files.map(|name| results("defaults").join(format!("{name}.toml")).display().to_string()).join(",");
    let said = draw("defaults", &format!("--problems {FUNCTIONS} --settings {files} --seeds 3 --budget 1500"));
    assert!(said.contains("90 rows"), "{said}");
}

#[test]
fn rows_of_figures_are_jobs_of_today() {
    for figure in ALL {
        let folder = results(if figure.name == "overhead" { "reproduction/overhead" } else { "reproduction" });
        let rows = Rows::of_files(&[folder.join(format!("{}.jsonl", figure.name))]).unwrap().0;
        for row in [&rows[0], &rows[rows.len() - 1]] {
            let seed_from = row.settings["seed"].as_u64().unwrap();
            let jobs = (figure.jobs)(&Options { repeats: Some(1), seed_from, ..Options::default() }).unwrap();
            assert_eq!(row.kind, figure.kind);
            assert!(jobs.iter().any(|job| without_map(job) == without_map(&row.settings)), "{}", row.settings);
        }
    }
}

/// Settings without the fingerprint of a map, whose file is not here.
fn without_map(settings: &Value) -> Value {
    let mut settings = settings.clone();
    settings.as_object_mut().unwrap().remove("map");
    settings
}
