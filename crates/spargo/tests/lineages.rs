//! The policy of trust regions with memory, step by step, on outcomes that a test makes up.

use spargo::acquire::optimizer::{Lineage, Memory, RegionNews, TrustRegions};
use spargo::acquire::{ParetoState, Scale};
use spargo::linalg::Mat;
use spargo::space::{Dimension, Space};

const INPUTS: usize = 4;

/// Trials with outcomes, as a study would report them.
struct Told {
    points: Vec<[f64; INPUTS]>,
    outcomes: Vec<Vec<f64>>,
    violations: Vec<f64>,
    /// Trials that were discarded.
    discarded: Vec<u64>,
    /// Whether new trials are results of the user's own.
    is_added: bool,
    policy: Memory,
}

fn space() -> Space {
    Space::new((0..INPUTS).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect()).unwrap()
}

fn fresh() -> Memory {
    Memory::resume(&serde_json::Value::Null, &space(), 1.0)
}

impl Told {
    fn new() -> Self {
        let (points, outcomes, violations, discarded) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Told { points, outcomes, violations, discarded, is_added: false, policy: fresh() }
    }

    /// Tells trials at these points, and how many failed next to the first of them; the policy is read from its state first.
    fn tell(&mut self, trials: &[([f64; INPUTS], f64)], failed: usize) -> &Lineage {
        let before = self.points.len();
        self.points.extend(trials.iter().map(|(point, _)| point));
        self.outcomes.extend(trials.iter().map(|(_, value)| vec![*value]));
        self.violations.resize(self.points.len(), 0.0);
        self.update(before, failed)
    }

    fn update(&mut self, before: usize, failed: usize) -> &Lineage {
        let known: Vec<usize> = (0..self.points.len()).filter(|&i| !self.discarded.contains(&(i as u64 + 1))).collect();
        let observed = Mat::from_fn(known.len(), INPUTS, |i, k| self.points[known[i]][k]);
        let ids: Vec<u64> = known.iter().map(|&i| i as u64 + 1).collect();
        let outcomes: Vec<Vec<f64>> = known.iter().map(|&i| self.outcomes[i].clone()).collect();
        let violations: Vec<f64> = known.iter().map(|&i| self.violations[i]).collect();
        let objectives = self.outcomes[0].len();
        let pareto = ParetoState {
            means: outcomes.clone(),
            violations: violations.clone(),
            incumbents: vec![0],
            scales: vec![Scale { reference: 0.0, range: 1.0 }; objectives],
            deviations: Vec::new(),
        };
        let new: Vec<usize> = (0..known.len()).filter(|&row| known[row] >= before).collect();
        let failed = Mat::from_fn(failed, INPUTS, |_, k| self.points[before.min(self.points.len() - 1)][k]);
        self.policy = Memory::resume(&self.policy.state(), &space(), 1.0);
        self.policy.update(&RegionNews {
            observed: observed.as_ref(),
            trials: &ids,
            pareto: &pareto,
            outcomes: &outcomes,
            violations: &violations,
            failed: failed.as_ref(),
            new: &new,
            asked: &vec![!self.is_added; known.len()],
        });
        &self.policy.lineages()[0]
    }

    /// Tells ten random trials with outcomes around a value: a lineage begins.
    fn begin(&mut self, value: f64) -> &Lineage {
        let first = self.points.len();
        let point =
            |i: usize| std::array::from_fn(|k| ((first + i + 1) as f64 * [0.618, 0.414, 0.732, 0.236][k]).fract());
        let trials: Vec<_> = (0..10).map(|i| (point(i), value - 0.1 * i as f64)).collect();
        self.tell(&trials, 0)
    }

    /// Tells four trials next to the centre.
    fn near(&mut self, value: f64) -> &Lineage {
        let lineage = &self.policy.lineages()[0];
        let (centre, side) = (lineage.centre.clone(), lineage.side);
        let shift = 0.2 * side / (1.0 + self.points.len() as f64);
        let trials: Vec<_> =
            (1..=4).map(|i| (std::array::from_fn(|k| centre[k] + shift * (i + k) as f64), value)).collect();
        self.tell(&trials, 0)
    }
}

fn ended(policy: &Memory) -> Vec<(u64, bool)> {
    let state = policy.state();
    let one = |one: &serde_json::Value| (one["number"].as_u64().unwrap(), one["converged"].as_bool().unwrap());
    state["ended"].as_array().unwrap().iter().map(one).collect()
}

/// Results outside the ranges are used, but no point is asked for there.
#[test]
fn a_region_stays_inside_the_space() {
    let mut told = Told::new();
    let [_, b, c, d] = told.begin(0.0).centre[..] else { panic!("four inputs") };
    assert_eq!(told.tell(&[([1.3, b, c, d], 5.0)], 0).centre, [1.0, b, c, d]);
    for side in [0.5, 0.25, 0.125, 0.0625, 0.03125] {
        let inside: Vec<_> = (1..=4).map(|i| ([1.0 - 1e-3 * f64::from(i), b, c, d], 0.0)).collect();
        assert_eq!(told.tell(&inside, 0).side, side);
    }
}

#[test]
fn a_state_that_cannot_be_is_not_resumed() {
    let mut told = Told::new();
    told.begin(0.0);
    let state = told.policy.state();
    let evaluated = |state: &serde_json::Value| {
        let policy = Memory::resume(state, &space(), 1.0);
        policy.lineages().first().map_or(0, |lineage| lineage.evaluated)
    };
    assert_eq!(evaluated(&state), 10);
    for (key, value) in
        [("trials", serde_json::json!([0])), ("evaluated", u64::MAX.into()), ("number", u64::MAX.into())]
    {
        let mut damaged = state.clone();
        damaged["lineages"][0][key] = value;
        assert_eq!(evaluated(&damaged), 0, "{key}");
    }
}

#[test]
fn a_region_shrinks_with_failures_grows_with_successes_and_ends() {
    let mut told = Told::new();
    let lineage = told.begin(0.0);
    assert_eq!((lineage.number, lineage.side, lineage.evaluated), (0, 1.0, 10));
    let best = told.points[0];
    assert_eq!(told.policy.lineages()[0].centre, best);
    assert_eq!(told.near(-1.0).side, 0.5);
    assert_eq!(told.near(-1.0).side, 0.25);
    // Three steps with a success in a row; the centre moves along.
    assert_eq!((told.near(0.1).side, told.near(0.2).side), (0.25, 0.25));
    let lineage = told.near(0.3);
    assert_eq!((lineage.side, lineage.successes, lineage.failures), (0.5, 0, 0));
    assert_ne!(told.policy.lineages()[0].centre, best);
    for side in [0.25, 0.125, 0.0625, 0.03125] {
        assert_eq!(told.near(-1.0).side, side);
    }
    let lineage = told.near(-1.0);
    assert_eq!((lineage.number, lineage.side, lineage.evaluated), (1, 1.0, 0));
    assert!(lineage.is_beginning());
    assert_eq!(ended(&told.policy), [(0, true)]);
}

#[test]
fn a_lineage_without_hope_is_dropped_and_one_with_hope_is_not() {
    for (gains, is_dropped) in [([0.0; 5], true), ([1.0, 2.0, 4.0, 5.0, 6.0], false)] {
        let mut told = Told::new();
        told.begin(10.0);
        while told.policy.lineages()[0].number == 0 {
            told.near(0.0);
        }
        // Two begin, with ten random trials each.
        told.begin(-5.0);
        let first = told.begin(-5.0);
        assert_eq!((first.number, first.is_beginning()), (1, false));
        assert!(told.policy.lineages()[1].number == 2 && !told.policy.lineages()[1].is_beginning());
        for gain in gains {
            told.near(-5.0 + gain);
        }
        assert_eq!(ended(&told.policy)[1..] == [(1, false)], is_dropped, "{:?}", told.policy.state());
        let numbers: Vec<u64> = told.policy.lineages().iter().map(|lineage| lineage.number).collect();
        assert_eq!(numbers, if is_dropped { [2, 3] } else { [1, 2] });
        // The one with the better outlook has two elements of three.
        let own = (0..300).filter(|&number| told.policy.lineage_of(1, number) == Some(0)).count();
        assert!((own as i64 - if is_dropped { 150 } else { 200 }).abs() < 10, "{own}");
    }
}

#[test]
fn failures_and_infeasible_trials_count_and_nothing_new_changes_nothing() {
    let mut told = Told::new();
    told.begin(0.0);
    let before = told.policy.state();
    told.update(told.points.len(), 0);
    assert_eq!(told.policy.state(), before);
    // Four failed points next to the centre are four without a success.
    told.near(0.5);
    let lineage = told.policy.lineages()[0].clone();
    assert_eq!((lineage.side, lineage.successes), (1.0, 1));
    told.tell(&[], 4);
    assert_eq!(told.policy.lineages()[0].side, 0.5, "{:?}", told.policy.state());
    // What is better but infeasible is no success.
    let count = told.points.len();
    let centre = told.policy.lineages()[0].centre.clone();
    for i in 1..=4 {
        told.points.push(std::array::from_fn(|k| centre[k] + 0.01 * (i + k) as f64));
        told.outcomes.push(vec![9.0]);
        told.violations.push(1.0);
    }
    let lineage = told.update(count, 0);
    assert_eq!((lineage.side, &lineage.centre), (0.25, &centre));
}

/// A lineage of several objectives goes its own way along the front.
#[test]
fn lineages_of_several_objectives_have_weights_of_their_own() {
    let mut told = Told::new();
    for i in 0..10 {
        let t = i as f64 / 9.0;
        told.points.push([t; INPUTS]);
        told.outcomes.push(vec![t, 1.0 - t]);
        told.violations.push(0.0);
    }
    told.update(0, 0);
    let first = told.policy.lineages()[0].centre[0];
    let mut other = None;
    while other.is_none() {
        let centre = told.policy.lineages()[0].centre.clone();
        let count = told.points.len();
        let is_beginning = centre.is_empty();
        for i in 0..10 {
            let t = i as f64 / 9.0;
            let shift = 1e-3 * (count + i) as f64 / 1e3;
            told.points.push(std::array::from_fn(|k| if is_beginning { t } else { centre[k] + shift }));
            told.outcomes.push(if is_beginning { vec![t, 1.0 - t] } else { vec![0.0, 0.0] });
            told.violations.push(0.0);
        }
        let lineage = told.update(count, 0);
        other = (lineage.number > 0 && !lineage.is_beginning()).then(|| lineage.centre[0]);
    }
    assert!((0.0..=1.0).contains(&first) && Some(first) != other, "{first} {other:?}");
}

#[test]
fn elements_belong_to_lineages_as_their_shares_say() {
    let mut told = Told::new();
    told.begin(0.0);
    let state = told.policy.state();
    for (share, expected) in [(1.0, 1000), (0.5, 500), (0.0, 0)] {
        let policy = Memory::resume(&state, &space(), share);
        let own = (0..1000).filter(|&number| policy.lineage_of(3, number) == Some(0)).count();
        assert!((own as i64 - expected).abs() <= 5, "{own}");
    }
    // The state of another policy, or of another space, is not gone on with.
    for foreign in [serde_json::json!({ "side": 0.5 }), serde_json::json!([1, 2])] {
        assert!(Memory::resume(&foreign, &space(), 1.0).lineages().is_empty());
    }
    let line = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    assert!(Memory::resume(&state, &line, 1.0).lineages().is_empty());
}

/// Points that were asked for before a region moved or shrank are told long after.
#[test]
fn a_late_trial_belongs_to_the_lineage_whose_region_has_moved_away() {
    for (is_added, evaluated) in [(false, 27), (true, 26)] {
        let mut told = Told::new();
        told.begin(0.0);
        for side in [0.5, 0.25, 0.125, 0.0625] {
            assert_eq!(told.near(-1.0).side, side);
        }
        let centre = told.policy.lineages()[0].centre.clone();
        let far = std::array::from_fn(|k| if centre[k] < 0.5 { centre[k] + 0.4 } else { centre[k] - 0.4 });
        told.is_added = is_added;
        let lineage = told.tell(&[(far, 7.0)], 0);
        assert_eq!(lineage.evaluated, evaluated);
        assert_eq!(lineage.centre == far, !is_added);
        // What failed there is one more without a success.
        told.is_added = false;
        let before = told.policy.lineages()[0].evaluated;
        told.points.push([0.99; INPUTS]);
        told.outcomes.push(vec![-9.0]);
        told.violations.push(0.0);
        let last = told.points.len();
        assert_eq!(told.update(last, 1).evaluated, before + 1);
    }
}

#[test]
fn a_lineage_whose_best_trial_is_discarded_is_centred_on_the_next() {
    let mut told = Told::new();
    told.begin(0.0);
    told.near(5.0);
    let (count, evaluated) = (told.points.len(), told.policy.lineages()[0].evaluated);
    told.discarded = (11..=14).collect();
    let first = told.points[0];
    let lineage = told.update(count, 0);
    assert_eq!((&lineage.centre[..], lineage.evaluated), (&first[..], evaluated));
    assert!(lineage.trials.iter().all(|&trial| trial <= 10) && lineage.curve.iter().all(|(_, trial)| *trial <= 10));
    told.discarded = (1..=14).collect();
    told.points.push([0.5; INPUTS]);
    told.outcomes.push(vec![1.0]);
    told.violations.push(0.0);
    let lineage = told.update(count, 0);
    assert!(lineage.is_beginning(), "{lineage:?}");
    assert_eq!((lineage.number, lineage.evaluated, &lineage.trials[..]), (0, 1, &[15][..]));
}
