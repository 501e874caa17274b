"""Tests of the table of times left, with a program that tells the truth, lies, is silent, or goes back."""

import ast
import contextlib
import io
import json
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import eta
from fakes import Workshop

# Three seconds of work in twenty reports; what is left is told times a factor, or not at all.
OURS = """
    import json, sys, time
    if "fail" in sys.argv: sys.exit("blackfield: broken")
    start = time.monotonic()
    for k in range(20):
        left = %(left)s
        print(json.dumps({"schema": "blackfield/progress/1", "phase": "sequence", "unit": "terms", "done": %(done)s, "total": 20,
                          "share": None, "parts": [], "phase_seconds": k / 20, "seconds": time.monotonic() - start, "left": left}),
              file=sys.stderr, flush=True)
        time.sleep(0.15)
    print("a note", file=sys.stderr)
"""


def line(at, left, done=0, phase="sequence", share=None):
    return at, {"phase": phase, "parts": [], "left": left, "done": done, "share": share, "phase_seconds": at}


class Ratios(unittest.TestCase):
    def test_time_goes_on_between_two_lines(self):
        lines = [line(0.0, None), line(5.0, 80.0), line(60.0, 40.0)]
        self.assertIsNone(eta.ratio(100.0, lines, 0.04))
        self.assertAlmostEqual(eta.ratio(100.0, lines, 0.10), 75 / 90)
        self.assertAlmostEqual(eta.ratio(100.0, lines, 0.75), 25 / 25)
        self.assertEqual(eta.ratio(1000.0, lines, 0.5), 0.0)
        self.assertIsNone(eta.ratio(100.0, [], 0.5))

    def test_a_factor_two_either_way(self):
        self.assertTrue(eta.is_honest([0.5, 1.0, 2.0, 1.0]))
        for bad in (0.49, 2.01, None):
            self.assertFalse(eta.is_honest([1.0, bad, 1.0, 1.0]))

    def test_the_phase_of_most_of_the_time(self):
        self.assertEqual(eta.longest(10.0, [line(0, None, phase="read"), line(1, None), line(9, None, phase="co-degree")]), "sequence")
        self.assertEqual(eta.longest(10.0, []), "-")

    def test_what_goes_back_is_found(self):
        self.assertIsNone(eta.steps_back([line(0, 1, 5), line(1, 1, 5), line(2, 1, 0, phase="check")]))
        self.assertEqual(eta.steps_back([line(0, 1, 5), line(1, 1, 4)])["done"], 4)
        self.assertEqual(eta.steps_back([line(0, 1, 5, share=0.5), line(1, 1, 6, share=0.4)])["done"], 6)
        # The same phase once more begins anew.
        self.assertIsNone(eta.steps_back([line(1, 1, 5), line(0, 1, 0)]))


class Matrices(unittest.TestCase):
    def test_they_are_what_they_are_called(self):
        for words, least, most in [("grid 4 5", 62, 62), ("graph 30", 300, 600), ("random 50 5", 150, 250), ("half 20", 150, 250)]:
            kind, *numbers = words.split()
            rows, cols, found = eta.entries(kind, [int(n) for n in numbers])
            cells = [(i, j) for i, j, v in found if v > 0]
            self.assertTrue(least <= len(cells) <= most, (words, len(cells)))
            self.assertEqual(len(set(cells)), len(cells))
            self.assertTrue(all(0 <= i < rows and 0 <= j < cols for i, j in cells))
        with self.assertRaises(eta.Failed):
            eta.entries("unknown", [])

    def test_a_full_one_is_in_numpys_format(self):
        with tempfile.TemporaryDirectory() as folder:
            eta.make("full 4 6", Path(folder), None)
            content = (Path(folder) / "full-4-6.npy").read_bytes()
        head = content[10 : 10 + int.from_bytes(content[8:10], "little")]
        self.assertTrue(content.startswith(b"\x93NUMPY\x01\0"))
        self.assertEqual(ast.literal_eval(head.decode("ascii")), {"descr": "|u1", "fortran_order": False, "shape": (4, 6)})
        self.assertEqual(len(content), 10 + len(head) + 24)


class Table(Workshop):
    def table(self, left="max(1.0 - (time.monotonic() - start), 0.0)", done="k", command="rank", *more):
        ours = self.program("ours", OURS % {"left": left, "done": done})
        out, err = io.StringIO(), io.StringIO()
        argv = ["--command", command, "--blackfield", str(ours), "--work", str(self.folder), "--output", str(self.folder / "o.json"), *more]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = eta.main(argv)
        return code, out.getvalue(), err.getvalue()

    def test_the_truth(self):
        # By the rate so far. A busy machine may stop for a while: nothing but silence and a wrong order of magnitude is a lie here.
        with unittest.mock.patch.object(eta, "FACTOR", 50):
            code, text, _ = self.table("(time.monotonic() - start + 0.01) / (k + 1) * (20 - k)", "k", "rank", "--demand")
        self.assertIn("| sequence |", text)
        self.assertIn("Within a factor 50 at all four moments: 1 of 1 runs.", text)
        self.assertEqual(code, 0)
        self.assertEqual(len(json.loads((self.folder / "o.json").read_text())["command"]["lines"]), 20)

    def test_lies_and_silence(self):
        for left in ("9e9", "None"):
            code, text, _ = self.table(left, "k", "rank", "--demand")
            self.assertIn("0 of 1 runs", text)
            self.assertEqual(code, 1)
            self.assertEqual(self.table(left)[0], 0)

    def test_failures(self):
        code, _, errors = self.table(done="20 - k")
        self.assertEqual(code, 1)
        self.assertIn("progress went back", errors)
        code, _, errors = self.table(command="fail")
        self.assertEqual(code, 1)
        self.assertIn("broken", errors)


if __name__ == "__main__":
    unittest.main()
