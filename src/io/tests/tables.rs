//! Tables of numbers: what is seen in them, what the caller must say, and what is refused.

use super::*;

fn read_as(text: &str, base: Option<Base>, layout: Option<Layout>) -> String {
    shown(text, &ReadOptions { base, layout, ..EXACT })
}

#[test]
fn tables_that_say_what_they_are() {
    let cases = [
        // Triples: by order, by names, by a line of sizes.
        ("0 0 5\n0 2 1\n1 1 -2\n3 0 4\n", "4x3: 1 1 5, 1 3 1, 2 2 -2, 4 1 4"),
        ("1 1 5\n1 3 1\n2 2 -2\n4 1 4\n", "4x3: 1 1 5, 1 3 1, 2 2 -2, 4 1 4"),
        ("1,1,5\r\n1,3,1\r\n2,2,-2\r\n4,1,4\r\n", "4x3: 1 1 5, 1 3 1, 2 2 -2, 4 1 4"),
        ("\u{feff}row;col;val\n2;2;-2\n1;1;18446744073709551616\n", "2x2: 1 1 18446744073709551616, 2 2 -2"),
        ("\"i\",\"j\"\n\"0\",\"1\"\n", "1x2: 1 2 1"),
        ("# a matrix\n\ni\tj\tv\n0\t0\t1\n% between\n0\t1\t1e3", "1x2: 1 1 1, 1 2 1000"),
        ("3 4 2\n1 1 7\n2 2 8\n", "3x4: 1 1 7, 2 2 8"),
        ("3 4 2\n0 1 7\n2 2 8\n", "3x4: 1 2 7, 3 3 8"),
        ("3 4 2\n1 1\n3 4\n", "3x4: 1 1 1, 3 4 1"),
        // The last row and column may hold nothing but a zero.
        ("1 1 7\n1 1 1\n2 1 5\n4 5 0\n", "4x5: 1 1 8, 2 1 5"),
        // Dense.
        ("1 2 3 4\n0 0 0 0\n5 6 7 -8\n", "3x4: 1 1 1, 1 2 2, 1 3 3, 1 4 4, 3 1 5, 3 2 6, 3 3 7, 3 4 -8"),
        ("5\n0\n6\n", "3x1: 1 1 5, 3 1 6"),
        ("2 3\n1 0 2\n0 3 0\n", "2x3: 1 1 1, 1 3 2, 2 2 3"),
        ("a,b,c,d\n1,2,3,4\n", "1x4: 1 1 1, 1 2 2, 1 3 3, 1 4 4"),
        ("A\n2\n3\n", "2x1: 1 1 2, 2 1 3"),
        (",0,1,2,3\n0,1,2,3,4\n", "1x4: 1 1 1, 1 2 2, 1 3 3, 1 4 4"),
        ("\"V1\" \"V2\" \"V3\" \"V4\"\n\"1\" 1 0 0 2\n", "1x4: 1 1 1, 1 4 2"),
        // Graphs.
        ("source,target\n0,1\n1,2\n1,0\n", "3x3: 1 2 1, 2 1 1, 2 3 1, 3 2 1"),
        ("from to weight\n1 2 -5\n2 2 3\n", "2x2: 1 2 -5, 2 1 -5, 2 2 3"),
        ("# Undirected graph: a.txt\n# FromNodeId\tToNodeId\n0\t1\n", "2x2: 1 2 1, 2 1 1"),
        ("# Directed graph (each unordered pair of nodes is saved once)\n0\t1\n", "2x2: 1 2 1"),
        ("% sym unweighted\n% 1 2\n1 2\n", "2x2: 1 2 1, 2 1 1"),
        ("% asym positive\n1 2 3\n", "2x2: 1 2 3"),
        ("% bip unweighted\n1 3\n2 1\n", "2x3: 1 3 1, 2 1 1"),
        // CADO-NFS's texts.
        ("3 4\n2 0 3\n0\n1 1\n", "3x4: 1 1 1, 1 4 1, 3 2 1"),
        ("2 4\n2 0:-5 3:2\n1 2:1\n", "2x4: 1 1 -5, 1 4 2, 2 3 1"),
        ("# 2 11\n-1f,2:0,a,a\nb,3:1\n", "2x11: 1 1 1, 1 11 2, 2 2 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(read_as(text, None, None), expected, "{text}");
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected, "{text}");
        let returns = text.replace("\r\n", "\n").replace('\n', "\r");
        assert_eq!(shown(&returns, &EXACT), expected, "carriage returns: {text}");
        assert_eq!(shown(gzip(returns.as_bytes()), &EXACT), expected, "carriage returns: {text}");
        for little in [true, false] {
            let unit = |u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() };
            let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect();
            assert_eq!(shown(&wide, &EXACT), expected, "UTF-16: {text}");
            assert_eq!(shown(gzip(&wide), &EXACT), expected, "UTF-16: {text}");
            if !text.starts_with('\u{feff}') && text.len() > 8 {
                assert_eq!(shown(&wide[2..], &EXACT), expected, "UTF-16 without its mark: {text}");
            }
        }
    }
}

#[test]
fn options_decide() {
    let (zero, one) = (Some(Base::Zero), Some(Base::One));
    let cases = [
        ("1 2 3\n", None, Layout::Triples, "1x2: 1 2 3"),
        ("1 2 3\n", zero, Layout::Triples, "2x3: 2 3 3"),
        ("1 2 3\n", None, Layout::Dense, "1x3: 1 1 1, 1 2 2, 1 3 3"),
        ("1 2 3\n", None, Layout::Edges, "2x2: 1 2 3, 2 1 3"),
        ("1 2 3\n", None, Layout::Arcs, "2x2: 1 2 3"),
        ("1 2 3\n", None, Layout::Adjacency, "3x3: 1 2 1, 1 3 1, 2 1 1, 3 1 1"),
        ("1 2\n", zero, Layout::Triples, "2x3: 2 3 1"),
        ("2 3 5\n", one, Layout::Triples, "2x3: 2 3 5"),
        ("2 2\n1 0\n0 1\n", None, Layout::Dense, "3x2: 1 1 2, 1 2 2, 2 1 1, 3 2 1"),
        ("a b\nb c 7\n", None, Layout::Edges, "3x3: 1 2 1, 2 1 1, 2 3 7, 3 2 7"),
        ("0 1 {}\n1 2 {'weight': 4, 'color': 1}\n", None, Layout::Edges, "3x3: 1 2 1, 2 1 1, 2 3 4, 3 2 4"),
        ("# nx\n0 1 2\n1\n3\n", None, Layout::Adjacency, "4x4: 1 2 1, 1 3 1, 2 1 1, 3 1 1"),
        ("x y\ny\n", None, Layout::Adjacency, "2x2: 1 2 1, 2 1 1"),
    ];
    for (text, base, layout, expected) in cases {
        assert_eq!(read_as(text, base, Some(layout)), expected, "{text}");
    }
    let sms = "2 2 M\n0 1 5\n1 0 6\n0 0 0\n";
    assert_eq!(read_as(sms, zero, None), "2x2: 1 2 5, 2 1 6");
    assert_eq!(read_as(sms, None, None), "t:2: row index 0 is outside 1..=2: does it count from 0? Say --base 0");
    let market = format!("{MM} integer symmetric\n2 2 2\n0 0 5\n1 0 6\n");
    assert_eq!(read_as(&market, zero, None), "2x2: 1 1 5, 1 2 6, 2 1 6");
    let market = format!("{MM} pattern general\n2 2 1\n2 1\n");
    assert_eq!(read_as(&market, zero, None), "t:3: row index 2 is outside 0..=1: does it count from 1? Say --base 1");
}

#[test]
fn patterns_of_tables() {
    assert_eq!(shown("0 0 0.5\n0 0 2\n1 1 0\n2 3 1/3\n", &PATTERN), "3x4: 1 1 1, 3 4 1");
    assert_eq!(shown("0.5 0 1/2 -3\n", &PATTERN), "1x4: 1 1 1, 1 3 1, 1 4 1");
    assert_eq!(shown("u v w\n0 1 0.5\n1 1 0\n", &PATTERN), "2x2: 1 2 1, 2 1 1");
}

/// A matrix by the naive reading of triples: the oracle of what follows.
fn naive(text: &str, base: usize) -> Triplets {
    let fields = |line: &str| line.split([' ', ',', ';', '\t']).map(|f| f.parse::<i64>().unwrap()).collect::<Vec<_>>();
    let entries: Vec<Vec<i64>> = text.lines().map(fields).collect();
    let most = |side: usize| entries.iter().map(|e| e[side] as usize + 1 - base).max().unwrap_or(0);
    let triples = entries.iter().map(|e| (e[0] as usize - base, e[1] as usize - base, e[2]));
    Triplets::from_entries(most(0), most(1), triples)
}

#[test]
fn large_tables_are_read_in_parallel_blocks() {
    for (separator, base) in [(' ', 0), (',', 1), (';', 0), ('\t', 1)] {
        let line = |k: usize| {
            let (i, j) = (k / 7 + base, k * 7919 % 1000 + base);
            format!("{i}{separator}{j}{separator}{}\n", k as i64 % 11 - 5)
        };
        let text: String = (0..60_000).map(line).collect();
        let found = read_text(&text, &EXACT).unwrap();
        assert_eq!(found, naive(&text, base), "{separator}");
        assert_eq!(read_text(gzip(text.as_bytes()), &EXACT).unwrap(), found);
    }
}
