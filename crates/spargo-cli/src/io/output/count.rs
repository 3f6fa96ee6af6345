//! Counted nouns and lists of trials: "1 trial", "2 trials", "trials 4 to 7, 9 are".

/// A number with its noun, whose plural ends in s.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The verb of so many things: "is" or "are", "has" or "have".
pub fn agreed(count: usize, [singular, plural]: [&str; 2]) -> &str {
    if count == 1 { singular } else { plural }
}

/// Trials by their numbers: "trial 4 is", "trials 4 to 7, 9 are".
pub fn are(trials: &[u64]) -> String {
    let runs = trials.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        alone => alone.iter().map(u64::to_string).collect(),
    });
    let runs = runs.collect::<Vec<_>>().join(", ");
    if trials.len() == 1 { format!("trial {runs} is") } else { format!("trials {runs} are") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_none_is_not() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "trial")), ["0 trials", "1 trial", "2 trials"]);
        assert_eq!([0, 1, 2].map(|count| agreed(count, ["has", "have"])), ["have", "has", "have"]);
        assert_eq!([are(&[4]), are(&[4, 5, 6, 9])], ["trial 4 is", "trials 4 to 6, 9 are"]);
    }
}
