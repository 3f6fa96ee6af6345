//! Benchmark problems: each is a record and a plain function, to be minimised as in the literature.
//!
//! ```text
//!     maximised:  g(x) = −(f(x) − mean) / std,     observed:  g(x) + ε,   ε ~ N(0, noise)
//! ```
//!
//! g has variance one over the box (Moss, Ober & Picheny 2023, Section 5.1, whose noise variances these are). Means and
//! standard deviations are those of 10⁷ uniform samples unless said otherwise.

#![warn(missing_docs)]

mod ackley;
mod branin;
mod hartmann;
mod levy;
mod michalewicz;
pub mod multi_objective;
pub mod prevalence;
pub mod prior;
mod rosenbrock;
mod rover;
mod shekel;

pub use ackley::ACKLEY5;
pub use branin::BRANIN;
pub use hartmann::HARTMANN6;
pub use levy::LEVY10;
pub use michalewicz::MICHALEWICZ5;
pub use rosenbrock::{ROSENBROCK4, ROSENBROCK4_TRIESTE};
pub use rover::ROVER60;
pub use shekel::SHEKEL4;

use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use spargo::rng::normal;
use spargo::space::{Dimension, Point, Space, Value};
use spargo::{Error, Result};

/// Every problem.
pub static ALL: [&Problem; 9] =
    [&SHEKEL4, &HARTMANN6, &ACKLEY5, &MICHALEWICZ5, &ROSENBROCK4, &ROSENBROCK4_TRIESTE, &BRANIN, &LEVY10, &ROVER60];

/// The problem of that name.
pub fn by_name(name: &str) -> Result<&'static Problem> {
    ALL.into_iter().find(|problem| problem.name == name).ok_or_else(|| Error::Unsupported {
        what: format!("there is no problem '{name}'"),
        remedy: format!("choose one of {}", ALL.map(|problem| problem.name).join(", ")),
    })
}

/// A function on a box, and what is known of it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Problem {
    /// The word by which it is asked for.
    pub name: &'static str,
    /// Lower and upper end of each input.
    pub bounds: &'static [(f64, f64)],
    /// The least value; only a lower bound of it if there are no `minimisers`.
    pub minimum: f64,
    /// Every point of the box where the minimum is attained; empty if none is known.
    pub minimisers: &'static [&'static [f64]],
    /// The mean over the box.
    pub mean: f64,
    /// The standard deviation over the box.
    pub std: f64,
    /// The noise variance, after scaling.
    pub noise: f64,
    /// Where it comes from.
    pub citation: &'static str,
    /// f, for points that have been checked.
    #[serde(skip)]
    function: fn(&[f64]) -> f64,
}

impl Problem {
    /// The number of inputs.
    pub fn dimension(&self) -> usize {
        self.bounds.len()
    }

    /// Its box, with inputs x1, x2, …
    pub fn space(&self) -> Result<Space> {
        let input = |(k, &(lower, upper)): (usize, &(f64, f64))| Dimension::real(format!("x{}", k + 1), lower, upper);
        Space::new(self.bounds.iter().enumerate().map(input).collect())
    }

    /// f(x), to be minimised; points outside the box are refused.
    pub fn value(&self, x: &[f64]) -> Result<f64> {
        check(x, self.bounds)?;
        Ok((self.function)(x))
    }

    /// g(x), to be maximised, without noise.
    pub fn scaled(&self, x: &[f64]) -> Result<f64> {
        Ok(self.scale(self.value(x)?))
    }

    /// The largest g(x).
    pub fn optimum(&self) -> f64 {
        self.scale(self.minimum)
    }

    /// How far g(x) falls short of the optimum.
    pub fn regret(&self, x: &[f64]) -> Result<f64> {
        Ok(self.optimum() - self.scaled(x)?)
    }

    /// g(x) with fresh noise.
    pub fn observe(&self, x: &[f64], rng: &mut ChaCha8Rng) -> Result<f64> {
        Ok(self.scaled(x)? + self.noise.sqrt() * normal(rng))
    }

    /// The point of the box for a point of the unit cube.
    pub fn from_unit(&self, unit: &[f64]) -> Result<Vec<f64>> {
        check(unit, &vec![(0.0, 1.0); self.dimension()])?;
        Ok(unit.iter().zip(self.bounds).map(|(u, (lower, upper))| lower + u * (upper - lower)).collect())
    }

    /// g at the point of the box for a point of the unit cube.
    pub fn scaled_from_unit(&self, unit: &[f64]) -> Result<f64> {
        self.scaled(&self.from_unit(unit)?)
    }

    fn scale(&self, value: f64) -> f64 {
        (self.mean - value) / self.std
    }
}

/// A point of such a space.
pub fn numbers(point: &Point) -> Vec<f64> {
    let number = |value: &Value| match value {
        Value::Real(real) => *real,
        Value::Int(int) => *int as f64,
        _ => f64::NAN,
    };
    point.iter().map(number).collect()
}

fn check(x: &[f64], bounds: &[(f64, f64)]) -> Result<()> {
    if x.len() != bounds.len() {
        return Err(Error::Shape { what: "the point".into(), found: x.len(), expected: bounds.len() });
    }
    let outside = |(_, (v, (lower, upper))): &(usize, (&f64, &(f64, f64)))| !(lower..=upper).contains(v);
    match x.iter().zip(bounds).enumerate().find(outside) {
        None => Ok(()),
        Some((k, (&value, (lower, upper)))) => Err(Error::Parameter {
            name: format!("input {k} of the point"),
            value,
            must: format!("between {lower} and {upper}"),
        }),
    }
}
