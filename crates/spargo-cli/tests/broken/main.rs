//! Broken study files and broken CSV files: what their authors are told.
//!
//! The snapshots are to be read: a change in them is a change in what users see. `INSTA_UPDATE=always cargo test` writes
//! them again.

mod studies;
mod tables;

use std::path::Path;
use std::process::Command;

/// What `spargo suggest` says in a folder of its own, and how it ends.
fn complaint(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_spargo"))
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("the binary runs");
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), said.as_ref()), (Some(1), ""), "{words:?}\n{complained}");
    complained.into_owned()
}

/// Whether this is there, and then a number.
fn names_line(complaint: &str, file: &str) -> bool {
    complaint.split(file).skip(1).any(|rest| rest.starts_with(|c: char| ('1'..='9').contains(&c)))
}

/// Every case with what is said of it; each must name one of the files and a line.
fn gallery(cases: &[(&str, &str)], files: &[&str], complaint: impl Fn(&str) -> String) -> String {
    let mut gallery = String::new();
    for (name, text) in cases {
        let complaint = complaint(text);
        let placed = files.iter().any(|file| names_line(&complaint, file));
        assert!(placed, "{name}: the file and the line are not named\n{complaint}");
        gallery += &format!("=== {name}\n{}\n", complaint.trim_end());
    }
    gallery
}
