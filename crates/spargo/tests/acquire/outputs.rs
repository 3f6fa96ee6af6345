//! Acquisition functions and paths of several outputs.

use super::functions::{for_each_function, front, pareto_state, reference};
use super::*;
use spargo::acquire::{Chebyshev, ConstrainedObjective, Ehvi, FeasibilityWeighted, Hippo, SampledConstraint, Scale};
use spargo::acquire::{Fantasised, Fantasy};
use spargo::data::Dataset;
use spargo::math::normal::{cdf, log_cdf};
use spargo::model::exact;
use spargo::sample::Paths;

/// Outcomes of different shapes at the same points, in these units.
pub fn models(count: usize, unit: f64, noise: f64) -> Vec<Posterior> {
    let x = points(24, 2);
    let model = |k: usize| {
        let y =
            (0..24).map(|i| unit * ((4.0 - k as f64) * x[(i, 0)] + 1.7 * k as f64 - 2.0 * x[(i, 1)]).sin()).collect();
        let lengthscales = vec![0.4 + 0.1 * k as f64, 0.6];
        let kernel =
            Kernel::Stationary(Stationary { family: Family::Matern52, variance: 1.3 * unit * unit, lengthscales });
        let hyper = Hyperparameters { kernel, mean: 0.1 * unit, noise: noise * unit * unit };
        exact::infer(&hyper, &Dataset::new(x.clone(), y).unwrap()).unwrap().posterior
    };
    (0..count).map(model).collect()
}

fn sampling() -> SamplingOptions {
    SamplingOptions { features: 64, block: 4 }
}

const RNG: StepRng = StepRng { seed: 1, step: 2 };

/// Calls with every acquisition function, and with every objective of paths, in these units.
fn for_each_objective(unit: f64, noise: f64, mut check: impl FnMut(&str, &dyn BatchedObjective)) {
    let pending = pending();
    for_each_function(unit, noise, |name, function, context| {
        for few in [0, 4] {
            let some = pending.as_ref().subrows(0, if function.fantasises() { few } else { 0 });
            let fantasies = context.outputs().map(|output| Fantasy::new(output.posterior, output.noise, some));
            let fantasies: Vec<Fantasy<'_>> = fantasies.collect::<Result<_, _>>().unwrap();
            check(name, &Fantasised::new(&fantasies, function));
            // Next to a penalised point differences are inaccurate: tests/acquire/functions.rs has the penalties' gradients.
            if function.fantasises() {
                function.add_pending(context, pending.as_ref()).unwrap();
            }
        }
    });
    let models = models(4, unit, noise);
    let scale = Scale { reference: -0.9 * unit, range: 1.7 * unit };
    for objectives in 1..=3 {
        let scaled: Vec<(&Posterior, Scale)> = models[..objectives].iter().map(|model| (model, scale)).collect();
        let chebyshev = Chebyshev::draw(&scaled, 3..8, &sampling(), RNG).unwrap();
        check("Chebyshev", &chebyshev);
        let sampled = |(model, bounds): (usize, ConstraintBounds)| SampledConstraint {
            paths: Paths::draw(&models[model], 50..55, &sampling(), RNG).unwrap(),
            bounds,
            deviation: 0.4 * unit,
        };
        let bounds = [
            (3, ConstraintBounds::at_least(0.1 * unit)),
            (2, ConstraintBounds { at_least: -0.7 * unit, at_most: 0.5 * unit }),
        ];
        let constraints: Vec<SampledConstraint> = bounds.map(sampled).into();
        check("constrained Chebyshev", &ConstrainedObjective { acquisition: chebyshev, constraints });
    }
}

/// No two branches meet within a difference of these points.
#[test]
fn values_are_scores_and_gradients_are_differences() {
    let at = Mat::from_fn(25, 2, |i, k| (0.141 + 0.173 * i as f64 + 0.391 * k as f64).fract());
    let mut seen = 0;
    for_each_objective(1.0, NOISE, |name, acquisition| {
        assert_gradient(name, acquisition, at.as_ref(), 1e-6);
        seen += 1;
    });
    assert_eq!(seen, 2 * 16 + 6);
}

/// Far from data, at data without noise, in huge and tiny units: numbers, all of them.
#[test]
fn extreme_points_and_units_stay_finite() {
    let data = points(24, 2);
    let far = Mat::from_fn(30, 2, |i, k| match i {
        0..24 => data[(i, k)],
        24..27 => pending()[(i - 24, k)],
        _ => [1e3, -1e9, 0.5][i - 27],
    });
    for (unit, noise) in [(1.0, 1e-14), (1e-60, 1e-9), (1e60, 1e-9), (1.0, 1e-6)] {
        for_each_objective(unit, noise, |name, acquisition| {
            let scores = acquisition.score(far.as_ref()).unwrap();
            assert!(flat(scores.as_ref()).iter().all(|v| v.is_finite()), "{name} in units of {unit}: {scores:?}");
            let (values, gradient) = acquisition.value_gradient(&[0; 30], far.as_ref()).unwrap();
            let finite = values.iter().chain(&flat(gradient.as_ref())).all(|v| v.is_finite());
            assert!(finite, "{name} in units of {unit}, noise {noise}");
        });
    }
}

#[test]
fn elements_and_points_that_do_not_fit_are_refused() {
    for_each_objective(1.0, NOISE, |_, acquisition| {
        let at = points(2, 2);
        assert!(acquisition.value_gradient(&[0], at.as_ref()).is_err());
        assert!(acquisition.value_gradient(&[0, acquisition.elements()], at.as_ref()).is_err());
        assert!(acquisition.value_gradient(&[0, 0], Mat::zeros(2, 3).as_ref()).is_err());
        assert!(acquisition.score(Mat::from_fn(1, 2, |_, _| f64::NAN).as_ref()).is_err());
    });
    assert!(Chebyshev::draw(&[], 0..1, &sampling(), RNG).is_err());
}

/// The printed sum, from predictions.
#[test]
fn hippo_within_constraints_is_the_sum_of_its_logarithms() {
    let (models, square) = (models(4, 1.0, NOISE), square());
    let bounds = [ConstraintBounds::at_least(0.2), ConstraintBounds { at_least: -0.5, at_most: 0.4 }];
    let pareto = pareto_state(2, 1.0);
    let fantasies: Vec<Fantasy<'_>> =
        models.iter().map(|model| Fantasy::new(model, NOISE, none().as_ref()).unwrap()).collect();
    let (at, pending) = (points(9, 2), pending().subrows(0, 2).to_owned());
    let found = Problem::new(&models, &bounds, &square).with(|context| {
        let context = Context { pareto: &pareto, ..*context };
        let mut function = FeasibilityWeighted::new(Hippo::of(&context).unwrap(), &context);
        function.add_pending(&context, pending.as_ref()).unwrap();
        Fantasised::new(&fantasies, &function).score(at.as_ref()).unwrap()
    });
    let predictions: Vec<_> = models.iter().map(|model| model.predict(at.as_ref()).unwrap()).collect();
    let expected_of = |k: usize| models[k].predict(pending.as_ref()).unwrap();
    let there = [expected_of(0), expected_of(1)];
    for i in 0..9 {
        let (mean, sd) = (|k: usize| predictions[k].mean[i], |k: usize| predictions[k].variance[i].sqrt());
        let z = |limit: f64, k: usize| (limit - mean(k)) / sd(k);
        let within = log_cdf(-z(0.2, 2)) + (cdf(z(0.4, 3)) - cdf(z(-0.5, 3))).ln();
        let offset = |k: usize, p: usize| (mean(k) - there[k].mean[p]) / there[k].variance[p].sqrt();
        let away: f64 = (0..2)
            .map(|p| (offset(0, p).powi(2) + offset(1, p).powi(2)).sqrt())
            .map(|d: f64| (2.0 / std::f64::consts::PI * d.atan()).ln())
            .sum();
        let moments: Vec<_> =
            fantasies[..2].iter().map(|fantasy| fantasy.moments(at.as_ref().subrows(i, 1)).unwrap()[0]).collect();
        let front = front(2, 1.0);
        let expected = Ehvi::new(&front, &reference(&front)).unwrap().value(&moments) + within + away;
        assert!((found[(i, 0)] - expected).abs() < 1e-9 * expected.abs(), "{} {expected}", found[(i, 0)]);
    }
}

#[test]
fn scalarisations_are_the_printed_minimum_over_independent_paths() {
    let models = models(2, 1.0, NOISE);
    let scales = [Scale { reference: -0.9, range: 1.7 }, Scale { reference: 0.2, range: 0.3 }];
    let objectives = [(&models[0], scales[0]), (&models[1], scales[1])];
    let chebyshev = Chebyshev::draw(&objectives, 2..9, &sampling(), RNG).unwrap();
    let at = points(40, 2);
    let scores = chebyshev.score(at.as_ref()).unwrap();
    let values = [0, 1].map(|k| chebyshev.paths(k).values(at.as_ref()).unwrap());
    for (i, element) in (0..40).flat_map(|i| (0..7).map(move |element| (i, element))) {
        let part = |k: usize| {
            chebyshev.weights(element)[k] * (values[k][(i, element)] - scales[k].reference) / scales[k].range
        };
        assert!((scores[(i, element)] - part(0).min(part(1))).abs() < 1e-12);
    }
    // An element does not depend on those drawn with it.
    let alone = Chebyshev::draw(&objectives, 5..6, &sampling(), RNG).unwrap().score(at.as_ref()).unwrap();
    assert_close("alone", &flat(alone.as_ref()), &flat(scores.as_ref().subcols(3, 1)), 1e-9);
    // One model twice: its two paths have nothing in common but their mean.
    let twice = Chebyshev::draw(&[objectives[0], objectives[0]], 0..400, &sampling(), RNG).unwrap();
    let there = points(1, 2);
    let draws = [0, 1].map(|k| flat(twice.paths(k).values(there.as_ref()).unwrap().as_ref()));
    let mean = draws.clone().map(|draws| draws.iter().sum::<f64>() / 400.0);
    let moment = |a: usize, b: usize| (0..400).map(|j| (draws[a][j] - mean[a]) * (draws[b][j] - mean[b])).sum::<f64>();
    let correlation = moment(0, 1) / (moment(0, 0) * moment(1, 1)).sqrt();
    assert!(correlation.abs() < 4.0 / 20.0, "{correlation}");
}

#[test]
fn weights_are_uniform_on_the_simplex() {
    let models = models(3, 1.0, NOISE);
    let objectives: Vec<_> = models.iter().map(|model| (model, Scale { reference: 0.0, range: 1.0 })).collect();
    let few = SamplingOptions { features: 1, block: 4000 };
    let chebyshev = Chebyshev::draw(&objectives, 0..4000, &few, StepRng { seed: 5, step: 6 }).unwrap();
    for k in 0..3 {
        let own: Vec<f64> = (0..4000).map(|element| chebyshev.weights(element)[k]).collect();
        let mean = own.iter().sum::<f64>() / 4000.0;
        let variance = own.iter().map(|w| (w - 1.0 / 3.0).powi(2)).sum::<f64>() / 4000.0;
        // Beta(1, 2): mean 1/3, variance 1/18.
        assert!((mean - 1.0 / 3.0).abs() < 4.0 * (1.0f64 / 18.0 / 4000.0).sqrt(), "{mean}");
        assert!((variance - 1.0 / 18.0).abs() < 0.004, "{variance}");
        // P(λ < t) = 1 − (1 − t)².
        let below = own.iter().filter(|&&w| w < 0.2).count() as f64 / 4000.0;
        assert!((below - 0.36).abs() < 4.0 * (0.36f64 * 0.64 / 4000.0).sqrt(), "{below}");
    }
    assert!((0..4000).all(|element| (chebyshev.weights(element).iter().sum::<f64>() - 1.0).abs() < 1e-14));
}

/// By the definition; and whatever is feasible is above whatever is not.
#[test]
fn feasible_values_are_above_all_others() {
    let models = models(3, 1.0, NOISE);
    let scale = Scale { reference: 0.3, range: 0.5 };
    let chebyshev = Chebyshev::draw(&[(&models[0], scale)], 0..6, &sampling(), RNG).unwrap();
    let sampled = |model: usize, bounds: ConstraintBounds| {
        let paths = Paths::draw(&models[model], 100..106, &sampling(), RNG).unwrap();
        SampledConstraint { paths, bounds, deviation: 0.25 }
    };
    let constraints =
        [sampled(1, ConstraintBounds::at_least(0.1)), sampled(2, ConstraintBounds { at_least: -0.6, at_most: 0.5 })];
    let at = points(200, 2);
    let u = chebyshev.score(at.as_ref()).unwrap();
    let paths = [0, 1].map(|c: usize| constraints[c].paths.values(at.as_ref()).unwrap());
    let constrained = ConstrainedObjective { acquisition: chebyshev, constraints: constraints.into() };
    let found = constrained.score(at.as_ref()).unwrap();
    let mut counts = [0; 3];
    for (i, element) in (0..200).flat_map(|i| (0..6).map(move |element| (i, element))) {
        let at_least = f64::max(0.1 - paths[0][(i, element)], 0.0);
        let between = f64::max(paths[1][(i, element)] - 0.5, 0.0) + f64::max(-0.6 - paths[1][(i, element)], 0.0);
        let (u, violation) = (u[(i, element)], (at_least + between) / 0.25);
        let (kind, expected) = match (violation > 0.0, u < 0.0) {
            (true, _) => (0, -1.0 - violation),
            (false, true) => (1, u / (1.0 - u)),
            (false, false) => (2, u),
        };
        counts[kind] += 1;
        assert!((found[(i, element)] - expected).abs() < 1e-12);
        assert_eq!(found[(i, element)] > -1.0, kind > 0);
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn points_are_compared_by_their_means() {
    let models = models(3, 1.0, NOISE);
    let output = |k: usize| OutputModel { posterior: &models[k], noise: NOISE };
    let objectives = [output(0), output(1)];
    let at = points(50, 2);
    let mean: Vec<Vec<f64>> = models.iter().map(|model| model.mean(at.as_ref()).unwrap()).collect();
    let mut sorted = mean[2].clone();
    sorted.sort_by(f64::total_cmp);
    // A third of the points is feasible, then none.
    for (limit, feasible) in [(sorted[33], 17), (sorted[49] + 0.1, 0)] {
        let constraints = [Constraint { output: output(2), bounds: ConstraintBounds::at_least(limit) }];
        let pareto = ParetoState::new(&objectives, &constraints, at.as_ref()).unwrap();
        assert_eq!(pareto.violations.iter().filter(|&&v| v == 0.0).count(), feasible);
        assert_eq!(pareto.is_feasible(), feasible > 0);
        let average = mean[2].iter().sum::<f64>() / 50.0;
        let deviation = (mean[2].iter().map(|m| (m - average).powi(2)).sum::<f64>() / 50.0).sqrt();
        for i in 0..50 {
            assert_close("violation", &[pareto.violations[i]], &[(limit - mean[2][i]).max(0.0) / deviation], 1e-9);
            let dominates = |j: usize| mean[0][j] >= mean[0][i] && mean[1][j] >= mean[1][i] && j != i;
            let on_front = mean[2][i] >= limit && !(0..50).any(|j| mean[2][j] >= limit && dominates(j));
            assert!(feasible == 0 || pareto.incumbents.contains(&i) == on_front, "{i}");
        }
        if feasible == 0 {
            assert!(pareto.front().is_empty() && pareto.incumbents.len() == 20);
            assert_close("closest", &[mean[2][pareto.incumbents[0]]], &[sorted[49]], 1e-12);
        } else {
            assert_eq!(pareto.front().len(), pareto.incumbents.len());
        }
        let low = mean[0].iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(pareto.scales[0].reference, low);
    }
    assert!(ParetoState::new(&[], &[], at.as_ref()).is_err());
    assert!(ParetoState::new(&objectives, &[], none().as_ref()).is_err());
    let crossed = [Constraint { output: output(2), bounds: ConstraintBounds { at_least: 1.0, at_most: 0.0 } }];
    assert!(ParetoState::new(&objectives, &crossed, at.as_ref()).is_err());
}
