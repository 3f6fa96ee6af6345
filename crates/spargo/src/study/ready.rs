//! Points that are ready before anything asks for them, as rows of the store: an ask takes them within milliseconds.
//!
//! ```text
//!     fit ─▶ draw many ─▶ ready ─▶ ask, ask, ask …        a new model's points replace those that are left
//! ```
//!
//! Each is a path of its own through the model that chose it, as it would be if it were drawn only now. An ask takes them if it
//! would have used that model anyway, and leaves some if the next one may.

use super::json::to_json;
use super::rows::candidate_rows;
use super::storage::{Event, Work, milliseconds};
use super::{Refit, StepReport, Study, Trial};
use crate::error::Result;
use crate::linalg::Mat;
use crate::space::Point;

/// Points that an ask draws at least by new models, if the next asks may take what is left: one costs hardly less than these.
const DRAWN: usize = 25;

/// Points that an ask draws at most, if many others ask: it takes as long as that.
const MOST_DRAWN: usize = 200;

/// More points are drawn when fewer are left than what others ask for from fit to fit, divided by this.
const LOW: usize = 4;

impl Study {
    /// How recent the models of an ask should be that does not belong to a run: points that a run has ready will do while their
    /// models have missed fewer outcomes than a batch, or while another process fits the next ones.
    pub fn refit_beside_runs(&self) -> Result<Refit> {
        let refit = Refit::Every(self.config.batch as u64);
        Ok(if self.ready_for(1, refit)? > 0 { refit } else { Refit::Always })
    }

    /// How many of the points that are ready an ask for `wanted` takes.
    pub(super) fn ready_for(&self, wanted: usize, refit: Refit) -> Result<usize> {
        let ready = self.history.ready().len().min(wanted);
        if ready == 0 {
            return Ok(0);
        }
        let is_fitting = refit != Refit::Always && self.is_leased(Work::Fit);
        let may = self.missed()?.is_some_and(|missed| refit.allows(missed) || is_fitting);
        Ok(if may { ready } else { 0 })
    }

    /// Draws more points if others will soon have asked for what is left: one ask takes longer, so that the others need not wait.
    pub(super) fn refill(&mut self, refit: Refit) -> Result<()> {
        // Of a run with threads of its own, one of these draws.
        let Refit::Every(_) = refit else { return Ok(()) };
        let wanted = self.demand.per_fit().min(MOST_DRAWN);
        let is_low = self.history.ready().len() < wanted / LOW && self.ready_for(1, refit)? > 0;
        if is_low && !self.is_leased(Work::Draw) {
            self.prepare(wanted, Refit::Never)?;
        }
        Ok(())
    }

    /// How many outcomes the last models have missed; `None` if none can be used.
    pub(super) fn missed(&self) -> Result<Option<u64>> {
        Ok(self.last_usable()?.map(|seen| self.history.tells() - seen))
    }

    /// How many points to draw for the next asks as well, besides `new` ones.
    pub(super) fn ahead_of(&self, new: usize, refit: Refit) -> Result<usize> {
        // Paths are maximised together; other rules choose one point after the other.
        if self.config.rule().name != "thompson" {
            return Ok(0);
        }
        // If a new model is due with every outcome, what is left is of use only as long as there is none, or others fit.
        let is_worth_it = match refit {
            Refit::Always => self.missed()? == Some(0),
            Refit::Every(0 | 1) => self.missed()? == Some(0) || self.demand.is_shared,
            _ => true,
        };
        let is_again = self.missed()?.is_some_and(|missed| refit.allows(missed));
        // What draws share is kept with the models: by those that have chosen points before, one costs little.
        let least = if is_again { 0 } else { DRAWN };
        let demand = if refit == Refit::Always { 0 } else { self.demand.per_fit() };
        let wanted = demand.clamp(least, MOST_DRAWN);
        Ok(if is_worth_it { wanted.saturating_sub(new) } else { 0 })
    }

    /// Trials of an ask that chooses nothing: queued points and points that are ready; `None` if other processes were faster.
    pub(super) fn ask_waiting(&mut self, points: Vec<Point>, ready: usize) -> Result<Option<Vec<Trial>>> {
        let rows = match points.len() {
            0 => Vec::new(),
            count => candidate_rows(&self.config.space, &self.history, &points, &self.queued_rows(count)),
        };
        let (step, queued) = (self.history.asks() + 1, points.len());
        let report = StepReport { step, asked: queued + ready, queued, ready, ..StepReport::default() };
        let (seen, time, known) = (self.history.tells(), milliseconds(), self.history.records().len());
        let (by, report) = (self.by.clone(), to_json(&report)?);
        let event = [Event::Asked { seen, time, points, rows, queued, ready, ahead: None, by, report, state: None }];
        if let Some(news) = self.try_append(&event)? {
            self.apply(news)?;
            return Ok(None);
        }
        self.apply(event.into())?;
        Ok(Some(self.trials_from(known)))
    }

    /// Points that are ready as models see them, [points, inputs].
    pub(super) fn ready_rows(&self) -> Result<Mat> {
        let points: Vec<Point> = self.history.ready().map(|ready| ready.point.clone()).collect();
        self.rows_of(&points)
    }
}

/// The order in which points are handed out so that the last `few` of them are spread evenly among the others: what is left may
/// be replaced.
pub(super) fn interleaved(count: usize, few: usize) -> Vec<usize> {
    let many = count - few;
    let place = |i: usize| match i {
        _ if i < many => (i as f64 + 0.5) / many as f64,
        _ => ((i - many) as f64 + 0.5) / few as f64,
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| place(i).total_cmp(&place(j)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_few_are_spread_among_the_many() {
        assert_eq!(interleaved(5, 1), [0, 1, 4, 2, 3]);
        assert_eq!(interleaved(3, 0), [0, 1, 2]);
        let order = interleaved(100, 20);
        for some in order.chunks(10) {
            assert_eq!(some.iter().filter(|&&i| i >= 80).count(), 2, "{order:?}");
        }
    }
}
