//! Points of the user's own that are to be evaluated next: the next asks begin with them.

use super::json::to_json;
use super::rows::candidate_rows;
use super::storage::{Event, milliseconds};
use super::{Note, StepReport, Study, Trial};
use crate::error::Result;
use crate::space::Point;

impl Study {
    /// Points that the next asks begin with, in this order; returns how many are waiting.
    pub fn enqueue(&mut self, points: &[Point], note: &Note) -> Result<usize> {
        self.refresh()?;
        points.iter().try_for_each(|point| self.config.space.encode(point).map(|_| ()))?;
        if !points.is_empty() {
            let points = points.iter().map(|point| self.config.space.canonical(point)).collect();
            let event = Event::Enqueued { points, note: note.clone() };
            self.append(Vec::new(), |_| Ok(vec![event.clone()]))?;
        }
        Ok(self.history.queue().len())
    }

    /// Points at the front of the queue, as trials of an ask of their own; `None` if other processes were faster.
    pub(super) fn ask_queued(&mut self, points: Vec<Point>) -> Result<Option<Vec<Trial>>> {
        let rows = candidate_rows(&self.config.space, &self.history, &points, &[]);
        let (step, queued) = (self.history.asks() + 1, points.len());
        let report = to_json(&StepReport { step, asked: queued, queued, ..StepReport::default() })?;
        let (seen, time, known) = (self.history.tells(), milliseconds(), self.history.records().len());
        let event = [Event::Asked { seen, time, points, rows, queued, report, state: None }];
        if let Some(news) = self.try_append(&event)? {
            self.apply(news)?;
            return Ok(None);
        }
        self.apply(event.into())?;
        Ok(Some(self.history.records()[known..].iter().map(|record| record.trial.clone()).collect()))
    }
}
