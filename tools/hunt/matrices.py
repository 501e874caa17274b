"""An integer matrix as the hunt holds it, and the files it is written to."""

import gzip


class Matrix:
    """`entries` are (row, column, value) counted from 0: explicit zeros and repeated positions (whose values add up) are part of it,
    because programs stumble over them."""

    def __init__(self, rows, cols, entries):
        self.rows, self.cols, self.entries = rows, cols, list(entries)
        self._lines = None

    @classmethod
    def dense(cls, lines, cols=None):
        """Of rows given in full; `cols` is needed where there is no row."""
        width = cols if cols is not None else len(lines[0]) if lines else 0
        return cls(len(lines), width, [(i, j, v) for i, line in enumerate(lines) for j, v in enumerate(line) if v])

    def lines(self):
        """The rows as {column: value}, repeated entries added up, without zeros: to be read only."""
        if self._lines is None:
            lines = [{} for _ in range(self.rows)]
            for i, j, v in self.entries:
                lines[i][j] = lines[i].get(j, 0) + v
            self._lines = [{j: v for j, v in line.items() if v} for line in lines]
        return self._lines

    def full(self):
        """The rows as lists."""
        return [[line.get(j, 0) for j in range(self.cols)] for line in self.lines()]

    def transposed(self):
        return Matrix(self.cols, self.rows, [(j, i, v) for i, j, v in self.entries])

    def __repr__(self):
        return f"{self.rows} x {self.cols}, {len(self.entries)} entries"


def sms(matrix):
    lines = [f"{matrix.rows} {matrix.cols} M\n"]
    lines += [f"{i + 1} {j + 1} {v}\n" for i, j, v in matrix.entries]
    return "".join(lines + ["0 0 0\n"]).encode()


def market(matrix, field="integer"):
    """MatrixMarket coordinate; as `real` every value is spelt with a point."""
    end = ".0" if field == "real" else ""
    lines = [f"%%MatrixMarket matrix coordinate {field} general\n% hunted\n{matrix.rows} {matrix.cols} {len(matrix.entries)}\n"]
    lines += [f"{i + 1} {j + 1} {v}{end}\n" for i, j, v in matrix.entries]
    return "".join(lines).encode()


def market_array(matrix):
    """MatrixMarket array: all values by columns."""
    full = matrix.full()
    values = [f"{full[i][j]}\n" for j in range(matrix.cols) for i in range(matrix.rows)]
    return f"%%MatrixMarket matrix array integer general\n{matrix.rows} {matrix.cols}\n{''.join(values)}".encode()


def boeing(matrix):
    """Harwell-Boeing, assembled and unsymmetric, integer values in real format: columns, rows, values in lines of fixed width.
    Without entries it is a pattern, since no values can be announced."""
    lines = matrix.transposed().lines()
    starts, rows, values = [1], [], []
    for line in lines:
        for i in sorted(line):
            rows.append(i + 1)
            values.append(line[i])
        starts.append(len(rows) + 1)
    width = max((len(str(v)) for v in values), default=1) + 4
    blocks = [card(starts, 8, "{:d}"), card(rows, 8, "{:d}"), card(values, width, "{:d}.")]
    counts = [len(block) for block in blocks]
    head = [
        "hunted".ljust(72) + "HUNT",
        "".join(f"{n:14d}" for n in [sum(counts)] + counts + [0]),
        ("RUA" if values else "PUA").ljust(14) + "".join(f"{n:14d}" for n in (matrix.rows, matrix.cols, len(rows), 0)),
        "(10I8)".ljust(16) + "(10I8)".ljust(16) + f"(10F{width}.0)".ljust(20),
    ]
    return "\n".join(head + sum(blocks, [])).encode() + b"\n"


def card(numbers, width, form):
    """Ten numbers a line, right-justified."""
    text = [form.format(n).rjust(width) for n in numbers]
    return ["".join(text[k : k + 10]) for k in range(0, len(text), 10)]


def zipped(data):
    """gzip, the same bytes for the same content."""
    return gzip.compress(data, 6, mtime=0)


# What a name ends in, behind its first point, and the writer. The program goes by content: the names are for people.
FORMATS = {
    "sms": sms,
    "mtx": market,
    "real.mtx": lambda a: market(a, "real"),
    "array.mtx": market_array,
    "rua": boeing,
    "sms.gz": lambda a: zipped(sms(a)),
    "mtx.gz": lambda a: zipped(market(a)),
}
