//! The best points of many acquisition functions at once, all different and all new.
//!
//! ```text
//!     xⱼ = argmax_x uⱼ(x),   j = 1…q,       xᵢ ≠ xⱼ,   xⱼ not evaluated, not pending
//! ```
//!
//! All elements share one pool of points, scored in one product; the best few of each element are the starts of local
//! searches (`local_search`). Where only finitely many points exist there is nothing to search: the best of all is found by
//! streaming over them (`candidates`).

mod assignment;
mod candidates;
mod excluded;
mod exclusion;
mod kept;
mod lineage;
mod local_search;
mod memory;
mod memoryless;
mod pool;
mod raasp;
mod trust_region;
mod within;

pub use assignment::{Assignment, is_assigned};
pub use excluded::Excluded;
pub use kept::KeptSearch;
pub use lineage::Lineage;
pub use memory::Memory;
pub use memoryless::Memoryless;
pub use pool::{CandidatePool, is_listed, space_filling};
pub use trust_region::{Element, RegionNews, TrustRegion, TrustRegions};

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column, row, sorted_by_value};
use crate::optim::{BatchedObjective, Lbfgsb};
use crate::rng::{Purpose, StepRng, normal, uniform};
use crate::space::{Domain, Space};
use local_search::MultiStart;
use serde::{Deserialize, Serialize};

/// How far a point is moved when it is excluded, in units of the box: the acquisition function is practically the same there.
const NUDGE: f64 = 1e-4;

/// Random points tried before giving up; more points exist than were ever excluded, or they would have been listed.
const TRIES: usize = 10_000;

/// How acquisition functions are maximised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AcquisitionOptions {
    /// Space-filling points of the candidate pool.
    pub pool: usize,
    /// Points of the candidate pool that are perturbations of the incumbents.
    pub near: usize,
    /// Starts of the local search of each batch element, at its best space-filling points; one more start is at the best
    /// point near the incumbents.
    pub starts: usize,
    /// Exclude the neighbourhood of an incumbent from global search once it holds this many trials (0: never).
    pub exclusion: usize,
    /// Optimizer of the local search; acquisition functions are in the model's units.
    pub optimizer: Lbfgsb,
}

impl Default for AcquisitionOptions {
    fn default() -> Self {
        let optimizer =
            Lbfgsb { max_iterations: 50, gradient_tolerance: 1e-4, value_tolerance: 1e-7, ..Lbfgsb::default() };
        AcquisitionOptions { pool: 10_000, near: 2000, starts: 2, exclusion: 100, optimizer }
    }
}

impl AcquisitionOptions {
    /// Refuses settings with which nothing would be found.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("the size of the pool", self.pool), ("the number of starts", self.starts)] {
            if value == 0 {
                return Err(Error::Parameter { name: name.into(), value: 0.0, must: "at least 1".into() });
            }
        }
        Ok(())
    }
}

/// Maximises acquisition functions over a space.
#[derive(Debug)]
pub struct AcquisitionOptimizer<'a> {
    space: &'a Space,
    incumbents: Mat,
    exclusion_zones: Vec<exclusion::ExclusionZone>,
    pool: CandidatePool<'a>,
    options: &'a AcquisitionOptions,
    trust_regions: Option<&'a dyn TrustRegions>,
    /// Where all elements are, if they are of one lineage.
    confined: Option<raasp::Confined>,
    rng: StepRng,
}

impl<'a> AcquisitionOptimizer<'a> {
    /// An optimizer over `space` whose candidate pool is dense around the `incumbents`, [points, inputs]. What was observed
    /// outside the space is no place to search: of such an incumbent the nearest point inside is meant.
    pub fn new(
        space: &'a Space,
        incumbents: MatRef<'_>,
        options: &'a AcquisitionOptions,
        rng: StepRng,
    ) -> Result<Self> {
        options.check()?;
        let incumbents = clamped(space, incumbents);
        let pool = CandidatePool::new(space, incumbents.as_ref(), options, &mut rng.stream(Purpose::Pool, 0));
        Ok(AcquisitionOptimizer {
            space,
            incumbents,
            exclusion_zones: Vec::new(),
            pool,
            options,
            trust_regions: None,
            confined: None,
            rng,
        })
    }

    /// Confines batch elements to the trust regions of a policy.
    pub fn with_trust_regions(self, policy: &'a dyn TrustRegions) -> Self {
        AcquisitionOptimizer { trust_regions: Some(policy), ..self }
    }

    /// The points on which acquisition functions are scored.
    pub fn pool(&self) -> &CandidatePool<'a> {
        &self.pool
    }

    /// One point per batch element, [elements, inputs]: within its trust region if it has one, else outside the exclusion zones.
    /// Where all points are listed, neither counts. No point is excluded before, all are afterwards.
    pub fn maximize_within(
        &self,
        acquisition: &dyn BatchedObjective,
        regions: Vec<Option<TrustRegion>>,
        excluded: &mut Excluded,
    ) -> Result<Mat> {
        let points = self.pool.points();
        if self.pool.is_complete() {
            return candidates::choose(acquisition, points, excluded);
        }
        // Within regions the pool is of use only where nothing can be moved a little off what is excluded.
        let is_confined = !regions.is_empty() && regions.iter().all(Option::is_some);
        if is_confined && self.space.dimensions().iter().any(|dimension| dimension.domain.is_continuous()) {
            let scores = Mat::zeros(0, regions.len());
            return self.search(acquisition, points.subrows(0, 0), scores.as_ref(), &regions, excluded);
        }
        let scores = acquisition.score(points)?;
        let regions = self.outside_exclusion_zones(points, scores.as_ref(), regions);
        self.search(acquisition, points, scores.as_ref(), &regions, excluded)
    }

    /// One point per batch element, from its scores of a pool of starts, [points, elements], or within its region.
    pub(super) fn search(
        &self,
        acquisition: &dyn BatchedObjective,
        points: MatRef<'_>,
        scores: MatRef<'_>,
        regions: &[Option<TrustRegion>],
        excluded: &mut Excluded,
    ) -> Result<Mat> {
        let local_search = MultiStart { acquisition, space: self.space, options: self.options };
        let optima = local_search.run(points, scores, regions)?;
        let mut chosen = Mat::zeros(scores.ncols(), points.ncols());
        for (element, optimum) in optima.into_iter().enumerate() {
            let point = if excluded.contains(&optimum) || !self.is_feasible(&optimum) {
                self.another(&optimum, points, column(scores, element), excluded)?
            } else {
                optimum
            };
            point.iter().enumerate().for_each(|(k, &v)| chosen[(element, k)] = v);
            excluded.insert(&point);
        }
        Ok(chosen)
    }

    /// A point for an element whose best one is excluded: one close by, else its best of the pool, else a random one.
    fn another(&self, optimum: &[f64], points: MatRef<'_>, scores: &[f64], excluded: &Excluded) -> Result<Vec<f64>> {
        let mut rng = self.rng.stream(Purpose::Fresh, excluded.len() as u64);
        let domains = || self.space.dimensions().iter().map(|d| &d.domain);
        let is_free = |point: &Vec<f64>| !excluded.contains(point) && self.is_feasible(point);
        if domains().any(|domain| domain.is_continuous()) {
            let mut nudged = |(domain, &v): (&Domain, &f64)| {
                if domain.is_continuous() { domain.snap(v + NUDGE * normal(&mut rng)) } else { v }
            };
            let mut nearby = (0..TRIES).map(|_| domains().zip(optimum).map(&mut nudged).collect());
            if let Some(point) = nearby.find_map(|point: Vec<f64>| self.settled(point).filter(is_free)) {
                return Ok(point);
            }
        }
        let best = sorted_by_value(scores).into_iter().map(|i| row(points, i)).find(is_free);
        let mut random = (0..TRIES).filter_map(|_| {
            let mut point: Vec<f64> = optimum.iter().map(|_| uniform(&mut rng)).collect();
            self.space.scatter(&mut point, &mut rng).then_some(point)
        });
        best.or_else(|| random.find(is_free)).ok_or(Error::Exhausted { wanted: 1, left: 0 })
    }

    /// Whether a point satisfies the input constraints; where there are none, it does.
    fn is_feasible(&self, point: &[f64]) -> bool {
        !self.space.is_constrained() || self.space.contains_numbers(point)
    }

    /// A point, or one close by that satisfies the input constraints.
    fn settled(&self, mut point: Vec<f64>) -> Option<Vec<f64>> {
        (!self.space.is_constrained() || self.space.settle(&mut point, &[])).then_some(point)
    }
}

/// Points with those outside a space moved to its edge, and those that violate input constraints to where they do not.
fn clamped(space: &Space, points: MatRef<'_>) -> Mat {
    let mut inside = points.to_owned();
    for i in 0..points.nrows() {
        let mut point = row(points, i);
        space.clamp(&mut point);
        point.iter().enumerate().for_each(|(k, &v)| inside[(i, k)] = v);
    }
    inside
}

/// Every element at its point, and its gradient there, [points, inputs].
fn value_gradient<P: AsRef<[f64]>>(
    acquisition: &dyn BatchedObjective,
    points: &[(usize, P)],
) -> Result<(Vec<f64>, Mat)> {
    let Some((elements, x)) = elements_and_points(points) else { return Ok((Vec::new(), Mat::new())) };
    acquisition.value_gradient(&elements, x.as_ref())
}

/// Every element at its point.
fn value<P: AsRef<[f64]>>(acquisition: &dyn BatchedObjective, points: &[(usize, P)]) -> Result<Vec<f64>> {
    let Some((elements, x)) = elements_and_points(points) else { return Ok(Vec::new()) };
    acquisition.value(&elements, x.as_ref())
}

/// Elements, and a matrix of their points, [points, inputs]; `None` if there are none.
fn elements_and_points<P: AsRef<[f64]>>(points: &[(usize, P)]) -> Option<(Vec<usize>, Mat)> {
    let (_, first) = points.first()?;
    let elements = points.iter().map(|(element, _)| *element).collect();
    Some((elements, Mat::from_fn(points.len(), first.as_ref().len(), |i, k| points[i].1.as_ref()[k])))
}
