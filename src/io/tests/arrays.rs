//! Binary arrays and archives that contradict themselves, announce more than they have, or unpack to more than anyone
//! wants: an error that says where and what was expected.

use super::*;

/// A file of NumPy's.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\0", &(head.len() as u16).to_le_bytes()[..], head.as_bytes(), data].concat()
}

fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

#[test]
fn arrays_are_what_they_announce() {
    let two = npy("<i8", "(2, 2)", &words(&[1, 0, 0, -1]));
    assert_eq!(shown(&two, &EXACT), "2x2: 1 1 1, 2 2 -1");
    assert_eq!(shown(npy("<i8", "(3,)", &words(&[1, 0, 2])), &EXACT), "3x1: 1 1 1, 3 1 2");
    assert_eq!(shown(npy("<i8", "()", &words(&[5])), &EXACT), "1x1: 1 1 5");
    assert_eq!(shown(npy("<i8", "(0, 7)", &[]), &EXACT), "0x7: ");
    let start = two.len() - 32;
    for (file, expected) in [
        (
            two[..two.len() - 1].to_vec(),
            format!("byte {}: the end, within the elements of the array, after 3 of 4", start + 31),
        ),
        ([&two[..], b"x"].concat(), format!("byte {}: expected the end of the file, found more bytes", start + 33)),
        (
            npy("<i8", "(2, 2, 2)", &[]),
            "byte 68: expected an array of one or two dimensions, found the shape [2, 2, 2]".into(),
        ),
        (npy("<i8", "(4294967296, 2)", &[]), "byte 74: 4294967296 rows: dimensions go up to 4294967295".into()),
        (npy("<i8", "(4294967295, 4294967295)", &[]), "byte 69: an array of shape".into()),
        (
            npy("<i8", "(4294967295, 1000)", &[]),
            "byte 77: the end, within the elements of the array, after 0 of 4294967295000".into(),
        ),
        (npy("|O", "(1,)", &[0; 8]), "byte 63: expected numbers, found \"|O\": Python objects are pickled".into()),
        (
            npy("<f8", "(1,)", &0.5f64.to_le_bytes()),
            "byte 64: expected an integer, found 0.5: exact arithmetic needs integers".into(),
        ),
        (b"\x93NUMPY\x07\0".to_vec(), "byte 8: expected version 1, 2 or 3 of the format, found 7".into()),
        (
            b"\x93NUMPY\x02\0\xff\xff\xff\xff".to_vec(),
            "byte 12: a header of 4294967295 bytes, at most 1048576 are allowed".into(),
        ),
    ] {
        let found = shown(&file, &EXACT);
        let place = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
        // Positions after a header are those of its length.
        assert!(place(&found).starts_with(&place(&format!("t: {expected}"))), "{found}, expected {expected}");
    }
    let limited = read_text(npy("<i8", "(4,)", &words(&[1; 4])), &ReadOptions { max_memory: Some(48), ..EXACT });
    assert_eq!(limited.unwrap_err().to_string(), "4 entries of the matrix take 64 bytes, 48 bytes are allowed");
}

#[test]
fn hdf5_is_recognised_with_and_without_a_header_before_it() {
    let signature = b"\x89HDF\r\n\x1a\n\0";
    let behind = [&b"a header"[..], &[b' '; 504], signature].concat();
    for file in [&signature[..], &behind] {
        let message = shown(file, &EXACT);
        assert!(message.starts_with("t:1: an HDF5 file, not of MATLAB's: "), "{message}");
    }
}

#[cfg(feature = "archives")]
mod archives {
    use super::*;
    use std::io::Write;

    fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut out = vec![];
        let mut archive = rawzip::ZipArchiveWriter::new(&mut out);
        for (name, bytes) in members {
            let method = rawzip::CompressionMethod::DEFLATE;
            let (mut entry, config) = archive.new_file(*name).compression_method(method).start().unwrap();
            let mut writer = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast()));
            writer.write_all(bytes).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        out
    }

    /// A sparse matrix of 2 x 3 by the names and values of its arrays of integers, with the data 1, 2, …
    fn sparse(format: &str, arrays: &[(&str, &[i64])], data: usize) -> Vec<u8> {
        let vector = |numbers: &[i64]| npy("<i8", &format!("({},)", numbers.len()), &words(numbers));
        let values: Vec<i64> = (1..=data as i64).collect();
        let mut members = vec![
            ("format.npy".to_string(), npy("|S3", "()", format.as_bytes())),
            ("shape.npy".to_string(), vector(&[2, 3])),
            ("data.npy".to_string(), vector(&values)),
        ];
        members.extend(arrays.iter().map(|(name, numbers)| (format!("{name}.npy"), vector(numbers))));
        let members: Vec<(&str, Vec<u8>)> = members.iter().map(|(name, bytes)| (&**name, bytes.clone())).collect();
        zip(&members)
    }

    #[test]
    fn sparse_matrices_that_contradict_themselves() {
        let csr = |indptr: &[i64], indices: &[i64], data| {
            shown(sparse("csr", &[("indptr", indptr), ("indices", indices)], data), &EXACT)
        };
        assert_eq!(csr(&[0, 1, 3], &[2, 1, 0], 3), "2x3: 1 3 1, 2 1 3, 2 2 2");
        assert_eq!(csr(&[0, 1, 1], &[2, 1, 0], 3), "2x3: 1 3 1");
        for (found, expected) in [
            (csr(&[0, 1, 3], &[2, 3, 0], 3), "expected an index below 3, found 3"),
            (csr(&[0, 1, 3], &[2, -1, 0], 3), "expected an index below 3, found -1"),
            (csr(&[0, 2, 1], &[2, 1, 0], 3), "expected a pointer in 2..=3, found 1"),
            (csr(&[1, 2, 3], &[2, 1, 0], 3), "expected a pointer in 0..=0, found 1"),
            (csr(&[0, 1, 4], &[2, 1, 0], 3), "expected a pointer in 1..=3, found 4"),
            (csr(&[0, 1], &[2], 1), "expected 3 pointers for 2 lines, found 2"),
            (csr(&[0, 1, 3], &[2, 1, 0], 2), "expected 3 values for as many indices, found 2"),
            (
                shown(sparse("csr", &[("indptr", &[0, 0, 0])], 0), &EXACT),
                "expected the array indices, found format, shape, data, indptr",
            ),
            (shown(sparse("lil", &[], 0), &EXACT), "expected csr, csc, coo, bsr or dia, found \"lil\""),
            (
                shown(sparse("coo", &[("row", &[0]), ("col", &[0, 1])], 2), &EXACT),
                "expected as many columns as rows, found 2 and 1",
            ),
            (shown(sparse("bsr", &[("indptr", &[0]), ("indices", &[])], 0), &EXACT), "expected three dimensions"),
            (shown(sparse("dia", &[("offsets", &[0])], 3), &EXACT), "expected two dimensions, diagonals and columns"),
        ] {
            assert!(found.starts_with('t') && found.contains(expected), "{found}, expected {expected}");
        }
        let coo = sparse("coo", &[("row", &[1, 1, 0]), ("col", &[2, 2, 0])], 3);
        assert_eq!(shown(&coo, &EXACT), "2x3: 1 1 3, 2 3 3");
        assert_eq!(shown(&coo, &PATTERN), "2x3: 1 1 1, 2 3 1");
        let limited = read_text(&coo, &ReadOptions { max_memory: Some(47), ..EXACT }).unwrap_err().to_string();
        assert_eq!(limited, "3 entries of the matrix take 48 bytes, 47 bytes are allowed");
    }

    #[test]
    fn documents_of_office_programs_are_known() {
        let of = |names: &[&str]| shown(zip(&names.iter().map(|name| (*name, vec![1])).collect::<Vec<_>>()), &EXACT);
        let xlsx = of(&["[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"]);
        assert_eq!(xlsx, "t: an Excel workbook: save the sheet as CSV: soffice --headless --convert-to csv t");
        assert!(of(&["[Content_Types].xml", "word/document.xml"]).starts_with("t: an Office document: "));
        assert!(of(&["mimetype", "content.xml"]).starts_with("t: an OpenDocument file: save the sheet as CSV"));
    }

    /// A byte that deflate finds no pattern in (the finaliser of MurmurHash3).
    fn noise(k: u32) -> u8 {
        let x = k.wrapping_mul(0x9e37_79b9);
        let x = (x ^ x >> 15).wrapping_mul(0x85eb_ca6b);
        (x >> 24) as u8
    }

    /// One member of a tar archive.
    fn member(name: &str, kind: tar::EntryType, bytes: &[u8]) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_entry_type(kind);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        let padding = vec![0; (512 - bytes.len() % 512) % 512];
        [header.as_bytes(), bytes, &padding].concat()
    }

    const SMS: &[u8] = b"1 2 M\n1 2 5\n0 0 0\n";

    #[test]
    fn bombs_are_refused() {
        // Zeros without a line feed, a name of megabytes, sizes that overflow, layers without end.
        let zeros = vec![0; 40 << 20];
        let message = shown(zip(&[("a.mtx", zeros.clone())]), &EXACT);
        assert!(message.contains("a line of more than 16777216 bytes"), "{message}");
        let long = member("x", tar::EntryType::GNULongName, &vec![b'x'; 2 << 20]);
        let message = shown([long, member("a.sms", tar::EntryType::Regular, SMS), vec![0; 1024]].concat(), &EXACT);
        assert_eq!(message, "t: the tar archive has a name or attributes of more than 1048576 bytes");
        let mut layers = SMS.to_vec();
        for _ in 0..6 {
            layers = gzip(&layers);
        }
        assert_eq!(shown(&layers, &EXACT), "1x2: 1 2 5");
        let message = shown(gzip(&layers), &EXACT);
        assert_eq!(message, "t: more than 6 layers of compression and archives: unpack it first");
        let held = ReadOptions { max_memory: Some(1 << 20), ..EXACT };
        let packed = gzip(&zip(&[("a.sms", SMS.to_vec()), ("b.bin", (0..3u32 << 20).map(noise).collect())]));
        let message = read_text(packed, &held).unwrap_err().to_string();
        assert!(message.contains("a zip archive packed in something else is held in memory as a whole"), "{message}");
    }

    #[test]
    fn layers_in_each_other() {
        let tar = |name: &str, bytes: &[u8]| [member(name, tar::EntryType::Regular, bytes), vec![0; 1024]].concat();
        for layer in [Compression::Gzip, Compression::Xz, Compression::Bzip2, Compression::Zstd] {
            let packed = layer.compressed(SMS.to_vec()).unwrap();
            let nested =
                layer.compressed(tar("x/a.sms", &zip(&[("m/m.sms", packed.clone()), ("no", vec![])]))).unwrap();
            for file in [packed.clone(), [packed.clone(), layer.compressed(vec![]).unwrap()].concat(), nested.clone()] {
                assert_eq!(shown(&file, &EXACT), "1x2: 1 2 5", "{layer:?}");
            }
            for cut in (1..nested.len()).step_by(7).chain([nested.len() - 1]) {
                assert!(shown(&nested[..cut], &EXACT).starts_with('t'), "{layer:?} cut to {cut}");
            }
        }
        let short = tar("a.sms", SMS);
        assert_eq!(shown(&short[..1024], &EXACT), "t: the tar archive ends early: a truncated file");
        let mut damaged = tar("a.sms", SMS);
        damaged.splice(1024..1024, *b"not a header").for_each(drop);
        assert_eq!(shown(&damaged, &EXACT), "t: the tar archive is damaged: a header does not match its checksum");
    }
}

/// The variable of a file of MATLAB's, version 5: elements one after the other.
#[cfg(feature = "gzip")]
mod matlab {
    use super::*;

    fn element(kind: u32, bytes: &[u8]) -> Vec<u8> {
        let padding = vec![0; (8 - bytes.len() % 8) % 8];
        [&kind.to_le_bytes()[..], &(bytes.len() as u32).to_le_bytes(), bytes, &padding].concat()
    }

    fn integers(numbers: &[i32]) -> Vec<u8> {
        element(5, &numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
    }

    fn doubles(numbers: &[f64]) -> Vec<u8> {
        element(9, &numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>())
    }

    fn file(class: u8, sides: &[i32], data: &[Vec<u8>]) -> Vec<u8> {
        let flags = element(6, &[class, 0, 0, 0, 0, 0, 0, 0]);
        let variable = [flags, integers(sides), element(1, b"A"), data.concat()].concat();
        let mut head = vec![b' '; 124];
        head.extend(b"\x00\x01IM");
        [head, element(14, &variable)].concat()
    }

    #[test]
    fn variables_that_contradict_themselves() {
        let sparse = |ir: &[i32], jc: &[i32], pr: &[f64]| {
            shown(file(5, &[2, 3], &[integers(ir), integers(jc), doubles(pr)]), &EXACT)
        };
        assert_eq!(sparse(&[1, 0, 1], &[0, 1, 1, 3], &[4.0, -5.0, 6.0]), "2x3: 1 3 -5, 2 1 4, 2 3 6");
        // Room for more than there is.
        assert_eq!(sparse(&[1, -7], &[0, 1, 1, 1], &[4.0, 0.5]), "2x3: 2 1 4");
        assert_eq!(shown(file(6, &[2, 1], &[doubles(&[1.0, 2.0])]), &EXACT), "2x1: 1 1 1, 2 1 2");
        for (found, expected) in [
            (sparse(&[2], &[0, 1, 1, 1], &[4.0]), "expected a row below 2, found 2"),
            (sparse(&[1], &[0, 1, 0, 1], &[4.0]), "expected the beginning of column 3, in 1..=1"),
            (sparse(&[1], &[0, 1, 1], &[4.0]), "expected 4 beginnings of 3 columns, found 3"),
            (sparse(&[1, 0], &[0, 1, 1, 2], &[4.0]), "expected as many values as indices, found fewer"),
            (sparse(&[1], &[0, 1, 1, 1], &[4.5]), "expected an integer, found 4.5"),
            (shown(file(6, &[2, 2], &[doubles(&[1.0; 3])]), &EXACT), "expected 2 x 2 values, found 3"),
            (shown(file(6, &[2, 1], &[doubles(&[1.0; 3])]), &EXACT), "expected 2 x 1 values, found more"),
            (shown(file(6, &[-2, 1], &[]), &EXACT), "expected a dimension, found a negative number"),
            (shown(file(6, &[2, 2], &[]), &EXACT), "the end, where values should be"),
            (
                shown(file(6, &[2, 2, 2], &[doubles(&[1.0; 8])]), &EXACT),
                "no matrix in it: expected a variable with one, found A",
            ),
            (
                shown(file(4, &[1, 1], &[element(4, b"xx")]), &EXACT),
                "no matrix in it: expected a variable with one, found A",
            ),
            (shown(file(6, &[2, 2], &[element(14, &[])]), &EXACT), "expected numbers, found an element of type 14"),
        ] {
            assert!(found.starts_with("t:") && found.contains(expected), "{found}, expected {expected}");
        }
        let whole = file(6, &[2, 1], &[doubles(&[1.0, 2.0])]);
        for cut in 128..whole.len() {
            // Without a single variable there is no matrix either.
            assert!(shown(&whole[..cut], &EXACT).starts_with("t:"), "cut to {cut}");
        }
    }
}
