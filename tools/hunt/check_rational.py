"""Ranks over Q: against Bareiss's elimination or FLINT, and whether their labels keep their word."""

import math

import families
import primes
from check_rank import judge_rank, stable
from matrices import Matrix


def label(bench, document, truth, words):
    """What every answer of `rank --rational --json` has to be, if the rank is `truth`."""
    rank, certainty, error = document["rank"], document["certainty"], document["error_bound"]
    bench.count("ranks over Q")
    got = f"rank {rank} ({certainty}, error {error}): {document['reason']}"
    if certainty not in ("proven", "monte-carlo", "heuristic"):
        raise bench.complaint("unknown label", "proven, monte-carlo or heuristic", got)
    if rank > truth or rank < truth and certainty != "heuristic":
        raise bench.complaint(f"wrong rank over Q, {certainty}", truth, got)
    if "--proven" in words and certainty != "proven":
        raise bench.complaint("--proven without proof", "a proof, or an exit code that says there is none", got)
    if certainty == "monte-carlo" and error == 0:
        raise bench.complaint("monte-carlo without error", "a bound above 0", got)


def any_rational(rng):
    """Small matrices of every family, and some of a known Smith form."""
    if rng.random() < 0.3:
        return families.transformed(rng, families.smith(rng, rng.randint(1, 9), rng.randint(1, 9)))
    return families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, rng.choice((4, 10, 16)))))


def rational(bench, rng):
    """The rank over Q is the oracle's; with --proven it is proven or refused; ranks mod the primes asked for beside it are the oracle's, and
    the invariant factors counted are the difference."""
    words = ["--seed", rng.choice((1, rng.randrange(1 << 64))), "--method", rng.choice(("auto", "auto", "elimination", "hybrid"))]
    if rng.random() < 0.4:
        words[3:] = ["auto", "--proven"]
    elif rng.random() < 0.4:
        words += ["--error", rng.choice(("1e-3", "1e-12", "1e-30", "1e-200"))]
    words += bench.instructions("rank", rng)
    moduli = primes.some(rng, 4) if rng.random() < 0.6 else []
    asked = [word for p in moduli for word in ("-p", p)]

    def judge(matrix):
        bench.store("a.sms", matrix)
        # Refusing is honest where a proof or a bound is demanded.
        codes = (0, 1, 2, 4) if "--proven" in words or "--error" in words else (0,)
        ending = bench.run("rank", "a.sms", "--rational", *asked, "--json", "-q", *words, codes=codes)
        if ending.code:
            return bench.count("proofs and bounds refused")
        document = ending.json()
        label(bench, document, bench.truth.rational_rank(matrix), words)
        if [a["modulus"] for a in document["primes"]] != moduli:
            raise bench.complaint("wrong moduli", moduli, [a["modulus"] for a in document["primes"]])
        for answer in document["primes"] + document["random_primes"]:
            answer.update(rows=matrix.rows, cols=matrix.cols, method="rational")
            judge_rank(bench, matrix, answer, bench.truth.rank(matrix, answer["modulus"]))
            if answer["invariant_factors"] != document["rank"] - answer["rank"]:
                raise bench.complaint("invariant factors", document["rank"] - answer["rank"], answer["invariant_factors"])

    bench.examine(any_rational(rng), judge)


def long_minors(rng):
    """Singular, of unit content and full pattern, with minors of some thousands of bits: no bound by structure, nor by a handful of primes."""
    n = rng.randint(4, 12)
    size = rng.randint(2000, 6000) // n
    full = [[rng.getrandbits(size) * 2 + 1 for _ in range(n)] for _ in range(n)]
    full[-1] = [x + y for x, y in zip(full[0], full[1])]
    return Matrix.dense(full)


def tiny_error(bench, rng):
    """However small the error asked for, `proven` stands only where no random choice entered: not where a product of small probabilities
    became 0 by rounding."""
    error = rng.choice(("1e-300", "1e-307", "1e-310", "1e-320", "4.9e-324", "4.9e-324", "1e-400"))
    seed = rng.randrange(1 << 64)

    def judge(matrix):
        bench.store("a.sms", matrix)
        ending = bench.run("rank", "a.sms", "--rational", "--json", "-q", "--seed", seed, "--error", error, codes=(0, 1, 2, 4))
        if ending.code:
            return bench.count("proofs and bounds refused")
        document = ending.json()
        label(bench, document, bench.truth.rational_rank(matrix), ())
        if document["certainty"] == "proven" and by_chance(matrix, document):
            got = f"proven after {len(document['random_primes'])} random primes: {document['reason']}"
            raise bench.complaint("proven by chance", "monte-carlo with its bound, or a proof", got)

    bench.examine(long_minors(rng) if rng.random() < 0.7 else any_rational(rng), judge)


def tiny_error_mod_p(bench, rng):
    """However small the error asked for, block Wiedemann alone proves no rank below the smaller side."""
    n = rng.randint(2, 12)
    matrix = families.product(rng, n, n)
    p = rng.choice((65521, 2**31 - 1, 2**61 - 1))
    words = ["--error", rng.choice(("1e-300", "1e-310", "1e-320", "1e-400")), "--trials", rng.choice((20, 40, 60))]

    def judge(matrix):
        bench.store("a.sms", matrix)
        ending = bench.run("rank", "a.sms", "-p", p, "--method", "wiedemann", "--json", "-q", "--seed", seed, *words, codes=(0, 2))
        if ending.code:
            return bench.count("proofs and bounds refused")
        answer = ending.json()
        judge_rank(bench, matrix, answer, bench.truth.rank(matrix, p))
        if answer["certainty"] == "proven" and 0 < answer["rank"] < structural_rank(matrix, p):
            raise bench.complaint("proven by chance", "monte-carlo with its bound", f"{answer['rank']} proven by {answer['method']}")

    seed = rng.randrange(1 << 64)
    bench.examine(matrix, judge)


def structural_rank(matrix, p):
    """A bound of the rank that needs no random choice: the lines with an entry that p does not divide."""
    places = [(i, j) for i, j, v in matrix.entries if v % p]
    return min(len({i for i, _ in places}), len({j for _, j in places}))


def by_chance(matrix, document):
    """Whether a proven answer drew so many random primes that it can only have gone for a small error, and yet so few that a minor one
    larger than the rank may be a multiple of them all."""
    drawn = {prime["modulus"] for prime in document["random_primes"]}
    bound = min(document["minor_bits"], minor_bits(matrix, document["rank"] + 1))
    return len(drawn) >= 8 and sum(map(math.log2, drawn)) <= bound


def minor_bits(matrix, order):
    """Hadamard's bound, log2, of the minors of this order once the contents of rows and then of columns are divided out."""
    divided = without_contents(without_contents(matrix).transposed())
    return min(hadamard(divided.lines(), order), hadamard(divided.transposed().lines(), order))


def without_contents(matrix):
    """Its rows divided by the greatest common divisors of their entries."""
    lines = matrix.lines()
    return Matrix(matrix.rows, matrix.cols, [(i, j, v // math.gcd(*line.values())) for i, line in enumerate(lines) for j, v in line.items()])


def hadamard(lines, order):
    """log2 of the product of so many of the largest Euclidean norms."""
    norms = sorted((math.log2(sum(v * v for v in line.values())) / 2 for line in lines if line), reverse=True)
    return sum(norms[:order])


def same_seed(bench, rng):
    """The same seed gives the same document, seconds and threads apart, on every number of threads."""
    seed, numbers = rng.randrange(1 << 64), rng.sample((1, 2, 3, 8), 2)

    def judge(matrix):
        bench.store("a.sms", matrix)
        documents = [
            stable(bench.run("rank", "a.sms", "--rational", "-p", 3, "--json", "-q", "--seed", seed, "--threads", n).json()) for n in numbers
        ]
        bench.count("documents of the same seed")
        if documents[0] != documents[1]:
            raise bench.complaint("threads change the answer", documents[0], documents[1])

    bench.examine(any_rational(rng), judge)
