//! What is screened, and what is not.

use super::*;
use crate::linalg::Mat;
use crate::rng::{Purpose, normal, stream, uniform};
use crate::space::{Dimension, Space};
use Screened::{Clipped, Doubted, Failed, LeftOut};

fn screen(goal: Goal) -> Screen {
    Screen { first: 20, goal, is_exact: false, penalties: Penalties::Warn, categorical: vec![false] }
}

/// What becomes of outcomes at points along a line.
fn screened(screen: &Screen, y: &[f64]) -> Vec<(usize, Screened)> {
    let x = Mat::from_fn(y.len(), 1, |i, _| i as f64);
    screen.apply(&Outcomes { x: x.as_ref(), y, noise: &vec![None; y.len()] }).0
}

/// Values from 0 to 1 in no order, but for those given.
fn values(extremes: &[(usize, f64)]) -> Vec<f64> {
    let mut y: Vec<f64> = (0..41).map(|i| (i * 17 % 41) as f64 / 40.0).collect();
    extremes.iter().for_each(|&(row, value)| y[row] = value);
    y
}

#[test]
fn honest_tails_are_left_alone() {
    let at = |f: fn(f64) -> f64| (0..60).map(|i| f((i * 37 % 60) as f64 / 59.0)).collect::<Vec<_>>();
    for y in
        [at(|x| x.powi(9)), at(|x| (20.0 * x).exp()), at(|x| 1.0 / (x + 1e-2)), at(|x| 3.0 - x.sqrt()), values(&[])]
    {
        for y in [y.clone(), y.iter().map(|y| -y).collect()] {
            assert_eq!(screened(&screen(Goal::Maximize), &y), []);
        }
    }
}

/// Trials that gather at the optimum do not make the first ones extreme, nor do they after a small design.
#[test]
fn convergence_is_no_gap() {
    let mut y = values(&[]);
    y.extend((0..400).map(|i| 1.0 + 1e-9 * f64::from(i % 7)));
    assert_eq!(screened(&screen(Goal::Maximize), &y), []);
    let config = Config { initial: 8.into(), ..Config::new(Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap()) };
    let own = Screen::new(&config, 0).unwrap();
    let y: Vec<f64> = (0..10).map(|i| -(i as f64 - 4.5).powi(2)).chain((0..30).map(|i| -1e-9 * f64::from(i))).collect();
    assert_eq!(screened(&own, &y), []);
}

#[test]
fn one_or_two_bad_outcomes_are_left_out_and_more_are_a_region() {
    let found = |extremes: &[(usize, f64)]| screened(&screen(Goal::Maximize), &values(extremes));
    assert_eq!(found(&[(3, -1e6)]), [(3, LeftOut)]);
    assert_eq!(found(&[(3, -1e6), (30, -1e3)]), [(3, LeftOut), (30, LeftOut)]);
    let region = found(&[(3, -1e6), (30, -1e3), (33, -1e12)]);
    assert_eq!(region, [3, 30, 33].map(|row| (row, Clipped(-0.1))));
    assert_eq!(found(&[(3, -299.0)]), []);
    let exact = Screen { is_exact: true, ..screen(Goal::Maximize) };
    assert_eq!(screened(&exact, &values(&[(3, -1e6), (9, 1e6)])), [(3, Clipped(-0.1))]);
}

#[test]
fn a_good_outcome_is_doubted_until_its_closest_trial_confirms_it() {
    let found = |extremes: &[(usize, f64)]| screened(&screen(Goal::Maximize), &values(extremes));
    let doubted = Doubted { value: 1.0, variance: 0.25 };
    assert_eq!(found(&[(3, 1e4)]), [(3, doubted)]);
    assert_eq!(found(&[(3, 1e4), (9, 2e4)]), [(3, doubted), (9, doubted)]);
    assert_eq!(found(&[(3, 1e4), (4, 2e4)]), []);
    assert_eq!(found(&[(3, 1e4), (9, 2e4), (20, 3e4)]), []);
    // An error far above a peak that is confirmed.
    assert!(matches!(found(&[(3, 1e4), (4, 2e4), (20, 1e9)])[..], [(20, Doubted { .. })]));
    // A value that points have in common is none of theirs.
    assert_eq!(found(&[(3, 1e4), (4, 1e4), (5, 1e4)]), [3, 4, 5].map(|row| (row, LeftOut)));
    let (y, noise) = (values(&[(3, 1e4), (9, 1.1e4)]), [None; 41]);
    let replicated = Mat::from_fn(41, 1, |i, _| if i == 9 { 3.0 } else { i as f64 });
    let outcomes = Outcomes { x: replicated.as_ref(), y: &y, noise: &noise };
    assert_eq!(screen(Goal::Maximize).apply(&outcomes).0, []);
}

#[test]
fn both_ends_are_screened_however_far_they_lie() {
    for size in [1e3, 1e12, 1e300, f64::MAX] {
        let y = values(&[(3, -size), (9, size)]);
        assert_eq!(screened(&screen(Goal::Maximize), &y), [(3, LeftOut), (9, Doubted { value: 1.0, variance: 0.25 })]);
        assert_eq!(screened(&screen(Goal::Level(0.5)), &y), [(3, Clipped(-0.1)), (9, Clipped(1.1))]);
    }
    for scale in [1e-300, 1e-12, 1e12, 1e290] {
        let y: Vec<f64> = values(&[(3, -1e6), (9, 1e6)]).iter().map(|y| scale * y).collect();
        let found = screened(&screen(Goal::Maximize), &y);
        assert!(matches!(found[..], [(3, LeftOut), (9, Doubted { variance, .. })] if variance > 0.0), "{found:?}");
    }
    let halves: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { f64::MAX } else { f64::MIN }).collect();
    assert_eq!(screened(&screen(Goal::Maximize), &halves), []);
}

#[test]
fn few_or_constant_outcomes_have_no_range() {
    let few = &values(&[(3, -1e6)])[..FEWEST - 1];
    assert_eq!(screened(&screen(Goal::Maximize), few), []);
    let mut constant = vec![5.0; 30];
    assert_eq!(screened(&screen(Goal::Maximize), &constant), []);
    constant[7] = -1e6;
    assert_eq!(screened(&screen(Goal::Maximize), &constant), []);
}

#[test]
fn repeated_values_are_failures_if_the_settings_say_so() {
    let failures = Screen { penalties: Penalties::Failures, ..screen(Goal::Maximize) };
    let y = values(&[(3, -1e6), (9, -1e6), (20, -1e6), (33, -2e6)]);
    assert_eq!(screened(&failures, &y), [(3, Failed), (9, Failed), (20, Failed), (33, LeftOut)]);
    assert_eq!(screened(&failures, &values(&[(3, -1e6), (9, -1e6)])), [(3, LeftOut), (9, LeftOut)]);
}

#[test]
fn a_region_beyond_a_limit_stays_beyond_it() {
    let at_most = Goal::Constraint { at_least: None, at_most: Some(5.0) };
    let y = values(&[(3, 1e6), (9, 1e6), (20, 1e6)]);
    assert_eq!(screened(&screen(at_most), &y), [3, 9, 20].map(|row| (row, Clipped(5.1))));
    // One may be an error, and is infeasible all the same.
    assert_eq!(screened(&screen(at_most), &values(&[(3, 1e6)])), [(3, Clipped(5.1))]);
}

/// However many they are, penalties are not the range of the others.
#[test]
fn penalties_are_found_where_most_outcomes_are_penalties() {
    for share in [0.2, 0.5, 0.6, 0.7] {
        let is_penalty = |i: usize| (i * 7 % 40) as f64 / 40.0 < share;
        let y: Vec<f64> = (0..40).map(|i| if is_penalty(i) { -1e6 } else { values(&[])[i] }).collect();
        let failures = Screen { first: 40, penalties: Penalties::Failures, ..screen(Goal::Maximize) };
        let expected: Vec<_> = (0..40).filter(|&i| is_penalty(i)).map(|i| (i, Failed)).collect();
        assert_eq!(screened(&failures, &y), expected, "{share}");
    }
}

/// Functions with steps, two regimes or long tails, at random points: at most one design in twenty has anything screened.
#[test]
fn honest_functions_are_seldom_screened() {
    type Function = fn(&[f64], f64) -> f64;
    let functions: [(&str, Function); 5] = [
        ("peak", |x, _| (-20.0 * x.iter().map(|x| (x - 0.4).powi(2)).sum::<f64>()).exp()),
        ("hinge", |x, e| (x[0] - 0.6).max(0.0) + 1e-3 * e),
        ("step", |x, e| f64::from(u8::from(x[0] > 0.8)) + 5e-3 * e),
        ("two catalysts", |x, _| if x[0] > 0.5 { 80.0 + x[1] } else { 10.0 + x[1] }),
        ("sparse reward", |x, e| if x[0] > 0.9 { 1.0 } else { 0.01 * e.abs() }),
    ];
    for (name, f) in functions {
        for (count, sign) in [(20, 1.0), (20, -1.0), (40, 1.0), (40, -1.0)] {
            let is_screened = |seed: &u64| {
                let mut rng = stream(*seed, Purpose::Data, 0, 0);
                let x = Mat::from_fn(count, 2, |_, _| uniform(&mut rng));
                let y: Vec<f64> = (0..count).map(|i| sign * f(&[x[(i, 0)], x[(i, 1)]], normal(&mut rng))).collect();
                let outcomes = Outcomes { x: x.as_ref(), y: &y, noise: &vec![None; count] };
                let screen = Screen { first: count, categorical: vec![false; 2], ..screen(Goal::Maximize) };
                !screen.apply(&outcomes).0.is_empty()
            };
            let screened = (0..200).filter(is_screened).count();
            assert!(screened <= 10, "{name}, {count} outcomes, sign {sign}: {screened} of 200");
        }
    }
}

#[test]
fn known_noise_explains_an_outcome() {
    let (y, mut noise) = (values(&[(3, -1e3)]), [None; 41]);
    let x = Mat::from_fn(41, 1, |i, _| i as f64);
    noise[3] = Some(1e4);
    assert_eq!(screen(Goal::Maximize).apply(&Outcomes { x: x.as_ref(), y: &y, noise: &noise }).0, []);
}

/// Outcomes that are admitted leave everything as it is screened, wherever they lie.
#[test]
fn what_is_admitted_changes_nothing() {
    let (mut admitted_count, mut refused_count) = (0, 0);
    for seed in 0..400 {
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        let goal = [Goal::Maximize, Goal::Level(0.3)][seed as usize % 2];
        let screen =
            Screen { penalties: [Penalties::Warn, Penalties::Failures][seed as usize / 2 % 2], ..screen(goal) };
        // Values over many decades, some of them repeated.
        let mut value = || {
            let size = 10f64.powf(12.0 * uniform(&mut rng).powi(6));
            let value = if uniform(&mut rng) < 0.1 { size.log10().floor() } else { normal(&mut rng) * size };
            if uniform(&mut rng) < 0.7 { normal(&mut rng) } else { value }
        };
        let mut y: Vec<f64> = (0..30).map(|_| value()).collect();
        let of = |y: &[f64]| {
            let x = Mat::from_fn(y.len(), 1, |i, _| i as f64);
            screen.apply(&Outcomes { x: x.as_ref(), y, noise: &vec![None; y.len()] })
        };
        let (before, mut admitted) = of(&y);
        for _ in 0..20 {
            let new = value();
            if !admitted.admits(y.len(), new) {
                refused_count += 1;
                continue;
            }
            admitted_count += 1;
            y.push(new);
            assert_eq!(of(&y).0, before, "seed {seed}: {y:?}");
        }
    }
    assert!(admitted_count > 2000 && refused_count > 500, "{admitted_count} {refused_count}");
    let mut early = Admitted::Between { low: 0.0, high: 1.0, is_all: true, after: 20 };
    assert!(!early.admits(19, 0.5) && early.admits(20, 0.5) && early.admits(20, 301.0) && !early.admits(20, 1e6));
}
