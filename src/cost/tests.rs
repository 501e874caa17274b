//! Profiles: serialised, corrected, by instruction set.

use super::*;
use crate::dense::Echelon;
use crate::field::Modulus;
use crate::spmv::{pass_seconds, row_seconds};

fn json(machine: &Machine) -> String {
    serde_json::to_string_pretty(machine).unwrap()
}

/// Every price is different, and none is a short decimal.
fn odd() -> Machine {
    let mut value = serde_json::to_value(Machine::default()).unwrap();
    let mut number = 1.0;
    fn visit(value: &mut serde_json::Value, number: &mut f64) {
        match value {
            serde_json::Value::Object(map) => map.values_mut().for_each(|value| visit(value, number)),
            serde_json::Value::Array(list) => list.iter_mut().for_each(|value| visit(value, number)),
            serde_json::Value::Number(_) => {
                *number += 1.0;
                *value = serde_json::json!(number.sqrt() * (-*number).exp2());
            }
            _ => {}
        }
    }
    visit(&mut value, &mut number);
    assert!(number > 50.0, "{number} prices");
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_machine_goes_through_json_and_back_unchanged() {
    let profiles = Isa::ALL.map(Machine::with).into_iter().chain([Machine::default(), Machine::reference(), odd()]);
    for machine in profiles {
        let scaled = Kind::ALL.map(|kind| machine.scaled(kind, 1.0 / 3.0));
        for machine in scaled.iter().chain([&machine]) {
            assert_eq!(serde_json::from_str::<Machine>(&json(machine)).unwrap(), *machine);
        }
    }
    assert_ne!(odd(), Machine::default());
}

/// What passes take on a GPU depends on its own prices alone.
#[test]
fn a_gpu_has_no_loops_of_the_processor() {
    let mut machine = Machine::reference();
    let seconds = |machine: &Machine| {
        let (passes, p) = (machine.with_gpu(16).passes, Modulus::new(65521).unwrap());
        pass_seconds(&passes, p, 1000, 5000, 100, 8) + row_seconds(&passes, 1000, 8)
    };
    let before = seconds(&machine);
    machine.passes = machine.passes.scaled(1000.0);
    assert_eq!(seconds(&machine), before);
    assert!(row_seconds(&machine.passes, 1000, 8) > 0.0 && row_seconds(&machine.passes, 1000, 64) == 0.0);
}

#[test]
fn what_a_table_leaves_out_is_as_in_this_process() {
    assert_eq!(serde_json::from_str::<Machine>("{}").unwrap(), Machine::default());
    let machine: Machine = serde_json::from_str(r#"{"schur": {"entry": 1.0}, "gray": {}}"#).unwrap();
    let mut expected = Machine::default();
    expected.schur.entry = 1.0;
    assert_eq!(machine, expected);
    for wrong in [r#"{"schur": 1.0}"#, r#"{"dense": {"product": [1.0]}}"#, "[1.0]"] {
        assert!(serde_json::from_str::<Machine>(wrong).is_err(), "{wrong}");
    }
}

/// Echelon form of a dense matrix and passes over a sparse one.
fn dense(machine: &Machine) -> f64 {
    Echelon::seconds(&machine.dense, Modulus::new(65521).unwrap(), 500, 1000)
}

fn passes(machine: &Machine) -> f64 {
    10.0 * pass_seconds(&machine.passes, Modulus::new(65521).unwrap(), 1000, 50_000, 0, 32)
}

#[test]
fn what_was_measured_corrects_what_most_of_it_was() {
    let machine = Machine::default();
    for (seconds, taken) in [(passes(&machine), 7.0), (passes(&machine), 1e-6)] {
        let corrected = machine.corrected(passes, taken);
        assert!((passes(&corrected) / taken - 1.0).abs() < 1e-9, "{seconds} s predicted");
        assert_eq!(dense(&corrected), dense(&machine));
    }
    // Where a prediction has both, the greater part is corrected, and the total matches if that is possible.
    let both = |m: &Machine| passes(m) + 0.1 * passes(&machine) / dense(&machine) * dense(m);
    let corrected = machine.corrected(both, 5.0);
    assert!((both(&corrected) - 5.0).abs() < 1e-9 && dense(&corrected) == dense(&machine));
    let faster = machine.corrected(both, 1e-3 * both(&machine));
    assert!(passes(&faster) < 1.1e-3 * passes(&machine) && passes(&faster) > 0.0);
    // Nothing is learnt from an empty prediction.
    assert_eq!(machine.corrected(|_| 0.0, 1.0), machine);
}

#[test]
fn wider_instructions_are_cheaper() {
    let prices = Isa::ALL.map(|isa| {
        let machine = Machine::with(isa);
        [dense(&machine), passes(&machine), machine.schur.product, machine.poly.butterfly]
    });
    for pair in prices.windows(2) {
        assert!(pair[0][0] > pair[1][0] && pair[0][1] > pair[1][1] && pair[0][2] == pair[1][2], "{prices:?}");
        assert!(pair[0][3] >= pair[1][3], "{prices:?}");
    }
    assert!(prices[0][3] > prices[2][3], "{prices:?}");
}

#[test]
fn bytes_make_all_but_small_primes_cheaper() {
    let [words, bytes] = [false, true].map(|byte_tiles| Dense { byte_tiles, ..Dense::default() });
    let price = |prices: &Dense, p: u64| prices.product(Modulus::new(p).unwrap());
    for p in [2, 3, 251] {
        assert_eq!(price(&words, p), price(&bytes, p), "mod {p}");
    }
    assert!(price(&bytes, 65521) < price(&words, 65521));
    for p in [65537, (1 << 24) - 3, (1 << 31) - 1, (1 << 40) - 87, (1 << 62) - 57, (1 << 63) - 25] {
        assert!(price(&bytes, p) < price(&words, p), "mod {p}");
        assert!(price(&bytes, p) > price(&bytes, 65521), "mod {p}");
    }
}
