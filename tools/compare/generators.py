"""Matrices of the tables that belong to no exact family: the same name gives the same file, byte for byte.

random-N-K       N × N, K entries a row at distinct random columns
product-N-R-K    product of a random N × R and a random R × N matrix with K entries a row each: rank at most R
dense-N          N × N, all entries random mod 2¹⁶

Entries of the sparse ones are in -99 … 99 without 0, so that every program reads the products too. SMS files.
"""

import random
import re

SPARSE = re.compile(r"random-(\d+)-(\d+)")
PRODUCT = re.compile(r"product-(\d+)-(\d+)-(\d+)")
DENSE = re.compile(r"dense-(\d+)")


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
    else:
        return None
    if not path.exists():
        write_sms(path, *shape, lines())
    return path
