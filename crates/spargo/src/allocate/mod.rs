//! Choice of inducing points: where the sparse model is to be accurate.
//!
//! ```text
//!     P(Z) ∝ |L_Z|,   L_ij = q(x_i) k(x_i, x_j) q(x_j)            (Moss, Ober & Picheny 2023)
//! ```
//!
//! A method is a [`QualityFunction`] q and a way to find a Z of large determinant: greedily ([`Search::Lazy`]) or by an
//! exact sample ([`Search::Sample`]); CVR is q = 1. Random subsets, k-means and uniform points are there for comparison. All of them
//! see a kernel and arrays, never a model, and share these rules:
//! - no row is chosen twice, nor one that the others determine (a conditional variance below 1e-10 of the prior's is
//!   nil), so K_ZZ is never singular: duplicates give fewer points, and so do rows that a smooth kernel cannot tell apart;
//! - with at most M different rows all others are chosen, whatever the method: nothing is padded;
//! - where no quality is left, the choice goes on by CVR;
//! - among many rows, the greedy search looks at a subsample of them, half of it by quality (see `subsample`).
//!
//! Kernels, custom ones included, compute an element alike in any block and are symmetric to the last bit: the lazy search
//! then chooses the rows that one over all rows would.

mod factor;
mod greedy;
mod kdpp;
mod kmeans;
pub mod quality;
mod settings;
mod subsample;
mod trace;
mod uniform;

pub use quality::{CustomQuality, Needs, Quality, QualityFunction};
pub use settings::{Allocation, Inputs};
pub(crate) use subsample::{Subsample, most_rows, subsample};
pub use trace::{Trace, conditional_variance, trace};

use crate::data::{AllocationContext, check_finite};
use crate::error::{self, Error, Result, check_length};
use crate::interrupt;
use crate::kernel::{Kernel, Role};
use crate::linalg::{Mat, MatRef, PointMap, point_key, select_rows};
use crate::rng::distinct_indices;
use greedy::{Picks, Pool};
use rand_chacha::ChaCha8Rng;

/// The inducing points, in the order of choice.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The points, [m, d].
    pub points: Mat,
    /// Rows of the points in the data, counted from 0; `None` if they are not data points.
    pub rows: Option<Vec<usize>>,
    /// Quality of each point; 1 if the points are not data.
    pub quality: Vec<f64>,
    /// Variance of each point, given those before it: the squared pivots of K_ZZ.
    pub variance: Vec<f64>,
}

/// How a Z of large determinant is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Greedily, with outdated scores as upper bounds.
    #[default]
    Lazy,
    /// By an exact sample.
    Sample,
}

/// Where a greedy search ends before it has all its points: t^q(Z)/σ² ≤ τ Σ q², with noise variances σ² of the rows.
#[derive(Debug, Clone)]
pub struct ErrorBound {
    /// The noise variance of each row.
    pub noise: Vec<f64>,
    /// How many observations each row stands for.
    pub multiplicity: Vec<f64>,
    /// τ, in nats per observation.
    pub tolerance: f64,
}

/// Chooses up to `m` inducing points for data x, [n, d].
pub fn allocate(
    allocation: &Allocation,
    x: MatRef<'_>,
    kernel: &Kernel,
    context: &AllocationContext,
    m: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Chosen> {
    allocate_within(None, allocation, x, kernel, context, m, rng)
}

/// Chooses up to `m` inducing points for data x, [n, d]; a greedy method ends where the bound is met.
pub fn allocate_within(
    bound: Option<&ErrorBound>,
    allocation: &Allocation,
    x: MatRef<'_>,
    kernel: &Kernel,
    context: &AllocationContext,
    m: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Chosen> {
    check(x, kernel, m)?;
    check_length("the list of rows of the context", context.rows(), x.nrows())?;
    let quality = allocation.quality().evaluate(context, m)?;
    match allocation {
        Allocation::Random => subset(x, kernel, &distinct_indices(x.nrows(), x.nrows(), rng), m),
        Allocation::Uniform | Allocation::Kmeans { .. } if count_distinct(x) <= m => {
            subset(x, kernel, &Vec::from_iter(0..x.nrows()), m)
        }
        Allocation::Uniform => {
            let bounds = context.bounds().map_or_else(|| uniform::bounding_box(x), <[_]>::to_vec);
            check_length("the list of bounds", bounds.len(), x.ncols())?;
            free_points(uniform::uniform(&bounds, m, rng), kernel, m)
        }
        Allocation::Kmeans { inputs } => {
            free_points(kmeans::kmeans(x, &scales(*inputs, x.ncols(), kernel)?, m, rng), kernel, m)
        }
        // Else all of them are chosen: nothing is left to draw.
        Allocation::Dpp { .. } if count_distinct(x) > m => {
            allocate_by(|i| quality[i], Search::Sample, x, kernel, m, rng)
        }
        _ => {
            check_quality(&quality)?;
            greedy(bound, &quality, x, kernel, m, rng)
        }
    }
}

/// Chooses up to `m` rows of x by a quality of your own: `quality(i)` is that of row i.
pub fn allocate_by(
    quality: impl Fn(usize) -> f64,
    search: Search,
    x: MatRef<'_>,
    kernel: &Kernel,
    m: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Chosen> {
    check(x, kernel, m)?;
    let quality: Vec<f64> = (0..x.nrows()).map(quality).collect();
    check_quality(&quality)?;
    match search {
        Search::Lazy => greedy(None, &quality, x, kernel, m, rng),
        Search::Sample => {
            let pool = Pool::new(x, kernel, &quality, m)?;
            greedy_after(&kdpp::sample(x, kernel, &quality, m, rng)?, &pool, &quality)
        }
    }
}

/// The greedy choice, among some of the rows if they are many.
fn greedy(
    bound: Option<&ErrorBound>,
    quality: &[f64],
    x: MatRef<'_>,
    kernel: &Kernel,
    m: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Chosen> {
    if let Some(bound) = bound {
        bound.check(x.nrows())?;
    }
    let most = most_rows(m);
    if x.nrows() <= most {
        return greedy_after(&[], &Pool::new(x, kernel, quality, m)?.within(bound), quality);
    }
    let Subsample { rows, multiplicity } = subsample(x, quality, most, rng);
    let (x, quality) = (select_rows(x, &rows), rows.iter().map(|&row| quality[row]).collect::<Vec<_>>());
    let bound = bound.map(|bound| bound.of_subsample(&rows, &multiplicity));
    let chosen = greedy_after(&[], &Pool::new(x.as_ref(), kernel, &quality, m)?.within(bound.as_ref()), &quality)?;
    let rows = chosen.rows.map(|found| found.into_iter().map(|i| rows[i]).collect());
    Ok(Chosen { rows, ..chosen })
}

/// The greedy choice after the first rows, of which those are kept that no earlier one determines.
fn greedy_after(first: &[usize], pool: &Pool<'_>, quality: &[f64]) -> Result<Chosen> {
    let Picks { rows, variance } = greedy::lazy(pool, first);
    interrupt::poll()?;
    let quality = rows.iter().map(|&i| quality[i]).collect();
    Ok(Chosen { points: select_rows(pool.x, &rows), rows: Some(rows), quality, variance })
}

/// The first `m` rows of a list that no earlier one determines.
fn subset(x: MatRef<'_>, kernel: &Kernel, rows: &[usize], m: usize) -> Result<Chosen> {
    let quality = vec![1.0; x.nrows()];
    greedy_after(rows, &Pool::new(x, kernel, &quality, m)?, &quality)
}

/// Points that are not data, without those that earlier ones determine.
fn free_points(points: Mat, kernel: &Kernel, m: usize) -> Result<Chosen> {
    let order = Vec::from_iter(0..points.nrows());
    Ok(Chosen { rows: None, ..subset(points.as_ref(), kernel, &order, m)? })
}

fn scales(inputs: Inputs, dimension: usize, kernel: &Kernel) -> Result<Vec<f64>> {
    if inputs == Inputs::Plain {
        return Ok(vec![1.0; dimension]);
    }
    let roles = kernel.roles().into_iter().zip(kernel.inputs());
    let named = roles.zip(kernel.parameters()).filter(|((role, _), _)| *role == Role::Lengthscale);
    let found: Vec<(Option<usize>, f64)> = named.map(|((_, input), log)| (input, log.exp())).collect();
    // The one length scale of an input, wherever the kernel has it.
    let only = |k: usize| {
        let mut own = found.iter().filter(|(input, _)| *input == Some(k)).map(|(_, scale)| *scale);
        own.next().filter(|_| own.next().is_none())
    };
    (0..dimension).map(only).collect::<Option<Vec<f64>>>().ok_or_else(|| Error::Unsupported {
        what: format!("{} length scales cannot scale {dimension} inputs", found.len()),
        remedy: "cluster plain inputs, or use a kernel with one length scale per input".into(),
    })
}

fn count_distinct(x: MatRef<'_>) -> usize {
    // Adding 0 makes −0 and 0 alike.
    let key = |i: usize| (point_key(x.row(i).iter().map(|v| v + 0.0)), ());
    (0..x.nrows()).map(key).collect::<PointMap<()>>().len()
}

fn check(x: MatRef<'_>, kernel: &Kernel, m: usize) -> Result<()> {
    if x.nrows() == 0 || x.ncols() == 0 {
        return Err(Error::Empty { what: "the data".into() });
    }
    if m == 0 {
        let name = "the number of inducing points".into();
        return Err(Error::Parameter { name, value: 0.0, must: "positive".into() });
    }
    let last = kernel.inputs().into_iter().flatten().max();
    let least = last.map_or(0, |last| last + 1).max(x.ncols());
    check_length("a row of inputs", x.ncols(), kernel.dimension().unwrap_or(least))?;
    check_finite("an input", x)
}

impl ErrorBound {
    /// Of some of the rows, each of which stands for so many.
    fn of_subsample(&self, rows: &[usize], multiplicity: &[f64]) -> Self {
        ErrorBound {
            noise: rows.iter().map(|&row| self.noise[row]).collect(),
            multiplicity: rows.iter().zip(multiplicity).map(|(&row, times)| times * self.multiplicity[row]).collect(),
            tolerance: self.tolerance,
        }
    }

    fn check(&self, rows: usize) -> Result<()> {
        for (name, values) in [("noise variance", &self.noise), ("multiplicity", &self.multiplicity)] {
            check_length(format!("the list of each row's {name}"), values.len(), rows)?;
            if let Some(&value) = values.iter().find(|value| !(value.is_finite() && **value > 0.0)) {
                return Err(Error::parameter(format!("the {name} of a row"), value, "positive and finite"));
            }
        }
        match self.tolerance {
            tolerance if tolerance >= 0.0 => Ok(()),
            tolerance => Err(Error::parameter("the tolerance", tolerance, "at least 0")),
        }
    }
}

fn check_quality(quality: &[f64]) -> Result<()> {
    error::check_finite("the quality", quality)?;
    match quality.iter().position(|&q| q < 0.0) {
        Some(row) => {
            let name = format!("quality of row {row}");
            Err(Error::Parameter { name, value: quality[row], must: "at least 0".into() })
        }
        None => Ok(()),
    }
}
