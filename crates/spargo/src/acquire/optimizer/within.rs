//! Local search where inputs depend on each other: in the polytope that sums cut out of a region, steps forgotten at first.
//!
//! ```text
//!     z* = argmax { u(x(z)) : z in the relaxation at x }        by spectral projected gradients, then the nearest point that may be evaluated
//! ```

use super::local_search::{MultiStart, Restart};
use super::value_gradient;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::optim::{Batch, Polytope, minimize_within};
use crate::space::Relaxation;

impl MultiStart<'_> {
    /// Maximises all restarts over inputs that are continuous or have sums, and moves them to the nearest points that may be evaluated;
    /// one that would lose by it stays where it began.
    pub(super) fn relax(&self, restarts: &mut [Restart<'_>]) -> Result<()> {
        let (before, all): (Vec<Restart<'_>>, Vec<usize>) = (restarts.to_vec(), (0..restarts.len()).collect());
        self.ascend_within(restarts, &all, true)?;
        for restart in restarts.iter_mut() {
            self.space.settle(&mut restart.point, &[]);
        }
        let points: Vec<_> = restarts.iter().map(|restart| (restart.element, &restart.point)).collect();
        let (values, _) = value_gradient(self.acquisition, &points)?;
        for ((restart, value), before) in restarts.iter_mut().zip(values).zip(before) {
            restart.value = value;
            // The start may not be a point that may be evaluated: then it is no alternative.
            if value.is_nan() || (before.value > value && self.space.contains_numbers(&before.point)) {
                *restart = before;
            }
        }
        Ok(())
    }

    /// Maximises some restarts over the continuous inputs, and with `steps` over those that have sums.
    pub(super) fn ascend_within(&self, restarts: &mut [Restart<'_>], some: &[usize], steps: bool) -> Result<()> {
        let relaxation = |&i: &usize| {
            let restart = &restarts[i];
            self.space.relaxation(&restart.point, |k| restart.ends(k), steps)
        };
        let relaxations: Vec<Relaxation<'_>> = some.iter().filter_map(relaxation).collect();
        let variables = relaxations.iter().map(|relaxation| relaxation.inputs.len()).max().unwrap_or(0);
        if variables == 0 {
            return Ok(());
        }
        let relaxations: Vec<Relaxation<'_>> = relaxations.into_iter().map(|one| one.padded(variables)).collect();
        let start = |(relaxation, &i): (&Relaxation<'_>, &usize)| {
            let mut positions = relaxation.positions(&restarts[i].point);
            positions.resize(variables, 0.0);
            positions
        };
        let starts: Vec<Vec<f64>> = relaxations.iter().zip(some).map(start).collect();
        let sets: Vec<Polytope> = relaxations.iter().map(|relaxation| relaxation.polytope.clone()).collect();
        let mut failure: Option<Error> = None;
        let optima = minimize_within(&starts, &sets, &self.options.optimizer, |batch: Batch<'_>| {
            let positions = || batch.elements.iter().zip(batch.points.chunks_exact(variables));
            let moved = |(&i, z): (&usize, &[f64])| {
                let restart = &restarts[some[i]];
                (restart.element, relaxations[i].moved(&restart.point, z))
            };
            let points: Vec<_> = positions().map(moved).collect();
            match value_gradient(self.acquisition, &points) {
                Ok((values, gradient)) => {
                    batch.values.iter_mut().zip(values).for_each(|(out, value)| *out = -value);
                    for (row, (out, (&i, z))) in
                        batch.gradients.chunks_exact_mut(variables).zip(positions()).enumerate()
                    {
                        out.fill(0.0);
                        let (inputs, slopes) = (&relaxations[i].inputs, relaxations[i].slopes(z));
                        let numbers = inputs.iter().zip(slopes).map(|(&k, slope)| -slope * gradient[(row, k)]);
                        out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number);
                    }
                }
                // The values stay NaN, with which every restart ends.
                Err(error) => failure = Some(error),
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        interrupt::poll()?;
        let moved: Vec<(usize, Vec<f64>, f64)> = optima
            .iter()
            .enumerate()
            .filter(|(_, optimum)| optimum.value.is_finite())
            .map(|(i, optimum)| {
                (some[i], relaxations[i].moved(&restarts[some[i]].point, &optimum.point), -optimum.value)
            })
            .collect();
        drop(relaxations);
        for (i, point, value) in moved {
            (restarts[i].point, restarts[i].value) = (point, value);
        }
        Ok(())
    }
}
