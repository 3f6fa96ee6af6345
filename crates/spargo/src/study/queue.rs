//! Points of the user's own that are to be evaluated next: the next asks begin with them.

use super::storage::Event;
use super::{Note, Study};
use crate::error::Result;
use crate::space::Point;

impl Study {
    /// Points that the next asks begin with, in this order; returns how many are waiting.
    pub fn enqueue(&mut self, points: &[Point], note: &Note) -> Result<usize> {
        self.enqueue_candidates(points, &[], note)
    }

    /// Points that the next asks begin with, in this order, and the rows of the table of candidates that they are, as far as these
    /// are known: [`Space::identify`](crate::space::Space::identify) finds them. Returns how many are waiting.
    pub fn enqueue_candidates(&mut self, points: &[Point], rows: &[Option<u64>], note: &Note) -> Result<usize> {
        self.refresh()?;
        points.iter().try_for_each(|point| self.config.space.encode(point).map(|_| ()))?;
        if !points.is_empty() {
            let points = points.iter().map(|point| self.config.space.canonical(point)).collect();
            let rows = if rows.iter().any(Option::is_some) { rows.to_vec() } else { Vec::new() };
            let event = Event::Enqueued { points, rows, note: note.clone() };
            self.append(Vec::new(), |_| Ok(vec![event.clone()]))?;
        }
        Ok(self.history.queue().len())
    }

    /// The rows of the table of candidates that the first points of the queue are, where the user said which.
    pub(super) fn queued_rows(&self, count: usize) -> Vec<Option<u64>> {
        let waiting = self.history.enqueued().iter().filter(|enqueued| enqueued.trial.is_none());
        waiting.take(count).map(|enqueued| enqueued.row).collect()
    }
}
