"""Tests of the families' ranks, each against elimination of the whole matrix, and of the table with programs that are short or wrong."""

import contextlib
import io
import random
import stat
import unittest

import short_ranks
from fakes import Workshop


class Families(unittest.TestCase):
    def test_ranks(self):
        for name, family in short_ranks.FAMILIES.items():
            for p in (2, 3, 7, 65521):
                for n in (1, 2, 6, 24, 40):
                    lines, cols, rank = family(random.Random(f"{name} {p} {n}"), n, p)
                    dense = [[0] * cols for _ in lines]
                    for row, line in zip(dense, lines):
                        for j, v in line:
                            self.assertNotEqual(v % p, 0, name)
                            self.assertEqual(row[j], 0, f"{name}: one entry at a place")
                            row[j] = v
                    self.assertEqual(short_ranks.small_rank(dense, p), rank, f"{name} mod {p}, order {n}")

    def test_symmetry(self):
        for name in ("symmetric-blocks-2", "forest-laplacian", "tree-laplacian"):
            lines, _, _ = short_ranks.FAMILIES[name](random.Random(1), 20, 65521)
            entries = {(i, j): v for i, line in enumerate(lines) for j, v in line}
            self.assertEqual(entries, {(j, i): v for (i, j), v in entries.items()})


class Table(Workshop):
    def fake(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def lines(self, *argv):
        arguments = short_ranks.parse([*argv, "--size", "20", "--seeds", "4", "--families", "permutation"])
        return list(short_ranks.table(arguments, self.folder))

    def test_short_runs_are_counted(self):
        # Seeds 1 and 2 fall short, by 3.
        short = self.fake("short", 'while [ "$1" != --seed ]; do shift; done; [ "$2" -lt 3 ] && echo 17 || echo 20')
        right = self.fake("right", "echo 20")
        head, first, second = self.lines(right, short, "--blocks", "default", "8")
        self.assertEqual(head.split("\t")[:5], ["family", "p", "rank", "method", "block"])
        self.assertEqual(first.split("\t"), ["permutation", "65521", "20", "wiedemann", "default", "0/4 (0.00)", "2/4 (1.50)"])
        self.assertEqual(second.split("\t")[4], "8")

    def test_wrong_programs_end_the_work(self):
        for body, why in (("echo 21", "above the truth"), ("echo sorry >&2; exit 4", "exit code 4: sorry")):
            with self.assertRaises(SystemExit) as ended:
                self.lines(self.fake("wrong", body))
            self.assertIn(why, str(ended.exception))

    def test_main_prints(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            short_ranks.main([self.fake("right", "echo 20"), "--size", "20", "--seeds", "1", "--families", "permutation"])
        self.assertEqual(len(out.getvalue().splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
