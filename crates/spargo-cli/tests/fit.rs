//! `spargo fit` as a user runs it.

mod common;

use common::*;

/// y = sin 6a + 0.1 b with noise of standard deviation 0.03, reproducible without a generator.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = ((i as f64 * 0.618).fract(), (i as f64 * 0.414).fract());
        let noise = 0.1 * ((i as f64 * 12.9898).sin() * 43758.5453).fract().abs() - 0.05;
        format!("{a},{b},{}\n", (6.0 * a).sin() + 0.1 * b + noise)
    };
    "a,b,y\n".to_string() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn prints_every_promised_key() {
    let train = file("keys_train.csv", &table(300));
    let test = file("keys_test.csv", &table(50));
    for hyperparameters in ["subset", "bound"] {
        for posterior in ["sparse", "exact"] {
            let words = ["fit", &train, "--target", "y", "--test", &test, "--inducing", "40", "--json"];
            let more = ["--hyperparameters", hyperparameters, "--posterior", posterior];
            let json = json(&[&words[..], &more[..]].concat());
            for key in ["bound", "noise", "seconds", "evaluations", "jitter", "rmse", "nlpd", "nlpd_latent"] {
                assert!(json[key].is_number(), "{key}: {json}");
            }
            assert!(json["stop"].is_string() && json["lengthscales"].as_array().unwrap().len() == 2);
            assert!(json["peak_rss_mb"].is_number() || !cfg!(target_os = "linux"));
            assert!((0.025..0.04).contains(&json["rmse"].as_f64().unwrap()), "{json}");
            assert!(json["bound"].as_f64().unwrap() > 1.0, "{json}");
        }
    }
}

#[test]
fn writes_predictions_next_to_the_points() {
    let train = file("predict_train.csv", &table(200));
    let new = file("predict_new.csv", "b,a\n0.5,0.25\n0.5,0.75\n");
    let out = file("predict_out.csv", "");
    stdout(&["fit", &train, "--target", "y", "--predict", &new, "-o", &out, "--force", "--inducing", "40"]);
    let text = std::fs::read_to_string(out).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("b,a,mean,sd,sd_y"));
    for (line, a) in lines.zip([0.25f64, 0.75]) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert!((cells[2] - (6.0 * a).sin() - 0.05).abs() < 0.03, "{line}");
        assert!(cells[3] >= 0.0 && cells[4] > cells[3], "{line}");
    }
}

#[test]
fn predicts_far_away_and_exactly() {
    let train = file("far_train.csv", &table(60));
    let new = file("far_new.csv", "a,b\n1e300,-1e300\n0.5,0.5\n");
    let out = file("far_out.csv", "");
    let words =
        ["fit", &train, "--target", "y", "--predict", &new, "-o", &out, "--force", "--posterior", "exact", "--json"];
    assert!(json(&words)["inducing"].is_null());
    let text = std::fs::read_to_string(out).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn prints_a_table_for_people() {
    let train = file("table_train.csv", &table(100));
    let text = stdout(&["fit", &train, "--target", "y", "--inducing", "20"]);
    for word in ["bound", "noise variance", "length scale of a", "jitter", "seconds", "evaluations"] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
}

#[test]
fn complaints_name_the_file_the_place_and_the_remedy() {
    let good = file("good.csv", &table(20));
    let bad = file("bad.csv", "a,y\n1,2\n1,oops\n");
    let nan = file("nan.csv", "a,y\n1,2\nNaN,3\n");
    let ragged = file("ragged.csv", "a,y\n1,2\n3\n");
    let empty = file("empty.csv", "a,y\n");
    let alone = file("alone.csv", "y\n1\n2\n");
    let twice = file("twice.csv", "a,a,y\n1,2,3\n2,3,4\n");
    let huge = file("huge.csv", "a,y\n1,1e200\n2,-1e200\n3,2e200\n");
    let cases: [(&str, &str, &[&str]); 9] = [
        (&twice, "y", &["twice.csv", "'a' occurs twice"]),
        (&huge, "y", &["e200", "rescale"]),
        (&bad, "y", &["bad.csv", "line 3", "column 'y'", "oops"]),
        (&nan, "y", &["nan.csv", "line 3", "column 'a'", "NaN"]),
        (&ragged, "y", &["ragged.csv", "line 3"]),
        (&empty, "y", &["empty.csv", "no rows"]),
        (&alone, "y", &["no input", "'y' is the only column"]),
        (&good, "z", &["no column 'z'", "a, b, y"]),
        ("no-such-file.csv", "y", &["no-such-file.csv"]),
    ];
    for (path, target, words) in cases {
        let complaint = complaint(&["fit", path, "--target", target]);
        for word in words {
            assert!(complaint.contains(word), "'{word}' is missing from: {complaint}");
        }
    }
    let unknown = complaint(&["fit", &good, "--target", "y", "--kernel", "matern72"]);
    assert!(unknown.contains("matern72") && unknown.contains("matern52"), "{unknown}");
}

/// The figures that people compare us by; the same data and settings as the peers'.
#[test]
fn reaches_the_scores_on_hartmann() {
    let (Some(train), Some(test)) = (data_file("hartmann6_N5000.csv"), data_file("hartmann6_test.csv")) else { return };
    let run = |words: &[&str]| json(&[&["fit", &train, "--target", "y", "--test", &test, "--json"], words].concat());
    let number = |json: &serde_json::Value, key: &str| json[key].as_f64().unwrap();
    let bound = run(&["--hyperparameters", "bound", "--priors", "off"]);
    assert!(number(&bound, "bound") >= -0.71 && number(&bound, "rmse") <= 0.29, "{bound}");
    let with_priors = run(&["--hyperparameters", "bound"]);
    assert!(number(&with_priors, "rmse") <= number(&bound, "rmse") + 0.005, "{with_priors}");
    assert!(number(&with_priors, "nlpd_latent") <= number(&bound, "nlpd_latent") + 0.02, "{with_priors}");
    let subset = run(&["--hyperparameters", "subset"]);
    assert!(number(&subset, "rmse") <= 0.26 && number(&subset, "nlpd_latent") <= 0.16, "{subset}");
    let exact = run(&["--hyperparameters", "subset", "--posterior", "exact"]);
    assert!(number(&exact, "rmse") <= 0.18, "{exact}");
}
