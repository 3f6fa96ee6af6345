//! Processes that ask and tell on one study at the same time get points of their own, as many as they want.

use super::*;
use spargo::study::Note;
use std::path::Path;
use std::time::Duration;

const PROCESSES: usize = 8;
const ROUNDS: usize = 5;
const COUNT: usize = 3;

fn config(space: &str) -> Config {
    let space = spaces().into_iter().find(|(name, _)| *name == space).unwrap().1;
    small(space)
}

fn work(folder: &Path, space: &str) {
    let mut study = Study::open_or_create(&folder.join(space), config(space)).unwrap();
    // All of them begin at the same time.
    while !folder.join("go").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    for _ in 0..ROUNDS {
        let trials = advance(&mut study, COUNT, observe);
        acknowledge(&trials.iter().map(|trial| trial.id.to_string()).collect::<Vec<_>>().join(" "));
    }
}

#[test]
fn eight_processes_never_get_the_same_point() {
    if let Some(task) = task() {
        let (space, folder) = task.split_once(' ').unwrap();
        return work(Path::new(folder), space);
    }
    for space in ["plane", "grid"] {
        let folder = Folder::new();
        let task = format!("{space} {}", folder.0.display());
        let children: Vec<_> = (0..PROCESSES)
            .map(|_| child("processes::eight_processes_never_get_the_same_point", &task))
            .map(|mut child| child.env("RAYON_NUM_THREADS", "1").spawn().unwrap())
            .collect();
        std::fs::write(folder.file("go"), "").unwrap();
        let mut ids: Vec<u64> = Vec::new();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let lines = acknowledged(&output.stderr);
            let own: Vec<u64> = lines.iter().flat_map(|line| line.split(' ')).map(|id| id.parse().unwrap()).collect();
            assert_eq!(own.len(), ROUNDS * COUNT);
            ids.extend(own);
        }
        ids.sort_unstable();
        assert_eq!(ids, (1..=(PROCESSES * ROUNDS * COUNT) as u64).collect::<Vec<_>>());

        let study = Study::open(&folder.file(space)).unwrap();
        assert_all_different(&points(&study));
        let records = study.history().records();
        assert!(records.iter().all(|r| r.outcome() == Some(observe(&study.config().space, &r.trial))));
        let reports = study.reports().unwrap();
        assert_eq!(reports.iter().map(|report| report.step).collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
        // They did get into each other's way.
        assert!(reports.iter().map(|report| report.replaced).sum::<usize>() > 0, "{space}");
    }
}

/// A study that is found can be opened, at the very instant of its creation too.
#[test]
fn a_study_is_found_in_whole_or_not_at_all() {
    const FILES: usize = 100;
    let folder = Folder::new();
    let path = |n: usize| folder.file(&format!("{n}.db"));
    let create = |n: usize| match n % 3 {
        0 => Study::create(&path(n), config("plane")),
        1 => Study::open_or_create(&path(n), config("plane")),
        _ => Study::open_or_reconfigure(&path(n), config("plane"), &Note::default()).map(|(study, _)| study),
    };
    let opens = [Study::open, Study::open_to_read];
    std::thread::scope(|scope| {
        scope.spawn(|| (0..FILES).for_each(|n| drop(create(n).unwrap())));
        for n in 0..FILES {
            while !path(n).exists() {
                std::thread::yield_now();
            }
            assert_eq!(opens[n % 2](&path(n)).unwrap().config(), &config("plane"), "{n}");
        }
    });
    // No draft is left; logs of two connections that close at the same time may be.
    let names = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let drafts: Vec<String> = names.filter(|name| name.contains(".db.")).collect();
    assert!(drafts.is_empty(), "{drafts:?}");
    assert!(Study::create(&path(0), config("plane")).unwrap_err().to_string().contains("exists already"));
}
