//! What was found of a boundary, as a text that outlives the process: a line each for the rank, the certainty, the
//! reason, and each invariant factor beyond 1 with its number.

use super::groups::Invariants;
use super::over::Found;
use crate::certify::{Certainty, ErrorBound};
use crate::report::Phases;
use std::fmt::Write;

/// What is added to the reason of an answer that another process found.
const RESUMED: &str = "from a checkpoint, whose checksum matches";

/// The text.
pub(super) fn write(found: &Found) -> String {
    let certainty = match found.certainty {
        Certainty::MonteCarlo { error_bound } => format!("monte-carlo {:016x}", error_bound.log2().to_bits()),
        other => other.name().to_string(),
    };
    let mut text = format!("{}\n{certainty}\n{}\n", found.invariants.rank, found.reason.replace('\n', " "));
    for (factor, count) in &found.invariants.torsion {
        writeln!(text, "{factor} {count}").expect("a string takes all text");
    }
    text
}

/// What the text says; `None` if it is none of these.
pub(super) fn read(text: &str) -> Option<Found> {
    let mut lines = text.lines();
    let rank = lines.next()?.parse().ok()?;
    let certainty = match lines.next()?.split_once(' ') {
        None => {
            [Certainty::Proven, Certainty::Heuristic].into_iter().find(|c| text.lines().nth(1) == Some(c.name()))?
        }
        Some(("monte-carlo", bits)) => {
            let log2 = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
            Certainty::MonteCarlo { error_bound: ErrorBound::from_log2(log2) }
        }
        Some(_) => return None,
    };
    let reason = lines.next()?;
    let reason = if reason.ends_with(RESUMED) { reason.to_string() } else { format!("{reason}; {RESUMED}") };
    let factor = |line: &str| {
        let (factor, count) = line.split_once(' ')?;
        Some((factor.parse().ok()?, count.parse().ok()?))
    };
    let torsion = lines.map(factor).collect::<Option<Vec<_>>>()?;
    Some(Found { invariants: Invariants { rank, torsion }, certainty, reason, phases: Phases::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bound = ErrorBound::of_bits(77);
        for certainty in [Certainty::Proven, Certainty::Heuristic, Certainty::MonteCarlo { error_bound: bound }] {
            for torsion in
                [vec![], vec![("3".parse().unwrap(), 8), ("123456789012345678901234567890".parse().unwrap(), 1)]]
            {
                let invariants = Invariants { rank: 17, torsion };
                let found = Found { invariants, certainty, reason: "why".into(), phases: Phases::default() };
                let again = read(&write(&found)).unwrap();
                assert_eq!((again.invariants.rank, again.certainty), (17, certainty));
                assert_eq!(again.invariants.torsion, found.invariants.torsion);
                assert_eq!(again.reason, format!("why; {RESUMED}"));
                assert_eq!(write(&read(&write(&again)).unwrap()), write(&again));
            }
        }
        for text in
            ["", "x\nproven\nwhy\n", "1\nsure\nwhy\n", "1\nproven\n", "1\nproven\nwhy\n3\n", "1\nmonte-carlo z\nwhy\n"]
        {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
