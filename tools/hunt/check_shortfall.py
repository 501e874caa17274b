"""Block Wiedemann on large matrices whose rank is known by construction, where eigenvalues meet: how often does it fall short?"""

from check_rank import answers, judge_rank
from matrices import Matrix
from truth import rank_mod


def direct_sum(rng, n, size, p):
    """Dense random blocks of one size along the diagonal, one in ten singular; the rank mod p, block by block, and twice that of the singular ones."""
    entries, rank, at, singular = [], 0, 0, 0
    while at + size <= n:
        block = [[rng.randrange(1, p) for _ in range(size)] for _ in range(size)]
        if size > 1 and rng.random() < 0.1:
            block[1] = [2 * v % p for v in block[0]]
        own = rank_mod(Matrix.dense(block), p)
        rank, singular = rank + own, singular + 2 * own * (own < size)
        entries += [(at + i, at + j, v) for i, line in enumerate(block) for j, v in enumerate(line) if v]
        at += size
    return Matrix(n, n, entries), rank, singular


def nilpotent(rng, n, p):
    """Nilpotent blocks of many sizes, with entries beside and above the upper diagonal, under one permutation of rows and columns: all
    eigenvalues are 0."""
    entries, rank, at, singular = [], 0, 0, 0
    while at < n:
        size = min(n - at, rng.randint(3, 12))
        entries += [(at + i, at + i + 1, rng.randrange(1, p)) for i in range(size - 1)]
        entries += [(at + i, at + i + 2, rng.randrange(1, p)) for i in range(size - 2)]
        rank, at, singular = rank + size - 1, at + size, singular + 2 * (size - 1)
    order = rng.sample(range(n), n)
    return Matrix(n, n, [(order[i], order[j], v) for i, j, v in entries]), rank, singular


def single(rng, n, p):
    """At most one entry in a line: a permutation with weights and gaps."""
    used = rng.randint(n // 2, n)
    places = zip(rng.sample(range(n), used), rng.sample(range(n), used))
    return Matrix(n, n, [(i, j, rng.randrange(1, p)) for i, j in places]), used, 0


def laplacian(rng, n, _):
    """Of a forest of stars: a star of k edges is a tree, whose Laplacian has one spanning tree and so rank k mod every p."""
    entries, rank, at, singular = [], 0, 0, 0
    while at < n:
        leaves = min(n - at - 1, rng.randint(1, 5))
        for leaf in range(at + 1, at + leaves + 1):
            entries += [(at, at, 1), (leaf, leaf, 1), (at, leaf, -1), (leaf, at, -1)]
        rank, at, singular = rank + leaves, at + leaves + 1, singular + 2 * leaves
    return Matrix(n, n, entries), rank, singular


def families(rng):
    """The name of a family and its maker."""
    size = rng.choice((2, 2, 2, 2, 3, 4, 5, 6))
    blocks = f"blocks of {size}", lambda rng, n, p: direct_sum(rng, n, size, p)
    return rng.choice((blocks, blocks, blocks, ("nilpotent", nilpotent), ("forest Laplacian", laplacian), ("single entries", single)))


def shortfalls(bench, rng):
    """Heuristic ranks of large matrices with a known rank are never too large, and fall short no more often than promised: families of
    blocks, nilpotent ones, Laplacians alike."""
    name, maker = families(rng)
    p = rng.choice((65521, 65521, 65521, 65521, 65537, 251, 2, 2**31 - 1))
    n = rng.choice((3000, 3000, rng.randint(1000, 3000)))
    matrix, truth, singular = maker(rng, n, p)
    words = rng.choice(([], ["--block", rng.choice((1, 1, 2, 2, 3, 4, 8))]))
    bench.store("a.sms.gz", matrix)
    # Hybrid: pivots take most of it away before.
    method = rng.choice(("wiedemann",) * 5 + ("hybrid",))
    seed = rng.randrange(1 << 32)
    ending = bench.run("rank", "a.sms.gz", "-p", p, "--json", "-q", "--method", method, "--seed", seed, "--threads", 1, *words)
    for answer in answers(ending):
        judge_rank(bench, matrix, answer, truth, family=f"{name} by {method}", degree=singular)
        bench.truth.count("by construction")
