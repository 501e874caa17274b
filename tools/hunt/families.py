"""Matrices to compare on: random, structured and degenerate ones, small enough for an oracle; and large ones whose rank is known by construction."""

from matrices import Matrix
from primes import EDGES


def values(rng):
    """A way to draw entries, none of them 0: signs, small numbers, residues beside a prime, numbers beyond 64 bits, powers,
    the edges of words."""
    p = rng.choice(EDGES)
    ways = [
        lambda: rng.choice((1, -1)),
        lambda: 1,
        lambda: rng.randint(1, 9) * rng.choice((1, -1)),
        lambda: rng.choice((1, -1, p - 1, p + 1, 1 - p, 2 * p + 1, p // 2 + 1)),
        lambda: rng.choice((p, -p, 1, p * p, 2 * p)),
        lambda: rng.randrange(1, 1 << 16),
        lambda: rng.randrange(1, p) if p > 2 else 1,
        lambda: rng.choice((2**31, 2**32 - 1, 2**63 - 1, -(2**63), 2**63, 2**64, 2**64 + 1, -(2**64) - 1, 10**40 + 1)),
        lambda: rng.choice((2, 6, 30, 210, -4, 12)) ** rng.randint(1, 12),
        lambda: rng.choice((1, -1)) * 2 ** rng.choice((7, 8, 15, 16, 24, 30, 31, 32, 52, 53, 61, 62, 63, 64, 127, 128)) + rng.choice((-1, 0, 0, 1)),
    ]
    return rng.choice(ways)


def shape(rng, most):
    """Sides from 0 to `most`: square, flat and tall ones."""
    a, b = rng.randint(0, most), rng.randint(0, most)
    return rng.choice(((a, a), (a, b), (b, a), (a, min(b, 3)), (min(b, 3), a)))


def scattered(rng, rows, cols):
    """Entries at random places, some of them twice, some of them 0."""
    draw, density = values(rng), rng.choice((0.02, 0.1, 0.3, 0.6, 1.0))
    entries = [(i, j, draw()) for i in range(rows) for j in range(cols) if rng.random() < density]
    if rng.random() < 0.2:
        entries += [(i, j, rng.choice((0, -v, v))) for i, j, v in rng.sample(entries, len(entries) // 4)]
    if rng.random() < 0.3:
        rng.shuffle(entries)
    return Matrix(rows, cols, entries)


def product(rng, rows, cols):
    """L·R through a smaller inner side."""
    inner = rng.randint(0, max(1, min(rows, cols)))
    draw, per_row = values(rng), rng.randint(1, 4)
    thin = lambda m, n: [{j: draw() for j in rng.sample(range(n), min(n, per_row))} for _ in range(m)]
    left, right = thin(rows, inner), thin(inner, cols)
    lines = [{} for _ in range(rows)]
    for line, factors in zip(lines, left):
        for k, a in factors.items():
            for j, b in right[k].items():
                line[j] = line.get(j, 0) + a * b
    return Matrix(rows, cols, [(i, j, v) for i, line in enumerate(lines) for j, v in line.items()])


def blocks(rng, rows, cols):
    """Block diagonal with dense blocks of 1 to 6, of full rank or not, some of them equal."""
    draw, size, entries, at, block = values(rng), rng.randint(1, 6), [], 0, None
    while at + size <= min(rows, cols):
        if block is None or rng.random() < 0.5:
            block = [[draw() for _ in range(size)] for _ in range(size)]
            if size > 1 and rng.random() < 0.3:
                block[-1] = list(block[0])
        entries += [(at + i, at + j, v) for i, line in enumerate(block) for j, v in enumerate(line)]
        at += size
    return Matrix(rows, cols, entries)


def permutation(rng, rows, cols):
    """At most one entry in a line."""
    draw, n = values(rng), min(rows, cols)
    places = zip(rng.sample(range(rows), n), rng.sample(range(cols), n))
    return Matrix(rows, cols, [(i, j, draw()) for i, j in places if rng.random() < 0.9])


def nilpotent(rng, rows, cols):
    """Above the diagonal only: Jordan blocks, or anything."""
    draw, density = values(rng), rng.choice((0.0, 0.2, 0.7))
    return Matrix(rows, cols, [(i, j, draw()) for i in range(rows) for j in range(i + 1, cols) if j == i + 1 or rng.random() < density])


def laplacian(rng, rows, cols):
    """Of a random graph on min(rows, cols) vertices; its last lines stay empty."""
    n = min(rows, cols)
    edges = {tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(0, 2 * n))} if n > 1 else set()
    entries = [e for i, j in sorted(edges) for e in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1))]
    return Matrix(rows, cols, entries)


def boundary(rng, rows, cols):
    """Each row the boundary of a simplex: alternating signs on a few columns that stand beside each other in order."""
    k = min(cols, rng.randint(1, 5))
    lines = [sorted(rng.sample(range(cols), k)) for _ in range(rows)] if cols else []
    return Matrix(rows, cols, [(i, j, (-1) ** s) for i, line in enumerate(lines) for s, j in enumerate(line)])


def smith(rng, rows, cols, factors=None):
    """U·diag·V for unimodular U and V: its ranks mod all primes can be read from the invariant factors."""
    n = min(rows, cols)
    if factors is None:
        factors = [1]
        while len(factors) < n:
            factors.append(factors[-1] * rng.choice((1, 1, 1, 1, 2, 3, rng.choice(EDGES))))
        factors = factors[: rng.randint(0, n)]
    full = [[factors[i] if i == j and i < len(factors) else 0 for j in range(cols)] for i in range(rows)]
    return stirred(rng, full, cols)


def stirred(rng, full, cols):
    """Rows and columns added to each other with small factors: unimodular, and nothing structural is left."""
    rows = len(full)
    for _ in range(2 * rows if rows > 1 else 0):
        i, k = rng.sample(range(rows), 2)
        c = rng.choice((-2, -1, 1, 3))
        full[i] = [x + c * y for x, y in zip(full[i], full[k])]
    for _ in range(2 * cols if cols > 1 else 0):
        j, k = rng.sample(range(cols), 2)
        c = rng.choice((-2, -1, 1, 3))
        for row in full:
            row[j] += c * row[k]
    return Matrix.dense(full, cols)


FAMILIES = (scattered, scattered, product, blocks, permutation, nilpotent, laplacian, boundary, smith)


def transformed(rng, a):
    """The same matrix in another dress, or part of a larger one; the oracle looks at the result."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        way = rng.choice(("transpose", "permute", "scale", "double", "sum"))
        if way == "transpose":
            a = a.transposed()
        elif way == "permute":
            r, c = rng.sample(range(a.rows), a.rows), rng.sample(range(a.cols), a.cols)
            a = Matrix(a.rows, a.cols, [(r[i], c[j], v) for i, j, v in a.entries])
        elif way == "scale":
            by = [values(rng)() for _ in range(a.rows)]
            a = Matrix(a.rows, a.cols, [(i, j, v * by[i]) for i, j, v in a.entries])
        elif way == "double" and a.rows:
            source = rng.choices(range(a.rows), k=a.rows)
            lines = a.lines()
            more = [(a.rows + k, j, v) for k, i in enumerate(source) for j, v in lines[i].items()]
            a = Matrix(2 * a.rows, a.cols, a.entries + more)
        elif way == "sum":
            b = rng.choice(FAMILIES)(rng, *shape(rng, 8))
            a = Matrix(a.rows + b.rows, a.cols + b.cols, a.entries + [(a.rows + i, a.cols + j, v) for i, j, v in b.entries])
    return a


def any_matrix(rng):
    """One of the families; one in five has more than 256 rows beyond its pivots, where the row space is found from random combinations."""
    if rng.random() < 0.2:
        tall, family = (rng.randint(280, 600), rng.randint(4, 24)), rng.choice((scattered, product, boundary))
        a = family(rng, *tall)
        return a.transposed() if rng.random() < 0.3 else a
    return transformed(rng, rng.choice(FAMILIES)(rng, *shape(rng, rng.choice((4, 12, 30)))))
