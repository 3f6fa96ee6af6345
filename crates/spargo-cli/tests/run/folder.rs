//! A folder with a study file in it, and the binary run there.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub struct Folder {
    folder: TempDir,
}

/// Two inputs and an output, before `[run]`.
pub const PLAIN: &str = "\
name = 'plain'
initial = 8
batch = 4
[objectives]
y = { goal = 'max' }
[space]
x = { real = [0, 1] }
n = { int = [0, 99] }
";

/// What a run of the binary said.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    /// On one line, whatever the width of the terminal.
    pub stderr: String,
}

impl Folder {
    /// A study whose command is `sh sim.sh {words}`.
    pub fn new(study: &str, words: &str, run: &str, script: &str) -> Self {
        let folder = Folder { folder: tempfile::tempdir().unwrap() };
        folder.write("study.toml", &format!("{study}[run]\ncommand = 'sh sim.sh {words}'\n{run}\n"));
        folder.write("sim.sh", script);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A file's text, empty if there is none.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Replaces words in a file.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} is not in {text}");
        self.write(name, &text.replace(from, to));
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spargo"));
        command.args(words).current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    pub fn spargo(&self, words: &[&str]) -> Said {
        said(self.command(words).output().unwrap())
    }

    /// What it printed, after checking that it succeeded.
    pub fn done(&self, words: &[&str]) -> String {
        let said = self.spargo(words);
        assert_eq!(said.code, Some(0), "spargo {words:?}: {said:?}");
        said.stdout
    }

    /// What it complained about, after checking that it failed, and not for wrong usage.
    pub fn refused(&self, words: &[&str]) -> String {
        let said = self.spargo(words);
        assert_eq!(said.code, Some(1), "spargo {words:?}: {said:?}");
        said.stderr
    }

    pub fn status(&self) -> Value {
        serde_json::from_str(&self.done(&["status", "study.toml", "--json"])).unwrap()
    }

    /// The columns of the export: trial, inputs, outputs, status, reason.
    pub fn export(&self) -> Vec<Vec<String>> {
        let text = self.done(&["export", "study.toml"]);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.records().map(|record| record.unwrap().iter().map(String::from).collect()).collect()
    }

    /// `spargo run`, on its own way.
    pub fn start(&self) -> Child {
        let mut command = self.command(&["run", "study.toml"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits for a file to have so many lines.
    pub fn wait_for_lines(&self, name: &str, count: usize) {
        wait_until(name, || self.read(name).lines().count() >= count);
    }
}

pub fn said(output: Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stderr = text(&output.stderr).split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    Said { code: output.status.code(), stdout: text(&output.stdout), stderr }
}

/// Waits for a condition; a machine under load may take its time.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal by its name.
pub fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
    assert!(sent.success(), "{name} to {process}");
}

/// Whether a process is there and has not ended.
pub fn alive(process: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", process.trim()]).output().unwrap().stdout;
    !matches!(state.iter().find(|byte| !byte.is_ascii_whitespace()), None | Some(b'Z'))
}

pub fn exists(path: &Path) -> bool {
    path.try_exists().unwrap()
}
