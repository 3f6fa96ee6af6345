//! Problems with several outputs against other implementations' values and what their records say of them.

mod common;

use common::*;
use rand_chacha::ChaCha8Rng;
use spargo::Error;
use spargo::math::pareto;
use spargo::rng::{Purpose, normal, stream, uniform};
use spargo::space::Value;
use spargo_problems as problems;
use spargo_problems::multi_objective::{
    ALL, DTLZ2, MaximumHypervolume, MultiObjectiveProblem, Numbers, RADIATOR, VLMOP2, ZDT1, ZDT2, ZDT3, by_name,
};
use std::f64::consts::{PI, SQRT_2};

fn random_point(problem: &MultiObjectiveProblem, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let unit: Vec<f64> = (0..problem.dimension()).map(|_| uniform(rng)).collect();
    problem.from_unit(&unit).unwrap()
}

fn random_points(problem: &MultiObjectiveProblem, n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = stream(seed, Purpose::Data, 0, 0);
    (0..n).map(|_| random_point(problem, &mut rng)).collect()
}

/// Points whose outputs are on the true front, some n of them.
fn pareto_set(problem: &MultiObjectiveProblem, n: usize) -> Option<Vec<Vec<f64>>> {
    let line = |n: usize| (0..=n).map(move |i| i as f64 / n as f64);
    let side = (n as f64).sqrt() as usize;
    match problem.name {
        "zdt1" | "zdt2" | "zdt3" => Some(line(n).map(|s| vec![s, 0.0, 0.0, 0.0]).collect()),
        "dtlz2" => Some(line(side).flat_map(|s| line(side).map(move |t| vec![s, t, 0.5, 0.5, 0.5])).collect()),
        "vlmop2" => Some(line(n).map(|s| vec![(2.0 * s - 1.0) / SQRT_2; 2]).collect()),
        _ => None,
    }
}

#[test]
fn values_agree_with_other_implementations() {
    let file = golden("functions");
    for (problem, theirs) in [(ZDT3, "ZDT3(4)_not_in_trieste"), (DTLZ2, "DTLZ2(5,3)"), (VLMOP2, "VLMOP2(2)")] {
        let function = &file["functions"][theirs];
        let rows = |key: &str| function[key].as_array().unwrap().iter().map(vector).collect::<Vec<_>>();
        for (x, expected) in rows("X").iter().zip(rows("F")) {
            assert_close(problem.name, &problem.value(x).unwrap(), &expected, 1e-13);
        }
    }
}

#[test]
fn zdt_is_its_formula() {
    for x in random_points(&ZDT1, 100, 1) {
        let g = 1.0 + 3.0 * (x[1] + x[2] + x[3]);
        let expected = [
            (ZDT1, g - (x[0] * g).sqrt()),
            (ZDT2, g - x[0] * x[0] / g),
            // The factor g cancels before the sine; BoTorch divides by it.
            (ZDT3, g - (x[0] * g).sqrt() - x[0] * (10.0 * PI * x[0]).sin()),
        ];
        for (problem, f2) in expected {
            assert_close(problem.name, &problem.value(&x).unwrap(), &[x[0], f2], 1e-12);
        }
    }
}

#[test]
fn the_radiator_agrees_with_its_reference() {
    for point in golden("radiator_designs")["points"].as_array().unwrap() {
        let (found, expected) = (RADIATOR.value(&vector(&point["x"])).unwrap(), vector(&point["outputs"]));
        let worst = found.iter().zip(&expected).map(|(f, e)| (f / e - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "found {found:?}, expected {expected:?}");
    }
    // As published, to its digits.
    let found = RADIATOR.value(&[0.5, 2e-3, 1.4e-3, 1.2e-3, 8e-5, 18e-3, 40.0, 2.0, 1.0]).unwrap();
    assert_close("test vector", &found, &[48.57407426, 3.669667741, 336.676956, 4993.158189, 98.45362881], 1e-9);
}

#[test]
fn a_tenth_of_random_radiators_is_feasible() {
    let n = 100_000;
    let outputs = RADIATOR.values(&random_points(&RADIATOR, n, 2)).unwrap();
    let share = outputs.iter().filter(|outputs| RADIATOR.feasible(outputs)).count() as f64 / n as f64;
    // 0.1009 of a million designs of the reference, with a standard error of 0.0003; here it is 0.001.
    assert!((share - 0.1009).abs() < 0.004, "{share}");
}

#[test]
fn the_best_known_radiators_are_what_their_file_says() {
    let Some(path) = data_file("radiator_reference_front.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|word| word.parse().unwrap()).collect()).collect();
    assert!(rows.len() > 1000);
    let MaximumHypervolume::AtLeast(volume) = RADIATOR.maximum_hypervolume else {
        panic!("{:?}", RADIATOR.maximum_hypervolume)
    };
    let mut outputs = Vec::new();
    for row in &rows {
        let found = RADIATOR.value(&row[2..]).unwrap();
        // Nine digits of every input are on file: an active constraint may be missed by as much.
        assert_close("heat and mass", &found[..2], &row[..2], 1e-7);
        let margins = found[2..].iter().zip(RADIATOR.constraints).map(|(found, limit)| found / limit.at_most);
        assert!(margins.clone().all(|margin| margin < 1.0 + 1e-7), "{:?}", margins.collect::<Vec<_>>());
        outputs.push([row[0], row[1], 0.0, 0.0, 0.0]);
    }
    let found = RADIATOR.hypervolume(&outputs).unwrap();
    assert!((found - volume).abs() < 0.005, "{found}");
    let all: Vec<Vec<f64>> = outputs.iter().map(|outputs| RADIATOR.maximised(outputs)).collect();
    assert_eq!(pareto::front(&all).len(), rows.len());
}

#[test]
fn true_fronts_dominate_what_is_said() {
    let n = 200_000;
    for problem in ALL {
        let Some(set) = pareto_set(problem, n) else { continue };
        let MaximumHypervolume::Exactly(volume) = problem.maximum_hypervolume else { panic!("{}", problem.name) };
        let mut outputs = problem.values(&set).unwrap();
        let shortfall = volume - problem.hypervolume(&outputs).unwrap();
        // Steps between n points of a curve leave out O(1/n), of a surface O(1/√n).
        let step = if problem.objectives.len() == 2 { 1.0 / n as f64 } else { 1.0 / (n as f64).sqrt() };
        assert!(shortfall > 0.0 && shortfall < 2.0 * step, "{}: {shortfall}", problem.name);
        // Nothing else reaches beyond: neither random points nor neighbours of the front's.
        let mut rng = stream(3, Purpose::Data, 0, 0);
        outputs.extend(problem.values(&random_points(problem, 20_000, 4)).unwrap());
        for x in set.iter().step_by(20) {
            let near = x.iter().zip(problem.inputs);
            let near = near.map(|(v, input)| (v + 0.01 * normal(&mut rng)).clamp(input.lower, input.upper));
            outputs.push(problem.value(&near.collect::<Vec<_>>()).unwrap());
        }
        assert!(problem.hypervolume(&outputs).unwrap() < volume, "{}", problem.name);
    }
}

#[test]
fn zdt3_has_the_published_volume_with_another_reference() {
    let outputs = ZDT3.values(&pareto_set(&ZDT3, 200_000).unwrap()).unwrap();
    let points: Vec<Vec<f64>> = outputs.iter().map(|outputs| ZDT3.maximised(outputs)).collect();
    let shortfall = 1.331762908657 - pareto::hypervolume(&points, &[-1.1, -1.1]).unwrap();
    assert!(shortfall > 0.0 && shortfall < 1e-5, "{shortfall}");
    // Five pieces: where the front jumps, f₁ does.
    let mut first: Vec<f64> = pareto::front(&points).into_iter().map(|i| -points[i][0]).collect();
    first.sort_by(f64::total_cmp);
    assert_eq!(first.windows(2).filter(|pair| pair[1] - pair[0] > 0.05).count(), 4);
}

#[test]
fn deviations_are_those_of_samples() {
    for problem in ALL {
        let n = if problem.name == "radiator" { 50_000 } else { 400_000 };
        let outputs = problem.values(&random_points(problem, n, 5)).unwrap();
        for (k, objective) in problem.objectives.iter().enumerate() {
            let (variance, fourth) = moments(outputs.iter().map(|outputs| outputs[k] / objective.std));
            // Five standard errors.
            let limit = 5.0 * ((fourth - variance * variance) / n as f64).sqrt();
            assert!((variance - 1.0).abs() < limit, "{} {}: {variance}", problem.name, objective.name);
        }
    }
}

/// The second and the fourth central moment.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let moment = |power| values.clone().map(|v| (v - mean).powi(power)).sum::<f64>() / n;
    (moment(2), moment(4))
}

/// Where the radiator's record has them from.
#[test]
#[ignore = "prints what the records say already"]
fn deviations() {
    for problem in ALL {
        let (blocks, n) = (10, 100_000);
        let mut sums = vec![[0.0; 2]; problem.objectives.len()];
        for block in 0..blocks {
            for outputs in problem.values(&random_points(problem, n, 1000 + block)).unwrap() {
                for (sum, output) in sums.iter_mut().zip(outputs) {
                    *sum = [sum[0] + output, sum[1] + output * output];
                }
            }
        }
        let count = (blocks * n as u64) as f64;
        for (sum, objective) in sums.iter().zip(problem.objectives) {
            let variance = sum[1] / count - (sum[0] / count).powi(2);
            println!("{} {}: {:.6}", problem.name, objective.name, variance.sqrt());
        }
    }
}

#[test]
fn observations_have_the_noise_they_should() {
    for problem in ALL {
        let (mut rng, n) = (stream(6, Purpose::Data, 0, 0), 4000);
        let x = random_point(problem, &mut rng);
        let truth = problem.value(&x).unwrap();
        let draws: Vec<Vec<f64>> = (0..n).map(|_| problem.observe(&x, &mut rng).unwrap()).collect();
        for (k, objective) in problem.objectives.iter().enumerate() {
            let errors = draws.iter().map(|draw| (draw[k] - truth[k]) / objective.std);
            let variance = errors.map(|e| e * e).sum::<f64>() / f64::from(n);
            let limit = 5.0 * (2.0 / f64::from(n)).sqrt() * problem.noise;
            assert!((variance - problem.noise).abs() <= limit, "{}: {variance}", problem.name);
        }
        assert_eq!(problem.noise, if problem.name == "radiator" { 0.0 } else { 0.01 });
    }
}

#[test]
fn records_fit_their_functions_and_spaces() {
    for problem in ALL {
        let outputs = problem.objectives.len() + problem.constraints.len();
        assert_eq!(problem.outputs().count(), outputs);
        assert_eq!(problem.reference().len(), problem.objectives.len());
        let space = problem.space().unwrap();
        let rows = random_points(problem, 200, 7);
        let values = problem.values(&rows).unwrap();
        for (x, value) in rows.iter().zip(&values) {
            assert_eq!(&problem.value(x).unwrap(), value);
            assert!(value.len() == outputs && value.iter().all(|v| v.is_finite()), "{}: {value:?}", problem.name);
            // The space takes what the problem does.
            let point: Vec<Value> = x.iter().map(|v| Value::Real(*v)).collect();
            assert!(space.encode(&point).unwrap().iter().all(|u| (0.0..=1.0).contains(u)));
        }
        for corner in [0.0, 1.0] {
            let x = problem.from_unit(&vec![corner; problem.dimension()]).unwrap();
            let ends = problem.inputs.iter().map(|input| if corner == 0.0 { input.lower } else { input.upper });
            assert!(x.iter().zip(ends).all(|(v, end)| *v == end));
            assert!(problem.value(&x).unwrap().iter().all(|v| v.is_finite()));
        }
    }
    let kinds = |numbers| RADIATOR.inputs.iter().filter(|input| input.numbers == numbers).count();
    assert_eq!([kinds(Numbers::Real), kinds(Numbers::Int)], [6, 3]);
}

#[test]
fn whole_numbers_have_equal_shares_of_the_cube() {
    let rows = random_points(&RADIATOR, 30_000, 8);
    for passes in [1.0, 2.0, 3.0] {
        let share = rows.iter().filter(|x| x[8] == passes).count() as f64 / 30_000.0;
        // Five standard deviations of a binomial share.
        assert!((share - 1.0 / 3.0).abs() < 0.0137, "{passes}: {share}");
    }
}

#[test]
fn only_what_is_feasible_counts() {
    let (kept, broken) = ([50.0, 5.0, 200.0, 1e4, 98.0], [60.0, 4.0, 200.0, 1e4, 98.6]);
    assert!(RADIATOR.feasible(&kept) && !RADIATOR.feasible(&broken));
    assert_eq!(RADIATOR.maximised(&kept), [50.0, -5.0]);
    assert_eq!(RADIATOR.reference(), [48.0, -15.0]);
    assert_eq!(RADIATOR.hypervolume(&[kept, broken]).unwrap(), 2.0 * 10.0);
    // At the limit is within it.
    assert!(RADIATOR.feasible(&[50.0, 5.0, 260.0, 25e3, 98.5]));
    assert!(!RADIATOR.feasible(&[50.0, 5.0, f64::NAN, 25e3, 98.5]));
    let refused = RADIATOR.hypervolume(&[[50.0, 5.0]]);
    assert!(matches!(refused, Err(Error::Shape { found: 2, expected: 5, .. })));
}

#[test]
fn points_that_do_not_belong_are_refused() {
    for problem in ALL {
        let d = problem.dimension();
        assert!(matches!(problem.value(&vec![0.5; d + 1]), Err(Error::Shape { .. })));
        assert!(matches!(problem.from_unit(&vec![0.5; d - 1]), Err(Error::Shape { .. })));
        assert!(matches!(problem.from_unit(&vec![1.5; d]), Err(Error::Parameter { .. })));
        let inside = problem.from_unit(&vec![0.5; d]).unwrap();
        let input = problem.inputs[d - 1];
        for outside in [input.lower - 1.0, input.upper + 1.0, f64::NAN, f64::INFINITY] {
            let mut x = inside.clone();
            x[d - 1] = outside;
            assert!(matches!(problem.value(&x), Err(Error::Parameter { .. })), "{}: {outside}", problem.name);
        }
    }
    let mut x = RADIATOR.from_unit(&[0.5; 9]).unwrap();
    x[6] += 0.5;
    assert!(matches!(RADIATOR.value(&x), Err(Error::Parameter { name, .. }) if name == "tubes"));
}

#[test]
fn problems_are_found_by_their_names() {
    for problem in ALL {
        assert!(std::ptr::eq(by_name(problem.name).unwrap(), problem));
        assert!(problems::by_name(problem.name).is_err() && !problem.citation.is_empty());
    }
    let message = by_name("zdt4").unwrap_err().to_string();
    assert!(message.contains("zdt4") && ALL.iter().all(|problem| message.contains(problem.name)), "{message}");
}
