"""Matrices of the tables that belong to no exact family: the same name gives the same file, byte for byte.

random-N-K       N × N, K entries a row at distinct random columns
product-N-R-K    product of a random N × R and a random R × N matrix with K entries a row each: rank at most R
dense-N          N × N, all entries random mod 2¹⁶
half-N-S         N × N, every entry 0 or 1 with equal chances
regular-N-K-S    N × N, 0–1, K ones in every row and column: K random permutations without a common place
band-N-K         N × N, 0–1, ones where j - i mod N is -K … K: the cyclic band
dominoes-M-N     black × white cells of the M × N board, ones at neighbours: its permanent counts domino tilings

S is a seed. Entries of random-N-K and its products are in -99 … 99 without 0, so that every program reads them. SMS files.
"""

import random
import re

SPARSE = re.compile(r"random-(\d+)-(\d+)")
PRODUCT = re.compile(r"product-(\d+)-(\d+)-(\d+)")
DENSE = re.compile(r"dense-(\d+)")
HALF = re.compile(r"half-(\d+)-\d+")
REGULAR = re.compile(r"regular-(\d+)-(\d+)-\d+")
BAND = re.compile(r"band-(\d+)-(\d+)")
DOMINOES = re.compile(r"dominoes-(\d+)-(\d+)")


def sparse_rows(rng, rows, cols, per_row):
    """Rows as {column: value}."""
    values = [v for v in range(-99, 100) if v]
    return [dict(zip(rng.sample(range(cols), per_row), rng.choices(values, k=per_row))) for _ in range(rows)]


def multiply(left, right):
    """The product of two matrices given by rows."""
    out = []
    for row in left:
        total = {}
        for k, a in row.items():
            for j, b in right[k].items():
                total[j] = total.get(j, 0) + a * b
        out.append({j: v for j, v in total.items() if v})
    return out


def write_sms(path, rows, cols, lines):
    """Writes rows given as sequences of (column, value), columns counted from 0."""
    part = path.with_name(path.name + ".part")
    with open(part, "w", encoding="ascii") as out:
        out.write(f"{rows} {cols} M\n")
        for i, line in enumerate(lines, 1):
            out.write("".join(f"{i} {j + 1} {v}\n" for j, v in line))
        out.write("0 0 0\n")
    part.rename(path)


def dense_lines(rng, n):
    for _ in range(n):
        yield [(j, v) for j, v in enumerate(memoryview(rng.randbytes(2 * n)).cast("H")) if v]


def regular_columns(rng, n, degree):
    """For every row its columns: `degree` random permutations, each drawn until it shares no place with those before it."""
    rows = [[] for _ in range(n)]
    for _ in range(degree):
        columns = rng.sample(range(n), n)
        while any(j in row for j, row in zip(columns, rows)):
            rng.shuffle(columns)
        for row, j in zip(rows, columns):
            row.append(j)
    return [sorted(row) for row in rows]


def domino_columns(height, width):
    """For every black cell of the board the numbers of its white neighbours; each colour is counted by rows."""
    numbers, count = {}, [0, 0]
    for x in range(height):
        for y in range(width):
            numbers[x, y] = count[(x + y) % 2]
            count[(x + y) % 2] += 1
    near = lambda x, y: ((x - 1, y), (x, y - 1), (x, y + 1), (x + 1, y))
    return [sorted(numbers[cell] for cell in near(x, y) if cell in numbers) for x, y in numbers if (x + y) % 2 == 0]


def pattern_columns(name, rng):
    """For every row of a 0–1 matrix that this module knows by name the columns of its ones; None for other names."""
    if found := HALF.fullmatch(name):
        n = int(found[1])
        return [[j for j in range(n) if rng.getrandbits(1)] for _ in range(n)]
    if found := REGULAR.fullmatch(name):
        return regular_columns(rng, *map(int, found.groups()))
    if found := BAND.fullmatch(name):
        n, width = map(int, found.groups())
        return [sorted({(i + d) % n for d in range(-width, width + 1)}) for i in range(n)]
    if found := DOMINOES.fullmatch(name):
        height, width = map(int, found.groups())
        return domino_columns(height, width) if height * width % 2 == 0 else None
    return None


def generate(name, folder):
    """The file of a matrix that this module knows by name, written unless it is there; None for other names."""
    path = folder / f"{name}.sms"
    rng = random.Random(name)
    if found := SPARSE.fullmatch(name):
        n, per_row = map(int, found.groups())
        shape, lines = (n, n), lambda: (sorted(row.items()) for row in sparse_rows(rng, n, n, per_row))
    elif found := PRODUCT.fullmatch(name):
        n, inner, per_row = map(int, found.groups())
        left = sparse_rows(rng, n, inner, per_row)
        shape, lines = (n, n), lambda: (sorted(row.items()) for row in multiply(left, sparse_rows(rng, inner, n, per_row)))
    elif found := DENSE.fullmatch(name):
        n = int(found[1])
        shape, lines = (n, n), lambda: dense_lines(rng, n)
    elif columns := pattern_columns(name, rng):
        shape, lines = (len(columns), len(columns)), lambda: ([(j, 1) for j in row] for row in columns)
    else:
        return None
    if not path.exists():
        write_sms(path, *shape, lines())
    return path
