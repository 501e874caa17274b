//! Charts as SVG: lines over categories, with a logarithmic scale.

use super::page::escaped;
use std::fmt::Write;

/// Pixels of a chart, and of its margins left, below and right.
const SIZE: [f64; 2] = [640.0, 300.0];
const MARGINS: [f64; 3] = [60.0, 30.0, 170.0];

/// A line of a chart: a value for each category.
pub struct Line<'a> {
    pub name: &'a str,
    pub values: Vec<f64>,
    /// What bounds others, not a measurement.
    pub dashed: bool,
}

/// Colours that differ for most eyes (P. Tol's bright scheme), and grey.
const COLOURS: [&str; 7] = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777"];

/// The chart of lines over categories. Values that are not positive are left out.
pub fn chart(title: &str, below: &str, categories: &[String], lines: &[Line]) -> String {
    let [width, height] = SIZE;
    let [left, bottom, right] = MARGINS;
    let values = || lines.iter().flat_map(|line| &line.values).copied().filter(|v| *v > 0.0 && v.is_finite());
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    // Whole decades, at least one.
    let low = if most > 0.0 { least.log10().floor() } else { 0.0 };
    let high = if most > 0.0 { most.log10().ceil().max(low + 1.0) } else { 1.0 };
    let x = |k: usize| left + (width - left - right) * (k as f64 + 0.5) / categories.len().max(1) as f64;
    let y = |v: f64| (height - bottom) - (height - bottom - 20.0) * (v.log10() - low) / (high - low);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>{}</title>\n",
        escaped(title)
    );
    let mut add = |words: std::fmt::Arguments| writeln!(svg, "{words}").expect("a string takes all text");
    for decade in low as i32..=high as i32 {
        let (value, edge) = (10f64.powi(decade), width - right);
        let at = y(value);
        add(format_args!("<line x1=\"{left}\" x2=\"{edge}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"));
        add(format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", left - 6.0, at + 4.0));
    }
    for (k, category) in categories.iter().enumerate() {
        let (at, base) = (x(k), height - bottom + 16.0);
        add(format_args!("<text x=\"{at:.1}\" y=\"{base}\" text-anchor=\"middle\">{}</text>", escaped(category)));
    }
    add(format_args!("<text x=\"{}\" y=\"{}\">{}</text>", left - 50.0, height - 2.0, escaped(below)));
    for (k, Line { name, values, dashed }) in lines.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let shown = || values.iter().enumerate().filter(|(_, v)| **v > 0.0 && v.is_finite());
        let points: Vec<String> = shown().map(|(k, &v)| format!("{:.1},{:.1}", x(k), y(v))).collect();
        let dashes = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        let points = points.join(" ");
        add(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"
        ));
        for (k, &v) in shown() {
            let tip = format!("{name}, {}: {v:.3}", categories.get(k).map_or("", String::as_str));
            let (cx, cy, tip) = (x(k), y(v), escaped(&tip));
            add(format_args!(
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3\" fill=\"{colour}\"><title>{tip}</title></circle>"
            ));
        }
        let (at, base) = (width - right + 12.0, 24.0 + 16.0 * k as f64);
        add(format_args!("<text x=\"{at}\" y=\"{base}\" fill=\"{colour}\">{}</text>", escaped(name)));
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_is_higher_and_nothing_leaves_the_frame() {
        let line = |name, values: &[f64]| Line { name, values: values.to_vec(), dashed: false };
        let categories = ["1".to_string(), "<2>".to_string()];
        let svg = chart("rates", "width", &categories, &[line("a & b", &[0.5, 20.0]), line("c", &[0.0, 3.0])]);
        let points = svg.lines().find(|line| line.starts_with("<polyline")).unwrap().split('"').nth(1).unwrap();
        let points: Vec<Vec<f64>> =
            points.split(' ').map(|point| point.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        assert!(points[0][0] < points[1][0] && points[0][1] > points[1][1], "{points:?}");
        assert!(points.iter().all(|p| p[0] > 0.0 && p[0] < SIZE[0] && p[1] > 0.0 && p[1] < SIZE[1]), "{points:?}");
        assert!(svg.contains("a &amp; b") && svg.contains("&lt;2&gt;") && !svg.contains("NaN"), "{svg}");
        // A value that is not there has no point.
        assert_eq!(svg.matches("<circle").count(), 3);
    }

    #[test]
    fn nothing_is_a_chart_too() {
        let svg = chart("none", "", &[], &[Line { name: "a", values: vec![], dashed: true }]);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
