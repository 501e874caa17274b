#!/usr/bin/env python3
"""How often block Wiedemann falls short of a known rank: families of matrices times moduli, block sizes and seeds.

    tools/compare/short_ranks.py target/release/blackfield [OLDER_BINARY ...]

A row of the table is a family, a modulus, a method and a block size; for each program it says how many runs gave less than
the rank, of how many, and the mean number that was missing. A rank above the true one, which no run may give, stops the script with exit
code 1. Ranks are known by construction (see the families); none is computed by a program under test. Matrices are deterministic.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from generators import write_sms
from harness import program, say


def small_rank(rows, p):
    """The rank mod p of a small matrix given by lists."""
    rows, rank = [[v % p for v in row] for row in rows], 0
    for col in range(len(rows[0]) if rows else 0):
        at = next((i for i in range(rank, len(rows)) if rows[i][col]), None)
        if at is None:
            continue
        rows[rank], rows[at] = rows[at], rows[rank]
        inverse = pow(rows[rank][col], -1, p)
        for row in rows[rank + 1 :]:
            factor = row[col] * inverse % p
            row[:] = [(a - factor * b) % p for a, b in zip(row, rows[rank])]
        rank += 1
    return rank


def blocks(size, symmetric=False):
    """Block diagonal, random blocks of one size, whose ranks are found block by block."""

    def family(rng, n, p):
        lines, rank = [], 0
        for first in range(0, n - size + 1, size):
            block = [[rng.randrange(p) for _ in range(size)] for _ in range(size)]
            if symmetric:
                block = [[block[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]
            rank += small_rank(block, p)
            lines += [[(first + j, v) for j, v in enumerate(row) if v] for row in block]
        return lines, len(lines), rank

    return family


def permutation(rng, n, p):
    """One random non-zero entry in each row and column."""
    return [[(j, rng.randrange(1, p))] for j in rng.sample(range(n), n)], n, n


def one_entry_rows(rng, n, p):
    """One random non-zero entry in each row: the rank is the number of columns that are hit."""
    lines = [[(rng.randrange(n), rng.randrange(1, p))] for _ in range(n)]
    return lines, n, len({line[0][0] for line in lines})


def mostly_one_entry(rng, n, p):
    """Below a diagonal, nine rows of ten have no other entry: triangular, non-singular."""
    lines = []
    for i in range(n):
        more = rng.sample(range(i), 3) if i > 3 and rng.randrange(10) == 0 else []
        lines.append([(j, rng.randrange(1, p)) for j in sorted(more)] + [(i, rng.randrange(1, p))])
    return lines, n, n


def nilpotent(rng, n, p):
    """Jordan blocks of the eigenvalue 0, of sizes 1 to 4: the rank is the order less the number of blocks."""
    lines, count = [], 0
    while len(lines) < n:
        size = min(rng.randrange(1, 5), n - len(lines))
        first = len(lines)
        lines += [[(first + i + 1, rng.randrange(1, p))] for i in range(size - 1)] + [[]]
        count += 1
    return lines, n, n - count


def forest_laplacian(rng, n, p):
    """Laplacian of a forest of trees with at most 6 vertices: n less the number of trees, over every field."""
    lines = [{} for _ in range(n)]
    trees, first = 0, 0
    while first < n:
        size = min(rng.randrange(1, 7), n - first)
        for v in range(first + 1, first + size):
            u = rng.randrange(first, v)
            for a, b in ((u, v), (v, u)):
                lines[a][a] = lines[a].get(a, 0) + 1
                lines[a][b] = -1
        first, trees = first + size, trees + 1
    return [sorted((j, v) for j, v in line.items() if v % p) for line in lines], n, n - trees


def tree_laplacian(rng, n, p):
    """Laplacian of a random recursive tree: n - 1 over every field, since a tree has one spanning tree."""
    lines = [{i: 0} for i in range(n)]
    for v in range(1, n):
        u = rng.randrange(v)
        for a, b in ((u, v), (v, u)):
            lines[a][a] += 1
            lines[a][b] = -1
    return [sorted((j, v) for j, v in line.items() if v % p) for line in lines], n, n - 1


def bidiagonal(rng, n, p):
    """A random non-zero diagonal and a diagonal beside it."""
    lines = [[(i, rng.randrange(1, p))] + ([(i + 1, rng.randrange(1, p))] if i + 1 < n else []) for i in range(n)]
    return lines, n, n


def low_rank(rng, n, p):
    """Multiples of n/10 rows in echelon form, of four entries each."""
    r = max(n // 10, 1)
    beside = min(3, n - r)
    base = [[(i, 1)] + [(j, rng.randrange(1, p)) for j in sorted(rng.sample(range(r, n), beside))] for i in range(r)]
    rows = list(range(r)) + [rng.randrange(r) for _ in range(n - r)]
    rng.shuffle(rows)
    factors = [rng.randrange(1, p) for _ in rows]
    return [[(j, v * f % p) for j, v in base[i]] for i, f in zip(rows, factors)], n, r


FAMILIES = {
    **{f"blocks-{size}": blocks(size) for size in range(1, 7)},
    "symmetric-blocks-2": blocks(2, symmetric=True),
    "permutation": permutation,
    "one-entry-rows": one_entry_rows,
    "mostly-one-entry": mostly_one_entry,
    "nilpotent": nilpotent,
    "forest-laplacian": forest_laplacian,
    "tree-laplacian": tree_laplacian,
    "bidiagonal": bidiagonal,
    "low-rank": low_rank,
}


def run(binary, path, p, method, block, seed):
    """The rank that a program finds."""
    argv = [str(binary), "rank", str(path), "-p", str(p), "--method", method, "--seed", str(seed), "--quiet"]
    argv += [] if block == "default" else ["--block", block]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(argv)}: exit code {done.returncode}: {done.stderr.strip()}")
    return int(done.stdout)


def column(binary, path, rank, options, seeds):
    """What the table says of one program: short runs, runs, mean missing."""
    missing = [rank - run(binary, path, *options, seed) for seed in seeds]
    if min(missing) < 0:
        sys.exit(f"{binary}: a rank above the truth, {rank}, of {path} with {options}")
    return f"{sum(m > 0 for m in missing)}/{len(missing)} ({sum(missing) / len(missing):.2f})"


def table(arguments, folder):
    """The lines of the table, the head first."""
    yield "\t".join(["family", "p", "rank", "method", "block", *map(str, arguments.binary)])
    for p in arguments.moduli:
        for name in arguments.families:
            lines, cols, rank = FAMILIES[name](random.Random(f"{name} {p} {arguments.size}"), arguments.size, p)
            path = Path(folder) / f"{name}-{p}.sms"
            write_sms(path, len(lines), cols, lines)
            for method in arguments.methods:
                for block in arguments.blocks:
                    options = (p, method, block)
                    found = [column(binary, path, rank, options, range(1, arguments.seeds + 1)) for binary in arguments.binary]
                    yield "\t".join([name, str(p), str(rank), method, block, *found])
            path.unlink()


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="+", type=program, help="programs to compare")
    parser.add_argument("--size", type=int, default=3000, help="the order of the matrices")
    parser.add_argument("--seeds", type=int, default=10, help="seeds 1, 2, … of each run")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--moduli", nargs="+", type=int, default=[65521])
    parser.add_argument("--methods", nargs="+", default=["wiedemann"], help="values of --method")
    parser.add_argument("--blocks", nargs="+", default=["default"], help="block sizes, or default")
    return parser.parse_args(argv)


def main(argv):
    arguments = parse(argv)
    with tempfile.TemporaryDirectory() as folder:
        for line in table(arguments, folder):
            print(line, flush=True)
    say("no rank above the truth")


if __name__ == "__main__":
    main(sys.argv[1:])
