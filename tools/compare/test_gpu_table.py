"""Tests of gpu_table.py with a small stand-in for blackfield: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import unittest

import gpu_table
import generators
import oracles
from fakes import Workshop

# Prints the document of `blackfield permanent --json`; two GPUs are twice as fast.
OURS = """
    import json, os, sys
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    gpus = os.environ["CUDA_VISIBLE_DEVICES"].count(",") + 1 if os.environ["CUDA_VISIBLE_DEVICES"] else 0
    assert sys.argv[1:6] == ["permanent", "--method", "gray", "--device", "cuda" if gpus else "cpu"], sys.argv
    value = {%(values)s}.get(gpus, "%(value)s")
    print(json.dumps({"permanent": value, "path": [{"seconds": 9.0}, {"seconds": 4.0 / max(gpus, 1)}]}))
"""


class GpuTable(Workshop):
    def table(self, *options, value=None, values=""):
        """The value has the right parity unless it is given."""
        odd = oracles.parity(oracles.read_pattern(generators.generate("half-7-1", self.folder)))
        program = self.program("ours", OURS % {"values": values, "value": value or str(1234567890123456789012344 + odd)})
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = gpu_table.main(["--size", "7", "--blackfield", str(program), "--work", str(self.folder), "-n", "2", *options])
        return code, out.getvalue(), err.getvalue(), odd

    def test_gpus_in_turn_and_the_processor_once(self):
        output = self.folder / "out.json"
        code, text, errors, _ = self.table("--gpus", "1", "2", "--output", str(output))
        self.assertEqual(code, 0, errors)
        self.assertRegex(text, r"\| 7 \| 123456789012… \(25\) \| 0\.\d+ / 4\.00 \| 0\.\d+ / 2\.00 \| [\d.]+ / 2\.00 \| 1\.60e\+01 \|")
        order = [line.split(" on ")[1][0] for line in errors.splitlines() if "of wall" in line]
        self.assertEqual(order, ["1", "2", "1", "2", "0"])
        self.assertEqual(len(json.loads(output.read_text())["runs"][0]["seconds"]["2"]), 2)

    def test_wrong_permanents_are_seen(self):
        code, _, errors, odd = self.table("--gpus", "1", "2", values="2: '5'")
        self.assertEqual(code, 1)
        self.assertIn("permanents disagree", errors)
        code, _, errors, _ = self.table("--processor", "1", value=str(10 + (1 - odd)))
        self.assertEqual(code, 1)
        self.assertIn("parity", errors)

    def test_wrong_usage(self):
        for options in (["--gpus", "0"], ["-n", "0"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                gpu_table.main(options)


if __name__ == "__main__":
    unittest.main()
