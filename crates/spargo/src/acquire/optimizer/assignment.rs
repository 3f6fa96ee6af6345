//! Stratified assignment: which elements of a batch get a share of something, by a low-discrepancy schedule.
//!
//! ```text
//!     element j of step t has it  ⟺  frac((t + j) ω) < share
//! ```
//!
//! Multiples of an irrational ω fill the unit interval evenly, and those of several such numbers the unit cube, as good as
//! evenly: assignments of different kinds are independent, and shares hold however many points are asked for at a time.

/// The golden ratio, less one.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// What batch elements are assigned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    /// A trust region.
    TrustRegion,
    /// A local model, instead of the global one.
    LocalModel,
    /// The space outside the exclusion zones.
    Exclusion,
    /// A distance from the exclusion zones.
    Distance,
    /// One of several lineages of trust regions.
    Lineage,
}

/// Whether batch element `number` of a step belongs to a `share` of all elements.
pub fn is_assigned(assignment: Assignment, step: u64, number: usize, share: f64) -> bool {
    position(assignment, step, number) < share
}

/// The position of batch element `number` of a step in [0, 1), evenly distributed over elements and steps.
pub(super) fn position(assignment: Assignment, step: u64, number: usize) -> f64 {
    let stride = match assignment {
        Assignment::TrustRegion => std::f64::consts::SQRT_2,
        Assignment::LocalModel => GOLDEN,
        Assignment::Exclusion => std::f64::consts::E,
        Assignment::Distance => std::f64::consts::PI,
        Assignment::Lineage => 1.732_050_807_568_877_2,
    };
    let count = step.wrapping_add(number as u64) & 0xFFFF_FFFF;
    (count as f64 * stride).fract()
}
