//! Greedy batches, and the acquisition functions by which they are chosen.

use super::*;
use spargo::acquire::{Fantasised, Fantasy, SuccessWeighted, greedy_from};
use spargo::linalg::cholesky;
use spargo::math::information::about_maximum;
use spargo::{Error, Result};

#[test]
fn gradients_hold_for_every_model_kernel_and_function() {
    let at = Mat::from_fn(10, 2, |i, k| (0.137 + 0.173 * i as f64 + 0.391 * k as f64).fract());
    let pending = pending();
    for kernel in kernels(2) {
        for (kind, posterior) in kinds_of_posterior(&hyper(kernel), &data(24, 2)) {
            for few in [0, 4] {
                let fantasy = [Fantasy::new(&posterior, NOISE, pending.as_ref().subrows(0, few)).unwrap()];
                for function in functions() {
                    let acquisition = Fantasised::new(&fantasy, &*function);
                    assert_gradient(&format!("{kind} {function:?}"), &acquisition, at.as_ref(), 1e-6);
                }
            }
        }
    }
}

/// The greedy increments against ½ log|R(B)| + Σ α, with pending points among B.
#[test]
fn increments_add_up_to_the_information_of_the_batch() {
    let maxima = [1.1, 1.6, 2.5];
    let gibbon = Gibbon::new(maxima.to_vec(), NOISE).unwrap();
    let batch = points(6, 2);
    for (kind, posterior) in posteriors() {
        let alone = |x: &Mat| {
            let prediction = posterior.predict(x.as_ref()).unwrap();
            let pairs = prediction.mean.into_iter().zip(prediction.variance);
            pairs.map(|(mean, variance)| about_maximum(mean, variance, NOISE, &maxima)).sum::<f64>()
        };
        let all = Mat::from_fn(10, 2, |i, k| if i < 4 { pending()[(i, k)] } else { batch[(i - 4, k)] });
        let volume = |x: &Mat| {
            let covariance = posterior.covariance(x.as_ref()).unwrap();
            let noisy = |i: usize, j: usize| covariance[(i, j)] + if i == j { NOISE } else { 0.0 };
            let r = Mat::from_fn(x.nrows(), x.nrows(), |i, j| noisy(i, j) / (noisy(i, i) * noisy(j, j)).sqrt());
            0.5 * cholesky(r, 0.0).unwrap().log_determinant()
        };
        let whole = volume(&all) + alone(&all);
        let before = volume(&pending()) + alone(&pending());
        let mut fantasy = [Fantasy::new(&posterior, NOISE, pending().as_ref()).unwrap()];
        let mut sum = 0.0;
        for i in 0..6 {
            let x = batch.as_ref().subrows(i, 1);
            sum += Fantasised::new(&fantasy, &gibbon).score(x).unwrap()[(0, 0)];
            fantasy[0].add(x).unwrap();
        }
        assert_close(kind, &[sum], &[whole - before], 1e-9);
    }
}

/// The maximiser of the pool, without a local search.
fn best_of(pool: &Mat) -> impl FnMut(&dyn BatchedObjective, MatRef<'_>) -> Result<Vec<f64>> {
    |_, scores| {
        let best = (0..pool.nrows()).max_by(|&i, &j| scores[(i, 0)].total_cmp(&scores[(j, 0)]));
        Ok(rows(pool.as_ref()).swap_remove(best.unwrap()))
    }
}

/// A problem of one posterior in the square.
fn problem<'a>(posterior: &'a Posterior, space: &'a Space) -> Problem<'a> {
    Problem { observed: posterior.z().to_owned(), ..Problem::new(std::slice::from_ref(posterior), &[], space) }
}

#[test]
fn a_batch_is_what_scoring_from_scratch_would_choose() {
    let (pool, pending, square) = (points(600, 2), pending(), square());
    for (kind, posterior) in posteriors() {
        let failed = points(3, 2);
        let failure_model = &FailureModel::fitted(posterior.kernel(), posterior.z(), failed.as_ref()).unwrap();
        let problem = Problem { failed, pending: pending.clone(), ..problem(&posterior, &square) };
        for mut function in functions() {
            let (mut choose, mut steps) = (best_of(&pool), Vec::new());
            let chosen = problem.with(|context| {
                greedy_from(context, &mut *function, pool.as_ref(), 12, |acquisition, scores| {
                    let same = acquisition.score(pool.as_ref()).unwrap();
                    assert_close(kind, &flat(scores), &flat(same.as_ref()), 1e-8);
                    steps.push(scores.to_owned());
                    choose(acquisition, scores)
                })
            });
            let chosen = chosen.unwrap();
            assert_eq!((chosen.nrows(), steps.len()), (12, 12));
            for (done, scores) in steps.into_iter().enumerate() {
                let mut fantasy = [Fantasy::new(&posterior, NOISE, pending.as_ref()).unwrap()];
                fantasy[0].add(chosen.as_ref().subrows(0, done)).unwrap();
                let acquisition = &Fantasised::new(&fantasy, &*function);
                let weighted = SuccessWeighted { acquisition, failure_model, weighting: function.weighting() };
                let scratch = weighted.score(pool.as_ref()).unwrap();
                assert_close(kind, &flat(scores.as_ref()), &flat(scratch.as_ref()), 1e-8);
                let highest = flat(scratch.as_ref()).into_iter().fold(f64::NEG_INFINITY, f64::max);
                let point = chosen.as_ref().subrows(done, 1);
                assert_close(kind, &flat(weighted.score(point).unwrap().as_ref()), &[highest], 1e-8);
            }
        }
    }
}

/// Without noise, with a pool of replicates, after everything is fantasised: nothing is left to gain, and nothing is NaN.
#[test]
fn an_exhausted_pool_scores_without_nan() {
    let pool = Mat::from_fn(6, 2, |i, _| 0.2 * (i % 3) as f64);
    let square = square();
    for (_, posterior) in posteriors() {
        let problem = Problem { noise: 0.0, pending: pending(), ..problem(&posterior, &square) };
        let functions: [Box<dyn AcquisitionFunction>; 4] = [
            Box::new(LogEi::new(1e6).unwrap()),
            Box::new(Gibbon::new(vec![-1e6, 1e6], 0.0).unwrap()),
            Box::new(Bald),
            Box::new(Straddle::new(-1e6).unwrap()),
        ];
        for mut function in functions {
            let mut choose = best_of(&pool);
            let chosen = problem.with(|context| {
                greedy_from(context, &mut *function, pool.as_ref(), 8, |acquisition, scores| {
                    assert!(flat(scores).iter().all(|score| score.is_finite()), "{scores:?}");
                    let (values, gradient) = acquisition.value_gradient(&[0; 6], pool.as_ref()).unwrap();
                    assert!(values.iter().chain(&flat(gradient.as_ref())).all(|v| v.is_finite()));
                    choose(acquisition, scores)
                })
            });
            assert_eq!(chosen.unwrap().nrows(), 8);
        }
    }
}

#[test]
fn an_error_of_the_search_and_an_invalid_point_end_the_batch() {
    let (_, posterior) = posteriors().remove(1);
    let (pool, none, square) = (points(5, 2), none(), square());
    let problem = problem(&posterior, &square);
    let mut log_ei = LogEi::new(1.2).unwrap();
    let mut batch = |count: usize, point: Result<Vec<f64>>| {
        problem.with(|context| greedy_from(context, &mut log_ei, pool.as_ref(), count, |_, _| point.clone()))
    };
    let refused = batch(2, Err(Error::Empty { what: "the search".into() }));
    assert_eq!(refused, Err(Error::Empty { what: "the search".into() }));
    assert!(batch(2, Ok(vec![0.1])).is_err());
    assert!(batch(2, Ok(vec![0.1, f64::NAN])).is_err());
    assert_eq!(batch(0, Ok(vec![])).unwrap().nrows(), 0);
    let fantasy = [Fantasy::new(&posterior, NOISE, none.as_ref()).unwrap()];
    let acquisition = Fantasised::new(&fantasy, &log_ei);
    assert!(acquisition.value_gradient(&[0, 1, 0, 0, 0], pool.as_ref()).is_err());
    assert!(acquisition.value_gradient(&[0], pool.as_ref()).is_err());
}
