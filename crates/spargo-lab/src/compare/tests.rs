//! Jobs of a comparison, and which rows are drawn.

use super::*;
use serde_json::json;
use spargo_problems::{HARTMANN6, ROVER60};

fn comparison(names: &[&str]) -> Comparison {
    Comparison {
        workers: None,
        problems: vec![(&HARTMANN6).into(), (&ROVER60).into()],
        methods: names.iter().map(|name| ComparedMethod::named(name).unwrap()).collect(),
        seeds: 100..103,
        budget: 450,
    }
}

fn row(settings: Value, result: Value) -> Row {
    Row { kind: KIND.into(), settings, result, version: "0".into() }
}

/// A peer's row of three records.
fn peer(function: &str, method: &str, seed: u64, change: impl FnOnce(&mut Value, &mut Value)) -> Row {
    let mut settings = json!({ "function": function, "method": method, "seed": seed, "budget": 450, "noise": 0.1,
        "peer": { "package": "some", "version": "1" } });
    let mut result = json!({ "evaluations": [200, 400, 450], "regret": [3.0, 2.0, 1.0],
        "least_regret": [1.0, 1.0, 1.0], "seconds": [0.5, 0.5, 0.5] });
    change(&mut settings, &mut result);
    row(settings, result)
}

#[test]
fn jobs_are_the_product_seed_by_seed_and_hold_the_whole_settings() {
    let jobs = comparison(&["paper", "default"]).jobs().unwrap();
    assert_eq!(jobs.len(), 3 * 2 * 2);
    let told = |job: &Value| (job["seed"].clone(), job["function"].clone(), job["method"].clone());
    assert_eq!(told(&jobs[1]), (100.into(), "hartmann6".into(), "default".into()));
    assert_eq!(told(&jobs[6]), (101.into(), "rover60".into(), "paper".into()));
    for job in &jobs {
        assert_eq!(job["noise"], if job["function"] == "rover60" { 0.0 } else { 0.1 });
        let study = job["study"].as_object().unwrap();
        assert!(["model", "batch", "sampling", "replicates"].iter().all(|key| study.contains_key(*key)), "{job}");
        assert!(["space", "outputs", "name", "seed"].iter().all(|key| !study.contains_key(*key)), "{job}");
        // Nothing is lost on the way.
        let method = ComparedMethod::named(job["method"].as_str().unwrap()).unwrap();
        assert_eq!(read_study(&job["study"]).unwrap(), method.config);
    }
}

#[test]
fn the_papers_settings_do_not_follow_the_defaults() {
    for (name, inducing) in [("paper", 500), ("paper-250", 250)] {
        let study = study(&ComparedMethod::named(name).unwrap().config).unwrap();
        let (model, acquisition, sampling) = (&study["model"], &study["acquisition"], &study["sampling"]);
        assert!(
            model["kernel"] == "matern52" && model["hyperparameters"] == "bound" && model["exact-until"] == 0,
            "{study}"
        );
        assert!(
            model["priors"] == "on" && model["outcome-transform"] == "off" && model["noise-bound"] == "off",
            "{study}"
        );
        assert!(
            study["trust-regions"]["share"] == 0.0
                && acquisition["exclusion"] == 0
                && study["local-models"]["neighbours"] == 0,
            "{study}"
        );
        assert_eq!(study["replicates"], "never");
        assert!(acquisition["pool"] == 10_000 && acquisition["near"] == 0 && acquisition["starts"] == 1, "{study}");
        assert!(sampling["features"] == 100 && sampling["block"] == 100, "{study}");
        assert_eq!(study["allocation"]["method"], "imp-dpp");
        assert!(study["inducing"] == inducing && study["initial"] == 100 && study["batch"] == 100, "{study}");
        assert_eq!(study["rule"], "thompson");
    }
}

#[test]
fn rows_of_other_settings_seeds_and_budgets_are_not_drawn() {
    let wanted = comparison(&["default"]);
    let others = [
        Comparison { seeds: 0..3, ..wanted.clone() },
        Comparison { budget: 451, ..wanted.clone() },
        Comparison { workers: Some(4), ..wanted.clone() },
        Comparison {
            methods: vec![ComparedMethod {
                config: spargo::study::Config { inducing: 499.into(), ..wanted.methods[0].config.clone() },
                ..wanted.methods[0].clone()
            }],
            ..wanted.clone()
        },
    ];
    let all = others.iter().chain([&wanted]).flat_map(|one| one.jobs().unwrap());
    let rows = Rows(all.map(|job| row(job, json!({ "evaluations": [], "regret": [] }))).collect());
    let shown: Vec<Value> = wanted.shown(&rows).unwrap().into_iter().map(|row| row.settings).collect();
    assert_eq!((shown, rows.0.len()), (wanted.jobs().unwrap(), 5 * 6));
}

#[test]
fn peers_are_drawn_for_the_same_problem_seeds_noise_and_budget() {
    let same = |_: &mut Value, _: &mut Value| {};
    let rows = Rows(vec![
        peer("hartmann6", "some", 100, same),
        peer("hartmann6", "some", 101, same),
        peer("hartmann6", "some", 3, same),
        peer("shekel4", "some", 102, same),
        peer("hartmann6", "some", 102, |settings, _| settings["budget"] = 500.into()),
        peer("hartmann6", "some", 102, |_, result| result["regret"] = json!([1.0])),
        // With the noise that it does not have here.
        peer("rover60", "some", 101, same),
        peer("rover60", "some", 102, |settings, _| settings["noise"] = 0.0.into()),
    ]);
    let seeds = |rows: Vec<Row>| rows.iter().map(|row| row.settings["seed"].clone()).collect::<Vec<_>>();
    assert_eq!(seeds(comparison(&["default"]).shown(&rows).unwrap()), [100, 101, 102]);
}

#[test]
fn peers_that_cannot_be_told_apart_are_refused() {
    let message = |rows: Vec<Row>| comparison(&["default"]).shown(&Rows(rows)).unwrap_err().to_string();
    let first = || peer("hartmann6", "some", 100, |_, _| {});
    let newer = peer("hartmann6", "some", 101, |settings, _| settings["peer"]["version"] = "2".into());
    assert!(message(vec![first(), newer]).contains("two peers"));
    assert!(message(vec![peer("hartmann6", "default", 100, |_, _| {})]).contains("rename"));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let small = Comparison { budget: 99, ..comparison(&["default"]) };
    assert!(small.jobs().unwrap_err().to_string().contains("100 initial points of 'default'"));
    assert!(comparison(&["paper", "paper"]).jobs().unwrap_err().to_string().contains("two settings"));
    assert!(ComparedMethod::named("papers").unwrap_err().to_string().contains("default, paper, paper-250"));
}

#[test]
fn the_table_shows_every_look_and_the_best_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let worse = |_: &mut Value, result: &mut Value| result["regret"] = json!([0.5, 0.5, 4.0]);
    let rows = [
        peer("hartmann6", "some", 100, |_, _| {}),
        peer("hartmann6", "some", 101, |_, result| result["regret"] = json!([3.0, 2.0, 2.0])),
        peer("hartmann6", "worse", 100, worse),
    ];
    let files = Comparison { budget: 450, ..comparison(&[]) }.draw(&rows, folder.path()).unwrap();
    let names: Vec<&str> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["compare.svg", "compare-geometric.svg", "compare.csv", TABLE]);
    let table = std::fs::read_to_string(folder.path().join(TABLE)).unwrap();
    let lines: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    // t(0.975; 1) = 12.7062, s/√n = ½
    assert_eq!(lines[0], ["method", "seeds", "after 450", "s per step"]);
    assert_eq!(lines[1], ["some", "2 of 3", "**1.50** [-4.85, 7.85], 1.50, 2.00", "0.500"]);
    assert_eq!(lines[2], ["worse", "1 of 3", "4.00, 4.00, 4.00", "0.500"]);
    assert_eq!(lines.len(), 3);
}
