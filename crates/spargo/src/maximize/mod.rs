//! The best points of many utilities at once, all different and all new.
//!
//! ```text
//!     xⱼ = argmax_x uⱼ(x),   j = 1…q,       xᵢ ≠ xⱼ,   xⱼ not evaluated, not pending
//! ```
//!
//! All members share one pool of points, scored in one product; the best few of each member are climbed from, all
//! together (`climb`). Where only finitely many points exist there is nothing to climb: the best of all is found by
//! streaming over them (`candidates`).

mod candidates;
mod climb;
mod crowd;
mod pool;
mod region;
mod taken;

pub use pool::{Pool, is_listed, spread};
pub use region::{Deal, Region, dealt};
pub use taken::Taken;

use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column};
use crate::optimize::{Lbfgsb, Utility};
use crate::rng::{Purpose, normal, stream, uniform};
use crate::space::Space;
use climb::Climber;
use serde::{Deserialize, Serialize};

/// How utilities are maximised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Maximizing {
    /// Points of the pool that are spread over the space.
    pub pool: usize,
    /// Points of the pool that are perturbations of the best ones so far.
    pub near: usize,
    /// Share of the paths of one objective that are maximised within a region around a good point.
    pub local: f64,
    /// Trials around a good point that are a crowd: where some paths have regions, the others stay away from it; 0 for no crowds.
    pub crowd: usize,
    /// Climbs of each member, from its best points that are spread over the space; one more begins around the best so far.
    pub starts: usize,
    /// Of the climbs; utilities are in the model's units.
    pub optimizer: Lbfgsb,
}

impl Default for Maximizing {
    fn default() -> Self {
        let optimizer =
            Lbfgsb { max_iterations: 50, gradient_tolerance: 1e-4, value_tolerance: 1e-7, ..Lbfgsb::default() };
        Maximizing { pool: 10_000, near: 2000, local: 0.5, crowd: 100, starts: 2, optimizer }
    }
}

impl Maximizing {
    /// Refuses settings with which nothing would be found.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("the size of the pool", self.pool), ("the number of starts", self.starts)] {
            if value == 0 {
                return Err(Error::Parameter { name: name.into(), value: 0.0, must: "at least 1".into() });
            }
        }
        if !(0.0..=1.0).contains(&self.local) {
            let name = "the share of local members".into();
            return Err(Error::Parameter { name, value: self.local, must: "between 0 and 1".into() });
        }
        Ok(())
    }
}

/// Where the maxima are looked for.
#[derive(Debug)]
pub struct Search<'a> {
    space: &'a Space,
    incumbents: Mat<f64>,
    crowds: Vec<crowd::Crowd>,
    pool: Pool<'a>,
    settings: &'a Maximizing,
    seed: u64,
    step: u64,
}

impl<'a> Search<'a> {
    /// A search of `space` whose pool is dense around the `incumbents`, [points, inputs].
    pub fn new(
        space: &'a Space,
        incumbents: MatRef<'_, f64>,
        settings: &'a Maximizing,
        seed: u64,
        step: u64,
    ) -> Result<Self> {
        settings.check()?;
        let pool = Pool::new(space, incumbents, settings, &mut stream(seed, Purpose::Pool, step, 0));
        let (incumbents, crowds) = (incumbents.to_owned(), Vec::new());
        Ok(Search { space, incumbents, crowds, pool, settings, seed, step })
    }

    /// The points that are scored.
    pub fn pool(&self) -> &Pool<'a> {
        &self.pool
    }

    /// One point for each member, [members, inputs]; none is taken before, all are afterwards.
    pub fn maximize(&self, utility: &dyn Utility, taken: &mut Taken) -> Result<Mat<f64>> {
        self.maximize_within(utility, Vec::new(), taken)
    }

    /// The same, members with a region not leaving it and the others staying out of crowds; where all points are listed,
    /// neither counts.
    pub fn maximize_within(
        &self,
        utility: &dyn Utility,
        regions: Vec<Option<Region>>,
        taken: &mut Taken,
    ) -> Result<Mat<f64>> {
        match &self.pool {
            Pool::All(points) => candidates::choose(utility, *points, taken),
            Pool::Listed(points) => candidates::choose(utility, points.as_ref(), taken),
            Pool::Starts(points) => {
                let scores = utility.score(points.as_ref())?;
                let regions = self.beside_crowds(points.as_ref(), scores.as_ref(), regions);
                self.climb_within(utility, points.as_ref(), scores.as_ref(), &regions, taken)
            }
        }
    }

    /// The same from the scores of a pool of starts, [points, members].
    pub fn climb(
        &self,
        utility: &dyn Utility,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        taken: &mut Taken,
    ) -> Result<Mat<f64>> {
        self.climb_within(utility, points, scores, &[], taken)
    }

    fn climb_within(
        &self,
        utility: &dyn Utility,
        points: MatRef<'_, f64>,
        scores: MatRef<'_, f64>,
        regions: &[Option<Region>],
        taken: &mut Taken,
    ) -> Result<Mat<f64>> {
        let climber = Climber { utility, space: self.space, settings: self.settings };
        let summits = climber.climb(points, scores, regions)?;
        let mut chosen = Mat::zeros(scores.ncols(), points.ncols());
        for (member, summit) in summits.into_iter().enumerate() {
            let point = match taken.contains(&summit) {
                false => summit,
                true => self.another(&summit, points, column(scores, member), taken)?,
            };
            point.iter().enumerate().for_each(|(k, &v)| chosen[(member, k)] = v);
            taken.insert(&point);
        }
        Ok(chosen)
    }

    /// A point for a member whose best one is taken: one close by, else its best of the pool, else a random one.
    fn another(&self, summit: &[f64], points: MatRef<'_, f64>, scores: &[f64], taken: &Taken) -> Result<Vec<f64>> {
        let mut rng = stream(self.seed, Purpose::Fresh, self.step, taken.len() as u64);
        let dimensions = self.space.dimensions();
        let nudged = |rng: &mut _| -> Vec<f64> {
            let nudge = |(d, &v): (&crate::space::Dimension, &f64)| match d.domain.is_continuous() {
                true => d.domain.snap(v + NUDGE * normal(rng)),
                false => v,
            };
            dimensions.iter().zip(summit).map(nudge).collect()
        };
        if dimensions.iter().any(|d| d.domain.is_continuous()) {
            let free = (0..TRIES).map(|_| nudged(&mut rng)).find(|point| !taken.contains(point));
            if let Some(point) = free {
                return Ok(point);
            }
        }
        let mut order: Vec<usize> = (0..points.nrows()).collect();
        order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]));
        let row = |i: usize| (0..points.ncols()).map(|k| points[(i, k)]).collect::<Vec<f64>>();
        if let Some(point) = order.into_iter().map(row).find(|point| !taken.contains(point)) {
            return Ok(point);
        }
        let random = |rng: &mut _| -> Vec<f64> { dimensions.iter().map(|d| d.domain.spread(uniform(rng))).collect() };
        (0..TRIES)
            .map(|_| random(&mut rng))
            .find(|point| !taken.contains(point))
            .ok_or(Error::Exhausted { wanted: 1, left: 0 })
    }
}

/// How far a point is moved when it is taken, in units of the box: its utility is practically the same.
const NUDGE: f64 = 1e-4;

/// Random points looked at before giving up; more points exist than were ever taken, or they would have been listed.
const TRIES: usize = 10_000;
