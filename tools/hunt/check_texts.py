"""Texts of other programs: a random matrix through every table, literal and graph format that can hold it is the matrix of its SMS file."""

import families
from check_rank import answers
from matrices import Matrix


def nonzero(matrix):
    return [(i, j, v) for i, line in enumerate(matrix.lines()) for j, v in sorted(line.items())]


def triples(matrix, rng):
    base, separator = rng.randrange(2), rng.choice((" ", ",", ";", "\t"))
    entries = nonzero(matrix)
    rng.shuffle(entries)
    # A zero in the last row and column sets the size.
    lines = [(i + base, j + base, v) for i, j, v in entries + [(matrix.rows - 1, matrix.cols - 1, 0)]]
    head = separator.join(rng.choice((("row", "col", "value"), ("i", "j", "v"))))
    text = "\n".join([head, *(separator.join(map(str, line)) for line in lines)]) + rng.choice(("", "\n"))
    return text, ("--base", base)


def sized(matrix, rng):
    entries = nonzero(matrix)
    rng.shuffle(entries)
    lines = [f"{matrix.rows} {matrix.cols} {len(entries)}", *(f"{i + 1} {j + 1} {v}" for i, j, v in entries)]
    return "\n".join(lines), ("--base", 1, "--layout", "triples") if entries else None


def dense(matrix, rng):
    separator = rng.choice((" ", ",", ";", "\t", ", "))
    return "\n".join(separator.join(map(str, row)) for row in matrix.full()), ("--layout", "dense") if matrix.cols > 2 else None


def lists(left, right):
    def write(matrix, _):
        rows = ", ".join(left + ", ".join(map(str, row)) + right for row in matrix.full())
        return f"{left}{rows}{right}", ()

    return write


def pari(matrix, _):
    return "Mat([" + ";".join(",".join(map(str, row)) for row in matrix.full()) + "])", ()


def shown(matrix, _):
    return "".join("[" + " ".join(f"{v:>6}" for v in row) + "]\n" for row in matrix.full()), ()


def sparse(call, entry):
    def write(matrix, rng):
        entries = nonzero(matrix)
        rng.shuffle(entries)
        return call.format(matrix.rows, matrix.cols, ", ".join(entry(i, j, v) for i, j, v in entries)), ()

    return write


FORMATS = {
    "triples": triples,
    "sized": sized,
    "dense": dense,
    "lists": lists("[", "]"),
    "mathematica": lists("{", "}"),
    "pari": pari,
    "shown": shown,
    "sage": sparse("matrix(ZZ, {}, {}, {{{}}}, sparse=True)", lambda i, j, v: f"({i},{j}): {v}"),
    "magma": sparse("SparseMatrix(IntegerRing(), {}, {}, [{}]);", lambda i, j, v: f"<{i + 1},{j + 1},{v}>"),
    "maple": sparse("Matrix({}, {}, {{{}}}, storage = sparse)", lambda i, j, v: f"({i + 1}, {j + 1}) = {v}"),
}
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def symmetric(matrix):
    """The adjacency matrix of the graph of the positions below the diagonal, and its edges."""
    n = max(matrix.rows, matrix.cols)
    edges = sorted({(min(i, j), max(i, j)) for i, j, _ in nonzero(matrix) if i != j})
    return Matrix(n, n, [(u, v, 1) for edge in edges for u, v in (edge, edge[::-1])]), edges


def graph6(n, edges):
    bits = "".join("01"[(u, v) in edges] for v in range(n) for u in range(v))
    bits += "0" * (-len(bits) % 6)
    return chr(63 + n) + "".join(chr(63 + int(bits[k : k + 6], 2)) for k in range(0, len(bits), 6))


def dimacs(n, edges):
    return f"c\np edge {n} {len(edges)}\n" + "".join(f"e {u + 1} {v + 1}\n" for u, v in edges)


def metis(n, edges):
    neighbours = [[str(v + 1) for v in range(n) if (min(u, v), max(u, v)) in edges] for u in range(n)]
    return f"{n} {len(edges)}\n" + "".join(" ".join(line) + "\n" for line in neighbours)


def digest(bench, name, *options):
    (answer,) = answers(bench.run("rank", name, "-p", 65521, "--json", "-q", *options))
    return answer["digest"], answer["rows"], answer["cols"]


def texts(bench, rng):
    """The digest is that of the SMS file."""
    state = rng.getrandbits(64)

    def judge(matrix):
        again = type(rng)(state)
        if not matrix.rows or not matrix.cols:
            return
        expected = digest(bench, bench.store("a.sms", matrix))
        for name in again.sample(sorted(FORMATS), 3):
            text, options = FORMATS[name](matrix, again)
            if options is None:
                continue
            encoding = again.choice(ENCODINGS)
            if encoding.startswith("utf-16-") and len(text) < 4:
                encoding = "utf-8"
            found = digest(bench, bench.write(f"b.{name}", text.encode(encoding)), *options)
            bench.count("texts compared")
            if found != expected:
                raise bench.complaint(f"{name} in {encoding} differs", expected, found)
        graph, edges = symmetric(matrix)
        expected = digest(bench, bench.store("g.sms", graph))
        for name, write, *options in (("g6", graph6), ("col", dimacs), ("graph", metis, "--layout", "metis")):
            found = digest(bench, bench.write(f"g.{name}", write(graph.rows, edges).encode()), *options)
            bench.count("graphs compared")
            if found != expected:
                raise bench.complaint(f"graph in {name} differs", expected, found)

    bench.examine(families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, 8))), judge)
