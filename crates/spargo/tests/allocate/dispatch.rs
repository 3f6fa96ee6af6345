//! Every method by name does what its name says, and any covariance will do.

use super::{matern, naive_determinant, rng, subsets, uniform};
use spargo::allocate::quality::{Entropy, Improvement, Share};
use spargo::allocate::{Allocation, Inputs, Quality, Search, allocate, allocate_by};
use spargo::data::{AllocationContext, PosteriorAtData};
use spargo::kernel::{Cache, Covariance, CustomKernel, Kernel, KernelChoice, Role};
use spargo::linalg::{Mat, MatMut, MatRef};
use std::collections::HashMap;

/// A bump with uneven uncertainty, so that no two qualities order the rows alike.
fn context(x: &Mat) -> AllocationContext {
    let mean: Vec<f64> = (0..x.nrows()).map(|i| (-8.0 * (x[(i, 0)] - 0.6).powi(2)).exp() - 0.3 * x[(i, 1)]).collect();
    let variance = (0..x.nrows()).map(|i| 0.02 + 0.3 * x[(i, 1)].powi(4)).collect();
    let y = mean.iter().enumerate().map(|(i, m)| m + 0.2 * (37.0 * i as f64).sin()).collect();
    let posterior = PosteriorAtData::new(y, mean, variance, vec![0.04; x.nrows()]).unwrap().with_level(0.1).unwrap();
    AllocationContext::of_rows(x.nrows()).with_outputs(vec![posterior]).unwrap()
}

#[test]
fn every_greedy_name_is_its_quality() {
    let (x, kernel, m) = (uniform(120, 2, 3), matern(0.3, 2), 20);
    let context = context(&x);
    let qualities = [
        ("cvr", Quality::Unit),
        ("lin-dpp", Quality::Lin),
        ("imp-dpp", Quality::Imp(Improvement::default())),
        ("ent-dpp", Quality::Ent(Entropy::default())),
        ("al-dpp", Quality::Al),
        ("hv-dpp", Quality::Hv),
        ("front-dpp", Quality::Front),
    ];
    let mut choices = Vec::new();
    for (name, quality) in qualities {
        let q = quality.evaluate(&context, m).unwrap();
        let expected = allocate_by(|i| q[i], Search::Lazy, x.as_ref(), &kernel, m, &mut rng(0)).unwrap();
        let method: Allocation = name.parse().unwrap();
        let found = allocate(&method, x.as_ref(), &kernel, &context, m, &mut rng(0)).unwrap();
        assert_eq!(found.rows, expected.rows, "{name}");
        assert_eq!(found.quality, expected.quality, "{name}");
        choices.push(found.rows);
    }
    // The first five differ from each other, so that one cannot stand for another; HV of one objective is IMP.
    (0..5).for_each(|i| (0..i).for_each(|j| assert_ne!(choices[i], choices[j], "{i} {j}")));
    assert_eq!(choices[5], choices[2]);
    let per_point = Allocation::EntDpp(Entropy { share: Share::PerPoint, ..Entropy::default() });
    let found = allocate(&per_point, x.as_ref(), &kernel, &context, m, &mut rng(0)).unwrap();
    assert_ne!(
        found.quality,
        allocate(&Allocation::EntDpp(Entropy::default()), x.as_ref(), &kernel, &context, m, &mut rng(0))
            .unwrap()
            .quality
    );
}

#[test]
fn random_rows_are_equally_likely() {
    let (x, kernel) = (uniform(10, 2, 5), matern(0.3, 2));
    let mut counts = [0.0; 10];
    let draws = 4000;
    for seed in 0..draws {
        let chosen = allocate(
            &Allocation::Random,
            x.as_ref(),
            &kernel,
            &AllocationContext::of_rows(x.nrows()),
            3,
            &mut rng(seed),
        )
        .unwrap();
        chosen.rows.unwrap().iter().for_each(|&i| counts[i] += 1.0);
    }
    let expected = draws as f64 * 0.3;
    let chi2: f64 = counts.iter().map(|c: &f64| (c - expected).powi(2) / (expected * 0.7)).sum();
    // 9 degrees of freedom: beyond 33 with probability 1e-4.
    assert!(chi2 < 33.0, "{chi2} {counts:?}");
}

#[test]
fn clusters_in_scaled_inputs_are_clusters_of_scaled_inputs() {
    let (x, m) = (uniform(90, 2, 7), 6);
    let kernel = Kernel::Stationary(spargo::kernel::Stationary {
        family: spargo::kernel::Family::Matern52,
        variance: 1.0,
        lengthscales: vec![0.02, 1.0],
    });
    let run = |inputs, x: &Mat, kernel: &Kernel| {
        allocate(
            &Allocation::Kmeans { inputs },
            x.as_ref(),
            kernel,
            &AllocationContext::of_rows(x.nrows()),
            m,
            &mut rng(1),
        )
        .unwrap()
        .points
    };
    let scaled = run(Inputs::Scaled, &x, &kernel);
    let stretched = Mat::from_fn(90, 2, |i, k| x[(i, k)] / [0.02, 1.0][k]);
    let expected = run(Inputs::Plain, &stretched, &matern(1.0, 2));
    for (i, k) in (0..m).flat_map(|i| [(i, 0), (i, 1)]) {
        assert!((scaled[(i, k)] / [0.02, 1.0][k] - expected[(i, k)]).abs() < 1e-9);
    }
    assert!((run(Inputs::Plain, &x, &kernel) - scaled).norm_max() > 0.05);
}

#[test]
fn exact_samples_by_name_weigh_their_quality() {
    let (x, kernel, m) = (uniform(6, 2, 11), matern(0.4, 2), 2);
    let context = context(&x);
    let quality = Quality::Imp(Improvement::default());
    let sampled = Allocation::Dpp { quality: quality.clone() };
    let q = quality.evaluate(&context, m).unwrap();
    let sets = subsets(6, m);
    let weights: Vec<f64> = sets.iter().map(|set| naive_determinant(&kernel, &x, &q, set)).collect();
    let total: f64 = weights.iter().sum();
    let mut counts: HashMap<Vec<usize>, f64> = HashMap::new();
    let draws = 6000;
    for seed in 0..draws {
        let chosen = allocate(&sampled, x.as_ref(), &kernel, &context, m, &mut rng(seed)).unwrap();
        let mut rows = chosen.rows.unwrap();
        rows.sort_unstable();
        *counts.entry(rows).or_default() += 1.0;
    }
    let chi2: f64 = sets
        .iter()
        .zip(&weights)
        .map(|(set, weight)| {
            let expected = draws as f64 * weight / total;
            (counts.get(set).copied().unwrap_or(0.0) - expected).powi(2) / expected.max(1e-300)
        })
        .sum();
    // 14 degrees of freedom: beyond 43 with probability 1e-4.
    assert!(chi2 < 43.0, "{chi2}");
}

/// Similarities of items that have no coordinates: a point is its number.
#[derive(Debug, Clone)]
struct Precomputed(Mat);

impl CustomKernel for Precomputed {
    fn name(&self) -> &str {
        "precomputed"
    }

    fn cold(&self, _: usize) -> Box<dyn CustomKernel> {
        Box::new(self.clone())
    }
}

impl Covariance for Precomputed {
    fn dimension(&self) -> Option<usize> {
        Some(1)
    }

    fn roles(&self) -> Vec<Role> {
        Vec::new()
    }

    fn parameters(&self) -> Vec<f64> {
        Vec::new()
    }

    fn set_parameters(&mut self, _: &[f64]) {}

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        for (i, j) in (0..a.nrows()).flat_map(|i| (0..b.nrows()).map(move |j| (i, j))) {
            out[(i, j)] = self.0[(a[(i, 0)] as usize, b[(j, 0)] as usize)];
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        (0..x.nrows()).map(|i| self.0[(x[(i, 0)] as usize, x[(i, 0)] as usize)]).collect()
    }

    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, out: MatMut<'_>, _: &mut Cache) {
        self.cross(a, b, out);
    }

    fn backward(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: &Cache, _: &mut [f64]) {}

    fn add_diagonal_gradient(&self, _: MatRef<'_>, _: &[f64], _: &mut [f64]) {}

    fn add_input_gradient(&self, _: MatRef<'_>, _: MatRef<'_>, _: MatRef<'_>, _: MatMut<'_>) {}
}

#[test]
fn items_without_coordinates_can_be_chosen() {
    // Shared letters of words, as |A ∩ B| / |A ∪ B| (Tanimoto), which is positive definite; two words are anagrams.
    let words = ["pond", "lake", "river", "sea", "ocean", "canoe", "creek", "bay", "gulf", "strait", "lagoon", "tarn"];
    let letters = |w: &str| w.chars().collect::<std::collections::BTreeSet<_>>();
    let similarity = |a: &str, b: &str| {
        let (a, b) = (letters(a), letters(b));
        a.intersection(&b).count() as f64 / a.union(&b).count() as f64
    };
    let n = words.len();
    let similarities = Mat::from_fn(n, n, |i, j| similarity(words[i], words[j]));
    let kernel = KernelChoice::custom(Precomputed(similarities.clone())).cold(1).unwrap();
    let x = Mat::from_fn(n, 1, |i, _| i as f64);
    let quality: Vec<f64> = (0..n).map(|i| 0.5 + (i % 4) as f64).collect();
    let run =
        |search, m| allocate_by(|i| quality[i], search, x.as_ref(), &kernel, m, &mut rng(2)).unwrap().rows.unwrap();
    // One of the anagrams "ocean" and "canoe" determines the other.
    assert_eq!(run(Search::Lazy, n).len(), n - 1);
    // The greedy choice maximises the determinant one row at a time.
    let determinant = |rows: &[usize]| {
        let l = Mat::from_fn(rows.len(), rows.len(), |i, j| {
            similarities[(rows[i], rows[j])] * quality[rows[i]] * quality[rows[j]]
        });
        l.determinant()
    };
    let chosen = run(Search::Lazy, 4);
    for j in 0..4 {
        let with = |i: usize| determinant(&[&chosen[..j], &[i]].concat());
        let best = (0..n).filter(|i| !chosen[..j].contains(i)).map(with).fold(0.0, f64::max);
        assert!(with(chosen[j]) >= best * (1.0 - 1e-12), "{j}");
    }
    let mut sample = run(Search::Sample, 5);
    sample.sort_unstable();
    sample.dedup();
    assert_eq!(sample.len(), 5);
}
