"""Matrices of the tables that belong to no exact family: the same name gives the same file, byte for byte.

random-N-K       N × N, K entries per row at distinct random columns
product-N-R-K    product of a random N × R and a random R × N matrix with K entries per row each: rank at most R
planted-M-N-R-S  M × N of rank R, a product of two sparse ±1 factors of inner size R that are triangular up to the order of their lines: two
                 entries in rows of the left one, three in rows of the right one, in some four
planted-M-N-R-S-A-B  the same with A and B entries in rows of the left and the right one
dense-N          N × N, all entries random mod 2¹⁶
full-M-N         M × N, all entries random mod 65521
full-M-N-R       the same, but all rows from the R-th on are sums of multiples of three of the first R, mod 65521: rank R
tenth-N          N × N, one entry in ten filled, random mod 65521
tall-M-N-K       M × N, K entries per row at random columns
macaulay-V-D     the Macaulay matrix in degree D of V random quadrics in V variables mod 32003: multiples by monomials × monomials
blocks-N-B       N × N, full blocks of B × B along the diagonal, random mod 65521, rows and columns shuffled
column-N         N × N: a column of ones, and two more ones a row where they make a triangle
shuffled-N       N × N: three random diagonals, rows and columns shuffled
corner-N-K       N × N: three random entries per row, but a full K × K corner
signed-N         N × N, all entries random in -99 … 99
ibp-N-S-T        integration-by-parts relations of vacuum integrals with N propagators, for seeds of at most S dots and T numerators: see
                 `ibp_rows`
heavy-N-K        N × N, K random entries per row, but one full row in -99 … 99
half-N-S         N × N, every entry 0 or 1 with equal chances
regular-N-K-S    N × N, 0–1, K ones in every row and column: K random permutations without a common place
band-N-K         N × N, 0–1, ones where j - i mod N is -K … K: the cyclic band
dominoes-M-N     black × white cells of the M × N board, ones at neighbours: its permanent counts domino tilings

S is a seed. Entries of random-N-K and its products are in -99 … 99 without 0, so that every program reads them. SMS files.
"""

import itertools
import random
import re
from array import array

SPARSE = re.compile(r"random-(\d+)-(\d+)")
PRODUCT = re.compile(r"product-(\d+)-(\d+)-(\d+)")
PLANTED = re.compile(r"planted-(\d+)-(\d+)-(\d+)-\d+(?:-([1-9]\d*)-([1-9]\d*))?")
DENSE = re.compile(r"dense-(\d+)")
FULL = re.compile(r"full-(\d+)-(\d+)(?:-(\d+))?")
TENTH = re.compile(r"tenth-(\d+)")
TALL = re.compile(r"tall-(\d+)-(\d+)-(\d+)")
MACAULAY = re.compile(r"macaulay-(\d+)-(\d+)")
BLOCKS = re.compile(r"blocks-(\d+)-(\d+)")
COLUMN = re.compile(r"column-(\d+)")
SHUFFLED = re.compile(r"shuffled-(\d+)")
CORNER = re.compile(r"corner-(\d+)-(\d+)")
SIGNED = re.compile(r"signed-(\d+)")
IBP = re.compile(r"ibp-(\d+)-(\d+)-(\d+)")
HEAVY = re.compile(r"heavy-(\d+)-(\d+)")
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


def planted_lines(rng, rows, cols, rank, left_entries=2, right_entries=None):
    """The rows of L·R, rank R by theorem: row i < rank of L has an entry at i and others before it, row i of R has its first at i, in the
    order that the shuffles hide."""
    sign = lambda: 1 if rng.getrandbits(1) else -1
    order, number = rng.sample(range(rows), rows), array("I", rng.sample(range(cols), cols))
    right = []
    for i in range(rank):
        more = right_entries - 1 if right_entries else 3 if rng.getrandbits(2) == 0 else 2
        later = {rng.randrange(i + 1, cols) for _ in range(more)} if i + 1 < cols else set()
        right.append([(number[j], sign()) for j in (i, *sorted(later))])
    for i in order:
        first, below = ({i}, i) if i < rank else (set(), rank)
        places = first | ({rng.randrange(below) for _ in range(left_entries - len(first))} if below else set())
        total = {}
        for k in sorted(places):
            s = sign()
            for j, v in right[k]:
                total[j] = total.get(j, 0) + s * v
        yield sorted((j, v) for j, v in total.items() if v)


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


P = 65521


def full_lines(rng, rows, cols, rank):
    first = []
    for i in range(rows):
        if i < rank:
            line = [word % P for word in memoryview(rng.randbytes(4 * cols)).cast("I")]
            first += [line] if rank < rows else []
        else:
            (a, x), (b, y), (c, z) = ((rng.randrange(1, P), rng.choice(first)) for _ in range(3))
            line = [(a * u + b * v + c * w) % P for u, v, w in zip(x, y, z)]
        yield [(j, v) for j, v in enumerate(line) if v]


def tenth_lines(rng, n):
    for _ in range(n):
        yield [(j, rng.randrange(1, P)) for j in range(n) if rng.random() < 0.1]


def tall_lines(rng, rows, cols, per_row):
    for _ in range(rows):
        yield sorted((j, rng.randrange(1, P)) for j in rng.sample(range(cols), per_row))


def macaulay_lines(rng, variables, degree):
    """The number of columns, and the rows, those of a quadric together."""
    monomials = lambda d: list(itertools.combinations_with_replacement(range(variables), d))
    number = {monomial: j for j, monomial in enumerate(monomials(degree))}
    quadrics = [[(monomial, rng.randrange(1, 32003)) for monomial in monomials(2)] for _ in range(variables)]
    rows = [(quadric, factor) for quadric in quadrics for factor in monomials(degree - 2)]
    line = lambda quadric, factor: sorted((number[tuple(sorted(monomial + factor))], v) for monomial, v in quadric)
    return len(number), [line(quadric, factor) for quadric, factor in rows]


def shuffle(rng, lines, cols):
    """The rows, and the numbers of the columns, in random orders."""
    number = rng.sample(range(cols), cols)
    rng.shuffle(lines)
    return [sorted((number[j], v) for j, v in line) for line in lines]


def block_lines(rng, n, size):
    first = lambda i: i - i % size
    line = lambda i: [(j, rng.randrange(1, P)) for j in range(first(i), min(first(i) + size, n))]
    return shuffle(rng, [line(i) for i in range(n)], n)


def column_lines(rng, n):
    """The last column is the full one."""
    for i in range(n):
        yield [(j, 1) for j in sorted({i, rng.randint(i, n - 1), n - 1})]


def shuffled_lines(rng, n):
    line = lambda i: [(j, rng.randrange(1, P)) for j in (i - 1, i, i + 1) if 0 <= j < n]
    return shuffle(rng, [line(i) for i in range(n)], n)


def corner_lines(rng, n, size):
    for i in range(n):
        cols = set(rng.sample(range(n), 3)) | (set(range(size)) if i < size else set())
        yield [(j, rng.randrange(1, P)) for j in sorted(cols)]


def signed_lines(rng, n):
    for _ in range(n):
        yield [(j, v) for j, v in enumerate(rng.choices(range(-99, 100), k=n)) if v]


def heavy_lines(rng, n, per_row):
    lines = [sorted(row.items()) for row in sparse_rows(rng, n, n, per_row)]
    lines[n // 2] = list(enumerate(rng.choices([v for v in range(-99, 100) if v], k=n)))
    return lines


def ibp_seeds(n, dots, numerators):
    """Exponents of n propagators, one at least positive: positive ones add up to at most `dots`, negative ones to at least -`numerators`."""
    found = [()]
    for _ in range(n):
        found = [a + (v,) for a in found for v in range(-numerators, dots + 1)]
        found = [a for a in found if sum(v for v in a if v > 0) <= dots and -sum(v for v in a if v < 0) <= numerators]
    return [a for a in found if max(a) > 0]


def ibp_weight(a):
    """Laporta's order: more propagators first, then the sector, dots, numerators."""
    sector = sum(1 << i for i, v in enumerate(a) if v > 0)
    return bin(sector).count("1"), sector, sum(v for v in a if v > 0), -sum(v for v in a if v < 0), a


def ibp_rows(n, dots, numerators):
    """The number of integrals, and rows of relations between them, the most complicated integral first.

    One loop with n propagators of different masses and momenta, which are primes here, in 97/89 dimensions: each seed a and each j
    give (97 - 89 Σ aᵢ) I(a) - 89 Σ aᵢ (Yᵢⱼ I(a + eᵢ) + I(a + eᵢ - eⱼ)) = 0.
    """
    integrals = sorted(ibp_seeds(n, dots + 1, numerators + 1), key=ibp_weight, reverse=True)
    number = {a: k for k, a in enumerate(integrals)}
    primes = (k for k in itertools.count(2) if all(k % d for d in range(2, int(k**0.5) + 1)))
    mass = [next(primes) for _ in range(n)]
    y = [[2 * mass[i] if i == j else 0 for j in range(n)] for i in range(n)]
    for i, j in ((i, j) for i in range(n) for j in range(i)):
        y[i][j] = y[j][i] = mass[i] + mass[j] - next(primes)
    rows = []
    for a in sorted(ibp_seeds(n, dots, numerators), key=ibp_weight, reverse=True):
        for j in range(n):
            row = {}
            terms = [(a, 97 - 89 * sum(a))]
            for i, v in enumerate(a):
                up = tuple(w + (k == i) for k, w in enumerate(a))
                terms += [(up, -89 * v * y[i][j]), (tuple(w - (k == j) for k, w in enumerate(up)), -89 * v)]
            for b, v in terms:
                if max(b) > 0:
                    row[number[b]] = row.get(number[b], 0) + v
            rows.append(sorted((k, v) for k, v in row.items() if v))
    return len(integrals), rows


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
    elif found := PLANTED.fullmatch(name):
        rows, cols, rank, *entries = (int(part) for part in found.groups() if part)
        if rank > min(rows, cols):
            return None
        shape, lines = (rows, cols), lambda: planted_lines(rng, rows, cols, rank, *entries)
    elif found := DENSE.fullmatch(name):
        n = int(found[1])
        shape, lines = (n, n), lambda: dense_lines(rng, n)
    elif found := FULL.fullmatch(name):
        rows, cols, rank = int(found[1]), int(found[2]), int(found[3] or found[1])
        shape, lines = (rows, cols), lambda: full_lines(rng, rows, cols, rank)
    elif found := TENTH.fullmatch(name):
        n = int(found[1])
        shape, lines = (n, n), lambda: tenth_lines(rng, n)
    elif found := TALL.fullmatch(name):
        rows, cols, per_row = map(int, found.groups())
        shape, lines = (rows, cols), lambda: tall_lines(rng, rows, cols, per_row)
    elif found := MACAULAY.fullmatch(name):
        cols, macaulay = macaulay_lines(rng, int(found[1]), int(found[2]))
        shape, lines = (len(macaulay), cols), lambda: macaulay
    elif found := BLOCKS.fullmatch(name):
        n, size = map(int, found.groups())
        shape, lines = (n, n), lambda: block_lines(rng, n, size)
    elif found := COLUMN.fullmatch(name):
        n = int(found[1])
        shape, lines = (n, n), lambda: column_lines(rng, n)
    elif found := SHUFFLED.fullmatch(name):
        n = int(found[1])
        shape, lines = (n, n), lambda: shuffled_lines(rng, n)
    elif found := CORNER.fullmatch(name):
        n, size = map(int, found.groups())
        shape, lines = (n, n), lambda: corner_lines(rng, n, size)
    elif found := SIGNED.fullmatch(name):
        n = int(found[1])
        shape, lines = (n, n), lambda: signed_lines(rng, n)
    elif found := HEAVY.fullmatch(name):
        n, per_row = map(int, found.groups())
        shape, lines = (n, n), lambda: heavy_lines(rng, n, per_row)
    elif found := IBP.fullmatch(name):
        cols, relations = ibp_rows(*map(int, found.groups()))
        shape, lines = (len(relations), cols), lambda: relations
    elif columns := pattern_columns(name, rng):
        shape, lines = (len(columns), len(columns)), lambda: ([(j, 1) for j in row] for row in columns)
    else:
        return None
    if not path.exists():
        write_sms(path, *shape, lines())
    return path
