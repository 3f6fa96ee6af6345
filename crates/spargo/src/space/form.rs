//! The form in which spaces are written in files.
//!
//! ```text
//!     inputs = [{ name, real = [lower, upper] | int = [lower, upper] | values = [numbers] |
//!                ordinal = [labels] | choice = [labels], descriptors, log, step | digits, unit, past,
//!                when = { input = value | [values] } }, …]
//!     candidates = [[value, …], …]
//!     labels = [{ name, values = [text, …] }, …]        rows = [number of each candidate in the table as given]
//!     input-constraints = [{ sum | ratio | nonzero | exclude = …, equals | at-least | at-most = … }, …]
//! ```

use super::choice::Choices;
use super::constraints::{InputConstraint, When};
use super::described::DescribedChoices;
use super::descriptors::DescriptorForm;
use super::dimension::Dimension;
use super::domain::{Domain, Kind, Scale};
use super::grid::{GridRange, Spacing};
use super::int::IntRange;
use super::labels::{LabelColumn, Labels};
use super::listed::ListedValues;
use super::ordinal::OrdinalLabels;
use super::real::RealRange;
use super::{Point, Space};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize, Serializer};

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputForm {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    real: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    int: Option<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<super::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ordinal: Option<Vec<super::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<Vec<super::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptors: Option<DescriptorForm>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    log: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    past: Option<super::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<When>,
}

impl TryFrom<InputForm> for Dimension {
    type Error = Error;

    fn try_from(form: InputForm) -> Result<Self> {
        let (name, log, has_descriptors) = (form.name, form.log, form.descriptors.is_some());
        let scale = if log { Scale::Log } else { Scale::Linear };
        let spacing = match (form.step, form.digits) {
            (Some(_), Some(_)) => {
                return Err(Error::input(name, "it has both a step and digits", "leave out one of them"));
            }
            (step, digits) => step.map(Spacing::Step).or(digits.map(Spacing::Digits)),
        };
        let real = |ends| {
            let [lower, upper] = two(&name, ends)?;
            Ok(match spacing {
                Some(spacing) => Domain::Grid(GridRange::new(lower, upper, scale, spacing)),
                None => Domain::Real(RealRange { lower, upper, scale }),
            })
        };
        let int = |ends| two(&name, ends).map(|[lower, upper]| Domain::Int(IntRange { lower, upper, scale }));
        let kinds = [
            form.real.map(real),
            form.int.map(int),
            form.values.map(|values| Ok(Domain::Listed(ListedValues::new(values, scale)))),
            form.ordinal.map(|labels| Ok(Domain::Ordinal(OrdinalLabels::new(labels)))),
            form.choice.map(|choices| {
                Ok(match form.descriptors {
                    Some(descriptors) => Domain::Described(DescribedChoices::of(choices, descriptors)),
                    None => Domain::Categorical(Choices(choices)),
                })
            }),
        ];
        let mut given = kinds.into_iter().flatten();
        let (Some(domain), None) = (given.next(), given.next()) else {
            let remedy = "give one of real = [lower, upper], int = [lower, upper], values = [numbers], \
                          ordinal = [labels] and choice = [labels]";
            return Err(Error::input(name, "it is not clear what it may be", remedy));
        };
        let domain = domain?;
        if has_descriptors && !matches!(domain, Domain::Described(_)) {
            return Err(Error::input(name, "only choices have descriptors", "leave them out"));
        }
        if log && domain.range().is_none() {
            return Err(Error::input(name, "labels have no logarithm", "leave out log"));
        }
        if spacing.is_some() && !matches!(domain, Domain::Grid(_)) {
            return Err(Error::input(name, "only real inputs have a step or digits", "leave it out"));
        }
        let dimension = Dimension { name, domain, unit: form.unit, past: form.past, when: form.when };
        dimension.check()?;
        Ok(dimension)
    }
}

/// Not every format refuses a third number where an array of two is read.
fn two<T>(name: &str, ends: Vec<T>) -> Result<[T; 2]> {
    let refuse =
        |ends: Vec<T>| Error::input(name, format!("its range has {} ends", ends.len()), "give it two, [lower, upper]");
    ends.try_into().map_err(refuse)
}

impl From<Dimension> for InputForm {
    fn from(Dimension { name, domain, unit, past, when }: Dimension) -> Self {
        let form = InputForm { name, unit, past, when, ..InputForm::default() };
        match domain {
            Domain::Real(RealRange { lower, upper, scale }) => {
                InputForm { real: Some(vec![lower, upper]), log: scale == Scale::Log, ..form }
            }
            Domain::Grid(range) => {
                let ((lower, upper), log) = (range.ends(), range.scale() == Scale::Log);
                let form = InputForm { real: Some(vec![lower, upper]), log, ..form };
                match range.spacing() {
                    Spacing::Step(step) => InputForm { step: Some(step), ..form },
                    Spacing::Digits(digits) => InputForm { digits: Some(digits), ..form },
                }
            }
            Domain::Int(IntRange { lower, upper, scale }) => {
                InputForm { int: Some(vec![lower, upper]), log: scale == Scale::Log, ..form }
            }
            Domain::Listed(values) => {
                InputForm { values: Some(values.given().to_vec()), log: values.scale() == Scale::Log, ..form }
            }
            Domain::Ordinal(labels) => InputForm { ordinal: Some(labels.choices().to_vec()), ..form },
            Domain::Categorical(Choices(choices)) => InputForm { choice: Some(choices), ..form },
            Domain::Described(choices) => InputForm {
                choice: Some(choices.choices().to_vec()),
                descriptors: Some(choices.given().clone()),
                ..form
            },
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpaceForm {
    inputs: Vec<Dimension>,
    candidates: Option<Vec<Point>>,
    #[serde(default)]
    labels: Vec<LabelColumn>,
    rows: Option<Vec<u64>>,
    #[serde(default, rename = "input-constraints")]
    constraints: Vec<InputConstraint>,
}

impl TryFrom<SpaceForm> for Space {
    type Error = Error;

    fn try_from(form: SpaceForm) -> Result<Self> {
        let labelled = |rows: Vec<Point>| Ok((Labels::new(form.labels, form.rows, rows.len())?, rows));
        let rows = form.candidates.map(labelled).transpose()?.map(|(labels, rows)| (rows, labels));
        Space::build(form.inputs, rows)?.with_input_constraints(form.constraints)
    }
}

impl Serialize for Space {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            inputs: &'a [Dimension],
            #[serde(skip_serializing_if = "Option::is_none")]
            candidates: Option<Rows<'a>>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            labels: &'a [LabelColumn],
            #[serde(skip_serializing_if = "Option::is_none")]
            rows: Option<&'a [u64]>,
            #[serde(rename = "input-constraints", skip_serializing_if = "<[_]>::is_empty")]
            constraints: &'a [InputConstraint],
        }
        let candidates = self.candidates().map(|_| Rows(self));
        let labels = self.table.as_ref().map(|table| table.labels());
        let rows = labels.filter(|labels| !labels.is_complete()).map(|labels| &*labels.rows);
        let labels = labels.map_or(&[][..], |labels| &labels.columns);
        Form { inputs: self.dimensions(), candidates, labels, rows, constraints: self.input_constraints() }
            .serialize(serializer)
    }
}

/// The table, made row by row as it is written: at no time is it in memory twice.
struct Rows<'a>(&'a Space);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq((0..).map_while(|row| self.0.candidate(row)))
    }
}
