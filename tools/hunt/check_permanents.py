"""Permanents: every method against expansion, FLINT and closed forms."""

import math

import families
import primes
import shrink
from matrices import Matrix

METHODS = ("auto", "frontier", "gray", "kasteleyn", "rook", "low-rank")
REDUCTIONS = ("structural-rank", "dulmage-mendelsohn", "degree-1", "degree-2", "contents", "transposition")


def words_for(rng):
    """Options that never change a permanent, and exit codes that may be the answer: not every method can do every matrix."""
    words, codes = [], {0}
    if rng.random() < 0.8:
        words += ["--method", rng.choice(METHODS)]
        codes |= {2, 4} if words[-1] not in ("auto", "gray") else set()
    for reduction in rng.sample(REDUCTIONS, rng.choice((0, 0, 1, 3, 6))):
        words += ["--without", reduction]
    if rng.random() < 0.2:
        words += ["--split", rng.choice((3, 4)), "--split-depth", rng.choice((1, 2, 5))]
    if rng.random() < 0.3:
        words += ["--threads", rng.choice((1, 2, 3, 8))]
    if rng.random() < 0.1:
        words += ["--max-memory", rng.choice(("1K", "1M", "100M"))]
        codes |= {4}
    return words, codes


def judge_permanents(bench, ending, truths, moduli=()):
    """What every answer of `permanent --json` has to be, for files with these permanents in their order."""
    lines = [line for line in ending.out.splitlines() if line.strip()]
    expected = [(truth, p) for truth in truths for p in moduli or [None]]
    if len(lines) != len(expected):
        raise bench.complaint("wrong number of documents", len(expected), len(lines))
    for line, (truth, p) in zip(lines, expected):
        document = type(ending)(0, line, "").json()
        truth = truth if p is None else truth % p
        bench.count("permanents")
        if document["modulus"] != p:
            raise bench.complaint("wrong moduli", p, document["modulus"])
        if int(document["permanent"]) != truth:
            raise bench.complaint("wrong permanent", truth, f"{document['permanent']} by {document['method']}: {document['proof']}")
        if document["certainty"] != "proven":
            raise bench.complaint("permanent not proven", "proven", document["certainty"])


def any_square(rng):
    n = rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10))
    family = rng.choice((families.scattered, families.scattered, families.blocks, families.product, families.permutation, planar))
    a = family(rng, n, n)
    if rng.random() < 0.3:
        entries = a.entries + [(i, i, 1) for i in range(n)]  # So that fewer are 0.
        a = Matrix(n, n, entries)
    return a


def planar(rng, rows, _):
    """Neighbours on a board with holes: a planar graph with weights."""
    from generators import domino_columns  # tools/compare

    draw = families.values(rng)
    columns = domino_columns(2, rows) if rows else []
    return Matrix(rows, rows, [(i, j, draw()) for i, line in enumerate(columns) for j in line if rng.random() < 0.9])


def permanents(bench, rng):
    """The permanent is the oracle's for every method, reduction left out, number of threads and modulus."""
    words, codes = words_for(rng)
    moduli = primes.some(rng, 3) if rng.random() < 0.3 else []
    asked = [word for p in moduli for word in ("-p", p)]
    pattern = rng.random() < 0.3
    if bench.device and rng.random() < 0.5:
        asked += ["--device", bench.device]
    asked += bench.instructions("permanent", rng)

    def judge(matrices):
        names = [bench.store(f"{k}.sms", matrix) for k, matrix in enumerate(matrices)]
        ending = bench.run("permanent", *names, *asked, *(["--pattern"] if pattern else []), "--json", "-q", *words, codes=codes)
        if ending.code == 0:
            truths = [bench.truth.permanent(ones(matrix) if pattern else matrix) for matrix in matrices]
            judge_permanents(bench, ending, truths, moduli)

    many = 1 if len(codes) > 1 else rng.randint(1, 8)
    bench.examine([any_square(rng) for _ in range(many)], judge, simpler=shrink.several(shrink.squares))


def ones(matrix):
    """The 0-1 pattern of the entries that are stored and not 0."""
    places = {(i, j) for i, j, v in matrix.entries if v}
    return Matrix(matrix.rows, matrix.cols, [(i, j, 1) for i, j in sorted(places)])


def fibonacci(rng):
    """Ones on and beside the diagonal: the Fibonacci number F(n + 1)."""
    n, a, b = rng.randint(1, 200), 0, 1
    for _ in range(n):
        a, b = b, a + b
    return Matrix(n, n, [(i, j, 1) for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n]), b


def menage(rng):
    """J - I - the cyclic shift: Touchard's sum."""
    n = rng.randint(3, 18)
    value = sum((-1) ** k * 2 * n * math.comb(2 * n - k, k) * math.factorial(n - k) // (2 * n - k) for k in range(n + 1))
    return Matrix(n, n, [(i, j, 1) for i in range(n) for j in range(n) if (j - i) % n not in (0, 1)]), value


def diagonal_and_rank_one(rng, most=16):
    """u·vᵀ + diag(d): the sum of k!·[x^k] Π (dᵢ + uᵢvᵢx), since the columns of a set of size k meet its rows in any order."""
    n, size = rng.randint(1, most), rng.choice((1, 3, 1000, 2**31, 2**64, 10**30))
    draw = lambda: rng.choice((-1, 1)) * rng.randint(1, size)
    u, v = [draw() for _ in range(n)], [draw() for _ in range(n)]
    d = [draw() if rng.random() < 0.8 else 0 for _ in range(n)]
    return Matrix.dense([[a * b + (d[i] if i == j else 0) for j, b in enumerate(v)] for i, a in enumerate(u)]), rank_one_sum(u, v, d)


def rank_one_sum(u, v, d):
    poly = [1]
    for a, b, c in zip(u, v, d):
        poly = [c * x + a * b * y for x, y in zip(poly + [0], [0] + poly)]
    return sum(math.factorial(k) * x for k, x in enumerate(poly))


def board(rng):
    """Domino tilings, by Kasteleyn's formula."""
    from generators import domino_columns  # tools/compare
    from oracles import domino_tilings

    height, width = rng.randint(1, 8), 2 * rng.randint(1, 5)
    columns = domino_columns(height, width)
    return Matrix(len(columns), len(columns), [(i, j, 1) for i, line in enumerate(columns) for j in line]), domino_tilings(height, width)


def band(rng):
    """The cyclic band, by the traces of its transfer matrices."""
    from oracles import cyclic_band  # tools/compare

    width = rng.choice((1, 1, 2))
    n = rng.randint(2 * width + 1, 40)
    return Matrix(n, n, [(i, (i + d) % n, 1) for i in range(n) for d in range(-width, width + 1)]), cyclic_band(n, width)


CLOSED = (fibonacci, menage, diagonal_and_rank_one, diagonal_and_rank_one, board, band)


def closed_forms(bench, rng):
    """Larger permanents agree with their closed forms (Fibonacci and ménage numbers, domino tilings, cyclic bands, diagonals plus rank one)
    under any permutation of rows and columns."""
    maker = rng.choice(CLOSED)
    matrix, truth = maker(rng)
    r, c = rng.sample(range(matrix.rows), matrix.rows), rng.sample(range(matrix.cols), matrix.cols)
    matrix = Matrix(matrix.rows, matrix.cols, [(r[i], c[j], v) for i, j, v in matrix.entries])
    words = ["--threads", rng.choice((1, 2, 3))]
    if matrix.rows <= 18 and rng.random() < 0.5:
        words += ["--method", "gray"]
    bench.store("a.sms", matrix)
    judge_permanents(bench, bench.run("permanent", "a.sms", "--json", "-q", *words), [truth])
    bench.truth.count("closed form")
