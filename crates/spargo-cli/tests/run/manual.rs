//! Help, completions and manual pages know every command.

use crate::common::{spargo, stdout};

/// Commands as the help lists them, those of a command with commands of its own among them.
fn commands() -> Vec<Vec<String>> {
    let list = |words: &[&str]| -> Vec<String> {
        let help = stdout(&[words, &["--help"]].concat());
        let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        commands
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help")
            .map(String::from)
            .collect()
    };
    let top = list(&[]);
    assert!(top.len() > 10, "{top:?}");
    let nested = top.iter().flat_map(|name| list(&[name]).into_iter().map(|below| vec![name.clone(), below]));
    nested.chain(top.iter().map(|name| vec![name.clone()])).collect()
}

#[test]
fn every_command_has_examples() {
    for command in commands() {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        words.push("--help");
        let help = stdout(&words);
        assert!(help.contains("Examples:") || help.contains("Commands:"), "{command:?}:\n{help}");
    }
    let help = stdout(&["--help"]);
    assert!(["Examples:", "Exit codes:", "130", "143", "-v"].iter().all(|word| help.contains(word)), "{help}");
}

#[test]
fn shells_know_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        assert!(commands().iter().all(|command| command.iter().all(|name| script.contains(name))), "{shell}");
    }
    assert_eq!(spargo(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_page() {
    let page = stdout(&["man"]);
    assert!(page.contains("Exit codes") && page.contains("130"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    stdout(&["man", "--dir", &folder.path().join("man1").display().to_string()]);
    for command in commands() {
        if let [name] = &command[..] {
            assert!(page.contains(&format!("spargo\\-{name}(1)")), "{name}:\n{page}");
        }
        let file = folder.path().join("man1").join(format!("spargo-{}.1", command.join("-")));
        assert!(std::fs::read_to_string(&file).unwrap().contains(".SH SYNOPSIS"), "{}", file.display());
    }
}
