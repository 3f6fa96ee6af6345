//! Plates: the wells that the points of a batch are put in, row by row.
//!
//! ```text
//!     96 wells: A1 … A12, B1 … B12, …, H12        384 wells: A1 … A24, …, P24
//! ```

use super::config::Config;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The column of the wells, which no input, output or label may be called where there are wells.
pub const WELL_COLUMN: &str = "well";

/// How a batch is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlateOptions {
    /// The number of wells of a plate, 96 or 384; unless it is set, points have no wells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wells: Option<Wells>,
}

/// The wells of a plate: rows have letters, columns have numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub enum Wells {
    /// 8 rows of 12.
    Of96,
    /// 16 rows of 24.
    Of384,
}

impl PlateOptions {
    /// Whether nothing is set.
    pub(super) fn is_unset(&self) -> bool {
        *self == PlateOptions::default()
    }
}

impl Wells {
    /// The number of wells.
    pub fn count(self) -> usize {
        match self {
            Wells::Of96 => 96,
            Wells::Of384 => 384,
        }
    }

    /// The names of all wells, row by row.
    pub fn names(self) -> impl Iterator<Item = String> {
        let (rows, columns) = match self {
            Wells::Of96 => ('A'..='H', 12),
            Wells::Of384 => ('A'..='P', 24),
        };
        rows.flat_map(move |row| (1..=columns).map(move |column| format!("{row}{column}")))
    }

    /// Refuses more points than there are wells.
    pub fn check(self, points: usize) -> Result<()> {
        let wells = self.count();
        if points <= wells {
            return Ok(());
        }
        let remedy = format!("ask for at most {wells} at a time, or set 'batch' and 'initial' to that");
        Err(Error::unsupported(format!("{points} points do not fit on a plate of {wells} wells"), remedy))
    }
}

impl TryFrom<u64> for Wells {
    type Error = String;

    fn try_from(count: u64) -> std::result::Result<Self, String> {
        match count {
            96 => Ok(Wells::Of96),
            384 => Ok(Wells::Of384),
            _ => Err(format!("a plate has 96 or 384 wells, not {count}")),
        }
    }
}

impl From<Wells> for u64 {
    fn from(wells: Wells) -> u64 {
        wells.count() as u64
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Wells {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Wells".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "enum": [96, 384] })
    }
}

impl Config {
    /// Refuses an input, an output or a label that is called as the wells are, if there are any.
    pub(super) fn check_wells(&self) -> Result<()> {
        let inputs = self.space.dimensions().iter().map(|input| ("an input", input.name.as_str()));
        let outputs = self.outputs.iter().map(|output| ("an output", output.name.as_str()));
        let labels = self.space.label_names().map(|name| ("a column of the candidates", name));
        let mut names = inputs.chain(outputs).chain(labels);
        match names.find(|(_, name)| self.plate.wells.is_some() && *name == WELL_COLUMN) {
            Some((what, name)) => Err(Error::unsupported(
                format!("{what} has the name '{name}', which is the column of the wells"),
                "give it another name, or leave out 'wells'",
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wells_are_named_row_by_row() {
        for (wells, count, names) in
            [(Wells::Of96, 96, ["A1", "A12", "B1", "H12"]), (Wells::Of384, 384, ["A1", "A24", "B1", "P24"])]
        {
            let all: Vec<String> = wells.names().collect();
            let width = count / if count == 96 { 8 } else { 16 };
            assert_eq!([0, width - 1, width, count - 1].map(|place| all[place].as_str()), names);
            assert_eq!((all.len(), wells.count()), (count, count));
            assert!(wells.check(count).is_ok() && wells.check(count + 1).is_err());
            assert_eq!(serde_json::to_string(&wells).unwrap(), count.to_string());
            assert_eq!(serde_json::from_str::<Wells>(&count.to_string()).unwrap(), wells);
        }
        assert!(serde_json::from_str::<Wells>("95").unwrap_err().to_string().contains("96 or 384"));
    }
}
