"""Homology: groups of small complexes by row and column operations on full matrices."""

import itertools
import math

import primes
import truth
from matrices import Matrix
from shrink import nothing, several


def groups(cells, boundaries, p=None, cohomology=False):
    """(Betti number, torsion as {order: count}) for each degree; over the field mod p if there is one, that of the rationals for 0."""
    if p is None:
        forms = [truth.smith(d) for d in boundaries]
    elif p == 0:
        forms = [[1] * truth.rank_rational(d) for d in boundaries]
    else:
        forms = [[1] * truth.rank_mod(d, p) for d in boundaries]
    found = []
    for k, count in enumerate(cells):
        below, above = forms[k - 1] if k else [], forms[k] if k < len(forms) else []
        orders = [d for d in (below if cohomology else above) if d > 1]
        found.append((count - len(below) - len(above), {d: orders.count(d) for d in orders}))
    return found


def simplicial(facets):
    """Numbers of faces, and boundary matrices, of a list of facets."""
    faces = {face for facet in facets for size in range(1, len(facet) + 1) for face in itertools.combinations(sorted(facet), size)}
    levels = [sorted(face for face in faces if len(face) == size) for size in range(1, max(map(len, faces), default=1) + 1)]
    boundaries = []
    for lower, upper in zip(levels, levels[1:]):
        place = {face: j for j, face in enumerate(lower)}
        entries = [(i, place[face[:s] + face[s + 1 :]], (-1) ** s) for i, face in enumerate(upper) for s in range(len(face))]
        boundaries.append(Matrix(len(upper), len(lower), entries))
    return [len(level) for level in levels], boundaries


# The real projective plane with six vertices.
PLANE = ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 1, 5), (1, 2, 4), (2, 3, 5), (1, 3, 4), (2, 4, 5), (1, 3, 5))


def random_facets(rng):
    """A few triangles and larger simplices on few vertices, or the cliques of a graph, or projective planes with more."""
    n = rng.randint(1, 7)
    if rng.random() < 0.3:
        names = [rng.sample(range(12), 6) for _ in range(rng.randint(1, 2))]
        planes = [[name[v] for v in facet] for name in names for facet in PLANE]
        return planes + [rng.sample(range(12), rng.randint(1, 3)) for _ in range(rng.randint(0, 3))]
    if rng.random() < 0.3:
        edges = {e for e in itertools.combinations(range(n), 2) if rng.random() < 0.6}
        cliques = [c for size in range(1, n + 1) for c in itertools.combinations(range(n), size) if set(itertools.combinations(c, 2)) <= edges]
        return [list(c) for c in cliques]
    sizes = rng.choice(((3,), (3,), (1, 2, 3), (2, 3, 4)))
    return [rng.sample(range(n), min(n, rng.choice(sizes))) for _ in range(rng.randint(0, 14))]


def random_chain(rng):
    """Sums of Z -> Z by d and of Z, in other bases: cells, and boundaries D1, D2, ... as full matrices."""
    degrees = rng.randint(1, 4)
    pairs = [[rng.choice((1, 1, 2, 3, 4, 6, 9, 12, 2**65, 10**20)) for _ in range(rng.randint(0, 4))] for _ in range(degrees)]
    count = lambda k: len(pairs[k]) if 0 <= k < degrees else 0
    cells = [count(k) + count(k - 1) + rng.randint(0, 2) for k in range(degrees + 1)]
    boundaries = []
    for k in range(degrees):
        rows = [[0] * cells[k] for _ in range(cells[k + 1])]
        for i, d in enumerate(pairs[k]):
            rows[count(k + 1) + i][i] = d
        boundaries.append(rows)
    for k, n in enumerate(cells):
        for _ in range(rng.randint(0, 2 * n) if n > 1 else 0):
            (a, b), factor = rng.sample(range(n), 2), rng.choice((-2, -1, 1, 2))
            if k:  # Cell a becomes a + factor·b: row a of its boundary; where it is a column, b becomes b - factor·a.
                rows = boundaries[k - 1]
                rows[a] = [x + factor * y for x, y in zip(rows[a], rows[b])]
            if k < degrees:
                for row in boundaries[k]:
                    row[b] -= factor * row[a]
    return cells, [Matrix.dense(rows, cells[k]) for k, rows in enumerate(boundaries)]


def compare(bench, document, cells, boundaries, fields, cohomology):
    """Holds all groups of a document against the textbook's."""
    named = [over["coefficients"] for over in document["over"]]
    asked = [("Z", None)] * ("Z" in named) + [("Q", 0)] * ("Q" in named) + [(f"GF({p})", p) for p in fields]
    if [over["coefficients"] for over in document["over"]] != [name for name, _ in asked]:
        raise bench.complaint("other coefficients", asked, [over["coefficients"] for over in document["over"]])
    for over, (name, p) in zip(document["over"], asked):
        expected = groups(cells, boundaries, p, cohomology)
        found = [(g["betti"], {int(d): count for d, count in g["torsion"]}) for g in over["groups"]]
        bench.count("lists of homology groups")
        if found != expected:
            raise bench.complaint("wrong groups", (name, expected), found)


def words(rng):
    fields = primes.some(rng, 2) if rng.random() < 0.6 else []
    cohomology = rng.random() < 0.3
    over = rng.sample(("--integral", "--rational"), rng.randint(0, 2))
    asked = [word for p in fields for word in ("-p", p)] + (over or (["--integral"] if fields else []))
    more = (["--cohomology"] if cohomology else []) + (["--proven"] if rng.random() < 0.2 else [])
    return fields, cohomology, ["--json", "-q", *asked, *more]


def spaces(bench, rng):
    """The groups of a simplicial complex given by facets are the textbook's, over the integers and over fields; reduced ones, too."""
    fields, cohomology, options = words(rng)
    reduced = rng.random() < 0.4

    def judge(facets):
        lines = [" ".join(f"v{v}" for v in facet) for facet in facets]
        name = bench.write("facets", ("# hunted\n" + "\n".join(lines) + "\n").encode())
        document = bench.run("homology", "--facets", name, *options, *(["--reduced"] if reduced else [])).json()
        cells, boundaries = simplicial(facets)
        if reduced:
            augmentation = Matrix(cells[0], 1, [(i, 0, 1) for i in range(cells[0])])
            cells, boundaries = [1, *cells], [augmentation, *boundaries]
            for over in document["over"]:  # Degree -1 is left out where it is 0.
                if over["groups"][0]["degree"] == 0:
                    over["groups"].insert(0, {"degree": -1, "betti": 0, "torsion": []})
        compare(bench, document, cells, boundaries, fields, cohomology)

    bench.examine(random_facets(rng), judge, several(nothing))


def chains(bench, rng):
    """The groups of any chain complex are the textbook's; with an entry changed it is refused, unless the boundary of a boundary stays 0."""
    fields, cohomology, options = words(rng)
    cells, boundaries = random_chain(rng)
    change = rng.random() < 0.3

    def judge(matrices):
        names = [bench.store(f"d{k}.sms", d) for k, d in enumerate(matrices, 1)]
        squares = [product(upper, lower) for lower, upper in zip(matrices, matrices[1:])]
        if any(squares):
            bench.run("homology", *names, *options, codes=(3,))
            return bench.count("no complexes refused")
        document = bench.run("homology", *names, *options).json()
        compare(bench, document, cells, matrices, fields, cohomology)

    if change and any(d.entries for d in boundaries):
        k = rng.choice([k for k, d in enumerate(boundaries) if d.entries])
        i, j, v = rng.choice(boundaries[k].entries)
        boundaries[k] = Matrix(boundaries[k].rows, boundaries[k].cols, boundaries[k].entries + [(i, j, rng.choice((1, -v, math.factorial(20))))])
    bench.examine(boundaries, judge, nothing)


def product(upper, lower):
    """Whether upper · lower has an entry that is not 0."""
    below = lower.lines()
    for line in upper.lines():
        sums = {}
        for j, v in line.items():
            for c, w in below[j].items():
                sums[c] = sums.get(c, 0) + v * w
        if any(sums.values()):
            return True
    return False
