//! A running program that evaluates points, by JSON lines on its standard input and output, never through a shell.
//!
//! ```text
//!     start            ─▶  {"name": "sphere", "inputs": [[-5, 5], [-5, 5]], "minimum": 0}
//!     {"points": …}    ─▶  {"values": [25.0, 3.5]}           one line per call, one value per point
//!     end of input     ─▶  the program ends
//! ```

use super::Description;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time within which a program must describe itself.
const START: Duration = Duration::from_secs(120);

/// Time that a program has to end after its input has ended; it is killed then.
const END: Duration = Duration::from_secs(2);

/// Characters of a wrong answer that are shown.
const SHOWN: usize = 80;

#[derive(Serialize)]
struct Question<'a> {
    points: &'a [Vec<f64>],
}

#[derive(Deserialize)]
struct Answer {
    values: Vec<f64>,
}

/// The program; it is ended when this is dropped.
pub(crate) struct Program {
    command: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    timeout: Duration,
}

impl Program {
    /// Starts a program and reads its description.
    pub fn start(command: &[String]) -> Result<(Self, Description)> {
        let words = shell_words::join(command);
        let error = |message: String| Error::Program { command: words.clone(), message };
        let (program, arguments) = command.split_first().ok_or_else(|| error("has no name".into()))?;
        let spawned = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|source| error(format!("cannot be started: {source}")))?;
        let (sender, lines) = channel();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        thread::spawn(move || {
            let Some(output) = output else { return };
            for line in BufReader::new(output).split(b'\n').map_while(std::result::Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let mut program = Program { command: words, child, input, lines, timeout: START };
        let line = program.line("described itself")?;
        let description: Description = serde_json::from_str(&line)
            .map_err(|error| program.error(&format!("describes itself as '{}', where {error}", shown(&line))))?;
        if let Some(fault) = description.fault() {
            return Err(program.error(&format!("describes a problem that {fault}")));
        }
        program.timeout = Duration::from_secs_f64(description.timeout);
        Ok((program, description))
    }

    /// f at each point.
    pub fn values(&mut self, points: &[Vec<f64>]) -> Result<Vec<f64>> {
        if points.is_empty() {
            return Ok(Vec::new());
        }
        let question = serde_json::to_string(&Question { points }).map_err(|error| self.error(&error.to_string()))?;
        let written = self.input.as_mut().map(|input| writeln!(input, "{question}").and_then(|()| input.flush()));
        if !matches!(written, Some(Ok(()))) {
            return Err(self.ended("read its points"));
        }
        let line = self.line("answered")?;
        let values = serde_json::from_str::<Answer>(&line).map_err(|error| {
            self.error(&format!("answered '{}' instead of {{\"values\": [...]}}: {error}", shown(&line)))
        })?;
        let values = values.values;
        if values.len() != points.len() {
            return Err(self.error(&format!("answered {} values for {} points", values.len(), points.len())));
        }
        Ok(values)
    }

    /// An error of this program.
    pub fn error(&self, message: &str) -> Error {
        Error::Program { command: self.command.clone(), message: message.into() }
    }

    /// The next line that it prints.
    fn line(&mut self, done: &str) -> Result<String> {
        self.lines.recv_timeout(self.timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => self.error(&format!("has not {done} within {} s", self.timeout.as_secs_f64())),
            RecvTimeoutError::Disconnected => self.ended(done),
        })
    }

    fn ended(&mut self, done: &str) -> Error {
        self.input = None;
        match self.wait() {
            Some(status) => self.error(&format!("ended ({status}) before it {done}")),
            None => self.error(&format!("closed its input or output before it {done}")),
        }
    }

    /// How it ended, if it does in time.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + END;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.input = None;
        if self.wait().is_none() {
            // Nothing more can be done about a program that cannot be ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn shown(line: &str) -> String {
    let start: String = line.chars().take(SHOWN).collect();
    if start.len() < line.len() { format!("{start}…") } else { start }
}
