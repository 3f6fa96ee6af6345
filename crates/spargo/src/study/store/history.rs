//! A study's past as it is kept in memory: trials in the order of their numbers, each with what was told of it.
//!
//! The order in which results came in leaves no trace but [`Told::seq`], so a step does not depend on it.

use super::blob;
use super::fault::Fault;
use crate::study::{Outcome, Trial};
use rusqlite::{Connection, OptionalExtension, Row};

/// Everything up to one instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    records: Vec<Record>,
    asks: u64,
    tells: u64,
    state: Option<State>,
}

/// A trial and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its number and its point.
    pub trial: Trial,
    /// The ask it comes from; `None` for a point that was told without having been asked for.
    pub ask: Option<u64>,
    /// Its outcome; `None` while it is pending.
    pub told: Option<Told>,
}

/// An outcome and when it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The number of this tell: they count from 1 in the order in which they were committed.
    pub seq: u64,
    /// What was told.
    pub outcome: Outcome,
}

/// What the last ask left for the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The ask.
    pub ask: u64,
    /// The last tell that it knew of.
    pub seen: u64,
    /// The caller's text.
    pub json: String,
}

/// How many asks and trials a caller knows of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The number of asks.
    pub asks: u64,
    /// The number of trials.
    pub trials: u64,
}

impl History {
    /// All trials; that with number i stands at i − 1.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Trials without an outcome.
    pub fn pending(&self) -> impl Iterator<Item = &Trial> {
        self.records.iter().filter(|record| record.told.is_none()).map(|record| &record.trial)
    }

    /// The number of asks.
    pub fn asks(&self) -> u64 {
        self.asks
    }

    /// The number of tells: the `seq` of the last one.
    pub fn tells(&self) -> u64 {
        self.tells
    }

    /// What the last ask left; `None` if there was none.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// What a caller who has read this history knows of.
    pub fn mark(&self) -> Mark {
        Mark { asks: self.asks, trials: self.records.len() as u64 }
    }

    /// Reads what is new, as of one instant; on failure nothing changes.
    pub(super) fn refresh(&mut self, connection: &mut Connection) -> Result<(), Fault> {
        // Readers of one transaction see one state of the file, whatever is committed meanwhile.
        let snapshot = connection.transaction()?;
        let asks = snapshot.query_row("SELECT coalesce(max(id), 0) FROM asks", [], |row| row.get(0))?;
        // The text may be megabytes: it is read only if it is another one.
        let state = if asks == self.asks { None } else { read_state(&snapshot)? };
        let records = read_records(&snapshot, self.records.len() as u64)?;
        let tells = read_tells(&snapshot, self.tells, self.records.len() + records.len())?;
        self.asks = asks;
        self.state = state.or(self.state.take());
        self.tells += tells.len() as u64;
        self.records.extend(records);
        for (trial, told) in tells {
            self.records[trial as usize - 1].told = Some(told);
        }
        Ok(())
    }
}

/// The outcome of a trial, if it has one.
pub(super) fn read_outcome(connection: &Connection, trial: u64) -> Result<Option<Outcome>, Fault> {
    let mut select = connection.prepare_cached("SELECT numbers, noise, reason FROM outcomes WHERE trial = ?")?;
    let outcome = select.query_row([trial], |row| Ok(to_outcome(row, 0))).optional()?;
    outcome.map(|outcome| outcome?.ok_or_else(|| unreadable("outcome", trial))).transpose()
}

fn read_state(connection: &Connection) -> Result<Option<State>, Fault> {
    let sql = "SELECT ask, seen, json FROM state JOIN asks ON asks.id = ask";
    let state = |row: &Row| Ok(State { ask: row.get(0)?, seen: row.get(1)?, json: row.get(2)? });
    Ok(connection.query_row(sql, [], state).optional()?)
}

/// The trials after the first `known` ones.
fn read_records(connection: &Connection, known: u64) -> Result<Vec<Record>, Fault> {
    let mut select = connection.prepare_cached("SELECT id, ask, point FROM trials WHERE id > ? ORDER BY id")?;
    let mut rows = select.query([known])?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        check_count("trial", id, known + records.len() as u64 + 1)?;
        let point = row.get_ref(2)?.as_blob().ok().and_then(blob::to_point);
        let point = point.ok_or_else(|| unreadable("point", id))?;
        records.push(Record { trial: Trial { id, point }, ask: row.get(1)?, told: None });
    }
    Ok(records)
}

/// The tells after the first `known` ones, with the trials they are of, of which there are `trials`.
fn read_tells(connection: &Connection, known: u64, trials: usize) -> Result<Vec<(u64, Told)>, Fault> {
    let sql = "SELECT seq, trial, numbers, noise, reason FROM outcomes WHERE seq > ? ORDER BY seq";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([known])?;
    let mut tells = Vec::new();
    while let Some(row) = rows.next()? {
        let (seq, trial) = (row.get(0)?, row.get(1)?);
        check_count("tell", seq, known + tells.len() as u64 + 1)?;
        if !(1..=trials as u64).contains(&trial) {
            return Err(Fault::garbled(format_args!("it has an outcome of trial {trial}, but no such trial")));
        }
        let outcome = to_outcome(row, 2)?.ok_or_else(|| unreadable("outcome", trial))?;
        tells.push((trial, Told { seq, outcome }));
    }
    Ok(tells)
}

/// The outcome in the columns numbers, noise and reason from `first` on; `None` if they hold none.
fn to_outcome(row: &Row, first: usize) -> rusqlite::Result<Option<Outcome>> {
    if let Some(reason) = row.get(first + 2)? {
        return Ok(Some(Outcome::Failed { reason }));
    }
    let values = row.get_ref(first)?.as_blob().ok().and_then(blob::to_numbers);
    let noise = row.get_ref(first + 1)?.as_blob_or_null()?.map(blob::to_noise);
    Ok(match (values, noise) {
        (None, _) | (_, Some(None)) => None,
        (Some(values), noise) => Some(Outcome::Observed { values, noise: noise.flatten() }),
    })
}

fn check_count(what: &str, found: u64, expected: u64) -> Result<(), Fault> {
    match found == expected {
        true => Ok(()),
        false => Err(Fault::garbled(format_args!("{what} {expected} is missing"))),
    }
}

fn unreadable(what: &str, trial: u64) -> Fault {
    Fault::garbled(format_args!("the {what} of trial {trial} cannot be read"))
}
