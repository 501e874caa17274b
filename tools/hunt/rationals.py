"""Sparse matrices over the rationals, as lists of lines {column: Fraction}: files, transposes, reduced row echelon forms."""

import gzip
from fractions import Fraction


def read(path):
    """Rows, columns and lines of an SMS file with entries a/b."""
    data = path.read_bytes()
    words = (gzip.decompress(data) if path.name.endswith("gz") else data).split()
    rows, cols = int(words[0]), int(words[1])
    lines = [{} for _ in range(rows)]
    for i, j, v in zip(*[iter(words[3:-3])] * 3):
        lines[int(i) - 1][int(j) - 1] = Fraction(v.decode())
    return rows, cols, lines


def text(cols, lines):
    """The bytes of such a file."""
    entries = "".join(f"{i + 1} {j + 1} {v}\n" for i, line in enumerate(lines) for j, v in line.items())
    return f"{len(lines)} {cols} Q\n{entries}0 0 0\n".encode()


def turned(lines, cols):
    """The transpose."""
    return [{i: line[j] for i, line in enumerate(lines) if j in line} for j in range(cols)]


def clear(line, by, other):
    """line - by·other, without zeros."""
    for k, v in other.items():
        line[k] = line.get(k, 0) - by * v
        if not line[k]:
            del line[k]


def echelon(lines):
    """The reduced row echelon form as {pivot: line}."""
    form = {}
    for line in lines:
        line = dict(line)
        for j in [j for j in form if j in line]:
            clear(line, line[j], form[j])
        if not line:
            continue
        pivot = min(line)
        line = {k: v / line[pivot] for k, v in line.items()}
        for other in form.values():
            if pivot in other:
                clear(other, other[pivot], line)
        form[pivot] = line
    return form
