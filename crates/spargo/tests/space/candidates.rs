//! Tables of candidates: exactly as given, known by their labels, and fast.

use super::*;

fn table() -> (Space, Vec<Point>) {
    let inputs = vec![
        Dimension::real("x", -1.0, 1.0),
        Dimension::int("n", 0, 9),
        Dimension::choice("c", &["u", "v", "w"]),
        Dimension::real("y", 1e-3, 1e3).log(),
    ];
    // None of these reals lies on the grid.
    let row = |i: usize| -> Point {
        let word = ["u", "v", "w"][i % 3];
        vec![((i as f64).sin()).into(), (i as i64 % 10).into(), word.into(), (i as f64).cos().exp().into()]
    };
    (Space::new(inputs).unwrap(), (0..200).map(row).collect())
}

#[test]
fn candidates_come_back_exactly_as_given() {
    let (space, rows) = table();
    let space = space.with_candidates(rows.clone()).unwrap();
    assert_eq!((space.size(), space.candidates().unwrap().nrows()), (Some(200), 200));
    let text = serde_json::to_string(&space).unwrap();
    let again: Space = serde_json::from_str(&text).unwrap();
    assert_eq!(again, space);
    for space in [&space, &again] {
        for (i, row) in rows.iter().enumerate() {
            let numbers = flat(space.candidates().unwrap().subrows(i, 1));
            assert_eq!(&space.decode(&numbers).unwrap(), row);
            assert_eq!(space.candidate(i).as_ref(), Some(row));
            assert_eq!(space.encode(row).unwrap(), numbers);
            assert_eq!(space.find(&numbers), Some(i));
            let mut snapped = numbers.clone();
            space.snap(&mut snapped);
            assert_eq!(snapped, numbers);
        }
    }
    assert_eq!((space.candidate(200), space.find(&[0.5; 4])), (None, None));
    assert!(matches!(space.decode(&[0.5; 4]), Err(Error::Unsupported { .. })));
    // Points outside the table may have been evaluated.
    assert!(space.encode(&[0.0.into(), 5.into(), "w".into(), 1.0.into()]).is_ok());
    assert!(table().0.candidates().is_none() && table().0.candidate(0).is_none());
}

#[test]
fn a_candidate_given_again_is_left_out() {
    let (space, rows) = table();
    let mut again: Vec<Point> = rows[..50].to_vec();
    again.extend_from_slice(&rows[20..100]);
    again.push(rows[3].clone());
    let space = space.with_candidates(again).unwrap();
    assert_eq!(space.size(), Some(100));
    for (i, row) in rows[..100].iter().enumerate() {
        assert_eq!(space.candidate(i).as_ref(), Some(row));
        assert_eq!(space.find(&space.encode(row).unwrap()), Some(i));
    }
    // 3 and 3.0 are the same; two numbers within a step of the grid are not.
    let one = || Space::new(vec![Dimension::real("x", 0.0, 10.0)]).unwrap();
    assert_eq!(one().with_candidates(vec![vec![3.into()], vec![3.0.into()]]).unwrap().size(), Some(1));
    let close = one().with_candidates(vec![vec![7.0.into()], vec![3.0.into()], vec![(3.0 + 1e-14).into()]]);
    let error = close.unwrap_err().to_string();
    assert!(error.contains("row 2") && error.contains("row 1"), "{error}");
}

#[test]
fn candidates_are_known_by_their_labels() {
    let column = |name: &str, values: &[&str]| LabelColumn {
        name: name.into(),
        values: values.iter().map(|value| value.to_string()).collect(),
    };
    let inputs = || Space::new(vec![Dimension::real("x", 0.0, 1.0), Dimension::choice("m", &["Pd", "Ni"])]).unwrap();
    let row = |x: f64, m: &str| -> Point { vec![x.into(), m.into()] };
    let rows = vec![row(0.5, "Pd"), row(0.5, "Pd"), row(0.25, "Ni"), row(0.5, "Pd"), row(0.5, "Pd")];
    // Row 3 is row 0 again, as the id says. Without an id all labels count.
    let labels = vec![column("Id", &["a", "b", "c", "a", "d"]), column("SMILES", &["C", "C", "O", "CO", "C"])];
    let space = inputs().with_labelled_candidates(rows.clone(), labels.clone()).unwrap();
    assert_eq!((space.size(), space.label_names().collect::<Vec<_>>()), (Some(4), vec!["Id", "SMILES"]));
    let again: Space = serde_json::from_str(&serde_json::to_string(&space).unwrap()).unwrap();
    assert_eq!(again, space);
    let names = ["x", "m"].map(String::from);
    for space in [space, again, Space::from_labelled_table(&names, rows.clone(), labels.clone()).unwrap()] {
        assert_eq!([0, 2].map(|row| space.rows_at(&rows[row])), [vec![0, 1, 4], vec![2]]);
        assert_eq!((space.rows_at(&row(0.75, "Pd")), space.rows_at(&row(2.0, "Pd"))), (vec![], vec![]));
        assert_eq!((space.identity(1), space.identity(3)), (Some(vec!["b"]), None));
        assert_eq!(space.labels(4).unwrap(), [("Id", "d"), ("SMILES", "C")]);
        assert_eq!((space.labels(3), space.labels(5), space.candidate(3)), (None, None, Some(rows[4].clone())));
    }
    let smiles = Space::from_labelled_table(&names, rows.clone(), labels[1..].to_vec()).unwrap();
    assert_eq!((smiles.rows_at(&rows[0]), smiles.identity(3)), (vec![0, 3], Some(vec!["CO"])));
    let plain = inputs().with_candidates(rows.clone()).unwrap();
    assert_eq!((plain.size(), plain.labels(2), plain.label_names().count()), (Some(2), Some(vec![]), 0));
    assert!(inputs().labels(0).is_none() && inputs().rows_at(&rows[0]).is_empty());
    for (wrong, part) in [
        (column("id", &["a"]), "'id'"),
        (column("x", &["a", "b", "c", "d", "e"]), "rename"),
        (column("", &["a", "b", "c", "d", "e"]), "rename"),
    ] {
        let error = inputs().with_labelled_candidates(rows.clone(), vec![wrong]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_candidate_is_known_by_what_no_other_one_has() {
    let column =
        |name: &str, values: [&str; 4]| LabelColumn { name: name.into(), values: values.map(String::from).into() };
    let names = ["x", "m"].map(String::from);
    let row = |x: f64, m: &str| -> Point { vec![x.into(), m.into()] };
    let rows = vec![row(0.5, "Pd"), row(0.5, "Pd"), row(0.25, "Ni"), row(0.5, "Ni")];
    let labels = vec![column("id", ["a", "b", "c", "d"]), column("maker", ["Acme", "Bolt", "Acme", ""])];
    let space = Space::from_labelled_table(&names, rows.clone(), labels).unwrap();
    let at = |x: Option<f64>, m: Option<&str>| [x.map(Value::from), m.map(Value::from)];
    for (inputs, labels, found) in [
        (at(None, None), [Some("b"), None], 1),
        (at(None, None), [Some("b"), Some("")], 1),
        (at(Some(0.25), None), [None, None], 2),
        (at(Some(0.5), Some("Pd")), [None, Some("Acme")], 0),
        (at(None, Some("Ni")), [Some("d"), None], 3),
    ] {
        let expected = (rows[found].clone(), Some(found as u64));
        assert_eq!(space.identify(&inputs, &labels), Ok(expected), "{inputs:?} {labels:?}");
    }
    // Of two with these inputs it is either; a point that is no candidate is none.
    assert_eq!(space.identify(&at(Some(0.5), Some("Pd")), &[None; 2]), Ok((rows[0].clone(), None)));
    assert_eq!(space.identify(&at(Some(0.3), Some("Pd")), &[Some("z"), None]), Ok((row(0.3, "Pd"), None)));
    assert_eq!(
        (space.point_of(2), space.in_words(&rows[3], Some(3))),
        (Ok(rows[2].clone()), "x 0.5, m Ni, id d".into())
    );
    for (inputs, labels, part) in [
        (at(None, None), [None, None], "'x': has no value"),
        (at(None, None), [Some("z"), None], "no candidate has id z"),
        (at(None, Some("Pd")), [None, None], "2 candidates have m Pd"),
        (at(Some(0.5), Some("Pd")), [Some("c"), None], "no candidate with these inputs has id c"),
        (at(Some(9.0), None), [Some("a"), None], "'x' cannot be 9"),
    ] {
        let error = space.identify(&inputs, &labels).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(space.point_of(4).unwrap_err().to_string().contains("no row 4"));
}

#[test]
fn faulty_candidates_are_refused_by_row() {
    let (space, rows) = table();
    let mut wrong = rows.clone();
    wrong[17][1] = 10.into();
    wrong[9][2] = "z".into();
    let error = space.clone().with_candidates(wrong.clone()).unwrap_err();
    assert_eq!(error.to_string(), "row 9 of the candidates: input 'c' cannot be 'z': give one of 'u', 'v', 'w'");
    wrong[9][2] = "u".into();
    assert!(matches!(space.clone().with_candidates(wrong), Err(Error::Candidate { row: 17, .. })));
    let mut short = rows;
    short[4].pop();
    assert!(matches!(space.clone().with_candidates(short), Err(Error::Shape { found: 3, expected: 4, .. })));
    assert!(matches!(space.with_candidates(vec![]), Err(Error::Empty { .. })));
}

#[test]
fn a_table_says_what_its_columns_are() {
    let names: Vec<String> = ["x", "n", "c", "constant", "word", "mixed"].map(String::from).to_vec();
    let row = |x: f64, n: i64, c: &str, mixed: Value| -> Point {
        vec![x.into(), n.into(), c.into(), (-0.7).into(), "only".into(), mixed]
    };
    let rows = vec![
        row(0.3, 4, "b", 2.into()),
        row(-1e-3, 40, "a", "two".into()),
        row(0.1, -4, "b", 2.5.into()),
        row(0.3, 4, "c", 2.into()),
    ];
    let space = Space::from_table(&names, rows.clone()).unwrap();
    let labels = |labels: &[Value]| Domain::Categorical(Choices(labels.to_vec()));
    let range = |lower, upper| Domain::Real(RealRange { lower, upper, scale: Scale::Linear });
    let expected = [
        range(-1e-3, 0.3),
        range(-4.0, 40.0),
        labels(&["b".into(), "a".into(), "c".into()]),
        range(-0.7, -0.7),
        labels(&["only".into()]),
        labels(&[2.into(), "two".into(), 2.5.into()]),
    ];
    for (dimension, (name, domain)) in space.dimensions().iter().zip(names.iter().zip(expected)) {
        assert_eq!((&dimension.name, &dimension.domain), (name, &domain));
    }
    let again: Space = serde_json::from_str(&serde_json::to_string(&space).unwrap()).unwrap();
    assert_eq!(again, space);
    for (i, row) in rows.iter().enumerate() {
        let numbers = space.encode(row).unwrap();
        assert_eq!((numbers[3], numbers[4]), (0.0, 0.0));
        let found = space.decode(&numbers).unwrap();
        assert_eq!(Some(&found), space.candidate(i).as_ref());
        assert_eq!(&found, row);
        assert_eq!(space.encode(&found).unwrap(), numbers);
    }
    let mut holes = rows.clone();
    holes[2][0] = f64::NAN.into();
    let error = Space::from_table(&names, holes).unwrap_err();
    assert!(matches!(&error, Error::Candidate { row: 2, .. }) && error.to_string().contains("'x'"), "{error}");
    assert!(Space::from_table(&names[..5], rows.clone()).is_err());
    let twice: Vec<String> = ["x", "x", "c", "d", "e", "f"].map(String::from).to_vec();
    assert!(matches!(Space::from_table(&twice, rows), Err(Error::Input { name, .. }) if name == "x"));
}

/// Looked up, not searched: a column of names would otherwise take hours.
#[test]
fn large_tables_are_no_trouble() {
    let row = |i: usize| -> Point {
        let mut row: Point = (0..8).map(|k| ((i * (k + 3)) as f64 * 0.618).sin().into()).collect();
        row.extend([Value::Choice(format!("name {i}")), Value::Int(i as i64 % 100)]);
        row
    };
    let count = 100_000;
    let names: Vec<String> = (0..10).map(|k| format!("x{k}")).collect();
    let rows = (0..count).map(row).collect();
    let space = Space::from_table(&names, rows).unwrap();
    assert_eq!(space.size(), Some(count as u64));
    assert_eq!(space.find(&flat(space.candidates().unwrap().subrows(77_777, 1))), Some(77_777));
}
