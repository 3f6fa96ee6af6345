//! The axes of drawings: inputs and outputs with their names and ranges.

use serde::Serialize;
use spargo::space::{Dimension, Domain, Point, Scale, Value};
use spargo::study::{Config, Goal};

/// What stands along one side of a drawing.
#[derive(Serialize, Clone)]
pub struct Axis {
    pub name: String,
    pub kind: Kind,
    /// The ends of its range; those of an output are found by who draws it.
    pub range: Option<(f64, f64)>,
    /// Of an input with choices.
    pub choices: Vec<String>,
    /// Of an output.
    pub goal: Option<&'static str>,
}

#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Linear,
    Log,
    Choice,
}

/// The inputs that the page shows.
pub struct Inputs {
    /// Their places in the space.
    pub places: Vec<usize>,
    pub axes: Vec<Axis>,
    /// How many are not shown.
    pub hidden: usize,
}

/// Beyond this many, the page shows the most important inputs only.
const MOST: usize = 60;

impl Inputs {
    /// In the space's order; `importance` may be empty.
    pub fn of(config: &Config, importance: &[f64]) -> Self {
        let dimensions = config.space.dimensions();
        let mut places: Vec<usize> = (0..dimensions.len()).collect();
        let of = |k: usize| importance.get(k).copied().unwrap_or(0.0);
        places.sort_by(|&i, &j| of(j).total_cmp(&of(i)));
        places.truncate(MOST);
        places.sort_unstable();
        let axes = places.iter().map(|&k| Axis::of_input(&dimensions[k])).collect();
        Inputs { hidden: dimensions.len() - places.len(), places, axes }
    }

    /// The shown values of a point.
    pub fn of_point(&self, point: &Point) -> Vec<Value> {
        self.places.iter().map(|&k| point[k].clone()).collect()
    }
}

impl Axis {
    fn of_input(dimension: &Dimension) -> Self {
        let kind_of = |scale: Scale| if scale == Scale::Log { Kind::Log } else { Kind::Linear };
        let (kind, range, choices) = match &dimension.domain {
            Domain::Real { lower, upper, scale } => (kind_of(*scale), Some((*lower, *upper)), Vec::new()),
            Domain::Int { lower, upper, scale } => (kind_of(*scale), Some((*lower as f64, *upper as f64)), Vec::new()),
            Domain::Categorical { choices } => (Kind::Choice, None, choices.clone()),
        };
        Axis { name: dimension.name.clone(), kind, range, choices, goal: None }
    }

    pub fn of_output(config: &Config) -> Self {
        let output = config.outputs.first();
        let goal = output.map(|output| if output.goal == Goal::Minimize { "minimize" } else { "maximize" });
        let name = output.map_or_else(|| "outcome".into(), |output| output.name.clone());
        Axis { name, kind: Kind::Linear, range: None, choices: Vec::new(), goal }
    }
}
