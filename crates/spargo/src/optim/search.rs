//! What one line search of L-BFGS-B carries: its segment, and the evaluated points worth keeping.

use super::bounds::Bounds;
use super::dense::axpy;
use super::line_search::LineSearch;

/// An evaluated point.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

impl Sample {
    pub(super) fn is_finite(&self) -> bool {
        let mut numbers = self.point.iter().chain(&self.gradient);
        self.value.is_finite() && numbers.all(|v| v.is_finite())
    }
}

/// A search from the iterate towards `target`.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) target: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) line: LineSearch,
    /// The lowest trial of sufficient decrease, to fall back on if no step satisfies both
    /// conditions.
    pub(super) fallback: Option<Sample>,
}

impl Segment {
    /// The next trial, on the line from the iterate.
    pub(super) fn point(&self, from: &[f64], bounds: &Bounds) -> Vec<f64> {
        let step = self.line.step();
        // Exactly the target, so that variables sent to their limits arrive there.
        if step == 1.0 {
            return self.target.clone();
        }
        let mut point = from.to_vec();
        axpy(step, &self.direction, &mut point);
        bounds.project(&point)
    }

    /// Remembers a finite trial as the fallback if it is the lowest of sufficient decrease.
    pub(super) fn note(&mut self, sample: &Sample) {
        let lowest = self.fallback.as_ref().map_or(f64::INFINITY, |s| s.value);
        if self.line.is_sufficient(sample.value) && sample.value < lowest {
            self.fallback = Some(sample.clone());
        }
    }
}
