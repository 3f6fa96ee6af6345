//! The noise that replicates show.

use super::*;
use crate::data::Warp;
use crate::linalg::Mat;
use crate::rng::{Purpose, normal, stream};

/// A line of 40 points, of which some have a second outcome.
fn line(pairs: &[usize], noise: f64, seed: u64) -> ObservedOutput {
    let mut rng = stream(seed, Purpose::Data, 0, 0);
    let at: Vec<usize> = (0..40).chain(pairs.iter().copied()).collect();
    let y = at.iter().map(|&i| i as f64 + noise * normal(&mut rng)).collect();
    of(&at, y)
}

fn of(at: &[usize], y: Vec<f64>) -> ObservedOutput {
    let x = Mat::from_fn(at.len(), 1, |row, _| at[row] as f64 / 40.0);
    ObservedOutput::of(Dataset::new(x, y).unwrap())
}

fn error(own: &ObservedOutput, noise: Noise) -> Option<PureError> {
    own.pure_error(noise)
}

/// The pure error of replicates in the user's units.
fn variance(own: &ObservedOutput) -> f64 {
    error(own, Noise::Auto).unwrap().compare(&own.data, &OutcomeTransform::identity(), 1.0).variance
}

#[test]
fn the_pure_error_is_the_variance_of_replicates() {
    let pairs: Vec<usize> = (0..10).map(|i| 4 * i).collect();
    let mean = (0..200).map(|seed| variance(&line(&pairs, 0.3, seed))).sum::<f64>() / 200.0;
    assert!((mean / 0.09 - 1.0).abs() < 0.1, "{mean}");
}

/// Fifty times the best of 400 outcomes so far is evaluated once more.
#[test]
fn replicates_of_lucky_outcomes_do_not_overstate_the_noise() {
    let mut found = Vec::new();
    for seed in 0..20 {
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        let mut at: Vec<usize> = (0..400).chain((0..10).map(|i| 40 * i)).collect();
        let mut y: Vec<f64> = at.iter().map(|_| normal(&mut rng)).collect();
        for _ in 0..50 {
            let average = |point: usize| {
                let own: Vec<f64> = (0..at.len()).filter(|&i| at[i] == point).map(|i| y[i]).collect();
                own.iter().sum::<f64>() / own.len() as f64
            };
            let averages: Vec<f64> = (0..400).map(average).collect();
            at.push(sorted_by_value(&averages)[0]);
            y.push(normal(&mut rng));
        }
        found.push(variance(&of(&at, y)));
    }
    let mean = found.iter().sum::<f64>() / 20.0;
    assert!((mean - 1.0).abs() < 0.2, "{mean}");
}

#[test]
fn replicates_that_agree_are_proof_only_at_several_levels_with_a_good_one() {
    let exact = |pairs: &[usize]| error(&line(pairs, 0.0, 0), Noise::Auto) == Some(PureError::Exact);
    assert!(exact(&[3, 20, 38]) && exact(&[3, 10, 30]));
    assert!(!exact(&[]) && !exact(&[3, 38]) && !exact(&[38, 38, 38]) && !exact(&[3, 10, 15]));
    // Better outcomes that gather later, many of them alike, take nothing away from it.
    let at: Vec<usize> = (0..40).chain([3, 20, 38]).chain([39; 400]).collect();
    let y = at.iter().enumerate().map(|(row, &i)| if row < 43 { i as f64 } else { 50.0 }).collect();
    let x = Mat::from_fn(at.len(), 1, |row, _| if row < 43 { at[row] as f64 / 40.0 } else { 1.0 + row as f64 });
    let gathered = ObservedOutput::of(Dataset::new(x, y).unwrap());
    assert_eq!(error(&gathered, Noise::Auto), Some(PureError::Exact));
    // Ten that prove nothing, in a dead corner, do not stand in the way of later ones.
    let corner: Vec<usize> = (0..10).chain((0..40).map(|i| 10 + i)).collect();
    let at: Vec<usize> = corner.into_iter().chain(0..10).chain([15, 25, 35, 45, 18, 28, 38, 48, 22, 32]).collect();
    let y = at.iter().map(|&i| if i < 10 { 0.0 } else { i as f64 }).collect();
    assert_eq!(error(&of(&at, y), Noise::Auto), Some(PureError::Exact));
    // A later pair that differs withdraws it.
    let mut doubted = line(&[3, 20, 38, 30], 0.0, 0);
    let mut y = doubted.data.y().to_vec();
    y[43] += 0.5;
    doubted.data = doubted.data.with_outcomes(y);
    assert!((variance(&doubted) - 0.125 / 4.0).abs() < 1e-12);
    // Said to be exact, and contradicted.
    assert_eq!(error(&doubted, Noise::None), error(&doubted, Noise::Auto));
    let contradiction = doubted.contradiction();
    assert_eq!(contradiction, Some(Contradiction { rows: (30, 43) }));
    assert!(error(&line(&[], 0.0, 0), Noise::None).unwrap().is_exact());
}

#[test]
fn outcomes_of_a_known_variance_contradict_nothing() {
    let mut own = line(&[3], 0.0, 0);
    let mut y = own.data.y().to_vec();
    y[40] += 0.5;
    let known = (0..41).map(|row| (row == 40).then_some(1.0)).collect();
    own.data = own.data.with_outcomes(y).with_known_noise(known).unwrap();
    assert_eq!(error(&own, Noise::None), Some(PureError::Exact));
}

#[test]
fn rounded_outcomes_that_agree_prove_nothing() {
    let rounded = |pairs: usize, steps: f64, noise: f64, seed: u64| {
        let own = line(&(0..pairs).map(|i| 4 * i + 3).collect::<Vec<_>>(), noise, seed);
        let y = own.data.y().iter().map(|y| (y * steps / 40.0).round()).collect();
        error(&ObservedOutput::of(own.data.with_outcomes(y)), Noise::Auto) == Some(PureError::Exact)
    };
    let wrong = (0..100).filter(|&seed| rounded(3, 8.0, 1.0, seed)).count();
    assert!(wrong < 5, "{wrong}");
    assert!(!rounded(10, 8.0, 0.0, 0), "the same values everywhere prove nothing, however often they agree");
    assert!(rounded(10, 400.0, 0.0, 0), "values that no other point has do");
}

#[test]
fn tiny_outcomes_are_as_noisy_as_others() {
    for size in [1e-300, 1e-170, 1e-12, 1e12, 1e300] {
        let own = line(&[3, 20, 38], 0.3, 0);
        let y = own.data.y().iter().map(|y| size * y).collect();
        let own = ObservedOutput::of(own.data.with_outcomes(y));
        assert!(matches!(error(&own, Noise::Auto), Some(PureError::Replicates(_))), "{size:e}");
        let units = OutcomeTransform::of(own.data.y(), Warp::Identity);
        let compared = error(&own, Noise::Auto).unwrap().compare(&own.data, &units, 1e-3);
        assert!(compared.variance > 1e-6 && compared.variance < 1e-2, "{size:e} {compared:?}");
    }
}

#[test]
fn misfit_is_shown_by_enough_replicates_or_by_what_is_known() {
    let misfit = |times: f64, degrees: f64| Comparison { variance: 1.0, times, degrees };
    // Ten pairs show a factor of 6 and not one of 4, which 40 show.
    assert!(misfit(6.0, 10.0).shows_misfit() && misfit(4.0, 40.0).shows_misfit());
    assert!(!misfit(4.0, 10.0).shows_misfit() && misfit(4.0, 10.0).suggests_misfit());
    assert!(misfit(1.2, KNOWN).shows_misfit() && !misfit(1.1, KNOWN).shows_misfit());
    assert!(!misfit(0.5, KNOWN).shows_misfit(), "noise learned below the pure error is no misfit");
    assert!(!misfit(1.4, 10.0).suggests_misfit() && !misfit(6.0, 10.0).suggests_misfit());
    let own = line(&[], 0.0, 0);
    assert!(PureError::Exact.compare(&own.data, &OutcomeTransform::identity(), 0.1).shows_misfit());
}

#[test]
fn replicates_that_come_and_go_are_those_of_the_points_that_are_left() {
    let x = Mat::from_fn(60, 2, |i, k| if k == 0 { (i * i % 23) as f64 } else { -0.0 });
    let parts = |r: &Replicated| (r.rows, r.groups.clone(), (0..r.rows).map(|row| r.first(row)).collect::<Vec<_>>());
    let mut grown = Replicated::of(x.subrows(0, 10));
    for rows in [25, 60, 40, 24, 23, 41, 3, 60] {
        grown.truncate(x.subrows(0, grown.rows), rows);
        grown.extend(x.subrows(0, rows));
        assert_eq!(parts(&grown), parts(&Replicated::of(x.subrows(0, rows))), "{rows}");
    }
    // Points by their second rows.
    assert!(grown.groups.is_sorted_by_key(|rows| rows[1]) && grown.groups.iter().all(|rows| rows.is_sorted()));
}
