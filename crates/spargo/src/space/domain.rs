//! One input of the user's: its values, and the number by which models see each.

use serde::{Deserialize, Serialize};

/// How a range is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// Evenly in the logarithm.
    Log,
}

/// The values an input may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// Real numbers between two ends.
    Real {
        /// The least.
        lower: f64,
        /// The largest.
        upper: f64,
        /// How the range is divided.
        #[serde(default)]
        scale: Scale,
    },
    /// Whole numbers between two ends.
    Int {
        /// The least.
        lower: i64,
        /// The largest.
        upper: i64,
        /// How the range is divided.
        #[serde(default)]
        scale: Scale,
    },
    /// One of a list of words without order.
    Categorical {
        /// The words.
        choices: Vec<String>,
    },
}

/// A value in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Of an Int.
    Int(i64),
    /// Of a Real.
    Real(f64),
    /// Of a Categorical.
    Choice(String),
}

impl Domain {
    /// Whether values lie between any two others.
    pub fn is_continuous(&self) -> bool {
        matches!(self, Domain::Real { .. })
    }

    /// The number of values, if it is finite.
    pub fn count(&self) -> Option<u64> {
        match self {
            Domain::Real { .. } => None,
            Domain::Int { lower, upper, .. } => Some(upper.abs_diff(*lower) + 1),
            Domain::Categorical { choices } => Some(choices.len() as u64),
        }
    }

    /// The largest number by which a model sees a value; the least is 0.
    pub fn largest(&self) -> f64 {
        match self {
            Domain::Categorical { choices } => choices.len() as f64 - 1.0,
            _ => 1.0,
        }
    }

    /// The value for t in [0, 1], as a model sees it: uniform t give uniform values.
    pub fn spread(&self, t: f64) -> f64 {
        match self.count() {
            None => t,
            Some(count) => self.nth((t * count as f64).min(count as f64 - 1.0) as u64),
        }
    }

    /// The nearest number by which a model sees a value.
    pub fn snap(&self, number: f64) -> f64 {
        match self {
            Domain::Real { .. } => number.clamp(0.0, 1.0),
            Domain::Categorical { .. } => number.round().clamp(0.0, self.largest()),
            Domain::Int { .. } => self.encode_int(self.decode_int(number)),
        }
    }

    /// The numbers of the values next to this one: an integer's two neighbours, all other categories.
    pub fn neighbours(&self, number: f64) -> Vec<f64> {
        match self {
            Domain::Real { .. } => Vec::new(),
            Domain::Categorical { choices } => (0..choices.len()).map(|c| c as f64).filter(|&c| c != number).collect(),
            Domain::Int { lower, upper, .. } => {
                let value = self.decode_int(number);
                let next = [value.saturating_sub(1), value.saturating_add(1)];
                next.into_iter()
                    .filter(|v| *v != value && (lower..=upper).contains(&v))
                    .map(|v| self.encode_int(v))
                    .collect()
            }
        }
    }

    /// The number by which a model sees the value with this index, counted from 0 upwards.
    pub fn nth(&self, index: u64) -> f64 {
        match self {
            Domain::Int { lower, .. } => self.encode_int(lower.saturating_add_unsigned(index)),
            _ => index as f64,
        }
    }

    fn encode_int(&self, value: i64) -> f64 {
        let Domain::Int { lower, upper, scale } = self else { return 0.0 };
        match scale {
            _ if lower == upper => 0.0,
            Scale::Linear => (value - lower) as f64 / (upper - lower) as f64,
            Scale::Log => (value as f64 / *lower as f64).ln() / (*upper as f64 / *lower as f64).ln(),
        }
    }

    fn decode_int(&self, number: f64) -> i64 {
        let Domain::Int { lower, upper, scale } = self else { return 0 };
        let value = match scale {
            Scale::Linear => *lower as f64 + number * (upper - lower) as f64,
            Scale::Log => *lower as f64 * (*upper as f64 / *lower as f64).powf(number),
        };
        (value.round() as i64).clamp(*lower, *upper)
    }
}
