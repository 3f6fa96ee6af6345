//! Values and numbers determine each other, by the formulas of the module.

use super::*;

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

    /// Every value comes back as it was listed; others, in between and beyond, are observed only.
    #[test]
    fn lists_come_back_as_they_were_given(
        values in prop::collection::hash_set(-3000..3000i64, 2..40),
        divisor in prop_oneof![Just(1), Just(7), Just(1000)],
        log in any::<bool>(),
        numbers in prop::array::uniform4(unit()),
    ) {
        let listed: Vec<Value> = values
            .iter()
            .map(|&v| if log { v + 3001 } else { v })
            .map(|v| if v % divisor == 0 { Value::Int(v / divisor) } else { Value::Real(v as f64 / divisor as f64) })
            .collect();
        let dimension = Dimension::values("v", &listed);
        let space = one(&if log { dimension.log() } else { dimension });
        let domain = &space.dimensions()[0].domain;
        prop_assert!(!domain.is_continuous() && !domain.is_categorical());
        prop_assert_eq!(domain.count(), Some(listed.len() as u64));
        let real = |value: &Value| match value { Value::Int(i) => *i as f64, Value::Real(x) => *x, _ => unreachable!() };
        let mut ascending: Vec<&Value> = listed.iter().collect();
        ascending.sort_by(|a, b| real(a).total_cmp(&real(b)));
        let (lower, upper) = (real(ascending[0]), real(ascending[listed.len() - 1]));
        assert_ends(&space, ascending[0].clone(), ascending[listed.len() - 1].clone());
        for (k, &value) in ascending.iter().enumerate() {
            let number = domain.nth(k as u64);
            let x = real(value);
            let exact = if log { (x / lower).ln() / (upper / lower).ln() } else { (x - lower) / (upper - lower) };
            prop_assert!((number - exact).abs() < 1e-14, "{number}, not {exact}");
            prop_assert_eq!(encode(&space, value).to_bits(), number.to_bits());
            prop_assert_eq!(&decode(&space, number), value);
            prop_assert_eq!(&space.canonical(&[Value::Real(x)]), std::slice::from_ref(value));
            let next: Vec<Value> = domain.neighbours(number).into_iter().map(|next| decode(&space, next)).collect();
            let expected: Vec<Value> = [k.wrapping_sub(1), k + 1].iter().filter_map(|&k| ascending.get(k)).map(|&v| v.clone()).collect();
            prop_assert_eq!(next, expected);
            if let Some(above) = ascending.get(k + 1) {
                let between = Value::Real(0.7 * x + 0.3 * real(above));
                let observed = space.encode_observed(std::slice::from_ref(&between)).unwrap()[0];
                prop_assert!((number..domain.nth(k as u64 + 1)).contains(&observed));
                prop_assert!(space.encode(&[between]).is_err() && !space.contains_numbers(&[observed]));
            }
        }
        for number in numbers {
            assert_round_trip(&space, number);
        }
        prop_assert!(space.encode_observed(&[(upper + 0.5).into()]).unwrap()[0] > 1.0);
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
fn labels_in_order_are_equally_far_apart() {
    let labels: [Value; 4] = ["slow".into(), 2.into(), true.into(), "fast".into()];
    let space = one(&Dimension::ordinal("stirring", &labels));
    let domain = &space.dimensions()[0].domain;
    assert!(!domain.is_continuous() && !domain.is_categorical() && domain.range().is_none());
    assert_eq!((domain.count(), domain.largest(), domain.choices()), (Some(4), 1.0, &labels[..]));
    for (index, label) in labels.iter().enumerate() {
        let number = index as f64 / 3.0;
        assert_eq!((encode(&space, label), domain.nth(index as u64)), (number, number));
        for near in [number - 0.1, number, number + 0.1] {
            assert_eq!(&decode(&space, near), label);
        }
    }
    assert_eq!(domain.neighbours(0.0), [1.0 / 3.0]);
    assert_eq!(domain.neighbours(1.0 / 3.0), [0.0, 2.0 / 3.0]);
    // As a table has them.
    assert_eq!(["2", "TRUE"].map(|text| encode(&space, &text.into())), [1.0 / 3.0, 2.0 / 3.0]);
    let table = one(&space.dimensions()[0]).with_candidates(vec![vec!["true".into()], vec!["slow".into()]]).unwrap();
    assert_eq!([table.candidate(0).unwrap(), table.candidate(1).unwrap()], [[true.into()], ["slow".into()]]);
    assert!(space.encode_observed(&["medium".into()]).is_err());
    let text = serde_json::to_string(&space).unwrap();
    assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
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
fn values_are_the_same_but_for_a_spreadsheets_rounding() {
    let real = real(20.0, 120.0, Scale::Linear);
    let same = |dimension: &Dimension, a: &Value, b: &Value| {
        assert_eq!(dimension.is_same(a, b), dimension.is_same(b, a));
        dimension.is_same(a, b)
    };
    assert!(same(&real, &Value::Real(84.686_76), &Value::Real(84.7)));
    assert!(!same(&real, &Value::Real(84.686_76), &Value::Real(86.0)));
    assert!(same(&real.clone().step(0.5), &Value::Real(84.5), &Value::Real(84.0)), "shown without decimals");
    let int = int(0, 1000, Scale::Linear);
    assert!(same(&int, &Value::Int(500), &Value::Real(500.0)) && !same(&int, &Value::Int(500), &Value::Int(501)));
    let choice = Dimension::choice("metal", &["Pd", "Ni", "8"]);
    assert!(same(&choice, &"Pd".into(), &"Pd".into()) && !same(&choice, &"Pd".into(), &"Ni".into()));
    assert!(same(&choice, &"8".into(), &Value::Int(8)));
    // Of a trial from before a choice was taken away, or a range became narrow.
    assert!(same(&choice, &"Cu".into(), &"Cu".into()) && same(&real, &Value::Real(1e9), &Value::Real(1e9)));
    assert!(!same(&choice, &"Cu".into(), &"Pd".into()));
}
