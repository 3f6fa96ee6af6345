use super::*;
use proptest::prelude::*;

fn parsed(text: &str) -> Result<Records> {
    Records::parse("results.csv".into(), text.as_bytes())
}

#[test]
fn files_as_people_have_them() {
    let plain = "name,x (mm),y [K],z / bar\n\"a, \"\"b\"\"\",1.5,-2,3e4\n";
    let semicolons = "name;x (mm);y [K];z / bar\n\"a, \"\"b\"\"\";1,5;-2;3e4\n";
    for text in [
        plain.into(),
        format!("\u{feff}{plain}"),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{}\r\n,,,\r\n", plain.replace('\n', "\r\n")),
        semicolons.into(),
        semicolons.replace(';', "\t").replace("1,5", "1.5"),
        semicolons.replace(';', "\t"),
    ] {
        let records = parsed(&text).unwrap();
        assert_eq!(records.columns(["name", "x", "y", "z"].map(String::from).iter()).unwrap(), [0, 1, 2, 3]);
        let rows: Vec<_> = records.rows().map(|row| (row.line, [0, 1, 2, 3].map(|k| row.cell(k)))).collect();
        assert_eq!(rows, [(2, ["a, \"b\"", "1.5", "-2", "3e4"])], "{text:?}");
    }
}

#[test]
fn what_stands_before_the_header_is_passed_over() {
    for (before, delimiter, line) in [
        ("", ";", 1),
        ("sep=;\n", ";", 2),
        ("\"SEP=,\"\r\n", ",", 2),
        ("sep=\t\r", "\t", 2),
        ("\n \n,,;\n", ",", 4),
        ("sep=;\n;;\n", ";", 3),
    ] {
        // What stands in quotes parts nothing.
        let text = format!(
            "{before}{}",
            "a|\"b,;,;\"|c\n1,5|x|2\n3|x\n".replace("1,5", if delimiter == "," { "1.5" } else { "1,5" })
        )
        .replace('|', delimiter);
        let complaint = parsed(&text).unwrap_err();
        assert!(
            complaint.to_string().starts_with(&format!("results.csv, line {}: 2 cells", line + 2)),
            "{complaint} {text:?}"
        );
        let records = parsed(text.trim_end_matches(&format!("3{delimiter}x\n"))).unwrap();
        assert_eq!(records.header(), ["a", "b,;,;", "c"]);
        let rows: Vec<_> = records.rows().map(|row| (row.line, row.cell(0))).collect();
        assert_eq!(rows, [(line + 1, "1.5")], "{text:?}");
        let missing = records.column("d").unwrap_err().to_string();
        assert!(missing.starts_with(&format!("results.csv, line {line}: there is no column")), "{missing}");
    }
}

#[test]
fn lines_are_counted_whatever_ends_them() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,b", "", "1,2", "\"x", "y\",3", "", "4"].join(end);
        let complaint = parsed(&text).unwrap_err().to_string();
        assert!(complaint.starts_with("results.csv, line 7: 1 cell where"), "{complaint}");
        let whole = text + ",5";
        let lines: Vec<u64> = parsed(&whole).unwrap().rows().map(|row| row.line).collect();
        assert_eq!(lines, [3, 4, 7], "{whole:?}");
    }
}

#[test]
fn a_name_is_taken_as_it_stands_before_its_unit_is() {
    let records = parsed("x (a),x,y (b) (c)\n1,2,3\n").unwrap();
    assert_eq!((records.column("x").unwrap(), records.column("x (a)").unwrap()), (1, 0));
    assert_eq!((records.find("y (b)").unwrap(), records.find("y").unwrap()), (Some(2), None));
}

#[test]
fn units_fit_if_they_are_the_same_or_none_is_given() {
    use super::header::fits;
    for (header, fit) in [
        ("temperature", true),
        ("temperature (°C)", true),
        ("temperature [º C]", true),
        ("temperature / °C", true),
        ("temperature ()", true),
        ("temperature (K)", false),
        ("temperature [°c]", false),
        ("other (K)", true),
    ] {
        assert_eq!(fits(header, "temperature", "°C"), fit, "{header}");
    }
    // What looks like a unit may be part of the name.
    assert!(fits("x (a)", "x (a)", "b"));
}

proptest! {
    #[test]
    fn random_bytes_are_refused_not_feared(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Records::parse("results.csv".into(), &bytes).map_err(|report| format!("{report:?}"));
    }

    #[test]
    fn random_tables_are_read_or_refused(text in "[a-c,;\t\"'\r\n 0-9.\u{e9}-]{0,200}") {
        if let Ok(records) = parsed(&text) {
            let width = records.header().len();
            prop_assert!(records.rows().all(|row| row.line > 1 && (0..width).any(|k| !row.cell(k).is_empty())));
        }
    }
}
