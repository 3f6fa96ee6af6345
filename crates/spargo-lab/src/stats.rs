//! Means over repeats with 95 % confidence intervals by Student's t.
//!
//! ```text
//!     mean ± t(0.975; n − 1)·s/√n,     geometric: the same of logarithms, then exp
//! ```

/// A mean and the ends of its interval; without an interval the ends are NaN (one repeat has none).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The arithmetic mean.
pub fn arithmetic(values: &[f64]) -> Interval {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return Interval { mean, low: f64::NAN, high: f64::NAN };
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = t_quantile(values.len() as u32 - 1) * (variance / n).sqrt();
    Interval { mean, low: mean - half, high: mean + half }
}

/// The geometric mean of positive values; those below `floor` count as that.
pub fn geometric(values: &[f64], floor: f64) -> Interval {
    let logs: Vec<f64> = values.iter().map(|v| v.max(floor).ln()).collect();
    let Interval { mean, low, high } = arithmetic(&logs);
    Interval { mean: mean.exp(), low: low.exp(), high: high.exp() }
}

/// Mean ± standard error in words; one value has no error, and none no words.
pub fn with_error(values: &[f64], digits: usize) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    match values.len() {
        0 => String::new(),
        1 => format!("{mean:.digits$}"),
        _ => format!("{mean:.digits$} ± {:.digits$}", (squares / (n - 1.0) / n).sqrt()),
    }
}

/// The middle one, or between the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]),
    }
}

/// t with P(T ≤ t) = 0.975 for T of Student's distribution with `freedom` degrees of freedom, by bisection.
fn t_quantile(freedom: u32) -> f64 {
    let (mut low, mut high) = (0.0, 13.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if within(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(|T| ≤ t): a finite sum for whole degrees of freedom (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4).
fn within(t: f64, freedom: u32) -> f64 {
    let angle = (t / f64::from(freedom).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    let (mut term, mut sum) = (if odd { cosine } else { 1.0 }, 0.0);
    let first = if odd { 1 } else { 0 };
    for k in (first..freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= cosine * cosine * f64::from(k + 1) / f64::from(k + 2);
    }
    if odd { std::f64::consts::FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Abramowitz & Stegun 1964, table 26.10.
        let table = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228), (30, 2.042)];
        for (freedom, value) in table {
            assert!((t_quantile(freedom) - value).abs() < 5e-4, "{freedom}: {}", t_quantile(freedom));
        }
        assert!((t_quantile(49) - 2.0096).abs() < 1e-4);
    }

    #[test]
    fn intervals_of_a_small_sample() {
        let values = [1.0, 2.0, 4.0, 8.0];
        let Interval { mean, low, high } = arithmetic(&values);
        let half = 3.182_446 * (9.583_333f64 / 4.0).sqrt();
        assert!(mean == 3.75 && (mean - low - half).abs() < 1e-5 && (high - mean - half).abs() < 1e-5);
        let Interval { mean, low, high } = geometric(&values, 1e-6);
        assert!((mean - 8f64.sqrt()).abs() < 1e-12 && (low * high - mean * mean).abs() < 1e-9 && low > 0.0);
        assert_eq!(geometric(&[0.0], 1e-6).mean, 1e-6f64.ln().exp());
        assert!(arithmetic(&[3.0]).low.is_nan() && arithmetic(&[3.0]).mean == 3.0);
        // √(9.583333/4) = 1.547848
        assert_eq!(with_error(&values, 3), "3.750 ± 1.548");
        assert_eq!([with_error(&[2.0], 1), with_error(&[], 1)], ["2.0", ""]);
        assert_eq!([median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])], [2.0, 2.5]);
    }
}
