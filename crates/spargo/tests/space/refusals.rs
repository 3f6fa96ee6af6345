//! What inputs may be: labels, words of files, and what is refused, by name and with a remedy.

use super::*;

#[test]
fn whole_numbers_are_taken_for_each_other() {
    let space = Space::new(vec![real(0.0, 4.0, Scale::Linear), int(0, 4, Scale::Linear)]).unwrap();
    assert_eq!(space.encode(&[1.into(), Value::Real(3.0)]).unwrap(), [0.25, 0.75]);
    assert_eq!(space.decode(&[0.25, 0.75]).unwrap(), [Value::Real(1.0), Value::Int(3)]);
    // A CSV file cannot say that its 8 is a word.
    let space = one(&Dimension::choice("batch", &["8", "0.5"]));
    assert_eq!([encode(&space, &8.into()), encode(&space, &0.5.into())], [0.0, 1.0]);
}

#[test]
fn labels_keep_their_types_and_are_found_by_their_text() {
    let text = r#"{"inputs":[{"name":"flag","choice":[true,false]},{"name":"size","choice":[1,2.5,-3]},{"name":"mixed","choice":[0.1,"a",null]},{"name":"old","choice":["True","1.0","1"]}]}"#;
    let space: Space = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&space).unwrap(), text);
    let labels: [&[Value]; 4] = [
        &[true.into(), false.into()],
        &[1.into(), 2.5.into(), (-3).into()],
        &[0.1.into(), "a".into(), Value::Null],
        &["True".into(), "1.0".into(), "1".into()],
    ];
    for (dimension, labels) in space.dimensions().iter().zip(labels) {
        assert_eq!((dimension, dimension.domain.choices()), (&Dimension::choice(&dimension.name, labels), labels));
        let space = one(dimension);
        for (index, label) in labels.iter().enumerate() {
            assert_eq!((encode(&space, label), &decode(&space, index as f64)), (index as f64, label));
        }
    }
    // As tables, Python and older files have them; each is written as it is listed.
    let found: [(usize, Value, f64); 14] = [
        (0, "true".into(), 0.0),
        (0, "FALSE".into(), 1.0),
        (0, "True".into(), 0.0),
        (1, "1".into(), 0.0),
        (1, 1.0.into(), 0.0),
        (1, "1.0".into(), 0.0),
        (1, "2.50".into(), 1.0),
        (1, "-3".into(), 2.0),
        (2, "1e-1".into(), 0.0),
        (2, "null".into(), 2.0),
        (3, true.into(), 0.0),
        (3, "1.0".into(), 1.0),
        (3, 1.into(), 2.0),
        (3, 1.0.into(), 2.0),
    ];
    for (k, value, number) in found {
        let domain = &space.dimensions()[k].domain;
        assert_eq!(domain.encode(&value), Some(number), "{value}");
        assert_eq!(domain.canonical(&value), labels[k][number as usize]);
        // Columns of tables are looked up in another way.
        let table = one(&space.dimensions()[k]).with_candidates(vec![vec![value]]).unwrap();
        assert_eq!(table.candidate(0).unwrap(), [labels[k][number as usize].clone()]);
    }
    for (k, value) in
        [(0, 1.into()), (0, "yes".into()), (1, true.into()), (2, "".into()), (2, 0.2.into()), (3, "true".into())]
    {
        assert_eq!(space.dimensions()[k].domain.encode(&value), None, "{k}: {value}");
    }
    let alike: [&[Value]; 6] = [
        &[1.into(), "1".into()],
        &["1.0".into(), 1.into()],
        &[true.into(), "True".into()],
        &[1.into(), 1.0.into()],
        &[Value::Null, "null".into()],
        &["a".into(), f64::NAN.into()],
    ];
    for labels in alike {
        let error = Space::new(vec![Dimension::choice("c", labels)]).unwrap_err().to_string();
        assert!(error.contains("apart") || error.contains("twice") || error.contains("not finite"), "{error}");
    }
}

#[test]
fn values_outside_are_refused_by_name() {
    let space = Space::new(vec![
        Dimension::real("temperature", 20.0, 80.0),
        Dimension::int("layers", 1, 8),
        Dimension::choice("metal", &["Pd", "Ni"]),
    ])
    .unwrap();
    let good: [Value; 3] = [30.0.into(), 2.into(), "Ni".into()];
    space.encode(&good).unwrap();
    let temperature = [f64::NAN, f64::INFINITY, 19.999, 80.001].map(Value::Real);
    let layers = [Value::Real(2.5), Value::Real(f64::NAN), 0.into(), 9.into(), i64::MIN.into(), Value::Real(1e300)];
    let bad = temperature.into_iter().chain(["warm".into()]).map(|value| (0, value));
    let bad = bad.chain(layers.into_iter().chain(["two".into()]).map(|value| (1, value)));
    for (k, wrong) in bad.chain(["Co", "pd", ""].map(|word| (2, word.into()))).chain([(2, 1.into())]) {
        let mut point = good.clone();
        point[k] = wrong.clone();
        let error = space.encode(&point).unwrap_err();
        let Error::Value { input, value, allowed } = &error else { panic!("{error}") };
        assert_eq!((input, value), (&space.dimensions()[k].name, &wrong.to_string()));
        let expected = ["a number from 20.0 to 80.0", "a whole number from 1 to 8", "one of 'Pd', 'Ni'"][k];
        assert_eq!(allowed, expected);
        assert_eq!(error.to_string(), format!("input '{input}' cannot be {wrong}: give {expected}"));
    }
    assert!(matches!(space.encode(&good[..2]), Err(Error::Shape { found: 2, expected: 3, .. })));
    assert!(matches!(space.decode(&[0.0; 4]), Err(Error::Shape { found: 4, expected: 3, .. })));
    assert!(matches!(space.decode(&[0.0, f64::NAN, 0.0]), Err(Error::Value { input, .. }) if input == "layers"));
    // No f64 is this integer.
    let wide = one(&real(0.0, 1e19, Scale::Linear));
    assert!(wide.encode(&[Value::Int((1 << 53) + 1)]).is_err() && wide.encode(&[Value::Int(i64::MAX)]).is_err());
    assert!(wide.encode(&[Value::Int(1 << 60)]).is_ok());
    let many: Vec<String> = (0..100).map(|i| format!("c{i}")).collect();
    let many = one(&Dimension::choice("many", &many.iter().map(String::as_str).collect::<Vec<_>>()));
    assert!(many.encode(&["x".into()]).unwrap_err().to_string().ends_with("'c11', … (100 in all)"));
}

#[test]
fn grids_are_what_a_lab_can_set() {
    let values = |dimension: Dimension| -> Vec<String> {
        let domain = &dimension.domain;
        (0..domain.count().unwrap()).map(|k| domain.decode(domain.nth(k)).to_string()).collect()
    };
    let percent = values(Dimension::real("water", 0.0, 1.0).digits(2));
    assert_eq!((percent.len(), &*percent[29], &*percent[30], &*percent[37]), (101, "0.29", "0.3", "0.37"));
    let loading = values(Dimension::real("loading", 0.001, 0.1).log().digits(3));
    assert_eq!((loading.len(), &*loading[0], &*loading[36], &*loading[99]), (100, "0.001", "0.037", "0.1"));
    let celsius = values(Dimension::real("temperature", 20.0, 120.0).step(0.5).log());
    assert_eq!((celsius.len(), &*celsius[1], &*celsius[200]), (201, "20.5", "120.0"));
    // The last value is the one below an upper end that is not on the grid; digits begin above the lower end.
    assert_eq!(values(Dimension::real("x", 0.0, 1.0).step(0.3)), ["0.0", "0.3", "0.6", "0.9"]);
    assert_eq!(values(Dimension::real("x", 0.05, 0.35).step(0.1)), ["0.05", "0.15", "0.25", "0.35"]);
    assert_eq!(values(Dimension::real("x", -0.26, 0.14).digits(1)), ["-0.2", "-0.1", "0.0", "0.1"]);
    assert_eq!(values(Dimension::real("x", 1e6, 3e6).step(1e6)), ["1000000.0", "2000000.0", "3000000.0"]);
    // What a spreadsheet makes of 0.3.
    let space = one(&Dimension::real("x", 0.0, 1.0).step(0.1));
    assert_eq!(space.canonical(&[(0.1 + 0.2).into()]), [Value::Real(0.3)]);
    let error = space.encode(&[0.25.into()]).unwrap_err().to_string();
    assert!(error.ends_with("give a number from 0.0 to 1.0 in steps of 0.1"), "{error}");
    // A list of values has the same leniency, and rounding in a table does not make another value of it.
    let dimension = Dimension::values("x", &[0.3, 0.304, 1.0]);
    assert_eq!(one(&dimension).canonical(&[(0.1 + 0.2).into()]), [Value::Real(0.3)]);
    assert!(dimension.is_same(&0.3.into(), &0.301.into()) && !dimension.is_same(&0.3.into(), &0.304.into()));
    let error = one(&dimension).encode(&[0.25.into()]).unwrap_err().to_string();
    assert!(error.ends_with("give one of 0.3, 0.304, 1.0"), "{error}");
}

#[test]
fn what_has_no_number_is_refused_even_if_it_was_observed() {
    let space = Space::new(vec![
        Dimension::real("temperature", 20.0, 80.0),
        Dimension::real("rate", 0.1, 10.0).log(),
        Dimension::int("layers", 1, 8),
        Dimension::int("units", 8, 512).log(),
        Dimension::choice("metal", &["Pd", "Ni"]),
    ])
    .unwrap();
    let good: [Value; 5] = [5.0.into(), 100.0.into(), (-6).into(), 4.into(), "Ni".into()];
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let numbers = space.encode_observed(&good).unwrap();
    let expected = [-0.25, 1.5, -1.0, -1.0 / 6.0, 1.0];
    assert!(numbers.iter().zip(expected).all(|(&found, expected)| close(found, expected)), "{numbers:?}");
    assert!(!space.contains(&good) && !space.contains_numbers(&numbers) && space.encode(&good).is_err());
    let bad: [(usize, &[Value]); 5] = [
        (0, &[f64::NAN.into(), f64::INFINITY.into(), f64::MAX.into(), 1e9.into(), "warm".into(), true.into()]),
        (1, &[0.0.into(), (-1.0).into(), 5e-324.into()]),
        (2, &[2.5.into(), 9.5.into(), 1e300.into(), i64::MAX.into(), i64::MIN.into()]),
        (3, &[0.into(), (-8).into()]),
        (4, &["Co".into(), 2.into(), Value::Null]),
    ];
    for (k, values) in bad {
        for wrong in values {
            let mut point = good.clone();
            point[k] = wrong.clone();
            let error = space.encode_observed(&point).unwrap_err();
            assert!(matches!(&error, Error::Value { input, .. } if *input == space.dimensions()[k].name), "{error}");
        }
    }
    let error = space.dimensions()[1].encode_observed(&0.0.into()).unwrap_err().to_string();
    assert!(error.ends_with("give a number above 0 near the range of 0.1 to 10.0"), "{error}");
    // A column of a table that has but one value has no scale.
    let table = Space::from_table(&["x".into()], vec![vec![7.0.into()]]).unwrap();
    assert!(table.encode_observed(&[7.0.into()]).is_ok() && table.encode_observed(&[8.0.into()]).is_err());
}

/// A choice of two labels with these descriptors.
fn described(rows: &[&[f64]]) -> Dimension {
    let columns = (0..rows[0].len()).map(|k| format!("d{k}")).collect();
    Dimension::choice("c", &["a", "b"]).descriptors(columns, rows.iter().map(|row| row.to_vec()).collect())
}

#[test]
fn senseless_inputs_are_refused_with_a_remedy() {
    let (linear, log) = (Scale::Linear, Scale::Log);
    let cases = [
        (real(2.0, 1.0, linear), "swap"),
        (real(1.0, 1.0, linear), "leave it out"),
        (real(f64::NAN, 1.0, linear), "finite"),
        (real(0.0, f64::INFINITY, linear), "finite"),
        (real(-1.7e308, 1.7e308, linear), "rescale"),
        (real(0.0, 1.0, log), "above 0"),
        (real(-1.0, 1.0, log), "above 0"),
        (real(5e-324, 1.0, log), "above 0"),
        (real(0.0, 1.0, linear).step(0.0), "positive"),
        (real(0.0, 1.0, linear).step(-0.1), "positive"),
        (real(0.0, 1.0, linear).step(2.0), "shorter"),
        (real(0.0, 1.0, linear).step(1e-17), "longer"),
        (real(0.0, 1.0, linear).digits(40), "longer"),
        (real(0.0, 1.0, linear).digits(301), "fewer"),
        (real(0.2, 0.8, linear).digits(0), "more digits"),
        (real(0.2, 1.8, linear).digits(0), "leave it out"),
        (real(0.0, 1.0, log).step(0.1), "above 0"),
        (real(1.0, 0.0, linear).digits(1), "swap"),
        (real(0.0, f64::INFINITY, linear).step(0.1), "finite"),
        (int(3, 2, linear), "swap"),
        (int(3, 3, linear), "leave it out"),
        (int(0, 9, log), "above 0"),
        (int(0, 1 << 52, linear), "narrow"),
        (int(i64::MIN, i64::MAX, linear), "narrow"),
        (int(1, 1 << 50, log), "narrow"),
        (Dimension::values("v", &[0.0; 0]), "at least two"),
        (Dimension::values("v", &[2.0]), "leave it out"),
        (Dimension::values("v", &[2.0, 1.0, 2.0]), "2.0 is listed twice"),
        (Dimension::values("v", &[Value::Int(0), Value::Real(-0.0)]), "twice"),
        (Dimension::values("v", &["warm", "hot"]), "ordinal"),
        (Dimension::values("v", &[f64::NAN, 1.0]), "finite"),
        (Dimension::values("v", &[-1e9, 1.0, 1.0 + f64::EPSILON]), "apart"),
        (Dimension::values("v", &[-1.7e308, 1.7e308]), "rescale"),
        (Dimension::values("v", &[0.0, 1.0]).log(), "above 0"),
        (Dimension::ordinal("o", &[""; 0]), "at least two"),
        (Dimension::ordinal("o", &["slow"]), "leave it out"),
        (Dimension::ordinal("o", &["slow", "fast", "slow"]), "'slow'"),
        (Dimension::choice("c", &[""; 0]), "at least two"),
        (Dimension::choice("c", &["a"]), "leave it out"),
        (Dimension::choice("c", &["a", "b", "a"]), "'a'"),
        (Dimension::choice(" ", &["a", "b"]), "name it"),
        (described(&[&[1.0], &[1.0]]), "same for all"),
        (described(&[&[1.0, 2.0]]), "1 rows of descriptors are given for 2"),
        (described(&[&[1.0, 2.0], &[3.0]]), "1 of 2 numbers"),
        (described(&[&[1.0, f64::NAN], &[1.0, 2.0]]), "'d1' in row 0 is not finite"),
        (described(&[&[], &[]]), "no columns"),
        (int(1, 3, linear).unit(" "), "unit"),
        (int(1, 3, linear).unit("m\n"), "unit"),
    ];
    for (dimension, fragment) in cases {
        let good = Dimension::real("good", 0.0, 1.0);
        let error = Space::new(vec![good, dimension.clone()]).unwrap_err();
        let Error::Input { name, .. } = &error else { panic!("{error}") };
        assert!(name.trim() == dimension.name.trim() && error.to_string().contains(fragment), "{error}");
        // The same through a file, if it can be written there.
        let Ok(text) = serde_json::to_string(&dimension) else { continue };
        let space = format!(r#"{{"inputs": [{{"name": "good", "real": [0, 1]}}, {text}]}}"#);
        let read = serde_json::from_str::<Space>(&space);
        assert!(read.is_err(), "{text}");
        if !text.contains("null") {
            assert!(read.unwrap_err().to_string().contains(fragment), "{text}");
        }
    }
    Space::new(vec![int(0, (1 << 52) - 1, linear), real(f64::MIN_POSITIVE, f64::MAX, log)]).unwrap();
    let twice = Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::int("a", 0, 1)]);
    assert!(matches!(twice, Err(Error::Input { name, .. }) if name == "a"));
    assert!(matches!(Space::new(vec![]), Err(Error::Unsupported { .. })));
}

#[test]
fn files_say_it_in_words() {
    let text = r#"{"inputs":[{"name":"temperature","real":[20.0,80.0]},{"name":"rate","real":[0.0001,0.1],"log":true},{"name":"layers","int":[1,8]},{"name":"units","int":[8,512],"log":true},{"name":"metal","choice":["Pd","Ni"]},{"name":"heat","real":[20.0,120.0],"step":0.5,"unit":"°C"},{"name":"buffer","values":[6,5.5,8.0],"log":true},{"name":"stirring","ordinal":["slow","fast"]},{"name":"c","choice":["a","b"],"descriptors":{"columns":["d0","d1"],"rows":[[1.0,5.0],[2.5,5.0]]}}]}"#;
    let space: Space = serde_json::from_str(text).unwrap();
    let expected = vec![
        Dimension::real("temperature", 20.0, 80.0),
        Dimension::real("rate", 1e-4, 0.1).log(),
        Dimension::int("layers", 1, 8),
        Dimension::int("units", 8, 512).log(),
        Dimension::choice("metal", &["Pd", "Ni"]),
        Dimension::real("heat", 20.0, 120.0).step(0.5).unit("°C"),
        Dimension::values("buffer", &[Value::Int(6), Value::Real(5.5), Value::Real(8.0)]).log(),
        Dimension::ordinal("stirring", &["slow", "fast"]),
        described(&[&[1.0, 5.0], &[2.5, 5.0]]),
    ];
    assert_eq!([expected[0].label(), expected[5].label()], ["temperature", "heat (°C)"]);
    assert_eq!(space.dimensions(), expected);
    assert_eq!(serde_json::to_string(&space).unwrap(), text);
    assert_eq!((space.size(), one(&expected[2]).size()), (None, Some(8)));
    let finite = Space::new(expected[2..5].to_vec()).unwrap();
    assert_eq!(finite.size(), Some(8 * 505 * 2));
    let huge = (0..3).map(|k| Dimension::int(format!("n{k}"), 0, 1 << 30)).collect();
    assert_eq!(Space::new(huge).unwrap().size(), None);
}

#[test]
fn files_that_say_something_else_are_refused() {
    let cases = [
        (r#"{"name": "a", "real": [0, 1], "int": [0, 1]}"#, "not clear"),
        (r#"{"name": "a"}"#, "not clear"),
        (r#"{"name": "a", "choice": ["u", "v"], "log": true}"#, "leave out log"),
        (r#"{"name": "a", "real": [0, 1], "scale": "log"}"#, "unknown field"),
        (r#"{"name": "a", "real": [0, 1], "step": 0.1, "digits": 1}"#, "leave out one"),
        (r#"{"name": "a", "int": [0, 9], "step": 2}"#, "only real inputs"),
        (r#"{"name": "a", "choice": [1, 2], "digits": 1}"#, "only real inputs"),
        (r#"{"name": "a", "values": [1, 2], "step": 1}"#, "only real inputs"),
        (r#"{"name": "a", "int": [1, 2], "descriptors": {"columns": ["d"], "rows": [[1], [2]]}}"#, "only choices"),
        (r#"{"name": "a", "choice": [1, 2], "descriptors": {"columns": ["d"], "rows": [[1], [1]]}}"#, "same for all"),
        (r#"{"name": "a", "ordinal": ["u", "v"], "log": true}"#, "leave out log"),
        (r#"{"name": "a", "ordinal": ["u", "v"], "choice": ["u", "v"]}"#, "not clear"),
        (r#"{"name": "a", "real": [0]}"#, "1 ends"),
        (r#"{"real": [0, 1]}"#, "name"),
        (r#"{"name": "a", "real": [1, 0]}"#, "swap"),
    ];
    for (input, fragment) in cases {
        let alone = serde_json::from_str::<Dimension>(input).unwrap_err().to_string();
        let whole = serde_json::from_str::<Space>(&format!(r#"{{"inputs": [{input}]}}"#)).unwrap_err().to_string();
        assert!(alone.contains(fragment) && whole.contains(fragment), "{alone} / {whole}");
    }
    let with = |rest: &str| {
        serde_json::from_str::<Space>(&format!(r#"{{"inputs": [{{"name": "a", "real": [0, 1]}}]{rest}}}"#))
    };
    assert!(with(r#", "input-constraints": []"#).is_ok());
    for (constraints, fragment) in [
        (r#"["a + b < 1"]"#, "invalid type"),
        (r#"[{"a": 1, "below": 0.5}]"#, "unknown field"),
        (r#""a < 1""#, "invalid type"),
        (r#"[{"sum": ["a"]}]"#, "no limit"),
        (r#"[{"sum": ["a"], "at-most": 2, "nonzero": ["a"]}]"#, "of several"),
        (r#"[{"sum": ["a"], "at-least": 2, "at-most": 1}]"#, "swap them"),
        (r#"[{"sum": ["b"], "at-most": 1}]"#, "no input 'b'"),
        (r#"[{"sum": {"a": 0}, "at-most": 1}]"#, "coefficient"),
        (r#"[{"sum": ["a"], "at-least": 2}]"#, "contradicts the ranges"),
        (r#"[{"exclude": {"a": 0.5}}]"#, "continuous"),
    ] {
        let error = with(&format!(r#", "input-constraints": {constraints}"#)).unwrap_err().to_string();
        assert!(error.contains(fragment), "{constraints}: {error}");
    }
    assert!(with(r#", "candidate": [[0.5]]"#).unwrap_err().to_string().contains("unknown field"));
    assert!(with(r#", "candidates": []"#).unwrap_err().to_string().contains("empty"));
    assert!(serde_json::from_str::<Space>(r#"{"inputs": []}"#).unwrap_err().to_string().contains("at least one"));
}
