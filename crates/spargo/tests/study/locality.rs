//! Models of neighbourhoods: they find the best trial where one model of everything does not, and polish it.

use super::{plane, small};
use spargo::Error;
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Config, Locality, Outcome, Study};

/// A bump a hundredth wide beside a broad hill that is a little lower.
fn bump(a: f64, b: f64) -> f64 {
    let peak = |c: f64, width: f64| (-((a - c).powi(2) + (b - c).powi(2)) / (2.0 * width * width)).exp();
    1.3 * peak(0.25, 0.01) + peak(0.7, 0.2)
}

/// Trials all over, and some around both summits, with noise of deviation 0.1.
fn told(config: Config, seed: u64) -> Study {
    let mut rng = stream(seed, Purpose::Data, 0, 0);
    let mut study = Study::in_memory(config).unwrap();
    let mut points: Vec<(Point, Option<Outcome>)> = Vec::new();
    for (centre, width, count) in [(0.5, 0.5, 300), (0.25, 0.02, 60), (0.7, 0.1, 200)] {
        for _ in 0..count {
            let [a, b] = [(); 2].map(|()| centre + width * (2.0 * uniform(&mut rng) - 1.0));
            let y = bump(a, b) + 0.1 * normal(&mut rng);
            points.push((vec![Value::Real(a), Value::Real(b)], Some(Outcome::value(y))));
        }
    }
    study.add(&points).unwrap();
    study
}

fn square() -> Space {
    Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::real("b", 0.0, 1.0)]).unwrap()
}

fn numbers(point: &Point) -> [f64; 2] {
    [0, 1].map(|k| if let Value::Real(v) = point[k] { v } else { f64::NAN })
}

#[test]
fn the_best_trial_is_found_where_the_model_of_everything_smooths_it_away() {
    for seed in 0..3 {
        let regret = |neighbours: usize| {
            let locality = Locality { neighbours, ..Locality::default() };
            let mut config = Config { locality, inducing: 20, ..Config::new(square()) };
            config.model.exact_until = 0;
            let best = told(config, seed).best().unwrap().unwrap().believed;
            let [a, b] = numbers(&best.trial.point);
            // The broad hill has about 1 at its top, and nothing else is as high as the bump.
            (1.3 - bump(a, b), bump(a, b) - best.mean, best.interval.1 - best.interval.0)
        };
        let (without, with) = (regret(0), regret(100));
        assert!(without.0 > 0.25 && with.0 < 0.15, "{seed}: {without:?} {with:?}");
        // What it says of that trial is what a reader may rely on.
        assert!(with.1.abs() < with.2 && with.2 < 0.4, "{seed}: {with:?}");
    }
}

#[test]
fn a_share_of_each_batch_lies_around_the_best_trial() {
    let far = |polish: f64| {
        let locality = Locality { neighbours: 100, polish };
        let mut study = told(Config { locality, ..Config::new(square()) }, 1);
        let best = numbers(&study.best().unwrap().unwrap().believed.trial.point);
        let batch = study.ask(50).unwrap();
        let distance = |point: &Point| {
            let [a, b] = numbers(point);
            (a - best[0]).abs().max((b - best[1]).abs())
        };
        // The polished come last.
        batch.iter().map(|trial| distance(&trial.point)).collect::<Vec<_>>()
    };
    let all = far(1.0);
    assert!(all.iter().all(|&distance| distance <= 0.2 * 5.0 + 1e-9), "{all:?}");
    assert!(all.iter().filter(|&&distance| distance < 0.05).count() > 25, "{all:?}");
    // Whoever is not polished is chosen as without.
    let (some, none) = (far(0.2), far(0.0));
    assert_eq!(some[..40], none[..40]);
    assert_ne!(some[40..], none[40..]);
}

#[test]
fn few_and_equal_outcomes_do_no_harm() {
    for outcomes in [vec![1.0], vec![2.0; 30], vec![1e300, -1e300, 0.0], (0..40).map(f64::from).collect()] {
        let config = Config { locality: Locality { neighbours: 25, polish: 0.5 }, ..small(plane()) };
        let mut study = Study::in_memory(config).unwrap();
        let trials = study.ask(outcomes.len()).unwrap();
        let told: Vec<_> = trials.iter().zip(&outcomes).map(|(trial, &y)| (trial.id, Outcome::value(y))).collect();
        study.tell(&told).unwrap();
        let best = study.best().unwrap().unwrap();
        assert!(best.believed.mean.is_finite(), "{outcomes:?}: {best:?}");
        assert_eq!(study.ask(7).unwrap().len(), 7);
    }
}

#[test]
fn shares_beyond_the_whole_are_refused() {
    for polish in [-0.1, 1.1, f64::NAN] {
        let config = Config { locality: Locality { polish, ..Locality::default() }, ..small(plane()) };
        assert!(matches!(Study::in_memory(config), Err(Error::Parameter { name, .. }) if name == "polish"));
    }
}
