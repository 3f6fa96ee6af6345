//! The number of space-filling points before a model is used: the user's, or one that suits dimension and batch.
//!
//! ```text
//!     auto = max(2 (d + 1), min(batch, 20 d)), at least 10 and at most 1,000
//! ```

use super::{Config, CountOrAuto};

/// Initial points per unknown of a linear model, of which there are d + 1: fewer say nothing of an input.
const PER_COEFFICIENT: usize = 2;

/// Initial points per input at most, however large a batch is: from there on a model chooses better than chance.
const PER_INPUT: usize = 20;

/// The least and the largest initial design that is chosen automatically.
const RANGE: (usize, usize) = (10, 1000);

impl Config {
    /// Points spread over the space before a model is used.
    pub fn initial_count(&self) -> usize {
        match self.initial {
            CountOrAuto::Auto => suitable(self.space.dimensions().len(), self.batch),
            CountOrAuto::Count(count) => count,
        }
    }
}

/// The initial design that suits a number of inputs and a batch.
fn suitable(inputs: usize, batch: usize) -> usize {
    let least = PER_COEFFICIENT * (inputs + 1);
    least.max(batch.min(PER_INPUT * inputs)).clamp(RANGE.0, RANGE.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_automatic_number_grows_with_dimension_and_batch_within_its_range() {
        for ((inputs, batch), count) in [
            ((1, 1), 10),
            ((1, 100), 20),
            ((2, 100), 40),
            ((6, 100), 100),
            ((6, 1), 14),
            ((60, 100), 122),
            ((20, 1_000_000), 400),
            ((60, 5000), 1000),
            ((2000, 1), 1000),
        ] {
            assert_eq!(suitable(inputs, batch), count, "{inputs} inputs, batches of {batch}");
        }
    }
}
