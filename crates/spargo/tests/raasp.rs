//! Candidates of many inputs: perturbations of some twenty of them, around incumbents and in the regions of lineages.

use spargo::Result;
use spargo::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions, Excluded, TrustRegion};
use spargo::linalg::{Mat, MatRef};
use spargo::optim::BatchedObjective;
use spargo::rng::StepRng;
use spargo::space::{Dimension, Space};

/// uⱼ(x) = Σₖ ± xₖ, with signs of the element's own.
struct Slopes(usize);

impl Slopes {
    fn slope(element: usize, k: usize) -> f64 {
        if (element + k).is_multiple_of(3) { -1.0 } else { 1.0 }
    }

    fn at(element: usize, x: MatRef<'_>, i: usize) -> f64 {
        (0..x.ncols()).map(|k| Slopes::slope(element, k) * x[(i, k)]).sum()
    }
}

impl BatchedObjective for Slopes {
    fn elements(&self) -> usize {
        self.0
    }

    fn score(&self, pool: MatRef<'_>) -> Result<Mat> {
        Ok(Mat::from_fn(pool.nrows(), self.0, |i, j| Slopes::at(j, pool, i)))
    }

    fn value_gradient(&self, elements: &[usize], points: MatRef<'_>) -> Result<(Vec<f64>, Mat)> {
        let values = elements.iter().enumerate().map(|(i, &j)| Slopes::at(j, points, i)).collect();
        Ok((values, Mat::from_fn(points.nrows(), points.ncols(), |i, k| Slopes::slope(elements[i], k))))
    }
}

/// So many real inputs, a whole number and a choice.
fn space(reals: usize) -> Space {
    let mut inputs: Vec<Dimension> = (0..reals).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect();
    inputs.extend([Dimension::int("n", 0, 100), Dimension::choice("c", &["u", "v", "w"])]);
    Space::new(inputs).unwrap()
}

/// How many inputs of each row differ from a point.
fn changed(x: MatRef<'_>, point: &[f64]) -> Vec<usize> {
    (0..x.nrows()).map(|i| (0..point.len()).filter(|&k| x[(i, k)] != point[k]).count()).collect()
}

fn rng() -> StepRng {
    StepRng { seed: 3, step: 7 }
}

#[test]
fn half_of_the_pool_around_an_incumbent_differs_in_twenty_inputs() {
    let near = 4000;
    let options = AcquisitionOptions { pool: 10, near, ..AcquisitionOptions::default() };
    for (reals, expected) in [(58, true), (8, false)] {
        let space = space(reals);
        let incumbent = Mat::full(1, reals + 2, 0.5);
        let incumbent = Mat::from_fn(1, reals + 2, |_, k| if k > reals { 1.0 } else { incumbent[(0, k)] });
        let optimizer = AcquisitionOptimizer::new(&space, incumbent.as_ref(), &options, rng()).unwrap();
        let point: Vec<f64> = (0..reals + 2).map(|k| incumbent[(0, k)]).collect();
        let counts = changed(optimizer.pool().points().subrows(10, near), &point);
        assert!(counts.iter().all(|&count| count <= reals + 2));
        let about_twenty = counts.iter().filter(|&&count| (13..=27).contains(&count)).count() as f64 / near as f64;
        // Of the other half, with numbers between 1 and 60, some 0.16 are among these.
        assert_eq!((0.5..0.7).contains(&about_twenty), expected, "{about_twenty}");
    }
}

#[test]
fn elements_of_a_lineage_stay_in_its_region_and_differ_in_twenty_inputs() {
    let options = AcquisitionOptions { pool: 1, near: 0, ..AcquisitionOptions::default() };
    for reals in [3, 58] {
        let space = space(reals);
        let centre: Vec<f64> = (0..reals + 2).map(|k| if k > reals { 1.0 } else { 0.5 }).collect();
        let start = Mat::from_fn(1, reals + 2, |_, k| centre[k]);
        let region = TrustRegion::around(centre.clone(), (0..=reals).map(|k| (k, 0.1)));
        let choose = |lineage: u64| {
            let optimizer = AcquisitionOptimizer::new(&space, start.as_ref(), &options, rng()).unwrap();
            let optimizer = optimizer.within(region.clone(), lineage);
            let regions = optimizer.regions(&Slopes(30), 0..30, &vec![1.0; reals + 2]).unwrap();
            optimizer.maximize_within(&Slopes(30), regions, &mut Excluded::default()).unwrap()
        };
        let (points, others) = (choose(0), choose(1));
        assert_eq!(points, choose(0));
        assert!(reals == 3 || points != others, "lineages have candidates of their own");
        for i in 0..30 {
            // A point that another element has is moved by 1e-4.
            let is_inside = |k: usize| (points[(i, k)] - 0.5).abs() <= 0.1 + 1e-3;
            assert!((0..=reals).all(is_inside), "row {i}");
            assert!((0..i).all(|j| (0..reals + 2).any(|k| points[(i, k)] != points[(j, k)])), "row {i} twice");
        }
        let counts = changed(points.as_ref(), &centre);
        let mean = counts.iter().sum::<usize>() as f64 / 30.0;
        if reals == 3 {
            // With few inputs the best point of the region is found: its corner.
            let value = Slopes::at(0, points.as_ref(), 0) - Slopes::at(0, start.as_ref(), 0);
            assert!(value > 0.3, "{value}");
        } else {
            assert!((12.0..35.0).contains(&mean), "{mean}");
        }
    }
}

/// A region that is smaller than the step between two levels has those next to its centre.
#[test]
fn a_region_of_levels_alone_has_points_besides_its_centre() {
    let inputs = 12;
    let space = Space::new((0..inputs).map(|k| Dimension::int(format!("n{k}"), 0, 4)).collect()).unwrap();
    let options = AcquisitionOptions { pool: 1, near: 0, ..AcquisitionOptions::default() };
    let (centre, start) = (vec![0.5; inputs], Mat::full(1, inputs, 0.5));
    let region = TrustRegion::around(centre.clone(), (0..inputs).map(|k| (k, 1.0 / 64.0)));
    let optimizer = AcquisitionOptimizer::new(&space, start.as_ref(), &options, rng()).unwrap().within(region, 0);
    let regions = optimizer.regions(&Slopes(8), 0..8, &vec![1.0; inputs]).unwrap();
    for (element, region) in regions.into_iter().enumerate() {
        let region = region.unwrap();
        assert_ne!(region.start, centre, "element {element}");
        let gain: f64 = (0..inputs).map(|k| Slopes::slope(element, k) * (region.start[k] - 0.5)).sum();
        assert!(gain > 0.0 && region.start.iter().all(|x| (x - 0.5).abs() < 0.3), "{:?}", region.start);
    }
}

/// Elements beyond the first 500 are chosen apart from these, which hold none of their candidates.
#[test]
fn elements_that_are_chosen_apart_have_candidates_of_their_own() {
    let space = space(58);
    let options = AcquisitionOptions { pool: 1, near: 0, ..AcquisitionOptions::default() };
    let centre: Vec<f64> = (0..60).map(|k| if k > 58 { 1.0 } else { 0.5 }).collect();
    let start = Mat::from_fn(1, 60, |_, k| centre[k]);
    let region = TrustRegion::around(centre, (0..=58).map(|k| (k, 0.1)));
    let optimizer = AcquisitionOptimizer::new(&space, start.as_ref(), &options, rng()).unwrap().within(region, 0);
    let starts = |first: usize| -> Vec<Vec<f64>> {
        let regions = optimizer.regions(&Slopes(9), first..first + 9, &[1.0; 60]).unwrap();
        regions.into_iter().map(|region| region.unwrap().start).collect()
    };
    let (first, second) = (starts(0), starts(500));
    assert!(first.iter().all(|point| !second.contains(point)));
    assert_eq!(first, starts(0));
}
