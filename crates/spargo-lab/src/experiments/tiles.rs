//! A map seen from afar: means over square tiles.

/// The mean of a value over the cells of every tile, side × side tiles of the unit square; none where there are no cells. Tile
/// (i, j) from the lower left corner stands at i·side + j.
pub fn tiles(cells: &[[f64; 2]], values: &[f64], side: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0.0); side * side];
    for (cell, value) in cells.iter().zip(values) {
        let [i, j] = cell.map(|v| ((v * side as f64) as usize).min(side - 1));
        let (sum, count) = &mut sums[i * side + j];
        *sum += value;
        *count += 1.0;
    }
    sums.into_iter().map(|(sum, count)| (count > 0.0).then(|| sum / count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_tile_and_the_edges_are_inside() {
        let cells = [[0.0, 0.0], [0.2, 0.4], [1.0, 1.0], [0.2, 0.6]];
        let means = tiles(&cells, &[1.0, 2.0, 7.0, 5.0], 2);
        assert_eq!(means, [Some(1.5), Some(5.0), None, Some(7.0)]);
    }
}
