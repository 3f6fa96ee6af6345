//! How many points other processes ask for, as this one sees it: a draw is for the asks of the time that the next fit takes.
//!
//! ```text
//!     fit begins ─▶ n asked for by others ─▶ fit begins ─▶ … ─▶ draw 2 max(n, those since)
//! ```

use super::storage::{Event, Work};

/// What other processes have asked for while this one had the study open.
#[derive(Debug, Default)]
pub(super) struct Demand {
    /// Whether they have asked, or worked for all, since this process last chose points.
    pub is_shared: bool,
    /// Points that they asked for between the last two fits that began.
    last: usize,
    /// Points that they have asked for since.
    now: usize,
}

impl Demand {
    /// Takes one more event into account, in a study that this process calls itself `own` in.
    pub fn note(&mut self, event: &Event, own: &str) {
        let by = if let Event::Asked { by, .. } | Event::Leased { by, .. } = event { by } else { return };
        let is_other = !by.is_empty() && by != own;
        self.is_shared |= is_other;
        match event {
            Event::Asked { points, ready, .. } if is_other => self.now += points.len() + ready,
            Event::Leased { work: Work::Fit, until: 1.., .. } => (self.last, self.now) = (self.now, 0),
            _ => {}
        }
    }

    /// Points that they ask for while models are fitted and points drawn, twice over: the next time may take longer.
    pub fn per_fit(&self) -> usize {
        2 * self.last.max(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Value;

    fn asked(by: &str, count: usize) -> Event {
        let (points, by, report) = (vec![vec![Value::Real(0.0)]; count], by.into(), String::new());
        let (rows, ahead, state) = (Vec::new(), None, None);
        Event::Asked { seen: 0, time: 0, points, rows, queued: 0, ready: 1, ahead, by, report, state }
    }

    fn fits(by: &str, until: u64) -> Event {
        Event::Leased { work: Work::Fit, by: by.into(), until }
    }

    #[test]
    fn what_others_ask_for_from_fit_to_fit_counts() {
        let mut demand = Demand::default();
        let mut after = |events: &[Event]| {
            events.iter().for_each(|event| demand.note(event, "own"));
            (demand.per_fit(), demand.is_shared)
        };
        assert_eq!(after(&[asked("own", 9), fits("own", 1), fits("", 0)]), (0, false));
        assert_eq!(after(&[asked("a", 4), asked("b", 0)]), (12, true));
        assert_eq!(after(&[fits("a", 1), asked("own", 9), asked("b", 1)]), (12, true));
        assert_eq!(after(&[fits("own", 1)]), (4, true));
        assert_eq!(after(&[fits("own", 1)]), (0, true));
    }
}
