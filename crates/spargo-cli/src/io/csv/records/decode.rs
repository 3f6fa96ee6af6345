//! The text of a CSV file: UTF-8 or, as older spreadsheets write it, Windows-1252.

use super::utf8;
use miette::{Result, miette};
use std::borrow::Cow;

/// The characters of the bytes 0x80 to 0x9f in Windows-1252; the replacement character where there is none.
const WINDOWS: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}', '\u{fffd}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

/// The text of a file, and whether it had to be taken for Windows-1252.
pub fn decode<'a>(file: &str, bytes: &'a [u8]) -> Result<(Cow<'a, str>, bool)> {
    let refused = match utf8(file, bytes) {
        Ok(text) => return Ok((Cow::Borrowed(text), false)),
        Err(refused) => refused,
    };
    // Not a text at all, a workbook for example.
    if bytes.iter().any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte)) {
        let help = "save the table as CSV (UTF-8)";
        return Err(miette!(help = help, "{file} is not a text file"));
    }
    let text: String = bytes.iter().map(|byte| character(*byte)).collect();
    if text.contains(char::REPLACEMENT_CHARACTER) { Err(refused) } else { Ok((Cow::Owned(text), true)) }
}

fn character(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}
