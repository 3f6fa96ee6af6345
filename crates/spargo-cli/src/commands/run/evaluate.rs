//! One evaluation: a program with the point among its arguments, or on its standard input.

use super::group::Group;
use super::outcome::outcome;
use super::tail::Tail;
use super::watch::{Killed, Watch};
use crate::io::csv::points::{Named, text};
use crate::io::output::excerpt::excerpt;
use crate::io::study_file::{Part, Run, StudyFile, Template};
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use spargo::space::Space;
use spargo::study::{Outcome, Output, Trial};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How points are evaluated.
pub struct Evaluator {
    program: OsString,
    arguments: Vec<Template>,
    folder: PathBuf,
    timeout: Option<Duration>,
    space: Space,
    outputs: Vec<Output>,
}

/// What came of an evaluation.
#[derive(Debug)]
pub enum Answer {
    /// It ended, or was ended for taking too long.
    Told(Outcome),
    /// The run was stopped before it ended: nothing is known.
    Stopped,
    /// It could not be started, and neither could any other.
    Broken(Report),
}

impl Evaluator {
    pub fn new(file: &StudyFile, run: &Run) -> Result<Self> {
        // A path that does not change its meaning when the child changes to the folder.
        let folder = std::path::absolute(file.folder()).into_diagnostic().wrap_err("the study file has no folder")?;
        let name: String = run.command.iter().take(1).flat_map(|Template(parts)| parts).map(literal).collect();
        let program = match name.contains('/') {
            true => folder.join(name).into_os_string(),
            false => name.into(),
        };
        Ok(Evaluator {
            program,
            arguments: run.command[1..].to_vec(),
            folder,
            timeout: run.timeout.map(Duration::from_secs_f64),
            space: file.config.space.clone(),
            outputs: file.config.outputs.clone(),
        })
    }

    /// Runs the program at a point, to its end or its timeout, or until the watch stops it.
    pub fn evaluate(&self, trial: &Trial, watch: &Watch) -> Answer {
        let started = Group::spawn(&mut self.command(trial));
        let (mut child, group) = match started {
            Ok(started) => started,
            Err(error) => return Answer::Broken(self.unstartable(&error)),
        };
        watch.add(group, self.timeout);
        let stdout = child.stdout.take().map(|pipe| Tail::of(pipe, LONGEST_OUTPUT)).transpose();
        let stderr = child.stderr.take().map(|pipe| Tail::of(pipe, LONGEST_COMPLAINT)).transpose();
        if stdout.is_err() || stderr.is_err() {
            group.kill();
        }
        self.feed(trial, &mut child);
        let waited = group.wait();
        let killed = watch.remove(group);
        // An evaluation ends with its program, whatever that leaves behind.
        group.kill();
        let status = match waited.and_then(|()| child.wait()) {
            Ok(status) => status,
            Err(error) => return Answer::Broken(miette!("cannot wait for trial {}: {error}", trial.id)),
        };
        let (stdout, stderr) = match (stdout, stderr) {
            (Ok(stdout), Ok(stderr)) => (stdout.map(Tail::finish), stderr.map(Tail::finish)),
            (Err(error), _) | (_, Err(error)) => return Answer::Broken(too_many(&error)),
        };
        match (killed, self.timeout) {
            (Some(Killed::Stopped), _) => Answer::Stopped,
            (Some(Killed::Overdue), Some(timeout)) => {
                Answer::Told(Outcome::failed(format!("timeout after {} s", timeout.as_secs_f64())))
            }
            _ => Answer::Told(outcome(status, &stdout.unwrap_or_default(), &stderr.unwrap_or_default(), &self.outputs)),
        }
    }

    fn command(&self, trial: &Trial) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(self.arguments.iter().map(|template| fill(template, trial)))
            .current_dir(&self.folder)
            .env("SPARGO_TRIAL", trial.id.to_string())
            .stdin(if self.feeds() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Whether the point goes to standard input, for want of a place among the arguments.
    fn feeds(&self) -> bool {
        self.arguments.iter().all(|Template(parts)| parts.iter().all(|part| matches!(part, Part::Text(_))))
    }

    fn feed(&self, trial: &Trial, child: &mut Child) {
        let Some(mut stdin) = child.stdin.take() else { return };
        let point = Named { space: &self.space, point: &trial.point, trial: Some(trial.id) };
        // A program that does not want to know its point need not read it.
        let _ = serde_json::to_vec(&point).map(|json| stdin.write_all(&json).and_then(|()| stdin.write_all(b"\n")));
    }

    /// Why a program cannot be started.
    fn unstartable(&self, error: &io::Error) -> Report {
        let program = Path::new(&self.program);
        let name = excerpt(&program.display().to_string());
        let help = match error.kind() {
            ErrorKind::NotFound if program.exists() => "the program that its first line names (#!) does not exist",
            ErrorKind::NotFound => "check its name; a path begins at the folder of the study file",
            ErrorKind::PermissionDenied => "make it executable: chmod +x",
            ErrorKind::InvalidInput => "no argument may contain a zero byte",
            ErrorKind::ArgumentListTooLong => {
                "leave the places for values out: the point then comes as JSON on its input"
            }
            _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                "a script begins with the program that reads it, say #!/bin/sh"
            }
            _ => "see `run.command` in the study file",
        };
        miette!(help = help, "run.command: cannot start '{name}': {error}")
    }
}

/// Why there is no thread for an evaluation.
pub fn too_many(error: &dyn Display) -> Report {
    miette!(help = "make `parallel` in [run] smaller", "cannot begin so many evaluations at a time: {error}")
}

/// Bytes of standard output that are kept.
const LONGEST_OUTPUT: usize = 1 << 20;

/// Bytes of standard error that are kept.
const LONGEST_COMPLAINT: usize = 1 << 14;

/// An argument at a point.
fn fill(Template(parts): &Template, trial: &Trial) -> String {
    let piece = |part: &Part| match part {
        Part::Input(k) => trial.point.get(*k).map(text).unwrap_or_default(),
        Part::Trial => trial.id.to_string(),
        Part::Text(_) => literal(part),
    };
    parts.iter().map(piece).collect()
}

/// The text of a part without a value.
fn literal(part: &Part) -> String {
    if let Part::Text(text) = part { text.clone() } else { String::new() }
}
