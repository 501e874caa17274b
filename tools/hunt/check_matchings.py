"""Matchings of graphs: every method against recursion and closed forms; rectangular permanents."""

import math

import families
import shrink
from check_permanents import judge_permanents
from matrices import Matrix

METHODS = ("auto", "permanent", "planar", "frontier", "inclusion-exclusion", "complement")


def words_for(rng):
    """Options that never change a number, and exit codes that may be the answer: not every method can do every graph."""
    words, codes = [], {0}
    if rng.random() < 0.7:
        words += ["--method", rng.choice(METHODS)]
        codes |= {2} if words[-1] != "auto" else set()
    if rng.random() < 0.3:
        words += ["--without-reductions"]
    if rng.random() < 0.3:
        words += ["--threads", rng.choice((1, 2, 3, 8))]
    if rng.random() < 0.1:
        words += ["--max-memory", rng.choice(("1K", "1M", "100M"))]
        codes |= {4}
    return words, codes


def edges_of(matrix):
    """The edges {(v, w): weight}, v < w, of a matrix with one or both halves; None if it has a loop or its halves differ."""
    edges = {}
    for v, line in enumerate(matrix.lines()):
        for w, x in line.items():
            if v == w or edges.setdefault((min(v, w), max(v, w)), x) != x:
                return None
    return edges


def graph(n, edges, rng):
    """A symmetric matrix with the edges {(v, w): weight}, its entries in any order."""
    entries = [(i, j, x) for (v, w), x in edges.items() for i, j in ((v, w), (w, v))]
    return Matrix(n, n, rng.sample(entries, len(entries)))


def any_graph(rng):
    n = rng.choice((0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 8, 9, 10, 10, 12))
    draw, density = families.values(rng), rng.choice((0.2, 0.4, 0.7, 1.0))
    kind = rng.randrange(5)
    joined = (
        lambda v, w: True,
        lambda v, w: (v + w) % 2 == 1,
        lambda v, w: w - v <= 3,
        lambda v, w: (v % 3 == 2) + (w - v) in (1, 3) or w - v == 4,
        lambda v, w: v == 0 or w - v == 1 or (v, w) == (1, n - 1),
    )[kind]
    edges = {(v, w): draw() for w in range(n) for v in range(w) if joined(v, w) and rng.random() < density}
    return graph(n, {e: x for e, x in edges.items() if x}, rng)


def judge_matchings(bench, ending, truths, by_size):
    """What every answer of `matchings --json` has to be, for files with these numbers by size."""
    lines = [line for line in ending.out.splitlines() if line.strip()]
    if len(lines) != len(truths):
        raise bench.complaint("wrong number of documents", len(truths), len(lines))
    for line, (n, sizes) in zip(lines, truths):
        document = type(ending)(0, line, "").json()
        perfect = sizes[n // 2] if n % 2 == 0 else 0
        bench.count("numbers of matchings")
        if int(document["perfect"]) != perfect:
            raise bench.complaint("wrong perfect matchings", perfect, f"{document['perfect']} by {document['method']}: {document['proof']}")
        if by_size and ([int(x) for x in document["by_size"]] != sizes or int(document["total"]) != sum(sizes)):
            raise bench.complaint("wrong matchings by size", sizes, document["by_size"])
        if document["certainty"] != "proven":
            raise bench.complaint("matchings not proven", "proven", document["certainty"])


def matchings(bench, rng):
    """The numbers of matchings are the oracle's for every method and number of threads, with and without reductions."""
    words, codes = words_for(rng)
    by_size = rng.random() < 0.3
    if by_size:
        words, codes = words + ["--by-size"], codes | {2}
    if rng.random() < 0.2:
        words += ["--mirror"]

    def judge(matrices):
        if any(edges_of(matrix) is None for matrix in matrices):
            return
        names = [bench.store(f"{k}.sms", matrix) for k, matrix in enumerate(matrices)]
        refused = any(matrix.lines() != matrix.transposed().lines() for matrix in matrices) and "--mirror" not in words
        ending = bench.run("matchings", *names, "--json", "-q", *words, codes={3} if refused else codes)
        if ending.code == 0:
            truths = [(matrix.rows, bench.truth.matchings(matrix)) for matrix in matrices]
            judge_matchings(bench, ending, truths, by_size)

    many = 1 if len(codes) > 1 else rng.randint(1, 8)
    bench.examine([any_graph(rng) for _ in range(many)], judge, simpler=shrink.several(shrink.squares))


def complete(rng):
    n = rng.randint(1, 25)
    return 2 * n, [(v, w) for w in range(2 * n) for v in range(w)], math.prod(range(1, 2 * n, 2))


def cycle(rng):
    n = rng.randint(2, 100)
    return 2 * n, [(v, (v + 1) % (2 * n)) for v in range(2 * n)], 2


def board(rng):
    """Domino tilings, odd sides among them."""
    from oracles import domino_tilings  # tools/compare

    height, width = rng.randint(1, 7), 2 * rng.randint(1, 5)
    at = lambda x, y: x * width + y
    edges = [(at(x, y), at(x, y + 1)) for x in range(height) for y in range(width - 1)]
    edges += [(at(x, y), at(x + 1, y)) for x in range(height - 1) for y in range(width)]
    return height * width, edges, domino_tilings(height, width)


def multipartite(rng):
    """K(2, ..., 2), the cocktail party graph: matchings of the complete graph that avoid a perfect matching."""
    n = rng.randint(2, 20)
    value = sum((-1) ** k * math.comb(n, k) * math.prod(range(1, 2 * (n - k), 2)) for k in range(n + 1))
    return 2 * n, [(v, w) for w in range(2 * n) for v in range(w) if v // 2 != w // 2], value


CLOSED = (complete, cycle, board, multipartite)


def closed_forms(bench, rng):
    """Larger numbers of perfect matchings agree with their closed forms under any numbering of the vertices."""
    n, edges, truth = rng.choice(CLOSED)(rng)
    name = rng.sample(range(n), n)
    edges = {(min(name[v], name[w]), max(name[v], name[w])): 1 for v, w in edges}
    bench.store("a.sms", graph(n, edges, rng))
    ending = bench.run("matchings", "a.sms", "--json", "-q", "--threads", rng.choice((1, 2, 3)))
    judge_matchings(bench, ending, [(n, [0] * (n // 2) + [truth])], False)
    bench.truth.count("closed form")


def rectangles(bench, rng):
    """Permanents of rectangular matrices are the sums over the injections of the smaller side."""
    m, n = sorted((rng.randint(0, 7), rng.randint(0, 11)))
    a = rng.choice((families.scattered, families.blocks))(rng, m, n)
    a = a if rng.random() < 0.5 else a.transposed()

    def judge(matrices):
        names = [bench.store(f"{k}.sms", matrix) for k, matrix in enumerate(matrices)]
        ending = bench.run("permanent", *names, "--json", "-q")
        wide = [matrix if matrix.rows <= matrix.cols else matrix.transposed() for matrix in matrices]
        judge_permanents(bench, ending, [bench.truth.permanent(matrix) for matrix in wide])

    bench.examine([a], judge, simpler=shrink.several(shrink.matrices))
