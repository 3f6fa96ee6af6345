//! Batches for learning where f is positive, or crosses a level.

use super::*;
use spargo::acquire::optimizer::Excluded;
use spargo::acquire::{bald, greedy};
use spargo::linalg::cholesky;

/// Points of a greedy batch over the unit square, or over the rows of a table.
fn batch(
    posterior: &Posterior,
    space: &Space,
    function: &mut dyn AcquisitionFunction,
    count: usize,
    pending: &Mat,
) -> Mat {
    let problem = Problem {
        noise: 0.0,
        options: AcquisitionOptions { pool: 2000, near: 0, ..AcquisitionOptions::default() },
        observed: posterior.z().to_owned(),
        pending: pending.clone(),
        ..Problem::new(std::slice::from_ref(posterior), &[], space)
    };
    problem.with(|context| greedy(context, function, count, &mut Excluded::default()).unwrap())
}

/// log |q(x)c(x, x')q(x')| of these rows, printed.
fn log_volume(posterior: &Posterior, x: MatRef<'_>) -> f64 {
    let at = posterior.predict(x).unwrap();
    let q: Vec<f64> = at.mean.iter().zip(&at.variance).map(|(&mean, &variance)| bald(mean, variance)).collect();
    let c = posterior.covariance(x).unwrap();
    let l = Mat::from_fn(x.nrows(), x.nrows(), |i, j| q[i] * c[(i, j)] * q[j]);
    cholesky(l, 0.0).unwrap().log_determinant()
}

/// Each point of a table is the one that makes the determinant of those before it, pending ones too, grow most.
#[test]
fn a_batch_of_bald_is_the_greedy_determinant() {
    let space = table(300);
    let pending = pending().subrows(0, 2).to_owned();
    for (kind, posterior) in posteriors() {
        let chosen = batch(&posterior, &space, &mut Bald, 8, &pending);
        for step in 0..8 {
            let with = |x: &dyn Fn(usize) -> f64| {
                let row = |i: usize, k: usize| match i {
                    0..2 => pending[(i, k)],
                    _ if i < 2 + step => chosen[(i - 2, k)],
                    _ => x(k),
                };
                log_volume(&posterior, Mat::from_fn(3 + step, 2, row).as_ref())
            };
            let new = |i: usize| !(0..step).any(|j| chosen.row(j) == space.candidates().unwrap().row(i));
            let table = space.candidates().unwrap();
            let best = (0..300).filter(|&i| new(i)).map(|i| with(&|k| table[(i, k)])).fold(f64::MIN, f64::max);
            let found = with(&|k| chosen[(step, k)]);
            assert!(found >= best - 1e-6, "{kind}, point {step}: {found} {best}");
        }
    }
}

/// The best of a smooth score are one clump, a batch is not; and a local search does better than its pool.
#[test]
fn batches_spread() {
    let space = square();
    let (_, posterior) = posteriors().remove(0);
    let functions: [Box<dyn AcquisitionFunction>; 2] = [Box::new(Bald), Box::new(Straddle::new(0.45).unwrap())];
    for mut function in functions {
        let chosen = batch(&posterior, &space, &mut *function, 12, &none());
        let distance =
            |i: usize, j: usize| (0..2).map(|k| (chosen[(i, k)] - chosen[(j, k)]).powi(2)).sum::<f64>().sqrt();
        let closest =
            (0..12).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).fold(1.0, f64::min);
        assert!(closest > 0.05, "{function:?}: {closest}");
    }
    let first = batch(&posterior, &space, &mut Bald, 1, &none());
    let highest =
        (0..500).map(|i| log_volume(&posterior, points(500, 2).as_ref().subrows(i, 1))).fold(f64::MIN, f64::max);
    assert!(log_volume(&posterior, first.as_ref()) > highest);
}

/// On one side of the level with confidence, or close to the level and known: neither is asked for.
#[test]
fn a_level_set_is_straddled() {
    let space = square();
    for (kind, posterior) in posteriors() {
        let chosen = batch(&posterior, &space, &mut Straddle::new(0.45).unwrap(), 6, &none());
        let at = posterior.predict(chosen.as_ref()).unwrap();
        for (mean, variance) in at.mean.iter().zip(&at.variance) {
            assert!((mean - 0.45).abs() < 1.96 * variance.sqrt() && *variance > 0.01, "{kind}: {mean} {variance}");
        }
    }
}
