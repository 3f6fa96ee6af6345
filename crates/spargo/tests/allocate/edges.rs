//! Edge cases and the rules that every method shares.

use crate::{is_nonsingular, matern, rng, uniform};
use spargo::allocate::{Allocation, Inputs, Search, allocate, allocate_by};
use spargo::data::{AllocationContext, PosteriorAtData};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::Mat;
use spargo::{Error, Result};

fn every_method() -> Vec<Allocation> {
    let scaled = Allocation::Kmeans { inputs: Inputs::Scaled };
    Allocation::NAMES.iter().map(|name| name.parse().unwrap()).chain([scaled]).collect()
}

fn context(x: &Mat) -> AllocationContext {
    let y: Vec<f64> = (0..x.nrows()).map(|i| (5.0 * x[(i, 0)]).sin()).collect();
    AllocationContext::of_rows(x.nrows())
        .with_outputs(vec![PosteriorAtData::new(y.clone(), y, vec![0.1; x.nrows()], vec![0.1; x.nrows()]).unwrap()])
        .unwrap()
}

/// Runs a method and checks what holds of every result.
fn run(method: &Allocation, x: &Mat, m: usize) -> Result<Vec<usize>> {
    let kernel = matern(0.3, x.ncols());
    let chosen = allocate(method, x.as_ref(), &kernel, &context(x), m, &mut rng(1))?;
    let size = chosen.points.nrows();
    assert!(size >= 1 && size <= m, "{method:?}");
    assert_eq!([chosen.quality.len(), chosen.variance.len()], [size, size]);
    assert!(is_nonsingular(&kernel, &chosen.points), "{method:?}");
    let repeated = allocate(method, x.as_ref(), &kernel, &context(x), m, &mut rng(1))?;
    assert_eq!(chosen.points, repeated.points, "{method:?}");
    let mut rows = chosen.rows.unwrap_or_else(|| vec![usize::MAX; size]);
    rows.sort_unstable();
    Ok(rows)
}

fn distinct(rows: &[usize]) -> bool {
    rows.windows(2).all(|pair| pair[0] < pair[1])
}

#[test]
fn every_method_chooses_as_many_points_as_asked() {
    let x = uniform(200, 3, 2);
    for method in every_method() {
        let rows = run(&method, &x, 25).unwrap();
        assert_eq!(rows.len(), 25, "{method:?}");
        assert!(distinct(&rows) || rows[0] == usize::MAX, "{method:?}");
    }
}

#[test]
fn with_few_rows_all_of_them_are_chosen() {
    for (n, m) in [(1, 1), (1, 9), (5, 5), (5, 30)] {
        let x = uniform(n, 2, 3);
        for method in every_method() {
            assert_eq!(run(&method, &x, m).unwrap(), (0..n).collect::<Vec<_>>(), "{method:?}");
        }
    }
}

#[test]
fn duplicates_give_fewer_points() {
    let four = uniform(4, 2, 4);
    let x = Mat::from_fn(60, 2, |i, k| four[(i % 4, k)]);
    for method in every_method() {
        for m in [4, 6, 80] {
            let rows = run(&method, &x, m).unwrap();
            let mut kinds: Vec<usize> = rows.iter().map(|i| i % 4).collect();
            kinds.sort_unstable();
            assert_eq!(kinds, [0, 1, 2, 3], "{method:?}");
        }
    }
    let one = Mat::from_fn(50, 3, |_, k| k as f64);
    for method in every_method() {
        assert_eq!(run(&method, &one, 7).unwrap().len(), 1, "{method:?}");
    }
}

#[test]
fn stops_when_nothing_is_left_to_explain() {
    // A very long length scale: numerically the kernel has a handful of dimensions.
    let x = uniform(300, 1, 5);
    let kernel = Kernel::stationary(Family::Rbf, 2.0, 3.0, 1);
    for method in every_method() {
        let z = allocate(&method, x.as_ref(), &kernel, &context(&x), 100, &mut rng(1)).unwrap().points;
        assert!((2..20).contains(&z.nrows()), "{method:?}: {}", z.nrows());
        assert!(is_nonsingular(&kernel, &z), "{method:?}");
    }
}

#[test]
fn without_quality_the_choice_goes_on_by_cvr() {
    let x = uniform(50, 2, 6);
    let kernel = matern(0.3, 2);
    let choose = |quality: &[f64], search| {
        allocate_by(|i| quality[i], search, x.as_ref(), &kernel, 20, &mut rng(1)).unwrap().rows.unwrap()
    };
    let cvr = choose(&[1.0; 50], Search::Lazy);
    for search in [Search::Lazy, Search::Sample] {
        assert_eq!(choose(&[0.0; 50], search), cvr, "{search:?}");
    }
    let mut two = [0.0; 50];
    (two[30], two[40]) = (0.1, 5.0);
    for search in [Search::Lazy, Search::Sample] {
        let rows = choose(&two, search);
        assert_eq!(rows.len(), 20);
        let mut first = [rows[0], rows[1]];
        first.sort_unstable();
        assert_eq!(first, [30, 40], "{search:?}");
        // The rest is the greedy sequence of variances given those two.
        let left = |i: usize| {
            spargo::allocate::conditional_variance(
                spargo::linalg::select_rows(x.as_ref(), &rows[..2]).as_ref(),
                x.subrows(i, 1),
                &kernel,
            )
            .unwrap()[0]
        };
        let best = (0..50).max_by(|&a, &b| left(a).total_cmp(&left(b))).unwrap();
        assert_eq!(rows[2], best, "{search:?}");
    }
}

#[test]
fn uniform_points_fill_the_box_given_or_that_of_the_data() {
    let x = uniform(100, 2, 7);
    let kernel = matern(0.3, 2);
    let choose = |context: &AllocationContext| {
        allocate(&Allocation::Uniform, x.as_ref(), &kernel, context, 64, &mut rng(1)).unwrap().points
    };
    let given = choose(&AllocationContext::of_rows(x.nrows()).with_bounds(vec![(-1.0, 3.0), (10.0, 11.0)]).unwrap());
    assert!((0..64).all(|i| (-1.0..3.0).contains(&given[(i, 0)]) && (10.0..11.0).contains(&given[(i, 1)])));
    assert!((0..64).any(|i| given[(i, 0)] < -0.9) && (0..64).any(|i| given[(i, 0)] > 2.9));
    let around = choose(&AllocationContext::of_rows(x.nrows()));
    assert!((0..64).all(|i| (0.0..1.0).contains(&around[(i, 0)])));
    let wrong = AllocationContext::of_rows(x.nrows()).with_bounds(vec![(0.0, 1.0)]).unwrap();
    let refused = allocate(&Allocation::Uniform, x.as_ref(), &kernel, &wrong, 64, &mut rng(1));
    assert!(matches!(refused, Err(Error::Shape { found: 1, expected: 2, .. })));
}

#[test]
fn refusals_name_what_is_wrong() {
    let x = uniform(30, 2, 8);
    let kernel = matern(0.3, 2);
    let by = |quality: fn(usize) -> f64, search, x: &Mat, m| {
        allocate_by(quality, search, x.as_ref(), &kernel, m, &mut rng(0)).unwrap_err()
    };
    let nan_at_3 = |i| if i == 3 { f64::NAN } else { 1.0 };
    assert!(matches!(by(nan_at_3, Search::Lazy, &x, 5), Error::NonFinite { row: 3, .. }));
    assert!(matches!(by(|i| 1.0 / i as f64, Search::Lazy, &x, 5), Error::NonFinite { row: 0, .. }));
    assert!(matches!(by(|i| 2.0 - i as f64, Search::Lazy, &x, 5), Error::Parameter { value: -1.0, .. }));
    assert!(matches!(by(|_| 1.0, Search::Lazy, &x, 0), Error::Parameter { .. }));
    assert!(matches!(by(|_| 1.0, Search::Lazy, &uniform(30, 3, 8), 5), Error::Shape { found: 3, expected: 2, .. }));
    assert!(matches!(by(|_| 1.0, Search::Lazy, &Mat::zeros(0, 2), 5), Error::Empty { .. }));
    let mut broken = x.clone();
    broken[(7, 1)] = f64::NAN;
    assert!(matches!(by(|_| 1.0, Search::Lazy, &broken, 5), Error::NonFinite { row: 7, .. }));
    let message = by(|_| 1.0, Search::Sample, &uniform(9000, 2, 8), 5).to_string();
    assert!(message.contains("9000") && message.contains("greedy"), "{message}");

    let no_number = Kernel::stationary(Family::Rbf, f64::NAN, 0.3, 2);
    for search in [Search::Lazy, Search::Sample] {
        let refused = allocate_by(|_| 1.0, search, x.as_ref(), &no_number, 5, &mut rng(0));
        assert!(matches!(refused, Err(Error::NonFinite { .. })), "{search:?}");
    }
    let two_scales = Kernel::sum(vec![matern(0.1, 2), matern(1.0, 2)]);
    let scaled = Allocation::Kmeans { inputs: Inputs::Scaled };
    let refused = allocate(&scaled, x.as_ref(), &two_scales, &AllocationContext::of_rows(x.nrows()), 5, &mut rng(0));
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
}
