//! MATLAB's files of version 7.3, written by the crate that reads them, against the matrices they were made of; the
//! files of other programs are in `datasets/formats/arrays`.

use super::*;
use hdf5_pure::{AttrValue, DatasetBuilder, FileBuilder, GroupBuilder};
use rand::RngExt;

/// A file of MATLAB's, with what `fill` puts into it.
fn file(fill: impl FnOnce(&mut FileBuilder)) -> Vec<u8> {
    let mut file = FileBuilder::new();
    file.with_userblock(512).with_userblock_content(b"MATLAB 7.3 MAT-file, Platform: GLNXA64");
    fill(&mut file);
    file.finish().unwrap()
}

fn class(data: &mut DatasetBuilder, class: &str) {
    data.set_attr("MATLAB_class", AttrValue::AsciiString(class.into()));
}

/// The values of `rows` x `cols` as MATLAB keeps them, column by column.
fn full(data: &mut DatasetBuilder, rows: usize, cols: usize, values: &[f64]) {
    class(data.with_f64_data(values).with_shape(&[cols as u64, rows as u64]), "double");
}

fn sparse(group: &mut GroupBuilder, rows: u64, jc: &[u64], ir: &[u64], values: &[f64]) {
    group.set_attr("MATLAB_class", AttrValue::AsciiString("double".into()));
    group.set_attr("MATLAB_sparse", AttrValue::U64(rows));
    group.create_dataset("jc").with_u64_data(jc);
    if !ir.is_empty() {
        group.create_dataset("ir").with_u64_data(ir).with_chunks(&[3]).with_deflate(6);
        group.create_dataset("data").with_f64_data(values).with_chunks(&[5]).with_shuffle().with_deflate(1);
    }
}

fn sparse_file(rows: u64, jc: &[u64], ir: &[u64], values: &[f64]) -> Vec<u8> {
    file(|file| {
        let mut group = file.create_group("A");
        sparse(&mut group, rows, jc, ir, values);
        file.add_group(group.finish());
    })
}

#[test]
fn full_and_sparse_matrices_are_what_they_were_made_of() {
    let mut rng = crate::field::rng_from_seed(73);
    for round in 0..60 {
        let (rows, cols) = (rng.random_range(1..40usize), rng.random_range(1..30usize));
        let density = [0.0, 0.1, 0.9][round % 3];
        let value = |rng: &mut crate::field::Rng| f64::from(rng.random_range(-300..300i32)) * 2f64.powi(round as i32);
        let columns: Vec<f64> =
            (0..rows * cols).map(|_| if rng.random_bool(density) { value(&mut rng) } else { 0.0 }).collect();
        let (mut jc, mut ir, mut data) = (vec![0], vec![], vec![]);
        for column in columns.chunks(rows) {
            for (i, &v) in column.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                ir.push(i as u64);
                data.push(v);
            }
            jc.push(ir.len() as u64);
        }
        let text: Vec<String> = (0..rows)
            .flat_map(|i| (0..cols).map(move |j| (i, j)))
            .filter(|(i, j)| columns[j * rows + i] != 0.0)
            .map(|(i, j)| format!("{} {} {:.0}", i + 1, j + 1, columns[j * rows + i]))
            .collect();
        let expected = format!("{rows}x{cols}: {}", text.join(", "));
        let dense = file(|file| full(file.create_dataset("A"), rows, cols, &columns));
        assert_eq!(shown(&dense, &EXACT), expected);
        assert_eq!(shown(sparse_file(rows as u64, &jc, &ir, &data), &EXACT), expected);
    }
}

#[test]
fn integers_structures_and_matrices_without_elements() {
    let many = file(|file| {
        class(file.create_dataset("big").with_u64_data(&[u64::MAX, 0, 1, 2]).with_shape(&[2, 2]), "uint64");
        class(file.create_dataset("bits").with_u8_data(&[1, 0]).with_shape(&[1, 2]), "logical");
        class(file.create_dataset("text").with_u16_data(&[65]).with_shape(&[1, 1]), "char");
        let none = file.create_dataset("none").with_u64_data(&[0, 7]);
        class(none.set_attr("MATLAB_empty", AttrValue::U8(1)), "double");
        let half = file.create_dataset("half").with_f64_data(&[0.5, 2.0]).with_shape(&[2, 1]);
        class(half, "double");
        class(file.create_dataset("z").with_complex64_data(&[(0.0, 1.0), (0.0, 0.0)]).with_shape(&[2, 1]), "double");
        let mut problem = file.create_group("Problem");
        problem.set_attr("MATLAB_class", AttrValue::AsciiString("struct".into()));
        full(problem.create_dataset("b"), 1, 1, &[9.0]);
        let mut matrix = problem.create_group("A");
        sparse(&mut matrix, 3, &[0, 0, 1], &[2], &[-4.0]);
        problem.add_group(matrix.finish());
        file.add_group(problem.finish());
    });
    let folder = std::env::temp_dir().join(format!("blackfield-hdf5-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("many.mat");
    std::fs::write(&path, &many).unwrap();
    let select = |name: &str, options: &ReadOptions| {
        let found = read(&path.with_file_name(format!("many.mat{name}")), options, &Silent);
        let found = found.map(|a| format!("{}x{} {:?}", a.rows(), a.cols(), a.entries().collect::<Vec<_>>()));
        found.unwrap_or_else(|error| error.to_string().replace(&folder.display().to_string(), ""))
    };
    assert_eq!(shown(&many, &EXACT), "3x2: 3 2 -4", "SuiteSparse's convention");
    let big = shown(
        file(|file| {
            class(file.create_dataset("big").with_u64_data(&[u64::MAX, 0, 1, 2]).with_shape(&[2, 2]), "uint64");
        }),
        &EXACT,
    );
    assert_eq!(big, "2x2: 1 1 18446744073709551615, 1 2 1, 2 2 2");
    assert!(select("::bits", &EXACT).starts_with("2x1 [(0, 0, "));
    assert_eq!(select("::none", &EXACT), "0x7 []");
    assert!(select("::Problem.b", &EXACT).starts_with("1x1 [(0, 0, "));
    let half = select("::half", &EXACT);
    assert!(half.starts_with("/many.mat: half: row 1, column 1: expected an integer, found 0.5"), "{half}");
    assert!(select("::half", &PATTERN).starts_with("1x2 "));
    assert!(select("::z", &EXACT).contains("z: row 1, column 1: complex values have no meaning mod p"));
    assert!(select("::z", &PATTERN).starts_with("1x2 [(0, 0, "));
    assert!(select("::text", &EXACT).contains("expected the variable \"text\", found "));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_that_contradict_themselves() {
    for (found, expected) in [
        (sparse_file(3, &[0, 2], &[0, 3], &[1.0, 2.0]), "t: A: column 1: expected rows below 3"),
        (
            sparse_file(3, &[0, 3], &[0, 1], &[1.0, 2.0]),
            "t: A: expected ir to be a list of at least 3 numbers, found 2 x 1",
        ),
        (
            sparse_file(3, &[0, 2], &[0, 1], &[1.0]),
            "t: A: expected data to be a list of at least 2 numbers, found 1 x 1",
        ),
        (
            sparse_file(3, &[1, 2], &[0, 1], &[1.0, 2.0]),
            "t: A: expected jc to rise from 0, not so at the beginning of column 1",
        ),
        (
            sparse_file(3, &[0, 2, 1], &[0, 1], &[1.0, 2.0]),
            "t: A: expected jc to rise from 0, not so at the beginning of column 3",
        ),
        (sparse_file(1 << 33, &[0], &[], &[]), "t: A: 8589934592 rows: dimensions go up to 4294967295"),
        (file(|_| ()), "t: no matrix in it: expected a variable with one, found nothing"),
    ] {
        let found = shown(found, &EXACT);
        assert!(found.starts_with(expected), "{found}, expected {expected}");
    }
    assert_eq!(shown(sparse_file(3, &[0], &[], &[]), &EXACT), "3x0: ");
    assert_eq!(shown(sparse_file(0, &[0, 0], &[], &[]), &EXACT), "0x1: ");
}

/// Cut off or with other bytes, a file is read or refused, whatever stands in it.
#[test]
fn damaged_files_are_refused() {
    let mut rng = crate::field::rng_from_seed(74);
    let whole = sparse_file(9, &[0, 2, 2, 7], &[0, 8, 1, 2, 3, 4, 5], &[1.0, -2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let (mut read, mut refused) = (0, 0);
    for round in 0..900 {
        let mut bytes = whole.clone();
        if round % 3 == 0 {
            bytes.truncate(rng.random_range(512..whole.len()));
        } else {
            for _ in 0..round % 3 {
                let at = rng.random_range(512..whole.len());
                bytes[at] = rng.random();
            }
        }
        let limited = ReadOptions { max_memory: Some(1 << 24), ..EXACT };
        match read_text(bytes, &limited) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 0 && refused > 100, "{read}, {refused}");
}
