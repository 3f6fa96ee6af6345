//! Replicates that go by themselves where they tell noise from misfit (`replicates = "auto"`).
//!
//! ```text
//!     first 200 trials:    a pair per 20 that were asked for, at several quantiles of the posterior mean, a good one first  ─▶ pure error
//!     then, if a model takes signal for noise:   one point in 20 at most,  argmax_c f(c),  f(c) ~ N(E f(c), Var f(c)) at the trials c
//!           if it may, and the pairs are too few to show it:   one point in 20 at most,  the pairs once more
//! ```
//!
//! Pairs are chosen by means, never by outcomes: the best outcomes are lucky, and their differences overstate the noise. A trial that is
//! too good to be believed is evaluated once more at once: then it is an error, or the best that is known.

use super::global::Global;
use super::model::Models;
use super::observed::MANY;
use super::pure_error::PAIRS;
use super::scaffold::Scaffold;
use super::screen::Screened;
use super::{Goal, Replicates, Study};
use crate::acquire::optimizer::is_listed;
use crate::error::Result;
use crate::linalg::{row, sorted_by_value};
use crate::rng::{Purpose, StepRng};
use crate::space::Point;

/// Trials per replicate.
const PER_PAIR: usize = 20;

/// Studies with fewer trials have too few pairs to show anything, and none.
const FEWEST: usize = 60;

/// Quantiles of the posterior mean at which pairs are, from the best on.
const LEVELS: [f64; PAIRS] = [0.02, 0.5, 0.25, 0.75, 0.1, 0.9, 0.4, 0.6, 0.05, 0.33];

/// What was asked for, and how much of it again.
struct ReplicateCounts {
    /// Replicates that were asked for, or are ready to be.
    own: usize,
    /// Replicates that were told without being asked for.
    told: usize,
    /// Trials that were asked for.
    all: usize,
}

impl Study {
    /// Trials that are evaluated again among the next `most` points, as the settings leave it to the study; `asked` of these become
    /// trials now, the others perhaps never.
    pub(super) fn pairs(
        &self,
        (models, kept): (&Models, Option<&Scaffold>),
        step: u64,
        most: usize,
        asked: usize,
    ) -> Result<Vec<Point>> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let &[objective] = objectives.as_slice() else { return Ok(Vec::new()) };
        let output = &self.config.outputs[objective];
        let is_ours =
            self.config.replicates == Replicates::Auto && output.noise.is_auto() && output.goal != Goal::Classify;
        // Candidates are there once, unless the user says otherwise.
        if !is_ours || is_listed(&self.config.space) {
            return Ok(Vec::new());
        }
        // New models are worth a look at all outcomes.
        let doubted = if kept.is_none() { self.doubted(objective) } else { Vec::new() };
        if !doubted.is_empty() {
            return Ok(self.points_of(doubted.into_iter().take(most).collect()));
        }
        let ReplicateCounts { own, told, all } = self.replicates_of(asked)?;
        let (replicates, left) = (own + told, (all / PER_PAIR).saturating_sub(own));
        let due = (all / PER_PAIR).min(PAIRS).saturating_sub(replicates);
        let misfits = left.min(most / PER_PAIR);
        if self.history.records().len() + asked < FEWEST || due + misfits == 0 {
            return Ok(Vec::new());
        }
        let is_known = |record: usize| self.table.is_replicated(record);
        let numbers = replicates..replicates + due.min(most);
        if let Some(kept) = kept.filter(|_| due > 0) {
            let (records, means) = self.kept_means(kept, models.seen(), objective);
            return Ok(self.points_of(at_levels(&records, &means, numbers, is_known)));
        }
        let observed = self.table.until(models.seen(), &self.history)?;
        let Some(global) = Global::new(&self.config, models, &observed, objective) else { return Ok(Vec::new()) };
        let is_inside = |record: &usize| self.table.inside[*record];
        let chosen: Vec<usize> = if due > 0 {
            // Quantiles of a mean are those of some of many trials.
            let every = observed.records.len().div_ceil(MANY);
            let some: Vec<usize> = observed.records.iter().copied().step_by(every).filter(is_inside).collect();
            let (records, means) = global.means_among(&some)?;
            at_levels(&records, &means, numbers, is_known)
        } else {
            let rng = StepRng { seed: self.config.seed, step };
            let mut rng = rng.stream(Purpose::Replicate, 0);
            let records = || match self.shortlisted(models, &observed.records, observed.seen)? {
                Some(few) => Ok(global.with_best_outcomes(few).into_iter().filter(is_inside).collect()),
                None => Ok(observed.records.iter().copied().filter(is_inside).collect()),
            };
            global.worth_replicating(records, misfits, &mut rng)?
        };
        Ok(self.points_of(chosen))
    }

    /// The records inside the space whose outcomes are not believed until they are confirmed, and whose points have one trial only.
    fn doubted(&self, objective: usize) -> Vec<usize> {
        let extremes = self.table.extremes(objective, &self.history).into_iter();
        let doubted = extremes.filter(|(_, seen)| matches!(seen, Screened::Doubted { .. })).map(|(record, _)| record);
        let is_alone = |record: &usize| self.table.inside[*record] && !self.table.is_replicated(*record);
        doubted.filter(is_alone).collect()
    }

    /// The records inside the space that had the objective when models were fitted, and the means there.
    fn kept_means(&self, kept: &Scaffold, seen: u64, objective: usize) -> (Vec<usize>, Vec<f64>) {
        let is_seen = |record: usize| {
            let told = &self.history.records()[record].told[objective];
            self.table.inside[record] && told.seq <= seen && told.measurement.observed().is_some()
        };
        let rows = kept.records.iter().zip(&kept.pareto.means).filter(|(record, _)| is_seen(**record));
        rows.map(|(&record, means)| (record, means[0])).unzip()
    }

    fn points_of(&self, records: Vec<usize>) -> Vec<Point> {
        records.into_iter().map(|record| self.trial_of(record).point).collect()
    }

    /// How many replicates may still be asked for, if `asked` more points become trials now: of these and all that were asked for,
    /// one in twenty.
    pub(super) fn replicates_left(&self, asked: usize) -> Result<usize> {
        let ReplicateCounts { own, all, .. } = self.replicates_of(asked)?;
        Ok((all / PER_PAIR).saturating_sub(own))
    }

    fn replicates_of(&self, asked: usize) -> Result<ReplicateCounts> {
        let ready = self.ready_rows()?;
        let is_again = |i: &usize| self.table.excluded.contains(&row(ready.as_ref(), *i));
        let [own, told] = self.table.replicates;
        // Trials that were told without being asked for must not fill the next batch with replicates.
        let all = asked + self.table.asked;
        Ok(ReplicateCounts { own: own + (0..ready.nrows()).filter(is_again).count(), told, all })
    }
}

/// The records at these numbers of the levels; the next best one where a record is there already.
fn at_levels(
    records: &[usize],
    means: &[f64],
    numbers: std::ops::Range<usize>,
    is_known: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let order = sorted_by_value(means);
    let mut chosen: Vec<usize> = Vec::new();
    for number in numbers {
        let level = (LEVELS[number % PAIRS] * order.len() as f64) as usize;
        let from = order[level.min(order.len())..].iter().chain(&order);
        let free = from.map(|&i| records[i]).find(|&record| !chosen.contains(&record) && !is_known(record));
        chosen.extend(free);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_at_several_levels_a_good_one_first() {
        let records: Vec<usize> = (100..200).collect();
        let means: Vec<f64> = (0..100).map(f64::from).collect();
        let chosen = at_levels(&records, &means, 0..10, |record| record == 149);
        assert_eq!(chosen, [197, 148, 174, 124, 189, 109, 159, 139, 194, 166]);
        assert_eq!(at_levels(&records[..2], &means[..2], 0..10, |_| false), [101, 100]);
    }
}
