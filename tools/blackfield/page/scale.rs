//! Where values lie on an axis, and which of them are marked.

/// An axis from `low` to `high`.
pub struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Values with a line of the grid.
    pub marks: Vec<f64>,
}

/// Marks of an axis, at most.
const MARKS: usize = 9;
/// The share of an axis of time that two marks are apart, at least.
const CLOSE: f64 = 0.12;

/// Whether a value can be shown.
pub fn shown(v: f64) -> bool {
    v > 0.0 && v.is_finite()
}

impl Scale {
    /// A logarithmic axis around those values that can be shown: its ends are 1, 2 or 5 times a power of ten, and so
    /// are its marks, or powers of ten alone where those would be too many.
    pub fn logarithmic(values: impl Iterator<Item = f64>) -> Scale {
        let (mut least, mut most) = (f64::INFINITY, 0f64);
        values.filter(|&v| shown(v)).for_each(|v| (least, most) = (least.min(v), most.max(v)));
        if most == 0.0 {
            (least, most) = (1.0, 10.0);
        }
        let decades = least.log10().floor() as i32 - 1..=most.log10().ceil() as i32 + 1;
        let steps: Vec<f64> = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(d))).collect();
        // What rounding does to a power of ten must not leave a value outside.
        let low = steps.iter().rposition(|&step| step <= least).expect("a decade below the least value");
        let high = steps.iter().position(|&step| step >= most).expect("a decade above the largest value");
        let high = high.max(low + 1);
        let mut marks = steps[low..=high].to_vec();
        if marks.len() > MARKS {
            let first = low.next_multiple_of(3);
            let apart = ((high - first) / 3 + 1).div_ceil(MARKS);
            marks = steps[first..=high].iter().copied().step_by(3 * apart).collect();
        }
        Scale { low: steps[low], high: steps[high], logarithmic: true, marks }
    }

    /// A logarithmic axis of seconds, marked where people count time: powers of ten, minutes, hours, days, years.
    pub fn of_time(values: impl Iterator<Item = f64>) -> Scale {
        const LONG: [f64; 8] = [60.0, 600.0, 3600.0, 36_000.0, 172_800.0, 864_000.0, 8_640_000.0, 31_536_000.0];
        let mut scale = Scale::logarithmic(values);
        let short = (-12..=1).map(|d| 10f64.powi(d));
        let years = (1..=30).map(|d| LONG[7] * 10f64.powi(d));
        let within = |mark: &f64| scale.low <= *mark && *mark <= scale.high;
        let mut marks: Vec<f64> = short.chain(LONG).chain(years).filter(within).collect();
        let apart = marks.len().div_ceil(MARKS).max(1);
        marks = marks.into_iter().step_by(apart).collect();
        // Names of neighbours must not touch.
        let width = (scale.high / scale.low).ln();
        marks.dedup_by(|b, a| (*b / *a).ln() < width * CLOSE);
        // Between two of them the others must do.
        if !marks.is_empty() {
            scale.marks = marks;
        }
        scale
    }

    /// An axis from 0 to a round number not below `most`.
    pub fn linear(most: f64) -> Scale {
        let most = if shown(most) { most } else { 1.0 };
        let decade = 10f64.powf((most / 4.0).log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * decade).into_iter().find(|step| 4.0 * step >= most);
        let step = step.unwrap_or(10.0 * decade);
        let marks: Vec<f64> = (0..=4).map(|k| f64::from(k) * step).collect();
        let needed = marks.iter().position(|&mark| mark >= most).unwrap_or(4);
        Scale { low: 0.0, high: marks[needed], logarithmic: false, marks: marks[..=needed].to_vec() }
    }

    /// The place of a value, from 0 to 1.
    pub fn at(&self, v: f64) -> f64 {
        let at = match self.logarithmic {
            true => (v / self.low).ln() / (self.high / self.low).ln(),
            false => (v - self.low) / (self.high - self.low),
        };
        at.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_order_within_their_axis() {
        for values in [vec![0.3, 0.9, 7.0], vec![1e-7, 1.0, 3e9], vec![5.0], vec![0.001, 0.001], vec![1.0, 1000.0]] {
            let scale = Scale::logarithmic(values.iter().copied());
            let places: Vec<f64> = values.iter().map(|&v| scale.at(v)).collect();
            assert!(places.is_sorted() && places.iter().all(|x| (0.0..=1.0).contains(x)), "{values:?}: {places:?}");
            assert!(scale.low <= values[0] && values[values.len() - 1] <= scale.high, "{values:?}");
            assert!((2..=MARKS).contains(&scale.marks.len()) && scale.marks.is_sorted(), "{:?}", scale.marks);
            assert!(scale.marks.iter().all(|&m| scale.low <= m && m <= scale.high), "{:?}", scale.marks);
        }
        assert_eq!(Scale::logarithmic([0.3, 7.0].into_iter()).marks.len(), 6);
        assert_eq!(Scale::logarithmic([0.0, f64::NAN, f64::INFINITY].into_iter()).marks.len(), 4);
    }

    #[test]
    fn time_has_its_own_marks() {
        let marks = |values: [f64; 2]| Scale::of_time(values.into_iter()).marks;
        assert_eq!(marks([0.5, 5000.0]), [1.0, 10.0, 60.0, 600.0, 3600.0]);
        for values in [[1e-9, 1e12], [3.0, 3.0], [1e-5, 1e5], [1.0, 1e30]] {
            let marks = marks(values);
            assert!(marks.is_sorted() && (1..=MARKS).contains(&marks.len()), "{values:?}: {marks:?}");
        }
    }

    #[test]
    fn a_linear_axis_begins_at_nothing() {
        for most in [0.7, 1.0, 3.0, 9.99, 10.0, 123.0, 4e-5] {
            let scale = Scale::linear(most);
            assert!(scale.at(0.0) == 0.0 && scale.high >= most && scale.high <= 2.0 * most, "{most}: {}", scale.high);
            assert!((2..=5).contains(&scale.marks.len()), "{most}: {:?}", scale.marks);
            assert!((scale.at(most / 2.0) - most / 2.0 / scale.high).abs() < 1e-12);
        }
        assert_eq!(Scale::linear(f64::NAN).high, 1.0);
    }
}
