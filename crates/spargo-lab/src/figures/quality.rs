//! Figure 3: 25 of 250 candidates chosen by a determinantal point process with constant and with varying quality.
//!
//! ```text
//!     q(x) = 0.1 + exp(−|x − c|²/2w²),   c = (0.7, 0.7),  w = 0.2          (the paper's is not given)
//! ```
//!
//! Exact samples, and the greedy maximum that the method uses. A repeat is another set of candidates.

use super::Figure;
use crate::chart::{COLORS, Layer, Marks, Panel, Picture, draw};
use crate::error::Result;
use crate::options::Options;
use crate::rows::{Row, read_settings, to_value};
use crate::table::{Quantity, rounded, summarise};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo::allocate::{Search, allocate_by};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::rng::{Purpose, stream, uniform};
use std::path::{Path, PathBuf};

const QUANTITIES: [Quantity<Choice>; 2] =
    [("mean_varying_quality", |choice| choice.quality), ("nearest_distance", |choice| choice.distance)];
const REPEATS: usize = 20;

/// Names, whether quality varies, and how a set is found.
const METHODS: [(&str, Quality, Search); 4] = [
    ("constant quality, sample", constant, Search::Sample),
    ("varying quality, sample", varying, Search::Sample),
    ("constant quality, greedy", constant, Search::Lazy),
    ("varying quality, greedy", varying, Search::Lazy),
];

/// Cells of the background a side.
const CELLS: usize = 25;

pub static FIGURE: Figure = Figure {
    name: "quality",
    shows: "Figure 3: a determinantal point process with constant and with varying quality",
    kind: "quality",
    jobs,
    run,
    draw: draw_quality,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QualitySettings {
    seed: u64,
    candidates: usize,
    chosen: usize,
    lengthscale: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct QualityResult {
    candidates: Vec<(f64, f64)>,
    choices: Vec<Choice>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Choice {
    /// How it was made.
    method: String,
    rows: Vec<usize>,
    /// Mean of q, and distance to the nearest other chosen point.
    quality: f64,
    distance: f64,
}

type Quality = fn((f64, f64)) -> f64;

fn constant(_: (f64, f64)) -> f64 {
    1.0
}

fn varying((x, y): (f64, f64)) -> f64 {
    0.1 + (-((x - 0.7).powi(2) + (y - 0.7).powi(2)) / (2.0 * 0.2 * 0.2)).exp()
}

fn jobs(options: &Options) -> Result<Vec<Value>> {
    options.allow("quality", &[])?;
    let job = |seed| options.apply(&QualitySettings { seed, candidates: 250, chosen: 25, lengthscale: 0.3 }, &["seed"]);
    options.seeds(REPEATS).map(job).collect()
}

fn run(settings: &Value, _: &Options) -> Result<Value> {
    let settings: QualitySettings = read_settings(settings)?;
    let mut rng = stream(settings.seed, Purpose::Data, 0, 0);
    let candidates: Vec<(f64, f64)> =
        (0..settings.candidates).map(|_| (rounded(uniform(&mut rng)), rounded(uniform(&mut rng)))).collect();
    let x = Mat::from_fn(candidates.len(), 2, |i, k| if k == 0 { candidates[i].0 } else { candidates[i].1 });
    let kernel = Kernel::stationary(Family::Matern52, 1.0, settings.lengthscale, 2);
    let mut choices = Vec::new();
    for (name, quality, search) in METHODS {
        let mut rng = stream(settings.seed, Purpose::Allocation, 0, 0);
        let chosen = allocate_by(|i| quality(candidates[i]), search, x.as_ref(), &kernel, settings.chosen, &mut rng)?;
        let rows = chosen.rows.unwrap_or_default();
        let points: Vec<(f64, f64)> = rows.iter().map(|&i| candidates[i]).collect();
        let mean = points.iter().map(|p| varying(*p)).sum::<f64>() / points.len() as f64;
        choices.push(Choice { method: name.into(), rows, quality: mean, distance: nearest(&points) });
    }
    to_value(&QualityResult { candidates, choices })
}

/// The mean distance to the nearest other point.
fn nearest(points: &[(f64, f64)]) -> f64 {
    let distance = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
    let closest = |i: usize| {
        let others = (0..points.len()).filter(|&j| j != i);
        others.map(|j| distance(&points[i], &points[j])).fold(f64::INFINITY, f64::min)
    };
    (0..points.len()).map(closest).sum::<f64>() / points.len() as f64
}

fn draw_quality(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut outcomes: Vec<(QualitySettings, QualityResult)> = rows.iter().filter_map(Row::read).collect();
    outcomes.sort_by_key(|(settings, _)| settings.seed);
    let [picture, table] = ["quality.svg", "quality.csv"].map(|file| folder.join(file));
    if let Some((settings, outcome)) = outcomes.first() {
        let panels = METHODS.iter().zip(&outcome.choices).map(|(method, choice)| panel(method.1, choice, outcome));
        let caption = vec![format!(
            "Figure 3: {} elements of {} chosen by a DPP; shade: quality; candidates of seed {}.",
            settings.chosen, settings.candidates, settings.seed
        )];
        draw(&picture, &Picture { caption, columns: 2, panels: panels.collect() })?;
    }
    let of_method = |name: &'static str| {
        let choices = outcomes.iter().flat_map(|(_, outcome)| &outcome.choices);
        (["", name], choices.filter(|choice| choice.method == name).collect())
    };
    summarise(&table, &METHODS.map(|(name, ..)| of_method(name)), &QUANTITIES)?;
    Ok(vec![picture, table])
}

fn panel(quality: Quality, choice: &Choice, outcome: &QualityResult) -> Panel {
    let side = 1.0 / CELLS as f64;
    let cell = |i: usize, j: usize| {
        let (x, y) = (i as f64 * side, j as f64 * side);
        ([(x, y), (x + side, y + side)], 0.4 * quality((x + 0.5 * side, y + 0.5 * side)))
    };
    let cells = (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| cell(i, j))).collect();
    let chosen = choice.rows.iter().map(|&i| outcome.candidates[i]).collect();
    let layers = vec![
        Layer::named("quality", COLORS[1], Marks::Cells(cells)),
        Layer::named("candidates", COLORS[2], Marks::Dots(outcome.candidates.clone(), 2)),
        Layer::named("chosen", COLORS[0], Marks::Dots(chosen, 4)),
    ];
    Panel { title: choice.method.clone(), axes: ["x₁".into(), "x₂".into()], layers, ..Panel::default() }
}
