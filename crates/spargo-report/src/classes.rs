//! Class boundaries: the probability of yes over two inputs, with all others fixed at one trial's.

use super::axis::Inputs;
use super::overview::point;
use super::sample::{MOST, OutputValue, evenly, values_of};
use super::slices::{Through, values};
use serde::Serialize;
use spargo::Result;
use spargo::space::{Point, Value};
use spargo::study::{Goal, Study};

/// Number of inputs, the most important ones, all pairs of which have a map.
const MAPPED: usize = 4;

/// Values along each side of a map.
const SIDE: usize = 40;

#[derive(Serialize)]
pub struct Classes {
    /// The trial that the maps run through, and what it is.
    trial: u64,
    which: &'static str,
    maps: Vec<Map>,
    trials: Vec<Asked>,
    /// Number of outcomes.
    of: usize,
}

#[derive(Serialize)]
struct Map {
    /// Two of the shown inputs.
    inputs: [usize; 2],
    across: Vec<Value>,
    up: Vec<Value>,
    /// Probabilities of yes, row by row from below.
    probability: Vec<f64>,
}

#[derive(Serialize)]
struct Asked {
    trial: u64,
    yes: bool,
    at: Vec<Value>,
}

impl Classes {
    /// The maps of a class; none without classes or with one input.
    pub fn of(study: &mut Study, inputs: &Inputs, importance: &[f64], through: &Through) -> Result<Option<Self>> {
        let classes = study.config().outputs.iter().position(|output| output.goal == Goal::Classify);
        let (Some(output), true) = (classes, inputs.places.len() > 1) else { return Ok(None) };
        let mut order: Vec<usize> = (0..inputs.places.len()).collect();
        order.sort_by(|&i, &j| importance[inputs.places[j]].total_cmp(&importance[inputs.places[i]]));
        order.truncate(MAPPED);
        let pairs = (0..order.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let pairs: Vec<[usize; 2]> = pairs.map(|(i, j)| [order[i], order[j]]).collect();
        let maps =
            pairs.into_iter().map(|pair| Map::of(study, output, inputs, pair, through)).collect::<Result<_>>()?;
        let all = values_of(study, output);
        let asked = |told: OutputValue| Asked {
            trial: told.trial,
            yes: told.value == 1.0,
            at: inputs.of_point(point(study, told.trial)),
        };
        let trials = evenly(&all, MOST).into_iter().map(asked).collect();
        Ok(Some(Classes { trial: through.trial.id, which: through.which, maps, trials, of: all.len() }))
    }
}

impl Map {
    fn of(study: &mut Study, output: usize, inputs: &Inputs, pair: [usize; 2], through: &Through) -> Result<Self> {
        let places = pair.map(|k| inputs.places[k]);
        let along = |place: usize| values(&study.config().space.dimensions()[place], &through.trial.point[place], SIDE);
        let [across, up] = [along(places[0])?, along(places[1])?];
        let with = |x: &Value, y: &Value| {
            let mut point = through.trial.point.clone();
            (point[places[0]], point[places[1]]) = (x.clone(), y.clone());
            study.config().space.completed(&point)
        };
        let points: Vec<Point> =
            up.iter().flat_map(|y| across.iter().map(|x| with(x, y)).collect::<Vec<_>>()).collect::<Result<_>>()?;
        let probability =
            study.predict_interval(output, &points)?.into_iter().map(|prediction| prediction.mean).collect();
        Ok(Map { inputs: pair, across, up, probability })
    }
}
