//! Maps of prevalence: the one that needs no file is like the one that does.

mod common;

use common::*;
use spargo::Error;
use spargo_problems::prevalence::{Map, THRESHOLD};

fn nigeria() -> Option<Map> {
    let text = std::fs::read_to_string(data_file("nigeria_pfpr_map2015.csv")?).unwrap();
    let row = |line: &str| {
        let values: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
        [values[0], values[1], values[4]]
    };
    Some(Map::new(&text.lines().skip(1).map(row).collect::<Vec<_>>()).unwrap())
}

fn share_of_positive(map: &Map) -> f64 {
    let labels = map.labels();
    labels.iter().filter(|label| **label).count() as f64 / labels.len() as f64
}

/// How many of 10,000 held-out cells have the label of the nearest of n others, averaged over splits.
fn nearest_is_right(map: &Map, n: usize) -> f64 {
    let (labels, cells, seeds) = (map.labels(), map.cells(), 5);
    let one = |seed: u64| {
        let split = map.split(10_000, seed).unwrap();
        let right = |&i: &usize| {
            let distance = |&j: &usize| (cells[i][0] - cells[j][0]).powi(2) + (cells[i][1] - cells[j][1]).powi(2);
            let nearest = split.pool[..n].iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
            labels[*nearest] == labels[i]
        };
        split.held_out.iter().filter(|i| right(i)).count() as f64 / 10_000.0
    };
    (0..seeds).map(one).sum::<f64>() / seeds as f64
}

/// The synthetic map, and Nigeria's where it is.
#[test]
fn maps_are_as_hard_as_nigerias() {
    let maps = [("synthetic", Some(Map::synthetic())), ("Nigeria", nigeria())];
    for (name, map) in maps.into_iter().filter_map(|(name, map)| Some((name, map?))) {
        assert!((share_of_positive(&map) - 0.478).abs() < 0.005, "{name}: {}", share_of_positive(&map));
        for (n, expected) in [(100, 0.80), (300, 0.83), (1100, 0.858)] {
            let found = nearest_is_right(&map, n);
            println!("{name}, {n}: {found}");
            assert!((found - expected).abs() < 0.015, "{name}, {n} labels: {found}");
        }
        let mut sorted = map.prevalence().to_vec();
        sorted.sort_by(f64::total_cmp);
        // Nigeria's 5 %, 50 % and 95 % quantiles.
        for (quantile, expected) in [(0.05, 0.177), (0.5, 0.344), (0.95, 0.522)] {
            let found = sorted[(quantile * sorted.len() as f64) as usize];
            println!("{name}, quantile {quantile}: {found}");
            assert!((found - expected).abs() < 0.03, "{name}, quantile {quantile}: {found}");
        }
    }
}

#[test]
fn the_synthetic_map_is_smooth() {
    let map = Map::synthetic();
    assert_eq!(map.cells().len(), 40_000);
    // Between neighbours the finest wave, of 50 turns and weight 0.4 √(2/16), turns by a quarter.
    let largest = map.prevalence().windows(2).enumerate().filter(|(i, _)| i % 200 != 199);
    let largest = largest.map(|(_, pair)| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(largest < 0.15, "{largest}");
}

#[test]
fn coordinates_fill_the_unit_square() {
    for map in [Some(Map::synthetic()), nigeria()].into_iter().flatten() {
        for axis in 0..2 {
            let ends = map.cells().iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), cell| {
                (low.min(cell[axis]), high.max(cell[axis]))
            });
            assert!(ends.0 >= 0.0 && ends.0 < 0.003 && ends.1 <= 1.0 && ends.1 > 0.997, "{ends:?}");
        }
    }
    let map = Map::new(&[[3.0, 10.0, 0.1], [5.0, 10.0, 0.35], [4.0, 10.0, 1.0]]).unwrap();
    assert_eq!(map.cells(), [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]);
    // The threshold itself is positive.
    assert_eq!((map.labels(), THRESHOLD), (vec![false, true, true], 0.35));
    let extreme = Map::new(&[[-1e308, -1e-320, 0.0], [1e308, 1e-320, 0.0]]).unwrap();
    assert!(extreme.cells().iter().flatten().all(|v| (0.0..=1.0).contains(v)));
}

#[test]
fn splits_are_random_and_complete() {
    let map = Map::synthetic();
    let split = map.split(10_000, 1).unwrap();
    assert_eq!((split.held_out.len(), split.pool.len()), (10_000, 30_000));
    let mut all = [split.held_out.clone(), split.pool.clone()].concat();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..40_000));
    assert_eq!(map.split(10_000, 1).unwrap(), split);
    assert_ne!(map.split(10_000, 2).unwrap(), split);
    for wrong in [0, 40_000] {
        assert!(matches!(map.split(wrong, 1), Err(Error::Parameter { .. })), "{wrong}");
    }
}

#[test]
fn what_is_no_map_is_refused() {
    assert!(matches!(Map::new(&[]), Err(Error::Empty { .. })));
    let refused = |row| Map::new(&[[0.0, 0.0, 0.5], row]).unwrap_err();
    for column in 0..3 {
        let mut row = [0.1; 3];
        row[column] = f64::NAN;
        assert!(matches!(refused(row), Error::NonFinite { row: 1, .. }));
    }
    for wrong in [-0.1, 1.1, 35.0] {
        assert!(matches!(refused([0.0, 0.0, wrong]), Error::Parameter { name, .. } if name.contains("row 1")));
    }
}
