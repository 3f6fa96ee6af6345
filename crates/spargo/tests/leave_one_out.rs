//! Leave-one-out predictions from one fit, against a fit without the row.

mod common;

use common::*;
use spargo::Error;
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, select_rows};
use spargo::model::sgpr::{Jitter, Sgpr};
use spargo::model::{Hyperparameters, Posterior, exact, leave_one_out};

fn hypers(d: usize) -> Vec<Hyperparameters> {
    kernels(d).into_iter().map(|kernel| Hyperparameters { kernel, mean: 0.3, noise: 0.07 }).collect()
}

#[test]
fn leave_one_out_equals_inference_without_the_row() {
    for data in [data(25, 3), data_with_known_noise(25, 3)] {
        let z = select_rows(data.x(), &[1, 5, 9, 14, 20]);
        for hyper in hypers(3) {
            let exact = |data: &Dataset| exact::infer(&hyper, data).unwrap().posterior;
            let sparse = |data: &Dataset| {
                let sgpr = Sgpr { hyper: &hyper, data, z: z.as_ref(), jitter: Jitter::Fixed(0.0) };
                sgpr.infer().unwrap().posterior
            };
            let rows = [0, 3, 5, 24, 11];
            for (name, infer) in [("exact", &exact as &dyn Fn(&Dataset) -> Posterior), ("sparse", &sparse)] {
                let found = leave_one_out(&infer(&data), &data, hyper.noise, &rows).unwrap();
                for (j, &row) in rows.iter().enumerate() {
                    let others: Vec<usize> = (0..data.len()).filter(|&i| i != row).collect();
                    let without = infer(&data.subset(&others)).predict(data.x().subrows(row, 1)).unwrap();
                    assert_close(name, &[found.mean[j]], &without.mean, 1e-9);
                    let variance = without.variance[0] + data.noise_of(row, hyper.noise);
                    assert_close(name, &[found.variance[j]], &[variance], 1e-9);
                }
            }
        }
    }
}

#[test]
fn leave_one_out_refuses_missing_rows_and_data() {
    let (data, hyper) = (data(10, 3), &hypers(3)[0]);
    let posterior = exact::infer(hyper, &data).unwrap().posterior;
    assert!(matches!(leave_one_out(&posterior, &data, hyper.noise, &[10]), Err(Error::Parameter { .. })));
    let fewer = data.subset(&[0, 1, 2]);
    assert!(matches!(
        leave_one_out(&posterior, &fewer, hyper.noise, &[0]),
        Err(Error::Shape { found: 3, expected: 10, .. })
    ));
}

/// Outcomes without noise, some of them twice, leave no doubt and no NaN.
#[test]
fn leave_one_out_is_finite_where_a_model_relies_on_one_outcome() {
    let x = Mat::from_fn(12, 1, |i, _| if i % 5 == 4 { 0.3 } else { 0.08 * i as f64 });
    let data = Dataset::new(x.clone(), outcomes(x.as_ref())).unwrap().with_known_noise(vec![Some(1e-14); 12]).unwrap();
    let hyper = Hyperparameters { kernel: Kernel::stationary(Family::Rbf, 1.0, 0.5, 1), mean: 0.0, noise: 1e-6 };
    let sgpr = Sgpr { hyper: &hyper, data: &data, z: x.subrows(0, 4), jitter: Jitter::default() };
    for posterior in [exact::infer(&hyper, &data).unwrap().posterior, sgpr.infer().unwrap().posterior] {
        let found = leave_one_out(&posterior, &data, hyper.noise, &Vec::from_iter(0..12)).unwrap();
        assert!(found.mean.iter().all(|mean| mean.is_finite()));
        assert!(found.variance.iter().all(|v| v.is_finite() && *v > 0.0), "{:?}", found.variance);
    }
}
