//! The two headers that make `kernels/permanent.cu` the kernel of one matrix: its constants, and its program as source
//! text.
//!
//! The [`Program`] is written for vectors of lanes: it sorts instructions by kind and shares slots. A thread needs the
//! opposite, each value in a register for as short a time as possible: so the slots are resolved into values again, and
//! every value is printed just before the first tail that needs it. 16-bit values take a 32-bit register, as 32-bit
//! ones do.

use crate::permanent::gray::exact::{self, ExactPlan};
use crate::permanent::gray::program::{Kind, LANES, Program};
use crate::permanent::gray::residues::{Image, Ring};
use std::fmt::{Display, Write};

/// The kernel, which includes the headers below.
pub(super) const KERNEL: &str = include_str!("../../../../kernels/permanent.cu");
/// Its entry point.
pub(super) const ENTRY: &str = "permanent";
/// Threads of a block.
pub(super) const BLOCK: u32 = 128;
/// Blocks per multiprocessor: this leaves a thread all of its 255 registers.
const RESIDENT: u32 = 2;

/// `problem.cuh` and `program.cuh`.
#[derive(Debug)]
pub(super) struct Headers {
    pub problem: String,
    pub program: String,
}

impl Headers {
    /// The exact kernel; `digits` are the classes of the digits walked within a group.
    pub fn exact(plan: &ExactPlan, digits: &[usize]) -> Headers {
        let short = if exact::short(plan.program.tail_bounds) { "#define SHORT\n" } else { "" };
        let moves = digits.iter().map(|&class| {
            let step = |s: &exact::RowStep| format!("x[{}] += up ? {} : {};", s.row, s.step, -i32::from(s.step));
            plan.steps[class].iter().map(step).collect()
        });
        let entry = |row: u16, constant: u16| format!("x[{row}] + {}", plan.constants[constant as usize]);
        Headers {
            problem: problem(plan.lanes.len(), digits.len(), &plan.program) + "#define EXACT\n" + short,
            program: change(moves) + &step(&plan.program, true, entry),
        }
    }

    /// The kernel of residues in these rings.
    pub fn residues<R: Ring>(program: &Program, images: &[Image<R>], digits: &[usize]) -> Headers
    where
        R::Word: Display,
    {
        // A table holds 1, the program's constants, and the steps of the digits one after the other.
        let mut at = 1 + images[0].constants.len()..;
        let moves = digits.iter().map(|&class| {
            let step = |&(row, _): &(usize, R::Word)| {
                let k = at.next().expect("endless");
                format!("x[{row}] = up ? r.add(x[{row}], r.table[{k}]) : r.sub(x[{row}], r.table[{k}]);")
            };
            images[0].steps[class].iter().map(step).collect()
        });
        let change = change(moves.collect::<Vec<_>>().into_iter());
        let entry = |row: u16, constant: u16| format!("r.add(x[{row}], r.table[{}])", constant + 1);
        let (words, bytes) = (at.start, size_of::<R::Word>());
        let size = 4 * images[0].ring.parameters().len() + bytes * words;
        let memory = if fit_constant_memory(images.len(), size) { "__constant__" } else { "__device__" };
        let problem = problem(images[0].lanes.len(), digits.len(), program);
        Headers {
            problem: format!(
                "{problem}#define WORD_BITS {}\n#define MODULI {}\n#define TABLE {words}\n",
                8 * bytes,
                images.len()
            ),
            program: rings(images, digits, memory) + &change + &step(program, false, entry),
        }
    }
}

/// Whether the contexts of all rings, of `size` bytes each (words of one size, without gaps), go into the constant
/// memory of a module, which has 64 KB:
///
/// ```text
/// rings · size ≤ 2¹⁶
/// ```
fn fit_constant_memory(rings: usize, size: usize) -> bool {
    rings.saturating_mul(size) <= 1 << 16
}

/// `RINGS`: a context for each, in the given memory. The compiler turns a single one into literals.
fn rings<R: Ring>(images: &[Image<R>], digits: &[usize], memory: &str) -> String
where
    R::Word: Display,
{
    let mut text = format!("static {memory} const Context RINGS[{}] = {{\n", images.len());
    for image in images {
        let steps = digits.iter().flat_map(|&class| &image.steps[class]).map(|(_, step)| step);
        let table = [&image.one].into_iter().chain(&image.constants).chain(steps);
        let parameters: String = image.ring.parameters().iter().map(|x| format!("{x}, ")).collect();
        let table: Vec<String> = table.map(|x| format!("{x}u")).collect();
        writeln!(text, "    {{{parameters}{{{}}}}},", table.join(", ")).expect("a string takes all");
    }
    text + "};\n"
}

fn problem(rows: usize, digits: usize, program: &Program) -> String {
    let tails = program.tails.len();
    format!(
        "#define ROWS {rows}\n#define LANES {LANES}\n#define DIGITS {digits}\n#define TAILS {tails}\n\
         #define BLOCK {BLOCK}\n#define RESIDENT {RESIDENT}\n"
    )
}

/// `change`: the statements that move the rows of each digit.
fn change(moves: impl Iterator<Item = Vec<String>>) -> String {
    let mut text =
        "__device__ __forceinline__ void change(Word (&x)[ROWS], u32 digit, bool up, const Context &r) {\n    \
         switch (digit) {\n"
            .to_string();
    for (digit, statements) in moves.enumerate() {
        writeln!(text, "    case {digit}: {} break;", statements.join(" ")).expect("a string takes all");
    }
    text + "    }\n}\n"
}

/// A value of the program, with its operands as indexes of values.
#[derive(Clone, Copy)]
struct Value {
    kind: Kind,
    a: usize,
    b: usize,
    printed: bool,
}

/// The text of `step`, as far as it is printed.
struct Printer<E> {
    text: String,
    /// The values; the first is 1, which nothing assigns.
    values: Vec<Value>,
    exact: bool,
    /// The expression of a row plus a constant.
    entry: E,
}

/// `step`: the program as single assignments, each printed before its first use.
fn step(program: &Program, exact: bool, entry: impl Fn(u16, u16) -> String) -> String {
    let mut printer = Printer {
        text: "__device__ __forceinline__ void step(const Word (&x)[ROWS], Sum &sum, const Context &r) {\n".into(),
        values: vec![Value { kind: Kind::Entry, a: 0, b: 0, printed: true }],
        exact,
        entry,
    };
    // The value that each slot holds at this point of the program, by width. Residues have one width.
    let mut held = program.slots.map(|slots| vec![0; slots]);
    for (kind, range) in &program.runs {
        let width = if exact { kind.operand_width() as usize } else { 0 };
        for index in range.clone() {
            if let Kind::Tail32 | Kind::Tail64 = kind {
                let tail = &program.tails[index];
                // A sign exchanges the two halves.
                let (x, y) = if tail.negative { (1, 0) } else { (0, 1) };
                let [d, e] = [tail.d[x], tail.d[y]];
                let slots = [tail.c, tail.a[x], tail.a[y], tail.b[0], tail.b[1], d[0], d[1], e[0], e[1]];
                printer.tail(slots.map(|slot| held[width][slot as usize]), exact && *kind == Kind::Tail32);
                continue;
            }
            let instruction = program.instructions[index];
            let [a, b] = match kind {
                Kind::Entry => [instruction.a as usize, instruction.b as usize],
                Kind::Extend32 | Kind::Extend64 => [held[width][instruction.a as usize]; 2],
                _ => [instruction.a, instruction.b].map(|slot| held[width][slot as usize]),
            };
            printer.values.push(Value { kind: *kind, a, b, printed: false });
            held[kind.width() as usize][instruction.target as usize] = printer.values.len() - 1;
        }
    }
    printer.text + "}\n"
}

impl<E: Fn(u16, u16) -> String> Printer<E> {
    fn name(&self, value: usize) -> String {
        match value {
            0 if self.exact => "1".into(),
            0 => "r.table[0]".into(),
            _ => format!("v{value}"),
        }
    }

    fn tail(&mut self, operands: [usize; 9], narrow: bool) {
        operands.iter().for_each(|&value| self.value(value));
        let name = |value| if narrow { format!("wide({})", self.name(value)) } else { self.name(value) };
        writeln!(self.text, "    sum.tail(r, {});", operands.map(name).join(", ")).expect("a string takes all");
    }

    /// Prints the value, preceded by those that it needs and that are not printed yet.
    fn value(&mut self, value: usize) {
        let Value { kind, a, b, printed } = self.values[value];
        if printed {
            return;
        }
        self.values[value].printed = true;
        let expression = if kind == Kind::Entry {
            (self.entry)(a as u16, b as u16)
        } else {
            self.value(a);
            self.value(b);
            let (a, b) = (self.name(a), self.name(b));
            match kind {
                _ if !self.exact => format!("r.mul({a}, {b})"),
                Kind::Mul16 | Kind::Widen32 | Kind::Mul32 => format!("{a} * {b}"),
                Kind::Extend32 => a,
                Kind::Extend64 => format!("wide({a})"),
                Kind::Widen64 => format!("__dmul_rn(wide({a}), wide({b}))"),
                Kind::Mul64 => format!("__dmul_rn({a}, {b})"),
                Kind::Entry | Kind::Tail32 | Kind::Tail64 => unreachable!("no product"),
            }
        };
        let wide = matches!(kind, Kind::Widen64 | Kind::Extend64 | Kind::Mul64);
        let name = if wide { "double" } else { "Word" };
        writeln!(self.text, "    const {name} v{value} = {expression};").expect("a string takes all");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{Source, compile};
    use crate::integers::primes_below;
    use crate::permanent::gray::residues::{Integers, Montgomery31, PRIME_LIMIT};
    use crate::{DeviceReason, Error};
    use num_bigint::BigInt;

    /// At the last byte of constant memory, and beyond it, where the compiler would refuse; checked with the compiler
    /// if there is one.
    #[test]
    fn tables_fill_constant_memory_to_its_edge() {
        let primes: Vec<u64> = primes_below(PRIME_LIMIT).take(257).collect();
        for (count, constants, fits) in
            [(256, 61, true), (256, 62, false), (257, 61, false), (1, 16381, true), (1, 16382, false)]
        {
            let integers = Integers {
                lanes: Vec::new(),
                weights: vec![BigInt::ZERO; LANES],
                constants: (0..constants).map(|k| BigInt::from(k) << 40u32).collect(),
                steps: Vec::new(),
            };
            let image = |&p: &u64| Image::new(&integers, Montgomery31::new(p));
            let images: Vec<_> = primes[..count].iter().map(image).collect();
            let words = constants + 1;
            assert_eq!(fit_constant_memory(count, 8 + 4 * words), fits, "{count} rings, {words} words");
            let kernel = "extern \"C\" __global__ void take(unsigned *to, int k) { *to = RINGS[blockIdx.y].table[k] + RINGS[k].p; }";
            for memory in ["__constant__", "__device__"] {
                let context = format!("struct Context {{ unsigned p, negated_inverse; unsigned table[{words}]; }};\n");
                let text = context + &rings(&images, &[], memory) + kernel;
                match compile(&Source { name: "take.cu", text: &text, headers: &[] }, (9, 0)) {
                    Ok(_) => assert!(fits || memory == "__device__", "{count} rings, {words} words"),
                    Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                    Err(error) => {
                        assert!(!fits && memory == "__constant__", "{count} rings, {words} words: {error}")
                    }
                }
            }
        }
    }
}
