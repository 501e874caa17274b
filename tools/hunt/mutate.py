"""Damage: bytes that were flipped, cut, doubled, exchanged, or written anew by somebody who knows what a number may do."""

NUMBERS = (b"0", b"-1", b"1", b"2147483647", b"2147483648", b"4294967295", b"4294967296", b"18446744073709551616", b"9" * 40, b"1e9", b"0.5", b"nan", b"")


def flip(rng, data):
    """One to four bits."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4) if out else 0):
        at = rng.randrange(len(out))
        out[at] ^= 1 << rng.randrange(8)
    return bytes(out)


def cut(rng, data):
    """The end is missing, or the beginning, or a piece."""
    a, b = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    return rng.choice((data[:a], data[b:], data[:a] + data[b:]))


def repeat(rng, data):
    """A piece stands twice."""
    a = rng.randint(0, len(data))
    b = min(len(data), a + rng.randint(1, 40))
    return data[:b] + data[a:b] + data[b:]


def noise(rng, data):
    """Bytes put in."""
    at = rng.randint(0, len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at:]


def line(rng, data):
    """A line is missing, doubled, or elsewhere."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(3)
    if way == 0:
        del lines[a]
    elif way == 1:
        lines.insert(b, lines[a])
    else:
        lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def number(rng, data):
    """A number of the text is another one."""
    spans, start = [], None
    for at, byte in enumerate(data + b" "):
        digit = 48 <= byte <= 57
        if digit and start is None:
            start = at
        elif not digit and start is not None:
            spans.append((start, at))
            start = None
    if not spans:
        return data
    a, b = rng.choice(spans)
    new = rng.choice(NUMBERS) if rng.random() < 0.5 else str(int(data[a:b][:30]) + rng.choice((-1, 1, 2, 10))).encode()
    return data[:a] + new + data[b:]


def dress(rng, data):
    """The same text with other ends of lines, blanks, comments, or a mark of byte order."""
    way = rng.randrange(5)
    if way == 0:
        return data.replace(b"\n", b"\r\n")
    if way == 1:
        return data.replace(b" ", rng.choice((b"\t", b"   ")))
    if way == 2:
        return b"\xef\xbb\xbf" + data
    if way == 3:
        return data.rstrip(b"\n") + rng.choice((b"", b"\n\n", b"  \n"))
    lines = data.splitlines(keepends=True)
    lines.insert(rng.randint(1, max(1, len(lines) - 1)), rng.choice((b"% said\n", b"\n", b"   \n")))
    return b"".join(lines)


BINARY = (flip, cut, repeat, noise)
TEXT = BINARY + (line, line, number, number, dress, dress)


def some(rng, data, ways):
    """One mutation, or up to three."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(ways)(rng, data)
    return data
