//! Campaigns: what is evaluated, in which order, and why they end.

use super::outputs::{LIMIT, with_goals};
use super::{Folder, bowl, memory, observe, plane, points, small};
use spargo::space::{Dimension, Space, Value};
use spargo::study::{Budget, Campaign, Config, Goal, Mode, Next, Outcome, Output, Study, Trial, Why};

fn tell(study: &mut Study, trials: &[Trial], outcome: impl Fn(&Space, &Trial) -> Outcome) {
    let told: Vec<_> = trials.iter().map(|trial| (trial.id, outcome(&study.config().space, trial))).collect();
    study.tell(&told).unwrap();
}

/// Evaluates whatever a campaign hands out, at once; returns the sizes of its batches and why it ended.
fn run(campaign: &mut Campaign, study: &mut Study, outcome: impl Fn(&Space, &Trial) -> Outcome) -> (Vec<usize>, Why) {
    let mut sizes = Vec::new();
    loop {
        match campaign.next(study, 3).unwrap() {
            Next::Evaluate(trials) => {
                sizes.push(trials.len());
                tell(study, &trials, &outcome);
            }
            Next::Wait => panic!("nothing is in flight"),
            Next::Done(why) => return (sizes, why),
        }
    }
}

fn campaign(budget: usize, final_replicates: usize) -> Campaign {
    let mut campaign = Campaign::new(Budget::Total(budget));
    campaign.final_replicates = final_replicates;
    campaign
}

/// Six points.
fn few() -> Config {
    Config { initial: 4.into(), batch: 3, ..small(Space::new(vec![Dimension::int("n", 1, 6)]).unwrap()) }
}

fn failed(_: &Space, trial: &Trial) -> Outcome {
    Outcome::failed(if trial.id == 1 { "late" } else { "broken" })
}

#[test]
fn the_initial_design_batches_and_replicates_fill_the_budget() {
    let mut study = memory(small(plane()));
    let (sizes, why) = run(&mut campaign(30, 7), &mut study, observe);
    assert_eq!((sizes, why), (vec![8, 5, 5, 5, 5, 2], Why::BudgetSpent));
    let again: Vec<usize> = study.reports().unwrap().iter().map(|report| report.again).collect();
    assert_eq!(again, [0, 0, 0, 0, 5, 2]);
    // The budget is that of the study in all, and a larger one continues.
    assert_eq!(run(&mut campaign(30, 7), &mut study, observe), (vec![], Why::BudgetSpent));
    assert_eq!(run(&mut campaign(32, 0), &mut study, observe), (vec![2], Why::BudgetSpent));
    // A budget of its own counts only what the campaign hands out.
    let mut own = Campaign::new(Budget::Own(9));
    (own.batch, own.final_replicates) = (Some(4), 3);
    assert_eq!(run(&mut own, &mut study, observe), (vec![4, 2, 3], Why::BudgetSpent));
    assert_eq!(study.counts().trials, 41);
}

#[test]
fn a_campaign_asks_for_what_asks_by_hand_would() {
    let (mut by_campaign, mut by_hand) = (memory(small(plane())), memory(small(plane())));
    run(&mut campaign(23, 5), &mut by_campaign, observe);
    for count in [8, 5, 5] {
        let trials = by_hand.ask(count).unwrap();
        tell(&mut by_hand, &trials, observe);
    }
    let trials = by_hand.replicate(5).unwrap();
    tell(&mut by_hand, &trials, observe);
    assert_eq!(points(&by_campaign), points(&by_hand));
}

#[test]
fn the_next_batch_waits_for_the_last_one() {
    let mut study = memory(small(plane()));
    let mut batches = campaign(20, 0);
    let Next::Evaluate(trials) = batches.next(&mut study, 9).unwrap() else { panic!() };
    tell(&mut study, &trials[1..], observe);
    assert_eq!(batches.next(&mut study, 9).unwrap(), Next::Wait);
    assert!(batches.in_flight().iter().eq([&trials[0].id]));
    tell(&mut study, &trials[..1], observe);
    assert!(matches!(batches.next(&mut study, 9).unwrap(), Next::Evaluate(trials) if trials.len() == 5));
}

#[test]
fn idle_workers_get_single_trials_and_replicates_come_when_all_others_are_complete() {
    let mut study = memory(small(plane()));
    let mut single = campaign(14, 4);
    single.mode = Mode::Async { refit_every: 5 };
    let mut flight = Vec::new();
    let mut evaluated = 0;
    loop {
        match single.next(&mut study, 3 - flight.len()).unwrap() {
            Next::Evaluate(trials) => {
                assert!(flight.len() + trials.len() <= 3 || (flight.is_empty() && trials.len() == 4), "{trials:?}");
                flight.extend(trials);
                if flight.len() < 3 {
                    continue;
                }
            }
            Next::Wait => {}
            Next::Done(why) => {
                assert_eq!(why, Why::BudgetSpent);
                break;
            }
        }
        let first = flight.remove(0);
        tell(&mut study, std::slice::from_ref(&first), observe);
        evaluated += 1;
        while flight.len() > 3 {
            let one = flight.remove(0);
            tell(&mut study, std::slice::from_ref(&one), observe);
            evaluated += 1;
        }
    }
    assert_eq!((evaluated + flight.len(), study.counts().pending), (14, 0));
    let reports = study.reports().unwrap();
    assert_eq!(reports.iter().map(|report| report.again).sum::<usize>(), 4);
    assert_eq!(reports.last().unwrap().again, 4, "all of them at the end");
}

#[test]
fn pending_trials_of_a_killed_run_come_first() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = Study::create(&path, small(plane())).unwrap();
    let mut whole = memory(small(plane()));
    run(&mut campaign(18, 0), &mut whole, observe);
    let Next::Evaluate(trials) = campaign(18, 0).next(&mut study, 0).unwrap() else { panic!() };
    tell(&mut study, &trials[2..4], observe);
    drop(study);
    let mut study = Study::open(&path).unwrap();
    assert_eq!(run(&mut campaign(18, 0), &mut study, observe), (vec![6, 5, 5], Why::BudgetSpent));
    assert_eq!(points(&study), points(&whole));
    // Not without `resume`, and points that others added are theirs to evaluate.
    let asked = study.ask(2).unwrap();
    study.add(&[(asked[0].point.clone(), None)]).unwrap();
    let mut fresh = campaign(22, 0);
    fresh.resume = false;
    assert!(matches!(fresh.next(&mut study, 0).unwrap(), Next::Evaluate(trials) if trials[0].id == 22));
    let Next::Evaluate(resumed) = campaign(22, 0).next(&mut study, 0).unwrap() else { panic!() };
    assert_eq!(resumed.iter().map(|trial| trial.id).collect::<Vec<_>>(), [19, 20, 22]);
}

#[test]
fn an_exhausted_space_leads_to_the_replicates() {
    let mut study = memory(few());
    assert_eq!(run(&mut campaign(50, 5), &mut study, observe), (vec![4, 2, 3, 2], Why::SpaceExhausted));
    // A second run has replicated already.
    assert_eq!(run(&mut campaign(50, 5), &mut study, observe), (vec![], Why::SpaceExhausted));
    assert_eq!(run(&mut campaign(50, 6), &mut study, observe), (vec![1], Why::SpaceExhausted));
    let mut study = memory(few());
    assert_eq!(run(&mut campaign(50, 0), &mut study, observe), (vec![4, 2], Why::SpaceExhausted));
    let mut study = memory(few());
    assert_eq!(run(&mut campaign(50, 5), &mut study, failed), (vec![4, 2], Why::SpaceExhausted));
}

#[test]
fn a_campaign_gives_up_when_everything_failed() {
    let mut study = memory(small(plane()));
    let mut patient = campaign(30, 0);
    patient.give_up = Some(Campaign::patience(&study));
    let (sizes, why) = run(&mut patient, &mut study, failed);
    let all_failed = Why::AllFailed { evaluations: 8, reason: "broken".into(), count: 7, pending_again: 8 };
    assert_eq!((sizes, why), (vec![8], all_failed));
    // Nothing was ever observed: the same trials, once the command is right.
    assert_eq!((study.counts().failed, study.counts().pending), (0, 8));
    assert_eq!(study.trial(1).unwrap().revisions[0].note.reason, "nothing was ever observed: broken");
    let Next::Evaluate(again) = campaign(30, 0).next(&mut study, 0).unwrap() else { panic!() };
    assert_eq!(again.iter().map(|trial| trial.id).collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    // In the middle of a batch as well, with trials in flight.
    let mut study = memory(small(plane()));
    let mut impatient = campaign(30, 0);
    impatient.give_up = Some(2);
    let Next::Evaluate(trials) = impatient.next(&mut study, 0).unwrap() else { panic!() };
    tell(&mut study, &trials[..1], failed);
    assert_eq!(impatient.next(&mut study, 0).unwrap(), Next::Wait);
    tell(&mut study, &trials[1..2], failed);
    assert!(matches!(impatient.next(&mut study, 0).unwrap(), Next::Done(Why::AllFailed { evaluations: 2, .. })));
    // One success is a reason to continue, and so is the user's wish.
    let mut study = memory(small(plane()));
    let mut impatient = campaign(30, 0);
    impatient.give_up = Some(2);
    let Next::Evaluate(trials) = impatient.next(&mut study, 0).unwrap() else { panic!() };
    tell(&mut study, &trials[2..3], observe);
    tell(&mut study, &trials[..2], failed);
    assert_eq!(impatient.next(&mut study, 0).unwrap(), Next::Wait);
    let mut study = memory(small(plane()));
    assert_eq!(run(&mut campaign(30, 6), &mut study, failed).1, Why::BudgetSpent);
    assert_eq!(study.counts().failed, 30);
}

#[test]
fn outcomes_of_earlier_runs_do_not_keep_a_campaign_going() {
    let mut study = memory(small(plane()));
    run(&mut campaign(8, 0), &mut study, observe);
    let mut patient = campaign(40, 0);
    patient.give_up = Some(Campaign::patience(&study));
    let (sizes, why) = run(&mut patient, &mut study, failed);
    let all_failed = Why::AllFailed { evaluations: 10, reason: "broken".into(), count: 10, pending_again: 0 };
    assert_eq!((sizes, why), (vec![5, 5], all_failed));
    // A success of its own does, whatever comes after it.
    let mut patient = campaign(40, 0);
    patient.give_up = Some(Campaign::patience(&study));
    let once = |space: &Space, trial: &Trial| {
        if trial.id == 20 { observe(space, trial) } else { Outcome::failed("broken") }
    };
    assert_eq!(run(&mut patient, &mut study, once).1, Why::BudgetSpent);
}

#[test]
fn final_replicates_wait_for_a_feasible_trial() {
    let replicated = |feasible: u64| {
        let mut study = memory(with_goals(plane(), &[Goal::Maximize, LIMIT]));
        let outcome = |space: &Space, trial: &Trial| {
            let limited = if trial.id >= feasible { -1.0 } else { 1.0 };
            Outcome::values([bowl(space, &trial.point), limited])
        };
        let (sizes, why) = run(&mut campaign(24, 8), &mut study, outcome);
        assert_eq!((sizes, why), (vec![8, 5, 3, 5, 3], Why::BudgetSpent));
        study.reports().unwrap().iter().map(|report| report.again).collect::<Vec<_>>()
    };
    assert_eq!(replicated(100), [0, 0, 0, 0, 0]);
    assert_eq!(replicated(20), [0, 0, 0, 0, 3]);
    assert_eq!(replicated(1), [0, 0, 0, 5, 3]);
}

#[test]
fn the_default_count_is_the_initial_design_and_then_a_batch() {
    let mut study = memory(Config { initial: 48.into(), batch: 24, ..small(plane()) });
    assert_eq!(study.default_count(), 48);
    let trials = study.ask(10).unwrap();
    assert_eq!(study.default_count(), 38);
    tell(&mut study, &trials[..1], failed);
    assert_eq!(study.default_count(), 38);
    tell(&mut study, &trials[1..2], observe);
    assert_eq!(study.default_count(), 24);
    let mut study = memory(Config { initial: 48.into(), batch: 24, ..small(plane()) });
    study.ask(48).unwrap();
    assert_eq!(study.default_count(), 24);
}

#[test]
fn the_best_observation_satisfies_all_constraints() {
    let outputs = [
        Output::new("cost", Goal::Minimize),
        Output::new("purity", Goal::Constraint { at_least: Some(0.5), at_most: None }),
    ];
    let mut study = memory(Config { outputs: outputs.into(), ..small(plane()) });
    assert_eq!((study.best_observation(), study.feasible_count()), (None, Some(0)));
    for (cost, purity) in [(1.0, 0.4), (3.0, 0.6), (2.0, 0.9), (2.0, 0.5), (0.5, 0.1)] {
        let outcome = Outcome::values([cost, purity]);
        study.add(&[(vec![Value::Real(0.1), Value::Real(1.0)], Some(outcome))]).unwrap();
    }
    let best = study.best_observation().unwrap();
    assert_eq!((best.trial.id, best.value, study.feasible_count()), (3, 2.0, Some(3)));
}

#[test]
fn a_refused_row_is_named() {
    let mut study = memory(small(plane()));
    let row = |a: f64| (vec![Value::Real(a), Value::Real(1.0)], None);
    let refused = study.add_rows(&[row(0.0), row(f64::NAN)]).unwrap_err();
    assert!(refused.index == 1 && refused.error.to_string().contains("input 'a'"), "{refused:?}");
    assert_eq!(study.counts().trials, 0);
}

#[test]
fn failures_that_were_added_stay_failures() {
    let mut study = memory(small(plane()));
    let point = |a: f64| vec![spargo::space::Value::Real(a), spargo::space::Value::Real(1.0)];
    study.add(&[(point(0.1), Some(Outcome::failed("burnt"))), (point(0.2), Some(Outcome::failed("burnt")))]).unwrap();
    let Next::Evaluate(trials) = campaign(8, 0).next(&mut study, 0).unwrap() else { panic!() };
    assert_eq!((trials.len(), study.counts().failed), (6, 2));
}

#[test]
fn a_trial_that_is_retried_is_handed_out_again() {
    use spargo::study::Note;
    let note = Note::new("again", "someone");
    let mut study = memory(small(plane()));
    let mut campaign = campaign(30, 0);
    let Next::Evaluate(trials) = campaign.next(&mut study, 0).unwrap() else { panic!() };
    // Between its tell and the next look, and later.
    tell(&mut study, &trials[..2], observe);
    study.retry(&[1], &note).unwrap();
    let Next::Evaluate(again) = campaign.next(&mut study, 0).unwrap() else { panic!() };
    assert_eq!(again, trials[..1]);
    assert_eq!(campaign.next(&mut study, 0).unwrap(), Next::Wait);
    tell(&mut study, &trials[..1], observe);
    study.retry(&[2], &note).unwrap();
    assert!(matches!(campaign.next(&mut study, 0).unwrap(), Next::Evaluate(again) if again == trials[1..2]));
    // A trial that is withdrawn in flight is not waited for, and is no part of the budget.
    tell(&mut study, &trials[1..7], observe);
    study.discard(&[8], &note).unwrap();
    assert!(matches!(campaign.next(&mut study, 0).unwrap(), Next::Evaluate(_)));
    assert_eq!(study.counts().trials, 12);
}
