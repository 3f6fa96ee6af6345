//! The wells of a plate as the column of a table.

use crate::io::csv::point_table::PointTable;
use spargo::space::Value;
use spargo::study::{Config, WELL_COLUMN};

/// Inserts the names of the wells before the columns from `place` on, if the study has wells.
pub fn insert_wells(table: &mut PointTable, config: &Config, place: usize) {
    let Some(wells) = config.plate.wells else { return };
    table.columns.insert(place, WELL_COLUMN.into());
    for (row, well) in table.rows.iter_mut().zip(wells.names()) {
        row.insert(place, Some(Value::Choice(well)));
    }
}
