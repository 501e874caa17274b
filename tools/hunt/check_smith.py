"""Smith normal forms: against elimination with remainders, and matrices made of a form that is known."""

import families
import primes
import truth
from check_spaces import seeds
from matrices import Matrix


def grouped(factors):
    """[[digits, multiplicity]] of integers in ascending order."""
    shown = []
    for factor in factors:
        if shown and shown[-1][0] == str(factor):
            shown[-1][1] += 1
        else:
            shown.append([str(factor), 1])
    return shown


def power(factor, p):
    """The largest power of p that divides."""
    found = 1
    while factor % (found * p) == 0:
        found *= p
    return found


def judge_form(bench, matrix, words, factors):
    """The answer has exactly these factors, or these powers of the prime asked for."""
    local = int(words[words.index("--local") + 1]) if "--local" in words else None
    answer = bench.run("smith", bench.store("a.sms", matrix), "--json", "-q", *words).json()
    bench.count("Smith forms")
    expected = grouped(factors if local is None else [power(factor, local) for factor in factors])
    if answer["rank"] != len(factors):
        raise bench.complaint("wrong rank of a Smith form", len(factors), answer["rank"])
    if answer["factors"] != expected or answer["local"] != local:
        raise bench.complaint("wrong invariant factors", expected, answer["factors"])
    if "--proven" in words and answer["certainty"] != "proven":
        raise bench.complaint("--proven without proof", "a proof", answer["certainty"])


def options(rng):
    words = seeds(rng) + (["--proven"] if rng.random() < 0.3 else [])
    return words + (["--local", rng.choice((2, 3, *primes.some(rng, 1)))] if rng.random() < 0.3 else [])


def forms(bench, rng):
    """The invariant factors are the textbook's."""
    words = [str(word) for word in options(rng)]
    matrix = families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, rng.choice((4, 10, 14)))))
    bench.examine(matrix, lambda matrix: judge_form(bench, matrix, words, truth.smith(matrix)))


def made(bench, rng):
    """U*D*V has the form D, with factors of any size; and blocks of one form beside each other have that of their sum."""
    words = [str(word) for word in options(rng)]
    n = rng.choice((2, 5, 9, 16))
    large = rng.choice((1, 10**17 + 3, rng.randrange(10**50, 10**51)))
    factors = [1]
    while len(factors) < n:
        factors.append(factors[-1] * rng.choice((1, 1, 1, 2, 3, 4, 9, 1000003)))
    factors = factors[: rng.randint(1, n)]
    factors[-1] *= large
    rows, cols = n + rng.choice((0, 0, 3)), n + rng.choice((0, 0, 3))
    matrix = families.smith(rng, rows, cols, factors)
    # A finding is kept as it is: a smaller matrix would have another form.
    judge_form(bench, Matrix(rows, cols, matrix.entries), words, factors)


def diagonals(bench, rng):
    """The factors of a diagonal matrix: the exponents of each prime, sorted, primes that nobody could find among them."""
    pool = [2, 3, 4093, 4099, 2**61 - 1, 2**89 - 1, 2**107 - 1, 2**127 - 1, 2**521 - 1]
    chosen = rng.sample(pool, rng.randint(1, len(pool)))
    n = rng.choice((0, 1, 3, 20, 200))
    exponents = {p: [rng.choice((0, 0, 0, 1, 1, 2, 5)) for _ in range(n)] for p in chosen}
    places = rng.sample(range(n + 3), n)
    entries = []
    for i in range(n):
        value = rng.choice((1, -1))
        for p in chosen:
            value *= p ** exponents[p][i]
        entries.append((i, places[i], value))
    factors = [1] * n
    for p in chosen:
        factors = [factor * p**e for factor, e in zip(factors, sorted(exponents[p]))]
    words = [str(word) for word in options(rng)]
    judge_form(bench, Matrix(n, n + 3, entries), words, factors)
