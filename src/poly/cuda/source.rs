//! The kernels' text and constants: the modulus is known when they are compiled.

use super::roots::{MAX_LOG, PRIMES, power, with_quotient};
use crate::field::Modulus;
use crate::gpu::{self, Cubin, Source};
use crate::{DeviceReason, Error, Result};

const PRODUCTS: &str = include_str!("../../../kernels/poly.cu");
/// Moduli are below this: products of two residues are added in 64 bits.
pub(super) const BOUND: u64 = 1 << 31;

/// The kernels of `kernels/poly.cu`.
///
/// # Errors
/// [`Error::Device`]; with [`DeviceReason::NoKernel`] from p = 2³¹ on.
pub(super) fn products(modulus: Modulus, capability: (u32, u32)) -> Result<Cubin> {
    if modulus.get() >= BOUND {
        let message = format!("polynomial matrices on a GPU are for primes below 2^31, not {modulus}");
        return Err(Error::device(DeviceReason::NoKernel, message));
    }
    let problem = constants(modulus);
    let headers = [("problem.cuh", problem.as_str()), gpu::WORDS];
    gpu::compile(&Source { name: "poly.cu", text: PRODUCTS, headers: &headers }, capability)
}

/// `problem.cuh`.
fn constants(modulus: Modulus) -> String {
    let list = |values: Vec<String>| format!("{{{}}}", values.join(", "));
    let pair = |w: u64, q: u64| list(with_quotient(w, q).map(|x| format!("{x}u")).to_vec());
    let each = |value: &dyn Fn(u64) -> String| list(PRIMES.iter().map(|&q| value(q)).collect());
    let scale = each(&|q| list((0..=MAX_LOG).map(|k| pair(power(power(2, k as u64, q), q - 2, q), q)).collect()));
    let garner = (1..PRIMES.len()).flat_map(|j| (0..j).map(move |i| (PRIMES[i], PRIMES[j])));
    let garner = list(garner.map(|(inverted, q)| pair(power(inverted, q - 2, q), q)).collect());
    let count = PRIMES.len();
    format!(
        "#define P {modulus}ull\n#define LANE 32\n#define PRIMES {count}\n\
         __constant__ unsigned Q[{count}] = {};\n\
         __constant__ unsigned long long Q_BARRETT[{count}] = {};\n\
         __constant__ unsigned Q_MOD_P[{count}] = {};\n\
         __constant__ uint2 SCALE[{count}][{}] = {scale};\n\
         __constant__ uint2 GARNER[{}] = {garner};\n",
        each(&|q| format!("{q}u")),
        each(&|q| format!("{}ull", (1u128 << 64) / u128::from(q))),
        each(&|q| format!("{}u", q % modulus.get())),
        MAX_LOG + 1,
        count * (count - 1) / 2,
    )
}

/// How many primes carry sums of `terms` products of residues: so many that terms·(p-1)² is below their product. `None`
/// if all are too few.
pub(super) fn primes_needed(modulus: Modulus, terms: usize) -> Option<usize> {
    let m = u128::from(modulus.get() - 1);
    let bound = (m * m).checked_mul(terms as u128)?;
    let mut product = 1u128;
    for (number, &q) in PRIMES.iter().enumerate() {
        product *= u128::from(q);
        if bound < product {
            return Some(number + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums are exact up to the edge, and no prime is wasted.
    #[test]
    fn as_many_primes_as_carry_the_sums() {
        for p in [2, 3, 65521, 65537, 2147483647] {
            let modulus = Modulus::new(p).unwrap();
            let square = u128::from(p - 1).pow(2);
            let mut product = 1u128;
            for (number, q) in PRIMES.into_iter().enumerate() {
                product *= u128::from(q);
                // So many terms, and no more, stay below the product.
                let most = usize::try_from((product - 1) / square).unwrap_or(usize::MAX);
                if most == 0 || most == usize::MAX {
                    continue;
                }
                assert_eq!(primes_needed(modulus, most), Some(number + 1), "p = {p}");
                let more = (number + 1 < PRIMES.len()).then_some(number + 2);
                assert_eq!(primes_needed(modulus, most + 1), more, "p = {p}");
            }
        }
        let largest = Modulus::new(2147483647).unwrap();
        assert_eq!(primes_needed(largest, usize::MAX), None);
        // The largest product of the issue: 64 x 64 matrices of length 2^15.
        assert_eq!(primes_needed(Modulus::new(65521).unwrap(), 64 << 15), Some(2));
    }

    /// Where NVRTC is installed, the kernels compile without warnings or spills.
    #[test]
    fn kernels_compile_where_the_compiler_is() {
        for p in [3, 65521, 2147483647] {
            match products(Modulus::new(p).unwrap(), (9, 0)) {
                Ok(cubin) => {
                    let spills = cubin.log.matches("bytes spill").count();
                    let none = cubin.log.matches(" 0 bytes spill").count();
                    assert!(!cubin.log.contains("warning") && spills == none, "p = {p}: {}", cubin.log);
                }
                Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                Err(other) => panic!("p = {p}: {other}"),
            }
        }
        let refused = products(Modulus::new(2147483659).unwrap(), (9, 0)).unwrap_err().to_string();
        assert!(refused.contains("primes below 2^31"), "{refused}");
    }
}
