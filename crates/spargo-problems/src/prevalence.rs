//! A map of a disease's prevalence, to be learned where it is high: the paper's active learning (Section 5.2).
//!
//! ```text
//!     label(cell) = prevalence(cell) ≥ 0.35
//!     synthetic:  logit(prevalence) = a + b (h(x; 0.6 … 2) + ⅖ h(x; 6 … 50))
//!                 h(x; low … high)  = √(2/J) Σ_j cos(2π ν_j uⱼᵀx + j²),   ν_j from low to high, uⱼ turned by the golden angle
//! ```
//!
//! 0.35 is the WHO's level of high transmission. The paper's map is that of *P. falciparum* in Nigeria in 2015 (Bhatt et
//! al. 2015, Malaria Atlas Project), 43,093 cells that a user may load; the synthetic one needs no file. It is smooth, but
//! its boundary is as hard to learn: the nearest of n random labels is right in 80 % of the cells for n = 100, 86 % for n =
//! 1,100, as in Nigeria (tests/prevalence.rs).

use spargo::rng::{Purpose, distinct_indices, stream};
use spargo::{Error, Result};
use std::f64::consts::TAU;

/// Prevalence from which a cell is positive.
pub const THRESHOLD: f64 = 0.35;

/// Cells along a side of the synthetic map.
const SIDE: usize = 200;

/// a and b: so that 48 % are positive, and prevalences spread as Nigeria's.
const LEVEL: f64 = -0.62;
const SLOPE: f64 = 0.44;

/// The part of fine waves.
const FINE: f64 = 0.4;

/// Cells in the unit square and the share of infected people in each.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    cells: Vec<[f64; 2]>,
    prevalence: Vec<f64>,
}

/// Cells, by number, that are kept for tests, and the others, which may be asked for; both in random order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// For tests.
    pub held_out: Vec<usize>,
    /// May be asked for.
    pub pool: Vec<usize>,
}

impl Map {
    /// A map from rows of longitude, latitude and prevalence, as from a file; coordinates are scaled to the unit square,
    /// each by its own range.
    pub fn new(rows: &[[f64; 3]]) -> Result<Self> {
        if rows.is_empty() {
            return Err(Error::Empty { what: "the map".into() });
        }
        for (row, values) in rows.iter().enumerate() {
            check(row, values)?;
        }
        let (x, y) = (scale(rows, 0), scale(rows, 1));
        let cells = rows.iter().map(|row| [x(row[0]), y(row[1])]).collect();
        Ok(Map { cells, prevalence: rows.iter().map(|row| row[2]).collect() })
    }

    /// 40,000 cells of a land that does not exist.
    pub fn synthetic() -> Self {
        let centre = |i: usize| (i as f64 + 0.5) / SIDE as f64;
        let cells: Vec<[f64; 2]> = (0..SIDE * SIDE).map(|i| [centre(i % SIDE), centre(i / SIDE)]).collect();
        let prevalence = cells.iter().map(|cell| synthetic_prevalence(*cell)).collect();
        Map { cells, prevalence }
    }

    /// Where the cells are, in the unit square.
    pub fn cells(&self) -> &[[f64; 2]] {
        &self.cells
    }

    /// The prevalence in each.
    pub fn prevalence(&self) -> &[f64] {
        &self.prevalence
    }

    /// Which are positive.
    pub fn labels(&self) -> Vec<bool> {
        self.prevalence.iter().map(|prevalence| *prevalence >= THRESHOLD).collect()
    }

    /// Some random cells kept for tests.
    pub fn split(&self, held_out: usize, seed: u64) -> Result<Split> {
        let n = self.cells.len();
        if !(1..n).contains(&held_out) {
            return Err(Error::Parameter {
                name: "held-out cells".into(),
                value: held_out as f64,
                must: format!("at least 1 and fewer than the map's {n}"),
            });
        }
        let mut order = distinct_indices(n, n, &mut stream(seed, Purpose::Data, 0, 0));
        let pool = order.split_off(held_out);
        Ok(Split { held_out: order, pool })
    }
}

fn check(row: usize, values: &[f64; 3]) -> Result<()> {
    let names = ["a cell's longitude", "a cell's latitude", "a cell's prevalence"];
    if let Some((name, &value)) = names.iter().zip(values).find(|(_, value)| !value.is_finite()) {
        return Err(Error::NonFinite { what: name.to_string(), row, value });
    }
    match (0.0..=1.0).contains(&values[2]) {
        true => Ok(()),
        false => Err(Error::Parameter {
            name: format!("prevalence at row {row}"),
            value: values[2],
            must: "between 0 and 1".into(),
        }),
    }
}

/// From the range of a column to [0, 1]; a constant one goes to 0. Halved, so that no range overflows.
fn scale(rows: &[[f64; 3]], column: usize) -> impl Fn(f64) -> f64 {
    let halves = || rows.iter().map(|row| row[column] / 2.0);
    let (low, high) = (halves().fold(f64::INFINITY, f64::min), halves().fold(f64::NEG_INFINITY, f64::max));
    move |value| if high > low { (value / 2.0 - low) / (high - low) } else { 0.0 }
}

fn synthetic_prevalence(x: [f64; 2]) -> f64 {
    let logit = LEVEL + SLOPE * (waves(x, 0..4, 0.6, 2.0) + FINE * waves(x, 4..20, 6.0, 50.0));
    1.0 / (1.0 + (-logit).exp())
}

/// h, of waves whose numbers are j and whose frequencies grow by a constant factor.
fn waves(x: [f64; 2], numbers: std::ops::Range<usize>, low: f64, high: f64) -> f64 {
    const GOLDEN_ANGLE: f64 = 2.399963229728653;
    let count = numbers.len() as f64;
    let wave = |(i, j): (usize, usize)| {
        let frequency = low * (high / low).powf(i as f64 / (count - 1.0));
        let (sin, cos) = (j as f64 * GOLDEN_ANGLE).sin_cos();
        (TAU * frequency * (x[0] * cos + x[1] * sin) + (j * j) as f64).cos()
    };
    (2.0 / count).sqrt() * numbers.enumerate().map(wave).sum::<f64>()
}
