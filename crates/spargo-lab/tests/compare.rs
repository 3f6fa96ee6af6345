//! `spargo-lab compare` as a user runs it: resumed, shared out, with settings from files, alongside peers.

mod common;

use common::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::{TempDir, tempdir};

/// Settings of small studies.
const SMALL: &str = "initial = 30\nbatch = 40\ninducing = 20\n[model]\nexact-until = 0\n[acquisition]\npool = 200\n";

/// A folder with the settings `small.toml` and, with the cheaper choice of inducing points, `other.toml`.
fn folder() -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("small.toml"), SMALL).unwrap();
    fs::write(folder.path().join("other.toml"), format!("allocation = \"uniform\"\n{SMALL}")).unwrap();
    folder
}

/// Words for two settings on a function of two inputs over two seeds, unless `more` has others.
fn words(folder: &Path, more: &[&str]) -> Vec<String> {
    let settings = ["small.toml", "other.toml"].map(|file| folder.join(file).display().to_string()).join(",");
    let out = folder.join("out").display().to_string();
    let usual = [
        ("--problems", "branin"),
        ("--settings", &settings),
        ("--seeds", "2"),
        ("--budget", "125"),
        ("--output", &out),
    ];
    let usual = usual.into_iter().filter(|(flag, _)| !more.contains(flag)).flat_map(|(flag, value)| [flag, value]);
    ["compare"].into_iter().chain(usual).chain(more.iter().copied()).map(String::from).collect()
}

fn compare(folder: &Path, more: &[&str]) -> String {
    stdout(&words(folder, more).iter().map(String::as_str).collect::<Vec<_>>())
}

fn refusal(folder: &Path, more: &[&str]) -> String {
    complaint(&words(folder, more).iter().map(String::as_str).collect::<Vec<_>>())
}

/// Rows but for what the clock says, in an order of their own.
fn rows(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder.join("out")).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let text: String = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &mut rows {
        for key in ["allocate_s", "fit_s", "acquire_s", "cpu_s"] {
            row["result"].as_object_mut().unwrap().remove(key);
        }
    }
    rows.sort_by_key(Value::to_string);
    rows
}

#[test]
fn settings_are_compared_resumed_and_shared_out() {
    let [whole, shared] = [folder(), folder()];
    let said = compare(whole.path(), &[]);
    let all = rows(whole.path());
    assert_eq!(all.len(), 4);
    for row in &all {
        // Thirty, two batches of forty, and what is left of the budget.
        assert_eq!(row["result"]["evaluations"], json!([30, 70, 110, 125]));
        assert_eq!(row["result"]["inducing"][3], 20);
        assert_eq!(row["settings"]["study"]["inducing"], 20);
    }
    for word in ["4 rows", "## branin", "| small ", "| other ", "after 125", "compare-geometric.svg"] {
        assert!(said.contains(word), "{said}");
    }
    assert!(said.starts_with(&fs::read_to_string(whole.path().join("out/compare.md")).unwrap()), "{said}");
    let table = fs::read_to_string(whole.path().join("out/compare.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 2 * 4, "{table}");

    let again = refusal(whole.path(), &[]);
    assert!(again.contains("4 of 4 jobs have a row") && again.contains("--resume"), "{again}");
    compare(whole.path(), &["--resume"]);
    assert_eq!(rows(whole.path()), all);

    for shard in ["1/2", "2/2"] {
        compare(shared.path(), &["--shard", shard]);
    }
    assert_eq!(rows(shared.path()), all);
}

#[test]
fn changed_settings_and_other_seeds_are_other_jobs() {
    let folder = folder();
    compare(folder.path(), &["--seeds", "1"]);
    fs::write(folder.path().join("small.toml"), SMALL.replace("pool = 200", "pool = 201")).unwrap();
    let drawn = compare(folder.path(), &["--seeds", "1", "--draw"]);
    assert!(drawn.contains("1 rows") && !drawn.contains("| small"), "{drawn}");
    compare(folder.path(), &["--seeds", "1", "--resume"]);
    assert_eq!(rows(folder.path()).len(), 3);
    let nothing = refusal(folder.path(), &["--seed-from", "100", "--draw"]);
    assert!(nothing.contains("no rows"), "{nothing}");
}

#[test]
fn peers_in_the_folder_are_drawn() {
    let folder = folder();
    compare(folder.path(), &["--seeds", "1"]);
    let peer = |seed: u64, budget: u64| {
        let settings = json!({ "function": "branin", "method": "random", "seed": seed, "budget": budget, "noise": 0.01,
            "peer": { "package": "numpy", "version": "2" } });
        let result = json!({ "evaluations": [100, budget], "regret": [2.0, 1e-9], "least_regret": [0.5, 1e-9],
            "seconds": [0.1, 0.1] });
        format!("{}\n", json!({ "kind": "compare", "settings": settings, "result": result, "version": "peers" }))
    };
    fs::write(folder.path().join("out/peers.jsonl"), peer(0, 125) + &peer(1, 125) + &peer(0, 300)).unwrap();
    let said = compare(folder.path(), &["--draw"]);
    assert!(said.contains("4 rows") && said.contains("1 of 2"), "{said}");
    let best = said.lines().find(|line| line.starts_with("| random")).unwrap();
    assert!(best.contains("| 2 ") && best.contains("**0.000000**") && best.contains("| 0.100 "), "{best}");
    assert_eq!(said.matches("**").count(), 2, "{said}");
    let drawing = fs::read_to_string(folder.path().join("out/compare.svg")).unwrap();
    assert!(["random", "small", "other"].iter().all(|name| drawing.contains(name)));
}

#[test]
fn settings_run_what_optimize_and_reproduce_run() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out");
    let run = |words: &str| stdout(&words.split_whitespace().collect::<Vec<_>>());
    let file = folder.path().join("stated.toml").display().to_string();
    let stated = "allocation = \"cvr\"\nrule = \"thompson\"\ninducing = 40\n[model]\nkernel = \"matern32\"\n\
                  priors = \"off\"\noutcome-transform = \"off\"\nexact-until = 0\n";
    fs::write(&file, stated).unwrap();
    let out = out.display();
    run(&format!(
        "compare --problems hartmann6 --settings paper-250,{file} --seeds 1 --seed-from 3 --budget 200 --output {out}"
    ));
    run(&format!(
        "reproduce regret --functions hartmann6 --methods imp-dpp --inducing 250 --repeats 1 --seed-from 3 --steps 1 \
         --output {out}"
    ));
    let optimized = run("optimize hartmann6 --batches 1 --seed 3 --allocation cvr --inducing 40 --kernel matern32 \
                         --priors off --outcome-transform off --threads 1 --json");
    let optimized: Value = serde_json::from_str(&optimized).unwrap();
    let regret = |method: &str| {
        let found = rows(folder.path()).into_iter().find(|row| row["settings"]["method"] == method).unwrap();
        found["result"]["regret"].clone()
    };
    assert_eq!(regret("paper-250"), regret("imp-dpp"));
    assert_eq!(regret("stated"), json!([optimized["initial_regret"], optimized["regret"][0]]));
}

#[test]
fn mistakes_are_explained() {
    let folder = folder();
    let file = |text: &str| {
        let path = folder.path().join("wrong.toml");
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    for (words, answers) in [
        (["--problems", "shekel5"], ["there is no problem 'shekel5'", "hartmann6"]),
        (["--problems", "zdt1"], ["there is no problem 'zdt1'", "hartmann6"]),
        (["--settings", "papers"], ["there are no settings 'papers'", "default, paper, paper-250"]),
        (["--settings", "nowhere.toml"], ["cannot read the settings", "nowhere.toml"]),
    ] {
        let said = refusal(folder.path(), &words);
        assert!(answers.iter().all(|answer| said.contains(answer)), "{said}");
    }
    for (text, answers) in [
        ("batch = 100\ninducign = 3\n", ["wrong.toml:2", "did you mean 'inducing'"]),
        ("[model]\noutcome-transfrom = \"off\"\n", ["wrong.toml:2", "did you mean 'outcome-transform'"]),
        ("seed = 4\n", ["wrong.toml:1", "'seed' is set by the comparison"]),
        ("batch = 0\n", ["wrong.toml:1", "at least 1"]),
        ("initial = 100\n", ["a budget of 99", "100 initial points of 'wrong'"]),
    ] {
        let said = refusal(folder.path(), &["--settings", &file(text), "--budget", "99"]);
        assert!(answers.iter().all(|answer| said.contains(answer)), "{said}");
    }
}
