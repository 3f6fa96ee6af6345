//! The models of a study: those of everything told so far, or the last ask's, made if need be and kept.
//!
//! ```text
//!     settings, state of the last ask, history up to a tell ─▶ models
//! ```

use super::json::from_json;
use super::model::{LastStep, Models};
use super::state::StepState;
use super::{Key, Refit, Study, damaged};
use crate::error::{Error, Result};
use crate::interrupt;
use std::sync::Arc;

impl Study {
    /// The models of everything told so far, by other processes as well, and the sign of an output that they have.
    pub(super) fn current(&mut self, output: usize) -> Result<(f64, Arc<Models>)> {
        let sign = self.sign(output)?;
        self.refresh()?;
        Ok((sign, self.models()?))
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

    /// The models of an ask: those of everything told so far, or the last ask's, if these are fresh enough.
    pub(super) fn models_for(&mut self, refit: Refit) -> Result<Arc<Models>> {
        let tells = self.history().tells();
        let seen = match (refit, self.state()?.and_then(StepState::seen)) {
            // A correction is more than one more outcome: no model that saw what was wrong is used again.
            (Refit::Every(most), Some(seen)) if tells - seen < most && self.history.last_revision() <= seen => seen,
            _ => tells,
        };
        self.models_as_of(seen)
    }

    /// The models of what was told up to this tell, given what the last ask left.
    fn models_as_of(&mut self, seen: u64) -> Result<Arc<Models>> {
        let key = Key { ask: self.history().asks(), seen };
        if let Some((of, models)) = &self.models
            && *of == key
        {
            return Ok(models.clone());
        }
        self.check_modelled()?;
        let data = self.table.until(seen, &self.history)?;
        let step = self.history().asks() + 1;
        let models = match self.state()?.and_then(|state| Some((state.seen()?, &state.models))) {
            Some((last, states)) if last == seen => Models::restored(states.clone(), &data)?,
            Some((last, states)) => match self.table.until(last, &self.history) {
                Ok(before) => {
                    let is_revised = self.history.last_revision() > last;
                    let last = LastStep { states, before: &before, is_revised };
                    Models::new(&self.config, Some(&last), &data, step, seen)?
                }
                // Everything that it had seen of an output was withdrawn.
                Err(Error::Empty { .. }) => Models::new(&self.config, None, &data, step, seen)?,
                Err(error) => return Err(error),
            },
            None => Models::new(&self.config, None, &data, step, seen)?,
        };
        interrupt::poll()?;
        let models = Arc::new(models);
        self.models = Some((key, models.clone()));
        Ok(models)
    }

    /// What the last ask left.
    pub(super) fn state(&self) -> Result<Option<&StepState>> {
        if let Some(state) = self.state.get() {
            return Ok(state.as_ref());
        }
        let read = |json| from_json::<StepState>("the state of the last step in the study's file", json);
        let mut state = self.history.state().map(read).transpose()?;
        let kernels = state.iter_mut().flat_map(|state| &mut state.models).map(|model| &mut model.hyper.kernel);
        kernels.for_each(|kernel| self.config.model.kernel.restore(kernel));
        let checked = state.as_ref().map_or(Ok(()), |state| state.check(&self.config, self.history.tells()));
        checked.map_err(|error| damaged(&*self.storage, &error))?;
        Ok(self.state.get_or_init(|| state).as_ref())
    }
}
