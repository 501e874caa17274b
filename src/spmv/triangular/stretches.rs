//! Which rows of a triangular solve need each other, and how they are shared out.

use super::lines::SolveLines;
use std::ops::Range;

/// Entries and rows of a segment from which on it is shared out, and of its tiles.
const TILE_WORK: usize = 1 << 12;

/// What finishing a row costs, in entries.
const ROW_WORK: usize = 4;

/// Rows in sequence and how they are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// One after the other.
    Serial(Range<usize>),
    /// Independent of each other: tiles of about equal work.
    Parallel(Vec<Range<usize>>),
}

/// Segments of rows that do not need each other, the long ones cut into tiles, the short ones strung together; row q
/// needs the first `needed[q]` rows of the block.
pub(super) fn stretches(inputs: usize, lines: &SolveLines, needed: &[u32]) -> Vec<Stretch> {
    let mut all = Vec::new();
    let mut close = |rows: Range<usize>, work: usize| {
        if work >= 2 * TILE_WORK {
            all.push(Stretch::Parallel(tiles(lines, rows)));
        } else if let Some(Stretch::Serial(before)) = all.last_mut() {
            before.end = rows.end;
        } else if !rows.is_empty() {
            all.push(Stretch::Serial(rows));
        }
    };
    let (mut first, mut work) = (0, 0);
    for (q, &last) in needed.iter().enumerate() {
        let last = last as usize;
        assert!(last <= inputs + q, "row {q} needs row {} of the block", last.saturating_sub(1));
        if last > inputs + first {
            close(first..q, work);
            (first, work) = (q, 0);
        }
        work += lines.slots_of(q).len() + ROW_WORK;
    }
    close(first..needed.len(), work);
    all
}

/// Ranges of about equal work.
fn tiles(lines: &SolveLines, rows: Range<usize>) -> Vec<Range<usize>> {
    let (mut first, mut work, end) = (rows.start, 0, rows.end);
    let mut tiles = Vec::new();
    for q in rows {
        work += lines.slots_of(q).len() + ROW_WORK;
        if work >= TILE_WORK || q + 1 == end {
            tiles.push(first..q + 1);
            (first, work) = (q + 1, 0);
        }
    }
    tiles
}
