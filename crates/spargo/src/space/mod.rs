//! The user's inputs, and the numbers by which models see them: one column per input.
//!
//! ```text
//!     Real, linear:  (x − lower) / (upper − lower)           Real, log:  ln(x / lower) / ln(upper / lower)
//!     Int, Grid, Listed:  as for Real, at their values only     Ordinal:  index / (n − 1)
//!     Categorical:  the index of the choice
//! ```
//!
//! Values and numbers determine each other: decode ∘ encode is the identity on whatever was decoded, encode ∘ decode on
//! whatever was encoded, bit by bit. So a model sees exactly the point that was asked for.

mod choice;
mod constraints;
mod described;
mod descriptors;
mod dimension;
mod domain;
mod feasible;
mod form;
mod grid;
mod identify;
mod int;
mod labels;
mod listed;
mod ordinal;
mod real;
mod steps;
mod table;
mod value;

pub use choice::Choices;
pub use constraints::{InputConstraint, Limits, Relaxation, When};
pub use described::DescribedChoices;
pub use descriptors::{Descriptors, LabelGeometry};
pub use dimension::Dimension;
pub use domain::{Domain, Kind, Scale};
pub use grid::{GridRange, Spacing};
pub use int::IntRange;
pub use labels::LabelColumn;
pub use listed::ListedValues;
pub use ordinal::OrdinalLabels;
pub use real::RealRange;
pub use value::{Point, Value};

use crate::error::{Error, Result};
use crate::linalg::MatRef;
use constraints::Constraints;
use labels::Labels;
use serde::Deserialize;
use std::sync::Arc;
use table::Table;

/// Everything that may be evaluated.
///
/// Written as `inputs = [...]`, a list of [`Dimension`]s, with `candidates = [[...], ...]` if only these may be.
/// The default has no inputs: it is what settings hold until they are told one.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(try_from = "form::SpaceForm")]
pub struct Space {
    dimensions: Vec<Dimension>,
    /// `None` if every point may be evaluated.
    table: Option<Arc<Table>>,
    /// `None` if inputs are independent of each other.
    constraints: Option<Arc<Constraints>>,
}

impl Space {
    /// All points whose inputs lie in their domains.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Self> {
        Space::build(dimensions, None)
    }

    /// This space, of which only these points may be evaluated; a point that is given again is left out.
    pub fn with_candidates(self, rows: Vec<Point>) -> Result<Self> {
        self.with_labelled_candidates(rows, Vec::new())
    }

    /// This space, of which only these points may be evaluated, with columns that travel with them: an id, a supplier. Rows
    /// with the same inputs and another id, or other labels if no column is called id, are different candidates; a row that is
    /// given again is left out.
    pub fn with_labelled_candidates(self, rows: Vec<Point>, labels: Vec<LabelColumn>) -> Result<Self> {
        let (labels, constraints) = (Labels::new(labels, None, rows.len())?, self.input_constraints().to_vec());
        Space::build(self.dimensions, Some((rows, labels)))?.with_input_constraints(constraints)
    }

    /// A table of points, its columns' domains inferred: columns with a text, true, false or null are Categorical, in order
    /// of appearance, columns of numbers Real from their least to their largest. Unlike elsewhere a column may be constant.
    pub fn from_table(names: &[String], rows: Vec<Point>) -> Result<Self> {
        Space::from_labelled_table(names, rows, Vec::new())
    }

    /// A table of points as [`from_table`](Self::from_table) makes it, with columns that travel with them and are no inputs.
    pub fn from_labelled_table(names: &[String], rows: Vec<Point>, labels: Vec<LabelColumn>) -> Result<Self> {
        let labels = Labels::new(labels, None, rows.len())?;
        Space::build(table::infer(names, &rows)?, Some((rows, labels)))
    }

    /// Its inputs.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The finite table of points that may be evaluated, as models see them; `None` if every point may be.
    pub fn candidates(&self) -> Option<MatRef<'_>> {
        self.table.as_ref().map(|table| table.numbers())
    }

    /// A row of that table in the user's values, exactly as they were given (a whole number of a Real as a
    /// Real, unless all of its column's are whole).
    pub fn candidate(&self, row: usize) -> Option<Point> {
        self.table.as_ref()?.point(&self.dimensions, row)
    }

    /// The first row of that table with these numbers.
    pub fn find(&self, numbers: &[f64]) -> Option<usize> {
        self.table.as_ref()?.find(numbers)
    }

    /// The candidates at a point, as the numbers of their rows in the table as it was given: several if they differ in their
    /// labels alone, none if it is no candidate.
    pub fn rows_at(&self, point: &[Value]) -> Vec<u64> {
        let (Some(table), Ok(numbers)) = (&self.table, self.encode(point)) else { return Vec::new() };
        table.find_all(&numbers).map(|row| table.labels().rows[row]).collect()
    }

    /// What tells a candidate, by the number of its row in the table as it was given, from others at its point: its id, or all of its
    /// labels if no column is called so.
    pub fn identity(&self, row: u64) -> Option<Vec<&str>> {
        let labels = self.table.as_ref()?.labels();
        Some(labels.identity(labels.place(row)?))
    }

    /// The labels of a candidate by the number of its row in the table as it was given: names of columns, and texts. Empty if
    /// the table has none.
    pub fn labels(&self, row: u64) -> Option<Vec<(&str, &str)>> {
        self.table.as_ref()?.labels().of(row)
    }

    /// Takes over what another space knows of past trials, input by input.
    pub(crate) fn adopt_past(&mut self, other: &Space) {
        for dimension in &mut self.dimensions {
            let known = other.dimensions.iter().find(|known| known.name == dimension.name);
            dimension.past = dimension.past.take().or_else(|| known.and_then(|known| known.past.clone()));
        }
    }

    /// The names of the label columns.
    pub fn label_names(&self) -> impl Iterator<Item = &str> {
        self.table.iter().flat_map(|table| &table.labels().columns).map(|column| column.name.as_str())
    }

    /// The numbers of a point whose values lie in their domains. It need not be among the candidates: what was evaluated
    /// elsewhere teaches as well.
    pub fn encode(&self, point: &[Value]) -> Result<Vec<f64>> {
        self.encode_by(point, Dimension::encode)
    }

    /// The numbers of a point that was observed. Values inside their domains have those of [`encode`](Self::encode); outside a range
    /// they are below 0 or above 1, by the same formula. What has no number is refused: a choice that is not listed, a fraction
    /// of an Int, what is not above 0 in a logarithmic range, and what is thousands of ranges away.
    pub fn encode_observed(&self, point: &[Value]) -> Result<Vec<f64>> {
        self.encode_by(point, Dimension::encode_observed)
    }

    /// Whether every value of a point lies in its domain, and the input constraints are satisfied: only then it may be asked for or
    /// recommended.
    pub fn contains(&self, point: &[Value]) -> bool {
        self.encode(point).is_ok_and(|numbers| self.is_satisfied(&numbers))
    }

    /// Whether the numbers of a point are those of a point in the domains that satisfies the input constraints.
    pub fn contains_numbers(&self, numbers: &[f64]) -> bool {
        let inside = |(dimension, number): (&Dimension, &f64)| dimension.domain.snap(*number) == *number;
        numbers.len() == self.dimensions.len()
            && self.dimensions.iter().zip(numbers).all(inside)
            && self.is_satisfied(numbers)
    }

    /// A point as the space writes it: choices as they are listed, whole numbers of an Int as such. Values that no input has
    /// stay what they are.
    pub fn canonical(&self, point: &[Value]) -> Point {
        let values = self.dimensions.iter().zip(point);
        values.map(|(dimension, value)| dimension.domain.canonical(value)).collect()
    }

    /// The point with the nearest numbers, whether or not it is a candidate.
    pub(crate) fn decode_anywhere(&self, numbers: &[f64]) -> Result<Point> {
        let decoded = self.dimensions.iter().zip(numbers).map(|(dimension, number)| dimension.decode(*number));
        Ok(self.without_inactive(numbers, decoded.collect::<Result<Point>>()?))
    }

    /// The point with the nearest numbers; among candidates it must be one of them.
    pub fn decode(&self, numbers: &[f64]) -> Result<Point> {
        self.check_length("the list of numbers", numbers.len())?;
        let point = self.decode_anywhere(numbers)?;
        let Some(table) = &self.table else { return Ok(self.as_fixed(numbers, point)) };
        let mut row = numbers.to_vec();
        self.snap(&mut row);
        let found = table.find(&row).and_then(|row| table.point(&self.dimensions, row));
        found.ok_or_else(|| {
            Error::unsupported("the point is not in the table of candidates", "choose among the table's rows")
        })
    }

    /// Moves every input to the nearest number that a value has.
    pub fn snap(&self, row: &mut [f64]) {
        self.dimensions.iter().zip(row).for_each(|(dimension, number)| *number = dimension.domain.snap(*number));
    }

    fn build(dimensions: Vec<Dimension>, rows: Option<(Vec<Point>, Labels)>) -> Result<Self> {
        check_names(&dimensions)?;
        dimensions.iter().try_for_each(Dimension::check)?;
        let table = match rows {
            Some((rows, labels)) => {
                if let Some(conditional) = dimensions.iter().find(|dimension| dimension.when.is_some()) {
                    let remedy = "leave out when: the table says what may be evaluated";
                    return Err(Error::input(&conditional.name, "candidates have no conditional inputs", remedy));
                }
                check_labels(&dimensions, &labels)?;
                Some(Arc::new(Table::new(&dimensions, &rows, labels)?))
            }
            None => {
                dimensions.iter().try_for_each(Dimension::check_varies)?;
                None
            }
        };
        let constraints = Constraints::new(&dimensions, Vec::new())?.map(Arc::new);
        Ok(Space { dimensions, table, constraints })
    }

    fn check_length(&self, what: &str, found: usize) -> Result<()> {
        let expected = self.dimensions.len();
        if found == expected { Ok(()) } else { Err(Error::Shape { what: what.into(), found, expected }) }
    }
}

/// Refuses labels without a name, or with that of an input or another label.
fn check_labels(dimensions: &[Dimension], labels: &Labels) -> Result<()> {
    let own = labels.columns.iter().map(|column| &column.name);
    let names: Vec<String> = dimensions.iter().map(|dimension| &dimension.name).chain(own.clone()).cloned().collect();
    match own.clone().find(|name| name.trim().is_empty()).or(choice::repeated(&names)) {
        Some(name) => Err(Error::input(name, "a label of the candidates has no name of its own", "rename the column")),
        None => Ok(()),
    }
}

fn check_names(dimensions: &[Dimension]) -> Result<()> {
    if dimensions.is_empty() {
        return Err(Error::unsupported("the space has no inputs", "list at least one"));
    }
    if let Some(k) = dimensions.iter().position(|dimension| dimension.name.trim().is_empty()) {
        return Err(Error::input("", format!("number {k}, counted from 0, has no name"), "name it"));
    }
    let names: Vec<String> = dimensions.iter().map(|dimension| dimension.name.clone()).collect();
    let twice = choice::repeated(&names);
    twice.map_or(Ok(()), |name| Err(Error::input(name, "two inputs have this name", "rename one")))
}
