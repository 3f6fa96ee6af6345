//! Batches chosen by several outputs, over every kind of space.

use super::outputs::models;
use super::*;
use spargo::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions, Excluded};
use spargo::acquire::{
    Constraint, ConstraintBounds, Ehvi, Fantasy, Output, Outputs, ParetoState, Rule, Several, acquire_several,
};
use spargo::math::pareto;
use spargo::sample::SamplingOptions;
use spargo::space::{Dimension, Space};
use spargo::{Error, Result};

fn square() -> Space {
    Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::real("b", 0.0, 1.0)]).unwrap()
}

fn mixed() -> Space {
    Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::int("b", 0, 6)]).unwrap()
}

fn table(rows: usize) -> Space {
    let at = points(rows, 2);
    square().with_candidates((0..rows).map(|i| (0..2).map(|k| at[(i, k)].into()).collect()).collect()).unwrap()
}

/// A batch of a problem whose first outputs are objectives and whose others are limited.
struct Case<'a> {
    models: &'a [Posterior],
    limits: &'a [ConstraintBounds],
    space: &'a Space,
    failed: Mat<f64>,
    pending: Mat<f64>,
}

impl Case<'_> {
    fn with<T>(&self, run: impl FnOnce(&Outputs<'_>, &ParetoState) -> T) -> T {
        let all: Vec<Output<'_>> = self.models.iter().map(|posterior| Output { posterior, noise: NOISE }).collect();
        let (objectives, others) = all.split_at(self.models.len() - self.limits.len());
        let constraints: Vec<Constraint<'_>> =
            others.iter().zip(self.limits).map(|(&output, &limits)| Constraint { output, limits }).collect();
        let outputs = Outputs { objectives, constraints: &constraints };
        run(&outputs, &ParetoState::new(&outputs, points(24, 2).as_ref()).unwrap())
    }

    fn batch(&self, rule: Rule, count: usize, excluded: &mut Excluded) -> Result<Mat<f64>> {
        let (observed, sampling) = (points(24, 2), SamplingOptions { features: 200, block: 100 });
        let settings = AcquisitionOptions { pool: 1000, near: 200, ..AcquisitionOptions::default() };
        self.with(|outputs, standing| {
            let search = AcquisitionOptimizer::new(self.space, observed.as_ref(), &settings, 1, 0).unwrap();
            let several = Several {
                outputs,
                standing,
                reference: None,
                search: &search,
                sampling: &sampling,
                observed: observed.as_ref(),
                failed: self.failed.as_ref(),
                pending: self.pending.as_ref(),
                seed: 1,
                step: 0,
            };
            acquire_several(rule, &several, 0..count, excluded)
        })
    }

    /// The total violation, by posterior means.
    fn violations(&self, at: &Mat<f64>) -> Vec<f64> {
        let first = self.models.len() - self.limits.len();
        let means: Vec<Vec<f64>> = self.models[first..].iter().map(|m| m.mean(at.as_ref()).unwrap()).collect();
        let violation = |i: usize| self.limits.iter().zip(&means).map(|(l, means)| l.violation(means[i])).sum();
        (0..at.nrows()).map(violation).collect()
    }
}

#[test]
fn every_rule_fills_batches_in_every_space() {
    let models = models(4, 1.0, NOISE);
    let limits = [ConstraintBounds::at_least(-0.3), ConstraintBounds::at_most(0.8)];
    let (square, mixed, table) = (square(), mixed(), table(60));
    for (space, rule) in [&square, &mixed, &table]
        .into_iter()
        .flat_map(|s| [Rule::Thompson, Rule::Hippo, Rule::Ehvi].map(|rule| (s, rule)))
    {
        // One to three objectives, none or two constraints.
        for (outputs, limits) in [(1, &limits[..0]), (3, &limits[..0]), (3, &limits[..]), (4, &limits[..])] {
            let failed = Mat::from_fn(3, 2, |i, k| [[0.9, 0.9], [0.9, 0.8], [0.8, 0.9]][i][k]);
            let case = Case { models: &models[..outputs], limits, space, failed, pending: pending() };
            let mut excluded = Excluded::default();
            let first = rows(case.batch(rule, 6, &mut excluded).unwrap().as_ref());
            let again = rows(case.batch(rule, 6, &mut Excluded::default()).unwrap().as_ref());
            assert_eq!(first, again, "{rule:?}");
            let second = rows(case.batch(rule, 3, &mut excluded).unwrap().as_ref());
            let all: Vec<Vec<f64>> = [first, second].concat();
            for (i, point) in all.iter().enumerate() {
                assert!(!all[..i].contains(point), "{rule:?} chose {point:?} twice");
                let back = space.encode(&space.decode(point).unwrap()).unwrap();
                assert_eq!(&back, point, "{rule:?}");
            }
            assert_eq!(all.len(), 9);
        }
    }
}

#[test]
fn batches_keep_to_the_constraints() {
    let models = models(3, 1.0, 1e-4);
    let (square, limits) = (square(), [ConstraintBounds::at_least(0.5)]);
    for rule in [Rule::Thompson, Rule::Hippo, Rule::Ehvi] {
        let case = Case { models: &models, limits: &limits, space: &square, failed: none(), pending: none() };
        let free = Case { models: &models[..2], limits: &[], space: &square, failed: none(), pending: none() };
        let feasible = |batch: &Mat<f64>| case.violations(batch).iter().filter(|&&v| v < 0.05).count();
        let kept = feasible(&case.batch(rule, 20, &mut Excluded::default()).unwrap());
        let without = feasible(&free.batch(rule, 20, &mut Excluded::default()).unwrap());
        assert!(kept >= 18 && without < 12, "{rule:?}: {kept} of 20, without constraint {without}");
    }
}

/// Nothing that is known is feasible: the batch goes where it is least infeasible.
#[test]
fn without_feasible_points_violation_comes_first() {
    let models = models(3, 1.0, 1e-4);
    let at = points(24, 2);
    let highest = models[2].mean(at.as_ref()).unwrap().into_iter().fold(f64::MIN, f64::max);
    let (square, limits) = (square(), [ConstraintBounds::at_least(highest + 0.3)]);
    let case = Case { models: &models, limits: &limits, space: &square, failed: none(), pending: none() };
    case.with(|_, standing| assert!(!standing.is_feasible()));
    let mut known = case.violations(&at);
    known.sort_by(f64::total_cmp);
    let thompson = case.batch(Rule::Thompson, 8, &mut Excluded::default()).unwrap();
    for rule in [Rule::Thompson, Rule::Hippo, Rule::Ehvi] {
        let batch = case.batch(rule, 8, &mut Excluded::default()).unwrap();
        assert_eq!(batch, thompson, "{rule:?}");
        let mut found = case.violations(&batch);
        found.sort_by(f64::total_cmp);
        assert!(found[4] < known[3], "{rule:?}: {found:?} {known:?}");
    }
}

/// The worst of a front, and a tenth of its range below it.
fn reference(front: &[Vec<f64>]) -> Vec<f64> {
    let below = |k: usize| {
        let own = front.iter().map(|row| row[k]);
        let (low, high) = (own.clone().fold(9.0, f64::min), own.fold(-9.0, f64::max));
        low - 0.1 * (high - low)
    };
    (0..front[0].len()).map(below).collect()
}

/// What a point is worth beside those under way, as it is printed.
fn printed(rule: Rule, case: &Case<'_>, x: MatRef<'_, f64>, under_way: &Mat<f64>) -> f64 {
    let mut front = case.with(|_, standing| standing.front());
    let told = if rule == Rule::Ehvi { under_way.clone() } else { none() };
    let feasible: Vec<f64> = case.violations(&told);
    let means: Vec<Vec<f64>> = case.models.iter().map(|model| model.mean(under_way.as_ref()).unwrap()).collect();
    let joining = (0..told.nrows()).filter(|&i| feasible[i] == 0.0).map(|i| vec![means[0][i], means[1][i]]);
    front.extend(joining);
    let front: Vec<Vec<f64>> = pareto::front(&front).into_iter().map(|row| front[row].clone()).collect();
    let at: Vec<_> = case
        .models
        .iter()
        .map(|model| Fantasy::new(model, NOISE, told.as_ref()).unwrap().moments(x).unwrap()[0])
        .collect();
    let alpha = Ehvi::new(&front, &reference(&front)).unwrap().value(&at[..2])
        + case.limits[0].log_probability(at[2].mean, at[2].conditional);
    if rule == Rule::Ehvi {
        return alpha;
    }
    let spread: Vec<Vec<f64>> =
        case.models.iter().map(|model| model.predict(under_way.as_ref()).unwrap().variance).collect();
    let away = (0..under_way.nrows()).map(|i| {
        let part = |k: usize| (at[k].mean - means[k][i]) / spread[k][i].sqrt();
        (2.0 / std::f64::consts::PI * part(0).hypot(part(1)).atan()).ln()
    });
    alpha + away.sum::<f64>()
}

/// Each point of a table is the best beside the pending ones and those before it; of them some are believed feasible.
#[test]
fn batches_are_greedy_by_their_formulae() {
    let models = models(3, 1.0, NOISE);
    let (table, limits) = (table(150), [ConstraintBounds::at_least(0.0)]);
    let pending = pending().subrows(0, 2).to_owned();
    let case = Case { models: &models, limits: &limits, space: &table, failed: none(), pending: pending.clone() };
    let candidates = table.candidates().unwrap();
    for rule in [Rule::Hippo, Rule::Ehvi] {
        let chosen = case.batch(rule, 5, &mut Excluded::default()).unwrap();
        assert!(case.violations(&chosen).contains(&0.0));
        for step in 0..5 {
            let row = |i: usize, k: usize| if i < 2 { pending[(i, k)] } else { chosen[(i - 2, k)] };
            let under_way = Mat::from_fn(2 + step, 2, row);
            let excluded = |i: usize| (0..step).any(|j| chosen.row(j) == candidates.row(i));
            let value = |x: MatRef<'_, f64>| printed(rule, &case, x, &under_way);
            let free = (0..150).filter(|&i| !excluded(i));
            let best = free.map(|i| value(candidates.subrows(i, 1))).fold(f64::MIN, f64::max);
            let found = value(chosen.as_ref().subrows(step, 1));
            assert!(found >= best - 1e-8, "{rule:?}, point {step}: {found} {best}");
        }
    }
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let models = models(4, 1.0, NOISE);
    let small = table(5);
    for rule in [Rule::Thompson, Rule::Hippo, Rule::Ehvi] {
        let case = Case { models: &models[..2], limits: &[], space: &small, failed: none(), pending: none() };
        let refused = case.batch(rule, 6, &mut Excluded::default());
        assert_eq!(refused.unwrap_err(), Error::Exhausted { wanted: 6, left: 5 }, "{rule:?}");
        let four = Case { models: &models, limits: &[], space: &small, failed: none(), pending: none() };
        assert_eq!(four.batch(rule, 2, &mut Excluded::default()).is_ok(), rule == Rule::Thompson);
    }
}
