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
}

/// A point that a study refuses among several.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// Its place among the points, counted from 0.
    pub index: usize,
    /// What is wrong with it, or with all of them.
    pub error: Error,
}
