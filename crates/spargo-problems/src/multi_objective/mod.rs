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
//! `cargo test --release --workspace --test multi_objective -- --ignored --nocapture deviations`.

mod dtlz;
mod parts;
mod radiator;
mod vlmop;
mod zdt;

pub use dtlz::DTLZ2;
pub use parts::{Constraint, Direction, Input, MaximumHypervolume, Numbers, Objective};
pub use radiator::RADIATOR;
pub use vlmop::VLMOP2;
pub use zdt::{ZDT1, ZDT2, ZDT3, ZDT3_PIECES};

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use spargo::math::pareto;
use spargo::rng::normal;
use spargo::space::Space;
use spargo::{Error, Result};

/// Every problem with several outputs.
pub static ALL: [&MultiObjectiveProblem; 6] = [&ZDT1, &ZDT2, &ZDT3, &DTLZ2, &VLMOP2, &RADIATOR];

/// The problem of that name.
pub fn by_name(name: &str) -> Result<&'static MultiObjectiveProblem> {
    ALL.into_iter().find(|problem| problem.name == name).ok_or_else(|| Error::Unsupported {
        what: format!("there is no problem '{name}' with several outputs"),
        remedy: format!("choose one of {}", ALL.map(|problem| problem.name).join(", ")),
    })
}

/// A function with several outputs, and what is known of it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MultiObjectiveProblem {
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
    #[serde(skip)]
    pub maximum_hypervolume: MaximumHypervolume,
    /// Where it comes from.
    pub citation: &'static str,
    /// The objectives, then the constraints, for points that have been checked.
    #[serde(skip)]
    function: fn(&[f64]) -> Vec<f64>,
}

impl MultiObjectiveProblem {
    /// The number of inputs.
    pub fn dimension(&self) -> usize {
        self.inputs.len()
    }

    /// The space of its inputs.
    pub fn space(&self) -> Result<Space> {
        Space::new(self.inputs.iter().map(Input::dimension).collect())
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
        Ok(unit.iter().zip(self.inputs).map(|(u, input)| input.at(*u)).collect())
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
