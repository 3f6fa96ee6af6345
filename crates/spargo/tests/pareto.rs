//! Fronts, hypervolumes and cells against their definitions: on lattices by counting, elsewhere by inclusion and exclusion.

mod common;

use common::*;
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use spargo::Error;
use spargo::math::pareto::{Cell, cells, front, hypervolume};
use spargo::rng::{Purpose, normal, stream, uniform};

type Points = Vec<Vec<f64>>;

/// Points on a coarse lattice: many ties, equal rows and values at the reference 0.
fn lattice(objectives: std::ops::RangeInclusive<usize>, side: u8, most: usize) -> impl Strategy<Value = Points> {
    objectives.prop_flat_map(move |d| {
        let point = prop::collection::vec((0..=side).prop_map(f64::from), d);
        prop::collection::vec(point, 1..=most)
    })
}

/// Points around a sphere, so that most are on the front.
fn sphere(n: usize, d: usize, rng: &mut ChaCha8Rng) -> Points {
    let point = |rng: &mut ChaCha8Rng| {
        let direction: Vec<f64> = (0..d).map(|_| normal(rng).abs()).collect();
        let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt() * (1.0 + 0.1 * uniform(rng));
        direction.into_iter().map(|v| v / length).collect()
    };
    (0..n).map(|_| point(rng)).collect()
}

fn reaches(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b)
}

fn naive_front(rows: &[Vec<f64>]) -> Vec<usize> {
    let beaten = |i: usize| {
        let by = |j: usize| reaches(&rows[j], &rows[i]) && (rows[j] != rows[i] || j < i);
        (0..rows.len()).any(by)
    };
    (0..rows.len()).filter(|&i| !beaten(i)).collect()
}

/// Centres of the unit cubes of a lattice.
fn centres(d: usize, side: u8) -> Points {
    let one_more = |points: Points| {
        let longer = |point: Vec<f64>| (0..side).map(move |v| [point.clone(), vec![f64::from(v) + 0.5]].concat());
        points.into_iter().flat_map(longer).collect()
    };
    (0..d).fold(vec![vec![]], |points, _| one_more(points))
}

/// Σ over sets of points of ± the volume below all of them.
fn by_inclusion_and_exclusion(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let below = |set: u32| -> f64 {
        let members = || (0..points.len()).filter(|i| set >> i & 1 == 1);
        let side = |(k, r): (usize, &f64)| members().map(|i| points[i][k]).fold(f64::INFINITY, f64::min) - r;
        reference.iter().enumerate().map(side).map(|side| side.max(0.0)).product()
    };
    (1..1u32 << points.len()).map(|set| if set.count_ones() % 2 == 1 { below(set) } else { -below(set) }).sum()
}

/// How much of the cells lies below q.
fn improvement(cells: &[Cell], q: &[f64]) -> f64 {
    let side = |cell: &Cell, k: usize| (q[k].min(cell.upper[k]) - cell.lower[k]).max(0.0);
    cells.iter().map(|cell| (0..q.len()).map(|k| side(cell, k)).product::<f64>()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fronts_agree_with_the_definition(rows in lattice(1..=5, 5, 60)) {
        prop_assert_eq!(front(&rows), naive_front(&rows));
    }

    #[test]
    fn volumes_are_counts_of_cubes(points in lattice(1..=5, 4, 25)) {
        let d = points[0].len();
        let dominated = |q: &&Vec<f64>| points.iter().any(|p| reaches(p, q));
        let count = centres(d, 4).iter().filter(dominated).count();
        prop_assert_eq!(hypervolume(&points, &vec![0.0; d]).unwrap(), count as f64);
    }

    #[test]
    fn cells_are_disjoint_and_cover_what_is_not_dominated(points in lattice(1..=3, 6, 25)) {
        let d = points[0].len();
        let cells = cells(&points, &vec![0.0; d]).unwrap();
        // The centres beyond the points' lattice stand for what has no end.
        for q in centres(d, 8) {
            let inside = |cell: &&Cell| (0..d).all(|k| cell.lower[k] < q[k] && q[k] < cell.upper[k]);
            let expected = usize::from(!points.iter().any(|p| reaches(p, &q)));
            prop_assert_eq!(cells.iter().filter(inside).count(), expected, "at {:?} of {:?}", q, cells);
        }
        for cell in &cells {
            prop_assert!((0..d).all(|k| 0.0 <= cell.lower[k] && cell.lower[k] < cell.upper[k]), "{cell:?}");
        }
        let counted = |i: &usize| points[*i].iter().all(|v| *v > 0.0);
        let n = front(&points).iter().filter(|i| counted(i)).count();
        let most = [1, n + 1, 2 * n + 1][d - 1];
        prop_assert!(cells.len() <= most, "{} cells of {n} points", cells.len());
    }

    #[test]
    fn volumes_do_not_depend_on_the_order_and_grow_with_points(points in lattice(2..=4, 9, 25), seed in 0u64..1000) {
        let reference = vec![-0.7; points[0].len()];
        let volume = hypervolume(&points, &reference).unwrap();
        let mut shuffled = points.clone();
        shuffled.shuffle(&mut stream(seed, Purpose::Data, 0, 0));
        prop_assert_eq!(hypervolume(&shuffled, &reference).unwrap(), volume);
        let fronts: Points = front(&points).into_iter().map(|i| points[i].clone()).collect();
        prop_assert!((hypervolume(&fronts, &reference).unwrap() / volume - 1.0).abs() < 1e-13);
        for (i, more) in points.iter().enumerate() {
            let before = hypervolume(&points[..i], &reference).unwrap();
            let after = hypervolume(&points[..=i], &reference).unwrap();
            let new = !points[..i].iter().any(|p| reaches(p, more));
            let as_expected = if new { after > before } else { (after / before - 1.0).abs() < 1e-13 };
            prop_assert!(as_expected, "{before}, then {after} with {more:?}");
        }
    }
}

#[test]
fn volumes_agree_with_inclusion_and_exclusion() {
    let mut rng = stream(1, Purpose::Data, 0, 0);
    for d in 1..=5 {
        for n in 0..=10 {
            let points = sphere(n, d, &mut rng);
            let reference: Vec<f64> = (0..d).map(|_| 0.2 * normal(&mut rng)).collect();
            let (found, expected) = (hypervolume(&points, &reference), by_inclusion_and_exclusion(&points, &reference));
            assert!((found.unwrap() - expected).abs() < 1e-13 * (1 << n) as f64, "{n} points in {d} dimensions");
        }
    }
}

#[test]
fn volumes_agree_with_samples() {
    let mut rng = stream(2, Purpose::Data, 0, 0);
    for d in 2..=4 {
        let points = sphere(200, d, &mut rng);
        let inside = |rng: &mut ChaCha8Rng| {
            let q: Vec<f64> = (0..d).map(|_| uniform(rng)).collect();
            points.iter().any(|p| reaches(p, &q))
        };
        let samples = 40_000;
        let share = (0..samples).filter(|_| inside(&mut rng)).count() as f64 / f64::from(samples);
        let volume = hypervolume(&points, &vec![0.0; d]).unwrap();
        let deviation = (volume * (1.0 - volume) / f64::from(samples)).sqrt();
        assert!((share - volume).abs() < 4.0 * deviation, "{d}: {volume}, sampled {share}");
    }
}

#[test]
fn volumes_and_fronts_agree_with_trieste() {
    let file = golden("hypervolume");
    for set in file["sets"].as_array().unwrap() {
        // Theirs are minimised.
        let turned = |row: &serde_json::Value| vector(row).into_iter().map(|v| -v).collect::<Vec<f64>>();
        let rows = |key: &str| set[key].as_array().unwrap().iter().map(turned).collect::<Points>();
        let points = rows("points");
        let (found, expected) = (hypervolume(&points, &turned(&set["reference"])), number(&set["hypervolume"]));
        assert!((found.unwrap() / expected - 1.0).abs() < 1e-12, "{expected}");
        let order = |mut points: Points| {
            points.sort_by(|a, b| a.partial_cmp(b).unwrap());
            points
        };
        let found = front(&points).into_iter().map(|i| points[i].clone()).collect();
        assert_eq!(order(found), order(rows("front")));
    }
}

#[test]
fn cells_measure_the_improvement() {
    let mut rng = stream(3, Purpose::Data, 0, 0);
    for d in 1..=3 {
        let points = sphere(120, d, &mut rng);
        let reference: Vec<f64> = (0..d).map(|_| 0.3 * uniform(&mut rng)).collect();
        let cells = cells(&points, &reference).unwrap();
        let before = hypervolume(&points, &reference).unwrap();
        for _ in 0..300 {
            let q: Vec<f64> = (0..d).map(|_| 1.4 * uniform(&mut rng)).collect();
            let mut more = points.clone();
            more.push(q.clone());
            let expected = hypervolume(&more, &reference).unwrap() - before;
            assert!((improvement(&cells, &q) - expected).abs() < 1e-13, "{q:?} in {d} dimensions");
        }
    }
}

#[test]
fn a_front_in_general_position_has_as_many_cells_as_the_literature_says() {
    let mut rng = stream(4, Purpose::Data, 0, 0);
    for (d, expected) in [(2, 201), (3, 401)] {
        // On the simplex nothing dominates.
        let point = |rng: &mut ChaCha8Rng| {
            let parts: Vec<f64> = (0..d).map(|_| -uniform(rng).ln()).collect();
            let sum: f64 = parts.iter().sum();
            parts.into_iter().map(|v| v / sum).collect::<Vec<f64>>()
        };
        let points: Points = (0..200).map(|_| point(&mut rng)).collect();
        assert_eq!(cells(&points, &vec![0.0; d]).unwrap().len(), expected);
    }
}

#[test]
fn nothing_leaves_all_of_the_room() {
    let room = |d: usize| Cell { lower: vec![-1.0; d], upper: vec![f64::INFINITY; d] };
    for d in 1..=3 {
        let none: [Vec<f64>; 0] = [];
        assert_eq!(cells(&none, &vec![-1.0; d]).unwrap(), [room(d)]);
        // At the reference in one coordinate, above it in the others.
        let mut point = vec![3.0; d];
        point[d - 1] = -1.0;
        assert_eq!(cells(&[&point], &vec![-1.0; d]).unwrap(), [room(d)]);
        assert_eq!(hypervolume(&[&point], &vec![-1.0; d]).unwrap(), 0.0);
        assert_eq!(hypervolume(&none, &vec![-1.0; d]).unwrap(), 0.0);
    }
    assert_eq!(front::<Vec<f64>>(&[]), [0; 0]);
}

#[test]
fn fronts_know_infinities_and_leave_out_what_cannot_be_compared() {
    const INF: f64 = f64::INFINITY;
    assert_eq!(front(&[[1.0, 2.0], [-INF, INF], [f64::NAN, 9.0], [-INF, 5.0]]), [0, 1]);
    assert_eq!(front(&[[1.0, 2.0, -INF], [INF, -INF, -INF], [1.0, 1.0, -INF], [2.0, f64::NAN, 3.0]]), [0, 1]);
    assert_eq!(front(&[vec![1.0, 2.0, 3.0], vec![9.0], vec![0.0; 3], vec![1.0, 3.0, 2.0]]), [0, 3]);
    // 0 and −0 are equal.
    assert_eq!(front(&[[1.0, -0.0, 0.0], [1.0, 0.0, -0.0], [1.0, -0.0, 0.0]]), [0]);
    // A dominator whose sum rounds to the same number.
    assert_eq!(front(&[[1e16, 1.0 - 1e-16], [1e16, 1.0]]), [1]);
}

#[test]
fn what_has_no_volume_is_refused() {
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let points = [[1.0, 1.0], [2.0, wrong]];
        let expected = |error: Error| match error {
            Error::NonFinite { what, row: 1, .. } => assert!(what.contains("objective 1"), "{what}"),
            other => panic!("{other}"),
        };
        expected(hypervolume(&points, &[0.0, 0.0]).unwrap_err());
        expected(cells(&points, &[0.0, 0.0]).unwrap_err());
        let error = hypervolume(&points[..1], &[wrong, 0.0]).unwrap_err();
        assert!(matches!(error, Error::Parameter { name, .. } if name.contains("objective 0 of the reference")));
    }
    let error = hypervolume(&[vec![1.0, 2.0], vec![1.0]], &[0.0, 0.0]).unwrap_err();
    assert!(matches!(error, Error::Shape { found: 1, expected: 2, what } if what.contains("row 1")));
    assert!(matches!(hypervolume(&[[1.0]], &[]), Err(Error::Empty { .. })));
    assert!(matches!(cells(&[[1.0; 4]], &[0.0; 4]), Err(Error::Unsupported { .. })));
    assert!(matches!(hypervolume(&[[1e200; 2], [1e199, 2e200]], &[0.0; 2]), Err(Error::Unsupported { .. })));
    assert!(matches!(hypervolume(&[[1e308; 3]], &[-1e308; 3]), Err(Error::Unsupported { .. })));
}

#[test]
fn volumes_scale_with_their_units() {
    let mut rng = stream(5, Purpose::Data, 0, 0);
    let points = sphere(50, 3, &mut rng);
    let volume = hypervolume(&points, &[0.0; 3]).unwrap();
    for (a, b, c) in [(1e90, 1e90, 1e90), (1e-90, 1e-90, 1e-90), (1e150, 1.0, 1e-150)] {
        let scaled: Points = points.iter().map(|p| vec![a * p[0], b * p[1], c * p[2]]).collect();
        let found = hypervolume(&scaled, &[0.0; 3]).unwrap() / a / b / c;
        assert!((found / volume - 1.0).abs() < 1e-12, "{found}");
    }
}
