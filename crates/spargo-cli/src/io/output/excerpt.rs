//! Text of programs and users, made safe to show.

use std::borrow::Cow;

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

/// A text on one line, with control characters escaped, which a terminal would obey.
pub fn escaped(text: &str) -> String {
    escape(text, is_obeyed)
}

/// A text of several lines with all other control characters escaped.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| is_obeyed(c) && !['\n', '\t'].contains(&c);
    if text.contains(is_obeyed) { Cow::Owned(escape(text, is_obeyed)) } else { Cow::Borrowed(text) }
}

/// A text of several lines whose other control characters are replaced by as many bytes, so that places in it stay.
pub fn masked(text: &str) -> String {
    let mask = |c: char| match c.len_utf8() {
        1 => '?',
        2 => '·',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(|c| if is_obeyed(c) && !['\n', '\r', '\t'].contains(&c) { mask(c) } else { c }).collect()
}

/// Control characters, and marks of text direction.
fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_obeyed: impl Fn(char) -> bool) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if is_obeyed(c) { escaped.extend(c.escape_default()) } else { escaped.push(c) }
    }
    escaped
}
