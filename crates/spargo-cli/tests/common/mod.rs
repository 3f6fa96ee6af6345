//! Running the real binary, of spargo-cli or of spargo-lab.
#![allow(dead_code)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The binary under test: `spargo` or, in the tests of spargo-lab, which share this file, `spargo-lab`.
const PROGRAM: &str = match (option_env!("CARGO_BIN_EXE_spargo"), option_env!("CARGO_BIN_EXE_spargo-lab")) {
    (Some(program), _) | (None, Some(program)) => program,
    (None, None) => panic!("neither binary is built"),
};

/// Runs the binary with these words.
pub fn spargo(words: &[&str]) -> Output {
    Command::new(PROGRAM).args(words).output().expect("the binary runs")
}

/// What it printed, after checking that it succeeded.
pub fn stdout(words: &[&str]) -> String {
    let output = spargo(words);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{PROGRAM} {words:?}\n{}", text(&output.stderr));
    text(&output.stdout)
}

/// Its JSON.
pub fn json(words: &[&str]) -> Value {
    let text = stdout(words);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{PROGRAM} {words:?} printed no JSON ({e}): {text}"))
}

/// What it complained about, after checking that it failed; on one line, whatever the width of the terminal.
pub fn complaint(words: &[&str]) -> String {
    let output = spargo(words);
    assert!(!output.status.success(), "{PROGRAM} {words:?} should fail");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// A file for this test alone.
pub fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the temporary folder can be written");
    path.display().to_string()
}

/// A data file in the folder that SPARGO_DATA names, or a word that the test is skipped.
pub fn data_file(name: &str) -> Option<String> {
    let set = std::env::var_os("SPARGO_DATA").filter(|folder| !folder.is_empty());
    let Some(folder) = set.map(PathBuf::from) else {
        println!("skipped: SPARGO_DATA is not set, {name} is needed");
        return None;
    };
    let path = folder.join(name);
    assert!(path.exists(), "SPARGO_DATA is set, but {} is not there", path.display());
    Some(path.display().to_string())
}
