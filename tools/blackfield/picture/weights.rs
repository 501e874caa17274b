//! How many rows and columns have how many entries.

use super::Figure;
use crate::page::Scale;
use crate::page::svg::Anchor;
use crate::page::units::digits;
use blackfield::sparse::{Bin, Statistics, Weights};

/// Units of a chart, and around its bars: left, right, top, bottom.
const CHART: [f64; 2] = [900.0, 290.0];
const MARGINS: [f64; 4] = [96.0, 16.0, 48.0, 46.0];
/// Above both charts.
const HEAD: f64 = 34.0;

/// Bars for the rows and for the columns of a matrix of that name, by their numbers of entries.
pub fn weights(of: &Statistics, name: &str) -> Figure {
    let size = format!("{} rows × {} columns, {} non-zeros", of.rows, of.cols, of.nnz);
    let title = format!("{name}: {size}");
    let mut figure = Figure::new([CHART[0], HEAD + 2.0 * CHART[1]], &format!("{name}: entries a row and a column"));
    figure.strong([8.0, 22.0], Anchor::Start, title);
    chart(&mut figure, HEAD, "rows", "a row", &of.row_weights);
    chart(&mut figure, HEAD + CHART[1], "columns", "a column", &of.col_weights);
    figure
}

fn chart(figure: &mut Figure, from: f64, lines: &str, line: &str, weights: &Weights) {
    let [left, right, top, bottom] = MARGINS;
    let (top, base, edge) = (from + top, from + CHART[1] - bottom, CHART[0] - right);
    // Ranges without lines at both ends say nothing.
    let bins: Vec<&Bin> = weights.histogram.iter().skip_while(|bin| bin.lines == 0).collect();
    let scale = Scale::linear(bins.iter().map(|bin| bin.lines).max().unwrap_or(0) as f64);
    let y = |lines: f64| base - (base - top) * scale.at(lines);
    for &mark in &scale.marks {
        figure.grid([left, y(mark)], [edge, y(mark)]);
        figure.words([left - 8.0, y(mark) + 5.0], Anchor::End, digits(mark));
    }
    figure.words([8.0, top - 26.0], Anchor::Start, format!("number of {lines}"));
    let Weights { min, median, mean, max, empty, .. } = *weights;
    let facts = format!("{min} to {max}, median {median}, mean {mean:.2}; {empty} empty");
    figure.words([edge, top - 26.0], Anchor::End, facts);
    let room = (edge - left) / bins.len().max(1) as f64;
    let thick = (0.7 * room).min(76.0);
    for (k, bin) in bins.iter().enumerate() {
        let middle = left + (k as f64 + 0.5) * room;
        if bin.lines > 0 {
            let height = (base - y(bin.lines as f64)).max(1.0);
            let tip = format!("{} {lines} with {} entries", bin.lines, range(bin));
            figure.bar([middle - thick / 2.0, base - height], [thick, height], tip);
            // Every second number where they would touch.
            if room >= 62.0 || k % 2 == 0 && room >= 31.0 {
                figure.strong([middle, base - height - 6.0], Anchor::Middle, short(bin.lines));
            }
        }
        if room >= 31.0 || k % 2 == 0 {
            let words = if room >= 100.0 { range(bin) } else { power(bin.from) };
            figure.words([middle, base + 18.0], Anchor::Middle, words);
        }
    }
    figure.axis([left, base], [edge, base]);
    let more = if room < 100.0 { ", from this number to below the next" } else { "" };
    figure.words([(left + edge) / 2.0, base + 37.0], Anchor::Middle, format!("entries {line}{more}"));
}

fn range(bin: &Bin) -> String {
    if bin.from == bin.to { bin.from.to_string() } else { format!("{}-{}", bin.from, bin.to) }
}

/// A count in at most seven characters.
fn short(n: usize) -> String {
    match n {
        n if n < 10_000_000 => n.to_string(),
        n => format!("{:.2e}", n as f64),
    }
}

/// A power of two in at most four characters.
fn power(n: usize) -> String {
    if n < 1024 { n.to_string() } else { format!("2^{}", n.ilog2()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blackfield::sparse::Triplets;

    #[test]
    fn bars_are_as_high_as_there_are_lines() {
        // Four rows of weight 1, two of weight 2.
        let entries = (0..6usize).map(|i| (i, 0usize, 1i64)).chain([(0, 1, 1), (1, 1, 1)]);
        let facts = Statistics::of(&Triplets::from_entries(6, 2, entries));
        let svg = weights(&facts, "a&b.mtx").svg();
        let height = |tip: &str| -> f64 {
            let line = svg.lines().find(|line| line.contains(&format!("<title>{tip}</title>"))).expect(tip);
            line.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert_eq!(height("4 rows with 1 entries"), 2.0 * height("2 rows with 2-3 entries"));
        assert_eq!(height("1 columns with 4-7 entries"), height("1 columns with 2-3 entries"));
        assert!(
            svg.contains("a&amp;b.mtx: 6 rows × 2 columns, 8 non-zeros") && svg.contains("1 to 2, median 1, mean 1.33")
        );
    }

    #[test]
    fn nothing_and_everything_has_bars() {
        for (rows, cols, weight) in [(0usize, 0usize, 0usize), (3, 0, 0), (1, 1, 1), (1, 70_000, 70_000)] {
            let entries = (0..weight).map(|j| (0usize, j, 1i64));
            let figure = weights(&Statistics::of(&Triplets::from_entries(rows, cols, entries)), "x");
            assert!(figure.png().starts_with(b"\x89PNG") && !figure.svg().contains("NaN"), "{rows} x {cols}");
        }
        assert_eq!((power(512), power(1 << 17), short(1 << 20)), ("512".into(), "2^17".into(), "1048576".into()));
    }
}
