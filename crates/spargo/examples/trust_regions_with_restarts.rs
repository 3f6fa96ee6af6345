//! A policy of trust regions from outside the library: a region grows with successes, shrinks with failures, and is given up
//! for another one once it is too small (TuRBO: Eriksson et al. 2019).
//!
//! ```text
//!     side ← 2 side after 3 successes in a row,     side/2 after 2 failures in a row,     restart below 0.05
//! ```

use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use spargo::acquire::optimizer::{
    AcquisitionOptimizer, AcquisitionOptions, Element, Excluded, TrustRegion, TrustRegions, space_filling,
};
use spargo::acquire::{Context, Output, ParetoState, thompson};
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, MatRef, row, select_rows};
use spargo::model::{Hyperparameters, exact};
use spargo::rng::{Purpose, StepRng};
use spargo::sample::SamplingOptions;
use spargo::space::{Dimension, Space};

const INPUTS: usize = 4;
const BATCH: usize = 10;
const STEPS: u64 = 25;
const LARGEST: f64 = 0.8;
const SMALLEST: f64 = 0.05;

/// One region with its history.
#[derive(Debug)]
struct Restarting {
    /// Rows observed since the last restart; the whole space is searched as long as there are none.
    rows: Vec<usize>,
    centre: Vec<f64>,
    side: f64,
    successes: usize,
    failures: usize,
    restarts: usize,
}

impl TrustRegions for Restarting {
    fn update(&mut self, observed: MatRef<'_>, pareto: &ParetoState, new: &[usize]) {
        let mean = |row: &usize| pareto.means[*row][0];
        let before = self.rows.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
        self.rows.extend(new);
        let Some(&best) = self.rows.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))) else { return };
        self.centre = row(observed, best);
        if before == f64::NEG_INFINITY {
            return;
        }
        let is_success = mean(&best) > before + 1e-3;
        (self.successes, self.failures) = if is_success { (self.successes + 1, 0) } else { (0, self.failures + 1) };
        if self.successes == 3 {
            (self.side, self.successes) = ((2.0 * self.side).min(LARGEST), 0);
        } else if self.failures == 2 {
            (self.side, self.failures) = (self.side / 2.0, 0);
        }
        if self.side < SMALLEST {
            *self = Restarting { restarts: self.restarts + 1, ..Restarting::new() };
        }
    }

    fn propose(&self, element: &Element<'_>, _: &mut ChaCha8Rng) -> Option<TrustRegion> {
        let reaches = element.ordered_inputs().into_iter().map(|input| (input, 0.5 * self.side));
        (!self.rows.is_empty()).then(|| TrustRegion::around(self.centre.clone(), reaches))
    }

    fn state(&self) -> Value {
        let &Restarting { ref rows, side, successes, failures, restarts, .. } = self;
        json!({ "rows": rows, "side": side, "successes": successes, "failures": failures, "restarts": restarts })
    }
}

impl Restarting {
    fn new() -> Self {
        Restarting { rows: Vec::new(), centre: Vec::new(), side: LARGEST, successes: 0, failures: 0, restarts: 0 }
    }
}

/// A broad hill, and a higher one that is narrow.
fn toy(x: &[f64]) -> f64 {
    let hill =
        |centre: f64, width: f64| (-x.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / (2.0 * width * width)).exp();
    hill(0.25, 0.3) + 1.5 * hill(0.75, 0.15)
}

fn main() -> spargo::Result<()> {
    let space = Space::new((0..INPUTS).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect())?;
    let kernel = Kernel::stationary(Family::Matern52, 1.0, 0.4, INPUTS);
    let hyper = Hyperparameters { kernel, mean: 0.0, noise: 1e-4 };
    let (options, sampling) = (AcquisitionOptions::default(), SamplingOptions::default());
    let (mut policy, mut excluded, mut sides) = (Restarting::new(), Excluded::default(), Vec::new());
    let mut x = space_filling(&space, 0, BATCH, &mut StepRng { seed: 1, step: 0 }.stream(Purpose::Design, 0));
    let values = |x: MatRef<'_>| (0..x.nrows()).map(|i| toy(&row(x, i))).collect::<Vec<f64>>();
    let first = values(x.as_ref()).into_iter().fold(0.0, f64::max);
    for step in 1..=STEPS {
        let posterior = exact::infer(&hyper, &Dataset::new(x.clone(), values(x.as_ref()))?)?.posterior;
        let (objectives, observed) = ([Output { posterior: &posterior, noise: hyper.noise }], x.as_ref());
        let (none, rng) = (observed.subrows(0, 0), StepRng { seed: 1, step });
        let pareto = &ParetoState::new(&objectives, &[], observed)?;
        policy.update(observed, pareto, &(x.nrows() - BATCH..x.nrows()).collect::<Vec<_>>());
        sides.push(policy.side);
        let best = select_rows(observed, &pareto.incumbents);
        let optimizer = AcquisitionOptimizer::new(&space, best.as_ref(), &options, rng)?.with_trust_regions(&policy);
        let (objectives, optimizer, sampling) = (&objectives[..], &optimizer, &sampling);
        let (constraints, level, failed, pending): (&[_], _, _, _) = (&[], None, none, none);
        let context =
            Context { objectives, constraints, level, pareto, observed, failed, pending, optimizer, sampling, rng };
        let batch = thompson(&context, 0..BATCH, &mut excluded)?;
        let all = |i: usize, k: usize| if i < x.nrows() { x[(i, k)] } else { batch[(i - x.nrows(), k)] };
        x = Mat::from_fn(x.nrows() + BATCH, INPUTS, all);
    }
    let best = values(x.as_ref()).into_iter().fold(0.0, f64::max);
    println!("{first:.3} after the design, {best:.3} after {STEPS} steps; sides {sides:?}; {}", policy.state());
    assert!(best > first + 0.3, "no improvement");
    assert!(policy.restarts > 0 && sides.iter().any(|&side| side < LARGEST / 4.0), "no region became small");
    Ok(())
}
