"""What is true of a small matrix, found without the program: naive elimination and expansion, and FLINT where python-flint is installed.

Each function that has two oracles takes FLINT's where it is quicker, and one time in sixteen both: if they differ, the hunt has found
something in an oracle, and says so.
"""

import ctypes
import functools
import sys
from fractions import Fraction
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "compare"))

try:
    import flint
except ImportError:
    flint = None


def rank_mod(matrix, p):
    """The rank mod p of a `Matrix` by elimination on rows held as dictionaries, the shortest first."""
    lines = [{j: v % p for j, v in line.items() if v % p} for line in matrix.lines()]
    pivots = {}
    for line in sorted(lines, key=len):
        while line:
            j = min(line)
            if j not in pivots:
                scale = pow(line[j], -1, p)
                pivots[j] = {c: v * scale % p for c, v in line.items()}
                break
            factor = line[j]
            for c, v in pivots[j].items():
                w = (line.get(c, 0) - factor * v) % p
                if w:
                    line[c] = w
                else:
                    line.pop(c, None)
    return len(pivots)


def echelon_mod(matrix, p):
    """The reduced row echelon form mod p of a `Matrix`: its rows {column: value} by the columns of their leading ones."""
    pivots = {}
    for line in ({j: v % p for j, v in line.items() if v % p} for line in matrix.lines()):
        for j in sorted(pivots):
            add(line, pivots[j], -line.get(j, 0), p)
        if line:
            first = min(line)
            scale = pow(line[first], -1, p)
            line = {j: v * scale % p for j, v in line.items()}
            for other in pivots.values():
                add(other, line, -other.get(first, 0), p)
            pivots[first] = line
    return pivots


def determinant_mod(matrix, p):
    """det mod p of a square `Matrix`, by elimination on dictionaries."""
    lines, det = [{j: v % p for j, v in line.items() if v % p} for line in matrix.lines()], 1
    for j in range(matrix.cols):
        k = next((i for i in range(j, len(lines)) if j in lines[i]), None)
        if k is None:
            return 0
        if k != j:
            lines[j], lines[k], det = lines[k], lines[j], -det
        det, scale = det * lines[j][j] % p, pow(lines[j][j], -1, p)
        for line in lines[j + 1 :]:
            add(line, lines[j], -line.get(j, 0) * scale, p)
    return det % p


def echelon_rational(matrix):
    """The reduced echelon form over Q, {column of the pivot: row as {column: Fraction}}, and the determinant if the matrix is square."""
    form, det, order = {}, Fraction(1), []
    for line in matrix.lines():
        line = {j: Fraction(v) for j, v in line.items()}
        for j, row in form.items():
            factor = line.get(j, 0)
            if factor:
                line = {k: v for k in line.keys() | row.keys() if (v := line.get(k, 0) - factor * row.get(k, 0))}
        if not line:
            det = Fraction(0)
            continue
        pivot = min(line)
        det *= line[pivot]
        order.append(pivot)
        line = {k: v / line[pivot] for k, v in line.items()}
        for j, row in form.items():
            factor = row.get(pivot, 0)
            if factor:
                form[j] = {k: v for k in line.keys() | row.keys() if (v := row.get(k, 0) - factor * line.get(k, 0))}
        form[pivot] = line
    inversions = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    return form, -det if inversions % 2 else det


def characteristic_mod(matrix, p):
    """det(x - A) mod p of a square `Matrix`, constant first: Berkowitz's products of Toeplitz matrices, without divisions."""
    n, a = matrix.rows, [[line.get(j, 0) % p for j in range(matrix.cols)] for line in matrix.lines()]
    polynomial = [1]
    for k in reversed(range(n)):
        row, column = a[k][k + 1 :], [a[i][k] for i in range(k + 1, n)]
        toeplitz = [1, -a[k][k] % p]
        for _ in range(k + 1, n):
            toeplitz.append(-sum(x * y for x, y in zip(row, column)) % p)
            column = [sum(x * y for x, y in zip(a[i][k + 1 :], column)) % p for i in range(k + 1, n)]
        terms = lambda i: (toeplitz[i - j] * polynomial[j] for j in range(max(0, i + 1 - len(toeplitz)), min(i + 1, len(polynomial))))
        polynomial = [sum(terms(i)) % p for i in range(n - k + 1)]
    return polynomial[::-1]


def minimal_mod(matrix, p):
    """The minimal polynomial mod p of a square `Matrix`, constant first: the first power that depends on those before it."""
    n, lines = matrix.rows, matrix.lines()
    power, basis = {(i, i): 1 for i in range(n)}, {}
    for k in range(n + 1):
        # The entries of a power, and at (-1, j) how it was made of the powers.
        row = {**power, (-1, k): 1}
        for place in sorted(basis):
            add(row, basis[place], -row.get(place, 0), p)
        entries = [place for place in row if place[0] >= 0]
        if not entries:
            return [row.get((-1, j), 0) for j in range(k + 1)]
        scale = pow(row[min(entries)], -1, p)
        basis[min(entries)] = {place: v * scale % p for place, v in row.items()}
        product = {}
        for (i, j), v in power.items():
            add(product, {(i, c): w for c, w in lines[j].items()}, v, p)
        power = product
    raise AssertionError("Cayley and Hamilton")


def add(line, other, factor, p):
    """line + factor · other mod p, in place."""
    if factor % p:
        for j, v in other.items():
            w = (line.get(j, 0) + factor * v) % p
            if w:
                line[j] = w
            else:
                line.pop(j, None)


def rank_mod_flint(matrix, p):
    if not (matrix.rows and matrix.cols):
        return 0
    flat = [0] * (matrix.rows * matrix.cols)
    for i, line in enumerate(matrix.lines()):
        for j, v in line.items():
            flat[i * matrix.cols + j] = v % p
    return flint.nmod_mat(matrix.rows, matrix.cols, flat, p).rank()


def rank_rational(matrix):
    """The rank over Q by Bareiss's elimination: all divisions are exact."""
    rows, last, rank = matrix.full(), 1, 0
    for j in range(matrix.cols):
        k = next((i for i in range(rank, len(rows)) if rows[i][j]), None)
        if k is None:
            continue
        rows[rank], rows[k] = rows[k], rows[rank]
        top = rows[rank]
        for row in rows[rank + 1 :]:
            a = row[j]
            row[j:] = [(x * top[j] - a * y) // last for x, y in zip(row[j:], top[j:])]
        last, rank = top[j], rank + 1
    return rank


def rank_rational_flint(matrix):
    full = matrix.full()
    return flint.fmpz_mat(full).rank() if full and full[0] else 0


def smith(matrix):
    """The invariant factors other than 0, by remainders: the least entry becomes the pivot until it divides everything."""
    full = [[0] * matrix.cols for _ in range(matrix.rows)]
    for i, line in enumerate(matrix.lines()):
        for j, v in line.items():
            full[i][j] = v
    factors = []
    while True:
        places = [(abs(v), i, j) for i, row in enumerate(full) for j, v in enumerate(row) if v]
        if not places:
            return factors
        _, i, j = min(places)
        pivot, own = full[i][j], full[i]
        for k, row in enumerate(full):
            if k != i and row[j]:
                quotient = row[j] // pivot
                full[k] = [x - quotient * y for x, y in zip(row, own)]
        if any(row[j] for k, row in enumerate(full) if k != i):
            continue
        quotients = [v // pivot if c != j else 0 for c, v in enumerate(own)]
        # The column is the pivot alone: adding multiples of it changes nothing but the pivot's row.
        full[i] = [v - q * pivot for v, q in zip(own, quotients)]
        if any(v for c, v in enumerate(full[i]) if c != j):
            continue
        stranger = next((row for k, row in enumerate(full) if k != i and any(v % pivot for v in row)), None)
        if stranger is not None:
            full[i] = [x + y for x, y in zip(full[i], stranger)]
            continue
        factors.append(abs(pivot))
        del full[i]


def permanent(matrix):
    """By rows, with memory of the sets of columns used (Laplace's expansion): up to about 16 x 16."""
    sums = {0: 1}
    for line in matrix.lines():
        longer = {}
        for used, sum_ in sums.items():
            for j, v in line.items():
                if not used >> j & 1:
                    longer[used | 1 << j] = longer.get(used | 1 << j, 0) + sum_ * v
        sums = longer
    return sum(sums.values())


def matchings(matrix):
    """Weighted matchings of a graph by size, k = 0 ... n/2, by the partner of the first vertex: up to about 14 vertices. One half of the
    matrix will do."""
    n, edges, known = matrix.rows, {}, {}
    for v, line in enumerate(matrix.lines()):
        edges.update({(min(v, w), max(v, w)): x for w, x in line.items()})

    def sizes(free):
        if not free:
            return [1]
        if free not in known:
            v, rest = free[0], free[1:]
            sums = sizes(rest) + [0]
            for k, w in enumerate(rest):
                x = edges.get((v, w), 0)
                for size, count in enumerate(sizes(rest[:k] + rest[k + 1 :]) if x else []):
                    sums += [0] * (size + 2 - len(sums))
                    sums[size + 1] += x * count
            known[free] = sums
        return known[free]

    found = sizes(tuple(range(n)))
    return (found + [0] * (n // 2 + 1))[: n // 2 + 1]


def permanent_ryser(matrix):
    """By inclusion and exclusion over the sets of columns: up to about 12 x 12."""
    n, full, total = matrix.rows, matrix.full(), 0
    for chosen in range(1 << n):
        product = 1
        for row in full:
            product *= sum(v for j, v in enumerate(row) if chosen >> j & 1)
        total += product if (n - bin(chosen).count("1")) % 2 == 0 else -product
    return total


@functools.lru_cache(maxsize=None)
def flint_library():
    """FLINT's shared library as python-flint's wheel brings it, with `fmpz_mat_permanent`; None where it is not found."""
    if flint is None:
        return None
    package = Path(flint.__file__).resolve().parent
    for path in sorted((package.parent / "python_flint.libs").glob("libflint*")):
        library = ctypes.CDLL(str(path))
        if hasattr(library, "fmpz_mat_permanent"):
            return library
    return None


def permanent_flint(matrix):
    """FLINT's `fmpz_mat_permanent`; entries below 2^61 in size, which are their own fmpz."""
    import flint_permanent as bridge  # tools/compare

    library, n, value, held = flint_library(), matrix.rows, bridge.Word(0), bridge.Matrix()
    library.fmpz_mat_init(ctypes.byref(held), bridge.Word(n), bridge.Word(n))
    for i, line in enumerate(matrix.full()):
        for j, v in enumerate(line):
            held.entries[i * n + j] = v
    found = library.fmpz_mat_permanent(ctypes.byref(value), ctypes.byref(held))
    library.fmpz_get_str.restype = ctypes.c_void_p
    text = ctypes.string_at(library.fmpz_get_str(None, 10, ctypes.byref(value))).decode() if found else None
    library.fmpz_mat_clear(ctypes.byref(held))
    return int(text) if found else None


class Differ(Exception):
    """Two oracles contradict each other."""


class Truth:
    """The oracles with their tally: `asked[name]` says how often each has spoken."""

    def __init__(self, use_flint=True):
        self.flint, self.asked = flint is not None and use_flint, {}

    def count(self, name):
        self.asked[name] = self.asked.get(name, 0) + 1

    def choose(self, matrix, own, theirs, *more):
        """The answer of `theirs` (None: not possible) or of `own`; of both now and then."""
        turn = sum(self.asked.values())
        if theirs is None or not self.flint:
            self.count(own.__name__)
            return own(matrix, *more)
        self.count(theirs.__name__)
        answer = theirs(matrix, *more)
        if turn % 16 == 0 and matrix.rows * matrix.cols < 2000:
            self.count(own.__name__)
            mine = own(matrix, *more)
            if mine != answer:
                raise Differ(f"{own.__name__} says {mine}, {theirs.__name__} says {answer} of a {matrix!r} matrix {more}")
        return answer

    def rank(self, matrix, p):
        """The rank mod p, by whichever side is shorter."""
        tall = matrix if matrix.cols <= matrix.rows else matrix.transposed()
        return self.choose(tall, rank_mod, rank_mod_flint if p < 1 << 63 else None, p)

    def rational_rank(self, matrix):
        return self.choose(matrix, rank_rational, rank_rational_flint)

    def matchings(self, matrix):
        return self.choose(matrix, matchings, None)

    def permanent(self, matrix):
        small = all(abs(v) < 1 << 40 for _, _, v in matrix.entries)
        ready = self.flint and small and matrix.rows == matrix.cols and 4 <= matrix.rows <= 22 and flint_library() is not None
        return self.choose(matrix, permanent, permanent_flint if ready else None)
