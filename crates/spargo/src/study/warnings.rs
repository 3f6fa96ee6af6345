//! Warnings: outcomes that models do not see as they were told, that contradict the settings or that never came, and what can be
//! done about them.

use super::noise::Noise;
use super::observed::Extreme;
use super::pure_error::Contradiction;
use super::screen::{SEVERAL, Screened};
use super::{Counts, Status, Study};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Records and their outcomes about which there is one warning.
type Group = (Treatment, Place, Vec<(usize, f64)>);

/// Trials that a warning names.
const NAMED: usize = 3;

/// What the user should know about the outcomes of a study.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Outcomes are extreme, or contradict each other.
    Outcomes(OutcomeWarning),
    /// There are outcomes, but none of this output: points are chosen as if the study did not have it.
    Unobserved {
        /// The output's name.
        output: String,
        /// How many trials have failed to give it.
        failed: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Outcomes(warning) => warning.fmt(f),
            Warning::Unobserved { output, failed } => {
                write!(f, "no outcome of '{output}' is known yet, and the choice does not depend on it")?;
                match failed {
                    0 => Ok(()),
                    1 => f.write_str(": it failed in 1 trial"),
                    _ => write!(f, ": it failed in {failed} trials"),
                }
            }
        }
    }
}

impl Warning {
    /// The name of the output that it is about.
    pub fn output(&self) -> &str {
        match self {
            Warning::Outcomes(OutcomeWarning { output, .. }) | Warning::Unobserved { output, .. } => output,
        }
    }

    /// The numbers of the trials that it is about.
    pub fn trials(&self) -> &[u64] {
        match self {
            Warning::Outcomes(warning) => &warning.trials,
            Warning::Unobserved { .. } => &[],
        }
    }

    /// What it keeps as further trials join it.
    pub fn key(&self) -> String {
        match self {
            Warning::Outcomes(warning) => warning.key(),
            Warning::Unobserved { output, .. } => format!("{output}, unobserved"),
        }
    }
}

/// A warning about extreme or contradictory outcomes of one output.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeWarning {
    /// The output's name.
    pub output: String,
    /// The trials' numbers.
    pub trials: Vec<u64>,
    /// The most extreme of their outcomes, as it was told; of two that contradict each other, the later one.
    pub value: f64,
    /// On which side of all others they lie; of two that contradict each other, on which side of the earlier one.
    pub place: Place,
    /// What models see of them.
    pub treatment: Treatment,
}

/// On which side of other outcomes the ones of a warning lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Above them.
    Above,
    /// Below them.
    Below,
}

/// What models see of the outcomes that a warning is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Treatment {
    /// Several trials have exactly the same value, and are taken for failures.
    Failures,
    /// Several trials have exactly the same value, which may stand for failures.
    Repeated,
    /// They are seen as just beyond all others.
    Clipped,
    /// A single one is left out as an error.
    LeftOut,
    /// A single one is too good to be believed yet.
    Doubted,
    /// Two at the same point differ although the output is said to have no noise: noise is learned all the same.
    Contradictory,
}

impl fmt::Display for OutcomeWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutcomeWarning { output, place, .. } = self;
        let (value, which) = (number(self.value), self.named());
        let place = if *place == Place::Above { "above" } else { "below" };
        let single = format!("the outcome of {which}, {output} = {value}, is far {place} all others");
        match self.treatment {
            Treatment::Failures => write!(
                f,
                "{which} with exactly {output} = {value}, far {place} all others, are taken for failures (penalties = \
                 \"failures\" in [model])"
            ),
            Treatment::Repeated => write!(
                f,
                "{which} have exactly {output} = {value}, far {place} all others, and models do not see them as they are: are these \
                 failures? Set penalties = \"failures\" in [model], or \"keep\" if not"
            ),
            Treatment::Clipped => write!(
                f,
                "{which}: {output} is far {place} all others, up to {value}, and models see it as just {place} them; set \
                 penalties = \"keep\" in [model] to model it as it is"
            ),
            Treatment::LeftOut => write!(
                f,
                "{single}, and models leave it out: amend or discard it, or set penalties = \"keep\" in [model] if it is right"
            ),
            Treatment::Doubted => write!(
                f,
                "{single}, and not believed until it is confirmed: evaluate the point once more, amend or discard it, or set \
                 penalties = \"keep\" in [model] if it is right"
            ),
            Treatment::Contradictory => write!(
                f,
                "{which} are at the same point, and the later outcome, {output} = {value}, is {place} the earlier one although \
                 {output} has noise = \"none\": noise is learned as with \"auto\"; amend or discard the wrong one, or set noise = \
                 \"auto\""
            ),
        }
    }
}

impl OutcomeWarning {
    /// What it keeps as further trials join it.
    fn key(&self) -> String {
        format!("{}, {:?} from trial {}", self.output, self.treatment, self.trials.first().copied().unwrap_or_default())
    }

    /// "trial 7", or "12 trials (3, 7, 9, …)".
    fn named(&self) -> String {
        let numbers: Vec<String> = self.trials.iter().take(NAMED).map(u64::to_string).collect();
        match self.trials.len() {
            1 => format!("trial {}", numbers.concat()),
            count if count > NAMED => format!("{count} trials ({}, …)", numbers.join(", ")),
            count => format!("{count} trials ({})", numbers.join(", ")),
        }
    }
}

/// The warnings that a run has shown.
#[derive(Debug, Default)]
pub struct WarningLog {
    shown: HashSet<String>,
    /// The number of tells when they were last looked for.
    tells: u64,
}

impl WarningLog {
    /// Warnings that were not shown before. They are looked for as the outcomes grow by a twentieth, so that a run of many asks
    /// spends little on it.
    pub fn news(&mut self, study: &Study) -> Vec<Warning> {
        let tells = study.history().tells();
        if tells <= self.tells + self.tells / 20 {
            return Vec::new();
        }
        self.tells = tells;
        study.warnings().into_iter().filter(|warning| self.shown.insert(warning.key())).collect()
    }
}

/// A number without a row of zeros.
fn number(value: f64) -> String {
    let is_plain = value == 0.0 || (1e-3..1e5).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

impl Study {
    /// What the user should know about the outcomes, output by output.
    pub fn warnings(&self) -> Vec<Warning> {
        let unobserved = self.unobserved().into_iter();
        unobserved.chain(self.outcome_warnings().into_iter().map(Warning::Outcomes)).collect()
    }

    /// Outputs without any outcome, once there are outcomes of others.
    fn unobserved(&self) -> Vec<Warning> {
        let kept = || self.history.records().iter().filter(|record| !record.is_discarded);
        let has_outcome = |k: usize| kept().any(|record| record.told[k].measurement.observed().is_some());
        let unobserved: Vec<usize> = (0..self.config.outputs.len()).filter(|&k| !has_outcome(k)).collect();
        if unobserved.len() == self.config.outputs.len() {
            return Vec::new();
        }
        let failed = |k: usize| kept().filter(|record| record.told[k].measurement.is_failed()).count();
        let warning = |k: usize| Warning::Unobserved { output: self.config.outputs[k].name.clone(), failed: failed(k) };
        unobserved.into_iter().map(warning).collect()
    }

    /// What the user should know about extreme outcomes, output by output (nothing with `penalties = "keep"`), and about those
    /// that differ at one point although there is no noise.
    pub fn outcome_warnings(&self) -> Vec<OutcomeWarning> {
        let of = |output: usize| {
            let extremes = self.warnings_of(output, &self.table.extremes(output, &self.history));
            extremes.into_iter().chain(self.contradiction_of(output))
        };
        (0..self.config.outputs.len()).flat_map(of).collect()
    }

    /// The first two outcomes that contradict `noise = "none"`.
    fn contradiction_of(&self, output: usize) -> Option<OutcomeWarning> {
        if self.config.outputs[output].noise != Noise::None {
            return None;
        }
        let observed = self.table.until(self.history.tells(), &self.history).ok()?;
        let own = observed.outputs[output].as_ref()?;
        let Contradiction { rows: (earlier, later) } = own.contradiction()?;
        let record = |row: usize| observed.records[own.rows[row]];
        let told = |row: usize| self.history.records()[record(row)].told[output].measurement.observed();
        let (first, value) = (told(earlier)?, told(later)?);
        Some(OutcomeWarning {
            output: self.config.outputs[output].name.clone(),
            trials: [earlier, later].map(|row| record(row) as u64 + 1).to_vec(),
            value,
            place: if value < first { Place::Below } else { Place::Above },
            treatment: Treatment::Contradictory,
        })
    }

    /// The warnings about one output: repeated values first, then the others, by the first trial of each.
    fn warnings_of(&self, output: usize, extremes: &[Extreme]) -> Vec<OutcomeWarning> {
        let told = |record: usize| self.history.records()[record].told[output].measurement.observed();
        let outcomes: Vec<(usize, f64, Screened)> =
            extremes.iter().filter_map(|&(record, seen)| Some((record, told(record)?, seen))).collect();
        let is_extreme = |record: &usize| extremes.binary_search_by_key(record, |&(record, _)| record).is_ok();
        let other = (0..self.history.records().len()).filter(|record| !is_extreme(record)).find_map(told);
        let mut counts: HashMap<u64, usize> = HashMap::new();
        outcomes.iter().for_each(|(_, value, _)| *counts.entry(value.to_bits()).or_default() += 1);
        let mut groups: Vec<Group> = Vec::new();
        for &(record, value, seen) in &outcomes {
            let treatment = match seen {
                Screened::Failed => Treatment::Failures,
                _ if counts[&value.to_bits()] >= SEVERAL => Treatment::Repeated,
                Screened::Clipped(_) => Treatment::Clipped,
                Screened::LeftOut => Treatment::LeftOut,
                Screened::Doubted { .. } => Treatment::Doubted,
            };
            let place = if other.is_some_and(|other| value < other) { Place::Below } else { Place::Above };
            let belongs = |(of, at, some): &&mut Group| {
                let is_same = some.first().is_some_and(|(_, other)| *other == value);
                *of == treatment && *at == place && (is_same || treatment == Treatment::Clipped)
            };
            let is_single = matches!(treatment, Treatment::LeftOut | Treatment::Doubted);
            match groups.iter_mut().find(belongs).filter(|_| !is_single) {
                Some((_, _, some)) => some.push((record, value)),
                None => groups.push((treatment, place, vec![(record, value)])),
            }
        }
        let name = &self.config.outputs[output].name;
        let warning = |(treatment, place, some): Group| OutcomeWarning {
            output: name.clone(),
            trials: some.iter().map(|(record, _)| *record as u64 + 1).collect(),
            value: some.iter().map(|(_, value)| *value).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or_default(),
            place,
            treatment,
        };
        groups.into_iter().map(warning).collect()
    }

    /// Records of which some output was observed, none failed, and none is taken for failed.
    pub(super) fn observed_records(&self) -> Cow<'_, [usize]> {
        let penalised = self.table.penalised(&self.history);
        if penalised.is_empty() {
            return Cow::Borrowed(&self.table.observed);
        }
        let is_accepted = |record: &usize| penalised.binary_search(record).is_err();
        Cow::Owned(self.table.observed.iter().copied().filter(is_accepted).collect())
    }

    /// Records of which some output failed, or is taken for failed.
    pub(super) fn failed_records(&self) -> Cow<'_, [usize]> {
        let penalised = self.table.penalised(&self.history);
        if penalised.is_empty() {
            return Cow::Borrowed(&self.table.failed);
        }
        let mut failed = [self.table.failed.as_slice(), penalised].concat();
        failed.sort_unstable();
        failed.dedup();
        Cow::Owned(failed)
    }

    /// Counts with the trials of a single output that are taken for failed.
    pub(super) fn with_penalised(&self, mut counts: Counts) -> Counts {
        if self.config.outputs.len() == 1 {
            self.table.penalised(&self.history).iter().for_each(|_| counts.replace(Status::Done, Status::Failed));
        }
        counts
    }
}
