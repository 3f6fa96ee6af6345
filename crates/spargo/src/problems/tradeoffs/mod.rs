//! Benchmark problems with several outputs: objectives that compete, and constraints.
//!
//! ```text
//!     observed objective:  f_k(x) + std_k ε,   ε ~ N(0, noise)
//! ```
//!
//! Values stay in the literature's units and directions, as their hypervolumes are known in these. So `noise` is the
//! variance once each objective is scaled to variance one over its inputs; the paper (Moss, Ober & Picheny 2023, Section
//! 5.3) gives none for ZDT3, and 0.01 is that of its problems with one objective. Simulations have none. Standard
//! deviations are by quadrature; the radiator's are those of 10⁶ uniform samples, as printed by
//! `cargo test --release --workspace --test tradeoffs -- --ignored --nocapture deviations`.

mod dtlz;
mod radiator;
mod vlmop;
mod zdt;

pub use dtlz::DTLZ2;
pub use radiator::RADIATOR;
pub use vlmop::VLMOP2;
pub use zdt::{ZDT1, ZDT2, ZDT3};

use crate::error::{Error, Result};
use crate::math::pareto;
use crate::rng::normal;
use crate::space::{Dimension, Space};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Every problem with several outputs.
pub static ALL: [&Tradeoff; 6] = [&ZDT1, &ZDT2, &ZDT3, &DTLZ2, &VLMOP2, &RADIATOR];

/// The problem of that name.
pub fn by_name(name: &str) -> Result<&'static Tradeoff> {
    ALL.into_iter().find(|problem| problem.name == name).ok_or_else(|| Error::Unsupported {
        what: format!("there is no problem '{name}' with several outputs"),
        remedy: format!("choose one of {}", ALL.map(|problem| problem.name).join(", ")),
    })
}

/// A function with several outputs, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Tradeoff {
    /// The word by which it is asked for.
    pub name: &'static str,
    /// What may be chosen.
    pub inputs: &'static [Input],
    /// What is to be improved.
    pub objectives: &'static [Objective],
    /// What is to be kept.
    pub constraints: &'static [Constraint],
    /// The noise variance of each objective, after scaling; constraints have none.
    pub noise: f64,
    /// The hypervolume that feasible points can dominate.
    pub attainable: Attainable,
    /// Where it comes from.
    pub citation: &'static str,
    /// The objectives, then the constraints, for points that have been checked.
    function: fn(&[f64]) -> Vec<f64>,
}

/// One input and its range, ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// All.
    Real,
    /// Whole ones.
    Int,
}

/// One objective.
#[derive(Debug, Clone, Copy, PartialEq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Up.
    Maximize,
    /// Down.
    Minimize,
}

/// An output that must not exceed a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: &'static str,
    /// The largest value allowed.
    pub at_most: f64,
}

/// The hypervolume, above the objectives' references, that feasible points can dominate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Attainable {
    /// That of the true front.
    Exactly(f64),
    /// That of the best points known: the true one is larger.
    AtLeast(f64),
}

impl Tradeoff {
    /// The number of inputs.
    pub fn dimension(&self) -> usize {
        self.inputs.len()
    }

    /// The space of its inputs.
    pub fn space(&self) -> Result<Space> {
        let dimension = |input: &Input| match input.numbers {
            Numbers::Real => Dimension::real(input.name, input.lower, input.upper),
            Numbers::Int => Dimension::int(input.name, input.lower as i64, input.upper as i64),
        };
        Space::new(self.inputs.iter().map(dimension).collect())
    }

    /// The names of the outputs in their order: objectives, then constraints.
    pub fn outputs(&self) -> impl Iterator<Item = &'static str> {
        let constraints = self.constraints.iter().map(|constraint| constraint.name);
        self.objectives.iter().map(|objective| objective.name).chain(constraints)
    }

    /// The outputs at x without noise; points that the inputs do not allow are refused.
    pub fn value(&self, x: &[f64]) -> Result<Vec<f64>> {
        self.check(x)?;
        Ok((self.function)(x))
    }

    /// The outputs of many points.
    pub fn values<P: AsRef<[f64]> + Sync>(&self, rows: &[P]) -> Result<Vec<Vec<f64>>> {
        rows.par_iter().map(|row| self.value(row.as_ref())).collect()
    }

    /// The outputs at x, the objectives with fresh noise.
    pub fn observe(&self, x: &[f64], rng: &mut ChaCha8Rng) -> Result<Vec<f64>> {
        let mut outputs = self.value(x)?;
        for (output, objective) in outputs.iter_mut().zip(self.objectives) {
            *output += objective.std * self.noise.sqrt() * normal(rng);
        }
        Ok(outputs)
    }

    /// The point for a point of the unit cube; every whole number has its equal share.
    pub fn from_unit(&self, unit: &[f64]) -> Result<Vec<f64>> {
        super::check(unit, &vec![(0.0, 1.0); self.dimension()])?;
        Ok(unit.iter().zip(self.inputs).map(|(u, input)| input.from_unit(*u)).collect())
    }

    /// Whether the outputs keep every constraint.
    pub fn feasible(&self, outputs: &[f64]) -> bool {
        let constrained = outputs.iter().skip(self.objectives.len());
        constrained.zip(self.constraints).all(|(output, constraint)| *output <= constraint.at_most)
    }

    /// The objectives among the outputs, turned so that larger is better.
    pub fn maximised(&self, outputs: &[f64]) -> Vec<f64> {
        outputs.iter().zip(self.objectives).map(|(output, objective)| objective.sign() * output).collect()
    }

    /// The objectives' references, turned so that larger is better.
    pub fn reference(&self) -> Vec<f64> {
        self.objectives.iter().map(|objective| objective.sign() * objective.reference).collect()
    }

    /// The hypervolume of those outputs that are feasible.
    pub fn hypervolume<P: AsRef<[f64]>>(&self, outputs: &[P]) -> Result<f64> {
        let expected = self.objectives.len() + self.constraints.len();
        for (row, found) in outputs.iter().map(|outputs| outputs.as_ref().len()).enumerate() {
            if found != expected {
                return Err(Error::Shape { what: format!("row {row} of the outputs"), found, expected });
            }
        }
        let feasible = outputs.iter().map(P::as_ref).filter(|outputs| self.feasible(outputs));
        pareto::hypervolume(&feasible.map(|outputs| self.maximised(outputs)).collect::<Vec<_>>(), &self.reference())
    }

    fn check(&self, x: &[f64]) -> Result<()> {
        let bounds: Vec<(f64, f64)> = self.inputs.iter().map(|input| (input.lower, input.upper)).collect();
        super::check(x, &bounds)?;
        let broken = |(value, input): &(&f64, &Input)| input.numbers == Numbers::Int && value.fract() != 0.0;
        match x.iter().zip(self.inputs).find(broken) {
            None => Ok(()),
            Some((&value, input)) => {
                Err(Error::Parameter { name: input.name.into(), value, must: "a whole number".into() })
            }
        }
    }
}

impl Input {
    const fn real(name: &'static str, lower: f64, upper: f64) -> Self {
        Input { name, lower, upper, numbers: Numbers::Real }
    }

    const fn int(name: &'static str, lower: f64, upper: f64) -> Self {
        Input { name, lower, upper, numbers: Numbers::Int }
    }

    fn from_unit(&self, u: f64) -> f64 {
        match self.numbers {
            Numbers::Real => (self.lower + u * (self.upper - self.lower)).min(self.upper),
            Numbers::Int => (self.lower + u * (self.upper - self.lower + 1.0)).floor().min(self.upper),
        }
    }
}

impl Objective {
    const fn minimize(name: &'static str, reference: f64, std: f64) -> Self {
        Objective { name, direction: Direction::Minimize, reference, std }
    }

    const fn maximize(name: &'static str, reference: f64, std: f64) -> Self {
        Objective { name, direction: Direction::Maximize, reference, std }
    }

    fn sign(&self) -> f64 {
        match self.direction {
            Direction::Maximize => 1.0,
            Direction::Minimize => -1.0,
        }
    }
}

/// x1, x2, … between the same ends, for functions whose inputs have no other names.
const fn same<const D: usize>(lower: f64, upper: f64) -> [Input; D] {
    const NAMES: [&str; 5] = ["x1", "x2", "x3", "x4", "x5"];
    let mut inputs = [Input::real("", lower, upper); D];
    let mut k = 0;
    while k < D {
        inputs[k].name = NAMES[k];
        k += 1;
    }
    inputs
}
