//! Kernels of finite rank inside others: points that determine products of them, features that a sum has exactly.
//!
//! ```text
//!     k = Πᵢ kᵢ(x_Sᵢ, x'_Sᵢ), S₁, S₂, … disjoint:   Z = Z₁ × Z₂ × …        k = Σᵢ kᵢ:   the features are the union of the parts'
//! ```

use super::{ActiveDims, Composite, Kernel, Sphere};
use crate::linalg::{Mat, MatRef};
use std::collections::HashSet;

/// The most points of a product: beyond, choosing inducing points among the data costs less.
const MOST: usize = 1000;

/// All combinations of the points that span the parts; `None` if a part is not spanned, if two of them read the same input, or
/// if there are too many.
pub(super) fn of_product(parts: &[Kernel], dimension: usize) -> Option<Mat> {
    let mut read = HashSet::new();
    let mut all = Mat::zeros(1, dimension);
    for part in parts {
        let Kernel::ActiveDims(ActiveDims { inputs, .. }) = part else { return None };
        let own = part.spanning(dimension).filter(|own| own.nrows() * all.nrows() <= MOST)?;
        if !inputs.iter().all(|&input| read.insert(input)) {
            return None;
        }
        all = combined(all.as_ref(), own.as_ref());
    }
    Some(all)
}

/// Every row of one matrix with every row of another, of which each has zeros where the other has not.
fn combined(a: MatRef<'_>, b: MatRef<'_>) -> Mat {
    Mat::from_fn(a.nrows() * b.nrows(), a.ncols(), |i, k| a[(i % a.nrows(), k)] + b[(i / a.nrows(), k)])
}

impl Kernel {
    /// The exact features of the kernel, or of parts of a sum, and what is left of it without these.
    pub fn split_exact(&self) -> (Vec<Sphere>, Option<Kernel>) {
        if let Some(sphere) = self.exact_features() {
            return (vec![sphere], None);
        }
        let Kernel::Composite(Composite::Sum(parts)) = self else { return (Vec::new(), Some(self.clone())) };
        let (mut exact, mut rest) = (Vec::new(), Vec::new());
        for part in parts {
            let (own, left) = part.split_exact();
            exact.extend(own);
            rest.extend(left);
        }
        let rest = if rest.is_empty() { None } else { Some(Kernel::sum(rest)) };
        (exact, rest)
    }
}
