//! `--dry-run`: what is planned, with predicted seconds and bytes, instead of the work. The same code runs until it
//! says what its first long step will take, and is stopped there.

use crate::exit::Code;
use crate::output;
use crate::schema::Schema;
use blackfield::{Error, Forecast, Result, words};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

static ASKED: AtomicBool = AtomicBool::new(false);
/// Whether there is a plan.
static DONE: AtomicBool = AtomicBool::new(false);
static PLAN: Mutex<Option<Forecast>> = Mutex::new(None);

/// Nothing but the plan is wanted.
pub fn ask() {
    ASKED.store(true, Relaxed);
}

/// Whether nothing but the plan is wanted.
pub fn is_asked() -> bool {
    ASKED.load(Relaxed)
}

/// Whether it is there, and all work is to stop.
pub fn is_done() -> bool {
    DONE.load(Relaxed)
}

/// Takes the plan, if nothing else is wanted.
pub fn take(forecast: &Forecast) -> bool {
    if is_asked() {
        PLAN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| forecast.clone());
        DONE.store(true, Relaxed);
    }
    is_asked()
}

/// What JSON shows of it.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    command: &'static str,
    #[serde(flatten)]
    plan: Forecast,
    threads: usize,
    version: &'static str,
}

/// The end of a run of `command`: that of the work or, if only the plan was wanted, the plan.
pub fn conclude(command: &'static str, json: bool, worked: Result<Code>) -> Result<Code> {
    if !is_asked() || !matches!(worked, Ok(_) | Err(Error::Interrupted)) {
        return worked;
    }
    let plan = PLAN.lock().unwrap_or_else(PoisonError::into_inner).take();
    let plan = match (plan, worked) {
        (Some(plan), _) => plan,
        // It ended before it came to a step that takes long.
        (None, Ok(Code::Answer)) => {
            Forecast { name: "nothing", why: "no step takes long".into(), seconds: 0.0, bytes: 0 }
        }
        (None, other) => return other,
    };
    if json {
        let (threads, version) = (rayon::current_num_threads(), env!("CARGO_PKG_VERSION"));
        output::print_now(&output::json(&Document { schema: Schema::Plan, command, plan, threads, version }))?;
        return Ok(Code::Answer);
    }
    output::print_now(&format!("plan: {}\n", sentence(&plan)))?;
    Ok(Code::Answer)
}

/// `row space, about 12 min, 60 MB (…)`.
pub fn sentence(forecast: &Forecast) -> String {
    let Forecast { name, why, seconds, bytes } = forecast;
    format!("{name}, {}, {} MB ({why})", duration(*seconds), bytes.div_ceil(1 << 20))
}

/// `about 12 min`: seconds as people say them, none of them counted below 1.
pub fn duration(seconds: f64) -> String {
    if seconds < 0.95 { "less than 1 s".into() } else { format!("about {}", words::duration(seconds.max(1.0))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_a_sentence() {
        let why = "sparse".into();
        let plan = Forecast { name: "gray", why, seconds: 720.0, bytes: 60 << 20 };
        assert_eq!(sentence(&plan), "gray, about 12 min, 60 MB (sparse)");
        assert_eq!((&*duration(0.0), &*duration(0.96)), ("less than 1 s", "about 1.0 s"));
    }
}
