"""Tests of gpu.py with a small stand-in for blackfield and without a GPU: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import unittest
from unittest import mock

import gpu
from fakes import Workshop

# Prints the document of `blackfield bench formats --json`, or writes a matrix. Mod 2 everything is twice as fast.
OURS = """
    import json, sys
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    if sys.argv[1] == "generate":
        open(sys.argv[4], "w").write("2 3 M\\n1 1 1\\n1 3 -1\\n2 2 1\\n0 0 0\\n"); sys.exit()
    assert sys.argv[1:5] == ["bench", "formats", "--device", "cuda"], sys.argv
    times = 2 if sys.argv[sys.argv.index("-p") + 1] == "2" else 1
    rates = {"COO": 5, "CSR": 10, "sliced ELL": 40, "sliced ELL with +-1 as values": 32, "100 products in a row": 30,
             "100 products one by one": 2}
    names = [(f"tiny, {what}, {w} vectors", rate * w * times) for w in (1, 8) for what, rate in rates.items()]
    print(json.dumps({"results": [{"name": %(name)s, "rate": r * 1e9} for n, r in names]}))
    sys.exit(%(code)s)
"""


class Gpu(Workshop):
    def tables(self, *options, name="n", code=0):
        program = self.program("ours", OURS % {"name": name, "code": code})
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = gpu.main(["--blackfield", str(program), "--work", str(self.folder), "--moduli", "2", "65521", *options])
        return code, out.getvalue(), err.getvalue()

    def test_figures_are_relative_to_csr(self):
        output = self.folder / "out.json"
        code, text, errors = self.tables("--no-rivals", "--output", str(output))
        self.assertEqual(code, 0, errors)
        self.assertRegex(text, r"\| COO +\| +5 \(0\.50\) \| +40 \(0\.50\) \|")
        self.assertRegex(text, r"\| sliced ELL +\| +40 \(4\.00\) \| +320 \(4\.00\) \|")
        self.assertRegex(text, r"\| 8 +\| +320 \| +256 \| +1\.25 \|")
        self.assertRegex(text, r"\| 1 +\| +30 \| +2 \| +15\.00 \|")
        self.assertRegex(text, r"\| 2 +\| +1 \| +80 \| +640 \|\n\| 65521 +\| +16 \| +40 \| +320 \|")
        self.assertEqual(json.loads(output.read_text())["moduli"]["2"][1], {"what": "CSR", "width": 1, "rate": 20e9})

    def test_rivals_stand_beside_or_are_named(self):
        def present(matrix, some):
            self.assertEqual(matrix, (2, 3, [(0, 0, 1), (0, 2, -1), (1, 1, 1)]))
            return "rival", {("rival", w): w * 1e9 for w in some}

        def absent(matrix, some):
            raise ImportError("none here")

        whole = gpu.rivals
        with mock.patch.object(gpu, "rivals", lambda *args: whole(*args, ways=(present, absent))):
            code, text, errors = self.tables()
        self.assertEqual(code, 0, errors)
        self.assertRegex(text, r"\| rival +\| +1 \| +8 \|")
        self.assertIn("none here", errors)

    def test_failures_are_told(self):
        code, _, errors = self.tables("--no-rivals", code=5)
        self.assertEqual(code, 1)
        self.assertIn("gpu:", errors)
        code, _, errors = self.tables("--no-rivals", name="'no such line'")
        self.assertEqual(code, 1)
        self.assertIn("a line that is none", errors)

    def test_medians_leave_the_first_run_out(self):
        times = iter([100.0, 1.0, 3.0, 2.0])
        calls = []
        found = gpu.median(lambda: None, lambda _: next(times), lambda: calls.append(1), times=3, products=4)
        self.assertEqual((found, len(calls)), (2e-3 / 4, 16))

    def test_wrong_usage(self):
        for options in (["--threads", "0"], ["--moduli", "1"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                gpu.main(options)


if __name__ == "__main__":
    unittest.main()
