//! Where the non-zeros are: the pattern, with rows and columns counted along its sides.

use super::Figure;
use super::raster::width_of;
use crate::page::Scale;
use crate::page::svg::Anchor;
use blackfield::sparse::{Triplets, spy_pixels};

/// Around the pattern: left, right, top, bottom.
const MARGINS: [f64; 4] = [96.0, 40.0, 66.0, 26.0];
/// Pixels that the numbers of two marks are apart, at least.
const APART: [f64; 2] = [90.0, 22.0];

/// The pattern of a matrix of that name, whose longer side takes at most `max_pixels` pixels.
pub fn spy(a: &Triplets, name: &str, max_pixels: usize) -> Figure {
    let grey = spy_pixels(a, max_pixels);
    let [left, right, top, bottom] = MARGINS;
    let [wide, high] = [grey.width, grey.height].map(|side| side as f64);
    let size = format!("{} rows × {} columns, {} non-zeros", a.rows(), a.cols(), a.nnz());
    let room = width_of(name).max(width_of(&size)).max(width_of("columns") + left) + 16.0;
    let mut figure = Figure::new([(left + wide + right).max(room), top + high + bottom], &format!("{name}: {size}"));
    figure.strong([8.0, 20.0], Anchor::Start, name);
    figure.words([8.0, 38.0], Anchor::Start, size);
    // The frame, just outside.
    let ([x, y], [edge, base]) = ([left - 1.0, top - 1.0], [left + wide, top + high]);
    figure.axis([x, y], [edge, y]);
    figure.axis([x, base], [edge + 1.0, base]);
    figure.axis([x, y], [x, base]);
    figure.axis([edge, y], [edge, base]);
    for mark in marks(a.cols(), wide / APART[0]) {
        let at = left + wide * mark as f64 / a.cols().max(1) as f64;
        figure.axis([at, base], [at, base + 5.0]);
        figure.words([at, base + 19.0], Anchor::Middle, mark.to_string());
    }
    for mark in marks(a.rows(), high / APART[1]) {
        let at = top + high * mark as f64 / a.rows().max(1) as f64;
        figure.axis([x - 5.0, at], [x, at]);
        figure.words([x - 9.0, at + 5.0], Anchor::End, mark.to_string());
    }
    figure.words([x - 9.0, top - 10.0], Anchor::End, "row");
    figure.words([left + wide / 2.0, top - 10.0], Anchor::Middle, "column");
    figure.picture([left, top], grey);
    figure
}

/// Round numbers up to n, at most so many after 0, or n alone.
fn marks(n: usize, most: f64) -> Vec<usize> {
    let scale = Scale::linear(n as f64);
    let whole = scale.marks.iter().filter(|mark| mark.fract() == 0.0 && **mark <= n as f64);
    let marks: Vec<usize> = whole.map(|&mark| mark as usize).collect();
    if (marks.len() as f64 - 1.0) <= most { marks } else { vec![0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_within() {
        assert_eq!(marks(1000, 9.0), [0, 250, 500, 750, 1000]);
        assert_eq!(marks(6545, 9.0), [0, 2000, 4000, 6000]);
        assert_eq!(marks(3, 9.0), [0, 1, 2, 3]);
        assert_eq!((marks(1000, 2.0), marks(0, 9.0)), (vec![0], vec![0]));
        for n in 0..200 {
            let marks = marks(n, 9.0);
            assert!(marks[0] == 0 && marks.is_sorted() && *marks.last().unwrap() <= n, "{n}: {marks:?}");
        }
    }

    /// The pattern is where the axes say, pixel for pixel.
    #[test]
    fn the_pattern_lies_within_its_frame() {
        let a = Triplets::from_entries(3, 4, [(0, 1, 5i64), (2, 3, -1)]);
        let png = spy(&a, "tiny.mtx", 400).png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let at = |x: usize, y: usize| pixels[3 * (y * info.width as usize + x)];
        let [left, _, top, _] = MARGINS.map(|margin| margin as usize);
        for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let entry = [(0, 1), (2, 3)].contains(&(i, j));
            for corner in [0, 99] {
                assert_eq!(at(left + 100 * j + corner, top + 100 * i + corner), if entry { 0 } else { 255 }, "{i} {j}");
            }
        }
        // The frame, and a title.
        assert!((left..left + 400).all(|x| at(x, top - 1) == 0x66 && at(x, top + 300) == 0x66));
        let title = (7..22).flat_map(|y| (0..info.width as usize).map(move |x| (x, y)));
        assert!(title.into_iter().any(|(x, y)| at(x, y) < 128), "there is a title");
        let svg = spy(&a, "tiny.mtx", 400).svg();
        assert!(svg.contains("3 rows × 4 columns, 2 non-zeros") && svg.contains(">tiny.mtx</text>"), "{svg}");
    }

    #[test]
    fn every_shape_has_a_picture() {
        for (rows, cols) in [(0, 0), (0, 7), (7, 0), (1, 1), (1, 100_000), (4_000_000_000, 2)] {
            let a = Triplets::from_entries(rows, cols, std::iter::empty::<(usize, usize, i64)>());
            for size in [1, 30, 300] {
                let figure = spy(&a, "a very long name of a file that is wider than its picture.mtx", size);
                assert!(figure.png().starts_with(b"\x89PNG") && !figure.svg().contains("NaN"), "{rows} x {cols}");
            }
        }
    }
}
