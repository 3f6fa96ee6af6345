//! Paths: a draw from the prior by random features, corrected by Matheron's rule (Wilson et al. 2020, 2021).

use super::features::Features;
use crate::data::check_finite;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::kernel::Kernel;
use crate::linalg::{
    Accumulate, Mat, MatMut, MatRef, add_row_dots, column, column_mut, gemm, select_rows, solve_lower,
    solve_lower_transposed,
};
use crate::model::{InducingCovariance, Posterior};
use crate::optim::{BatchedObjective, check_elements};
use crate::rng::{Purpose, StepRng, normal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Rows that one task evaluates all paths at: enough for the products to run at full speed.
const ROWS: usize = 512;

/// Rows that one task evaluates a few paths at: products with so few columns are as slow as memory, and these rows stay in the cache.
const CACHED_ROWS: usize = 64;

/// Paths that are few.
const FEW_PATHS: usize = 8;

/// Rows that one task climbs with: few, as there are often no more than a hundred.
const FEW_ROWS: usize = 16;

/// Paths whose updates one task computes.
const COLUMNS: usize = 32;

/// How paths are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SamplingOptions {
    /// F, the number of random features of a path.
    pub features: usize,
    /// The number of paths that share their frequencies: more are faster, fewer are more independent. The variance over the paths of
    /// a call is that of the posterior, but for an error that falls as the root of the number of such groups.
    pub block: usize,
}

impl Default for SamplingOptions {
    fn default() -> Self {
        SamplingOptions { features: 1000, block: 25 }
    }
}

impl SamplingOptions {
    /// Refuses settings that draw nothing.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("the number of features", self.features), ("the size of a block of paths", self.block)] {
            if value == 0 {
                return Err(Error::Parameter { name: name.into(), value: 0.0, must: "at least 1".into() });
            }
        }
        Ok(())
    }
}

/// Everything random about a block of paths that share their frequencies.
#[derive(Debug, Clone)]
pub struct Draws {
    /// ω, b and g.
    pub features: Features,
    /// θ, one column per path, [F, paths].
    pub theta: Mat,
    /// ε, one column per path, [m, paths].
    pub epsilon: Mat,
}

/// Functions drawn from a posterior, numbered from 0.
#[derive(Debug, Clone)]
pub struct Paths {
    kernel: Kernel,
    mean: f64,
    /// Z, [m, d].
    z: Mat,
    blocks: Vec<Block>,
    /// v, one column per path, [m, paths].
    updates: Mat,
}

/// The prior part of paths that share their frequencies.
#[derive(Debug, Clone)]
struct Block {
    features: Features,
    /// θ, [F, paths].
    theta: Mat,
    /// The number of its first path.
    first: usize,
}

impl Paths {
    /// Draws the paths with these numbers.
    ///
    /// A path is a function of posterior, settings, seed, step and its number alone, to rounding: its weights come from
    /// a stream of its own, its frequencies from one of the block it falls in. So the next numbers are fresh paths, and
    /// neither the others drawn with it nor threads matter.
    pub fn draw(
        posterior: &Posterior,
        numbers: Range<usize>,
        settings: &SamplingOptions,
        rng: StepRng,
    ) -> Result<Self> {
        settings.check()?;
        let blocks: Vec<Range<usize>> = split(numbers, settings.block);
        let draw = |numbers: Range<usize>| {
            let mut stream = rng.stream(Purpose::Frequencies, (numbers.start / settings.block) as u64);
            // Where f at Z determines f, the update alone is the path.
            let inputs = posterior.z().ncols();
            let features = if posterior.is_spanned() {
                Features::none(inputs)
            } else {
                Features::draw(posterior.kernel(), inputs, settings.features, &mut stream)?
            };
            let (theta, epsilon) = weights(numbers, features.count(), posterior.w().len(), rng);
            Ok(Draws { features, theta, epsilon })
        };
        Paths::from_draws(posterior, blocks.into_par_iter().map(draw).collect::<Result<Vec<Draws>>>()?)
    }

    /// The paths that given draws make, block after block.
    pub fn from_draws(posterior: &Posterior, draws: Vec<Draws>) -> Result<Self> {
        let count: usize = draws.iter().map(|draws| draws.theta.ncols()).sum();
        if count == 0 {
            return Err(Error::Empty { what: "the list of paths to draw".into() });
        }
        draws.iter().try_for_each(|draws| draws.check(posterior))?;
        let mut updates = Mat::zeros(posterior.w().len(), count);
        let mut blocks = Vec::with_capacity(draws.len());
        let mut first = 0;
        for Draws { features, theta, epsilon } in draws {
            let columns = updates.as_mut().subcols_mut(first, theta.ncols());
            let block = Block { features, theta, first };
            first += epsilon.ncols();
            update(posterior, &block, epsilon.as_ref(), columns);
            blocks.push(block);
        }
        let (kernel, z) = (posterior.kernel().clone(), posterior.z().to_owned());
        Ok(Paths { kernel, mean: posterior.prior_mean(), z, blocks, updates })
    }

    /// The number of paths.
    pub fn len(&self) -> usize {
        self.updates.ncols()
    }

    /// Never true: there is at least one path.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of inputs of each path.
    pub fn dimension(&self) -> usize {
        self.z.ncols()
    }

    /// One of the paths alone.
    pub fn only(&self, path: usize) -> Result<Self> {
        check_elements(&[path], 1, self.len())?;
        let column = |a: &Mat, k: usize| a.as_ref().subcols(k, 1).to_owned();
        let own = |block: &&Block| (block.first..block.first + block.theta.ncols()).contains(&path);
        let block = |block: &Block| Block {
            features: block.features.clone(),
            theta: column(&block.theta, path - block.first),
            first: 0,
        };
        Ok(Paths {
            kernel: self.kernel.clone(),
            mean: self.mean,
            z: self.z.clone(),
            blocks: self.blocks.iter().filter(own).map(block).collect(),
            updates: column(&self.updates, path),
        })
    }

    /// Every path at every row of x, [points, paths].
    pub fn values(&self, x: MatRef<'_>) -> Result<Mat> {
        self.check(x)?;
        let mut values = Mat::zeros(x.nrows(), self.len());
        let (flag, rows) = (interrupt::current(), rows_per_task(self.len()));
        values.par_row_chunks_mut(rows).zip(x.par_row_chunks(rows)).for_each(|(mut values, x)| {
            if flag.is_raised() {
                return;
            }
            values.fill(self.mean);
            for block in &self.blocks {
                block.add_prior(x, values.as_mut().subcols_mut(block.first, block.theta.ncols()));
            }
            let kxz = self.cross(x);
            gemm(values, Accumulate::Add, 1.0, kxz.as_ref(), self.updates.as_ref());
        });
        flag.check()?;
        Ok(values)
    }

    /// Path `elements[i]` at row i of x, and its gradient there, [points, inputs].
    pub fn value_gradient(&self, elements: &[usize], x: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        self.check(x)?;
        check_elements(elements, x.nrows(), self.len())?;
        let (mut values, mut gradient) = (vec![self.mean; x.nrows()], Mat::zeros(x.nrows(), x.ncols()));
        let rows = elements.par_chunks(FEW_ROWS).zip(x.par_row_chunks(FEW_ROWS));
        let outputs = values.par_chunks_mut(FEW_ROWS).zip(gradient.par_row_chunks_mut(FEW_ROWS));
        rows.zip(outputs).for_each(|((elements, x), (values, mut gradient))| {
            self.add_update_gradient(elements, x, values, gradient.as_mut());
            self.blocks.iter().for_each(|block| block.add_prior_gradient(elements, x, values, gradient.as_mut()));
        });
        Ok((values, gradient))
    }

    /// Path `elements[i]` at row i of x: the numbers of [`value_gradient`](Self::value_gradient), without the gradient.
    pub fn value(&self, elements: &[usize], x: MatRef<'_>) -> Result<Vec<f64>> {
        self.check(x)?;
        check_elements(elements, x.nrows(), self.len())?;
        let mut values = vec![self.mean; x.nrows()];
        let rows = elements.par_chunks(FEW_ROWS).zip(x.par_row_chunks(FEW_ROWS));
        rows.zip(values.par_chunks_mut(FEW_ROWS)).for_each(|((elements, x), values)| {
            self.add_update(x, gather(self.updates.as_ref(), elements).as_ref(), values);
            for block in &self.blocks {
                let (rows, paths) = block.own(elements);
                let mut own = vec![0.0; rows.len()];
                block.features.add_values(select_rows(x, &rows).as_ref(), block.theta.as_ref(), &paths, &mut own);
                rows.into_iter().zip(own).for_each(|(row, own)| values[row] += own);
            }
        });
        Ok(values)
    }

    fn check(&self, x: MatRef<'_>) -> Result<()> {
        if x.ncols() != self.dimension() {
            let what = "each point to evaluate paths at".into();
            return Err(Error::Shape { what, found: x.ncols(), expected: self.dimension() });
        }
        check_finite("a point to evaluate paths at", x)
    }

    /// k(x, Z), [n, m]; callers are parallel already.
    fn cross(&self, x: MatRef<'_>) -> Mat {
        let mut kxz = Mat::zeros(x.nrows(), self.z.nrows());
        self.kernel.cross(x, self.z.as_ref(), kxz.as_mut());
        kxz
    }

    /// Adds k(x, Z)v of each row's own path, and its gradient.
    fn add_update_gradient(&self, elements: &[usize], x: MatRef<'_>, values: &mut [f64], gradient: MatMut<'_>) {
        let v = gather(self.updates.as_ref(), elements);
        self.add_update(x, v.as_ref(), values);
        self.kernel.add_input_gradient(x, self.z.as_ref(), v.as_ref(), gradient);
    }

    /// Adds k(x, Z)v of each row's own path, v [n, m].
    fn add_update(&self, x: MatRef<'_>, v: MatRef<'_>, values: &mut [f64]) {
        add_row_dots(values, self.cross(x).as_ref(), v);
    }
}

/// Each path is a function to be maximised: Thompson sampling.
impl BatchedObjective for Paths {
    fn elements(&self) -> usize {
        self.len()
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        self.values(pool)
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        self.value_gradient(elements, points)
    }

    fn value(&self, elements: &[usize], points: MatRef<'_>) -> Result<Vec<f64>> {
        self.value(elements, points)
    }
}

impl Draws {
    fn check(&self, posterior: &Posterior) -> Result<()> {
        let sizes = [
            ("each frequency", self.features.dimension(), posterior.z().ncols()),
            ("each path's list of feature weights", self.theta.nrows(), self.features.count()),
            ("each path's list of update draws", self.epsilon.nrows(), posterior.w().len()),
            ("the number of update draws", self.epsilon.ncols(), self.theta.ncols()),
        ];
        match sizes.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(Error::Shape { what: what.into(), found, expected }),
            None => Ok(()),
        }
    }
}

impl Block {
    /// Adds Φ(x)θ of all its paths, [n, paths].
    fn add_prior(&self, x: MatRef<'_>, out: MatMut<'_>) {
        gemm(out, Accumulate::Add, 1.0, self.features.matrix(x).as_ref(), self.theta.as_ref());
    }

    /// The rows whose elements are its paths, and these by their places in it.
    fn own(&self, elements: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let own = self.first..self.first + self.theta.ncols();
        let rows = (0..elements.len()).filter(|&i| own.contains(&elements[i]));
        rows.map(|i| (i, elements[i] - self.first)).unzip()
    }

    /// Adds φ(x)ᵀθ and its gradient to the rows that belong to its paths.
    fn add_prior_gradient(&self, elements: &[usize], x: MatRef<'_>, values: &mut [f64], mut gradient: MatMut<'_>) {
        let (rows, paths) = self.own(elements);
        if rows.is_empty() {
            return;
        }
        let x = select_rows(x, &rows);
        let (mut value, mut slope) = (vec![0.0; rows.len()], Mat::zeros(rows.len(), x.ncols()));
        self.features.add_value_gradient(x.as_ref(), self.theta.as_ref(), &paths, &mut value, slope.as_mut());
        for (own, &row) in rows.iter().enumerate() {
            values[row] += value[own];
            (0..x.ncols()).for_each(|k| gradient[(row, k)] += slope[(own, k)]);
        }
    }
}

/// Cuts a range at the multiples of `size`.
fn split(numbers: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let blocks = numbers.start / size..numbers.end.div_ceil(size);
    blocks.map(|block| (block * size).max(numbers.start)..((block + 1) * size).min(numbers.end)).collect()
}

/// θ, [features, paths], and ε, [m, paths], each path's from its own stream.
fn weights(numbers: Range<usize>, features: usize, m: usize, rng: StepRng) -> (Mat, Mat) {
    let (mut theta, mut epsilon) = (Mat::zeros(features, numbers.len()), Mat::zeros(m, numbers.len()));
    let columns = theta.par_col_chunks_mut(1).zip(epsilon.par_col_chunks_mut(1));
    columns.zip(numbers).for_each(|((theta, epsilon), number)| {
        let mut rng = rng.stream(Purpose::Path, number as u64);
        column_mut(theta, 0).fill_with(|| normal(&mut rng));
        column_mut(epsilon, 0).fill_with(|| normal(&mut rng));
    });
    (theta, epsilon)
}

/// v = L⁻ᵀ(w + Vε − L⁻¹Φ(Z)θ), [m, paths].
fn update(posterior: &Posterior, block: &Block, epsilon: MatRef<'_>, mut out: MatMut<'_>) {
    let rows = rows_per_task(epsilon.ncols());
    out.as_mut().par_row_chunks_mut(rows).zip(posterior.z().par_row_chunks(rows)).for_each(|(out, z)| {
        block.add_prior(z, out);
    });
    out.par_col_chunks_mut(COLUMNS).zip(epsilon.par_col_chunks(COLUMNS)).for_each(|(mut v, epsilon)| {
        for path in 0..v.ncols() {
            let v = column_mut(v.as_mut(), path).iter_mut();
            match posterior.inducing_covariance() {
                // V = L⁻¹Σ^½: one solve for both parts.
                InducingCovariance::Noise(sigma) => {
                    let noise = sigma.iter().zip(column(epsilon, path));
                    v.zip(noise).for_each(|(v, (sigma, epsilon))| *v = sigma * epsilon - *v);
                }
                InducingCovariance::Root(_) => v.for_each(|v| *v = -*v),
            }
        }
        solve_lower(posterior.l(), v.as_mut());
        if let InducingCovariance::Root(root) = posterior.inducing_covariance() {
            gemm(v.as_mut(), Accumulate::Add, 1.0, root.as_ref(), epsilon);
        }
        for path in 0..v.ncols() {
            column_mut(v.as_mut(), path).iter_mut().zip(posterior.w()).for_each(|(v, w)| *v += w);
        }
        solve_lower_transposed(posterior.l(), v);
    });
}

/// Rows at which one task evaluates so many paths.
fn rows_per_task(paths: usize) -> usize {
    if paths > FEW_PATHS { ROWS } else { CACHED_ROWS }
}

/// The given columns as rows.
fn gather(a: MatRef<'_>, columns: &[usize]) -> Mat {
    Mat::from_fn(columns.len(), a.nrows(), |i, j| a[(j, columns[i])])
}
