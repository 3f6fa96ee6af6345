//! CSV files that cannot be read, or that make no sense for their study.

use super::{complaint, gallery};

const STUDY: &str = "\
[objectives]
yield = { goal = \"max\" }
[space]
temperature = { real = [20, 120] }
layers = { int = [1, 8] }
metal = { choice = [\"Pd\", \"Ni\"] }
";

#[test]
fn broken_tables_are_explained() {
    assert!(BROKEN.len() >= 20);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    let explained = gallery(&BROKEN, &["results.csv, line "], |text| {
        std::fs::write(folder.path().join("results.csv"), text).unwrap();
        complaint(folder.path(), &["suggest", "study.toml", "--data", "results.csv", "-n", "1"])
    });
    insta::assert_snapshot!("tables", explained);
}

#[test]
fn bytes_that_are_not_text_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("study.toml"), STUDY).unwrap();
    std::fs::write(folder.path().join("results.csv"), b"temperature,layers,metal,yield\n20,1,Pd,\xe9\n").unwrap();
    let said = complaint(folder.path(), &["suggest", "study.toml", "--data", "results.csv"]);
    assert!(said.contains("results.csv, line 2") && said.contains("UTF-8"), "{said}");
}

const BROKEN: [(&str, &str); 30] = [
    ("nothing at all", ""),
    ("only empty lines", "\n\n\n"),
    ("no header", "20,1,Pd,3.4\n30,2,Ni,4.5\n"),
    ("an input is missing", "temperature,metal,yield\n20,Pd,1\n"),
    ("an input is misspelt", "temprature,layers,metal,yield\n20,1,Pd,1\n"),
    ("another case", "Temperature,Layers,Metal,Yield\n20,1,Pd,1\n"),
    ("no outcome", "temperature,layers,metal\n20,1,Pd\n"),
    ("a column twice", "temperature,layers,layers,metal,yield\n20,1,1,Pd,1\n"),
    ("two units", "temperature (°C),temperature [K],layers,metal,yield\n20,293,1,Pd,1\n"),
    ("a cell too few", "temperature,layers,metal,yield\n20,1,Pd,1\n30,2,Ni\n"),
    ("a cell too many", "temperature,layers,metal,yield\n20,1,Pd,1\n30,2,Ni,4,5\n"),
    ("a decimal comma", "temperature,layers,metal,yield\n20,1,Pd,1\n30,2,Ni,\"4,5\"\n"),
    ("a word for a number", "temperature,layers,metal,yield\nhot,1,Pd,1\n"),
    ("an empty input", "temperature,layers,metal,yield\n20,1,Pd,1\n,1,Pd,1\n"),
    ("an input that is NaN", "temperature,layers,metal,yield\nNaN,1,Pd,1\n"),
    ("an infinite input", "temperature,layers,metal,yield\ninf,1,Pd,1\n"),
    ("far above the range", "temperature,layers,metal,yield\n20,1,Pd,1\n2e8,1,Pd,1\n"),
    ("far below the range", "temperature,layers,metal,yield\n20,-99999999,Pd,1\n"),
    ("half a layer", "temperature,layers,metal,yield\n20,1.5,Pd,1\n"),
    ("an unknown choice", "temperature,layers,metal,yield\n20,1,Cu,1\n"),
    ("a choice in another case", "temperature,layers,metal,yield\n20,1,pd,1\n"),
    ("an outcome in words", "temperature,layers,metal,yield\n20,1,Pd,good\n"),
    ("an outcome with its unit", "temperature,layers,metal,yield\n20,1,Pd,71 %\n"),
    ("pending with a value", "temperature,layers,metal,yield,status\n20,1,Pd,71,pending\n"),
    ("a quote that is not closed", "temperature,layers,metal,yield\n20,1,\"Pd,1\n30,2,Ni,2\n"),
    (
        "a quote in the last cell that is not closed",
        "temperature,layers,metal,yield\n20,1,Pd,1\n30,2,Ni,\"2\n40,1,Pd,3\n",
    ),
    ("a cell too few among semicolons", "temperature;layers;metal;yield\n20;1;Pd;1,5\n30;2;Ni\n"),
    ("an unknown status", "temperature,layers,metal,yield,status\n20,1,Pd,71,running\n"),
    ("a misspelt status", "temperature,layers,metal,yield,status\n20,1,Pd,,pendin\n"),
    ("a header below blank lines", "\n,,\ntemperature,layers,metal\n20,1,Pd\n"),
];
