//! What random features of a kernel are made of.
//!
//! ```text
//!     k(x, x') = k(x, x) E[ cos ωᵀ(x − x') Πⱼ gⱼ(xⱼ) gⱼ(x'ⱼ) ]
//! ```
//!
//! Frequencies ω come from the spectral densities of stationary kernels, factors g, one per category, from the categorical
//! ones. A product adds the frequencies of its parts and multiplies their factors: parts are drawn independently, and
//! cos α cos β averages to cos(α + β) when β is symmetric around 0. A sum shares the count out among its parts.

use crate::linalg::{Mat, column, column_mut};

/// Draws of ω and g, one column per feature.
#[derive(Debug, Clone)]
pub struct Spectrum {
    /// ω, [inputs, count].
    pub frequencies: Mat,
    /// g of each categorical input; inputs that are not listed have none.
    pub factors: Vec<Factors>,
}

/// The factors of one categorical input.
#[derive(Debug, Clone)]
pub struct Factors {
    /// The column that holds the category.
    pub input: usize,
    /// gⱼ, [categories, count].
    pub values: Mat,
}

impl Spectrum {
    /// Features that are constant: no frequency, no factor.
    pub(super) fn constant(inputs: usize, count: usize) -> Self {
        Spectrum { frequencies: Mat::zeros(inputs, count), factors: Vec::new() }
    }

    /// Joins an independent part to a product, feature by feature.
    pub(super) fn multiply(&mut self, part: &Spectrum) {
        self.frequencies += &part.frequencies;
        for own in &part.factors {
            let total = self.factors_of(own.input, own.values.nrows());
            for f in 0..total.ncols() {
                let own = column(own.values.as_ref(), f);
                let total = column_mut(total.as_mut(), f).iter_mut();
                total.enumerate().for_each(|(c, total)| *total *= own[c.min(own.len() - 1)]);
            }
        }
    }

    /// Puts the features of a part of a sum in the given columns.
    pub(super) fn place(&mut self, columns: &[usize], part: &Spectrum) {
        for (f, &column) in columns.iter().enumerate() {
            self.frequencies.col_mut(column).copy_from(part.frequencies.col(f));
        }
        for own in &part.factors {
            let total = self.factors_of(own.input, own.values.nrows());
            for (f, &to) in columns.iter().enumerate() {
                let own = column(own.values.as_ref(), f);
                let total = column_mut(total.as_mut(), to).iter_mut();
                total.enumerate().for_each(|(c, total)| *total = own[c.min(own.len() - 1)]);
            }
        }
    }

    /// This spectrum for points of more inputs, of which it reads only these.
    pub(super) fn spread_over(self, inputs: &[usize], dimension: usize) -> Self {
        let mut frequencies = Mat::zeros(dimension, self.frequencies.ncols());
        for (row, &input) in inputs.iter().enumerate() {
            frequencies.row_mut(input).copy_from(self.frequencies.row(row));
        }
        let moved = |factors: Factors| Factors { input: inputs[factors.input], ..factors };
        Spectrum { frequencies, factors: self.factors.into_iter().map(moved).collect() }
    }

    /// The factors of an input, ones to begin with, for at least so many categories: where a kernel knows fewer, the
    /// further ones are its last.
    fn factors_of(&mut self, input: usize, categories: usize) -> &mut Mat {
        let count = self.frequencies.ncols();
        let place = self.factors.iter().position(|factors| factors.input == input).unwrap_or_else(|| {
            self.factors.push(Factors { input, values: Mat::full(categories, count, 1.0) });
            self.factors.len() - 1
        });
        let values = &mut self.factors[place].values;
        let known = values.nrows();
        if known < categories {
            *values = Mat::from_fn(categories, count, |c, f| values[(c.min(known - 1), f)]);
        }
        values
    }
}
