//! Batches by several outputs, over every kind of space.

use super::functions::reference;
use super::outputs::models;
use super::*;
use spargo::acquire::optimizer::Excluded;
use spargo::acquire::{Ehvi, Fantasy, Rule};
use spargo::math::pareto;
use spargo::{Error, Result};

fn mixed() -> Space {
    Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::int("b", 0, 6)]).unwrap()
}

impl Problem<'_> {
    fn batch(&self, rule: &str, count: usize, excluded: &mut Excluded) -> Result<Mat> {
        self.with(|context| Rule::by_name(rule).unwrap().batch(context, 0..count, excluded))
    }

    /// The total violation, by posterior means.
    fn violations(&self, at: &Mat) -> Vec<f64> {
        let first = self.models.len() - self.bounds.len();
        let means: Vec<Vec<f64>> = self.models[first..].iter().map(|m| m.mean(at.as_ref()).unwrap()).collect();
        let violation = |i: usize| self.bounds.iter().zip(&means).map(|(b, means)| b.violation(means[i])).sum();
        (0..at.nrows()).map(violation).collect()
    }
}

/// The rules of several objectives.
const RULES: [&str; 3] = ["thompson", "hippo", "ehvi"];

#[test]
fn every_rule_fills_batches_in_every_space() {
    let models = models(4, 1.0, NOISE);
    let bounds = [ConstraintBounds::at_least(-0.3), ConstraintBounds::at_most(0.8)];
    let (square, mixed, table) = (square(), mixed(), table(60));
    let rules = ["thompson", "hippo", "ehvi", "log-ei", "gibbon"];
    for (space, rule) in [&square, &mixed, &table].into_iter().flat_map(|s| rules.map(|rule| (s, rule))) {
        // One to three objectives, none or two constraints.
        for (outputs, bounds) in [(1, &bounds[..0]), (3, &bounds[..0]), (3, &bounds[..]), (4, &bounds[..])] {
            let objectives = outputs - bounds.len();
            if (rule == "log-ei" && objectives > 1) || (rule == "gibbon" && outputs > 1) {
                continue;
            }
            let failed = Mat::from_fn(3, 2, |i, k| [[0.9, 0.9], [0.9, 0.8], [0.8, 0.9]][i][k]);
            let case = Problem { failed, pending: pending(), ..Problem::new(&models[..outputs], bounds, space) };
            let mut excluded = Excluded::default();
            let first = rows(case.batch(rule, 6, &mut excluded).unwrap().as_ref());
            let again = rows(case.batch(rule, 6, &mut Excluded::default()).unwrap().as_ref());
            assert_eq!(first, again, "{rule}");
            let second = rows(case.batch(rule, 3, &mut excluded).unwrap().as_ref());
            let all: Vec<Vec<f64>> = [first, second].concat();
            for (i, point) in all.iter().enumerate() {
                assert!(!all[..i].contains(point), "{rule} chose {point:?} twice");
                let back = space.encode(&space.decode(point).unwrap()).unwrap();
                assert_eq!(&back, point, "{rule}");
            }
            assert_eq!(all.len(), 9);
        }
    }
}

#[test]
fn batches_satisfy_the_constraints() {
    let models = models(3, 1.0, 1e-4);
    let (square, bounds) = (square(), [ConstraintBounds::at_least(0.5)]);
    for rule in RULES {
        let case = Problem::new(&models, &bounds, &square);
        let free = Problem::new(&models[..2], &[], &square);
        let feasible = |batch: &Mat| case.violations(batch).iter().filter(|&&v| v < 0.05).count();
        let kept = feasible(&case.batch(rule, 20, &mut Excluded::default()).unwrap());
        let without = feasible(&free.batch(rule, 20, &mut Excluded::default()).unwrap());
        assert!(kept >= 18 && without < 12, "{rule}: {kept} of 20, without constraint {without}");
    }
}

/// Nothing that is known is feasible: the batch goes where it is least infeasible.
#[test]
fn without_feasible_points_violation_comes_first() {
    let models = models(3, 1.0, 1e-4);
    let at = points(24, 2);
    let highest = models[2].mean(at.as_ref()).unwrap().into_iter().fold(f64::MIN, f64::max);
    let (square, bounds) = (square(), [ConstraintBounds::at_least(highest + 0.3)]);
    let case = Problem::new(&models, &bounds, &square);
    case.with(|context| assert!(!context.pareto.is_feasible()));
    let mut known = case.violations(&at);
    known.sort_by(f64::total_cmp);
    let thompson = case.batch("thompson", 8, &mut Excluded::default()).unwrap();
    for rule in RULES {
        let batch = case.batch(rule, 8, &mut Excluded::default()).unwrap();
        assert_eq!(batch, thompson, "{rule}");
        let mut found = case.violations(&batch);
        found.sort_by(f64::total_cmp);
        assert!(found[4] < known[3], "{rule}: {found:?} {known:?}");
    }
}

/// The acquisition function of a point, given the pending ones, by its printed formula.
fn printed(rule: &str, case: &Problem<'_>, x: MatRef<'_>, pending: &Mat) -> f64 {
    let mut front = case.with(|context| context.pareto.front());
    let told = if rule == "ehvi" { pending.clone() } else { none() };
    let feasible: Vec<f64> = case.violations(&told);
    let means: Vec<Vec<f64>> = case.models.iter().map(|model| model.mean(pending.as_ref()).unwrap()).collect();
    let joining = (0..told.nrows()).filter(|&i| feasible[i] == 0.0).map(|i| vec![means[0][i], means[1][i]]);
    front.extend(joining);
    let front: Vec<Vec<f64>> = pareto::front(&front).into_iter().map(|row| front[row].clone()).collect();
    let at: Vec<_> = case
        .models
        .iter()
        .map(|model| Fantasy::new(model, NOISE, told.as_ref()).unwrap().moments(x).unwrap()[0])
        .collect();
    let alpha = Ehvi::new(&front, &reference(&front)).unwrap().value(&at[..2])
        + case.bounds[0].log_probability(at[2].mean, at[2].conditional);
    if rule == "ehvi" {
        return alpha;
    }
    let variances: Vec<Vec<f64>> =
        case.models.iter().map(|model| model.predict(pending.as_ref()).unwrap().variance).collect();
    let away = (0..pending.nrows()).map(|i| {
        let part = |k: usize| (at[k].mean - means[k][i]) / variances[k][i].sqrt();
        (2.0 / std::f64::consts::PI * part(0).hypot(part(1)).atan()).ln()
    });
    alpha + away.sum::<f64>()
}

/// Each point of a table is the best given the pending ones and those before it; some of them have feasible means.
#[test]
fn batches_are_greedy_by_their_formulae() {
    let models = models(3, 1.0, NOISE);
    let (table, bounds) = (table(150), [ConstraintBounds::at_least(0.0)]);
    let pending = pending().subrows(0, 2).to_owned();
    let case = Problem { pending: pending.clone(), ..Problem::new(&models, &bounds, &table) };
    let candidates = table.candidates().unwrap();
    for rule in ["hippo", "ehvi"] {
        let chosen = case.batch(rule, 5, &mut Excluded::default()).unwrap();
        assert!(case.violations(&chosen).contains(&0.0));
        for step in 0..5 {
            let row = |i: usize, k: usize| if i < 2 { pending[(i, k)] } else { chosen[(i - 2, k)] };
            let so_far = Mat::from_fn(2 + step, 2, row);
            let excluded = |i: usize| (0..step).any(|j| chosen.row(j) == candidates.row(i));
            let value = |x: MatRef<'_>| printed(rule, &case, x, &so_far);
            let free = (0..150).filter(|&i| !excluded(i));
            let best = free.map(|i| value(candidates.subrows(i, 1))).fold(f64::MIN, f64::max);
            let found = value(chosen.as_ref().subrows(step, 1));
            assert!(found >= best - 1e-8, "{rule}, point {step}: {found} {best}");
        }
    }
}

#[test]
fn tables_that_are_too_small_and_too_many_objectives_are_refused() {
    let models = models(4, 1.0, NOISE);
    let small = table(5);
    for rule in RULES {
        let case = Problem::new(&models[..2], &[], &small);
        let refused = case.batch(rule, 6, &mut Excluded::default());
        assert_eq!(refused.unwrap_err(), Error::Exhausted { wanted: 6, left: 5 }, "{rule}");
        let four = Problem::new(&models, &[], &small);
        assert_eq!(four.batch(rule, 2, &mut Excluded::default()).is_ok(), rule == "thompson");
    }
}
