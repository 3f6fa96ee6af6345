//! Trust regions with memory: lineages shrink, end, are dropped and begin again, in every space, whatever is killed in between.

use super::outputs::{COMPETING, LIMIT, compete, limited, with_goals};
use super::*;
use spargo::kernel::KernelChoice;
use spargo::study::{Goal, PolicyChoice};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Asks of a study in which lineages end and are dropped.
const ASKS: usize = 48;

/// Regions of small studies, all of whose points are of lineages.
fn lineages(space: Space) -> Config {
    let mut config = small(space);
    config.trust_regions.policy = PolicyChoice::memory();
    config.model.kernel = KernelChoice::LinearSphere;
    config
}

fn state(study: &Study) -> serde_json::Value {
    let state: serde_json::Value = serde_json::from_str(study.history().state().unwrap()).unwrap();
    state["regions"]["state"].clone()
}

/// The numbers of lineages that have ended, and whether each had converged.
fn ended(study: &Study) -> Vec<(u64, bool)> {
    let state = state(study);
    let ended = state["ended"].as_array().unwrap().iter();
    ended.map(|one| (one["number"].as_u64().unwrap(), one["converged"].as_bool().unwrap())).collect()
}

/// A hill with steps, on which successes are rare, and a high narrow one that the first lineage finds.
fn steps(space: &Space, trial: &Trial) -> Outcome {
    let hill = (8.0 * bowl(space, &trial.point)).round() / 8.0;
    Outcome::value(if trial.id == 1 { hill + 3.0 } else { hill })
}

#[test]
fn a_lineage_shrinks_to_its_end_and_others_begin_and_are_dropped() {
    let mut study = memory(lineages(square()));
    let mut sides = Vec::new();
    for _ in 0..ASKS {
        assert_valid(&square(), &advance(&mut study, 8, steps));
        if study.history().state().is_some() {
            let state = state(&study);
            sides.push((
                state["lineages"][0]["number"].as_u64().unwrap(),
                state["lineages"][0]["side"].as_f64().unwrap(),
            ));
        }
    }
    assert_all_different(&points(&study));
    let ended = ended(&study);
    // The first is never surpassed: it shrinks until it has converged. The others cannot reach it.
    assert_eq!(ended[0], (0, true), "{ended:?} {sides:?}");
    assert!(ended[1..].iter().any(|(_, converged)| !converged), "{ended:?}");
    let of_first: Vec<f64> = sides.iter().filter(|(number, _)| *number == 0).map(|(_, side)| *side).collect();
    assert!(of_first.windows(2).all(|pair| pair[1] <= pair[0]) && of_first.last().unwrap() < &0.1, "{of_first:?}");
    // Points of a small region lie in it.
    assert!(study.reports().unwrap().iter().all(|report| report.without_model.is_none()));
}

/// What a step asks for is a function of settings, state and history, before, between and after restarts.
#[test]
fn a_study_that_is_opened_again_asks_for_the_same_points() {
    for kernel in [KernelChoice::LinearSphere, KernelChoice::default()] {
        let mut config = lineages(square());
        config.model.kernel = kernel;
        let (mut study, mut restarts) = (memory(config), 0);
        for step in 0..ASKS / 2 {
            let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
            assert_eq!(again.ask(8).unwrap(), advance(&mut study, 8, steps), "step {step}, {restarts} restarts");
            restarts = study.history().state().map_or(0, |_| ended(&study).len());
        }
        assert!(restarts >= 2, "{restarts} restarts");
    }
}

#[test]
fn every_space_and_kind_of_outputs_has_lineages() {
    type Measure = fn(&Space, &Trial) -> Outcome;
    let kinds: [(&str, Vec<Goal>, Measure); 3] = [
        ("one objective", vec![Goal::Maximize], observe),
        ("constraint", vec![Goal::Maximize, LIMIT], limited),
        ("two objectives", COMPETING.to_vec(), compete),
    ];
    for (name, space) in spaces() {
        for (kind, goals, outcome) in &kinds {
            for kernel in [vec!["linear-sphere"], vec!["matern52", "linear-sphere"]] {
                let mut config = with_goals(space.clone(), goals);
                config.trust_regions.policy = PolicyChoice::memory();
                config.model.kernel = serde_json::from_value(serde_json::json!(kernel)).unwrap();
                let mut study = memory(config);
                // Every fifth evaluation fails.
                let measure = |space: &Space, trial: &Trial| match trial.id % 5 {
                    0 => Outcome::failed("five"),
                    _ => outcome(space, trial),
                };
                for count in [8, 5, 5, 1, 5] {
                    assert_valid(&space, &advance(&mut study, count, measure));
                }
                assert_all_different(&points(&study));
                let reports = study.reports().unwrap();
                assert!(reports.iter().all(|report| report.without_model.is_none()), "{name} {kind}: {reports:?}");
                let mut again = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
                assert_eq!(again.ask(6).unwrap(), study.ask(6).unwrap(), "{name} {kind}");
            }
        }
    }
}

/// A space of many inputs: regions of lineages hold what they choose, and models of a linear kernel lead uphill.
#[test]
fn lineages_climb_in_many_inputs() {
    let inputs = 30;
    let space = Space::new((0..inputs).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect()).unwrap();
    let mut config = lineages(space.clone());
    (config.initial, config.batch) = (60.into(), 40);
    let mut study = memory(config);
    let value = |space: &Space, point: &Point| {
        let numbers = space.encode(point).unwrap();
        -numbers.iter().enumerate().map(|(k, x)| (x - 0.2 - 0.6 * (k % 2) as f64).powi(2)).sum::<f64>()
    };
    let outcome = |space: &Space, trial: &Trial| Outcome::value(value(space, &trial.point));
    advance(&mut study, 60, outcome);
    let best = |study: &Study| {
        let points = study.history().records().iter().map(|record| value(&space, &record.trial.point));
        points.fold(f64::NEG_INFINITY, f64::max)
    };
    let first = best(&study);
    for _ in 0..15 {
        advance(&mut study, 40, outcome);
    }
    let last = best(&study);
    assert!(last > 0.35 * first, "{first} after the design, {last} in the end");
}

/// Goes on wherever the study stands, until all is asked and told.
fn work(path: &Path, said: impl Fn(&str)) {
    let mut study = if path.exists() { Study::open(path) } else { Study::create(path, lineages(square())) }.unwrap();
    said("open");
    loop {
        let pending: Vec<Trial> = study.history().pending().cloned().collect();
        let told: Vec<_> = pending.iter().map(|trial| (trial.id, steps(&square(), trial))).collect();
        study.tell(&told).unwrap();
        if study.history().asks() as usize == ASKS / 2 {
            return;
        }
        said("told");
        study.ask(8).unwrap();
        said(&format!("asked, {} ended", study.history().state().map_or(0, |_| ended(&study).len())));
    }
}

#[test]
fn a_process_killed_around_restarts_goes_on_as_if_it_had_lived() {
    if let Some(path) = task() {
        return work(Path::new(&path), acknowledge);
    }
    let folder = Folder::new();
    let (whole, path) = (folder.file("whole.db"), folder.file("killed.db"));
    work(&whole, |_| {});
    let (mut lives, mut deaths) = (0, Vec::new());
    loop {
        lives += 1;
        let name = "lineages::a_process_killed_around_restarts_goes_on_as_if_it_had_lived";
        let mut process = child(name, &path.display().to_string()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        // Lives end after one step or two: before an ask, as soon as it was made, or while the next is being made.
        let last = (&mut lines).map_while(|line| line.ok()).nth(1 + lives % 4);
        if last.is_some() {
            std::thread::sleep(std::time::Duration::from_millis(3 * (lives as u64 % 7)));
            process.kill().unwrap();
        }
        let text: Vec<String> = lines.map_while(|line| line.ok()).chain(last).collect();
        assert!(!text.iter().any(|line| line.contains("panicked")), "{text:?}");
        if process.wait().unwrap().success() {
            break;
        }
        let study = Study::open(&path).unwrap();
        deaths.push(study.history().state().map_or(0, |_| ended(&study).len()));
    }
    let [study, whole] = [&path, &whole].map(|path| Study::open(path).unwrap());
    assert_eq!(points(&study), points(&whole));
    // Before the first restart, between two and after more; one of the last step is followed by no death.
    let has_many = deaths.iter().any(|&restarts| restarts >= 2);
    assert!(deaths.contains(&0) && deaths.contains(&1) && has_many, "{deaths:?} {}", ended(&whole).len());
}
