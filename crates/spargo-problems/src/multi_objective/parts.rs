//! What a problem with several outputs is described by.

use serde::Serialize;
use spargo::space::Dimension;

/// One input and its range, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
    /// Which numbers of the range it takes.
    pub numbers: Numbers,
}

/// The numbers that an input takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// All.
    Real,
    /// Whole ones.
    Int,
}

/// One objective.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Objective {
    /// Its name.
    pub name: &'static str,
    /// Which way is better.
    pub direction: Direction,
    /// Hypervolumes count from here.
    pub reference: f64,
    /// The standard deviation over the inputs.
    pub std: f64,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Direction {
    /// Up.
    #[serde(rename = "max")]
    Maximize,
    /// Down.
    #[serde(rename = "min")]
    Minimize,
}

/// An output that must not exceed a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Constraint {
    /// Its name.
    pub name: &'static str,
    /// The largest value allowed.
    pub at_most: f64,
}

/// The hypervolume, above the objectives' references, that feasible points can dominate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaximumHypervolume {
    /// That of the true front.
    Exactly(f64),
    /// That of the best points known: the true one is larger.
    AtLeast(f64),
}

impl Input {
    pub(super) const fn real(name: &'static str, lower: f64, upper: f64) -> Self {
        Input { name, lower, upper, numbers: Numbers::Real }
    }

    pub(super) const fn int(name: &'static str, lower: f64, upper: f64) -> Self {
        Input { name, lower, upper, numbers: Numbers::Int }
    }

    /// As an input of a space.
    pub(super) fn dimension(&self) -> Dimension {
        match self.numbers {
            Numbers::Real => Dimension::real(self.name, self.lower, self.upper),
            Numbers::Int => Dimension::int(self.name, self.lower as i64, self.upper as i64),
        }
    }

    /// The number at that share of the range.
    pub(super) fn at(&self, u: f64) -> f64 {
        match self.numbers {
            Numbers::Real => (self.lower + u * (self.upper - self.lower)).min(self.upper),
            Numbers::Int => (self.lower + u * (self.upper - self.lower + 1.0)).floor().min(self.upper),
        }
    }
}

impl Objective {
    pub(super) const fn minimize(name: &'static str, reference: f64, std: f64) -> Self {
        Objective { name, direction: Direction::Minimize, reference, std }
    }

    pub(super) const fn maximize(name: &'static str, reference: f64, std: f64) -> Self {
        Objective { name, direction: Direction::Maximize, reference, std }
    }

    /// The factor that makes larger better.
    pub(super) fn sign(&self) -> f64 {
        match self.direction {
            Direction::Maximize => 1.0,
            Direction::Minimize => -1.0,
        }
    }
}

/// x1, x2, … between the same ends, for functions whose inputs have no other names.
pub(super) const fn same<const D: usize>(lower: f64, upper: f64) -> [Input; D] {
    const NAMES: [&str; 5] = ["x1", "x2", "x3", "x4", "x5"];
    let mut inputs = [Input::real("", lower, upper); D];
    let mut k = 0;
    while k < D {
        inputs[k].name = NAMES[k];
        k += 1;
    }
    inputs
}
