"""Inputs made with knowledge of the program's random choices, for which a stated error bound means nothing.

`rational`: matrices whose determinantal divisors are multiples of the primes that the program is going to draw. It is asked for them on
another matrix first, so that nothing needs to be known of its generator.

`row_space`: a Schur complement with a column that all of the random combinations of rows miss. The structural pivots are read from a
certificate (they depend on positions alone); the combinations are those that version 0.1 draws from its seed (`chacha`).
"""

import shrink
from certificates import Parts
from chacha import Stream, split_mix
from check_rank import answers
from families import stirred
from matrices import Matrix

# Combinations to a block, and the number of which a count of checks is a multiple.
LANES = 32
GRID = 16


def combinations(rows, p, seed):
    """The vectors y, each as long as S has rows, that explore (64) and that check (16 for p = 65521); residues of 16 bits."""
    vectors = []
    for stream in (0, 1):
        raw = split_mix(Stream(seed, 1 + stream).u64(), 2 * rows * LANES)
        lanes = [(raw[k] | raw[k + 1] << 8) * p >> 16 for k in range(0, len(raw), 2)]
        vectors += [lanes[lane::LANES] for lane in range(LANES)]
    checks = next(k for k in range(GRID, 1000, GRID) if p**k >= 1 << 64)
    source = Stream(seed, 3)
    lanes = [source.below(p) for _ in range(rows * checks)]
    return vectors + [lanes[lane::checks] for lane in range(checks)]


def missed_column(rng, vectors, rows, p):
    """A random column c that every vector is orthogonal to."""
    column = [rng.randrange(1, p) for _ in range(rows)]
    # Gauss-Jordan on the last places, which are solved for.
    k = len(vectors)
    system = []
    for y in vectors:
        known = sum(a * b for a, b in zip(y[: rows - k], column))
        system.append([v for v in y[rows - k :]] + [-known % p])
    for j in range(k):
        at = next((i for i in range(j, k) if system[i][j] % p), None)
        if at is None:
            return missed_column(rng, vectors, rows, p)
        system[j], system[at] = system[at], system[j]
        scale = pow(system[j][j], -1, p)
        top = system[j] = [v * scale % p for v in system[j]]
        for i, line in enumerate(system):
            if i != j and line[j]:
                factor = line[j]
                system[i] = [(v - factor * w) % p for v, w in zip(line, top)]
    return column[: rows - k] + [line[-1] for line in system]


def pivots_of(bench, matrix, p):
    """Structural pivots that the program finds, by row: {row: column}."""
    bench.store("probe.sms", matrix)
    bench.run("rank", "probe.sms", "-p", p, "-q", "--method", "elimination", "--certificate", "probe.cert")
    parts = Parts((bench.folder / "probe.cert").read_bytes())
    rows, cols = parts.minor()
    t = parts.header["triangular"]
    return dict(zip(rows[:t], cols[:t]))


def row_space_attack(bench, rng, seed, m, n, p):
    """A full m × n matrix of rank 2 mod p. One of its columns spoils the rank one of the others, and all combinations of the seed miss it;
    None if the plan fails."""
    u, v = [rng.randrange(1, p) for _ in range(m)], [rng.randrange(1, p) for _ in range(n)]
    full = [[a * b % p for b in v] for a in u]
    pivots = pivots_of(bench, Matrix.dense(full), p)
    if len(pivots) != 1:
        return None  # Not the pivots of a full matrix: nothing is known of the complement.
    ((i0, j0),) = pivots.items()
    last = n - 1 if j0 != n - 1 else n - 2
    rows = [i for i in range(m) if i != i0]
    column = missed_column(rng, combinations(len(rows), p, seed), len(rows), p)
    for i, c in zip(rows, column):
        full[i][last] = (full[i][last] + c) % p
    return Matrix.dense(full) if all(row[last] for row in full) else None


# The first is proven, or the proof fails; of the second version 0.1 predicts that a proof would cost more than it is worth.
ROW_SPACES = ((380, 22), (380, 22), (380, 22), (1000, 950))


def row_space(bench, rng):
    """A matrix made with the seed known gets its rank, or less with the label heuristic, from a check by random combinations; and a failed
    proof is no end: `--proven` and the default find the rank all the same."""
    seed = rng.choice((1, 1, rng.randrange(1 << 64)))
    p = 65521
    matrix = row_space_attack(bench, rng, seed, *rng.choice(ROW_SPACES), p)
    if matrix is None:
        return bench.skip("row-space attack: the pivots were not the expected ones")

    def judge(matrix):
        bench.store("a.sms", matrix)
        truth = bench.truth.rank(matrix, p)
        for words in (["--seed", seed], ["--seed", seed, "--proven"], ["--seed", seed, "--method", "elimination"]):
            bench.count("attacks with a known seed")
            (answer,) = answers(bench.run("rank", "a.sms", "-p", p, "--json", "-q", *words))
            if answer["certainty"] != "heuristic" and answer["rank"] != truth:
                got = f"{answer['rank']} ({answer['certainty']}, error {answer['error_bound']})"
                raise bench.complaint("attack by the row space", truth, got)

    # Nothing can be left out of a matrix that was made for the check.
    bench.examine(matrix, judge, simpler=shrink.nothing)


def drawn(document):
    return [p["modulus"] for p in document["random_primes"]]


def hard(rng, n, factors):
    """n × n over Z with the Smith form diag(factors), nothing structural left, and content 1 if the first factor is."""
    full = [[factors[i] if i == j else 0 for j in range(n)] for i in range(n)]
    for i in range(1, n):
        full[i] = [x + y for x, y in zip(full[i], full[i - 1])]
    return stirred(rng, full, n)


def rational(bench, rng):
    """The primes that a rank over Q is drawn from depend on the matrix: who asks for them on one matrix and puts their product into the
    invariant factors of another (or into its content) gets the right rank of that one, and other primes."""
    n, words = rng.randint(3, 6), ["--seed", rng.choice((1, 1, rng.randrange(1 << 64)))]
    inside = rng.random() < 0.5
    big = rng.getrandbits(62 * rng.randint(1, 4)) | 1
    state = rng.getrandbits(64)

    def build(factor):
        again = type(rng)(state)
        # Singular over Q, so that no structural bound is met and primes must be drawn.
        factors = [1, factor] if inside else [factor]
        factors = factors + [factor] * (n - 1 - len(factors)) + [0]
        return hard(again, n, factors), n - 1

    def ask(name, factor):
        matrix, truth = build(factor)
        bench.store(name, matrix)
        bench.count("attacks with a known seed")
        document = bench.run("rank", name, "--rational", "--json", "-q", *words).json()
        if document["certainty"] != "heuristic" and document["rank"] != truth or document["rank"] > truth:
            raise bench.complaint("attack by the primes drawn", truth, f"{document['rank']} ({document['certainty']}, error {document['error_bound']})")
        return drawn(document)

    def judge(_):
        primes = set(ask("a.sms", big))
        if not primes:
            return  # Proven without a random prime.
        for round_ in range(2):
            product = 1
            for p in primes:
                product *= p
            more = set(ask("a.mtx", product))
            if more & primes:
                raise bench.complaint("primes known beforehand", "other primes for another matrix", f"again {sorted(more & primes)}")
            primes |= more

    bench.examine(None, judge, simpler=shrink.nothing)
