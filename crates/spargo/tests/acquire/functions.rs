//! What holds for every acquisition function: gradients are differences, extremes stay finite, useless settings are refused.

use super::outputs::models;
use super::*;
use spargo::acquire::{FeasibilityWeighted, Hippo, LogEhvi, Moments, PosteriorMean, Scale};

/// An acquisition function from outside the library, by which all points are alike.
#[derive(Debug)]
struct Indifferent;

impl AcquisitionFunction for Indifferent {
    fn given_pending(&self, _: &[Moments]) -> f64 {
        0.0
    }

    fn gradient(&self, _: &[Moments], out: &mut [Moments]) {
        out[0] = Moments::default();
    }
}

/// Outcomes of up to three objectives of which none dominates another in all three.
pub fn front(objectives: usize, unit: f64) -> Vec<Vec<f64>> {
    let rows = [[0.9, 0.1, 0.3], [0.6, 0.5, -0.2], [0.1, 0.8, 0.7], [-0.3, 0.9, 0.2]];
    rows.iter().map(|row| row[..objectives].iter().map(|v| unit * v).collect()).collect()
}

/// The worst of a front, and a tenth of its range below it.
pub fn reference(front: &[Vec<f64>]) -> Vec<f64> {
    let below = |k: usize| {
        let own = front.iter().map(|row| row[k]);
        let (low, high) = (own.clone().fold(f64::MAX, f64::min), own.fold(f64::MIN, f64::max));
        low - 0.1 * (high - low)
    };
    (0..front[0].len()).map(below).collect()
}

/// The state whose front that is.
pub fn pareto_state(objectives: usize, unit: f64) -> ParetoState {
    let means = front(objectives, unit);
    let scale = |k: usize| Scale::of(&means.iter().map(|row| row[k]).collect::<Vec<_>>());
    let scales = (0..objectives).map(scale).collect();
    ParetoState { means, violations: vec![0.0; 4], incumbents: vec![0, 1, 2, 3], scales, deviations: vec![1.0; 2] }
}

type Made = Box<dyn AcquisitionFunction>;

/// Every acquisition function of one output.
fn of_one(context: &Context<'_>, unit: f64) -> Vec<(&'static str, Made)> {
    let maxima = [1.1, 1.6, -2.0].map(|maximum| maximum * unit).to_vec();
    vec![
        ("log EI", Box::new(LogEi::new(0.4 * unit).unwrap())),
        ("GIBBON", Box::new(Gibbon::new(maxima, context.objectives[0].noise).unwrap())),
        ("GIBBON with paths", Box::new(Gibbon::of(context).unwrap())),
        ("BALD", Box::new(Bald)),
        ("straddle", Box::new(Straddle::new(0.5 * unit).unwrap())),
        ("posterior mean", Box::new(PosteriorMean::of(context))),
        ("log EHVI of one", Box::new(LogEhvi::of(context).unwrap())),
    ]
}

/// Calls with every acquisition function and its context, in these units.
pub fn for_each_function(
    unit: f64,
    noise: f64,
    mut check: impl FnMut(&str, &mut dyn AcquisitionFunction, &Context<'_>),
) {
    let (models, square) = (models(4, unit, noise), square());
    let two = [ConstraintBounds::at_least(0.2 * unit), ConstraintBounds { at_least: -0.5 * unit, at_most: 0.4 * unit }];
    for (objectives, bounds) in [(1, &two[..0]), (2, &two[..0]), (3, &two[..0]), (1, &two[..]), (2, &two[..])] {
        let outputs = &models[..objectives + bounds.len()];
        let options = AcquisitionOptions { pool: 100, ..AcquisitionOptions::default() };
        let problem = Problem { noise: noise * unit * unit, options, ..Problem::new(outputs, bounds, &square) };
        let pareto = pareto_state(objectives, unit);
        problem.with(|context| {
            let context = &Context { pareto: &pareto, ..*context };
            let (ehvi, hippo) = (LogEhvi::of(context).unwrap(), Hippo::of(context).unwrap());
            let log_ei = LogEi::new(0.4 * unit).unwrap();
            let functions: Vec<(&str, Made)> = match (objectives, bounds.len()) {
                (1, 0) => of_one(context, unit),
                (_, 0) => vec![("log EHVI", Box::new(ehvi)), ("HIPPO", Box::new(hippo))],
                (1, _) => vec![
                    ("constrained log EI", Box::new(FeasibilityWeighted::new(log_ei, context))),
                    ("constrained log EHVI of one", Box::new(FeasibilityWeighted::new(ehvi, context))),
                    ("probability of feasibility", Box::new(FeasibilityWeighted::new(Indifferent, context))),
                ],
                _ => vec![
                    ("constrained log EHVI", Box::new(FeasibilityWeighted::new(ehvi, context))),
                    ("constrained HIPPO", Box::new(FeasibilityWeighted::new(hippo, context))),
                ],
            };
            functions.into_iter().for_each(|(name, mut function)| check(name, &mut *function, context));
        });
    }
}

/// The gradient as one list: mean, variance and conditional variance of each output.
fn gradient(function: &dyn AcquisitionFunction, at: &[Moments]) -> Vec<f64> {
    let mut out = vec![Moments::default(); at.len()];
    function.gradient(at, &mut out);
    out.iter().flat_map(|out| [out.mean, out.variance, out.conditional]).collect()
}

/// The moments with one of their numbers moved by h.
fn moved(at: &[Moments], number: usize, h: f64) -> Vec<Moments> {
    let mut at = at.to_vec();
    let one = &mut at[number / 3];
    *[&mut one.mean, &mut one.variance, &mut one.conditional][number % 3] += h;
    at
}

#[test]
fn gradients_agree_with_central_differences() {
    let cases = [(0.0, 0.3, 0.2), (0.9, 1.0, 1.0), (-4.0, 0.2, 0.02), (30.0, 0.5, 0.1), (0.4, 2.0, 1e-3)];
    let cases = cases.map(|(mean, variance, conditional)| Moments { mean, variance, conditional });
    for_each_function(1.0, NOISE, |name, function, context| {
        function.add_pending(context, pending().as_ref()).unwrap();
        let outputs = context.outputs().count();
        for first in 0..cases.len() {
            let at: Vec<Moments> = (0..outputs).map(|k| cases[(first + k) % cases.len()]).collect();
            let found = gradient(function, &at);
            for (number, found) in found.into_iter().enumerate() {
                let one = at[number / 3];
                let step = [1e-4, 1e-3 * one.variance, 1e-3 * one.conditional][number % 3];
                let value = |h: f64| function.value(&moved(&at, number, h));
                let slope = |h: f64| (value(h) - value(-h)) / (2.0 * h);
                let expected = (4.0 * slope(step / 2.0) - slope(step)) / 3.0;
                // A sum of logarithms is rounded as its terms are, though it may be close to 0.
                let rounding = 4.0 * f64::EPSILON * function.value(&at).abs().max(1.0) / step;
                let rounding = if outputs > 1 { rounding } else { 0.0 };
                let close = (found - expected).abs() <= 1e-8 * expected.abs().max(1e-2) + rounding;
                assert!(close, "{name} at {at:?}, number {number}: {found} {expected}");
            }
        }
    });
}

#[test]
fn extreme_moments_stay_finite() {
    let variances = [0.0, 1e-320, 1e-300, 1e-20, 1.0, 1e20, 1e300];
    let means = [-f64::MAX, -1e200, -1e5, 0.0, 0.4, 1e-300, 1e8, 1e200, f64::MAX];
    let pairs = variances.iter().flat_map(|&v| variances.map(|c| (v, c))).filter(|(v, c)| c <= v);
    let extremes: Vec<Moments> =
        pairs.flat_map(|(variance, conditional)| means.map(|mean| Moments { mean, variance, conditional })).collect();
    let usual = Moments { mean: 0.4, variance: 1.0, conditional: 0.5 };
    for noise in [0.0, 1e-300, 0.1] {
        // The models' own noise cannot be nil, but an observation's may be.
        for_each_function(1.0, NOISE, |name, function, context| {
            function.add_pending(context, pending().as_ref()).unwrap();
            let mut gibbon = Gibbon::new(vec![1.1, 1.6, -2.0], noise).unwrap();
            let function: &mut dyn AcquisitionFunction = if name == "GIBBON" { &mut gibbon } else { function };
            let outputs = context.outputs().count();
            for &extreme in &extremes {
                let alone = |own: usize| (0..outputs).map(|k| if k == own { extreme } else { usual }).collect();
                for at in (0..outputs).map(alone).chain([vec![extreme; outputs]]) {
                    let (value, slopes) = (function.value(&at), gradient(function, &at));
                    assert!(value.is_finite(), "{name} {at:?}, noise {noise}: {value}");
                    assert!(slopes.iter().all(|slope| slope.is_finite()), "{name} {at:?}, noise {noise}: {slopes:?}");
                }
            }
        });
    }
}

/// What pending points take from the information is a matter of variances alone: those of f, and of the noise.
#[test]
fn the_noise_of_gibbon_is_a_variance() {
    let (models, square) = (models(1, 1.0, 0.01), square());
    let (variance, conditional, noise) = (0.9, 0.2, 0.01);
    let problem = Problem { noise, ..Problem::new(&models, &[], &square) };
    let gibbon = problem.with(|context| Gibbon::of(context).unwrap());
    let found = gibbon.given_pending(&[Moments { mean: 0.3, variance, conditional }]);
    let expected = 0.5 * f64::ln((conditional + noise) / (variance + noise));
    assert!((found - expected).abs() < 1e-14, "{found} {expected}");
}

#[test]
fn useless_settings_are_refused() {
    assert!(LogEi::new(f64::NAN).is_err() && LogEi::new(0.4).is_ok());
    assert!(Straddle::new(f64::NEG_INFINITY).is_err() && Straddle::new(0.5).is_ok());
    for maxima in [vec![], vec![1.0, f64::INFINITY]] {
        assert!(Gibbon::new(maxima, NOISE).is_err());
    }
    assert!(Gibbon::new(vec![1.0], f64::NAN).is_err() && Gibbon::new(vec![1.0], NOISE).is_ok());
    let (models, square) = (models(4, 1.0, NOISE), square());
    Problem::new(&models, &[], &square).with(|context| {
        assert!(LogEhvi::of(context).is_err() && Hippo::of(context).is_err(), "of four objectives");
        let pareto = ParetoState { means: vec![vec![f64::NAN; 2]], ..pareto_state(2, 1.0) };
        let pareto = ParetoState { violations: vec![0.0], incumbents: vec![0], ..pareto };
        let context = Context { pareto: &pareto, ..*context };
        assert!(LogEhvi::of(&context).is_err() && Hippo::of(&context).is_err(), "of NaN");
    });
}
