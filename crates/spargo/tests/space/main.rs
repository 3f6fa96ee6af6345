//! Spaces: values and numbers determine each other bit by bit, and what makes no sense is refused by name.

#[path = "../common/mod.rs"]
mod common;

mod candidates;
mod refusals;
mod round_trips;

use common::flat;
use proptest::prelude::*;
use spargo::Error;
use spargo::space::{Choices, Dimension, Domain, IntRange, LabelColumn, Point, RealRange, Scale, Space, Value};

fn real(lower: f64, upper: f64, scale: Scale) -> Dimension {
    Dimension::new("x", Domain::Real(RealRange { lower, upper, scale }))
}

fn int(lower: i64, upper: i64, scale: Scale) -> Dimension {
    Dimension::new("n", Domain::Int(IntRange { lower, upper, scale }))
}

fn one(dimension: &Dimension) -> Space {
    Space::new(vec![dimension.clone()]).unwrap()
}

/// The value of a number, and the number of a value, in a space of one input.
fn decode(space: &Space, number: f64) -> Value {
    space.decode(&[number]).unwrap().remove(0)
}

fn encode(space: &Space, value: &Value) -> f64 {
    space.encode(std::slice::from_ref(value)).unwrap()[0]
}

fn bits(value: &Value) -> u64 {
    match value {
        Value::Real(x) => x.to_bits(),
        Value::Int(i) => *i as u64,
        other => panic!("{other} is not a number"),
    }
}

/// Everything that must hold at a number between 0 and 1, or beyond.
fn assert_round_trip(space: &Space, number: f64) {
    let domain = &space.dimensions()[0].domain;
    let value = decode(space, number);
    let canonical = encode(space, &value);
    assert_eq!(canonical.to_bits(), domain.snap(number).to_bits(), "{space:?}: {number} is {value}");
    assert_eq!(canonical.to_bits(), domain.snap(canonical).to_bits(), "{space:?}: {canonical} is not canonical");
    assert_eq!(bits(&decode(space, canonical)), bits(&value), "{space:?}: {value} is {canonical}");
    let mut row = [number];
    space.snap(&mut row);
    assert_eq!(row, [canonical]);
}

/// The ends are 0 and 1, and decode to themselves; outside there is nothing.
fn assert_ends(space: &Space, lower: Value, upper: Value) {
    for (number, end) in [(0.0, &lower), (-0.0, &lower), (-7.0, &lower), (1.0, &upper), (f64::INFINITY, &upper)] {
        assert_eq!(&decode(space, number), end, "{space:?}: {number}");
    }
    assert_eq!([encode(space, &lower), encode(space, &upper)].map(f64::to_bits), [0.0f64, 1.0].map(f64::to_bits));
}

/// Any finite number, of any magnitude.
fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
        -1e3..1e3f64,
        Just(0.0),
        Just(-0.0),
        Just(0.1),
        Just(f64::MIN_POSITIVE),
        Just(5e-324),
        Just(1e300),
    ]
}

/// Two ends: of any magnitude, or a few units in the last place apart.
fn ends() -> impl Strategy<Value = (f64, f64)> {
    let wide = (finite(), finite()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let narrow = (finite(), 1..100_000u64).prop_map(|(x, ulps)| {
        let bits = x.abs().to_bits();
        let next = f64::from_bits(bits + ulps);
        if x < 0.0 { (-next, x) } else { (x, next) }
    });
    prop_oneof![wide, narrow].prop_filter("a range", |(a, b)| a < b && (b - a).is_finite())
}

fn unit() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..=1.0f64, Just(0.5), Just(1.0 - f64::EPSILON), (0..1000u32).prop_map(|k| f64::from(k) * 1e-15)]
}
