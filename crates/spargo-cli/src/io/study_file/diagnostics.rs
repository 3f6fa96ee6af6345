//! Errors of parsers in plain words, with a suggestion.

use spargo::Error;

/// Beginnings of the TOML parser's messages, our messages, and remedies.
const SYNTAX: [(&str, &str, &str); 6] = [
    ("invalid basic string", "a text that is not closed", "end it with a quotation mark on the same line"),
    ("unclosed table", "a section's name that is not closed", "write it as [name]"),
    ("key with no value", "a key without '='", "write key = value"),
    ("string values must be quoted", "a value that is missing, or a text without quotes", "put text in quotes"),
    ("wanted string or table", "a word in quotes is needed here", "`spargo schema` lists the words there are"),
    ("duplicate key", "this stands in the file twice", "remove or rename one of them"),
];

/// A deserializer's message in plain words, and a remedy.
pub fn plain(message: &str) -> (String, String) {
    for (start, what) in [("unknown field `", "unknown key"), ("unknown variant `", "unknown word")] {
        if let Some((word, rest)) = message.strip_prefix(start).and_then(|rest| rest.split_once('`')) {
            let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
            return (format!("{what} '{word}'"), suggestion(word, known.into_iter()));
        }
    }
    if let Some(key) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return (format!("the key '{key}' is missing"), format!("add {key} = …"));
    }
    let mismatch = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = mismatch.and_then(|rest| rest.split_once(", expected ")) {
        let (kind, example) = kind(expected);
        return match found.strip_suffix(" as i128").or_else(|| found.strip_suffix(" as u128")) {
            Some(number) => {
                let largest = format!("whole numbers go up to {}", i64::MAX);
                (format!("{} is too large", number.replace('`', "'")), largest)
            }
            // A date comes as a table, too.
            None if found == "map" => (format!("a table, or a date, where {kind} is needed"), example.into()),
            None => (format!("{} where {kind} is needed", found.replace('`', "'")), example.into()),
        };
    }
    if let Some((_, message, help)) = SYNTAX.iter().find(|(start, ..)| message.starts_with(start)) {
        return (message.to_string(), help.to_string());
    }
    match message.rsplit_once("; ").or_else(|| message.split_once(": ")) {
        Some((message, remedy)) => (message.into(), remedy.into()),
        None => (message.replace('`', "'"), String::new()),
    }
}

/// An error of the library, split into message and remedy.
pub fn split_remedy(error: &Error) -> (String, String) {
    let words = error.to_string();
    let apart = match error {
        Error::Parameter { .. } => return (words, "correct it, or remove it for the default".into()),
        Error::Unsupported { .. } | Error::Empty { .. } | Error::Value { .. } => words.split_once(": "),
        _ => words.rsplit_once("; "),
    };
    match apart {
        Some((message, remedy)) => (message.into(), remedy.into()),
        None => (words, String::new()),
    }
}

/// The most similar known word, and all known words.
pub fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let similar = |other: &&&str| strsim::jaro_winkler(word, other);
    let nearest = known.iter().max_by(|a, b| similar(a).total_cmp(&similar(b))).filter(|other| similar(other) > 0.75);
    let all = match known.len() {
        0 => "no keys are allowed here".into(),
        _ => format!("known here: {}", known.join(", ")),
    };
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'? {all}"),
        None => all,
    }
}

/// A type in plain words, and an example.
fn kind(expected: &str) -> (&str, &'static str) {
    match expected {
        "u64" | "usize" | "u32" => ("a whole number, 0 or more,", "for example 4, without quotes"),
        "i64" => ("a whole number", "for example -4, without quotes"),
        "f64" => ("a number", "for example 0.5, without quotes"),
        "a string" => ("text in quotes", "for example \"Pd\""),
        "a whole number or \"auto\"" => (expected, "for example 24, without quotes"),
        "a boolean" => ("true or false", "without quotes"),
        "a sequence" => ("a list in brackets", "for example [20, 120]"),
        _ if expected.starts_with("struct ") || expected == "a map" => ("a table", "for example { key = 4 }"),
        other => (other, ""),
    }
}
