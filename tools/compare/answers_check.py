"""Checks of answers that need none of the programs compared: products with the matrix, read line by line from SMS files.

Fractions a/b are reduced mod p; over the rationals p is `LARGE`, of which no denominator is a multiple but by chance. A basis is
multiplied by random coefficients first, so that its file is read once however many vectors it has: a wrong one passes with
probability 1/p for each of the `TIMES` combinations.
"""

import random

LARGE = 2**61 - 1
TIMES = 2


class Wrong(Exception):
    """An answer that multiplication refutes."""


def residue(word, p):
    """An integer or a/b mod p."""
    top, _, bottom = word.partition("/")
    return int(top) * pow(int(bottom), -1, p) % p if bottom else int(word) % p


def first_line(lines):
    """Rows, columns and, of MatrixMarket and the like but not of SMS, the number of entries."""
    rows, cols, kind = next(line for line in lines if not line.startswith("%")).split()
    return int(rows), int(cols), int(kind) if kind.isdigit() else None


def header(path):
    """Rows and columns."""
    with open(path, encoding="ascii") as lines:
        return first_line(lines)[:2]


def entries(path, p, transposed=False):
    """(row, column, residue) of each entry, counted from 0, of an SMS or MatrixMarket file."""
    known, read = {}, 0
    with open(path, encoding="ascii") as lines:
        expected = first_line(lines)[2]
        for line in lines:
            i, j, word = line.split()
            if i == "0":
                return
            read += 1
            value = known.get(word)
            if value is None:
                value = residue(word, p)
                if len(known) < 1 << 16:
                    known[word] = value
            yield (int(j) - 1, int(i) - 1, value) if transposed else (int(i) - 1, int(j) - 1, value)
    if read != expected:
        raise Wrong(f"{path}: it ends after {read} entries, not after {expected or 'a line 0 0 0'}")


def product(path, x, p, transposed=False):
    """A·x mod p, or Aᵀ·x."""
    size = header(path)[1 if transposed else 0]
    y = [0] * size
    for i, j, value in entries(path, p, transposed):
        y[i] += value * x[j]
    return [v % p for v in y]


def null_vectors(matrix, basis, p, dimension, *, left=False, by_rows=False):
    """That a file has so many vectors, as columns or as rows, which the matrix maps to 0. Independence is not looked at."""
    p = p or LARGE
    count, length = header(basis) if by_rows else header(basis)[::-1]
    size = header(matrix)[0 if left else 1]
    if (count, length) != (dimension, size):
        raise Wrong(f"{basis}: {count} vectors of length {length}, not {dimension} of length {size}")
    rng = random.Random(1)
    for _ in range(TIMES):
        x = product(basis, [rng.randrange(p) for _ in range(count)], p, transposed=by_rows)
        failed = sum(map(bool, product(matrix, x, p, transposed=left)))
        if failed:
            raise Wrong(f"{basis}: a combination of the vectors breaks {failed} equations")


def solution(matrix, right, found, p, *, by_rows=False):
    """That the file of X satisfies A·X = B for a B of one column; by rows, X is the row of a left system."""
    p = p or LARGE
    x = [0] * header(matrix)[1]
    for i, _, value in entries(found, p, transposed=by_rows):
        x[i] = value
    b = [0] * header(matrix)[0]
    for i, _, value in entries(right, p):
        b[i] = value
    broken = sum(u != v for u, v in zip(product(matrix, x, p), b))
    if broken:
        raise Wrong(f"{found}: {broken} equations of {len(b)} are broken")


def right_side(matrix, path, p, seed=1):
    """Writes B = A·x for a random x, of residues mod p or, for p = 0, of -2 … 2: a consistent system."""
    rng = random.Random(seed)
    x = [rng.randrange(p) if p else rng.randrange(-2, 3) for _ in range(header(matrix)[1])]
    modulus = p or LARGE
    b = [v if p or v <= modulus // 2 else v - modulus for v in product(matrix, x, modulus)]
    with open(path, "w", encoding="ascii") as out:
        out.write(f"{len(b)} 1 M\n")
        out.writelines(f"{i} 1 {v}\n" for i, v in enumerate(b, 1) if v)
        out.write("0 0 0\n")


def transpose(path, out):
    """The transposed matrix, for a program that solves X·A = B; its lines ordered by rows."""
    rows, cols = header(path)
    with open(path, encoding="ascii") as lines:
        next(lines)
        found = [line.split() for line in lines]
    found = sorted((int(j), int(i), word) for i, j, word in found if i != "0")
    with open(out, "w", encoding="ascii") as target:
        target.write(f"{cols} {rows} M\n")
        target.writelines(f"{i} {j} {word}\n" for i, j, word in found)
        target.write("0 0 0\n")


def powers(pairs):
    """{(prime power or cofactor): multiplicity} of invariant factors, so that forms found prime by prime agree with whole ones.

    `pairs` are (factor, multiplicity). Ones are left out. Factors are split by the primes below 1000; what remains stands whole.
    """
    out = {}
    for factor, count in pairs:
        rest = abs(int(factor))
        for q in range(2, 1000):
            power = 1
            while rest % q == 0:
                rest, power = rest // q, power * q
            if power > 1:
                out[power] = out.get(power, 0) + count
        if rest > 1:
            out[rest] = out.get(rest, 0) + count
    return dict(sorted(out.items()))


def multiplicities(diagonal):
    """(factor, how often) of a diagonal of digits, without zeros."""
    out = {}
    for word in diagonal:
        value = abs(int(word))
        if value:
            out[value] = out.get(value, 0) + 1
    return sorted(out.items())
