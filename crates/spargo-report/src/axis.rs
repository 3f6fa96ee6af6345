//! The axes of drawings: inputs and outputs with their names and ranges.

use serde::Serialize;
use spargo::space::{Dimension, Point, Scale, Value};
use spargo::study::{Config, Goal, Output};

/// Largest number of inputs that are shown, the most important ones.
const MOST: usize = 60;

/// An axis of a drawing.
#[derive(Serialize, Clone)]
pub struct Axis {
    pub name: String,
    pub kind: Kind,
    /// The ends of an input's range; those of an output are found when it is drawn.
    pub range: Option<(f64, f64)>,
    /// The choices of a categorical input.
    pub choices: Vec<Value>,
    /// What is wanted of an output.
    pub goal: Option<&'static str>,
    /// The bounds or the level of an output, in ascending order.
    pub marks: Vec<f64>,
    /// The bounds in words.
    pub limit: Option<String>,
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
    /// Indices of these inputs in the space.
    pub places: Vec<usize>,
    pub axes: Vec<Axis>,
    /// Number of inputs that are not shown.
    pub hidden: usize,
}

impl Inputs {
    /// The shown inputs in the space's order; `importance` may be empty.
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
        let kind = match dimension.domain.range() {
            None => Kind::Choice,
            Some((.., Scale::Log)) => Kind::Log,
            Some((.., Scale::Linear)) => Kind::Linear,
        };
        let range = dimension.domain.range().map(|(lower, upper, _)| (lower, upper));
        let choices = dimension.domain.choices().to_vec();
        Axis { name: dimension.label(), kind, range, choices, goal: None, marks: Vec::new(), limit: None }
    }

    pub fn of_output(output: &Output) -> Self {
        let (goal, marks, limit) = match output.goal {
            Goal::Maximize => ("maximize", vec![], None),
            Goal::Minimize => ("minimize", vec![], None),
            Goal::Constraint { at_least, at_most } => {
                let limit = match (at_least, at_most) {
                    (Some(low), Some(high)) => Some(format!("{low} to {high}")),
                    (Some(low), None) => Some(format!("at least {low}")),
                    (None, high) => high.map(|high| format!("at most {high}")),
                };
                ("limit", at_least.into_iter().chain(at_most).collect(), limit)
            }
            Goal::Classify => ("classify", vec![], None),
            Goal::Level(level) => ("level", vec![level], None),
            _ => ("", vec![], None),
        };
        let (name, choices) = (output.name.clone(), Vec::new());
        Axis { name, kind: Kind::Linear, range: None, choices, goal: Some(goal), marks, limit }
    }
}
