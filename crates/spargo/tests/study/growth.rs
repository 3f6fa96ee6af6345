//! A study's file grows with its data, and with nothing else; what it holds in memory is counted by tests/memory.rs.

use super::*;
use crate::process::repeats;
use spargo::study::HyperparameterChoice;
use std::path::Path;

/// Kilobytes of the file, at its first steps, after three times as many, and after five times as many.
fn file_sizes(path: &Path, steps: usize) -> [f64; 3] {
    let mut config = small(plane());
    config.model.hyperparameters = HyperparameterChoice::Subset(20);
    (config.inducing, config.local_models.neighbours) = (8.into(), 20);
    (config.acquisition.pool, config.acquisition.near) = (50, 10);
    let mut study = Study::create(path, config).unwrap();
    [steps, 2 * steps, 2 * steps].map(|steps| {
        (0..steps).for_each(|_| _ = advance(&mut study, 2, observe));
        let file = rusqlite::Connection::open(path).unwrap();
        let pages: f64 = file.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        pages * 4.0
    })
}

#[test]
fn the_file_grows_with_the_data_only() {
    let (folder, steps) = (Folder::new(), repeats(50, 500));
    let sizes @ [first, middle, last] = file_sizes(&folder.file("study.db"), steps);
    // A step's report is 1 kB or so, whenever it is made; its two trials and their outcomes are 0.5 kB.
    let (early, late) = (middle - first, last - middle);
    assert!(late < 1.3 * early && late < 3.0 * (2 * steps) as f64, "{sizes:?}");
}
