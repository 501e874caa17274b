"""Smaller inputs that still show what was found: delta debugging (Zeller, Hildebrandt 2002) on rows, columns, entries and values."""

import itertools
import time

from matrices import Matrix


def shrink(thing, still, until, simpler):
    """The last of a chain of simpler things for each of which `still` is true; `until` is a time of `time.monotonic`.

    After a success the search goes on at the same place of the new thing's list, and begins anew when it has come to the end of one.
    """
    progress = True
    while progress:
        progress, at = False, 0
        candidates = iter(simpler(thing))
        while time.monotonic() < until:
            candidate = next(candidates, None)
            if candidate is None:
                break
            if still(candidate):
                thing, progress = candidate, True
                candidates = itertools.islice(simpler(thing), at, None)
            else:
                at += 1
        progress = progress and time.monotonic() < until
    return thing


def pieces(n):
    """Ranges to leave out of n things: halves first, then smaller ones, at last each by itself."""
    size = n
    while size >= 1:
        for start in range(0, n, size):
            yield range(start, min(n, start + size))
        size = size // 2


def without(n, gone):
    """Where the things that stay go to."""
    stay = [k for k in range(n) if k not in gone]
    return {k: to for to, k in enumerate(stay)}


def matrices(a):
    """Matrices that are simpler than `a`: fewer rows, fewer columns, fewer entries, smaller values."""
    for gone in pieces(a.rows):
        keep = without(a.rows, gone)
        yield Matrix(len(keep), a.cols, [(keep[i], j, v) for i, j, v in a.entries if i in keep])
    for gone in pieces(a.cols):
        keep = without(a.cols, gone)
        yield Matrix(a.rows, len(keep), [(i, keep[j], v) for i, j, v in a.entries if j in keep])
    for gone in pieces(len(a.entries)):
        yield Matrix(a.rows, a.cols, a.entries[: gone.start] + a.entries[gone.stop :])
    yield from simpler_values(a)


def squares(a):
    """As `matrices`, of the same number of rows and columns."""
    for gone in pieces(a.rows):
        keep = without(a.rows, gone)
        yield Matrix(len(keep), len(keep), [(keep[i], keep[j], v) for i, j, v in a.entries if i in keep and j in keep])
    for gone in pieces(len(a.entries)):
        yield Matrix(a.rows, a.cols, a.entries[: gone.start] + a.entries[gone.stop :])
    yield from simpler_values(a)


def simpler_values(a):
    if any(v != 1 for _, _, v in a.entries):
        yield Matrix(a.rows, a.cols, [(i, j, 1) for i, j, _ in a.entries])
    for k, (i, j, v) in enumerate(a.entries):
        for simple in (1, -1, v // 2 if abs(v) > 3 else 0):
            if simple and abs(simple) < abs(v) or simple == 1 and v == -1:
                yield Matrix(a.rows, a.cols, a.entries[:k] + [(i, j, simple)] + a.entries[k + 1 :])


def several(simpler):
    """For lists of things: fewer of them; a single one as `simpler` has it."""

    def lists(things):
        for gone in pieces(len(things)) if len(things) > 1 else ():
            if len(gone) < len(things):
                yield things[: gone.start] + things[gone.stop :]
        if len(things) == 1:
            yield from ([thing] for thing in simpler(things[0]))

    return lists


def texts(data):
    """Simpler bytes: fewer lines, then fewer bytes."""
    lines = data.splitlines(keepends=True)
    for gone in pieces(len(lines)):
        yield b"".join(lines[: gone.start] + lines[gone.stop :])
    if len(data) <= 400:
        for gone in pieces(len(data)):
            if len(gone) < len(data):
                yield data[: gone.start] + data[gone.stop :]


def nothing(_):
    """For what cannot be made simpler."""
    return ()
