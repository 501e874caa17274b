"""Null spaces, linear systems and echelon forms: files multiplied out, ranks and forms against elimination by hand."""

import gzip
import json
from fractions import Fraction
from math import gcd

import families
import primes
import rationals
import reader
import truth
from matrices import Matrix


def product(left, right, p):
    """left · right mod p, both as lists of rows {column: value}, without zeros."""
    rows = []
    for line in left:
        sums = {}
        for j, v in line.items():
            for k, w in right[j].items():
                sums[k] = (sums.get(k, 0) + v * w) % p
        rows.append({k: v for k, v in sums.items() if v})
    return rows


def mod(matrix, p):
    return [{j: v % p for j, v in line.items() if v % p} for line in matrix.lines()]


def written(bench, name):
    """The matrix in a file that the program wrote."""
    data = (bench.folder / name).read_bytes()
    # Several members, which the small reader leaves open.
    rows, cols, entries = reader.read(gzip.decompress(data) if name.endswith("gz") else data)
    return Matrix(rows, cols, [(i, j, v) for (i, j), v in entries.items()])


def seeds(rng):
    return ["--seed", rng.choice((1, rng.randrange(1 << 64)))] + (["--threads", rng.choice((1, 3))] if rng.random() < 0.3 else [])


def method(rng):
    """How it is computed: mostly as planned, sometimes by block Wiedemann."""
    return ["--method", rng.choice(("hybrid", "wiedemann"))] if rng.random() < 0.2 else []


def verdicts(bench, rng):
    """`verify` believes the document of an answer, and refuses it once its number or its vectors are others."""
    p, kind = primes.some(rng, 1)[0], rng.choice(("kernel", "det", "smith"))
    state = rng.getrandbits(64)

    def judge(matrix):
        again, n = type(rng)(state), min(matrix.rows, matrix.cols)
        if kind == "det":
            matrix = Matrix(n, n, [(i, j, v) for i, j, v in matrix.entries if i < n and j < n])
        name = bench.store("a.sms", matrix)
        asked = {"kernel": ["-p", p, "-o", "n.sms"], "det": ["-p", p], "smith": []}[kind]
        answer = bench.run(kind, name, *asked, "--json", "-q").json()
        files = [name, "n.sms"] if kind == "kernel" else [name]
        kept = lambda document: bench.write("v.json", json.dumps(document).encode())
        bench.run("verify", kept(answer), *files, "-q")
        bench.count("verdicts")
        wrong = dict(answer)
        if kind == "kernel":
            wrong["rank"], wrong["dimension"] = answer["rank"] + 1, answer["dimension"] - 1
        elif kind == "det":
            wrong["det"] = str((int(answer["det"]) + again.randrange(1, p)) % p)
        else:
            wrong["factors"] = [*answer["factors"], [str(int(answer["factors"][-1][0]) * 6 if answer["factors"] else 6), 1]]
        if kind != "kernel" or answer["dimension"]:
            bench.run("verify", kept(wrong), *files, "-q", codes=(1,))

    bench.examine(families.any_matrix(rng), judge)


def kernels(bench, rng):
    """A basis of the null space, from either side, is mapped to zero, is independent, and has as many vectors as the rank leaves; random
    vectors are mapped to zero."""
    p, left, many = primes.one(rng), rng.random() < 0.5, rng.choice((None, None, 0, 3, 40))
    words = ["--json", "-q", *seeds(rng), *method(rng)] + (["--left"] if left else []) + ([] if many is None else ["--vectors", many])
    out = rng.choice(("n.sms", "n.sms.gz")) if many != 0 else "n.sms"

    def judge(matrix):
        name = bench.store("a.sms", matrix)
        (answer,) = [bench.run("kernel", name, "-p", p, "-o", out, *words).json()]
        rank = bench.truth.rank(matrix, p)
        bench.count("null spaces")
        dimension = (matrix.rows if left else matrix.cols) - rank
        if (answer["rank"], answer["dimension"]) != (rank, dimension):
            raise bench.complaint("wrong dimension", (rank, dimension), (answer["rank"], answer["dimension"]))
        found = written(bench, out)
        count = dimension if many is None else many
        shape = (count, matrix.rows) if left else (matrix.cols, count)
        if (found.rows, found.cols) != shape:
            raise bench.complaint("wrong shape", shape, (found.rows, found.cols))
        images = product(mod(found, p), mod(matrix, p), p) if left else product(mod(matrix, p), mod(found, p), p)
        if any(images):
            raise bench.complaint("no null vectors", "a product that is zero", images[:3])
        if many is None and bench.truth.rank(found, p) != dimension:
            raise bench.complaint("no basis", f"{dimension} independent vectors", bench.truth.rank(found, p))

    bench.examine(families.any_matrix(rng), judge)


def large(bench, rng):
    """The rank mod a prime beyond a word is the oracle's, whatever the method; what there is not for such primes is refused."""
    p, words = rng.choice(primes.LARGE), ["--json", "-q", *seeds(rng)]
    words += ["--method", rng.choice(("auto", "auto", "elimination", "hybrid", "wiedemann"))]
    if rng.random() < 0.4:
        words += rng.choice((["--error", "1e-9"], ["--error", "1e-300"]))

    def judge(matrix):
        name = bench.store("a.sms", matrix)
        answer = bench.run("rank", name, "-p", p, *words).json()
        bench.count("ranks modulo large primes")
        rank = bench.truth.rank(matrix, p)
        if (answer["rank"], answer["modulus"]) != (rank, str(p)):
            raise bench.complaint("wrong rank", (rank, str(p)), (answer["rank"], answer["modulus"]))
        for refused in ("--trials", "--block"):
            bench.run("rank", name, "-p", p, "-q", refused, 2, codes=(2,))
        bench.run("rank", name, "-p", p * primes.above(rng.randrange(2, 1000)), "-q", codes=(2,))

    bench.examine(families.any_matrix(rng), judge)


def systems(bench, rng):
    """A system is consistent if and only if the rank with each right side is that without; solutions solve it, and a contradiction holds."""
    p, state = primes.one(rng), rng.getrandbits(64)
    words = ["--json", "-q", *seeds(rng), *method(rng)] + (["--random"] if rng.random() < 0.5 else [])

    def judge(matrix):
        again = type(rng)(state)
        count = again.choice((0, 1, 1, 2, 5, 40))
        x = [{k: again.randrange(p) for k in range(count)} for _ in range(matrix.cols)]
        right = product(mod(matrix, p), x, p)
        if count and matrix.rows and again.random() < 0.5:
            right[again.randrange(matrix.rows)][again.randrange(count)] = again.randrange(p)
        sides = Matrix(matrix.rows, count, [(i, k, v) for i, line in enumerate(right) for k, v in line.items()])
        name, rhs = bench.store("a.sms", matrix), bench.store("b.sms", sides)
        answer = bench.run("solve", name, "--rhs", rhs, "-p", p, "-o", "x.sms", *words).json()
        bench.count("systems")
        rank = bench.truth.rank(matrix, p)
        column = lambda k: [(i, matrix.cols, line[k]) for i, line in enumerate(sides.lines()) if k in line]
        wider = lambda k: Matrix(matrix.rows, matrix.cols + 1, [*matrix.entries, *column(k)])
        without = [k for k in range(count) if bench.truth.rank(wider(k), p) > rank]
        if (answer["rank"], answer["inconsistent"], answer["consistent"]) != (rank, without, not without):
            raise bench.complaint("wrong consistency", (rank, without), (answer["rank"], answer["inconsistent"]))
        if not without:
            found = written(bench, "x.sms")
            if (found.rows, found.cols) != (matrix.cols, count) or product(mod(matrix, p), mod(found, p), p) != mod(sides, p):
                raise bench.complaint("no solution", "A*X = B", repr(found))
            return
        shown = answer["contradiction"]
        y = [{i: int(v) for i, v in shown["y"]}]
        b = [{0: line[shown["column"]]} if shown["column"] in line else {} for line in mod(sides, p)]
        value = product(y, b, p)[0].get(0, 0)
        if shown["column"] != without[0] or any(product(y, mod(matrix, p), p)) or value == 0 or value != int(shown["value"]):
            raise bench.complaint("no contradiction", "y*A = 0 and y*b = value, not 0", shown)

    bench.examine(families.any_matrix(rng), judge)


def determinants(bench, rng):
    """The determinant is the textbook's; that of a matrix that is not square is refused."""
    p, words = primes.some(rng, 1)[0], ["--json", "-q", *seeds(rng)]
    state = rng.getrandbits(64)

    def judge(matrix):
        n, again = min(matrix.rows, matrix.cols), type(rng)(state)
        # Most are singular as they come.
        order = again.sample(range(n), n)
        transversal = [(i, order[i], again.randrange(1, p)) for i in range(n)] if again.random() < 0.7 else []
        square = Matrix(n, n, [(i, j, v) for i, j, v in matrix.entries if i < n and j < n] + transversal)
        answer = bench.run("det", bench.store("a.sms", square), "-p", p, *words).json()
        bench.count("determinants")
        det = truth.determinant_mod(square, p)
        if (answer["det"], answer["rank"] == n) != (str(det), det != 0):
            raise bench.complaint("wrong determinant", det, answer["det"])
        if matrix.rows != matrix.cols:
            bench.run("det", bench.store("b.sms", matrix), "-p", p, "-q", codes=(3,))

    bench.examine(families.any_matrix(rng), judge)


def forms(bench, rng):
    """The reduced row echelon form is the textbook's, entry by entry."""
    p, words = primes.some(rng, 1)[0], ["--json", "-q", *seeds(rng)]

    def judge(matrix):
        name = bench.store("a.sms", matrix)
        answer = bench.run("rref", name, "-p", p, "-o", "r.sms", *words).json()
        bench.count("echelon forms")
        form = truth.echelon_mod(matrix, p)
        pivots = sorted(form)
        if (answer["rank"], answer["pivots"]) != (len(pivots), pivots):
            raise bench.complaint("wrong pivots", pivots, answer["pivots"])
        found = written(bench, "r.sms")
        if (found.rows, found.cols, found.lines()) != (len(pivots), matrix.cols, [form[j] for j in pivots]):
            raise bench.complaint("wrong form", [form[j] for j in pivots][:3], found.lines()[:3])

    bench.examine(families.any_matrix(rng), judge)


def rational(bench, rng):
    """Over the rationals, with fractions in the file: the reduced row echelon form is the textbook's, entry by entry, and a basis of the null
    space, from either side, is mapped to zero, independent and complete; cleared vectors are integers without a common divisor."""
    state, left, integers = rng.getrandbits(64), rng.random() < 0.5, rng.random() < 0.5
    words = ["--json", "-q", *seeds(rng)]

    def judge(matrix):
        again = type(rng)(state)
        small = Matrix(min(matrix.rows, 40), min(matrix.cols, 40), [e for e in matrix.entries if e[0] < 40 and e[1] < 40])
        lines = [{j: Fraction(v) for j, v in line.items()} for line in small.lines()]
        for line in lines:
            for j in line:
                if again.random() < 0.3:
                    line[j] /= again.choice((2, 3, 7, -5, 2**61 - 1, 10**30 + 57))
        (bench.folder / "q.sms").write_bytes(rationals.text(small.cols, lines))
        form = rationals.echelon(lines)
        answer = bench.run("rref", "q.sms", "--rational", "-o", "r.sms", *words).json()
        bench.count("rational echelon forms")
        if (answer["rank"], answer["pivots"], answer["certainty"]) != (len(form), sorted(form), "proven"):
            raise bench.complaint("wrong pivots", sorted(form), answer["pivots"])
        rows, cols, found = rationals.read(bench.folder / "r.sms")
        if (rows, cols, found) != (len(form), small.cols, [form[j] for j in sorted(form)]):
            raise bench.complaint("wrong form", [form[j] for j in sorted(form)][:3], found[:3])
        side = (["--left"] if left else []) + (["--integers"] if integers else [])
        answer = bench.run("kernel", "q.sms", "--rational", "-o", "n.sms.gz", *side, *words).json()
        bench.count("rational null spaces")
        length = small.rows if left else small.cols
        rows, cols, found = rationals.read(bench.folder / "n.sms.gz")
        if (rows, cols) != ((length - len(form), length) if left else (length, length - len(form))):
            raise bench.complaint("wrong dimension", length - len(form), (rows, cols))
        vectors, columns = (found, lines) if left else (rationals.turned(found, cols), rationals.turned(lines, small.cols))
        for vector in vectors:
            sums = {}
            for j, v in vector.items():
                for i, w in columns[j].items():
                    sums[i] = sums.get(i, 0) + v * w
            if any(sums.values()):
                raise bench.complaint("no null vector", "a product that is zero", vector)
            if integers and (any(v.denominator > 1 for v in vector.values()) or gcd(*(v.numerator for v in vector.values())) != 1):
                raise bench.complaint("no primitive vector", "integers without a common divisor", vector)
        if len(rationals.echelon(vectors)) != len(vectors):
            raise bench.complaint("no basis", f"{len(vectors)} independent vectors", len(rationals.echelon(vectors)))

    bench.examine(families.any_matrix(rng), judge)
