//! Directions: minimising is maximising with the other sign, and what is reported is in the user's units.

use super::*;
use spargo::study::{Best, Goal};

/// The settings with this goal, and the sign that turns the bowl's outcomes to it.
fn goals(space: Space) -> [(Config, f64); 2] {
    [(Goal::Maximize, 1.0), (Goal::Minimize, -1.0)].map(|(goal, sign)| {
        let mut config = small(space.clone());
        config.outputs[0].goal = goal;
        (config, sign)
    })
}

/// The outcome in hundreds and far from zero.
fn told(space: &Space, trial: &Trial, sign: f64) -> f64 {
    sign * (700.0 + 100.0 * observe(space, trial).observed().unwrap()[0])
}

#[test]
fn minimising_asks_for_what_maximising_the_opposite_asks_for() {
    for (name, space) in spaces() {
        let [up, down] = goals(space).map(|(config, sign)| {
            let mut study = memory(config);
            for count in [8, 5, 5, 5] {
                advance(&mut study, count, |space, trial| Outcome::value(told(space, trial, sign)));
            }
            (points(&study), study.best().unwrap().unwrap(), study)
        });
        assert_eq!(up.0, down.0, "{name}");
        let (up, Best { believed, observed, .. }, study) = (up.1, down.1, down.2);
        assert_eq!((up.observed.trial, -up.observed.value), (observed.trial, observed.value));
        assert_eq!((&up.believed.trial, -up.believed.mean), (&believed.trial, believed.mean));
        assert_eq!((-up.believed.interval.1, -up.believed.interval.0), believed.interval);

        // What the bowl has, by the model and by the record.
        let (lower, upper) = believed.interval;
        assert!(lower < believed.mean && believed.mean < upper && upper - lower < 100.0, "{believed:?}");
        assert!((-805.0..-760.0).contains(&believed.mean), "{believed:?}");
        let values = study.history().records().iter().map(|record| told(&study.config().space, &record.trial, -1.0));
        assert_eq!(observed.value, values.fold(f64::INFINITY, f64::min));
    }
}

/// Without models of neighbourhoods.
#[test]
fn the_best_point_by_the_model_is_the_one_with_the_best_prediction_of_those_evaluated() {
    for (name, space) in spaces() {
        let [_, (mut config, sign)] = goals(space);
        config.local_models.neighbours = 0;
        let mut study = memory(config);
        for count in [8, 15] {
            advance(&mut study, count, |space, trial| Outcome::value(told(space, trial, sign)));
        }
        let believed = study.best().unwrap().unwrap().believed;
        let evaluated: Vec<Point> = study.history().records().iter().map(|r| r.trial.point.clone()).collect();
        let mean = study.predict(0, &evaluated).unwrap().mean;
        let best = (0..mean.len()).min_by(|&i, &j| mean[i].total_cmp(&mean[j])).unwrap();
        assert_eq!(believed.trial.id, best as u64 + 1, "{name}");
        // One row and many are different products.
        assert!((believed.mean / mean[best] - 1.0).abs() < 1e-12, "{name}: {} {}", believed.mean, mean[best]);
    }
}

#[test]
fn what_is_pending_is_no_candidate_for_the_best() {
    let mut study = memory(small(plane()));
    assert_eq!(study.best(), Ok(None));
    study.ask(8).unwrap();
    assert_eq!(study.best(), Ok(None));
    study.tell(&[(3, Outcome::value(-2.0)), (5, Outcome::value(-3.0)), (6, Outcome::failed("no"))]).unwrap();
    let Best { believed, observed, .. } = study.best().unwrap().unwrap();
    assert_eq!((observed.trial.id, observed.value), (3, -2.0));
    assert!([3, 5].contains(&believed.trial.id));
}
