//! Studies: asked and told in every way, over every space, killed, shared and grown.

#[path = "../common/process.rs"]
mod process;

mod anywhere;
mod async_kills;
mod campaign;
mod configs;
mod correct;
mod demand;
mod entered;
mod extremes;
mod failures;
mod fixed;
mod fuzz;
mod goals;
mod growth;
mod inducing;
mod insights;
mod interrupts;
mod kills;
mod late_outputs;
mod lineages;
mod local_models;
mod noise;
mod outliers;
mod outputs;
mod pairs;
mod pending;
mod processes;
mod ready;
mod reconfigure;
mod refit;
mod replicate;
mod spaces;
mod tells;
mod trust_regions;

use process::{Folder, acknowledge, acknowledged, child, task};
use spargo::acquire::{RULES, Rule};
use spargo::rng::{Purpose, normal, stream};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Config, Outcome, Replicates, StepReport, Study, Trial};
use std::collections::HashSet;

/// A continuous space, one input by its logarithm.
fn plane() -> Space {
    Space::new(vec![Dimension::real("a", -1.0, 2.0), Dimension::real("b", 0.01, 100.0).log()]).unwrap()
}

fn mixed() -> Space {
    let words = Dimension::choice("d", &["x", "y", "z"]);
    let mut inputs = plane().dimensions().to_vec();
    inputs.extend([Dimension::int("c", 1, 9), words]);
    Space::new(inputs).unwrap()
}

/// Real inputs with a step and with digits: finite, but too many to be listed.
fn stepped() -> Space {
    let [a, b] = [Dimension::real("a", -1.0, 2.0).step(0.001), Dimension::real("b", 0.01, 100.0).log().digits(2)];
    Space::new(vec![a, b]).unwrap()
}

/// 360 points, listed.
fn grid() -> Space {
    let words = Dimension::choice("d", &["x", "y", "z"]);
    Space::new(vec![Dimension::int("c", 1, 12), words, Dimension::int("e", -4, 5)]).unwrap()
}

/// 200 rows of a number, another and a word.
fn table() -> Space {
    let row = |i: usize| -> Point {
        let fraction = |step: f64| Value::Real((i as f64 * step).fract());
        vec![fraction(0.618), fraction(0.414), Value::Choice(["x", "y", "z"][i % 3].into())]
    };
    Space::from_table(&["a", "b", "d"].map(String::from), (0..200).map(row).collect()).unwrap()
}

/// Numbers in a list, labels in order, and labels with descriptors next to a real input; of the descriptors no two are closer than any
/// other two, so that the importance is that of any two.
fn lab() -> Space {
    let columns = ["size", "charge"].map(String::from).to_vec();
    let rows = vec![vec![0.0, 0.0], vec![1.0, 0.0], vec![0.5, 0.75f64.sqrt()]];
    let ligand = Dimension::choice("d", &["x", "y", "z"]).descriptors(columns, rows);
    let doses: Vec<f64> = (0..41).map(|k| 0.01 * 1.26f64.powi(k)).collect();
    let speeds: Vec<i64> = (0..11).collect();
    let listed = Dimension::values("b", &doses).log();
    Space::new(vec![Dimension::real("a", -1.0, 2.0), listed, Dimension::ordinal("c", &speeds), ligand]).unwrap()
}

/// Every kind of space.
fn spaces() -> [(&'static str, Space); 6] {
    let (plane, stepped, mixed) = (("plane", plane()), ("stepped", stepped()), ("mixed", mixed()));
    [plane, stepped, mixed, ("lab", lab()), ("grid", grid()), ("table", table())]
}

/// The unit square.
fn square() -> Space {
    Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::real("b", 0.0, 1.0)]).unwrap()
}

/// Settings of a study that is quick, and sparse as soon as there are more data than inducing points.
fn small(space: Space) -> Config {
    let mut config = Config::new(space);
    (config.seed, config.initial, config.batch, config.inducing) = (5, 8.into(), 5, 15.into());
    config.model.exact_until = 0;
    // Points that repeat themselves are tested in pairs.rs.
    config.replicates = Replicates::Never;
    config.sampling.features = 64;
    (config.acquisition.pool, config.acquisition.near, config.acquisition.starts) = (200, 50, 1);
    config
}

fn by_name(rule: &str) -> &'static Rule {
    Rule::by_name(rule).unwrap()
}

/// The rules of a single objective without constraints.
fn of_one() -> [&'static Rule; 3] {
    ["thompson", "log-ei", "gibbon"].map(by_name)
}

fn memory(config: Config) -> Study {
    Study::in_memory(config).unwrap()
}

/// Where the bowl of a space is deepest, in shares of each input's range: its second category, if it has three.
const CENTRE: [f64; 4] = [0.3, 0.6, 0.5, 0.5];

/// A bowl over whatever space, at most 1.
fn bowl(space: &Space, point: &Point) -> f64 {
    let numbers = space.encode(point).unwrap();
    let squares = numbers.iter().zip(space.dimensions()).zip(CENTRE);
    1.0 - squares.map(|((number, d), centre)| (number / d.domain.largest().max(1.0) - centre).powi(2)).sum::<f64>()
}

/// The bowl with noise that depends on the trial alone.
fn observe(space: &Space, trial: &Trial) -> Outcome {
    Outcome::value(bowl(space, &trial.point) + 0.05 * normal(&mut stream(77, Purpose::Data, 0, trial.id)))
}

/// A round of the loop: asks, and tells all of it.
fn advance(study: &mut Study, count: usize, outcome: impl Fn(&Space, &Trial) -> Outcome) -> Vec<Trial> {
    let trials = study.ask(count).unwrap();
    assert_eq!(trials.len(), count);
    let told: Vec<_> = trials.iter().map(|trial| (trial.id, outcome(&study.config().space, trial))).collect();
    study.tell(&told).unwrap();
    trials
}

/// All trials' points; Debug output prints every number in full.
fn points(study: &Study) -> Vec<String> {
    study.history().records().iter().map(|record| format!("{:?}", record.trial.point)).collect()
}

fn assert_all_different(points: &[String]) {
    assert_eq!(points.iter().collect::<HashSet<_>>().len(), points.len());
}

/// How far two points lie apart along the input where they differ most, in units of the box.
fn apart(space: &Space, a: &Point, b: &Point) -> f64 {
    let [a, b] = [a, b].map(|point| space.encode(point).unwrap());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Points of the space, encoded in the box and decoded again.
fn assert_valid(space: &Space, trials: &[Trial]) {
    for trial in trials {
        let numbers = space.encode(&trial.point).unwrap();
        let is_inside = |(x, d): (&f64, &Dimension)| (0.0..=d.domain.largest()).contains(x);
        assert!(numbers.iter().zip(space.dimensions()).all(is_inside), "{numbers:?}");
        assert_eq!(space.decode(&numbers).as_ref(), Ok(&trial.point));
    }
}

fn last_report(study: &Study) -> StepReport {
    study.reports().unwrap().pop().unwrap()
}
