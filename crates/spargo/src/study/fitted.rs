//! The models of a study: those of everything told so far, or the last ask's, made if need be and kept.
//!
//! ```text
//!     settings, state of the last ask, history up to a tell ─▶ models
//! ```

use super::credit::Credit;
use super::json::from_json;
use super::model::{LastStep, Models};
use super::observed::Observed;
use super::state::StepState;
use super::{Key, Refit, Study, damaged};
use crate::error::{Error, Result};
use crate::interrupt;
use std::cell::OnceCell;
use std::sync::Arc;

impl Study {
    /// The models of everything told so far, by other processes as well, and the sign of an output that they have; refuses an
    /// output without any outcome, whose prior has no units.
    pub(super) fn current(&mut self, output: usize) -> Result<(f64, Arc<Models>)> {
        let sign = self.sign(output)?;
        self.refresh()?;
        let models = self.models()?;
        if models.outputs[output].is_prior() {
            let what = format!("no outcome of '{}' is known yet", self.config.outputs[output].name);
            return Err(Error::unsupported(what, "tell one first"));
        }
        Ok((sign, models))
    }

    /// The models of everything told so far, by other processes as well; `None` if that is nothing.
    pub(super) fn models_of_observed(&mut self) -> Result<Option<Arc<Models>>> {
        self.refresh()?;
        if self.table.observed.is_empty() { Ok(None) } else { self.models().map(Some) }
    }

    /// The models of everything told so far, made if need be.
    pub(super) fn models(&mut self) -> Result<Arc<Models>> {
        self.models_as_of(self.history().tells())
    }

    /// The models of an ask: those of everything told so far, or the last ones, if these are fresh enough.
    pub(super) fn models_for(&mut self, refit: Refit) -> Result<Arc<Models>> {
        let tells = self.history().tells();
        let seen = self.last_usable()?.filter(|&seen| refit.allows(tells - seen)).unwrap_or(tells);
        self.models_as_of(seen)
    }

    /// The last tell that the last models have seen; `None` if there are none, or if they saw what was corrected since: a
    /// correction is more than one more outcome.
    pub(super) fn last_usable(&self) -> Result<Option<u64>> {
        let seen = self.state()?.and_then(StepState::seen);
        Ok(seen.filter(|&seen| self.history.last_revision() <= seen))
    }

    /// What the models of everything up to this tell are made from.
    pub(super) fn key(&self, seen: u64) -> Result<Key> {
        let is_last = self.state()?.and_then(StepState::seen) == Some(seen);
        Ok(Key { state: self.states, step: (!is_last).then_some(self.history.steps()), seen })
    }

    /// The models of what was told up to this tell, given what the last ask left.
    fn models_as_of(&mut self, seen: u64) -> Result<Arc<Models>> {
        let key = self.key(seen)?;
        if let Some((of, models)) = &self.models
            && *of == key
        {
            return Ok(models.clone());
        }
        self.check_modelled()?;
        let data = self.table.until(seen, &self.history)?;
        let step = self.history().steps() + 1;
        let mut models = match self.state()?.and_then(|state| Some((state.seen()?, &state.models))) {
            Some((last, states)) if last == seen => Models::restored(states.clone(), &data)?,
            Some((last, states)) => {
                let is_revised = self.history.last_revision() > last;
                let seen_before = OnceCell::new();
                let before = || match seen_before.get() {
                    Some(observed) => Ok(Arc::clone(observed)),
                    None => {
                        let observed = self.table.until(last, &self.history)?;
                        Ok(seen_before.get_or_init(|| observed).clone())
                    }
                };
                let kept = self.models.as_ref().filter(|(of, _)| of.state == self.states).map(|(_, models)| &**models);
                let step_before = LastStep { states, before: &before, is_revised, kept };
                let entered = || Models::entered(&self.config, &step_before, &data, seen);
                match if self.history.is_outdated() { Ok(None) } else { entered() } {
                    Ok(Some(models)) => {
                        // Nothing that it was made from has changed since the refit.
                        kept.and_then(|kept| kept.shortlist_for(&models)).map(|known| models.shortlist.set(known));
                        models
                    }
                    Err(Error::Interrupted) => return Err(Error::Interrupted),
                    // Everything that it had seen was withdrawn.
                    Ok(None) | Err(_) if is_revised && matches!(before(), Err(Error::Empty { .. })) => {
                        Models::new(&self.config, None, &data, step, seen)?
                    }
                    // A refit does not depend on what the last step left.
                    Ok(None) | Err(_) => Models::new(&self.config, Some(&step_before), &data, step, seen)?,
                }
            }
            None => Models::new(&self.config, None, &data, step, seen)?,
        };
        models.credit = self.credit(&models, &data)?;
        models.shares = self.config.shares(&models.credit);
        interrupt::poll()?;
        let models = Arc::new(models);
        self.models = Some((key, models.clone()));
        Ok(models)
    }

    /// What each source of points has found by models and their observations: as at the last ask, or with the outcomes since.
    fn credit(&self, models: &Models, observed: &Observed) -> Result<Credit> {
        let (objectives, _) = self.config.objectives_and_constraints();
        let (&[objective], true) = (objectives.as_slice(), self.config.has_credit()) else {
            return Ok(Credit::default());
        };
        let last = self.state()?.map(|state| (state.seen().unwrap_or(0), state.credit.clone()));
        let (before, mut credit) = last.unwrap_or_default();
        if credit.seen != before {
            // Of a step whose shares were fixed.
            credit = Credit::default();
        }
        if models.seen() == before {
            return Ok(credit);
        }
        if self.history.last_revision() > before {
            credit = credit.without_best();
        }
        // All other trials are looked at only if no best one is known.
        let told = self.history.told()[before as usize..].iter().map(|&trial| trial as usize - 1);
        let is_new = |record: &usize| self.history.records()[*record].told[objective].seq > before;
        let places = told.filter(is_new).filter_map(|record| observed.records.binary_search(&record).ok());
        let mut new: Vec<usize> = places.collect();
        new.sort_unstable();
        new.dedup();
        let is_inside = |place: &usize| self.table.inside[observed.records[*place]];
        let old = || (0..observed.records.len()).filter(|place| new.binary_search(place).is_err()).filter(is_inside);
        let inside: Vec<usize> = new.iter().copied().filter(is_inside).collect();
        credit.updated((models, objective), (observed, &inside), || old().collect(), self.config.batch)
    }

    /// What the last ask left.
    pub(super) fn state(&self) -> Result<Option<&StepState>> {
        if let Some(state) = self.state.get() {
            return Ok(state.as_ref());
        }
        let read = |json| from_json::<StepState>("the state of the last step in the study's file", json);
        let mut state = self.history.state().map(read).transpose()?;
        let kernels = state.iter_mut().flat_map(|state| &mut state.models).map(|model| &mut model.hyper.kernel);
        kernels.for_each(|kernel| {
            self.config.model.kernel.restore(kernel);
            kernel.restore_labels(&self.config.space);
        });
        let checked = state.as_ref().map_or(Ok(()), |state| state.check(&self.config, self.history.tells()));
        checked.map_err(|error| damaged(&*self.storage, &error))?;
        Ok(self.state.get_or_init(|| state).as_ref())
    }
}
