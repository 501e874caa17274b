//! Parts of more than one page.

use super::bars;
use super::escaped;
use super::units::count;
use blackfield::spmv::Plan;
use blackfield::tune::MethodCost;

/// The parts of the plan and their reasons.
pub fn plan(plan: &Plan) -> String {
    let reasons: String = plan.reasons.iter().map(|reason| format!("<li>{}</li>\n", escaped(reason))).collect();
    let (sums, products) = (count(plan.budget.0 as usize), count(plan.budget.1 as usize));
    let transposed = match &plan.transposed {
        Some(parts) => bars::parts("Transpose", parts),
        None => "<h3>Transpose</h3>\n<p>scattered from A</p>\n".into(),
    };
    format!(
        "<p>{} lanes, {} sums of up to {sums} residues or {products} products, {} code.</p>\n{}{transposed}<ul>\n{reasons}</ul>",
        plan.lane,
        plan.arithmetic,
        plan.isa.name(),
        bars::parts("A", &plan.parts)
    )
}

/// What each way to the rank is predicted to cost.
pub fn methods(costs: &[MethodCost], prices: &str) -> String {
    format!(
        "<p>By one thread at {prices}, if the rank is as large as it can be. S is what the structural pivots leave; where \
         it is formed, pivots are looked for in it again.</p>\n{}",
        bars::methods("predicted seconds by method", costs)
    )
}
