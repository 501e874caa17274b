"""The file of a certificate, taken apart and put together again with a checksum that fits: what a forger can do.

Two lines of text, lists of rows and columns of the minor in 4 bytes each, residues, SHA-256 of all that.
"""

import hashlib
import json
import struct

MAGIC = b"blackfield certificate "


class Parts:
    """`magic` and `header` (a dictionary) of the text lines; `body`, the bytes behind them without the checksum."""

    def __init__(self, data):
        first, second, rest = data.split(b"\n", 2)
        self.magic, self.header, self.body = first + b"\n", json.loads(second), rest[:-32]

    def seal(self):
        """The file again."""
        data = self.magic + json.dumps(self.header, separators=(",", ":")).encode() + b"\n" + self.body
        return data + hashlib.sha256(data).digest()

    def minor(self):
        """Rows and columns of the minor, the triangular chain's first."""
        rank = self.header["rank"]
        numbers = struct.unpack(f"<{2 * rank}I", self.body[: 8 * rank])
        return list(numbers[:rank]), list(numbers[rank:])

    def set_minor(self, rows, cols):
        """Replaces the lists, and the rank with them; what follows them stays."""
        behind = self.body[8 * self.header["rank"] :]
        self.header["rank"] = len(rows)
        self.body = struct.pack(f"<{len(rows) + len(cols)}I", *rows, *cols) + behind
