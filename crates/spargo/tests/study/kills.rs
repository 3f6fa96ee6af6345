//! A process killed at any instant has lost nothing told, and its study goes on as if it had lived.

use super::*;
use crate::process::repeats;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use spargo::study::Record;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

fn kills_in_all() -> usize {
    repeats(25, 300)
}

/// Asks of one study: its posterior is exact for the first of them, then sparse.
const ASKS: u64 = 9;

/// Studies differ in seed, space and rule.
fn config(number: u64) -> Config {
    let space = if number.is_multiple_of(2) { plane() } else { mixed() };
    Config { seed: number, rule: Some(of_one()[number as usize % 3]), ..small(space) }
}

/// Some fail, always the same.
fn outcome(space: &Space, trial: &Trial) -> Outcome {
    if trial.id.is_multiple_of(7) { Outcome::failed("seven") } else { observe(space, trial) }
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
fn work(study: &mut Study, said: impl Fn(String)) {
    loop {
        let asks = study.history().asks();
        if waits(asks) {
            tell_pending(study, &said);
        }
        if asks == ASKS {
            return;
        }
        let trials = study.ask(next(asks)).unwrap();
        said(format!("ask {} {}", trials[0].id, trials.len()));
    }
}

/// Tells one, then the others in one call.
fn tell_pending(study: &mut Study, said: impl Fn(String)) {
    let pending: Vec<Trial> = study.history().pending().cloned().collect();
    let (first, others) = pending.split_at(pending.len().min(1));
    for some in [first, others] {
        let told: Vec<_> = some.iter().map(|trial| (trial.id, outcome(&study.config().space, trial))).collect();
        study.tell(&told).unwrap();
        told.iter().for_each(|(id, _)| said(format!("tell {id}")));
    }
}

#[test]
fn the_batches_are_those_of_a_study_that_was_never_killed() {
    if let Some(task) = task() {
        let (number, path) = task.split_once(' ').unwrap();
        let mut study = Study::open_or_create(Path::new(path), config(number.parse().unwrap())).unwrap();
        acknowledge("open");
        return work(&mut study, |line| acknowledge(&line));
    }
    let folder = Folder::new();
    let mut rng = stream(4, Purpose::Data, 0, 0);
    let (mut kills, mut exact, mut sparse) = (0, 0, 0);
    for number in 0.. {
        let path = folder.file(&format!("{number}.db"));
        let mut whole = Study::create(&folder.file(&format!("{number}-whole.db")), config(number)).unwrap();
        let started = Instant::now();
        work(&mut whole, |_| {});
        let patience = started.elapsed() / 3;
        let mut acknowledgements = Vec::new();
        for life in 0i32.. {
            // The first lives end before there are more data than inducing points; later ones grow longer, so that a study
            // comes to its end however busy the machine has become since it was timed.
            let patience = patience.mul_f64(if life < 2 { 0.2 } else { 0.3 * f64::from(life) });
            let kill = (kills < kills_in_all()).then(|| delay(patience, kills, &mut rng));
            let output = run(&format!("{number} {}", path.display()), kill.as_ref());
            acknowledgements.extend(acknowledged(&output.text));
            let mut study = Study::open_or_create(&path, config(number)).unwrap();
            check(&study, &acknowledgements);
            if output.finished {
                assert_eq!(points(&study), points(&whole), "study {number}");
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
fn check(study: &Study, acknowledgements: &[String]) {
    let records = study.history().records();
    for line in acknowledgements.iter().filter(|line| *line != "open") {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<usize>().unwrap();
        match words[0] {
            "ask" => assert!(records.len() + 1 >= number(1) + number(2), "{line}"),
            "tell" => assert!(told(study, &records[number(1) - 1]), "{line}"),
            other => panic!("{other}"),
        }
    }
}

/// Whether a trial has the outcome it should have.
fn told(study: &Study, record: &Record) -> bool {
    record.outcome() == Some(outcome(&study.config().space, &record.trial))
}
