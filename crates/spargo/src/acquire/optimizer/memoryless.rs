//! Trust regions of all sizes at once, so that none has to be learned from successes and failures.
//!
//! ```text
//!     R = { x : |x_k − c_k| ≤ L w_k / 2 },     w_k = length scale over their geometric mean,     c = argmax_{x incumbent} u(x)
//! ```
//!
//! A large batch has regions of every size L. Half of the elements choose their centre, the incumbent of largest acquisition; the
//! others get any incumbent: there may be an optimum next to one that no path prefers.

use super::assignment::{Assignment, is_assigned};
use super::{Element, RegionNews, TrustRegion, TrustRegions};
use crate::linalg::row;
use crate::rng::{distinct_indices, uniform};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Sides of regions, in units of the box.
const SIZES: [f64; 6] = [0.4, 0.2, 0.1, 0.05, 0.025, 0.0125];

/// Inputs along which a region extends: in a space of many inputs the best point of a path over all of them is in a corner.
const FREE: usize = 20;

/// A region is at most so many times as wide along one input as on average.
const WIDEST: f64 = 5.0;

/// The policy without memory: a share of the batch has regions of random sizes around the incumbents.
#[derive(Debug, Clone, PartialEq)]
pub struct Memoryless {
    /// Share of the batch elements that have a region.
    pub share: f64,
}

impl TrustRegions for Memoryless {
    fn update(&mut self, _: &RegionNews<'_>) {}

    fn propose(&self, element: &Element<'_>, rng: &mut ChaCha8Rng) -> Option<TrustRegion> {
        if !is_assigned(Assignment::TrustRegion, element.step, element.number, self.share) {
            return None;
        }
        let (ordered, scores) = (element.ordered_inputs(), element.scores);
        let size = SIZES[(uniform(rng) * SIZES.len() as f64) as usize];
        let centre = if uniform(rng) < 0.5 {
            (0..scores.len()).max_by(|&i, &j| scores[i].total_cmp(&scores[j])).unwrap_or(0)
        } else {
            (uniform(rng) * scores.len() as f64) as usize
        };
        let widths = widths(element.scales, &ordered);
        let free = distinct_indices(ordered.len(), FREE, rng).into_iter().map(|i| ordered[i]);
        let reaches = free.map(|k| (k, 0.5 * size * widths[k]));
        Some(TrustRegion::around(row(element.incumbents, centre), reaches))
    }

    fn state(&self) -> Value {
        Value::Null
    }
}

/// How wide regions are along each input compared with the others: as the length scales, within bounds.
fn widths(scales: &[f64], ordered: &[usize]) -> Vec<f64> {
    let centre = ordered.iter().map(|&k| scales[k].ln()).sum::<f64>() / ordered.len().max(1) as f64;
    scales.iter().map(|scale| (scale.ln() - centre).exp().clamp(1.0 / WIDEST, WIDEST)).collect()
}
