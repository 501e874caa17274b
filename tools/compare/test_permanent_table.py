"""Tests of permanent_table.py with small stand-ins for all programs: python3 -m unittest discover -s tools/compare"""

import contextlib
import io
import json
import subprocess
import sys
import unittest
import unittest.mock

import flint_permanent
import permanent_table
from fakes import Workshop

# Prints the documents of `blackfield permanent --json`, with a key of the future. It knows two matrices and takes the others for 1.
OURS = """
    import json, sys, time
    from pathlib import Path
    if "--version" in sys.argv: print("blackfield 0"); sys.exit()
    assert sys.argv[1:6] == ["permanent", "--pattern", "--json", "--quiet", "--threads"]
    while time.process_time() < %(burn)s: pass
    values = {"d_ss": "292788", "bcspwr02": "17339123388", **%(values)s}
    for file in sys.argv[7:]:
        value = values.get(Path(file).name.split(".")[0], "1")
        print(json.dumps({"permanent": value, "n": 3, "nnz": 5, "method": "frontier", "certainty": "proven", "new": 1}))
"""
# A Python that has python-flint, as far as flint_library can tell.
INTERPRETER = "print('/somewhere/libflint.so.24')"


class PermanentTable(Workshop):
    def table(self, *options, values=(), burn=0.01, matrices=("m.sms",), ours=None):
        program = self.program("ours", ours or OURS % {"values": dict(values), "burn": burn})
        argv = ["--matrix", *(str(self.folder / m) if m == "m.sms" else m for m in matrices), "--work", str(self.folder), "-n", "1"]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = permanent_table.main(argv + ["--blackfield", str(program), *options])
        lines = [[c.strip() for c in line.strip("| ").split("|")] for line in out.getvalue().splitlines() if line.startswith("|")]
        return code, {line[0]: dict(zip(lines[0], line)) for line in lines[2:]}, out.getvalue(), err.getvalue()

    def test_paper_ratios_and_all_in_one_command(self):
        output = self.folder / "out.json"
        code, rows, text, errors = self.table("-n", "2", "--output", str(output), matrices=("d_ss", "bcspwr02", "m.sms"), burn=0.1)
        self.assertEqual(code, 0, errors)
        row = rows["d_ss"]
        self.assertEqual((row["permanent"], row["agrees with"], row["how"], row["n"]), ("292788", "MANIFEST", "frontier, proven", "3"))
        self.assertEqual((row["paper, best"], row["FLINT"]), ("0.92 (both)", "–"))
        self.assertRegex(row["blackfield"], r"^[\d.]+ \(\d+ MB\)$")
        self.assertGreater(float(row["blackfield"].split()[0]), 0.09)
        self.assertAlmostEqual(float(row["paper / blackfield"]), 0.92 / float(row["blackfield"].split()[0]), delta=0.1)
        self.assertEqual((rows["m.sms"]["agrees with"], rows["m.sms"]["paper, best"]), ("mod 2", "–"))
        self.assertRegex(text, r"The 2 matrices of the paper's Table 5 in one command: [\d.]+ s of CPU.*the paper's best 1 s together")
        self.assertIn("medians of 2 alternating runs", text)
        cells = json.loads(output.read_text())["cells"]
        runs = {(c["matrix"], c["contender"]): c["runs"] for c in cells}
        self.assertEqual(len(runs["d_ss", "blackfield"]), 2)
        self.assertEqual(runs["all in one command", "blackfield"][0]["permanents"], ["292788", "17339123388"])
        # In turn: every process once a round.
        order = [line.split(":")[0] for line in errors.splitlines() if " s of CPU" in line]
        self.assertEqual(order, 2 * ["d_ss", "bcspwr02", "m.sms", "all in one command"])

    def test_wrong_permanents_are_found(self):
        code, rows, _, errors = self.table(values={"d_ss": "292789"}, matrices=("d_ss", "bcspwr02"))
        self.assertEqual((code, rows["d_ss"]["agrees with"], rows["bcspwr02"]["agrees with"]), (1, "**not MANIFEST**", "MANIFEST"))
        self.assertIn("permanents disagree: d_ss: 292788 by MANIFEST; 292789 by all in one command, blackfield", errors)
        code, rows, _, errors = self.table(values={"dominoes-4-4": "37"}, matrices=("dominoes-4-4",))
        self.assertEqual((code, rows["dominoes-4-4"]["agrees with"]), (1, "**not theorem**"))
        self.assertIn("dominoes-4-4: 36 by theorem; 37 by blackfield", errors)
        code, rows, _, errors = self.table(values={"m": "2"})
        self.assertEqual((code, rows["m.sms"]["agrees with"]), (1, "**not mod 2**"))
        self.assertIn("permanents disagree: m.sms: 2 is not 1 mod 2", errors)

    def test_an_answer_wrong_in_one_command_only_is_found(self):
        alone = OURS % {"values": {}, "burn": 0} + "    if len(sys.argv) > 8: sys.stdout.flush(); "
        code, _, _, errors = self.table(matrices=("d_ss", "bcspwr02"), ours=alone + "print('not JSON')")
        self.assertEqual(code, 1)
        self.assertIn("no JSON on its output", errors)
        swapped = (OURS % {"values": {}, "burn": 0}).replace("sys.argv[7:]", "reversed(sys.argv[7:])")
        code, _, _, errors = self.table(matrices=("d_ss", "bcspwr02"), ours=swapped)
        self.assertEqual(code, 1)
        self.assertIn("d_ss: 17339123388 by all in one command; 292788 by MANIFEST, blackfield", errors)

    def test_a_wrong_answer_on_several_threads_is_found(self):
        ours = OURS % {"values": {}, "burn": 0} + "        if sys.argv[6] == '3': print('{}')"
        self.assertEqual(self.table("--wide", "m.sms", "--wide-threads", "3", ours=ours)[0], 1)
        ours = (OURS % {"values": {}, "burn": 0}).replace('.split(".")[0], "1")', '.split(".")[0], "5" if sys.argv[6] == "3" else "1")')
        code, _, text, errors = self.table("--wide", "m.sms", "--wide-threads", "3", ours=ours)
        self.assertEqual(code, 1)
        self.assertIn("m.sms: 1 by blackfield; 5 by blackfield on 3 threads", errors)
        self.assertIn("m.sms on 3 threads: ", text)

    def test_flint_beside_us(self):
        flint = self.flint(digits="1", seconds=0.5)
        with flint:
            code, rows, text, _ = self.table("--flint", "libflint.so", "--flint-matrix", "m.sms", burn=0.1)
        row = rows["m.sms"]
        self.assertEqual((code, row["agrees with"], row["FLINT"]), (0, "FLINT", "0.500"))
        self.assertAlmostEqual(float(row["FLINT / blackfield"]), 0.5 / float(row["blackfield"].split()[0]), delta=0.1)
        self.assertIn("flint: 9.9", text)
        with self.flint(digits="3", seconds=0.5):
            code, rows, _, errors = self.table("--flint", "libflint.so", "--flint-matrix", "m.sms")
        self.assertEqual((code, rows["m.sms"]["agrees with"], rows["m.sms"]["permanent"]), (1, "**not FLINT**", "1 / 3"))
        self.assertIn("m.sms: 1 by blackfield; 3 by FLINT", errors)

    def flint(self, digits, seconds):
        """FLINT's script replaced by one that knows the answer."""
        document = json.dumps({"permanent": digits, "cpu_seconds": seconds, "version": "9.9"})
        self.program("flint_permanent.py", f"print({document!r})")
        return unittest.mock.patch.object(permanent_table, "HERE", self.folder)

    def test_without_flint(self):
        code, rows, _, errors = self.table("--flint-matrix", "m.sms")
        self.assertEqual((code, rows["m.sms"]["FLINT"]), (0, "–"))
        self.assertIn("FLINT is not here", errors)
        code, _, _, errors = self.table("--flint", str(self.folder / "no-python"))
        self.assertEqual(code, 0)
        self.assertIn("FLINT is not here", errors)
        code, rows, _, errors = self.table("--flint", "/no/libflint.so", "--flint-matrix", "m.sms")
        self.assertEqual((code, rows["m.sms"]["FLINT"]), (0, "failed"))

    def test_flint_of_an_interpreter(self):
        self.assertEqual(permanent_table.flint_library(str(self.program("python", INTERPRETER))), "/somewhere/libflint.so.24")
        self.assertEqual(permanent_table.flint_library("/usr/lib/libflint.so.18"), "/usr/lib/libflint.so.18")
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIsNone(permanent_table.flint_library(str(self.program("python", "raise ImportError('flint')"))))

    def test_timeout_is_shown_and_not_repeated(self):
        code, rows, _, errors = self.table("--timeout", "0.3", "-n", "2", burn=60)
        self.assertEqual((code, rows["m.sms"]["blackfield"], rows["m.sms"]["permanent"]), (0, "> 0.3", "–"))
        self.assertEqual(errors.count("not in 0.3 s"), 1)

    def test_failures_and_arguments(self):
        code, rows, _, errors = self.table(ours="import sys; sys.exit('no such command')")
        self.assertEqual((code, rows), (1, {}))
        self.assertIn("no such command", errors)
        for bad in (["-n", "0"], ["--timeout", "0"], ["--wide-threads", "1"]):
            with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
                permanent_table.parse(bad)
            self.assertEqual(caught.exception.code, 2)


class Parts(Workshop):
    def test_known_permanents_of_the_manifest(self):
        known = permanent_table.known_permanents()
        self.assertEqual((known["d_ss"], known["mycielskian6"]), ("292788", "1381724105482686970"))
        self.assertEqual(set(permanent_table.TABLE_5) - set(known), set())
        self.assertEqual(len(known), 14)

    def test_the_papers_best(self):
        paper = permanent_table.paper_seconds()
        self.assertEqual(set(paper), set(permanent_table.TABLE_5))
        self.assertEqual(paper["bcspwr02"], (0.40, "both"))
        self.assertEqual(paper["impcol_b"], (0.42, "both"))
        self.assertEqual(paper["west0067"], (25093.45, "both"))
        table = self.folder / "t.tsv"
        table.write_text("# a comment\nmatrix\ta\tb\tc\nx\ttimeout\t2.5\t3\n")
        self.assertEqual(permanent_table.paper_seconds(table), {"x": (2.5, "b")})
        for bad in ("matrix\ta\tb\nx\ttimeout\timpossible\n", "matrix\ta\tb\nx\t1\n"):
            table.write_text(bad)
            with self.assertRaises(permanent_table.Failed):
                permanent_table.paper_seconds(table)

    def test_permanents_in_words(self):
        self.assertEqual(permanent_table.in_words("123456789012345678901234"), "123456789012345678901234")
        self.assertEqual(permanent_table.in_words("1234567890123456789012345"), "123456789012… (25 digits)")

    def test_quotients(self):
        self.assertEqual([permanent_table.times(x) for x in (0.12345, 12.345, 999.4, 965123.0)], ["0.123", "12.3", "999", "965000"])

    def test_flint_without_a_permanent_is_refused(self):
        library = subprocess.run(
            [sys.executable, "-c", "import ctypes.util; print(ctypes.util.find_library('c'))"], text=True, capture_output=True
        ).stdout.strip()
        argv = [sys.executable, flint_permanent.__file__, library, str(self.folder / "m.sms")]
        done = subprocess.run(argv, text=True, capture_output=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a newer one is needed", done.stderr)


if __name__ == "__main__":
    unittest.main()
