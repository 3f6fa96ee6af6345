//! What every quality satisfies.

use crate::{matern, rng, uniform};
use rand::RngExt;
use spargo::allocate::quality::{Baseline, Entropy, Improvement, Link, Share};
use spargo::allocate::{Allocation, Needs, Quality, QualityFunction, Search, allocate, allocate_by};
use spargo::data::{AllocationContext, PosteriorAtData};
use spargo::kernel::{Family, Kernel};
use spargo::rng::{Purpose, stream};
use std::sync::Arc;

const N: usize = 80;

fn every_quality() -> Vec<Quality> {
    let improvements = [Baseline::Min, Baseline::Mean, Baseline::Max]
        .into_iter()
        .flat_map(|baseline| [Link::Relu, Link::Softplus].map(|link| Quality::Imp(Improvement { baseline, link })));
    let entropies = [Share::Full, Share::PerPoint].map(|share| Quality::Ent(Entropy { share, ..Entropy::default() }));
    [Quality::Unit, Quality::Lin, Quality::Al, Quality::Hv, Quality::Front]
        .into_iter()
        .chain(improvements)
        .chain(entropies)
        .collect()
}

fn outputs(quality: &Quality) -> usize {
    if quality.needs() == Needs::Objectives { 3 } else { 1 }
}

/// Random posteriors in units where one is `scale` and zero is `shift`.
fn context(count: usize, scale: f64, shift: f64) -> AllocationContext {
    let posteriors = (0..count).map(|output| {
        let mut rng = stream(7, Purpose::Data, output as u64, 0);
        let mut list = |power: i32, offset: f64| -> Vec<f64> {
            (0..N).map(|_| scale.powi(power) * rng.random::<f64>() + offset).collect()
        };
        let posterior = PosteriorAtData::new(list(1, shift), list(1, shift), list(2, 0.0), list(2, 0.0)).unwrap();
        posterior.with_level(0.3 * scale + shift).unwrap()
    });
    AllocationContext::of_rows(N).with_outputs(posteriors.collect()).unwrap()
}

#[test]
fn shifts_and_scales_of_the_outcomes_do_not_matter() {
    let x = uniform(N, 2, 1);
    for quality in every_quality() {
        let choose = |scale: f64, shift: f64| {
            let q = quality.evaluate(&context(outputs(&quality), scale, shift), 12).unwrap();
            assert!(q.iter().all(|q| q.is_finite() && *q >= 0.0), "{quality:?}: {q:?}");
            let largest = q.iter().copied().fold(0.0, f64::max);
            assert!(largest > 0.0, "{quality:?}");
            let kernel = Kernel::stationary(Family::Matern52, scale * scale, 0.3, 2);
            let rows = allocate_by(|i| q[i], Search::Lazy, x.as_ref(), &kernel, 12, &mut rng(0)).unwrap().rows;
            (q.iter().map(|q| q / largest).collect::<Vec<f64>>(), rows)
        };
        let (base, rows) = choose(1.0, 0.0);
        for (scale, shift) in [(1.0, 40.0), (1e-6, 0.0), (3e7, 0.0), (0.25, -3.0)] {
            let (other, other_rows) = choose(scale, shift);
            let difference = base.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(difference < 1e-11, "{quality:?} {scale} {shift}: {difference:e}");
            assert_eq!(rows, other_rows, "{quality:?} {scale} {shift}");
        }
    }
}

#[test]
fn a_posterior_that_is_certain_or_constant_gives_no_nan() {
    let certain = |y: Vec<f64>| PosteriorAtData::exact(y).unwrap();
    let ramp: Vec<f64> = (0..N).map(|i| i as f64).collect();
    for quality in every_quality() {
        for y in [ramp.clone(), vec![5.0; N], vec![0.0; N], vec![-1e-300; N], ramp.iter().map(|v| v * 1e300).collect()]
        {
            let context = AllocationContext::of_rows(N).with_outputs(vec![certain(y); outputs(&quality)]).unwrap();
            let q = quality.evaluate(&context, 5).unwrap();
            assert!(q.iter().all(|q| q.is_finite() && *q >= 0.0), "{quality:?}: {q:?}");
        }
    }
}

#[test]
fn improvement_ablation() {
    let context = context(1, 1.0, 0.0);
    let posterior = &context.outputs()[0];
    let q = |baseline, link| Quality::Imp(Improvement { baseline, link }).evaluate(&context, 5).unwrap();
    let (min, mean, max) = (q(Baseline::Min, Link::Relu), q(Baseline::Mean, Link::Relu), q(Baseline::Max, Link::Relu));
    let softplus = q(Baseline::Min, Link::Softplus);
    for i in 0..N {
        // A lower baseline leaves more to gain, and softplus lies above max(·, 0) by at most s log 2.
        assert!(min[i] > mean[i] && mean[i] > max[i] && max[i] > 0.0);
        assert!(softplus[i] > min[i] && softplus[i] < min[i] + 0.3 * 2f64.ln());
    }
    let average = posterior.mean().iter().sum::<f64>() / N as f64;
    let i = 3;
    let samples = 400_000;
    let mut normal = stream(3, Purpose::Data, 9, 0);
    let naive: f64 = (0..samples)
        .map(|_| {
            // Box and Muller.
            let (u, v): (f64, f64) = (1.0 - normal.random::<f64>(), normal.random());
            let xi = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            (posterior.mean()[i] + posterior.variance()[i].sqrt() * xi - average).max(0.0)
        })
        .sum::<f64>()
        / f64::from(samples);
    assert!((naive - mean[i]).abs() < 5e-3, "{naive} {}", mean[i]);
}

#[test]
fn qualities_refuse_a_context_without_what_they_need() {
    for quality in every_quality().into_iter().filter(|quality| quality.needs() != Needs::Nothing) {
        let message = quality.evaluate(&AllocationContext::of_rows(N), 5).unwrap_err().to_string();
        assert!(message.contains("posterior"), "{message}");
        if quality.needs() == Needs::Output {
            assert!(quality.evaluate(&context(2, 1.0, 0.0), 5).is_err());
        }
    }
}

/// 1 at one row, if it says so of all rows.
#[derive(Debug)]
struct Favourite {
    row: usize,
    rows: usize,
}

impl QualityFunction for Favourite {
    fn name(&self) -> &str {
        "favourite"
    }

    fn evaluate(&self, _: &AllocationContext, _: usize) -> spargo::Result<Vec<f64>> {
        Ok((0..self.rows).map(|i| f64::from(u8::from(i == self.row))).collect())
    }
}

#[test]
fn a_custom_quality_is_called_by_its_name_once_it_is_registered() {
    let x = uniform(N, 2, 1);
    let choose = |allocation: &Allocation| {
        allocate(allocation, x.as_ref(), &matern(0.3, 2), &context(1, 1.0, 0.0), 1, &mut rng(0))
    };
    let custom = Allocation::custom(Favourite { row: 17, rows: N });
    assert_eq!(choose(&custom).unwrap().rows, Some(vec![17]));
    let written = serde_json::to_string(&custom).unwrap();
    assert_eq!(written, r#"{"method":"custom-dpp","quality":"favourite"}"#);
    let mut read: Allocation = serde_json::from_str(&written).unwrap();
    let message = choose(&read).unwrap_err().to_string();
    assert!(message.contains("'favourite'") && message.contains("extensions"), "{message}");
    read.register(&[Arc::new(Favourite { row: 3, rows: N })]);
    assert_eq!(choose(&read).unwrap().rows, Some(vec![3]));
    let short = choose(&Allocation::custom(Favourite { row: 3, rows: N - 1 })).unwrap_err();
    assert!(matches!(short, spargo::Error::Shape { found, .. } if found == N - 1), "{short}");
}

#[test]
fn a_closure_is_a_quality() {
    let x = uniform(N, 2, 1);
    let favourite = allocate_by(|i| f64::from(i == 17), Search::Lazy, x.as_ref(), &matern(0.3, 2), 1, &mut rng(0));
    assert_eq!(favourite.unwrap().rows, Some(vec![17]));
}
