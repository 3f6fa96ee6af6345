//! A quality function of one's own: inducing points are put where the upper confidence bound is high.
//!
//! ```text
//!     q_i = max(μ(x_i) + βσ(x_i) − min μ, 0)
//!     cargo run --release --example custom_quality
//! ```

use spargo::allocate::{Allocation, QualityFunction};
use spargo::data::AllocationContext;
use spargo::space::{Dimension, Space, Value};
use spargo::study::{Config, Extensions, Outcome, Study, Trial};
use spargo::{Error, Result};

#[derive(Debug)]
struct UpperBound {
    beta: f64,
}

impl QualityFunction for UpperBound {
    fn name(&self) -> &str {
        "upper-bound"
    }

    fn evaluate(&self, context: &AllocationContext, _: usize) -> Result<Vec<f64>> {
        let [posterior] = context.outputs() else {
            let what = "the list of outputs of the quality 'upper-bound'".into();
            return Err(Error::Shape { what, found: context.outputs().len(), expected: 1 });
        };
        let worst = posterior.mean().iter().copied().fold(f64::INFINITY, f64::min);
        let rows = posterior.mean().iter().zip(posterior.variance());
        Ok(rows.map(|(mean, variance)| (mean + self.beta * variance.sqrt() - worst).max(0.0)).collect())
    }
}

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("custom-quality-{}.db", std::process::id()));
    let space = Space::new(vec![Dimension::real("x", -2.0, 2.0), Dimension::real("y", -2.0, 2.0)])?;
    let mut config = Config { initial: 30.into(), batch: 10, inducing: 15.into(), ..Config::new(space) };
    config.allocation = Allocation::custom(UpperBound { beta: 2.0 });
    config.model.exact_until = 15;
    let mut study = Study::create(&path, config)?;
    for count in [30, 10, 10] {
        let trials = study.ask(count)?;
        study.tell(&evaluated(&trials))?;
    }
    drop(study);

    // The file has the quality's name: the study can be read without it, but not asked.
    let mut bare = Study::open(&path)?;
    println!("{} trials; without the quality: {}", bare.history().records().len(), refusal(bare.ask(10))?);
    drop(bare);

    let mut study = Study::open(&path)?.with_extensions(&Extensions::default().with_quality(UpperBound { beta: 2.0 }));
    let trials = study.ask(10)?;
    study.tell(&evaluated(&trials))?;
    let best = study.best()?.map(|best| best.observed.value);
    println!("best of {} trials with it: {}", study.history().records().len(), best.unwrap_or(f64::NAN));
    drop(study);
    std::fs::remove_file(&path).map_err(|error| unexpected(&error.to_string()))
}

/// Two hills, the higher one at (1, 1).
fn evaluated(trials: &[Trial]) -> Vec<(u64, Outcome)> {
    let value = |trial: &Trial| match trial.point[..] {
        [Value::Real(x), Value::Real(y)] => {
            let hill = |height: f64, at: f64| height * (-(x - at).powi(2) - (y - at).powi(2)).exp();
            Outcome::value(hill(2.0, 1.0) + hill(1.0, -1.0))
        }
        _ => Outcome::failed("not a point of this space"),
    };
    trials.iter().map(|trial| (trial.id, value(trial))).collect()
}

/// Why an ask was refused.
fn refusal(asked: Result<Vec<Trial>>) -> Result<String> {
    match asked {
        Err(error) if error.to_string().contains("'upper-bound'") => Ok(error.to_string()),
        Err(error) => Err(error),
        Ok(_) => Err(unexpected("an ask without the quality")),
    }
}

fn unexpected(what: &str) -> Error {
    Error::Unsupported { what: what.into(), remedy: "report it".into() }
}
