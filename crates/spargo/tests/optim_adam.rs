//! Adam: convergence, the learning-rate schedule, early stopping and non-finite losses.

use spargo::optim::{Adam, Minimum, Stop, adam};

const CENTRE: [f64; 3] = [3.0, -2.0, 0.5];
const WEIGHTS: [f64; 3] = [1.0, 10.0, 0.1];

fn quadratic(x: &[f64], g: &mut [f64]) -> f64 {
    let mut value = 0.0;
    for i in 0..3 {
        let gap = x[i] - CENTRE[i];
        g[i] = WEIGHTS[i] * gap;
        value += 0.5 * WEIGHTS[i] * gap * gap;
    }
    value
}

fn distance(minimum: &Minimum) -> f64 {
    let gaps = minimum.point.iter().zip(CENTRE).map(|(x, c)| (x - c).abs());
    gaps.fold(0.0, f64::max)
}

/// Uniform on ±1, from a linear congruential generator.
fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[test]
fn a_quadratic_is_minimised_with_and_without_noise() {
    let cases = [(0.0, 1e-6, Stop::Iterations), (0.02, 0.3, Stop::Plateau)];
    for (level, tolerance, stop) in cases {
        let mut state = 5;
        let minimum = adam::minimize(&[0.0; 3], &Adam::default(), |x, g| {
            let value = quadratic(x, g);
            g.iter_mut().for_each(|g| *g += level * noise(&mut state));
            value + level * noise(&mut state)
        });
        assert!(distance(&minimum) < tolerance, "noise {level}: {minimum:?}");
        assert_eq!(minimum.stop, stop, "noise {level}: {minimum:?}");
        assert_eq!(minimum.evaluations, minimum.iterations + 1);
    }
}

/// A constant gradient makes every step exactly the learning rate (up to ε), and a loss that never
/// improves shows the whole schedule.
#[test]
fn the_rate_halves_on_a_plateau_until_patience_ends() {
    let mut trace: Vec<f64> = Vec::new();
    let minimum = adam::minimize(&[0.0], &Adam::default(), |x, g| {
        trace.push(x[0]);
        g[0] = 1.0;
        trace.len() as f64
    });
    assert_eq!((minimum.stop, minimum.iterations), (Stop::Plateau, 50));
    assert_eq!((minimum.point[0], minimum.value), (0.0, 1.0));
    for (k, pair) in trace.windows(2).enumerate() {
        let rate = 0.1 * 0.5f64.powi(k as i32 / 10);
        assert!((pair[0] - pair[1] - rate).abs() < 1e-6, "step {k} of {trace:?}");
    }
}

#[test]
fn the_best_point_is_returned_not_the_last() {
    let options = Adam { learning_rate: 1.0, ..Adam::default() };
    let mut seen: Vec<(f64, Vec<f64>)> = Vec::new();
    let minimum = adam::minimize(&[0.0; 3], &options, |x, g| {
        let value = quadratic(x, g);
        seen.push((value, x.to_vec()));
        value
    });
    let lowest = seen.iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    assert_eq!((&minimum.value, &minimum.point), (&lowest.0, &lowest.1));
    assert_ne!(minimum.point, seen.last().unwrap().1);
    let mut gradient = [0.0; 3];
    quadratic(&minimum.point, &mut gradient);
    assert_eq!(minimum.gradient, gradient);
}

#[test]
fn iterations_are_limited() {
    let options = Adam { max_iterations: 7, ..Adam::default() };
    let minimum = adam::minimize(&[0.0; 3], &options, quadratic);
    assert_eq!((minimum.stop, minimum.iterations, minimum.evaluations), (Stop::Iterations, 7, 8));
}

#[test]
fn non_finite_losses_send_it_back_until_it_gives_up() {
    // The minimum lies 0.02 before a wall the first rate would jump through.
    let walled = adam::minimize(&[0.0], &Adam::default(), |x, g| {
        g[0] = x[0] - 0.06;
        if x[0] < 0.08 { 0.5 * g[0] * g[0] } else { f64::NAN }
    });
    assert!((walled.point[0] - 0.06).abs() < 1e-3, "{walled:?}");
    assert_eq!(walled.stop, Stop::Plateau);

    let mut calls = 0;
    let hopeless = adam::minimize(&[1.0], &Adam::default(), |_, g| {
        calls += 1;
        g[0] = if calls == 1 { 1.0 } else { f64::INFINITY };
        1.0
    });
    assert_eq!((hopeless.stop, hopeless.iterations), (Stop::NonFinite, 10));
    assert_eq!(hopeless.point, [1.0]);

    let stillborn = adam::minimize(&[1.0], &Adam::default(), |_, g| {
        g[0] = 1.0;
        f64::NAN
    });
    assert_eq!((stillborn.stop, stillborn.evaluations), (Stop::NonFinite, 1));
}

/// Momentum gathered on the way into a wall must not survive the return to the best point.
#[test]
fn a_failure_forgets_the_momentum() {
    let mut trace: Vec<f64> = Vec::new();
    adam::minimize(&[0.0], &Adam { max_iterations: 3, ..Adam::default() }, |x, g| {
        trace.push(x[0]);
        let (value, slope) = [(1.0, 1.0), (0.5, -1.0), (f64::NAN, 1.0), (1.0, 1.0)][trace.len() - 1];
        g[0] = slope;
        value
    });
    assert!((trace[3] - (trace[1] + 0.05)).abs() < 1e-6, "{trace:?}");
}

#[test]
fn only_failures_in_a_row_count() {
    let mut calls = 0;
    let minimum = adam::minimize(&[0.0], &Adam::default(), |_, g| {
        calls += 1;
        g[0] = 1.0;
        if calls % 2 == 0 { f64::NAN } else { 1.0 }
    });
    assert_eq!((minimum.stop, minimum.iterations), (Stop::Plateau, 100));
}
