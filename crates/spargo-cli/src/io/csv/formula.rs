//! Text that a spreadsheet would run as a formula, guarded by an apostrophe when it is written and bared when it is read.
//!
//! ```text
//!     =SUM(A1)  ⇄  '=SUM(A1)        '=x  ⇄  ''=x        -5, +3e4: numbers, left alone
//! ```

use std::borrow::Cow;

/// The first characters of formulas.
const FORMULA: [char; 4] = ['=', '+', '-', '@'];

const GUARD: char = '\'';

/// A cell as it is written.
pub fn guarded(cell: &str) -> Cow<'_, str> {
    if is_formula(cell.trim_start_matches(GUARD)) { Cow::Owned(format!("{GUARD}{cell}")) } else { Cow::Borrowed(cell) }
}

/// A cell as it was before it was guarded.
pub fn bared(cell: &str) -> &str {
    match cell.strip_prefix(GUARD) {
        Some(rest) if is_formula(rest.trim_start_matches(GUARD)) => rest,
        _ => cell,
    }
}

fn is_formula(text: &str) -> bool {
    // Numbers with a decimal comma as well.
    text.trim_start().starts_with(FORMULA) && text.replacen(',', ".", 1).parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        for (cell, written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-cmd", "'-cmd"),
            ("'=x", "''=x"),
            ("-5", "-5"),
            ("+3e4", "+3e4"),
            ("-1,5", "-1,5"),
            ("Pd", "Pd"),
            ("'tis", "'tis"),
            ("", ""),
        ] {
            assert_eq!(guarded(cell), written);
        }
    }

    proptest! {
        #[test]
        fn what_is_guarded_is_bared_again(cell in "'{0,2}[ =+@-]?.{0,6}") {
            let written = guarded(&cell);
            prop_assert_eq!(bared(&written), &cell);
        }
    }
}
