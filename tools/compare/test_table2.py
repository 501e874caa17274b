"""Tests of table2.py with small stand-ins for the two programs: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import unittest
import unittest.mock

import table2
from fakes import Workshop

OURS = """
    import json, sys
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    phases = {"read": 9.0, "plan": 0.25, "sequence": 1.0, "sigma_basis": 0.5, "codegree": 0.25}
    print(json.dumps({"rank": 7, "phases": phases}))
"""
RIVAL = """
    import json, sys, time
    bw = sys.argv[1] == "bw"
    if not bw and "double" in sys.argv: time.sleep(%(sleep)s)
    phases = {"sequence": 8.0, "sigma_basis": 1.0, "codegree": 11.0}
    print(json.dumps({"method": sys.argv[1], "rank": %(rank)s, "cpu": phases, "wall": phases, "cpu_seconds": 20.0, "seconds": 20.0}))
"""


class Table2(Workshop):
    def table(self, *options, rank=7, sleep=0, ours=OURS):
        argv = ["--matrix", str(self.folder / "m.sms"), "--work", str(self.folder), "-n", "2", *options]
        argv += ["--blackfield", str(self.program("ours", ours)), "--driver", str(self.program("rival", RIVAL % {"rank": rank, "sleep": sleep}))]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = table2.main(argv)
        rows = [[c.strip() for c in line.strip("| ").split("|")] for line in out.getvalue().splitlines() if line.startswith("|")]
        return code, {row[0]: row[1:] for row in rows}, err.getvalue()

    def test_layout_medians_and_ratios(self):
        code, rows, _ = self.table("--threads", "1", "2", "--output", str(self.folder / "out.json"))
        self.assertEqual(code, 0)
        self.assertEqual(rows["mod 65521, seconds"], ["m.sms, 1 core (CPU)", "m.sms, 2 threads (wall)"])
        self.assertEqual(rows["Seq-LB plain"], ["8.00", "8.00"])
        self.assertEqual(rows["Interpolation-blackfield"], ["0.250", "0.250"])
        self.assertEqual(rows["Total-blackfield"], ["2.00", "2.00"])  # reading is out, planning is in
        self.assertEqual(rows["**Total-LB plain / blackfield**"], ["10.0", "10.0"])
        self.assertEqual(rows["LinBox Wiedemann, scalar"], ["20.00", "–"])  # LinBox's is sequential
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual({c["contender"] for c in document["cells"]}, {"blackfield", "plain", "tuned", "fflas", "scalar", "scalar-double"})
        self.assertTrue(all(len(c["runs"]) == 2 for c in document["cells"]))

    def test_disagreeing_ranks_fail(self):
        code, _, errors = self.table("--threads", "1", rank=6)
        self.assertEqual(code, 1)
        self.assertIn("ranks disagree: m.sms: 6 by fflas (1 threads), plain (1 threads)", errors)

    def test_timeout_is_marked_and_not_repeated(self):
        self.unhurried(table2, hurried=lambda argv: "bw" not in argv and "double" in argv)
        code, rows, errors = self.table("--threads", "1", "--timeout", "1.5", sleep=3600)
        self.assertEqual(code, 0)
        self.assertEqual(rows["LinBox Wiedemann, scalar-double"], ["> 1.5"])
        self.assertEqual(rows["**LinBox Wiedemann, scalar-double / blackfield**"], ["> 0.8"])
        self.assertEqual(errors.count("not in 1.5 s"), 1)

    def test_choice_of_contenders(self):
        _, rows, _ = self.table("--threads", "1", "--rival", "fflas", "--no-linbox-wiedemann")
        self.assertIn("Total-LB fflas", rows)
        self.assertNotIn("Total-LB plain", rows)
        self.assertFalse([title for title in rows if "Wiedemann" in title])

    def test_without_linbox_blackfield_runs_alone(self):
        with unittest.mock.patch.object(table2, "build_driver", return_value=None), contextlib.redirect_stdout(io.StringIO()) as out:
            with contextlib.redirect_stderr(io.StringIO()) as err:
                ours = str(self.program("ours", OURS))
                code = table2.main(["--matrix", str(self.folder / "m.sms"), "--work", str(self.folder), "--threads", "1", "--blackfield", ours])
        self.assertEqual(code, 0)
        self.assertIn("| Total-blackfield | 2.00 |", out.getvalue())
        self.assertNotIn("LB", out.getvalue())
        self.assertIn("liblinbox-dev", err.getvalue())

    def test_failing_program_is_reported(self):
        code, rows, errors = self.table("--threads", "1", ours="import sys; sys.exit('no such matrix')")
        self.assertEqual((code, rows), (1, {}))
        self.assertIn("no such matrix", errors)


if __name__ == "__main__":
    unittest.main()
