//! A process killed at any instant has lost nothing told, and its study goes on as if it had lived.

use super::late_outputs::{LIMIT, only};
use super::outputs::{compete, with_goals};
use super::*;
use crate::process::repeats;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use spargo::study::{Goal, Measurement, Note, Record};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

fn kills_in_all() -> usize {
    repeats(25, 300)
}

/// Asks of one study: its posterior is exact for the first of them, then sparse.
const ASKS: u64 = 9;

/// What is corrected, and how.
const AMENDED: u64 = 2;
const DISCARDED: u64 = 5;
const RETRIED: u64 = 9;
const AMENDMENT: f64 = -0.25;

/// The ask that begins with the user's own points.
const QUEUED: u64 = 8;

/// Studies differ in seed, space, rule and number of outputs.
fn config(number: u64) -> Config {
    if number.is_multiple_of(2) {
        Config { seed: number, rule: Some(of_one()[number as usize / 2 % 3]), ..small(plane()) }
    } else {
        Config { seed: number, ..with_goals(mixed(), &[Goal::Maximize, LIMIT]) }
    }
}

/// The settings after some asks: a range that is narrower.
fn narrower(number: u64) -> Config {
    let config = config(number);
    let mut inputs = config.space.dimensions().to_vec();
    inputs[0] = Dimension::real("a", -1.0, 1.5);
    Config { space: Space::new(inputs).unwrap(), ..config }
}

/// Points of the user's own.
fn own(number: u64) -> Vec<Point> {
    let inputs = config(number).space.dimensions().len();
    let point = |a: f64| vec![Value::Real(a), Value::Real(1.0), Value::Int(4), Value::Choice("y".into())];
    [0.25, 0.5].map(|a| point(a)[..inputs].to_vec()).into()
}

/// What the evaluation of a trial gives: some fail, always the same, and whatever is measured again is another value.
fn outcome(number: u64, record: &Record) -> Outcome {
    let (trial, space) = (&record.trial, &config(number).space);
    let shift = record.revisions.len() as f64 / 8.0;
    match config(number).outputs.len() {
        _ if trial.id.is_multiple_of(7) => Outcome::failed("seven"),
        1 => match observe(space, trial) {
            Outcome::Measured(measured) => Outcome::value(measured[0].observed().unwrap() - shift),
            failed => failed,
        },
        _ => compete(space, trial),
    }
}

/// How many points the next ask is for.
fn next(asks: u64) -> usize {
    if asks == 0 { 8 } else { 5 }
}

/// Whether the outcomes of this ask are told before the next; else that is made alongside a pending batch.
fn waits(ask: u64) -> bool {
    ask != 2 && ask != 5
}

/// Goes on wherever the study stands, until all is asked and told; `said` is called with everything that is committed.
fn work(study: &mut Study, number: u64, said: impl Fn(String)) {
    loop {
        let asks = study.history().asks();
        if waits(asks) {
            tell_pending(study, number, &said);
            change(study, number, &said);
            tell_pending(study, number, &said);
        }
        if asks == ASKS {
            return;
        }
        let trials = study.ask(next(asks)).unwrap();
        said(format!("ask {} {}", trials[0].id, trials.len()));
    }
}

/// Tells one, then the others in one call, output by output.
fn tell_pending(study: &mut Study, number: u64, said: impl Fn(String)) {
    let pending: Vec<Record> = study.history().records().iter().filter(|record| record.is_pending()).cloned().collect();
    let (first, others) = pending.split_at(pending.len().min(1));
    for some in [first, others] {
        let told = |record: &Record| (record.trial.id, outcome(number, record));
        let all: Vec<(u64, Outcome)> = some.iter().map(told).collect();
        let is_measured = |(_, one): &&(u64, Outcome)| matches!(one, Outcome::Measured(_));
        let part: Vec<_> = all.iter().filter(is_measured).map(|(trial, one)| (*trial, only(0, one))).collect();
        for told in [part, all] {
            study.tell(&told).unwrap();
        }
        some.iter().for_each(|record| said(format!("tell {} {}", record.trial.id, record.revisions.len())));
    }
}

/// Makes the corrections and changes that are due after an ask, unless they have been made.
fn change(study: &mut Study, number: u64, said: impl Fn(String)) {
    let note = Note::new("a change", "someone");
    let is_due = |study: &Study, trial: u64| study.trial(trial).unwrap().revisions.is_empty();
    match study.history().asks() {
        3 if is_due(study, AMENDED) => {
            let amendment = Outcome::Measured(vec![Measurement::value(AMENDMENT); study.config().outputs.len()]);
            study.amend(&[(AMENDED, amendment)], &note).unwrap();
            said("amend".into());
        }
        4 if is_due(study, DISCARDED) => {
            study.discard(&[DISCARDED], &note).unwrap();
            said("discard".into());
        }
        6 if is_due(study, RETRIED) => {
            study.retry(&[RETRIED], &note).unwrap();
            said("retry".into());
        }
        7 => {
            study.reconfigure(narrower(number), &note).unwrap();
            said("reconfigure".into());
            if study.history().queue().len() == 0 {
                study.enqueue(&own(number), &note).unwrap();
                said("enqueue".into());
            }
        }
        _ => {}
    }
}

/// The study in this file, in whole if there is one.
fn open(path: &Path, number: u64) -> Study {
    if path.exists() { Study::open(path) } else { Study::create(path, config(number)) }.unwrap()
}

/// What is known of every trial, and what was known of it before.
fn known(study: &Study) -> Vec<String> {
    let of = |record: &Record| {
        let before: Vec<_> = record.revisions.iter().map(|revision| (&revision.before, &revision.after)).collect();
        let known: Vec<_> = record.measurements().collect();
        format!("{:?} {known:?} {before:?}", record.is_discarded)
    };
    study.history().records().iter().map(of).collect()
}

#[test]
fn the_batches_are_those_of_a_study_that_was_never_killed() {
    if let Some(task) = task() {
        let (number, path) = task.split_once(' ').unwrap();
        let number = number.parse().unwrap();
        let mut study = open(Path::new(path), number);
        acknowledge("open");
        return work(&mut study, number, |line| acknowledge(&line));
    }
    let folder = Folder::new();
    let mut rng = stream(4, Purpose::Data, 0, 0);
    let (mut kills, mut exact, mut sparse) = (0, 0, 0);
    for number in 0.. {
        let path = folder.file(&format!("{number}.db"));
        let mut whole = Study::create(&folder.file(&format!("{number}-whole.db")), config(number)).unwrap();
        let started = Instant::now();
        work(&mut whole, number, |_| {});
        let patience = started.elapsed() / 3;
        let mut acknowledgements = Vec::new();
        for life in 0i32.. {
            // The first lives end before there are more data than inducing points; later ones grow longer, so that a study
            // comes to its end however busy the machine has become since it was timed.
            let patience = patience.mul_f64(if life < 2 { 0.2 } else { 0.3 * f64::from(life) });
            let kill = (kills < kills_in_all()).then(|| delay(patience, kills, &mut rng));
            let output = run(&format!("{number} {}", path.display()), kill.as_ref());
            acknowledgements.extend(acknowledged(&output.text));
            let mut study = open(&path, number);
            check(&study, number, &acknowledgements);
            if output.finished {
                assert_eq!(points(&study), points(&whole), "study {number}");
                assert_eq!(known(&study), known(&whole), "study {number}");
                assert_eq!(format!("{:?}", study.best()), format!("{:?}", whole.best()));
                break;
            }
            kills += 1;
            let model = study.reports().unwrap().pop().and_then(|report| report.models.into_iter().next());
            let inducing = model.map_or(0, |model| usize::from(model.observations > model.inducing));
            (exact, sparse) = (exact + 1 - inducing, sparse + inducing);
        }
        if kills == kills_in_all() {
            break;
        }
    }
    assert!(exact >= 3 && sparse >= 3, "{exact} deaths of exact posteriors, {sparse} of sparse ones");
}

/// What a process said, and whether it came to its end.
struct Run {
    text: Vec<u8>,
    finished: bool,
}

/// When a process dies: some while it opens the file, most at work.
struct Kill {
    early: bool,
    after: Duration,
}

fn delay(patience: Duration, kill: usize, rng: &mut ChaCha8Rng) -> Kill {
    let early = kill.is_multiple_of(10);
    let longest = if early { Duration::from_millis(25) } else { patience };
    Kill { early, after: longest.mul_f64(rng.random()) }
}

fn run(task: &str, kill: Option<&Kill>) -> Run {
    let name = "kills::the_batches_are_those_of_a_study_that_was_never_killed";
    let mut process = child(name, task).spawn().unwrap();
    let (mut pipe, mut text) = (process.stderr.take().unwrap(), Vec::new());
    if let Some(kill) = kill {
        if !kill.early {
            (&mut pipe).take(1).read_to_end(&mut text).unwrap();
        }
        std::thread::sleep(kill.after);
        process.kill().unwrap();
    }
    pipe.read_to_end(&mut text).unwrap();
    let finished = process.wait().unwrap().success();
    let words = String::from_utf8_lossy(&text);
    assert!(!words.contains("panicked") && (finished || kill.is_some()), "{words}");
    Run { text, finished }
}

/// Whatever was acknowledged is there.
fn check(study: &Study, number: u64, acknowledgements: &[String]) {
    let (history, amended) = (study.history(), vec![Measurement::value(AMENDMENT); study.config().outputs.len()]);
    let revised = |trial: u64| study.trial(trial).is_some_and(|record| !record.revisions.is_empty());
    for line in acknowledgements.iter().filter(|line| *line != "open") {
        let words: Vec<&str> = line.split(' ').collect();
        let count = |i: usize| words[i].parse::<usize>().unwrap();
        let is_kept = match words[0] {
            "ask" => history.records().len() + 1 >= count(1) + count(2),
            "tell" => {
                let record = &history.records()[count(1) - 1];
                record.revisions.len() > count(2) || record.outcome() == Some(outcome(number, record))
            }
            "amend" => revised(AMENDED) && study.trial(AMENDED).unwrap().measurements().eq(&amended),
            "discard" => study.trial(DISCARDED).unwrap().is_discarded,
            "retry" => revised(RETRIED),
            "reconfigure" => *study.config() == narrower(number),
            "enqueue" => history.queue().len() == 2 || history.asks() >= QUEUED,
            other => panic!("{other}"),
        };
        assert!(is_kept, "{line}");
    }
}
