//! Spaces: values and numbers determine each other bit by bit, and what makes no sense is refused by name.

mod common;

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn reals_come_back_bit_by_bit((lower, upper) in ends(), numbers in prop::array::uniform4(unit()), log in any::<bool>()) {
        let scale = if log && lower >= f64::MIN_POSITIVE { Scale::Log } else { Scale::Linear };
        let space = one(&real(lower, upper, scale));
        assert_ends(&space, Value::Real(lower), Value::Real(upper));
        for number in numbers {
            assert_round_trip(&space, number);
            let Value::Real(x) = decode(&space, number) else { panic!("not a real number") };
            prop_assert!((lower..=upper).contains(&x) && x.to_bits() != (-0.0f64).to_bits());
            // A value from anywhere has a number that is canonical, too.
            let between = (lower + number * (upper - lower)).clamp(lower, upper);
            let canonical = encode(&space, &Value::Real(between));
            assert_round_trip(&space, canonical);
            prop_assert_eq!(encode(&space, &decode(&space, canonical)).to_bits(), canonical.to_bits());
        }
    }

    #[test]
    fn the_grid_is_too_fine_to_be_noticed(lower in -1e6..1e6f64, length in 1.0..1e6f64, t in 0.0..1.0f64) {
        let space = one(&real(lower, lower + length, Scale::Linear));
        let x = (lower + t * length).min(lower + length);
        let Value::Real(near) = decode(&space, encode(&space, &Value::Real(x))) else { panic!("not a real number") };
        // Half a step of 2⁻⁴⁰, or of 16 units in the last place if these are larger.
        let step = (length * 2f64.powi(-40)).max(32.0 * f64::EPSILON * (lower.abs() + length));
        prop_assert!((near - x).abs() <= 0.51 * step, "{x} became {near}");
        let space = one(&real(1e-150, 1e150, Scale::Log));
        let x = 10f64.powf(300.0 * t - 150.0);
        let Value::Real(near) = decode(&space, encode(&space, &Value::Real(x))) else { panic!("not a real number") };
        prop_assert!((near / x - 1.0).abs() < 1e-9, "{x} became {near}");
    }

    /// Every value is the decimal that it is printed as, and comes back bit by bit.
    #[test]
    fn grids_come_back_as_decimals(
        first in -100_000..100_000i64,
        step in 1..1000i64,
        last in 1..100_000i64,
        decimals in 0..8u32,
        beyond in 0.0..0.9f64,
        draws in prop::array::uniform4(any::<u64>()),
        log in any::<bool>(),
        by_digits in any::<bool>(),
    ) {
        let (log, step) = (log && first > 0, if by_digits { 1 } else { step });
        let decimal = |whole: i64| format!("{whole}e-{decimals}").parse::<f64>().unwrap();
        let upper = decimal(first + last * step) + beyond * decimal(step);
        let scale = if log { Scale::Log } else { Scale::Linear };
        let plain = real(decimal(first), upper, scale);
        let dimension = if by_digits { plain.digits(decimals) } else { plain.step(decimal(step)) };
        let space = one(&dimension);
        let domain = &space.dimensions()[0].domain;
        prop_assert!(!domain.is_continuous() && !domain.is_categorical());
        prop_assert_eq!(domain.count(), Some(last as u64 + 1));
        assert_ends(&space, Value::Real(decimal(first)), Value::Real(decimal(first + last * step)));
        for draw in draws {
            let k = (draw % (last as u64 + 1)) as i64;
            let (number, value) = (domain.nth(k as u64), decimal(first + k * step));
            assert_round_trip(&space, number);
            assert_round_trip(&space, draw as f64 / u64::MAX as f64);
            prop_assert_eq!(decode(&space, number), Value::Real(value));
            let places = value.to_string().split_once('.').map_or(0, |(_, places)| places.len());
            prop_assert!(places <= decimals as usize, "{value}");
            let next: Vec<Value> = domain.neighbours(number).into_iter().map(|next| decode(&space, next)).collect();
            let expected = [k - 1, k + 1].into_iter().filter(|k| (0..=last).contains(k));
            prop_assert_eq!(next, expected.map(|k| Value::Real(decimal(first + k * step))).collect::<Vec<_>>());
            // Between two values there is nothing to be asked for, but something to be learned from.
            let between = Value::Real(value + 0.4 * decimal(step));
            let observed = space.encode_observed(std::slice::from_ref(&between)).unwrap();
            prop_assert!(space.encode(&[between]).is_err() && !space.contains_numbers(&observed));
            prop_assert!(k == last || (number..domain.nth(k as u64 + 1)).contains(&observed[0]));
        }
        let text = serde_json::to_string(&space).unwrap();
        prop_assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
    }

    /// Inside as ever, outside by the same formula, never in between.
    #[test]
    fn what_was_observed_outside_has_a_number_outside(
        lower in -1e3..1e3f64,
        length in 1e-3..1e3f64,
        far in prop_oneof![Just(1e-15), Just(1e-6), 0.0..9e3f64],
        t in 0.0..=1.0f64,
        log in any::<bool>(),
    ) {
        let (lower, scale) = if log { (lower.abs() + 1e-3, Scale::Log) } else { (lower, Scale::Linear) };
        let upper = lower + length;
        let [reals, ints] = [real(lower, upper, scale), int(lower as i64, upper as i64 + 2, scale)];
        if let Ok(space) = Space::new(vec![reals.clone()]) {
            let inside = Value::Real((lower + t * length).min(upper));
            prop_assert_eq!(space.encode_observed(std::slice::from_ref(&inside)), space.encode(&[inside]));
            let down = (far * (upper / lower).ln()).min(600.0);
            let below = if log { lower * (-down).exp() } else { lower - far * length };
            for (x, sign) in [(below, -1.0), (upper + far * length, 1.0)] {
                let number = space.encode_observed(&[x.into()]).unwrap()[0];
                let exact = if log { (x / lower).ln() / (upper / lower).ln() } else { (x - lower) / length };
                if (lower..=upper).contains(&x) {
                    prop_assert!((0.0..=1.0).contains(&number));
                } else {
                    prop_assert!(if sign < 0.0 { number < 0.0 } else { number > 1.0 }, "{x}: {number}");
                    prop_assert!((number - exact).abs() < 1e-6 * exact.abs().max(1.0), "{x}: {number}, not {exact}");
                    prop_assert!(!space.contains(&[x.into()]) && !space.contains_numbers(&[number]));
                    let mut clamped = [number];
                    space.clamp(&mut clamped);
                    prop_assert_eq!(clamped, [0.5 + 0.5 * sign]);
                }
            }
        }
        if let Ok(space) = Space::new(vec![ints]) {
            let Domain::Int(IntRange { lower, upper, .. }) = space.dimensions()[0].domain else { unreachable!() };
            for (i, end) in [(lower - 1 - far as i64, 0.0), (upper + 1 + far as i64, 1.0)] {
                match space.encode_observed(&[i.into()]) {
                    Ok(number) => prop_assert!((number[0] - end) * (end - 0.5) > 0.0, "{i}: {number:?}"),
                    Err(error) => prop_assert!(log && i <= 0 || far > 1e3, "{error}"),
                }
            }
        }
    }

    #[test]
    fn integers_come_back_bit_by_bit(
        middle in any::<i64>(),
        bits in 0u32..=52,
        draws in prop::array::uniform4(any::<u64>()),
        log in any::<bool>(),
        place in 0..3,
    ) {
        let span = (1u64 << bits).max(2) - 1;
        let middle = if log { middle.saturating_abs().max(1) >> (middle as u64 % 63) } else { middle };
        let (lower, upper) = match place {
            0 => (middle.max(1), middle.max(1).saturating_add_unsigned(span)),
            1 => (i64::MAX.saturating_sub_unsigned(span), i64::MAX),
            _ => (i64::MIN, i64::MIN.saturating_add_unsigned(span)),
        };
        let scale = if log && lower > 0 { Scale::Log } else { Scale::Linear };
        let Ok(space) = Space::new(vec![int(lower, upper, scale)]) else {
            // Only a logarithm may make a range of these too wide, or saturation a point of it.
            prop_assert!(lower == upper || (scale == Scale::Log && span > 1 << 35));
            return Ok(());
        };
        assert_ends(&space, Value::Int(lower), Value::Int(upper));
        let domain = &space.dimensions()[0].domain;
        for draw in draws {
            let value = lower.saturating_add_unsigned(draw % upper.abs_diff(lower).saturating_add(1));
            for value in [value, upper, upper.max(lower + 1) - 1, lower] {
                let number = encode(&space, &Value::Int(value));
                assert_eq!(decode(&space, number), Value::Int(value));
                assert_round_trip(&space, number);
                // Neighbours have other numbers, in order.
                let mut expected = Vec::new();
                if value > lower {
                    expected.push(encode(&space, &Value::Int(value - 1)));
                    assert!(expected[0] < number);
                }
                if value < upper {
                    expected.push(encode(&space, &Value::Int(value + 1)));
                    assert!(number < expected[expected.len() - 1]);
                }
                assert_eq!(domain.neighbours(number), expected);
                assert_eq!(domain.nth(value.abs_diff(lower)), number);
            }
            assert_round_trip(&space, draw as f64 / u64::MAX as f64);
        }
    }
}

#[test]
fn numbers_are_their_formulas() {
    let number = |dimension: Dimension, value: f64| encode(&one(&dimension), &Value::Real(value));
    let cases = [
        (number(real(20.0, 80.0, Scale::Linear), 35.0), 0.25),
        (number(real(1e-4, 1.0, Scale::Log), 1e-3), 0.25),
        (number(int(-2, 8, Scale::Linear), 3.0), 0.5),
        (number(int(1, 16, Scale::Log), 2.0), 0.25),
    ];
    for (found, expected) in cases {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
    let space = one(&Dimension::choice("metal", &["Pd", "Ni", "Cu"]));
    for (index, word) in ["Pd", "Ni", "Cu"].into_iter().enumerate() {
        assert_eq!(encode(&space, &word.into()), index as f64);
        for number in [index as f64, index as f64 + 0.4, index as f64 - 0.4] {
            assert_eq!(decode(&space, number), word.into());
        }
    }
    assert_eq!([decode(&space, -9.0), decode(&space, 9.0)], ["Pd".into(), "Cu".into()]);
}

#[test]
fn the_nearest_number_is_the_nearest() {
    // Between 1 and 2 a logarithmic range turns at √2, not at 1½.
    let domain = int(1, 4, Scale::Log).domain;
    assert_eq!([0.24, 0.26, 0.7].map(|u| domain.snap(u)), [0.0, 0.5, domain.nth(2)]);
    for scale in [Scale::Linear, Scale::Log] {
        let domain = int(3, 40, scale).domain;
        let numbers: Vec<f64> = (0..38).map(|i| domain.nth(i)).collect();
        for step in 0..1000 {
            let u = f64::from(step) / 999.0;
            let nearest = numbers.iter().copied().min_by(|a, b| (a - u).abs().total_cmp(&(b - u).abs())).unwrap();
            assert_eq!(domain.snap(u), nearest);
        }
    }
    let domain = Dimension::choice("metal", &["Pd", "Ni", "Cu"]).domain;
    assert_eq!([-0.3, 0.6, 7.0].map(|u| domain.snap(u).to_bits()), [0.0f64, 1.0, 2.0].map(f64::to_bits));
    assert_eq!(domain.neighbours(1.0), [0.0, 2.0]);
    assert!(
        [&domain, &int(1, 4, Scale::Log).domain, &real(0.0, 1.0, Scale::Linear).domain]
            .iter()
            .all(|domain| domain.snap(f64::NAN).is_nan())
    );
}

#[test]
fn uniform_numbers_spread_evenly() {
    const COUNT: u32 = 100_000;
    let shares = |domain: &Domain| {
        let mut shares = vec![0.0; domain.count().unwrap() as usize];
        for i in 0..COUNT {
            let number = domain.from_unit((f64::from(i) + 0.5) / f64::from(COUNT));
            let nth = (0..shares.len()).find(|&k| domain.nth(k as u64) == number).expect("a number of the domain");
            shares[nth] += 1.0 / f64::from(COUNT);
        }
        shares
    };
    let even = |share: f64| (share - 0.2).abs() < 1e-4;
    assert!(shares(&int(-2, 2, Scale::Linear).domain).into_iter().all(even));
    assert!(shares(&Dimension::choice("c", &["a", "b", "c", "d", "e"]).domain).into_iter().all(even));
    for (i, share) in shares(&int(2, 6, Scale::Log).domain).into_iter().enumerate() {
        let i = i as f64 + 2.0;
        assert!((share - ((i + 1.0) / i).ln() / 3.5f64.ln()).abs() < 1e-4, "{i}: {share}");
    }
    for domain in [int(2, 6, Scale::Log).domain, int(2, 6, Scale::Linear).domain] {
        assert_eq!([domain.from_unit(0.0), domain.from_unit(1.0)], [0.0, 1.0]);
    }
    let domain = real(1.0, 9.0, Scale::Log).domain;
    assert!((domain.from_unit(0.3) - 0.3).abs() < 1e-12 && domain.from_unit(0.3) == domain.snap(0.3));
}

#[test]
fn whole_numbers_are_taken_for_each_other() {
    let space = Space::new(vec![real(0.0, 4.0, Scale::Linear), int(0, 4, Scale::Linear)]).unwrap();
    assert_eq!(space.encode(&[1.into(), Value::Real(3.0)]).unwrap(), [0.25, 0.75]);
    assert_eq!(space.decode(&[0.25, 0.75]).unwrap(), [Value::Real(1.0), Value::Int(3)]);
    // A CSV file cannot say that its 8 is a word.
    let space = one(&Dimension::choice("batch", &["8", "0.5"]));
    assert_eq!([encode(&space, &8.into()), encode(&space, &0.5.into())], [0.0, 1.0]);
}

#[test]
fn labels_keep_their_types_and_are_found_by_their_text() {
    let text = r#"{"inputs":[{"name":"flag","choice":[true,false]},{"name":"size","choice":[1,2.5,-3]},{"name":"mixed","choice":[0.1,"a",null]},{"name":"old","choice":["True","1.0","1"]}]}"#;
    let space: Space = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&space).unwrap(), text);
    let labels: [&[Value]; 4] = [
        &[true.into(), false.into()],
        &[1.into(), 2.5.into(), (-3).into()],
        &[0.1.into(), "a".into(), Value::Null],
        &["True".into(), "1.0".into(), "1".into()],
    ];
    for (dimension, labels) in space.dimensions().iter().zip(labels) {
        assert_eq!((dimension, dimension.domain.choices()), (&Dimension::choice(&dimension.name, labels), labels));
        let space = one(dimension);
        for (index, label) in labels.iter().enumerate() {
            assert_eq!((encode(&space, label), &decode(&space, index as f64)), (index as f64, label));
        }
    }
    // As tables, Python and older files have them; each is written as it is listed.
    let found: [(usize, Value, f64); 14] = [
        (0, "true".into(), 0.0),
        (0, "FALSE".into(), 1.0),
        (0, "True".into(), 0.0),
        (1, "1".into(), 0.0),
        (1, 1.0.into(), 0.0),
        (1, "1.0".into(), 0.0),
        (1, "2.50".into(), 1.0),
        (1, "-3".into(), 2.0),
        (2, "1e-1".into(), 0.0),
        (2, "null".into(), 2.0),
        (3, true.into(), 0.0),
        (3, "1.0".into(), 1.0),
        (3, 1.into(), 2.0),
        (3, 1.0.into(), 2.0),
    ];
    for (k, value, number) in found {
        let domain = &space.dimensions()[k].domain;
        assert_eq!(domain.encode(&value), Some(number), "{value}");
        assert_eq!(domain.canonical(&value), labels[k][number as usize]);
        // Columns of tables are looked up in another way.
        let table = one(&space.dimensions()[k]).with_candidates(vec![vec![value]]).unwrap();
        assert_eq!(table.candidate(0).unwrap(), [labels[k][number as usize].clone()]);
    }
    for (k, value) in
        [(0, 1.into()), (0, "yes".into()), (1, true.into()), (2, "".into()), (2, 0.2.into()), (3, "true".into())]
    {
        assert_eq!(space.dimensions()[k].domain.encode(&value), None, "{k}: {value}");
    }
    let alike: [&[Value]; 6] = [
        &[1.into(), "1".into()],
        &["1.0".into(), 1.into()],
        &[true.into(), "True".into()],
        &[1.into(), 1.0.into()],
        &[Value::Null, "null".into()],
        &["a".into(), f64::NAN.into()],
    ];
    for labels in alike {
        let error = Space::new(vec![Dimension::choice("c", labels)]).unwrap_err().to_string();
        assert!(error.contains("apart") || error.contains("twice") || error.contains("not finite"), "{error}");
    }
}

#[test]
fn values_outside_are_refused_by_name() {
    let space = Space::new(vec![
        Dimension::real("temperature", 20.0, 80.0),
        Dimension::int("layers", 1, 8),
        Dimension::choice("metal", &["Pd", "Ni"]),
    ])
    .unwrap();
    let good: [Value; 3] = [30.0.into(), 2.into(), "Ni".into()];
    space.encode(&good).unwrap();
    let temperature = [f64::NAN, f64::INFINITY, 19.999, 80.001].map(Value::Real);
    let layers = [Value::Real(2.5), Value::Real(f64::NAN), 0.into(), 9.into(), i64::MIN.into(), Value::Real(1e300)];
    let bad = temperature.into_iter().chain(["warm".into()]).map(|value| (0, value));
    let bad = bad.chain(layers.into_iter().chain(["two".into()]).map(|value| (1, value)));
    for (k, wrong) in bad.chain(["Co", "pd", ""].map(|word| (2, word.into()))).chain([(2, 1.into())]) {
        let mut point = good.clone();
        point[k] = wrong.clone();
        let error = space.encode(&point).unwrap_err();
        let Error::Value { input, value, allowed } = &error else { panic!("{error}") };
        assert_eq!((input, value), (&space.dimensions()[k].name, &wrong.to_string()));
        let expected = ["a number from 20.0 to 80.0", "a whole number from 1 to 8", "one of 'Pd', 'Ni'"][k];
        assert_eq!(allowed, expected);
        assert_eq!(error.to_string(), format!("input '{input}' cannot be {wrong}: give {expected}"));
    }
    assert!(matches!(space.encode(&good[..2]), Err(Error::Shape { found: 2, expected: 3, .. })));
    assert!(matches!(space.decode(&[0.0; 4]), Err(Error::Shape { found: 4, expected: 3, .. })));
    assert!(matches!(space.decode(&[0.0, f64::NAN, 0.0]), Err(Error::Value { input, .. }) if input == "layers"));
    // No f64 is this integer.
    let wide = one(&real(0.0, 1e19, Scale::Linear));
    assert!(wide.encode(&[Value::Int((1 << 53) + 1)]).is_err() && wide.encode(&[Value::Int(i64::MAX)]).is_err());
    assert!(wide.encode(&[Value::Int(1 << 60)]).is_ok());
    let many: Vec<String> = (0..100).map(|i| format!("c{i}")).collect();
    let many = one(&Dimension::choice("many", &many.iter().map(String::as_str).collect::<Vec<_>>()));
    assert!(many.encode(&["x".into()]).unwrap_err().to_string().ends_with("'c11', … (100 in all)"));
}

#[test]
fn grids_are_what_a_lab_can_set() {
    let values = |dimension: Dimension| -> Vec<String> {
        let domain = &dimension.domain;
        (0..domain.count().unwrap()).map(|k| domain.decode(domain.nth(k)).to_string()).collect()
    };
    let percent = values(Dimension::real("water", 0.0, 1.0).digits(2));
    assert_eq!((percent.len(), &*percent[29], &*percent[30], &*percent[37]), (101, "0.29", "0.3", "0.37"));
    let loading = values(Dimension::real("loading", 0.001, 0.1).log().digits(3));
    assert_eq!((loading.len(), &*loading[0], &*loading[36], &*loading[99]), (100, "0.001", "0.037", "0.1"));
    let celsius = values(Dimension::real("temperature", 20.0, 120.0).step(0.5).log());
    assert_eq!((celsius.len(), &*celsius[1], &*celsius[200]), (201, "20.5", "120.0"));
    // The last value is the one below an upper end that is not on the grid; digits begin above the lower end.
    assert_eq!(values(Dimension::real("x", 0.0, 1.0).step(0.3)), ["0.0", "0.3", "0.6", "0.9"]);
    assert_eq!(values(Dimension::real("x", 0.05, 0.35).step(0.1)), ["0.05", "0.15", "0.25", "0.35"]);
    assert_eq!(values(Dimension::real("x", -0.26, 0.14).digits(1)), ["-0.2", "-0.1", "0.0", "0.1"]);
    assert_eq!(values(Dimension::real("x", 1e6, 3e6).step(1e6)), ["1000000.0", "2000000.0", "3000000.0"]);
    // What a spreadsheet makes of 0.3.
    let space = one(&Dimension::real("x", 0.0, 1.0).step(0.1));
    assert_eq!(space.canonical(&[(0.1 + 0.2).into()]), [Value::Real(0.3)]);
    let error = space.encode(&[0.25.into()]).unwrap_err().to_string();
    assert!(error.ends_with("give a number from 0.0 to 1.0 in steps of 0.1"), "{error}");
}

#[test]
fn what_has_no_number_is_refused_even_if_it_was_observed() {
    let space = Space::new(vec![
        Dimension::real("temperature", 20.0, 80.0),
        Dimension::real("rate", 0.1, 10.0).log(),
        Dimension::int("layers", 1, 8),
        Dimension::int("units", 8, 512).log(),
        Dimension::choice("metal", &["Pd", "Ni"]),
    ])
    .unwrap();
    let good: [Value; 5] = [5.0.into(), 100.0.into(), (-6).into(), 4.into(), "Ni".into()];
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let numbers = space.encode_observed(&good).unwrap();
    let expected = [-0.25, 1.5, -1.0, -1.0 / 6.0, 1.0];
    assert!(numbers.iter().zip(expected).all(|(&found, expected)| close(found, expected)), "{numbers:?}");
    assert!(!space.contains(&good) && !space.contains_numbers(&numbers) && space.encode(&good).is_err());
    let bad: [(usize, &[Value]); 5] = [
        (0, &[f64::NAN.into(), f64::INFINITY.into(), f64::MAX.into(), 1e9.into(), "warm".into(), true.into()]),
        (1, &[0.0.into(), (-1.0).into(), 5e-324.into()]),
        (2, &[2.5.into(), 9.5.into(), 1e300.into(), i64::MAX.into(), i64::MIN.into()]),
        (3, &[0.into(), (-8).into()]),
        (4, &["Co".into(), 2.into(), Value::Null]),
    ];
    for (k, values) in bad {
        for wrong in values {
            let mut point = good.clone();
            point[k] = wrong.clone();
            let error = space.encode_observed(&point).unwrap_err();
            assert!(matches!(&error, Error::Value { input, .. } if *input == space.dimensions()[k].name), "{error}");
        }
    }
    let error = space.dimensions()[1].encode_observed(&0.0.into()).unwrap_err().to_string();
    assert!(error.ends_with("give a number above 0 near the range of 0.1 to 10.0"), "{error}");
    // A column of a table that has but one value has no scale.
    let table = Space::from_table(&["x".into()], vec![vec![7.0.into()]]).unwrap();
    assert!(table.encode_observed(&[7.0.into()]).is_ok() && table.encode_observed(&[8.0.into()]).is_err());
}

#[test]
fn senseless_inputs_are_refused_with_a_remedy() {
    let (linear, log) = (Scale::Linear, Scale::Log);
    let cases = [
        (real(2.0, 1.0, linear), "swap"),
        (real(1.0, 1.0, linear), "leave it out"),
        (real(f64::NAN, 1.0, linear), "finite"),
        (real(0.0, f64::INFINITY, linear), "finite"),
        (real(-1.7e308, 1.7e308, linear), "rescale"),
        (real(0.0, 1.0, log), "above 0"),
        (real(-1.0, 1.0, log), "above 0"),
        (real(5e-324, 1.0, log), "above 0"),
        (real(0.0, 1.0, linear).step(0.0), "positive"),
        (real(0.0, 1.0, linear).step(-0.1), "positive"),
        (real(0.0, 1.0, linear).step(2.0), "shorter"),
        (real(0.0, 1.0, linear).step(1e-17), "longer"),
        (real(0.0, 1.0, linear).digits(40), "longer"),
        (real(0.0, 1.0, linear).digits(301), "fewer"),
        (real(0.2, 0.8, linear).digits(0), "more digits"),
        (real(0.2, 1.8, linear).digits(0), "leave it out"),
        (real(0.0, 1.0, log).step(0.1), "above 0"),
        (real(1.0, 0.0, linear).digits(1), "swap"),
        (real(0.0, f64::INFINITY, linear).step(0.1), "finite"),
        (int(3, 2, linear), "swap"),
        (int(3, 3, linear), "leave it out"),
        (int(0, 9, log), "above 0"),
        (int(0, 1 << 52, linear), "narrow"),
        (int(i64::MIN, i64::MAX, linear), "narrow"),
        (int(1, 1 << 50, log), "narrow"),
        (Dimension::choice("c", &[""; 0]), "at least two"),
        (Dimension::choice("c", &["a"]), "leave it out"),
        (Dimension::choice("c", &["a", "b", "a"]), "'a'"),
        (Dimension::choice(" ", &["a", "b"]), "name it"),
        (int(1, 3, linear).unit(" "), "unit"),
        (int(1, 3, linear).unit("m\n"), "unit"),
    ];
    for (dimension, fragment) in cases {
        let good = Dimension::real("good", 0.0, 1.0);
        let error = Space::new(vec![good, dimension.clone()]).unwrap_err();
        let Error::Input { name, .. } = &error else { panic!("{error}") };
        assert!(name.trim() == dimension.name.trim() && error.to_string().contains(fragment), "{error}");
        // The same through a file, if it can be written there.
        let Ok(text) = serde_json::to_string(&dimension) else { continue };
        let space = format!(r#"{{"inputs": [{{"name": "good", "real": [0, 1]}}, {text}]}}"#);
        let read = serde_json::from_str::<Space>(&space);
        assert!(read.is_err(), "{text}");
        if !text.contains("null") {
            assert!(read.unwrap_err().to_string().contains(fragment), "{text}");
        }
    }
    Space::new(vec![int(0, (1 << 52) - 1, linear), real(f64::MIN_POSITIVE, f64::MAX, log)]).unwrap();
    let twice = Space::new(vec![Dimension::real("a", 0.0, 1.0), Dimension::int("a", 0, 1)]);
    assert!(matches!(twice, Err(Error::Input { name, .. }) if name == "a"));
    assert!(matches!(Space::new(vec![]), Err(Error::Unsupported { .. })));
}

#[test]
fn files_say_it_in_words() {
    let text = r#"{"inputs":[{"name":"temperature","real":[20.0,80.0]},{"name":"rate","real":[0.0001,0.1],"log":true},{"name":"layers","int":[1,8]},{"name":"units","int":[8,512],"log":true},{"name":"metal","choice":["Pd","Ni"]},{"name":"heat","real":[20.0,120.0],"step":0.5,"unit":"°C"}]}"#;
    let space: Space = serde_json::from_str(text).unwrap();
    let expected = vec![
        Dimension::real("temperature", 20.0, 80.0),
        Dimension::real("rate", 1e-4, 0.1).log(),
        Dimension::int("layers", 1, 8),
        Dimension::int("units", 8, 512).log(),
        Dimension::choice("metal", &["Pd", "Ni"]),
        Dimension::real("heat", 20.0, 120.0).step(0.5).unit("°C"),
    ];
    assert_eq!([expected[0].label(), expected[5].label()], ["temperature", "heat (°C)"]);
    assert_eq!(space.dimensions(), expected);
    assert_eq!(serde_json::to_string(&space).unwrap(), text);
    assert_eq!((space.size(), one(&expected[2]).size()), (None, Some(8)));
    let finite = Space::new(expected[2..5].to_vec()).unwrap();
    assert_eq!(finite.size(), Some(8 * 505 * 2));
    let huge = (0..3).map(|k| Dimension::int(format!("n{k}"), 0, 1 << 30)).collect();
    assert_eq!(Space::new(huge).unwrap().size(), None);
}

#[test]
fn files_that_say_something_else_are_refused() {
    let cases = [
        (r#"{"name": "a", "real": [0, 1], "int": [0, 1]}"#, "not clear"),
        (r#"{"name": "a"}"#, "not clear"),
        (r#"{"name": "a", "choice": ["u", "v"], "log": true}"#, "leave out log"),
        (r#"{"name": "a", "real": [0, 1], "scale": "log"}"#, "unknown field"),
        (r#"{"name": "a", "real": [0, 1], "step": 0.1, "digits": 1}"#, "leave out one"),
        (r#"{"name": "a", "int": [0, 9], "step": 2}"#, "only real inputs"),
        (r#"{"name": "a", "choice": [1, 2], "digits": 1}"#, "only real inputs"),
        (r#"{"name": "a", "real": [0]}"#, "1 ends"),
        (r#"{"real": [0, 1]}"#, "name"),
        (r#"{"name": "a", "real": [1, 0]}"#, "swap"),
    ];
    for (input, fragment) in cases {
        let alone = serde_json::from_str::<Dimension>(input).unwrap_err().to_string();
        let whole = serde_json::from_str::<Space>(&format!(r#"{{"inputs": [{input}]}}"#)).unwrap_err().to_string();
        assert!(alone.contains(fragment) && whole.contains(fragment), "{alone} / {whole}");
    }
    let with = |rest: &str| {
        serde_json::from_str::<Space>(&format!(r#"{{"inputs": [{{"name": "a", "real": [0, 1]}}]{rest}}}"#))
    };
    assert!(with(r#", "constraints": []"#).is_ok());
    for constraints in [r#"["a + b < 1"]"#, r#"[{"a": 1, "below": 0.5}]"#, r#""a < 1""#] {
        let error = with(&format!(r#", "constraints": {constraints}"#)).unwrap_err().to_string();
        assert!(error.contains("constraints") && error.contains("table of candidates"), "{error}");
    }
    assert!(with(r#", "candidate": [[0.5]]"#).unwrap_err().to_string().contains("unknown field"));
    assert!(with(r#", "candidates": []"#).unwrap_err().to_string().contains("empty"));
    assert!(serde_json::from_str::<Space>(r#"{"inputs": []}"#).unwrap_err().to_string().contains("at least one"));
}

fn table() -> (Space, Vec<Point>) {
    let inputs = vec![
        Dimension::real("x", -1.0, 1.0),
        Dimension::int("n", 0, 9),
        Dimension::choice("c", &["u", "v", "w"]),
        Dimension::real("y", 1e-3, 1e3).log(),
    ];
    // None of these reals lies on the grid.
    let row = |i: usize| -> Point {
        let word = ["u", "v", "w"][i % 3];
        vec![((i as f64).sin()).into(), (i as i64 % 10).into(), word.into(), (i as f64).cos().exp().into()]
    };
    (Space::new(inputs).unwrap(), (0..200).map(row).collect())
}

#[test]
fn candidates_come_back_exactly_as_given() {
    let (space, rows) = table();
    let space = space.with_candidates(rows.clone()).unwrap();
    assert_eq!((space.size(), space.candidates().unwrap().nrows()), (Some(200), 200));
    let text = serde_json::to_string(&space).unwrap();
    let again: Space = serde_json::from_str(&text).unwrap();
    assert_eq!(again, space);
    for space in [&space, &again] {
        for (i, row) in rows.iter().enumerate() {
            let numbers = flat(space.candidates().unwrap().subrows(i, 1));
            assert_eq!(&space.decode(&numbers).unwrap(), row);
            assert_eq!(space.candidate(i).as_ref(), Some(row));
            assert_eq!(space.encode(row).unwrap(), numbers);
            assert_eq!(space.find(&numbers), Some(i));
            let mut snapped = numbers.clone();
            space.snap(&mut snapped);
            assert_eq!(snapped, numbers);
        }
    }
    assert_eq!((space.candidate(200), space.find(&[0.5; 4])), (None, None));
    assert!(matches!(space.decode(&[0.5; 4]), Err(Error::Unsupported { .. })));
    // Points outside the table may have been evaluated.
    assert!(space.encode(&[0.0.into(), 5.into(), "w".into(), 1.0.into()]).is_ok());
    assert!(table().0.candidates().is_none() && table().0.candidate(0).is_none());
}

#[test]
fn a_candidate_given_again_is_left_out() {
    let (space, rows) = table();
    let mut again: Vec<Point> = rows[..50].to_vec();
    again.extend_from_slice(&rows[20..100]);
    again.push(rows[3].clone());
    let space = space.with_candidates(again).unwrap();
    assert_eq!(space.size(), Some(100));
    for (i, row) in rows[..100].iter().enumerate() {
        assert_eq!(space.candidate(i).as_ref(), Some(row));
        assert_eq!(space.find(&space.encode(row).unwrap()), Some(i));
    }
    // 3 and 3.0 are the same; two numbers within a step of the grid are not.
    let one = || Space::new(vec![Dimension::real("x", 0.0, 10.0)]).unwrap();
    assert_eq!(one().with_candidates(vec![vec![3.into()], vec![3.0.into()]]).unwrap().size(), Some(1));
    let close = one().with_candidates(vec![vec![7.0.into()], vec![3.0.into()], vec![(3.0 + 1e-14).into()]]);
    let error = close.unwrap_err().to_string();
    assert!(error.contains("row 2") && error.contains("row 1"), "{error}");
}

#[test]
fn candidates_are_known_by_their_labels() {
    let column = |name: &str, values: &[&str]| LabelColumn {
        name: name.into(),
        values: values.iter().map(|value| value.to_string()).collect(),
    };
    let inputs = || Space::new(vec![Dimension::real("x", 0.0, 1.0), Dimension::choice("m", &["Pd", "Ni"])]).unwrap();
    let row = |x: f64, m: &str| -> Point { vec![x.into(), m.into()] };
    let rows = vec![row(0.5, "Pd"), row(0.5, "Pd"), row(0.25, "Ni"), row(0.5, "Pd"), row(0.5, "Pd")];
    // Row 3 is row 0 again, as the id says. Without an id all labels count.
    let labels = vec![column("Id", &["a", "b", "c", "a", "d"]), column("SMILES", &["C", "C", "O", "CO", "C"])];
    let space = inputs().with_labelled_candidates(rows.clone(), labels.clone()).unwrap();
    assert_eq!((space.size(), space.label_names().collect::<Vec<_>>()), (Some(4), vec!["Id", "SMILES"]));
    let again: Space = serde_json::from_str(&serde_json::to_string(&space).unwrap()).unwrap();
    assert_eq!(again, space);
    let names = ["x", "m"].map(String::from);
    for space in [space, again, Space::from_labelled_table(&names, rows.clone(), labels.clone()).unwrap()] {
        assert_eq!([0, 2].map(|row| space.rows_at(&rows[row])), [vec![0, 1, 4], vec![2]]);
        assert_eq!((space.rows_at(&row(0.75, "Pd")), space.rows_at(&row(2.0, "Pd"))), (vec![], vec![]));
        assert_eq!((space.identity(1), space.identity(3)), (Some(vec!["b"]), None));
        assert_eq!(space.labels(4).unwrap(), [("Id", "d"), ("SMILES", "C")]);
        assert_eq!((space.labels(3), space.labels(5), space.candidate(3)), (None, None, Some(rows[4].clone())));
    }
    let smiles = Space::from_labelled_table(&names, rows.clone(), labels[1..].to_vec()).unwrap();
    assert_eq!((smiles.rows_at(&rows[0]), smiles.identity(3)), (vec![0, 3], Some(vec!["CO"])));
    let plain = inputs().with_candidates(rows.clone()).unwrap();
    assert_eq!((plain.size(), plain.labels(2), plain.label_names().count()), (Some(2), Some(vec![]), 0));
    assert!(inputs().labels(0).is_none() && inputs().rows_at(&rows[0]).is_empty());
    for (wrong, part) in [
        (column("id", &["a"]), "'id'"),
        (column("x", &["a", "b", "c", "d", "e"]), "rename"),
        (column("", &["a", "b", "c", "d", "e"]), "rename"),
    ] {
        let error = inputs().with_labelled_candidates(rows.clone(), vec![wrong]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn faulty_candidates_are_refused_by_row() {
    let (space, rows) = table();
    let mut wrong = rows.clone();
    wrong[17][1] = 10.into();
    wrong[9][2] = "z".into();
    let error = space.clone().with_candidates(wrong.clone()).unwrap_err();
    assert_eq!(error.to_string(), "row 9 of the candidates: input 'c' cannot be 'z': give one of 'u', 'v', 'w'");
    wrong[9][2] = "u".into();
    assert!(matches!(space.clone().with_candidates(wrong), Err(Error::Candidate { row: 17, .. })));
    let mut short = rows;
    short[4].pop();
    assert!(matches!(space.clone().with_candidates(short), Err(Error::Shape { found: 3, expected: 4, .. })));
    assert!(matches!(space.with_candidates(vec![]), Err(Error::Empty { .. })));
}

#[test]
fn a_table_says_what_its_columns_are() {
    let names: Vec<String> = ["x", "n", "c", "constant", "word", "mixed"].map(String::from).to_vec();
    let row = |x: f64, n: i64, c: &str, mixed: Value| -> Point {
        vec![x.into(), n.into(), c.into(), (-0.7).into(), "only".into(), mixed]
    };
    let rows = vec![
        row(0.3, 4, "b", 2.into()),
        row(-1e-3, 40, "a", "two".into()),
        row(0.1, -4, "b", 2.5.into()),
        row(0.3, 4, "c", 2.into()),
    ];
    let space = Space::from_table(&names, rows.clone()).unwrap();
    let labels = |labels: &[Value]| Domain::Categorical(Choices(labels.to_vec()));
    let range = |lower, upper| Domain::Real(RealRange { lower, upper, scale: Scale::Linear });
    let expected = [
        range(-1e-3, 0.3),
        range(-4.0, 40.0),
        labels(&["b".into(), "a".into(), "c".into()]),
        range(-0.7, -0.7),
        labels(&["only".into()]),
        labels(&[2.into(), "two".into(), 2.5.into()]),
    ];
    for (dimension, (name, domain)) in space.dimensions().iter().zip(names.iter().zip(expected)) {
        assert_eq!((&dimension.name, &dimension.domain), (name, &domain));
    }
    let again: Space = serde_json::from_str(&serde_json::to_string(&space).unwrap()).unwrap();
    assert_eq!(again, space);
    for (i, row) in rows.iter().enumerate() {
        let numbers = space.encode(row).unwrap();
        assert_eq!((numbers[3], numbers[4]), (0.0, 0.0));
        let found = space.decode(&numbers).unwrap();
        assert_eq!(Some(&found), space.candidate(i).as_ref());
        assert_eq!(&found, row);
        assert_eq!(space.encode(&found).unwrap(), numbers);
    }
    let mut holes = rows.clone();
    holes[2][0] = f64::NAN.into();
    let error = Space::from_table(&names, holes).unwrap_err();
    assert!(matches!(&error, Error::Candidate { row: 2, .. }) && error.to_string().contains("'x'"), "{error}");
    assert!(Space::from_table(&names[..5], rows.clone()).is_err());
    let twice: Vec<String> = ["x", "x", "c", "d", "e", "f"].map(String::from).to_vec();
    assert!(matches!(Space::from_table(&twice, rows), Err(Error::Input { name, .. }) if name == "x"));
}

/// Looked up, not searched: a column of names would otherwise take hours.
#[test]
fn large_tables_are_no_trouble() {
    let row = |i: usize| -> Point {
        let mut row: Point = (0..8).map(|k| ((i * (k + 3)) as f64 * 0.618).sin().into()).collect();
        row.extend([Value::Choice(format!("name {i}")), Value::Int(i as i64 % 100)]);
        row
    };
    let count = 100_000;
    let names: Vec<String> = (0..10).map(|k| format!("x{k}")).collect();
    let rows = (0..count).map(row).collect();
    let space = Space::from_table(&names, rows).unwrap();
    assert_eq!(space.size(), Some(count as u64));
    assert_eq!(space.find(&flat(space.candidates().unwrap().subrows(77_777, 1))), Some(77_777));
}
