use super::*;
use serde_json::{Value, json};
use spargo::space::Dimension;

fn space() -> Space {
    Space::new(vec![Dimension::real("x", 0.0, 1.0), Dimension::real("temp1", 0.0, 1.0)]).unwrap()
}

fn read(cells: &str) -> Result<RowOutcome, String> {
    read_for(Goal::Maximize, cells)
}

fn read_for(goal: Goal, cells: &str) -> Result<RowOutcome, String> {
    read_with("x,y,status,reason,z", goal, cells)
}

fn read_with(header: &str, goal: Goal, cells: &str) -> Result<RowOutcome, String> {
    let text = format!("{header}\n1,{cells}\n");
    let records = Records::parse("results.csv".into(), text.as_bytes()).unwrap();
    let outputs = ["y", "z"].map(|name| Output::new(name, goal));
    let columns = OutcomeColumns::find(&records, &outputs, &space()).unwrap();
    columns.outcome(&records, records.rows().next().unwrap()).map_err(|fault| fault.to_string())
}

fn told(measurements: [Measurement; 2]) -> Result<RowOutcome, String> {
    Ok(RowOutcome::Told(Outcome::Measured(measurements.into())))
}

fn failed(reason: &str) -> Result<RowOutcome, String> {
    Ok(RowOutcome::Told(Outcome::failed(reason)))
}

/// Python's tests read the same file.
#[test]
fn rows_are_read_as_python_reads_them() {
    let cases: Vec<([String; 4], Value)> =
        serde_json::from_str(include_str!("../../../../tests/outcome-rows.json")).unwrap();
    let one = |one: &Measurement| one.observed().map_or_else(|| json!(one.to_string()), |value| json!(value));
    for (cells, expected) in cases {
        let found = match read(&cells.join(",")) {
            Err(_) => json!("refused"),
            Ok(RowOutcome::Discarded) => json!("discarded"),
            Ok(RowOutcome::Pending { .. }) => json!(["pending", "pending"]),
            Ok(RowOutcome::Told(Outcome::Failed { reason })) => json!(format!("failed ({reason})")),
            Ok(RowOutcome::Told(Outcome::Measured(all))) => all.iter().map(one).collect(),
        };
        assert_eq!(found, expected, "{cells:?}");
    }
}

#[test]
fn classes_can_be_words() {
    for (cells, values) in [("1,,,0", [1.0, 0.0]), ("Yes,,,no", [1.0, 0.0]), ("FALSE,done,,True", [0.0, 1.0])] {
        assert_eq!(read_for(Goal::Classify, cells), told(values.map(Measurement::value)), "{cells}");
    }
    for (cell, words) in [("2", "'2' is not a class"), ("0.5", "'0.5'"), ("maybe", "'maybe' is not a class")] {
        let fault = read_for(Goal::Classify, &format!("1,,,{cell}")).unwrap_err();
        assert!(fault.contains("column 'z'") && fault.contains(words), "{fault}");
    }
    assert!(read_for(Goal::Classify, "inf,,,1").is_ok(), "left for the study to record as a failure");
    assert!(read("yes,,,1").is_err(), "only a class is yes or no");
}

#[test]
fn every_word_of_a_status_or_a_cell_has_one_meaning() {
    let two = || Measurement::value(2.0);
    for status in ["", "done", "OK", "Observed", "partial"] {
        assert_eq!(read(&format!("2,{status},,3")), told([two(), Measurement::value(3.0)]), "{status}");
    }
    for status in ["failed", "FAIL", "error", "n/a", "nan"] {
        assert_eq!(read(&format!(",{status},burnt,")), failed("burnt"), "{status}");
    }
    for cell in ["NaN", "#N/A", "failed", "None", "#DIV/0!"] {
        let one = Measurement::failed("no value of 'z'");
        assert_eq!(read(&format!("2,done,,{cell}")), told([two(), one]), "{cell}");
    }
    for (cells, is_marked) in [(",,,", false), (",pending,,", true), ("pending,,,", true), ("nan,Pending,,", true)] {
        assert_eq!(read(cells), Ok(RowOutcome::Pending { is_marked }), "{cells}");
    }
    assert_eq!(read("2,discarded,,3"), Ok(RowOutcome::Discarded));
    for (cells, column, words) in [
        ("2,running,,3", "status", "'running' is not one of"),
        (",pendin,,", "status", "'pendin'"),
        ("2,pending,,", "y", "marked pending"),
        ("2,failed,,", "status", "marked failed but has a value"),
        ("2,ok,,good", "z", "'good' is not a number"),
        ("2,ok,burnt,3", "y", "the value '2' and the reason 'burnt'"),
    ] {
        let fault = read(cells).unwrap_err();
        assert!(fault.contains(&format!("column '{column}'")) && fault.contains(words), "{cells}: {fault}");
    }
}

#[test]
fn an_empty_cell_is_pending_unless_there_is_a_reason() {
    let two = || Measurement::value(2.0);
    assert_eq!(read("2,,,"), told([two(), Measurement::Pending]));
    assert_eq!(read("2,,,pending"), told([two(), Measurement::Pending]));
    assert_eq!(read("2,,burnt,"), told([two(), Measurement::failed("burnt")]));
    assert_eq!(read("2,,burnt,nan"), told([two(), Measurement::failed("burnt")]));
    assert_eq!(read(",,burnt,"), failed("burnt"));
    let both = [Measurement::failed("burnt"), Measurement::Pending];
    assert_eq!(read("failed,,burnt,pending"), told(both), "as it is exported");
    assert_eq!(read_with("x,y,reason", Goal::Maximize, ",burnt"), failed("burnt"), "of every output");
    let without = read_with("x,y,reason", Goal::Maximize, "2,");
    assert_eq!(without, told([two(), Measurement::Pending]), "a table may lack an output");
}

#[test]
fn outputs_fail_for_reasons_of_their_own() {
    let read = |cells: &str| read_with("x,y,z,y reason,z reason,status,reason", Goal::Maximize, cells);
    let [burnt, lost] = ["burnt", "lost"].map(Measurement::failed);
    for (cells, measurements) in [
        ("2,,,lost,,", [Measurement::value(2.0), lost.clone()]),
        ("2,failed,,lost,done,burnt", [Measurement::value(2.0), lost.clone()]),
        (",,burnt,lost,failed,burnt", [burnt.clone(), lost.clone()]),
        ("failed,,burnt,lost,,", [burnt.clone(), lost.clone()]),
        (",,burnt,,failed,lost", [burnt.clone(), lost]),
        ("failed,pending,burnt,,pending,burnt", [burnt.clone(), Measurement::Pending]),
        (",,burnt,,,", [burnt, Measurement::Pending]),
    ] {
        assert_eq!(read(cells), told(measurements), "{cells}");
    }
    assert_eq!(read(",,burnt,burnt,failed,burnt"), failed("burnt"));
    for (cells, words) in
        [("2,3,,lost,,", "'z' is 3"), ("2,pending,,lost,,", "'z' is pending"), (",,,,bad,", "the status 'bad'")]
    {
        assert!(read(cells).unwrap_err().contains(words), "{cells}");
    }
}

#[test]
fn noise_is_a_standard_deviation_or_a_variance() {
    let read = |cells: &str| read_with("x,y,z,y sd,z variance,y variance", Goal::Maximize, cells);
    let noisy = |value: f64, variance: f64| Measurement::Observed { value, variance: Some(variance) };
    assert_eq!(read("2,3,0.5,4,"), told([noisy(2.0, 0.25), noisy(3.0, 4.0)]));
    assert_eq!(read("2,3,,,0.5"), told([noisy(2.0, 0.5), Measurement::value(3.0)]));
    for (cells, column, words) in [
        ("2,3,0,,", "y sd", "'0' is not a positive number"),
        ("2,3,,x,", "z variance", "'x' is not a positive number"),
        ("2,3,1,,1", "y sd", "both"),
        (",3,1,,", "y sd", "no value of 'y'"),
    ] {
        let fault = read(cells).unwrap_err();
        assert!(fault.contains(&format!("column '{column}'")) && fault.contains(words), "{cells}: {fault}");
    }
}

#[test]
fn a_column_that_is_nearly_an_output_is_refused_and_not_passed_over() {
    let find = |header: &str| {
        let records = Records::parse("results.csv".into(), format!("{header}\n1,2,3\n").as_bytes()).unwrap();
        let outputs = ["yield", "impurity", "temp2"].map(|name| Output::new(name, Goal::Maximize));
        OutcomeColumns::find(&records, &outputs, &space()).map_err(|fault| fault.to_string())
    };
    for (header, column, meant) in [
        ("x,yield,Impurity", "Impurity", "impurity"),
        ("x,yeild,impurity", "yeild", "yield"),
        ("x,yield,yield_sd", "yield_sd", "yield sd"),
        ("x,yield,Yield SD", "Yield SD", "yield sd"),
        ("x,yield,yield std (%)", "yield std (%)", "yield sd"),
        ("x,yield,Impurity (%)", "Impurity (%)", "impurity"),
    ] {
        let fault = find(header).err().unwrap();
        assert_eq!(fault, format!("results.csv, line 1: is the column '{column}' meant to be '{meant}'?"));
    }
    for header in [
        "x,yield,temp3",
        "x,yield,remark",
        "temp1,yield,x",
        "x,yield (%),operator",
        "x,yield,impurity type",
        "x,yield,impurity mean",
        "x,yield,Well",
    ] {
        assert!(find(header).is_ok(), "{header}");
    }
    let columns = find("Reason,yield,STATUS").unwrap();
    assert_eq!((columns.reason, columns.status), (Some(0), Some(2)));
}
