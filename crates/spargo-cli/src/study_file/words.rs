//! Complaints of parsers in plain words, with a suggestion.

use spargo::Error;

/// The message of a deserializer for people who do not program, and what to do.
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
    if let Some((found, expected)) = message.strip_prefix("invalid ").and_then(|rest| rest.split_once(", expected ")) {
        let found = found.split_once(": ").map_or(found, |(_, found)| found).replace('`', "'");
        return (format!("{found} where {} is needed", kind(expected)), String::new());
    }
    match message.rsplit_once("; ") {
        Some((message, remedy)) => (message.into(), remedy.into()),
        None => (message.replace('`', "'"), String::new()),
    }
}

/// What the library says, its last clause apart: that is the remedy.
pub fn split_remedy(error: &Error) -> (String, String) {
    let words = error.to_string();
    let apart = match error {
        Error::Unsupported { .. } | Error::Empty { .. } | Error::Value { .. } => words.split_once(": "),
        _ => words.rsplit_once("; "),
    };
    match apart {
        Some((message, remedy)) => (message.into(), remedy.into()),
        None => (words, String::new()),
    }
}

/// The most similar of the known words, and all of them if they are few.
pub fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let similar = |other: &&&str| strsim::jaro_winkler(word, other);
    let nearest = known.iter().max_by(|a, b| similar(a).total_cmp(&similar(b))).filter(|other| similar(other) > 0.75);
    let all = match known.len() {
        0 => "nothing may stand here".into(),
        _ => format!("known here: {}", known.join(", ")),
    };
    match nearest {
        Some(nearest) => format!("did you mean '{nearest}'? {all}"),
        None => all,
    }
}

/// A type by what a user would call it.
fn kind(expected: &str) -> String {
    match expected {
        "u64" | "usize" | "u32" => "a whole number, 0 or more,".into(),
        "i64" => "a whole number".into(),
        "f64" => "a number".into(),
        "a string" => "text in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list in brackets".into(),
        "an array of length 2" => "a list of two numbers, [lower, upper],".into(),
        "a map" => "a table".into(),
        other => other.strip_prefix("struct ").map_or(other.replace('`', "'"), |_| "a table".into()),
    }
}
