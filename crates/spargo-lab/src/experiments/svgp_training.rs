//! Training of a variational model with Gaussian noise: hyperparameters and q together by Adam, on all rows.
//!
//! ```text
//!     (θ̂, q̂) = argmax  ELBO(θ, q) + log prior(θ)
//! ```
//!
//! Adam sees an unconstrained vector: the free elements of θ, then w, then S column by column from the diagonal down, with
//! log Sⱼⱼ in place of Sⱼⱼ. A model that cannot be computed at some vector has a loss of NaN: Adam turns back.

use super::adam::{Adam, minimize};
use crate::error::Result;
use spargo::data::Dataset;
use spargo::kernel::Role;
use spargo::linalg::{Mat, MatRef};
use spargo::model::params::search_interval;
use spargo::model::svgp::{Svgp, Variational};
use spargo::model::{Hyperparameters, Likelihood, Priors};

/// What is trained, on what.
#[derive(Debug, Clone)]
pub(super) struct SvgpTraining<'a> {
    pub data: &'a Dataset,
    /// Z, [m, d].
    pub z: MatRef<'a>,
    /// Whether priors join the objective.
    pub priors: Priors,
    /// Parameters that are not searched.
    pub fixed: Vec<Role>,
    pub adam: Adam,
}

impl SvgpTraining<'_> {
    /// Trains from `start` and `q`; they are kept if the bound is higher there than where the search ended.
    pub fn train(&self, start: &Hyperparameters, q: &Variational) -> Result<(Hyperparameters, Variational)> {
        let before = self.penalised(start, q);
        let roles = start.roles();
        let free: Vec<usize> = (0..roles.len()).filter(|&i| !self.fixed.contains(&roles[i])).collect();
        let bounds: Vec<(f64, f64)> = free.iter().map(|&i| search_interval(roles[i])).collect();
        let theta = start.to_vector();
        // Adam knows no bounds: it moves freely, and the model sees the nearest θ inside the box.
        let at = |values: &[f64]| {
            let (mut theta, mut hyper) = (theta.clone(), start.clone());
            let inside = values.iter().zip(&bounds).map(|(t, (lower, upper))| t.max(*lower).min(*upper));
            free.iter().zip(inside).for_each(|(&i, value)| theta[i] = value);
            hyper.set_vector(&theta);
            hyper
        };
        let mut origin: Vec<f64> = free.iter().map(|&i| theta[i]).collect();
        origin.extend(to_vector(q));
        let minimum = minimize(&origin, &self.adam, |vector, slope| {
            let (values, rest) = vector.split_at(free.len());
            let Ok((loss, of_theta, of_q)) = self.loss(&at(values), q.len(), rest) else { return f64::NAN };
            let (slope_of_theta, slope_of_q) = slope.split_at_mut(free.len());
            slope_of_theta.iter_mut().zip(&free).for_each(|(out, &i)| *out = of_theta[i]);
            slope_of_q.copy_from_slice(&of_q);
            turn_inwards(&bounds, values, slope_of_theta);
            loss
        });
        let (values, rest) = minimum.point.split_at(free.len());
        let (hyper, found) = (at(values), from_vector(q.len(), rest)?);
        match (self.penalised(&hyper, &found), before) {
            (Ok(after), Ok(before)) if after < before => Ok((start.clone(), q.clone())),
            (Ok(_), _) => Ok((hyper, found)),
            (Err(_), Ok(_)) => Ok((start.clone(), q.clone())),
            (Err(error), Err(_)) => Err(error),
        }
    }

    fn model<'b>(&'b self, hyper: &'b Hyperparameters) -> spargo::Result<Svgp<'b>> {
        Svgp::new(hyper, self.data, self.z, Likelihood::Gaussian)
    }

    /// −(ELBO + log prior)/N with its slopes in θ and in the vector of q.
    fn loss(&self, hyper: &Hyperparameters, m: usize, vector: &[f64]) -> Result<(f64, Vec<f64>, Vec<f64>)> {
        let q = from_vector(m, vector)?;
        let mut bound = self.model(hyper)?.elbo_gradient(&q)?;
        let scale = -1.0 / self.data.len() as f64;
        let prior = self.priors.add_log_density(hyper, &hyper.to_vector(), &mut bound.theta);
        let of_q = vector_gradient(&q, &bound.mu, bound.sqrt.as_ref());
        let scaled = |slope: Vec<f64>| slope.into_iter().map(|s| scale * s).collect();
        Ok((scale * (bound.value + prior), scaled(bound.theta), scaled(of_q)))
    }

    /// ELBO + log prior.
    fn penalised(&self, hyper: &Hyperparameters, q: &Variational) -> Result<f64> {
        let theta = hyper.to_vector();
        let prior = self.priors.add_log_density(hyper, &theta, &mut vec![0.0; theta.len()]);
        let value = self.model(hyper)?.elbo(q)? + prior;
        if value.is_finite() {
            return Ok(value);
        }
        let remedy = "start from less extreme hyperparameters".into();
        Err(spargo::Error::Unsupported { what: "a bound that is not finite".into(), remedy }.into())
    }
}

/// Outside the box, a slope that leads further out is none.
fn turn_inwards(bounds: &[(f64, f64)], theta: &[f64], slope: &mut [f64]) {
    for ((slope, &t), &(lower, upper)) in slope.iter_mut().zip(theta).zip(bounds) {
        if (t > upper && *slope < 0.0) || (t < lower && *slope > 0.0) {
            *slope = 0.0;
        }
    }
}

/// The unconstrained vector of q.
fn to_vector(q: &Variational) -> Vec<f64> {
    let mut vector = q.mu().to_vec();
    for j in 0..q.len() {
        vector.push(q.sqrt()[(j, j)].ln());
        vector.extend((j + 1..q.len()).map(|i| q.sqrt()[(i, j)]));
    }
    vector
}

/// q from its unconstrained vector of M + M(M + 1)/2 numbers; refused if these overflow.
fn from_vector(m: usize, vector: &[f64]) -> spargo::Result<Variational> {
    let (mu, mut rest) = vector.split_at(m);
    let mut sqrt = Mat::zeros(m, m);
    for j in 0..m {
        let (column, later) = rest.split_at(m - j);
        sqrt.col_as_slice_mut(j)[j..].copy_from_slice(column);
        sqrt[(j, j)] = column[0].exp();
        rest = later;
    }
    Variational::new(mu.to_vec(), sqrt)
}

/// The gradient in the unconstrained vector of q, from those in w and S.
fn vector_gradient(q: &Variational, mu: &[f64], sqrt: MatRef<'_>) -> Vec<f64> {
    let mut gradient = mu.to_vec();
    for j in 0..q.len() {
        gradient.push(q.sqrt()[(j, j)] * sqrt[(j, j)]);
        gradient.extend((j + 1..q.len()).map(|i| sqrt[(i, j)]));
    }
    gradient
}

#[cfg(test)]
mod tests {
    use super::*;
    use spargo::kernel::{Family, Kernel};
    use spargo::linalg::select_rows;
    use spargo::model::{FitOptions, HyperparameterObjective, Inference, fit};
    use spargo::rng::{Purpose, normal, stream, uniform};

    /// A smooth function with noise of variance 0.09.
    fn data(n: usize) -> Dataset {
        let mut rng = stream(1, Purpose::Data, 0, 0);
        let x = Mat::from_fn(n, 2, |_, _| uniform(&mut rng));
        let f = |i: usize| (3.0 * x[(i, 0)]).sin() + (3.0 * x[(i, 1)] + 1.0).sin();
        let y = (0..n).map(|i| f(i) + 0.3 * normal(&mut rng)).collect();
        Dataset::new(x, y).unwrap()
    }

    fn inducing(data: &Dataset, m: usize) -> Mat {
        select_rows(data.x(), &(0..m).map(|i| i * data.len() / m).collect::<Vec<_>>())
    }

    fn start() -> Hyperparameters {
        Hyperparameters::cold(Kernel::stationary(Family::Matern52, 1.0, 0.3, 2))
    }

    fn training<'a>(data: &'a Dataset, z: &'a Mat, adam: Adam) -> SvgpTraining<'a> {
        SvgpTraining { data, z: z.as_ref(), priors: Priors::Off, fixed: Vec::new(), adam }
    }

    fn example() -> Variational {
        let sqrt = Mat::from_fn(4, 4, |i, j| if i < j { 0.0 } else { 0.3 + 0.2 * i as f64 - 0.15 * j as f64 });
        Variational::new(vec![0.4, -1.0, 0.2, 3.0], sqrt).unwrap()
    }

    #[test]
    fn training_reaches_the_collapsed_bound() {
        let data = data(300);
        let z = inducing(&data, 25);
        let fitting = FitOptions {
            hyperparameters: HyperparameterObjective::Bound,
            inference: Inference::Sparse,
            priors: Priors::Off,
            ..FitOptions::default()
        };
        let best = fit(&start(), &data, z.as_ref(), &fitting).unwrap().report.objective;
        let training = training(&data, &z, Adam::default());
        let (hyper, q) = training.train(&start(), &Variational::prior(25)).unwrap();
        // In nats per row: not converged after 1,000 steps, but near.
        let gap = (best - training.penalised(&hyper, &q).unwrap()) / 300.0;
        assert!(gap.abs() < 1e-2, "{gap}");
    }

    #[test]
    fn fixed_parameters_stay() {
        let data = data(60);
        let z = inducing(&data, 6);
        let adam = Adam { max_iterations: 20, ..Adam::default() };
        let training = SvgpTraining { fixed: vec![Role::Lengthscale, Role::Mean], ..training(&data, &z, adam) };
        let (hyper, _) = training.train(&start(), &Variational::prior(6)).unwrap();
        let (theta, before, roles) = (hyper.to_vector(), start().to_vector(), hyper.roles());
        for i in 0..theta.len() {
            let free = !training.fixed.contains(&roles[i]);
            assert_eq!((theta[i] - before[i]).abs() > 1e-10, free, "{:?}", roles[i]);
        }
    }

    /// Outcomes without noise drive its logarithm to −∞, were it not for the box.
    #[test]
    fn training_stays_in_the_box() {
        let data = Dataset::new(data(20).x().to_owned(), vec![0.0; 20]).unwrap();
        let z = data.x().to_owned();
        let adam = Adam { learning_rate: 1.0, max_iterations: 300, ..Adam::default() };
        let (hyper, _) = training(&data, &z, adam).train(&start(), &Variational::prior(20)).unwrap();
        let intervals = hyper.roles().into_iter().map(search_interval);
        let theta = hyper.to_vector();
        let slack = 1e-9;
        assert!(
            theta.iter().zip(intervals).all(|(t, (low, high))| low - slack <= *t && *t <= high + slack),
            "{theta:?}"
        );
    }

    #[test]
    fn a_search_that_fails_keeps_the_start() {
        // Steps so long that S overflows: every loss but the first is lost.
        let data = data(30);
        let z = inducing(&data, 5);
        let training = training(&data, &z, Adam { learning_rate: 1e200, ..Adam::default() });
        let found = training.train(&start(), &Variational::prior(5)).unwrap();
        assert_eq!(found.1, Variational::prior(5));
        assert_eq!(found.0.to_vector(), start().to_vector());
    }

    #[test]
    fn extreme_outcomes_are_refused() {
        let data = Dataset::new(data(12).x().to_owned(), vec![1e200; 12]).unwrap();
        let z = inducing(&data, 4);
        assert!(training(&data, &z, Adam::default()).train(&start(), &Variational::prior(4)).is_err());
    }

    #[test]
    fn outside_the_box_only_slopes_that_lead_back_remain() {
        // Adam moves against the slope.
        let mut slope = [0.5, -0.5, 0.5, -0.5, 0.5];
        turn_inwards(&[(-1.0, 1.0); 5], &[2.0, 2.0, -2.0, -2.0, 0.0], &mut slope);
        assert_eq!(slope, [0.5, 0.0, 0.0, -0.5, 0.5]);
    }

    #[test]
    fn the_unconstrained_vector_returns() {
        let q = example();
        let again = from_vector(4, &to_vector(&q)).unwrap();
        assert_eq!(q.mu(), again.mu());
        assert!((q.sqrt() - again.sqrt()).norm_max() < 1e-15);
    }

    #[test]
    fn gradients_reach_the_unconstrained_vector() {
        let q = example();
        // ∂KL/∂w = w and ∂KL/∂S = S − diag(1/Sⱼⱼ)
        let sqrt = Mat::from_fn(4, 4, |i, j| q.sqrt()[(i, j)] - if i == j { 1.0 / q.sqrt()[(i, j)] } else { 0.0 });
        let found = vector_gradient(&q, q.mu(), sqrt.as_ref());
        let vector = to_vector(&q);
        assert_eq!(found.len(), vector.len());
        for k in 0..vector.len() {
            let at = |h: f64| {
                let mut moved = vector.clone();
                moved[k] += h;
                from_vector(4, &moved).unwrap().kl()
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((found[k] - slope).abs() < 1e-8, "{k}: {} {slope}", found[k]);
        }
    }
}
