//! The loop and its memory: points are asked for, outcomes are told, and nothing that was told is ever lost.
//!
//! ```text
//!     ask:   history ─▶ model (Z, θ̂, posterior) ─▶ batch ─▶ committed with what the next step needs
//!     tell:  outcomes ─▶ history
//! ```
//!
//! A step is a function of the settings, the state that the last ask committed, and the history. So a study that is
//! killed at any instant and opened again asks for the batch that it would have asked for anyway.

mod activity;
mod anywhere;
mod ask;
mod auto;
mod background;
mod best;
mod campaign;
mod changes;
mod choose;
mod config;
mod correct;
mod count;
mod credit;
mod demand;
mod design;
mod entered;
mod extensions;
mod fitted;
mod fronts;
mod global;
mod goal;
mod heart;
mod hyperparameters;
mod inducing;
mod initial;
mod insight;
mod json;
mod landmarks;
mod last_posterior;
mod lease;
mod limits;
mod lineages;
mod local;
mod model;
mod noise;
mod observations;
mod observed;
mod open;
mod outcome;
mod pairs;
mod plate;
mod prepare;
mod progress;
mod proposal;
mod pure_error;
mod queue;
mod ranking;
mod ready;
mod recommend;
mod reconfigure;
mod refit;
mod replicate;
mod report;
mod rows;
mod same_trial;
mod scaffold;
mod screen;
mod shortlist;
mod state;
pub mod storage;
mod trial;
mod trust_regions;
mod units;
mod warnings;
mod words;

pub use activity::Runner;
pub use anywhere::Anywhere;
pub use background::BackgroundFitter;
pub use campaign::{Budget, Campaign, Mode, Next, Why};
pub use changes::HistoryEntry;
pub use config::{Config, ModelOptions, NoiseBound, OutcomeTransformChoice, Penalties, Replicates};
pub use correct::{Change, Correction};
pub use count::CountOrAuto;
pub use extensions::Extensions;
pub use fronts::{Fronts, ParetoPoint};
pub use goal::{Goal, Output};
pub use hyperparameters::{HyperparameterChoice, KnownHyperparameters, Lengthscales};
pub use insight::{CrediblePrediction, LeaveOneOut};
pub use landmarks::FrontLandmarks;
pub use local::LocalModelOptions;
pub use model::ModelReport;
pub use noise::Noise;
pub use outcome::{Measurement, Outcome};
pub use plate::{PlateOptions, WELL_COLUMN, Wells};
pub use progress::Counts;
pub use reconfigure::SettingChange;
pub use refit::Refit;
pub use report::{Best, Estimate, Observation, StepReport};
pub use storage::{
    Activity, Enqueued, History, Note, OutputChange, Record, Revision, Status, Told, network_file_system,
};
pub use trial::{Refused, Trial};
pub use trust_regions::{PolicyChoice, TrustRegionOptions, TrustRegionPolicy};
pub use units::{ColumnUnit, is_same_unit, name_and_unit};
pub use warnings::{OutcomeWarning, Place, Treatment, Warning, WarningLog};
pub use words::{
    DISCARDED_WORD, DONE_WORDS, FAILED_WORDS, OUTPUT_COLUMN_WORDS, OUTPUT_COLUMNS, PENDING_WORD, RESERVED_NAMES,
};

use crate::error::{Error, Result};
use crate::interrupt;
use crate::space::Point;
use demand::Demand;
use json::from_json;
use model::Models;
use observations::Observations;
use rows::candidate_rows;
use state::StepState;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;
use storage::{Appended, Event, Storage};

/// Events that are read at a time, so that a long log is in memory once.
const EVENTS_AT_A_TIME: usize = 1 << 14;

/// A study: ask for points, tell their outcomes.
#[derive(Debug)]
pub struct Study {
    config: Config,
    storage: Box<dyn Storage>,
    history: History,
    /// The history as models see it.
    table: Observations,
    /// The last models, and what they were made from.
    models: Option<(Key, Arc<Models>)>,
    /// What the last ask left, as soon as it has been parsed.
    state: OnceCell<Option<StepState>>,
    /// How many states asks have left while this process looked.
    states: u64,
    /// By what name this process asks and holds leases: one per open study.
    by: String,
    /// What others ask for.
    demand: Demand,
}

/// What a model was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    /// The number of states before it.
    state: u64,
    /// The number of asks before it that have chosen points; `None` for the models that left the last state.
    step: Option<u64>,
    /// The last tell it has seen.
    seen: u64,
}

impl Study {
    /// Its settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Trials, outcomes and the state of the last ask, as of the last ask, tell or [`refresh`](Self::refresh).
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The trial with this number and its outcome, as of the last ask, tell or [`refresh`](Self::refresh).
    pub fn trial(&self, id: u64) -> Option<&Record> {
        self.history.record(id)
    }

    /// Reads what other processes have written.
    pub fn refresh(&mut self) -> Result<()> {
        loop {
            let events = self.storage.load_some(self.history.position(), EVENTS_AT_A_TIME)?;
            let is_last = events.len() < EVENTS_AT_A_TIME;
            self.apply(events)?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Outcomes of trials by their numbers, all or nothing; returns how many of them are new.
    ///
    /// Outputs may be told one by one: those that are pending in an outcome are told later. The same outcome told again is
    /// passed over, another one is refused: [`amend`](Self::amend) corrects it. NaN and infinities count as failures of their
    /// output, and any failure counts as the same outcome as another: the first reason stays.
    pub fn tell(&mut self, outcomes: &[(u64, Outcome)]) -> Result<usize> {
        self.tell_and_add(outcomes, &[]).map_err(|refused| refused.error)
    }

    /// Whether an outcome of a trial is known; refuses what [`tell`](Self::tell) would refuse.
    pub fn is_known(&self, trial: u64, outcome: &Outcome) -> Result<bool> {
        let outcome = self.config.settled(format_args!("trial {trial}"), outcome)?;
        self.history.news(&[(trial, outcome)]).map(|news| news.is_empty())
    }

    /// Points that were not asked for, with their outcomes (`None`: they are pending); returns their trials' numbers.
    ///
    /// A point that is added twice makes two trials: replicates are data.
    pub fn add(&mut self, points: &[(Point, Option<Outcome>)]) -> Result<Range<u64>> {
        self.add_rows(points).map_err(|refused| refused.error)
    }

    /// Adds points as [`add`](Self::add) does; an error says which of them it is about.
    pub fn add_rows(&mut self, points: &[(Point, Option<Outcome>)]) -> std::result::Result<Range<u64>, Refused> {
        self.add_candidates(points, &[])
    }

    /// Adds points as [`add_rows`](Self::add_rows) does; `rows` says which rows of the table of candidates they are, where that is
    /// known. For others, and if `rows` is empty, it is the row with the fewest trials among those with the point's inputs.
    pub fn add_candidates(
        &mut self,
        points: &[(Point, Option<Outcome>)],
        rows: &[Option<u64>],
    ) -> std::result::Result<Range<u64>, Refused> {
        let added = self.tell_and_add_candidates(&[], points, rows)? as u64;
        let end = self.history.records().len() as u64 + 1;
        Ok(end - added..end)
    }

    /// Tells outcomes as [`tell`](Self::tell) does and adds points as [`add`](Self::add) does, all or nothing; returns how many
    /// outcomes and points are new. The index of an error is that of a point.
    pub fn tell_and_add(
        &mut self,
        outcomes: &[(u64, Outcome)],
        points: &[(Point, Option<Outcome>)],
    ) -> std::result::Result<usize, Refused> {
        self.tell_and_add_candidates(outcomes, points, &[])
    }

    /// Tells outcomes and adds points as [`tell_and_add`](Self::tell_and_add) does, with rows as
    /// [`add_candidates`](Self::add_candidates) takes them.
    pub fn tell_and_add_candidates(
        &mut self,
        outcomes: &[(u64, Outcome)],
        points: &[(Point, Option<Outcome>)],
        known: &[Option<u64>],
    ) -> std::result::Result<usize, Refused> {
        self.tell_table(outcomes, points, known, &[]).map(|(new, _)| new)
    }

    /// Tells and adds what a table has as [`tell_and_add_candidates`](Self::tell_and_add_candidates) does, and keeps the units of
    /// its columns, all or nothing; returns how many outcomes and points are new, and which units are. Refuses a column in
    /// another unit than the settings or an earlier table say.
    pub fn tell_table(
        &mut self,
        outcomes: &[(u64, Outcome)],
        points: &[(Point, Option<Outcome>)],
        known: &[Option<u64>],
        units: &[ColumnUnit],
    ) -> std::result::Result<(usize, Vec<ColumnUnit>), Refused> {
        let whole = |error| Refused { index: 0, error };
        // Points and outcomes have a meaning under the settings of the day only.
        self.refresh().map_err(whole)?;
        let settled = |(trial, outcome): &(u64, Outcome)| {
            Ok((*trial, self.config.settled(format_args!("trial {trial}"), outcome)?))
        };
        let outcomes = outcomes.iter().map(settled).collect::<Result<Vec<_>>>().map_err(whole)?;
        let (mut rows, mut added) = (Vec::with_capacity(points.len()), Vec::with_capacity(points.len()));
        for (index, (point, outcome)) in points.iter().enumerate() {
            let refused = |error| Refused { index, error };
            rows.push(self.config.space.encode_observed(point).map_err(refused)?);
            let settle = |outcome: &Outcome| {
                self.config.settled(format_args!("point {} of {}", index + 1, points.len()), outcome)
            };
            let settled = outcome.as_ref().map(settle);
            let outcome = settled.transpose().map_err(refused)?;
            let outcome = outcome.filter(|outcome| !outcome.is_pending());
            added.push((self.config.space.canonical(point), outcome));
        }
        let (space, mut kept) = (self.config.space.clone(), Vec::new());
        let events = |history: &History| {
            let rows = candidate_rows(&space, history, added.iter().map(|(point, _)| point), known);
            let rows = rows.into_iter().chain(std::iter::repeat(None));
            let event = |((point, outcome), row): (&(Point, Option<Outcome>), _)| Event::Added {
                point: point.clone(),
                row,
                outcome: outcome.clone(),
            };
            kept = ColumnUnit::new_among(units, &space, history)?;
            let units = kept.iter().cloned().map(Event::from);
            Ok(history.news(&outcomes)?.into_iter().chain(added.iter().zip(rows).map(event)).chain(units).collect())
        };
        let count = self.append(rows, events).map_err(whole)?;
        Ok((count - kept.len(), kept))
    }

    /// Keeps the dialect of the last table, in the words of the program that reads tables.
    pub fn keep_dialect(&mut self, dialect: &str) -> Result<()> {
        self.append(Vec::new(), |history| {
            let is_new = history.dialect() != Some(dialect);
            Ok(is_new.then(|| Event::Dialect { dialect: dialect.into() }).into_iter().collect())
        })?;
        Ok(())
    }

    /// Appends what `events` makes of the present history, and returns their number; `rows` are the points that they add as
    /// models see them.
    fn append(&mut self, rows: Vec<Vec<f64>>, mut events: impl FnMut(&History) -> Result<Vec<Event>>) -> Result<usize> {
        let settings = self.history.settings().len();
        self.refresh()?;
        loop {
            if self.history.settings().len() > settings {
                let what = "the settings of the study were changed meanwhile, and nothing was written";
                return Err(Error::unsupported(what, "try again"));
            }
            let events = events(&self.history)?;
            let count = events.len();
            let news = if count == 0 { None } else { self.try_append(&events)? };
            let Some(news) = news else {
                self.apply_rows(events, rows)?;
                return Ok(count);
            };
            self.apply(news)?;
        }
    }

    /// Appends events after those that this process knows; if there are others by now, returns these instead.
    fn try_append(&mut self, events: &[Event]) -> Result<Option<Vec<Event>>> {
        let position = self.history.position();
        if self.storage.append(position, events)? == Appended::Done {
            return Ok(None);
        }
        // Only now: an outcome that is told after an interrupt is still recorded.
        interrupt::poll()?;
        let news = self.storage.load(position)?;
        if news.is_empty() {
            let cause = format!("holds fewer than the {position} events read from it: it was replaced or restored");
            return Err(refused(&*self.storage, &cause, "open it again"));
        }
        Ok(Some(news))
    }

    /// Applies events that were read, which anyone may have written.
    fn apply(&mut self, events: Vec<Event>) -> Result<()> {
        for event in events {
            let checked = self.config.check_event(self.history.position(), &event);
            checked.map_err(|error| damaged(&*self.storage, &error))?;
            self.apply_event(event)?;
        }
        self.table.extend(&self.config, &self.history, Vec::new())
    }

    /// Applies events of this process; `rows` are the points that they add as models see them.
    fn apply_rows(&mut self, events: Vec<Event>, rows: Vec<Vec<f64>>) -> Result<()> {
        events.into_iter().try_for_each(|event| self.apply_event(event))?;
        self.table.extend(&self.config, &self.history, rows)
    }

    fn apply_event(&mut self, event: Event) -> Result<()> {
        if let Event::Asked { state: Some(_), .. } = &event {
            self.state.take();
            self.states += 1;
        }
        self.demand.note(&event, &self.by);
        let settings = if let Event::Configured { settings, .. } = &event { Some(settings.clone()) } else { None };
        let applied = self.history.apply(event);
        applied.map_err(|cause| refused(&*self.storage, &format!("is damaged: it {cause}"), storage::RESTORE))?;
        settings.map_or(Ok(()), |settings| self.configured(&settings))
    }

    /// The report of every ask so far.
    pub fn reports(&self) -> Result<Vec<StepReport>> {
        self.reports_after(0)
    }

    /// The reports of all asks but the first few.
    pub fn reports_after(&self, known: usize) -> Result<Vec<StepReport>> {
        let reports = self.history.reports().iter().skip(known);
        reports.map(|report| from_json("a step's report in the study's file", report)).collect()
    }

    /// The factor that makes larger values of an output better.
    fn sign(&self, output: usize) -> Result<f64> {
        let sign = self.config.outputs.get(output).map(|output| output.goal.sign());
        let must = || format!("below {}", self.config.outputs.len());
        sign.ok_or_else(|| Error::parameter("the number of an output", output as f64, must()))
    }

    fn trial_of(&self, record: usize) -> Trial {
        self.history().records()[record].trial.clone()
    }
}

fn refused(storage: &dyn Storage, cause: &str, remedy: &str) -> Error {
    Error::Storage { path: storage.name(), cause: cause.into(), remedy: remedy.into() }
}

fn damaged(storage: &dyn Storage, error: &Error) -> Error {
    refused(storage, &format!("is damaged: {error}"), storage::RESTORE)
}
