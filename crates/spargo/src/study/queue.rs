//! Points of the user's own that are to be evaluated next: the next asks begin with them.

use super::storage::Event;
use super::{Note, Study};
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
}
