//! Covariance functions: what the models assume about f.
//!
//! A leaf kernel implements [`Covariance`]; [`Kernel`] is the list of leaves with sums and products over them, and is what
//! models and the store hold. Settings name one of [`KERNELS`], or a [`CustomKernel`]. Parameters are exposed on an unconstrained (logarithmic) scale.
//!
//! Gradients are vector–Jacobian products: given G = ∂loss/∂K they return ∂loss/∂θ = Σᵢⱼ Gᵢⱼ ∂Kᵢⱼ/∂θ, so no tensor of
//! size N×M×P is ever formed.

mod active_dims;
mod categorical;
mod choice;
mod composite;
mod custom;
mod label_similarity;
mod linear_sphere;
mod rescaled;
mod spanning;
mod spectrum;
mod sphere;
mod stationary;

pub use active_dims::ActiveDims;
pub use categorical::Categorical;
pub(crate) use categorical::category;
pub use choice::{KERNELS, KernelChoice, KernelRecord};
pub use composite::Composite;
pub use custom::{Custom, CustomKernel};
pub use label_similarity::LabelSimilarity;
pub use linear_sphere::LinearSphere;
pub use rescaled::Rescaled;
pub use spectrum::{Factors, Spectrum, SphereFactor};
pub use sphere::Sphere;
pub use stationary::{Family, Stationary};

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatMut, MatRef, mirror_lower};
use crate::space::{Descriptors, Domain, LabelGeometry, Space};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::sync::Arc;

/// Columns of a matrix that one parallel task computes.
const COLUMNS: usize = 64;

/// What a parameter means; priors and fixing go by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A signal variance, as its logarithm.
    Variance,
    /// A length scale, as its logarithm.
    Lengthscale,
    /// A share between 0 and 1, as its logit.
    Share,
    /// The noise variance, as its logarithm.
    Noise,
    /// The constant prior mean, as it is.
    Mean,
}

/// A positive semidefinite function of two points; matrices of points have one point per row.
pub trait Covariance: Send + Sync {
    /// The number of inputs its points must have, if that is fixed.
    fn dimension(&self) -> Option<usize>;

    /// The meaning of each unconstrained parameter, in order.
    fn roles(&self) -> Vec<Role>;

    /// The input that each parameter is about, in the order of [`roles`](Self::roles); `None` if it is about no single one.
    fn inputs(&self) -> Vec<Option<usize>> {
        vec![None; self.roles().len()]
    }

    /// The unconstrained parameters, in the order of [`roles`](Self::roles).
    fn parameters(&self) -> Vec<f64>;

    /// The length scale of each of so many inputs; 1 if it has none.
    fn scales(&self, inputs: usize) -> Vec<f64> {
        let mut scales = vec![1.0; inputs];
        for ((role, input), value) in self.roles().into_iter().zip(self.inputs()).zip(self.parameters()) {
            if let (Role::Lengthscale, Some(scale)) = (role, input.and_then(|k| scales.get_mut(k))) {
                *scale = value.exp();
            }
        }
        scales
    }

    /// Sets the unconstrained parameters; as many as [`roles`](Self::roles) lists.
    fn set_parameters(&mut self, parameters: &[f64]);

    /// k(aᵢ, bⱼ) into `out`, [a, b].
    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>);

    /// k(xᵢ, xᵢ).
    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64>;

    /// k(aᵢ, bⱼ) into `out`, and into the cache what [`backward`](Self::backward) needs: one exponential serves both.
    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>, _cache: &mut Cache) {
        self.cross(a, b, out);
    }

    /// Adds Σᵢⱼ gᵢⱼ ∂k(aᵢ, bⱼ)/∂θ to `gradient`; k and the cache are those of `forward` for the same a and b.
    fn backward(&self, a: MatRef<'_>, b: MatRef<'_>, k: MatRef<'_>, g: MatRef<'_>, cache: &Cache, gradient: &mut [f64]);

    /// Adds Σᵢ gᵢ ∂k(xᵢ, xᵢ)/∂θ to `gradient`.
    fn add_diagonal_gradient(&self, x: MatRef<'_>, g: &[f64], gradient: &mut [f64]);

    /// Adds Σⱼ gᵢⱼ ∂k(aᵢ, bⱼ)/∂aᵢ to row i of `out`, [a, inputs].
    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, out: MatMut<'_>);

    /// Draws what `count` random features of points with `dimension` inputs are made of.
    ///
    /// Each feature has the right distribution by itself; a sum's are shared out among its parts and so not independent.
    fn spectrum(&self, _dimension: usize, _count: usize, _rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        Err(Error::Unsupported {
            what: "paths cannot be drawn from a kernel without a spectrum".into(),
            remedy: "give it one, or choose a rule that draws none, such as log-ei".into(),
        })
    }

    /// Features ψ with ψ(x)ᵀψ(x') = k(x, x') to the last digits, if finitely many are enough.
    fn exact_features(&self) -> Option<Sphere> {
        None
    }

    /// Points with `dimension` inputs whose values determine f everywhere, [m, dimension], if there are any: the rank of the
    /// kernel is m then.
    fn spanning(&self, _dimension: usize) -> Option<Mat> {
        None
    }
}

/// What a kernel remembers between [`Covariance::forward`] and [`Covariance::backward`]; its memory is used again.
#[derive(Debug, Clone)]
pub struct Cache {
    /// A leaf: ∂k/∂r², [a, b] at least.
    slopes: Mat,
    /// A sum or product: each part's matrix, [a, b] at least, and cache.
    parts: Vec<(Mat, Cache)>,
}

impl Default for Cache {
    fn default() -> Self {
        Cache { slopes: Mat::new(), parts: Vec::new() }
    }
}

/// A kernel: a leaf, or a sum or product of kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kernel {
    /// A function of the scaled distance.
    Stationary(Stationary),
    /// A function of whether two categories are the same.
    Categorical(Categorical),
    /// A function of how alike two labels are by their descriptors.
    LabelSimilarity(LabelSimilarity),
    /// A linear function on a sphere.
    LinearSphere(LinearSphere),
    /// A leaf from outside the crate.
    Custom(Custom),
    /// A kernel of some of the inputs.
    ActiveDims(ActiveDims),
    /// A kernel of inputs relative to a box.
    Rescaled(Rescaled),
    /// A sum or product of kernels.
    #[serde(untagged)]
    Composite(Composite),
}

impl Kernel {
    /// A stationary kernel with one length scale per input, all of them equal.
    pub fn stationary(family: Family, variance: f64, lengthscale: f64, dimension: usize) -> Self {
        Kernel::Stationary(Stationary { family, variance, lengthscales: vec![lengthscale; dimension] })
    }

    /// The stationary kernel a search begins with when nothing is known, for inputs in the unit cube: typical distances
    /// grow as √d, so the length scale does.
    pub fn cold(family: Family, dimension: usize) -> Self {
        Kernel::stationary(family, 1.0, 0.2 * (dimension as f64).sqrt(), dimension)
    }

    /// The kernel a search begins with in a space: the chosen one over numbers, times a categorical one for each input
    /// with choices, by their descriptors where they have any. Points that differ in every choice are then as alike as e⁻², whatever the
    /// number of these inputs.
    pub fn for_space(space: &Space, choice: &KernelChoice) -> Result<Self> {
        let inputs = || space.dimensions().iter().map(|dimension| &dimension.domain).enumerate();
        let numbers: Vec<usize> = inputs().filter(|(_, domain)| !domain.is_categorical()).map(|(k, _)| k).collect();
        let categorical = inputs().count() - numbers.len();
        let ordered = choice.cold(numbers.len())?;
        if categorical == 0 {
            return Ok(ordered);
        }
        let part = |(k, domain): (usize, &Domain)| {
            let (categories, lengthscale) = (domain.count()? as usize, 0.5 * categorical as f64);
            let kernel = match geometry(domain) {
                Some(geometry) => Kernel::LabelSimilarity(LabelSimilarity::cold(geometry.clone(), categorical)),
                None => Kernel::Categorical(Categorical { categories, lengthscale }),
            };
            Some(Kernel::of(vec![k], kernel))
        };
        let first = std::iter::once(Kernel::of(numbers, ordered));
        let rest = inputs().filter(|(_, domain)| domain.is_categorical()).filter_map(part);
        Ok(Kernel::product(first.chain(rest).collect()))
    }

    /// Σᵢ kᵢ.
    pub fn sum(parts: Vec<Kernel>) -> Self {
        Kernel::Composite(Composite::Sum(parts))
    }

    /// Πᵢ kᵢ.
    pub fn product(parts: Vec<Kernel>) -> Self {
        Kernel::Composite(Composite::Product(parts))
    }

    /// A kernel of some of the inputs only.
    pub fn of(inputs: Vec<usize>, kernel: Kernel) -> Self {
        Kernel::ActiveDims(ActiveDims { inputs, kernel: Box::new(kernel) })
    }

    /// A kernel for which a box, from `lower` to `upper`, is the unit cube; an input along which the box has no width is as it is.
    pub fn within(self, lower: &[f64], upper: &[f64]) -> Self {
        let width: Vec<f64> = upper.iter().zip(lower).map(|(u, l)| u - l).collect();
        let lower = lower.iter().zip(&width).map(|(l, &w)| if w > 0.0 { *l } else { 0.0 }).collect();
        let width = width.into_iter().map(|w| if w > 0.0 { w } else { 1.0 }).collect();
        Kernel::Rescaled(Rescaled { lower, width, kernel: Box::new(self) })
    }

    /// The same covariance everywhere: a stationary kernel of no inputs.
    pub fn constant(variance: f64) -> Self {
        Kernel::of(Vec::new(), Kernel::stationary(Family::Rbf, variance, 1.0, 0))
    }

    /// This kernel times a positive factor.
    ///
    /// It goes into the variances: that of a leaf, those of all parts of a sum, that of the first part of a
    /// product that has one. A kernel without any variance is multiplied by a constant one, whose variance is then one
    /// more parameter.
    pub fn scaled(&self, factor: f64) -> Self {
        match self.clone() {
            Kernel::Stationary(leaf) => Kernel::Stationary(Stationary { variance: leaf.variance * factor, ..leaf }),
            Kernel::LinearSphere(leaf) => {
                Kernel::LinearSphere(LinearSphere { variance: leaf.variance * factor, ..leaf })
            }
            Kernel::Custom(leaf) => leaf.scaled(factor),
            Kernel::Categorical(_) | Kernel::LabelSimilarity(_) => {
                Kernel::product(vec![Kernel::constant(factor), self.clone()])
            }
            Kernel::ActiveDims(of) => Kernel::of(of.inputs, of.kernel.scaled(factor)),
            Kernel::Rescaled(of) => Kernel::Rescaled(Rescaled { kernel: Box::new(of.kernel.scaled(factor)), ..of }),
            Kernel::Composite(Composite::Sum(parts)) => {
                Kernel::sum(parts.iter().map(|part| part.scaled(factor)).collect())
            }
            Kernel::Composite(Composite::Product(mut parts)) => {
                match parts.iter_mut().find(|part| part.roles().contains(&Role::Variance)) {
                    Some(part) => *part = part.scaled(factor),
                    None => parts.insert(0, Kernel::constant(factor)),
                }
                Kernel::product(parts)
            }
        }
    }

    /// Gives every custom leaf of this kernel's name its covariance.
    fn register(&mut self, kernel: &dyn CustomKernel) {
        match self {
            Kernel::Custom(leaf) => leaf.register(kernel),
            Kernel::ActiveDims(of) => of.kernel.register(kernel),
            Kernel::Rescaled(of) => of.kernel.register(kernel),
            Kernel::Composite(composite) => {
                composite.parts_mut().iter_mut().for_each(|part| part.register(kernel));
            }
            Kernel::Stationary(_) | Kernel::Categorical(_) | Kernel::LabelSimilarity(_) | Kernel::LinearSphere(_) => {}
        }
    }

    /// Gives a kernel that was read from a store what the space knows of its labels.
    pub fn restore_labels(&mut self, space: &Space) {
        let inputs: Vec<usize> = (0..space.dimensions().len()).collect();
        self.restore_labels_of(space, &inputs);
    }

    /// The same of a kernel that sees these inputs of the space.
    fn restore_labels_of(&mut self, space: &Space, inputs: &[usize]) {
        match self {
            Kernel::LabelSimilarity(leaf) => {
                let domain = inputs.first().and_then(|&k| space.dimensions().get(k)).map(|dimension| &dimension.domain);
                if let Some(geometry) = domain.and_then(geometry) {
                    leaf.restore(geometry);
                }
            }
            Kernel::ActiveDims(of) => {
                let inputs: Vec<usize> = of.inputs.iter().filter_map(|&k| inputs.get(k).copied()).collect();
                of.kernel.restore_labels_of(space, &inputs);
            }
            Kernel::Rescaled(of) => of.kernel.restore_labels_of(space, inputs),
            Kernel::Composite(composite) => {
                composite.parts_mut().iter_mut().for_each(|part| part.restore_labels_of(space, inputs));
            }
            Kernel::Stationary(_) | Kernel::Categorical(_) | Kernel::LinearSphere(_) | Kernel::Custom(_) => {}
        }
    }

    /// Refuses parameters that are not positive and finite, empty composites, and points of another dimension.
    pub fn check(&self, dimension: usize) -> Result<()> {
        match self {
            Kernel::Stationary(leaf) => leaf.check(dimension),
            Kernel::Categorical(leaf) => leaf.check(dimension),
            Kernel::LabelSimilarity(leaf) => leaf.check(dimension),
            Kernel::LinearSphere(leaf) => leaf.check(dimension),
            Kernel::Custom(leaf) => leaf.check(dimension),
            Kernel::ActiveDims(of) => of.check(dimension),
            Kernel::Rescaled(of) => of.check(dimension),
            Kernel::Composite(composite) => composite.check(dimension),
        }
    }

    /// Sets the unconstrained parameters; as many as [`Covariance::roles`] lists.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        match self {
            Kernel::Stationary(leaf) => leaf.set_parameters(parameters),
            Kernel::Categorical(leaf) => leaf.set_parameters(parameters),
            Kernel::LabelSimilarity(leaf) => leaf.set_parameters(parameters),
            Kernel::LinearSphere(leaf) => leaf.set_parameters(parameters),
            Kernel::Custom(leaf) => leaf.set_parameters(parameters),
            Kernel::ActiveDims(of) => of.set_parameters(parameters),
            Kernel::Rescaled(of) => of.set_parameters(parameters),
            Kernel::Composite(composite) => composite.set_parameters(parameters),
        }
    }

    /// The cross-covariance matrix as a new matrix, [a, b], columns in parallel.
    pub fn matrix(&self, a: MatRef<'_>, b: MatRef<'_>) -> Mat {
        let mut out = Mat::zeros(a.nrows(), b.nrows());
        out.par_col_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, columns)| {
            self.cross(a, b.subrows(chunk * COLUMNS, columns.ncols()), columns);
        });
        out
    }

    /// k(xᵢ, xⱼ) as a new matrix, [n, n], columns in parallel: what is above the diagonal is copied from below.
    pub fn gram(&self, x: MatRef<'_>) -> Mat {
        let mut out = Mat::zeros(x.nrows(), x.nrows());
        out.par_col_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, columns)| {
            let (first, width) = (chunk * COLUMNS, columns.ncols());
            let below = x.nrows() - first;
            self.cross(x.subrows(first, below), x.subrows(first, width), columns.subrows_mut(first, below));
        });
        mirror_lower(out.as_mut());
        out
    }

    /// Σᵢⱼ gᵢⱼ ∂k(aᵢ, bⱼ)/∂θ, columns in parallel; chunks are summed in order, whatever the number of threads.
    pub fn parameter_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>) -> Vec<f64> {
        self.sum_of_chunks(g, |chunk, g| self.block_gradient(a, b.subrows(chunk * COLUMNS, g.ncols()), g))
    }

    /// Σᵢⱼ gᵢⱼ ∂k(xᵢ, xⱼ)/∂θ for a symmetric g: what is above the diagonal counts by what is below.
    pub fn gram_gradient(&self, x: MatRef<'_>, g: MatRef<'_>) -> Vec<f64> {
        self.sum_of_chunks(g, |chunk, g| {
            let (first, width) = (chunk * COLUMNS, g.ncols());
            let below = x.nrows() - first;
            let mut g = g.subrows(first, below).to_owned();
            (0..width).for_each(|j| g.col_as_slice_mut(j)[width..].iter_mut().for_each(|g| *g *= 2.0));
            self.block_gradient(x.subrows(first, below), x.subrows(first, width), g.as_ref())
        })
    }

    /// The sum over chunks of the columns of g, by their numbers, in order.
    fn sum_of_chunks(&self, g: MatRef<'_>, gradient: impl Fn(usize, MatRef<'_>) -> Vec<f64> + Sync) -> Vec<f64> {
        let parts: Vec<Vec<f64>> = g.par_col_chunks(COLUMNS).enumerate().map(|(chunk, g)| gradient(chunk, g)).collect();
        let mut total = vec![0.0; self.roles().len()];
        parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(total, p)| *total += p));
        total
    }

    fn block_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>) -> Vec<f64> {
        let mut gradient = vec![0.0; self.roles().len()];
        let (mut k, mut cache) = (Mat::zeros(a.nrows(), b.nrows()), Cache::default());
        self.forward(a, b, k.as_mut(), &mut cache);
        self.backward(a, b, k.as_ref(), g, &cache, &mut gradient);
        gradient
    }
}

/// What a kernel computes is that of the leaf or composite at hand.
impl Deref for Kernel {
    type Target = dyn Covariance;

    fn deref(&self) -> &Self::Target {
        match self {
            Kernel::Stationary(leaf) => leaf,
            Kernel::Categorical(leaf) => leaf,
            Kernel::LabelSimilarity(leaf) => leaf,
            Kernel::LinearSphere(leaf) => leaf,
            Kernel::Custom(leaf) => leaf.covariance(),
            Kernel::ActiveDims(of) => of,
            Kernel::Rescaled(of) => of,
            Kernel::Composite(composite) => composite,
        }
    }
}

/// How far the labels of an input are apart, if it has any with descriptors.
fn geometry(domain: &Domain) -> Option<&Arc<LabelGeometry>> {
    match domain {
        Domain::Described(choices) => choices.descriptors().map(Descriptors::geometry),
        _ => None,
    }
}

/// The top left corner of a matrix that is grown if need be.
fn sized(a: &mut Mat, rows: usize, columns: usize) -> MatMut<'_> {
    if a.nrows() < rows || a.ncols() < columns {
        *a = Mat::zeros(rows, columns);
    }
    a.as_mut().submatrix_mut(0, 0, rows, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    /// A kernel without a spectrum.
    struct Opaque;

    impl Covariance for Opaque {
        fn dimension(&self) -> Option<usize> {
            None
        }
        fn roles(&self) -> Vec<Role> {
            Vec::new()
        }
        fn parameters(&self) -> Vec<f64> {
            Vec::new()
        }
        fn set_parameters(&mut self, _: &[f64]) {}
        fn cross(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatMut<'_>) {}
        fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
            vec![1.0; x.nrows()]
        }
        fn backward(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: &Cache, _: &mut [f64]) {}
        fn add_diagonal_gradient(&self, _: MatRef<'_>, _: &[f64], _: &mut [f64]) {}
        fn add_input_gradient(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: MatMut<'_>) {}
    }

    #[test]
    fn a_kernel_without_a_spectrum_says_so() {
        let drawn = Opaque.spectrum(3, 5, &mut stream(0, Purpose::Frequencies, 0, 0));
        assert!(matches!(drawn, Err(Error::Unsupported { .. })));
    }
}
