//! Bars: rates by threads, predicted seconds by method, the parts of a plan.

use super::scale::{Scale, shown};
use super::svg::{Anchor, Canvas};
use super::units::{bytes, digits, seconds};
use blackfield::spmv::PlannedPart;
use blackfield::tune::MethodCost;
use blackfield::words::counted;

/// Units of the chart of threads, and its margins: left, right, top, bottom.
const UPRIGHT: [f64; 2] = [480.0, 400.0];
const MARGINS: [f64; 4] = [46.0, 6.0, 34.0, 46.0];

/// A bar for each number of threads, a mark where a rate in proportion would be.
pub fn upright(title: &str, below: &str, beside: &str, bars: &[(usize, f64)]) -> String {
    let ([width, height], [left, right, top, bottom]) = (UPRIGHT, MARGINS);
    let (edge, base) = (width - right, height - bottom);
    let ideal = |&(count, _): &(usize, f64)| bars.first().map_or(0.0, |(one, rate)| rate * count as f64 / *one as f64);
    let scale = Scale::linear(bars.iter().flat_map(|bar| [bar.1, ideal(bar)]).fold(0.0, f64::max));
    let y = |v: f64| base - (base - top) * scale.at(v);
    let mut canvas = Canvas::new(UPRIGHT, title);
    for &mark in &scale.marks {
        canvas.line([left, y(mark)], [edge, y(mark)], "grid");
        canvas.text([left - 8.0, y(mark) + 4.5], Anchor::End, "", &digits(mark));
    }
    canvas.text([0.0, 14.0], Anchor::Start, "", beside);
    canvas.text([(left + edge) / 2.0, height - 6.0], Anchor::Middle, "", below);
    let room = (edge - left) / bars.len().max(1) as f64;
    let thick = (0.56 * room).min(76.0);
    for (k, bar) in bars.iter().enumerate().filter(|(_, bar)| shown(bar.1)) {
        let (count, rate) = *bar;
        let middle = left + (k as f64 + 0.5) * room;
        let tip = format!(
            "{}: {} GMAC/s, {:.0} % of proportional",
            counted(count, "thread"),
            digits(rate),
            100.0 * rate / ideal(bar)
        );
        canvas.bar([middle - thick / 2.0, y(rate)], [thick, base - y(rate)], "--s0", &tip);
        let at = y(ideal(bar));
        if k > 0 {
            canvas.add(format_args!(
                "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" class=\"line bound\" \
                 style=\"--c:var(--bound)\"/>",
                middle - thick / 2.0 - 6.0,
                middle + thick / 2.0 + 6.0
            ));
        }
        // Above the bar, and above the mark where the two would touch.
        let above = if (y(rate) - at).abs() < 22.0 { at.min(y(rate)) } else { y(rate) };
        canvas.text([middle, above - 8.0], Anchor::Middle, "strong", &digits(rate));
        canvas.text([middle, base + 19.0], Anchor::Middle, "", &count.to_string());
    }
    canvas.line([left, base], [edge, base], "axis");
    canvas.finish()
}

/// Units of the chart of methods: its width, the ends of the bars, the height of a bar's row, and what is above.
const WIDTH: f64 = 1000.0;
const ENDS: [f64; 2] = [400.0, 800.0];
const ROW: f64 = 50.0;
const HEAD: f64 = 26.0;

/// The colour of a method: of A itself, a first step, of what the first step leaves.
fn colour(cost: &MethodCost) -> &'static str {
    match cost.name {
        "structural pivots" => "--s5",
        name if name.split(' ').any(|word| word == "S") => "--s2",
        _ => "--s0",
    }
}

/// Predicted seconds of each method on a logarithmic scale, and its bytes.
pub fn methods(title: &str, costs: &[MethodCost]) -> String {
    let height = HEAD + ROW * costs.len() as f64 + 8.0;
    let scale = Scale::of_time(costs.iter().map(|cost| cost.seconds));
    let [left, edge] = ENDS;
    let x = |s: f64| left + (edge - left) * scale.at(s);
    let mut canvas = Canvas::new([WIDTH, height], title);
    let end = HEAD + ROW * costs.len() as f64;
    for &mark in &scale.marks {
        canvas.line([x(mark), HEAD], [x(mark), end], "grid");
        canvas.text([x(mark), HEAD - 9.0], Anchor::Middle, "", &seconds(mark));
    }
    canvas.text([905.0, HEAD - 9.0], Anchor::End, "", "time");
    canvas.text([WIDTH, HEAD - 9.0], Anchor::End, "", "memory");
    for (k, cost) in costs.iter().enumerate() {
        let top = HEAD + ROW * k as f64;
        let room = cost.bytes.map_or("–".to_string(), |b| bytes(b as f64));
        let tip = format!("{}, {}: {}", cost.name, cost.of, seconds(cost.seconds));
        canvas.text([0.0, top + 21.0], Anchor::Start, "strong", cost.name);
        canvas.text([0.0, top + 39.0], Anchor::Start, "", &cost.of);
        canvas.bar([left, top + 12.0], [(x(cost.seconds) - left).max(3.0), 26.0], colour(cost), &tip);
        canvas.text([905.0, top + 30.0], Anchor::End, "strong", &seconds(cost.seconds));
        canvas.text([WIDTH, top + 30.0], Anchor::End, "", &room);
    }
    canvas.line([left, HEAD], [left, end], "axis");
    canvas.finish()
}

/// Units of a bar of parts.
const PARTS: [f64; 2] = [1000.0, 30.0];

/// The entries of each part as a share of a bar, and what the parts are.
pub fn parts(name: &str, parts: &[PlannedPart]) -> String {
    let total = parts.iter().map(|part| part.nnz).sum::<usize>().max(1) as f64;
    let mut canvas = Canvas::new(PARTS, name);
    let (mut at, mut keys) = (0.0, String::new());
    for (k, part) in parts.iter().enumerate() {
        let share = part.nnz as f64 / total;
        let colour = format!("--s{}", k % 9);
        let tip = format!("{part}: {}", bytes(part.bytes as f64));
        canvas.bar([at, 4.0], [(share * PARTS[0] - 2.0).max(1.0), 22.0], &colour, &tip);
        at += share * PARTS[0];
        keys += &format!(
            "<li style=\"--c:var({colour})\"><b>{}</b> {}, {}</li>\n",
            super::escaped(part),
            digits(100.0 * share) + " %",
            bytes(part.bytes as f64)
        );
    }
    format!("<h3>{}</h3>\n{}<ul class=\"keys\">\n{keys}</ul>\n", super::escaped(name), canvas.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_what_they_show() {
        let svg = upright("scaling", "threads", "GMAC/s", &[(1, 2.0), (2, 3.0), (4, 0.0)]);
        let heights: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect"))
            .map(|line| line.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert!(heights.len() == 2 && (heights[1] / heights[0] - 1.5).abs() < 0.01, "{heights:?}");
        assert!(svg.contains("75 % of proportional") && svg.matches("bound").count() >= 1, "{svg}");
        let none = upright("none", "", "", &[]);
        assert!(none.ends_with("</svg>\n") && !none.contains("NaN"), "{none}");
    }
}
