"""Tests of rank_table.py with small stand-ins for all programs: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import re
import unittest

import rank_table
from fakes import Workshop
from harness import Outcome

# Prints the document of `blackfield rank --json`, with a key of the future; burns CPU first, for the figures to have a size.
OURS = """
    import json, sys, time
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    if "--fail" in sys.argv: sys.exit("no such option")
    while time.process_time() < %(burn)s * (2 if "--slow" in sys.argv else 1): pass
    large = sys.argv[sys.argv.index("-p") + 1] == "2147483647"
    while large and time.process_time() < 3 * %(burn)s: pass
    print(json.dumps({"rank": %(rank)s, "method": "auto", "certainty": "proven", "plan": {"new": 1},
                      "phases": {"read": 9.0, "dense": 0.5, "digest": 4.0}}))
"""
# SpaSM reads standard input and prints to standard error.
SPASM = """
    import sys, time
    assert sys.stdin.readline() == "1 1 M\\n" and sys.argv[1:] == ["--modulus", "65521"]
    while time.process_time() < %(burn)s: pass
    sys.stderr.write("[pivots] rank = 3\\ndone in 0.1 s rank = %(rank)s\\n")
"""
SPARSERREF = """
    import sys, time
    while time.process_time() < %(burn)s: pass
    print("rank: %(rank)s nnz: 5", flush=True)
    while True: pass
"""
DRIVER = """
    import json, sys, time
    while time.process_time() < %(burn)s: pass
    print(json.dumps({"rank": %(rank)s, "method": sys.argv[1], "cpu_seconds": 2.0}))
"""
BROKEN = "import sys; sys.exit('segmentation fault')"


class RankTable(Workshop):
    def table(self, *options, ours=OURS, spasm=SPASM, ours_rank=7, rank=7, burn=0.03, rival_burn=0.1, runs=1):
        def fake(name, source, rank, burn):
            return str(self.program(name, source % {"rank": rank, "burn": burn} if "%" in source else source))

        argv = ["--matrix", str(self.folder / "m.sms"), "--work", str(self.folder), "-n", str(runs)]
        argv += ["--blackfield", fake("ours", ours, ours_rank, burn), "--driver", fake("driver", DRIVER, 7, 2 * rival_burn)]
        argv += ["--spasm", fake("spasm", spasm, rank, rival_burn), "--sparserref", fake("sparserref", SPARSERREF, 7, 2 * rival_burn)]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = rank_table.main(argv + list(options))
        lines = [[c.strip() for c in line.strip("| ").split("|")] for line in out.getvalue().splitlines() if line.startswith("|")]
        tables, header = {}, None
        for line in lines:
            if header is None or line[0] in ("matrix", "full matrix, CPU seconds after reading"):
                header = line
            elif not line[0].startswith("-"):
                tables.setdefault(line[0], {}).update(zip(header, line))
        return code, tables, out.getvalue(), err.getvalue()

    def test_all_contenders_best_rival_and_ratio(self):
        output = self.folder / "out.json"
        code, tables, text, errors = self.table("--output", str(output), "--ours", "auto=", "slow=--slow", runs=2)
        self.assertEqual(code, 0, errors)
        row = tables["m.sms"]
        self.assertEqual((row["rank"], row["how (auto)"], row["best rival"]), ("7", "auto, proven", "SpaSM"))
        for name in ("auto", "slow", "SpaSM", "SparseRREF", "LinBox", "FFPACK dense"):
            self.assertRegex(row[name], r"^[\d.]+ \(\d+ MB\)$")
        self.assertGreater(float(row["best / auto"]), float(row["best / slow"]))
        self.assertGreater(float(row["best / auto"]), 1.2)
        self.assertIn("best rival / auto: geometric mean " + row["best / auto"], text)
        document = json.loads(output.read_text())
        self.assertEqual([len(c["runs"]) for c in document["cells"]], [2] * 6)
        self.assertEqual(document["cells"][0]["runs"][0]["certainty"], "proven")
        # In turn: every contender once a round.
        order = [line.split(", ")[1].split(":")[0] for line in errors.splitlines() if line.startswith("m.sms, ")]
        self.assertEqual(order[:6], order[6:])

    def test_disagreement_among_rivals_fails(self):
        code, tables, _, errors = self.table("--rival", "spasm", "linbox", rank=6)
        self.assertEqual((code, tables["m.sms"]["rank"]), (1, "6 / 7"))
        self.assertIn("ranks disagree: m.sms: 6 by SpaSM; 7 by LinBox, blackfield", errors)

    def test_known_rank_is_checked(self):
        (self.folder / "bibd_81_3.sms").write_text("1 1 M\n1 1 1\n0 0 0\n")
        code, _, _, errors = self.table("--matrix", "bibd_81_3", "--data", str(self.folder), "--rival", "linbox")
        self.assertEqual(code, 1)
        self.assertIn("bibd_81_3: 7 by LinBox, blackfield; 3240 by what is known", errors)

    def test_timeout_is_shown_and_not_repeated(self):
        _, tables, text, errors = self.table("--timeout", "0.4", "--rival", "spasm", rival_burn=60, runs=2)
        row = tables["m.sms"]
        self.assertEqual((row["SpaSM"], row["best rival"], row["memory blackfield / best"]), ("> 0.4", "–", "–"))
        self.assertRegex(row["best / blackfield"], r"^> [\d.]+$")
        self.assertEqual(errors.count("SpaSM: not in 0.4 s"), 1)
        self.assertIn("(1 matrices)", text)

    def test_our_own_timeout_counts_in_the_mean(self):
        _, tables, text, _ = self.table("--timeout", "0.4", "--rival", "spasm", burn=60)
        self.assertRegex(tables["m.sms"]["best / blackfield"], r"^< 0\.\d+$")
        self.assertRegex(text, r"geometric mean 0\.\d+")

    def test_broken_rival_is_shown_and_broken_blackfield_ends_all(self):
        code, tables, _, errors = self.table("--rival", "spasm", "linbox", spasm=BROKEN, runs=2)
        self.assertEqual((code, tables["m.sms"]["SpaSM"], tables["m.sms"]["best rival"]), (0, "failed", "LinBox"))
        self.assertEqual(errors.count("segmentation fault"), 1)
        code, tables, _, errors = self.table("--ours", "blackfield=--fail")
        self.assertEqual((code, tables), (1, {}))
        self.assertIn("no such option", errors)

    def test_rival_without_an_answer_is_broken(self):
        _, tables, _, errors = self.table("--rival", "spasm", spasm="print('hello')")
        self.assertEqual(tables["m.sms"]["SpaSM"], "failed")
        self.assertIn("no rank on its output", errors)

    def test_absent_rivals_are_named(self):
        code, tables, _, errors = self.table("--spasm", "", "--rival", "spasm", "sparserref-1")
        self.assertEqual(code, 0)
        self.assertNotIn("SpaSM", tables["m.sms"])
        self.assertIn("SparseRREF -m 1", tables["m.sms"])
        self.assertIn("spasm is not here", errors)

    def test_too_large_for_a_dense_array(self):
        _, tables, _, _ = self.table("--dense-memory", "1e-9", "--rival", "ffpack", "linbox")
        self.assertEqual(tables["m.sms"]["FFPACK dense"], "0 GB")

    def test_long_runs_are_not_repeated(self):
        _, _, _, errors = self.table("--once-above", "0.09", "--rival", "spasm", runs=2)
        self.assertEqual((errors.count("SpaSM: rank"), errors.count("blackfield: rank")), (1, 2))

    def test_rivals_alone(self):
        code, tables, text, _ = self.table("--ours", "--rival", "spasm", "linbox")
        self.assertEqual((code, tables["m.sms"]["best rival"]), (0, "SpaSM"))
        self.assertNotIn("geometric mean", text)

    def test_large_gives_rivals_ten_times_our_seconds(self):
        (self.folder / "ch7-9-b4.sms").write_text("1 1 M\n1 1 1\n0 0 0\n")
        options = ["--no-main", "--large", "--large-matrix", "ch7-9-b4", "--data", str(self.folder), "--rival", "spasm", "linbox"]
        asked = self.unhurried(rank_table, hurried=lambda argv: argv[0].endswith("spasm"))
        code, tables, _, errors = self.table(*options, ours_rank=89650, spasm=SPASM.replace("while", "while True or"), burn=0.01, rival_burn=0, runs=2)
        row = tables["ch7-9-b4"]
        self.assertEqual((row["rank"], row["known"]), ("7 / 89650", "89650"))
        rounds = [errors.count(said) for said in ("blackfield: rank", "LinBox: rank", "SpaSM: not in")]
        self.assertEqual(rounds, [2, 2, 1])
        walls = [float(wall) for wall in re.findall(r"blackfield: rank .* s of CPU, ([\d.]+) s of wall", errors)]
        for limit, wall in zip((limit for name, limit in asked if name == "driver"), (walls[0], sum(walls) / 2), strict=True):
            self.assertAlmostEqual(limit, 10 * wall, delta=0.011)
        self.assertRegex(row["SpaSM, wall"], r"^> [\d.]+$")
        self.assertEqual(code, 1)  # the stand-in of LinBox is wrong here
        self.assertIn("7 by LinBox; 89650 by blackfield, what is known", errors)

    def test_primes_section(self):
        code, tables, text, _ = self.table("--no-main", "--primes", "--rival", burn=0.1)
        self.assertEqual(code, 0)
        self.assertGreater(float(tables["m.sms"]["ratio"]), 1.2)
        self.assertIn("Ratio: geometric mean", text)

    def test_a_rank_that_falls_mod_another_prime_is_no_disagreement(self):
        ours = OURS.replace('"rank": %(rank)s', '"rank": 6 if large else 7')
        self.assertEqual(self.table("--primes", "--rival", "spasm", ours=ours)[0], 0)

    def test_binary_section(self):
        m4ri = self.program("m4ri", 'print(\'{"rank": 7, "cpu_seconds": 2.0}\')')
        code, tables, _, _ = self.table("--no-main", "--binary", "--binary-matrix", "half-3-1", "--m4ri", str(m4ri), "--rival")
        row = tables["half-3-1 mod 2"]
        self.assertEqual((code, row["M4RI after reading"]), (0, "2.00"))
        self.assertGreaterEqual(float(row["M4RI / blackfield after reading"]), 4)
        wrong = self.program("wrong", 'print(\'{"rank": 3, "cpu_seconds": 2.0}\')')
        code, _, _, errors = self.table("--no-main", "--binary", "--binary-matrix", "half-3-1", "--m4ri", str(wrong), "--rival")
        self.assertEqual(code, 1)
        self.assertIn("half-3-1 mod 2: 3 by M4RI; 7 by blackfield", errors)
        _, _, text, _ = self.table("--no-main", "--binary", "--rival")
        self.assertIn("M4RI is not here", text)

    def test_dense_section(self):
        code, tables, _, _ = self.table("--no-main", "--dense", "--dense-matrix", "dense-3", "--rival", "ffpack")
        row = tables["dense-3"]
        self.assertEqual((code, row["FFPACK dense"]), (0, "2.00"))
        self.assertLessEqual(float(row["blackfield"]), 0.5)
        self.assertGreaterEqual(float(row["FFPACK dense / blackfield"]), 4)
        _, _, text, _ = self.table("--no-main", "--dense", "--rival", "spasm")
        self.assertIn("Dense: FFPACK is not here", text)

    def test_arguments_are_checked(self):
        for bad in (["--ours", "auto"], ["-n", "0"], ["--large-threads", "0"], ["--ours", "--large"]):
            with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
                rank_table.parse(bad)
            self.assertEqual(caught.exception.code, 2)


class Parts(unittest.TestCase):
    def test_known_ranks_of_the_manifest(self):
        known = rank_table.known_ranks()
        self.assertEqual((known["EX5"], known["mat1916"], known["mk12-b3"], known["ch7-9-b5"]), (4740, 1916, 12440, 227870))

    def test_seconds_after_reading_leave_out_reading_and_waiting(self):
        cell = rank_table.Cell()
        half_of_the_time = Outcome("", "", cpu=7.0, wall=14.0, megabytes=1.0, expired=False)
        cell.runs.append((half_of_the_time, 7, {"phases": {"read": 9.0, "dense": 0.5, "digest": 4.0}}))
        self.assertEqual(rank_table.after_reading(cell), 0.25)

    def test_geometric_mean(self):
        self.assertAlmostEqual(rank_table.geometric_mean([1, 2, 4]), 2)


if __name__ == "__main__":
    unittest.main()
