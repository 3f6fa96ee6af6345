//! Local models: they find the best trial where the global model does not, and refine a share of each batch.

use super::outputs::{COMPETING, LIMIT, compete, with_goals};
use super::{advance, apart, assert_all_different, assert_valid, memory, plane, points, small, spaces, square};
use spargo::Error;
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{
    Config, Goal, LocalModelOptions, NoiseBound, Outcome, OutcomeTransformChoice, Refit, Replicates, Study, Trial,
};

/// A bump a hundredth wide, and a broad hill that is a little lower.
fn bump(a: f64, b: f64) -> f64 {
    let peak = |c: f64, width: f64| (-((a - c).powi(2) + (b - c).powi(2)) / (2.0 * width * width)).exp();
    1.3 * peak(0.25, 0.01) + peak(0.7, 0.2)
}

/// Trials all over, and some around both summits, with noise of deviation 0.1.
fn told(config: Config, seed: u64) -> Study {
    let mut rng = stream(seed, Purpose::Data, 0, 0);
    let mut study = Study::in_memory(Config { replicates: Replicates::Never, ..config }).unwrap();
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

fn numbers(point: &Point) -> [f64; 2] {
    [0, 1].map(|k| if let Value::Real(v) = point[k] { v } else { f64::NAN })
}

#[test]
fn the_best_trial_is_found_where_the_global_model_smooths_it_away() {
    for seed in 0..3 {
        let regret = |neighbours: usize| {
            let local_models = LocalModelOptions { neighbours, ..LocalModelOptions::default() };
            let mut config = Config { local_models, inducing: 20.into(), ..Config::new(square()) };
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
    let far = |share: f64| {
        let local_models = LocalModelOptions { neighbours: 100, share: Some(share) };
        let mut study = told(Config { local_models, ..Config::new(square()) }, 1);
        let best = numbers(&study.best().unwrap().unwrap().believed.trial.point);
        let batch = study.ask(50).unwrap();
        let distance = |point: &Point| {
            let [a, b] = numbers(point);
            (a - best[0]).abs().max((b - best[1]).abs())
        };
        // Points by local models come last.
        batch.iter().map(|trial| distance(&trial.point)).collect::<Vec<_>>()
    };
    let (all, some, none) = (far(1.0), far(0.2), far(0.0));
    let close = |distances: &[f64]| distances.iter().filter(|&&distance| distance < 0.05).count();
    assert!(close(&all) > 25 && close(&none) < 25, "{all:?} {none:?}");
    // The others are chosen as without local models.
    let same = some.iter().zip(&none).take_while(|(a, b)| a == b).count();
    assert!((38..=42).contains(&same), "{some:?} {none:?}");
    assert!(2 * close(&some[same..]) > 50 - same, "{some:?}");
}

#[test]
fn few_and_equal_outcomes_do_no_harm() {
    for outcomes in [vec![1.0], vec![2.0; 30], vec![1e300, -1e300, 0.0], (0..40).map(f64::from).collect()] {
        let config = Config { local_models: LocalModelOptions { neighbours: 25, share: Some(0.5) }, ..small(plane()) };
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
fn every_space_is_refined_and_a_closed_study_goes_on_as_it_would_have() {
    for (name, space) in spaces() {
        let mut config =
            Config { local_models: LocalModelOptions { neighbours: 20, share: Some(0.3) }, ..small(space) };
        config.trust_regions.share = Some(0.5);
        config.model.noise_bound = NoiseBound::ClosePairs;
        config.model.outcome_transform = OutcomeTransformChoice::Auto;
        let mut study = Study::in_memory(config).unwrap();
        for count in [8, 5, 1, 1, 5] {
            let outcome = |_: &Space, trial: &Trial| Outcome::value((trial.id as f64).sin());
            advance(&mut study, count, outcome);
            study.best().unwrap().unwrap();
        }
        let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        assert_eq!(again.ask(6).unwrap(), study.ask(6).unwrap(), "{name}");
    }
}

#[test]
fn models_that_have_not_seen_every_outcome_refine_as_well() {
    let local_models = LocalModelOptions { neighbours: 100, share: Some(1.0) };
    let mut study = told(Config { local_models, ..Config::new(square()) }, 1);
    study.ask(3).unwrap();
    // The best by far, and not seen by the last ask's models.
    study.add(&[(vec![Value::Real(0.05), Value::Real(0.95)], Some(Outcome::value(50.0)))]).unwrap();
    for trial in study.ask_with(20, Refit::Every(1000)).unwrap() {
        let [a, b] = numbers(&trial.point);
        assert!((a - 0.05).abs().max((b - 0.95).abs()) > 0.1, "{a} {b}");
    }
}

/// The bump within a constraint that holds at its foot and beyond only, and on the hill.
fn constrained(point: &Point) -> Outcome {
    let [a, b] = numbers(point);
    let far = ((a - 0.25).powi(2) + (b - 0.25).powi(2)).sqrt();
    Outcome::values([bump(a, b), far])
}

#[test]
fn the_best_trial_satisfies_its_constraint() {
    let limit = Goal::Constraint { at_least: Some(0.015), at_most: None };
    let mut config = Config {
        local_models: LocalModelOptions { neighbours: 100, share: Some(0.5) },
        replicates: Replicates::Never,
        ..with_goals(square(), &[Goal::Maximize, limit])
    };
    (config.acquisition.pool, config.initial) = (1000, 20.into());
    let mut study = Study::in_memory(config).unwrap();
    let given = told(Config::new(square()), 1);
    let all = given.history().records().iter().map(|record| &record.trial.point);
    study.add(&all.map(|point| (point.clone(), Some(constrained(point)))).collect::<Vec<_>>()).unwrap();
    for _ in 0..2 {
        let believed = study.best().unwrap().unwrap().believed;
        let values = constrained(&believed.trial.point).observed().unwrap();
        // The model is not exact, but knows the slope of the distance.
        assert!(values[1] > 0.013 && values[0] > 0.6, "{values:?}: {believed:?}");
        let trials = advance(&mut study, 20, |_, trial| constrained(&trial.point));
        assert_valid(&square(), &trials);
        let close = |trial: &&Trial| apart(&square(), &trial.point, &believed.trial.point) < 0.1;
        let close = trials[10..].iter().filter(close).count();
        assert!(close >= 5, "{close} of 10 points lie around the best trial");
    }
    assert_all_different(&points(&study));
}

#[test]
fn with_several_objectives_a_point_of_the_front_is_refined() {
    for goals in [COMPETING.to_vec(), vec![COMPETING[0], COMPETING[1], LIMIT]] {
        let outcome = |space: &Space, trial: &Trial| {
            let mut values = compete(space, trial).observed().unwrap();
            values.extend((values.len() < goals.len()).then_some(-0.1));
            Outcome::values(values)
        };
        let local_models = LocalModelOptions { neighbours: 20, share: Some(0.5) };
        let mut study = Study::in_memory(Config { local_models, ..with_goals(square(), &goals) }).unwrap();
        advance(&mut study, 40, outcome);
        for _ in 0..3 {
            let front: Vec<Point> =
                study.fronts().unwrap().believed.into_iter().map(|point| point.trial.point).collect();
            let trials = advance(&mut study, 20, outcome);
            assert_valid(&square(), &trials);
            // Ten of them lie around one and the same.
            let around = |centre: &Point| {
                trials[10..].iter().filter(|trial| apart(&square(), &trial.point, centre) < 0.21).count()
            };
            let most = front.iter().map(around).max().unwrap();
            assert!(most >= 8, "{most} of 10 points lie around one trial of the front");
        }
        assert_all_different(&points(&study));
    }
}

#[test]
fn misfit_is_not_taken_for_noise() {
    // Ridges across a plain, much narrower than the trials lie apart, and a cluster of trials on one of them.
    let noise = |level: NoiseBound| {
        let mut config = Config::new(square());
        (config.model.noise_bound, config.model.outcome_transform) = (level, OutcomeTransformChoice::Off);
        let mut study = Study::in_memory(config).unwrap();
        let mut rng = stream(1, Purpose::Data, 0, 0);
        let mut points = Vec::new();
        for i in 0..400 {
            let spread = if i < 300 { 1.0 } else { 1e-3 };
            let [a, b] = [(); 2].map(|()| 0.4 * (1.0 - spread) + spread * uniform(&mut rng));
            let y = (40.0 * std::f64::consts::PI * a).sin().powi(20) + (40.0 * b).sin() + 0.1 * normal(&mut rng);
            points.push((vec![Value::Real(a), Value::Real(b)], Some(Outcome::value(y))));
        }
        study.add(&points).unwrap();
        let (hyper, units) = study.hyperparameters(0).unwrap();
        hyper.noise * (-2.0 * units.log_slope(0.0)).exp()
    };
    let (likely, limited) = (noise(NoiseBound::Off), noise(NoiseBound::ClosePairs));
    assert!(limited < 0.025 && likely > 2.0 * limited, "{likely} {limited}");
}

#[test]
fn invalid_settings_are_refused_by_name() {
    let shares = [-0.1, 1.1, f64::NAN]
        .map(|share| ("local-models.share", LocalModelOptions { share: Some(share), ..LocalModelOptions::default() }));
    let large = ("neighbours", LocalModelOptions { neighbours: 1001, ..LocalModelOptions::default() });
    for (field, local_models) in shares.into_iter().chain([large]) {
        let config = Config { local_models, ..small(plane()) };
        assert!(matches!(Study::in_memory(config), Err(Error::Parameter { name, .. }) if name == field));
    }
}

/// Trials are compared by a lower confidence bound: the mean of the lucky one is the largest, but little is known of it.
#[test]
fn one_lucky_outcome_is_not_enough() {
    let words = ["v", "w", "x", "y", "z"];
    let mut study = memory(small(Space::new(vec![Dimension::choice("arm", &words)]).unwrap()));
    let point = |word: &str| vec![Value::Choice(word.into())];
    let told = |word: &str, value: f64, variance: f64| (point(word), Some(Outcome::noisy(value, variance)));
    let mut all: Vec<_> = ["v", "w", "x"].iter().map(|word| told(word, 0.0, 0.01)).collect();
    all.extend(std::iter::repeat_n(told("y", 1.0, 0.5), 400));
    all.push(told("z", 2.5, 0.3));
    study.add(&all).unwrap();
    let mean = study.predict(0, &[point("y"), point("z")]).unwrap().mean;
    assert!(mean[1] > mean[0] + 0.1, "{mean:?}");
    assert_eq!(study.best().unwrap().unwrap().believed.trial.point, point("y"));
}
