//! Literal matrices of computer algebra systems.

use super::*;

#[test]
fn spellings_of_one_matrix() {
    let expected = "2x3: 1 1 1, 1 3 -2, 2 2 18446744073709551616";
    for text in [
        "[1,0,-2;0,18446744073709551616,0]",
        "[1, 0, -2; 0, 18446744073709551616, 0]\n",
        "Mat([1,0,-2;0,18446744073709551616,0])",
        "[1,0;0,18446744073709551616;-2,0]~",
        "M = [1 0 -2; 0 18446744073709551616 0];",
        "[1 0 -2\n;0 18446744073709551616 0;]",
        "[[1,0,-2],[0,18446744073709551616,0]]",
        "[[1,0,-2],\n [0,18446744073709551616,0]]\n",
        "[ [ 1, 0, -2 ],\n  [ 0, 18446744\\\n073709551616, 0 ] ]",
        "A := [ [ 1, 0, -2 ], [ 0, 18446744073709551616, 0 ] ];;",
        "{{1, 0, -2}, {0, 18446744073709551616, 0}}",
        "matrix {{1, 0, -2}, {0, 18446744073709551616, 0}}",
        "matrix([1,0,-2],[0,18446744073709551616,0]);",
        "matrix(ZZ, {{1,0,-2},{0,18446744073709551616,0}})",
        "matrix(ZZ, [[1,0,-2],[0,18446744073709551616,0]])",
        "matrix(QQ, 2, 3, [1,0,-2,0,18446744073709551616,0])",
        "m = matrix(ZZ, 2, [1,0,-2,0,18446744073709551616,0])",
        "matrix(ZZ, 2, 3, {(0,0): 1, (0,2): -2, (1,1): 18446744073709551616}, sparse=True)",
        "Matrix(GF(7), [[1,0,-2],[0,18446744073709551616,0]])",
        "[          1           0          -2]\n[0 18446744073709551616 0]",
        "\n[1 0 -2]\n\n[0 18446744073709551616 0]\n",
        "Matrix([\n[1, 0, -2],\n[0, 18446744073709551616, 0]])",
        "SparseMatrix(2, 3, {(0, 0): 1, (0, 2): -2, (1, 1): 18446744073709551616})",
        "array([[1, 0, -2],\n       [0, 18446744073709551616, 0]], dtype=object)",
        "np.array([[1, 0, -2], [0, 18446744073709551616, 0]])",
        "[[1 0 -2]\n [0 18446744073709551616 0]]",
        "Matrix(IntegerRing(), 2, 3, [ 1, 0, -2, 0, 18446744073709551616, 0 ])",
        "SparseMatrix(Integers(), 2, 3, [<1, 1, 1>, <1, 3, -2>, <2, 2, 18446744073709551616>]);",
        "Matrix(2, 3, [[1,0,-2],[0,18446744073709551616,0]], datatype = integer)",
        "Matrix(2, 3, {(1, 1) = 1, (1, 3) = -2, (2, 2) = 18446744073709551616}, storage = sparse):",
        "Matrix(1..2, 1..3, [[1,0,-2],[0,18446744073709551616,0]])",
        "SparseArray[{{1, 1} -> 1, {1, 3} -> -2, {2, 2} -> 18446744073709551616}, {2, 3}]",
        "SparseArray[{{1, 1} -> 1, {1, 3} -> -2, {2, 2} -> 18446744073709551616}, {2, 3}, 0]",
        "SparseArray[Automatic, {2, 3}, 0, {1, {{0, 2, 3}, {{1}, {3}, {2}}}, {1, -2, 18446744073709551616}}]",
        "# a comment\n[[1,0,-2], // another\n [0,18446744073709551616,0]] (* the end *)",
    ] {
        assert_eq!(shown(text, &EXACT), expected, "{text}");
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected, "{text}");
    }
    for (text, expected) in [
        ("[;]", "0x0: "),
        ("[]", "0x0: "),
        ("[[],[]]", "2x0: "),
        ("{{}}", "1x0: "),
        ("matrix(2,3)", "2x3: "),
        ("Mat([1,2])", "1x2: 1 1 1, 1 2 2"),
        ("Mat([1,2]~)", "2x1: 1 1 1, 2 1 2"),
        ("[1,2]~", "2x1: 1 1 1, 2 1 2"),
        ("[1 2]", "1x2: 1 1 1, 1 2 2"),
        ("Mat(5)", "t:1: column 1: expected entries or two sizes as arguments of \"Mat\""),
        ("SparseMatrix(2, 2, [])", "2x2: "),
        ("matrix(ZZ, 2, 2, {})", "2x2: "),
        ("SparseArray[{{1, 2} -> 3}]", "1x2: 1 2 3"),
    ] {
        assert_eq!(shown(text, &EXACT), expected, "{text}");
    }
    for (text, expected) in [
        // A line that ends is a new row to MATLAB, and nothing to NumPy.
        ("[1 2\n3 4]", "column 1: a line ends between entries"),
        ("Mat([1 2\n3 4]~)", "column 5: a line ends between entries"),
        ("[1;2\n;3 % three\n4]", "column 1: a line ends between entries"),
        // What stands side by side is a product to Mathematica, and one number to PARI.
        ("{{1 2}, {3 4}}", "column 5: expected a comma before this entry"),
        ("[1,2 3;4,5 6]", "column 6: expected a comma before this entry"),
        ("[[1 2, 3], [4, 5, 6]]", "column 6: expected commas between all entries or none, found one after blanks"),
        ("[[1, 2]\n [3, 4], [5, 6]]", "2: column 8: expected commas between all entries or none"),
        ("[[1, 2]\n [3, 4]]", "2: column 2: expected a comma before this row"),
    ] {
        let found = shown(text, &EXACT);
        assert!(found.contains(expected), "{text}: {found}");
    }
    assert_eq!(shown("[[1 2\n  3]\n [4 5 6]]", &EXACT), "2x3: 1 1 1, 1 2 2, 1 3 3, 2 1 4, 2 2 5, 2 3 6");
    assert_eq!(shown("[1/2, 0.5; 0, 2*x]", &PATTERN), "t:1: column 15: expected a number, found \"2*x\"");
    assert_eq!(shown("[1/2, 0.5; 0, -7]", &PATTERN), "2x2: 1 1 1, 1 2 1, 2 2 1");
    let rational = read_rational_bytes(Path::new("t"), b"[1/2,3;\n4,5/6]", &EXACT, &Silent).unwrap();
    let entries: Vec<String> = rational.entries().map(|(i, j, v)| format!("{i} {j} {v}")).collect();
    assert_eq!(entries, ["0 0 1/2", "0 1 3", "1 0 4", "1 1 5/6"]);
}
