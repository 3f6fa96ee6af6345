//! Counted nouns: "1 trial", "2 trials".

/// A number with its noun, whose plural ends in s.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The verb of so many things: "is" or "are", "has" or "have".
pub fn agreed(count: usize, [singular, plural]: [&str; 2]) -> &str {
    if count == 1 { singular } else { plural }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_none_is_not() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "trial")), ["0 trials", "1 trial", "2 trials"]);
        assert_eq!([0, 1, 2].map(|count| agreed(count, ["has", "have"])), ["have", "has", "have"]);
    }
}
