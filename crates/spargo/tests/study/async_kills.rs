//! Processes that fit, ask and tell on one study are killed at any instant: nothing acknowledged is lost, nothing is there twice.

use super::*;
use crate::process::repeats;
use rand::RngExt;
use spargo::study::Refit;
use spargo::study::storage::Work;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Processes at work at the same time.
const PROCESSES: usize = 3;

/// Outcomes that models may have missed: few, so that some processes die while they fit or draw.
const REFIT: Refit = Refit::Every(4);

/// Most acknowledgements after which a process is killed.
const LINES: usize = 16;

/// How often all of them are killed.
fn rounds() -> usize {
    repeats(12, 200)
}

/// Asks and tells without end.
fn work(path: &Path) {
    let mut study = Study::open(path).unwrap();
    loop {
        let trials = study.ask_with(1, REFIT).unwrap();
        acknowledge(&format!("ask {}", trials[0].id));
        let outcome = observe(&study.config().space, &trials[0]);
        study.tell(&[(trials[0].id, outcome)]).unwrap();
        acknowledge(&format!("tell {}", trials[0].id));
    }
}

/// Kills a process a moment after it has acknowledged so much; returns all that it has.
fn kill(mut process: Child, lines: usize, moment: Duration) -> Vec<String> {
    let (mut pipe, mut output) = (BufReader::new(process.stderr.take().unwrap()), Vec::new());
    for _ in 0..lines {
        pipe.read_until(b'\n', &mut output).unwrap();
    }
    std::thread::sleep(moment);
    process.kill().unwrap();
    process.wait().unwrap();
    pipe.read_to_end(&mut output).unwrap();
    assert!(!String::from_utf8_lossy(&output).contains("panicked"), "{}", String::from_utf8_lossy(&output));
    acknowledged(&output)
}

#[test]
fn nothing_is_lost_or_repeated_when_those_that_fit_ask_and_tell_are_killed() {
    if let Some(path) = task() {
        return work(Path::new(&path));
    }
    let folder = Folder::new();
    let path = folder.file("study.db");
    let mut study = Study::create(&path, small(plane())).unwrap();
    // With a model, so that asks need not wait for one.
    advance(&mut study, 8, observe);
    advance(&mut study, 1, observe);
    let mut rng = stream(4, Purpose::Data, 0, 0);
    let (mut asked, mut told) = (Vec::new(), Vec::new());
    for round in 0..rounds() {
        let name = "async_kills::nothing_is_lost_or_repeated_when_those_that_fit_ask_and_tell_are_killed";
        let processes: Vec<_> = (0..PROCESSES)
            .map(|_| child(name, path.to_str().unwrap()).env("RAYON_NUM_THREADS", "1").spawn().unwrap())
            .map(|process| (process, rng.random_range(0..=LINES), Duration::from_micros(rng.random_range(0..30_000))))
            .collect();
        let lines: Vec<String> = std::thread::scope(|scope| {
            let killers: Vec<_> = processes
                .into_iter()
                .map(|(process, lines, moment)| scope.spawn(move || kill(process, lines, moment)))
                .collect();
            killers.into_iter().flat_map(|killer| killer.join().unwrap()).collect()
        });
        for line in &lines {
            let (what, trial) = line.split_once(' ').unwrap();
            if what == "ask" { &mut asked } else { &mut told }.push(trial.parse::<u64>().unwrap());
        }
        check(&path, &asked, &told);
        // What the dead held neither stops an ask nor makes it repeat anything.
        let mut study = Study::open(&path).unwrap();
        let own = study.ask_with(1, REFIT).unwrap();
        assert_eq!(own.len(), 1, "round {round}");
        asked.push(own[0].id);
    }
    assert!(told.len() > rounds() * PROCESSES * LINES / 8, "{} tells", told.len());
    let reports = Study::open(&path).unwrap().reports().unwrap();
    let (fits, taken) = (
        reports.iter().filter(|report| report.models.iter().any(|model| model.fit.is_some())).count(),
        reports.iter().filter(|report| report.ready > 0).count(),
    );
    assert!(fits > 3 && taken > fits, "{fits} fits, {taken} asks of what was ready");
}

/// Kills a process as soon as it holds the lease of a fit; says whether it was still fitting.
fn kill_in_fit(mut process: Child, study: &mut Study) -> bool {
    let is_fitting = |study: &mut Study| {
        study.refresh().unwrap();
        study.history().leases().iter().any(|lease| lease.work == Work::Fit)
    };
    let started = Instant::now();
    while !is_fitting(study) && process.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_secs(60), "no process has begun to fit");
    }
    process.kill().unwrap();
    process.wait().unwrap();
    is_fitting(study)
}

/// Of several processes one fits for all: if it is killed, the others neither wait for it nor go on with what it has not seen.
#[test]
fn another_process_fits_at_once_if_the_one_that_fits_is_killed() {
    if let Some(path) = task() {
        Study::open(Path::new(&path)).unwrap().ask_with(1, Refit::Every(1)).unwrap();
        return;
    }
    let folder = Folder::new();
    let path = folder.file("study.db");
    // So many trials that a fit takes longer than to see that it has begun.
    let config = Config { inducing: 60.into(), initial: 300.into(), ..small(plane()) };
    let mut study = Study::create(&path, config).unwrap();
    advance(&mut study, 300, observe);
    let (mut killed, mut asked, mut told) = (0, (1..=300).collect::<Vec<u64>>(), (1..=300).collect::<Vec<u64>>());
    for round in 0.. {
        assert!(round < 20 * repeats(3, 50), "{killed} of {round} were killed while they fitted");
        let name = "async_kills::another_process_fits_at_once_if_the_one_that_fits_is_killed";
        let process = child(name, path.to_str().unwrap()).spawn().unwrap();
        let was_fitting = kill_in_fit(process, &mut study);
        let (started, tells) = (Instant::now(), study.history().tells() as usize);
        let trials = study.ask_with(1, Refit::Every(1)).unwrap();
        if was_fitting {
            assert!(started.elapsed() < Duration::from_secs(15), "it has waited for the dead one's lease");
            let report = study.reports().unwrap().pop().unwrap();
            assert!(report.models[0].fit.is_some() && report.models[0].observations == tells, "{report:?}");
            killed += 1;
        }
        let outcome = observe(&study.config().space, &trials[0]);
        study.tell(&[(trials[0].id, outcome)]).unwrap();
        asked.push(trials[0].id);
        told.push(trials[0].id);
        check(&path, &asked, &told);
        if killed == repeats(3, 50) {
            return;
        }
    }
}

/// What was acknowledged is there, and no trial and no point was handed out twice.
fn check(path: &Path, asked: &[u64], told: &[u64]) {
    let study = Study::open(path).unwrap();
    let space = &study.config().space;
    for (id, is_told) in asked.iter().map(|id| (id, false)).chain(told.iter().map(|id| (id, true))) {
        let record = study.trial(*id).unwrap_or_else(|| panic!("trial {id} is lost"));
        assert!(!is_told || record.outcome() == Some(observe(space, &record.trial)), "{record:?}");
    }
    assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len(), "{asked:?}");
    assert_all_different(&points(&study));
}
