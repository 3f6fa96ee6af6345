//! A study of a chemical reaction that exists only here: numbers, choices, noise, and flasks that boil over.
//!
//! ```text
//!     cargo build --release --workspace --bins --examples
//!     target/release/examples/reaction reaction.db && target/release/spargo report reaction.db
//! ```

use spargo::rng::{Purpose, normal, stream};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Config, Goal, Outcome, Output, Study};
use std::path::PathBuf;

/// Solvents with their boiling points in °C, and how well the reaction runs in them.
const SOLVENTS: [(&str, f64, f64); 4] =
    [("toluene", 111.0, 0.72), ("ethanol", 78.0, 0.88), ("dioxane", 101.0, 1.0), ("acetonitrile", 82.0, 0.8)];

fn main() -> spargo::Result<()> {
    let path = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "reaction.db".into()));
    let mut config = Config::new(Space::new(vec![
        Dimension::real("temperature / °C", 20.0, 120.0),
        Dimension::real("catalyst / mol%", 0.05, 10.0).log(),
        Dimension::real("time / min", 5.0, 600.0).log(),
        Dimension::int("equivalents of base", 1, 6),
        Dimension::choice("solvent", &SOLVENTS.map(|solvent| solvent.0)),
    ])?);
    config.name = "Coupling reaction".into();
    config.outputs = vec![Output::new("yield / %", Goal::Maximize)];
    (config.initial, config.batch, config.inducing) = (60.into(), 40, 120.into());
    config.model.exact_until = 150;
    let mut study = Study::create(&path, config)?;
    for _ in 0..12 {
        let trials = study.ask(study.config().batch)?;
        let outcomes: Vec<(u64, Outcome)> =
            trials.iter().map(|trial| (trial.id, run(trial.id, &trial.point))).collect();
        study.tell(&outcomes)?;
    }
    study.ask(study.config().batch)?;
    println!("{}", path.display());
    Ok(())
}

/// One flask.
fn run(number: u64, point: &Point) -> Outcome {
    let [Value::Real(celsius), Value::Real(catalyst), Value::Real(minutes), Value::Int(base), Value::Choice(solvent)] =
        &point[..]
    else {
        return Outcome::failed("not a point of this space");
    };
    let Some((_, boils, suits)) = SOLVENTS.iter().find(|(name, ..)| name == solvent) else {
        return Outcome::failed("no such solvent");
    };
    if celsius > boils {
        return Outcome::failed(format!("{solvent} boiled over"));
    }
    // Arrhenius' law, a catalyst that saturates, and a product that decays when it is hot for long.
    let rate = 0.02 * ((celsius - 70.0) / 14.0).exp() * catalyst / (catalyst + 1.0);
    let decay = 0.0008 * ((celsius - 70.0) / 9.0).exp();
    let pure = (-((*base as f64 - 3.0) / 2.2).powi(2)).exp();
    let product = rate / (rate - decay) * ((-decay * minutes).exp() - (-rate * minutes).exp());
    let noise = 1.5 * normal(&mut stream(0, Purpose::Data, 0, number));
    Outcome::value((100.0 * suits * pure * product.clamp(0.0, 1.0) + noise).max(0.0))
}
