//! Theorem 1, the bounds of appendix A, and the distribution of exact samples.

use crate::{matern, naive_determinant, rng, subsets, uniform};
use spargo::allocate::{Search, allocate_by, conditional_variance, trace};
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, symmetric_eigen};

fn wavy(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.3 + (1.7 * i as f64).sin().powi(2)).collect()
}

/// Points in a few tight groups: a uniform subset is then far worse than a determinantal one.
fn grouped(n: usize) -> Mat {
    let fine = uniform(n, 2, 5);
    Mat::from_fn(n, 2, |i, k| if i < n / 2 { 0.05 * fine[(i, k)] } else { fine[(i, k)] })
}

#[test]
fn greedy_maximises_the_determinant_of_l() {
    let x = uniform(14, 2, 3);
    let kernel = matern(0.4, 2);
    for quality in [vec![1.0; 14], wavy(14)] {
        let mut rows: Vec<usize> = Vec::new();
        for _ in 0..6 {
            let with = |i| naive_determinant(&kernel, &x, &quality, &[rows.as_slice(), &[i]].concat());
            let candidates = (0..14).filter(|i| !rows.contains(i));
            // Of equal determinants the first: max_by would return the last.
            let best = candidates.rev().max_by(|&a, &b| with(a).total_cmp(&with(b))).unwrap();
            rows.push(best);
        }
        let chosen = allocate_by(|i| quality[i], Search::Lazy, x.as_ref(), &kernel, 6, &mut rng(0)).unwrap();
        assert_eq!(chosen.rows.as_deref(), Some(rows.as_slice()));
        let product: f64 = chosen.variance.iter().zip(&chosen.quality).map(|(v, q)| v * q * q).product();
        assert!((product / naive_determinant(&kernel, &x, &quality, &rows) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn exact_samples_have_the_probabilities_of_their_determinants() {
    let (n, size, draws) = (7, 3, 20_000);
    let x = uniform(n, 1, 8);
    let kernel = matern(0.3, 1);
    for quality in [vec![1.0; n], wavy(n)] {
        let sets = subsets(n, size);
        let weights: Vec<f64> = sets.iter().map(|set| naive_determinant(&kernel, &x, &quality, set)).collect();
        let total: f64 = weights.iter().sum();
        let mut counts = vec![0.0; sets.len()];
        let mut rng = rng(4);
        for _ in 0..draws {
            let chosen = allocate_by(|i| quality[i], Search::Sample, x.as_ref(), &kernel, size, &mut rng).unwrap();
            let mut rows = chosen.rows.unwrap();
            rows.sort_unstable();
            counts[sets.iter().position(|set| *set == rows).unwrap()] += 1.0;
        }
        let expected = weights.iter().map(|weight| draws as f64 * weight / total);
        let chi2: f64 = counts.iter().zip(expected).map(|(count, mean)| (count - mean).powi(2) / mean).sum();
        // 34 degrees of freedom: 75 is exceeded with probability 7e-5.
        assert!(chi2 < 75.0, "χ² = {chi2}");
    }
}

/// E t^q(Z) = (M + 1) e_{M+1}(λ)/e_M(λ) ≤ (M + 1) Σ_{m>M} λ_m, with the eigenvalues λ of L.
#[test]
fn the_expected_trace_obeys_appendix_a() {
    let (n, m, draws) = (40, 5, 1500);
    let x = grouped(n);
    let kernel = Kernel::stationary(Family::Rbf, 1.0, 0.5, 2);
    let k = kernel.matrix(x.as_ref(), x.as_ref());
    for quality in [vec![1.0; n], wavy(n)] {
        let l = Mat::from_fn(n, n, |i, j| quality[i] * k[(i, j)] * quality[j]);
        let mut values = symmetric_eigen(l.as_ref()).unwrap().values;
        values.iter_mut().for_each(|value| *value = value.max(0.0));
        let bound = (m + 1) as f64 * values[..n - m].iter().sum::<f64>();
        let identity = (m + 1) as f64 * elementary(&values, m + 1) / elementary(&values, m);

        let mut rng = rng(6);
        let traces: Vec<f64> = (0..draws)
            .map(|_| {
                let sample = allocate_by(|i| quality[i], Search::Sample, x.as_ref(), &kernel, m, &mut rng).unwrap();
                assert_eq!(sample.variance.len(), m);
                trace(sample.points.as_ref(), x.as_ref(), &kernel, &quality).unwrap().weighted
            })
            .collect();
        let mean = traces.iter().sum::<f64>() / draws as f64;
        let deviation = (traces.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / draws as f64).sqrt();
        let error = deviation / (draws as f64).sqrt();
        assert!((mean - identity).abs() < 4.0 * error, "{mean} ± {error}, exactly {identity}");
        assert!(mean <= bound && identity <= bound, "{mean} {identity} {bound}");
        // No set does better than the eigenvalues allow.
        assert!(traces.iter().all(|t| *t >= (bound / (m + 1) as f64) * (1.0 - 1e-9)));
    }
}

fn elementary(values: &[f64], order: usize) -> f64 {
    let mut e = vec![0.0; order + 1];
    e[0] = 1.0;
    for value in values {
        for l in (1..=order).rev() {
            e[l] += value * e[l - 1];
        }
    }
    e[order]
}

#[test]
fn a_binary_quality_moves_accuracy_into_its_region() {
    let n = 60;
    let x = uniform(n, 2, 12);
    let kernel = matern(0.5, 2);
    let inside = |i: usize| x[(i, 0)] < 0.4 && x[(i, 1)] < 0.5;
    let mut previous = f64::INFINITY;
    for beta in [0.1, 0.5, 0.9, 0.99] {
        let quality: Vec<f64> = (0..n).map(|i| f64::sqrt(if inside(i) { beta } else { 1.0 - beta })).collect();
        let (mut total, mut rng) = (0.0, rng(2));
        for _ in 0..200 {
            let z = allocate_by(|i| quality[i], Search::Sample, x.as_ref(), &kernel, 8, &mut rng).unwrap().points;
            let left = conditional_variance(z.as_ref(), x.as_ref(), &kernel).unwrap();
            let part = |region: bool| (0..n).filter(|&i| inside(i) == region).map(|i| left[i]).sum::<f64>();
            let weighted = trace(z.as_ref(), x.as_ref(), &kernel, &quality).unwrap().weighted;
            assert!((weighted - beta * part(true) - (1.0 - beta) * part(false)).abs() < 1e-10);
            total += part(true);
        }
        assert!(total < 0.95 * previous, "β = {beta}: {total} after {previous}");
        previous = total;
    }
}
