//! Trials: what is asked for.

use crate::error::Error;
use crate::space::Point;
use serde::{Deserialize, Serialize};

/// A point to be evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number: trials count from 1 in the order in which they were committed.
    pub id: u64,
    /// Where to evaluate.
    pub point: Point,
    /// The row of the table of candidates that it is, counted from 0 in the table as it was given; `None` if there is no such row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
}

/// A point that a study refuses among several.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// Its place among the points, counted from 0.
    pub index: usize,
    /// What is wrong with it, or with all of them.
    pub error: Error,
}
