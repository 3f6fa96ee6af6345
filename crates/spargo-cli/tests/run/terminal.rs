//! What a terminal shows: no escape sequence of a user, lines that fit, help that breaks between words.

use crate::folder::{Folder, PLAIN};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::process::Stdio;

/// An escape sequence, and control characters beyond ASCII.
const HOSTILE: &str = "\u{1b}]0;gotcha\u{7}\u{9b}31m";

/// The same in a TOML text.
const HOSTILE_TOML: &str = r"\u001b]0;gotcha\u0007\u009b31m";

/// What a command writes to a terminal of 80 columns.
fn on_terminal(folder: &Folder, words: &[&str]) -> String {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let ours = openpt(flags).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = File::options().read(true).write(true).open(ptsname(&ours, Vec::new()).unwrap().to_str().unwrap());
    let theirs = theirs.unwrap();
    tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut command = folder.command(words);
    command.stdout(Stdio::from(theirs.try_clone().unwrap())).stderr(Stdio::from(theirs)).env_remove("COLUMNS");
    let mut child = command.spawn().unwrap();
    // The last handles on the terminal's other end are the child's: reading ends when it does.
    drop(command);
    let mut bytes = Vec::new();
    let mut terminal = File::from(ours);
    let mut chunk = [0; 4096];
    // At the end the kernel says that there is no terminal any more.
    while let Ok(length @ 1..) = terminal.read(&mut chunk) {
        bytes.extend_from_slice(&chunk[..length]);
    }
    assert!(child.wait().is_ok());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn escape_sequences_never_reach_a_terminal() {
    let study = PLAIN
        .replace("y = {", &format!("\"y{HOSTILE_TOML}\" = {{"))
        .replace("n = { int = [0, 99] }", &format!("c = {{ choice = [\"a{HOSTILE_TOML}\", \"b\"] }}"));
    let script = format!("echo '{{\"y{HOSTILE}\": 1}}' | sed 's/\\x1b/\\\\u001b/;s/\\x07/\\\\u0007/'");
    let folder = Folder::new(&study, "{x}", "budget = 8", &script);
    folder.write("results.csv", &format!("x,c\n0.5,zz{HOSTILE}\n"));
    folder.write("broken.toml", &format!("name = 'n'\n\"x{HOSTILE}\" = 3\n"));
    for words in [
        &["run", "study.toml"][..],
        &["ask", "study.toml", "-n", "4"],
        &["ask", "study.toml", "-n", "4", "--json"],
        &["status", "study.toml"],
        &["status", "study.toml", "--json"],
        &["export", "study.toml"],
        &["tell", "study.toml", "results.csv"],
        &["suggest", "study.toml", "--pending", "results.csv"],
        &["suggest", "broken.toml"],
        &["fit", &format!("no{HOSTILE}.csv"), "--target", "y"],
    ] {
        let said = on_terminal(&folder, words);
        let hostile = ["\u{1b}]", "\u{7}", "\u{9b}"].into_iter().find(|part| said.contains(part));
        assert_eq!(hostile, None, "{words:?}: {said:?}");
        assert!(!said.is_empty(), "{words:?}");
    }
    // Programs read what is stored, byte by byte.
    assert!(folder.export().iter().any(|row| row[2].contains(HOSTILE)));
}

#[test]
fn progress_fits_into_eighty_columns() {
    let study = PLAIN.replace("x = { real = [0, 1] }", "x = { real = [1e5, 3e5] }");
    let folder = Folder::new(&study, "{x}", "budget = 24\nparallel = 2", "sleep 0.05; echo -$1");
    let said = on_terminal(&folder, &["run", "study.toml"]);
    let bars: Vec<&str> = said.split(['\r', '\n']).filter(|line| line.contains("/24")).collect();
    assert!(bars.iter().any(|bar| bar.contains("best -")), "{said:?}");
    for bar in bars {
        assert!(without_codes(bar).chars().count() <= 80, "{bar:?}");
    }
}

/// Text without the terminal codes of bars and colours.
fn without_codes(text: &str) -> String {
    let mut rest = text.split("\u{1b}[");
    let first = rest.next().unwrap_or_default().to_string();
    rest.fold(first, |text, part| {
        text + part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').get(1..).unwrap_or_default()
    })
}

/// The words of a text, whatever its lines.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn help_breaks_between_words() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    let help = |command: &str, columns: &str| {
        let words = [command, "--help"];
        let mut spargo = folder.command(if command.is_empty() { &words[1..] } else { &words });
        let output = spargo.env("COLUMNS", columns).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let list = help("", "100");
    let commands = list.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(commands.len() > 12, "{list}");
    // And the empty word, spargo itself.
    for command in commands.into_iter().filter(|command| !["", "help"].contains(command)).chain([""]) {
        let widest = help(command, "1000");
        for columns in ["80", "100"] {
            let narrow = help(command, columns);
            let longest = narrow.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
            assert!(longest.chars().count() <= columns.parse().unwrap(), "{command} at {columns}: {longest}");
            assert_eq!(words(&narrow), words(&widest), "{command} at {columns}");
        }
    }
}

#[test]
fn help_has_every_word_that_the_library_takes() {
    let folder = Folder::new(PLAIN, "{x}", "", "");
    let stationary = spargo::kernel::KERNELS.iter().filter(|kernel| kernel.family.is_some()).map(|kernel| kernel.name);
    let words: Vec<&str> = spargo::allocate::Allocation::NAMES.into_iter().chain(stationary).collect();
    for command in ["fit", "allocate"] {
        let help = folder.done(&[command, "--help"]);
        let known: Vec<&str> = help.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
        assert!(words.iter().all(|word| known.contains(word)), "{help}");
    }
}
