//! What holds of every quality.

use crate::{matern, rng, uniform};
use rand::RngExt;
use spargo::allocate::quality::{Baseline, Entropy, Improvement, Link, Share};
use spargo::allocate::{Quality, Search, allocate_by};
use spargo::data::{AllocationContext, PosteriorAtData};
use spargo::kernel::{Family, Kernel};
use spargo::rng::{Purpose, stream};

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

fn outputs(quality: Quality) -> usize {
    if matches!(quality, Quality::Hv | Quality::Front) { 3 } else { 1 }
}

/// Random beliefs in units where one is `scale` and zero is `shift`.
fn evidence(count: usize, scale: f64, shift: f64, maxima: Option<&[f64]>) -> AllocationContext {
    let beliefs = (0..count).map(|output| {
        let mut rng = stream(7, Purpose::Data, output as u64, 0);
        let mut list = |power: i32, offset: f64| -> Vec<f64> {
            (0..N).map(|_| scale.powi(power) * rng.random::<f64>() + offset).collect()
        };
        let belief = PosteriorAtData::new(list(1, shift), list(1, shift), list(2, 0.0), list(2, 0.0)).unwrap();
        let belief = belief.with_level(0.3 * scale + shift).unwrap();
        match maxima {
            Some(samples) => belief.with_maxima(samples.iter().map(|s| scale * s + shift).collect()).unwrap(),
            None => belief,
        }
    });
    AllocationContext::new(beliefs.collect()).unwrap()
}

#[test]
fn shifts_and_scales_of_the_outcomes_do_not_matter() {
    let x = uniform(N, 2, 1);
    for quality in every_quality() {
        for maxima in [None, Some([1.0, 1.3].as_slice())] {
            let choose = |scale: f64, shift: f64| {
                let evidence = evidence(outputs(quality), scale, shift, maxima);
                let q = quality.evaluate(&evidence, N, 12).unwrap();
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
}

#[test]
fn a_belief_that_is_certain_or_constant_gives_no_nan() {
    let certain = |y: Vec<f64>| PosteriorAtData::exact(y).unwrap();
    let ramp: Vec<f64> = (0..N).map(|i| i as f64).collect();
    for quality in every_quality() {
        for y in [ramp.clone(), vec![5.0; N], vec![0.0; N], vec![-1e-300; N], ramp.iter().map(|v| v * 1e300).collect()]
        {
            let evidence = AllocationContext::new(vec![certain(y); outputs(quality)]).unwrap();
            let q = quality.evaluate(&evidence, N, 5).unwrap();
            assert!(q.iter().all(|q| q.is_finite() && *q >= 0.0), "{quality:?}: {q:?}");
        }
    }
}

#[test]
fn improvement_ablation() {
    let evidence = evidence(1, 1.0, 0.0, None);
    let belief = &evidence.outputs()[0];
    let q = |baseline, link| Quality::Imp(Improvement { baseline, link }).evaluate(&evidence, N, 5).unwrap();
    let (min, mean, max) = (q(Baseline::Min, Link::Relu), q(Baseline::Mean, Link::Relu), q(Baseline::Max, Link::Relu));
    let softplus = q(Baseline::Min, Link::Softplus);
    for i in 0..N {
        // A lower baseline leaves more to gain, and softplus lies above max(·, 0) by at most s log 2.
        assert!(min[i] > mean[i] && mean[i] > max[i] && max[i] > 0.0);
        assert!(softplus[i] > min[i] && softplus[i] < min[i] + 0.3 * 2f64.ln());
    }
    let average = belief.mean().iter().sum::<f64>() / N as f64;
    let i = 3;
    let samples = 400_000;
    let mut normal = stream(3, Purpose::Data, 9, 0);
    let naive: f64 = (0..samples)
        .map(|_| {
            // Box and Muller.
            let (u, v): (f64, f64) = (1.0 - normal.random::<f64>(), normal.random());
            let xi = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            (belief.mean()[i] + belief.variance()[i].sqrt() * xi - average).max(0.0)
        })
        .sum::<f64>()
        / f64::from(samples);
    assert!((naive - mean[i]).abs() < 5e-3, "{naive} {}", mean[i]);
}

#[test]
fn single_output_qualities_refuse_other_evidence() {
    for quality in every_quality() {
        let needs = outputs(quality);
        if quality != Quality::Unit {
            let message = quality.evaluate(&AllocationContext::default(), N, 5).unwrap_err().to_string();
            assert!(message.contains("evidence"), "{message}");
        }
        if needs == 1 && quality != Quality::Unit {
            assert!(quality.evaluate(&evidence(2, 1.0, 0.0, None), N, 5).is_err());
        }
        if quality != Quality::Unit {
            assert!(quality.evaluate(&evidence(needs, 1.0, 0.0, None), N + 1, 5).is_err());
        }
    }
}

#[test]
fn a_closure_is_a_quality() {
    let x = uniform(N, 2, 1);
    let favourite = allocate_by(|i| f64::from(i == 17), Search::Lazy, x.as_ref(), &matern(0.3, 2), 1, &mut rng(0));
    assert_eq!(favourite.unwrap().rows, Some(vec![17]));
}
