//! Corrections: what was told can be amended, withdrawn and measured again, and models use the latest.

use super::outputs::with_goals;
use super::*;
use spargo::study::{Change, Correction, Goal, Measurement, Note, Status};

fn note() -> Note {
    Note::new("a typo", "someone")
}

/// A study in which trial 3 was told a value that is far too good.
fn with_typo(config: Config) -> Study {
    let mut study = memory(config);
    advance(&mut study, 8, |space, trial| if trial.id == 3 { Outcome::value(99_999.0) } else { observe(space, trial) });
    advance(&mut study, 5, observe);
    study
}

/// The points of the next batch, and the mean of the model at some points.
fn next(study: &mut Study) -> (Vec<Point>, Vec<f64>) {
    let trials = study.ask(5).unwrap();
    let points: Vec<Point> = trials.into_iter().map(|trial| trial.point).collect();
    let means = study.predict(0, &points).unwrap().mean;
    (points, means)
}

#[test]
fn models_use_the_latest_outcomes() {
    let mut study = with_typo(small(plane()));
    assert_eq!(study.best().unwrap().unwrap().observed.value, 99_999.0);
    let right = observe(&plane(), &study.trial(3).unwrap().trial.clone());
    let changes = study.amend(&[(3, right.clone())], &note()).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(study.trial(3).unwrap().outcome(), Some(right.clone()));
    assert!(study.best().unwrap().unwrap().observed.value < 10.0);

    // Nothing is left of the typo: a model of the same outcomes that never saw it says the same.
    let (points, means) = next(&mut study);
    let mut fresh = memory(small(plane()));
    let told =
        study.history().records().iter().filter_map(|record| Some((record.trial.point.clone(), record.outcome()?)));
    let told: Vec<_> = told.map(|(point, outcome)| (point, Some(outcome))).collect();
    fresh.add(&told).unwrap();
    let expected = fresh.predict(0, &points).unwrap().mean;
    let range = 2.0;
    for (mean, expected) in means.iter().zip(&expected) {
        assert!((mean - expected).abs() < 0.05 * range, "{means:?} {expected:?}");
    }
}

#[test]
fn a_corrected_study_goes_on_alike_wherever_it_is_kept() {
    let folder = Folder::new();
    let expected = {
        let mut study = with_typo(small(plane()));
        study.amend(&[(3, Outcome::value(0.1))], &note()).unwrap();
        study.discard(&[4], &note()).unwrap();
        study.retry(&[5], &note()).unwrap();
        next(&mut study)
    };
    let mut study = Study::create(&folder.file("corrected.db"), small(plane())).unwrap();
    advance(&mut study, 8, |space, trial| if trial.id == 3 { Outcome::value(99_999.0) } else { observe(space, trial) });
    advance(&mut study, 5, observe);
    let corrections = [
        Correction::Amend(vec![(3, Outcome::value(0.1))]),
        Correction::Discard(vec![4]),
        Correction::Retry { trials: vec![5], output: None },
    ];
    for correction in corrections {
        drop(study);
        study = Study::open(&folder.file("corrected.db")).unwrap();
        study.correct(&correction, &note()).unwrap();
    }
    drop(study);
    assert_eq!(next(&mut Study::open(&folder.file("corrected.db")).unwrap()), expected);
}

#[test]
fn every_state_of_a_trial_can_be_corrected_and_history_is_kept() {
    let mut study = memory(small(plane()));
    study.ask(4).unwrap();
    study.tell(&[(1, Outcome::value(1.0)), (2, Outcome::failed("broken"))]).unwrap();
    let (observed, failed, gone) = (Some(vec![Measurement::value(1.0)]), Some(vec![Measurement::failed("no")]), None);
    let pending = Some(vec![Measurement::Pending]);
    for trial in [1, 2, 3] {
        let steps: [(Correction, Status, &Option<Vec<Measurement>>); 7] = [
            (Correction::Amend(vec![(trial, Outcome::failed("no"))]), Status::Failed, &failed),
            (Correction::Amend(vec![(trial, Outcome::value(1.0))]), Status::Done, &observed),
            (Correction::Retry { trials: vec![trial], output: None }, Status::Pending, &pending),
            (Correction::Discard(vec![trial]), Status::Discarded, &gone),
            (Correction::Amend(vec![(trial, Outcome::value(1.0))]), Status::Done, &observed),
            (Correction::Discard(vec![trial]), Status::Discarded, &gone),
            (Correction::Retry { trials: vec![trial], output: None }, Status::Pending, &pending),
        ];
        for (place, (correction, status, after)) in steps.into_iter().enumerate() {
            let before = study.trial(trial).unwrap().revisions.last().map(|revision| revision.after.clone());
            let changes = study.preview(&correction).unwrap();
            assert_eq!(study.correct(&correction, &note()), Ok(changes.clone()), "{correction:?}");
            assert_eq!(changes, [Change { trial, before: changes[0].before.clone(), after: after.clone() }]);
            assert!(before.is_none_or(|before| before == changes[0].before));
            assert_eq!(study.trial(trial).unwrap().status(), status);
            assert_eq!(study.trial(trial).unwrap().revisions.len(), place + 1);
            assert_eq!(study.correct(&correction, &note()), Ok(vec![]), "once is enough");
        }
        // Pending again, it can be told.
        study.tell(&[(trial, Outcome::value(4.0))]).unwrap();
        assert_eq!(study.trial(trial).unwrap().values(), Some(vec![4.0]));
    }
    let revisions = &study.trial(2).unwrap().revisions;
    assert_eq!(revisions[0].before, Some(vec![Measurement::failed("broken")]));
    assert!(revisions.iter().all(|revision| revision.note.reason == "a typo" && revision.note.by == "someone"));
    assert!(revisions.iter().all(|revision| revision.note.time > 1_600_000_000_000));
    let again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    assert_eq!(again.history(), study.history());
}

#[test]
fn corrections_are_all_or_nothing_and_have_a_reason() {
    let mut study = memory(small(plane()));
    advance(&mut study, 8, observe);
    for correction in [
        Correction::Amend(vec![(1, Outcome::value(1.0)), (9, Outcome::value(1.0))]),
        Correction::Amend(vec![(1, Outcome::value(1.0)), (2, Outcome::values([1.0, 2.0]))]),
        Correction::Amend(vec![(1, Outcome::noisy(1.0, -1.0))]),
        Correction::Discard(vec![1, 0]),
        Correction::Retry { trials: vec![1, 12], output: None },
        Correction::Retry { trials: vec![1], output: Some(1) },
    ] {
        let before = study.history().clone();
        assert!(study.preview(&correction).is_err(), "{correction:?}");
        assert!(study.correct(&correction, &note()).is_err(), "{correction:?}");
        assert_eq!(*study.history(), before);
    }
    let refused = study.discard(&[1], &Note::new(" ", "someone")).unwrap_err();
    assert!(refused.to_string().contains("reason"), "{refused}");
    study.discard(&[1], &note()).unwrap();
    let told = study.tell(&[(1, Outcome::value(2.0))]).unwrap_err();
    assert!(told.to_string().contains("trial 1 was discarded"), "{told}");
}

#[test]
fn discarded_trials_are_free_again_and_count_nowhere() {
    let space = Space::new(vec![Dimension::int("n", 1, 6)]).unwrap();
    let mut study = memory(small(space));
    let trials = study.ask(6).unwrap();
    study.tell(&[(1, Outcome::value(1.0)), (2, Outcome::failed("no"))]).unwrap();
    assert!(study.ask(1).is_err(), "the space is exhausted");
    let changed = study.correct(&Correction::DiscardPending, &note()).unwrap();
    assert_eq!(changed.iter().map(|change| change.trial).collect::<Vec<_>>(), [3, 4, 5, 6]);
    let counts = study.counts();
    assert_eq!((counts.trials, counts.pending, counts.discarded), (2, 0, 4));
    let again = study.ask(4).unwrap();
    let sorted = |trials: &[Trial]| {
        let mut points: Vec<String> = trials.iter().map(|trial| format!("{:?}", trial.point)).collect();
        points.sort();
        points
    };
    assert_eq!(sorted(&again), sorted(&trials[2..]));
}

#[test]
fn failures_are_retried_output_by_output() {
    let goals = [Goal::Maximize, Goal::Constraint { at_least: None, at_most: Some(1.0) }];
    let mut study = memory(with_goals(plane(), &goals));
    study.ask(3).unwrap();
    let half = Outcome::Measured(vec![Measurement::value(1.0), Measurement::failed("lost")]);
    study.tell(&[(1, half), (2, Outcome::failed("broken")), (3, Outcome::values([1.0, 2.0]))]).unwrap();
    let changed = study.correct(&Correction::RetryFailed, &note()).unwrap();
    assert_eq!(changed.iter().map(|change| change.trial).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(study.trial(1).unwrap().status(), Status::Partial);
    assert_eq!(study.trial(2).unwrap().status(), Status::Pending);
    study.correct(&Correction::Retry { trials: vec![3], output: Some(1) }, &note()).unwrap();
    let known: Vec<_> = study.trial(3).unwrap().measurements().cloned().collect();
    assert_eq!(known, [Measurement::value(1.0), Measurement::Pending]);
}
