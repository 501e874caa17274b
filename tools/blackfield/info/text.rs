//! The facts as text.

use super::Info;
use crate::page::units::{bytes, seconds};
use blackfield::answers::{PlannedStep, RankPlan};
use blackfield::matching::{BlockForm, Blocks, Equal};
use blackfield::report::Certainty;
use blackfield::words::counted;

/// Steps of a plan that are told, those of components among them: there may be thousands.
const TOLD: usize = 12;

/// All that is printed.
pub fn of(info: &Info) -> String {
    let Info { statistics, digest, modulus, plan, predicted, .. } = info;
    format!(
        "{statistics}\n{}digest {digest}\n\nrank mod {modulus}\n{}\nproducts mod {modulus}\n{plan}- a product with {} vectors is \
         predicted to take {} of one thread\n\n",
        blocks(&info.blocks),
        rank(&info.rank_plan),
        predicted.vectors,
        seconds(predicted.seconds)
    )
}

/// The block triangular form.
fn blocks(form: &BlockForm) -> String {
    let mut text = format!("block triangular form (Dulmage-Mendelsohn): structural rank {}\n", form.structural_rank);
    let mut part = |name: &str, part: &Blocks, sizes: &[Equal]| {
        if part.blocks > 0 {
            let Blocks { rows, cols, blocks, .. } = part;
            text += &format!("  {name}: {rows} x {cols} in {}\n", of_sizes(*blocks, "block", sizes));
        }
    };
    part("more columns than rows", &form.horizontal, &[]);
    part("square", &form.square, &form.square_sizes);
    part("more rows than columns", &form.vertical, &[]);
    if let Some(strong) = &form.strong_components {
        text += &format!("  {}\n", of_sizes(strong.components, "strongly connected component", &strong.sizes));
    }
    text
}

/// So many things of these sizes, the largest few of which are told.
pub fn of_sizes(count: usize, thing: &str, sizes: &[Equal]) -> String {
    let words = sizes.iter().take(4).map(|&Equal { size, blocks, .. }| match blocks {
        1 => size.to_string(),
        _ => format!("{size} ({blocks} times)"),
    });
    let mut words: Vec<String> = words.collect();
    if sizes.len() > words.len() {
        words.push("...".into());
    }
    let sizes = match (count, sizes) {
        (_, []) => String::new(),
        (_, [all]) => format!(" of size {}", all.size),
        _ => format!(" of sizes {}", words.join(", ")),
    };
    format!("{}{sizes}", counted(count, thing))
}

/// How the rank would be found.
fn rank(plan: &RankPlan) -> String {
    let mut steps: Vec<String> = plan.made.iter().map(|step| format!("- {}: {}", step.name, step.found)).collect();
    steps.extend(plan.next.iter().map(|step| format!("- then {}", planned(step))));
    let more = steps.len().saturating_sub(TOLD);
    steps.truncate(TOLD);
    if more > 0 {
        steps.push(format!("- and {more} more steps"));
    }
    let end = match plan.next.is_empty() {
        true => "- nothing is left to do: the rank is proven\n".to_string(),
        false => format!(
            "- together at most {} of one thread and {} beyond the matrix; {}\n",
            seconds(plan.seconds),
            bytes(plan.bytes as f64),
            certainty(plan)
        ),
    };
    format!("{}\n{end}", steps.join("\n")).trim_start().to_string()
}

/// A step that would be made, in words.
pub fn planned(step: &PlannedStep) -> String {
    let PlannedStep { name, why, until_rank, .. } = step;
    let until = until_rank.map_or(String::new(), |rank| format!("; beyond rank {rank} the plan is made anew"));
    format!("{name}: {why}{until}")
}

/// What the answer would be, in words.
pub fn certainty(plan: &RankPlan) -> String {
    match plan.certainty {
        Certainty::Proven => "the answer would be proven".into(),
        Certainty::MonteCarlo { error_bound } => {
            format!("proven if that is cheap, else wrong with probability <= {error_bound}")
        }
        Certainty::Heuristic => "the answer would be heuristic, unless it attains a bound".into(),
    }
}
