//! Kernels by themselves: gradients, definiteness, features of categories, what is read and what is refused.

mod common;

use common::*;
use spargo::Error;
use spargo::allocate::{Allocation, Inputs, allocate};
use spargo::data::{AllocationContext, Dataset};
use spargo::kernel::{Categorical, Covariance, Factors, Family, Kernel, Role, Stationary};
use spargo::linalg::{Mat, cholesky};
use spargo::model::{FitOptions, Hyperparameters, Priors, fit};
use spargo::rng::{Purpose, stream};
use spargo::space::{Dimension, Space};

/// Points whose last input is one of three categories.
fn mixed_points(n: usize, d: usize) -> Mat {
    let x = points(n, d);
    Mat::from_fn(n, d, |i, k| if k + 1 == d { (i % 3) as f64 } else { x[(i, k)] })
}

/// The list of all tests, and what is too singular for models.
fn all(d: usize) -> Vec<Kernel> {
    let mut list = kernels(d);
    list.extend(finite_kernels(d));
    list.push(Kernel::product(vec![linear_sphere(d), linear_sphere(d)]));
    list.push(Kernel::product(vec![linear_sphere(d), stationary(Family::Rbf, 0.9, 0.7, d)]));
    let (lower, upper) = (vec![0.2; d], (0..d).map(|k| 0.6 + 0.1 * k as f64).collect::<Vec<_>>());
    list.push(linear_sphere(d).within(&lower, &upper));
    list.push(stationary(Family::Matern52, 0.9, 0.7, d).within(&lower, &upper));
    list.push(categories(d - 1, 3, 0.9));
    list.push(described(d - 1, 3, 0.9, 0.4));
    list.push(Kernel::product(vec![described(d - 1, 3, 0.9, 0.01), described(0, 2, 1.4, 0.99)]));
    list.push(Kernel::sum(vec![described(d - 1, 3, 0.5, 0.2), stationary(Family::Rbf, 0.9, 0.7, d)]));
    list.push(Kernel::constant(0.7));
    list.push(Kernel::product(vec![categories(d - 1, 3, 0.9), categories(0, 2, 0.4)]));
    list
}

#[test]
fn gradients_of_parameters_hold() {
    let (a, b) = (mixed_points(9, 3), mixed_points(150, 3));
    let g = Mat::from_fn(9, 150, |i, j| ((i * 7 + j * 3) as f64).sin());
    let weights: Vec<f64> = (0..9).map(|i| (i as f64).cos()).collect();
    for kernel in all(3) {
        let with = |theta: &[f64]| {
            let mut kernel = kernel.clone();
            kernel.set_parameters(theta);
            kernel
        };
        assert_eq!(with(&kernel.parameters()).roles(), kernel.roles());
        let total = |theta: &[f64]| {
            let k = with(theta).matrix(a.as_ref(), b.as_ref());
            (0..150).map(|j| (0..9).map(|i| g[(i, j)] * k[(i, j)]).sum::<f64>()).sum()
        };
        let expected = central_differences(&kernel.parameters(), total);
        let found = kernel.parameter_gradient(a.as_ref(), b.as_ref(), g.as_ref());
        assert_close(&format!("{kernel:?}"), &found, &expected, 1e-8);

        let total = |theta: &[f64]| with(theta).diagonal(a.as_ref()).iter().zip(&weights).map(|(k, w)| k * w).sum();
        let mut found = vec![0.0; kernel.roles().len()];
        kernel.add_diagonal_gradient(a.as_ref(), &weights, &mut found);
        assert_close(&format!("{kernel:?}"), &found, &central_differences(&kernel.parameters(), total), 1e-8);
    }
}

/// One triangle stands for both: in products of matrices as in gradients, across several chunks of columns.
#[test]
fn a_gram_matrix_is_the_matrix_of_points_with_themselves() {
    let x = mixed_points(150, 3);
    let g = Mat::from_fn(150, 150, |i, j| ((i * j) as f64).sin() + ((i + j) as f64).cos());
    for kernel in all(3) {
        let whole = kernel.matrix(x.as_ref(), x.as_ref());
        assert_close(&format!("{kernel:?}"), &flat(kernel.gram(x.as_ref()).as_ref()), &flat(whole.as_ref()), 1e-15);
        let expected = kernel.parameter_gradient(x.as_ref(), x.as_ref(), g.as_ref());
        assert_close(&format!("{kernel:?}"), &kernel.gram_gradient(x.as_ref(), g.as_ref()), &expected, 1e-11);
    }
}

/// The loops of a few points run over the other points: what a search finds must not depend on how many others go on.
#[test]
fn a_few_points_have_the_same_numbers_as_among_many() {
    for (family, d) in Family::ALL.into_iter().zip([1, 2, 3, 6]) {
        let lengthscales = (0..d).map(|k| 0.3 + 0.1 * k as f64).collect();
        let kernel = Stationary { family, variance: 1.7, lengthscales };
        let (a, b) = (points(40, d), points(150, d));
        let g = Mat::from_fn(40, 150, |i, j| ((i * 7 + j * 3) as f64).sin());
        let of = |rows: usize| {
            let (a, g) = (a.as_ref().subrows(0, rows), g.as_ref().subrows(0, rows));
            let (mut k, mut slopes) = (Mat::zeros(rows, 150), Mat::from_fn(rows, d, |i, k| (i + k) as f64));
            kernel.cross(a, b.as_ref(), k.as_mut());
            kernel.add_input_gradient(a, b.as_ref(), g, slopes.as_mut());
            (k, slopes)
        };
        let (k, slopes) = of(40);
        for rows in [1, 2, 5, 15, 16] {
            let (few, few_slopes) = of(rows);
            assert_eq!(few.as_ref(), k.as_ref().subrows(0, rows), "{family:?}, {rows}");
            assert_eq!(few_slopes.as_ref(), slopes.as_ref().subrows(0, rows), "{family:?}, {rows}");
        }
    }
}

#[test]
fn matrices_are_symmetric_and_definite() {
    let x = mixed_points(40, 3);
    for kernel in all(3) {
        kernel.check(3).unwrap();
        let k = kernel.matrix(x.as_ref(), x.as_ref());
        assert!((&k - k.transpose()).norm_max() == 0.0);
        let diagonal: Vec<f64> = (0..40).map(|i| k[(i, i)]).collect();
        assert_close("diagonal", &diagonal, &kernel.diagonal(x.as_ref()), 1e-14);
        // The least that singular ones need: categories alone leave many points alike.
        let raised = Mat::from_fn(40, 40, |i, j| k[(i, j)] + if i == j { 1e-10 } else { 0.0 });
        assert_eq!(cholesky(raised, 0.0).unwrap().jitter, 0.0, "{kernel:?}");
        let again: Kernel = serde_json::from_str(&serde_json::to_string(&kernel).unwrap()).unwrap();
        assert_eq!(again, kernel);
    }
}

#[test]
fn a_mixed_kernel_is_its_formula() {
    let (x, z) = (mixed_points(12, 3), mixed_points(7, 3));
    let leaf = stationary(Family::Matern32, 1.7, 0.4, 2);
    let kernel = Kernel::product(vec![Kernel::of(vec![1, 0], leaf.clone()), categories(2, 3, 0.6)]);
    let swapped = |x: &Mat| Mat::from_fn(x.nrows(), 2, |i, k| x[(i, 1 - k)]);
    let numbers = leaf.matrix(swapped(&x).as_ref(), swapped(&z).as_ref());
    let found = kernel.matrix(x.as_ref(), z.as_ref());
    for (i, j) in (0..12 * 7).map(|at| (at % 12, at / 12)) {
        let factor = if i % 3 == j % 3 { 1.0 } else { (-1.0f64 / 0.6).exp() };
        assert!((found[(i, j)] - numbers[(i, j)] * factor).abs() < 1e-15);
    }
}

/// Over whole spectra the average must come near the kernel for any pair of categories, also those the cube lacks.
#[test]
fn features_of_categories_average_to_the_kernel() {
    const COUNT: usize = 100_000;
    let leaf = |input| categories(input, 3, 0.9);
    let more = categories(0, 5, 1.4);
    for kernel in [
        leaf(0),
        Kernel::product(vec![leaf(0), leaf(1)]),
        Kernel::product(vec![leaf(0), more.clone()]),
        Kernel::product(vec![more.clone(), leaf(0)]),
        Kernel::sum(vec![leaf(1), more.clone(), leaf(0)]),
    ] {
        let spectrum = kernel.spectrum(2, COUNT, &mut stream(3, Purpose::Frequencies, 0, 0)).unwrap();
        assert!(spectrum.frequencies.norm_max() == 0.0);
        let x = Mat::from_fn(25, 2, |i, k| [i % 5, i / 5][k] as f64);
        let feature = |i: usize, f: usize| -> f64 {
            let own = spectrum.factors.iter();
            own.map(|g| g.values[((x[(i, g.input)] as usize).min(g.values.nrows() - 1), f)]).product()
        };
        let (k, variance) = (kernel.matrix(x.as_ref(), x.as_ref()), kernel.diagonal(x.as_ref())[0]);
        for (i, j) in (0..625).map(|at| (at / 25, at % 25)) {
            let mean = (0..COUNT).map(|f| feature(i, f) * feature(j, f)).sum::<f64>() / COUNT as f64;
            // Products of signs have a variance of at most 1; a point with itself has none.
            let tolerance = if i == j { 1e-12 } else { 5.0 / (COUNT as f64).sqrt() };
            assert!((variance * mean - k[(i, j)]).abs() <= variance * tolerance, "{kernel:?}: {mean}");
        }
    }
}

#[test]
fn labels_are_as_alike_as_their_descriptors() {
    const LABELS: usize = 7;
    let rows: Vec<Vec<f64>> = (0..LABELS).map(|a| vec![(a as f64 * 1.7).sin(), (a * a % 7) as f64]).collect();
    let standard = |k: usize| {
        let mean = rows.iter().map(|row| row[k]).sum::<f64>() / LABELS as f64;
        let deviation = (rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / LABELS as f64).sqrt();
        rows.iter().map(|row| (row[k] - mean) / deviation).collect::<Vec<f64>>()
    };
    let columns = [standard(0), standard(1)];
    let kernel = described(0, LABELS, 0.8, 0.3);
    let x = Mat::from_fn(LABELS, 1, |i, _| i as f64);
    let k = kernel.matrix(x.as_ref(), x.as_ref());
    for (a, b) in (0..LABELS * LABELS).map(|at| (at / LABELS, at % LABELS)) {
        let squared = columns.iter().map(|column| (column[a] - column[b]).powi(2)).sum::<f64>() / 2.0;
        let expected = if a == b { 1.0 } else { 0.7 * (-squared / (2.0 * 0.64)).exp() };
        assert!((k[(a, b)] - expected).abs() < 1e-12, "{a}, {b}: {}", k[(a, b)]);
        // Few points are evaluated one by one, many by a table.
        let [one, other] = [a, b].map(|label| Mat::full(1, 1, label as f64));
        assert_eq!(kernel.matrix(one.as_ref(), other.as_ref())[(0, 0)], k[(a, b)]);
    }
    // Waves with signs and shifts average to it, in products and sums as well.
    const COUNT: usize = 100_000;
    for kernel in [
        kernel.clone(),
        Kernel::product(vec![kernel.clone(), described(1, 4, 1.5, 0.1), categories(0, 3, 1.1)]),
        Kernel::sum(vec![described(1, 3, 0.6, 0.5), kernel]),
    ] {
        let spectrum = kernel.spectrum(2, COUNT, &mut stream(3, Purpose::Frequencies, 0, 0)).unwrap();
        let x = Mat::from_fn(4 * LABELS, 2, |i, k| [i % LABELS, i / LABELS][k] as f64);
        let own = |i: usize, f: usize, list: &[Factors]| -> Vec<f64> {
            let number = |own: &Factors| own.values[((x[(i, own.input)] as usize).min(own.values.nrows() - 1), f)];
            list.iter().map(number).collect()
        };
        let wave = |i: usize, f: usize| {
            let (sign, shift) = (own(i, f, &spectrum.factors), own(i, f, &spectrum.shifts));
            (sign.iter().product::<f64>(), shift.iter().sum::<f64>())
        };
        let (k, variance) = (kernel.matrix(x.as_ref(), x.as_ref()), kernel.diagonal(x.as_ref())[0]);
        for (i, j) in [(0, 0), (0, 1), (3, 5), (0, 7), (2, 16), (9, 27), (26, 1)] {
            let term = |f: usize| {
                let ((g, s), (h, t)) = (wave(i, f), wave(j, f));
                g * h * (s - t).cos()
            };
            let mean = (0..COUNT).map(term).sum::<f64>() / COUNT as f64;
            assert!((variance * mean - k[(i, j)]).abs() <= variance * 5.0 / (COUNT as f64).sqrt(), "{i}, {j}: {mean}");
        }
    }
}

/// Of the labels, every other one was tried, and the outcome goes with a descriptor.
#[test]
fn what_descriptors_say_of_untried_labels_is_learned() {
    const LABELS: usize = 24;
    let labels: Vec<i64> = (0..LABELS as i64).collect();
    let size = |a: usize| (a * 7 % LABELS) as f64;
    let rows = |tells: bool| {
        (0..LABELS).map(|a| vec![if tells { size(a) } else { ((a * a * 11 + 3 * a) % 17) as f64 }, 5.0]).collect()
    };
    let f = |a: usize| (size(a) / 6.0).sin();
    let data = Dataset::new(
        Mat::from_fn(LABELS, 1, |i, _| (i / 2 * 2) as f64),
        (0..LABELS).map(|i| f(i / 2 * 2) + 0.02 * (i as f64 * 91.7).sin()).collect(),
    )
    .unwrap();
    let of = |tells: bool| {
        let columns = ["size", "always five"].map(String::from).to_vec();
        let space = Space::new(vec![Dimension::choice("ligand", &labels).descriptors(columns, rows(tells))]).unwrap();
        let start = Hyperparameters::cold(Kernel::for_space(&space, &Family::Matern52.into()).unwrap());
        let fitted = fit(&start, &data, data.x(), &FitOptions::default()).unwrap();
        // Read from a store, the kernel is nothing before it knows its space.
        let text = serde_json::to_string(&fitted.hyper.kernel).unwrap();
        let mut read: Kernel = serde_json::from_str(&text).unwrap();
        assert!(read.check(1).is_err() && !text.contains("geometry"));
        read.restore_labels(&space);
        read.check(1).unwrap();
        let all = Mat::from_fn(LABELS, 1, |i, _| i as f64);
        let [own, again] = [&fitted.hyper.kernel, &read].map(|kernel| kernel.matrix(all.as_ref(), all.as_ref()));
        // The logit of a share and back again.
        assert!((own - again).norm_max() < 1e-12);
        let mean = fitted.posterior.mean(all.as_ref()).unwrap();
        let untried = (0..LABELS / 2).map(|i| 2 * i + 1);
        let error = untried.map(|a| (mean[a] - f(a)).powi(2)).sum::<f64>() / (LABELS / 2) as f64;
        error.sqrt()
    };
    let (told, misled) = (of(true), of(false));
    assert!(told < 0.1 && misled > 0.3, "{told}, {misled}");
}

#[test]
fn the_kernel_of_a_space_multiplies_numbers_and_categories() {
    let numbers = [Dimension::real("x", 0.0, 1.0), Dimension::int("n", 1, 9)];
    let words = [Dimension::choice("a", &["u", "v"]), Dimension::choice("b", &["u", "v", "w"])];
    let space = |list: &[&Dimension]| Space::new(list.iter().map(|&d| d.clone()).collect()).unwrap();
    let kernel = |list: &[&Dimension]| Kernel::for_space(&space(list), &Family::Matern52.into()).unwrap();
    assert_eq!(kernel(&[&numbers[0], &numbers[1]]), Kernel::cold(Family::Matern52, 2));

    let mixed = kernel(&[&words[0], &numbers[0], &words[1], &numbers[1]]);
    let parts =
        vec![Kernel::of(vec![1, 3], Kernel::cold(Family::Matern52, 2)), categories(0, 2, 1.0), categories(2, 3, 1.0)];
    assert_eq!(mixed, Kernel::product(parts));
    assert_eq!(mixed.inputs(), [None, Some(1), Some(3), Some(0), Some(2)]);
    let pure = kernel(&[&words[0], &words[1]]);
    for (kernel, dimension) in [(&mixed, 4), (&pure, 2)] {
        kernel.check(dimension).unwrap();
        assert!(kernel.check(dimension - 1).is_err());
        assert_eq!(kernel.diagonal(Mat::zeros(3, dimension).as_ref()), [1.0; 3]);
    }
    let k = pure.matrix(Mat::zeros(1, 2).as_ref(), Mat::full(1, 2, 1.0).as_ref())[(0, 0)];
    assert!((k - (-2.0f64).exp()).abs() < 1e-15);
}

#[test]
fn scaled_kernels_are_multiples() {
    let x = mixed_points(9, 3);
    let bare = Kernel::Categorical(Categorical { categories: 3, lengthscale: 0.8 });
    let column = Mat::from_fn(9, 1, |i, _| x[(i, 2)]);
    let list = all(3).into_iter().map(|kernel| (kernel, x.clone())).chain([(bare, column)]);
    for (kernel, x) in list {
        let scaled = kernel.scaled(2.5);
        let (own, found) = (kernel.matrix(x.as_ref(), x.as_ref()), scaled.matrix(x.as_ref(), x.as_ref()));
        scaled.check(x.ncols()).unwrap();
        assert!((2.5 * own - &found).norm_max() < 1e-14, "{kernel:?}");
        let added = scaled.roles().len() - kernel.roles().len();
        // Every part of a sum, or the whole, needs a variance; no length scale changes.
        assert!(added <= 1 && (added == 0 || scaled.roles().contains(&Role::Variance)));
        let scales = |kernel: &Kernel| -> Vec<f64> {
            let named = kernel.roles().into_iter().zip(kernel.parameters());
            named.filter(|(role, _)| *role == Role::Lengthscale).map(|(_, value)| value).collect()
        };
        assert_eq!(scales(&scaled), scales(&kernel));
        // From then on there is a variance to scale.
        assert_eq!(scaled.scaled(0.5).roles(), scaled.roles());
    }
}

#[test]
fn inputs_that_a_kernel_cannot_read_are_refused() {
    let leaf = stationary(Family::Rbf, 1.0, 0.5, 2);
    let categorical = |categories, lengthscale| Kernel::Categorical(Categorical { categories, lengthscale });
    let refused = |kernel: Kernel, dimension: usize| kernel.check(dimension).unwrap_err();
    let parameter = |error: Error, number: f64| matches!(error, Error::Parameter { value, .. } if value == number);
    assert!(parameter(refused(Kernel::of(vec![0, 3], leaf.clone()), 3), 3.0));
    assert!(parameter(refused(Kernel::of(vec![1, 1], leaf.clone()), 3), 1.0));
    assert!(matches!(refused(Kernel::of(vec![1], leaf.clone()), 3), Error::Shape { found: 2, expected: 1, .. }));
    assert!(matches!(refused(categorical(3, 1.0), 2), Error::Shape { found: 2, expected: 1, .. }));
    assert!(parameter(refused(categorical(0, 1.0), 1), 0.0));
    assert!(parameter(refused(categorical(2, -1.0), 1), -1.0));
    assert!(
        refused(Kernel::product(vec![Kernel::of(vec![0, 1], leaf), categories(3, 2, 1.0)]), 3)
            .to_string()
            .contains("3")
    );
    assert!(Kernel::constant(1.0).check(0).is_ok() && Kernel::constant(0.0).check(2).is_err());

    // Allocation sees no more than the trait.
    let (x, mut rng) = (points(5, 2), stream(0, Purpose::Allocation, 0, 0));
    let chosen = allocate(
        &Allocation::Random,
        x.as_ref(),
        &categories(2, 3, 1.0),
        &AllocationContext::of_rows(x.nrows()),
        2,
        &mut rng,
    );
    assert!(matches!(chosen, Err(Error::Shape { found: 2, expected: 3, .. })));
}

/// The same function written with its inputs in another order.
#[test]
fn length_scales_belong_to_their_inputs() {
    let leaf = |lengthscales| Kernel::Stationary(Stationary { family: Family::Rbf, variance: 1.0, lengthscales });
    let (plain, turned) = (leaf(vec![0.05, 2.0]), Kernel::of(vec![1, 0], leaf(vec![2.0, 0.05])));
    let x = points(200, 2);
    let centroids = |kernel: &Kernel| {
        let kmeans = Allocation::Kmeans { inputs: Inputs::Scaled };
        let mut rng = stream(1, Purpose::Allocation, 0, 0);
        allocate(&kmeans, x.as_ref(), kernel, &AllocationContext::of_rows(x.nrows()), 12, &mut rng).unwrap().points
    };
    assert_eq!(centroids(&plain), centroids(&turned));
    // The prior widens with the number of inputs, in whatever parts they are read.
    let hyper = |kernel| Hyperparameters { kernel, mean: 0.0, noise: 0.1 };
    let density = |kernel: &Kernel| {
        let hyper = hyper(kernel.clone());
        let theta = hyper.to_vector();
        Priors::On.add_log_density(&hyper, &theta, &mut vec![0.0; theta.len()])
    };
    let mixed = Kernel::product(vec![Kernel::of(vec![0], leaf(vec![0.05])), categories(1, 2, 2.0)]);
    assert!((density(&plain) - density(&mixed)).abs() < 1e-12);
}

#[test]
fn categories_are_learned() {
    let space = Space::new(vec![Dimension::choice("c", &["u", "v", "w"]), Dimension::real("x", 0.0, 1.0)]).unwrap();
    // u and v are shifted copies of one function, w is another.
    let f = |c: usize, x: f64| [(6.0 * x).sin(), (6.0 * x).sin() + 0.4, 3.0 * x * x][c];
    let x = Mat::from_fn(90, 2, |i, k| [(i % 3) as f64, (i as f64 * 0.618).fract()][k]);
    let y = (0..90).map(|i| f(i % 3, x[(i, 1)]) + 0.05 * (i as f64 * 91.7).sin()).collect();
    let data = Dataset::new(x, y).unwrap();
    let start = Hyperparameters::cold(Kernel::for_space(&space, &Family::Matern52.into()).unwrap());
    let fitted = fit(&start, &data, data.x(), &FitOptions::default()).unwrap();
    let at = Mat::from_fn(60, 2, |i, k| [(i % 3) as f64, i as f64 / 59.0][k]);
    let mean = fitted.posterior.mean(at.as_ref()).unwrap();
    let error = |i: usize| (mean[i] - f(i % 3, at[(i, 1)])).abs();
    assert!((0..60).all(|i| error(i) < 0.15), "{:?}", (0..60).map(error).fold(0.0, f64::max));
    let gradient = mean_gradient(&fitted.posterior, at.as_ref());
    assert!((0..60).all(|i| gradient[(i, 0)] == 0.0) && (0..60).any(|i| gradient[(i, 1)].abs() > 1.0));
}
