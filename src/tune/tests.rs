//! Profiles: measured, written, read, refused.

use super::*;
use crate::cost::Machine;
use crate::field::Rng;
use crate::{Error, Silent};
use rand::{RngExt, SeedableRng};

/// A profile of this machine whose prices are all its own.
fn odd() -> Profile {
    let mut rng = Rng::seed_from_u64(1);
    let measurement = |&price: &Price| {
        let built_in = price.of(&Machine::default());
        let value = built_in * rng.random_range(0.01..100.0);
        let what = "a \"run\" \\ with\nlines and \u{7f}, ±1".into();
        Measurement { price, what, seconds: 0.125, operations: 1e9, others: -1e-3, value, built_in }
    };
    Profile::new(Bandwidth { one: 1.5e10, all: 3e10 }, PRICES.iter().map(measurement).collect())
}

#[cfg(feature = "serde")]
#[test]
fn every_price_has_a_name() {
    fn numbers(value: &serde_json::Value, at: String, into: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
                numbers(value, if at.is_empty() { key.clone() } else { format!("{at}.{key}") }, into)
            }),
            serde_json::Value::Array(list) => {
                list.iter().enumerate().for_each(|(k, value)| numbers(value, format!("{at}[{k}]"), into))
            }
            serde_json::Value::Number(_) => into.push(at),
            _ => {}
        }
    }
    let mut there = vec![];
    numbers(&serde_json::to_value(Machine::default()).unwrap(), String::new(), &mut there);
    let mut named: Vec<String> = PRICES.iter().map(Price::to_string).collect();
    there.sort();
    named.sort();
    assert_eq!(there, named);
}

#[test]
fn built_in_prices_are_prices() {
    for isa in crate::isa::Isa::ALL {
        for price in PRICES {
            let ([least, most], value) = (price.range(), price.of(&Machine::with(isa)));
            assert!(least <= value && value <= most, "{price} {value}");
            assert_eq!(Price::named(&price.to_string()), Some(*price));
        }
    }
    assert_eq!(Price::named("dense.product"), None);
}

#[test]
fn a_profile_sets_what_it_says_and_nothing_else() {
    let profile = odd();
    let machine = profile.machine();
    for ((price, value), other) in profile.prices.iter().zip(PRICES) {
        assert!(price == other && price.of(&machine) == *value && *value != price.of(&Machine::default()), "{price}");
    }
    let mut few = profile.clone();
    few.prices.truncate(1);
    let mut expected = Machine::default();
    expected.dense.product[0] = profile.prices[0].1;
    assert_eq!(few.machine(), expected);
    assert_eq!(Profile { prices: vec![], ..few }.machine(), Machine::default());
}

/// One number of a list goes with the others as they are built in.
#[test]
fn a_list_is_whole() {
    let measurements: Vec<_> =
        odd().measurements.into_iter().filter(|m| m.price.to_string() == "dense.product[2]").collect();
    let profile = Profile::new(Bandwidth { one: 1.0, all: 1.0 }, measurements);
    assert_eq!(profile.prices.len(), 5);
    let mut expected = Machine::default();
    expected.dense.product[2] = profile.measurements[0].value;
    assert_eq!(profile.machine(), expected);
}

#[test]
fn quick_measurements_find_prices() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let found = pool.install(|| calibrate(Caches { l2: 12345, ..Caches::default() }, Effort::Quick, &Silent)).unwrap();
    assert!(found.len() > 5, "{found:?}");
    for m in &found {
        let [least, most] = m.price.range();
        assert!(least <= m.value && m.value <= most && m.built_in == m.price.of(&Machine::default()), "{m:?}");
        if m.price.to_string() == "passes.cache" {
            assert_eq!(m.value, 12345.0);
        } else {
            let again = m.others + m.operations * m.value;
            assert!(m.operations > 0.0 && (again / m.seconds - 1.0).abs() < 1e-6, "{m:?}");
        }
    }
    let speed = bandwidth(Caches::default(), Effort::Quick).unwrap();
    assert!(speed.one > 0.0 && speed.all > 0.0);
}

#[test]
fn observers_stop_measurements() {
    struct Stop;
    impl crate::Observer for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    assert!(matches!(calibrate(Caches::default(), Effort::Quick, &Stop), Err(Error::Interrupted)));
}

#[test]
fn methods_are_priced_by_the_machine() {
    let a = crate::families::generate("EX1").unwrap().reduce(crate::field::Modulus::new(65521).unwrap());
    let plain = Machine::default();
    let mut expensive = plain.clone();
    (expensive.dense.product, expensive.dense.byte_product) = ([1.0; 5], 1.0);
    let seconds = |machine: &Machine| -> Vec<_> {
        method_costs(&a, machine, &Silent).unwrap().into_iter().map(|cost| (cost.name, cost.seconds)).collect()
    };
    let (cheap, dear) = (seconds(&plain), seconds(&expensive));
    assert!(cheap.len() > 5 && cheap.len() == dear.len(), "{cheap:?}");
    for ((name, before), (_, after)) in cheap.into_iter().zip(dear) {
        let dense = ["dense elimination", "every row of S", "row space of S", "sketches of S"].contains(&name);
        assert!(before > 0.0 && (if dense { after > 100.0 * before } else { after == before }), "{name}");
    }
}

#[test]
fn products_are_timed_and_bounded() {
    use crate::field::Rng;
    use crate::spmv::{Block, Plan, PlanOptions, Product};
    use rand::SeedableRng;
    for p in [2, 3, 65521, (1 << 61) - 1] {
        let a = crate::families::generate("ch4-4-b2").unwrap().reduce(crate::field::Modulus::new(p).unwrap());
        let plan = Plan::choose(&a, &PlanOptions::default()).unwrap();
        let product = Product::new(&a, &plan).unwrap();
        assert!(time_products(&a, &product, 3, Effort::Quick).unwrap().iter().all(|&seconds| seconds > 0.0));
        assert!(cached_rate(&a, &PlanOptions::default(), 4, Effort::Quick).unwrap() > 0.0);
        // Products by another matrix are found out, in each direction.
        let mut rng = Rng::seed_from_u64(p);
        let mut random = |rows| Block::random(product.lane(), rows, 64, a.modulus(), &mut rng).unwrap();
        let (x, y) = (random(a.cols()), random(a.rows()));
        for (x, y, transposed) in [(&x, &y, false), (&y, &x, true)] {
            let checked = super::products::check(&a, &product, x, y, transposed, &mut Rng::seed_from_u64(1));
            assert!(matches!(checked, Err(crate::Error::Check(_))), "mod {p}");
        }
        let least = 2.0 * (a.nnz() * 4 + (a.rows() + a.cols()) * 4) as f64;
        assert!(floor_bytes(&plan, 4) >= least && floor_bytes(&plan, 4) < floor_bytes(&plan, 8), "mod {p}");
    }
}

#[cfg(feature = "cli")]
mod files {
    use super::*;

    fn parse(text: &str) -> crate::Result<Profile> {
        Profile::parse(std::path::Path::new("p.toml"), text)
    }

    #[test]
    fn a_profile_goes_through_its_file_unchanged() {
        let profile = odd();
        assert_eq!(parse(&profile.to_toml()).unwrap(), profile, "{}", profile.to_toml());
        let empty = Profile { prices: vec![], measurements: vec![], ..profile };
        assert_eq!(parse(&empty.to_toml()).unwrap(), empty);
        let folder = std::env::temp_dir().join(format!("blackfield-profile-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("p.toml");
        empty.write(&file).unwrap();
        assert_eq!(Profile::read(&file).unwrap(), empty);
        std::fs::write(&file, b"schema = \"x\"\n\xff").unwrap();
        assert!(matches!(Profile::read(&file), Err(Error::Input { line: 2, .. })));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(matches!(Profile::read(&file), Err(Error::Io { .. })));
    }

    /// Each line changed in a way that makes the file wrong, and what is said about it.
    #[test]
    fn damage_is_told_with_its_line_and_what_was_expected() {
        let text = odd().to_toml();
        for (from, to, expected) in [
            ("schema = \"blackfield/profile/1\"", "schema = \"blackfield/profile/2\"", "\"blackfield/profile/1\""),
            ("version = \"", "version = 1 # \"", "a string"),
            ("cores = ", "cores = 1.5 #", "a whole number"),
            ("cores = ", "cores = -1 #", "a number from 0e0"),
            ("instructions = [", "instructions = [1, ", "a list of strings"),
            ("[prices.passes]", "[prices.passages]", "one of dense, passes"),
            ("\ngather = ", "\ngathering = ", "gather, gather_byte, cache"),
            ("\ngather = ", "\ngather = \"fast\" #", "a number from 1e-20 to 1e6"),
            ("\ngather = ", "\ngather = nan #", "a number from 1e-20 to 1e6"),
            ("\ngather = ", "\ngather = inf #", "a number from 1e-20 to 1e6"),
            ("\ngather = ", "\ngather = -1e-9 #", "a number from 1e-20 to 1e6"),
            ("\ngather = ", "\ngather = 0 #", "a number from 1e-20 to 1e6"),
            ("\ncache = ", "\ncache = 0.5 #", "a number from 1e0 to 1e15"),
            ("\nproduct = [", "\nproduct = [1.0, ", "a list of 5 numbers, each from 1e-20"),
            ("\nproduct = [", "\nproduct = 1.0 #", "a list of 5 numbers"),
            ("\nprice = \"schur.entry\"", "\nprice = \"schur.entries\"", "the name of a price"),
            ("\nseconds = ", "\nseconds = -1.0 #", "a number from 0e0"),
            ("\nvalue = ", "\nvalues = 1 #", "what, seconds, operations"),
        ] {
            let at = text.find(from).unwrap_or_else(|| panic!("no {from}"));
            let line = 1 + text[..at + 1].matches('\n').count() as u64;
            let damaged = text.replacen(from, to, 1);
            let missing = to.contains("values");
            match parse(&damaged).unwrap_err() {
                Error::Input { file, line: told, message } => {
                    assert_eq!(file, std::path::Path::new("p.toml"));
                    assert!(message.contains(" expected") && (missing || told == line), "{to}: {told} {message}");
                    assert!(missing || message.contains(expected), "{to}: {message}");
                }
                other => panic!("{to}: {other}"),
            }
        }
        // What is no TOML at all, and what is missing.
        for (wrong, line) in [("schema = ", 1), ("a = 1\na = 2\n", 2), ("\n\n]", 3), ("", 1), ("[machine]\n", 1)] {
            match parse(wrong).unwrap_err() {
                Error::Input { line: told, .. } => assert_eq!(told, line, "{wrong:?}"),
                other => panic!("{wrong}: {other}"),
            }
        }
    }

    /// Whatever becomes of a file, it is refused or its prices are prices.
    #[test]
    fn damaged_bytes_are_refused_or_harmless() {
        let mut rng = Rng::seed_from_u64(7);
        let text = Profile { measurements: vec![], ..odd() }.to_toml();
        let mut refused = 0;
        for _ in 0..400 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..bytes.len());
                match rng.random_range(0..3) {
                    0 => bytes[at] = rng.random_range(32..127),
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            match parse(std::str::from_utf8(&bytes).unwrap_or("")) {
                Ok(profile) => {
                    for (price, value) in profile.prices {
                        let [least, most] = price.range();
                        assert!(least <= value && value <= most, "{price} {value}");
                    }
                }
                Err(Error::Input { line, .. }) => {
                    assert!(line > 0);
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(refused > 100, "{refused}");
    }
}
