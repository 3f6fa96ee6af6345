//! Fantasised posteriors: pending points at their posterior means.

use super::*;
use spargo::acquire::{Fantasy, Moments, PoolMoments};
use spargo::data::Dataset;
use spargo::linalg::{cholesky, solve_lower_vec};
use spargo::model::exact;

/// The exact GP, fitted again with the pending points at their means among the data.
#[test]
fn a_fantasy_is_a_refit_with_the_mean() {
    let (data, pending, at) = (data(24, 2), pending(), points(9, 2));
    for kernel in kernels(2) {
        let hyper = hyper(kernel);
        let posterior = exact::infer(&hyper, &data).unwrap().posterior;
        let fantasy = Fantasy::new(&posterior, hyper.noise, pending.as_ref()).unwrap();
        let x = Mat::from_fn(28, 2, |i, k| if i < 24 { data.x()[(i, k)] } else { pending[(i - 24, k)] });
        let y = [data.y(), &posterior.mean(pending.as_ref()).unwrap()].concat();
        let refitted = exact::infer(&hyper, &Dataset::new(x, y).unwrap()).unwrap().posterior;
        let expected = refitted.predict(at.as_ref()).unwrap();
        let before = posterior.predict(at.as_ref()).unwrap();
        let found = fantasy.moments(at.as_ref()).unwrap();
        assert_close("mean", &found.iter().map(|m| m.mean).collect::<Vec<_>>(), &expected.mean, 1e-9);
        assert_close("variance", &found.iter().map(|m| m.variance).collect::<Vec<_>>(), &before.variance, 1e-12);
        assert_close("conditional", &found.iter().map(|m| m.conditional).collect::<Vec<_>>(), &expected.variance, 1e-8);
        // Told twice at the same point, it knows more than told once.
        let once = Fantasy::new(&posterior, hyper.noise, pending.as_ref().subrows(0, 2)).unwrap();
        let there = pending.as_ref().subrows(0, 1);
        let conditional = |fantasy: &Fantasy<'_>| fantasy.moments(there).unwrap()[0].conditional;
        assert!(conditional(&fantasy) < 0.9 * conditional(&once));
    }
}

#[test]
fn sparse_fantasies_are_conditionals_of_the_joint_covariance() {
    let (pending, at) = (pending(), points(5, 2));
    for (kind, posterior) in posteriors() {
        let fantasy = Fantasy::new(&posterior, NOISE, pending.as_ref()).unwrap();
        for (i, found) in fantasy.moments(at.as_ref()).unwrap().into_iter().enumerate() {
            let all = Mat::from_fn(5, 2, |r, k| if r < 4 { pending[(r, k)] } else { at[(i, k)] });
            let joint = posterior.covariance(all.as_ref()).unwrap();
            let told = Mat::from_fn(4, 4, |r, c| joint[(r, c)] + if r == c { NOISE } else { 0.0 });
            let root = solve_lower_vec(cholesky(told, 0.0).unwrap().l.as_ref(), &[0, 1, 2, 3].map(|r| joint[(r, 4)]));
            let expected = joint[(4, 4)] - root.iter().map(|v| v * v).sum::<f64>();
            assert_close(kind, &[found.conditional], &[expected], 1e-9);
        }
    }
}

/// More rows than one block has, and more points than there was room for.
#[test]
fn moments_of_a_pool_keep_up() {
    let (x, added) = (points(700, 2), points(20, 2));
    for (kind, posterior) in posteriors() {
        let mut fantasy = Fantasy::new(&posterior, NOISE, pending().as_ref()).unwrap();
        let mut pool = PoolMoments::new(&posterior, x.as_ref()).unwrap();
        let mut last = pool.moments();
        assert!(last.iter().all(|at| at.conditional == at.variance));
        // One alone, several together, none, one more.
        for range in [0..1, 1..18, 18..18, 18..20] {
            fantasy.add(added.as_ref().subrows(range.start, range.len())).unwrap();
            pool.catch_up(&fantasy);
            let (found, expected) = (pool.moments(), fantasy.moments(x.as_ref()).unwrap());
            let conditional = |m: &[Moments]| m.iter().map(|m| m.conditional).collect::<Vec<_>>();
            assert_close(kind, &conditional(&found), &conditional(&expected), 1e-9);
            let same = |a: f64, b: f64| (a - b).abs() < 1e-11;
            assert!(found.iter().zip(&expected).all(|(f, e)| same(f.mean, e.mean) && same(f.variance, e.variance)));
            assert!(found.iter().zip(&last).all(|(now, before)| now.conditional <= before.conditional));
            last = found;
        }
        assert_eq!(fantasy.points().nrows(), 24);
    }
}

#[test]
fn replicates_without_noise_change_nothing() {
    for (_, posterior) in posteriors() {
        let fantasy = Fantasy::new(&posterior, 0.0, pending().as_ref()).unwrap();
        let mut different = rows(pending().as_ref());
        different.remove(2);
        assert_eq!(rows(fantasy.points()), different);
        let again = fantasy.moments(pending().as_ref()).unwrap();
        assert!(again.iter().all(|at| (0.0..1e-10).contains(&at.conditional) && at.variance > 1e-3));
        let mut more = fantasy.clone();
        more.add(pending().as_ref()).unwrap();
        assert_eq!(more.points().nrows(), 3);
    }
}

#[test]
fn invalid_points_are_refused() {
    let (_, posterior) = posteriors().remove(0);
    let wide = Mat::zeros(1, 3);
    let nan = Mat::from_fn(1, 2, |_, _| f64::NAN);
    for bad in [&wide, &nan] {
        assert!(Fantasy::new(&posterior, NOISE, bad.as_ref()).is_err());
        assert!(Fantasy::new(&posterior, NOISE, none().as_ref()).unwrap().moments(bad.as_ref()).is_err());
        assert!(PoolMoments::new(&posterior, bad.as_ref()).is_err());
    }
    for noise in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Fantasy::new(&posterior, noise, none().as_ref()).is_err());
    }
}
