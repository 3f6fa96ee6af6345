//! Steps between refits: rows enter the sums of the last one, and a process that was killed comes to the same.

use super::late_outputs::{LIMIT, only};
use super::outputs::{compete, with_goals};
use super::*;
use spargo::rng::uniform;
use spargo::study::{Goal, ModelReport, Note, Refit};

/// Just above the number of observations up to which every step is a refit.
const MANY: usize = 5100;

/// A sparse study with many observations, whose first model is fitted.
fn large(count: usize) -> Study {
    let mut study = memory(Config { replicates: Replicates::Allowed, ..small(square()) });
    let mut rng = stream(3, Purpose::Data, 0, 0);
    let rows: Vec<_> = (0..count)
        .map(|_| {
            let point: Point = vec![Value::Real(uniform(&mut rng)), Value::Real(uniform(&mut rng))];
            let value = bowl(&square(), &point) + 0.05 * normal(&mut rng);
            (point, Some(Outcome::value(value)))
        })
        .collect();
    study.add(&rows).unwrap();
    study
}

/// How the model of the last ask came about: the observations that it has seen, and whether it was fitted for it.
fn last_fit(study: &Study) -> (usize, bool) {
    let ModelReport { observations, fit, .. } = last_report(study).models.remove(0);
    (observations, fit.is_some())
}

#[test]
fn rows_enter_between_refits_and_a_resumed_study_asks_for_the_same_points() {
    let mut study = large(MANY);
    advance(&mut study, 5, observe);
    assert_eq!(last_fit(&study), (MANY, true));
    for round in 0..6 {
        let bytes = study.to_bytes().unwrap();
        advance(&mut study, 20, observe);
        assert_eq!(last_fit(&study), (MANY + 5 + 20 * round, false), "round {round}");
        if round % 4 == 1 {
            let mut resumed = Study::from_bytes(&bytes).unwrap();
            resumed.ask(20).unwrap();
            assert_eq!(points(&resumed), points(&study), "round {round}");
        }
    }
    // Some of the trials are told late, and stand before others that have entered.
    let late = study.ask(70).unwrap();
    let tell = |study: &mut Study, trials: &[Trial]| {
        let told: Vec<_> = trials.iter().map(|trial| (trial.id, observe(&square(), trial))).collect();
        study.tell(&told).unwrap();
    };
    tell(&mut study, &late[3..]);
    study.ask(1).unwrap();
    tell(&mut study, &late[..3]);
    let mut resumed = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    study.ask(2).unwrap();
    resumed.ask(2).unwrap();
    assert!(!last_fit(&study).1);
    assert_eq!(points(&resumed), points(&study));
}

#[test]
fn few_data_growth_corrections_and_surprises_make_a_refit() {
    let mut few = large(4900);
    (0..2).for_each(|_| drop(advance(&mut few, 5, observe)));
    assert!(last_fit(&few).1);

    let mut study = large(MANY);
    (0..2).for_each(|_| drop(advance(&mut study, 5, observe)));
    assert!(!last_fit(&study).1);
    study.amend(&[(7, Outcome::value(0.9))], &Note::new("typed wrong", "someone")).unwrap();
    advance(&mut study, 5, observe);
    assert!(last_fit(&study).1, "a correction");
    // Ten standard deviations of the noise, but no extremes.
    advance(&mut study, 5, |space, trial| Outcome::value(bowl(space, &trial.point) - 0.5));
    assert!(!last_fit(&study).1);
    advance(&mut study, 5, observe);
    assert!(last_fit(&study).1, "a surprise");
    let grown: Vec<_> = (0..600)
        .map(|i| {
            let point: Point = vec![Value::Real(f64::from(i) / 600.0), Value::Real(0.5)];
            let value = Outcome::value(bowl(&square(), &point));
            (point, Some(value))
        })
        .collect();
    study.add(&grown[..100]).unwrap();
    study.ask(1).unwrap();
    assert!(!last_fit(&study).1);
    study.add(&grown[100..]).unwrap();
    study.ask(1).unwrap();
    assert!(last_fit(&study).1, "growth");
}

#[test]
fn what_is_seen_otherwise_and_other_settings_make_a_refit() {
    let mut study = large(MANY);
    let extreme = |at: f64| (vec![Value::Real(at), Value::Real(0.1)], Some(Outcome::value(-1e9)));
    study.add(&[extreme(0.1), extreme(0.9)]).unwrap();
    (0..2).for_each(|_| drop(advance(&mut study, 5, observe)));
    assert!(!last_fit(&study).1);
    // Two are left out as errors, three are a region of bad outcomes, and all of them are seen.
    study.add(&[extreme(0.5)]).unwrap();
    let mut resumed = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    advance(&mut study, 5, observe);
    assert_eq!(last_fit(&study), (MANY + 3 + 10, true));
    resumed.ask(5).unwrap();
    assert_eq!(points(&resumed), points(&study));

    advance(&mut study, 5, observe);
    assert!(!last_fit(&study).1);
    let config = Config { inducing: (study.config().most_inducing() + 1).into(), ..study.config().clone() };
    study.reconfigure(config, &Note::new("finer", "someone")).unwrap();
    advance(&mut study, 5, observe);
    assert!(last_fit(&study).1);
}

/// Some outputs of old trials come after the last step between refits: a draw without a fit looks at the trials that this step looked at.
#[test]
fn an_output_that_comes_late_changes_no_draw_of_the_step_before() {
    let mut study = memory(with_goals(square(), &[Goal::Maximize, LIMIT]));
    let mut rng = stream(3, Purpose::Data, 0, 0);
    let row = |i: usize| {
        let point: Point = vec![Value::Real(uniform(&mut rng)), Value::Real(uniform(&mut rng))];
        let outcome = compete(&square(), &Trial { id: i as u64 + 1, point: point.clone(), row: None });
        (point, Some(if i < 60 { only(0, &outcome) } else { outcome }))
    };
    let rows: Vec<_> = (0..MANY + 100).map(row).collect();
    study.add(&rows).unwrap();
    (0..2).for_each(|_| drop(advance(&mut study, 5, compete)));
    assert!(!last_fit(&study).1);
    study.ask(2).unwrap();
    let late = (1..=60)
        .map(|id| (id, only(1, &compete(&square(), &Trial { id, point: rows[id as usize - 1].0.clone(), row: None }))));
    study.tell(&late.collect::<Vec<_>>()).unwrap();
    let mut resumed = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    for study in [&mut study, &mut resumed] {
        study.ask_with(8, Refit::Every(1000)).unwrap();
    }
    assert_eq!(points(&resumed), points(&study));
}
