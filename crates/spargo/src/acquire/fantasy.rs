//! Fantasised posteriors: pending points are believed at their posterior mean (kriging believer: Ginsbourger et al. 2010).
//!
//! ```text
//!     mean_P(x) = mean(x),        var_P(x) = var(x) − c(x, P)(C_PP + σ²I)⁻¹c(P, x),        C_PP + σ²I = L_P L_Pᵀ
//! ```
//!
//! Told its own mean, a Gaussian process keeps its mean and loses variance as by any other observation. The noise σ² leaves
//! replicates some value. With H = h(P) = L⁻ᵀ(I − WWᵀ)L⁻¹k(Z, P), as in model/posterior/joint.rs, and β = (C_PP + σ²I)⁻¹c(P, x),
//!
//! ```text
//!     c(x, P) = k(x, P) − k(x, Z)H,        ∂var_P/∂k(x, P) = −2β,        ∂var_P/∂k(x, Z) = −2(h(x) − Hβ)
//! ```

use super::function::{AcquisitionFunction, Moments};
use crate::error::{Error, Result};
use crate::linalg::{
    Accumulate, Mat, MatMut, MatRef, column, column_mut, gemm, norm2, solve_lower, solve_lower_transposed,
    solve_lower_vec,
};
use crate::model::{Local, Posterior};
use crate::optim::{BatchedObjective, check_elements};
use rayon::prelude::*;

/// A conditional variance of an observation below this fraction of the prior variance is rounding error.
const NIL: f64 = 1e-10;

/// Rows per task.
pub(super) const BLOCK: usize = 512;

/// A posterior conditioned on pending points at their posterior means.
#[derive(Debug, Clone)]
pub struct Fantasy<'a> {
    posterior: &'a Posterior,
    noise: f64,
    count: usize,
    /// P, [count, d] and room to grow.
    points: Mat,
    /// H, [m, count] and room to grow.
    weights: Mat,
    /// L_P, [count, count] and room to grow.
    factor: Mat,
}

impl<'a> Fantasy<'a> {
    /// Conditions on the rows of `pending`, observed with this noise variance; there may be none.
    pub fn new(posterior: &'a Posterior, noise: f64, pending: MatRef<'_>) -> Result<Self> {
        if !(noise >= 0.0 && noise.is_finite()) {
            let must = "finite and not negative".into();
            return Err(Error::Parameter { name: "the noise variance".into(), value: noise, must });
        }
        let (m, d) = (posterior.z().nrows(), posterior.z().ncols());
        let (points, weights, factor) = (Mat::zeros(0, d), Mat::zeros(m, 0), Mat::new());
        let mut fantasy = Fantasy { posterior, noise, count: 0, points, weights, factor };
        fantasy.add(pending)?;
        Ok(fantasy)
    }

    /// Conditions on the rows of `points` as well: O(m² + mp + p²) each.
    ///
    /// A point that the others determine already, up to rounding, is left out: it would change nothing. That takes
    /// replicates without noise.
    pub fn add(&mut self, points: MatRef<'_>) -> Result<()> {
        if points.nrows() == 0 {
            return Ok(());
        }
        self.posterior.check(points)?;
        points.par_row_chunks(BLOCK).collect::<Vec<_>>().into_iter().for_each(|block| self.add_block(block));
        Ok(())
    }

    /// P, without those left out, [p, d].
    pub fn points(&self) -> MatRef<'_> {
        self.points.as_ref().subrows(0, self.count)
    }

    /// Moments at each row of x.
    pub fn moments(&self, x: MatRef<'_>) -> Result<Vec<Moments>> {
        self.posterior.check(x)?;
        let blocks: Vec<_> = x.par_row_chunks(BLOCK).map(|x| self.terms(x).moments).collect();
        Ok(blocks.concat())
    }

    /// H, [m, p].
    pub(super) fn weights(&self) -> MatRef<'_> {
        self.weights.as_ref().subcols(0, self.count)
    }

    /// L_P, [p, p].
    pub(super) fn factor(&self) -> MatRef<'_> {
        self.factor.submatrix(0, 0, self.count, self.count)
    }

    fn add_block(&mut self, new: MatRef<'_>) {
        let local = self.posterior.local(new);
        let with_known = self.covariances(new, &local); // [known, new]
        let mut among = self.posterior.kernel().matrix(new, new); // [new, new]
        gemm(among.as_mut(), Accumulate::Add, -1.0, local.kzx.transpose(), local.weights.as_ref());
        let prior = self.posterior.kernel().diagonal(new);
        let mut kept: Vec<usize> = Vec::new();
        for j in 0..new.nrows() {
            let mut c = column(with_known.as_ref(), j).to_vec();
            c.extend(kept.iter().map(|&i| among[(i, j)]));
            let row = solve_lower_vec(self.factor(), &c);
            let pivot = (local.variance[j] - norm2(&row)).max(0.0) + self.noise;
            if pivot > NIL * prior[j] {
                self.append(new.subrows(j, 1), column(local.weights.as_ref(), j), &row, pivot.sqrt());
                kept.push(j);
            }
        }
    }

    fn append(&mut self, point: MatRef<'_>, weights: &[f64], row: &[f64], pivot: f64) {
        let at = self.count;
        grow(&mut self.points, at + 1, point.ncols());
        grow(&mut self.weights, weights.len(), at + 1);
        grow(&mut self.factor, at + 1, at + 1);
        self.points.as_mut().subrows_mut(at, 1).copy_from(point);
        column_mut(self.weights.as_mut(), at).copy_from_slice(weights);
        row.iter().enumerate().for_each(|(j, l)| self.factor[(at, j)] = *l);
        self.factor[(at, at)] = pivot;
        self.count += 1;
    }

    /// c(P, x), [p, n].
    fn covariances(&self, x: MatRef<'_>, local: &Local) -> Mat {
        let mut c = self.posterior.kernel().matrix(self.points(), x);
        gemm(c.as_mut(), Accumulate::Add, -1.0, self.weights().transpose(), local.kzx.as_ref());
        c
    }

    /// Rows must be checked before.
    fn terms(&self, x: MatRef<'_>) -> FantasyTerms {
        let local = self.posterior.local(x);
        let mut roots = self.covariances(x, &local);
        solve_lower(self.factor(), roots.as_mut());
        let told = |i: usize| (local.variance[i] - norm2(column(roots.as_ref(), i))).max(0.0);
        let at = |i: usize| Moments { mean: local.mean[i], variance: local.variance[i], conditional: told(i) };
        let moments = (0..x.nrows()).map(at).collect();
        FantasyTerms { local, roots, moments }
    }

    /// Adds the gradient of what has the given slopes in the moments, row by row.
    fn add_gradient(&self, x: MatRef<'_>, terms: FantasyTerms, slopes: &[Moments], mut out: MatMut<'_>) {
        let FantasyTerms { local, roots: mut beta, .. } = terms;
        solve_lower_transposed(self.factor(), beta.as_mut());
        let through_p = Mat::from_fn(x.nrows(), self.count, |i, j| -2.0 * slopes[i].conditional * beta[(j, i)]);
        // Slopes of mean and variances, [n, m]; Hβ joins by a product.
        let mean = self.posterior.mean_weights();
        let mut through_z = Mat::from_fn(x.nrows(), mean.len(), |i, j| {
            slopes[i].mean * mean[j] - 2.0 * (slopes[i].variance + slopes[i].conditional) * local.weights[(j, i)]
        });
        gemm(through_z.as_mut(), Accumulate::Add, -1.0, through_p.as_ref(), self.weights().transpose());
        let kernel = self.posterior.kernel();
        kernel.add_input_gradient(x, self.posterior.z(), through_z.as_ref(), out.as_mut());
        kernel.add_input_gradient(x, self.points(), through_p.as_ref(), out);
    }
}

/// What values and gradients at a few points have in common.
struct FantasyTerms {
    local: Local,
    /// L_P⁻¹c(P, x), [p, n].
    roots: Mat,
    moments: Vec<Moments>,
}

/// An acquisition function of one more point, with pending points fantasised: an objective with one batch element.
#[derive(Debug, Clone, Copy)]
pub struct Fantasised<'a> {
    fantasies: &'a [Fantasy<'a>],
    function: &'a dyn AcquisitionFunction,
}

impl<'a> Fantasised<'a> {
    /// One fantasised posterior per output that the function looks at.
    pub fn new(fantasies: &'a [Fantasy<'a>], function: &'a dyn AcquisitionFunction) -> Self {
        Fantasised { fantasies, function }
    }
}

impl BatchedObjective for Fantasised<'_> {
    fn elements(&self) -> usize {
        1
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        let moments = self.fantasies.iter().map(|fantasy| fantasy.moments(pool)).collect::<Result<Vec<_>>>()?;
        let values = map_points(&moments, |_, at| self.function.value(at));
        Ok(Mat::from_fn(pool.nrows(), 1, |i, _| values[i]))
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        self.fantasies.iter().try_for_each(|fantasy| fantasy.posterior.check(points))?;
        check_elements(elements, points.nrows(), 1)?;
        let (mut values, mut gradient) = (vec![0.0; points.nrows()], Mat::zeros(points.nrows(), points.ncols()));
        // Restarts are few: every thread gets its share.
        let share = points.nrows().div_ceil(rayon::current_num_threads()).clamp(1, BLOCK);
        let outputs = values.par_chunks_mut(share).zip(gradient.par_row_chunks_mut(share));
        points.par_row_chunks(share).zip(outputs).for_each(|(x, (values, mut gradient))| {
            let terms: Vec<FantasyTerms> = self.fantasies.iter().map(|fantasy| fantasy.terms(x)).collect();
            let mut slopes = vec![vec![Moments::default(); x.nrows()]; terms.len()];
            let (mut at, mut out) = (vec![Moments::default(); terms.len()], vec![Moments::default(); terms.len()]);
            for (i, value) in values.iter_mut().enumerate() {
                at.iter_mut().zip(&terms).for_each(|(at, terms)| *at = terms.moments[i]);
                *value = self.function.value(&at);
                self.function.gradient(&at, &mut out);
                slopes.iter_mut().zip(&out).for_each(|(slopes, out)| slopes[i] = *out);
            }
            for ((fantasy, terms), slopes) in self.fantasies.iter().zip(terms).zip(&slopes) {
                fantasy.add_gradient(x, terms, slopes, gradient.as_mut());
            }
        });
        Ok((values, gradient))
    }
}

/// A number per point, from its index and its moments by every output.
pub(super) fn map_points(moments: &[Vec<Moments>], number: impl Fn(usize, &[Moments]) -> f64 + Sync) -> Vec<f64> {
    let points = moments.first().map_or(0, Vec::len);
    let of = |i: usize| match moments {
        [only] => number(i, std::slice::from_ref(&only[i])),
        _ => number(i, &moments.iter().map(|moments| moments[i]).collect::<Vec<_>>()),
    };
    (0..points).into_par_iter().with_min_len(64).map(of).collect()
}

/// Makes room by doubling; what is there stays.
pub(super) fn grow(a: &mut Mat, rows: usize, columns: usize) {
    let room = |have: usize, need: usize| if need > have { need.max(2 * have) } else { have };
    let (rows, columns) = (room(a.nrows(), rows), room(a.ncols(), columns));
    a.resize_with(rows, columns, |_, _| 0.0);
}
