//! A picture of where the entries are.
//!
//! Every pixel stands for a rectangle of positions; the more entries it contains, the darker it is, on a logarithmic
//! scale, so that a single entry in a large empty part is still visible next to a dense block: a pixel without entries
//! is white, one with c entries has the grey level 255 - 55 - 200 · ln(c)/ln(cmax), and the fullest pixel is black.

use crate::sparse::Triplets;

/// The longest side that [`spy`] draws.
const MAX_SIDE: usize = 1 << 14;
/// The darkness of a pixel with one entry, if others have more.
const FAINTEST: f64 = 55.0;

/// A picture in shades of grey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grey {
    /// Pixels of a line.
    pub width: usize,
    /// Number of lines.
    pub height: usize,
    /// Line by line from the top, each from the left: 0 is black, 255 white.
    pub pixels: Vec<u8>,
}

impl Grey {
    /// As a PNG file.
    ///
    /// # Panics
    /// If a side is 0 or too long for the format, or there are not width · height pixels.
    pub fn png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        // Dots on white: differences to neighbours are longer than the shades themselves.
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header().expect("sides of at least a pixel, written to memory");
        writer.write_image_data(&self.pixels).expect("as many pixels as announced, written to memory");
        writer.finish().expect("written to memory");
        file
    }
}

/// [`spy_pixels`] as a PNG file.
///
/// # Panics
/// If `max_pixels` is 0 or exceeds 16384.
pub fn spy(a: &Triplets, max_pixels: usize) -> Vec<u8> {
    spy_pixels(a, max_pixels).png()
}

/// The pattern as a picture whose longer side has at most `max_pixels` pixels.
///
/// The aspect ratio is kept (a side has at least one pixel). A matrix smaller than the picture is enlarged by an
/// integer factor: each position is a square with that many pixels on a side. A matrix without rows or columns is
/// white.
///
/// # Panics
/// If `max_pixels` is 0 or exceeds 16384.
pub fn spy_pixels(a: &Triplets, max_pixels: usize) -> Grey {
    assert!((1..=MAX_SIDE).contains(&max_pixels), "a picture of {max_pixels} pixels: 1 to {MAX_SIDE} are possible");
    let longer = a.rows().max(a.cols()).max(1);
    let zoom = (max_pixels / longer).max(1);
    // Cells of the picture: one per position, or fewer if the matrix is larger than the picture.
    let cells = |side: usize| (side * max_pixels.min(longer)).div_ceil(longer).max(1);
    let (height, width) = (cells(a.rows()), cells(a.cols()));
    let mut counts = vec![0u64; height * width];
    for (&i, &j) in a.row.iter().zip(&a.col) {
        let (y, x) = (i as usize * height / a.rows(), j as usize * width / a.cols());
        counts[y * width + x] += 1;
    }
    let grey = shades(&counts);
    let line = |y: usize| grey[y * width..][..width].iter().flat_map(move |&g| std::iter::repeat_n(g, zoom));
    let pixels = (0..height).flat_map(|y| std::iter::repeat_n(y, zoom)).flat_map(line).collect();
    Grey { width: width * zoom, height: height * zoom, pixels }
}

/// From numbers of entries to shades of grey, 255 white.
fn shades(counts: &[u64]) -> Vec<u8> {
    let most = counts.iter().copied().max().unwrap_or(0);
    let shade = |&c: &u64| match c {
        0 => 255,
        c if c == most => 0,
        c => (255.0 - FAINTEST - (255.0 - FAINTEST) * (c as f64).ln() / (most as f64).ln()).round() as u8,
    };
    counts.iter().map(shade).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(file: &[u8]) -> (usize, usize, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Grayscale, png::BitDepth::Eight));
        (info.width as usize, info.height as usize, pixels)
    }

    fn pattern(rows: usize, cols: usize, positions: &[(usize, usize)]) -> Triplets {
        Triplets::from_entries(rows, cols, positions.iter().map(|&(i, j)| (i, j, 5i64)))
    }

    #[test]
    fn black_pixels_sit_where_entries_are() {
        let a = pattern(3, 4, &[(0, 1), (2, 3), (2, 0)]);
        for (max, zoom) in [(4, 1), (5, 1), (11, 2), (12, 3)] {
            let (width, height, pixels) = decode(&spy(&a, max));
            assert_eq!((width, height), (4 * zoom, 3 * zoom));
            for (k, &grey) in pixels.iter().enumerate() {
                let position = (k / width / zoom, k % width / zoom);
                let entry = [(0, 1), (2, 3), (2, 0)].contains(&position);
                assert_eq!(grey, if entry { 0 } else { 255 }, "{position:?}");
            }
        }
    }

    #[test]
    fn large_matrices_are_condensed_and_keep_their_aspect() {
        // A diagonal of 1000 × 1000, and one entry far off.
        let mut positions: Vec<_> = (0..1000).map(|i| (i, i)).collect();
        positions.push((0, 999));
        let (width, height, pixels) = decode(&spy(&pattern(1000, 1000, &positions), 100));
        assert_eq!((width, height), (100, 100));
        for y in 0..100 {
            for x in 0..100 {
                let grey = pixels[y * 100 + x];
                match (y, x) {
                    (0, 99) => assert_eq!(grey, 200, "one entry among pixels of ten"),
                    _ if x == y => assert_eq!(grey, 0),
                    _ => assert_eq!(grey, 255),
                }
            }
        }
        for (rows, cols, max, expected) in [
            (1000, 250, 100, (25, 100)),
            (1, 5000, 64, (64, 1)),
            (7, 0, 64, (9, 63)),
            (0, 0, 8, (8, 8)),
            (900, 3, 1, (1, 1)),
        ] {
            let (width, height, pixels) = decode(&spy(&pattern(rows, cols, &[]), max));
            assert_eq!((width, height), expected, "{rows} x {cols}");
            assert!(pixels.iter().all(|&grey| grey == 255));
        }
    }

    #[test]
    fn every_entry_darkens_a_pixel() {
        // Sides that do not divide the picture's.
        for (rows, cols, max) in [(17, 23, 10), (101, 7, 13), (5, 640, 100)] {
            for (i, j) in [(0, 0), (rows - 1, cols - 1), (rows / 2, cols / 3)] {
                let (_, _, pixels) = decode(&spy(&pattern(rows, cols, &[(i, j)]), max));
                assert_eq!(pixels.iter().filter(|&&grey| grey == 0).count(), 1, "({i}, {j}) of {rows} x {cols}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "0 pixels")]
    fn a_picture_needs_pixels() {
        spy(&pattern(1, 1, &[]), 0);
    }
}
