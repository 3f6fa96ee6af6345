//! Trust regions: some elements are maximised around a point that is good already, and nowhere else.
//!
//! ```text
//!     R = { x : |x_k − c_k| ≤ L w_k / 2 },     w_k = length scale over their geometric mean,     c = argmax_{x incumbent} u(x)
//! ```
//!
//! (Eriksson et al. 2019.) A acquisition function's maximum over the whole of a large space is where nothing is known; in a region it is an
//! improvement of what is known. A large batch has regions of all sizes L at once, so that none has to be learned from
//! successes and failures; and each element has its own centre, the incumbent that it believes in. Categories are the
//! centre's.

use super::AcquisitionOptimizer;
use super::assignment::{Assignment, is_assigned};
use crate::error::Result;
use crate::linalg::{Mat, column};
use crate::optim::BatchedObjective;
use crate::rng::{Purpose, distinct_indices, stream, uniform};
use crate::space::Domain;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// A box within the unit cube, and where the local search starts in it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustRegion {
    /// Its lower ends, one an input.
    pub lower: Vec<f64>,
    /// Its upper ends.
    pub upper: Vec<f64>,
    /// A point of it.
    pub start: Vec<f64>,
    /// The element's value there.
    pub value: f64,
}

impl AcquisitionOptimizer<'_> {
    /// The regions of elements with these numbers, `None` for those that search the whole space; shaped by the inputs' length
    /// `scales`. Nothing, if no element ever has one.
    pub fn regions(
        &self,
        acquisition: &dyn BatchedObjective,
        numbers: Range<usize>,
        scales: &[f64],
    ) -> Result<Vec<Option<TrustRegion>>> {
        let local = |number: usize| is_assigned(Assignment::TrustRegion, self.step, number, self.share);
        let extends = (0..self.space.dimensions().len()).any(|k| self.is_ordered(k));
        if self.share == 0.0 || self.incumbents.nrows() == 0 || self.pool.is_complete() || !extends {
            return Ok(Vec::new());
        }
        if !numbers.clone().any(local) {
            return Ok(vec![None; numbers.len()]);
        }
        let (scores, widths) = (acquisition.score(self.incumbents.as_ref())?, self.widths(scales));
        let mut regions: Vec<Option<(TrustRegion, Vec<Vec<f64>>)>> = Vec::with_capacity(numbers.len());
        for (element, number) in numbers.enumerate() {
            if !local(number) {
                regions.push(None);
                continue;
            }
            let scores = column(scores.as_ref(), element);
            let mut rng = stream(self.seed, Purpose::TrustRegion, self.step, number as u64);
            let size = SIZES[(uniform(&mut rng) * SIZES.len() as f64) as usize];
            // What it believes in, or any other: what no path believes in may have a optimum beside it.
            let centre = match uniform(&mut rng) < 0.5 {
                true => (0..scores.len()).max_by(|&i, &j| scores[i].total_cmp(&scores[j])).unwrap_or(0),
                false => (uniform(&mut rng) * scores.len() as f64) as usize,
            };
            let centre: Vec<f64> = self.incumbents.row(centre).iter().copied().collect();
            let region = self.region(centre, size, &widths, &mut rng);
            let points = (0..STARTS).map(|_| self.point_of(&region, &mut rng)).collect();
            regions.push(Some((region, points)));
        }
        self.started_at_the_best(acquisition, regions)
    }

    /// How wide regions are along each input beside the others: as the length scales, within limits.
    fn widths(&self, scales: &[f64]) -> Vec<f64> {
        let ordered: Vec<f64> = (0..scales.len()).filter(|&k| self.is_ordered(k)).map(|k| scales[k].ln()).collect();
        let centre = ordered.iter().sum::<f64>() / ordered.len().max(1) as f64;
        scales.iter().map(|scale| (scale.ln() - centre).exp().clamp(1.0 / WIDEST, WIDEST)).collect()
    }

    /// Whether regions extend along this input.
    pub(super) fn is_ordered(&self, input: usize) -> bool {
        !self.space.dimensions()[input].domain.is_categorical()
    }

    /// A region around a point, beginning there.
    fn region(&self, centre: Vec<f64>, size: f64, widths: &[f64], rng: &mut ChaCha8Rng) -> TrustRegion {
        let ordered: Vec<usize> = (0..centre.len()).filter(|&k| self.is_ordered(k)).collect();
        let (mut lower, mut upper) = (centre.clone(), centre.clone());
        for k in distinct_indices(ordered.len(), FREE, rng).into_iter().map(|i| ordered[i]) {
            let reach = 0.5 * size * widths[k];
            (lower[k], upper[k]) = ((centre[k] - reach).max(0.0), (centre[k] + reach).min(1.0));
        }
        TrustRegion { lower, upper, start: centre, value: f64::NAN }
    }

    /// A random point of a region, which differs from its centre in some inputs or in all.
    fn point_of(&self, region: &TrustRegion, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let TrustRegion { lower, upper, start: centre, .. } = region;
        let share = (centre.len() as f64).powf(-uniform(rng));
        let coordinate = |k: usize| match uniform(rng) < share {
            false => centre[k],
            true => {
                let domain = &self.space.dimensions()[k].domain;
                within(domain, lower[k] + (upper[k] - lower[k]) * uniform(rng), (lower[k], upper[k]), centre[k])
            }
        };
        (0..centre.len()).map(coordinate).collect()
    }

    /// Every region beginning at its centre or at the best of its points, if one is better.
    fn started_at_the_best(
        &self,
        acquisition: &dyn BatchedObjective,
        regions: Vec<Option<(TrustRegion, Vec<Vec<f64>>)>>,
    ) -> Result<Vec<Option<TrustRegion>>> {
        let mut pairs: Vec<(usize, &Vec<f64>)> = Vec::new();
        for (element, (region, points)) in regions.iter().enumerate().filter_map(|(j, one)| Some((j, one.as_ref()?))) {
            pairs.extend(std::iter::once(&region.start).chain(points).map(|point| (element, point)));
        }
        let elements: Vec<usize> = pairs.iter().map(|(element, _)| *element).collect();
        let x = Mat::from_fn(pairs.len(), self.space.dimensions().len(), |i, k| pairs[i].1[k]);
        let (values, _) = acquisition.value_gradient(&elements, x.as_ref())?;
        let mut values = values.into_iter();
        let mut begun = |(region, mut points): (TrustRegion, Vec<Vec<f64>>)| {
            points.insert(0, region.start.clone());
            let own: Vec<f64> = values.by_ref().take(points.len()).collect();
            let best = (0..own.len()).max_by(|&i, &j| own[i].total_cmp(&own[j])).unwrap_or(0);
            TrustRegion { start: points.swap_remove(best), value: own[best], ..region }
        };
        Ok(regions.into_iter().map(|one| one.map(&mut begun)).collect())
    }
}

/// A value of the domain between two others, if there is one close by, else the one in between them that is known.
fn within(domain: &Domain, value: f64, (lower, upper): (f64, f64), known: f64) -> f64 {
    let snapped = if domain.is_continuous() { value } else { domain.snap(value) };
    if (lower..=upper).contains(&snapped) { snapped } else { known }
}

/// Sides of regions, in units of the box.
const SIZES: [f64; 6] = [0.4, 0.2, 0.1, 0.05, 0.025, 0.0125];

/// Inputs along which a region extends: in a space of many the best of a path over all of them is in a corner.
const FREE: usize = 20;

/// Random points of a region, of which the best is climbed from.
const STARTS: usize = 32;

/// A region is at most that much wider along one input than on average.
const WIDEST: f64 = 5.0;
