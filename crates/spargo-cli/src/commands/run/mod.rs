//! `spargo run`: evaluates a study's points with the command of its file, until the budget is spent.

mod crew;
mod evaluate;
mod failures;
mod group;
mod lock;
mod outcome;
mod progress;
mod session;
mod signals;
mod tail;
mod watch;

use crate::io::output::print::print;
use crate::io::output::summary::{Counts, Summary, best_observed};
use crate::io::place::{Place, begin};
use crate::io::study_file::{Run as Settings, StudyFile};
use clap::Args;
use crew::Crew;
use evaluate::{Evaluator, too_many};
use failures::Failures;
use lock::Lock;
use miette::{Report, Result, miette};
use progress::{Bar, Watcher};
use session::{End, Patience, Session};
use signal_hook::low_level::signal_name;
use spargo::study::Config;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use watch::Watch;

/// Arguments of `spargo run`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Run {
    /// The study file
    file: PathBuf,
    /// Print one JSON object an event on standard output, and nothing else
    #[arg(long)]
    json: bool,
    /// Go on even if nothing but failures has come back
    #[arg(long)]
    keep_going: bool,
}

const HELP: &str = "\
Examples:
  spargo new && spargo run study.toml     the example brings its own simulator
  spargo run study.toml                   again, after Ctrl-C or a crash: goes on where it was
  spargo run study.toml --json            for programs

The command of [run] is started once a trial, `parallel` at a time, in the folder of the study file, never through a
shell. {name} in it is the value of an input, {trial} the trial's number (also in the environment: SPARGO_TRIAL); without
any of these the point comes as one JSON object on its standard input. It prints the outcome last: a number, or JSON:
  71.3     {\"yield\": 71.3}     {\"yield\": {\"value\": 71.3, \"variance\": 0.4}}
Anything else, NaN, another exit code than 0 and a timeout are a failed trial with the reason kept. When the program ends
or is over time, everything in its process group is killed. A program that cannot be started ends the run.
Only if spargo itself is killed (SIGKILL, which nobody can answer) are programs under way left behind: end them yourself. Their
trials are repeated by the next run.

The study is kept in <name>.db beside the study file. [run] may be changed between runs, say for a larger budget.

Events of --json, by the key \"event\":
  started   study, name, trials, pending, budget, parallel
  asked     step, seconds, trials: a list of {input: value, ..., \"trial\": number}
  told      trial, seconds, status: \"done\" with values (and variances) by output, or \"failed\" with a reason
  finished  why: budget, exhausted, signal, failing or broken; study, name, trials, observed, failed, pending,
            best: null or {believed: {trial, point, mean, low, high}, observed: {trial, point, value}};
            after a signal believed is null, as that takes a model

Exit codes: 0 done, 1 a fault, 2 wrong usage, 129 hung up (unless SIGHUP is ignored), 130 Ctrl-C, 143 terminated.";

impl Run {
    pub fn run(self) -> Result<()> {
        let file = StudyFile::read(&self.file)?;
        let Some(settings) = &file.run else { return Err(self.without_command()) };
        // Before the first signal may come, so that none is lost.
        let (sender, events) = mpsc::channel();
        let watch = Arc::new(Watch::new());
        signals::listen(&watch, &sender)?;
        // Before the history is read, so that it is the last word on it.
        let _lock = Lock::take(&file.database())?;
        let place = begin(&file, &self.file)?;
        let crew = Crew::new(Evaluator::new(&file, settings)?, workers(settings, &file.config)?, &watch, &sender)?;
        let patience = if self.keep_going { Patience::KeepsGoing } else { Patience::GivesUp };
        let (budget, final_replicates) = (settings.budget, settings.final_replicates);
        let (failures, watcher) = (Failures::default(), self.watcher());
        let mut session = Session { place, crew, watch, events, watcher, budget, final_replicates, patience, failures };
        let end = self.go_on(&mut session, settings)?;
        self.finish(session, end)
    }

    fn go_on(&self, session: &mut Session, settings: &Settings) -> Result<End> {
        let (stand, config) = (session.stand(), session.place.study.config());
        let database = session.place.database.display().to_string();
        session.watcher.started(config, &database, settings.parallel, stand)?;
        session.go_on()
    }

    /// Reports where the study stands, and why the run ended there.
    fn finish(&self, session: Session, end: End) -> Result<()> {
        let Session { mut place, crew, mut watcher, failures, budget, .. } = session;
        drop(crew);
        let summary = match end {
            // Whoever interrupts does not want to wait for a model.
            End::Signal(_) => Summary::in_short(&place),
            _ => Summary::of(&mut place),
        };
        watcher.finished(end.word(), summary.json())?;
        let text = match &end {
            End::Signal(signal) => self.interrupted(&place, *signal, budget),
            End::Exhausted => format!("every point of the space has been asked for\n{summary}"),
            _ => summary.to_string(),
        };
        if !self.json {
            print(&text)?;
        }
        match end {
            End::Budget | End::Exhausted => Ok(()),
            End::Signal(signal) => std::process::exit(signals::exit_code(signal)),
            End::Failing(count) => Err(failing(count, &failures)),
            End::Broken(report) => Err(report),
        }
    }

    fn watcher(&self) -> Watcher {
        match self.json {
            true => Watcher::Program,
            // Log lines and a bar would be in each other's way.
            false if std::io::stderr().is_terminal() && !tracing::enabled!(tracing::Level::INFO) => {
                Watcher::Person(Box::new(Bar::new()))
            }
            false => Watcher::Nobody,
        }
    }

    fn interrupted(&self, place: &Place, signal: i32, budget: usize) -> String {
        let Counts { trials, pending, .. } = Counts::of(place);
        let best = best_observed(&place.study)
            .map_or(String::new(), |best| format!(", best {}", crate::io::csv::points::short(best)));
        format!(
            "stopped by {}: {} of {budget} trials told{best}; {pending} under way will be repeated\n\
             kept in {}; `spargo run {}` goes on\n",
            signal_name(signal).unwrap_or("a signal"),
            trials - pending,
            place.database.display(),
            self.file.display()
        )
    }

    fn without_command(&self) -> Report {
        let help =
            "add\n[run]\ncommand = './sim --t {temperature}'\nor use `spargo suggest`, `spargo ask` and `spargo tell`";
        miette!(help = help, "{} does not say how to evaluate a point: it has no section [run]", self.file.display())
    }
}

/// As many as may be evaluated at a time: a batch is complete before the next one is asked for.
fn workers(settings: &Settings, config: &Config) -> Result<usize> {
    match settings.parallel.min(settings.budget).min(config.batch.max(config.initial)) {
        workers if workers > MOST_WORKERS => Err(too_many(&format!("{workers} is more than {MOST_WORKERS}"))),
        workers => Ok(workers),
    }
}

/// Each has three threads; with many more of them the kernel has no room for their stacks, and the process is aborted.
const MOST_WORKERS: usize = 4096;

impl End {
    fn word(&self) -> &'static str {
        match self {
            End::Budget => "budget",
            End::Exhausted => "exhausted",
            End::Signal(_) => "signal",
            End::Failing(_) => "failing",
            End::Broken(_) => "broken",
        }
    }
}

fn failing(count: usize, failures: &Failures) -> Report {
    let (reason, times) = failures.commonest().unwrap_or(("unknown", count));
    miette!(
        help = "mend the command of [run] and run again; --keep-going goes on regardless",
        "all of the first {count} evaluations failed, {times} of them like this: {reason}"
    )
}
