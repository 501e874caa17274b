//! Lines, bars and letters as pixels.

use blackfield::sparse::Grey;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

const WEIGHT: FontWeight = FontWeight::Regular;
const HEIGHT: RasterHeight = RasterHeight::Size16;
/// Pixels from the top of a letter's box to the line on which it stands.
const ASCENT: usize = 13;

/// Pixels of a text.
pub fn width_of(words: &str) -> f64 {
    (words.chars().count() * get_raster_width(WEIGHT, HEIGHT)) as f64
}

/// A picture in colours, white at first.
pub struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Raster {
    pub fn new([width, height]: [usize; 2]) -> Raster {
        Raster { width, height, pixels: vec![[255; 3]; width * height] }
    }

    /// Covers a pixel with a share of a colour, out of 255; nothing outside the picture.
    fn cover(&mut self, x: usize, y: usize, colour: [u8; 3], share: u8) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            for (below, above) in pixel.iter_mut().zip(colour) {
                let (b, a, s) = (u32::from(*below), u32::from(above), u32::from(share));
                *below = ((b * (255 - s) + a * s + 127) / 255) as u8;
            }
        }
    }

    /// A horizontal or vertical line, a pixel thick.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], colour: [u8; 3]) {
        let [low, high] = [0, 1].map(|k| [from[k].min(to[k]), from[k].max(to[k])]);
        self.fill([low[0], high[0]], [(low[1] - low[0]).max(1.0), (high[1] - high[0]).max(1.0)], colour);
    }

    /// A rectangle, at least a pixel on each side.
    pub fn fill(&mut self, at: [f64; 2], size: [f64; 2], colour: [u8; 3]) {
        let [x, y] = at.map(|v| v.round() as usize);
        let [right, below] = [0, 1].map(|k| ((at[k] + size[k]).round() as usize).max([x, y][k] + 1));
        for row in y..below {
            (x..right).for_each(|col| self.cover(col, row, colour, 255));
        }
    }

    /// A line of text that begins at x and stands on y. Letters that the font does not have are question marks.
    pub fn words(&mut self, at: [f64; 2], words: &str, colour: [u8; 3]) {
        let [left, base] = at.map(|v| v.round() as usize);
        let top = base.saturating_sub(ASCENT);
        for (k, letter) in words.chars().enumerate() {
            let raster = get_raster(letter, WEIGHT, HEIGHT).or_else(|| get_raster('?', WEIGHT, HEIGHT));
            let Some(raster) = raster else { continue };
            for (y, line) in raster.rows().enumerate() {
                for (x, &share) in line.iter().enumerate() {
                    self.cover(left + k * raster.width() + x, top + y, colour, share);
                }
            }
        }
    }

    pub fn picture(&mut self, at: [f64; 2], grey: &Grey) {
        let [left, top] = at.map(|v| v.round() as usize);
        for (k, &shade) in grey.pixels.iter().enumerate() {
            self.cover(left + k % grey.width, top + k / grey.width, [shade; 3], 255);
        }
    }

    pub fn png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // Dots and letters on white: differences to neighbours are longer than the colours themselves.
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header().expect("sides of at least a pixel, written to memory");
        writer.write_image_data(self.pixels.as_flattened()).expect("as many pixels as announced, written to memory");
        writer.finish().expect("written to memory");
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_drawn_where_they_belong_and_differ() {
        let draw = |words: &str| {
            let mut raster = Raster::new([60, 20]);
            raster.words([4.0, 15.0], words, [0; 3]);
            raster.pixels
        };
        let (empty, one, two) = (draw(" "), draw("1"), draw("2"));
        assert!(empty.iter().all(|&pixel| pixel == [255; 3]));
        assert!(one != two && one.iter().any(|pixel| pixel[0] < 100));
        // On the line, not below: only letters that descend are.
        let below = |pixels: &[[u8; 3]]| pixels[16 * 60..].iter().any(|pixel| pixel[0] < 200);
        assert!(!below(&one) && below(&draw("gp")));
        assert_eq!(draw("\u{4e2d}"), draw("?"));
        assert!(draw("×") != draw("?"), "a sign that titles have");
    }

    #[test]
    fn what_leaves_the_picture_is_cut_off() {
        let mut raster = Raster::new([5, 5]);
        raster.words([3.0, 2.0], "WWW", [0; 3]);
        raster.fill([4.0, 4.0], [10.0, 10.0], [9; 3]);
        raster.line([0.0, 0.0], [0.0, 9.0], [7; 3]);
        assert_eq!((raster.pixels[24], raster.pixels[5]), ([9; 3], [7; 3]));
    }
}
