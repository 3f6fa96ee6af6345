//! `spargo-lab optimize` as a user runs it.

mod common;

use common::*;
use serde_json::Value;
use spargo_problems as problems;
use spargo_problems::multi_objective::{self, MaximumHypervolume};

const SECONDS: [&str; 3] = ["allocate_s", "fit_s", "acquire_s"];

fn optimize(problem: &str, more: &[&str]) -> Value {
    let small = ["--batches", "3", "--batch", "10", "--initial", "12", "--inducing", "15", "--pool", "300", "--json"];
    json(&[&["optimize", problem], &small[..], more].concat())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// All but what the clock and the machine say.
fn lasting(mut report: Value) -> Value {
    for key in SECONDS.into_iter().chain(["overhead_s", "peak_rss_mb"]) {
        assert!(report.as_object_mut().unwrap().remove(key).is_some(), "{key}: {report}");
    }
    report
}

#[test]
fn prints_every_promised_key_and_repeats_itself_by_seed() {
    let report = optimize("branin", &["--seed", "1"]);
    for key in ["regret", "best_observed", "least_regret"].into_iter().chain(SECONDS) {
        assert_eq!(numbers(&report[key]).len(), 3, "{key}: {report}");
    }
    assert_eq!(numbers(&report["evaluations"]), [22.0, 32.0, 42.0]);
    let (regret, least) = (numbers(&report["regret"]), numbers(&report["least_regret"]));
    assert!(regret.iter().zip(&least).all(|(regret, least)| regret >= least && *least >= 0.0), "{report}");
    assert!(numbers(&report["best_observed"]).is_sorted() && regret[2] < 0.2, "{report}");
    let seconds: f64 = SECONDS.iter().flat_map(|key| numbers(&report[*key])).sum();
    assert!(seconds > 0.0 && report["overhead_s"].as_f64().unwrap() >= seconds, "{report}");

    let report = lasting(report);
    assert_eq!(lasting(optimize("branin", &["--seed", "1"])), report);
    assert_ne!(lasting(optimize("branin", &["--seed", "2"])), report);
}

#[test]
fn the_last_evaluations_may_be_replicates() {
    let [plain, replicated] = ["0", "15"].map(|count| optimize("hartmann6", &["--final-replicates", count]));
    for key in ["evaluations", "regret", "least_regret"] {
        let (plain, replicated) = (numbers(&plain[key]), numbers(&replicated[key]));
        assert_eq!((plain.len(), plain[0]), (3, replicated[0]), "{key}");
    }
    let least = numbers(&replicated["least_regret"]);
    // Nothing new in the last batch, and half of the one before.
    assert_eq!(least[1], least[2]);
    assert_ne!(plain["best_observed"], replicated["best_observed"]);
    assert!(complaint(&["optimize", "zdt3", "--final-replicates", "5"]).contains("no best trial to replicate"));
    let many = ["optimize", "branin", "--batches", "3", "--batch", "10", "--final-replicates", "31"];
    assert!(complaint(&many).contains("31 replicates are more than all batches"));
}

#[test]
fn words_of_every_list_are_understood() {
    let plain = lasting(optimize("hartmann6", &[]));
    for more in [
        ["--allocation", "kmeans"],
        ["--rule", "log-ei"],
        ["--rule", "gibbon"],
        ["--posterior", "exact"],
        ["--hyperparameters", "bound"],
        ["--kernel", "matern32"],
    ] {
        assert_ne!(lasting(optimize("hartmann6", &more)), plain, "{more:?}");
    }
}

#[test]
fn prints_a_table_for_people() {
    let words = ["optimize", "rover60", "--batches", "1", "--batch", "4", "--initial", "5", "--pool", "100"];
    let text = stdout(&words);
    for word in ["evaluations", "regret", "best observed", "overhead", "minimum of rover60 is not known"] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
}

#[test]
fn several_objectives_are_measured_by_their_volume() {
    let report = optimize("zdt3", &["--seed", "1"]);
    for key in ["hypervolume", "regret", "least_regret", "front", "feasible"].into_iter().chain(SECONDS) {
        assert_eq!(numbers(&report[key]).len(), 3, "{key}: {report}");
    }
    let attainable = report["attainable"].as_f64().unwrap();
    for (volume, regret) in numbers(&report["hypervolume"]).into_iter().zip(numbers(&report["regret"])) {
        assert!(regret >= -1e-9 && (volume + regret - attainable).abs() < 1e-9, "{report}");
    }
    let (first, last) = (report["initial_hypervolume"].as_f64().unwrap(), numbers(&report["hypervolume"])[2]);
    assert!(first < last && last > 110.0, "{report}");
    for (coverage, output) in report["coverage"].as_array().unwrap().iter().zip(["f1", "f2"]) {
        assert_eq!((&coverage["output"], &coverage["inducing"]), (&output.into(), &15.into()), "{report}");
        assert!(coverage["pieces"].as_u64() <= coverage["on_front"].as_u64(), "{report}");
        assert!((0.0..=0.0831).contains(&coverage["largest_gap"].as_f64().unwrap()), "{report}");
    }
    let report = lasting(report);
    assert_eq!(lasting(optimize("zdt3", &["--seed", "1"])), report);
    for more in [["--allocation", "hv-dpp"], ["--allocation", "cvr"], ["--rule", "ehvi"], ["--rule", "hippo"]] {
        assert_ne!(lasting(optimize("zdt3", &["--seed", "1", more[0], more[1]])), report, "{more:?}");
    }
    let exact = optimize("zdt3", &["--posterior", "exact"]);
    assert!(exact["coverage"].is_null(), "an exact posterior has no inducing points: {exact}");
}

#[test]
fn every_problem_with_several_outputs_runs() {
    for problem in multi_objective::ALL {
        let small = ["--batches", "1", "--batch", "5", "--initial", "30", "--inducing", "15", "--pool", "200"];
        let text = stdout(&[&["optimize", problem.name], &small[..]].concat());
        for word in ["hypervolume", "feasible", "overhead"] {
            assert!(text.contains(word), "{word} is missing:\n{text}");
        }
        assert_eq!(
            text.contains("is not known"),
            matches!(problem.maximum_hypervolume, MaximumHypervolume::AtLeast(_)),
            "{text}"
        );
        assert_eq!(text.contains("of its 5 pieces"), problem.name == "zdt3", "{text}");
    }
    let report = json(&[
        "optimize",
        "radiator",
        "--batches",
        "3",
        "--batch",
        "10",
        "--initial",
        "40",
        "--pool",
        "300",
        "--json",
    ]);
    let feasible = numbers(&report["feasible"]);
    assert!(feasible.is_sorted() && feasible[2] > 0.0 && feasible[2] < 70.0, "{report}");
    let refused = complaint(&["optimize", "zdt1", "--rule", "gibbon"]);
    assert!(refused.contains("cannot be \"gibbon\" for these outputs"), "{refused}");
}

#[test]
fn an_unknown_problem_is_answered_with_the_list() {
    let complaint = complaint(&["optimize", "hartman6"]);
    assert!(complaint.contains("'hartman6'"), "{complaint}");
    assert!(problems::ALL.iter().all(|problem| complaint.contains(problem.name)), "{complaint}");
    assert!(multi_objective::ALL.iter().all(|problem| complaint.contains(problem.name)), "{complaint}");
    let help = stdout(&["optimize", "--help"]);
    assert!(multi_objective::ALL.iter().all(|problem| help.contains(problem.name)), "{help}");
    assert!(problems::ALL.iter().all(|problem| help.contains(problem.name)), "{help}");
}

#[test]
fn settings_that_cannot_be_run_are_refused() {
    for (word, name) in [("--batch", "batch"), ("--initial", "initial"), ("--inducing", "inducing")] {
        let complaint = complaint(&["optimize", "branin", "--batches", "1", word, "0"]);
        assert!(complaint.contains(&format!("{name} = 0 must be at least 1")), "{complaint}");
    }
}
