//! Functions drawn from a prior have its moments, and each seed has its own.

use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::rng::{Purpose, stream, uniform};
use spargo_problems::prior::{PRIORS, PriorProblem};

fn points(count: usize) -> Vec<Vec<f64>> {
    let mut rng = stream(1, Purpose::Data, 0, 0);
    (0..count).map(|_| (0..8).map(|_| uniform(&mut rng)).collect()).collect()
}

#[test]
fn each_seed_is_another_function_and_the_same_seed_the_same() {
    let (prior, x) = (&PRIORS[2], points(300));
    let values = |seed: u64| prior.draw(seed).unwrap().values(&x).unwrap();
    assert_eq!(values(3), values(3));
    assert_ne!(values(3), values(4));
    // Points are evaluated in blocks: alone a point has the value that it has among others.
    let alone = prior.draw(3).unwrap().values(&x[299..]).unwrap();
    assert!((alone[0] - values(3)[299]).abs() < 1e-12);
    let longer = PRIORS[4].draw(3).unwrap().values(&x).unwrap();
    assert_ne!(longer, values(3));
}

/// Over seeds, means are 0 and products have the kernel's covariance, within five standard errors.
#[test]
fn values_have_the_moments_of_the_prior() {
    let prior = PriorProblem::by_name("prior8-0.5").unwrap();
    let x: Vec<Vec<f64>> = [0.2, 0.25, 0.4, 0.9].iter().map(|&at| vec![at; 8]).collect();
    let seeds = 400;
    let drawn: Vec<Vec<f64>> = (0..seeds).map(|seed| prior.draw(seed).unwrap().values(&x).unwrap()).collect();
    let at = Mat::from_fn(4, 8, |i, k| x[i][k]);
    let expected = Kernel::stationary(Family::Matern32, 1.0, 0.5, 8).matrix(at.as_ref(), at.as_ref());
    let average = |value: &dyn Fn(&[f64]) -> f64| drawn.iter().map(|g| value(g)).sum::<f64>() / seeds as f64;
    let allowed = 5.0 / (seeds as f64).sqrt();
    for i in 0..4 {
        assert!(average(&|g| g[i]).abs() < allowed, "mean {i}");
        for j in 0..4 {
            // A product of two normal variables of variance 1 has a variance of at most 2.
            let found = average(&|g| g[i] * g[j]);
            assert!((found - expected[(i, j)]).abs() < 2f64.sqrt() * allowed, "{found} for {}", expected[(i, j)]);
        }
    }
}

#[test]
fn points_outside_and_other_names_are_refused() {
    let function = PRIORS[0].draw(0).unwrap();
    assert!(function.values(&[vec![0.5; 8], vec![1.5; 8]]).is_err() && function.values(&[vec![0.5; 7]]).is_err());
    let message = PriorProblem::by_name("prior8-0.6").unwrap_err().to_string();
    assert!(message.contains("prior8-0.5"), "{message}");
}
