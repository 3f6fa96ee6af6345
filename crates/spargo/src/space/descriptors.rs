//! Descriptors of labels: numbers by which some labels are more alike than others.
//!
//! ```text
//!     D = p columns that vary, each with mean 0 and deviation 1 over the n labels
//!     s_ab = |D_a − D_b|² / p,   2n / (n − 1) on average over different labels, whatever the columns
//! ```

use crate::error::Result;
use crate::linalg::{Accumulate, Mat, cholesky, gemm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most labels that may have descriptors: every pair of them has a distance, a gigabyte in all for so many.
const MOST: usize = 10_000;

/// Relative difference up to which the numbers of a column are the same: what two programs make of one decimal.
const SAME: f64 = 1e-12;

/// What is added to the variances of coordinates that are made from distances, whose last one is always 0.
const JITTER: f64 = 1e-12;

/// Numbers for each label, with the names of their columns.
#[derive(Debug, Clone)]
pub struct Descriptors {
    form: Arc<DescriptorForm>,
    /// Whether each column varies.
    varies: Vec<bool>,
    geometry: Arc<LabelGeometry>,
}

/// Descriptors as they are given: names of columns, and a row for each label in the order of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescriptorForm {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<f64>>,
}

/// How far labels are apart.
#[derive(Debug)]
pub struct LabelGeometry {
    /// s, [labels, labels].
    pub squared: Mat,
    /// Coordinates with these distances, [labels, r].
    pub coordinates: Mat,
}

/// What is wrong with descriptors, and what to do about it.
type Fault = (String, &'static str);

impl Descriptors {
    /// A row of numbers for each label, with a name for each column.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<f64>>) -> std::result::Result<Self, Fault> {
        Descriptors::of(Arc::new(DescriptorForm { columns, rows }))
    }

    pub(super) fn of(form: Arc<DescriptorForm>) -> std::result::Result<Self, Fault> {
        let DescriptorForm { columns, rows } = &*form;
        let fault = |problem: String, remedy| Err((problem, remedy));
        if columns.is_empty() {
            return fault("its descriptors have no columns".into(), "give at least one");
        }
        if rows.len() > MOST {
            let problem = format!("{} labels have descriptors, and at most {MOST} may", rows.len());
            return fault(problem, "leave the descriptors out, or labels");
        }
        for (label, row) in rows.iter().enumerate() {
            if row.len() != columns.len() {
                let problem = format!("row {label} of its descriptors has {} of {} numbers", row.len(), columns.len());
                return fault(problem, "give a number for every column");
            }
            if let Some(column) = row.iter().position(|x| !x.is_finite()) {
                let problem = format!("the descriptor '{}' in row {label} is not finite", columns[column]);
                return fault(problem, "give a number");
            }
        }
        let standard: Vec<Option<Vec<f64>>> = (0..columns.len()).map(|k| standardised(rows, k)).collect();
        let varies: Vec<bool> = standard.iter().map(Option::is_some).collect();
        let standard: Vec<Vec<f64>> = standard.into_iter().flatten().collect();
        if standard.is_empty() && rows.len() > 1 {
            return fault("its descriptors are the same for all labels".into(), "leave them out, or give others");
        }
        match LabelGeometry::new(&standard, rows.len()) {
            Ok(geometry) => Ok(Descriptors { form, varies, geometry: Arc::new(geometry) }),
            Err(error) => fault(format!("its descriptors have no distances: {error}"), "give others"),
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.form.columns
    }

    /// The numbers of each label, as they were given.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.form.rows
    }

    /// The columns with the same number for all labels, of which models see nothing.
    pub fn constant_columns(&self) -> impl Iterator<Item = &str> {
        let columns = self.form.columns.iter().zip(&self.varies);
        columns.filter(|(_, varies)| !**varies).map(|(name, _)| name.as_str())
    }

    /// How far the labels are apart.
    pub fn geometry(&self) -> &Arc<LabelGeometry> {
        &self.geometry
    }
}

/// A column with mean 0 and deviation 1; `None` if it is constant.
fn standardised(rows: &[Vec<f64>], k: usize) -> Option<Vec<f64>> {
    let column = || rows.iter().map(|row| row[k]);
    // The largest is 1, so that no sum or square overflows.
    let scale = column().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let column: Vec<f64> = column().map(|x| x / scale).collect();
    let (least, most) = column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &x| (a.min(x), b.max(x)));
    let varies = most - least > SAME;
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let deviation = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt();
    varies.then(|| column.iter().map(|x| (x - mean) / deviation).collect())
}

impl LabelGeometry {
    /// Of labels with these columns.
    fn new(columns: &[Vec<f64>], labels: usize) -> Result<Self> {
        let share = (columns.len().max(1) as f64).sqrt();
        let scaled = Mat::from_fn(labels, columns.len(), |i, k| columns[k][i] / share);
        let mut products = Mat::zeros(labels, labels);
        gemm(products.as_mut(), Accumulate::Replace, 1.0, scaled.as_ref(), scaled.transpose());
        // The mean of both orders, so that the distance from a to b is that from b to a to the last bit.
        let squared = Mat::from_fn(labels, labels, |a, b| match a == b {
            true => 0.0,
            false => (products[(a, a)] + products[(b, b)] - (products[(a, b)] + products[(b, a)])).max(0.0),
        });
        // More columns than labels say no more about distances than as many as there are labels.
        let coordinates = if columns.len() <= labels { scaled } else { cholesky(products, JITTER * labels as f64)?.l };
        Ok(LabelGeometry { squared, coordinates })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[f64]]) -> Descriptors {
        let columns = (0..rows[0].len()).map(|k| format!("d{k}")).collect();
        Descriptors::new(columns, rows.iter().map(|row| row.to_vec()).collect()).unwrap()
    }

    #[test]
    fn distances_are_their_formula_whatever_the_units() {
        let descriptors = of(&[&[1.0, 7.0, 1e300, 0.1], &[2.0, 7.0, -1e300, 0.1], &[6.0, 7.0, 0.0, 0.1]]);
        assert_eq!(descriptors.constant_columns().collect::<Vec<_>>(), ["d1", "d3"]);
        let deviations = [(14.0f64 / 3.0).sqrt(), (2.0f64 / 3.0).sqrt()];
        let LabelGeometry { squared, coordinates } = &**descriptors.geometry();
        for (a, b, by) in [(0, 1, [1.0, 2.0]), (0, 2, [5.0, 1.0]), (1, 2, [4.0, 1.0])] {
            let expected = ((by[0] / deviations[0]).powi(2) + (by[1] / deviations[1]).powi(2)) / 2.0;
            assert!((squared[(a, b)] - expected).abs() < 1e-12 && squared[(a, b)] == squared[(b, a)]);
            let apart = (0..2).map(|k| (coordinates[(a, k)] - coordinates[(b, k)]).powi(2)).sum::<f64>();
            assert!((apart - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn many_columns_have_as_many_coordinates_as_labels() {
        let bit = |a: usize, k: usize| f64::from(u8::from((a * 7919 + k * 104_729) % 13 < 4));
        let rows: Vec<Vec<f64>> = (0..9).map(|a| (0..500).map(|k| bit(a, k)).collect()).collect();
        let descriptors = of(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let LabelGeometry { squared, coordinates } = &**descriptors.geometry();
        assert_eq!((coordinates.nrows(), coordinates.ncols()), (9, 9));
        let mut mean = 0.0;
        for (a, b) in (0..81).map(|at| (at / 9, at % 9)).filter(|(a, b)| a != b) {
            let apart = (0..9).map(|k| (coordinates[(a, k)] - coordinates[(b, k)]).powi(2)).sum::<f64>();
            assert!((apart - squared[(a, b)]).abs() < 1e-9);
            mean += squared[(a, b)] / 72.0;
        }
        assert!((mean - 2.0 * 9.0 / 8.0).abs() < 1e-12, "{mean}");
    }
}
