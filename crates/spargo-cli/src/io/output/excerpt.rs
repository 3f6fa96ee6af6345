//! Text of programs and users, made safe to show.

/// Largest number of characters of an excerpt.
pub const LONGEST: usize = 200;

/// A text with control characters escaped, cut to [`LONGEST`] characters.
pub fn excerpt(text: &str) -> String {
    let start: String = text.trim().chars().take(LONGEST + 1).collect();
    let mut excerpt = escaped(&start);
    if let Some((end, _)) = excerpt.char_indices().nth(LONGEST) {
        excerpt.truncate(end);
        excerpt.push('…');
    }
    excerpt
}

/// A text with control characters escaped, which a terminal would obey.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            // Marks of text direction as well.
            '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.extend(c.escape_unicode());
            }
            c if c.is_control() => escaped.extend(c.escape_default()),
            c => escaped.push(c),
        }
    }
    escaped
}
