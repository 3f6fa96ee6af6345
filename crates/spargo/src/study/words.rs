//! Words of tables of trials, which the command line and Python read and write alike; capitals do not matter.

/// Columns of a table of trials that are neither inputs nor outputs, so that neither can have these names.
pub const RESERVED_NAMES: [&str; 3] = ["trial", "status", "reason"];

/// What follows an output's name in the names of its further columns, and what these are.
pub const OUTPUT_COLUMNS: [(&str, &str); 3] = [("sd", "noise"), ("variance", "noise"), ("reason", "failures")];

/// What people write after an output's name, and what is meant: columns of such names are refused unless they are written so.
pub const OUTPUT_COLUMN_WORDS: [(&str, &str); 7] = [
    ("sd", "sd"),
    ("std", "sd"),
    ("stdev", "sd"),
    ("stddev", "sd"),
    ("variance", "variance"),
    ("var", "variance"),
    ("reason", "reason"),
];

/// Words of the status of a row whose cells decide.
pub const DONE_WORDS: [&str; 5] = ["", "done", "ok", "observed", "partial"];

/// Words of a failure, those of spreadsheets among them.
pub const FAILED_WORDS: [&str; 11] =
    ["nan", "na", "n/a", "failed", "fail", "error", "none", "#n/a", "#num!", "#div/0!", "#value!"];

/// The word of what has not been measured yet.
pub const PENDING_WORD: &str = "pending";

/// The word of a trial that was withdrawn.
pub const DISCARDED_WORD: &str = "discarded";
