"""A small reader of SMS and MatrixMarket files, independent of the program's, that says when it is not sure.

`read` gives (rows, cols, {(row, column): value}), or raises `Bad` for what is surely no such file, or `Unsure` for what a reader may take
either way (bytes that are no text, other formats, spellings at the edge).
"""

import re
import zlib

MOST = 2**32 - 1
INTEGER = re.compile(rb"[+-]?\d+")
DECIMAL = re.compile(rb"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?")
FIELDS = {b"pattern": 0, b"integer": 1, b"real": 1}


class Bad(Exception):
    """Surely not what the format demands."""


class Unsure(Exception):
    """Not for this reader to decide."""


def unpack(data):
    """The text of one gzip member; anything else about gzip is left open, but for streams that break."""
    if data[:2] != b"\x1f\x8b":
        return data
    stream = zlib.decompressobj(31)
    try:
        text = stream.decompress(data) + stream.flush()
    except zlib.error as e:
        raise Bad(f"gzip: {e}") from e
    if not stream.eof:
        raise Bad("gzip: cut off")
    if stream.unused_data:
        raise Unsure("more behind the end of a gzip member")
    return text


def read(data):
    text = unpack(data)
    if any(byte >= 127 or byte < 32 and byte not in b"\t\n\r" for byte in text):
        raise Unsure("not plain text")
    if b"\r" in text.replace(b"\r\n", b""):
        raise Unsure("carriage returns within lines")
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    if lines[0].startswith(b"%%MatrixMarket"):
        return market(lines)
    content = (line for line in lines if line.strip() and line.strip()[:1] not in b"%#")
    first = next(content, b"").split()
    if len(first) == 3 and INTEGER.fullmatch(first[0]) and INTEGER.fullmatch(first[1]) and re.fullmatch(rb"[A-Za-z]", first[2]):
        if first[2].lower() == b"c":
            raise Unsure("complex values")
        return sms(size(first[0]), size(first[1]), content)
    raise Unsure("another format")


def size(field):
    if not INTEGER.fullmatch(field):
        raise Bad(f"size {field!r}")
    n = int(field)
    if not 0 <= n <= MOST:
        raise Bad(f"size {n}")
    if field.startswith(b"-"):
        raise Unsure("a negative zero")
    return n


def value(field):
    """The integer that a decimal number is."""
    found = DECIMAL.fullmatch(field)
    if not found or not (found[2] or found[3]):
        if re.fullmatch(rb"[-+.0-9eEdD]+", field):
            raise Unsure("a spelling at the edge")
        raise Bad(f"value {field!r}")
    whole, fraction, power = found[2] or b"", found[3] or b"", int(found[4] or b"0")
    digits, shift = int(whole + fraction), power - len(fraction)
    if shift < 0 and digits % 10**-shift:
        raise Bad(f"fraction {field!r}")
    number = digits * 10**shift if shift >= 0 else digits // 10**-shift
    return -number if found[1] == b"-" else number


def place(field, most):
    if not INTEGER.fullmatch(field):
        raise Bad(f"index {field!r}")
    if field[:1] == b"+":
        raise Unsure("an index with a sign")
    if not 1 <= int(field) <= most:
        raise Bad(f"index {field!r}")
    return int(field) - 1


def sms(rows, cols, lines):
    entries = {}
    for line in lines:
        fields = line.split()
        if len(fields) != 3:
            raise Bad("three fields are needed")
        if fields == [b"0", b"0", b"0"]:
            break
        at = place(fields[0], rows), place(fields[1], cols)
        entries[at] = entries.get(at, 0) + value(fields[2])
    else:
        raise Bad("no end")
    if any(True for _ in lines):
        raise Bad("more behind the end")
    return rows, cols, entries


def market(lines):
    banner = lines[0].lower().split()
    if len(banner) != 5 or banner[1] != b"matrix" or banner[2] not in (b"coordinate", b"array"):
        raise Bad("banner")
    if banner[3] not in FIELDS or banner[4] not in (b"general", b"symmetric"):
        raise Unsure("a field or symmetry of which little is known")
    array, width, mirror = banner[2] == b"array", FIELDS[banner[3]], banner[4] == b"symmetric"
    content = iter([line for line in lines[1:] if line.strip() and not line.strip().startswith(b"%")])
    if array and not width:
        raise Bad("an array of a pattern")
    header = next(content, b"").split()
    if len(header) != (2 if array else 3):
        raise Bad("size line")
    rows, cols = size(header[0]), size(header[1])
    if mirror and rows != cols:
        raise Bad("symmetric and not square")
    if not array and not INTEGER.fullmatch(header[2]):
        raise Bad("number of entries")
    entries, seen = {}, 0
    places = array_places(rows, cols, mirror) if array else None
    for line in content:
        fields = line.split()
        if array:
            at = next(places, None)
            if at is None or len(fields) != 1:
                raise Bad("too many values")
            number = value(fields[0])
        else:
            if len(fields) != 2 + width:
                raise Bad("fields of an entry")
            at = place(fields[0], rows), place(fields[1], cols)
            number = value(fields[2]) if width else 1
        seen += 1
        if mirror and at[1] > at[0]:
            raise Bad("above the diagonal")
        entries[at] = entries.get(at, 0) + number
        if mirror and at[0] != at[1]:
            entries[at[::-1]] = entries.get(at[::-1], 0) + number
    if array and next(places, None) is not None or not array and seen != int(header[2]):
        raise Bad("number of entries")
    return rows, cols, entries


def array_places(rows, cols, mirror):
    return ((i, j) for j in range(cols) for i in range(j if mirror else 0, rows))
