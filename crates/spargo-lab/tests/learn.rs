//! `spargo-lab learn` as a user runs it.

mod common;

use common::*;
use serde_json::Value;

fn learn(more: &[&str]) -> Value {
    let small = ["--batches", "2", "--batch", "30", "--initial", "60", "--inducing", "25"];
    json(&[&["learn", "malaria", "--json"], &small[..], more].concat())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// All but what the clock and the machine say.
fn lasting(mut report: Value) -> Value {
    for key in ["allocate_s", "fit_s", "acquire_s", "overhead_s", "peak_rss_mb"] {
        assert!(report.as_object_mut().unwrap().remove(key).is_some(), "{key}: {report}");
    }
    report
}

#[test]
fn prints_every_promised_key_and_repeats_itself_by_seed() {
    let held_out = ["--held-out", "2000"];
    let learn = |more: &[&str]| learn(&[&held_out[..], more].concat());
    let report = learn(&["--seed", "1"]);
    assert_eq!(numbers(&report["evaluations"]), [90.0, 120.0]);
    assert_eq!(
        (&report["cells"], &report["held_out"], &report["inducing"]),
        (&40_000.into(), &2000.into(), &25.into())
    );
    let (accuracy, loss) = (numbers(&report["accuracy"]), numbers(&report["log_loss"]));
    // A coin has 0.5 and log 2.
    assert!(accuracy.iter().all(|share| (0.7..1.0).contains(share)), "{report}");
    assert!(loss.iter().all(|loss| (0.2..0.6).contains(loss)), "{report}");
    let bins = report["calibration"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["cells"].as_u64().unwrap()).sum::<u64>(), 2000);
    let ends: Vec<f64> = [&bins[0], &bins[bins.len() - 1]].map(|bin| bin["share"].as_f64().unwrap()).to_vec();
    assert!(ends[0] < 0.3 && ends[1] > 0.7, "{report}");

    let report = lasting(report);
    assert_eq!(lasting(learn(&["--seed", "1"])), report);
    for more in [["--seed", "2"], ["--allocation", "cvr"], ["--kernel", "matern52"]] {
        let other = [&["--seed", "1"][..], &more].concat();
        let other = if more[0] == "--seed" { more.to_vec() } else { other };
        assert_ne!(lasting(learn(&other)), report, "{more:?}");
    }
}

#[test]
fn draws_the_map_and_its_calibration() {
    let drawing = file("map.svg", "");
    let words =
        ["learn", "malaria", "--batches", "1", "--batch", "20", "--initial", "50", "--inducing", "20", "-o", &drawing];
    let text = stdout(&words);
    for word in ["evaluations", "accuracy", "log loss", "probability", "10000 of 40000 cells held out", "overhead"] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
    let svg = std::fs::read_to_string(&drawing).unwrap();
    let asked = |class: &str| -> usize {
        let label = format!("asked, {class} (");
        let start = svg.find(&label).expect("the legend counts the cells") + label.len();
        svg[start..start + svg[start..].find(')').unwrap()].parse().unwrap()
    };
    assert_eq!(asked("high") + asked("low"), 70);
    assert!(svg.contains("inducing points (20)") && svg.contains("calibration on held-out cells"));
    assert!(svg.matches("<rect").count() > 10_000, "a tile for each hundredth of a side");
}

#[test]
fn maps_are_read_from_files() {
    // Positive in the east.
    let row = |i: usize| {
        let (x, y) = ((i % 40) as f64 / 4.0, (i / 40) as f64 / 4.0);
        format!("{x},{y},{}", if x > 5.0 { 0.6 } else { 0.1 })
    };
    let rows: Vec<String> = (0..1600).map(row).collect();
    let map = file("east.csv", &format!("longitude,latitude,pfpr_2015\n{}\n", rows.join("\n")));
    let report = learn(&["--data", &map, "--held-out", "500"]);
    assert_eq!((&report["cells"], &report["held_out"]), (&1600.into(), &500.into()));
    assert!(numbers(&report["accuracy"])[1] > 0.97, "{report}");
}

#[test]
fn what_is_no_map_is_refused() {
    let complaint_of = |text: &str, name: &str| complaint(&["learn", "malaria", "--data", &file(name, text)]);
    let missing = complaint_of("longitude,latitude,rate\n1,2,0.5\n", "no-rate.csv");
    assert!(missing.contains("no column 'pfpr_2015'"), "{missing}");
    let wrong = complaint_of("longitude,latitude,pfpr_2015\n1,2,35\n", "percent.csv");
    assert!(wrong.contains("percent.csv") && wrong.contains("between 0 and 1"), "{wrong}");
    let few = complaint_of("longitude,latitude,pfpr_2015\n1,2,0.5\n3,4,0.1\n", "two.csv");
    assert!(few.contains("held-out cells"), "{few}");
    let unknown = complaint(&["learn", "dengue"]);
    assert!(unknown.contains("malaria"), "{unknown}");
    let rule = complaint(&["learn", "malaria", "--inducing", "0"]);
    assert!(rule.contains("inducing = 0 must be at least 1"), "{rule}");
}

/// The paper's experiment, smaller: where the file is.
#[test]
fn nigeria_is_learned() {
    let Some(map) = data_file("nigeria_pfpr_map2015.csv") else { return };
    let report = json(&["learn", "malaria", "--data", &map, "--batches", "3", "--json"]);
    assert_eq!(report["cells"], 43_093);
    // The nearest of 400 random labels is right in 83.5 % of the cells.
    assert!(numbers(&report["accuracy"])[2] > 0.84, "{report}");
}
