//! What a study needs grows with its data, and with nothing else.

use super::*;
use crate::process::repeats;
use spargo::model::HyperparameterObjective;
use std::path::Path;

/// Steps after which memory and file are measured; the last is the end.
fn measured() -> [usize; 3] {
    let steps = repeats(50, 500);
    [steps, 3 * steps, 5 * steps]
}

/// Kilobytes of memory that this process has, where that can be known.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn work(path: &Path) {
    let mut config = small(plane());
    config.model.hyperparameters = HyperparameterObjective::Subset(20);
    (config.inducing, config.local_models.neighbours) = (8, 20);
    (config.acquisition.pool, config.acquisition.near) = (50, 10);
    let mut study = Study::create(path, config).unwrap();
    for step in 1..=measured()[2] {
        advance(&mut study, 2, observe);
        if measured().contains(&step) {
            let file = rusqlite::Connection::open(path).unwrap();
            let pages: f64 = file.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
            acknowledge(&format!("{} {}", resident().unwrap_or(f64::NAN), pages * 4.0));
        }
    }
}

#[test]
fn memory_and_file_grow_with_the_data_only() {
    if let Some(path) = task() {
        return work(Path::new(&path));
    }
    let folder = Folder::new();
    let name = "growth::memory_and_file_grow_with_the_data_only";
    let output = child(name, folder.file("study.db").to_str().unwrap()).env("RAYON_NUM_THREADS", "1").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Vec<f64>> = acknowledged(&output.stderr)
        .iter()
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    let [first, middle, last] = lines.try_into().unwrap();
    let steps = (measured()[2] - measured()[1]) as f64;
    // Two trials per step and their outcomes are 0.5 kB.
    let allowed = 3000.0 + 2.0 * steps;
    assert!(last[0].is_nan() || last[0] - first[0] < allowed, "{first:?} {middle:?} {last:?}");
    // A step's report is 1 kB or so, whenever it is made.
    let (early, late) = (middle[1] - first[1], last[1] - middle[1]);
    assert!(late < 1.3 * early && late < 3.0 * steps, "{first:?} {middle:?} {last:?}");
}
