//! Figure 5, Section 5.2: cells of a map with a high prevalence of malaria, learned from 100 random cells and ten batches of
//! 100 chosen by BALD, with 50 inducing points by AL-DPP, CVR, k-means and uniformly.
//!
//! The paper shows two maps of one run; here accuracy and log loss on 10,000 held-out cells go with them, over repeats. A repeat
//! is another choice of held-out cells and of everything else. The paper does not name its kernel; ours is Matérn-3/2, as of
//! `spargo-lab learn`. Without the paper's map (`--data`) a synthetic one is learned.

mod draw;

use super::Figure;
use crate::curves::{Curve, Of};
use crate::error::Result;
use crate::experiments::{ActiveLearning, ActiveLearningStep, tiles};
use crate::options::{Options, Part};
use crate::rows::{read_settings, to_value};
use crate::runs::{CVR, KMEANS, Method, UNIFORM};
use crate::table::rounded;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo::allocate::Allocation;
use spargo::kernel::Family;
use spargo_problems::prevalence::Map;

const METHODS: [Method; 4] = [("al-dpp", Some(Allocation::AlDpp)), CVR, KMEANS, UNIFORM];

/// What the paper had of everything; of repeats it shows one.
const INDUCING: [usize; 1] = [50];
const STEPS: usize = 10;
const REPEATS: usize = 50;

/// Settings that have options of their own.
const OWN: [&str; 6] = ["map", "method", "allocation", "inducing", "seed", "steps"];

/// Tiles along a side of the maps that are drawn.
const SIDE: usize = 32;
const SYNTHETIC: &str = "synthetic";

pub static FIGURE: Figure = Figure {
    name: "malaria",
    shows: "Figure 5: a map of malaria learned from 1,100 cells, with four ways of choosing inducing points",
    kind: "active-learning",
    jobs,
    run,
    draw: draw::draw_malaria,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct MapSettings {
    /// Which map: synthetic, or what tells a given one from others.
    map: String,
    /// What the figure calls the model.
    method: String,
    /// How inducing points are chosen.
    allocation: Allocation,
    /// M.
    inducing: usize,
    /// Random seed, of the held-out cells as well.
    seed: u64,
    /// Cells kept for tests.
    held_out: usize,
    /// Random cells before the first batch.
    initial: usize,
    /// Cells of a batch.
    batch: usize,
    /// Batches.
    steps: usize,
    /// The kernel.
    kernel: Family,
}

/// Result of a run, after the initial cells and after every batch.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct MapResult {
    evaluations: Vec<usize>,
    /// Share of held-out cells whose class is the likelier one.
    accuracy: Vec<f64>,
    /// −log of the probability of their classes, on average, in nats.
    log_loss: Vec<f64>,
    /// Seconds for inducing points, for the model, and for the batch.
    allocate_s: Vec<f64>,
    fit_s: Vec<f64>,
    acquire_s: Vec<f64>,
    /// At the end, in the unit square.
    z: Vec<(f64, f64)>,
    /// Over tiles of the map (experiment/tiles.rs): the probability in the end, and the share that is positive.
    probability: Vec<Option<f64>>,
    truth: Vec<Option<f64>>,
}

fn jobs(options: &Options) -> Result<Vec<Value>> {
    options.allow("malaria", &[Part::Methods, Part::Inducing, Part::Steps, Part::Map])?;
    let names = options.chosen("method", &options.methods, &METHODS.map(|(name, _)| name))?;
    let inducing = if options.inducing.is_empty() { &INDUCING[..] } else { &options.inducing };
    let map = options.map.as_ref().map_or(SYNTHETIC.into(), fingerprint);
    let mut jobs = Vec::new();
    for seed in options.seeds(REPEATS) {
        for (&inducing, (name, allocation)) in inducing.iter().flat_map(|m| METHODS.iter().map(move |one| (m, one))) {
            let Some(allocation) = allocation.clone().filter(|_| names.contains(name)) else { continue };
            let settings = MapSettings {
                map: map.clone(),
                method: (*name).into(),
                allocation,
                inducing,
                seed,
                held_out: 10_000,
                initial: 100,
                batch: 100,
                steps: options.steps.unwrap_or(STEPS),
                kernel: Family::Matern32,
            };
            let settings = options.apply(&settings, &OWN)?;
            read_settings::<MapSettings>(&settings)?;
            jobs.push(settings);
        }
    }
    Ok(jobs)
}

fn run(settings: &Value, options: &Options) -> Result<Value> {
    let settings: MapSettings = read_settings(settings)?;
    let map = options.map.clone().unwrap_or_else(Map::synthetic);
    let split = map.split(settings.held_out, settings.seed)?;
    let mut experiment = ActiveLearning::new(&map, &split, |config| {
        config.seed = settings.seed;
        config.initial = settings.initial.into();
        config.batch = settings.batch;
        config.inducing = settings.inducing.into();
        config.allocation = settings.allocation;
        config.model.kernel = settings.kernel.into();
    })?;
    let steps = experiment.run(settings.steps)?;
    let of = |value: fn(&ActiveLearningStep) -> f64| steps.iter().map(value).collect::<Vec<f64>>();
    let all: Vec<usize> = (0..map.cells().len()).collect();
    let coarse = |values: &[f64]| -> Vec<Option<f64>> {
        tiles(map.cells(), values, SIDE).into_iter().map(|mean| mean.map(|v| (100.0 * v).round() / 100.0)).collect()
    };
    to_value(&MapResult {
        evaluations: steps.iter().map(|step| step.evaluations).collect(),
        accuracy: of(|step| step.accuracy),
        log_loss: of(|step| step.log_loss),
        allocate_s: of(|step| step.allocate_s),
        fit_s: of(|step| step.fit_s),
        acquire_s: of(|step| step.acquire_s),
        z: experiment.inducing()?.into_iter().map(|[x, y]| (rounded(x), rounded(y))).collect(),
        probability: coarse(&experiment.probabilities(&all)?),
        truth: coarse(&map.labels().into_iter().map(f64::from).collect::<Vec<_>>()),
    })
}

/// A fingerprint of the map, independent of its file: FNV-1a (Fowler, Noll & Vo) of the bits of its numbers.
fn fingerprint(map: &Map) -> String {
    let cells = map.cells().iter().zip(map.prevalence());
    let numbers = cells.flat_map(|(&[x, y], &prevalence)| [x, y, prevalence]);
    let bytes = numbers.flat_map(|number| number.to_bits().to_le_bytes());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{} cells, {hash:016x}", map.cells().len())
}

impl MapSettings {
    /// The line it belongs to.
    fn of(&self) -> Of {
        let map = if self.map == SYNTHETIC { "synthetic map" } else { "given map" };
        Of { function: map.into(), method: self.method.clone(), inducing: Some(self.inducing) }
    }
}

impl MapResult {
    fn curve(&self, values: &[f64]) -> Curve {
        Curve { evaluations: self.evaluations.clone(), values: values.to_vec() }
    }

    /// Seconds of all steps.
    fn overhead_s(&self) -> f64 {
        [&self.allocate_s, &self.fit_s, &self.acquire_s].into_iter().flatten().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_told_apart_by_every_number() {
        let rows = [[0.0, 0.0, 0.1], [1.0, 2.0, 0.5], [3.0, 1.0, 0.9]];
        let mut other = rows;
        other[1][2] = 0.4;
        let [a, b] = [rows, other].map(|rows| fingerprint(&Map::new(&rows).unwrap()));
        assert!(a != b && a.starts_with("3 cells, "), "{a} {b}");
        assert_eq!(a, fingerprint(&Map::new(&rows).unwrap()));
        let jobs = |map| jobs(&Options { repeats: Some(2), map, ..Options::default() }).unwrap();
        let [synthetic, given] = [None, Some(Map::new(&rows).unwrap())].map(jobs);
        assert!(synthetic.len() == 8 && given.len() == 8);
        assert!(synthetic[0]["map"] == SYNTHETIC && given[0]["map"] == a.as_str());
    }
}
