//! `spargo suggest`: from a spreadsheet of results to the next plate and back.

mod common;

use common::{complaint, spargo, stdout};
use std::collections::HashSet;

const STUDY: &str = r#"
batch = 12
initial = 24
seed = 7
[objectives]
"yield, raw" = { goal = "max" }
[space]
temperature = { real = [20, 120] }
"rate, \"fast\"" = { real = [0.001, 0.1], log = true }
layers = { int = [1, 8] }
metal = { choice = ["Pd", "Ni, black", "Cu \"0\""] }
"#;

/// The header as a lab's spreadsheet writes it.
const HEADER: &str = "well,\"temperature (°C)\",\"rate, \"\"fast\"\" [1/s]\",layers,metal,\"yield, raw\"";

#[test]
fn tables_in_other_units_are_refused() {
    let plain = "initial = 4\n[objectives]\ny = { goal = \"max\" }\n[space]\nt = { real = [20, 120] }\n";
    let lab = Lab::new(plain);
    let table = |name: &str, header: &str| lab.write(name, &format!("{header}\n30,1\n"));
    let tables =
        [("c.csv", "t (°C),y (%)"), ("k.csv", "t (K),y (%)"), ("mg.csv", "t [°C],y (mg)"), ("bare.csv", "t,y")];
    let [celsius, kelvin, milligram, bare] = tables.map(|(name, header)| table(name, header));
    let study = lab.file("study.toml");
    let refused = |data: &[&str]| {
        let words: Vec<&str> = data.iter().flat_map(|file| ["--data", file]).collect();
        complaint(&[&["suggest", &study], &words[..]].concat())
    };
    for (data, name, units) in [
        ([&*celsius, &kelvin], "'t'", "in K here, but in °C in"),
        ([&*kelvin, &celsius], "'t'", "in °C here, but in K in"),
        ([&*celsius, &milligram], "'y'", "in mg here, but in % in"),
    ] {
        let complaint = refused(&data);
        let files = data.map(|path| path.rsplit('/').next().unwrap());
        assert!([name, units, files[0], files[1]].iter().all(|part| complaint.contains(part)), "{complaint}");
    }
    lab.suggest(&["--data", &celsius, "--data", &bare, "-n", "2"]);
    // A unit that the study declares; it is in the header of a plate, and not in JSON.
    lab.write("study.toml", &plain.replace("[20, 120]", "[20, 120], unit = \"°C\""));
    let complaint = refused(&[&kelvin]);
    assert!(complaint.contains("in K here, but in °C in the study"), "{complaint}");
    assert!(lab.suggest(&["-n", "2"]).starts_with("t (°C)\n"));
    assert!(lab.suggest(&["-n", "2", "--json"]).starts_with("{\"t\":"));
    let asked = stdout(&["ask", &study, "-n", "2"]);
    assert!(asked.starts_with("trial,t (°C)\n"), "{asked}");
    let told = lab.write("told.csv", "trial,t (K),y\n1,30,1\n");
    let complaint = common::complaint(&["tell", &study, &told]);
    assert!(complaint.contains("in K here, but in °C in the study"), "{complaint}");
}

struct Lab {
    folder: tempfile::TempDir,
    rows: Vec<String>,
}

impl Lab {
    fn new(study: &str) -> Self {
        let lab = Lab { folder: tempfile::tempdir().unwrap(), rows: Vec::new() };
        lab.write("study.toml", study);
        lab
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The spreadsheet: a byte order mark, CRLF, an extra column, an empty row at the end.
    fn save(&self) -> String {
        let text = format!("\u{feff}{HEADER}\r\n{}\r\n,,,,,\r\n", self.rows.join("\r\n"));
        self.write("results.csv", &text)
    }

    fn suggest(&self, words: &[&str]) -> String {
        let study = self.file("study.toml");
        stdout(&[&["suggest", &study], words].concat())
    }

    /// Evaluates a plate; every 7th well fails, every 9th is not there yet.
    fn evaluate(&mut self, plate: &str) {
        for (well, point) in points(plate).iter().enumerate() {
            let number = |k: usize| point[k].parse::<f64>().unwrap();
            let metal = ["Cu \"0\"", "Ni, black", "Pd"].iter().position(|metal| *metal == point[3]).unwrap();
            let outcome = match well + 1 {
                n if n % 7 == 0 => ["", "NaN"][n / 7 % 2].into(),
                n if n % 9 == 0 => "pending".into(),
                _ => {
                    let off = ((number(0) - 80.0) / 40.0).powi(2) + (number(1).ln() + 4.0).powi(2);
                    format!("{}", 10.0 * metal as f64 - off - (number(2) - 3.0).abs())
                }
            };
            let cells: Vec<String> = point.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            self.rows.push(format!("A{well},{},{outcome}", cells.join(",")));
        }
    }
}

/// The rows of a CSV file, without its header.
fn points(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(String::from).collect()).collect()
}

#[test]
fn batches_improve_with_results() {
    let mut lab = Lab::new(STUDY);
    let plate = lab.suggest(&["-n", "24"]);
    assert_eq!(plate.lines().next(), Some("temperature,\"rate, \"\"fast\"\"\",layers,metal"));
    lab.evaluate(&plate);
    let mut seen: HashSet<Vec<String>> = points(&plate).into_iter().collect();
    assert_eq!(seen.len(), 24);
    let mut late = 0.0;
    for _ in 0..3 {
        let data = lab.save();
        let plate = lab.suggest(&["--data", &data]);
        assert_eq!(lab.suggest(&["--data", &data]), plate, "the same results give the same plate");
        // The header is the spreadsheet's.
        assert_eq!(plate.lines().next(), Some("temperature (°C),\"rate, \"\"fast\"\" [1/s]\",layers,metal"));
        let batch = points(&plate);
        assert_eq!(batch.len(), 12);
        batch.iter().for_each(|point| assert!(seen.insert(point.clone()), "{point:?} again"));
        late = batch.iter().filter(|point| point[3] == "Pd").count() as f64 / 12.0;
        lab.evaluate(&plate);
    }
    assert!(late > 0.7, "the best metal is not preferred: {late}");
    let again = points(&lab.suggest(&["--data", &lab.save(), "--replicate"]));
    assert_eq!(again.len(), 12);
    assert!(again.iter().all(|point| seen.contains(point) && point[3] == "Pd"), "{again:?}");
}

#[test]
fn predictions_are_added_to_the_points() {
    let mut lab = Lab::new(STUDY);
    lab.evaluate(&lab.suggest(&["-n", "60"]));
    let data = lab.save();
    let (plain, output) = (lab.suggest(&["--data", &data]), lab.file("plate.csv"));
    assert_eq!(lab.suggest(&["--data", &data, "--predict", "-o", &output]), "");
    let predicted = std::fs::read_to_string(&output).unwrap();
    assert!(predicted.lines().next().unwrap().ends_with(",\"yield, raw mean\",\"yield, raw low\",\"yield, raw high\""));
    for (point, predicted) in points(&plain).iter().zip(points(&predicted)) {
        assert_eq!(point[..], predicted[..4]);
        let [mean, low, high] = [4, 5, 6].map(|k| predicted[k].parse::<f64>().unwrap());
        assert!(low < mean && mean < high && (-100.0..100.0).contains(&mean), "{predicted:?}");
    }
}

#[test]
fn pending_points_are_avoided_and_files_are_merged() {
    let study = "[objectives]\ny = { goal = \"min\" }\n[space]\nn = { int = [1, 30] }\n";
    let lab = Lab::new(study);
    let done = lab.write("done.csv", "n,y\n1,1\n2,4\n3,nan\n");
    let more = lab.write("more.csv", "y;n\n25,5;5\npending;6\n;7\n");
    let plate = lab.write("plate.csv", "n,remark\n10,\n11,\n12,\n");
    let rest = lab.suggest(&["--data", &done, "--data", &more, "--pending", &plate, "-n", "21"]);
    let rest: HashSet<u64> = points(&rest).iter().map(|point| point[0].parse().unwrap()).collect();
    let expected = (1..=30).filter(|n| ![1, 2, 3, 5, 6, 7, 10, 11, 12].contains(n));
    assert_eq!(rest, expected.collect());
    let study = lab.file("study.toml");
    let said = complaint(&["suggest", &study, "--data", &done, "--data", &more, "--pending", &plate, "-n", "22"]);
    assert!(said.contains("22 new points") && said.contains("only 21"), "{said}");
    let said = complaint(&["suggest", &study, "--data", &plate]);
    assert!(said.contains("plate.csv, line 1") && said.contains("'y'"), "{said}");
}

#[test]
fn candidates_come_from_a_file() {
    let pool: String = (0..40).map(|i| format!("{},{},s{}\n", i % 7, 0.25 * f64::from(i), i % 3)).collect();
    let study = "[objectives]\ny = { goal = \"max\" }\n[space]\ncandidates = \"pool.csv\"\n";
    let lab = Lab::new(study);
    lab.write("pool.csv", &format!("a,b,solvent\n{pool}"));
    let data = lab.write("data.csv", "a,b,solvent,y\n0,0,s0,1\n1,0.25,s1,2\n");
    let plate = lab.suggest(&["--data", &data, "-n", "38"]);
    let row = |cells: &Vec<String>| {
        let number = |k: usize| cells[k].parse::<f64>().unwrap();
        format!("{},{},{}", number(0), number(1), cells[2])
    };
    let suggested: HashSet<String> = points(&plate).iter().map(row).collect();
    assert_eq!(suggested, pool.lines().skip(2).map(String::from).collect());
}

#[test]
fn candidates_are_printed_as_they_were_read() {
    let lab = Lab::new("[objectives]\ny = { goal = \"max\" }\n[space]\ncandidates = \"pool.csv\"\n");
    // Identifiers, a unit, a column without a name, one that has been measured, and two that differ by their unit.
    lab.write(
        "pool.csv",
        "id,temperature (°C),,y [%],p [bar],p [Pa]\n1,20,a,,1,1.0\n2,40.5,b,7,2,2.0\n30,60,c,,3,3.5\n",
    );
    let plate = lab.suggest(&["-n", "3"]);
    assert_eq!(plate.lines().next(), Some("id,temperature (°C),p [bar],p [Pa]"));
    let rows: HashSet<&str> = plate.lines().skip(1).collect();
    assert_eq!(rows, HashSet::from(["1,20.0,1,1.0", "2,40.5,2,2.0", "30,60.0,3,3.5"]));
    // The inputs are called by their names; what else was evaluated need not be a candidate.
    let data = lab.write("data.csv", "temperature,id,p [bar],p [Pa],y\n20,1,1,1,5\n33.25,2.5,3,2,6\n");
    assert_eq!(points(&lab.suggest(&["--data", &data, "-n", "2"])).len(), 2);
    let study = lab.write("run.toml", "[objectives]\ny = { goal = \"max\" }\n[space]\ncandidates = \"pool.csv\"\n[run]\ncommand = \"sh -c 'echo $0 $1 >> log; echo 1' {id} {temperature}\"\n");
    stdout(&["run", &study]);
    let log = std::fs::read_to_string(lab.file("log")).unwrap();
    assert_eq!(log.lines().collect::<HashSet<_>>(), HashSet::from(["1 20.0", "2 40.5", "30 60.0"]));
}

#[test]
fn without_a_count_the_last_points_are_suggested() {
    let lab = Lab::new("batch = 4\ninitial = 3\n[objectives]\ny = { goal = \"min\" }\n[space]\nn = { int = [1, 6] }\n");
    let (study, data) = (lab.file("study.toml"), lab.write("data.csv", "n,y\n1,1\n2,4\n3,5\n"));
    let words = ["suggest", study.as_str(), "--data", data.as_str()];
    let said = spargo(&words);
    assert_eq!(points(&String::from_utf8(said.stdout).unwrap()).len(), 3);
    assert!(String::from_utf8(said.stderr).unwrap().contains("3 points instead of 4"));
    assert!(complaint(&[&words[..], &["-n", "4"]].concat()).contains("only 3"));
    assert_eq!(spargo(&[&words[..], &["-n", "0"]].concat()).status.code(), Some(2));
    let all = lab.write("all.csv", "n,y\n1,1\n2,4\n3,5\n4,1\n5,2\n6,failed\n");
    assert!(complaint(&["suggest", &study, "--data", &all]).contains("only 0"));
    let log = String::from_utf8(spargo(&[&["-v"], &words[..]].concat()).stderr).unwrap();
    for line in [
        "3 outcomes, 0 failed, 0 pending, 0 rows without outcome; 3 points",
        "step 1: 3 points in",
        "model of y, 3 observations",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[test]
fn suggest_and_ask_give_the_same_number_of_points() {
    let study = "name = \"counts\"\nbatch = 4\ninitial = 7\n[objectives]\ny = { goal = \"min\" }\n[space]\nx = { real = [0, 1] }\n";
    let lab = Lab::new(study);
    let file = lab.file("study.toml");
    let ask = || points(&stdout(&["ask", &file])).len();
    let suggest = |rows: &str| points(&lab.suggest(&["--data", &lab.write("data.csv", rows)])).len();
    assert_eq!((suggest("x,y\n"), ask()), (7, 7));
    let told: String = (1..=7).map(|trial| format!("{trial},{trial}\n")).collect();
    stdout(&["tell", &file, &lab.write("told.csv", &format!("trial,y\n{told}"))]);
    let rows: String = (0..7).map(|i| format!("{},{i}\n", 0.1 * f64::from(i))).collect();
    assert_eq!((suggest(&format!("x,y\n{rows}")), ask()), (4, 4));
    // Before there is any observation, what is left of the initial design.
    assert_eq!(suggest("x,y\n0.1,\n0.2,pending\n"), 5);
}

#[test]
fn points_and_predictions_are_json_objects() {
    let lab = Lab::new("[objectives]\ny = { goal = \"min\" }\n[space]\nx = { real = [0, 1] }\n");
    let data = lab.write("data.csv", "x,y\n0.1,1\n0.4,4\n0.9,5\n");
    let words = ["--data", &data, "-n", "2", "--predict"];
    let (csv, json) = (lab.suggest(&words), lab.suggest(&[&words[..], &["--json"]].concat()));
    let objects: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 2);
    for (row, object) in points(&csv).iter().zip(&objects) {
        for (cell, key) in row.iter().zip(["x", "y mean", "y low", "y high"]) {
            assert_eq!(cell.parse().ok(), object[key].as_f64(), "{key}: {object}");
        }
    }
}

#[test]
fn fifty_thousand_rows_are_read_quickly() {
    let study = "initial = 10\ninducing = 50\n[objectives]\ny = { goal = \"min\" }\n[space]\na = { real = [0, 1] }\nb = { real = [0, 1] }\n";
    let lab = Lab::new(study);
    let row = |i: u32| {
        let (a, b) = (f64::from(i % 251) / 250.0, f64::from(i / 251) / 199.5);
        format!("{a},{b},{}\n", (a - 0.3).powi(2) + (b - 0.6).powi(2))
    };
    let data = lab.write("data.csv", &format!("a,b,y\n{}", (0..50_000).map(row).collect::<String>()));
    let plate = points(&lab.suggest(&["--data", &data, "-n", "10"]));
    let is_close = |point: &&Vec<String>| {
        let [a, b] = [0, 1].map(|k| point[k].parse::<f64>().unwrap());
        (a - 0.3).abs() < 0.1 && (b - 0.6).abs() < 0.1
    };
    // The others avoid the neighbourhood of so many rows.
    assert!((5..10).contains(&plate.iter().filter(is_close).count()), "{plate:?}");
}

/// Of a class the probability of yes is predicted, and spreadsheets say yes and no in words.
/// A study gets a long table in parts, of which its user knows nothing.
#[test]
fn an_error_in_a_long_table_names_its_line() {
    let lab = Lab::new(
        "[objectives]\ny = { goal = \"max\" }\n[model]\noutcome-transform = \"log\"\n[space]\nt = { real = [0, 1] }\n",
    );
    let row = |i: usize| format!("{},{}\n", i as f64 / 17_000.0, if i == 16_500 { 0 } else { 1 });
    let table = lab.write("long.csv", &("t,y\n".to_string() + &(1..=17_000).map(row).collect::<String>()));
    let complaint = complaint(&["suggest", &lab.file("study.toml"), "--data", &table]);
    assert!(complaint.contains("long.csv, line 16501, column 'y': 'y' = 0 in the row has"), "{complaint}");
}

#[test]
fn classes_are_predicted_by_their_probability() {
    let study =
        "initial = 8\nbatch = 3\n[objectives]\ngood = { goal = \"classify\" }\n[space]\nx = { real = [0, 1] }\n";
    let lab = Lab::new(study);
    let row = |i: usize| format!("{},{}", i as f64 / 20.0, if i > 10 { "yes" } else { "No" });
    let rows: Vec<String> = (0..=20).map(row).collect();
    let data = lab.write("results.csv", &format!("x,good\n{}\n", rows.join("\n")));
    let plate = lab.suggest(&["--data", &data, "--predict", "-n", "6"]);
    for point in points(&plate) {
        let [x, mean, low, high] = [0, 1, 2, 3].map(|k| point[k].parse::<f64>().unwrap());
        assert!(0.0 <= low && low < mean && mean < high && high <= 1.0, "{plate}");
        assert!((x - 0.525).abs() < 0.1 || (mean > 0.5) == (x > 0.525), "{plate}");
    }
}

#[test]
fn a_plate_that_is_not_filled_in_yet_is_pending() {
    let lab =
        Lab::new("initial = 8\nbatch = 6\n[objectives]\ny = { goal = \"max\" }\n[space]\nx = { real = [0, 1] }\n");
    let rows: String =
        (0..12).map(|i| format!("{},{}\n", f64::from(i) / 12.0, -(f64::from(i) - 7.0).powi(2))).collect();
    let results = lab.write("results.csv", &format!("x,y\n{rows}"));
    let plate = lab.suggest(&["--data", &results, "-n", "6"]);
    let blank: String = plate.lines().skip(1).map(|x| format!("{x},\n")).collect();
    let blank = lab.write("blank.csv", &format!("x,y\n{blank},\n"));
    let plate = lab.write("plate.csv", &plate);
    let by_gaps = lab.suggest(&["--data", &results, &blank, "-n", "6"]);
    assert_eq!(by_gaps, lab.suggest(&["--data", &results, "--pending", &plate, "-n", "6"]));
    let said = spargo(&["suggest", &lab.file("study.toml"), "--data", &results, &blank, "-n", "6"]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("12 outcomes, 0 failed, 6 pending, 0 rows without outcome; 6 points written"), "{said}");
}
