"""Minimal and characteristic polynomials: against Berkowitz's algorithm and the powers of the matrix, in plain integers."""

import families
import primes
import truth
from check_spaces import seeds
from matrices import Matrix

# Orders at which the powers are still quick.
MOST = 24


def polynomials(bench, rng):
    """Both polynomials are the textbook's, whatever the certainty; invariant factors divide each other and multiply to the whole."""
    p, words = primes.some(rng, 1)[0], ["--json", "-q", *seeds(rng)]
    if rng.random() < 0.3:
        words.append("--proven")
    state = rng.getrandbits(64)

    def judge(matrix):
        n, again = min(matrix.rows, matrix.cols, MOST), type(rng)(state)
        entries = [(i, j, v) for i, j, v in matrix.entries if i < n and j < n]
        shape = again.random()
        if shape < 0.3:
            # Equal blocks on the diagonal have more than one invariant factor.
            half = n // 2
            block = [(i, j, v) for i, j, v in entries if i < half and j < half]
            entries = block + [(i + half, j + half, v) for i, j, v in block]
        elif shape < 0.6:
            entries += [(i, i, again.choice((1, 2))) for i in range(n)]
        square = Matrix(n, n, entries)
        name = bench.store("a.sms", square)
        bench.count("polynomials")
        found = {}
        for command, oracle in (("charpoly", truth.characteristic_mod), ("minpoly", truth.minimal_mod)):
            found[command] = bench.run(command, name, "-p", p, *words).json()
            expected = [str(c) for c in oracle(square, p)]
            if found[command]["coefficients"] != expected:
                raise bench.complaint("wrong polynomial", expected[:5], found[command]["coefficients"][:5])
        factors = found["minpoly"]["invariant_factors"]
        if factors is not None:
            whole = [1]
            for factor in factors:
                whole = times(whole, [int(c) for c in factor], p)
            if [str(c) for c in whole] != found["charpoly"]["coefficients"] or factors and factors[-1] != found["minpoly"]["coefficients"]:
                raise bench.complaint("wrong invariant factors", found["charpoly"]["coefficients"][:5], factors[:5])
        if matrix.rows != matrix.cols:
            bench.run("minpoly", bench.store("b.sms", matrix), "-p", p, "-q", codes=(3,))

    bench.examine(families.any_matrix(rng), judge)


def times(f, g, p):
    """f·g mod p."""
    product = [0] * (len(f) + len(g) - 1)
    for i, x in enumerate(f):
        for j, y in enumerate(g):
            product[i + j] = (product[i + j] + x * y) % p
    return product
