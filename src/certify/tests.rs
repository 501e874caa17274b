//! Honest certificates hold, everything else is refused: certificates made here by textbook elimination, without the
//! producer of `answers`.

use super::*;
use crate::dense::DenseMatrix;
use crate::field::{Modulus, PrimeField, Rng};
use crate::sparse::{SparseMatrix, Triplets};
use crate::{Error, Silent};
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 6] = [2, 3, 65521, (1 << 31) - 1, 4_294_967_311, (1 << 63) - 25];

/// A · x for a dense matrix.
fn dense(a: &SparseMatrix, rows: &[u32], cols: &[u32]) -> DenseMatrix<u64> {
    let mut m = DenseMatrix::zeros(rows.len(), cols.len());
    for (i, &row) in rows.iter().enumerate() {
        for (j, &col) in cols.iter().enumerate() {
            let (columns, values) = a.row(row as usize);
            if let Ok(k) = columns.binary_search(&col) {
                m.set(i, j, values[k]);
            }
        }
    }
    m
}

/// The certificate without chain and lines, by inverting the minor of the rank profiles.
fn by_inverse(a: &SparseMatrix, digest: &str) -> Certificate {
    let field = PrimeField(a.modulus());
    let all_rows: Vec<u32> = (0..a.rows() as u32).collect();
    let all_cols: Vec<u32> = (0..a.cols() as u32).collect();
    let profile = dense(a, &all_rows, &all_cols).rank_profile(&field);
    let mut c = Certificate {
        digest: digest.into(),
        modulus: a.modulus(),
        rows: a.rows(),
        cols: a.cols(),
        triangular: 0,
        minor_rows: profile.rows.iter().map(|&i| i as u32).collect(),
        minor_cols: profile.cols.iter().map(|&j| j as u32).collect(),
        lower: vec![],
        upper: Upper::Combinations(vec![]),
    };
    let (r, k) = (c.rank(), repetitions(a.modulus()));
    let inverse = dense(a, &c.minor_rows, &c.minor_cols).inverse(&field).expect("rank profiles");
    let random = |claim, n: usize| {
        let mut values = vec![0; n * k];
        Challenge::new(&c, claim).fill(&mut values);
        DenseMatrix::from_entries(n, k, values)
    };
    let free: Vec<u32> = a.non_empty_cols().unwrap().into_iter().filter(|j| !c.minor_cols.contains(j)).collect();
    let lower = inverse.mul(&field, &random(Claim::Lower, r)).data().to_vec();
    let mut rest = dense(a, &c.minor_rows, &free).mul(&field, &random(Claim::Upper, free.len()));
    (0..r).for_each(|i| rest.row_mut(i).iter_mut().for_each(|x| *x = a.modulus().neg(*x)));
    let upper = inverse.mul(&field, &rest).data().to_vec();
    (c.lower, c.upper) = (lower, Upper::Combinations(upper));
    c
}

/// A rank-deficient rows × cols product of the given inner size, with duplicate and empty lines.
fn random(rng: &mut Rng, rows: usize, cols: usize, inner: usize) -> Triplets {
    let mut factor = |m: usize, n: usize| -> Vec<i64> {
        (0..m * n).map(|_| if rng.random_range(0..3) == 0 { rng.random_range(-2..3) } else { 0 }).collect()
    };
    let (x, y) = (factor(rows, inner), factor(inner, cols));
    let entries = (0..rows * cols).map(|at| {
        let (i, j) = (at / cols, at % cols);
        (i, j, (0..inner).map(|l| x[i * inner + l] * y[l * cols + j]).sum::<i64>())
    });
    Triplets::from_entries(rows, cols, entries.filter(|&(.., v)| v != 0))
}

#[test]
fn repetitions_reach_the_bound_and_no_more() {
    for p in PRIMES {
        let k = repetitions(Modulus::new(p).unwrap()) as u32;
        let big = num_bigint::BigUint::from(p);
        let target = num_bigint::BigUint::from(1u32) << BITS;
        assert!(big.pow(k) >= target && big.pow(k - 1) < target, "{k} for {p}");
    }
    assert_eq!(repetitions(Modulus::new(2).unwrap()), 130);
}

/// A second implementation of the module's documentation, byte by byte.
#[test]
fn the_challenge_is_as_documented() {
    use rand::Rng as _;
    use sha2::{Digest, Sha256};
    for p in PRIMES {
        let c = Certificate {
            digest: "ab".repeat(32),
            modulus: Modulus::new(p).unwrap(),
            rows: 5,
            cols: 7,
            triangular: 1,
            minor_rows: vec![4, 0],
            minor_cols: vec![6, 2],
            lower: vec![],
            upper: Upper::Combinations(vec![]),
        };
        for (claim, byte) in [(Claim::Lower, 0), (Claim::Upper, 1)] {
            let mut text = b"blackfield challenge 2\n".to_vec();
            text.push(byte);
            text.extend("ab".repeat(32).bytes());
            [p, 5, 7, 2, 1].iter().for_each(|n: &u64| text.extend(n.to_le_bytes()));
            [4u32, 0, 6, 2].iter().for_each(|n| text.extend(n.to_le_bytes()));
            let mut stream = Rng::from_seed(Sha256::digest(&text).into());
            let mut bytes = vec![0; 40_000];
            stream.fill_bytes(&mut bytes);
            let bits = 64 - (p - 1).leading_zeros();
            let expected = bytes.chunks_exact(bits.div_ceil(8) as usize).map(|piece| {
                let word = piece.iter().enumerate().map(|(i, &b)| u64::from(b) << (8 * i)).sum::<u64>();
                word % (1 << bits)
            });
            let mut challenge = Challenge::new(&c, claim);
            // More than one buffer: 2000 pieces of 8 bytes, half of them rejected at worst.
            assert!(expected.filter(|&v| v < p).take(2000).all(|v| v == challenge.residue()), "mod {p}");
        }
    }
}

#[test]
fn substitution_makes_orthogonal() {
    let mut rng = Rng::seed_from_u64(3);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        // Many entries per row, nearly all p - 1: sums exceed every limit of the delayed reduction.
        let entries: Vec<_> = (0..20)
            .flat_map(|i| (i..60).map(move |j| (i, j)))
            .map(|(i, j)| (i, j, if rng.random_range(0..4) == 0 { rng.random_range(1..p) } else { p - 1 }))
            .collect();
        let a = SparseMatrix::from_triplets(modulus, 20, 60, &entries);
        let (rows, cols): (Vec<u32>, Vec<u32>) = ((0..20).collect(), (0..20).collect());
        let mut w = Lanes::zeros(modulus, 60, 3).unwrap();
        for j in 0..60 {
            w.set(j, &[p - 1; 3]);
        }
        w.substitute(&a, &rows, &cols);
        for i in 0..20 {
            let mut product = [7; 3];
            w.product(&a, i, &mut product);
            let (columns, values) = a.row(i as usize);
            let naive = columns.iter().zip(values).fold(0, |s, (&j, &v)| modulus.add(s, modulus.mul(v, w.get(j)[1])));
            assert_eq!((product, naive), ([0; 3], 0), "row {i} mod {p}");
        }
    }
}

#[test]
fn lanes_are_independent_however_many_there_are() {
    let mut rng = Rng::seed_from_u64(31);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let entries: Vec<_> = (0..40).map(|_| (rng.random_range(0..6), rng.random_range(0..9), p - 1)).collect();
        let a = SparseMatrix::from_triplets(modulus, 6, 9, &entries);
        for lanes in [0, 1, 63, 64, 65, 130] {
            let mut w = Lanes::zeros(modulus, 9, lanes).unwrap();
            let mut expected = vec![vec![0; lanes]; 9];
            for j in [0, 2, 3, 7, 8, 3] {
                expected[j].iter_mut().for_each(|x| *x = rng.random_range(0..p));
                w.set(j as u32, &expected[j]);
            }
            assert!((0..9).all(|j| w.get(j as u32) == expected[j]), "{lanes} lanes mod {p}");
            for i in 0..6 {
                let (cols, values) = a.row(i);
                let mut product = vec![1; lanes];
                w.product(&a, i as u32, &mut product);
                for (l, &found) in product.iter().enumerate() {
                    let terms = cols.iter().zip(values).map(|(&j, &v)| modulus.mul(v, expected[j as usize][l]));
                    assert_eq!(found, terms.fold(0, |s, t| modulus.add(s, t)), "lane {l} of {lanes} mod {p}");
                }
            }
        }
    }
}

#[test]
fn honest_certificates_hold_and_survive_the_file() {
    let mut rng = Rng::seed_from_u64(4);
    for p in PRIMES {
        for (rows, cols, inner) in [(0, 4, 1), (4, 0, 1), (3, 3, 0), (1, 1, 1), (8, 8, 8), (12, 9, 4), (9, 14, 20)] {
            let triplets = random(&mut rng, rows, cols, inner);
            let a = triplets.reduce(Modulus::new(p).unwrap());
            let c = by_inverse(&a, &triplets.digest());
            let verdict = verify(&c, &a, &triplets.digest(), &Silent).unwrap();
            assert_eq!(verdict.rank, c.rank());
            let bound = verdict.certainty().error_bound().unwrap();
            assert!(bound.log2() <= -128.0, "{bound}");
            #[cfg(feature = "serde")]
            assert_eq!(Certificate::from_bytes(&c.to_bytes(), "c".as_ref()).unwrap(), c);
        }
    }
}

fn refused(c: &Certificate, a: &SparseMatrix, digest: &str) {
    assert!(matches!(verify(c, a, digest, &Silent), Err(Error::Refuted(_))), "{c:?}");
}

#[test]
fn every_change_is_refused() {
    let mut rng = Rng::seed_from_u64(5);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let triplets = random(&mut rng, 12, 10, 5);
        let (a, digest) = (triplets.reduce(modulus), triplets.digest());
        let good = by_inverse(&a, &digest);
        let r = good.rank();
        assert!((2..10).contains(&r));
        let change = |edit: &dyn Fn(&mut Certificate)| {
            let mut c = good.clone();
            edit(&mut c);
            assert_ne!(c, good);
            refused(&c, &a, &digest);
        };
        let unused = |list: &[u32]| (0..10).find(|i| !list.contains(i)).unwrap();
        change(&|c| c.minor_rows.swap(0, 1));
        change(&|c| c.minor_cols.swap(0, 1));
        change(&|c| c.minor_rows[0] = unused(&c.minor_rows));
        change(&|c| c.minor_cols[0] = unused(&c.minor_cols));
        change(&|c| c.minor_rows[0] = c.minor_rows[1]);
        change(&|c| c.minor_cols[1] = 10);
        change(&|c| c.triangular = 1);
        change(&|c| c.triangular = r + 1);
        change(&|c| c.triangular = r);
        change(&|c| c.modulus = Modulus::new(7).unwrap());
        change(&|c| c.rows += 1);
        change(&|c| c.cols += 1);
        change(&|c| c.digest = "0".repeat(64));
        change(&|c| c.digest.push('0'));
        change(&|c| c.upper = Upper::Lines { rows: c.minor_rows.clone(), cols: vec![] });
        change(&|c| c.upper = Upper::Lines { rows: (0..12).collect(), cols: vec![] });
        for at in 0..good.lower.len() {
            change(&|c| c.lower[at] = modulus.add(c.lower[at], 1));
            change(&|c| {
                if let Upper::Combinations(w) = &mut c.upper {
                    w[at] = modulus.add(w[at], 1);
                }
            });
        }
        change(&|c| c.lower[0] = p);
        change(&|c| c.lower.truncate(c.lower.len() - 1));
        // One line fewer, one line more: with the vectors unchanged, cut to the new length, and padded.
        for vectors in [r - 1, r + 1] {
            let k = repetitions(modulus);
            change(&|c| {
                let (row, col) = (unused(&c.minor_rows), unused(&c.minor_cols));
                c.minor_rows.resize(vectors, row);
                c.minor_cols.resize(vectors, col);
                c.lower.resize(vectors * k, 0);
                if let Upper::Combinations(w) = &mut c.upper {
                    w.resize(vectors * k, 0);
                }
            });
        }
        // A different matrix: with its own digest, and with the digest of the first.
        let (i, j, _) = triplets.entries().next().unwrap();
        let entries = triplets.entries().map(|(i, j, v)| (i, j, v.to_bigint()));
        let other = Triplets::from_entries(12, 10, entries.chain([(i, j, 1.into())]));
        let b = other.reduce(modulus);
        refused(&good, &b, &other.digest());
        let fresh = Certificate { digest: other.digest(), ..good.clone() };
        refused(&fresh, &b, &other.digest());
        refused(&good, &a, &other.digest());
    }
}

/// A cheating prover with a solver: the best vectors that exist for a claim that is off by one.
#[test]
fn wrong_ranks_have_no_certificates() {
    let mut rng = Rng::seed_from_u64(6);
    for p in PRIMES {
        let modulus = Modulus::new(p).unwrap();
        let field = PrimeField(modulus);
        let triplets = random(&mut rng, 12, 10, 5);
        let (a, digest) = (triplets.reduce(modulus), triplets.digest());
        let truth = by_inverse(&a, &digest);
        // Too small: r - 1 independent lines and honest vectors for the lower claim; the upper one is false.
        let small = {
            let mut c = truth.clone();
            c.minor_rows.pop();
            let kept = dense(&a, &c.minor_rows, &c.minor_cols).rank_profile(&field).cols;
            c.minor_cols = kept.iter().map(|&l| truth.minor_cols[l]).collect();
            let (r, k) = (c.rank(), repetitions(modulus));
            let inverse = dense(&a, &c.minor_rows, &c.minor_cols).inverse(&field).unwrap();
            let mut b = vec![0; r * k];
            Challenge::new(&c, Claim::Lower).fill(&mut b);
            c.lower = inverse.mul(&field, &DenseMatrix::from_entries(r, k, b)).data().to_vec();
            let free: Vec<u32> =
                a.non_empty_cols().unwrap().into_iter().filter(|j| !c.minor_cols.contains(j)).collect();
            let mut v = vec![0; free.len() * k];
            Challenge::new(&c, Claim::Upper).fill(&mut v);
            let v = DenseMatrix::from_entries(free.len(), k, v);
            let rest = dense(&a, &c.minor_rows, &free).mul(&field, &v);
            let negative = rest.data().iter().map(|&x| modulus.neg(x)).collect();
            let w = inverse.mul(&field, &DenseMatrix::from_entries(r, k, negative));
            c.upper = Upper::Combinations(w.data().to_vec());
            c
        };
        let message = verify(&small, &a, &digest, &Silent).unwrap_err().to_string();
        assert!(message.contains("a larger rank is not excluded"), "{message}");
        // Too large: the upper claim is true and has vectors (padding the honest ones with zeros is not enough, since
        // the challenge is new; here the lower claim fails first).
        let mut large = truth.clone();
        large.minor_rows.push((0..12).find(|i| !truth.minor_rows.contains(i)).unwrap());
        large.minor_cols.push((0..10).find(|j| !truth.minor_cols.contains(j)).unwrap());
        large.lower.resize(large.rank() * repetitions(modulus), 0);
        large.upper = Upper::Combinations(large.lower.clone());
        let message = verify(&large, &a, &digest, &Silent).unwrap_err().to_string();
        assert!(message.contains("the minor is not shown to be invertible"), "{message}");
    }
}

#[test]
fn lines_are_checked_entry_by_entry() {
    let modulus = Modulus::new(7).unwrap();
    // Row 2 and column 1 meet every entry; 14 vanishes mod 7.
    let triplets = Triplets::from_entries(4, 4, [(0, 1, 3), (2, 0, 1), (2, 1, 2), (2, 3, 1), (3, 1, 1), (3, 3, 14)]);
    let (a, digest) = (triplets.reduce(modulus), triplets.digest());
    let certificate = |rows: Vec<u32>, cols: Vec<u32>| Certificate {
        digest: digest.clone(),
        modulus,
        rows: 4,
        cols: 4,
        triangular: 2,
        minor_rows: vec![2, 3],
        minor_cols: vec![0, 1],
        lower: vec![],
        upper: Upper::Lines { rows, cols },
    };
    let verdict = verify(&certificate(vec![2], vec![1]), &a, &digest, &Silent).unwrap();
    assert_eq!((verdict.rank, verdict.certainty()), (2, Certainty::Proven));
    for (rows, cols) in
        [(vec![2], vec![0]), (vec![0, 2], vec![]), (vec![2, 2], vec![]), (vec![2], vec![4]), (vec![2], vec![])]
    {
        refused(&certificate(rows, cols), &a, &digest);
    }
    let turned = Certificate { minor_rows: vec![3, 2], minor_cols: vec![1, 0], ..certificate(vec![2], vec![1]) };
    refused(&turned, &a, &digest);
}

#[cfg(feature = "serde")]
#[test]
fn damaged_files_are_refused_with_their_reason() {
    use sha2::{Digest, Sha256};
    let mut rng = Rng::seed_from_u64(7);
    let triplets = random(&mut rng, 12, 10, 5);
    let a = triplets.reduce(Modulus::new(65521).unwrap());
    let good = by_inverse(&a, &triplets.digest());
    let bytes = good.to_bytes();
    let parse = |bytes: &[u8]| Certificate::from_bytes(bytes, "c".as_ref());
    for length in 0..bytes.len() {
        assert!(matches!(parse(&bytes[..length]), Err(Error::Input { .. })), "{length} bytes");
    }
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(matches!(parse(&bad), Err(Error::Input { .. })), "byte {at}");
    }
    // Forged headers, with a valid checksum.
    let end = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').nth(1).unwrap().0;
    let header = std::str::from_utf8(&bytes[25..end]).unwrap();
    let with_header = |header: &str| {
        let mut bad = bytes[..25].to_vec();
        bad.extend(header.bytes());
        bad.extend(&bytes[end..bytes.len() - 32]);
        let hash = Sha256::digest(&bad);
        bad.extend(hash);
        parse(&bad)
    };
    assert_eq!(with_header(header).unwrap(), good);
    let r = good.rank();
    for (from, to, reason) in [
        (format!("\"rank\":{r}"), "\"rank\":4294967295".to_string(), "bytes are announced"),
        (format!("\"rank\":{r}"), format!("\"rank\":{}", r + 1), "bytes are announced"),
        (format!("\"rank\":{r}"), "\"rank\":99999999999".into(), "bad header"),
        (format!("\"rank\":{r}"), "\"rank\":-1".into(), "bad header"),
        ("\"triangular\":0".into(), "\"triangular\":4294967295".into(), "a chain of"),
        ("\"modulus\":65521".into(), "\"modulus\":65520".into(), "divisible by 2"),
        ("\"modulus\":65521".into(), "\"modulus\":32749".into(), "not a residue"),
        ("\"rows\":12".into(), "\"rows\":3".into(), "not a minor"),
        ("\"cols\":10".into(), "\"cols\":2".into(), "not a minor"),
        ("\"lines\":null".into(), "\"lines\":[4294967295,4294967295]".into(), "bytes are announced"),
        ("\"lines\":null".into(), "\"lines\":7".into(), "bad header"),
        ("{".into(), "{\"more\":1,".into(), "bad header"),
        ("\"digest\":\"".into(), "\"digest\":\"x".into(), "hexadecimal"),
        ("{".into(), format!("{{{}", " ".repeat(5000)), "longer than 4096 bytes"),
    ] {
        assert!(header.contains(&from), "{header}");
        let message = with_header(&header.replacen(&from, &to, 1)).unwrap_err().to_string();
        assert!(message.contains(reason), "{from} -> {to}: {message}");
    }
    let newer = [b"blackfield certificate 3\n", &bytes[25..]].concat();
    assert!(parse(&newer).unwrap_err().to_string().contains("another version"));
}
