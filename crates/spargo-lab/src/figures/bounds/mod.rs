//! Appendix A: what the bounds on the sparse approximation are worth, in numbers.
//!
//! Three parts, each over random points of the unit square:
//! - `kl`: t/2σ² ≤ E KL[Q‖P] ≤ t/σ² over outcomes of the prior, for all data and for those in a region A (Corollary 1);
//! - `trace`: E t^q(Z) ≤ (M + 1) Σ_{m>M} λ_m for samples of a determinantal point process, q constant and varying, with the
//!   eigenvalues λ of L (Theorem 3 and Corollary 2);
//! - `binary`: q² = β in A and 1 − β elsewhere moves accuracy into A.
//!
//! Slips of the appendix that are not repeated here: its proof of Corollary 1 leaves out the trace term of the KL (what it
//! prints is shown as well); t^q = β t_A + (1 − β) t_rest, not with β² and (1 − β)²; min t(Z) is at least the sum of the left
//! eigenvalues, and equal to it only by luck.

mod draw;
mod theory;

use super::Figure;
use crate::error::Result;
use crate::options::Options;
use crate::rows::{read_settings, to_value};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spargo::allocate::{Search, allocate_by, conditional_variance, trace};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::rng::{Purpose, stream, uniform};
use theory::Divergence;

const REPEATS: usize = 10;
const INDUCING: [usize; 6] = [5, 10, 15, 20, 30, 40];
const BETAS: [f64; 7] = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95];

/// M of the binary quality.
const FEW: usize = 15;

pub static FIGURE: Figure = Figure {
    name: "bounds",
    shows: "Appendix A: the bounds on the sparse approximation, in numbers",
    kind: "bounds",
    jobs,
    run,
    draw: draw::draw_bounds,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsSettings {
    part: BoundsPart,
    seed: u64,
    /// N.
    points: usize,
    /// Length scale of the Matérn-5/2 kernel, whose variance is 1.
    lengthscale: f64,
    /// σ².
    noise: f64,
    /// Samples of outcomes or of inducing points.
    draws: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BoundsPart {
    Kl,
    Trace,
    Binary,
}

/// What a part finds, as curves over M or β.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct BoundsResult {
    /// M, or β.
    at: Vec<f64>,
    curves: Vec<(String, Vec<f64>)>,
}

fn jobs(options: &Options) -> Result<Vec<Value>> {
    options.allow("bounds", &[])?;
    let mut jobs = Vec::new();
    for seed in options.seeds(REPEATS) {
        for part in [BoundsPart::Kl, BoundsPart::Trace, BoundsPart::Binary] {
            let settings = BoundsSettings { part, seed, points: 120, lengthscale: 0.3, noise: 0.1, draws: 100 };
            jobs.push(options.apply(&settings, &["part", "seed"])?);
        }
    }
    Ok(jobs)
}

fn run(settings: &Value, _: &Options) -> Result<Value> {
    let settings: BoundsSettings = read_settings(settings)?;
    let mut rng = stream(settings.seed, Purpose::Data, 0, 0);
    let x = Mat::from_fn(settings.points, 2, |_, _| uniform(&mut rng));
    let kernel = Kernel::stationary(Family::Matern52, 1.0, settings.lengthscale, 2);
    let outcome = match settings.part {
        BoundsPart::Kl => divergences(&settings, &x, &kernel)?,
        BoundsPart::Trace => traces(&settings, &x, &kernel)?,
        BoundsPart::Binary => binary(&settings, &x, &kernel)?,
    };
    to_value(&outcome)
}

/// The region A.
fn inside(x: &Mat, i: usize) -> bool {
    x[(i, 0)] < 0.4 && x[(i, 1)] < 0.5
}

/// A quality with a summit.
fn varying(x: &Mat, i: usize) -> f64 {
    0.1 + (-((x[(i, 0)] - 0.7).powi(2) + (x[(i, 1)] - 0.7).powi(2)) / (2.0 * 0.2 * 0.2)).exp()
}

/// For one exact sample of Z a size: the expected divergence in closed form and over outcomes, and the bounds on it.
fn divergences(settings: &BoundsSettings, x: &Mat, kernel: &Kernel) -> Result<BoundsResult> {
    let region: Vec<usize> = (0..x.nrows()).filter(|&i| inside(x, i)).collect();
    let local = Mat::from_fn(region.len(), 2, |i, k| x[(region[i], k)]);
    let mut curves = Curves::default();
    for m in INDUCING {
        let mut rng = stream(settings.seed, Purpose::Allocation, 0, m as u64);
        let z = allocate_by(|_| 1.0, Search::Sample, x.as_ref(), kernel, m, &mut rng)?.points;
        for (prefix, data) in [("", x), ("A: ", &local)] {
            let found = Divergence::of(kernel, data.as_ref(), z.as_ref(), settings.noise)?;
            let mut rng = stream(settings.seed, Purpose::Data, 1, m as u64);
            let sampled = theory::sampled_divergence(
                kernel,
                data.as_ref(),
                z.as_ref(),
                settings.noise,
                settings.draws,
                &mut rng,
            )?;
            curves.push(prefix, "t/2σ²", 0.5 * found.trace / settings.noise);
            curves.push(prefix, "E KL, closed form", found.expected);
            curves.push(prefix, "E KL, over sampled outcomes", sampled);
            curves.push(prefix, "KL as printed in the proof", found.printed);
            curves.push(prefix, "t/σ²", found.trace / settings.noise);
        }
    }
    Ok(curves.outcome(INDUCING.map(|m| m as f64).to_vec()))
}

/// E t^q(Z) over exact samples, in closed form, and the bounds on it; and what the greedy search attains.
fn traces(settings: &BoundsSettings, x: &Mat, kernel: &Kernel) -> Result<BoundsResult> {
    let mut curves = Curves::default();
    for (prefix, quality) in [("", vec![1.0; x.nrows()]), ("q: ", (0..x.nrows()).map(|i| varying(x, i)).collect())] {
        let eigenvalues = theory::eigenvalues(kernel, x.as_ref(), &quality)?;
        for m in INDUCING {
            let mut rng = stream(settings.seed, Purpose::Allocation, 1, m as u64);
            let mut attained = |search| -> Result<f64> {
                let z = allocate_by(|i| quality[i], search, x.as_ref(), kernel, m, &mut rng)?.points;
                Ok(trace(z.as_ref(), x.as_ref(), kernel, &quality)?.weighted)
            };
            let greedy = attained(Search::Lazy)?;
            let total = (0..settings.draws).map(|_| attained(Search::Sample)).sum::<Result<f64>>()?;
            let left = theory::left(&eigenvalues, m);
            curves.push(prefix, "sum of left eigenvalues", left);
            curves.push(prefix, "greedy", greedy);
            curves.push(prefix, "E t over samples", total / settings.draws as f64);
            curves.push(prefix, "E t, closed form", theory::expected_trace(&eigenvalues, m));
            curves.push(prefix, "(M + 1) times the sum", (m + 1) as f64 * left);
        }
    }
    Ok(curves.outcome(INDUCING.map(|m| m as f64).to_vec()))
}

/// Mean variance left inside A and elsewhere, a data point.
fn binary(settings: &BoundsSettings, x: &Mat, kernel: &Kernel) -> Result<BoundsResult> {
    let mut curves = Curves::default();
    let count = (0..x.nrows()).filter(|&i| inside(x, i)).count() as f64;
    for (number, beta) in BETAS.into_iter().enumerate() {
        let quality = |i: usize| f64::sqrt(if inside(x, i) { beta } else { 1.0 - beta });
        let mut rng = stream(settings.seed, Purpose::Allocation, 2, number as u64);
        let (mut within, mut rest) = (0.0, 0.0);
        for _ in 0..settings.draws {
            let z = allocate_by(quality, Search::Sample, x.as_ref(), kernel, FEW, &mut rng)?.points;
            for (i, variance) in conditional_variance(z.as_ref(), x.as_ref(), kernel)?.into_iter().enumerate() {
                *(if inside(x, i) { &mut within } else { &mut rest }) += variance / settings.draws as f64;
            }
        }
        curves.push("", "t_A a point", within / count);
        curves.push("", "t elsewhere a point", rest / (x.nrows() as f64 - count));
        curves.push("", "t^q = β t_A + (1 − β) t_rest", beta * within + (1.0 - beta) * rest);
        curves.push("", "as printed, with β² and (1 − β)²", beta.powi(2) * within + (1.0 - beta).powi(2) * rest);
    }
    Ok(curves.outcome(BETAS.to_vec()))
}

/// Curves that grow point by point.
#[derive(Default)]
struct Curves(Vec<(String, Vec<f64>)>);

impl Curves {
    fn push(&mut self, prefix: &str, name: &str, value: f64) {
        let name = format!("{prefix}{name}");
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => self.0.push((name, vec![value])),
        }
    }

    fn outcome(self, at: Vec<f64>) -> BoundsResult {
        BoundsResult { at, curves: self.0 }
    }
}
