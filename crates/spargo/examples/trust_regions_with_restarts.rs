//! A policy of trust regions from outside the library: a region grows with successes, shrinks with failures, and is given up
//! for another one once it is too small (TuRBO: Eriksson et al. 2019).
//!
//! ```text
//!     side ← 2 side after 3 successes in a row,     side/2 after 2 failures in a row,     restart below the smallest side
//! ```

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spargo::acquire::optimizer::{Assignment, Element, RegionNews, TrustRegion, TrustRegions, is_assigned};
use spargo::linalg::row;
use spargo::space::{Dimension, Space, Value as Coordinate};
use spargo::study::{Config, Extensions, Outcome, PolicyChoice, Study, TrustRegionOptions, TrustRegionPolicy};
use spargo::{Error, Result};

const INPUTS: usize = 4;
const BATCH: usize = 10;
const STEPS: u64 = 25;
const LARGEST: f64 = 0.8;
const POLICY: Restarts = Restarts { smallest: 0.05 };

/// The policy as settings name it, with an option of its own.
#[derive(Debug)]
struct Restarts {
    smallest: f64,
}

impl TrustRegionPolicy for Restarts {
    fn name(&self) -> &str {
        "restarts"
    }

    fn resume(&self, state: &Value, options: &TrustRegionOptions) -> Result<Box<dyn TrustRegions>> {
        let read = |error| Error::Unsupported { what: format!("a region's state ({error})"), remedy: "none".into() };
        let region = match state {
            Value::Null => Region { side: LARGEST, ..Region::default() },
            state => Region::deserialize(state).map_err(read)?,
        };
        Ok(Box::new(Restarting { region, smallest: self.smallest, share: options.share.unwrap_or(1.0) }))
    }
}

/// What is remembered of one region.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Region {
    /// Trials since the last restart; the whole space is searched as long as there are none.
    trials: Vec<u64>,
    centre: Vec<f64>,
    side: f64,
    successes: usize,
    failures: usize,
    restarts: usize,
}

#[derive(Debug)]
struct Restarting {
    region: Region,
    smallest: f64,
    share: f64,
}

impl TrustRegions for Restarting {
    fn update(&mut self, news: &RegionNews<'_>) {
        let region = &mut self.region;
        let mean = |row: &usize| news.pareto.means[*row][0];
        let known: Vec<usize> = region.trials.iter().filter_map(|id| news.trials.binary_search(id).ok()).collect();
        let before = known.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
        let Some(&best) = known.iter().chain(news.new).max_by(|a, b| mean(a).total_cmp(&mean(b))) else { return };
        region.trials.extend(news.new.iter().map(|&row| news.trials[row]));
        region.centre = row(news.observed, best);
        if known.is_empty() || news.new.is_empty() {
            return;
        }
        let is_success = mean(&best) > before + 1e-3;
        (region.successes, region.failures) =
            if is_success { (region.successes + 1, 0) } else { (0, region.failures + 1) };
        if region.successes == 3 {
            (region.side, region.successes) = ((2.0 * region.side).min(LARGEST), 0);
        } else if region.failures == 2 {
            (region.side, region.failures) = (region.side / 2.0, 0);
        }
        if region.side < self.smallest {
            *region = Region { side: LARGEST, restarts: region.restarts + 1, ..Region::default() };
        }
    }

    fn propose(&self, element: &Element<'_>, _: &mut ChaCha8Rng) -> Option<TrustRegion> {
        let is_local = is_assigned(Assignment::TrustRegion, element.step, element.number, self.share);
        let reaches = element.ordered_inputs().into_iter().map(|input| (input, 0.5 * self.region.side));
        (is_local && !self.region.trials.is_empty()).then(|| TrustRegion::around(self.region.centre.clone(), reaches))
    }

    fn state(&self) -> Value {
        json!(self.region)
    }
}

/// A broad hill, and a higher one that is narrow.
fn toy(point: &[Coordinate]) -> f64 {
    let x = point.iter().map(|value| if let Coordinate::Real(x) = value { *x } else { 0.0 });
    let hill =
        |centre: f64, width: f64| (-x.clone().map(|v| (v - centre).powi(2)).sum::<f64>() / (2.0 * width * width)).exp();
    hill(0.25, 0.3) + 1.5 * hill(0.75, 0.15)
}

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("restarts-{}.db", std::process::id()));
    let extensions = Extensions::default().with_trust_regions(POLICY);
    let space = Space::new((0..INPUTS).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect())?;
    let mut config = Config { initial: BATCH.into(), batch: BATCH, ..Config::new(space) };
    config.trust_regions = TrustRegionOptions { policy: PolicyChoice::custom(POLICY), share: Some(1.0) };
    drop(Study::create(&path, config)?);
    let (mut best, mut sides, mut restarts) = (Vec::new(), Vec::new(), 0);
    for _ in 0..STEPS {
        // As if another process went on.
        let mut study = Study::open(&path)?.with_extensions(&extensions);
        let told: Vec<_> =
            study.ask(BATCH)?.iter().map(|trial| (trial.id, Outcome::value(toy(&trial.point)))).collect();
        study.tell(&told)?;
        best.push(study.history().records().iter().map(|record| toy(&record.trial.point)).fold(0.0, f64::max));
        let state: Value =
            study.history().state().and_then(|state| serde_json::from_str(state).ok()).unwrap_or_default();
        sides.extend(state["regions"]["state"]["side"].as_f64());
        restarts = state["regions"]["state"]["restarts"].as_u64().unwrap_or(0);
    }
    std::fs::remove_file(&path).ok();
    let (first, best) = (best[0], best[best.len() - 1]);
    println!("{first:.3} after the design, {best:.3} after {STEPS} steps; sides {sides:?}; {restarts} restarts");
    assert!(best > first + 0.3, "no improvement");
    assert!(restarts > 0 && sides.iter().any(|&side| side < LARGEST / 4.0), "no region became small");
    Ok(())
}
