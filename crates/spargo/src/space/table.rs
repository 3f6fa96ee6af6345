//! A finite table of points that may be evaluated: their numbers, their values as given, and the way back from one to
//! the other.

use super::Point;
use super::choice::{Choices, Key};
use super::dimension::Dimension;
use super::domain::{Domain, Scale};
use super::labels::Labels;
use super::real::RealRange;
use super::value::Value;
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, column, column_mut, select_rows};
use rayon::prelude::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Different candidates, numbered from 0.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    /// As models see them, [candidates, inputs].
    numbers: Mat,
    /// The values of Real inputs as given, by input; other inputs' follow from their numbers.
    given: Vec<Option<Vec<f64>>>,
    /// Of which inputs all values were given as whole numbers.
    whole: Vec<bool>,
    /// The hash of each row's numbers with its number, in order of the hashes.
    index: Vec<(u64, usize)>,
    labels: Labels,
}

impl Table {
    /// Encodes every row. A row that is given again, with the same identity, is left out.
    pub(super) fn new(dimensions: &[Dimension], rows: &[Point], labels: Labels) -> Result<Self> {
        check_shape(dimensions.len(), rows)?;
        let columns: Vec<_> = dimensions.par_iter().enumerate().map(|(k, d)| encode_column(d, k, rows)).collect();
        let mut numbers = Mat::zeros(rows.len(), dimensions.len());
        for (k, column) in first_fault(columns)?.iter().enumerate() {
            column_mut(numbers.as_mut(), k).copy_from_slice(column);
        }
        let given = |(k, dimension): (usize, &Dimension)| {
            dimension.domain.is_continuous().then(|| rows.iter().filter_map(|row| row[k].real()).collect())
        };
        let given = dimensions.iter().enumerate().map(given).collect();
        let is_whole = |k: usize| rows.iter().all(|row| matches!(row[k], Value::Int(_)));
        let whole = (0..dimensions.len()).map(is_whole).collect();
        Table { numbers, given, whole, index: Vec::new(), labels }.distinct()
    }

    /// Leaves out rows that repeat an earlier one, and refuses those that only look the same to a model.
    fn distinct(mut self) -> Result<Self> {
        let (numbers, given) = (&self.numbers, &self.given);
        let mut index: Vec<(u64, usize)> =
            (0..numbers.nrows()).into_par_iter().map(|i| (hash_row(numbers.as_ref(), i), i)).collect();
        index.par_sort_unstable();
        let mut keep = vec![true; numbers.nrows()];
        for run in index.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            // One row for each point of the run, and the identities there.
            let (mut firsts, mut seen): (Vec<usize>, HashSet<(usize, Vec<&str>)>) = Default::default();
            for &(_, row) in run {
                let first = firsts.iter().copied().find(|&first| rows_equal(numbers.as_ref(), first, row));
                let first = first.unwrap_or_else(|| {
                    firsts.push(row);
                    row
                });
                keep[row] = seen.insert((first, self.labels.identity(row)));
                if given.iter().flatten().any(|values| values[first] != values[row]) {
                    return Err(Error::unsupported(
                        format!("a model cannot tell row {row} of the candidates from row {first}"),
                        "leave one out, or give the input in which they differ on another scale, as its logarithm",
                    ));
                }
            }
        }
        self.index = index;
        if keep.iter().all(|&keep| keep) { Ok(self) } else { Ok(self.select(&keep)) }
    }

    fn select(self, keep: &[bool]) -> Self {
        let rows: Vec<usize> = (0..keep.len()).filter(|&i| keep[i]).collect();
        let mut renumbered = vec![0; keep.len()];
        rows.iter().enumerate().for_each(|(new, &old)| renumbered[old] = new);
        let pick = |values: Vec<f64>| rows.iter().map(|&i| values[i]).collect();
        Table {
            numbers: select_rows(self.numbers.as_ref(), &rows),
            given: self.given.into_iter().map(|values| values.map(pick)).collect(),
            whole: self.whole,
            labels: self.labels.select(&rows),
            index: self.index.into_iter().filter(|&(_, i)| keep[i]).map(|(hash, i)| (hash, renumbered[i])).collect(),
        }
    }

    pub(super) fn numbers(&self) -> MatRef<'_> {
        self.numbers.as_ref()
    }

    /// The values of a candidate, exactly as they were given.
    pub(super) fn point(&self, dimensions: &[Dimension], row: usize) -> Option<Point> {
        let value = |(k, dimension): (usize, &Dimension)| match &self.given[k] {
            // A column of identifiers comes out as it was given.
            Some(values) if self.whole[k] => Value::Int(values[row] as i64),
            Some(values) => Value::Real(values[row]),
            None => dimension.domain.decode(self.numbers[(row, k)]),
        };
        (row < self.numbers.nrows()).then(|| dimensions.iter().enumerate().map(value).collect())
    }

    /// Its label columns.
    pub(super) fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The first candidate with these numbers.
    pub(super) fn find(&self, numbers: &[f64]) -> Option<usize> {
        self.find_all(numbers).next()
    }

    /// The candidates with these numbers, in their order.
    pub(super) fn find_all<'a>(&'a self, numbers: &'a [f64]) -> impl Iterator<Item = usize> + 'a {
        let row = MatRef::from_row_major_slice(numbers, 1, numbers.len());
        let hash = hash_row(row, 0);
        let start = self.index.partition_point(|entry| entry.0 < hash);
        let run = self.index[start..].iter().take_while(move |entry| entry.0 == hash);
        let equal = |i: usize| (0..numbers.len()).all(|k| self.numbers[(i, k)] == numbers[k]);
        run.map(|&(_, i)| i).filter(move |&i| equal(i))
    }
}

/// The inputs that a table's columns are: whatever is no number makes a column of categories, all others are Real.
///
/// Whole numbers are not made Int: which of them exist the rows say already, a Real keeps the same distances between
/// them, and it has no widest range.
pub(super) fn infer(names: &[String], rows: &[Point]) -> Result<Vec<Dimension>> {
    check_shape(names.len(), rows)?;
    let domain = |k: usize| {
        let column = rows.iter().map(|row| &row[k]);
        if column.clone().any(|value| matches!(value, Value::Choice(_) | Value::Bool(_) | Value::Null)) {
            Ok(Domain::Categorical(Choices(distinct_labels(column))))
        } else {
            range(&names[k], column)
        }
    };
    let domains: Vec<_> = (0..names.len()).into_par_iter().map(domain).collect();
    let domains = first_fault(domains)?;
    Ok(names.iter().zip(domains).map(|(name, domain)| Dimension::new(name, domain)).collect())
}

/// What is wrong, and with which row.
type Fault = (usize, Error);

fn range<'a>(name: &str, column: impl Iterator<Item = &'a Value>) -> std::result::Result<Domain, Fault> {
    let (mut lower, mut upper) = (f64::INFINITY, f64::NEG_INFINITY);
    for (row, value) in column.enumerate() {
        let Some(x) = value.real().filter(|x| x.is_finite()) else {
            let allowed = "a finite number that floating point can hold".into();
            return Err((row, Error::Value { input: name.into(), value: value.to_string(), allowed }));
        };
        (lower, upper) = (lower.min(x), upper.max(x));
    }
    Ok(Domain::Real(RealRange { lower, upper, scale: Scale::Linear }))
}

fn distinct_labels<'a>(column: impl Iterator<Item = &'a Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    column.filter(|value| seen.insert(Key::of(value))).cloned().collect()
}

fn check_shape(inputs: usize, rows: &[Point]) -> Result<()> {
    if rows.is_empty() {
        return Err(Error::Empty { what: "the table of candidates".into() });
    }
    match rows.iter().position(|row| row.len() != inputs) {
        Some(row) => {
            let what = format!("row {row} of the candidates");
            Err(Error::Shape { what, found: rows[row].len(), expected: inputs })
        }
        None => Ok(()),
    }
}

fn encode_column(dimension: &Dimension, k: usize, rows: &[Point]) -> std::result::Result<Vec<f64>, Fault> {
    let number = dimension.domain.encoder();
    let encode = |(row, point): (usize, &Point)| number(&point[k]).ok_or_else(|| (row, dimension.refuse(&point[k])));
    rows.iter().enumerate().map(encode).collect()
}

/// All columns, or what is wrong with the first faulty row.
fn first_fault<T>(columns: Vec<std::result::Result<T, Fault>>) -> Result<Vec<T>> {
    let faults = columns.iter().filter_map(|column| column.as_ref().err());
    if let Some((row, error)) = faults.min_by_key(|(row, _)| *row) {
        return Err(Error::Candidate { row: *row, error: Box::new(error.clone()) });
    }
    Ok(columns.into_iter().flatten().collect())
}

fn rows_equal(a: MatRef<'_>, i: usize, j: usize) -> bool {
    (0..a.ncols()).all(|k| column(a, k)[i] == column(a, k)[j])
}

fn hash_row(a: MatRef<'_>, i: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (0..a.ncols()).for_each(|k| a[(i, k)].to_bits().hash(&mut hasher));
    hasher.finish()
}
