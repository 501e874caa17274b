//! Graphs in their formats; the encodings against independent writers.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const PETERSEN: &str = "10x10: 1 2 1, 1 5 1, 1 6 1, 2 1 1, 2 3 1, 2 7 1, 3 2 1, 3 4 1, 3 8 1, 4 3 1, 4 5 1, 4 9 1, 5 1 1, 5 4 1, 5 10 1, 6 1 1, 6 8 1, 6 9 1, 7 2 1, 7 9 1, 7 10 1, 8 3 1, 8 6 1, 8 10 1, 9 4 1, 9 6 1, 9 7 1, 10 5 1, 10 7 1, 10 8 1";

#[test]
fn known_graphs() {
    // The Petersen graph as networkx writes it.
    for text in ["IheA@GUAo\n", ">>graph6<<IheA@GUAo\n", "IheA@GUAo"] {
        assert_eq!(shown(text, &EXACT), PETERSEN, "{text}");
    }
    for (text, expected) in [
        ("?\n", "0x0: "),
        ("@\n", "1x1: "),
        (":@\n", "1x1: "),
        ("A_\n", "2x2: 1 2 1, 2 1 1"),
        // nauty's example: edges 0-1 0-2 1-2 5-6 on seven vertices.
        (":Fa@x^\n", "7x7: 1 2 1, 1 3 1, 2 1 1, 2 3 1, 3 1 1, 3 2 1, 6 7 1, 7 6 1"),
        // and its example of digraph6: arcs 0-2 0-4 3-1 3-4.
        ("&DI?AO?\n", "5x5: 1 3 1, 1 5 1, 4 2 1, 4 5 1"),
        ("c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 3 1\n", "3x3: 1 2 1, 1 3 1, 2 1 1, 2 3 1, 3 1 1, 3 2 1"),
        ("p col 2 2\ne 1 2\ne 2 1\n", "2x2: 1 2 1, 2 1 1"),
        ("p edge 3 2\ne 1 2\ne 2 1\ne 2 3\n", "3x3: 1 2 1, 2 1 1, 2 3 1, 3 2 1"),
        ("c\np edge 2 1\nn 1 5\ne 1 2 7\n", "2x2: 1 2 7, 2 1 7"),
        ("p sp 2 2\na 1 2 7\na 2 1 -1\n", "2x2: 1 2 7, 2 1 -1"),
        ("p edge 2 0\n", "2x2: "),
    ] {
        assert_eq!(shown(text, &EXACT), expected, "{text}");
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected, "{text}");
    }
    assert_eq!(shown("p edge 2 1\ne 0 1\n", &ReadOptions { base: Some(Base::Zero), ..EXACT }), "2x2: 1 2 1, 2 1 1");
}

#[cfg(feature = "serde")]
#[test]
fn json() {
    for (text, expected) in [
        (
            r#"{"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": 5}, {"id": "b"}, {"id": 7}],
                "links": [{"source": 5, "target": "b", "weight": 3}, {"source": 7, "target": 7}]}"#,
            "3x3: 1 2 3, 2 1 3, 3 3 1",
        ),
        (r#"{"directed": true, "nodes": [{"id": 1}, {"id": 0}], "edges": [{"source": 0, "target": 1}]}"#, "2x2: 2 1 1"),
        (
            r#"{"multigraph": true, "nodes": [{"id": 1}, {"id": 0}],
                "edges": [{"source": 0, "target": 1, "key": 0}, {"source": 1, "target": 0, "key": 1, "weight": 4}]}"#,
            "2x2: 1 2 5, 2 1 5",
        ),
        (
            r#"{"directed": false, "multigraph": false, "graph": [], "nodes": [{"id": 0}, {"id": 1}],
                "adjacency": [[{"weight": 2, "id": 1}], [{"weight": 2, "id": 0}]]}"#,
            "2x2: 1 2 2, 2 1 2",
        ),
        (r#"{"nodes": [], "links": []}"#, "0x0: "),
    ] {
        assert_eq!(shown(text, &EXACT), expected, "{text}");
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected, "{text}");
    }
}

#[cfg(feature = "graphml")]
#[test]
fn graphml() {
    let graph = |kind: &str, edges: &str| {
        format!(
            "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
             <key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/>\n<graph edgedefault=\"{kind}\">\n\
             <node id=\"a\"/><node id=\"b\"/>\n<node id=\"c\"/>\n{edges}</graph></graphml>\n"
        )
    };
    let edges =
        "<edge source=\"a\" target=\"b\"/>\n<edge source=\"c\" target=\"b\"><data key=\"d0\">-4</data></edge>\n";
    assert_eq!(shown(graph("undirected", edges), &EXACT), "3x3: 1 2 1, 2 1 1, 2 3 -4, 3 2 -4");
    assert_eq!(shown(gzip(graph("directed", edges).as_bytes()), &EXACT), "3x3: 1 2 1, 3 2 -4");
    let twice = "<edge id=\"0\" source=\"a\" target=\"b\"/><edge id=\"1\" source=\"b\" target=\"a\"/>";
    assert_eq!(shown(graph("undirected", twice), &EXACT), "3x3: 1 2 2, 2 1 2");
    let mixed = "<edge source=\"a\" target=\"b\"/><edge source=\"b\" target=\"c\" directed=\"true\"/>";
    assert_eq!(shown(graph("undirected", mixed), &EXACT), "3x3: 1 2 1, 2 1 1, 2 3 1");
}

/// Six bits a character.
fn characters(bits: &[bool], filling: bool) -> String {
    let group = |group: &[bool]| {
        let value = (0..6).fold(0u8, |value, k| value << 1 | u8::from(group.get(k).copied().unwrap_or(filling)));
        char::from(63 + value)
    };
    bits.chunks(6).map(group).collect()
}

fn size(n: usize) -> String {
    let number = |characters: usize| {
        (0..characters).rev().map(|k| char::from(63 + ((n >> (6 * k)) & 63) as u8)).collect::<String>()
    };
    if n <= 62 { number(1) } else { format!("~{}", number(3)) }
}

/// The entries of the adjacency matrix of a simple graph, by a loop over all pairs.
fn expected(n: usize, edges: &BTreeSet<(usize, usize)>, directed: bool) -> Triplets {
    let has = |u: usize, v: usize| edges.contains(&(u, v)) || !directed && edges.contains(&(v, u));
    let pairs = (0..n).flat_map(|u| (0..n).map(move |v| (u, v)));
    Triplets::from_entries(n, n, pairs.filter(|&(u, v)| has(u, v)).map(|(u, v)| (u, v, 1)))
}

proptest! {
    #[test]
    fn graph6_and_its_relatives(n in prop_oneof![0usize..9, 60..70usize], pairs in proptest::collection::vec((0usize..70, 0usize..70), 0..60)) {
        let all: BTreeSet<(usize, usize)> = pairs.into_iter().filter(|&(u, v)| u < n && v < n).collect();
        let simple: BTreeSet<(usize, usize)> = all.iter().filter(|(u, v)| u != v).map(|&(u, v)| (u.min(v), u.max(v))).collect();
        let upper: Vec<bool> = (0..n).flat_map(|v| (0..v).map(move |u| (u, v))).map(|pair| simple.contains(&pair)).collect();
        let text = format!("{}{}\n", size(n), characters(&upper, false));
        prop_assert_eq!(read_text(&text, &EXACT).unwrap(), expected(n, &simple, false));
        let full: Vec<bool> = (0..n).flat_map(|u| (0..n).map(move |v| (u, v))).map(|pair| all.contains(&pair)).collect();
        let text = format!("&{}{}\n", size(n), characters(&full, false));
        prop_assert_eq!(read_text(&text, &EXACT).unwrap(), expected(n, &all, true));
        // sparse6 by larger ends, loops included; a vertex is reached by naming it.
        let width = (usize::BITS - n.saturating_sub(1).leading_zeros()) as usize;
        let mut ends: Vec<(usize, usize)> = all.iter().map(|&(u, v)| (u.max(v), u.min(v))).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut bits: Vec<bool> = vec![];
        let mut put = |b: bool, x: usize| {
            bits.push(b);
            bits.extend((0..width).rev().map(|k| (x >> k) & 1 == 1));
        };
        let mut v = 0;
        for &(high, low) in &ends {
            if high == v + 1 {
                put(true, low);
            } else if high == v {
                put(false, low);
            } else {
                put(false, high);
                put(false, low);
            }
            v = high;
        }
        // Filling by ones could be an edge {n - 1, n - 1} only where n is a power of two and v is n - 2.
        let free = 6 * bits.len().div_ceil(6) - bits.len();
        if n.is_power_of_two() && n > 1 && free > width && v == n - 2 {
            bits.push(false);
        }
        let text = format!(":{}{}\n", size(n), characters(&bits, true));
        let undirected: BTreeSet<(usize, usize)> = ends.iter().copied().collect();
        prop_assert_eq!(read_text(&text, &EXACT).unwrap(), expected(n, &undirected, false), "{}", text);
    }

    #[test]
    fn edge_lists_and_dimacs(n in 1usize..9, pairs in proptest::collection::vec((0usize..9, 0usize..9), 0..30)) {
        let edges: BTreeSet<(usize, usize)> = pairs.into_iter().filter(|&(u, v)| u < n && v < n).map(|(u, v)| (u.min(v), u.max(v))).collect();
        let all = expected(n, &edges, false);
        let lines: String = edges.iter().map(|(u, v)| format!("e {} {}\n", u + 1, v + 1)).collect();
        prop_assert_eq!(read_text(format!("c\np edge {n} {}\n{lines}", edges.len()), &EXACT).unwrap(), all.clone());
        // The last vertex has a loop, so that the list names it.
        let mut edges = edges;
        edges.insert((n - 1, n - 1));
        for (base, directed) in [(0, false), (1, false), (0, true)] {
            let lines: String = edges.iter().map(|(u, v)| format!("{} {}\n", u + base, v + base)).collect();
            let layout = Some(if directed { Layout::Arcs } else { Layout::Edges });
            let options = ReadOptions { base: Some([Base::Zero, Base::One][base]), layout, ..EXACT };
            prop_assert_eq!(read_text(&lines, &options).unwrap(), expected(n, &edges, directed), "{}", lines);
        }
        let _ = all;
    }

    /// With and without sizes and weights of vertices, and weights of edges.
    #[test]
    fn graphs_of_metis(n in 0usize..9, pairs in proptest::collection::vec((0usize..9, 0usize..9), 0..30), format in 0usize..8) {
        let edges: BTreeSet<(usize, usize)> = pairs.into_iter().filter(|&(u, v)| u < v && v < n).collect();
        let (size, weights, weighted) = (format >> 2, (format >> 1 & 1) * 2, format & 1);
        let weight = |u: usize, v: usize| if weighted == 1 { 1 + u.min(v) * 9 + u.max(v) } else { 1 };
        let mut text = format!("% a graph\n{n} {} {format:03b} {weights}\n", edges.len());
        let mut entries = Vec::new();
        for u in 0..n {
            let neighbours = (0..n).filter(|&v| edges.contains(&(u.min(v), u.max(v))));
            let before = (0..size + weights).map(|_| 7.to_string());
            let ends = neighbours.flat_map(|v| {
                entries.push((u, v, weight(u, v) as i64));
                [(v + 1).to_string(), weight(u, v).to_string()].into_iter().take(1 + weighted).collect::<Vec<_>>()
            });
            text += &(before.chain(ends).collect::<Vec<_>>().join(" ") + "\n");
        }
        let found = read_text(&text, &ReadOptions { layout: Some(Layout::Metis), ..EXACT }).unwrap();
        prop_assert_eq!(found, Triplets::from_entries(n, n, entries), "{}", text);
    }
}

#[test]
fn what_is_no_graph_of_metis() {
    let cases = [
        ("", "t:1: the file ends before its first line \"n m\""),
        ("3\n", "t:1: expected \"n m\", vertices and edges of a graph, found \"3\""),
        ("2 1 2\n2\n1\n", "t:1: expected \"n m fmt ncon\", fmt of up to three digits 0 or 1, found \"2 1 2\""),
        ("2 1 10 0\n2\n1\n", "t:1: fmt 10 and 0 weights of a vertex contradict each other: found \"2 1 10 0\""),
        ("2 1\n2\n", "t:2: the file ends after the lines of 1 vertices, but line 1 announces 2"),
        ("2 1\n2\n1\n\n1\n", "t:5: expected the end after 2 vertices, found \"1\""),
        (
            "2 1\n2\n\n",
            "t:3: 1 neighbours, 1 different edges, but line 1 announces 1 edge: expected each edge in the lines of both its ends",
        ),
        ("2 1\n2 2\n\n", "t:2: vertex 2 is named twice in this line"),
        ("2 1\n1\n\n", "t:2: vertex \"1\" is its own neighbour: expected no loops"),
        ("2 1\n3\n1\n", "t:2: vertex 3 is outside 1..=2"),
        ("2 1\n0\n1\n", "t:2: vertex 0 is outside 1..=2: do they count from 0? Say --base 0"),
        ("2 1 1\n2\n1 1\n", "t:2: expected a weight after the neighbour \"2\""),
        ("2 1 110\n1 1 2\n1\n", "t:3: expected 2 numbers before the neighbours of this vertex, found 1"),
        (
            "2 1 1\n2 5\n1 6\n",
            "t:3: this edge has the weight 6, and 5 in line 2: expected one weight for an edge (for a directed graph, say --layout arcs)",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(shown(text, &ReadOptions { layout: Some(Layout::Metis), ..EXACT }), message, "{text}");
    }
}

#[test]
fn binary_matrices_of_cado() {
    let bytes = |words: &[i64]| words.iter().flat_map(|&w| (w as u32).to_le_bytes()).collect::<Vec<u8>>();
    let bits = bytes(&[2, 0, 7, 0, 3, 300, 1, 2]);
    assert_eq!(shown(&bits, &EXACT), "3x301: 1 1 1, 1 8 1, 3 2 1, 3 3 1, 3 301 1");
    let values = bytes(&[2, 0, -5, 7, 9, 0, 1, 3, 2147483647]);
    assert_eq!(shown(&values, &EXACT), "3x8: 1 1 -5, 1 8 9, 3 4 2147483647");
    // Two rows with a 1 each, or one with a coefficient and an empty one.
    let both = bytes(&[1, 1, 1, 0]);
    let message = "t: byte 0: with and without coefficients, it is a matrix: say --layout cado-values or --layout cado (read as a binary matrix of CADO-NFS)";
    assert_eq!(shown(&both, &EXACT), message);
    let forced = |layout| shown(&values, &ReadOptions { layout: Some(layout), ..EXACT });
    assert_eq!(forced(Layout::CadoValues), "3x8: 1 1 -5, 1 8 9, 3 4 2147483647");
    assert!(forced(Layout::Cado).starts_with("t: byte "), "{}", forced(Layout::Cado));
    // A file of zeros is no matrix.
    assert!(shown(vec![0; 64], &EXACT).contains("found binary data"));
}
