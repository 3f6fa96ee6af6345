//! `spargo-lab reproduce` as a user runs it: stopped, resumed, shared out, merged and drawn.

mod common;

use common::*;
use serde_json::Value;
use spargo_problems::multi_objective::{MaximumHypervolume, ZDT3};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::tempdir;

/// Eight tiny runs: two functions, three sparse methods and the exact GP, of one repeat.
const TINY: [&str; 19] = [
    "reproduce",
    "regret",
    "--repeats",
    "1",
    "--steps",
    "2",
    "--functions",
    "shekel4,ackley5",
    "--inducing",
    "12",
    "--set",
    "initial=10",
    "--set",
    "batch=8",
    "--set",
    "pool=200",
    "--methods",
    "imp-dpp,cvr,kmeans,exact",
    "--output",
];

fn reproduce(folder: &Path, more: &[&str]) -> String {
    stdout(&[&TINY[..], &[folder.to_str().unwrap()], more].concat())
}

/// Rows of a folder but for what the clock says, in an order of their own.
fn rows(folder: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let text: String = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let lasting = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        let result = row["result"].as_object_mut().unwrap();
        for key in ["allocate_s", "fit_s", "acquire_s"] {
            assert!(result.remove(key).is_some(), "{key}: {line}");
        }
        // Only runs that minimise regret have it.
        result.remove("cpu_s");
        row.to_string()
    };
    let mut rows: Vec<String> = text.lines().map(lasting).collect();
    rows.sort();
    rows
}

#[test]
fn five_steps_of_the_papers_settings_leave_rows_a_table_and_drawings() {
    let folder = tempdir().unwrap();
    // `scripts/test long` has all six functions.
    let all = "shekel4,michalewicz5,ackley5,hartmann6,rosenbrock4,rosenbrock4-trieste";
    let functions = if std::env::var_os("SPARGO_LONG").is_some() { all } else { "hartmann6" };
    let runs = ["reproduce", "regret", "--repeats", "1", "--steps", "5", "--functions", functions];
    let text = stdout(&[&runs[..], &["--output", folder.path().to_str().unwrap()]].concat());
    // Four ways of choosing 250 or 500 points, and the exact GP.
    let rows = 9 * functions.split(',').count();
    assert!(text.contains(&format!("{rows} rows")), "{text}");
    for line in fs::read_to_string(folder.path().join("regret.jsonl")).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (settings, result) = (&row["settings"], &row["result"]);
        let paper = [("batch", 100), ("initial", 100), ("pool", 10_000), ("features", 100), ("starts", 1), ("near", 0)];
        assert!(
            paper.iter().all(|(name, value)| settings[name] == *value) && settings["outcome-transform"] == "off",
            "{settings}"
        );
        let evaluations: Vec<u64> = (1..=6).map(|i| 100 * i).collect();
        assert_eq!(result["evaluations"], serde_json::json!(evaluations));
        let inducing = result["inducing"][5].as_u64().unwrap();
        let most = settings["inducing"].as_u64().unwrap_or(600);
        // A few less where nothing more could be told by them.
        assert!(inducing <= most && 10 * inducing >= 9 * most, "{inducing}: {settings}");
        let least = result["least_regret"].as_array().unwrap();
        let regrets = result["regret"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
        assert!(regrets.zip(least).all(|(regret, least)| regret >= least.as_f64().unwrap() && regret >= 0.0));
    }
    let table = fs::read_to_string(folder.path().join("regret.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + rows * 6, "{table}");
    for name in ["regret.svg", "regret-geometric.svg"] {
        let drawing = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(drawing.contains("hartmann6") && drawing.contains("imp-dpp, M = 250"), "{name}");
        let mean = if name.contains("geo") { ["geometric", "arithmetic"] } else { ["arithmetic", "geometric"] };
        assert!(drawing.contains(mean[0]) && !drawing.contains(mean[1]), "{name}");
    }
}

#[test]
fn killed_in_mid_run_and_resumed_the_rows_are_those_of_an_undisturbed_run() {
    let [whole, killed] = [(), ()].map(|()| tempdir().unwrap());
    reproduce(whole.path(), &[]);
    let undisturbed = rows(whole.path());
    assert_eq!(undisturbed.len(), 8);

    let words = [&TINY[..], &[killed.path().to_str().unwrap(), "--jobs", "1"]].concat();
    let mut command = Command::new(env!("CARGO_BIN_EXE_spargo-lab"));
    let mut process = command.args(words).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let file = killed.path().join("regret.jsonl");
    let started = Instant::now();
    while fs::read_to_string(&file).map_or(0, |text| text.lines().count()) < 2 {
        assert!(started.elapsed() < Duration::from_secs(60), "no rows within a minute");
        std::thread::sleep(Duration::from_millis(2));
    }
    // SIGKILL.
    process.kill().unwrap();
    process.wait().unwrap();
    // As if the kill had come in the middle of a write.
    let text = fs::read_to_string(&file).unwrap();
    let before = text.lines().count();
    fs::write(&file, &text[..text.len() - 7]).unwrap();

    let complaint = complaint(&[&TINY[..], &[killed.path().to_str().unwrap()]].concat());
    assert!(complaint.contains(&format!("{} of 8 jobs have a row", before - 1)), "{complaint}");
    assert!(complaint.contains("--resume"), "{complaint}");
    let drawn = reproduce(killed.path(), &["--draw"]);
    assert!(drawn.contains(&format!("{} rows", before - 1)), "{drawn}");
    reproduce(killed.path(), &["--resume"]);
    assert_eq!(rows(killed.path()), undisturbed);
    // Nothing is left to do.
    reproduce(killed.path(), &["--resume"]);
    assert_eq!(rows(killed.path()), undisturbed);
}

#[test]
fn shards_are_the_whole_in_one_folder_or_merged() {
    let [whole, shared, one, two] = [(), (), (), ()].map(|()| tempdir().unwrap());
    reproduce(whole.path(), &["--jobs", "1"]);
    for shard in ["1/3", "2/3", "3/3"] {
        reproduce(shared.path(), &["--shard", shard]);
    }
    assert_eq!(rows(shared.path()), rows(whole.path()));

    reproduce(one.path(), &["--shard", "1/2"]);
    reproduce(two.path(), &["--shard", "2/2"]);
    assert_eq!(rows(one.path()).len() + rows(two.path()).len(), 8);
    let file = two.path().join("regret.2-of-2.jsonl");
    let merged = reproduce(one.path(), &["--merge", file.to_str().unwrap()]);
    assert!(merged.contains("8 rows"), "{merged}");
    assert_eq!(rows(one.path()), rows(whole.path()));
    let [a, b] = [&one, &whole].map(|folder| fs::read_to_string(folder.path().join("regret.csv")).unwrap());
    assert_eq!(a, b);
}

#[test]
fn rows_of_other_settings_are_kept_but_not_drawn() {
    let folder = tempdir().unwrap();
    let words = |steps: &'static str, seed: &'static str| {
        let mut words = TINY.to_vec();
        words[5] = steps;
        words[7] = "ackley5";
        words[17] = "cvr";
        [&words[..], &[folder.path().to_str().unwrap(), "--seed-from", seed]].concat()
    };
    for (steps, seed) in [("2", "0"), ("2", "5"), ("1", "0")] {
        stdout(&words(steps, seed));
    }
    assert_eq!(rows(folder.path()).len(), 3);
    // Other seeds are repeats, other lengths are another experiment.
    let drawn = stdout(&[&words("2", "0")[..], &["--draw"]].concat());
    assert!(drawn.contains("2 rows"), "{drawn}");
    let table = fs::read_to_string(folder.path().join("regret.csv")).unwrap();
    assert!(table.lines().skip(1).all(|line| line.split(',').nth(4) == Some("2")), "{table}");
    let nothing = complaint(&[&words("3", "0")[..], &["--draw"]].concat());
    assert!(nothing.contains("no rows"), "{nothing}");
}

#[test]
fn figures_of_runs_share_their_rows() {
    let folder = tempdir().unwrap();
    let words = |figure: &'static str, more: &[&'static str]| {
        let mut words = TINY.to_vec();
        (words[1], words[7], words[17]) = (figure, "shekel4", "imp-dpp,cvr");
        stdout(&[&words[..], &[folder.path().to_str().unwrap()], more].concat())
    };
    words("regret", &[]);
    words("ablation", &["--resume"]);
    let rows = rows(folder.path());
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(folder.path().join("ablation.csv").exists());
}

#[test]
fn models_are_trained_by_adam_if_that_is_asked_for() {
    let folder = tempdir().unwrap();
    let text = reproduce(folder.path(), &["--training", "svgp-adam"]);
    assert!(text.contains("8 rows"), "{text}");
    let rows: Vec<Value> = rows(folder.path()).iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    for row in &rows {
        let (method, training) = (&row["settings"]["method"], &row["settings"]["training"]);
        assert_eq!(*training, if method == "exact" { Value::Null } else { "svgp-adam".into() });
        assert!(row["result"]["noise"].as_array().unwrap().iter().all(|noise| noise.as_f64().unwrap() > 0.0));
    }
}

/// Words of a tiny run of a figure with several objectives.
fn several<'a>(figure: &'a str, methods: &'a str, folder: &'a Path) -> Vec<&'a str> {
    let mut words = TINY.to_vec();
    (words[1], words[7], words[17]) = (figure, if figure == "zdt3" { "zdt3" } else { "radiator" }, methods);
    words.push(folder.to_str().unwrap());
    words
}

#[test]
fn several_objectives_leave_volumes_fronts_and_a_table() {
    let folder = tempdir().unwrap();
    stdout(&several("zdt3", "hv-dpp,front-dpp,exact", folder.path()));
    let mut found = 0;
    for row in rows(folder.path()).iter().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
        let (settings, result) = (&row["settings"], &row["result"]);
        assert!(settings["rule"] == "thompson" && settings["outcome-transform"] == "off", "{settings}");
        let numbers = |key: &str| -> Vec<f64> { serde_json::from_value(result[key].clone()).unwrap() };
        assert_eq!(numbers("evaluations"), [10.0, 18.0, 26.0]);
        // The front that is kept is the one whose volume is told.
        let front: Vec<Vec<f64>> = serde_json::from_value(result["found"].clone()).unwrap();
        let volume = ZDT3.hypervolume(&front).unwrap();
        assert!((volume - numbers("hypervolume")[2]).abs() < 0.01, "{volume} {result}");
        let MaximumHypervolume::Exactly(maximum) = ZDT3.maximum_hypervolume else { panic!("the front is known") };
        for (regret, least) in numbers("regret").into_iter().zip(numbers("least_regret")) {
            assert!(regret >= least - 1e-9 && least >= -1e-9, "{result}");
        }
        assert!((numbers("regret")[2] + numbers("hypervolume")[2] - maximum).abs() < 1e-9, "{result}");
        let models = if settings["method"] == "exact" { 0 } else { 2 };
        assert_eq!(result["coverage"].as_array().unwrap().len(), models);
        found += front.len();
    }
    let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
    assert_eq!(read("zdt3-fronts.csv").lines().count(), 1 + found);
    assert_eq!(read("zdt3.csv").lines().count(), 1 + 3 * 3);
    let table = read("zdt3.md");
    let methods: Vec<&str> = table.lines().skip(2).map(|line| line.split(" | ").next().unwrap()).collect();
    assert_eq!(methods, ["| hv-dpp", "| exact", "| front-dpp"], "{table}");
    assert!(["regret after 26", "largest gap", "of the exact GP's"].iter().all(|word| table.contains(word)), "{table}");
    assert!(read("zdt3-fronts.svg").contains("true front"));

    let known = tempdir().unwrap();
    stdout(&[&several("zdt3", "hv-dpp,exact", known.path())[..], &["--set", "noise=known"]].concat());
    let told = |folder: &Path| -> Vec<Value> {
        let all = rows(folder);
        let all = all.iter().map(|row| serde_json::from_str::<Value>(row).unwrap());
        all.filter(|row| row["settings"]["method"] == "exact").map(|row| row["result"]["hypervolume"].clone()).collect()
    };
    assert_ne!(told(known.path()), told(folder.path()));
}

#[test]
fn the_overhead_of_the_radiator_is_that_of_its_figure() {
    let folder = tempdir().unwrap();
    stdout(&several("radiator", "hv-dpp,exact", folder.path()));
    let before = rows(folder.path());
    assert!(before.len() == 2 && before.iter().all(|row| row.contains("\"rule\":\"hippo\"")), "{before:?}");
    stdout(&[&several("overhead", "hv-dpp,exact", folder.path())[..], &["--resume"]].concat());
    assert_eq!(rows(folder.path()), before);
    let table = fs::read_to_string(folder.path().join("overhead.csv")).unwrap();
    // A step from each model to the batch that it chose.
    assert_eq!(table.lines().filter(|line| line.starts_with("radiator,")).count(), 2 * 2, "{table}");
    let table = fs::read_to_string(folder.path().join("radiator.md")).unwrap();
    assert!(table.contains("hypervolume after 26 evaluations") && !table.contains("gap"), "{table}");
}

#[test]
fn figures_and_commands_run_the_same_experiments() {
    let folder = tempdir().unwrap();
    stdout(&[&several("zdt3", "cvr", folder.path())[..], &["--seed-from", "4"]].concat());
    let command = "optimize zdt3 --json --threads 1 --seed 4 --allocation cvr --batches 2 --batch 8 --initial 10 \
                   --inducing 12 --pool 200 --near 0 --starts 1 --features 100 --block 100 --outcome-transform off --hyperparameters \
                   bound";
    let optimized = json(&command.split_whitespace().collect::<Vec<_>>());
    let row: Value = serde_json::from_str(&rows(folder.path())[0]).unwrap();
    for key in ["evaluations", "hypervolume", "regret", "least_regret", "front", "feasible"] {
        assert_eq!(row["result"][key].as_array().unwrap()[1..], *optimized[key].as_array().unwrap(), "{key}");
    }
    assert_eq!(row["result"]["coverage"], optimized["coverage"]);

    let folder = tempdir().unwrap();
    let map = east();
    stdout(&[&map_words(folder.path(), &map, "cvr")[..], &["--seed-from", "4"]].concat());
    let command = "learn malaria --json --threads 1 --seed 4 --allocation cvr --batches 2 --batch 30 --initial 60 \
                   --inducing 25 --held-out 500 --data";
    let learned = json(&[&command.split_whitespace().collect::<Vec<_>>()[..], &[&map]].concat());
    let row: Value = serde_json::from_str(&rows(folder.path())[0]).unwrap();
    for key in ["evaluations", "accuracy", "log_loss"] {
        assert_eq!(row["result"][key].as_array().unwrap()[1..], *learned[key].as_array().unwrap(), "{key}");
    }
}

/// A map that is positive in the east.
fn east() -> String {
    let row = |i: usize| {
        let (x, y) = ((i % 40) as f64 / 4.0, (i / 40) as f64 / 4.0);
        format!("{x},{y},{}", if x > 5.0 { 0.6 } else { 0.1 })
    };
    let rows: Vec<String> = (0..1600).map(row).collect();
    file("east-to-reproduce.csv", &format!("longitude,latitude,pfpr_2015\n{}\n", rows.join("\n")))
}

/// Words of a tiny active-learning experiment on a map.
fn map_words<'a>(folder: &'a Path, map: &'a str, methods: &'a str) -> Vec<&'a str> {
    let words =
        "reproduce malaria --repeats 1 --steps 2 --set initial=60 --set batch=30 --set held-out=500 --inducing 25";
    let more = ["--data", map, "--methods", methods, "--output", folder.to_str().unwrap()];
    words.split_whitespace().chain(more).collect()
}

#[test]
fn a_map_is_learned_by_every_method_and_drawn_from_its_own_rows() {
    let [whole, shared] = [(), ()].map(|()| tempdir().unwrap());
    let map = east();
    let words = |folder| map_words(folder, &map, "al-dpp,cvr,kmeans,uniform");
    stdout(&words(whole.path()));
    for shard in ["1/2", "2/2"] {
        stdout(&[&words(shared.path())[..], &["--shard", shard]].concat());
    }
    assert_eq!(rows(shared.path()), rows(whole.path()));
    for row in rows(whole.path()).iter().map(|row| serde_json::from_str::<Value>(row).unwrap()) {
        let result = &row["result"];
        assert_eq!(result["evaluations"], serde_json::json!([60, 90, 120]));
        assert!(result["accuracy"][2].as_f64().unwrap() > 0.9, "{}", row["settings"]);
        assert_eq!(result["z"].as_array().unwrap().len(), 25, "{}", row["settings"]);
        // East of the middle every tile is positive.
        let truth = result["truth"].as_array().unwrap();
        assert!(truth.len() == 32 * 32 && truth[0] == 0.0 && truth[32 * 32 - 1] == 1.0);
    }
    let read = |file: &str| fs::read_to_string(whole.path().join(file)).unwrap();
    let (table, drawing) = (read("malaria.md"), read("malaria.svg"));
    assert!(table.contains("log loss after 120"), "{table}");
    assert_eq!(table.lines().count(), 2 + 4, "{table}");
    assert!(["given map", "al-dpp, M = 25", "inducing points", "log loss"].iter().all(|word| drawing.contains(word)));
    assert_eq!(read("malaria.csv").lines().count(), 1 + 4 * 3);
    assert_eq!(read("malaria-log-loss.csv").lines().count(), 1 + 4 * 3);

    // Another map, here the synthetic one, is another experiment.
    let draw = words(whole.path()).into_iter().filter(|word| *word != "--data" && *word != map);
    let nothing = complaint(&draw.chain(["--draw"]).collect::<Vec<_>>());
    assert!(nothing.contains("no rows"), "{nothing}");
}

#[test]
fn every_small_figure_is_drawn() {
    let folder = tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let small = ["--repeats", "2", "--output", out];
    for (figure, more) in [
        ("toy", vec!["--functions", "well"]),
        ("allocations", vec!["--set", "points=40", "--set", "inducing=8"]),
        ("quality", vec!["--set", "candidates=40", "--set", "chosen=8"]),
        ("bounds", vec!["--set", "points=60", "--set", "draws=2"]),
    ] {
        stdout(&[&["reproduce", figure][..], &small, &more].concat());
        let table = fs::read_to_string(folder.path().join(format!("{figure}.csv"))).unwrap();
        assert!(table.lines().count() > 4 && !table.contains("NaN"), "{figure}: {table}");
        let drawing = fs::read_to_string(folder.path().join(format!("{figure}.svg"))).unwrap();
        assert!(drawing.contains("<svg") && !drawing.contains("NaN"), "{figure}");
    }
}

#[test]
fn what_does_not_exist_is_answered_with_what_does() {
    let unknown = complaint(&["reproduce", "figure4"]);
    assert!(
        spargo_lab::ALL.iter().all(|figure| unknown.contains(figure.name)) && spargo_lab::ALL.len() == 11,
        "{unknown}"
    );
    for (words, answer) in [
        (["--functions", "shekel5"], "rosenbrock4-trieste"),
        (["--methods", "dpp"], "imp-dpp, cvr, kmeans, uniform, exact"),
        (["--set", "feature=3"], "features"),
        (["--set", "features=many"], "cannot be run"),
        (["--shard", "3/2"], "i/n"),
    ] {
        let complaint = complaint(&[&["reproduce", "regret"][..], &words].concat());
        assert!(complaint.contains(answer), "{complaint}");
    }
    let none = complaint(&["reproduce", "toy", "--steps", "3"]);
    assert!(none.contains("no steps to choose"), "{none}");
    let map = file("for-regret.csv", "longitude,latitude,pfpr_2015\n1,2,0.5\n3,4,0.1\n");
    for figure in ["regret", "toy", "zdt3"] {
        let none = complaint(&["reproduce", figure, "--data", &map]);
        assert!(none.contains(&format!("'{figure}' has no data to choose")), "{none}");
    }
    let trained = complaint(&["reproduce", "radiator", "--training", "svgp-adam"]);
    assert!(trained.contains("no ways of training"), "{trained}");
}
