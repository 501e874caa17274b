"""Tests of the table of plans, with a program that predicts well, badly, or contradicts itself."""

import contextlib
import io

import plans
from fakes import Workshop

# Half a second for a step, as foretold or not, in the plan; other seconds for the ways asked for.
OURS = """
    import json, sys
    way = sys.argv[sys.argv.index("--method") + 1]
    took = %(took)s.get(way)
    if took is None: sys.exit("not this way")
    found = "rank 7" if way in %(same)s else way
    steps = [{"name": "row space", "found": found, "predicted": %(predicted)s, "seconds": 0.5},
             {"name": "pivots", "found": "", "predicted": None, "seconds": 9.0}]
    print(json.dumps({"rank": 7 + %(wrong)s * (way == "hybrid"), "certainty": "proven", "path": steps, "seconds": took + 3.0,
                      "phases": {"read": 2.0, "digest": 1.0}}))
"""


class Plans(Workshop):
    def table(self, took, predicted=0.4, wrong=0, same=()):
        ours = self.program("ours", OURS % {"took": took, "predicted": predicted, "wrong": wrong, "same": same})
        out, err = io.StringIO(), io.StringIO()
        argv = ["--case", f"{self.folder / 'm.sms'}:2", "--blackfield", str(ours), "--work", str(self.folder)]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = plans.main(argv)
        return code, out.getvalue(), err.getvalue()

    def test_a_plan_that_comes_true(self):
        code, text, _ = self.table({"auto": 1.0, "elimination": 1.1, "wiedemann": 2.0})
        self.assertEqual(code, 0)
        self.assertIn("| row space | 0.400 | 0.500 | 1.00 | elimination 1.10; wiedemann 2.00 | 1.00 |", text)
        self.assertIn("1 of 1 predictions of 0.1 s and more stand within a factor 3.", text)
        self.assertIn("Regret at most 1.3 in 1 of 1 cases, at most 1.00.", text)

    def test_a_plan_that_does_not(self):
        code, text, _ = self.table({"auto": 3.0, "elimination": 1.5}, predicted=0.1)
        self.assertEqual(code, 0)
        self.assertIn("0.100 **!** | 0.500", text)
        self.assertIn("| **2.00** |", text)
        self.assertIn("0 of 1 predictions", text)
        self.assertIn("in 0 of 1 cases, at most 2.00", text)

    def test_the_same_steps_are_the_same_plan(self):
        code, text, _ = self.table({"auto": 3.0, "elimination": 1.5, "hybrid": 1.25}, same=("auto", "elimination"))
        self.assertEqual(code, 0)
        self.assertIn("| 0.500 | 1.50 | elimination 1.50; hybrid 1.25 | 1.20 |", text)

    def test_ranks_that_differ(self):
        code, _, errors = self.table({"auto": 1.0, "hybrid": 1.0}, wrong=1)
        self.assertEqual(code, 1)
        self.assertIn("mod 2: 7 by auto; 8 by hybrid", errors)

    def test_a_plan_that_fails(self):
        code, text, errors = self.table({"elimination": 1.0})
        self.assertEqual(code, 0)
        self.assertIn("not in 120 s", text)
        self.assertIn("not this way", errors)
