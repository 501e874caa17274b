"""What permanents are known to be without any of the programs compared: theorems, each for a family of generators.py, and parity."""

import math
import re


def domino_tilings(height, width):
    """Kasteleyn (1961): the determinant of the board's weighted adjacency matrix is the square of the number of tilings.

    By blocks, with A the adjacency of a path of `width` vertices, it is det F(height), F(0) = I, F(1) = A, F(k+1) = A F(k) + F(k-1),
    but for the sign.
    """
    n = width
    before, now = [[int(i == j) for j in range(n)] for i in range(n)], [[int(abs(i - j) == 1) for j in range(n)] for i in range(n)]
    for _ in range(height - 1):
        shifted = [[(now[i - 1][j] if i else 0) + (now[i + 1][j] if i + 1 < n else 0) for j in range(n)] for i in range(n)]
        before, now = now, [[x + y for x, y in zip(*rows)] for rows in zip(shifted, before)]
    square = abs(determinant(now))
    assert math.isqrt(square) ** 2 == square
    return math.isqrt(square)


def determinant(rows):
    """Bareiss's elimination: all divisions are exact."""
    rows, sign, last = [list(row) for row in rows], 1, 1
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        top = rows[k]
        for row in rows[k + 1 :]:
            a = row[k]
            row[k:] = [(x * top[k] - a * y) // last for x, y in zip(row[k:], top[k:])]
        last = top[k]
    return sign * last


def cyclic_band(n, width):
    """The permanent of the circulant with ones at -width … width, n > 2·width: Σ trace Tₖⁿ.

    Before row i, the state is the set of its used columns among i-width … i+width-1. Row i takes i-width if that is free, for it is its
    last chance, else any free column up to i+width: the number k of used columns stays, and Tₖ counts the transitions.
    """
    total = 0
    for k in range(2 * width + 1):
        states = [s for s in range(1 << 2 * width) if bin(s).count("1") == k]
        place = {s: i for i, s in enumerate(states)}
        step = [[0] * len(states) for _ in states]
        for s in states:
            choices = range(2 * width + 1) if s & 1 else [0]
            for c in choices:
                if not s >> c & 1:
                    step[place[s]][place[(s | 1 << c) >> 1]] += 1
        total += sum(row[i] for i, row in enumerate(power(step, n)))
    return total


def power(matrix, n):
    result = [[int(i == j) for j in range(len(matrix))] for i in range(len(matrix))]
    while n:
        if n & 1:
            result = product(result, matrix)
        matrix, n = product(matrix, matrix), n >> 1
    return result


def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


FAMILIES = {re.compile(r"dominoes-(\d+)-(\d+)"): domino_tilings, re.compile(r"band-(\d+)-(\d+)"): cyclic_band}


def by_theorem(name):
    """The permanent of a matrix of generators.py that a theorem gives, None for others."""
    for pattern, count in FAMILIES.items():
        if found := pattern.fullmatch(name):
            return count(*map(int, found.groups()))
    return None


def read_pattern(path):
    """Rows of a square 0–1 pattern as bit masks, from an SMS or MatrixMarket coordinate file; entries 0 are none."""
    with open(path, encoding="ascii", errors="replace") as lines:
        banner = next(lines)
        market = banner.startswith("%%MatrixMarket")
        symmetric = market and banner.split()[4].lower() != "general"
        size = next(line for line in lines if not line.startswith("%")) if market else banner
        n = int(size.split()[0])
        rows = [0] * n
        for line in lines:
            i, j, *value = line.split()
            if i == "0" or (value and not any(map(float, value))):
                continue
            rows[int(i) - 1] |= 1 << int(j) - 1
            if symmetric:
                rows[int(j) - 1] |= 1 << int(i) - 1
    return rows


def parity(rows):
    """The permanent mod 2, which is the determinant mod 2, of rows given as bit masks."""
    basis = {}
    for row in rows:
        while row and row.bit_length() in basis:
            row ^= basis[row.bit_length()]
        if not row:
            return 0
        basis[row.bit_length()] = row
    return 1
