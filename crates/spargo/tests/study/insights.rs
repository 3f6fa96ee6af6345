//! What a study says of its model: forecasts, outcomes left out, importance, inducing points and their quality.

use super::*;
use spargo::allocate::Allocation;
use spargo::kernel::Kernel;
use spargo::linalg::Mat;
use spargo::study::{Goal, OutcomeTransformChoice};

/// A study in every space and direction, sparse and exact, with a failure and pending trials; without local models,
/// so that there is one model for all.
fn grown() -> Vec<(String, Study)> {
    let mut all = Vec::new();
    for (name, space) in spaces() {
        for (goal, exact_until) in [(Goal::Maximize, 0), (Goal::Minimize, 1000)] {
            let mut config = small(space.clone());
            config.outputs[0].goal = goal;
            config.local_models.neighbours = 0;
            config.model.exact_until = exact_until;
            let mut study = memory(config);
            for count in [8, 10, 10] {
                advance(&mut study, count, |space, trial| match trial.id {
                    5 => Outcome::failed("no"),
                    _ => observe(space, trial),
                });
            }
            study.ask(3).unwrap();
            all.push((format!("{name} {goal:?}"), study));
        }
    }
    all
}

#[test]
fn forecasts_are_predictions_and_the_best_ones_first() {
    for (name, mut study) in grown() {
        let ranking = study.ranking(0).unwrap();
        assert_eq!(ranking.len(), 27, "{name}");
        assert!(!ranking.contains(&5));
        let points: Vec<Point> =
            ranking.iter().map(|&t| study.history().records()[t as usize - 1].trial.point.clone()).collect();
        let (forecasts, predicted) = (study.predict_interval(0, &points).unwrap(), study.predict(0, &points).unwrap());
        let best = study.best().unwrap().unwrap().believed;
        assert_eq!(ranking[0], best.trial.id);
        assert!((forecasts[0].mean - best.mean).abs() < 1e-9, "{name}");
        assert!((forecasts[0].interval.0 - best.interval.0).abs() < 1e-6, "{name}");
        for (predict_interval, mean) in forecasts.iter().zip(&predicted.mean) {
            assert_eq!(predict_interval.mean, *mean, "{name}");
            assert!(
                predict_interval.interval.0 <= predict_interval.mean
                    && predict_interval.mean <= predict_interval.interval.1,
                "{name}: {predict_interval:?}"
            );
        }
    }
}

#[test]
fn intervals_are_those_of_the_normal_if_nothing_is_warped() {
    let mut config = small(plane());
    config.model.outcome_transform = OutcomeTransformChoice::Off;
    let mut study = memory(config);
    advance(&mut study, 20, observe);
    let points: Vec<Point> = study.history().records().iter().map(|record| record.trial.point.clone()).collect();
    let (forecasts, predicted) = (study.predict_interval(0, &points).unwrap(), study.predict(0, &points).unwrap());
    for (i, predict_interval) in forecasts.iter().enumerate() {
        let width = 2.0 * 1.959964 * predicted.variance[i].sqrt();
        assert!(
            (predict_interval.interval.1 - predict_interval.interval.0 - width).abs() < 1e-6 * width,
            "{predict_interval:?}"
        );
    }
}

#[test]
fn outcomes_are_left_out_in_the_users_units() {
    for (name, mut study) in grown() {
        let leave_one_out = study.leave_one_out(0, &[1, 5, 0, 29, 1000, 28, 2]).unwrap();
        assert_eq!(leave_one_out.iter().map(|one| one.trial).collect::<Vec<_>>(), [1, 28, 2], "{name}");
        let all = study.leave_one_out(0, &(1..=28).collect::<Vec<_>>()).unwrap();
        for one in &all {
            let record = &study.history().records()[one.trial as usize - 1];
            assert_eq!(Some(vec![one.observed]), record.values(), "{name}");
            let (low, high) = one.predict_interval.interval;
            let inside = (low..=high).contains(&one.observed);
            assert_eq!(inside, one.deviations.abs() <= 1.959964, "{name}: {one:?}");
            if !inside {
                assert_eq!(one.observed > high, one.deviations > 0.0, "{name}: {one:?}");
            }
        }
        // Fifteen inducing points in four dimensions make a sparse model too sure; the exact one knows what it does not know.
        if study.inducing_points(0).unwrap().is_none() {
            let inside = all.iter().filter(|one| one.deviations.abs() < 1.96).count();
            assert!(inside >= 21, "{name}: {inside} of {} within 95 % intervals", all.len());
        }
    }
}

#[test]
fn importance_is_the_range_in_length_scales() {
    for (name, mut study) in grown() {
        let importance = study.importance(0).unwrap();
        let (hyper, _) = study.hyperparameters(0).unwrap();
        let family = Kernel::stationary(study.config().model.kernel.family(), 1.0, 1.0, 1);
        let correlation = |r: f64| family.matrix(Mat::zeros(1, 1).as_ref(), Mat::full(1, 1, r).as_ref())[(0, 0)];
        // Two points that differ in one input alone, from one end of its range to the other.
        let dimensions = study.config().space.dimensions();
        for (k, domain) in dimensions.iter().map(|dimension| &dimension.domain).enumerate() {
            let (near, far) =
                (Mat::zeros(1, dimensions.len()), Mat::from_fn(1, dimensions.len(), |_, j| f64::from(j == k)));
            let (same, other) =
                (hyper.kernel.diagonal(near.as_ref())[0], hyper.kernel.matrix(near.as_ref(), far.as_ref()));
            let expected = other[(0, 0)] / same;
            assert!((correlation(importance[k]) - expected).abs() < 1e-9, "{name}: input {k}, {domain:?}");
            assert!(importance[k] > 0.0);
        }
    }
}

#[test]
fn an_input_that_never_changes_has_no_importance() {
    let rows: Vec<Point> = (0..40).map(|i| vec![Value::Real(3.0), "one".into(), Value::Real(f64::from(i))]).collect();
    let names = ["constant", "word", "number"].map(String::from);
    let mut study = memory(small(Space::from_table(&names, rows).unwrap()));
    advance(&mut study, 20, |_, trial| match trial.point[2] {
        Value::Real(x) => Outcome::value((0.2 * x).sin()),
        _ => panic!("{trial:?}"),
    });
    let importance = study.importance(0).unwrap();
    assert!(importance[0] == 0.0 && importance[1] == 0.0 && importance[2] > 0.0, "{importance:?}");
}

#[test]
fn inducing_points_are_those_of_the_posterior() {
    for (name, mut study) in grown() {
        let posterior = study.posterior(0).unwrap();
        match study.inducing_points(0).unwrap() {
            None => assert!(name.contains("Minimize"), "{name}"),
            Some(points) => {
                assert!(name.contains("Maximize"), "{name}");
                assert_eq!(points.len(), posterior.z().nrows());
                for (i, point) in points.iter().enumerate() {
                    let numbers = study.config().space.encode(point).unwrap();
                    assert!(numbers.iter().enumerate().all(|(k, v)| *v == posterior.z()[(i, k)]), "{name}: {point:?}");
                }
            }
        }
    }
}

/// The quality of lin-dpp is the outcome above the worst one, as the model sees it.
#[test]
fn quality_is_that_of_the_allocation() {
    let mut config = small(plane());
    config.allocation = Allocation::LinDpp;
    config.outputs[0].goal = Goal::Minimize;
    let mut study = memory(config);
    assert_eq!(study.quality(0), Ok(Vec::new()));
    for count in [8, 10] {
        advance(
            &mut study,
            count,
            |space, trial| if trial.id == 3 { Outcome::failed("no") } else { observe(space, trial) },
        );
    }
    let (_, units) = study.hyperparameters(0).unwrap();
    let told = |trial: u64| Some(units.to_model(-study.trial(trial).unwrap().values()?[0]));
    let worst = (1..=18).filter_map(told).fold(f64::INFINITY, f64::min);
    let expected: Vec<(u64, f64)> = (1..=18).filter_map(|trial| Some((trial, told(trial)? - worst))).collect();
    assert_eq!(study.quality(0).unwrap(), expected);
}

#[test]
fn without_outcomes_there_is_nothing_to_say() {
    let mut study = memory(small(plane()));
    study.ask(4).unwrap();
    assert_eq!(study.ranking(0), Ok(Vec::new()));
    assert_eq!(study.leave_one_out(0, &[1, 2]), Ok(Vec::new()));
    assert!(study.importance(0).is_err() && study.predict_interval(0, &[vec![0.0.into(), 1.0.into()]]).is_err());
}

/// A class that contradicts all its neighbours is predicted by them, not by itself.
#[test]
fn classes_are_left_out() {
    let mut config = small(plane());
    config.outputs[0].goal = Goal::Classify;
    let mut study = memory(config);
    let odd = 24;
    let point = |i: u64| plane().decode(&[(i % 7) as f64 / 6.0, (i / 7) as f64 / 6.0]).unwrap();
    let class = |i: u64| f64::from((i % 7 > 3) != (i == odd));
    let rows: Vec<_> = (0..49).map(|i| (point(i), Some(Outcome::value(class(i))))).collect();
    study.add(&rows).unwrap();
    let trials: Vec<u64> = (1..=49).collect();
    let left_out = study.leave_one_out(0, &trials).unwrap();
    let with_all = study.predict(0, &(0..49).map(point).collect::<Vec<_>>()).unwrap().mean;
    for (one, with) in left_out.iter().zip(&with_all) {
        let without = one.predict_interval.mean;
        assert!((0.0..=1.0).contains(&without) && one.deviations.is_finite(), "{one:?}");
        // Without its label, the model believes it less.
        assert!((one.observed - without).abs() >= (one.observed - with).abs() - 1e-9, "{one:?} {with}");
    }
    let without = left_out[odd as usize].predict_interval.mean;
    assert!(without < 0.5 && without + 0.01 < with_all[odd as usize], "{without} {}", with_all[odd as usize]);
    let accuracy = study.accuracy(0).unwrap().unwrap();
    assert!(accuracy > 0.8 && accuracy < 1.0, "{accuracy}");
    assert_eq!(memory(small(plane())).accuracy(0), Ok(None));
}
