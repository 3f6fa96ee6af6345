//! A problem optimised by workers that wait for nothing: each gets its next point when it has told the outcome of its last.
//!
//! ```text
//!     W points in flight ─▶ one of them, at random, is told ─▶ one more is asked for        (exponential durations)
//! ```
//!
//! Fits take no time here: what is compared is the choice of points by models that have missed some outcomes.

use super::{Evaluated, Experiment, Step};
use crate::error::Result;
use spargo::rng::{Purpose, stream, uniform};

/// The stream that says which evaluation ends next; that of the noise is 0.
const ENDS: u64 = 1;

impl Experiment {
    /// Evaluates with so many workers until the budget is spent; a step is what a batch of outcomes leaves.
    pub fn run_asynchronously(&mut self, budget: usize, workers: usize) -> Result<Vec<Step>> {
        let (mut steps, mut known, mut told) = (Vec::new(), Evaluated::default(), 0);
        let mut rng = stream(self.seed, Purpose::Data, ENDS, 0);
        let mut in_flight: Vec<(u64, f64)> = Vec::new();
        while told < budget {
            let idle = (workers - in_flight.len()).min(budget - known.points.len());
            if idle > 0 {
                let trials = self.optimizer.ask(idle)?;
                in_flight.extend(self.evaluate(trials, &mut known)?);
            }
            if in_flight.is_empty() {
                break;
            }
            let ends = (uniform(&mut rng) * in_flight.len() as f64) as usize;
            self.optimizer.tell(&[in_flight.swap_remove(ends)])?;
            told += 1;
            // When models are due for the next ask, as the first were with one outcome more than the design had in flight.
            if told > self.initial && (told - self.initial) % self.batch == 1 % self.batch {
                steps.push(self.step(told, &known)?);
            }
        }
        Ok(steps)
    }
}
