//! What random features of a kernel are made of.
//!
//! ```text
//!     k(x, x') = k(x, x) E[ cos( ωᵀ(x − x') + Σⱼ hⱼ(xⱼ) − hⱼ(x'ⱼ) ) Πⱼ gⱼ(xⱼ) gⱼ(x'ⱼ) Πₛ ψₛ(x) ψₛ(x') ]
//! ```
//!
//! Frequencies ω come from the spectral densities of stationary kernels, factors g, one per category, from the categorical
//! ones, with shifts h where labels have descriptors, coordinates ψ from linear kernels on a sphere. A product adds the frequencies and shifts of its parts and multiplies their factors: parts are drawn independently, and
//! cos α cos β averages to cos(α + β) when β is symmetric around 0. A sum shares the count out among its parts.

use super::Sphere;
use crate::linalg::{Mat, column, column_mut};

/// Draws of ω, g and ψ, one column per feature.
#[derive(Debug, Clone)]
pub struct Spectrum {
    /// ω, [inputs, count].
    pub frequencies: Mat,
    /// g of each categorical input; inputs that are not listed have none.
    pub factors: Vec<Factors>,
    /// By how much the angle of waves is shifted for each label of an input, where labels have descriptors.
    pub shifts: Vec<Factors>,
    /// ψ of each linear kernel on a sphere.
    pub spheres: Vec<SphereFactor>,
}

/// Coordinates on a sphere by which features are multiplied.
#[derive(Debug, Clone)]
pub struct SphereFactor {
    /// ψ.
    pub sphere: Sphere,
    /// The coordinate of each feature; `None` for features that have none of this sphere.
    pub coordinates: Vec<Option<usize>>,
}

/// What a category does to a feature.
#[derive(Clone, Copy)]
enum Part {
    Factor,
    Shift,
}

/// Joins the numbers of each category, feature by feature.
fn join(total: &mut Mat, own: &Mat, with: impl Fn(&mut f64, f64)) {
    for f in 0..total.ncols() {
        let own = column(own.as_ref(), f);
        let total = column_mut(total.as_mut(), f).iter_mut();
        total.enumerate().for_each(|(c, total)| with(total, own[c.min(own.len() - 1)]));
    }
}

/// The factors of one categorical input, or its shifts in radians.
#[derive(Debug, Clone)]
pub struct Factors {
    /// The column that holds the category.
    pub input: usize,
    /// gⱼ, [categories, count].
    pub values: Mat,
}

impl Spectrum {
    /// Features that are waves of these frequencies, [inputs, count].
    pub fn of_frequencies(frequencies: Mat) -> Self {
        Spectrum { frequencies, factors: Vec::new(), shifts: Vec::new(), spheres: Vec::new() }
    }

    /// Features that are constant: no frequency, no factor.
    pub(super) fn constant(inputs: usize, count: usize) -> Self {
        Spectrum::of_frequencies(Mat::zeros(inputs, count))
    }

    /// Joins an independent part to a product, feature by feature.
    pub(super) fn multiply(&mut self, part: &Spectrum) {
        self.frequencies += &part.frequencies;
        self.spheres.extend(part.spheres.iter().cloned());
        for own in &part.factors {
            join(self.of_input(Part::Factor, own), &own.values, |total, own| *total *= own);
        }
        for own in &part.shifts {
            join(self.of_input(Part::Shift, own), &own.values, |total, own| *total += own);
        }
    }

    /// Puts the features of a part of a sum in the given columns.
    pub(super) fn place(&mut self, columns: &[usize], part: &Spectrum) {
        for (f, &column) in columns.iter().enumerate() {
            self.frequencies.col_mut(column).copy_from(part.frequencies.col(f));
        }
        for own in &part.spheres {
            let mut coordinates = vec![None; self.frequencies.ncols()];
            columns.iter().zip(&own.coordinates).for_each(|(&column, own)| coordinates[column] = *own);
            self.spheres.push(SphereFactor { sphere: own.sphere.clone(), coordinates });
        }
        let parts = part.factors.iter().map(|own| (Part::Factor, own));
        for (kind, own) in parts.chain(part.shifts.iter().map(|own| (Part::Shift, own))) {
            let total = self.of_input(kind, own);
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
        let factors = self.factors.into_iter().map(moved).collect();
        let shifts = self.shifts.into_iter().map(moved).collect();
        let own = |own: SphereFactor| SphereFactor { sphere: own.sphere.spread_over(inputs), ..own };
        Spectrum { frequencies, factors, shifts, spheres: self.spheres.into_iter().map(own).collect() }
    }

    /// The factors or shifts of the input that others are about, ones or zeros to begin with, for at least as many categories: where a
    /// kernel knows fewer, the further ones are its last.
    fn of_input(&mut self, part: Part, other: &Factors) -> &mut Mat {
        let (count, input, categories) = (self.frequencies.ncols(), other.input, other.values.nrows());
        let (list, neutral) = match part {
            Part::Factor => (&mut self.factors, 1.0),
            Part::Shift => (&mut self.shifts, 0.0),
        };
        let place = list.iter().position(|factors| factors.input == input).unwrap_or_else(|| {
            list.push(Factors { input, values: Mat::full(categories, count, neutral) });
            list.len() - 1
        });
        let values = &mut list[place].values;
        let known = values.nrows();
        if known < categories {
            *values = Mat::from_fn(categories, count, |c, f| values[(c.min(known - 1), f)]);
        }
        values
    }
}
