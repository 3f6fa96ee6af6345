//! An input with numbers for values, on a scale on which sums of values are linear.
//!
//! ```text
//!     z = (x − least) / (largest − least)        in [0, 1], for ranges that are divided in the logarithm as well
//! ```

use crate::space::domain::{Domain, Scale};

/// Values that are listed; of more it is known that they lie at equal distances.
const LISTED: u64 = 1 << 12;

/// The values of an input, from the least to the largest.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    least: f64,
    span: f64,
    /// ln(largest / least) of a logarithmic range.
    logarithm: Option<f64>,
    levels: Levels,
}

#[derive(Debug, Clone)]
enum Levels {
    Continuous,
    /// Numbers and values, ascending.
    Listed(Vec<f64>, Vec<f64>),
    /// The index of the last of values at equal distances.
    Even(f64),
}

impl Axis {
    /// `None` for inputs whose values are no numbers.
    pub fn of(domain: &Domain) -> Option<Self> {
        let (lower, upper, scale) = domain.range()?;
        let levels = match domain.count() {
            _ if domain.is_continuous() => Levels::Continuous,
            Some(count) if count <= LISTED || matches!(domain, Domain::Listed(_)) => {
                let numbers: Vec<f64> = (0..count).map(|i| domain.nth(i)).collect();
                let values = numbers.iter().map(|&number| domain.decode(number).real()).collect::<Option<_>>()?;
                Levels::Listed(numbers, values)
            }
            Some(count) => Levels::Even((count - 1) as f64),
            None => return None,
        };
        let is_logarithmic = scale == Scale::Log && upper > lower;
        Some(Axis {
            least: lower,
            span: upper - lower,
            logarithm: is_logarithmic.then(|| (upper / lower).ln()),
            levels,
        })
    }

    /// The value of a number, as it is printed.
    pub fn value(&self, domain: &Domain, number: f64) -> f64 {
        match &self.levels {
            Levels::Listed(numbers, values) => match numbers.binary_search_by(|other| other.total_cmp(&number)) {
                Ok(i) => values[i],
                // What was observed between the values.
                Err(_) => self.least + self.span * self.position(number),
            },
            _ => domain.decode(number).real().unwrap_or(f64::NAN),
        }
    }

    /// The value at a position.
    pub fn value_at(&self, z: f64) -> f64 {
        self.least + self.span * z
    }

    /// The position of a value.
    pub fn position_of(&self, value: f64) -> f64 {
        if self.span > 0.0 { (value - self.least) / self.span } else { 0.0 }
    }

    /// By how much the value grows from position 0 to 1.
    pub fn span(&self) -> f64 {
        self.span
    }

    /// The position z of a number.
    pub fn position(&self, number: f64) -> f64 {
        self.logarithm.map_or(number, |log| (number * log).exp_m1() / log.exp_m1())
    }

    /// The number at a position.
    pub fn number(&self, z: f64) -> f64 {
        self.logarithm.map_or(z, |log| (z * log.exp_m1()).ln_1p() / log)
    }

    /// How fast the number grows with the position.
    pub fn slope(&self, z: f64) -> f64 {
        self.logarithm.map_or(1.0, |log| log.exp_m1() / ((1.0 + z * log.exp_m1()) * log))
    }

    /// Whether all positions have a value.
    pub fn is_continuous(&self) -> bool {
        matches!(self.levels, Levels::Continuous)
    }

    /// The index of the last value of those that can be counted.
    pub fn last(&self) -> f64 {
        match &self.levels {
            Levels::Continuous => 0.0,
            Levels::Listed(numbers, _) => (numbers.len() - 1) as f64,
            Levels::Even(last) => *last,
        }
    }

    /// The position of the value with this index.
    pub fn level(&self, index: f64) -> f64 {
        match &self.levels {
            Levels::Continuous => index,
            Levels::Listed(_, values) => self.position_of(values[index as usize]),
            Levels::Even(last) => index / last,
        }
    }

    /// The number of the value with this index.
    pub fn number_of_level(&self, domain: &Domain, index: f64) -> f64 {
        domain.nth(index as u64)
    }

    /// The index of the last value at a position or below, and of the first one there or above.
    pub fn around(&self, z: f64) -> (f64, f64) {
        match &self.levels {
            Levels::Continuous => (z, z),
            Levels::Listed(_, values) => {
                let value = self.value_at(z);
                let above = values.partition_point(|&other| other < value);
                let is_hit = values.get(above) == Some(&value);
                let (below, last) = (if is_hit { above } else { above.saturating_sub(1) }, values.len() - 1);
                (below as f64, above.min(last) as f64)
            }
            Levels::Even(last) => {
                let index = (z * last).clamp(0.0, *last);
                (index.floor(), index.ceil())
            }
        }
    }

    /// The index of the value that is nearest to a position.
    pub fn nearest(&self, z: f64) -> f64 {
        let (below, above) = self.around(z);
        if z - self.level(below) <= self.level(above) - z { below } else { above }
    }
}
