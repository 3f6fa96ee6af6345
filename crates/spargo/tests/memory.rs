//! What a study holds in memory, counted by the allocator: exact, whatever else runs on the machine.
//!
//! ```text
//!     live bytes = history (so many per trial) + models (M² or, while they are exact, N²) + nothing else
//! ```
//!
//! Resident memory would not tell: it has what the allocator keeps for later as well.

#[path = "common/process.rs"]
mod process;

use cap::Cap;
use process::{Folder, repeats};
use spargo::rng::{Purpose, normal, stream};
use spargo::space::{Dimension, Space, Value};
use spargo::study::HyperparameterChoice;
use spargo::study::{Config, Outcome, Study};
use std::alloc::System;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Observations of a small neighbourhood; a wide one has five times as many.
const NEIGHBOURS: usize = 20;

/// Bytes that are allocated at this instant.
fn live() -> f64 {
    ALLOCATOR.allocated() as f64
}

/// Settings under which a model has the same size whatever the number of its observations is.
fn config() -> Config {
    let inputs = vec![Dimension::real("a", -1.0, 2.0), Dimension::real("b", 0.01, 100.0).log()];
    let mut config = Config::new(Space::new(inputs).unwrap());
    (config.seed, config.initial, config.inducing) = (5, 8.into(), 8.into());
    config.model.exact_until = 0;
    config.model.hyperparameters = HyperparameterChoice::Subset(20);
    (config.local_models.neighbours, config.sampling.features) = (NEIGHBOURS, 64);
    (config.acquisition.pool, config.acquisition.near, config.acquisition.starts) = (50, 10, 1);
    config
}

/// A step of two trials.
fn advance(study: &mut Study) {
    let noise = |id| normal(&mut stream(77, Purpose::Data, 0, id));
    let told: Vec<_> = study.ask(2).unwrap().iter().map(|trial| (trial.id, Outcome::value(noise(trial.id)))).collect();
    study.tell(&told).unwrap();
}

/// Where a study is kept.
#[derive(Debug, Clone, Copy)]
enum Place<'a> {
    Memory,
    File(&'a Path),
}

impl Place<'_> {
    fn create(self) -> Study {
        match self {
            Place::Memory => Study::in_memory(config()).unwrap(),
            Place::File(path) => Study::create(path, config()).unwrap(),
        }
    }

    /// The study from its events alone: the history, without models.
    fn reopen(self, mut study: Study) -> Study {
        match self {
            Place::Memory => {
                let bytes = study.to_bytes().unwrap();
                drop(study);
                Study::from_bytes(&bytes).unwrap()
            }
            Place::File(path) => {
                drop(study);
                Study::open(path).unwrap()
            }
        }
    }

    /// Bytes per trial with two inputs, one outcome, when it was asked for and by what process (whose name has that of its host), and
    /// half a step's report; in memory, the log and the history hold them.
    fn per_trial(self) -> f64 {
        match self {
            Place::Memory => 1600.0,
            Place::File(_) => 800.0,
        }
    }
}

/// Bytes per trial of what draws from the same models share: the means and the violation at every trial.
const MEAN: f64 = 64.0;

/// Steps double from one measurement to the next, as the capacities of vectors do: what is left over of these is always the same.
fn sparse_models_add_nothing_to_the_history(place: Place<'_>) {
    let before = live();
    let mut study = place.create();
    let mut first = None;
    // Models of a neighbourhood are exact.
    let models = 8.0 * (5 * NEIGHBOURS).pow(2) as f64 + 16e3;
    for step in 1..=repeats(256, 2048) {
        advance(&mut study);
        if step.is_power_of_two() && step >= 64 {
            let running = live();
            study = place.reopen(study);
            let (held, per_trial) = (running - live(), (live() - before) / (2 * step) as f64);
            let means = MEAN * (2 * step) as f64;
            assert!(held < models + means, "{place:?}, step {step}: {held} bytes beside the history");
            let first = *first.get_or_insert(per_trial);
            assert!(per_trial < place.per_trial() && per_trial < 1.05 * first, "{place:?}, step {step}: {per_trial}");
        }
    }
    drop(study);
    assert_eq!(live() - before, 0.0, "{place:?}: bytes that nothing refers to");
}

/// One matrix of N² numbers for the model of all trials, another for that of the best trial's wide neighbourhood.
fn exact_models_are_two_matrices_at_most() {
    let rows = 300;
    let point = |i: usize| [0.618, 0.414].map(|step| Value::Real(0.02 + (i as f64 * step).fract())).to_vec();
    let points: Vec<_> = (0..rows).map(|i| (point(i), Some(Outcome::value((i as f64).sin())))).collect();
    let before = live();
    let mut config = config();
    (config.model.exact_until, config.local_models.neighbours) = (rows, rows);
    let mut study = Study::in_memory(config).unwrap();
    study.add(&points).unwrap();
    let data = live();
    let matrices = || (live() - data) / (8 * rows * rows) as f64;
    study.ask(1).unwrap();
    assert!((1.0..1.2).contains(&matrices()), "{}", matrices());
    study.best().unwrap();
    assert!((2.0..2.3).contains(&matrices()), "{}", matrices());
    drop(study);
    assert_eq!(live() - before, 0.0);
}

/// One test, as all that this program allocates is counted.
#[test]
fn memory_grows_with_the_data_only() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    // Each thread keeps its buffers for matrix products for good: they are made before anything is counted.
    let mut first = Place::Memory.create();
    (0..20).for_each(|_| advance(&mut first));
    drop(first);
    let folder = Folder::new();
    for place in [Place::Memory, Place::File(&folder.file("study.db"))] {
        sparse_models_add_nothing_to_the_history(place);
    }
    exact_models_are_two_matrices_at_most();
}
