"""Linear systems over Q and determinants over Z: against elimination with fractions, and multiplied out."""

from fractions import Fraction

import families
import truth
from check_spaces import seeds
from matrices import Matrix

# Lines of what is eliminated with fractions.
MOST = 16


def small(matrix):
    rows, cols = min(matrix.rows, MOST), min(matrix.cols, MOST)
    return Matrix(rows, cols, [(i, j, v) for i, j, v in matrix.entries if i < rows and j < cols])


def written(bench, name):
    """Shape and entries of an SMS file with fractions."""
    head, *lines = (bench.folder / name).read_text().split("\n")
    rows, cols, _ = head.split()
    entries = {}
    for line in lines:
        if line and line != "0 0 0":
            i, j, v = line.split()
            entries[int(i) - 1, int(j) - 1] = Fraction(v)
    return int(rows), int(cols), entries


def image(lines, x):
    """The nonzero coordinates of A*x."""
    return {i: v for i, line in enumerate(lines) if (v := sum(v * x.get(j, 0) for j, v in line.items()))}


def systems(bench, rng):
    """A system over Q is consistent if and only if the elimination with each right side says so; solutions solve it, exactly, and a
    contradiction holds."""
    state, words = rng.getrandbits(64), ["--json", "-q", *seeds(rng)]

    def judge(matrix):
        matrix, again = small(matrix), type(rng)(state)
        count = again.choice((0, 1, 1, 2, 9))
        # Multiples of every right side: solutions are fractions all the same where A is not unimodular.
        x = [{j: again.randint(-9, 9) for j in range(matrix.cols)} for _ in range(count)]
        right = [image(matrix.lines(), x) for x in x]
        for b in right:
            if matrix.rows and again.random() < 0.5:
                b[again.randrange(matrix.rows)] = again.choice((1, -3, 1 << 70))
        sides = Matrix(matrix.rows, count, [(i, k, v) for k, b in enumerate(right) for i, v in b.items()])
        name, rhs = bench.store("a.sms", matrix), bench.store("b.sms", sides)
        answer = bench.run("solve", name, "--rhs", rhs, "--rational", "-o", "x.sms", *words).json()
        bench.count("systems over Q")
        column = lambda k: [(i, matrix.cols, v) for i, v in right[k].items()]
        wider = lambda k: Matrix(matrix.rows, matrix.cols + 1, [*matrix.entries, *column(k)])
        without = [k for k in range(count) if matrix.cols in truth.echelon_rational(wider(k))[0]]
        if (answer["inconsistent"], answer["consistent"], answer["certainty"]) != (without, not without, "proven"):
            raise bench.complaint("wrong consistency over Q", without, answer["inconsistent"])
        if not without:
            rows, cols, found = written(bench, "x.sms")
            solved = lambda k: image(matrix.lines(), {j: v for (j, c), v in found.items() if c == k}) == {i: v for i, v in right[k].items() if v}
            if (rows, cols) != (matrix.cols, count) or not all(solved(k) for k in range(count)):
                raise bench.complaint("no solution over Q", "A*X = B", found)
            return
        shown = answer["contradiction"]
        y = {i: int(v) for i, v in shown["y"]}
        value = sum(v * right[shown["column"]].get(i, 0) for i, v in y.items())
        if shown["column"] != without[0] or image(matrix.transposed().lines(), y) or value == 0 or value != int(shown["value"]):
            raise bench.complaint("no contradiction over Q", "y*A = 0 and y*b = value, not 0", shown)

    bench.examine(families.any_matrix(rng), judge)


def determinants(bench, rng):
    """The determinant over Z is the one of elimination with fractions; that of a matrix that is not square is refused."""
    state, words = rng.getrandbits(64), ["--json", "-q", *seeds(rng)] + (["--proven"] if rng.random() < 0.5 else [])

    def judge(matrix):
        cut, again = small(matrix), type(rng)(state)
        n = min(cut.rows, cut.cols)
        order = again.sample(range(n), n)
        transversal = [(i, order[i], again.choice((1, -2, 30, 1 << 66))) for i in range(n)] if again.random() < 0.7 else []
        square = Matrix(n, n, [(i, j, v) for i, j, v in cut.entries if i < n and j < n] + transversal)
        answer = bench.run("det", bench.store("a.sms", square), *words).json()
        bench.count("determinants over Z")
        det = truth.echelon_rational(square)[1]
        if answer["det"] != str(det) or "--proven" in words and answer["certainty"] != "proven":
            raise bench.complaint("wrong determinant over Z", det, answer["det"])
        if matrix.rows != matrix.cols:
            bench.run("det", bench.store("b.sms", matrix), "-q", codes=(3,))

    bench.examine(families.any_matrix(rng), judge)
