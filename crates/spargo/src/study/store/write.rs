//! The three changes of a study, each one transaction: an ask, tells, points that were not asked for.
//!
//! A transaction takes the write lock at its start: what it reads is still so when it commits.

use super::blob;
use super::fault::Fault;
use super::history::{Mark, read_outcome};
use crate::error::Error;
use crate::space::Point;
use crate::study::Outcome;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

/// An ask that has been computed and waits to be committed.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The asks and trials beside which the points were chosen.
    pub beside: Mark,
    /// The last tell that the step knew of.
    pub seen: u64,
    /// The points to be evaluated.
    pub points: &'a [Point],
    /// What the next step needs; replaces what the last ask left.
    pub state: &'a str,
    /// What is to be remembered of this step.
    pub report: &'a str,
}

/// What became of a [`Batch`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It was written.
    Done {
        /// The number of the ask.
        ask: u64,
        /// The numbers of its trials, in the order of its points.
        trials: Range<u64>,
    },
    /// Nothing was: asks or trials have come that its points were not chosen beside.
    Conflict,
}

pub(super) fn commit_ask(connection: &mut Connection, batch: &Batch) -> Result<Committed, Fault> {
    let transaction = begin(connection)?;
    let now = Mark { asks: last(&transaction, "id", "asks")?, trials: last(&transaction, "id", "trials")? };
    if now != batch.beside {
        return Ok(Committed::Conflict);
    }
    let ask = now.asks + 1;
    let sql = "INSERT INTO asks (id, seen, time, report) VALUES (?, ?, ?, ?)";
    transaction.execute(sql, params![ask, batch.seen, milliseconds(), batch.report])?;
    // Only the last state is ever needed, and it may be megabytes.
    transaction.execute("INSERT OR REPLACE INTO state (one, ask, json) VALUES (1, ?, ?)", params![ask, batch.state])?;
    let trials = insert_trials(&transaction, Some(ask), batch.points.iter())?;
    transaction.commit()?;
    Ok(Committed::Done { ask, trials })
}

pub(super) fn tell(connection: &mut Connection, outcomes: &[(u64, Outcome)]) -> Result<usize, Fault> {
    let transaction = begin(connection)?;
    let trials = last(&transaction, "id", "trials")?;
    let before = last(&transaction, "seq", "outcomes")?;
    let mut seq = before;
    for &(trial, ref outcome) in outcomes {
        if !(1..=trials).contains(&trial) {
            return Err(Error::UnknownTrial { trial, trials }.into());
        }
        let outcome = outcome.settled(format_args!("trial {trial}"))?;
        match read_outcome(&transaction, trial)? {
            Some(told) if told.agrees_with(&outcome) => {}
            Some(told) => {
                return Err(Error::Retold { trial, told: told.to_string(), now: outcome.to_string() }.into());
            }
            None => {
                seq += 1;
                insert_outcome(&transaction, seq, trial, &outcome)?;
            }
        }
    }
    transaction.commit()?;
    Ok((seq - before) as usize)
}

pub(super) fn add(connection: &mut Connection, points: &[(Point, Option<Outcome>)]) -> Result<Range<u64>, Fault> {
    let transaction = begin(connection)?;
    let trials = insert_trials(&transaction, None, points.iter().map(|(point, _)| point))?;
    let mut seq = last(&transaction, "seq", "outcomes")?;
    for (i, (trial, (_, outcome))) in trials.clone().zip(points).enumerate() {
        if let Some(outcome) = outcome {
            seq += 1;
            let outcome = outcome.settled(format_args!("point {} of {}", i + 1, points.len()))?;
            insert_outcome(&transaction, seq, trial, &outcome)?;
        }
    }
    transaction.commit()?;
    Ok(trials)
}

fn begin(connection: &mut Connection) -> Result<Transaction<'_>, Fault> {
    Ok(connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// The largest number of a table, 0 if it is empty.
fn last(transaction: &Transaction, column: &str, table: &str) -> Result<u64, Fault> {
    let sql = format!("SELECT coalesce(max({column}), 0) FROM {table}");
    Ok(transaction.prepare_cached(&sql)?.query_row([], |row| row.get(0))?)
}

/// Gives points the next numbers.
fn insert_trials<'a>(
    transaction: &Transaction,
    ask: Option<u64>,
    points: impl Iterator<Item = &'a Point>,
) -> Result<Range<u64>, Fault> {
    let first = last(transaction, "id", "trials")? + 1;
    let mut next = first;
    let mut insert = transaction.prepare_cached("INSERT INTO trials (id, ask, point) VALUES (?, ?, ?)")?;
    for point in points {
        insert.execute(params![next, ask, blob::from_point(point)])?;
        next += 1;
    }
    Ok(first..next)
}

fn insert_outcome(transaction: &Transaction, seq: u64, trial: u64, outcome: &Outcome) -> Result<(), Fault> {
    let sql = "INSERT INTO outcomes (seq, trial, numbers, noise, reason) VALUES (?, ?, ?, ?, ?)";
    let (numbers, noise, reason) = match outcome {
        Outcome::Observed { values, noise } => {
            (Some(blob::from_numbers(values)), noise.as_deref().map(blob::from_noise), None)
        }
        Outcome::Failed { reason } => (None, None, Some(reason)),
    };
    transaction.prepare_cached(sql)?.execute(params![seq, trial, numbers, noise, reason])?;
    Ok(())
}

/// Now, in milliseconds since 1970.
fn milliseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
