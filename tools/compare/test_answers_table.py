"""Tests of the table of answers; no rival needed."""

import contextlib
import io
import json
import subprocess
import unittest
from pathlib import Path

import answers_players
import answers_table
from fakes import Workshop
from harness import Failed, Outcome

# A null space of 1 x 2: (1, -1) as a column. The matrix has its entries in row 1.
OURS = """
import json, sys
words = sys.argv[1:]
if words[0] == "kernel":
    open(words[words.index("-o") + 1], "w").write("2 1 M\\n1 1 1\\n2 1 {value}\\n0 0 0\\n")
    print(json.dumps({{"dimension": 1, "certainty": "proven"}}))
elif words[0] == "det":
    print(json.dumps({{"det": "{value}"}}))
elif words[0] == "smith":
    print(json.dumps({{"factors": [["1", 2], ["6", 1]]}}))
"""
RIVAL = """
import json, sys
if sys.argv[1] in ("kernel", "kernel-dense"):
    open(sys.argv[-1], "w").write("2 1 M\\n1 1 1\\n2 1 {value}\\n0 0 0\\n")
    print(json.dumps({{"dimension": 1, "cpu_seconds": 0.5}}))
else:
    print(json.dumps({{"det": "{value}", "diagonal": ["1", "2", "3", "0"], "cpu_seconds": 0.5}}))
"""


def outcome(output, errors=""):
    return Outcome(output, errors, 1.0, 1.0, 10.0, expired=False)


class Tables(Workshop):
    def setUp(self):
        super().setUp()
        (self.folder / "a.sms").write_text("1 2 M\n1 1 1\n1 2 1\n0 0 0\n")
        (self.folder / "bin").mkdir()

    def run_table(self, *words, ours=-1, rival=-1, file="a.sms"):
        blackfield = self.program("blackfield", OURS.format(value=ours))
        for name in ("flint_driver", "linbox_answers"):
            self.program(f"bin/{name}", RIVAL.format(value=rival))
        out, errors = io.StringIO(), io.StringIO()
        argv = [*words, "--matrix", str(self.folder / file), "--blackfield", str(blackfield), "--drivers", str(self.folder / "bin")]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = answers_table.main([*argv, "--work", str(self.folder / "work"), "-n", "2", "--rival", "FLINT", "FFPACK"])
        return code, out.getvalue(), errors.getvalue()

    def test_a_table_and_its_record(self):
        code, out, errors = self.run_table("kernel", "--output", str(self.folder / "all.json"))
        self.assertEqual(code, 0, errors)
        self.assertRegex(out, r"\| a\.sms \| 1 \| \*\*[\d.]+ \(\d+ MB\)\*\* \| [\d.]+ \(\d+ MB\) \| [\d.]+ \(\d+ MB\) \| [\d.]+ \|")
        self.assertIn("geometric mean", out)
        self.assertEqual(errors.count("checked"), 3)
        cells = json.loads((self.folder / "all.json").read_text())["cells"]
        self.assertEqual({(c["section"], c["contender"], len(c["runs"])) for c in cells}, {("kernel", who, 2) for who in ("blackfield", "FFPACK dense", "FLINT dense")})

    def test_a_rival_that_fails_the_check_is_wrong(self):
        code, out, errors = self.run_table("kernel", rival=2)
        self.assertEqual(code, 0)
        self.assertIn("| wrong | wrong | – |", out)
        self.assertIn("breaks 1 equations", errors)

    def test_ours_that_fails_the_check_is_an_error(self):
        code, _, errors = self.run_table("kernel", ours=2)
        self.assertEqual(code, 1)
        self.assertIn("blackfield", errors)

    def test_answers_that_differ(self):
        code, _, errors = self.run_table("det", ours=5, rival=6)
        self.assertEqual(code, 1)
        self.assertRegex(errors, "answers disagree: det: a.sms: 5 by blackfield; 6 by FLINT")

    def test_forms_by_prime_powers_agree(self):
        code, out, errors = self.run_table("smith", "-j", "2")
        self.assertEqual(code, 0, errors)
        self.assertIn("| 2^1 3^1 |", out)

    def test_rivals_that_are_not_here(self):
        tools = answers_players.Tools(self.folder / "blackfield", self.folder / "nowhere")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual([c.name for c in answers_players.players_of("kernel", tools)], ["blackfield"])
        self.assertEqual(said.getvalue().count("is not here"), 4)

    def test_usage(self):
        for words in (["nonsense"], ["-n", "0"], ["-j", "0"]):
            with self.assertRaises(SystemExit) as exit, contextlib.redirect_stderr(io.StringIO()):
                answers_table.parse(words)
            self.assertEqual(exit.exception.code, 2)


class Reading(unittest.TestCase):
    def test_moduli(self):
        self.assertEqual([answers_table.answers_modulus(w) for w in ("65521", "2^127-1", "2^5")], [65521, 2**127 - 1, 32])

    def test_what_programs_print(self):
        read = answers_players.printed(r"Kernel basis matrix is (\d+) x")
        self.assertEqual(read(["x"], outcome("", "Kernel basis matrix is 586 x 3150 with 40993 nz\n"), None)[0], "586")
        with self.assertRaises(Failed):
            read(["x"], outcome("nothing"), None)
        self.assertEqual(answers_players.listed(["x"], outcome("[ 1, 1, 2,\n  6, 0 ]\n"), None)[0], "2^2 3^1")
        self.assertEqual(answers_players.listed(["x"], outcome("[]\n"), None)[0], "1 only")

    def test_polynomials_in_both_forms(self):
        ours = answers_players.polynomial(["x"], outcome('{"coefficients": ["2", "0", "1"]}\n'), None)[0]
        theirs = answers_players.polynomial(["x"], outcome('{"degree": 2, "cpu_seconds": 1}\n2\n0\n1\n'), None)[0]
        self.assertEqual(ours, theirs)
        self.assertEqual(ours, "degree 2, b at 3")

    def test_groups(self):
        document = {"groups": [{"betti": 1, "torsion": []}, {"betti": 0, "torsion": [["3", 8]]}]}
        self.assertEqual(answers_players.betti(["x"], outcome(json.dumps(document)), None)[0], "1 0+(3)^8")

    def test_a_solver_of_logarithms_that_fails(self):
        good = outcome("0 relations fail; 48 logarithms in 1500 ms\n")
        self.assertEqual(answers_players.logarithms(["gp"], good, None), ("1", {"counted": 1.5}))
        with self.assertRaises(Failed):
            answers_players.logarithms(["gp"], outcome("3 relations fail; 48 logarithms in 1500 ms\n"), None)

    def test_every_section_has_its_contenders(self):
        self.assertEqual(list(answers_players.SECTIONS), list(answers_players.CONTENDERS))
        tools = answers_players.Tools(Path("ours"), Path("drivers"))
        for key in answers_players.SECTIONS:
            ours, rivals = answers_players.CONTENDERS[key](tools)
            self.assertTrue(ours.ours and not any(c.ours for c in rivals), key)

    def test_programs_that_shells_run(self):
        # Quotes of the shell, of the format and of the languages do not get into each other's way.
        case = answers_players.Case("a", Path("/tmp/a.sms"), 0, Path("/tmp"))
        for words in (answers_players.pari("print(matsnf(A)~)"), answers_players.gap('Print("x");')):
            argv = answers_players.Contender("x", words, None).words(case, "out", 1)
            text = subprocess.run(["sh", "-c", argv[2].partition(" | ")[0]], capture_output=True, text=True, check=True).stdout
            self.assertIn('"/tmp/a.sms"', text)
            self.assertEqual((text.count('"') % 2, text.count("{"), text.count("(") - text.count(")")), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
