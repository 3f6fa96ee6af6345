//! Expected improvement against mpmath, far into both tails.

use serde_json::Value;
use spargo::math::normal::{expected_positive_part, log_improvement};

#[test]
fn expected_improvement_and_its_logarithm() {
    let golden: Value = serde_json::from_str(include_str!("golden/ei.json")).unwrap();
    let rows = golden["rows"].as_array().unwrap();
    assert!(rows.len() > 80);
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        // The file minimises: the gain is baseline − f.
        let (gain, deviation) = (number("baseline") - number("mean"), number("variance").sqrt());
        let (expected, found) = (number("ei"), expected_positive_part(gain, deviation));
        // Rounding z alone changes the result by z² ε; below the normal range digits are lost to underflow.
        let tolerance = if expected < 1e-307 { f64::MIN_POSITIVE * 1e-5 } else { 1e-12 * expected };
        assert!((found - expected).abs() <= tolerance, "{row}: {found}");
        let log = log_improvement(gain / deviation) + deviation.ln();
        assert!((log - number("log_ei")).abs() <= 1e-12 * number("log_ei").abs().max(1.0), "{row}: {log}");
    }
}
