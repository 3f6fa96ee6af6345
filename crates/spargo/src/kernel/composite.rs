//! Sums and products of kernels.
//!
//! ```text
//!     k = Σᵢ kᵢ :  ∂loss/∂Kᵢ = G            k = Πᵢ kᵢ :  ∂loss/∂Kᵢ = G ∘ Πⱼ≠ᵢ Kⱼ
//! ```
//!
//! The spectral density of a sum is the mixture of its parts' with weights kᵢ(x, x), that of a product their convolution.

use super::{Cache, Covariance, Kernel, Role, Spectrum, sized, spanning};
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatMut, MatRef, column, column_mut};
use crate::rng::{distinct_indices, uniform};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A sum or product of kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Composite {
    /// Σᵢ kᵢ.
    Sum(Vec<Kernel>),
    /// Πᵢ kᵢ.
    Product(Vec<Kernel>),
}

impl Composite {
    pub(super) fn parts(&self) -> &[Kernel] {
        let (Composite::Sum(parts) | Composite::Product(parts)) = self;
        parts
    }

    pub(super) fn parts_mut(&mut self) -> &mut [Kernel] {
        let (Composite::Sum(parts) | Composite::Product(parts)) = self;
        parts
    }

    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if self.parts().is_empty() {
            return Err(Error::Empty { what: "the list of kernels in a sum or product".into() });
        }
        self.parts().iter().try_for_each(|part| part.check(dimension))
    }

    /// Joins the values of one part to those of the others.
    fn join(&self, totals: &mut [f64], part: &[f64]) {
        let pairs = totals.iter_mut().zip(part);
        match self {
            Composite::Sum(_) => pairs.for_each(|(total, part)| *total += part),
            Composite::Product(_) => pairs.for_each(|(total, part)| *total *= part),
        }
    }

    fn join_columns(&self, mut totals: MatMut<'_>, part: MatRef<'_>) {
        (0..part.ncols()).for_each(|j| self.join(column_mut(totals.as_mut(), j), column(part, j)));
    }

    /// ∂loss/∂Kᵢ: G in a sum, G ∘ Πⱼ≠ᵢ Kⱼ in a product. No division by Kᵢ, which may be zero.
    fn slope<'a>(&self, i: usize, matrices: &[MatRef<'_>], g: MatRef<'a>) -> Slope<'a> {
        let Composite::Product(_) = self else { return Slope::Whole(g) };
        let mut own = g.to_owned();
        let others = matrices.iter().enumerate().filter(|&(j, _)| j != i);
        others.for_each(|(_, part)| self.join_columns(own.as_mut(), *part));
        Slope::Own(own)
    }

    /// Each part with its own stretch of the gradient.
    fn with_gradients<'a>(&'a self, mut gradient: &'a mut [f64]) -> impl Iterator<Item = (&'a Kernel, &'a mut [f64])> {
        self.parts().iter().map(move |part| {
            let (own, rest) = std::mem::take(&mut gradient).split_at_mut(part.roles().len());
            gradient = rest;
            (part, own)
        })
    }
}

/// A gradient that is shared by all parts, or a part's own.
enum Slope<'a> {
    Whole(MatRef<'a>),
    Own(Mat),
}

impl Slope<'_> {
    fn as_ref(&self) -> MatRef<'_> {
        match self {
            Slope::Whole(g) => *g,
            Slope::Own(g) => g.as_ref(),
        }
    }
}

impl Covariance for Composite {
    fn dimension(&self) -> Option<usize> {
        self.parts().iter().find_map(|part| part.dimension())
    }

    fn roles(&self) -> Vec<Role> {
        self.parts().iter().flat_map(|part| part.roles()).collect()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        self.parts().iter().flat_map(|part| part.inputs()).collect()
    }

    fn parameters(&self) -> Vec<f64> {
        self.parts().iter().flat_map(|part| part.parameters()).collect()
    }

    fn set_parameters(&mut self, mut parameters: &[f64]) {
        for part in self.parts_mut() {
            let (own, rest) = parameters.split_at(part.roles().len());
            part.set_parameters(own);
            parameters = rest;
        }
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        let Some((first, rest)) = self.parts().split_first() else { return };
        first.cross(a, b, out.as_mut());
        rest.iter().for_each(|part| self.join_columns(out.as_mut(), part.matrix(a, b).as_ref()));
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        let Some((first, rest)) = self.parts().split_first() else { return vec![0.0; x.nrows()] };
        let mut total = first.diagonal(x);
        rest.iter().for_each(|part| self.join(&mut total, &part.diagonal(x)));
        total
    }

    /// Evaluates every part on its own and joins them; the parts' matrices stay in the cache.
    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>, cache: &mut Cache) {
        cache.parts.resize_with(self.parts().len(), || (Mat::new(), Cache::default()));
        for (i, (part, (k, cache))) in self.parts().iter().zip(&mut cache.parts).enumerate() {
            let mut k = sized(k, a.nrows(), b.nrows());
            part.forward(a, b, k.as_mut(), cache);
            match i {
                0 => out.copy_from(k),
                _ => self.join_columns(out.as_mut(), k.as_ref()),
            }
        }
    }

    fn backward(
        &self,
        a: MatRef<'_>,
        b: MatRef<'_>,
        _: MatRef<'_>,
        g: MatRef<'_>,
        cache: &Cache,
        gradient: &mut [f64],
    ) {
        let matrices: Vec<MatRef<'_>> =
            cache.parts.iter().map(|(k, _)| k.submatrix(0, 0, g.nrows(), g.ncols())).collect();
        for (i, ((part, gradient), (_, cache))) in self.with_gradients(gradient).zip(&cache.parts).enumerate() {
            part.backward(a, b, matrices[i], self.slope(i, &matrices, g).as_ref(), cache, gradient);
        }
    }

    fn add_diagonal_gradient(&self, x: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        let diagonals: Vec<Vec<f64>> = self.parts().iter().map(|part| part.diagonal(x)).collect();
        let columns: Vec<MatRef<'_>> =
            diagonals.iter().map(|values| MatRef::from_column_major_slice(values, values.len(), 1)).collect();
        let g = MatRef::from_column_major_slice(g, g.len(), 1);
        for (i, (part, gradient)) in self.with_gradients(gradient).enumerate() {
            part.add_diagonal_gradient(x, column(self.slope(i, &columns, g).as_ref(), 0), gradient);
        }
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        let matrices: Vec<Mat> = match self {
            Composite::Sum(_) => Vec::new(),
            Composite::Product(parts) => parts.iter().map(|part| part.matrix(a, b)).collect(),
        };
        let matrices: Vec<MatRef<'_>> = matrices.iter().map(Mat::as_ref).collect();
        for (i, part) in self.parts().iter().enumerate() {
            part.add_input_gradient(a, b, self.slope(i, &matrices, g).as_ref(), out.as_mut());
        }
    }

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let mut spectrum = Spectrum::constant(dimension, count);
        match self {
            Composite::Product(parts) => {
                for part in parts {
                    spectrum.multiply(&part.spectrum(dimension, count, rng)?);
                }
            }
            // The parts' features side by side, each part with its share of the count, in random order: in a product of
            // sums every part of one must meet every part of the other.
            Composite::Sum(parts) => {
                let shares = shares(&proportions(parts, dimension)?, count, uniform(rng));
                let mut columns = distinct_indices(count, count, rng);
                for (part, share) in parts.iter().zip(shares) {
                    let rest = columns.split_off(share);
                    spectrum.place(&columns, &part.spectrum(dimension, share, rng)?);
                    columns = rest;
                }
            }
        }
        Ok(spectrum)
    }

    fn spanning(&self, dimension: usize) -> Option<Mat> {
        let Composite::Product(parts) = self else { return None };
        spanning::of_product(parts, dimension)
    }
}

/// kᵢ(x, x) of each part relative to their sum; for kernels with features it is the same at every x.
fn proportions(parts: &[Kernel], dimension: usize) -> Result<Vec<f64>> {
    let origin = Mat::zeros(1, dimension);
    let variances: Vec<f64> = parts.iter().flat_map(|part| part.diagonal(origin.as_ref())).collect();
    let total: f64 = variances.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        let (name, must) = ("the variance of a sum of kernels".into(), "positive and finite".into());
        return Err(Error::Parameter { name, value: total, must });
    }
    Ok(variances.into_iter().map(|variance| variance / total).collect())
}

/// Shares of `count` whose expectations over a uniform `offset` are exactly count·weight (systematic sampling).
fn shares(weights: &[f64], count: usize, offset: f64) -> Vec<usize> {
    let mut given = 0;
    let mut cumulative = 0.0;
    let mut upto = |weight: f64| {
        cumulative += weight;
        // The number of marks offset, offset + 1, … below count·cumulative.
        let end = (count as f64 * cumulative - offset).ceil().max(0.0) as usize;
        let share = end.min(count) - given;
        given += share;
        share
    };
    let mut shares: Vec<usize> = weights.iter().map(|&weight| upto(weight)).collect();
    // Rounding in the last sum may leave one mark over.
    if let Some(last) = shares.last_mut() {
        *last += count - given;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Family;
    use crate::rng::{Purpose, stream};

    #[test]
    fn shares_add_up_and_are_right_on_average() {
        let weights = [0.13, 0.0, 0.57, 0.3];
        for count in [0, 1, 2, 7, 1000] {
            let all: Vec<Vec<usize>> = (0..1000).map(|i| shares(&weights, count, (i as f64 + 0.5) / 1000.0)).collect();
            assert!(all.iter().all(|shares| shares.iter().sum::<usize>() == count));
            for (part, weight) in weights.iter().enumerate() {
                let mean = all.iter().map(|shares| shares[part] as f64).sum::<f64>() / 1000.0;
                assert!((mean - count as f64 * weight).abs() <= 2e-3, "{count}: {mean}");
            }
        }
    }

    /// (a + b)(c + d) has the four products in its spectrum; paired in order, a would only ever meet c.
    #[test]
    fn a_product_of_sums_mixes_all_pairs() {
        let leaf = |lengthscale| Kernel::stationary(Family::Rbf, 1.0, lengthscale, 1);
        let sum = || Kernel::sum(vec![leaf(1.0), leaf(1e-3)]);
        let omega = Kernel::product(vec![sum(), sum()]);
        let omega = omega.spectrum(1, 4000, &mut stream(0, Purpose::Frequencies, 0, 0)).unwrap().frequencies;
        let slow = (0..4000).filter(|&f| omega[(0, f)].abs() < 10.0).count() as f64;
        // A quarter is slow twice (and a hundredth of the others by chance); five standard deviations of a binomial count.
        assert!((slow - 1015.0).abs() < 5.0 * 750f64.sqrt(), "{slow}");
    }
}
