//! Drawings as SVG: lines over categories, and bars. Colours and letters are the style sheet's (`page.css`).

use super::escaped;
use super::scale::{Scale, shown};
use super::units::digits;
use std::fmt::Write;

/// Where text stands relative to its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing in the making.
pub struct Canvas(String);

impl Canvas {
    /// An empty one of so many units; screen readers say the title.
    pub fn new([width, height]: [f64; 2], title: &str) -> Canvas {
        Canvas(format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n", escaped(title)))
    }

    /// Any element.
    pub fn add(&mut self, element: std::fmt::Arguments) {
        writeln!(self.0, "{element}").expect("a string takes all text");
    }

    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        self.add(format_args!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"));
    }

    /// Words, `class` and colour of which may be empty.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, class: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let words = escaped(words);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{words}</text>"
        ));
    }

    /// A filled rectangle of a colour, with words for those who point at it.
    pub fn bar(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], colour: &str, tip: &str) {
        let tip = escaped(tip);
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" class=\"full\" \
             style=\"--c:var({colour})\"><title>{tip}</title></rect>"
        ));
    }

    /// The finished drawing.
    pub fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

/// What a line shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Chosen,
    Other,
    /// What bounds others, not a measurement.
    Bound,
}

/// A line of a chart: a value for each category.
pub struct Line<'a> {
    pub name: &'a str,
    pub values: Vec<f64>,
    pub kind: Kind,
}

/// Colours of lines that were not chosen.
const OTHERS: usize = 8;

/// Units of a chart of lines, and its margins: left, right, top, bottom.
const SIZE: [f64; 2] = [1000.0, 430.0];
const MARGINS: [f64; 4] = [62.0, 232.0, 34.0, 46.0];

/// Units between the names of two lines.
const APART: f64 = 19.0;

/// Lines over categories, on a logarithmic scale; `below` and `beside` are what the axes show. What lies beyond all
/// bounds is shaded. Values that are not positive are left out.
pub fn lines(title: &str, below: &str, beside: &str, categories: &[String], lines: &[Line]) -> String {
    let ([width, height], [left, right, top, bottom]) = (SIZE, MARGINS);
    let (edge, base) = (width - right, height - bottom);
    let scale = Scale::logarithmic(lines.iter().flat_map(|line| line.values.iter().copied()));
    let x = |k: usize| left + (edge - left) * (k as f64 + 0.5) / categories.len().max(1) as f64;
    let y = |v: f64| base - (base - top) * scale.at(v);
    let mut canvas = Canvas::new(SIZE, title);
    for &mark in &scale.marks {
        canvas.line([left, y(mark)], [edge, y(mark)], "grid");
        canvas.text([left - 8.0, y(mark) + 4.5], Anchor::End, "", &digits(mark));
    }
    canvas.line([left, base], [edge, base], "axis");
    canvas.text([0.0, 14.0], Anchor::Start, "", beside);
    canvas.text([(left + edge) / 2.0, height - 6.0], Anchor::Middle, "", below);
    for (k, category) in categories.iter().enumerate() {
        canvas.text([x(k), base + 19.0], Anchor::Middle, "", category);
    }
    let points = |line: &Line| -> Vec<[f64; 2]> {
        let values = line.values.iter().enumerate().filter(|(_, v)| shown(**v));
        let mut points: Vec<[f64; 2]> = values.map(|(k, &v)| [x(k), y(v)]).collect();
        if line.kind == Kind::Bound && !points.is_empty() {
            // From side to side: it is a line for a single category, too.
            points.insert(0, [left, points[0][1]]);
            points.push([edge, points[points.len() - 1][1]]);
        }
        points
    };
    shade(&mut canvas, lines, &points, top);
    let colours = colours(lines);
    // What was chosen is drawn last, over the others.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&k| lines[k].kind == Kind::Chosen);
    for k in order {
        let (line, colour) = (&lines[k], &colours[k]);
        let path: Vec<String> = points(line).iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let class = match line.kind {
            Kind::Chosen => "line chosen",
            Kind::Other => "line",
            Kind::Bound => "line bound",
        };
        canvas.add(format_args!(
            "<polyline points=\"{}\" class=\"{class}\" style=\"--c:var({colour})\"/>",
            path.join(" ")
        ));
        let values = line.values.iter().enumerate().filter(|(_, v)| shown(**v) && line.kind != Kind::Bound);
        for (k, &v) in values {
            let tip = escaped(format!("{}, {}: {}", line.name, categories.get(k).map_or("", |c| c), digits(v)));
            canvas.add(format_args!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" class=\"dot\" style=\"--c:var({colour})\"><title>{tip}</title>\
                 </circle>",
                x(k),
                y(v)
            ));
        }
    }
    let ends: Vec<_> = lines.iter().map(|line| points(line).last().copied()).collect();
    names(&mut canvas, lines, &colours, &ends, [edge, top, base]);
    canvas.finish()
}

/// The colour of each line, by the name that the style sheet has for it.
fn colours(lines: &[Line]) -> Vec<String> {
    let mut others = 0;
    let mut colour = |line: &Line| match line.kind {
        Kind::Chosen => "--s0".to_string(),
        Kind::Bound => "--bound".to_string(),
        Kind::Other => {
            others += 1;
            format!("--s{}", (others - 1) % OTHERS + 1)
        }
    };
    lines.iter().map(&mut colour).collect()
}

/// Shades the part above every bound.
fn shade(canvas: &mut Canvas, lines: &[Line], points: &dyn Fn(&Line) -> Vec<[f64; 2]>, top: f64) {
    let bounds: Vec<_> = lines.iter().filter(|line| line.kind == Kind::Bound).map(points).collect();
    let Some(first) = bounds.first().filter(|first| bounds.iter().all(|other| other.len() == first.len())) else {
        return;
    };
    let highest = |k: usize| bounds.iter().map(|bound| bound[k][1]).fold(f64::INFINITY, f64::min);
    let roof = (0..first.len()).map(|k| [first[k][0], highest(k)]);
    let ends = first.last().zip(first.first()).map(|(last, first)| [[last[0], top], [first[0], top]]);
    let around = roof.chain(ends.into_iter().flatten()).map(|[x, y]| format!("{x:.1},{y:.1}"));
    canvas.add(format_args!("<polygon points=\"{}\" class=\"beyond\"/>", around.collect::<Vec<_>>().join(" ")));
}

/// The names of the lines beside their ends, moved apart, with their last values.
fn names(
    canvas: &mut Canvas,
    lines: &[Line],
    colours: &[String],
    ends: &[Option<[f64; 2]>],
    [edge, top, base]: [f64; 3],
) {
    let mut named: Vec<(usize, [f64; 2])> = ends.iter().enumerate().filter_map(|(k, end)| Some((k, (*end)?))).collect();
    named.sort_by(|a, b| a.1[1].total_cmp(&b.1[1]));
    let places = apart(&named.iter().map(|(_, end)| end[1]).collect::<Vec<_>>(), [top, base]);
    for ((k, [x, y]), at) in named.into_iter().zip(places) {
        let (name, colour) = (escaped(lines[k].name), &colours[k]);
        let last = lines[k].values.iter().rev().find(|v| shown(**v)).copied().unwrap_or(0.0);
        canvas.add(format_args!(
            "<path d=\"M{:.1} {y:.1} L{:.1} {y:.1} L{:.1} {at:.1} L{:.1} {at:.1}\" class=\"lead\" \
             style=\"--c:var({colour})\"/>",
            (x + 6.0).min(edge),
            (edge - 12.0).max(x),
            edge + 14.0,
            edge + 20.0
        ));
        let weight = if lines[k].kind == Kind::Chosen { " font-weight=\"600\"" } else { "" };
        canvas.add(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"series\" style=\"--c:var({colour})\"{weight}>{name} {}</text>",
            edge + 26.0,
            at + 4.5,
            digits(last)
        ));
    }
}

/// Places in the order of those wanted, at least [`APART`] from each other, within the range if they fit.
fn apart(wanted: &[f64], [top, base]: [f64; 2]) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for k in 1..places.len() {
        places[k] = places[k].max(places[k - 1] + APART);
    }
    let mut limit = base;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - APART;
    }
    // More than fit: from the top on, beyond the base.
    let below = places.first().map_or(0.0, |first| (top - 20.0 - first).max(0.0));
    places.iter().map(|place| place + below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_is_higher_and_nothing_leaves_the_frame() {
        let line = |name, values: &[f64], kind| Line { name, values: values.to_vec(), kind };
        let categories = ["1".to_string(), "<2>".to_string()];
        let all = [line("a & b", &[0.5, 20.0], Kind::Chosen), line("c", &[0.0, 3.0], Kind::Other)];
        let svg = lines("rates", "width", "GMAC/s", &categories, &all);
        let polylines = || svg.lines().filter(|line| line.starts_with("<polyline"));
        let points = |line: &str| -> Vec<Vec<f64>> {
            let points = line.split('"').nth(1).unwrap().split(' ');
            points.map(|point| point.split(',').map(|x| x.parse().unwrap()).collect()).collect()
        };
        // What was chosen comes last.
        let chosen = points(polylines().next_back().unwrap());
        assert!(chosen[0][0] < chosen[1][0] && chosen[0][1] > chosen[1][1], "{chosen:?}");
        assert!(chosen.iter().all(|p| p[0] > 0.0 && p[0] < SIZE[0] && p[1] > 0.0 && p[1] < SIZE[1]), "{chosen:?}");
        assert!(svg.contains("a &amp; b") && svg.contains("&lt;2&gt;") && !svg.contains("NaN"), "{svg}");
        // A value that is not there has no point.
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(!svg.contains("beyond"), "nothing bounds them");
        let bounded = [line("a", &[1.0, 2.0], Kind::Other), line("floor", &[3.0, 4.0], Kind::Bound)];
        assert!(lines("", "", "", &categories, &bounded).contains("beyond"));
    }

    #[test]
    fn nothing_is_a_chart_too() {
        let svg = lines("none", "", "", &[], &[Line { name: "a", values: vec![], kind: Kind::Bound }]);
        assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn names_stand_apart_in_their_order() {
        for wanted in [vec![], vec![50.0], vec![100.0; 9], vec![30.0, 31.0, 300.0, 379.0, 380.0, 380.0]] {
            let places = apart(&wanted, [34.0, 384.0]);
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] > APART - 1e-9), "{wanted:?}: {places:?}");
            assert!(places.iter().all(|&place| (14.0..=384.0).contains(&place)), "{wanted:?}: {places:?}");
        }
        assert_eq!(apart(&[50.0, 90.0], [34.0, 384.0]), [50.0, 90.0]);
    }
}
