//! Pareto fronts of points to be maximised in every coordinate.
//!
//! ```text
//!     a dominates b  ⇔  a ≥ b in every coordinate and a ≠ b
//! ```

/// The rows that no other row dominates, in increasing order; of equal rows all are kept.
///
/// Sorted by their sum, a row can only be dominated by an earlier one: O(rows × front), not O(rows²).
pub fn front(rows: &[Vec<f64>]) -> Vec<usize> {
    let sums: Vec<f64> = rows.iter().map(|row| row.iter().sum()).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&i, &j| sums[j].total_cmp(&sums[i]));
    let mut front: Vec<usize> = Vec::new();
    for i in order {
        if !front.iter().any(|&j| dominates(&rows[j], &rows[i])) {
            front.push(i);
        }
    }
    // Rounding can give a dominated row the same sum as its dominator, and the earlier place.
    let mut kept: Vec<usize> =
        front.iter().copied().filter(|&i| !front.iter().any(|&j| dominates(&rows[j], &rows[i]))).collect();
    kept.sort_unstable();
    kept
}

fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b) && a != b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};
    use rand::RngExt;

    #[test]
    fn agrees_with_the_definition() {
        let mut rng = stream(1, Purpose::Data, 0, 0);
        for objectives in 1..=4 {
            // A coarse grid has ties and equal rows.
            let rows: Vec<Vec<f64>> =
                (0..200).map(|_| (0..objectives).map(|_| rng.random_range(0..8) as f64).collect()).collect();
            let naive: Vec<usize> =
                (0..200).filter(|&i| !rows.iter().any(|other| dominates(other, &rows[i]))).collect();
            assert_eq!(front(&rows), naive);
        }
    }

    #[test]
    fn a_dominator_with_the_same_rounded_sum_still_wins() {
        let rows = vec![vec![1e16, 1.0 - 1e-16], vec![1e16, 1.0]];
        assert_eq!(front(&rows), [1]);
    }
}
