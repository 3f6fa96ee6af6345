//! Trust regions: some members are maximised around a point that is good already, and nowhere else.
//!
//! ```text
//!     R = { x : |x_k − c_k| ≤ L w_k / 2 },     w ∝ length scales, Π w = 1,     c = argmax_{x incumbent} u(x)
//! ```
//!
//! (Eriksson et al. 2019.) A utility's maximum over the whole of a large space is where nothing is known; in a region it is an
//! improvement of what is known. A large batch has regions of all sizes L at once, so that none has to be
//! learned from successes and failures; and each member has its own centre, the incumbent that it believes in.

use super::Search;
use crate::error::Result;
use crate::linalg::{Mat, column};
use crate::optimize::Utility;
use crate::rng::{Purpose, distinct_indices, stream, uniform};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// A box within the unit cube, and where climbs begin in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its lower ends, one an input; inputs that are not continuous are free.
    pub lower: Vec<f64>,
    /// Its upper ends.
    pub upper: Vec<f64>,
    /// Points of it.
    pub starts: Vec<Vec<f64>>,
}

impl Search<'_> {
    /// The regions of members with these numbers, none for those that search the whole space; `widths` are relative.
    pub fn regions(&self, utility: &dyn Utility, numbers: Range<usize>, widths: &[f64]) -> Result<Vec<Option<Region>>> {
        if self.settings.local <= 0.0 || self.incumbents.nrows() == 0 || self.pool.is_complete() {
            return Ok(Vec::new());
        }
        let scores = utility.score(self.incumbents.as_ref())?;
        let mut regions = Vec::with_capacity(numbers.len());
        for (member, number) in numbers.enumerate() {
            if !dealt(self.step, number, self.settings.local) {
                regions.push(None);
                continue;
            }
            let scores = column(scores.as_ref(), member);
            let mut rng = stream(self.seed, Purpose::Region, self.step, number as u64);
            let size = SIZES[(uniform(&mut rng) * SIZES.len() as f64) as usize];
            // What it believes in, or any other: what no path believes in may have a summit beside it.
            let centre = match uniform(&mut rng) < 0.5 {
                true => (0..scores.len()).max_by(|&i, &j| scores[i].total_cmp(&scores[j])).unwrap_or(0),
                false => (uniform(&mut rng) * scores.len() as f64) as usize,
            };
            let centre: Vec<f64> = self.incumbents.row(centre).iter().copied().collect();
            regions.push(Some(self.region(&centre, size, widths, &mut rng)));
        }
        self.rank_starts(utility, &mut regions)?;
        Ok(regions)
    }

    /// A region around a point, with random points of it.
    fn region(&self, centre: &[f64], size: f64, widths: &[f64], rng: &mut ChaCha8Rng) -> Region {
        let free = distinct_indices(centre.len(), FREE, rng);
        let (mut lower, mut upper) = (centre.to_vec(), centre.to_vec());
        for &k in &free {
            let reach = 0.5 * size * widths[k];
            (lower[k], upper[k]) = ((centre[k] - reach).max(0.0), (centre[k] + reach).min(1.0));
        }
        let domains: Vec<_> = self.space.dimensions().iter().map(|d| &d.domain).collect();
        let point = |rng: &mut ChaCha8Rng| -> Vec<f64> {
            let share = (domains.len() as f64).powf(-uniform(rng));
            let coordinate = |k: usize| match (domains[k].is_continuous(), uniform(rng) < share) {
                (_, false) => centre[k],
                (true, true) => lower[k] + (upper[k] - lower[k]) * uniform(rng),
                (false, true) => domains[k].snap(domains[k].spread(uniform(rng))),
            };
            (0..centre.len()).map(coordinate).collect()
        };
        let starts = std::iter::once(centre.to_vec()).chain((0..STARTS).map(|_| point(rng))).collect();
        Region { lower, upper, starts }
    }

    /// Leaves each region the best of its starts.
    fn rank_starts(&self, utility: &dyn Utility, regions: &mut [Option<Region>]) -> Result<()> {
        let pairs: Vec<(usize, &Vec<f64>)> = regions
            .iter()
            .enumerate()
            .flat_map(|(member, region)| region.iter().flat_map(|r| &r.starts).map(move |start| (member, start)))
            .collect();
        let members: Vec<usize> = pairs.iter().map(|(member, _)| *member).collect();
        let x = Mat::from_fn(pairs.len(), self.space.dimensions().len(), |i, k| pairs[i].1[k]);
        let (values, _) = utility.value_gradient(&members, x.as_ref())?;
        let mut values = values.into_iter();
        for region in regions.iter_mut().flatten() {
            let own: Vec<f64> = values.by_ref().take(region.starts.len()).collect();
            let best = (0..own.len()).max_by(|&i, &j| own[i].total_cmp(&own[j])).unwrap_or(0);
            region.starts = vec![region.starts.swap_remove(best)];
        }
        Ok(())
    }
}

/// Whether a member is one of a `share` of all, however many are asked for in one step.
pub fn dealt(step: u64, number: usize, share: f64) -> bool {
    let before = |position: u64| (position as f64 * share).floor();
    let position = step.wrapping_add(number as u64) & 0xFFFF_FFFF;
    before(position + 1) > before(position)
}

/// Sides of regions, in units of the box.
const SIZES: [f64; 6] = [0.4, 0.2, 0.1, 0.05, 0.025, 0.0125];

/// Inputs along which a region extends: in a space of many the best of a path over all of them is in a corner.
const FREE: usize = 20;

/// Random points of a region, of which the best is climbed from.
const STARTS: usize = 32;
