//! The limited-memory BFGS matrix in compact form.
//!
//! From the last `c ≤ m` pairs `s = x⁺ − x`, `y = g⁺ − g` (Byrd, Nocedal & Schnabel 1994, eq. 3.5):
//!
//! ```text
//! B = θI − W K⁻¹ Wᵀ,   W = [Y  θS],   K = ⎡ −D   Lᵀ  ⎤ ,   θ = yᵀy / sᵀy of the newest pair,
//!                                         ⎣  L  θSᵀS ⎦
//! ```
//!
//! with `D` the diagonal and `L` the strictly lower triangle of `SᵀY`. `B` does not change when a
//! pair is scaled as a whole, so pairs are stored with `sᵀy = 1`: then `D = I`, and pairs taken far
//! from and close to the solution weigh alike in the small systems.

use std::collections::VecDeque;

use super::dense::{SmallCholesky, axpy, dot, solve};

#[derive(Clone, Debug)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
}

/// The model Hessian `B`; `θI` with `θ = 1` while no pair is stored.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    capacity: usize,
    pairs: VecDeque<Pair>,
    theta: f64,
    /// `L`, row-major.
    lower: Vec<f64>,
    /// `θSᵀS + LLᵀ`, what is left of `K` once its first block row is eliminated.
    schur: SmallCholesky,
}

impl Memory {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, pairs: VecDeque::new(), theta: 1.0, lower: Vec::new(), schur: SmallCholesky::default() }
    }

    pub(super) fn theta(&self) -> f64 {
        self.theta
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// Learns from a step `s` that changed the gradient by `y` and whose slope was `gᵀs = slope`.
    ///
    /// A pair of too little curvature would make `B` indefinite or wildly scaled; it is skipped.
    pub(super) fn push(&mut self, mut s: Vec<f64>, mut y: Vec<f64>, slope: f64) {
        let curvature = dot(&s, &y);
        let theta = dot(&y, &y) / curvature;
        let enough = curvature > f64::EPSILON * slope.abs() && curvature.is_finite();
        if self.capacity == 0 || !enough || !theta.is_normal() {
            return;
        }
        let scale = curvature.sqrt().recip();
        s.iter_mut().chain(&mut y).for_each(|v| *v *= scale);
        if self.pairs.len() == self.capacity {
            self.pairs.pop_front();
        }
        self.pairs.push_back(Pair { s, y });
        self.theta = theta;
        self.factor();
    }

    /// `Wᵀv`.
    pub(super) fn gather(&self, v: &[f64]) -> Vec<f64> {
        let y = self.pairs.iter().map(|pair| dot(&pair.y, v));
        let s = self.pairs.iter().map(|pair| self.theta * dot(&pair.s, v));
        y.chain(s).collect()
    }

    /// Row `i` of `W`.
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        let y = self.pairs.iter().map(move |pair| pair.y[i]);
        let s = self.pairs.iter().map(move |pair| self.theta * pair.s[i]);
        y.chain(s)
    }

    /// `K⁻¹v`, by eliminating the first block row.
    pub(super) fn middle(&self, v: &[f64]) -> Vec<f64> {
        let c = self.pairs.len();
        let (first, second) = v.split_at(c);
        let mut tail: Vec<f64> = (0..c).map(|i| second[i] + dot(&self.lower[i * c..(i + 1) * c], first)).collect();
        self.schur.solve(&mut tail);
        let mut u: Vec<f64> = first.iter().map(|v| -v).collect();
        for (i, &t) in tail.iter().enumerate() {
            axpy(t, &self.lower[i * c..(i + 1) * c], &mut u);
        }
        u.extend(tail);
        u
    }

    /// `−B_FF⁻¹ r` over the free variables `F`, by the Sherman–Morrison–Woodbury formula:
    ///
    /// ```text
    /// B_FF⁻¹ = I/θ + W_F (K − W_FᵀW_F/θ)⁻¹ W_Fᵀ / θ²
    /// ```
    ///
    /// `reduced` is `r` on the free variables and zero elsewhere; so is the result.
    pub(super) fn newton_step(&self, reduced: &[f64], free: &[bool]) -> Option<Vec<f64>> {
        let u = solve(self.reduced_middle(free), self.gather(reduced))?;
        let theta = self.theta;
        let step = free.iter().enumerate().map(|(i, &is_free)| {
            if !is_free {
                return 0.0;
            }
            let correction: f64 = self.row(i).zip(&u).map(|(w, u)| w * u).sum();
            -(reduced[i] + correction / theta) / theta
        });
        Some(step.collect())
    }

    /// `K − W_FᵀW_F/θ`. Inner products over all variables minus those over the free ones are
    /// summed over the others directly: no cancellation, and exact zeros where nothing is active.
    fn reduced_middle(&self, free: &[bool]) -> Vec<f64> {
        let (c, theta) = (self.pairs.len(), self.theta);
        let size = 2 * c;
        let mut matrix = vec![0.0; size * size];
        for (i, a) in self.pairs.iter().enumerate() {
            for (j, b) in self.pairs.iter().enumerate() {
                let identity = if i == j { 1.0 } else { 0.0 };
                matrix[i * size + j] = -identity - masked_dot(&a.y, &b.y, free, true) / theta;
                let cross =
                    if i > j { masked_dot(&a.s, &b.y, free, false) } else { -masked_dot(&a.s, &b.y, free, true) };
                matrix[(c + i) * size + j] = cross;
                matrix[j * size + c + i] = cross;
                matrix[(c + i) * size + c + j] = theta * masked_dot(&a.s, &b.s, free, false);
            }
        }
        matrix
    }

    /// Refreshes `L` and the factor, forgetting the oldest pairs until `B` is safely definite.
    fn factor(&mut self) {
        while !self.pairs.is_empty() {
            let c = self.pairs.len();
            self.lower = self.strictly_lower();
            let mut schur = vec![0.0; c * c];
            for i in 0..c {
                for j in 0..=i {
                    let (row_i, row_j) = (&self.lower[i * c..][..c], &self.lower[j * c..][..c]);
                    let ss = dot(&self.pairs[i].s, &self.pairs[j].s);
                    schur[i * c + j] = self.theta * ss + dot(row_i, row_j);
                }
            }
            if let Some(factor) = SmallCholesky::new(c, schur) {
                self.schur = factor;
                return;
            }
            self.pairs.pop_front();
        }
        self.clear();
    }

    fn strictly_lower(&self) -> Vec<f64> {
        let c = self.pairs.len();
        let mut lower = vec![0.0; c * c];
        for i in 0..c {
            for j in 0..i {
                lower[i * c + j] = dot(&self.pairs[i].s, &self.pairs[j].y);
            }
        }
        lower
    }
}

/// `Σ aᵢbᵢ` over the variables whose mask is `keep`.
fn masked_dot(a: &[f64], b: &[f64], mask: &[bool], keep: bool) -> f64 {
    let kept = a.iter().zip(b).zip(mask).filter(|&(_, &m)| m == keep);
    kept.map(|((a, b), _)| a * b).sum()
}
