//! The keys of every `--json` output of `spargo-lab`, against the list in json_keys.txt, which scripts depend on.
//!
//! The list was written by the binary of commit fe5206c: SPARGO_LAB_BINARY=BINARY JSON_KEYS=write cargo test --test json_keys.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Runs a command and returns its JSON.
fn object(command: &str) -> Value {
    let program = std::env::var("SPARGO_LAB_BINARY").unwrap_or(env!("CARGO_BIN_EXE_spargo-lab").into());
    let output = Command::new(program).args(command.split(' ')).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The paths of all keys; lists are merged.
fn keys(path: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            let path = format!("{path}.{key}");
            keys(&path, value, found);
            found.insert(path);
        }),
        Value::Array(list) => list.iter().for_each(|value| keys(&format!("{path}[]"), value, found)),
        _ => {}
    }
}

#[test]
fn keys_of_json_outputs_keep_their_names() {
    let mut found = BTreeSet::new();
    for command in [
        "optimize branin --batches 1 --batch 5 --initial 6 --inducing 5 --json",
        "optimize zdt3 --batches 1 --batch 5 --initial 6 --inducing 5 --json",
        "optimize radiator --batches 1 --batch 5 --initial 6 --inducing 5 --json",
        "learn malaria --batches 1 --batch 10 --initial 20 --inducing 10 --held-out 200 --json",
        "bench fit --n 300 --m 20 --dim 2 --json",
        "bench allocate --n 300 --m 20 --json",
        "bench step --n 200 --m 20 --batch 5 --json",
    ] {
        keys(&format!("{command}:"), &object(command), &mut found);
    }
    let found: String = found.into_iter().map(|key| key + "\n").collect();
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/json_keys.txt");
    if std::env::var("JSON_KEYS").is_ok_and(|word| word == "write") {
        std::fs::write(&list, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&list).unwrap();
    let [expected, found] = [&expected, &found].map(|text| text.lines().collect::<BTreeSet<_>>());
    let missing: Vec<_> = expected.difference(&found).collect();
    let added: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && added.is_empty(), "missing: {missing:#?}\nadded: {added:#?}");
}
