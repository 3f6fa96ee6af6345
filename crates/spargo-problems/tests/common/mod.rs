//! Helpers shared by the integration tests.
#![allow(dead_code)]

use serde_json::Value;
use std::path::PathBuf;

/// A golden file by its name.
pub fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap()
}

/// A list of numbers.
pub fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// A single number.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Asserts |found − expected| ≤ tolerance · max(|expected|, 1e-4 of the largest) element by element: what is nearly zero
/// alongside the others is compared on their scale.
pub fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths differ");
    let scale = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * e.abs().max(1e-4 * scale), "{what}[{i}]: found {f}, expected {e}");
    }
}

/// A data file in the folder that SPARGO_DATA names, or a word that the test is skipped.
pub fn data_file(name: &str) -> Option<PathBuf> {
    let set = std::env::var_os("SPARGO_DATA").filter(|folder| !folder.is_empty());
    let Some(folder) = set.map(PathBuf::from) else {
        println!("skipped: SPARGO_DATA is not set, {name} is needed");
        return None;
    };
    let path = folder.join(name);
    assert!(path.exists(), "SPARGO_DATA is set, but {} is not there", path.display());
    Some(path)
}
