//! Outcomes that break arithmetic: whatever is told, everything that a study says of it is a finite number.

use super::outputs::with_goals;
use super::*;
use spargo::study::{CrediblePrediction, Goal};

/// An outcome, made from that of a harmless function and the number of the trial.
type Nasty = fn(f64, u64) -> f64;

/// Outcomes at the ends of what numbers can be.
fn nasty() -> [(&'static str, Nasty); 11] {
    [
        ("constant", |_, _| 7.0),
        ("one 1e308", |y, id| if id == 3 { 1e308 } else { y }),
        ("one -1e308", |y, id| if id == 3 { -1e308 } else { y }),
        ("the largest numbers", |_, id| if id % 2 == 0 { f64::MAX } else { f64::MIN }),
        ("all times 1e300", |y, _| 1e300 * y),
        ("half of them times 1e300", |y, id| if id % 2 == 0 { 1e300 * y } else { y }),
        ("a penalty", |y, id| if id == 3 { -1e9 } else { y }),
        ("multiples of the least number", |y, _| 5e-324 * (100.0 * y).round()),
        ("all times 1e-300", |y, _| 1e-300 * y),
        ("far from 0", |y, _| 1e15 + y),
        ("zeros of both signs", |_, id| if id % 2 == 0 { 0.0 } else { -0.0 }),
    ]
}

/// Goals with the rules that suit them; the first output has the nasty outcomes.
fn tasks() -> Vec<(Vec<Goal>, &'static [&'static str])> {
    let bounded = Goal::Constraint { at_least: Some(-1.0), at_most: Some(1e200) };
    vec![
        (vec![Goal::Maximize], &["thompson", "log-ei", "gibbon"]),
        (vec![Goal::Minimize], &["thompson"]),
        (vec![Goal::Maximize, Goal::Minimize], &["thompson", "ehvi", "hippo"]),
        (vec![bounded, Goal::Maximize], &["thompson", "log-ei"]),
        (vec![Goal::Level(0.3)], &["straddle"]),
    ]
}

fn assert_finite(case: &str, what: &str, numbers: impl IntoIterator<Item = f64>) {
    for number in numbers {
        assert!(number.is_finite(), "{case}: {what} {number}");
    }
}

fn of_prediction(CrediblePrediction { mean, interval }: CrediblePrediction) -> [f64; 3] {
    [mean, interval.0, interval.1]
}

/// Everything that a study says of its outputs.
fn assert_all_finite(case: &str, study: &mut Study) {
    let at: Vec<Point> = study.history().records().iter().map(|record| record.trial.point.clone()).collect();
    let ids: Vec<u64> = (1..=at.len() as u64).collect();
    for output in 0..study.config().outputs.len() {
        let prediction = study.predict(output, &at).unwrap();
        assert_finite(case, "mean", prediction.mean);
        assert_finite(case, "variance", prediction.variance);
        let intervals = study.predict_interval(output, &at).unwrap();
        assert_finite(case, "interval", intervals.into_iter().flat_map(of_prediction));
        for left_out in study.leave_one_out(output, &ids).unwrap() {
            assert_finite(case, "leave-one-out", of_prediction(left_out.predict_interval));
            assert_finite(case, "deviation", [left_out.deviations, left_out.observed]);
        }
        assert_finite(case, "importance", study.importance(output).unwrap());
        assert_finite(case, "quality", study.quality(output).unwrap().into_iter().map(|(_, q)| q));
    }
    if let Some(best) = study.best().unwrap() {
        assert_finite(case, "best", [best.observed.value, best.believed.mean]);
        assert_finite(case, "best's interval", [best.believed.interval.0, best.believed.interval.1]);
    }
    let fronts = study.fronts().unwrap();
    assert_finite(case, "front", fronts.believed.iter().chain(&fronts.observed).flat_map(|point| point.values.clone()));
    for model in study.reports().unwrap().into_iter().flat_map(|report| report.models) {
        assert_finite(case, "objective", model.fit.map(|fit| fit.objective));
    }
}

#[test]
fn whatever_the_outcomes_are_nothing_is_infinite_or_nan() {
    for (name, outcome) in nasty() {
        for (goals, rules) in tasks() {
            for rule in rules {
                let case = &format!("{name}, {goals:?}, {rule}");
                let observe = |space: &Space, trial: &Trial| {
                    let harmless = bowl(space, &trial.point);
                    let mut values = vec![0.5 * harmless; goals.len()];
                    values[0] = outcome(harmless, trial.id);
                    Outcome::values(values)
                };
                let config = Config { rule: Some(by_name(rule)), ..with_goals(plane(), &goals) };
                let mut study = memory(config);
                for count in [8, 5, 10, 5] {
                    let trials = advance(&mut study, count, observe);
                    assert_valid(&plane(), &trials);
                }
                let without: Vec<_> = study.reports().unwrap().into_iter().filter_map(|r| r.without_model).collect();
                assert!(without.is_empty(), "{case}: {without:?}");
                assert_all_different(&points(&study));
                assert_all_finite(case, &mut study);
                if goals[0].is_objective() {
                    assert_valid(&plane(), &study.replicate(3).unwrap());
                }
                let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
                assert_eq!(again.history(), study.history(), "{case}");
                assert_eq!(again.ask(2).unwrap(), study.ask(2).unwrap(), "{case}");
            }
        }
    }
}
