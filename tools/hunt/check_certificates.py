"""Certificates: honest ones hold, and no forgery holds for a rank that is not so."""

import families
import mutate
import primes
from certificates import Parts

REFUSED = (1, 3)
# Enough for a certificate and a matrix of some kilobytes.
KILOBYTES = 1 << 20


def make(bench, rng, matrix, name, p, words=()):
    """Writes matrix and certificate; the rank that was printed, or None where no certificate can be had."""
    bench.store(f"{name}.sms", matrix)
    ending = bench.run("rank", f"{name}.sms", "-p", p, "--json", "-q", "--certificate", f"{name}.cert", *words)
    return ending.json()


def accepted(bench, certificate, matrix_file):
    """The document of `verify`, or None where it refuses."""
    ending = bench.run("verify", certificate, matrix_file, "--json", "-q", kilobytes=KILOBYTES, codes=(0,) + REFUSED)
    bench.count("certificates verified")
    return ending.json() if ending.code == 0 else None


def honest(bench, rng):
    """A certificate that `rank` wrote holds, with the oracle's rank, and with proven claims where structure alone decides."""
    p = rng.choice(primes.EDGES)
    words = ["--seed", rng.randrange(1 << 64), "--method", rng.choice(("auto", "elimination"))]

    def judge(matrix):
        truth = bench.truth.rank(matrix, p)
        printed = make(bench, rng, matrix, "a", p, words)
        verdict = accepted(bench, "a.cert", "a.sms")
        if verdict is None:
            raise bench.complaint("honest certificate refused", "a verdict that it holds", "a refusal")
        if (printed["rank"], verdict["rank"], verdict["modulus"]) != (truth, truth, p):
            raise bench.complaint("wrong rank certified", truth, (printed["rank"], verdict["rank"], verdict["modulus"]))
        if verdict["certainty"] == "monte-carlo" and not 0 < verdict["error_bound"] <= 2.0**-62:
            raise bench.complaint("bound of a verdict", "0 < bound <= 2^-62", verdict["error_bound"])

    bench.examine(families.any_matrix(rng), judge)


def resealed(rng, data, other):
    """A certificate with other numbers in it and a checksum that fits."""
    parts = Parts(data)
    head, way = parts.header, rng.randrange(9)
    rows, cols = parts.minor()
    t, rank = head["triangular"], head["rank"]
    if way == 0:  # Another claim for the same lists.
        key = rng.choice(("rank", "triangular", "rows", "cols", "modulus"))
        head[key] = rng.choice((head[key] + 1, head[key] - 1, 0, 1, 2**31, 2**32 - 1, 2**32, 2**63, -1, head[key] * 2))
    elif way == 1 and rank:  # One line less, from the chain or from behind it.
        k = rng.randrange(rank)
        head["triangular"] -= k < t
        parts.set_minor(rows[:k] + rows[k + 1 :], cols[:k] + cols[k + 1 :])
    elif way == 2:  # One line more, anywhere.
        k = rng.randint(0, rank)
        head["triangular"] += k <= t
        line = rng.randrange(head["rows"] + 1), rng.randrange(head["cols"] + 1)
        parts.set_minor(rows[:k] + [line[0]] + rows[k:], cols[:k] + [line[1]] + cols[k:])
    elif way == 3:  # Covering lines claimed.
        head["lines"] = rng.choice((None, [0, 0], [rank, 0], [0, rank], [head["rows"], 0], [2**32 - 1, 2**32 - 1], [1, -1]))
    elif way == 4:
        head["digest"] = rng.choice((other, "0" * 64, "", other.upper()))
    elif way == 5:  # Residues of nobody.
        keep = 8 * rank
        parts.body = parts.body[:keep] + rng.choice((bytes, rng.randbytes))(len(parts.body) - keep)
    elif way == 6:
        parts.body = mutate.some(rng, parts.body, mutate.BINARY)
    elif way == 7 and rank > 1:  # The chain in another order.
        a, b = rng.sample(range(rank), 2)
        rows[a], rows[b] = rows[b], rows[a]
        parts.set_minor(rows, cols)
    else:
        head["triangular"] = max(0, min(rank, t + rng.choice((-1, 1))))
    return parts.seal()


def forged(bench, rng):
    """A certificate that was damaged or forged (bits, lengths, another matrix, other claims under a checksum that fits) is refused, or what it
    claims is true; damage that a checksum sees is refused always. Nothing crashes, and memory stays bounded."""
    p = rng.choice(primes.EDGES)
    state = rng.getrandbits(64)
    two = families.any_matrix(rng)

    def judge(matrix):
        again = type(rng)(state)
        document = make(bench, again, matrix, "a", p)
        other = make(bench, again, two, "b", p)
        data = (bench.folder / "a.cert").read_bytes()
        before = list(bench.commands)
        for _ in range(8):
            seal = again.random() < 0.6
            bad = resealed(again, data, other["digest"]) if seal else mutate.some(again, data, mutate.BINARY)
            if bad == data:
                continue
            bench.write("forged.cert", bad)
            which = again.choice(("a", "a", "a", "b"))
            bench.commands = list(before)
            verdict = accepted(bench, "forged.cert", f"{which}.sms")
            if verdict is None:
                continue
            if not seal and bad[: len(data)] != data:
                raise bench.complaint("damage not seen", "a refusal", f"rank {verdict['rank']} mod {verdict['modulus']}")
            truth = bench.truth.rank(matrix if which == "a" else two, verdict["modulus"])
            if verdict["rank"] != truth:
                raise bench.complaint("forgery accepted", truth, f"rank {verdict['rank']} mod {verdict['modulus']} ({verdict['certainty']})")
            if which == "b" and document["digest"] != other["digest"] and bad == data:
                raise bench.complaint("certificate of another matrix accepted", "a refusal", verdict)

    bench.examine(families.any_matrix(rng), judge)
