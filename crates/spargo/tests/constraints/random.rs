//! Random mixed spaces with constraints that a known point satisfies, and what these say of printed values.

use rand_chacha::ChaCha8Rng;
use spargo::rng::{Purpose, distinct_indices, stream, uniform};
use spargo::space::{Dimension, InputConstraint, Limits, Space, Value};

fn number_of(value: &Value) -> f64 {
    match value {
        Value::Real(x) => *x,
        Value::Int(i) => *i as f64,
        other => panic!("{other} is no number"),
    }
}

/// A random input: real, with digits, with a step, whole, in the logarithm, or a choice.
fn input(k: usize, rng: &mut ChaCha8Rng) -> Dimension {
    let name = format!("x{k}");
    match (uniform(rng) * 6.0) as usize {
        0 => Dimension::real(name, 0.0, 1.0),
        1 => Dimension::real(name, 0.0, 1.0).digits(2),
        2 => Dimension::real(name, 0.0, 10.0).step(0.5),
        3 => Dimension::int(name, 0, 20),
        4 => Dimension::real(name, 0.01, 10.0).log(),
        _ => Dimension::choice(name, &["a", "b", "c"]),
    }
}

/// A random constraint that a point satisfies; sums with `equals` are of inputs with the same steps, or have a continuous one.
fn constraint(space: &Space, known: &[f64], rng: &mut ChaCha8Rng) -> Option<InputConstraint> {
    let values = space.decode(known).unwrap();
    let is_numeric = |k: &usize| !space.dimensions()[*k].domain.is_categorical();
    let (numeric, labels): (Vec<usize>, Vec<usize>) = (0..known.len()).partition(is_numeric);
    let name = |k: usize| space.dimensions()[k].name.clone();
    let value = |k: usize| number_of(&values[k]);
    let some = |all: &[usize], least: usize, rng: &mut ChaCha8Rng| -> Option<Vec<usize>> {
        let count = least + (uniform(rng) * 6.0) as usize;
        (all.len() >= count).then(|| distinct_indices(all.len(), count, rng).into_iter().map(|i| all[i]).collect())
    };
    match (uniform(rng) * 4.0) as usize {
        0 => {
            let inputs = some(&numeric, 2, rng)?;
            let terms: Vec<(String, f64)> =
                inputs.iter().map(|&k| (name(k), [1.0, 1.0, 2.0, -1.0][(uniform(rng) * 4.0) as usize])).collect();
            let sum: f64 = inputs.iter().zip(&terms).map(|(&k, (_, c))| c * value(k)).sum();
            let limits = match (uniform(rng) * 3.0) as usize {
                0 => Limits { lower: sum, upper: sum },
                1 => Limits { lower: f64::NEG_INFINITY, upper: sum + uniform(rng) },
                _ => Limits { lower: sum - uniform(rng), upper: sum + uniform(rng) },
            };
            Some(InputConstraint::Sum { terms, limits })
        }
        1 => {
            let inputs = some(&numeric, 2, rng)?;
            let (over, under) = (inputs[0], inputs[1]);
            let limits = Limits { lower: 0.5 * value(over) / (value(under) + 1.0), upper: f64::INFINITY };
            Some(InputConstraint::Ratio { over: name(over), under: name(under), limits })
        }
        2 => {
            let has_zero: Vec<usize> =
                numeric.into_iter().filter(|&k| space.dimensions()[k].encode(&Value::Real(0.0)).is_ok()).collect();
            let inputs = some(&has_zero, 2, rng)?;
            let count = inputs.iter().filter(|&&k| value(k) != 0.0).count() as f64;
            let limits = Limits { lower: 0.0, upper: count };
            Some(InputConstraint::Nonzero { inputs: inputs.into_iter().map(name).collect(), limits })
        }
        _ => {
            let inputs = some(&labels, 2, rng)?;
            let row: Vec<Value> =
                inputs.iter().map(|_| Value::from(["a", "b", "c"][(uniform(rng) * 3.0) as usize])).collect();
            let is_known = inputs.iter().zip(&row).all(|(&k, v)| values[k] == *v);
            (!is_known)
                .then(|| InputConstraint::Exclude { inputs: inputs.into_iter().map(name).collect(), rows: vec![row] })
        }
    }
}

/// What a constraint says of printed values, in words of its own.
pub fn holds(space: &Space, constraint: &InputConstraint, point: &[Value]) -> bool {
    let of = |name: &String| {
        let k = space.dimensions().iter().position(|d| d.name == *name).unwrap();
        // As it would be read from a table.
        match &point[k] {
            Value::Choice(text) => Value::from(text.as_str()),
            other => Value::Real(other.to_string().parse().unwrap()),
        }
    };
    let number = |name: &String| number_of(&of(name));
    let within = |sum: f64, size: f64, limits: &Limits| {
        let slack = 1e-12 * (size + if limits.upper.is_finite() { limits.upper.abs() } else { limits.lower.abs() });
        sum >= limits.lower - slack && sum <= limits.upper + slack
    };
    match constraint {
        InputConstraint::Sum { terms, limits } => {
            let terms: Vec<f64> = terms.iter().map(|(name, c)| c * number(name)).collect();
            within(terms.iter().sum(), terms.iter().map(|t| t.abs()).sum(), limits)
        }
        InputConstraint::Ratio { over, under, limits } => {
            let (over, under) = (number(over), number(under));
            over - limits.lower * under >= -1e-12 * (over + limits.lower * under)
        }
        InputConstraint::Nonzero { inputs, limits } => {
            (limits.lower..=limits.upper).contains(&(inputs.iter().filter(|name| number(name) != 0.0).count() as f64))
        }
        InputConstraint::Exclude { inputs, rows } => {
            rows.iter().all(|row| inputs.iter().zip(row).any(|(name, v)| of(name) != *v))
        }
    }
}

/// A space, a point of it, and a stream for more.
pub fn random_space(case: u64) -> (Space, Vec<f64>, ChaCha8Rng) {
    let mut rng = stream(case, Purpose::Data, 7, 0);
    let count = 2 + (uniform(&mut rng) * if case.is_multiple_of(2) { 8.0 } else { 48.0 }) as usize;
    let space = Space::new((0..count).map(|k| input(k, &mut rng)).collect()).unwrap();
    let known: Vec<f64> =
        space.dimensions().iter().map(|d| d.domain.snap(d.domain.from_unit(uniform(&mut rng)))).collect();
    let wanted = 1 + (uniform(&mut rng) * 10.0) as usize;
    let constraints: Vec<_> = (0..wanted).filter_map(|_| constraint(&space, &known, &mut rng)).collect();
    let space = space
        .clone()
        .with_input_constraints(constraints.clone())
        .unwrap_or_else(|error| panic!("case {case}: {error}\n{constraints:?}"));
    (space, known, rng)
}
