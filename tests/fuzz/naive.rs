//! Textbook readers and ranks, for plain cases only: a naive reader ignores inputs that look unusual to it.

use std::collections::BTreeMap;

/// A matrix by positions, 0-based; zeros may be among them.
#[derive(Debug, Default)]
pub struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub entries: BTreeMap<(usize, usize), i128>,
}

impl Matrix {
    fn new(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, entries: BTreeMap::new() }
    }

    /// Adds to the entry in row i, column j (1-based), if that is in range.
    fn add(&mut self, i: i128, j: i128, v: i128) -> Option<()> {
        let inside = (1..=self.rows as i128).contains(&i) && (1..=self.cols as i128).contains(&j);
        inside.then(|| *self.entries.entry((i as usize - 1, j as usize - 1)).or_default() += v)
    }
}

/// Lines of printable ASCII, without the last one if it is empty.
fn lines(text: &[u8]) -> Option<Vec<&str>> {
    let plain = text.iter().all(|b| matches!(b, b'\n' | b' '..=b'~'));
    plain.then(|| std::str::from_utf8(text).expect("ASCII").lines().collect())
}

/// An integer without a plus sign or a negative zero, of at most 30 digits.
fn number(word: &str) -> Option<i128> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let plain = (1..=30).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    (plain && !word.starts_with("-0")).then(|| word.parse().expect("digits"))
}

fn numbers(line: &str) -> Option<Vec<i128>> {
    line.split_ascii_whitespace().map(number).collect()
}

fn dimension(n: i128) -> Option<usize> {
    (0..=i128::from(u32::MAX)).contains(&n).then_some(n as usize)
}

/// SMS without comments.
pub fn sms(text: &[u8]) -> Option<Matrix> {
    let lines = lines(text)?;
    let (head, body) = lines.split_first()?;
    let sizes = numbers(head.strip_suffix(" M")?)?;
    let [rows, cols] = sizes[..] else { return None };
    let mut matrix = Matrix::new(dimension(rows)?, dimension(cols)?);
    for (k, line) in body.iter().enumerate() {
        if *line == "0 0 0" {
            return body[k + 1..].iter().all(|line| line.is_empty()).then_some(matrix);
        }
        let entry = numbers(line)?;
        let [i, j, v] = entry[..] else { return None };
        matrix.add(i, j, v)?;
    }
    None
}

/// MatrixMarket, coordinates and arrays of integers, comments only after the banner.
pub fn matrix_market(text: &[u8]) -> Option<Matrix> {
    let lines = lines(text)?;
    let (banner, rest) = lines.split_first()?;
    let words: Vec<&str> = banner.strip_prefix("%%MatrixMarket matrix ")?.split(' ').collect();
    let [format, field, symmetry] = words[..] else { return None };
    let comments = rest.iter().take_while(|line| line.starts_with('%')).count();
    let (head, body) = rest[comments..].split_first()?;
    let sizes = numbers(head)?;
    let body: Vec<Vec<i128>> = body.iter().map(|line| numbers(line)).collect::<Option<_>>()?;
    match (format, field, symmetry, &sizes[..], body.len()) {
        ("array", "integer", "general", &[rows, cols], values) => {
            let mut matrix = Matrix::new(dimension(rows)?, dimension(cols)?);
            for (k, value) in body.iter().enumerate() {
                let [v] = value[..] else { return None };
                let k = k as i128;
                matrix.add(k.checked_rem(rows)? + 1, k / rows + 1, v)?;
            }
            (values as i128 == rows * cols).then_some(matrix)
        }
        ("coordinate", "integer" | "pattern", _, &[rows, cols, nnz], values) if values as i128 == nnz => {
            let mut matrix = Matrix::new(dimension(rows)?, dimension(cols)?);
            for entry in body {
                let (i, j, v) = match (field, &entry[..]) {
                    ("integer", &[i, j, v]) => (i, j, v),
                    ("pattern", &[i, j]) => (i, j, 1),
                    _ => return None,
                };
                matrix.add(i, j, v)?;
                match symmetry {
                    "general" => {}
                    "symmetric" if rows == cols && i > j => matrix.add(j, i, v)?,
                    "symmetric" if rows == cols && i == j => {}
                    "skew-symmetric" if field == "integer" && rows == cols && i > j => matrix.add(j, i, -v)?,
                    _ => return None,
                }
            }
            let known = ["general", "symmetric", "skew-symmetric"].contains(&symmetry);
            let square = symmetry == "general" || rows == cols;
            (known && square && (symmetry != "skew-symmetric" || field == "integer")).then_some(matrix)
        }
        _ => None,
    }
}

/// The first `count` integers of the next lines, each in a field of its own.
fn fixed<'a>(lines: &mut impl Iterator<Item = &'a str>, format: &str, count: usize) -> Option<Vec<i128>> {
    let (repeat, width) = format.strip_prefix('(')?.strip_suffix(')')?.split_once('I')?;
    let (repeat, width) = (number(repeat)? as usize, number(width)? as usize);
    if !(1..=80).contains(&repeat) || !(1..=80).contains(&width) {
        return None;
    }
    let mut found = Vec::new();
    while found.len() < count {
        let line = lines.next()?;
        let fields = repeat.min(count - found.len());
        for k in 0..fields {
            let field = line.get(k * width..line.len().min((k + 1) * width))?;
            found.push(number(field.trim_matches(' '))?);
        }
    }
    Some(found)
}

/// Harwell–Boeing, assembled, not symmetric, patterns and integers, all in formats like `(16I5)`.
pub fn harwell_boeing(text: &[u8]) -> Option<Matrix> {
    let lines = lines(text)?;
    let [_title, cards, sizes, formats, data @ ..] = &lines[..] else { return None };
    let cards = numbers(cards)?;
    let values = match (sizes.get(..3)?, &cards[..]) {
        ("PUA" | "PRA", &[_, _, _, 0]) => false,
        ("IUA" | "IRA", &[_, _, _, cards]) if cards > 0 => true,
        _ => return None,
    };
    let sizes = numbers(&sizes[3..])?;
    let [rows, cols, nnz, 0] = sizes[..] else { return None };
    let (rows, cols, nnz) = (dimension(rows)?, dimension(cols)?, usize::try_from(nnz).ok()?);
    let formats: Vec<&str> = formats.split_ascii_whitespace().collect();
    if formats.len() != 2 + usize::from(values) || cols > text.len() || nnz > text.len() {
        return None;
    }
    let mut rest = data.iter().copied();
    let pointers = fixed(&mut rest, formats[0], cols + 1)?;
    let indices = fixed(&mut rest, formats[1], nnz)?;
    let values = if values { fixed(&mut rest, formats[2], nnz)? } else { vec![1; nnz] };
    let rising = pointers.windows(2).all(|pair| pair[0] <= pair[1]);
    if pointers[0] != 1 || !rising || pointers[cols] != nnz as i128 + 1 {
        return None;
    }
    let mut matrix = Matrix::new(rows, cols);
    for j in 0..cols {
        for k in pointers[j]..pointers[j + 1] {
            let k = k as usize - 1;
            matrix.add(indices[k], j as i128 + 1, values[k])?;
        }
    }
    Some(matrix)
}

/// The rank of a dense matrix mod p < 2⁶³, row after row.
pub fn rank(p: u64, mut rows: Vec<Vec<u64>>) -> usize {
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(p)) as u64;
    let inverse = |a: u64| {
        let (mut result, mut base, mut e) = (1, a, p - 2);
        while e > 0 {
            result = if e % 2 == 1 { mul(result, base) } else { result };
            (base, e) = (mul(base, base), e / 2);
        }
        result
    };
    let mut rank = 0;
    for j in 0..rows.first().map_or(0, Vec::len) {
        let Some(found) = (rank..rows.len()).find(|&i| rows[i][j] != 0) else { continue };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        let scale = inverse(pivot[j]);
        for row in &mut rows[rank + 1..] {
            let factor = mul(row[j], scale);
            row.iter_mut().zip(&pivot).for_each(|(x, &y)| *x = (*x + (p - mul(factor, y))) % p);
        }
        rank += 1;
    }
    rank
}
