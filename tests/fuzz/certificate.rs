//! Certificate files: what is read is written back as the same certificate, and a rank that the verifier accepts for a
//! matrix is correct, whoever made the file. Checksums are no obstacle: they are recomputed.

use super::naive;
use blackfield::Silent;
use blackfield::answers::{RankOptions, certificate as certify, rank};
use blackfield::certify::{Certificate, verify};
use blackfield::field::Modulus;
use blackfield::sparse::{SparseMatrix, Triplets};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::LazyLock;

const HASH_BYTES: usize = 32;

/// A matrix that certificates may refer to.
struct Known {
    name: String,
    matrix: SparseMatrix,
    digest: String,
    rank: usize,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let full = |n: usize| (0..n * n).map(move |k| (k / n, k % n, (k / n * (k % n + 1) % 7) as i64 - 2));
    let matrices = [
        ("empty", Triplets::from_entries(3, 2, [(0, 0, 0i64); 0])),
        ("chain", Triplets::from_entries(4, 5, (0..4).flat_map(|i| [(i, i, 1), (i, i + 1, 1i64)]))),
        // Rank 2 for every p > 7: the rows are those of two vectors together.
        ("plane", Triplets::from_entries(5, 4, (0..20).map(|k| (k / 4, k % 4, (k / 4 + 1 + k % 4) as i64)))),
        ("full", Triplets::from_entries(6, 6, full(6))),
    ];
    let known = matrices.into_iter().flat_map(|(name, integers)| {
        [2, 3, 65521, (1 << 63) - 25].map(|p| {
            let matrix = integers.reduce(Modulus::new(p).expect("a prime"));
            let mut rows = vec![vec![0; matrix.cols()]; matrix.rows()];
            for (i, row) in rows.iter_mut().enumerate() {
                let (places, values) = matrix.row(i);
                places.iter().zip(values).for_each(|(&j, &v)| row[j as usize] = v);
            }
            let rank = if rows.is_empty() { 0 } else { naive::rank(p, rows) };
            Known { name: format!("{name}_mod_{p}"), matrix, digest: integers.digest(), rank }
        })
    });
    known.collect()
});

/// Honest certificates of the known matrices.
#[allow(dead_code, reason = "the fuzz targets make no seeds")]
pub fn seeds() -> Vec<(String, Vec<u8>)> {
    let seed = |known: &Known| {
        let options = RankOptions::default().minor(true);
        let minor = rank(&known.matrix, &options, &Silent).expect("small").minor.expect("asked for");
        let made = certify(&known.matrix, &known.digest, &minor, &Silent).expect("a minor of the rank's order");
        (known.name.clone(), made.to_bytes())
    };
    KNOWN.iter().map(seed).collect()
}

/// Whether the bytes are a certificate that holds.
pub fn certificate(data: &[u8]) -> bool {
    let sealed = |body: &[u8]| [body, &Sha256::digest(body)[..]].concat();
    let mended = sealed(&data[..data.len().saturating_sub(HASH_BYTES)]);
    [data, &mended, &sealed(data)].map(judge)[0]
}

fn judge(data: &[u8]) -> bool {
    let file = Path::new("input");
    let read = Certificate::from_bytes(data, file);
    let streamed = Certificate::read(data, file);
    assert_eq!(read.as_ref().map_err(ToString::to_string), streamed.as_ref().map_err(ToString::to_string));
    let Ok(read) = read else { return false };
    assert_eq!(Certificate::from_bytes(&read.to_bytes(), file).expect("what was written"), read);
    let mut holds = false;
    for known in KNOWN.iter().filter(|known| known.matrix.modulus() == read.modulus) {
        let own = verify(&read, &known.matrix, &known.digest, &Silent);
        // A forger gets the digest and the shape right.
        let mut forged = read.clone();
        (forged.digest, forged.rows, forged.cols) = (known.digest.clone(), known.matrix.rows(), known.matrix.cols());
        let forged = verify(&forged, &known.matrix, &known.digest, &Silent);
        holds |= own.is_ok();
        for verdict in [own, forged].into_iter().flatten() {
            assert_eq!(verdict.rank, known.rank, "{} is certified wrongly", known.name);
        }
    }
    holds
}
