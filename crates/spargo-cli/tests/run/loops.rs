//! Studies that live for months, as a lab, a robot and a simulator use them: gaps, typos, late outputs, changed settings.

use crate::folder::Folder;
use serde_json::{Value, json};

const LAB: &str = "\
name = 'coupling'
initial = 8
batch = 8
[objectives]
yield = { goal = 'max' }
[constraints]
impurity = { at-most = 5 }
[space]
temperature = { real = [20, 80] }
catalyst = { choice = ['Pd', 'Ni', 'Cu'] }
";

/// A plate as a spreadsheet has it: a header and rows of cells.
struct Sheet {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    fn of(text: &str) -> Self {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().iter().map(String::from).collect();
        let rows = reader.records().map(|row| row.unwrap().iter().map(String::from).collect()).collect();
        Sheet { header, rows }
    }

    fn cell(&self, row: &[String], name: &str) -> String {
        row[self.header.iter().position(|column| column == name).unwrap()].clone()
    }

    /// Some columns, and one more per output.
    fn filled(&self, outputs: &[&str], value: impl Fn(&str, f64, &str, usize) -> String) -> String {
        let mut text = format!("{},{}\n", self.header.join(","), outputs.join(","));
        for (i, row) in self.rows.iter().enumerate() {
            let temperature: f64 = self.cell(row, "temperature").parse().unwrap();
            let catalyst = self.cell(row, "catalyst");
            let values: Vec<String> = outputs.iter().map(|name| value(name, temperature, &catalyst, i)).collect();
            text += &format!("{},{}\n", row.join(","), values.join(","));
        }
        text
    }
}

/// The best is Pd at 95 °C, beyond the first range; impurity grows with the temperature.
fn chemistry(output: &str, temperature: f64, catalyst: &str) -> f64 {
    let best = match catalyst {
        "Pd" => 90.0,
        "Ni" => 60.0,
        _ => 40.0,
    };
    match output {
        "yield" => best - 0.02 * (temperature - 95.0).powi(2),
        _ => 0.05 * temperature,
    }
}

fn measured(output: &str, temperature: f64, catalyst: &str) -> String {
    format!("{:.3}", chemistry(output, temperature, catalyst))
}

#[test]
fn a_lab_with_gaps_typos_late_outputs_and_changed_ranges() {
    let folder = Folder::new(LAB, "{temperature}", "", "");
    // Past results begin the study.
    folder.write("past.csv", "temperature,catalyst,yield,impurity\n50,Pd,49.5,2.5\n40,Ni,-0.5,2\n30,Cu,,\n");
    let told = folder.done(&["tell", "study.toml", "past.csv"]);
    assert!(told.contains("2 outcomes, 0 failed, 0 pending, 1 row without outcome"), "{told}");

    // Round 1: yields come today, with a broken vial and two wells that are not measured yet; impurities come tomorrow.
    let plate = Sheet::of(&folder.done(&["ask", "study.toml", "-n", "8"]));
    let first: u64 = plate.cell(&plate.rows[0], "trial").parse().unwrap();
    let today = plate.filled(&["yield", "reason"], |name, temperature, catalyst, i| match (name, i) {
        ("yield", 3) | ("yield", 6..) => String::new(),
        ("yield", 0) => "99999".into(),
        ("yield", _) => measured(name, temperature, catalyst),
        (_, 3) => "the vial broke".into(),
        _ => String::new(),
    });
    folder.write("plate1.csv", &today);
    let told = folder.done(&["tell", "study.toml", "plate1.csv"]);
    assert!(told.contains("5 outcomes, 1 failed, 2 pending, 0 rows without outcome"), "{told}");
    let tomorrow = plate.filled(&["impurity"], |name, temperature, catalyst, i| match i {
        3 | 6.. => String::new(),
        _ => measured(name, temperature, catalyst),
    });
    folder.write("impurity1.csv", &tomorrow);
    folder.done(&["tell", "study.toml", "impurity1.csv"]);
    let status = folder.status();
    assert_eq!(status["best"]["observed"]["value"], 99_999.0, "{status}");

    // The typo is found, tried dry, corrected, and the next plate is none the worse for it.
    let trial = first.to_string();
    let right = measured(
        "yield",
        plate.cell(&plate.rows[0], "temperature").parse().unwrap(),
        &plate.cell(&plate.rows[0], "catalyst"),
    );
    let amend =
        ["amend", "study.toml", "--trial", &trial, "--output", "yield", "--value", &right, "--reason", "a typo"];
    let dry = folder.done(&[&amend[..], &["--dry-run"]].concat());
    assert!(dry.contains("99999") && dry.contains("nothing was changed"), "{dry}");
    assert_eq!(folder.status()["best"]["observed"]["value"], 99_999.0);
    folder.done(&amend);
    assert!(folder.status()["best"]["observed"]["value"].as_f64().unwrap() < 100.0);

    // Round 2: the wells of round 1 are measured late, in the next plate's file as well; one is discarded.
    let plate2 = Sheet::of(&folder.done(&["ask", "study.toml", "-n", "8"]));
    let full = |sheet: &Sheet| sheet.filled(&["yield", "impurity"], |name, t, catalyst, _| measured(name, t, catalyst));
    folder.write("plate2.csv", &full(&plate2));
    folder.done(&["tell", "study.toml", "plate2.csv"]);
    let late: String = full(&plate)
        .lines()
        .enumerate()
        .filter(|(i, _)| [0, 7, 8].contains(i))
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    folder.write("late.csv", &late);
    assert!(folder.done(&["tell", "study.toml", "late.csv"]).starts_with("2 outcomes"));
    folder.done(&["retry", "study.toml", "--failed", "--reason", "there was enough for another vial"]);
    assert_eq!(folder.status()["pending"], 1);
    folder.done(&["discard", "study.toml", "--pending", "--reason", "there was not"]);

    // Round 3: the range is widened where the best lies at its end.
    folder.edit("study.toml", "[20, 80]", "[20, 120]");
    let said = folder.spargo(&["ask", "study.toml", "-n", "8"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.stderr.contains("'space.inputs.temperature.real' was changed from [20.0,80.0] to [20.0,120.0]"),
        "{said:?}"
    );
    let plate3 = Sheet::of(&said.stdout);
    folder.write("plate3.csv", &full(&plate3));
    folder.done(&["tell", "study.toml", "plate3.csv"]);
    // Round 4.
    let plate4 = Sheet::of(&folder.done(&["ask", "study.toml", "-n", "8"]));
    folder.write("plate4.csv", &full(&plate4));
    folder.done(&["tell", "study.toml", "plate4.csv"]);
    let best = folder.status()["best"]["observed"].clone();
    assert!(best["value"].as_f64().unwrap() > 85.0 && best["point"]["catalyst"] == "Pd", "{best}");

    let history = folder.done(&["export", "study.toml", "--history", "--json"]);
    let history: Vec<Value> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let changes: Vec<&str> = history.iter().map(|row| row["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["amended", "retried", "retried", "discarded", "discarded", "setting"], "{history:?}");
    assert_eq!((&history[0]["before"], &history[0]["reason"]), (&json!("99999"), &json!("a typo")));
    // What comes out goes in again, into a study with another name.
    folder.done(&["export", "study.toml", "-o", "all.csv"]);
    folder.edit("study.toml", "name = 'coupling'", "name = 'again'");
    folder.done(&["tell", "study.toml", "all.csv", "--as-new"]);
    let (before, after) = (Sheet::of(&folder.read("all.csv")), folder.export());
    let kept = before.rows.iter().filter(|row| before.cell(row, "status") != "discarded");
    assert_eq!(after.len(), kept.count());
}

#[test]
fn a_robot_that_is_late_repeats_itself_and_speaks_json() {
    let folder = Folder::new(LAB, "{temperature}", "", "");
    let json = |words: &[&str]| -> Vec<Value> {
        let text = folder.done(&[words, &["--json"]].concat());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let own = ["enqueue", "study.toml", "--set", "temperature=60", "--set", "catalyst=Pd"];
    assert_eq!(json(&own)[0], json!({ "new": 1, "waiting": 1 }));
    let mut late = Vec::new();
    for round in 0..4 {
        let asked = json(&["ask", "study.toml", "-n", "4"]);
        if round == 0 {
            assert_eq!((asked[0]["temperature"].as_f64(), &asked[0]["catalyst"]), (Some(60.0), &json!("Pd")));
        }
        for point in &asked {
            let (trial, temperature) = (point["trial"].to_string(), point["temperature"].as_f64().unwrap());
            let value = |name: &str| measured(name, temperature, point["catalyst"].as_str().unwrap());
            let tell = |output: &str| {
                json(&["tell", "coupling.db", "--trial", &trial, "--output", output, "--value", &value(output)])
            };
            assert_eq!(tell("yield")[0]["new"], 1);
            assert_eq!(tell("yield")[0]["known"], 1, "told again");
            late.push((trial.clone(), value("impurity")));
            if late.len() > 3 {
                let (trial, value) = late.remove(0);
                let told = json(&["tell", "coupling.db", "--trial", &trial, "--output", "impurity", "--value", &value]);
                assert_eq!(told[0]["new"], 1);
            }
        }
    }
    let complaint = folder.refused(&["tell", "coupling.db", "--trial", "1", "--output", "yield", "--value", "1"]);
    assert!(complaint.contains("`amend` it to correct it"), "{complaint}");
    let changed = json(&[
        "amend",
        "coupling.db",
        "--trial",
        "1",
        "--output",
        "yield",
        "--value",
        "-1e-3",
        "--reason",
        "recalibrated",
    ]);
    assert_eq!(changed[0]["changes"][0]["after"]["yield"], -1e-3);
    let status = folder.status();
    let counts = ["trials", "observed", "pending", "partial"].map(|key| status[key].as_u64().unwrap());
    assert_eq!(counts, [16, 13, 3, 3]);
}

const SIMULATOR: &str = "\
name = 'simulated'
initial = 8
batch = 4
[objectives]
y = { goal = 'max' }
[space]
x = { real = [0, 1] }
";

#[test]
fn a_simulator_that_crashes_hangs_and_is_called_wrongly() {
    let folder = Folder::new(SIMULATOR, "{x}", "mode = 'batch'\nbudget = 8\ntimeout = 0.5", "exit 3");
    // A wrong command: nothing was ever observed, so nothing was learned from it.
    let complaint = folder.refused(&["run", "study.toml"]);
    assert!(complaint.contains("8 trials are pending again"), "{complaint}");
    assert_eq!((folder.status()["failed"].clone(), folder.status()["pending"].clone()), (json!(0), json!(8)));
    // Mended, but it crashes and hangs now and then.
    folder.write("sim.sh", "echo $1 >> calls\ncase $(wc -l < calls) in *3) exit 1;; *5) sleep 9;; *) echo $1;; esac\n");
    folder.done(&["run", "study.toml"]);
    let status = folder.status();
    assert_eq!(
        (&status["trials"], &status["failed"], &status["pending"]),
        (&json!(8), &json!(2), &json!(0)),
        "{status}"
    );
    // The failures were the machine's: once more, with other settings and a larger budget.
    folder.done(&["retry", "study.toml", "--failed", "--reason", "the cluster was busy"]);
    folder.edit("study.toml", "batch = 4", "batch = 6");
    folder.edit("study.toml", "budget = 8", "budget = 20");
    folder.write("sim.sh", "echo $1\n");
    folder.done(&["run", "study.toml"]);
    let status = folder.status();
    assert_eq!((&status["trials"], &status["observed"]), (&json!(20), &json!(20)), "{status}");
    assert!(status["best"]["observed"]["value"].as_f64().unwrap() > 0.95, "{status}");
    assert!(folder.done(&["run", "study.toml"]).contains("budget of 20 trials spent"), "the budget is the total");
}

#[test]
fn a_run_whose_inputs_are_changed_under_it_ends() {
    let script = "echo $1 >> calls; while [ ! -e go ]; do sleep 0.05; done; echo $1";
    for mode in ["async", "batch"] {
        let folder = Folder::new(SIMULATOR, "{x}", &format!("mode = '{mode}'\nbudget = 16\nparallel = 2"), script);
        let run = folder.start();
        folder.wait_for_lines("calls", 2);
        folder.edit("study.toml", "[space]\n", "[space]\nz = { real = [100, 200], past = 150 }\n");
        folder.done(&["tell", "study.toml", "--trial", "2", "--value", "0.5"]);
        folder.write("go", "");
        let said = crate::folder::said(run.wait_with_output().unwrap());
        assert!(said.code == Some(1) && said.stderr.contains("has changed the inputs or outputs"), "{mode}: {said:?}");
        let calls = folder.read("calls");
        assert!(calls.lines().all(|x| x.parse::<f64>().unwrap() <= 1.0), "{mode}: {calls}");
    }
}

#[test]
fn an_output_that_another_process_told_stays_and_the_run_ends() {
    let script = "echo $1 >> calls; while [ ! -e go ]; do sleep 0.05; done; echo '{\"y\": 1, \"z\": 2}'";
    let study = SIMULATOR.replace("[space]", "[constraints]\nz = { at-most = 3 }\n[space]");
    let folder = Folder::new(&study, "{x}", "budget = 8", script);
    let run = folder.start();
    folder.wait_for_lines("calls", 1);
    folder.done(&["tell", "study.toml", "--trial", "1", "--output", "y", "--value", "7"]);
    folder.write("go", "");
    let said = crate::folder::said(run.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(folder.export()[0][2..5], ["7.0", "2.0", "done"]);
}
