//! The two ways to search θ and q together.
//!
//! A model that cannot be computed at some θ has a loss of NaN: optimizers turn back and keep the best they have seen.

use super::Variational;
use super::batches::RunningMean;
use super::train::{Found, Problem};
use crate::data::Dataset;
use crate::error::Result;
use crate::model::Hyperparameters;
use crate::optim::{Adam, Bounds, adam, minimize};

/// L-BFGS-B over θ; at each θ the optimal q, from the last one.
///
/// ∂ELBO/∂q vanishes at the optimal q, so the slope of max_q ELBO is ∂ELBO/∂θ at that q (the envelope theorem).
pub(super) fn nested(problem: &Problem<'_>, start: &Variational) -> Found {
    let mut q = start.clone();
    let mut evaluate = |theta: &[f64], slope: &mut [f64]| -> Result<f64> {
        let hyper = problem.search.at(theta);
        let model = problem.model(&hyper, problem.data)?;
        let optimal = model.optimal(&q, &problem.settings.natural)?;
        let loss = problem.loss(&hyper, model.elbo_gradient(&optimal)?, slope);
        if loss.is_finite() {
            q = optimal;
        }
        Ok(loss)
    };
    let (origin, bounds) = (problem.search.origin(), &problem.search.bounds);
    let minimum =
        minimize(&origin, bounds, &problem.settings.lbfgsb, |theta, slope| evaluate(theta, slope).unwrap_or(f64::NAN));
    let hyper = problem.search.at(&minimum.point);
    // The last q belongs to the last θ tried, not to the best.
    let model = problem.model(&hyper, problem.data);
    let q = model.and_then(|model| model.optimal(&q, &problem.settings.natural)).unwrap_or(q);
    Found { hyper, q, minimum }
}

/// Adam over θ and the unconstrained vector of q.
pub(super) fn joint(problem: &Problem<'_>, start: &Variational) -> Found {
    let mut batches = problem.batches();
    let mut mean = RunningMean::new(batches.per_epoch());
    let options = in_epochs(&problem.settings.adam, batches.per_epoch());
    let mut origin = problem.search.origin();
    let free = origin.len();
    origin.extend(start.to_vector());
    let minimum = adam::minimize(&origin, &options, |at, slope| {
        let (theta, vector) = at.split_at(free);
        let q = Variational::from_vector(start.len(), vector);
        mean.push(joint_slope(problem, &batches.next(), theta, &q, slope).unwrap_or(f64::NAN))
    });
    let (theta, vector) = minimum.point.split_at(free);
    let q = Variational::from_vector(start.len(), vector);
    Found { hyper: at_projected(problem, theta), q, minimum }
}

/// The loss on the batch, with its slope in θ and then in q.
fn joint_slope(
    problem: &Problem<'_>,
    batch: &Dataset,
    theta: &[f64],
    q: &Variational,
    slope: &mut [f64],
) -> Result<f64> {
    let hyper = at_projected(problem, theta);
    let bound = problem.model(&hyper, batch)?.elbo_gradient(q)?;
    let (of_theta, of_q) = slope.split_at_mut(theta.len());
    let gradient = q.vector_gradient(&bound.mu, bound.sqrt.as_ref());
    of_q.iter_mut().zip(gradient).for_each(|(out, g)| *out = problem.scale() * g);
    let loss = problem.loss(&hyper, bound, of_theta);
    turn_inwards(&problem.search.bounds, theta, of_theta);
    Ok(loss)
}

/// Adam knows no bounds: it moves freely, and the model sees the nearest θ inside the box.
fn at_projected(problem: &Problem<'_>, theta: &[f64]) -> Hyperparameters {
    let Bounds { lower, upper } = &problem.search.bounds;
    let inside: Vec<f64> = theta.iter().enumerate().map(|(i, &t)| t.max(lower[i]).min(upper[i])).collect();
    problem.search.at(&inside)
}

/// Outside the box, a slope that leads further out is none.
fn turn_inwards(bounds: &Bounds, theta: &[f64], slope: &mut [f64]) {
    for (i, slope) in slope.iter_mut().enumerate() {
        let outwards = (theta[i] > bounds.upper[i] && *slope < 0.0) || (theta[i] < bounds.lower[i] && *slope > 0.0);
        if outwards {
            *slope = 0.0;
        }
    }
}

/// Adam's counts of steps, from counts of epochs.
fn in_epochs(options: &Adam, batches: usize) -> Adam {
    Adam {
        patience: options.patience.saturating_mul(batches),
        halve_patience: options.halve_patience.saturating_mul(batches),
        max_iterations: options.max_iterations.saturating_mul(batches),
        ..*options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_the_box_only_slopes_that_lead_back_remain() {
        let bounds = Bounds::new(vec![-1.0; 5], vec![1.0; 5]);
        // Adam moves against the slope.
        let mut slope = [0.5, -0.5, 0.5, -0.5, 0.5];
        turn_inwards(&bounds, &[2.0, 2.0, -2.0, -2.0, 0.0], &mut slope);
        assert_eq!(slope, [0.5, 0.0, 0.0, -0.5, 0.5]);
    }
}
