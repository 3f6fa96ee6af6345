//! The rules that keep the house clean, read off the source: data flow one way, and few modules know the outside.

use std::fs;
use std::path::{Path, PathBuf};

/// A module may use only what stands before it.
const ORDER: [&str; 15] = [
    "error",
    "interrupt",
    "rng",
    "math",
    "linalg",
    "optim",
    "space",
    "data",
    "kernel",
    "allocate",
    "model",
    "regression",
    "sample",
    "acquire",
    "study",
];

/// Crates that only one module may name.
const WALLS: [(&str, &str); 2] = [("faer", "linalg"), ("rusqlite", "study")];

struct Source {
    path: PathBuf,
    module: String,
    /// Lines of code outside comments and test modules, with their numbers.
    lines: Vec<(usize, String)>,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    collect(&root, &root, &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("lib.rs") {
            let inside = path.strip_prefix(root).unwrap();
            let first = inside.components().next().unwrap().as_os_str().to_string_lossy();
            let module = first.trim_end_matches(".rs").to_string();
            let lines = code(&fs::read_to_string(&path).unwrap());
            // A file that only tests compile is free to use what it likes.
            if !inside.to_string_lossy().contains("tests") {
                found.push(Source { path, module, lines });
            }
        }
    }
}

fn code(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| line.trim() != "mod tests {")
        .map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default().to_string()))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect()
}

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == module)
}

/// Names that follow `crate::` in a line, in `use` trees and in paths.
fn used(line: &str) -> Vec<String> {
    let names = line.split("crate::").skip(1);
    names.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

#[test]
fn modules_use_only_what_stands_before_them() {
    let sources = sources();
    assert!(sources.len() > 10, "the source was not found");
    for Source { path, module, lines } in &sources {
        let own = rank(module).unwrap_or_else(|| panic!("{}: '{module}' is not in the order", path.display()));
        for (number, line) in lines {
            assert!(!line.contains("crate::{"), "{}:{number}: one `use` a module, please", path.display());
            for name in used(line) {
                let Some(other) = rank(&name) else { continue };
                assert!(other <= own, "{}:{number}: {module} uses {name}, which stands after it", path.display());
            }
        }
    }
}

#[test]
fn the_outside_is_named_in_one_place() {
    for Source { path, module, lines } in sources() {
        for ((krate, home), (number, line)) in WALLS.iter().flat_map(|wall| lines.iter().map(move |line| (wall, line)))
        {
            let names_it = line.contains(&format!("{krate}::"));
            assert!(!names_it || module == *home, "{}:{number}: only {home} may name {krate}", path.display());
        }
    }
}

#[test]
fn library_code_does_not_unwrap() {
    for Source { path, lines, .. } in sources() {
        for (number, line) in lines {
            let bare = [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", " assert!("];
            assert!(!bare.iter().any(|b| line.contains(b)), "{}:{number}: {line}", path.display());
        }
    }
}
