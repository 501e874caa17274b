"""Makes the files of this folder anew, each by the tool that writes the format, where there is one: `python3 datasets/formats/make.py`.

Needs networkx, networkit, numpy, scipy and sympy, and the programs gp (PARI), gap and nauty-copyg. Formats of systems that are not free, and those of
CADO-NFS, DIMACS and LinBox, are written here by their documentation. MANIFEST.tsv names for each file the same matrix in SMS, the options
that reading it takes, and who wrote it.
"""

import csv
import io
import json
import pathlib
import struct
import subprocess
from fractions import Fraction

import networkit as nk
import networkx as nx
import numpy as np
import scipy.sparse
import sympy
from sympy.printing import julia_code, maple_code, mathematica_code, octave_code

HERE = pathlib.Path(__file__).parent
BIG = 2**70 + 1
MATRIX = [[1, 0, -2, 0, 7], [0, 0, 0, 0, 0], [0, 2**62, 0, -1, 0], [5, 0, 0, 3, 11]]
LARGE = [[1, 0, -2], [0, -BIG, 0]]
FRACTIONS = [[Fraction(1, 2), Fraction(-3), Fraction(0)], [Fraction(0), Fraction(5, 6), Fraction(7)]]
BITS = [[0, 3, 300], [], [1, 2], [0, 300]]
VALUES = [[(0, -5), (7, 9)], [], [(3, 2**31 - 1)], [(0, 1), (1, -(2**31)), (7, 2)]]
MANIFEST = []


def keep(name, content, twin, by, options="", encoding="utf-8"):
    (HERE / name).write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    MANIFEST.append((name, f"{twin}.sms", options or "-", by))


def sms(name, rows, cols, entries, kind="M"):
    lines = [f"{i + 1} {j + 1} {v}" for (i, j), v in sorted(entries.items()) if v]
    (HERE / f"{name}.sms").write_text("\n".join([f"{rows} {cols} {kind}", *lines, "0 0 0", ""]))


def dense(rows):
    return {(i, j): v for i, row in enumerate(rows) for j, v in enumerate(row)}


def adjacency(graph):
    """By pairs of vertices, without the library's own matrices."""
    place, entries = {v: k for k, v in enumerate(graph)}, {}
    for u, v, weight in graph.edges(data="weight", default=1):
        for end in {(place[u], place[v]), *([] if graph.is_directed() else [(place[v], place[u])])}:
            entries[end] = entries.get(end, 0) + weight
    return entries


def tool(*command, text=""):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def twins():
    sms("matrix", 4, 5, dense(MATRIX))
    sms("large", 2, 3, dense(LARGE))
    sms("fractions", 2, 3, dense(FRACTIONS), "Q")
    sms("bits", 4, 301, {(i, j): 1 for i, row in enumerate(BITS) for j in row})
    sms("values", 4, 8, {(i, j): v for i, row in enumerate(VALUES) for j, v in row})


def tables():
    array = np.array(MATRIX)
    coo = scipy.sparse.coo_array(array)
    triples = np.array([coo.row, coo.col, coo.data]).T

    def saved(what, **style):
        out = io.StringIO()
        np.savetxt(out, what, fmt="%d", **style)
        return out.getvalue()

    keep("triples_0.txt", saved(triples), "matrix", "NumPy savetxt of a SciPy coo_array")
    keep("triples_1.tsv", saved(triples + [1, 1, 0], delimiter="\t"), "matrix", "NumPy savetxt")
    keep("triples_named.csv", saved(triples[::-1], delimiter=",", header="row,col,value", comments=""), "matrix", "NumPy savetxt")
    keep("triples_sized.txt", f"4 5 {len(triples)}\n" + saved(triples[::-1] + [1, 1, 0]), "matrix", "NumPy savetxt")
    keep("triples_any.txt", saved(triples[::-1]), "matrix", "NumPy savetxt", "--layout triples")
    keep("dense.csv", saved(array, delimiter=","), "matrix", "NumPy savetxt")
    keep("dense.txt", saved(array, header="a comment"), "matrix", "NumPy savetxt")
    keep("dense_sized.txt", f"4 5\n{saved(array)}", "matrix", "NumPy savetxt, after a line of sizes as in LinBox")
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows(LARGE)
    keep("dense_semicolons.csv", out.getvalue(), "large", "Python's csv", "--layout dense")
    keep("utf16.csv", "\ufeff" + saved(array, delimiter=","), "matrix", "Python's codecs, little-endian with a byte order mark", encoding="utf-16-le")
    keep("utf16.txt", saved(array), "matrix", "Python's codecs, big-endian without a mark", encoding="utf-16-be")
    keep("bom.sms", "\ufeff" + (HERE / "matrix.sms").read_text(), "matrix", "Python's codecs")
    body = (HERE / "matrix.sms").read_text().split("\n", 1)[1]
    keep("linbox.sms", "% LinBox\n4 5 R\n" + body, "matrix", "by LinBox's documentation")
    keep("spasm.sms", "# SpaSM\n4 5 i\n" + body.replace(" ", "\t"), "matrix", "by SpaSM's documentation")
    zero = "".join(f"{i} {j} {v}\n" for i, j, v in triples)
    keep("zero_based.sms", f"4 5 M\n{zero}0 0 0\n", "matrix", "NumPy, indices from 0", "--base 0")


def literals():
    gp = "[1,0,-2,0,7;0,0,0,0,0;0,2^62,0,-1,0;5,0,0,3,11]"
    keep("pari.txt", tool("gp", "-q", "-f", text=f"print({gp})\n"), "matrix", "PARI/GP")
    keep("pari_pretty.txt", tool("gp", "-q", "-f", text=f"{gp}\n"), "matrix", "PARI/GP, as it shows a result")
    keep("pari_fractions.txt", tool("gp", "-q", "-f", text="print([1/2,-3,0;0,5/6,7])\n"), "fractions", "PARI/GP")
    gap = "[[1,0,-2],[0,-(2^70+1),0]]"
    keep("gap.txt", tool("gap", "-q", "-b", text=f"Print({gap},\"\\n\");\n"), "large", "GAP")
    for name, rows in (("matrix", MATRIX), ("large", LARGE), ("fractions", [[sympy.Rational(v) for v in row] for row in FRACTIONS])):
        full, sparse = sympy.Matrix(rows), sympy.SparseMatrix(rows)
        keep(f"sympy_{name}.txt", f"{full}\n", name, "SymPy")
        keep(f"mathematica_{name}.txt", mathematica_code(full), name, "SymPy's mathematica_code")
        keep(f"mathematica_sparse_{name}.txt", mathematica_code(sparse), name, "SymPy's mathematica_code")
        keep(f"maple_{name}.txt", maple_code(full), name, "SymPy's maple_code")
        keep(f"maple_sparse_{name}.txt", maple_code(sparse), name, "SymPy's maple_code")
        if name != "fractions":
            keep(f"octave_{name}.m", octave_code(full, assign_to="A"), name, "SymPy's octave_code")
            keep(f"julia_{name}.jl", julia_code(full), name, "SymPy's julia_code")
    keep("numpy_repr.txt", repr(np.array(MATRIX)), "matrix", "NumPy's repr")
    keep("numpy_str.txt", str(np.array(MATRIX)), "matrix", "NumPy's str")
    keep("lists.json", json.dumps(LARGE), "large", "Python's json")
    rows = "".join("[" + " ".join(f"{v:>20}" for v in row) + "]\n" for row in MATRIX)
    keep("sage_shown.txt", rows, "matrix", "by Sage's documentation")
    keep("sage.py", f"A = matrix(ZZ, {MATRIX})\n", "matrix", "by Sage's documentation")
    entries = {place: v for place, v in dense(LARGE).items() if v}
    keep("sage_sparse.py", f"matrix(ZZ, 2, 3, {entries}, sparse=True)\n", "large", "by Sage's documentation")
    flat = [v for row in MATRIX for v in row]
    keep("magma.txt", f"Matrix(IntegerRing(), 4, 5, {flat});\n", "matrix", "by Magma's documentation")
    triples = ", ".join(f"<{i + 1}, {j + 1}, {v}>" for (i, j), v in entries.items())
    keep("magma_sparse.txt", f"SparseMatrix(IntegerRing(), 2, 3, [{triples}]);\n", "large", "by Magma's documentation")
    keep("maxima.txt", f"matrix({', '.join(map(str, LARGE))});\n", "large", "by Maxima's documentation")
    keep("macaulay2.txt", "matrix " + mathematica_code(sympy.Matrix(LARGE)), "large", "by Macaulay2's documentation")
    stored = "SparseArray[Automatic, {2, 3}, 0, {1, {{0, 2, 3}, {{1}, {3}, {2}}}, {1, -2, %d}}]" % -BIG
    keep("mathematica_stored.txt", stored, "large", "by Mathematica's documentation of InputForm")


def graphs():
    graph = nx.convert_node_labels_to_integers(nx.disjoint_union(nx.petersen_graph(), nx.complete_bipartite_graph(3, 4)))
    graph.remove_edges_from([(0, 1), (12, 15)])
    weighted = nx.Graph(graph)
    for k, (_, _, data) in enumerate(weighted.edges(data=True)):
        data["weight"] = (k * k) % 23 - 9 or 1
    positive = nx.Graph(graph)
    for k, (_, _, data) in enumerate(positive.edges(data=True)):
        data["weight"] = 1 + k % 5
    directed = nx.DiGraph([(0, 3), (3, 0), (1, 2), (2, 2), (4, 1)])
    directed = nx.relabel_nodes(directed, {v: v for v in range(5)})
    ordered = nx.DiGraph()
    ordered.add_nodes_from(range(5))
    ordered.add_edges_from(directed.edges)
    multi = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    for name, g in (("graph", graph), ("weighted", weighted), ("positive", positive), ("directed", ordered), ("multi", multi)):
        sms(name, len(g), len(g), adjacency(g))

    def written(write, g, **style):
        out = io.BytesIO()
        write(g, out, **style)
        return out.getvalue()

    by = f"networkx {nx.__version__}"
    keep("networkx.g6", nx.to_graph6_bytes(graph), "graph", by)
    keep("networkx_bare.g6", nx.to_graph6_bytes(graph, header=False), "graph", by)
    keep("networkx.s6", nx.to_sparse6_bytes(graph), "graph", by)
    keep("networkx_multi.s6", nx.to_sparse6_bytes(multi, header=False), "multi", by)
    plain = nx.to_graph6_bytes(graph, header=False).decode()
    keep("nauty.s6", tool("nauty-copyg", "-qs", text=plain), "graph", "nauty's copyg")
    keep("nauty.g6", tool("nauty-copyg", "-qg", text=plain), "graph", "nauty's copyg")
    keep("nauty.d6", tool("nauty-copyg", "-qz", text=plain), "graph", "nauty's copyg")
    keep("edges.txt", written(nx.write_edgelist, graph, data=False), "graph", by, "--layout edges")
    keep("edges_data.txt", written(nx.write_edgelist, weighted), "weighted", by, "--layout edges")
    keep("edges_weighted.txt", written(nx.write_weighted_edgelist, weighted), "weighted", by, "--layout edges")
    keep("arcs.txt", written(nx.write_edgelist, ordered, data=False), "directed", by, "--layout arcs")
    lists = written(nx.write_adjlist, graph).decode().splitlines(keepends=True)
    lists = [line for line in lists if not line.startswith("#")]  # they name the script and the time
    keep("adjacency.txt", "".join(["# networkx\n", *lists]), "graph", by, "--layout adjacency")
    for name, g in (("graph", graph), ("weighted", positive)):
        written_by = nk.nxadapter.nx2nk(g, "weight" if name != "graph" else None)
        path = HERE / f"metis_{name}.graph"
        nk.graphio.METISGraphWriter().write(written_by, str(path))
        keep(path.name, path.read_text(), "graph" if name == "graph" else "positive", f"NetworKit {nk.__version__}", "--layout metis")
    keep("node_link.json", json.dumps(nx.node_link_data(weighted, edges="links")), "weighted", by)
    keep("node_link_edges.json", json.dumps(nx.node_link_data(ordered, edges="edges"), indent=1), "directed", by)
    keep("node_link_multi.json", json.dumps(nx.node_link_data(multi, edges="edges")), "multi", by)
    keep("adjacency.json", json.dumps(nx.adjacency_data(weighted)), "weighted", by)
    keep("adjacency_multi.json", json.dumps(nx.adjacency_data(multi)), "multi", by)
    keep("weighted.graphml", written(nx.write_graphml_xml, weighted), "weighted", by)
    keep("directed.graphml", written(nx.write_graphml_xml, ordered), "directed", by)
    keep("multi.graphml", written(nx.write_graphml_xml, multi), "multi", by)
    edges = "".join(f"e {u + 1} {v + 1}\n" for u, v in graph.edges)
    keep("dimacs.col", f"c a graph\np edge {len(graph)} {graph.size()}\n{edges}", "graph", "by DIMACS's documentation")
    edges = "".join(f"e {u + 1} {v + 1} {w}\n" for u, v, w in weighted.edges(data="weight"))
    keep("dimacs_matching.txt", f"p edge {len(graph)} {graph.size()}\n{edges}", "weighted", "by DIMACS's documentation")
    arcs = "".join(f"a {u + 1} {v + 1} 1\n" for u, v in ordered.edges)
    keep("dimacs.gr", f"c arcs\np sp {len(ordered)} {ordered.size()}\n{arcs}", "directed", "by DIMACS's documentation")


def cado():
    pack = lambda words: b"".join(struct.pack("<I", word & 0xFFFFFFFF) for word in words)
    by = "by CADO-NFS's documentation"
    weights = [sum(j in row for row in BITS) for j in range(301)]
    keep("cado.bin", pack([word for row in BITS for word in (len(row), *row)]), "bits", by)
    (HERE / "cado.rw.bin").write_bytes(pack(map(len, BITS)))
    (HERE / "cado.cw.bin").write_bytes(pack(weights))
    keep("cado_values.bin", pack([word for row in VALUES for word in (len(row), *(x for pair in row for x in pair))]), "values", by)
    lines = "".join(" ".join(map(str, (len(row), *row))) + "\n" for row in BITS)
    keep("cado.txt", f"4 301\n{lines}", "bits", by)
    lines = "".join(" ".join((str(len(row)), *(f"{j}:{v}" for j, v in row))) + "\n" for row in VALUES)
    keep("cado_values.txt", f"4 8\n{lines}", "values", by)
    lines = "".join(f"{17 - k:x},{k + 1:x}:" + ",".join(f"{j:x}" for j in row) + "\n" for k, row in enumerate(BITS))
    keep("cado.purged", f"# 4 301\n{lines}", "bits", by)


if __name__ == "__main__":
    for make in (twins, tables, literals, graphs, cado):
        make()
    lines = ["file\tsame matrix\toptions\tmade by", *("\t".join(entry) for entry in MANIFEST)]
    (HERE / "MANIFEST.tsv").write_text("\n".join(lines) + "\n")
