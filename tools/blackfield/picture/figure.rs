//! A drawing as a list of shapes, which becomes SVG or PNG.

use super::raster::{Raster, width_of};
use crate::page::base64;
use crate::page::svg::{Anchor, Canvas};
use blackfield::sparse::Grey;

/// Colours on white: those of pages in the light (`page/page.css`).
pub const INK: Colour = Colour { name: "--ink", value: [0x1c, 0x24, 0x30] };
pub const SOFT: Colour = Colour { name: "--soft", value: [0x66, 0x70, 0x85] };
pub const GRID: Colour = Colour { name: "--grid", value: [0xe8, 0xeb, 0xf0] };
pub const BAR: Colour = Colour { name: "--s0", value: [0x14, 0x63, 0xd8] };

/// A colour by its name on pages.
#[derive(Clone, Copy)]
pub struct Colour {
    pub name: &'static str,
    pub value: [u8; 3],
}

/// Letters of a file by itself, as pages have them.
const LETTERS: &str = "text{font:13px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:var(--soft)}\
    .strong{fill:var(--ink);font-weight:600}.grid{stroke:var(--grid)}.axis{stroke:var(--soft)}.full{fill:var(--c)}\
    image{image-rendering:pixelated}";

/// Something drawn, in units that are pixels of a PNG.
enum Shape {
    Line { from: [f64; 2], to: [f64; 2], axis: bool },
    Words { at: [f64; 2], anchor: Anchor, strong: bool, words: String },
    Bar { at: [f64; 2], size: [f64; 2], tip: String },
    Picture { at: [f64; 2], grey: Grey },
}

/// A drawing.
pub struct Figure {
    size: [f64; 2],
    title: String,
    shapes: Vec<Shape>,
}

impl Figure {
    /// An empty one of so many units; screen readers say the title.
    pub fn new(size: [f64; 2], title: &str) -> Figure {
        Figure { size, title: title.into(), shapes: vec![] }
    }
    /// A line of a grid.
    pub fn grid(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.shapes.push(Shape::Line { from, to, axis: false });
    }
    /// A line of an axis.
    pub fn axis(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.shapes.push(Shape::Line { from, to, axis: true });
    }
    /// A line of text, whose letters stand on the height `at[1]`.
    pub fn words(&mut self, at: [f64; 2], anchor: Anchor, words: impl Into<String>) {
        self.shapes.push(Shape::Words { at, anchor, strong: false, words: words.into() });
    }
    /// The same, dark.
    pub fn strong(&mut self, at: [f64; 2], anchor: Anchor, words: impl Into<String>) {
        self.shapes.push(Shape::Words { at, anchor, strong: true, words: words.into() });
    }
    /// A bar, with words for those who point at it.
    pub fn bar(&mut self, at: [f64; 2], size: [f64; 2], tip: String) {
        self.shapes.push(Shape::Bar { at, size, tip });
    }
    /// A picture, a unit for each of its pixels.
    pub fn picture(&mut self, at: [f64; 2], grey: Grey) {
        self.shapes.push(Shape::Picture { at, grey });
    }

    /// As a part of a page, which has its style.
    pub fn inline(&self) -> String {
        let mut canvas = Canvas::new(self.size, &self.title);
        for shape in &self.shapes {
            match shape {
                Shape::Line { from, to, axis } => canvas.line(*from, *to, if *axis { "axis" } else { "grid" }),
                Shape::Words { at, anchor, strong, words } => {
                    canvas.text(*at, *anchor, if *strong { "strong" } else { "" }, words);
                }
                Shape::Bar { at, size, tip } => canvas.bar(*at, *size, BAR.name, tip),
                Shape::Picture { at: [x, y], grey } => canvas.add(format_args!(
                    "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
                     href=\"data:image/png;base64,{}\"/>",
                    grey.width,
                    grey.height,
                    base64(&grey.png())
                )),
            }
        }
        canvas.finish()
    }

    /// As a file of its own, on white.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let colours =
            [INK, SOFT, GRID, BAR].map(|Colour { name, value: [r, g, b] }| format!("{name}:#{r:02x}{g:02x}{b:02x};"));
        let inline = self.inline();
        let inner = inline.split_once('\n').expect("a line of attributes").1;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\">\n<style>svg{{{}}}{LETTERS}</style>\n<rect width=\"{width}\" height=\"{height}\" \
             fill=\"#fff\"/>\n{inner}",
            colours.concat()
        )
    }

    /// As a PNG file, on white.
    pub fn png(&self) -> Vec<u8> {
        let mut raster = Raster::new(self.size.map(|side| side.ceil() as usize));
        for shape in &self.shapes {
            match shape {
                Shape::Line { from, to, axis } => raster.line(*from, *to, if *axis { SOFT } else { GRID }.value),
                Shape::Words { at: [x, y], anchor, strong, words } => {
                    let left = match anchor {
                        Anchor::Start => *x,
                        Anchor::Middle => x - width_of(words) / 2.0,
                        Anchor::End => x - width_of(words),
                    };
                    raster.words([left, *y], words, if *strong { INK } else { SOFT }.value);
                }
                Shape::Bar { at, size, .. } => raster.fill(*at, *size, BAR.value),
                Shape::Picture { at, grey } => raster.picture(*at, grey),
            }
        }
        raster.png()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_pages() {
        let style = include_str!("../page/page.css");
        let light = style.split("prefers-color-scheme").next().unwrap();
        for Colour { name, value: [r, g, b] } in [INK, SOFT, GRID, BAR] {
            assert!(light.contains(&format!("{name}: #{r:02x}{g:02x}{b:02x};")), "{name}");
        }
    }

    #[test]
    fn a_file_is_a_picture_by_itself() {
        let mut figure = Figure::new([40.0, 30.0], "a < b");
        figure.words([1.0, 12.0], Anchor::Start, "x & y");
        figure.bar([2.0, 15.0], [10.0, 5.0], "five".into());
        figure.picture([20.0, 15.0], Grey { width: 2, height: 1, pixels: vec![0, 255] });
        let svg = figure.svg();
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("<title>a &lt; b</title>") && svg.contains("x &amp; y") && svg.contains("--s0:#1463d8"));
        assert_eq!(svg.matches("<svg").count(), 1);
        assert!(figure.png().starts_with(b"\x89PNG\r\n\x1a\n"));
    }
}
