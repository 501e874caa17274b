"""Tests of certificates.py with a small stand-in for blackfield: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import unittest

import certificates
from fakes import Workshop

# Prints the documents of `rank` and `verify`; a certificate takes a quarter longer.
OURS = """
    import json, sys
    from pathlib import Path
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    if sys.argv[1] == "generate": Path(sys.argv[sys.argv.index("-o") + 1] if "-o" in sys.argv else sys.argv[3]).write_text("x"); sys.exit()
    if sys.argv[1] == "rank":
        certificate = "--certificate" in sys.argv
        if certificate: Path(sys.argv[sys.argv.index("--certificate") + 1]).write_text("1234567890" * 200)
        print(json.dumps({"rank": %(with)d if certificate else 17, "seconds": 1.25 if certificate else 1.0}))
    else:
        print(json.dumps({"rank": 17, "verdict": %(verdict)s, "seconds": 0.5}))
"""


class Certificates(Workshop):
    def table(self, *options, rank=17, verdict="True"):
        program = self.program("ours", OURS % {"with": rank, "verdict": verdict})
        (self.folder / "square.mtx").write_text("x", encoding="utf-8")
        out, err = io.StringIO(), io.StringIO()
        argv = ["--matrix", "square", "--data", str(self.folder), "--blackfield", str(program), "--work", str(self.folder), "-n", "2"]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = certificates.main([*argv, *options])
        return code, out.getvalue(), err.getvalue()

    def test_the_ratio_is_that_of_the_least_times(self):
        output = self.folder / "out.json"
        code, text, errors = self.table("--output", str(output))
        self.assertEqual(code, 0, errors)
        self.assertRegex(text, r"\| square \| 17 \| 1\.00 \| 1\.25 \| 1\.25 \| 0\.500 \| 2 kB \|")
        self.assertEqual(json.loads(output.read_text())["runs"][0]["seconds"]["verify"], [0.5, 0.5])

    def test_wrong_answers_are_seen(self):
        code, _, errors = self.table(rank=18)
        self.assertEqual(code, 1)
        self.assertIn("ranks disagree: 17, 18", errors)
        code, _, errors = self.table(verdict="False")
        self.assertEqual(code, 1)
        self.assertIn("does not verify", errors)

    def test_wrong_usage(self):
        for options in (["-p", "0"], ["-n", "0"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                certificates.main(options)


if __name__ == "__main__":
    unittest.main()
