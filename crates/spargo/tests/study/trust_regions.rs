//! Trust regions with constraints and with several objectives.

use super::outputs::{COMPETING, LIMIT, compete, limited, with_goals};
use super::*;
use spargo::study::{Goal, TrustRegionOptions};

type Measure = fn(&Space, &Trial) -> Outcome;

/// A constraint, two objectives, and both.
fn kinds() -> [(&'static str, Vec<Goal>, Measure); 3] {
    let both = |space: &Space, trial: &Trial| match (compete(space, trial), limited(space, trial)) {
        (Outcome::Observed { mut values, .. }, Outcome::Observed { values: other, .. }) => {
            values.push(other[1]);
            Outcome::Observed { values, noise: None }
        }
        _ => Outcome::failed("never"),
    };
    [
        ("constraint", vec![Goal::Maximize, LIMIT], limited),
        ("two objectives", COMPETING.to_vec(), compete),
        ("both", vec![COMPETING[0], COMPETING[1], LIMIT], both),
    ]
}

/// A study of the plane with 40 outcomes, without local models.
fn told(goals: &[Goal], share: Option<f64>, outcome: Measure) -> Study {
    let mut config = Config { initial: 40, inducing: 40, ..with_goals(plane(), goals) };
    (config.trust_regions, config.local_models.neighbours) = (TrustRegionOptions { share }, 0);
    let mut study = memory(config);
    advance(&mut study, 40, outcome);
    study
}

#[test]
fn a_share_of_each_batch_lies_in_small_regions_around_incumbents() {
    for (kind, goals, outcome) in kinds() {
        let close = |share: Option<f64>| {
            let mut study = told(&goals, share, outcome);
            let incumbents: Vec<Point> =
                study.fronts().unwrap().believed.into_iter().map(|point| point.trial.point).collect();
            assert!(!incumbents.is_empty(), "{kind}");
            let trials = study.ask(60).unwrap();
            assert_valid(&plane(), &trials);
            assert_all_different(&points(&study));
            let nearest = |trial: &Trial| {
                incumbents.iter().map(|other| apart(&plane(), &trial.point, other)).fold(f64::INFINITY, f64::min)
            };
            trials.iter().map(nearest).filter(|&distance| distance < 0.1).count()
        };
        let (none, half, all) = (close(Some(0.0)), close(Some(0.5)), close(Some(1.0)));
        assert!(all >= 20, "{kind}: {none} {half} {all} of 60");
        // A front of several objectives is everywhere: points are close to it with or without regions.
        assert!(
            goals.len() > 2 || goals == COMPETING || (half > none && half < all),
            "{kind}: {none} {half} {all} of 60"
        );
        // Unless it is set, there are none.
        assert_eq!(close(None), none, "{kind}");
    }
}

#[test]
fn every_space_has_trust_regions_and_local_models_for_every_kind_of_outputs() {
    for (name, space) in spaces() {
        for (kind, goals, outcome) in kinds() {
            let mut config = with_goals(space.clone(), &goals);
            config.trust_regions.share = Some(0.5);
            (config.local_models.neighbours, config.local_models.share) = (20, Some(0.4));
            let mut study = memory(config);
            for count in [8, 5, 5, 1, 5] {
                assert_valid(&space, &advance(&mut study, count, outcome));
            }
            assert_all_different(&points(&study));
            let reports = study.reports().unwrap();
            assert!(reports.iter().all(|report| report.without_model.is_none()), "{name} {kind}: {reports:?}");
            let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
            assert_eq!(again.ask(6).unwrap(), study.ask(6).unwrap(), "{name} {kind}");
        }
    }
}

/// Regions are then around the least infeasible trials.
#[test]
fn regions_lead_to_feasible_points_where_none_is_known() {
    let corner = |space: &Space, trial: &Trial| {
        let far = super::outputs::distance(space, &trial.point, 0.06);
        Outcome::Observed { values: vec![bowl(space, &trial.point), far], noise: None }
    };
    let limit = Goal::Constraint { at_least: None, at_most: Some(0.001) };
    let mut config = with_goals(plane(), &[Goal::Maximize, limit]);
    config.trust_regions.share = Some(1.0);
    let mut study = memory(config);
    advance(&mut study, 8, corner);
    assert_eq!(study.best(), Ok(None), "nothing is feasible yet");
    for _ in 0..8 {
        assert_valid(&plane(), &advance(&mut study, 5, corner));
    }
    assert!(study.best().unwrap().is_some());
}
