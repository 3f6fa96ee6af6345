//! One evaluation: a program with the point among its arguments, or on its standard input.

use super::group::Group;
use super::outcome::outcome;
use super::supervisor::{Killed, Supervisor};
use super::tail::Tail;
use crate::io::csv::points::Named;
use crate::io::output::excerpt::excerpt;
use crate::io::study_file::{ParsedCommand, RunSettings, StudyFile, Template};
use miette::{IntoDiagnostic, Report, Result, WrapErr, miette};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use spargo::study::{Config, Outcome, Trial};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Signals by which a run, and all that it has started, may be ended.
const ENDING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// How long after a program the run itself may be ended by the same signal.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of standard output that are kept.
const LONGEST_STDOUT: usize = 1 << 20;

/// Bytes of standard error that are kept.
const LONGEST_STDERR: usize = 1 << 14;

/// Evaluates points by running a program.
pub struct Evaluator {
    program: OsString,
    arguments: Vec<Template>,
    folder: PathBuf,
    timeout: Option<Duration>,
    config: Config,
    pub supervisor: Arc<Supervisor>,
}

/// The result of an evaluation.
#[derive(Debug)]
pub enum Answer {
    /// The program ended, or was killed at its timeout.
    Outcome(Outcome),
    /// The run was stopped before the program was started, or before it ended: nothing is known.
    Stopped,
    /// The program cannot be started, for this trial or any other.
    Broken(Report),
}

impl Evaluator {
    pub fn new(file: &StudyFile, run: &RunSettings, supervisor: Arc<Supervisor>) -> Result<Self> {
        // Absolute, as the child changes to the folder.
        let folder = std::path::absolute(file.folder()).into_diagnostic().wrap_err("the study file has no folder")?;
        let ParsedCommand { program, arguments } = run.command.clone();
        let program = if program.contains('/') { folder.join(program).into_os_string() } else { program.into() };
        Ok(Evaluator {
            program,
            arguments,
            folder,
            timeout: run.timeout.map(Duration::from_secs_f64),
            config: file.config.clone(),
            supervisor,
        })
    }

    /// Runs the program at a point until it ends, reaches its timeout, or is stopped by the supervisor.
    pub fn evaluate(&self, trial: &Trial) -> Answer {
        if !self.supervisor.is_open() {
            return Answer::Stopped;
        }
        let (mut child, group) = match Group::spawn(&mut self.command(trial)) {
            Ok(started) => started,
            Err(error) => return Answer::Broken(self.unstartable(&error)),
        };
        self.supervisor.add(group, self.timeout);
        let stdout = child.stdout.take().map(|pipe| Tail::of(pipe, LONGEST_STDOUT)).transpose();
        let stderr = child.stderr.take().map(|pipe| Tail::of(pipe, LONGEST_STDERR)).transpose();
        if stdout.is_err() || stderr.is_err() {
            group.kill();
        }
        self.feed(trial, &mut child);
        let waited = group.wait();
        let killed = self.supervisor.remove(group);
        // Processes that the program leaves behind end with it.
        group.kill();
        let status = match waited.and_then(|()| child.wait()) {
            Ok(status) => status,
            Err(error) => return Answer::Broken(miette!("cannot wait for trial {}: {error}", trial.id)),
        };
        let (stdout, stderr) = match (stdout, stderr) {
            (Ok(stdout), Ok(stderr)) => {
                // Both, before either is waited for.
                stdout.iter().chain(&stderr).for_each(Tail::end);
                (stdout.map(Tail::finish), stderr.map(Tail::finish))
            }
            (Err(error), _) | (_, Err(error)) => return Answer::Broken(too_many(&error)),
        };
        match (killed, self.timeout) {
            (Some(Killed::Stopped), _) => Answer::Stopped,
            (Some(Killed::Overdue), Some(timeout)) => {
                Answer::Outcome(Outcome::failed(format!("timeout after {} s", timeout.as_secs_f64())))
            }
            _ if !status.success() && self.is_ending_with(status) => Answer::Stopped,
            _ => {
                let [stdout, stderr] = [stdout, stderr].map(Option::unwrap_or_default);
                Answer::Outcome(outcome(status, &stdout, &stderr, &self.config))
            }
        }
    }

    /// Whether a program has failed because the run ends: a scheduler, or a service manager, sends its signal to the programs and
    /// to the run, and programs may be faster. The signal of the run is waited for where the program has ended by one.
    fn is_ending_with(&self, status: ExitStatus) -> bool {
        // As the process itself, or as a shell says of its own.
        let signal = status.signal().or(status.code().map(|code| code - 128));
        let is_ended = signal.is_some_and(|signal| ENDING.contains(&signal));
        self.supervisor.stops_within(if is_ended { PATIENCE } else { Duration::ZERO })
    }

    fn command(&self, trial: &Trial) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(self.arguments.iter().map(|argument| argument.fill(trial, &self.config.space)))
            .current_dir(&self.folder)
            .env("SPARGO_TRIAL", trial.id.to_string())
            .stdin(if self.feeds() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Whether the point goes to standard input, because no argument has a placeholder.
    fn feeds(&self) -> bool {
        self.arguments.iter().all(Template::is_fixed)
    }

    fn feed(&self, trial: &Trial, child: &mut Child) {
        let Some(mut stdin) = child.stdin.take() else { return };
        let point = Named { space: &self.config.space, trial, numbered: true };
        // A program may ignore its standard input.
        let _ = serde_json::to_vec(&point).map(|json| stdin.write_all(&json).and_then(|()| stdin.write_all(b"\n")));
    }

    /// Explains why the program cannot be started.
    fn unstartable(&self, error: &io::Error) -> Report {
        let program = Path::new(&self.program);
        let name = excerpt(&program.display().to_string());
        let help = match error.kind() {
            ErrorKind::NotFound if program.exists() => "the program that its first line names (#!) does not exist",
            ErrorKind::NotFound => "check its name; paths are relative to the folder of the study file",
            ErrorKind::PermissionDenied => "make it executable: chmod +x",
            ErrorKind::InvalidInput => "no argument may contain a zero byte",
            ErrorKind::ArgumentListTooLong => {
                "remove the placeholders: the point is then written as JSON to standard input"
            }
            _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                "begin the script with its interpreter, for example #!/bin/sh"
            }
            _ => "see `run.command` in the study file",
        };
        miette!(help = help, "run.command: cannot start '{name}': {error}")
    }
}

/// Explains that there are not enough threads.
pub fn too_many(error: &dyn Display) -> Report {
    miette!(help = "reduce `parallel` in [run]", "cannot run so many evaluations at a time: {error}")
}
