//! The utilities, and batches chosen by them.

use super::*;
use spargo::acquire::{Believed, Fantasy, OneByOne, SuccessWeighted, one_by_one};
use spargo::linalg::cholesky;
use spargo::math::information::about_maximum;
use spargo::{Error, Result};

#[test]
fn gradients_hold_for_every_model_kernel_and_merit() {
    let at = Mat::from_fn(10, 2, |i, k| (0.137 + 0.173 * i as f64 + 0.391 * k as f64).fract());
    let pending = pending();
    for kernel in kernels(2) {
        for (kind, posterior) in kinds_of_posterior(&hyper(kernel), &data(24, 2)) {
            for few in [0, 4] {
                let believer = Fantasy::new(&posterior, NOISE, pending.as_ref().subrows(0, few)).unwrap();
                for merit in merits() {
                    let acquisition = Believed { believer: &believer, merit: &merit };
                    assert_gradient(&format!("{kind} {merit:?}"), &acquisition, at.as_ref(), 1e-6);
                }
            }
        }
    }
}

/// The greedy increments against ½ log|R(B)| + Σ α, with pending points among B.
#[test]
fn increments_add_up_to_the_information_of_the_batch() {
    let Merit::Gibbon { maxima } = &merits()[1] else { unreachable!() };
    let batch = points(6, 2);
    for (kind, posterior) in posteriors() {
        let alone = |x: &Mat<f64>| {
            let prediction = posterior.predict(x.as_ref()).unwrap();
            let pairs = prediction.mean.into_iter().zip(prediction.variance);
            pairs.map(|(mean, variance)| about_maximum(mean, variance, NOISE, maxima)).sum::<f64>()
        };
        let all = Mat::from_fn(10, 2, |i, k| if i < 4 { pending()[(i, k)] } else { batch[(i - 4, k)] });
        let volume = |x: &Mat<f64>| {
            let covariance = posterior.covariance(x.as_ref()).unwrap();
            let noisy = |i: usize, j: usize| covariance[(i, j)] + if i == j { NOISE } else { 0.0 };
            let r = Mat::from_fn(x.nrows(), x.nrows(), |i, j| noisy(i, j) / (noisy(i, i) * noisy(j, j)).sqrt());
            0.5 * cholesky(r, 0.0).unwrap().log_determinant()
        };
        let whole = volume(&all) + alone(&all);
        let before = volume(&pending()) + alone(&pending());
        let mut believer = Fantasy::new(&posterior, NOISE, pending().as_ref()).unwrap();
        let mut sum = 0.0;
        for i in 0..6 {
            let x = batch.as_ref().subrows(i, 1);
            sum += Believed { believer: &believer, merit: &merits()[1] }.score(x).unwrap()[(0, 0)];
            believer.add(x).unwrap();
        }
        assert_close(kind, &[sum], &[whole - before], 1e-9);
    }
}

/// The maximiser without a climb.
fn best_of<'a>(pool: &'a Mat<f64>) -> impl FnMut(&dyn BatchedObjective, &Mat<f64>) -> Result<Vec<f64>> + 'a {
    |_, scores| {
        let best = (0..pool.nrows()).max_by(|&i, &j| scores[(i, 0)].total_cmp(&scores[(j, 0)]));
        Ok(rows(pool.as_ref()).swap_remove(best.unwrap()))
    }
}

#[test]
fn a_batch_is_what_scoring_from_scratch_would_choose() {
    let (pool, pending) = (points(600, 2), pending());
    for (kind, posterior) in posteriors() {
        let vote = FailureModel::new(posterior.kernel(), posterior.z(), points(3, 2).as_ref()).unwrap();
        for merit in &merits() {
            let rule = OneByOne { posterior: &posterior, merit, noise: NOISE, pending: pending.as_ref(), vote: &vote };
            let (mut choose, mut steps) = (best_of(&pool), Vec::new());
            let chosen = one_by_one(&rule, pool.as_ref(), 12, |acquisition, scores| {
                let same = acquisition.score(pool.as_ref()).unwrap();
                assert_close(kind, &flat(scores.as_ref()), &flat(same.as_ref()), 1e-8);
                steps.push(scores.clone());
                choose(acquisition, scores)
            });
            let chosen = chosen.unwrap();
            assert_eq!((chosen.len(), steps.len()), (12, 12));
            for (done, scores) in steps.into_iter().enumerate() {
                let mut believer = Fantasy::new(&posterior, NOISE, pending.as_ref()).unwrap();
                believer.add(Mat::from_fn(done, 2, |i, k| chosen[i][k]).as_ref()).unwrap();
                let acquisition = Believed { believer: &believer, merit };
                let weighed = SuccessWeighted { acquisition: &acquisition, vote: &vote, weighing: merit.weighing() };
                let scratch = weighed.score(pool.as_ref()).unwrap();
                assert_close(kind, &flat(scores.as_ref()), &flat(scratch.as_ref()), 1e-8);
                let highest = flat(scratch.as_ref()).into_iter().fold(f64::NEG_INFINITY, f64::max);
                let point = MatRef::from_row_major_slice(&chosen[done], 1, 2);
                assert_close(kind, &flat(weighed.score(point).unwrap().as_ref()), &[highest], 1e-8);
            }
        }
    }
}

/// Without noise, with a pool of replicates, after everything is believed: nothing is left to gain, and nothing is NaN.
#[test]
fn an_exhausted_pool_scores_without_nan() {
    let pool = Mat::from_fn(6, 2, |i, _| 0.2 * (i % 3) as f64);
    let pending = pending();
    for (_, posterior) in posteriors() {
        let vote = nobody_failed(&posterior);
        let (log_ei, gibbon) = (Merit::LogEi { baseline: 1e6 }, Merit::Gibbon { maxima: vec![-1e6, 1e6] });
        for merit in [log_ei, gibbon, Merit::Bald, Merit::LevelSet { level: -1e6 }] {
            let rule =
                OneByOne { posterior: &posterior, merit: &merit, noise: 0.0, pending: pending.as_ref(), vote: &vote };
            let mut choose = best_of(&pool);
            let chosen = one_by_one(&rule, pool.as_ref(), 8, |acquisition, scores| {
                assert!(flat(scores.as_ref()).iter().all(|score| score.is_finite()), "{scores:?}");
                let (values, gradient) = acquisition.value_gradient(&[0; 6], pool.as_ref()).unwrap();
                assert!(values.iter().chain(&flat(gradient.as_ref())).all(|v| v.is_finite()));
                choose(acquisition, scores)
            });
            assert_eq!(chosen.unwrap().len(), 8);
        }
    }
}

#[test]
fn the_climbs_error_and_a_useless_point_end_the_batch() {
    let (_, posterior) = posteriors().remove(1);
    let (vote, pool, none) = (nobody_failed(&posterior), points(5, 2), none());
    let rule =
        OneByOne { posterior: &posterior, merit: &merits()[0], noise: NOISE, pending: none.as_ref(), vote: &vote };
    let refused = one_by_one(&rule, pool.as_ref(), 2, |_, _| Err(Error::Empty { what: "the climb".into() }));
    assert_eq!(refused, Err(Error::Empty { what: "the climb".into() }));
    assert!(one_by_one(&rule, pool.as_ref(), 2, |_, _| Ok(vec![0.1])).is_err());
    assert!(one_by_one(&rule, pool.as_ref(), 2, |_, _| Ok(vec![0.1, f64::NAN])).is_err());
    assert_eq!(one_by_one(&rule, pool.as_ref(), 0, |_, _| Ok(vec![])), Ok(vec![]));
    let merit = Merit::LogEi { baseline: f64::NAN };
    assert!(one_by_one(&OneByOne { merit: &merit, ..rule }, pool.as_ref(), 1, best_of(&pool)).is_err());
    let believer = Fantasy::new(&posterior, NOISE, none.as_ref()).unwrap();
    let acquisition = Believed { believer: &believer, merit: &merits()[0] };
    assert!(acquisition.value_gradient(&[0, 1, 0, 0, 0], pool.as_ref()).is_err());
    assert!(acquisition.value_gradient(&[0], pool.as_ref()).is_err());
}
