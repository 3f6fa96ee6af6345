//! Help has every command of `spargo-lab`, with examples.

mod common;

use common::*;

#[test]
fn every_command_has_examples() {
    let whole = stdout(&["--help"]);
    let commands = ["optimize", "learn", "reproduce", "compare", "bench fit", "bench allocate", "bench step"];
    for command in commands {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        assert!(whole.contains(words[0]), "{command}:\n{whole}");
        let help = stdout(&words);
        assert!(help.contains("Examples:") && help.contains(&format!("spargo-lab {command}")), "{command}:\n{help}");
    }
    assert!(["Examples:", "Exit codes:", "-v"].iter().all(|word| whole.contains(word)), "{whole}");
    assert_eq!(lab(&["optimise"]).status.code(), Some(2));
}
