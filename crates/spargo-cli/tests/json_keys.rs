//! The keys of every `--json` output of `spargo`, against the list in json_keys.txt, which scripts depend on.
//!
//! The list was written by the binary of commit fe5206c: SPARGO_BINARY=BINARY JSON_KEYS=write cargo test --test json_keys.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const STUDY: &str = "\
name = 'keys'
initial = 6
batch = 3
[objectives]
y = { goal = 'max' }
[space]
x = { real = [0, 1] }
[run]
command = 'sh sim.sh {x}'
mode = 'batch'
budget = 9
";

/// Runs a command in a folder and returns its JSON objects, one per line.
fn objects(folder: &Path, command: &str) -> Vec<Value> {
    let program = std::env::var("SPARGO_BINARY").unwrap_or(env!("CARGO_BIN_EXE_spargo").into());
    let output = Command::new(program).args(command.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// The paths of all keys; lists are merged, and events are told apart.
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
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    write(folder, "study.toml", STUDY);
    write(folder, "sim.sh", "[ $SPARGO_TRIAL = 2 ] && exit 1; echo '{\"y\": {\"value\": '$1', \"variance\": 0.1}}'");
    let several = STUDY
        .replace("keys", "several")
        .replace("[space]", "z = { goal = 'min' }\n[constraints]\nw = { at-most = 2 }\n[space]");
    write(folder, "several.toml", &several.replace("sim.sh", "several.sh"));
    write(folder, "several.sh", "echo '{\"y\": '$1', \"z\": '$1', \"w\": 1}'");
    let rows: String = (0..40).map(|i| format!("{},{}\n", f64::from(i) / 40.0, (f64::from(i) / 7.0).sin())).collect();
    write(folder, "data.csv", &format!("x,y\n{rows}"));
    let mut found = BTreeSet::new();
    for command in [
        "run study.toml --json",
        "run several.toml --json",
        "status study.toml --json",
        "status study.toml --anywhere --json",
        "status several.toml --json",
        "ask study.toml -n 2 --json",
        "suggest study.toml --data data.csv -n 2 --predict --json",
        "export study.toml --json",
        "report study.toml -o page.html --json",
        "tell study.toml data.csv --json",
        "new other.toml --json",
        "fit data.csv --target y --inducing 5 --test data.csv --json",
        "allocate data.csv --target y --inducing 5 --json",
    ] {
        for object in objects(folder, command) {
            let event = object["event"].as_str().unwrap_or_default();
            keys(&format!("{command} {event}:"), &object, &mut found);
        }
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
