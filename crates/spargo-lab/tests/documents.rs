//! Every `spargo` and `spargo-lab` command that a document shows is one of today's: its subcommand and its flags exist.

use clap::{Command, CommandFactory};
use std::path::{Path, PathBuf};

/// Documents whose commands are history.
const HISTORY: [&str; 2] = ["renamed.md", "CHANGELOG.md"];

#[test]
fn commands_in_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("ARCHITECTURE.md")];
    ["docs", "results"].iter().for_each(|folder| collect_documents(&root.join(folder), &mut documents));
    let (mut spargo, mut lab) = (spargo_cli::Cli::command(), spargo_lab::Cli::command());
    spargo.build();
    lab.build();
    let (mut seen, mut wrong) = (0, Vec::new());
    for document in documents {
        let text = std::fs::read_to_string(&document).expect("a document can be read").replace("\\\n", " ");
        for words in commands(&text) {
            let command = if words[0] == "spargo" { &spargo } else { &lab };
            seen += 1;
            wrong.extend(fault(command, &words).map(|fault| format!("{}: {fault}", document.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 60, "only {seen} commands were found");
}

#[test]
fn commands_that_do_not_exist_are_found() {
    let mut spargo = spargo_cli::Cli::command();
    spargo.build();
    let fault = |line: &str| commands(line).into_iter().find_map(|words| fault(&spargo, &words));
    assert_eq!(fault("    spargo ask study.toml -n 96 -o plate.csv"), None);
    assert!(fault("`spargo optimise`").is_some_and(|fault| fault.contains("optimise")));
    assert!(fault("```sh\nspargo ask study.toml --number 3\n```").is_some_and(|fault| fault.contains("--number")));
}

/// Markdown files of a folder and those below it, but for history.
fn collect_documents(folder: &Path, documents: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("a folder can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            collect_documents(&path, documents);
        } else if name.ends_with(".md") && !HISTORY.contains(&name) {
            documents.push(path);
        }
    }
}

/// Words of the commands in a document: lines that begin with one, and pieces of code within a line.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('`'));
    let inline = text.split('`').skip(1).step_by(2).filter(|code| !code.contains('\n'));
    lines
        .chain(inline)
        .map(|code| code.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.len() > 1 && ["spargo", "spargo-lab"].contains(&words[0]))
        .collect()
}

/// What is wrong with a command: a subcommand or a flag that does not exist.
fn fault(command: &Command, words: &[&str]) -> Option<String> {
    let (mut command, mut words) = (command, &words[1..]);
    while command.has_subcommands() {
        let (name, rest) = words.split_first()?;
        // A list of commands, or a flag of all of them.
        let name = name.trim_end_matches([',', '…']);
        if name.is_empty() || name.starts_with('-') {
            return None;
        }
        match command.find_subcommand(name) {
            Some(found) => (command, words) = (found, rest),
            None => return Some(format!("'{} {name}' is no command", command.get_name())),
        }
    }
    let is_known = |word: &&&str| {
        let flag = word.trim_start_matches('[').split(['=', ']']).next().unwrap_or_default();
        let number = flag[1..].starts_with(|first: char| first.is_ascii_digit());
        number
            || command.get_arguments().any(|argument| {
                argument.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long))
                    || argument.get_short().is_some_and(|short| flag[1..].starts_with(short) && !flag.starts_with("--"))
            })
    };
    let flags = words
        .iter()
        .take_while(|word| !word.starts_with('\''))
        .filter(|word| word.trim_start_matches('[').starts_with('-') && word.len() > 1);
    let unknown = flags.into_iter().find(|word| !is_known(word));
    unknown.map(|flag| format!("'{}' has no flag '{flag}'", command.get_name()))
}
