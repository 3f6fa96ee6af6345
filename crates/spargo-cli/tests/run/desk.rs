//! Studies whose points others evaluate: ask, tell, status, export.

use crate::folder::{Folder, PLAIN};
use serde_json::{Value, json};
use spargo::allocate::{Allocation, QualityFunction};
use spargo::data::AllocationContext;
use spargo::space::{Dimension, Domain, Space};
use spargo::study::{Config, Goal, Outcome, Output, Study};
use std::collections::HashSet;

/// A quality that only the program with this name has.
#[derive(Debug)]
struct Mine;

impl QualityFunction for Mine {
    fn name(&self) -> &str {
        "mine"
    }

    fn evaluate(&self, context: &AllocationContext, _: usize) -> spargo::Result<Vec<f64>> {
        Ok(vec![1.0; context.rows()])
    }
}

fn desk() -> Folder {
    Folder::new(PLAIN, "{x}", "", "")
}

#[test]
fn outcomes_are_exported_as_they_were_told() {
    let folder = desk();
    let complaint = folder.refused(&["status", "study.toml"]);
    assert!(complaint.contains("does not exist yet") && complaint.contains("plain.db"), "{complaint}");
    let asked = folder.done(&["ask", "study.toml"]);
    let lines: Vec<&str> = asked.lines().collect();
    assert_eq!((lines[0], lines.len()), ("trial,x,n", 9));
    let one: Value = serde_json::from_str(&folder.done(&["ask", "plain.db", "-n", "1", "--json"])).unwrap();
    assert!(one["trial"] == 9 && one["x"].is_f64() && one["n"].is_i64(), "{one}");

    assert_eq!(
        folder.done(&["tell", "plain.db", "--trial", "1", "--value", "-0.1"]),
        "1 told; 1 of 9 trials has an outcome\n"
    );
    folder.done(&["tell", "study.toml", "--trial", "2", "--value", "2", "--variance", "0.5"]);
    folder.done(&["tell", "plain.db", "--trial", "3", "--failed", "the vial, it\u{1b} broke"]);
    folder.done(&["tell", "plain.db", "--trial", "4", "--value", "nan"]);
    folder.write("results.csv", &format!("{},y\n{},5.5\n{},failed\n", lines[0], lines[5], lines[6]));
    assert_eq!(
        folder.done(&["tell", "plain.db", "results.csv"]),
        "1 outcome, 1 failed, 0 pending, 0 rows without outcome\n2 told; 6 of 9 trials have an outcome\n"
    );
    folder.write("own.csv", "x,n,y [mg],status\n0.5,7,3.25,\n0.25,8,,failed\n");
    folder.done(&["tell", "plain.db", "own.csv"]);

    let rows = folder.export();
    let told: Vec<[&str; 3]> = rows.iter().map(|row| [&*row[3], &*row[5], &*row[6]]).collect();
    assert_eq!(rows[1][4], "0.5", "the variance that was told");
    assert_eq!(
        told,
        [
            ["-0.1", "done", ""],
            ["2.0", "done", ""],
            ["", "failed", r"the vial, it\u{1b} broke"],
            ["", "failed", "the outcome is NaN"],
            ["5.5", "done", ""],
            ["", "failed", "no value of 'y'"],
            ["", "pending", ""],
            ["", "pending", ""],
            ["", "pending", ""],
            ["3.25", "done", ""],
            ["", "failed", "failed"],
        ]
    );
    assert_eq!(rows[9][..3], ["10", "0.5", "7"]);

    let status = folder.status();
    let counts = ["trials", "observed", "failed", "pending"].map(|key| status[key].as_u64().unwrap());
    assert_eq!(counts, [11, 4, 4, 3]);
    assert_eq!((&status["best"]["observed"]["value"], &status["step"]["asked"]), (&5.5.into(), &1.into()));
    assert!(status["study"].as_str().unwrap().ends_with("plain.db"), "{status}");
    let words = folder.done(&["status", "plain.db"]);
    assert!(
        words.contains("11 trials, 4 observed, 4 failed, 3 pending") && words.contains("last step: number 2"),
        "{words}"
    );

    // A table that came out goes in again, here and in a study of its own.
    folder.done(&["export", "plain.db", "-o", "all.csv"]);
    assert_eq!(
        folder.done(&["tell", "plain.db", "all.csv"]),
        "4 outcomes, 4 failed, 3 pending, 0 rows without outcome\n\
         0 told, 8 already known; 8 of 11 trials have an outcome\n"
    );
    assert!(folder.done(&["suggest", "study.toml", "--data", "all.csv"]).contains("x"));
    let other = desk();
    other.done(&["ask", "study.toml"]);
    other.done(&["ask", "study.toml", "-n", "1"]);
    let without_numbers = folder
        .read("all.csv")
        .lines()
        .map(|line| {
            let (trial, rest) = line.split_once(',').unwrap();
            if ["10", "11"].contains(&trial) { format!(",{rest}\n") } else { format!("{line}\n") }
        })
        .collect::<String>();
    other.write("all.csv", &without_numbers);
    other.done(&["tell", "study.toml", "all.csv"]);
    assert_eq!(other.export(), rows);
}

#[test]
fn choices_keep_their_json_values() {
    const STUDY: &str = "initial = 8\nbatch = 4\n[objectives]\ny = { goal = 'max' }\n[space]\nx = { real = [0, 1] }
flag = { choice = [true, false] }\nsize = { choice = [1, 2.5, 'large'] }\n";
    let folder = Folder::new(STUDY, "{flag} {size}", "budget = 8", "echo $1 $2 >> args; echo 1\n");
    folder.done(&["run", "study.toml"]);
    let arguments = folder.read("args");
    let words: Vec<&str> = arguments.split_whitespace().collect();
    assert!(["true", "false", "1", "2.5", "large"].iter().all(|word| words.contains(word)), "{arguments}");
    assert_eq!(words.len(), 16);

    // From a table, whose cells are texts, to the study's own values.
    folder.write("own.csv", "x,flag,size,y\n0.5,TRUE,2.5,3\n0.25,false,1.0,4\n");
    folder.done(&["tell", "study.toml", "own.csv"]);
    let study = Study::open(&folder.path("study.db")).unwrap();
    let told: Vec<_> = study.history().records()[8..].iter().map(|record| record.trial.point[1..].to_vec()).collect();
    assert_eq!(told, [vec![true.into(), 2.5.into()], vec![false.into(), 1.into()]]);
    folder.write("other.csv", "x,flag,size,y\n0.5,yes,1,3\n");
    let complaint = folder.refused(&["tell", "study.toml", "other.csv"]);
    assert!(complaint.contains("line 2, column 'flag'") && complaint.contains("one of true, false"), "{complaint}");

    // As JSON to a program, and from a command.
    let folder = Folder::new(STUDY, "", "budget = 4", "cat >> points; echo 1\n");
    folder.done(&["run", "study.toml"]);
    let asked = folder.done(&["ask", "study.toml", "--json", "-n", "8"]);
    for line in folder.read("points").lines().chain(asked.lines()) {
        let point: Value = serde_json::from_str(line).unwrap();
        assert!(point["flag"].is_boolean() && (point["size"].is_number() || point["size"] == "large"), "{point}");
    }
}

#[test]
fn what_is_asked_for_can_be_set_as_it_is_printed() {
    const STUDY: &str = "initial = 24\nbatch = 12\n[objectives]\ny = { goal = 'max' }\n[space]
temperature = { real = [20, 120], step = 0.5 }\nloading = { real = [0.001, 0.1], log = true, digits = 3 }\n";
    let folder = Folder::new(STUDY, "{temperature} {loading}", "budget = 48", "echo $1 $2 >> args; echo $1\n");
    folder.done(&["run", "study.toml"]);
    let exported: Vec<String> = folder.export().iter().flat_map(|row| row[1..3].to_vec()).collect();
    let arguments = folder.read("args");
    let places = |text: &str| text.split_once('.').map_or(0, |(_, places)| places.len());
    for pair in
        arguments.lines().chain(exported.chunks(2).map(|pair| pair.join(" ")).collect::<Vec<_>>().iter().map(|s| &**s))
    {
        let (temperature, loading) = pair.split_once(' ').unwrap();
        assert!(places(temperature) == 1 && [".0", ".5"].iter().any(|end| temperature.ends_with(end)), "{pair}");
        assert!(places(loading) <= 3, "{pair}");
    }
    assert_eq!(arguments.lines().count(), 48);
    // The model climbs on the grid to its end.
    assert!(exported.contains(&"120.0".to_string()), "{exported:?}");
    folder.edit("study.toml", "step = 0.5", "step = 500");
    let complaint = folder.refused(&["suggest", "study.toml"]);
    assert!(complaint.contains("longer than its range") && complaint.contains("make it shorter"), "{complaint}");
}

#[test]
fn lists_and_ordered_labels_are_asked_for_as_they_are_listed() {
    const STUDY: &str = "initial = 12\nbatch = 6\n[objectives]\ny = { goal = 'max' }\n[space]
buffer = { values = [8, 5.5, 6, 7], unit = 'pH' }\ndose = { values = [0.1, 1, 10], log = true }
stirring = { ordinal = ['slow', 'medium', 'fast'] }\ndry = { choice = [true, false] }\n";
    let program = "echo $1 $2 $3 $4 >> args; echo $1\n";
    let folder = Folder::new(STUDY, "{buffer} {dose} {stirring} {dry}", "budget = 24", program);
    folder.done(&["run", "study.toml"]);
    let arguments = folder.read("args");
    let words: HashSet<&str> = arguments.split_whitespace().collect();
    let expected = ["8", "5.5", "6", "7", "0.1", "1", "10", "slow", "medium", "fast", "true", "false"];
    assert_eq!(words, HashSet::from(expected), "{arguments}");
    let header = folder.done(&["ask", "study.toml", "-n", "1"]);
    assert!(header.starts_with("trial,buffer (pH),dose,stirring,dry\n"), "{header}");

    // From a table: in between, and labels in another spelling of the same value.
    folder.write("own.csv", "buffer,dose,stirring,dry,y\n6.4,2,medium,TRUE,3\n6.0,1.0,fast,false,4\n");
    folder.done(&["tell", "study.toml", "own.csv"]);
    let study = Study::open(&folder.path("study.db")).unwrap();
    let told: Vec<_> = study.history().records()[25..].iter().map(|record| record.trial.point.clone()).collect();
    assert_eq!(told[0], [6.4.into(), 2.into(), "medium".into(), true.into()]);
    assert_eq!(told[1], [6.into(), 1.into(), "fast".into(), false.into()]);
    let suggested = folder.done(&["suggest", "study.toml", "--data", "own.csv", "-n", "5", "--predict"]);
    assert!(suggested.starts_with("buffer,dose,stirring,dry,"), "{suggested}");
    folder.done(&["report", "study.toml", "-o", "report.html"]);
    folder.write("other.csv", "buffer,dose,stirring,dry,y\n6,1,quick,false,4\n");
    let complaint = folder.refused(&["tell", "study.toml", "other.csv"]);
    assert!(
        complaint.contains("line 2, column 'stirring'") && complaint.contains("one of 'slow', 'medium'"),
        "{complaint}"
    );
    folder.edit("study.toml", "values = [0.1, 1, 10]", "value = [0.1, 1, 10]");
    let complaint = folder.refused(&["suggest", "study.toml"]);
    assert!(complaint.contains("did you mean 'values'?") && complaint.contains("study.toml:7:"), "{complaint}");
    folder.edit("study.toml", "value = [0.1, 1, 10]", "values = [0.1, 1, 'ten']");
    let complaint = folder.refused(&["suggest", "study.toml"]);
    assert!(complaint.contains("'ten' is no finite number") && complaint.contains("ordinal"), "{complaint}");
}

#[test]
fn descriptors_are_read_from_a_file_and_kept_with_the_study() {
    const STUDY: &str = "initial = 6\nbatch = 4\n[objectives]\ny = { goal = 'max' }\n[space]
x = { real = [0, 1] }\nligand = { choice = ['A', 'B', 'XPhos', 7], descriptors = 'ligands.csv' }\n";
    const LIGANDS: &str = "name,size,charge,plate\nA,1.5,0.1,5\nB,2,-0.3,5\nunused,,x,\n7,4,0.2,5\nXPhos,3.5,1e-3,5\n";
    let folder = Folder::new(STUDY, "{x} {ligand}", "budget = 18", "echo $1\n");
    folder.write("ligands.csv", LIGANDS);
    let said = folder.spargo(&["run", "study.toml"]);
    assert!(
        said.code == Some(0) && said.stderr.contains("1 column with one number for all choices of 'ligand'"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("left out: plate"), "{}", said.stderr);
    // The study knows them without the file.
    std::fs::remove_file(folder.path("ligands.csv")).unwrap();
    let mut study = Study::open(&folder.path("study.db")).unwrap();
    let Domain::Described(choices) = &study.config().space.dimensions()[1].domain else { panic!("no descriptors") };
    let descriptors = choices.descriptors().unwrap();
    assert_eq!(descriptors.columns(), ["size", "charge", "plate"]);
    assert_eq!(descriptors.rows()[3], [4.0, 0.2, 5.0]);
    assert!(study.importance(0).unwrap().iter().all(|importance| importance.is_finite()));
    study.ask(3).unwrap();
    let complaint = folder.refused(&["ask", "study.toml"]);
    assert!(complaint.contains("ligands.csv") && complaint.contains("relative to the study file"), "{complaint}");

    let cases: [(&str, &[&str]); 7] = [
        (
            &LIGANDS.replace("\nXPhos,", "\nX-Phos,"),
            &["choice 'XPhos' has no row in", "did you mean 'X-Phos'? give it a row"],
        ),
        (
            &LIGANDS.replace("\n7,", "\nA,"),
            &["ligands.csv, line 5, column 'name'", "'A' has a row already, line 2", "keep one"],
        ),
        (
            &LIGANDS.replace("-0.3", "low"),
            &["ligands.csv, line 3, column 'charge'", "'low' is no number", "leave the column out"],
        ),
        (&LIGANDS.replace("1e-3", ""), &["ligands.csv, line 6, column 'charge'", "the cell is empty", "give a number"]),
        ("name\nA\nB\nXPhos\n7\n", &["has labels in its column 'name', and no others", "give every label a number"]),
        ("name,size\nA,1\nB,1\nXPhos,1\n7,1\n", &["'ligand'", "the same for all labels"]),
        (&LIGANDS.replace("name,size", "size,ligand"), &["the choice 'A' has no row in"]),
    ];
    for (text, expected) in cases {
        folder.write("ligands.csv", text);
        let complaint = folder.refused(&["suggest", "study.toml"]);
        assert!(expected.iter().all(|words| complaint.contains(words)), "{complaint}");
    }
    folder.edit("study.toml", "real = [0, 1]", "real = [0, 1], descriptors = 'ligands.csv'");
    let complaint = folder.refused(&["suggest", "study.toml"]);
    assert!(complaint.contains("only choices have descriptors") && complaint.contains("study.toml:6:"), "{complaint}");
}

#[test]
fn columns_of_candidates_that_are_no_inputs_are_labels() {
    let folder = desk();
    folder.write("pool.csv", "id,x,n (-),supplier,y\na,0.5,3,Acme,\nb,0.5,3,Bolt,\nc,0.25,4,Acme,7\na,0.5,3,Acme,\n");
    folder.edit("study.toml", "[space]\n", "[space]\ncandidates = 'pool.csv'\n");
    folder.done(&["ask", "study.toml", "-n", "3", "-o", "plate.csv"]);
    let plate = folder.read("plate.csv");
    let mut lines = plate.lines();
    assert_eq!(lines.next(), Some("trial,x,n,id,supplier"));
    let mut rows: Vec<&str> = lines.filter_map(|line| Some(line.split_once(',')?.1)).collect();
    rows.sort_unstable();
    assert_eq!(rows, ["0.25,4,c,Acme", "0.5,3,a,Acme", "0.5,3,b,Bolt"]);
    // Outcomes beside these columns are told, and all other commands name the candidates.
    let told = |(i, line): (usize, &str)| format!("{line},{}\n", if i == 0 { "y".into() } else { i.to_string() });
    folder.write("told.csv", &plate.lines().enumerate().map(told).collect::<String>());
    folder.done(&["tell", "study.toml", "told.csv"]);
    let exported = folder.done(&["export", "study.toml"]);
    assert!(exported.starts_with("trial,x,n,id,supplier,y,"), "{exported}");
    for line in plate.lines().skip(1) {
        assert!(exported.contains(&format!("\n{line},")), "{exported}");
    }
    let best = plate.lines().nth(3).and_then(|line| line.split(',').nth(3)).unwrap();
    assert!(folder.done(&["status", "study.toml"]).contains(&format!("id {best}")));
    let complaint = folder.refused(&["ask", "study.toml", "-n", "1"]);
    assert!(complaint.contains("only 0"), "{complaint}");
    // Without a study the labels of past results say which candidates are left.
    folder.write("data.csv", "x,n,id,y\n0.5,3,b,1\n0.25,4,c,2\n");
    let left = folder.done(&["suggest", "study.toml", "--data", "data.csv", "-n", "1"]);
    assert_eq!(left, "x,n,id,supplier\n0.5,3,a,Acme\n");
    folder.edit("study.toml", "name = 'plain'", "name = 'other'");
    folder.done(&["tell", "study.toml", "data.csv"]);
    assert!(folder.done(&["ask", "study.toml", "-n", "1"]).ends_with(",a,Acme\n"));
}

#[test]
fn programs_receive_the_labels_of_candidates() {
    for (words, script) in [("{id} {x}", "echo \"id $1\" >> heard; echo 1"), ("", "cat >> heard; echo 1")] {
        let folder = Folder::new(PLAIN, words, "budget = 2", script);
        folder.write("pool.csv", "id,x,n\na,0.5,3\nb,0.5,3\n");
        folder.edit("study.toml", "[space]\n", "[space]\ncandidates = 'pool.csv'\n");
        folder.done(&["run", "study.toml"]);
        let heard = folder.read("heard").replace("\":\"", " ");
        for id in ["id a", "id b"] {
            assert_eq!(heard.matches(id).count(), 1, "{heard}");
        }
    }
}

#[test]
fn replicates_are_asked_for_by_a_flag() {
    let folder = desk();
    let complaint = folder.refused(&["ask", "study.toml", "--replicate"]);
    assert!(complaint.contains("tell outcomes first"), "{complaint}");
    let asked = folder.done(&["ask", "study.toml"]);
    let told: Vec<String> = (1..=8).map(|trial| format!("{trial},{}\n", if trial == 5 { 9 } else { trial })).collect();
    folder.write("results.csv", &format!("trial,y\n{}", told.concat()));
    folder.done(&["tell", "plain.db", "results.csv"]);
    let point = |line: &str| line.split_once(',').unwrap().1.to_string();
    let known: Vec<String> = asked.lines().skip(1).map(point).collect();
    for (words, count) in [(&["--replicate"][..], 4), (&["--replicate", "-n", "6"], 6)] {
        let again = folder.done(&[&["ask", "plain.db"], words].concat());
        let again: Vec<String> = again.lines().skip(1).map(point).collect();
        assert!(again.len() == count && again.iter().all(|one| known.contains(one)), "{again:?}");
        assert!(3 * again.iter().filter(|one| **one == known[4]).count() > count, "{again:?}");
    }
    assert_eq!(folder.status()["pending"], 10);
}

#[test]
fn a_table_is_told_completely_or_not_at_all() {
    let folder = desk();
    let asked = folder.done(&["ask", "study.toml"]);
    folder.done(&["tell", "plain.db", "--trial", "3", "--value", "1"]);
    let x = asked.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap();
    let wrong_point = format!("trial,x,y\n2,,1\n1,{},1\n", (x + 0.5) % 1.0);
    for (table, words) in [
        ("trial,y\n1,5\n2,five\n", &["line 3", "column 'y'", "'five' is not a number"][..]),
        ("trial,y\n1,5\n9,5\n", &["line 3", "column 'trial'", "there is no trial 9"]),
        ("trial,y\n1,5\n3,2\n", &["line 3", "column 'trial'", "already has the outcome"]),
        ("trial,y\n1,5\n1,5\n", &["line 3", "column 'trial'", "line 2 as well"]),
        ("trial,y\n1,5\n1.5,5\n", &["line 3", "'1.5' is not the number of a trial"]),
        ("trial,y\n1,5\n,5\n", &["line 3", "column 'x'", "needs all inputs"]),
        ("trial,x,n,y\n1,,,5\n,2.5e9,3,5\n", &["line 3", "column 'x'", "near the range"]),
        ("trial,y,status\n1,5,done\n2,5,dun\n", &["line 3", "column 'status'", "'dun'"]),
        ("trial,y,status\n1,5,done\n2,5,pending\n", &["line 3", "column 'y'", "marked pending"]),
        ("trial,z\n1,5\n", &["line 1", "no column 'y'"]),
        (&wrong_point, &["line 3", "column 'x'", "trial 1 was asked for at"]),
    ] {
        folder.write("results.csv", table);
        let complaint = folder.refused(&["tell", "plain.db", "results.csv"]);
        assert!(complaint.contains("results.csv") && words.iter().all(|word| complaint.contains(word)), "{complaint}");
        assert_eq!(folder.status()["observed"], 1, "{table}");
        assert_eq!(folder.status()["trials"], 8, "{table}");
    }
    // Spreadsheets round; a pending row says nothing yet; failures have several words.
    folder.write("results.csv", &format!("trial,x,y\n1,{x:.3},1\n2,,pending\n4,,N/A\n5,,inf\n"));
    let rows = "1 outcome, 2 failed, 1 pending, 0 rows without outcome\n";
    let told = folder.done(&["tell", "plain.db", "results.csv"]);
    assert_eq!(told, format!("{rows}3 told; 4 of 8 trials have an outcome\n"));
    let again = folder.done(&["tell", "plain.db", "results.csv"]);
    assert_eq!(again, format!("{rows}0 told, 3 already known; 4 of 8 trials have an outcome\n"));
    let status = folder.status();
    assert_eq!((&status["observed"], &status["failed"]), (&2.into(), &2.into()));
}

#[test]
fn an_outcome_without_a_logarithm_is_refused_at_its_line() {
    let folder = Folder::new(&format!("{PLAIN}[model]\noutcome-transform = 'log'\n"), "{x}", "", "");
    folder.done(&["ask", "study.toml"]);
    folder.write("results.csv", "trial,x,n,y\n1,,,2\n2,,,0\n");
    let complaint = folder.refused(&["tell", "study.toml", "results.csv"]);
    assert!(complaint.contains("results.csv, line 3, column 'y': 'y' = 0 in the row has no logarithm"), "{complaint}");
    assert!(complaint.contains("nothing was told") && folder.status()["observed"] == 0, "{complaint}");
    folder.write("past.csv", "x,n,y\n0.5,7,2\n0.25,8,-1\n");
    let complaint = folder.refused(&["suggest", "study.toml", "--data", "past.csv"]);
    assert!(complaint.contains("past.csv, line 3, column 'y': 'y' = -1"), "{complaint}");
}

#[test]
fn a_study_of_another_program_can_be_looked_at_by_its_file() {
    let folder = desk();
    let changed = |to: &str| folder.write("study.toml", &format!("{to}\n{PLAIN}"));
    changed("allocation = { method = 'custom-dpp', quality = 'mine' }");
    for words in [&["ask", "study.toml"][..], &["suggest", "study.toml"]] {
        let complaint = folder.refused(words);
        assert!(complaint.contains("the quality 'mine' is not part of spargo"), "{complaint}");
        assert!(complaint.contains("study.toml:1:1") && !complaint.contains("must agree"), "{complaint}");
    }
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0), Dimension::int("n", 0, 99)]).unwrap();
    let outputs = vec![Output::new("y", Goal::Maximize)];
    let (name, allocation) = ("plain".into(), Allocation::custom(Mine));
    let config = Config { name, outputs, allocation, initial: 8.into(), batch: 4, ..Config::new(space) };
    let mut study = Study::create(&folder.path("plain.db"), config).unwrap();
    study.ask(8).unwrap();
    study.tell(&[(1, Outcome::value(2.0))]).unwrap();
    drop(study);
    assert_eq!(folder.status()["observed"], 1);
    let words = folder.done(&["status", "study.toml"]);
    assert!(words.contains("best observed: y 2, trial 1") && words.contains("there is no model: "), "{words}");
    assert_eq!(folder.export().len(), 8);
    folder.done(&["report", "study.toml", "-o", "report.html"]);
    changed("seed = 3");
    let said = folder.spargo(&["status", "study.toml"]);
    assert!(said.code == Some(0) && said.stderr.contains("was changed in study.toml"), "{said:?}");
}

#[test]
fn without_a_count_the_last_points_are_asked_for() {
    let study = PLAIN.replace("x = { real = [0, 1] }\nn = { int = [0, 99] }", "n = { int = [1, 10] }");
    let folder = Folder::new(&study, "{n}", "", "");
    folder.done(&["ask", "study.toml"]);
    folder.write("results.csv", "trial,y\n1,5\n2,6\n3,5\n4,7\n");
    folder.done(&["tell", "plain.db", "results.csv"]);
    assert!(folder.refused(&["ask", "plain.db", "-n", "3"]).contains("only 2"));
    let said = folder.spargo(&["-v", "ask", "plain.db"]);
    assert_eq!((said.code, said.stdout.lines().count()), (Some(0), 3), "{said:?}");
    for words in ["2 points instead of 4", "step 2: 2 points in", "model of y, 4 observations"] {
        assert!(said.stderr.contains(words), "{words}: {said:?}");
    }
    assert!(folder.refused(&["ask", "plain.db"]).contains("only 0"));
}

/// The superuser may write everywhere, so this is done by nobody.
#[test]
fn a_read_only_study_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = Folder::new(PLAIN, "{x}", "budget = 9", "echo $1");
    folder.done(&["run", "study.toml"]);
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o555)).unwrap();
    let superuser = std::fs::write(folder.path("probe"), "").is_ok();
    let output = std::env::temp_dir().join(format!("spargo-others-{}", std::process::id()));
    let output = output.display().to_string();
    for words in [
        &["status", "study.toml"][..],
        &["status", "plain.db"],
        &["export", "plain.db"],
        &["report", "study.toml", "-o", &output],
        &["tell", "plain.db", "--trial", "1", "--value", "1"],
    ] {
        let mut command = folder.command(words);
        if superuser {
            command.uid(65534);
        }
        let Ok(ended) = command.output() else { return println!("skipped: it cannot be run by another user") };
        let said = crate::folder::said(ended);
        match words[0] {
            "tell" => assert!(said.code == Some(1) && said.stderr.contains("check that you may write"), "{said:?}"),
            _ => assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""), "{words:?}: {said:?}"),
        }
    }
    std::fs::remove_file(output).unwrap();
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let folder = desk();
    for words in [
        &["tell", "plain.db"][..],
        &["tell", "plain.db", "--trial", "1"],
        &["tell", "plain.db", "--value", "1"],
        &["tell", "plain.db", "--trial", "1", "--value", "1", "--failed", "x"],
        &["tell", "plain.db", "results.csv", "--trial", "1", "--value", "1"],
        &["ask", "study.toml", "-n", "0"],
        &["run"],
        &["no-such-command"],
    ] {
        assert_eq!(folder.spargo(words).code, Some(2), "{words:?}");
    }
    assert!(folder.refused(&["status", "study.db"]).contains("does not exist"));
    assert!(folder.refused(&["export", "sim.sh"]).contains("sim.sh"));
}

#[test]
fn a_study_keeps_the_units_of_its_first_table() {
    let folder = desk();
    folder.write("first.csv", "x (mm),n,y (mg)\n0.5,7,3\n");
    folder.write("robot.toml", &folder.read("study.toml").replace("plain", "robot"));
    let told = folder.done(&["tell", "study.toml", "first.csv"]);
    assert!(told.contains("\nunits kept: x in mm (first.csv), y in mg (first.csv)\n"), "{told}");
    folder.write("same.csv", "x [mm],n,y\n0.6,7,3\n");
    let told = folder.done(&["tell", "study.toml", "same.csv"]);
    assert!(!told.contains("units kept"), "{told}");
    folder.write("robot.csv", "x,n (pieces),y\n0.7,7,3\n");
    let units = [json!({ "x": "mm", "y": "mg" }), json!({ "n": "pieces" }), json!({})];
    for (table, units) in ["first.csv", "robot.csv", "robot.csv"].iter().zip(units) {
        let told: Value = serde_json::from_str(&folder.done(&["tell", "robot.toml", table, "--json"])).unwrap();
        assert_eq!(told["units"], units, "{table}");
    }
    for (header, words) in
        [("x (cm),n,y (mg)", "'x' is in cm here, but in mm in first.csv"), ("x,n,y (g)", "'y' is in g here")]
    {
        folder.write("other.csv", &format!("{header}\n0.5,7,3\n"));
        let complaint = folder.refused(&["tell", "study.toml", "other.csv"]);
        assert!(complaint.contains("other.csv") && complaint.contains(words), "{complaint}");
        assert_eq!(folder.status()["trials"], 2, "nothing was told");
    }
    folder.write("other.csv", "trial,y (g)\n1,3\n");
    let complaint = folder.refused(&["amend", "study.toml", "other.csv", "--reason", "no"]);
    assert!(complaint.contains("'y' is in g here, but in mg in first.csv"), "{complaint}");
    // Plates and exports say them.
    assert!(folder.done(&["ask", "study.toml", "-n", "1"]).starts_with("trial,x (mm),n\n"));
    folder.done(&["export", "study.toml", "-o", "all.csv"]);
    assert!(folder.read("all.csv").starts_with("trial,x (mm),n,y (mg),status,reason\n"));
    assert!(folder.done(&["tell", "study.toml", "all.csv"]).contains("0 told, 2 already known"));
    // The numbers of the past stay what they are.
    folder.edit("study.toml", "[0, 1]", "[0, 1], unit = 'cm'");
    let complaint = folder.refused(&["ask", "study.toml"]);
    assert!(complaint.contains("the unit of 'x', by first.csv, cannot change from mm to cm"), "{complaint}");
}

#[test]
fn rows_that_are_marked_pending_become_pending_trials() {
    let folder = desk();
    folder.write("past.csv", "x,n,y,status\n0.5,7,3,\n0.25,8,,pending\n0.75,9,,\n");
    let told = folder.done(&["tell", "study.toml", "past.csv"]);
    assert!(told.starts_with("1 outcome, 0 failed, 1 pending, 1 row without outcome\n2 told"), "{told}");
    let status = folder.status();
    assert_eq!((&status["trials"], &status["pending"]), (&2.into(), &1.into()), "{status}");
}

#[test]
fn points_in_another_unit_are_not_enqueued() {
    let folder = Folder::new(&PLAIN.replace("[0, 1]", "[0, 1], unit = 'mm'"), "{x}", "", "");
    folder.write("points.csv", "x (cm),n\n0.5,7\n");
    let complaint = folder.refused(&["enqueue", "study.toml", "points.csv"]);
    assert!(complaint.contains("'x' is in cm here, but in mm in the study"), "{complaint}");
    folder.write("points.csv", "x (mm),n\n0.5,7\n");
    assert!(folder.done(&["enqueue", "study.toml", "points.csv"]).starts_with("1 point enqueued; 1 is asked"));
}

#[test]
fn a_dry_run_changes_no_settings() {
    let folder = desk();
    folder.done(&["ask", "study.toml"]);
    folder.edit("study.toml", "batch = 4", "batch = 5");
    let dry = ["discard", "study.toml", "--trial", "1", "--reason", "no", "--dry-run"];
    assert!(folder.done(&dry).contains("nothing was changed"));
    assert_eq!(folder.done(&["export", "plain.db", "--history"]).lines().count(), 1, "only the header");
    folder.done(&dry[..6]);
    assert_eq!(folder.done(&["export", "plain.db", "--history"]).lines().count(), 3, "a setting and a trial");
}
