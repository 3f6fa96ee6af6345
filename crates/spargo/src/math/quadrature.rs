//! Gauss–Hermite quadrature: expectations of smooth functions of a normal variable.
//!
//! ```text
//!     E f(ξ) ≈ Σₖ wₖ f(xₖ),   ξ ~ N(0, 1),   exact for polynomials of degree 2n − 1
//!     He₀ = 1,  He₁ = x,  Heₖ₊₁ = x Heₖ − k Heₖ₋₁          (probabilists' Hermite polynomials)
//! ```
//!
//! The nodes are the roots of Heₙ, and wₖ = 1/Σⱼ pⱼ(xₖ)² over the orthonormal pⱼ = Heⱼ/√j!, j < n (the Christoffel
//! numbers; Szegő 1975, §3.4). He₀ … Heₙ is a Sturm sequence: its sign changes at x count the roots above x, so each
//! root is found by bisection alone.

/// Nodes in ascending order, and their weights, which sum to one.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussHermite {
    /// xₖ.
    pub nodes: Vec<f64>,
    /// wₖ.
    pub weights: Vec<f64>,
}

impl GaussHermite {
    /// The rule with n nodes; up to a few hundred of them, beyond which outer weights underflow.
    pub fn new(n: usize) -> Self {
        let nodes: Vec<f64> = (0..n).map(|rank| node(n, rank)).collect();
        let weights = nodes.iter().map(|&x| weight(n, x)).collect();
        GaussHermite { nodes, weights }
    }

    /// E f(ξ).
    pub fn expectation(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.nodes.iter().zip(&self.weights).map(|(&x, w)| w * f(x)).sum()
    }
}

/// The root of Heₙ with `rank` roots below it; the roots are symmetric about 0.
fn node(n: usize, rank: usize) -> f64 {
    let above = n - 1 - rank;
    match rank.cmp(&above) {
        std::cmp::Ordering::Less => -node(n, above),
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => positive_root(n, above),
    }
}

/// The positive root of Heₙ with `above` roots above it, all of which lie below 2√n.
fn positive_root(n: usize, above: usize) -> f64 {
    let (mut low, mut high) = (0.0, 2.0 * (n as f64).sqrt());
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if roots_above(n, middle) > above {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Sign changes in He₀(x) … Heₙ(x), by the ratios Heₖ/Heₖ₋₁, which do not overflow.
fn roots_above(n: usize, x: f64) -> usize {
    let mut ratio = x;
    let mut changes = usize::from(ratio < 0.0);
    for k in 1..n {
        ratio = x - k as f64 / ratio;
        changes += usize::from(ratio < 0.0);
    }
    changes
}

/// 1/Σⱼ pⱼ(x)².
fn weight(n: usize, x: f64) -> f64 {
    let (mut before, mut now) = (0.0, 1.0);
    let mut total = 0.0;
    for j in 0..n {
        total += now * now;
        let next = (x * now - (j as f64).sqrt() * before) / ((j + 1) as f64).sqrt();
        (before, now) = (now, next);
    }
    1.0 / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_exact_to_degree_2n_minus_1() {
        for n in [1, 2, 3, 7, 20, 33] {
            let rule = GaussHermite::new(n);
            let mut moment = 1.0; // (2j − 1)!!
            for j in 0..n {
                let found = rule.expectation(|x| x.powi(2 * j as i32));
                assert!((found / moment - 1.0).abs() < 1e-13 * (1 + j) as f64, "n {n}, degree {}: {found}", 2 * j);
                assert!(rule.expectation(|x| x.powi(2 * j as i32 + 1)).abs() < 1e-13 * moment * n as f64);
                moment *= (2 * j + 1) as f64;
            }
            // Degree 2n is the first to fail, by n!: the remainder of Heₙ².
            let error = moment - rule.expectation(|x| x.powi(2 * n as i32));
            let factorial: f64 = (1..=n).map(|k| k as f64).product();
            assert!((error - factorial).abs() < 1e-11 * moment, "n {n}: {error}");
        }
    }

    /// Abramowitz & Stegun, table 25.10, in the weight exp(−x²).
    #[test]
    fn twenty_nodes_agree_with_the_table() {
        let table = [
            (0.2453407083009, 4.622436696006e-1),
            (0.7374737285454, 2.866755053628e-1),
            (1.2340762153953, 1.090172060200e-1),
            (1.7385377121166, 2.481052088746e-2),
            (2.2549740020893, 3.243773342238e-3),
            (2.7888060584281, 2.283386360163e-4),
            (3.3478545673832, 7.802556478532e-6),
            (3.9447640401156, 1.086069370769e-7),
            (4.6036824495507, 4.399340992273e-10),
            (5.3874808900112, 2.229393645534e-13),
        ];
        let rule = GaussHermite::new(20);
        for (k, (x, w)) in table.into_iter().enumerate() {
            for (index, sign) in [(10 + k, 1.0), (9 - k, -1.0)] {
                let (node, weight) = (rule.nodes[index], rule.weights[index]);
                assert!((node - sign * x * 2f64.sqrt()).abs() < 2e-13 * node.abs().max(1.0), "{node}");
                assert!((weight * std::f64::consts::PI.sqrt() / w - 1.0).abs() < 1e-12, "{weight}");
            }
        }
    }

    #[test]
    fn many_nodes_stay_finite_and_integrate_a_smooth_function() {
        let rule = GaussHermite::new(200);
        // E cos ξ = exp(−½)
        assert!((rule.expectation(f64::cos) - (-0.5f64).exp()).abs() < 1e-13);
    }
}
