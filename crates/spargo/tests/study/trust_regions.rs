//! Trust regions with constraints and with several objectives, and policies that remember what they have seen.

use super::late_outputs::only;
use super::outputs::{COMPETING, LIMIT, compete, limited, with_goals};
use super::*;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use spargo::acquire::optimizer::{Element, RegionNews, TrustRegion, TrustRegions};
use spargo::study::{Extensions, Goal, Note, PolicyChoice, Refit, TrustRegionOptions, TrustRegionPolicy};
use std::fmt;
use std::sync::{Arc, Mutex};

type Measure = fn(&Space, &Trial) -> Outcome;

/// A constraint, two objectives, and both.
fn kinds() -> [(&'static str, Vec<Goal>, Measure); 3] {
    let both = |space: &Space, trial: &Trial| {
        let [compete, limited] = [compete(space, trial), limited(space, trial)].map(|one| one.observed().unwrap());
        Outcome::values(compete.into_iter().chain([limited[1]]))
    };
    [
        ("constraint", vec![Goal::Maximize, LIMIT], limited),
        ("two objectives", COMPETING.to_vec(), compete),
        ("both", vec![COMPETING[0], COMPETING[1], LIMIT], both),
    ]
}

/// A study of the plane with 40 outcomes, without local models.
fn told(goals: &[Goal], share: Option<f64>, outcome: Measure) -> Study {
    let mut config = Config { initial: 40.into(), inducing: 40.into(), ..with_goals(plane(), goals) };
    (config.trust_regions.share, config.local_models.neighbours) = (share, 0);
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
        // Regions of a single objective are around other good trials, too.
        assert!(all >= if kind == "constraint" { 10 } else { 20 }, "{kind}: {none} {half} {all} of 60");
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
        Outcome::values([bowl(space, &trial.point), far])
    };
    let limit = Goal::Constraint { at_least: None, at_most: Some(0.001) };
    let mut config = with_goals(plane(), &[Goal::Maximize, limit]);
    config.trust_regions.share = Some(1.0);
    let mut study = memory(config);
    advance(&mut study, 8, corner);
    assert!(!study.best().unwrap().unwrap().feasible, "nothing is feasible yet");
    for _ in 0..8 {
        assert_valid(&plane(), &advance(&mut study, 5, corner));
    }
    assert!(study.best().unwrap().unwrap().feasible);
}

/// Two hills; the output with a limit satisfies it everywhere.
#[test]
fn regions_of_a_constrained_objective_lie_around_separate_optima() {
    let hills = |space: &Space, trial: &Trial| {
        let hill = |centre| (-20.0 * super::outputs::distance(space, &trial.point, centre)).exp();
        let values = vec![hill(0.15) + 0.8 * hill(0.85), super::outputs::shares(space, &trial.point)[0]];
        Outcome::values(values)
    };
    let limit = Goal::Constraint { at_least: None, at_most: Some(2.0) };
    let mut study = told(&[Goal::Maximize, limit], Some(1.0), hills);
    let trials = study.ask(60).unwrap();
    let close =
        |trial: &&Trial| super::outputs::shares(&plane(), &trial.point).iter().all(|share| (share - 0.85).abs() < 0.2);
    let lesser = trials.iter().filter(close).count();
    assert!((4..40).contains(&lesser), "{lesser} of 60 around the lesser hill");
}

/// Does something while a policy learns, once.
type Rival = Box<dyn FnOnce() + Send>;

/// Remembers the trials that it was shown, and how often it was shown any.
#[derive(Clone, Default)]
struct Counting {
    rival: Arc<Mutex<Option<Rival>>>,
}

impl fmt::Debug for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counting")
    }
}

impl TrustRegionPolicy for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn resume(&self, state: &serde_json::Value, options: &TrustRegionOptions) -> spargo::Result<Box<dyn TrustRegions>> {
        assert_eq!(options.share, Some(0.5));
        let (seen, updates) = serde_json::from_value(state.clone()).unwrap_or_default();
        Ok(Box::new(Counted { seen, updates, policy: self.clone() }))
    }
}

#[derive(Debug)]
struct Counted {
    seen: Vec<u64>,
    updates: usize,
    policy: Counting,
}

impl TrustRegions for Counted {
    fn update(&mut self, news: &RegionNews<'_>) {
        assert_eq!((news.observed.nrows(), news.pareto.means.len()), (news.trials.len(), news.trials.len()));
        self.seen.extend(news.new.iter().map(|&row| news.trials[row]));
        self.updates += 1;
        let rival = self.policy.rival.lock().unwrap().take();
        rival.into_iter().for_each(|rival| rival());
    }

    fn propose(&self, _: &Element<'_>, _: &mut ChaCha8Rng) -> Option<TrustRegion> {
        None
    }

    fn state(&self) -> serde_json::Value {
        json!((&self.seen, self.updates))
    }
}

/// The trials that the policy has been shown, in this order, and how often.
fn counted(study: &Study) -> (Vec<u64>, usize) {
    let state: serde_json::Value = serde_json::from_str(study.history().state().unwrap()).unwrap();
    serde_json::from_value(state["regions"]["state"].clone()).unwrap()
}

#[test]
fn a_policy_sees_every_row_once_whatever_chooses_the_points() {
    for local in [0.0, 0.4, 1.0] {
        let (folder, policy) = (Folder::new(), Counting::default());
        let path = folder.file("study.db");
        let open = |path: &std::path::Path, policy: &Counting| {
            let extensions = Extensions::default().with_trust_regions(policy.clone());
            Study::open(path).unwrap().with_extensions(&extensions)
        };
        let tell = |study: &mut Study, ids: &[u64]| {
            let outcome = |&id: &u64| (id, observe(&plane(), &study.trial(id).unwrap().trial));
            let outcomes: Vec<_> = ids.iter().map(outcome).collect();
            assert_eq!(study.tell(&outcomes).unwrap(), ids.len());
        };
        let ids = |trials: Vec<Trial>| trials.into_iter().map(|trial| trial.id).collect::<Vec<_>>();
        let mut config = small(plane());
        config.trust_regions.policy = PolicyChoice::custom(policy.clone());
        (config.local_models.neighbours, config.local_models.share) = (10, Some(local));
        let mut study = Study::create(&path, config).unwrap();
        let mut told = Vec::new();
        // A design, the same with one point of a model, batches.
        for count in [7, 2, 5, 5] {
            let asked = ids(study.ask(count).unwrap());
            tell(&mut study, &asked);
            told.extend(asked);
        }
        // One by one, by models that are used several times; the trial that was asked for last is told first.
        study.ask_with(3, Refit::Every(3)).unwrap();
        for round in 0..9 {
            study = open(&path, &policy);
            let mut pending = study.history().pending().map(|trial| trial.id).collect::<Vec<_>>();
            let id = if round % 2 == 0 { pending.pop().unwrap() } else { pending[0] };
            tell(&mut study, &[id]);
            told.push(id);
            study.ask_with(1, Refit::Every(3)).unwrap();
        }
        let again = ids(study.replicate(2).unwrap());
        tell(&mut study, &again);
        told.extend(again);
        // While this one chooses, another process asks, tells, and asks again.
        let rival = {
            let path = path.clone();
            move || {
                let mut study = open(&path, &Counting::default());
                let asked = ids(study.ask(2).unwrap());
                tell(&mut study, &asked);
                study.ask(1).unwrap();
            }
        };
        let next = study.history().records().len() as u64 + 1;
        *policy.rival.lock().unwrap() = Some(Box::new(rival));
        study.ask(3).unwrap();
        told.extend([next, next + 1]);
        assert_eq!(study.reports().unwrap().last().unwrap().replaced, 3, "no conflict");
        study.ask(1).unwrap();
        let reports = study.reports().unwrap();
        let steps = reports.iter().filter(|report| !report.models.is_empty() && report.again == 0).count();
        let (mut seen, updates) = counted(&study);
        assert_eq!(updates, steps, "local models {local}");
        // Rows that are new at the same step come in the order of their trials.
        assert_eq!(seen[..19], told[..19]);
        seen.sort_unstable();
        told.sort_unstable();
        assert_eq!(seen, told, "local models {local}");
    }
}

#[test]
fn without_its_policy_a_study_is_read_but_not_asked() {
    let mut config = small(plane());
    config.trust_regions.policy = PolicyChoice::custom(Counting::default());
    let mut study = memory(config);
    advance(&mut study, 8, observe);
    advance(&mut study, 5, observe);
    let mut bare = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
    assert_eq!(bare.best(), study.best());
    for refused in [bare.ask(1), bare.replicate(1)] {
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("'counting'") && refused.contains("memoryless"), "{refused}");
    }
    let config: Config = serde_json::from_str(&serde_json::to_string(bare.config()).unwrap()).unwrap();
    assert!(Study::in_memory(config).is_err());
    let mut whole = bare.with_extensions(&Extensions::default().with_trust_regions(Counting::default()));
    assert_eq!(whole.ask(5), study.ask(5));
    assert_eq!(counted(&whole).0, (1..=13).collect::<Vec<_>>());
}

/// As few outputs as one constraint more have no trust regions unless a share is set; a policy of one's own is used anyway.
#[test]
fn a_policy_that_is_named_is_used_with_constraints() {
    let mut config = with_goals(plane(), &[Goal::Maximize, LIMIT]);
    config.trust_regions.policy = PolicyChoice::custom(Counting::default());
    let mut study = memory(config);
    advance(&mut study, 8, limited);
    advance(&mut study, 5, limited);
    assert_eq!(counted(&study), ((1..=8).collect(), 1));
}

/// What comes later of a trial, or is corrected, is no trial more.
#[test]
fn late_outputs_and_amendments_are_not_new() {
    let mut config = with_goals(plane(), &[Goal::Maximize, LIMIT]);
    config.trust_regions.policy = PolicyChoice::custom(Counting::default());
    let mut study = memory(config);
    advance(&mut study, 8, limited);
    let trials = study.ask(4).unwrap();
    let outcomes: Vec<(u64, Outcome)> = trials.iter().map(|trial| (trial.id, limited(&plane(), trial))).collect();
    let part = |output: usize| -> Vec<(u64, Outcome)> {
        outcomes.iter().map(|(trial, outcome)| (*trial, only(output, outcome))).collect()
    };
    study.tell(&part(0)).unwrap();
    study.ask(2).unwrap();
    study.tell(&part(1)).unwrap();
    study.ask(2).unwrap();
    let right = limited(&plane(), &study.trial(3).unwrap().trial.clone());
    study.amend(&[(2, right)], &Note::new("a typo", "someone")).unwrap();
    study.ask(2).unwrap();
    assert_eq!(counted(&study).0, (1..=12).collect::<Vec<_>>());
}

/// A failure is no trial that has been seen: evaluated once more, its outcome is new.
#[test]
fn the_outcome_of_a_trial_that_had_failed_is_new() {
    let mut config = with_goals(plane(), &[Goal::Maximize, LIMIT]);
    config.trust_regions.policy = PolicyChoice::custom(Counting::default());
    let mut study = memory(config);
    advance(&mut study, 8, limited);
    let trials = study.ask(4).unwrap();
    let mut outcomes: Vec<(u64, Outcome)> = trials.iter().map(|trial| (trial.id, limited(&plane(), trial))).collect();
    let (id, right) = outcomes.remove(0);
    study.tell(&[(id, Outcome::failed("a crash"))]).unwrap();
    study.tell(&outcomes).unwrap();
    study.ask(2).unwrap();
    study.retry(&[id], &Note::new("mended", "someone")).unwrap();
    study.tell(&[(id, right)]).unwrap();
    study.ask(2).unwrap();
    let mut seen = counted(&study).0;
    assert_eq!(seen.pop(), Some(id));
    assert_eq!(seen, (1..=12).filter(|&trial| trial != id).collect::<Vec<_>>());
}
