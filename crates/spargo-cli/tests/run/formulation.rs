//! Studies whose inputs depend on each other: constraints among inputs, conditional inputs, inputs that are fixed for an ask.

use crate::folder::Folder;
use std::collections::HashMap;

const STUDY: &str = "\
name = 'formulation'
initial = 12
batch = 8
[objectives]
viscosity = { goal = 'max' }
[space]
water = { real = [0, 1], digits = 2 }
glycol = { real = [0, 1], digits = 2 }
salt = { real = [0, 1], digits = 2 }
catalyst = { choice = ['Pd', 'Ni', 'Cu'] }
solvent = { choice = ['DMF', 'THF'] }
loading = { real = [0.01, 0.2], when = { catalyst = 'Pd' } }
temperature = { real = [20, 120], step = 0.5 }
[[input-constraints]]
sum = ['water', 'glycol', 'salt']
equals = 1
[[input-constraints]]
nonzero = ['water', 'glycol', 'salt']
at-most = 2
[[input-constraints]]
sum = { water = 2, glycol = -1 }
at-most = 1.5
[[input-constraints]]
exclude = 'forbidden.csv'
";

/// The evaluation: the less salt, and the closer to 60 °C, the better.
const SCRIPT: &str = "test -z \"$4\" -o \"$3\" = Pd || exit 1\necho $1 $2 | awk '{ print -$1 - ($2 - 60)^2 / 1000 }'\n";

fn folder() -> Folder {
    let folder = Folder::new(STUDY, "{salt} {temperature} {catalyst} {loading}", "budget = 20", SCRIPT);
    folder.write("forbidden.csv", "catalyst,solvent\nCu,DMF\nNi,THF\n");
    folder
}

/// The rows of a table by the names of their columns.
fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// A number in hundredths, read from its decimals.
fn hundredths(cell: &str) -> i64 {
    let (whole, decimals) = cell.split_once('.').unwrap_or((cell, "0"));
    let decimals = format!("{decimals:0<2}");
    assert_eq!(decimals.len(), 2, "{cell}");
    100 * whole.parse::<i64>().unwrap() + decimals.parse::<i64>().unwrap()
}

fn check(rows: &[HashMap<String, String>]) {
    for row in rows {
        let [water, glycol, salt] = ["water", "glycol", "salt"].map(|name| hundredths(&row[name]));
        assert_eq!(water + glycol + salt, 100, "{row:?}");
        assert!([water, glycol, salt].contains(&0) && 2 * water - glycol <= 150, "{row:?}");
        let pair = (&*row["catalyst"], &*row["solvent"]);
        assert!(pair != ("Cu", "DMF") && pair != ("Ni", "THF"), "{row:?}");
        assert_eq!(row["catalyst"] == "Pd", !row["loading"].is_empty(), "{row:?}");
    }
}

#[test]
fn what_is_asked_for_satisfies_the_constraints_as_it_is_printed() {
    let folder = folder();
    let mut asked = Vec::new();
    for _ in 0..3 {
        let text = folder.done(&["ask", "study.toml"]);
        asked.extend(rows(&text));
        let told: Vec<String> = rows(&text)
            .iter()
            .map(|row| {
                let names = ["trial", "water", "glycol", "salt", "catalyst", "solvent", "loading", "temperature"];
                let temperature: f64 = row["temperature"].parse().unwrap();
                let cells: Vec<&str> = names.iter().map(|name| &*row[*name]).collect();
                format!("{},{}", cells.join(","), -(temperature - 60.0).powi(2))
            })
            .collect();
        let header = "trial,water,glycol,salt,catalyst,solvent,loading,temperature,viscosity\n";
        folder.write("told.csv", &format!("{header}{}\n", told.join("\n")));
        folder.done(&["tell", "study.toml", "told.csv"]);
    }
    assert_eq!(asked.len(), 28);
    check(&asked);
    check(&rows(&folder.done(&["suggest", "study.toml", "--data", "told.csv", "-n", "5"])));
    let fixed = rows(&folder.done(&["ask", "study.toml", "-n", "5", "--fix", "temperature=60", "--fix", "salt=0.25"]));
    check(&fixed);
    assert!(fixed.iter().all(|row| row["temperature"] == "60.0" && row["salt"] == "0.25"), "{fixed:?}");
    let refused = |value: &str| folder.refused(&["ask", "study.toml", "-n", "1", "--fix", value]);
    assert!(refused("temperature=60.2").contains("temperature"));
    assert!(refused("heat=60").contains("no input 'heat'"));
    assert!(refused("temperature").contains("--fix temperature=60"));
    assert!(refused("loading=0.3").contains("loading"));
}

#[test]
fn every_example_asks_for_a_plate() {
    for example in ["simulator", "formulation", "screen"] {
        let folder = folder();
        folder.done(&["new", "mine.toml", "--example", example]);
        assert_eq!(rows(&folder.done(&["ask", "mine.toml", "-n", "24"])).len(), 24, "{example}");
    }
    assert_eq!(folder().spargo(&["new", "mine.toml", "--example", "cake"]).code, Some(2));
}

#[test]
fn a_run_evaluates_feasible_points_only() {
    let folder = folder();
    folder.done(&["run", "study.toml"]);
    let export = rows(&folder.done(&["export", "study.toml"]));
    assert!(export.len() == 20 && export.iter().all(|row| row["status"] == "done"), "{export:?}");
    check(&export);
}

#[test]
fn past_rows_that_break_a_constraint_are_used_and_said() {
    let folder = folder();
    folder.write(
        "past.csv",
        "water,glycol,salt,catalyst,solvent,loading,temperature,viscosity\n0.5,0.5,0.5,Pd,DMF,0.1,60,9\n0.5,0.5,0,Pd,DMF,0.1,60,1\n",
    );
    folder.done(&["tell", "study.toml", "past.csv"]);
    let status = folder.status();
    assert_eq!(status["best"]["observed"]["value"], 1.0, "{status}");
    let words = folder.done(&["status", "study.toml"]);
    assert!(words.contains("outside"), "{words}");
    folder.write(
        "wrong.csv",
        "water,glycol,salt,catalyst,solvent,loading,temperature,viscosity\n1,0,0,Cu,THF,0.1,60,9\n",
    );
    let refused = folder.refused(&["tell", "study.toml", "wrong.csv"]);
    assert!(refused.contains("line 2") && refused.contains("where catalyst is 'Pd'"), "{refused}");
}
