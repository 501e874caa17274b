//! A matrix that is long: of the lines of its longer side a few, drawn at random, often have the full rank that the
//! shorter side allows. Then so has the matrix, whatever the others are.
//!
//! rank A is at least the rank of any of its lines, and at most the length of its shorter side. So a draw that has as
//! large a rank proves it, and one that has not says nothing.

use super::answer::Rank;
use super::plan::ENTRY;
use super::planner::Rest;
use super::{Method, Phases, RankOptions, Route, run};
use crate::certify::{Domain, Streams};
use crate::decomposition::Keep;
use crate::pivots::{self, Effort};
use crate::sparse::SparseMatrix;
use crate::{Error, Forecast, Observer, Result, Step, memory};
use rand::RngExt;
use std::borrow::Cow;
use std::time::Instant;

/// How many times as long as wide a matrix is of which lines are drawn.
const LONG: usize = 16;
/// Lines drawn for each line of the shorter side, and beyond that. With w entries in a line, one of the shorter side is
/// missed by all that are drawn with a probability of exp(-4·w) or so.
const DRAWN: usize = 4;
const MORE: usize = 64;
/// Entries from which on that is worth it.
const MANY: usize = 1 << 17;
/// What structural pivots leave of the lines drawn takes no more at worst than so many times the search for those of
/// all.
const SHARE: f64 = 4.0;
/// The part of the streams for the rank of the lines drawn: no component of the matrix.
const PART: u64 = u64::MAX;
/// What the memory is for.
const LINES: &str = "the lines drawn of a matrix";

/// What came of lines that were drawn.
pub(super) enum Drawn {
    /// There was no reason to draw any.
    Nothing,
    /// They do not have the full rank, or it was not found out.
    Less(Step),
    /// They have.
    Full(Box<Rank>),
}

/// Draws lines of `core`, which has no empty ones, where that may pay.
///
/// # Errors
/// [`Error::Interrupted`] if the observer asks for it, [`Error::Check`] if a computation contradicts itself.
pub(super) fn lines(
    core: &SparseMatrix,
    options: &RankOptions,
    streams: &Streams,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<Drawn> {
    let start = Instant::now();
    let (rows, cols) = (core.rows(), core.cols());
    let (long, full) = (rows.max(cols), rows.min(cols));
    let is_asked = options.method == Method::Auto && options.keep() == Keep::Nothing;
    if !is_asked || long / LONG < full || core.nnz() < MANY {
        return Ok(Drawn::Nothing);
    }
    let count = DRAWN * full + MORE;
    if options.max_memory.is_some_and(|limit| expected_bytes(core, count) > u128::from(limit)) {
        return Ok(Drawn::Nothing);
    }
    let found = || {
        let Some(some) = draw(core, count, streams)? else { return Ok(Err("a line of the other side is missed")) };
        let bytes = ENTRY.saturating_mul(some.nnz() as u64);
        let max_memory = options.max_memory.map(|limit| limit.saturating_sub(bytes));
        let options = &RankOptions { max_memory, ..for_a_lower_bound(options) };
        let hidden = Hidden(observer);
        if share(core, &some, options, &hidden)? > SHARE {
            return Ok(Err("their rank would take too long"));
        }
        let (part, mut machine) = (streams.part(PART), options.machine.clone());
        run::rank(Cow::Owned(some), options, &part, &mut machine, Phases::default(), &hidden).map(Ok)
    };
    let found = match phases.shown("drawn lines", observer, found) {
        // All lines may be worked on in less memory.
        Err(Error::Memory(_)) => Err("memory ended"),
        other => other?,
    };
    let side = if rows < cols { "columns" } else { "rows" };
    let step = |found: String| Step {
        name: "drawn lines",
        found: format!("{found} {count} of {long} {side}"),
        why: format!("{rows} x {cols}: so few often have the rank of all"),
        rank: Some(0),
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    let of_some = match found {
        Err(why) => return Ok(Drawn::Less(Step { found: format!("given up: {why}"), ..step(String::new()) })),
        Ok(of_some) if of_some.rank < full => return Ok(Drawn::Less(step(format!("rank {} of", of_some.rank)))),
        Ok(of_some) => of_some,
    };
    let reason = format!("{count} of {long} {side} have rank {full}, and no larger one is possible");
    observer.forecast(&Forecast { name: "drawn lines", why: reason.clone(), seconds: 0.0, bytes: 0 });
    observer.check()?;
    let Rank { rank, method, wiedemann, devices, mut path, .. } = of_some;
    if rank > full {
        return Err(Error::Check(format!("{count} of {long} {side} have rank {rank}, more than {full}")));
    }
    path.push(step(format!("rank {rank} of")));
    let proven = Rank::proven(full, method, reason, path, std::mem::take(phases));
    Ok(Drawn::Full(Box::new(Rank { wiedemann, devices, ..proven })))
}

/// Options for a rank of which a lower bound is wanted, as every value is but a co-degree.
fn for_a_lower_bound(options: &RankOptions) -> RankOptions {
    RankOptions { proven: false, error: None, trials: 1, route: Route::Shortcut, ..options.clone() }
}

/// Bytes of so many lines of the longer side, and of what they are copied with, if they are as heavy as others or not
/// much heavier.
fn expected_bytes(core: &SparseMatrix, count: usize) -> u128 {
    let long = core.rows().max(core.cols());
    let entries = 2 * (core.nnz() as u128 * count as u128 / long as u128);
    let lines = (2 * count + 2 * core.cols()) as u128 * size_of::<u64>() as u128;
    u128::from(ENTRY) * entries + lines
}

/// So many lines of the longer side, one of each of as many ranges of about the same length; `None` if they leave a
/// line of the shorter side empty.
fn draw(core: &SparseMatrix, count: usize, streams: &Streams) -> Result<Option<SparseMatrix>> {
    let mut rng = streams.stream(Domain::Lines, 0);
    let (rows, cols) = (core.rows(), core.cols());
    let (long, full) = (rows.max(cols), rows.min(cols));
    let first = |k: usize| (k as u128 * long as u128 / count as u128) as usize;
    let any = (0..count).map(|k| rng.random_range(first(k)..first(k + 1)) as u32);
    let (drawn, all) = (memory::collect(any, LINES)?, memory::collect(0..full as u32, LINES)?);
    let mut some = if rows < cols { core.submatrix(&all, &drawn)? } else { core.submatrix(&drawn, &all)? };
    some.drop_empty_lines()?;
    Ok((some.rows().min(some.cols()) == full).then_some(some))
}

/// How many times the predicted seconds of the search for pivots in `core` are spent at worst on what they leave of
/// some lines of it.
fn share(core: &SparseMatrix, some: &SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<f64> {
    let machine = &options.machine;
    let rest = Rest::of(some, pivots::find(some, &Effort::default(), observer)?.pivots.len(), options);
    let rest = if core.rows() < core.cols() { rest.transposed() } else { rest };
    let worst = rest.every_row_at_worst(machine).min(rest.row_space_seconds(machine, rest.rank_bound));
    let search = Effort::default().cover_seconds(&machine.sparse, [core.rows(), core.cols()], core.nnz());
    Ok(worst / search)
}

/// Passes on warnings and requests to stop: what else is told here is not what was planned.
struct Hidden<'a>(&'a dyn Observer);

impl Observer for Hidden<'_> {
    fn warning(&self, message: &str) {
        self.0.warning(message);
    }
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Left;
    use super::*;
    use crate::answers::{rank, rank_plan};
    use crate::certify::Certainty;
    use crate::cost::Kind;
    use crate::field::{Modulus, Rng};
    use crate::oracles::dense_rank;
    use crate::report::ErrorBound;
    use crate::{Forecast, Silent};
    use rand::SeedableRng;
    use std::collections::HashSet;
    use std::sync::Mutex;

    /// `times` × 400 rows of `each` entries, each 400 of them alike, in `width` columns; the rank.
    fn long(p: u64, times: usize, width: usize, each: usize, rng: &mut Rng) -> (SparseMatrix, usize) {
        let p = Modulus::new(p).unwrap();
        let kinds: Vec<(usize, usize, u64)> =
            (0..400 * each).map(|k| (k / each, rng.random_range(0..width), rng.random_range(1..p.get()))).collect();
        let few = SparseMatrix::from_triplets(p, 400, width, &kinds);
        let entries: Vec<_> =
            (0..times).flat_map(|t| kinds.iter().map(move |&(i, j, v)| (t * 400 + i, j, v))).collect();
        (SparseMatrix::from_triplets(p, 400 * times, width, &entries), dense_rank(&few))
    }

    fn steps(path: &[Step]) -> Vec<&str> {
        path.iter().map(|step| step.name).collect()
    }

    /// Options at which lines of `a`, which is long, are drawn: at prices of this machine, but for a search for pivots
    /// that takes as long as that needs. The matrix as a whole, with many times as many lines, does not look dense
    /// then.
    fn letting_draw(a: &SparseMatrix) -> RankOptions {
        let (core, mut options) = (a.without_empty_lines().unwrap(), RankOptions::default());
        let count = DRAWN * core.rows().min(core.cols()) + MORE;
        let Some(some) = draw(&core, count, &Streams::of(&core, 1)).unwrap() else { return options };
        let share = share(&core, &some, &options, &Silent).unwrap();
        options.machine.sparse.cover *= (2.0 * share / SHARE).max(1.0);
        options
    }

    #[test]
    fn a_draw_of_full_rank_is_proven_and_one_of_less_says_nothing() {
        let mut rng = Rng::seed_from_u64(71);
        let mut seen = HashSet::new();
        // All of it, by far the most of it, half of it.
        for (p, width, each) in [(2, 100, 8), (3, 120, 6), (65521, 150, 4), (65521, 500, 5), ((1 << 61) - 1, 30, 4)] {
            let (tall, expected) = long(p, 140_000 / (400 * each) + 1, width, each, &mut rng);
            for a in [tall.transpose().unwrap(), tall] {
                let (core, options) = (a.without_empty_lines().unwrap(), letting_draw(&a));
                let full = core.rows().min(core.cols());
                let dense = Left::of(Cow::Borrowed(&core), &options, &options.machine).unwrap().dense;
                let draws = !dense && core.nnz() >= MANY && core.rows().max(core.cols()) / LONG >= full;
                let found = rank(&a, &options, &Silent).unwrap();
                let names = steps(&found.path);
                assert_eq!(found.rank, expected, "{names:?}");
                assert_eq!(found.path.iter().filter_map(|step| step.rank).sum::<usize>(), expected, "{names:?}");
                let drawn = names.iter().position(|&name| name == "drawn lines");
                assert_eq!(drawn.is_some(), draws, "{names:?}");
                match drawn {
                    Some(0) if expected < full => assert!(names.len() > 1),
                    Some(last) => {
                        assert!(last + 1 == names.len() && expected == full);
                        assert_eq!(found.certainty, Certainty::Proven);
                    }
                    None => {}
                }
                seen.insert((draws, expected == full));
                let plan = rank_plan(&a, &options, &Silent).unwrap();
                assert_eq!(steps(&plan.made).contains(&"drawn lines"), draws);
                assert_eq!(plan.next.is_empty(), draws && expected == full, "{plan:?}");
            }
        }
        assert!(seen.contains(&(true, true)) && seen.contains(&(true, false)), "{seen:?}");
    }

    /// A draw goes on as far as the guard lets it, and no further.
    #[test]
    fn a_draw_takes_no_more_than_its_share() {
        let (a, _) = long(65521, 90, 150, 4, &mut Rng::seed_from_u64(76));
        let streams = Streams::of(&a, 1);
        let some = draw(&a, DRAWN * a.cols() + MORE, &streams).unwrap().unwrap();
        let at = |factor: f64| {
            let mut options = RankOptions::default();
            options.machine.sparse.cover *= factor;
            options
        };
        let share = share(&a, &some, &at(1.0), &Silent).unwrap();
        // It falls as pivots get dearer.
        let lines = |times: f64| {
            let options = at(share / SHARE * times);
            lines(&a, &options, &streams, &mut Phases::default(), &Silent).unwrap()
        };
        assert!(matches!(lines(1.0 + 1e-9), Drawn::Full(_)));
        let Drawn::Less(step) = lines(1.0 - 1e-9) else { panic!("too dear") };
        assert_eq!((step.found.as_str(), step.rank), ("given up: their rank would take too long", Some(0)));
    }

    /// Lines that do not fit beside the matrix are not drawn.
    #[test]
    fn a_draw_keeps_to_the_memory_allowed() {
        let (a, expected) = long(65521, 90, 150, 4, &mut Rng::seed_from_u64(77));
        let with = |bytes| RankOptions { max_memory: Some(bytes), ..letting_draw(&a) };
        let lines = |bytes| lines(&a, &with(bytes), &Streams::of(&a, 1), &mut Phases::default(), &Silent).unwrap();
        let least = expected_bytes(&a, DRAWN * a.cols() + MORE) as u64;
        assert!(matches!(lines(least - 1), Drawn::Nothing) && !matches!(lines(least), Drawn::Nothing));
        assert!(matches!(lines(1 << 24), Drawn::Full(_)));
        assert_eq!(rank(&a, &with(1 << 24), &Silent).unwrap().rank, expected);
    }

    /// What is asked of the answer is not asked of the lines drawn: any rank of theirs is a lower bound, unless it is a
    /// co-degree. Here block Wiedemann finds it.
    #[test]
    fn a_draw_is_a_lower_bound_whatever_is_asked() {
        let (a, full) = long(65521, 90, 300, 5, &mut Rng::seed_from_u64(79));
        assert_eq!(full, 300);
        let mut options = RankOptions { trials: 2, route: Route::CoDegree, proven: true, ..RankOptions::default() };
        options.machine = options.machine.scaled(Kind::Dense, 1e6).scaled(Kind::Sparse, 1e6);
        options.machine.sparse.cover *= 1e9;
        let streams = Streams::of(&a, 1);
        let found = lines(&a, &options, &streams, &mut Phases::default(), &Silent).unwrap();
        let Drawn::Full(found) = found else { panic!("a full rank") };
        assert_eq!((found.rank, found.certainty), (300, Certainty::Proven));
        assert_eq!(found.wiedemann.expect("dense elimination is dear").trials, 1);
        let asked = RankOptions { error: Some(ErrorBound::of_bits(64)), ..options };
        let inner = for_a_lower_bound(&asked);
        assert_eq!((inner.proven, inner.trials, inner.route), (false, 1, Route::Shortcut));
        assert!(inner.error.is_none());
    }

    /// Nor where a minor or the method is asked for.
    #[test]
    fn lines_are_drawn_of_long_matrices_alone() {
        let mut rng = Rng::seed_from_u64(72);
        let (a, _) = long(65521, 90, 150, 4, &mut rng);
        let lines = |a: &SparseMatrix, options: &RankOptions| {
            lines(a, options, &Streams::of(a, 1), &mut Phases::default(), &Silent).unwrap()
        };
        let auto = letting_draw(&a);
        assert!(matches!(lines(&a, &auto), Drawn::Full(_)));
        for options in [RankOptions { minor: true, ..auto.clone() }, auto.clone().method(Method::Elimination)] {
            assert!(matches!(lines(&a, &options), Drawn::Nothing));
        }
        // Few entries, or half as long.
        assert!(matches!(lines(&a.row_range(0..36_000 / 2).unwrap(), &auto), Drawn::Nothing));
        let (short, _) = long(65521, 6, 200, 90, &mut rng);
        assert!(short.nnz() >= MANY && matches!(lines(&short, &auto), Drawn::Nothing));
        // A column that most draws miss, which is seen before anything is eliminated.
        let mut entries: Vec<_> = (0..a.rows()).flat_map(|i| (0..4).map(move |k| (i, (i + 7 * k) % 149, 1))).collect();
        entries.push((5, 149, 1));
        let b = SparseMatrix::from_triplets(a.modulus(), a.rows(), 150, &entries);
        assert!(matches!(lines(&b, &auto), Drawn::Less(step) if step.found.contains("missed")));
    }

    /// A plan alone is told what was found, and an answer what is done.
    #[test]
    fn what_was_drawn_is_told() {
        struct Heard(Mutex<Vec<&'static str>>);
        impl Observer for Heard {
            fn forecast(&self, forecast: &Forecast) {
                self.0.lock().unwrap().push(forecast.name);
            }
        }
        let (a, _) = long(65521, 90, 150, 4, &mut Rng::seed_from_u64(73));
        let heard = Heard(Mutex::default());
        let found = rank(&a, &letting_draw(&a), &heard).unwrap();
        assert_eq!(heard.0.into_inner().unwrap(), ["drawn lines"]);
        assert!(found.reason.contains("664 of 36000 rows have rank 150"), "{}", found.reason);
    }
}
