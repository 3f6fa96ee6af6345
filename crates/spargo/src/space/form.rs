//! The form in which spaces are written in files.
//!
//! ```text
//!     inputs = [{ name, real = [lower, upper] | int = [lower, upper] | choice = [words], log }, …]
//!     candidates = [[value, …], …]
//! ```

use super::dimension::Dimension;
use super::domain::{Domain, Scale};
use super::{Point, Space};
use crate::error::{Error, Result};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputForm {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    real: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    int: Option<Vec<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    choice: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    log: bool,
}

impl TryFrom<InputForm> for Dimension {
    type Error = Error;

    fn try_from(form: InputForm) -> Result<Self> {
        let InputForm { name, real, int, choice, log } = form;
        let scale = if log { Scale::Log } else { Scale::Linear };
        let domain = match (real, int, choice) {
            (Some(ends), None, None) => {
                let [lower, upper] = two(&name, ends)?;
                Domain::Real { lower, upper, scale }
            }
            (None, Some(ends), None) => {
                let [lower, upper] = two(&name, ends)?;
                Domain::Int { lower, upper, scale }
            }
            (None, None, Some(choices)) if !log => Domain::Categorical { choices },
            (None, None, Some(_)) => {
                let (problem, remedy) = ("choices have no logarithm".into(), "leave out log".into());
                return Err(Error::Input { name, problem, remedy });
            }
            _ => {
                let problem = "it is not clear what it may be".into();
                let remedy = "give one of real = [lower, upper], int = [lower, upper] and choice = [words]".into();
                return Err(Error::Input { name, problem, remedy });
            }
        };
        let dimension = Dimension { name, domain };
        dimension.check()?;
        Ok(dimension)
    }
}

/// Not every format refuses a third number where an array of two is read.
fn two<T>(name: &str, ends: Vec<T>) -> Result<[T; 2]> {
    ends.try_into().map_err(|ends: Vec<T>| Error::Input {
        name: name.into(),
        problem: format!("its range has {} ends", ends.len()),
        remedy: "give it two, [lower, upper]".into(),
    })
}

impl From<Dimension> for InputForm {
    fn from(Dimension { name, domain }: Dimension) -> Self {
        let form = InputForm { name, real: None, int: None, choice: None, log: false };
        match domain {
            Domain::Real { lower, upper, scale } => {
                InputForm { real: Some(vec![lower, upper]), log: scale == Scale::Log, ..form }
            }
            Domain::Int { lower, upper, scale } => {
                InputForm { int: Some(vec![lower, upper]), log: scale == Scale::Log, ..form }
            }
            Domain::Categorical { choices } => InputForm { choice: Some(choices), ..form },
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpaceForm {
    inputs: Vec<Dimension>,
    candidates: Option<Vec<Point>>,
    constraints: Option<Constraints>,
}

/// Whatever is written there: it is refused, not read.
#[derive(Deserialize)]
#[serde(untagged)]
enum Constraints {
    List(Vec<IgnoredAny>),
    Other(IgnoredAny),
}

impl TryFrom<SpaceForm> for Space {
    type Error = Error;

    fn try_from(form: SpaceForm) -> Result<Self> {
        match form.constraints {
            None => {}
            Some(Constraints::List(list)) if list.is_empty() => {}
            Some(Constraints::List(_) | Constraints::Other(IgnoredAny)) => {
                return Err(Error::Unsupported {
                    what: "constraints among inputs are not built yet".into(),
                    remedy: "give the points that may be evaluated as a table of candidates, or report those that may \
                             not as failed"
                        .into(),
                });
            }
        }
        Space::build(form.inputs, form.candidates)
    }
}

impl Serialize for Space {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            inputs: &'a [Dimension],
            #[serde(skip_serializing_if = "Option::is_none")]
            candidates: Option<Rows<'a>>,
        }
        let candidates = self.candidates().map(|_| Rows(self));
        Form { inputs: self.dimensions(), candidates }.serialize(serializer)
    }
}

/// The table, made row by row as it is written: at no time is it in memory twice.
struct Rows<'a>(&'a Space);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq((0..).map_while(|row| self.0.candidate(row)))
    }
}
