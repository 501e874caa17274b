#!/usr/bin/env python3
"""FLINT's permanent of a 0–1 pattern: `flint_permanent.py LIBFLINT FILE` prints {"permanent", "cpu_seconds", "version"}.

python-flint has no name for `fmpz_mat_permanent`, but its wheel brings the library that does (FLINT 3.6 in python-flint 0.9). Only that
call is timed: starting Python and reading the file are not held against FLINT.
"""

import ctypes
import json
import sys
import time

from oracles import read_pattern

Word = ctypes.c_ssize_t


class Matrix(ctypes.Structure):
    """fmpz_mat_t: entries by rows come first in every version; there is room for what follows."""

    _fields_ = [("entries", ctypes.POINTER(Word)), ("rest", Word * 7)]


def permanent(library, rows):
    """The permanent as digits, and the CPU seconds of the call."""
    n, matrix, value = len(rows), Matrix(), Word(0)
    library.fmpz_mat_init(ctypes.byref(matrix), Word(n), Word(n))
    for i, row in enumerate(rows):
        for j in range(n):
            # An integer below 2⁶² in absolute value is its own fmpz.
            matrix.entries[i * n + j] = row >> j & 1
    start = time.process_time()
    found = library.fmpz_mat_permanent(ctypes.byref(value), ctypes.byref(matrix))
    seconds = time.process_time() - start
    if not found:
        sys.exit("fmpz_mat_permanent gave up")
    library.fmpz_get_str.restype = ctypes.c_void_p
    return ctypes.string_at(library.fmpz_get_str(None, 10, ctypes.byref(value))).decode(), seconds


def main():
    library = ctypes.CDLL(sys.argv[1])
    if not hasattr(library, "fmpz_mat_permanent"):
        sys.exit(f"{sys.argv[1]} is a FLINT without fmpz_mat_permanent: a newer one is needed")
    version = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "flint_version"))).decode()
    digits, seconds = permanent(library, read_pattern(sys.argv[2]))
    print(json.dumps({"permanent": digits, "cpu_seconds": seconds, "version": version}))


if __name__ == "__main__":
    main()
