//! The hyperparameters of a study's models: what they are learned from, or what is known of them.
//!
//! ```text
//!     known:  y = μ + f(x) + ε,   f ~ GP(0, s² g(r²)),   r² = Σₖ (xₖ − x'ₖ)²/ℓₖ²,   ε ~ N(0, σ²)        in the user's units
//! ```
//!
//! An input on a logarithmic scale has a length scale in its natural logarithm; one with choices that of e^(−1/ℓ), the correlation of
//! two different ones.

use super::config::{Config, OutcomeTransformChoice};
use super::goal::Goal;
use crate::data::OutcomeTransform;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, Role};
use crate::model::{HyperparameterObjective, Hyperparameters};
use crate::space::{Dimension, Domain, Scale};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the hyperparameters of a study's models come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HyperparameterChoice {
    /// They maximise the exact likelihood of a random subset of this size (of all data, if there are fewer).
    Subset(usize),
    /// They maximise the collapsed bound over all data.
    Bound,
    /// They are known: nothing is learned.
    Fixed(KnownHyperparameters),
}

/// Hyperparameters that are known, in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownHyperparameters {
    /// The kernel's variance.
    pub variance: f64,
    /// The kernel's length scales.
    pub lengthscales: Lengthscales,
    /// The noise variance; outcomes with a variance of their own keep that.
    pub noise: f64,
    /// The constant mean.
    #[serde(default)]
    pub mean: f64,
}

/// Length scales that are known; that of an input on a logarithmic scale is one of its natural logarithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a number for all inputs, or a table with a number for each by its name")]
pub enum Lengthscales {
    /// The same for all inputs.
    All(f64),
    /// One per input, by its name.
    Each(BTreeMap<String, f64>),
}

impl From<HyperparameterChoice> for HyperparameterObjective {
    fn from(choice: HyperparameterChoice) -> Self {
        match choice {
            HyperparameterChoice::Subset(rows) => HyperparameterObjective::Subset(rows),
            HyperparameterChoice::Bound => HyperparameterObjective::Bound,
            HyperparameterChoice::Fixed(_) => HyperparameterObjective::Fixed,
        }
    }
}

impl Lengthscales {
    /// That of an input, in the units of the user.
    fn of(&self, input: &Dimension) -> Result<f64> {
        match self {
            Lengthscales::All(_) if input.domain.is_categorical() => Err(Error::unsupported(
                format!("'lengthscales' is one number, which means nothing for the choices of '{}'", input.name),
                "give a table with a length scale for each input; that of choices is ℓ in e^(−1/ℓ), the correlation of two of them",
            )),
            Lengthscales::All(one) => Ok(*one),
            Lengthscales::Each(each) => each.get(&input.name).copied().ok_or_else(|| {
                let what = format!("'lengthscales' has none for the input '{}'", input.name);
                Error::unsupported(what, "give one for each input, or one number for all")
            }),
        }
    }
}

impl KnownHyperparameters {
    /// The kernel in the model's units of inputs and the user's of outcomes.
    fn kernel(&self, config: &Config) -> Result<Kernel> {
        let mut kernel = Kernel::for_space(&config.space, &config.model.kernel)?;
        let (inputs, roles) = (config.space.dimensions(), kernel.roles());
        let count = |role: Role| roles.iter().filter(|&&other| other == role).count();
        let about: Vec<(Role, Option<usize>)> = roles.iter().copied().zip(kernel.inputs()).collect();
        let has_scale = |k: usize| about.iter().filter(|one| **one == (Role::Lengthscale, Some(k))).count() == 1;
        if count(Role::Variance) != 1
            || count(Role::Lengthscale) + 1 != roles.len()
            || !(0..inputs.len()).all(has_scale)
            || count(Role::Lengthscale) != inputs.len()
        {
            return Err(Error::unsupported(
                format!(
                    "'hyperparameters' cannot be fixed for the kernel '{}'",
                    config.model.kernel.names().join(" + ")
                ),
                "use a kernel with one variance and one length scale per input, or learn them",
            ));
        }
        let value = |(role, input): &(Role, Option<usize>)| match (role, input.map(|k| &inputs[k])) {
            (Role::Lengthscale, Some(input)) => Ok((self.lengthscales.of(input)? / unit_length(input)).ln()),
            _ => Ok(self.variance.ln()),
        };
        let parameters = about.iter().map(value).collect::<Result<Vec<f64>>>()?;
        kernel.set_parameters(&parameters);
        Ok(kernel)
    }

    /// Refuses what is no variance or length scale, by its name.
    fn check(&self, config: &Config) -> Result<()> {
        let inputs = config.space.dimensions();
        if let Lengthscales::Each(each) = &self.lengthscales
            && let Some(name) = each.keys().find(|name| inputs.iter().all(|input| input.name != **name))
        {
            let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            let what = format!("'lengthscales' has one for '{name}', which is no input");
            return Err(Error::unsupported(what, format!("the inputs are {}", names.join(", "))));
        }
        let scales = inputs.iter().map(|input| self.lengthscales.of(input)).collect::<Result<Vec<f64>>>()?;
        let scales = scales.into_iter().map(|scale| ("lengthscales", scale));
        for (name, value) in [("variance", self.variance), ("noise", self.noise)].into_iter().chain(scales) {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::parameter(format!("{name} of 'fixed'"), value, "positive and finite"));
            }
        }
        if !self.mean.is_finite() {
            return Err(Error::parameter("mean of 'fixed'", self.mean, "finite"));
        }
        Ok(())
    }
}

/// How long the range that models see as 0 to 1 is, in the units of a length scale; 1 where there is none.
fn unit_length(input: &Dimension) -> f64 {
    let length = input.domain.range().map_or(1.0, |(lower, upper, scale)| match scale {
        Scale::Linear => upper - lower,
        Scale::Log => (upper / lower).ln(),
    });
    // An input with a single value has no length.
    if length > 0.0 { length } else { 1.0 }
}

impl Config {
    /// The hyperparameters of an output's model in its units, if they are known.
    pub(super) fn known_hyperparameters(
        &self,
        output: usize,
        units: &OutcomeTransform,
    ) -> Result<Option<Hyperparameters>> {
        let HyperparameterChoice::Fixed(known) = &self.model.hyperparameters else { return Ok(None) };
        // Squares of outcomes as they are told may overflow.
        let shift = -2.0 * units.log_slope(0.0);
        let mut kernel = known.kernel(self)?;
        let parameters = kernel.parameters().into_iter().zip(kernel.roles());
        let parameters: Vec<f64> =
            parameters.map(|(log, role)| if role == Role::Variance { log - shift } else { log }).collect();
        kernel.set_parameters(&parameters);
        let mean = units.to_model(self.outputs[output].goal.sign() * known.mean);
        Ok(Some(Hyperparameters { kernel, mean, noise: (known.noise.ln() - shift).exp() }))
    }

    /// Refuses known hyperparameters where they mean nothing.
    pub(super) fn check_hyperparameters(&self) -> Result<()> {
        let HyperparameterChoice::Fixed(known) = &self.model.hyperparameters else { return Ok(()) };
        let refuse = |what: String, remedy: &str| Err(Error::unsupported(what, remedy));
        if let [first, _, ..] = self.outputs.as_slice() {
            let what = format!("'hyperparameters' cannot be fixed for '{}' and others at the same time", first.name);
            return refuse(what, "learn them, or give the output a study of its own");
        }
        let output = &self.outputs[0];
        if output.goal == Goal::Classify {
            let what = format!("'hyperparameters' cannot be fixed for '{}', a class: its f has no units", output.name);
            return refuse(what, "learn them");
        }
        if self.model.outcome_transform != OutcomeTransformChoice::Off {
            let what = "'hyperparameters' that are fixed are those of outcomes as they are told, not transformed";
            return refuse(what.into(), "set outcome-transform = \"off\"");
        }
        if output.noise.known_variance().is_some() {
            let what = format!("the noise of '{}' is given twice, and once by 'hyperparameters'", output.name);
            return refuse(what, "leave it out of the objective");
        }
        if let Some(input) = self.space.dimensions().iter().find(|input| matches!(input.domain, Domain::Described(_))) {
            let what =
                format!("'hyperparameters' cannot be fixed for '{}', whose choices have descriptors", input.name);
            return refuse(what, "learn them, or leave out the descriptors");
        }
        known.check(self)?;
        // A kernel that is not registered yet is refused when it is needed.
        if self.model.kernel.check().is_ok() { known.kernel(self).map(|_| ()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Space;
    use serde_json::{from_str, to_string};

    fn known(text: &str) -> KnownHyperparameters {
        from_str(text).unwrap()
    }

    #[test]
    fn choices_are_read_and_written_as_they_are() {
        for text in [
            r#""bound""#,
            r#"{"subset":40}"#,
            r#"{"fixed":{"variance":2.0,"lengthscales":0.5,"noise":0.1,"mean":-1.0}}"#,
            r#"{"fixed":{"variance":2.0,"lengthscales":{"a":0.5,"b":3.0},"noise":0.1,"mean":0.0}}"#,
        ] {
            let choice: HyperparameterChoice = from_str(text).unwrap();
            assert_eq!(to_string(&choice).unwrap(), text);
        }
        assert_eq!(known(r#"{"variance":1,"lengthscales":1,"noise":1}"#).mean, 0.0);
        for (text, reason) in [
            (r#"{"variance":1,"noise":1}"#, "lengthscales"),
            (r#"{"variance":1,"noise":1,"lengthscales":"long"}"#, "a number for all inputs"),
            (r#"{"variance":1,"noise":1,"lengthscales":1,"sd":2}"#, "sd"),
        ] {
            let refused = from_str::<KnownHyperparameters>(text).unwrap_err().to_string();
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }

    /// Length scales are in the units of each input, variances in squared units of the outcomes.
    #[test]
    fn values_are_converted_to_the_units_of_the_model() {
        let inputs = vec![
            Dimension::real("t", 20.0, 120.0),
            Dimension::choice("metal", &["Pd", "Ni", "Cu"]),
            Dimension::real("dose", 1e-3, 1e-1).log(),
            Dimension::int("n", 1, 9),
        ];
        let text =
            r#"{"variance":50,"lengthscales":{"t":25,"metal":2,"dose":2.302585092994046,"n":4},"noise":2,"mean":3}"#;
        let mut config = Config::new(Space::new(inputs).unwrap());
        config.outputs[0].goal = Goal::Minimize;
        config.model.outcome_transform = OutcomeTransformChoice::Off;
        config.model.hyperparameters = HyperparameterChoice::Fixed(known(text));
        config.check().unwrap();
        let units = OutcomeTransform::of(&[-12.0, -2.0, -7.0, -7.0], crate::data::Warp::Identity);
        let hyper = config.known_hyperparameters(0, &units).unwrap().unwrap();
        let square = (units.from_model(1.0) - units.from_model(0.0)).powi(2);
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} instead of {b}");
        close(hyper.noise, 2.0 / square);
        close(units.from_model(hyper.mean), -3.0);
        hyper.kernel.scales(4).into_iter().zip([0.25, 2.0, 0.5, 0.5]).for_each(|(found, scale)| close(found, scale));
        let variance = hyper.kernel.roles().iter().position(|&role| role == Role::Variance).unwrap();
        close(hyper.kernel.parameters()[variance].exp(), 50.0 / square);
    }
}
