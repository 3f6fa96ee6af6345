//! Serde for matrices: `{ rows, columns, data }` with the data column by column.

use super::Mat;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

#[derive(Serialize, Deserialize)]
struct Stored {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

/// For `#[serde(with = "column_major")]`.
pub fn serialize<S: Serializer>(a: &Mat, serializer: S) -> Result<S::Ok, S::Error> {
    let data = (0..a.ncols()).flat_map(|j| a.col_as_slice(j).iter().copied()).collect();
    Stored { rows: a.nrows(), columns: a.ncols(), data }.serialize(serializer)
}

/// For `#[serde(with = "column_major")]`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mat, D::Error> {
    let Stored { rows, columns, data } = Stored::deserialize(deserializer)?;
    if rows.checked_mul(columns) != Some(data.len()) {
        return Err(D::Error::custom(format!("a {rows}×{columns} matrix with {} numbers", data.len())));
    }
    Ok(Mat::from_fn(rows, columns, |i, j| data[j * rows + i]))
}
