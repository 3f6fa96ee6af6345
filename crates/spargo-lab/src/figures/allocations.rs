//! Figure 2: 250 data points of a function of two inputs, 25 inducing points by k-means, CVR and IMP-DPP; expected improvement
//! around the optimum by each of these models against the exact GP's.
//!
//! ```text
//!     ackley   20 + e − 20 exp(−0.2 |x|/√2) − exp((cos 2πx₁ + cos 2πx₂)/2) on [−2, 2]²         (Ackley 1987)
//!     camel    (4 − 2.1x₁² + x₁⁴/3)x₁² + x₁x₂ + 4(x₂² − 1)x₂² on [−2, 2] × [−1, 1]              (Dixon & Szegő 1978)
//!     branin   on [−5, 10] × [0, 15]                                                   (spargo_problems::BRANIN)
//! ```
//!
//! All are minimised. The paper does not name its function; these three are all shown, so that none is picked for its result.
//! Agreement with the exact GP is the correlation of both surfaces over the promising region, a quarter of the box's width
//! each way around the optimum. A repeat is another set of data.

use super::Figure;
use crate::chart::{COLORS, Layer, Marks, Panel, Picture, draw};
use crate::error::Result;
use crate::options::{Options, Part};
use crate::rows::{Row, read_settings, to_value};
use crate::runs::{CVR, EXACT, IMP_DPP, KMEANS, Method};
use crate::surrogate::{Exact, Hyper, argmax, correlation, rmse};
use crate::table::{Quantity, rounded, summarise};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo::linalg::Mat;
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo_problems::BRANIN;
use std::f64::consts::{E, SQRT_2, TAU};
use std::path::{Path, PathBuf};

const METHODS: [Method; 4] = [EXACT, KMEANS, CVR, IMP_DPP];
const FUNCTIONS: [Function; 3] = [
    ("ackley", |(u, v)| ackley(4.0 * u - 2.0, 4.0 * v - 2.0), (0.5, 0.5)),
    ("camel", |(u, v)| camel(4.0 * u - 2.0, 2.0 * v - 1.0), (0.522_460_5, 0.143_671_8)),
    ("branin", |(u, v)| BRANIN.scaled_from_unit(&[u, v]).map_or(f64::NAN, |value| -value), (0.542_772_8, 0.151_666_7)),
];
const QUANTITIES: [Quantity<Model>; 3] = [
    ("ei_correlation_with_exact", |model| model.correlation),
    ("ei_maximum_distance", |model| model.distance),
    ("mean_rmse_to_exact", |model| model.rmse),
];
const REPEATS: usize = 20;

/// Points of the grid a side, and how far the promising region reaches.
const GRID: usize = 17;
const REACH: f64 = 0.125;

pub static FIGURE: Figure = Figure {
    name: "allocations",
    shows: "Figure 2: inducing points by k-means, CVR and IMP-DPP, and the expected improvement they lead to",
    kind: "allocations",
    jobs,
    run,
    draw: draw_allocations,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllocationsSettings {
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
struct AllocationsResult {
    /// In the unit square.
    x: Vec<(f64, f64)>,
    models: Vec<Model>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Model {
    method: String,
    z: Vec<(f64, f64)>,
    /// Expected improvement on the grid of the promising region, relative to its largest.
    improvement: Vec<f64>,
    /// Correlation with the exact GP's improvement.
    correlation: f64,
    /// Distance between the maxima of both improvements, in units of the box.
    distance: f64,
    /// Root mean square difference of both means over the promising region, in units of the function.
    rmse: f64,
}

/// A function of a point of the unit square, and where it is least.
type Function = (&'static str, fn((f64, f64)) -> f64, (f64, f64));

fn ackley(x: f64, y: f64) -> f64 {
    let waves = 0.5 * ((TAU * x).cos() + (TAU * y).cos());
    20.0 + E - 20.0 * (-0.2 * x.hypot(y) / SQRT_2).exp() - waves.exp()
}

fn camel(x: f64, y: f64) -> f64 {
    (4.0 - 2.1 * x * x + x.powi(4) / 3.0) * x * x + x * y + 4.0 * (y * y - 1.0) * y * y
}

fn jobs(options: &Options) -> Result<Vec<Value>> {
    options.allow("allocations", &[Part::Functions])?;
    let functions = options.chosen("function", &options.functions, &FUNCTIONS.map(|(name, ..)| name))?;
    let mut jobs = Vec::new();
    for seed in options.seeds(REPEATS) {
        for function in functions.iter().map(|name| name.to_string()) {
            let settings =
                AllocationsSettings { function, seed, points: 250, noise: 0.1, inducing: 25, hyper: Hyper::Bound };
            jobs.push(options.apply(&settings, &["function", "seed"])?);
        }
    }
    Ok(jobs)
}

fn run(settings: &Value, _: &Options) -> Result<Value> {
    let settings: AllocationsSettings = read_settings(settings)?;
    let (_, function, _) = *function(&settings.function);
    let mut rng = stream(settings.seed, Purpose::Data, 0, 0);
    let mut coordinate = || rounded(uniform(&mut rng));
    let x: Vec<(f64, f64)> = (0..settings.points).map(|_| (coordinate(), coordinate())).collect();
    let y: Vec<f64> = x.iter().map(|&p| -function(p) + settings.noise * normal(&mut rng)).collect();
    let exact = Exact::new(matrix(&x), y, settings.seed)?;
    let points: Vec<(f64, f64)> = (0..GRID * GRID).map(|i| at(&settings.function, i)).collect();
    let grid = matrix(&points);
    let truth = exact.improvement(&exact.posterior, grid.as_ref())?;
    let mean = exact.curve(&exact.posterior, grid.as_ref())?.mean;
    let mut models = Vec::new();
    for (name, allocation) in METHODS {
        let mut rng = stream(settings.seed, Purpose::Allocation, 0, 0);
        let posterior = match allocation {
            Some(ref allocation) => exact.sparse(allocation, settings.inducing, settings.hyper, &mut rng)?,
            None => exact.posterior.clone(),
        };
        let improvement = exact.improvement(&posterior, grid.as_ref())?;
        let (own, best) = (points[argmax(&improvement)], points[argmax(&truth)]);
        let largest = improvement[argmax(&improvement)].max(f64::MIN_POSITIVE);
        let z = posterior.z();
        let chosen = (0..z.nrows()).map(|i| (rounded(z[(i, 0)]), rounded(z[(i, 1)])));
        models.push(Model {
            method: name.into(),
            z: allocation.map_or(vec![], |_| chosen.collect()),
            correlation: correlation(&improvement, &truth),
            distance: (own.0 - best.0).hypot(own.1 - best.1),
            rmse: rmse(&exact.curve(&posterior, grid.as_ref())?.mean, &mean, |_| true),
            improvement: improvement.iter().map(|v| rounded(v / largest)).collect(),
        });
    }
    to_value(&AllocationsResult { x, models })
}

/// The function of that name; jobs are made for known names only.
fn function(name: &str) -> &'static Function {
    FUNCTIONS.iter().find(|(known, ..)| *known == name).unwrap_or(&FUNCTIONS[0])
}

fn matrix(points: &[(f64, f64)]) -> Mat {
    Mat::from_fn(points.len(), 2, |i, k| if k == 0 { points[i].0 } else { points[i].1 })
}

/// A point of the grid over the promising region.
fn at(name: &str, i: usize) -> (f64, f64) {
    let (_, _, (u, v)) = function(name);
    let along = |k: usize| REACH * (2.0 * k as f64 / (GRID - 1) as f64 - 1.0);
    (u + along(i % GRID), v + along(i / GRID))
}

fn draw_allocations(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut outcomes: Vec<(AllocationsSettings, AllocationsResult)> = rows.iter().filter_map(Row::read).collect();
    outcomes.sort_by_key(|(settings, _)| settings.seed);
    let [picture, table] = ["allocations.svg", "allocations.csv"].map(|file| folder.join(file));
    let (mut panels, mut lists) = (Vec::new(), Vec::new());
    for (function, ..) in FUNCTIONS {
        let own: Vec<&(AllocationsSettings, AllocationsResult)> =
            outcomes.iter().filter(|(s, _)| s.function == function).collect();
        let Some((_, first)) = own.first() else { continue };
        panels.extend(first.models.iter().map(|model| points_panel(function, model, first)));
        panels.extend(first.models.iter().map(|model| surface_panel(function, model)));
        for (method, _) in METHODS {
            let models = own.iter().flat_map(|(_, outcome)| &outcome.models).filter(|model| model.method == method);
            lists.push(([function, method], models.collect()));
        }
    }
    let caption = vec![
        "Figure 2: data and inducing points, and under them the expected improvement in the promising region,".into(),
        "relative to its largest value there, with its correlation with the exact GP's. Data of the first seed.".into(),
    ];
    draw(&picture, &Picture { caption, columns: METHODS.len(), panels })?;
    summarise(&table, &lists, &QUANTITIES)?;
    Ok(vec![picture, table])
}

fn points_panel(name: &str, model: &Model, outcome: &AllocationsResult) -> Panel {
    let region = vec![([at(name, 0), at(name, GRID * GRID - 1)], 0.3)];
    let layers = vec![
        Layer::named("promising region", COLORS[1], Marks::Cells(region)),
        Layer::named("data", COLORS[2], Marks::Dots(outcome.x.clone(), 2)),
        Layer::named("inducing points", COLORS[0], Marks::Dots(model.z.clone(), 4)),
    ];
    let title = format!("{name}, {}", model.method);
    Panel { title, axes: ["x₁".into(), "x₂".into()], layers, ..Panel::default() }
}

fn surface_panel(name: &str, model: &Model) -> Panel {
    let half = REACH / (GRID - 1) as f64;
    let cell = |i: usize| {
        let (x, y) = at(name, i);
        ([(x - half, y - half), (x + half, y + half)], model.improvement[i])
    };
    let (low, high) = (at(name, 0), at(name, GRID * GRID - 1));
    let inside = |p: &(f64, f64)| (low.0..=high.0).contains(&p.0) && (low.1..=high.1).contains(&p.1);
    let layers = vec![
        Layer::plain(COLORS[1], Marks::Cells((0..model.improvement.len()).map(cell).collect())),
        Layer::plain(COLORS[0], Marks::Dots(model.z.iter().copied().filter(inside).collect(), 4)),
    ];
    let title = format!("{}: correlation {:.2}", model.method, model.correlation);
    Panel { title, axes: ["x₁".into(), "x₂".into()], layers, ..Panel::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_least_where_they_are_said_to_be_and_their_regions_lie_in_the_square() {
        for (name, function, (u, v)) in FUNCTIONS {
            let least = function((u, v));
            for i in 0..101 * 101 {
                let p = ((i % 101) as f64 / 100.0, (i / 101) as f64 / 100.0);
                assert!(function(p) >= least - 1e-5, "{name} at {p:?}: {} < {least}", function(p));
            }
            assert!((0..GRID * GRID).map(|i| at(name, i)).all(|(u, v)| u.min(v) >= 0.0 && u.max(v) <= 1.0));
        }
    }
}
