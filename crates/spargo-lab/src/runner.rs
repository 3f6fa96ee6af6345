//! Runs the jobs of a list that are not done yet, several side by side, each on one thread.
//!
//! One thread per run, because two runs side by side use two cores better than one run on both, and because then a row does not
//! depend on the machine's number of cores.

use crate::error::{Error, Result};
use crate::rows::{Row, Rows, Writer};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A list of jobs whose rows are drawn: a figure of the paper, or a comparison.
pub trait JobList: Sync {
    /// What its results file is called.
    fn name(&self) -> &str;

    /// The kind of its rows; lists of one kind share them.
    fn kind(&self) -> &str;

    /// The settings of all jobs.
    fn jobs(&self) -> Result<Vec<Value>>;

    /// What comes of one job.
    fn run(&self, settings: &Value) -> Result<Value>;

    /// Those of a folder's rows that belong in its drawing.
    fn shown(&self, rows: &Rows) -> Result<Vec<Row>>;

    /// Writes drawings and tables into a folder; returns them.
    fn draw(&self, rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>>;
}

/// Where and how jobs are run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The folder of results.
    pub folder: PathBuf,
    /// Which of the jobs are for this process.
    pub shard: Shard,
    /// Jobs at a time.
    pub side_by_side: usize,
}

/// Share `number` of `count`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

/// A job that has just been done.
#[derive(Debug)]
pub struct Done<'a> {
    /// Its settings.
    pub settings: &'a Value,
    /// How many are done, and how many there are to do.
    pub count: (usize, usize),
    /// How long it took.
    pub seconds: f64,
}

/// Runs what is missing of a list; returns how many jobs that were.
pub fn run(list: &dyn JobList, plan: &Plan, watch: &(dyn Fn(&Done<'_>) + Sync)) -> Result<usize> {
    let missing = missing(list, plan)?;
    let writer = Mutex::new(Writer::open(&plan.folder, &plan.shard.file(list.name()))?);
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || -> Result<()> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| Error::Unsupported {
            what: format!("a thread cannot be started: {error}"),
            remedy: "run fewer jobs side by side".into(),
        })?;
        while let Some(settings) = missing.get(next.fetch_add(1, Ordering::SeqCst)) {
            let started = Instant::now();
            let result = pool.install(|| list.run(settings)).inspect_err(|_| {
                // Running jobs finish; no other job is started.
                next.store(missing.len(), Ordering::SeqCst);
            })?;
            let version = env!("CARGO_PKG_VERSION").into();
            let row = Row { kind: list.kind().into(), settings: settings.clone(), result, version };
            writer.lock().unwrap_or_else(PoisonError::into_inner).append(&row)?;
            let count = (finished.fetch_add(1, Ordering::SeqCst) + 1, missing.len());
            watch(&Done { settings, count, seconds: started.elapsed().as_secs_f64() });
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.side_by_side.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| {
                Err(Error::Unsupported { what: "a job ended in a panic".into(), remedy: "this is a defect".into() })
            })
        })
    })?;
    Ok(missing.len())
}

/// Draws a list from the rows of a folder; returns the files it wrote, and how many rows they show.
pub fn draw(list: &dyn JobList, folder: &Path) -> Result<(Vec<PathBuf>, usize)> {
    let rows = list.shown(&Rows::of_folder(folder)?)?;
    if rows.is_empty() {
        return Err(Error::Unsupported {
            what: format!("{} has no rows of '{}' with these settings", folder.display(), list.name()),
            remedy: "run it first, or give the options it was run with".into(),
        });
    }
    Ok((list.draw(&rows, folder)?, rows.len()))
}

impl Plan {
    /// How many jobs of this share are done, and how many there are.
    pub fn progress(&self, list: &dyn JobList) -> Result<(usize, usize)> {
        let jobs = self.shard.of(list.jobs()?);
        let missing = missing(list, self)?;
        Ok((jobs.len() - missing.len(), jobs.len()))
    }
}

fn missing(list: &dyn JobList, plan: &Plan) -> Result<Vec<Value>> {
    let rows = Rows::of_folder(&plan.folder)?;
    let done = rows.done(list.kind());
    let mut jobs = plan.shard.of(list.jobs()?);
    jobs.retain(|settings| !done.contains(settings));
    Ok(jobs)
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Its share of a list: every `count`-th.
    fn of<T>(self, list: Vec<T>) -> Vec<T> {
        list.into_iter().skip(self.number - 1).step_by(self.count).collect()
    }

    /// The name of its results file.
    pub fn file(self, list: &str) -> String {
        match self {
            Shard::WHOLE => list.into(),
            Shard { number, count } => format!("{list}.{number}-of-{count}"),
        }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
            _ => Err("it must be i/n with i from 1 to n, such as 2/4".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_and_together_the_whole() {
        for count in 1..6 {
            let mut all: Vec<usize> = Vec::new();
            for number in 1..=count {
                let shard: Shard = format!("{number}/{count}").parse().unwrap();
                all.extend(shard.of((0..17).collect()));
            }
            all.sort_unstable();
            assert_eq!(all, (0..17).collect::<Vec<_>>());
        }
        assert!(["0/3", "4/3", "1", "a/b", "1/0"].iter().all(|text| text.parse::<Shard>().is_err()));
    }
}
