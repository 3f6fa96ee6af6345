//! Cells as values of inputs.

use spargo::space::{Dimension, Value};

/// A cell as a value of a domain, which may lie outside it.
///
/// An empty cell is no value, if the input may be without one.
pub fn value(cell: &str, input: &Dimension) -> Value {
    let domain = &input.domain;
    if cell.is_empty() && input.when.is_some() {
        return Value::Null;
    }
    if domain.choices().is_empty() { number_value(cell) } else { Value::Choice(cell.into()) }
}

/// A cell as a number if it is one, otherwise as a word.
pub fn number_value(cell: &str) -> Value {
    match (cell.parse::<i64>(), cell.parse::<f64>()) {
        (Ok(i), _) => Value::Int(i),
        (_, Ok(x)) => Value::Real(x),
        _ => Value::Choice(cell.into()),
    }
}
