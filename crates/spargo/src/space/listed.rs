//! Numbers that the user lists, in their order.
//!
//! ```text
//!     linear:  u = (v − min) / (max − min)        log:  u = ln(v / min) / ln(max / min)        v ∈ {v₁, …, vₙ}
//! ```
//!
//! A value comes back as it was listed: 6 stays a whole number. Other numbers, wherever they lie, are only observed.

use super::choice::in_words;
use super::domain::{Kind, Scale, not_positive, not_too_far, observable};
use super::real::log_ratio;
use super::value::Value;

/// How far from a listed value another number is taken for it, in distances to the next one: what a spreadsheet makes of a
/// decimal.
const ROUNDING: f64 = 1e-9;

/// Numbers in a list, of which only these are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedValues {
    given: Vec<Value>,
    scale: Scale,
    ticks: Result<Vec<Tick>, (String, &'static str)>,
}

/// A value of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tick {
    value: f64,
    /// u.
    number: f64,
    /// Its place in the list as it was given.
    place: usize,
}

impl ListedValues {
    /// These numbers, in any order.
    pub fn new(values: Vec<Value>, scale: Scale) -> Self {
        ListedValues { ticks: ticks(&values, scale), given: values, scale }
    }

    /// The values as they were given.
    pub fn given(&self) -> &[Value] {
        &self.given
    }

    /// How the range is divided.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The values in ascending order; none if they are not what a space may have.
    fn ticks(&self) -> &[Tick] {
        self.ticks.as_deref().unwrap_or_default()
    }

    fn ends(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.ticks().first()?, self.ticks().last()?);
        Some((first.value, last.value))
    }

    /// The index of the value whose number is nearest.
    fn index(&self, u: f64) -> usize {
        nearest(self.ticks(), u, |tick| tick.number)
    }

    /// The number of the value with this index, or of the last one.
    fn number(&self, index: usize) -> f64 {
        let ticks = self.ticks();
        ticks.get(index).or(ticks.last()).map_or(f64::NAN, |tick| tick.number)
    }

    /// The index of the value that a number is, but for rounding.
    fn find(&self, x: f64) -> Option<usize> {
        let ticks = self.ticks();
        let index = nearest(ticks, x, |tick| tick.value);
        let own = ticks.get(index)?.value;
        let next = [index.wrapping_sub(1), index + 1].into_iter().filter_map(|next| ticks.get(next));
        let gap = next.map(|next| (next.value - own).abs()).fold(f64::INFINITY, f64::min);
        (x == own || (x - own).abs() <= ROUNDING * gap && gap.is_finite()).then_some(index)
    }
}

/// The index of the value nearest to x by one of its two numbers, which ascend.
fn nearest(ticks: &[Tick], x: f64, number: impl Fn(&Tick) -> f64) -> usize {
    let above = ticks.partition_point(|tick| number(tick) < x).min(ticks.len().saturating_sub(1));
    let below = above.saturating_sub(1);
    match (ticks.get(below), ticks.get(above)) {
        (Some(a), Some(b)) if x - number(a) <= number(b) - x => below,
        _ => above,
    }
}

/// The number by which models see x.
fn position(x: f64, (lower, upper): (f64, f64), scale: Scale) -> f64 {
    match scale {
        _ if lower == upper => 0.0,
        Scale::Linear => (x - lower) / (upper - lower),
        Scale::Log => log_ratio(x, lower) / log_ratio(upper, lower),
    }
}

fn ticks(values: &[Value], scale: Scale) -> Result<Vec<Tick>, (String, &'static str)> {
    let fault = |problem: String, remedy| Err((problem, remedy));
    let mut ticks = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let Some(x) = value.real().filter(|x| x.is_finite()) else {
            return fault(
                format!("the value {value} is no finite number"),
                "list words as ordinal = [...] if they have an order, or as choice = [...]",
            );
        };
        // Adding 0 makes −0 and 0 alike.
        ticks.push(Tick { value: x + 0.0, number: 0.0, place });
    }
    ticks.sort_by(|a, b| a.value.total_cmp(&b.value));
    let (Some(first), Some(last)) = (ticks.first().copied(), ticks.last().copied()) else {
        return fault("it has no values".into(), "list at least two");
    };
    if let Some(twice) = ticks.windows(2).find(|pair| pair[0].value == pair[1].value) {
        return fault(format!("the value {} is listed twice", values[twice[1].place]), "list every value once");
    }
    let ends = (first.value, last.value);
    if scale == Scale::Log && first.value < f64::MIN_POSITIVE {
        return Err(not_positive(&first.value));
    }
    if !(last.value - first.value).is_finite() {
        let problem = format!("the length of its range from {:?} to {:?} overflows", first.value, last.value);
        return fault(problem, "rescale it");
    }
    ticks.iter_mut().for_each(|tick| tick.number = position(tick.value, ends, scale));
    if let Some(close) = ticks.windows(2).find(|pair| pair[0].number >= pair[1].number) {
        let [a, b] = [&values[close[0].place], &values[close[1].place]];
        return fault(format!("floating point cannot tell its values {a} and {b} apart"), "leave one out");
    }
    Ok(ticks)
}

impl Kind for ListedValues {
    fn name(&self) -> &'static str {
        "values"
    }

    fn allowed(&self) -> String {
        in_words(&self.given)
    }

    fn fault(&self) -> Option<(String, &'static str)> {
        self.ticks.clone().err()
    }

    fn range(&self) -> Option<(f64, f64, Scale)> {
        let (lower, upper) = self.ends().unwrap_or((f64::NAN, f64::NAN));
        Some((lower, upper, self.scale))
    }

    fn count(&self) -> Option<u64> {
        Some(self.ticks().len() as u64)
    }

    /// Every value equally often: they were listed because each of them matters.
    fn from_unit(&self, t: f64) -> f64 {
        self.number((t * self.ticks().len() as f64) as usize)
    }

    fn snap(&self, number: f64) -> f64 {
        if number.is_nan() { number } else { self.number(self.index(number)) }
    }

    fn neighbours(&self, number: f64) -> Vec<f64> {
        let index = self.index(number);
        let next = [index.checked_sub(1), index.checked_add(1)].into_iter().flatten();
        next.filter(|&next| next < self.ticks().len()).map(|next| self.number(next)).collect()
    }

    fn nth(&self, index: u64) -> f64 {
        self.number(usize::try_from(index).unwrap_or(usize::MAX))
    }

    fn encode(&self, value: &Value) -> Option<f64> {
        let x = value.real().filter(|x| x.is_finite())?;
        self.find(x).map(|index| self.number(index))
    }

    /// Between the values of the list as well: what was observed there is kept.
    fn encode_outside(&self, value: &Value) -> Option<f64> {
        let x = value.real().filter(|x| x.is_finite() && self.find(*x).is_none())?;
        let ends = self.ends().filter(|(lower, upper)| lower < upper)?;
        let has_logarithm = self.scale == Scale::Linear || x >= f64::MIN_POSITIVE;
        has_logarithm.then(|| position(x, ends, self.scale)).and_then(not_too_far)
    }

    fn observable(&self) -> String {
        let (lower, upper) = self.ends().unwrap_or((f64::NAN, f64::NAN));
        observable("a number", self.scale, &lower, &upper)
    }

    fn decode(&self, number: f64) -> Value {
        let tick = self.ticks().get(self.index(number));
        tick.map_or(Value::Real(f64::NAN), |tick| self.given[tick.place].clone())
    }
}
