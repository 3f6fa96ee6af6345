//! Maxima of many acquisition functions at once: found, all different, all valid, in every space.

use spargo::acquire::optimizer::{
    AcquisitionOptimizer, AcquisitionOptions, Assignment, Excluded, Memoryless, TrustRegion, is_assigned,
};
use spargo::linalg::{Mat, MatRef};
use spargo::optim::BatchedObjective;
use spargo::rng::{Purpose, StepRng, stream, uniform};
use spargo::space::{Choices, Dimension, Domain, IntRange, RealRange, Scale, Space, Value};
use spargo::{Error, Result};
use std::collections::HashSet;

/// uⱼ(x) = −Σₖ wₖ (xₖ − cⱼₖ)², for centres c, [elements, inputs].
struct Bowls {
    centres: Mat,
}

impl Bowls {
    fn at(&self, element: usize, point: impl Fn(usize) -> f64) -> f64 {
        -(0..self.centres.ncols())
            .map(|k| (k + 1) as f64 * (point(k) - self.centres[(element, k)]).powi(2))
            .sum::<f64>()
    }
}

impl BatchedObjective for Bowls {
    fn elements(&self) -> usize {
        self.centres.nrows()
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        Ok(Mat::from_fn(pool.nrows(), self.elements(), |i, j| self.at(j, |k| pool[(i, k)])))
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let values = elements.iter().enumerate().map(|(i, &j)| self.at(j, |k| points[(i, k)])).collect();
        let slope = |i: usize, k: usize| -2.0 * (k + 1) as f64 * (points[(i, k)] - self.centres[(elements[i], k)]);
        Ok((values, Mat::from_fn(points.nrows(), points.ncols(), slope)))
    }
}

fn space(domains: Vec<Domain>) -> Space {
    let named = domains.into_iter().enumerate().map(|(k, domain)| Dimension::new(format!("x{k}"), domain));
    Space::new(named.collect()).unwrap()
}

fn real() -> Domain {
    Domain::Real(RealRange { lower: -1.0, upper: 3.0, scale: Scale::Linear })
}

fn int(upper: i64) -> Domain {
    Domain::Int(IntRange { lower: 1, upper, scale: Scale::Linear })
}

/// Values that lie ever closer together towards the upper end.
fn listed(count: usize) -> Domain {
    Dimension::values("v", &(0..count).map(|k| -1.0 / (k + 1) as f64).collect::<Vec<_>>()).domain
}

fn ordinal(count: usize) -> Domain {
    Dimension::ordinal("o", &(0..count as i64).collect::<Vec<_>>()).domain
}

fn choice(count: usize) -> Domain {
    Domain::Categorical(Choices((0..count).map(|c| Value::Choice(format!("c{c}"))).collect()))
}

fn random(rows: usize, columns: usize, scale: f64) -> Mat {
    let mut rng = stream(3, Purpose::Data, 0, 0);
    Mat::from_fn(rows, columns, |_, _| scale * uniform(&mut rng))
}

fn maximize(space: &Space, acquisition: &Bowls, settings: &AcquisitionOptions, excluded: &mut Excluded) -> Result<Mat> {
    let none = Mat::zeros(0, space.dimensions().len());
    AcquisitionOptimizer::new(space, none.as_ref(), settings, rng(1)).unwrap().maximize_within(
        acquisition,
        Vec::new(),
        excluded,
    )
}

/// Trust regions for all elements, and for half of them.
const ALL: Memoryless = Memoryless { share: 1.0 };
const HALF: Memoryless = Memoryless { share: 0.5 };

fn rng(step: u64) -> StepRng {
    StepRng { seed: 1, step }
}

fn row(a: &Mat, i: usize) -> Vec<f64> {
    a.row(i).iter().copied().collect()
}

fn assert_all_different(points: &Mat) {
    let keys: HashSet<Vec<u64>> =
        (0..points.nrows()).map(|i| row(points, i).iter().map(|v| v.to_bits()).collect()).collect();
    assert_eq!(keys.len(), points.nrows());
}

fn assert_valid(space: &Space, points: &Mat) {
    for (k, d) in space.dimensions().iter().enumerate() {
        (0..points.nrows()).for_each(|i| assert_eq!(points[(i, k)], d.domain.snap(points[(i, k)]), "input {k}"));
    }
}

#[test]
fn every_space_gives_the_true_maximum_of_every_element() {
    let spaces = [
        vec![real(), real(), real()],
        vec![real(), int(9), choice(4)],
        vec![int(1000), choice(7), real()],
        vec![int(30), choice(5), int(12)],
        vec![listed(30), ordinal(12), real()],
        vec![choice(5), ordinal(50), listed(12)],
        vec![ordinal(4000), listed(300), choice(20)],
        // Too many points to list, and none is continuous.
        vec![int(5000), choice(50), int(4000)],
    ];
    for domains in spaces {
        let space = space(domains);
        let largest: Vec<f64> = space.dimensions().iter().map(|d| d.domain.largest()).collect();
        let unit = random(60, 3, 1.0);
        let acquisition = Bowls { centres: Mat::from_fn(60, 3, |i, k| unit[(i, k)] * largest[k]) };
        let found = maximize(&space, &acquisition, &AcquisitionOptions::default(), &mut Excluded::nothing()).unwrap();
        assert_valid(&space, &found);
        for i in 0..60 {
            for (k, d) in space.dimensions().iter().enumerate() {
                let best = d.domain.snap(acquisition.centres[(i, k)]);
                // Integers between two neighbours may be a tie to rounding.
                let tie = (acquisition.at(i, |k| found[(i, k)])
                    - acquisition.at(i, |j| if j == k { best } else { found[(i, j)] }))
                .abs();
                assert!((found[(i, k)] - best).abs() < 1e-3 || tie < 1e-9, "{domains:?}", domains = space.dimensions());
            }
        }
    }
}

#[test]
fn elements_that_agree_get_different_points_next_to_each_other() {
    let space = space(vec![real(), real()]);
    // All of them outside the box, beyond the same corner.
    let acquisition = Bowls { centres: Mat::from_fn(300, 2, |_, _| 1.7) };
    let found = maximize(&space, &acquisition, &AcquisitionOptions::default(), &mut Excluded::default()).unwrap();
    assert_all_different(&found);
    assert_valid(&space, &found);
    assert!((0..300).all(|i| found[(i, 0)] > 0.999 && found[(i, 1)] > 0.999));
}

#[test]
fn elements_that_agree_get_the_best_points_of_a_finite_space_in_order() {
    let space = space(vec![int(40), int(50)]);
    let acquisition = Bowls { centres: Mat::from_fn(100, 2, |_, k| [0.31, 0.77][k]) };
    let mut excluded = Excluded::default();
    let mut all: Vec<(f64, Vec<f64>)> = Vec::new();
    for i in 0..40 {
        for j in 0..50 {
            let point = vec![space.dimensions()[0].domain.nth(i), space.dimensions()[1].domain.nth(j)];
            all.push((acquisition.at(0, |k| point[k]), point));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    excluded.insert(&all[0].1);
    excluded.insert(&all[3].1);
    let found = maximize(&space, &acquisition, &AcquisitionOptions::default(), &mut excluded).unwrap();
    let free = all.iter().enumerate().filter(|(i, _)| *i != 0 && *i != 3);
    for (i, (_, (value, _))) in (0..100).zip(free) {
        assert!((acquisition.at(0, |k| found[(i, k)]) - value).abs() < 1e-12, "{i}");
    }
    assert_eq!(excluded.len(), 102);
}

#[test]
fn a_space_without_enough_points_says_so_unless_replicates_are_allowed() {
    let space = space(vec![int(3), choice(2)]);
    let acquisition = Bowls { centres: random(7, 2, 1.0) };
    let refused = maximize(&space, &acquisition, &AcquisitionOptions::default(), &mut Excluded::default());
    assert_eq!(refused.unwrap_err(), Error::Exhausted { wanted: 7, left: 6 });
    assert_eq!(
        maximize(&space, &acquisition, &AcquisitionOptions::default(), &mut Excluded::nothing()).unwrap().nrows(),
        7
    );
}

#[test]
fn ten_thousand_points_are_all_different() {
    for domains in [vec![real(), real()], vec![int(200), int(300)], vec![int(100), choice(3), real()]] {
        let space = space(domains);
        let acquisition = Bowls { centres: Mat::from_fn(500, space.dimensions().len(), |_, _| 0.5) };
        let settings = AcquisitionOptions { pool: 500, starts: 1, ..AcquisitionOptions::default() };
        let mut excluded = Excluded::default();
        for _ in 0..20 {
            let found = maximize(&space, &acquisition, &settings, &mut excluded).unwrap();
            assert_eq!(found.nrows(), 500);
            assert_valid(&space, &found);
        }
        // Elements that were given an excluded point would leave it smaller.
        assert_eq!(excluded.len(), 10_000);
    }
}

/// An acquisition function that is NaN everywhere.
struct Nowhere;

impl BatchedObjective for Nowhere {
    fn elements(&self) -> usize {
        5
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        Ok(Mat::from_fn(pool.nrows(), 5, |_, _| f64::NAN))
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        Ok((vec![f64::NAN; elements.len()], Mat::from_fn(points.nrows(), points.ncols(), |_, _| f64::NAN)))
    }
}

#[test]
fn an_acquisition_function_without_values_still_gives_points() {
    for domains in [vec![real(), real()], vec![int(9), int(9)], vec![real(), choice(3)]] {
        let space = space(domains);
        let none = Mat::zeros(0, 2);
        let settings = AcquisitionOptions::default();
        let optimizer = AcquisitionOptimizer::new(&space, none.as_ref(), &settings, rng(1)).unwrap();
        let found = optimizer.maximize_within(&Nowhere, Vec::new(), &mut Excluded::default()).unwrap();
        assert_all_different(&found);
        assert_valid(&space, &found);
    }
}

#[test]
fn the_pool_is_dense_around_the_incumbents_and_valid_there_too() {
    let space = space(vec![real(), int(9), choice(4), real()]);
    let incumbent = Mat::from_fn(1, 4, |_, k| [0.25, 0.5, 2.0, 0.75][k]);
    let settings = AcquisitionOptions { pool: 1000, near: 1000, ..AcquisitionOptions::default() };
    let optimizer = AcquisitionOptimizer::new(&space, incumbent.as_ref(), &settings, rng(1)).unwrap();
    let points = optimizer.pool().points().to_owned();
    assert_valid(&space, &points);
    let close = |i: usize| (points[(i, 0)] - 0.25).abs() < 0.05 && (points[(i, 3)] - 0.75).abs() < 0.05;
    let (spread, near) = ((0..1000).filter(|&i| close(i)).count(), (1000..2000).filter(|&i| close(i)).count());
    assert!(spread < 30 && near > 400, "{spread} {near}");
    let moved = |k: usize| (1000..2000).filter(|&i| points[(i, k)] != incumbent[(0, k)]).count();
    assert!((0..4).all(|k| moved(k) > 200), "{:?}", [0, 1, 2, 3].map(moved));
}

#[test]
fn settings_with_which_nothing_is_found_are_refused() {
    let space = space(vec![real()]);
    let with = |change: fn(&mut AcquisitionOptions)| {
        let mut settings = AcquisitionOptions::default();
        change(&mut settings);
        settings
    };
    let changes: [fn(&mut AcquisitionOptions); 2] = [|s| s.pool = 0, |s| s.starts = 0];
    for settings in changes.map(with) {
        let none = Mat::zeros(0, 1);
        assert!(matches!(
            AcquisitionOptimizer::new(&space, none.as_ref(), &settings, rng(1)),
            Err(Error::Parameter { .. })
        ));
    }
}

#[test]
fn shares_hold_for_any_batch_size_and_independently() {
    for (model, region) in [(0.0, 0.3), (0.2, 0.2), (0.2, 0.5), (0.5, 0.5), (1.0, 0.0)] {
        for size in [1, 7, 100] {
            let elements = (0..2100 / size).flat_map(|step| (0..size).map(move |number| (step as u64, number)));
            let count = |wanted: fn(bool, bool) -> bool| {
                let both = |&(step, number): &(u64, usize)| {
                    wanted(
                        is_assigned(Assignment::LocalModel, step, number, model),
                        is_assigned(Assignment::TrustRegion, step, number, region),
                    )
                };
                elements.clone().filter(both).count() as f64 / 2100.0
            };
            let close = |found: f64, expected: f64| (found - expected).abs() < 0.03;
            assert!(close(count(|model, _| model), model) && close(count(|_, region| region), region), "{size}");
            let found = count(|model, region| !model && region);
            assert!(close(found, (1.0 - model) * region), "{model} {region} {size}: {found}");
        }
    }
}

#[test]
fn elements_with_a_region_stay_in_it_and_find_its_best_point() {
    let space = space(vec![real(); 3]);
    let incumbents = Mat::from_fn(2, 3, |i, _| [0.3, 0.7][i]);
    // Maxima outside of every region, so that the best point of one is at its edge.
    let acquisition = Bowls { centres: Mat::from_fn(60, 3, |j, _| if j % 2 == 0 { 0.0 } else { 1.0 }) };
    let settings = AcquisitionOptions::default();
    let optimizer =
        AcquisitionOptimizer::new(&space, incumbents.as_ref(), &settings, rng(1)).unwrap().with_trust_regions(&ALL);
    // Length scales whose geometric mean is not one.
    let widths = [2.0, 1.0, 0.5];
    let regions = optimizer.regions(&acquisition, 0..60, &widths.map(|width| 0.3 * width)).unwrap();
    let found = optimizer.maximize_within(&acquisition, regions.clone(), &mut Excluded::default()).unwrap();
    let (mut sizes, mut own) = (HashSet::new(), 0);
    for (j, region) in regions.iter().enumerate() {
        let region = region.as_ref().unwrap();
        let centre = if region.lower[2] + region.upper[2] < 1.0 { 0.3 } else { 0.7 };
        own += usize::from((centre == 0.3) == (j % 2 == 0));
        let size = (region.upper[1] - region.lower[1]) / widths[1];
        sizes.insert((size * 1e4).round() as u64);
        for k in 0..3 {
            let (lower, upper) = (region.lower[k], region.upper[k]);
            assert!((upper - centre - 0.5 * size * widths[k]).abs() < 1e-9 || upper == 1.0, "{region:?}");
            let best = if j % 2 == 0 { lower } else { upper };
            // The same corner belongs to several elements: later ones are nudged.
            assert!((found[(j, k)] - best).abs() < 1e-3, "{j} {k}: {} {region:?}", found[(j, k)]);
        }
    }
    assert!(sizes.len() >= 4, "{sizes:?}");
    // Half of them choose the best incumbent, the others get any.
    assert!((35..60).contains(&own), "{own}");
}

#[test]
fn regions_are_for_some_elements_only_and_never_where_all_points_are_listed() {
    let continuous = space(vec![real(), real(), choice(3)]);
    let incumbents = Mat::from_fn(1, 3, |_, k| [0.5, 0.5, 1.0][k]);
    let acquisition = Bowls { centres: random(100, 3, 1.0) };
    for (share, expected) in [(0.0, 0), (0.5, 50), (1.0, 100)] {
        let policy = Memoryless { share };
        let settings = AcquisitionOptions::default();
        let optimizer = AcquisitionOptimizer::new(&continuous, incumbents.as_ref(), &settings, rng(3))
            .unwrap()
            .with_trust_regions(&policy);
        let regions = optimizer.regions(&acquisition, 0..100, &[1.0; 3]).unwrap();
        assert!(regions.iter().flatten().count().abs_diff(expected) <= 2);
        // Categories, and inputs of whole numbers within their limits, are the centre's.
        assert!(regions.iter().flatten().all(|region| region.start[2] == 1.0 && region.upper[2] == region.lower[2]));
        let found = optimizer.maximize_within(&acquisition, regions.clone(), &mut Excluded::default()).unwrap();
        assert_all_different(&found);
        assert_valid(&continuous, &found);
    }
    let whole = space(vec![int(1_000_000), int(1_000_000), choice(3)]);
    let settings = AcquisitionOptions::default();
    let optimizer =
        AcquisitionOptimizer::new(&whole, incumbents.as_ref(), &settings, rng(3)).unwrap().with_trust_regions(&ALL);
    let few = Bowls { centres: random(8, 3, 1.0) };
    let regions = optimizer.regions(&few, 0..8, &[1.0; 3]).unwrap();
    let found = optimizer.maximize_within(&few, regions.clone(), &mut Excluded::default()).unwrap();
    let inside = |(j, region): (usize, &Option<TrustRegion>)| {
        let TrustRegion { lower, upper, .. } = region.as_ref().unwrap();
        (0..3).all(|k| (lower[k]..=upper[k]).contains(&found[(j, k)]))
    };
    // An element that finds the corner of its region excluded goes elsewhere: of eight few do.
    assert!(regions.iter().enumerate().filter(|&one| inside(one)).count() >= 6);
    // Categories are the centre's: where there is nothing else, there are no regions.
    let categories = space(vec![choice(200); 3]);
    let optimizer = AcquisitionOptimizer::new(&categories, incumbents.as_ref(), &settings, rng(1))
        .unwrap()
        .with_trust_regions(&ALL);
    assert!(optimizer.regions(&acquisition, 0..100, &[1.0; 3]).unwrap().is_empty());
    let listed = space(vec![int(9), int(9), choice(3)]);
    let settings = AcquisitionOptions::default();
    let optimizer =
        AcquisitionOptimizer::new(&listed, incumbents.as_ref(), &settings, rng(1)).unwrap().with_trust_regions(&ALL);
    assert!(optimizer.regions(&acquisition, 0..100, &[1.0; 3]).unwrap().is_empty());
}

/// The best incumbent has trials around it, and every optimum is there.
struct Sampled {
    space: Space,
    incumbents: Mat,
    acquisition: Bowls,
}

impl Sampled {
    fn new() -> Self {
        let incumbents = Mat::from_fn(2, 3, |i, k| [[0.3, 0.3, 0.0], [0.8, 0.8, 0.0]][i][k]);
        let acquisition = Bowls { centres: Mat::from_fn(100, 3, |j, k| [0.31 + 0.0003 * j as f64, 0.33, 0.0][k]) };
        Sampled { space: space(vec![real(), real(), choice(2)]), incumbents, acquisition }
    }

    /// Distances from that incumbent to the points of elements without a region, for batches of this size.
    fn distances(&self, trials: usize, exclusion: usize, at_a_time: usize) -> Vec<f64> {
        let observed = Mat::from_fn(trials, 3, |i, k| if k == 2 { 0.0 } else { 0.25 + 0.1 * i as f64 / trials as f64 });
        let settings = AcquisitionOptions { exclusion, ..AcquisitionOptions::default() };
        let optimizer = AcquisitionOptimizer::new(&self.space, self.incumbents.as_ref(), &settings, rng(1))
            .unwrap()
            .with_trust_regions(&HALF);
        let optimizer = optimizer.with_exclusion_zones(observed.as_ref());
        let mut distances = Vec::new();
        for first in (0..100).step_by(at_a_time) {
            let centres = self.acquisition.centres.subrows(first, at_a_time).to_owned();
            let acquisition = Bowls { centres };
            let regions = optimizer.regions(&acquisition, first..first + at_a_time, &[1.0; 3]).unwrap();
            let found = optimizer.maximize_within(&acquisition, regions.clone(), &mut Excluded::default()).unwrap();
            assert_valid(&self.space, &found);
            let wide = (0..at_a_time).filter(|&j| regions[j].is_none()).map(|j| row(&found, j));
            distances.extend(wide.map(|x| (x[0] - 0.3).abs().max((x[1] - 0.3).abs()).max(x[2])));
        }
        distances
    }
}

/// The share of elements outside of the exclusion zone.
fn outside(distances: &[f64]) -> f64 {
    distances.iter().filter(|&&distance| distance > 0.15 - 1e-3).count() as f64 / distances.len() as f64
}

#[test]
fn elements_without_a_region_stay_out_of_exclusion_zones_for_any_batch_size() {
    let sampled = Sampled::new();
    for (trials, exclusion, expected) in [(30, 0, 0.0), (30, 30, 1.0), (30, 31, 0.0)] {
        for at_a_time in [100, 1] {
            let distances = sampled.distances(trials, exclusion, at_a_time);
            assert!(distances.len() >= 40);
            assert_eq!(outside(&distances), expected, "{trials} {exclusion}: {distances:?}");
        }
    }
    // Some stay farther away than others.
    let far = sampled.distances(30, 30, 100).into_iter().filter(|&distance| distance > 0.2).count();
    assert!((10..40).contains(&far), "{far}");
}

/// The regions outside of exclusion zones hold the category of their start, and nothing else, be it the first or the last.
#[test]
fn whole_numbers_move_outside_of_exclusion_zones_in_every_category() {
    for category in [0.0, 1.0, 2.0, 3.0] {
        let space = space(vec![real(), int(1_000_000), choice(4)]);
        let incumbents = Mat::from_fn(1, 3, |_, k| [0.1, 0.1, category][k]);
        let observed = Mat::from_fn(30, 3, |_, k| [0.1, 0.1, category][k]);
        let acquisition = Bowls { centres: Mat::from_fn(20, 3, |j, k| [0.8, 0.7 + 0.001 * j as f64, category][k]) };
        let settings = AcquisitionOptions { pool: 100, exclusion: 30, ..AcquisitionOptions::default() };
        let none = Memoryless { share: 1e-9 };
        let optimizer = AcquisitionOptimizer::new(&space, incumbents.as_ref(), &settings, rng(1)).unwrap();
        let optimizer = optimizer.with_trust_regions(&none).with_exclusion_zones(observed.as_ref());
        let regions = vec![None; 20];
        let found = optimizer.maximize_within(&acquisition, regions, &mut Excluded::default()).unwrap();
        let at_best = |j: usize| (found[(j, 1)] - acquisition.centres[(j, 1)]).abs() < 1e-4;
        // An element that starts too far away meets the edge of its region.
        assert!((0..20).filter(|&j| at_best(j)).count() >= 5, "{category}: {found:?}");
    }
}

#[test]
fn elements_return_to_an_exclusion_zone_as_it_grows() {
    let shares = [30, 300, 600, 3000].map(|trials| outside(&Sampled::new().distances(trials, 30, 100)));
    assert!(shares[0] == 1.0 && shares[1] == 1.0, "{shares:?}");
    assert!((0.35..0.65).contains(&shares[2]) && (0.02..0.2).contains(&shares[3]), "{shares:?}");
}

#[test]
fn evenly_spread_trials_are_no_exclusion_zone_and_without_regions_no_element_leaves_one() {
    let Sampled { space, incumbents, acquisition } = Sampled::new();
    let in_zone = |found: &Mat, j: usize| (0..2).all(|k| (found[(j, k)] - 0.3).abs() < 0.15);
    let (spread, exclusion) = (random(1000, 3, 1.0), Mat::from_fn(50, 3, |_, k| [0.3, 0.3, 0.0][k]));
    let policy = Memoryless { share: 0.5 };
    for (has_regions, observed) in [(true, spread), (false, exclusion)] {
        let settings = AcquisitionOptions { exclusion: 30, ..AcquisitionOptions::default() };
        let optimizer = AcquisitionOptimizer::new(&space, incumbents.as_ref(), &settings, rng(1)).unwrap();
        let optimizer = if has_regions { optimizer.with_trust_regions(&policy) } else { optimizer };
        let optimizer = optimizer.with_exclusion_zones(observed.as_ref());
        let regions = optimizer.regions(&acquisition, 0..100, &[1.0; 3]).unwrap();
        let wide: Vec<usize> = (0..100).filter(|&j| !matches!(regions.get(j), Some(Some(_)))).collect();
        let found = optimizer.maximize_within(&acquisition, regions, &mut Excluded::default()).unwrap();
        assert!(wide.iter().all(|&j| in_zone(&found, j)), "{has_regions}");
    }
}
