//! Points that are ready ahead, leases of those who fit and draw, and the thread that does both for a campaign.

use super::*;
use spargo::study::storage::{Event, MemoryStorage, SqliteStorage, Storage, Work};
use spargo::study::{Activity, BackgroundFitter, Budget, Campaign, Correction, Mode, Next, Note, Refit, Why};
use std::path::Path;
use std::time::{Duration, Instant};

/// More outcomes than a test tells.
const SELDOM: Refit = Refit::Every(1000);

/// A study in a file that has told its design and asked once, so that points are ready.
fn prepared(path: &Path, space: Space) -> Study {
    let mut study = Study::create(path, small(space)).unwrap();
    advance(&mut study, 8, observe);
    study.ask_with(1, SELDOM).unwrap();
    assert!(study.history().ready().len() > 0);
    study
}

/// Appends an event as another process does.
fn append(path: &Path, event: Event) {
    let mut storage = SqliteStorage::open(path).unwrap();
    let position = storage.load(0).unwrap().len() as u64;
    storage.append(position, &[event]).unwrap();
}

/// In ten seconds, in milliseconds since 1970: no test takes so long.
fn later() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    now.as_millis() as u64 + 10_000
}

fn leased(path: &Path, work: Work, until: u64) {
    append(path, Event::Leased { work, by: "another".into(), until });
}

/// The name of a process of this host that is gone: process numbers end below its own.
fn gone(study: &Study) -> String {
    let own = study.history().records()[0].by.to_string();
    own.replace(&format!(":{}:", std::process::id()), ":4194999:")
}

fn ready(study: &Study) -> Vec<String> {
    study.history().ready().map(|ready| format!("{:?}", ready.point)).collect()
}

#[test]
fn asks_take_what_is_ready_in_its_order() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    let (before, drawn) = (ready(&study), study.history().steps());
    let mut other = Study::open(&path).unwrap();
    for asker in [&mut study, &mut other] {
        asker.ask_with(2, SELDOM).unwrap();
    }
    study.refresh().unwrap();
    assert_eq!(ready(&study), before[4..]);
    assert_eq!(points(&study)[9..], before[..4]);
    assert_eq!(study.history().steps(), drawn, "nothing was chosen");
    let report = last_report(&study);
    assert_eq!((report.asked, report.ready, report.models.len()), (2, 2, 0));
    // A trial names the ask whose models have chosen it.
    assert_eq!(study.trial(13).unwrap().ask, Some(2));
    // More than are ready: all of these, and new ones.
    let left = before.len() - 4;
    let trials = study.ask_with(left + 3, SELDOM).unwrap();
    let report = last_report(&study);
    assert_eq!((trials.len(), report.ready, report.asked), (left + 3, left, left + 3));
    assert_all_different(&points(&study));
}

#[test]
fn batches_take_what_is_ready_as_long_as_nothing_is_new() {
    let folder = Folder::new();
    let mut study = prepared(&folder.file("study.db"), plane());
    let before = ready(&study);
    study.ask(3).unwrap();
    assert_eq!((last_report(&study).ready, ready(&study)), (3, before[3..].to_vec()));
    advance(&mut study, 1, observe);
    study.ask(3).unwrap();
    let report = last_report(&study);
    assert_eq!((report.ready, report.ahead, report.models[0].fit.is_some()), (0, 0, true));
    assert_eq!(study.history().ready().len(), 0, "those of an older model");
    assert_all_different(&points(&study));
    // Nothing is new: no fit.
    study.ask(1).unwrap();
    let report = last_report(&study);
    assert_eq!((report.ready, report.ahead, report.models[0].fit.is_some()), (0, 0, false));
}

/// Rules that choose one point after the other choose no more than they are asked for.
#[test]
fn only_thompson_sampling_draws_ahead() {
    for rule in of_one() {
        let mut study = memory(Config { rule: Some(rule), ..small(plane()) });
        advance(&mut study, 8, observe);
        study.ask_with(1, SELDOM).unwrap();
        assert_eq!(last_report(&study).ahead > 0, rule.name == "thompson", "{}", rule.name);
    }
}

#[test]
fn a_new_model_replaces_what_is_ready_and_a_correction_withdraws_it() {
    let folder = Folder::new();
    let mut study = prepared(&folder.file("study.db"), plane());
    let before = ready(&study);
    let last = study.history().pending().next().unwrap().clone();
    study.tell(&[(last.id, observe(&study.config().space, &last))]).unwrap();
    study.add(&[(vec![Value::Real(0.3), Value::Real(0.2)], Some(Outcome::value(0.5)))]).unwrap();
    study.ask_with(1, Refit::Every(2)).unwrap();
    let now = ready(&study);
    assert!(!now.is_empty() && now.iter().all(|point| !before.contains(point)), "{now:?}");

    let space = study.config().space.clone();
    let first = study.history().ready().next().unwrap().point.clone();
    study.add(&[(first.clone(), None)]).unwrap();
    assert_eq!(ready(&study), now[1..], "what others evaluate is not asked for");
    assert_all_different(&points(&study));

    let note = Note::new("a typo", "someone");
    study.correct(&Correction::Amend(vec![(1, Outcome::value(bowl(&space, &first)))]), &note).unwrap();
    assert_eq!(study.history().ready().len(), 0);
    study.ask_with(1, SELDOM).unwrap();
    assert!(last_report(&study).models[0].fit.is_some());
    study.reconfigure(Config { batch: 7, ..study.config().clone() }, &note).unwrap();
    assert_eq!(study.history().ready().len(), 0);
}

#[test]
fn while_another_process_fits_asks_go_on_with_the_last_models() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    advance(&mut study, 1, observe);
    leased(&path, Work::Fit, later());
    let available = study.history().ready().len();
    for _ in 0..available + 2 {
        study.ask_with(1, Refit::Every(1)).unwrap();
    }
    let reports = study.reports().unwrap();
    let [.., drawn, taken] = reports.as_slice() else { panic!() };
    assert_eq!((drawn.models[0].observations, drawn.models[0].fit.is_some()), (8, false));
    assert_eq!((taken.ready, taken.models.len()), (1, 0));
    // It was killed.
    leased(&path, Work::Fit, 1);
    study.ask_with(1, Refit::Every(1)).unwrap();
    assert!(last_report(&study).models[0].fit.is_some());
    assert!(study.history().leases().iter().all(|lease| lease.by == "another"), "ours ends with the ask");
}

#[test]
fn a_lease_of_a_killed_process_of_this_host_delays_nothing() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    advance(&mut study, 1, observe);
    append(&path, Event::Leased { work: Work::Fit, by: gone(&study), until: later() });
    study.ask_with(1, Refit::Every(1)).unwrap();
    assert!(last_report(&study).models.first().is_some_and(|model| model.fit.is_some()), "it was waited for");
}

#[test]
fn asks_beside_runs_take_what_is_ready_while_its_model_has_not_missed_a_batch() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = Study::create(&path, small(plane())).unwrap();
    let few = Refit::Every(study.config().batch as u64);
    assert_eq!(study.refit_beside_runs(), Ok(Refit::Always), "nothing is ready");
    advance(&mut study, 8, observe);
    study.ask_with(1, SELDOM).unwrap();
    let point = |i: u32| -> Point { vec![Value::Real(f64::from(i) / 10.0), Value::Real(1.0)] };
    for i in 0..5 {
        assert_eq!(study.refit_beside_runs(), Ok(few), "{i} outcomes missed");
        study.add(&[(point(i), Some(Outcome::value(0.0)))]).unwrap();
    }
    assert_eq!(study.refit_beside_runs(), Ok(Refit::Always));
    leased(&path, Work::Fit, later());
    study.refresh().unwrap();
    assert_eq!(study.refit_beside_runs(), Ok(few), "another process fits");
}

#[test]
fn asks_wait_for_the_one_that_draws() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    let available = study.history().ready().len();
    study.ask_with(available, SELDOM).unwrap();
    leased(&path, Work::Draw, later());
    let asks = study.history().asks();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| study.ask_with(1, SELDOM).map(|trials| trials.len()));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished());
        assert_eq!(Study::open(&path).unwrap().history().asks(), asks);
        leased(&path, Work::Draw, 1);
        assert_eq!(waiting.join().unwrap(), Ok(1));
    });
}

#[test]
fn an_interrupted_fit_gives_its_lease_back() {
    use spargo::interrupt::{Flag, until};
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    advance(&mut study, 1, observe);
    let flag = Flag::new();
    flag.raise();
    assert_eq!(until(&flag, || study.ask_with(1, Refit::Every(1))), Err(spargo::Error::Interrupted));
    let mut other = Study::open(&path).unwrap();
    assert!(other.history().leases().is_empty(), "{:?}", other.history().leases());
    other.ask_with(1, Refit::Every(1)).unwrap();
    assert!(last_report(&other).models[0].fit.is_some());
}

/// Evaluates with so many workers, each of which takes some milliseconds, until the campaign is over.
fn run(campaign: &mut Campaign, study: &mut Study, workers: usize) -> Why {
    run_with(campaign, study, workers, |_| {})
}

/// Evaluates as `run` does; `before_tell` may take longer.
fn run_with(campaign: &mut Campaign, study: &mut Study, workers: usize, before_tell: impl Fn(&mut Study)) -> Why {
    campaign.workers = workers;
    let mut flight: Vec<Trial> = Vec::new();
    loop {
        match campaign.next(study, workers - flight.len()).unwrap() {
            Next::Evaluate(trials) => flight.extend(trials),
            Next::Wait => {}
            Next::Done(why) => return why,
        }
        std::thread::sleep(Duration::from_millis(2));
        before_tell(study);
        let done = flight.remove(flight.len() / 2);
        study.tell(&[(done.id, observe(&study.config().space, &done))]).unwrap();
    }
}

/// Whether a thread has fitted models and drawn points by them.
fn has_fit_of_a_thread(study: &Study) -> bool {
    let reports = study.reports().unwrap();
    reports.iter().any(|r| r.asked == 0 && r.ahead > 0 && r.models.iter().any(|model| model.fit.is_some()))
}

#[test]
fn a_thread_fits_while_workers_evaluate() {
    let folder = Folder::new();
    for (name, space) in spaces() {
        let config = Config { initial: 10.into(), ..small(space) };
        let budget = config.space.size().map_or(80, |size| size.min(80)) as usize;
        let storages: [Box<dyn Storage>; 2] =
            [Box::new(MemoryStorage::default()), Box::new(SqliteStorage::open_or_create(&folder.file(name)).unwrap())];
        for storage in storages {
            let mut study = Study::with_storage(config.clone(), storage).unwrap();
            let mut campaign = Campaign::new(Budget::Total(budget));
            campaign.mode = Mode::Async { refit_every: 5 };
            // Evaluations that take as long as a fit does: on a busy machine a small space would be used up before the first ends.
            let await_fit = |study: &mut Study| {
                let started = Instant::now();
                while study.counts().observed == budget / 2 && !has_fit_of_a_thread(study) {
                    assert!(started.elapsed() < Duration::from_secs(60), "{name}: no thread has fitted");
                    std::thread::sleep(Duration::from_millis(1));
                    study.refresh().unwrap();
                }
            };
            assert_eq!(run_with(&mut campaign, &mut study, 4, await_fit), Why::BudgetSpent, "{name}");
            assert!(has_fit_of_a_thread(&study), "{name}");
            assert_eq!((study.counts().observed, study.counts().pending), (budget, 0), "{name}");
            assert_all_different(&points(&study));
            assert_valid(
                &study.config().space,
                &study.history().records().iter().map(|r| r.trial.clone()).collect::<Vec<_>>(),
            );
            assert!(study.reports().unwrap().iter().map(|report| report.ready).sum::<usize>() > 0, "{name}");
            let activity = study.history().heartbeats().values().next().unwrap().activity;
            assert!(activity.workers == 4 && activity.busy_share().unwrap() > 0.5, "{activity:?}");
        }
    }
}

#[test]
fn short_evaluations_wait_for_models_that_have_missed_too_much() {
    let mut study = memory(Config { initial: 10.into(), ..small(plane()) });
    let mut campaign = Campaign::new(Budget::Total(100));
    (campaign.mode, campaign.most_missed) = (Mode::Async { refit_every: 5 }, Some(10));
    while let Next::Evaluate(trials) = campaign.next(&mut study, 1).unwrap() {
        let outcomes: Vec<_> = trials.iter().map(|trial| (trial.id, observe(&study.config().space, trial))).collect();
        study.tell(&outcomes).unwrap();
    }
    let reports = study.reports().unwrap();
    let seen = reports.iter().filter_map(|report| report.models.first().map(|model| model.observations));
    let mut seen: Vec<usize> = seen.chain([study.counts().observed]).collect();
    seen.sort_unstable();
    assert!(seen.windows(2).all(|pair| pair[1] - pair[0] <= 11), "{seen:?}");
}

#[test]
fn points_are_drawn_while_the_next_models_are_fitted() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    append(&path, Event::Leased { work: Work::Fit, by: "one that fits".into(), until: later() });
    let count = study.history().ready().len() - 1;
    let trials = study.ask_with(count, SELDOM).unwrap();
    let outcomes: Vec<_> = trials.iter().map(|trial| (trial.id, observe(&study.config().space, trial))).collect();
    study.tell(&outcomes).unwrap();
    let fitter = BackgroundFitter::start(&study, 1).unwrap().unwrap();
    let started = Instant::now();
    while study.history().ready().len() < 2 {
        assert!(started.elapsed() < Duration::from_secs(60) && !fitter.is_over());
        std::thread::sleep(Duration::from_millis(1));
        study.refresh().unwrap();
    }
    assert_eq!(fitter.finish(), Ok(()));
    let report = study.reports().unwrap().pop().unwrap();
    assert!(
        report.asked == 0 && report.ahead > 1 && report.models.iter().all(|model| model.fit.is_none()),
        "{report:?}"
    );
}

#[test]
fn a_thread_that_fits_ends_with_its_owner() {
    let mut study = memory(small(plane()));
    advance(&mut study, 8, observe);
    let fitter = BackgroundFitter::start(&study, 1).unwrap().unwrap();
    let started = Instant::now();
    while study.history().ready().len() == 0 {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
        study.refresh().unwrap();
    }
    assert!(!fitter.is_over());
    assert_eq!(fitter.finish(), Ok(()));
    let position = study.history().position();
    study.refresh().unwrap();
    let news = study.history().position() - position;
    study.tell(&[]).unwrap();
    assert!(news <= 2, "nothing is written any more");
}

/// Points that a new model replaces may be chosen by it; and a finite space is used up to its last point.
#[test]
fn a_finite_space_is_used_up_whatever_is_ready() {
    let space = Space::new(vec![Dimension::int("n", 1, 40)]).unwrap();
    let mut study = memory(Config { initial: 10.into(), ..small(space.clone()) });
    advance(&mut study, 10, observe);
    study.ask_with(1, SELDOM).unwrap();
    study.ask(1).unwrap();
    assert!(study.history().ready().len() > 20);
    let first = study.history().pending().next().unwrap().clone();
    study.tell(&[(first.id, observe(&space, &first))]).unwrap();
    assert_eq!(study.ask(28).unwrap().len(), 28);
    assert_all_different(&points(&study));
    for rule in of_one() {
        let mut study = memory(Config { initial: 10.into(), rule: Some(rule), ..small(space.clone()) });
        let mut campaign = Campaign::new(Budget::Total(60));
        campaign.mode = Mode::Async { refit_every: 5 };
        assert_eq!(run(&mut campaign, &mut study, 4), Why::SpaceExhausted, "{}", rule.name);
        assert_eq!(study.counts().observed, 40, "{}", rule.name);
    }
}

/// A long design is not taken for what models have chosen.
#[test]
fn a_long_design_is_asked_for_once() {
    let mut study = memory(Config { initial: 300.into(), ..small(plane()) });
    let mut campaign = Campaign::new(Budget::Total(310));
    campaign.mode = Mode::Async { refit_every: 50 };
    assert_eq!(run(&mut campaign, &mut study, 8), Why::BudgetSpent);
    assert_all_different(&points(&study));
    let reports = study.reports().unwrap();
    assert_eq!(reports.iter().map(|report| report.design).sum::<usize>(), 300);
}

/// Others tell while a fit is given up: its lease is given back all the same.
#[test]
fn a_lease_is_given_back_while_others_tell() {
    use spargo::interrupt::{Flag, until};
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    let pending: Vec<Trial> = study.ask(6).unwrap();
    advance(&mut study, 1, observe);
    let mut other = Study::open(&path).unwrap();
    let flag = Flag::new();
    std::thread::scope(|scope| {
        let teller = scope.spawn(|| {
            for trial in &pending {
                other.tell(&[(trial.id, observe(&other.config().space.clone(), trial))]).unwrap();
                flag.raise();
            }
        });
        let _ = until(&flag, || study.ask_with(1, Refit::Every(1)));
        teller.join().unwrap();
    });
    let leases = Study::open(&path).unwrap().history().leases().to_vec();
    assert!(leases.is_empty(), "{leases:?}");
}

#[test]
fn a_lease_of_a_clock_that_is_ahead_is_not_waited_for() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = prepared(&path, plane());
    advance(&mut study, 1, observe);
    leased(&path, Work::Fit, u64::MAX);
    study.ask_with(1, Refit::Every(1)).unwrap();
    assert!(last_report(&study).models[0].fit.is_some());
}

#[test]
fn runs_are_seen_with_what_they_evaluate() {
    let folder = Folder::new();
    let mut study = Study::create(&folder.file("study.db"), small(plane())).unwrap();
    assert!(study.runners().is_empty());
    let trials = study.ask(3).unwrap();
    study.beat(Activity { workers: 3, busy_s: 9.0, waiting_s: 1.0 }).unwrap();
    study.tell(&[(trials[0].id, Outcome::value(1.0))]).unwrap();
    let runners = Study::open(&folder.file("study.db")).unwrap().runners();
    let [runner] = runners.as_slice() else { panic!("{runners:?}") };
    assert!(runner.is_alive && runner.name.contains(&std::process::id().to_string()));
    assert_eq!(runner.trials.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [2, 3]);
    assert!(runner.trials.iter().all(|(_, since)| *since > 1_700_000_000_000 && *since <= runner.time));
    assert_eq!(runner.activity.busy_share(), Some(0.9));
    let (time, by) = (runner.time, gone(&study));
    let (activity, resumed) = (runner.activity, Vec::new());
    append(&folder.file("study.db"), Event::Heartbeat { by, time, activity, resumed, is_last: false });
    assert_eq!(
        Study::open(&folder.file("study.db")).unwrap().runners().len(),
        1,
        "one that is gone without trials is over"
    );
}

#[test]
fn resumed_trials_are_those_of_the_run_that_evaluates_them() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut dead = Study::create(&path, small(plane())).unwrap();
    dead.ask(3).unwrap();
    dead.beat(Activity { workers: 9, busy_s: 1.0, waiting_s: 0.0 }).unwrap();
    let asked = dead.trial(1).unwrap().time;
    drop(dead);
    std::thread::sleep(Duration::from_millis(5));
    let mut study = Study::open(&path).unwrap();
    let mut campaign = Campaign::new(Budget::Total(8));
    campaign.workers = 2;
    let Next::Evaluate(trials) = campaign.next(&mut study, 2).unwrap() else { panic!() };
    assert_eq!(trials.len(), 3);
    let runners = Study::open(&path).unwrap().runners();
    for runner in &runners {
        let evaluates: Vec<u64> = runner.trials.iter().map(|(id, _)| *id).collect();
        assert_eq!(evaluates, if runner.activity.workers == 2 { vec![1, 2, 3] } else { vec![] }, "{runners:?}");
        assert!(runner.trials.iter().all(|(_, since)| *since > asked), "{runners:?}");
    }
    assert!(runners.iter().any(|runner| runner.activity.workers == 2), "{runners:?}");
}
