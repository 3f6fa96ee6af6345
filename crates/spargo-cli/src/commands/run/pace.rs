//! How long programs take: a run waits for models only where that costs little.
//!
//! ```text
//!     mean seconds of the last programs < 0.05     ⇒     models miss a few batches at most
//! ```

use std::collections::VecDeque;

/// Mean seconds of programs below which workers wait for models that have missed too many outcomes: where programs take
/// milliseconds, most points would be those of the first models.
const CHEAP: f64 = 0.05;

/// Programs whose mean is taken.
const RECENT: usize = 50;

/// Batches of outcomes, or rounds of all workers, that models may have missed then.
const MOST_MISSED: u64 = 4;

/// Seconds of the last programs.
#[derive(Debug, Default)]
pub struct Pace(VecDeque<f64>);

impl Pace {
    /// Another program took this long.
    pub fn evaluated(&mut self, seconds: f64) {
        self.0.truncate(RECENT - 1);
        self.0.push_front(seconds);
    }

    /// Outcomes that models may have missed; `None` for any number.
    pub fn most_missed(&self, batch: usize, workers: usize) -> Option<u64> {
        let is_cheap = !self.0.is_empty() && self.0.iter().sum::<f64>() < CHEAP * self.0.len() as f64;
        is_cheap.then(|| MOST_MISSED * batch.max(workers) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_programs_wait_for_models() {
        let mut pace = Pace::default();
        assert_eq!(pace.most_missed(8, 2), None);
        pace.evaluated(0.01);
        assert_eq!((pace.most_missed(8, 2), pace.most_missed(2, 8)), (Some(32), Some(32)));
        pace.evaluated(0.2);
        assert_eq!(pace.most_missed(8, 2), None);
        // What was long ago no longer counts.
        (0..RECENT).for_each(|_| pace.evaluated(0.01));
        assert_eq!(pace.most_missed(8, 2), Some(32));
    }
}
