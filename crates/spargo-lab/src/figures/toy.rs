//! Figure 1: two sparse GPs of a function of one input, with inducing points by CVR and by IMP-DPP, alongside the exact GP.
//!
//! ```text
//!     forrester     (6x − 2)² sin(12x − 4) on [0, 1]                                 (Forrester, Sóbester & Keane 2008)
//!     gramacy-lee   sin(10πx)/2x + (x − 1)⁴ on [½, 2½]                               (Gramacy & Lee 2012)
//!     well          sin(10x)/2 − 4 exp(−(x − 0.7)²/2·0.03²) on [0, 1]                 a narrow well in a wavy plain
//! ```
//!
//! All are minimised. The paper does not name its function, and a single one could be chosen so that either method looks good:
//! so there are three, with different shares of the range near the minimum, and all are shown. A repeat is another set of
//! data.

use super::Figure;
use crate::chart::{COLORS, Layer, Marks, Panel, Picture, draw};
use crate::error::Result;
use crate::options::{Options, Part};
use crate::rows::{Row, read_settings, to_value};
use crate::runs::{CVR, EXACT, IMP_DPP, Method};
use crate::surrogate::{Curve, Exact, Hyper, argmax, rmse};
use crate::table::{Quantity, rounded, summarise};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo::linalg::Mat;
use spargo::rng::{Purpose, normal, stream, uniform};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};

const METHODS: [Method; 3] = [CVR, IMP_DPP, EXACT];
const FUNCTIONS: [(&str, Function); 3] = [
    ("forrester", |x| (6.0 * x - 2.0).powi(2) * (12.0 * x - 4.0).sin()),
    ("gramacy-lee", |u| {
        let x = 0.5 + 2.0 * u;
        (10.0 * PI * x).sin() / (2.0 * x) + (x - 1.0).powi(4)
    }),
    ("well", |x| 0.5 * (10.0 * x).sin() - 4.0 * (-0.5 * ((x - 0.7) / 0.03).powi(2)).exp()),
];
const QUANTITIES: [Quantity<Model>; 3] =
    [("rmse", |model| model.rmse), ("rmse_best_fifth", |model| model.rmse_best), ("regret", |model| model.regret)];
const REPEATS: usize = 20;

/// Points of a curve.
const GRID: usize = 201;

pub static FIGURE: Figure = Figure {
    name: "toy",
    shows: "Figure 1: two sparse GPs of a function of one input",
    kind: "toy",
    jobs,
    run,
    draw: draw_toy,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToySettings {
    function: String,
    seed: u64,
    /// Data points.
    points: usize,
    /// Standard deviation of the noise.
    noise: f64,
    /// M.
    inducing: usize,
    hyper: Hyper,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ToyResult {
    x: Vec<f64>,
    y: Vec<f64>,
    models: Vec<Model>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Model {
    method: String,
    z: Vec<f64>,
    mean: Vec<f64>,
    deviation: Vec<f64>,
    /// Error of the mean everywhere, and where the function is in the best fifth of its range.
    rmse: f64,
    rmse_best: f64,
    /// How far the function at the mean's optimum is from its own.
    regret: f64,
}

/// A function of a point of the unit interval.
type Function = fn(f64) -> f64;

fn jobs(options: &Options) -> Result<Vec<Value>> {
    options.allow("toy", &[Part::Functions])?;
    let functions = options.chosen("function", &options.functions, &FUNCTIONS.map(|(name, _)| name))?;
    let mut jobs = Vec::new();
    for seed in options.seeds(REPEATS) {
        for function in functions.iter().map(|name| name.to_string()) {
            let settings = ToySettings { function, seed, points: 100, noise: 0.1, inducing: 10, hyper: Hyper::Bound };
            jobs.push(options.apply(&settings, &["function", "seed"])?);
        }
    }
    Ok(jobs)
}

fn run(settings: &Value, _: &Options) -> Result<Value> {
    let settings: ToySettings = read_settings(settings)?;
    let function = function(&settings.function);
    let mut rng = stream(settings.seed, Purpose::Data, 0, 0);
    let x: Vec<f64> = (0..settings.points).map(|_| rounded(uniform(&mut rng))).collect();
    let y: Vec<f64> = x.iter().map(|&u| rounded(-function(u) + settings.noise * normal(&mut rng))).collect();
    let exact = Exact::new(Mat::from_fn(x.len(), 1, |i, _| x[i]), y.clone(), settings.seed)?;
    let grid = Mat::from_fn(GRID, 1, |i, _| at(i));
    let truth: Vec<f64> = (0..GRID).map(|i| -function(at(i))).collect();
    let (least, best) = (truth.iter().copied().fold(f64::INFINITY, f64::min), truth[argmax(&truth)]);
    let mut models = Vec::new();
    for (name, allocation) in METHODS {
        let mut rng = stream(settings.seed, Purpose::Allocation, 0, 0);
        let posterior = match allocation {
            Some(ref allocation) => exact.sparse(allocation, settings.inducing, settings.hyper, &mut rng)?,
            None => exact.posterior.clone(),
        };
        let Curve { mean, deviation } = exact.curve(&posterior, grid.as_ref())?;
        models.push(Model {
            method: name.into(),
            z: allocation.map_or(vec![], |_| posterior.z().col(0).iter().copied().collect()),
            rmse: rmse(&mean, &truth, |_| true),
            rmse_best: rmse(&mean, &truth, |i| truth[i] > best - 0.2 * (best - least)),
            regret: best - truth[argmax(&mean)],
            mean: mean.into_iter().map(rounded).collect(),
            deviation: deviation.into_iter().map(rounded).collect(),
        });
    }
    to_value(&ToyResult { x, y, models })
}

/// The function of that name; jobs are made for known names only.
fn function(name: &str) -> Function {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map_or(FUNCTIONS[0].1, |(_, function)| *function)
}

fn at(i: usize) -> f64 {
    i as f64 / (GRID - 1) as f64
}

fn draw_toy(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut outcomes: Vec<(ToySettings, ToyResult)> = rows.iter().filter_map(Row::read).collect();
    outcomes.sort_by_key(|(settings, _)| settings.seed);
    let [picture, table] = ["toy.svg", "toy.csv"].map(|file| folder.join(file));
    let (mut panels, mut lists) = (Vec::new(), Vec::new());
    for (function, _) in FUNCTIONS {
        let own: Vec<&(ToySettings, ToyResult)> = outcomes.iter().filter(|(s, _)| s.function == function).collect();
        let Some((_, first)) = own.first() else { continue };
        panels.extend(first.models.iter().map(|model| panel(function, model, first)));
        for (method, _) in METHODS {
            let models = own.iter().flat_map(|(_, outcome)| &outcome.models).filter(|model| model.method == method);
            lists.push(([function, method], models.collect()));
        }
    }
    let caption = vec![
        "Figure 1: sparse GPs with few inducing points by an existing method and by the paper's, and the exact GP."
            .into(),
        "Lines: posterior mean; bands: ± 2 deviations of f; data of the first seed.".into(),
    ];
    draw(&picture, &Picture { caption, columns: METHODS.len(), panels })?;
    summarise(&table, &lists, &QUANTITIES)?;
    Ok(vec![picture, table])
}

/// The function as it is minimised, with what a model believes.
fn panel(name: &str, model: &Model, outcome: &ToyResult) -> Panel {
    let truth: Vec<(f64, f64)> = (0..GRID).map(|i| (at(i), function(name)(at(i)))).collect();
    let mean: Vec<(f64, f64)> = (0..GRID).map(|i| (at(i), -model.mean[i])).collect();
    let band = mean.iter().zip(&model.deviation).map(|(&(x, mean), d)| (x, mean - 2.0 * d, mean + 2.0 * d)).collect();
    let data = outcome.x.iter().zip(&outcome.y).map(|(&x, y)| (x, -y)).collect();
    let (low, high) =
        truth.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.1), high.max(p.1)));
    let floor = low - 0.15 * (high - low);
    let layers = vec![
        Layer::plain(COLORS[1], Marks::Band(band)),
        Layer::named("data", COLORS[7], Marks::Dots(data, 2)),
        Layer::named("function", COLORS[4], Marks::Dashes(truth)),
        Layer::named("posterior mean", COLORS[1], Marks::Line(mean)),
        Layer::named("inducing points", COLORS[0], Marks::Dots(model.z.iter().map(|z| (*z, floor)).collect(), 4)),
    ];
    let title = format!("{name}, {}", model.method);
    Panel { title, axes: ["x".into(), "f".into()], layers, ..Panel::default() }
}
