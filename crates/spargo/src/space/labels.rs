//! Labels of candidates: columns of their table that are no inputs and travel with each row, as an id or a supplier.
//!
//! ```text
//!     a candidate = (inputs, id)        without a column id: (inputs, labels)
//! ```
//!
//! Rows with the same inputs and another identity are different candidates, which a model sees at the same point; a row that
//! is given again is left out.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The label that alone is a candidate's identity.
const ID: &str = "id";

/// Whether a label of this name alone is a candidate's identity.
pub(super) fn is_id(name: &str) -> bool {
    name.eq_ignore_ascii_case(ID)
}

/// A column of texts, one per row of a table of candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelColumn {
    /// What the column is called.
    pub name: String,
    /// Its cells.
    pub values: Vec<String>,
}

/// All label columns, and the number of each row in the table as it was given, counted from 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Labels {
    pub columns: Vec<LabelColumn>,
    /// In ascending order.
    pub rows: Vec<u64>,
}

impl Labels {
    /// Columns beside `count` rows; `rows` are their numbers if some were left out before.
    pub fn new(columns: Vec<LabelColumn>, rows: Option<Vec<u64>>, count: usize) -> Result<Self> {
        for LabelColumn { name, values } in &columns {
            if values.len() != count {
                let what = format!("the column '{name}' of the candidates");
                return Err(Error::Shape { what, found: values.len(), expected: count });
            }
        }
        let rows = rows.unwrap_or_else(|| (0..count as u64).collect());
        if rows.len() != count || !rows.is_sorted_by(|a, b| a < b) {
            let what = "row numbers of candidates that are not one per row, in ascending order";
            return Err(Error::unsupported(what, "leave them out"));
        }
        Ok(Labels { columns, rows })
    }

    /// What tells a row from others with its inputs, by its place among those that are kept.
    pub fn identity(&self, place: usize) -> Vec<&str> {
        let id = self.columns.iter().position(|column| is_id(&column.name));
        let columns = id.map_or(&self.columns[..], |id| &self.columns[id..=id]);
        columns.iter().map(|column| column.values[place].as_str()).collect()
    }

    /// The place of a row among those that are kept, by its number in the table as it was given.
    pub fn place(&self, row: u64) -> Option<usize> {
        self.rows.binary_search(&row).ok()
    }

    /// These rows alone.
    pub fn select(self, rows: &[usize]) -> Self {
        let pick = |LabelColumn { name, mut values }: LabelColumn| LabelColumn {
            name,
            values: rows.iter().map(|&i| std::mem::take(&mut values[i])).collect(),
        };
        Labels {
            columns: self.columns.into_iter().map(pick).collect(),
            rows: rows.iter().map(|&i| self.rows[i]).collect(),
        }
    }

    /// The names and cells of a row, by its number in the table as it was given.
    pub fn of(&self, row: u64) -> Option<Vec<(&str, &str)>> {
        let place = self.place(row)?;
        Some(self.columns.iter().map(|column| (column.name.as_str(), column.values[place].as_str())).collect())
    }

    /// Whether every row was kept, so that its number says nothing new.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().enumerate().all(|(i, &row)| i as u64 == row)
    }
}
