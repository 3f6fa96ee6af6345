//! `spargo run`: evaluates a study's points with the command of its file, until the budget is spent.

mod evaluate;
mod group;
mod lock;
mod outcome;
mod pace;
mod progress;
mod session;
mod signals;
mod supervisor;
mod tail;
mod worker_pool;

use crate::io::csv::points::short;
use crate::io::output::count::{agreed, counted};
use crate::io::output::excerpt::excerpt;
use crate::io::output::execution::Threads;
use crate::io::output::print::print;
use crate::io::output::summary::StudySummary;
use crate::io::study_file::{RunMode, RunSettings, StudyFile};
use crate::io::study_handle::StudyHandle;
use clap::Args;
use evaluate::{Evaluator, too_many};
use lock::lock;
use miette::{Report, Result, miette};
use pace::Pace;
use progress::{Progress, Show};
use session::{End, Session};
use signal_hook::low_level::signal_name;
use spargo::study::{Budget, Campaign, Config, Counts, Mode, Study, WarningLog, Why};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use supervisor::Supervisor;
use worker_pool::WorkerPool;

/// Largest number of workers: each has three threads, and with many more the process is aborted for lack of stacks.
const MOST_WORKERS: usize = 4096;

const HELP: &str = "\
Examples:
  spargo new && spargo run study.toml     the example brings its own simulator
  spargo run study.toml                   after Ctrl-C or a crash: continues
  spargo run study.toml > log &           one line per `batch` points
  spargo run study.toml --json            for programs

The command of [run] is started once per trial, `parallel` at a time, in the folder of the study file, never through a \
shell. {name} is replaced by the value of an input or the label of a candidate, {trial} by the trial's number (also in the environment as \
SPARGO_TRIAL); without placeholders the point is written as one JSON object to standard input. The command prints the \
outcome last, as a number or as JSON:
  71.3     {\"yield\": 71.3}     {\"yield\": {\"value\": 71.3, \"variance\": 0.4}}
Anything else, NaN, a nonzero exit code or a timeout makes a failed trial whose reason is recorded; of several outputs, \
only those fail that have no number. When the program ends \
or times out, all processes of its group are killed. A program that cannot be started ends the run.
If spargo itself is killed (SIGKILL), running programs are left behind: stop them yourself. Their trials are repeated by \
the next run.

With mode = \"async\", the default, a worker gets its next point as soon as it is idle, while the next model is fitted, and \
trials depend on the order of results. With mode = \"batch\" a batch is complete before the next one is asked for, and the \
same seed gives the same trials.

With duration = SECONDS no evaluation is begun after that time; those that run then are waited for, and the next run goes on.

The study is stored in <name>.db next to the study file, whose settings may change between runs: see \
`spargo ask --help`.

Events of --json, by the key \"event\":
  started   study, name, trials, pending, budget, parallel
  asked     step, seconds,
            trials: a list of {input: value, ..., \"trial\": number}
  told      trial, seconds, status: \"done\" with values (and variances) by
            output, or \"failed\" with a reason
  warning   output, trials, message: outcomes that models do not see as they
            were told, that contradict the settings or that never came
  finished  why: budget, exhausted, duration, signal, failing or broken,
            and the keys of `spargo status --json` except step, runners and
            ready; after a signal what is believed is null, as it takes a model

Exit codes: 0 done, 1 error, 2 wrong usage, 129 hung up (unless SIGHUP is ignored), 130 Ctrl-C, 143 terminated.";

/// Arguments of `spargo run`.
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Run {
    /// The study file
    file: PathBuf,
    /// Print one JSON object per event on standard output, and nothing else
    #[arg(long)]
    json: bool,
    /// Continue even if every evaluation of this run has failed
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    threads: Threads,
}

impl Run {
    pub fn run(self) -> Result<()> {
        let file = StudyFile::read(&self.file)?;
        let Some(settings) = &file.run else { return Err(self.without_command()) };
        // Before the first signal may arrive, so that none is lost.
        let (sender, events) = mpsc::channel();
        let supervisor = Supervisor::start();
        signals::listen(&supervisor, &sender)?;
        // Before the history is read, so that no other run adds to it.
        let _lock = lock(&file.database())?;
        let handle = StudyHandle::create(&file)?;
        let evaluator = Evaluator::new(&file, settings, supervisor)?;
        let workers = workers(settings, &file.config)?;
        let pool = WorkerPool::new(evaluator, workers, &sender)?;
        let mut campaign = self.campaign(&handle.study, settings);
        campaign.workers = workers;
        let progress = Progress::start(self.show(), &handle, settings)?;
        let deadline = settings.duration.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        let mut session = Session {
            handle,
            campaign,
            pool,
            events,
            config: file.config.clone(),
            progress,
            warned: WarningLog::default(),
            deadline,
            pace: Pace::default(),
        };
        self.threads.install(|| {
            let end = session.run();
            // If it cannot be written, a run that ended by an error says why, and one that was stopped has nothing left to lose.
            let _ = session.campaign.end(&mut session.handle.study);
            self.finish(session, end?, settings)
        })
    }

    fn campaign(&self, study: &Study, settings: &RunSettings) -> Campaign {
        let mut campaign = Campaign::new(Budget::Total(settings.budget));
        campaign.final_replicates = settings.final_replicates;
        if settings.mode == RunMode::Async {
            let batch = study.config().batch as u64;
            campaign.mode = Mode::Async { refit_every: batch };
        }
        if !self.keep_going {
            campaign.give_up = Some(Campaign::patience(study).min(settings.budget));
        }
        campaign
    }

    /// Reports the state of the study, and why the run ended.
    fn finish(&self, session: Session, end: End, &RunSettings { budget, duration, .. }: &RunSettings) -> Result<()> {
        let Session { mut handle, pool, progress, campaign, .. } = session;
        drop((pool, campaign));
        let summary = match end {
            // A model would delay the end of an interrupted run.
            End::Signal(_) => StudySummary::without_model(&handle),
            _ => StudySummary::new(&mut handle),
        };
        progress.finish(end.word(), summary.json())?;
        let text = match &end {
            End::Signal(signal) => {
                self.interrupted(&handle, &format!("by {}", signal_name(*signal).unwrap_or("a signal")), budget)
            }
            End::OutOfTime => {
                let why = format!("after its duration of {} s", duration.unwrap_or_default());
                format!("{summary}{}", self.interrupted(&handle, &why, budget))
            }
            End::Done(Why::SpaceExhausted) => format!("every point of the space has been asked for\n{summary}"),
            End::Done(Why::BudgetSpent) => format!("{summary}{}", self.spent(&handle, budget)),
            _ => summary.to_string(),
        };
        if !self.json {
            print(&text)?;
        }
        match end {
            End::Done(Why::AllFailed { evaluations, reason, count, pending_again }) => {
                Err(all_failed(evaluations, &reason, count, pending_again))
            }
            End::Done(_) | End::OutOfTime => Ok(()),
            End::Signal(signal) => {
                // Folds the log (-wal) into the database, which is then whole by itself.
                drop(handle);
                std::process::exit(signals::exit_code(signal))
            }
            End::Broken(report) => Err(report),
        }
    }

    fn show(&self) -> Show {
        // Log lines and a bar would overwrite each other.
        let bar = std::io::stderr().is_terminal() && !tracing::enabled!(tracing::Level::INFO);
        match (self.json, bar && std::io::stdout().is_terminal()) {
            (true, _) => Show::Json,
            (false, true) => Show::Bar,
            (false, false) => Show::Lines,
        }
    }

    /// What was spent, and what to do next.
    fn spent(&self, handle: &StudyHandle, budget: usize) -> String {
        let (file, Counts { trials, failed, .. }) = (self.file.display(), handle.study.counts());
        let more = if trials > budget { format!(" ({trials} with those of others)") } else { String::new() };
        format!(
            "budget of {} spent{more}, {failed} failed; raise `budget` in [run] to go on, or see `spargo report {file}`\n",
            counted(budget, "trial")
        )
    }

    fn interrupted(&self, handle: &StudyHandle, why: &str, budget: usize) -> String {
        let Counts { trials, pending, .. } = handle.study.counts();
        let pending_ones = match pending {
            0 => String::new(),
            1 => "; the pending one will be repeated".into(),
            _ => format!("; the {pending} pending ones will be repeated"),
        };
        let best = handle.study.best_observation();
        let best = best.map_or(String::new(), |best| format!(", best {}", short(best.value)));
        format!(
            "stopped {why}: {} of {budget} trials have an outcome{best}{pending_ones}\n\
             stored in {}; continue with `spargo run {}`\n",
            trials - pending,
            handle.database.display(),
            self.file.display()
        )
    }

    fn without_command(&self) -> Report {
        let help =
            "add\n[run]\ncommand = './sim --t {temperature}'\nor use `spargo suggest`, `spargo ask` and `spargo tell`";
        miette!(help = help, "{} does not say how to evaluate a point: it has no section [run]", self.file.display())
    }
}

/// Evaluations at a time: a batch may be complete before the next one is asked for.
fn workers(settings: &RunSettings, config: &Config) -> Result<usize> {
    let most = if settings.mode == RunMode::Batch { config.batch.max(config.initial_count()) } else { usize::MAX };
    let workers = settings.parallel.min(settings.budget).min(most);
    if workers > MOST_WORKERS { Err(too_many(&format!("{workers} is more than {MOST_WORKERS}"))) } else { Ok(workers) }
}

impl End {
    fn word(&self) -> &'static str {
        match self {
            End::Done(Why::BudgetSpent) => "budget",
            End::Done(Why::SpaceExhausted) => "exhausted",
            End::Done(Why::AllFailed { .. }) => "failing",
            End::OutOfTime => "duration",
            End::Signal(_) => "signal",
            End::Broken(_) => "broken",
        }
    }
}

fn all_failed(evaluations: usize, reason: &str, count: usize, pending_again: usize) -> Report {
    let again = match pending_again {
        0 => String::new(),
        _ => {
            let (trials, are) = (counted(pending_again, "trial"), agreed(pending_again, ["is", "are"]));
            format!("; as nothing was ever observed, {trials} {are} pending again")
        }
    };
    let all = match evaluations {
        1 => "the first evaluation failed".into(),
        _ => format!("all of the first {evaluations} evaluations failed, {count} of them"),
    };
    // What was observed before says that they could have succeeded.
    let retry = if pending_again == 0 { ", make them pending again (`spargo retry --failed`)" } else { "" };
    let help = format!("correct the command of [run]{retry} and run again, or continue regardless with --keep-going");
    miette!(help = help, "{all} with: {}{again}", excerpt(reason))
}
