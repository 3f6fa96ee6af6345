//! Benchmark problems against other implementations' values and what their records say of them.

mod common;

use common::*;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use spargo::Error;
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo_problems::{ALL, HARTMANN6, Problem, ROVER60, by_name};

fn random_unit(problem: &Problem, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..problem.dimension()).map(|_| uniform(rng)).collect()
}

fn random_value(problem: &Problem, rng: &mut ChaCha8Rng) -> f64 {
    problem.value(&problem.from_unit(&random_unit(problem, rng)).unwrap()).unwrap()
}

/// The values of a problem at the points of a golden function, as they are or in the unit cube.
fn values(problem: &Problem, golden: &Value, to_box: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let rows = golden["X"].as_array().unwrap();
    rows.iter().map(|row| problem.value(&to_box(&vector(row))).unwrap()).collect()
}

#[test]
fn values_agree_with_triestes_textbook_ones() {
    let file = golden("functions");
    // Trieste rounds constants of some to single precision; then the file has a second list of exact values.
    let cases = [
        ("shekel4", "Shekel4", "f_textbook_float64"),
        ("hartmann6", "Hartmann6", "f_textbook_float64"),
        ("ackley5", "Ackley5", "f_textbook_float64"),
        ("michalewicz5", "Michalewicz5", "f_textbook_float64"),
        ("branin", "Branin", "f"),
    ];
    for (name, theirs, key) in cases {
        let (problem, function) = (by_name(name).unwrap(), &file["functions"][theirs]);
        let in_unit = vector(&function["upper"])[0] == 1.0;
        let to_box = |row: &[f64]| if in_unit { problem.from_unit(row).unwrap() } else { row.to_vec() };
        let expected = vector(&function[key]);
        for (found, expected) in values(problem, function, to_box).iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{name}: found {found}, expected {expected}");
        }
    }
}

#[test]
fn both_rosenbrocks_agree_with_trieste() {
    let function = &golden("functions")["functions"]["Rosenbrock4"];
    for (name, key) in [("rosenbrock4", "f_textbook_true_rosenbrock_scaled"), ("rosenbrock4-trieste", "f")] {
        let problem = by_name(name).unwrap();
        // The scaling that Trieste applies to either.
        let found: Vec<f64> = values(problem, function, |row| problem.from_unit(row).unwrap())
            .iter()
            .map(|value| (value - 382_700.0) / 375_500.0)
            .collect();
        assert_close(name, &found, &vector(&function[key]), 1e-12);
    }
}

#[test]
fn rover_agrees_with_the_reference() {
    for point in golden("rover")["points"].as_array().unwrap() {
        let (found, expected) = (-ROVER60.value(&vector(&point["x"])).unwrap(), number(&point["reward"]));
        assert!((found - expected).abs() <= 1e-11 * expected.abs(), "found {found}, expected {expected}");
    }
}

#[test]
fn a_rover_that_stays_pays_for_both_ends_only() {
    // In the middle of the map: 0.45 + 0.45 from either end, and no way at all.
    assert!((ROVER60.value(&[0.5; 60]).unwrap() - (-5.0 + 10.0 * 4.0 * 0.45)).abs() < 1e-11);
}

#[test]
fn minima_are_where_they_are_said_to_be() {
    for problem in ALL {
        for x in problem.minimisers {
            let value = problem.value(x).unwrap();
            let error = (value - problem.minimum).abs();
            assert!(error <= 1e-12 * problem.minimum.abs().max(1e-2), "{}: {value}", problem.name);
            assert!(problem.regret(x).unwrap().abs() < 1e-11);
        }
    }
    assert!(ALL.iter().filter(|problem| problem.minimisers.is_empty()).all(|problem| problem.name == "rover60"));
}

#[test]
fn nothing_is_lower_than_the_minimum() {
    for problem in ALL {
        let mut rng = stream(1, Purpose::Data, 0, 0);
        let floor = problem.minimum - 1e-13 * problem.minimum.abs();
        for _ in 0..100_000 / problem.dimension().pow(2) {
            assert!(random_value(problem, &mut rng) >= floor, "{}", problem.name);
        }
        for (best, size) in problem.minimisers.iter().flat_map(|best| (1..8).map(move |power| (best, power))) {
            let step = 10f64.powi(-size);
            for _ in 0..500 {
                let near = best
                    .iter()
                    .zip(problem.bounds)
                    .map(|(v, (lower, upper))| (v + step * (upper - lower) * normal(&mut rng)).clamp(*lower, *upper));
                let value = problem.value(&near.collect::<Vec<_>>()).unwrap();
                assert!(value >= floor, "{}: {value} at {step}", problem.name);
            }
        }
    }
}

#[test]
fn means_and_deviations_are_those_of_samples() {
    for problem in ALL {
        let mut rng = stream(2, Purpose::Data, 0, 0);
        let n = 4_000_000 / problem.dimension().pow(2);
        let scaled: Vec<f64> = (0..n).map(|_| (random_value(problem, &mut rng) - problem.mean) / problem.std).collect();
        let moment = |power| scaled.iter().map(|g| g.powi(power)).sum::<f64>() / n as f64;
        let (mean, square, fourth) = (moment(1), moment(2), moment(4));
        // Five standard errors of either.
        let limit = |variance: f64| 5.0 * (variance / n as f64).sqrt();
        assert!(mean.abs() < limit(square), "{}: mean {mean}", problem.name);
        assert!((square - 1.0).abs() < limit(fourth - square * square), "{}: variance {square}", problem.name);
    }
}

#[test]
fn scaling_turns_round_and_standardizes() {
    for problem in ALL {
        let unit = random_unit(problem, &mut stream(3, Purpose::Data, 0, 0));
        let x = problem.from_unit(&unit).unwrap();
        let expected = -(problem.value(&x).unwrap() - problem.mean) / problem.std;
        let optimum = -(problem.minimum - problem.mean) / problem.std;
        assert_eq!(problem.scaled(&x).unwrap(), expected);
        assert_eq!(problem.scaled_from_unit(&unit).unwrap(), expected);
        assert_eq!(problem.optimum(), optimum);
        assert_eq!(problem.regret(&x).unwrap(), optimum - expected);
        assert!(optimum > expected);
    }
    // Figures of the literature: a spike, and bumps.
    assert!((by_name("shekel4").unwrap().optimum() - 56.83).abs() < 0.01);
    assert!((HARTMANN6.optimum() - 7.968).abs() < 0.001);
}

#[test]
fn observations_have_the_noise_they_should() {
    for problem in ALL {
        let x = problem.from_unit(&vec![0.4; problem.dimension()]).unwrap();
        let (mut rng, n) = (stream(4, Purpose::Data, 0, 0), 4000);
        let truth = problem.scaled(&x).unwrap();
        let draws = (0..n).map(|_| problem.observe(&x, &mut rng).unwrap() - truth);
        let variance = draws.map(|e| e * e).sum::<f64>() / f64::from(n);
        assert!((variance / problem.noise - 1.0).abs() < 5.0 * (2.0 / f64::from(n)).sqrt(), "{}", problem.name);
        assert_eq!(problem.noise, if problem.name == "hartmann6" { 0.1 } else { 0.01 });
    }
}

#[test]
fn corners_are_in_the_box_and_finite() {
    for problem in ALL {
        let d = problem.dimension();
        // All corners of a small box; of a large one those that repeat a pattern of ten.
        for pattern in 0..1usize << d.min(10) {
            let unit: Vec<f64> = (0..d).map(|k| (pattern >> (k % 10) & 1) as f64).collect();
            let x = problem.from_unit(&unit).unwrap();
            assert!(x.iter().zip(problem.bounds).all(|(v, (lower, upper))| v == lower || v == upper));
            let value = problem.value(&x).unwrap();
            assert!(value.is_finite() && value >= problem.minimum, "{}: {value} at {x:?}", problem.name);
        }
    }
}

#[test]
fn points_that_do_not_belong_are_refused() {
    for problem in ALL {
        let d = problem.dimension();
        for wrong in [0, d - 1, d + 1] {
            let refused = problem.value(&vec![0.5; wrong]);
            assert!(matches!(refused, Err(Error::Shape { found, expected, .. }) if found == wrong && expected == d));
            assert!(problem.from_unit(&vec![0.5; wrong]).is_err());
        }
        let inside = problem.from_unit(&vec![0.5; d]).unwrap();
        let (lower, upper) = problem.bounds[d - 1];
        for outside in [lower - 1e-9, upper + 1e-9, f64::NAN, f64::INFINITY] {
            let mut x = inside.clone();
            x[d - 1] = outside;
            assert!(matches!(problem.scaled(&x), Err(Error::Parameter { .. })), "{}: {outside}", problem.name);
        }
        assert!(matches!(problem.from_unit(&vec![1.5; d]), Err(Error::Parameter { .. })));
    }
}

#[test]
fn problems_are_found_by_their_names() {
    for problem in ALL {
        assert!(std::ptr::eq(by_name(problem.name).unwrap(), problem));
        assert!(problem.minimisers.iter().all(|x| x.len() == problem.dimension()));
        assert!(!problem.citation.is_empty());
    }
    let message = by_name("hartmann7").unwrap_err().to_string();
    assert!(message.contains("hartmann7") && ALL.iter().all(|problem| message.contains(problem.name)), "{message}");
}
