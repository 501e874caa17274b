//! Every path through the kernels, from the file to the answer, with each instruction set that the machine has; other
//! sets are refused.

use crate::Lab;
use blackfield::isa::Isa;
use serde_json::{Value, json};

/// Moduli of every kind of residue: a bit, a trit, one byte, two, four and eight.
const MODULI: &str = "2,3,251,65521,2147483647,2305843009213693951";

/// Runs the program with each instruction set and demands the same answer.
fn agree(lab: &Lab, arguments: &str) {
    let of = |isa: Isa| {
        let documents = lab.documents(&format!("{arguments} --isa {}", isa.name()));
        documents.into_iter().map(stable).collect::<Vec<_>>()
    };
    let expected = of(Isa::Portable);
    for isa in Isa::available() {
        assert_eq!(of(isa), expected, "{arguments} with {isa:?}");
    }
}

/// A document without the parts that vary between runs: seconds, and the plans, which depend on the instruction set. Of
/// the steps of a path only their total contribution to the rank is left.
fn stable(mut document: Value) -> Value {
    match &mut document {
        Value::Object(fields) => {
            fields.retain(|name, _| {
                !["seconds", "phases", "processor_seconds", "plan", "isa", "reason"].contains(&name.as_str())
            });
            for (name, value) in fields {
                *value = match &mut *value {
                    Value::Array(steps) if name == "path" => {
                        json!(steps.iter().filter_map(|step| step["rank"].as_u64()).sum::<u64>())
                    }
                    other => stable(other.take()),
                };
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = stable(value.take())),
        _ => {}
    }
    document
}

#[test]
fn ranks_do_not_depend_on_the_instruction_set() {
    let lab = Lab::new("instructions-ranks");
    lab.answer("generate bibd_9_5 -o design.mtx");
    // ±1 and other entries, rows of every weight, a dense row and an empty one.
    let entries = (1..=60).flat_map(|i| (1..=48).map(move |j| (i, j, (i * i + 3 * j * j + i * j) % 101)));
    let kept = entries.filter(|&(i, _, v)| i != 7 && (i == 11 || v % 9 < 1 + i % 3));
    let text: String =
        kept.map(|(i, j, v)| format!("{i} {j} {}\n", if v % 2 == 0 { v % 13 - 6 } else { 1 - v % 3 })).collect();
    lab.write("mixed.sms", format!("60 48 M\n{text}0 0 0\n"));
    for matrix in ["design.mtx", "mixed.sms"] {
        for method in ["elimination", "hybrid", "wiedemann --block 4"] {
            agree(&lab, &format!("rank {matrix} -p {MODULI} --method {method} --json -q"));
        }
    }
    agree(&lab, "rank design.mtx -p 65521,9223372036854775783 --proven --json -q");
    agree(&lab, "rank design.mtx --rational --proven --json -q");
}

#[test]
fn permanents_do_not_depend_on_the_instruction_set() {
    let lab = Lab::new("instructions-permanents");
    let matrix = |n: usize, entry: fn(usize, usize) -> i64| {
        let entries = (1..=n).flat_map(|i| (1..=n).map(move |j| (i, j, entry(i, j)))).filter(|e| e.2 != 0);
        let text: String = entries.map(|(i, j, v)| format!("{i} {j} {v}\n")).collect();
        format!("{n} {n} M\n{text}0 0 0\n")
    };
    lab.write("dense.sms", matrix(18, |i, j| (i * j % 7 + 1) as i64));
    lab.write("band.sms", matrix(30, |i, j| if i.abs_diff(j) <= 2 { (i + 2 * j) as i64 % 5 - 2 } else { 0 }));
    lab.write("spots.sms", matrix(16, |i, j| if (i * 5 + j) % 11 == 3 { 4 } else { 1 }));
    lab.write("rank2.sms", matrix(14, |i, j| (i + 2 * j) as i64));
    lab.answer("generate aztec_4 -o planar.sms");
    for (method, file) in [
        ("gray", "dense.sms"),
        ("frontier", "band.sms"),
        ("rook", "spots.sms"),
        ("low-rank", "rank2.sms"),
        ("kasteleyn", "planar.sms"),
    ] {
        agree(&lab, &format!("permanent {file} --method {method} --json -q"));
        for modulus in [2, 65521, 2305843009213693951u64] {
            agree(&lab, &format!("permanent {file} --method {method} -p {modulus} --json -q"));
        }
    }
}

#[test]
fn sets_that_are_not_there_are_refused() {
    let lab = Lab::with_diagonal("instructions-refused");
    for isa in Isa::ALL {
        let run = lab.run(&format!("rank diagonal.sms -p 5 --isa {}", isa.name()));
        let (code, answer) = if isa.is_available() { (0, "3\n") } else { (5, "") };
        assert_eq!((run.code, run.stdout.as_str()), (code, answer), "{}", run.stderr);
        assert!(isa.is_available() || run.stderr.contains(isa.name()), "{}", run.stderr);
    }
    assert_eq!(lab.run("rank diagonal.sms -p 5 --isa sse9").code, 2);
    let by_variable = |name: &str| {
        let output = lab.command("rank diagonal.sms -p 5").env("BLACKFIELD_ISA", name).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(by_variable("portable"), (Some(0), "3\n".to_string()));
    assert_eq!(by_variable("sse9"), (Some(2), String::new()));
}
