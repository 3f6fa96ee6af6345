//! What was observed up to a tell, as models see it; what is much grows with the history, and is not made again.
//!
//! ```text
//!     rows … r − 1, r, …      +  outcomes of records from r on      ─▶      rows … r − 1  +  those from r on, in the order of records
//! ```
//!
//! It is made again after a correction, after an outcome that changes how others are screened, and after the first outcome of an output.

use super::Measurement;
use super::observations::Observations;
use super::pure_error::Replicated;
use super::screen::{Admitted, Outcomes, Screened};
use super::storage::History;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::{Mat, MatRef, select_rows};
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// So many records are kept for the next step.
pub(super) const MANY: usize = 5000;

/// What was observed up to a tell.
#[derive(Debug)]
pub(super) struct Observed {
    /// The last tell.
    pub seen: u64,
    /// What was told up to any tell from this one on has been seen since then as it is seen now.
    pub unchanged_from: u64,
    /// The records of which some output was observed, in their order.
    pub records: Vec<usize>,
    /// Their encoded points, [records, inputs]; `None` if they are those of an output.
    x: Option<Mat>,
    /// One per output; `None` as long as no trial has it.
    pub outputs: Vec<Option<ObservedOutput>>,
    /// The extreme outcomes of each output.
    extremes: Vec<Vec<Extreme>>,
    /// What may follow of each output.
    admitted: Vec<Admitted>,
}

/// An output of the trials that have it.
#[derive(Debug)]
pub(super) struct ObservedOutput {
    /// The place of each row among the records of [`Observed`].
    pub rows: Vec<usize>,
    /// Encoded points and outcomes; an objective is to be maximised.
    pub data: Dataset,
    /// Whether the study asked for the trial of each row.
    pub asked: Vec<bool>,
    /// The tell that each row came with.
    pub seq: Vec<u64>,
    /// Those of the rows whose outcomes are not seen as they were told, in their order.
    screened: Vec<usize>,
    /// Rows at the same points, once they were asked for.
    replicated: OnceLock<Replicated>,
}

/// An extreme outcome, by its record, and what a model sees of it.
pub(super) type Extreme = (usize, Screened);

impl Observed {
    /// The points of its records, [records, inputs].
    pub fn x(&self) -> MatRef<'_> {
        let of_output = || self.outputs.iter().flatten().find(|own| own.rows.len() == self.records.len());
        match (&self.x, of_output()) {
            (None, Some(own)) => own.data.x(),
            (Some(x), _) => x.as_ref(),
            (None, None) => unreachable!("the points of records that no output has are kept"),
        }
    }

    /// The row of a record among those that have an output, if models see it.
    pub fn row_of(&self, output: usize, record: usize) -> Option<usize> {
        let place = self.records.binary_search(&record).ok()?;
        self.outputs[output].as_ref()?.rows.binary_search(&place).ok()
    }

    /// Keeps the records before one of them.
    fn cut(&mut self, record: usize) -> Cut {
        let places = self.records.partition_point(|&other| other < record);
        self.records.truncate(places);
        let kept = |own: &Option<ObservedOutput>| {
            own.as_ref().map_or(0, |own| own.rows.partition_point(|&place| place < places))
        };
        Cut { kept: self.outputs.iter().map(kept).collect() }
    }
}

/// How many rows of each output are kept.
struct Cut {
    kept: Vec<usize>,
}

impl ObservedOutput {
    /// All rows of some data, as they were told, and asked for.
    #[cfg(test)]
    pub fn of(data: Dataset) -> Self {
        let (rows, asked, seq) = ((0..data.len()).collect(), vec![true; data.len()], (1..=data.len() as u64).collect());
        ObservedOutput { rows, asked, seq, data, screened: Vec::new(), replicated: OnceLock::new() }
    }

    /// Rows at the same points.
    pub fn replicated(&self) -> &Replicated {
        self.replicated.get_or_init(|| Replicated::of(self.data.x()))
    }

    /// Whether the outcome of a row is not seen as it was told.
    pub fn is_screened(&self, row: usize) -> bool {
        self.screened.binary_search(&row).is_ok()
    }

    /// Keeps the first rows and adds others.
    fn extend(&mut self, kept: usize, new: NewRows) -> Result<()> {
        let x = Mat::from_fn(new.y.len(), self.data.dimension(), |i, k| new.points[i * self.data.dimension() + k]);
        if let Some(replicated) = self.replicated.get_mut() {
            replicated.truncate(self.data.x(), kept);
        }
        self.data.extend(kept, x.as_ref(), &new.y, &new.noise)?;
        if let Some(replicated) = self.replicated.get_mut() {
            replicated.extend(self.data.x());
        }
        self.rows.truncate(kept);
        self.rows.extend(new.rows);
        self.asked.truncate(kept);
        self.asked.extend(new.asked);
        self.seq.truncate(kept);
        self.seq.extend(new.seq);
        Ok(())
    }
}

/// Rows that an output gets.
#[derive(Default)]
struct NewRows {
    points: Vec<f64>,
    rows: Vec<usize>,
    y: Vec<f64>,
    noise: Vec<Option<f64>>,
    asked: Vec<bool>,
    seq: Vec<u64>,
}

impl Observations {
    /// What was observed up to a tell; refuses if that is nothing.
    pub fn until(&self, seen: u64, history: &History) -> Result<Arc<Observed>> {
        let mut kept = self.kept.borrow_mut();
        // A correction may concern any of it.
        let known = kept.take().filter(|observed| history.last_revision() <= observed.seen);
        if known.as_ref().is_some_and(|observed| observed.seen > seen) {
            *kept = known;
            return self.observe(seen, history).map(Arc::new);
        }
        let grown = match known {
            Some(observed) if observed.seen == seen => Some(observed),
            // A copy that is in use must stay as it is.
            Some(observed) => match Arc::into_inner(observed) {
                Some(observed) => self.grow(observed, seen, history)?.map(Arc::new),
                None => None,
            },
            None => None,
        };
        let observed = grown.map_or_else(|| self.observe(seen, history).map(Arc::new), Ok)?;
        *kept = (observed.records.len() > MANY).then(|| observed.clone());
        Ok(observed)
    }

    /// The extreme outcomes of an output, in the order of their records.
    pub fn extremes(&self, output: usize, history: &History) -> Vec<Extreme> {
        self.extremes_until(history.tells(), output, history)
    }

    pub(super) fn extremes_until(&self, seen: u64, output: usize, history: &History) -> Vec<Extreme> {
        let is_much = self.observed.len() > MANY;
        if let Some(observed) = is_much.then(|| self.until(seen, history).ok()).flatten() {
            return observed.extremes[output].clone();
        }
        self.told(output, seen, history).extremes()
    }

    /// From the history as a whole.
    fn observe(&self, seen: u64, history: &History) -> Result<Observed> {
        let mut told = (0..self.outputs.len()).map(|k| self.told(k, seen, history)).collect::<Vec<_>>();
        let mut records: Vec<usize> = told.iter().flat_map(Told::accepted).collect();
        if told.len() > 1 {
            records.sort_unstable();
            records.dedup();
        }
        if records.is_empty() {
            return Err(Error::Empty { what: "the list of outcomes".into() });
        }
        let (extremes, admitted) =
            (told.iter().map(Told::extremes).collect(), told.iter().map(|told| told.admitted).collect());
        let see = |(output, told): (usize, Told)| self.see(output, told, &records, history);
        let outputs = told.drain(..).enumerate().map(see).collect::<Result<Vec<_>>>()?;
        let has_all = outputs.iter().flatten().any(|own| own.rows.len() == records.len());
        let x = (!has_all).then(|| self.rows(&records));
        Ok(Observed { seen, unchanged_from: seen, records, x, outputs, extremes, admitted })
    }

    /// What was observed up to a later tell, given what was by then; `None` if it must be made again.
    fn grow(&self, mut observed: Observed, seen: u64, history: &History) -> Result<Option<Observed>> {
        let new = &history.told()[observed.seen as usize..seen as usize];
        observed.seen = seen;
        let Some(first) = new.iter().min().map(|&trial| trial as usize - 1) else { return Ok(Some(observed)) };
        let Cut { kept } = observed.cut(first);
        let mut news: Vec<NewRows> = kept.iter().map(|_| NewRows::default()).collect();
        for (i, record) in history.records().iter().enumerate().skip(first).filter(|(_, record)| !record.is_discarded) {
            let mut is_observed = false;
            for (k, told) in record.told.iter().enumerate() {
                let Measurement::Observed { value, variance } = told.measurement else { continue };
                if told.seq > seen {
                    continue;
                }
                let (new, y) = (&mut news[k], self.outputs[k].goal.sign() * value);
                if observed.outputs[k].is_none() || !observed.admitted[k].admits(kept[k] + new.y.len(), y) {
                    return Ok(None);
                }
                new.points.extend_from_slice(self.point(i));
                new.rows.push(observed.records.len());
                new.y.push(y);
                new.noise.push(variance);
                new.asked.push(record.ask.is_some());
                new.seq.push(told.seq);
                is_observed = true;
            }
            observed.records.extend(is_observed.then_some(i));
        }
        for ((own, new), kept) in observed.outputs.iter_mut().zip(news).zip(kept) {
            own.as_mut().map_or(Ok(()), |own| own.extend(kept, new))?;
        }
        let has_all = observed.outputs.iter().flatten().any(|own| own.rows.len() == observed.records.len());
        observed.x = (!has_all).then(|| self.rows(&observed.records));
        Ok(Some(observed))
    }

    /// The outcomes of an output up to a tell, as they were told, and which of them are extreme.
    fn told(&self, output: usize, seen: u64, history: &History) -> Told {
        let (mut records, mut y, mut noise) = (Vec::new(), Vec::new(), Vec::new());
        for (i, record) in history.records().iter().enumerate().filter(|(_, record)| !record.is_discarded) {
            let told = &record.told[output];
            if let Measurement::Observed { value, variance } = told.measurement
                && told.seq <= seen
            {
                records.push(i);
                y.push(self.outputs[output].goal.sign() * value);
                noise.push(variance);
            }
        }
        let x = self.rows(&records);
        let outcomes = Outcomes { x: x.as_ref(), y: &y, noise: &noise };
        let all = (Vec::new(), Admitted::All);
        let (screened, admitted) = self.screens[output].as_ref().map_or(all, |screen| screen.apply(&outcomes));
        Told { records, x, y, noise, screened, admitted }
    }

    /// What models see of an output's outcomes; `None` if that is nothing.
    fn see(&self, output: usize, told: Told, records: &[usize], history: &History) -> Result<Option<ObservedOutput>> {
        let Told { records: mut own, mut x, mut y, mut noise, screened, .. } = told;
        let mut is_seen = vec![true; own.len()];
        for &(row, as_seen) in &screened {
            match as_seen {
                Screened::Failed | Screened::LeftOut => is_seen[row] = false,
                Screened::Clipped(value) => y[row] = value,
                Screened::Doubted { value, variance } => (y[row], noise[row]) = (value, Some(variance)),
            }
        }
        // The places of the rows among those that are left.
        let places: Vec<usize> =
            is_seen.iter().scan(0, |next, &seen| Some(std::mem::replace(next, *next + usize::from(seen)))).collect();
        let screened = screened.iter().filter(|(row, _)| is_seen[*row]).map(|(row, _)| places[*row]).collect();
        if is_seen.contains(&false) {
            let left: Vec<usize> = (0..own.len()).filter(|&row| is_seen[row]).collect();
            x = select_rows(x.as_ref(), &left);
            keep(&mut own, &is_seen);
            keep(&mut y, &is_seen);
            keep(&mut noise, &is_seen);
        }
        if own.is_empty() {
            return Ok(None);
        }
        let data = Dataset::new(x, y)?;
        let data = if noise.iter().all(Option::is_none) { data } else { data.with_known_noise(noise)? };
        let asked = own.iter().map(|&record| history.records()[record].ask.is_some()).collect();
        let seq = own.iter().map(|&record| history.records()[record].told[output].seq).collect();
        // Both are in the order of records.
        let mut place = 0;
        let next = |record: &usize| {
            place += records[place..].iter().take_while(|other| *other < record).count();
            place
        };
        let rows = own.iter().map(next).collect();
        Ok(Some(ObservedOutput { rows, data, asked, seq, screened, replicated: OnceLock::new() }))
    }
}

/// The outcomes of an output as they were told, an objective's to be maximised.
struct Told {
    /// The records that have the output.
    records: Vec<usize>,
    /// Their points, [records, inputs].
    x: Mat,
    y: Vec<f64>,
    noise: Vec<Option<f64>>,
    /// The rows with extreme outcomes, in their order.
    screened: Vec<(usize, Screened)>,
    /// What may follow.
    admitted: Admitted,
}

impl Told {
    /// The records whose outcomes are not taken for failures.
    fn accepted(&self) -> impl Iterator<Item = usize> {
        let failed = self.screened.iter().filter(|(_, seen)| *seen == Screened::Failed);
        let failed: HashSet<usize> = failed.map(|&(row, _)| row).collect();
        (0..self.records.len()).filter(move |row| !failed.contains(row)).map(|row| self.records[row])
    }

    /// The extreme outcomes.
    fn extremes(&self) -> Vec<Extreme> {
        self.screened.iter().map(|&(row, screened)| (self.records[row], screened)).collect()
    }
}

/// Keeps the values that are marked.
fn keep<T>(values: &mut Vec<T>, marks: &[bool]) {
    let mut marks = marks.iter();
    values.retain(|_| marks.next().is_some_and(|mark| *mark));
}

#[cfg(test)]
mod tests;
