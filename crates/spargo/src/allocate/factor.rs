//! The Cholesky factor of K_ZZ grown one point at a time, and conditional variances of other points given Z.
//!
//! ```text
//!     cₜ(x) = (k(x, zₜ) − Σ_{s<t} c_s(x) L_ts) / √σ²ₜ,     σ²(x) = k(x, x) − Σₜ cₜ(x)²     (Chen et al. 2018, alg. 1)
//! ```
//!
//! L's row t is c(zₜ) at the moment of choice and σ²ₜ the variance of zₜ then. Rows are padded with zeros to a multiple
//! of [`LANES`], so that every inner product runs over whole vectors. Each entry is computed by one and the same
//! sequence of operations wherever it is needed: that is what makes the lazy search agree with one that looks at every row, bit by bit.

use crate::kernel::Kernel;
use crate::linalg::vexp::fma;
use crate::linalg::{Mat, MatMut, MatRef};
use multiversion::{multiversion, target::target_cfg_f};

/// Relative to the largest prior variance; a conditional standard deviation of 1/100,000 of the prior's.
const NIL: f64 = 1e-10;

/// Partial sums of an inner product: enough independent ones to hide the latency of a multiply-add.
const LANES: usize = 16;

/// A conditional variance below this is as good as nothing.
///
/// Rounding errs by about ε k |K_ZZ⁻¹k(Z, x)|² in it, and the weights K_ZZ⁻¹k(Z, x) grow with every small variance that is
/// accepted, above all where the quality forces close points together. So the limit is far above ε: what is accepted is
/// a number with digits left, and K_ZZ has a Cholesky factor without jitter.
pub(super) fn nil_variance(diagonal: &[f64]) -> f64 {
    NIL * diagonal.iter().copied().fold(0.0, f64::max)
}

/// The length of a padded row with `len` entries.
fn padded(len: usize) -> usize {
    len.next_multiple_of(LANES)
}

/// A point and what is known of it: c₀…c_{level−1} and the variance they leave.
#[derive(Debug, Default)]
pub(super) struct Candidate {
    row: Vec<f64>,
    level: usize,
    pub(super) variance: f64,
}

impl Candidate {
    /// Nothing known but k(x, x).
    pub(super) fn new(prior_variance: f64) -> Self {
        Candidate { row: Vec::new(), level: 0, variance: prior_variance }
    }

    /// How many chosen points its variance accounts for.
    pub(super) fn level(&self) -> usize {
        self.level
    }
}

/// The chosen points and their factor.
pub(super) struct Factor<'a> {
    kernel: &'a Kernel,
    /// The chosen points, [capacity, d], of which the first `roots.len()` rows are in use.
    z: Mat,
    rows: Vec<Vec<f64>>,
    roots: Vec<f64>,
}

impl<'a> Factor<'a> {
    pub(super) fn new(kernel: &'a Kernel, capacity: usize, dimension: usize) -> Self {
        Factor { kernel, z: Mat::zeros(capacity, dimension), rows: Vec::new(), roots: Vec::new() }
    }

    /// The number of chosen points.
    pub(super) fn len(&self) -> usize {
        self.roots.len()
    }

    /// Brings candidates, each with its row number in `x`, up to date.
    pub(super) fn advance(&self, x: MatRef<'_>, candidates: &mut [(usize, Candidate)]) {
        let len = self.len();
        for (row, candidate) in candidates.iter_mut().filter(|(_, candidate)| candidate.level < len) {
            let level = candidate.level;
            grow(&mut candidate.row, padded(len), padded(self.z.nrows()));
            // k(Z, x) is written where c(x) will stand. Until its turn an entry meets only zeros of L.
            let fresh = MatMut::from_column_major_slice_mut(&mut candidate.row[level..len], len - level, 1);
            self.kernel.cross(self.z.subrows(level, len - level), x.subrows(*row, 1), fresh);
        }
        substitute(candidates, &self.rows, &self.roots);
    }

    /// Adds an up-to-date candidate to the chosen points.
    pub(super) fn push(&mut self, x: MatRef<'_>, mut candidate: Candidate) {
        debug_assert_eq!(candidate.level, self.len());
        self.z.subrows_mut(self.len(), 1).copy_from(x);
        candidate.row.truncate(padded(self.len()));
        self.rows.push(candidate.row);
        self.roots.push(candidate.variance.sqrt());
    }
}

/// Lengthens a row with zeros. Most rows stay short or grow long: two sizes of memory, not many that fragment it.
fn grow(row: &mut Vec<f64>, len: usize, most: usize) {
    const SHORT: usize = 4 * LANES;
    if len > row.capacity() {
        let capacity = if len <= SHORT { SHORT } else { most };
        row.reserve_exact(capacity - row.len());
    }
    row.resize(len, 0.0);
}

/// Forward substitution for several candidates: a row of L is used by all of them while it is in the cache.
#[multiversion(targets = "simd")]
fn substitute(candidates: &mut [(usize, Candidate)], factor: &[Vec<f64>], roots: &[f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let least = candidates.iter().map(|(_, candidate)| candidate.level).min().unwrap_or(0);
    for t in least..roots.len() {
        for (_, candidate) in candidates.iter_mut().filter(|(_, candidate)| candidate.level == t) {
            let entry = (candidate.row[t] - padded_dot::<FMA>(&candidate.row, &factor[t])) / roots[t];
            candidate.row[t] = entry;
            candidate.variance -= entry * entry;
            candidate.level = t + 1;
        }
    }
}

/// aᵀb over b's padded length.
#[inline(always)]
fn padded_dot<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            sums[lane] = fma::<FMA>(a[lane], b[lane], sums[lane]);
        }
    }
    total(&sums)
}

/// Kept apart from the loop above: inlined, its narrow additions would make the compiler narrow the loop's vectors too.
#[inline(never)]
fn total(sums: &[f64; LANES]) -> f64 {
    let mut sums = *sums;
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}
