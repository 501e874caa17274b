"""Tests of scaling.py with a small stand-in for blackfield: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import unittest
from unittest import mock

import scaling
from fakes import Workshop

# A program whose sequence takes 8 s / threads and whose verdict takes 1 s, whatever; every second run takes twice as long.
OURS = """
    import json, sys
    from pathlib import Path
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    threads = int(sys.argv[sys.argv.index("--threads") + 1])
    rounds = Path(sys.argv[0]).with_suffix(".rounds")
    count = len(rounds.read_text()) if rounds.exists() else 0
    rounds.write_text("x" * (count + 1))
    slow = 2 if count %% 2 else 1
    print(json.dumps({"rank": %(rank)s, "threads": threads, "seconds": slow * (1 + 8 / threads), "path": [threads],
        "phases": {"read": 0.001, "sequence": slow * 8 / threads, "codegree": slow * 1.0},
        "processor_seconds": {"sequence": slow * 8.0}}))
"""


class Scaling(Workshop):
    def tables(self, *options, rank="17"):
        ours = self.program("ours", OURS % {"rank": rank})
        (self.folder / "ours.rounds").unlink(missing_ok=True)
        out, err = io.StringIO(), io.StringIO()
        argv = ["--data", str(self.folder), "--work", str(self.folder), "--blackfield", str(ours), "--free", *options]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = scaling.main([*argv, "--", "rank m -p 7"])
        return code, out.getvalue(), err.getvalue()

    def test_least_seconds_by_phase_with_processor_seconds_and_speed_up(self):
        output = self.folder / "out.json"
        code, text, errors = self.tables("--threads", "4", "1", "2", "-n", "2", "--output", str(output))
        self.assertEqual(code, 0, errors)
        self.assertIn("`rank m -p 7`", text)
        self.assertIn("| phase | 1 thread | 2 threads | 4 threads |", text)
        # Three runs a round: each number of threads meets a quick and a slow one, whatever the order.
        self.assertIn("| sequence | 8.00 (8.00) ×1.00 | 4.00 (8.00) ×2.00 | 2.00 (8.00) ×4.00 |", text)
        self.assertIn("| codegree | 1.00 ×1.00 | 1.00 ×1.00 | 1.00 ×1.00 |", text)
        self.assertRegex(text, r"\| all \| 9\.00 \([\d.]+\) ×1\.00 \| 5\.00 \([\d.]+\) ×1\.80 \| 3\.00 \([\d.]+\) ×3\.00 \|")
        # Below the share that is shown.
        self.assertNotIn("| read |", text)
        self.assertEqual(json.loads(output.read_text())["seconds"]["rank m -p 7"]["2"]["sequence"], [4.0, 8.0])

    def test_rounds_alternate(self):
        asked = []
        execute = scaling.execute

        def noted(argv, threads, timeout):
            asked.append(threads)
            return execute(argv, threads, timeout)

        with mock.patch.object(scaling, "execute", noted):
            self.assertEqual(self.tables("--threads", "1", "3", "-n", "2")[0], 0)
        self.assertEqual(asked, [1, 3, 1, 3])

    def test_answers_that_depend_on_threads_are_seen(self):
        code, _, errors = self.tables("--threads", "1", "2", "-n", "1", rank="17 + threads")
        self.assertEqual(code, 1)
        self.assertIn("another answer with 2 threads: rank", errors)

    def test_threads_and_processors(self):
        self.assertEqual([scaling.doublings(n) for n in (1, 2, 6, 16)], [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8, 16]])
        self.assertEqual(scaling.pinned(["x"], 2, [3, 5, 7]), ["taskset", "-c", "3,5", "x"])
        self.assertEqual(scaling.pinned(["x"], 2, []), ["x"])

    def test_wrong_usage(self):
        for options in (["--threads", "0"], ["-n", "0"], ["rank"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                scaling.main(options)


if __name__ == "__main__":
    unittest.main()
