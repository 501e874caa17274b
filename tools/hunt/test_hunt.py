"""Tests of the hunt: a program that is right passes every check, and each fault is seen by the check that is there for it."""

import contextlib
import io
import itertools
import os
import random
import signal
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

import attacks
import check_certificates
import check_checkpoints
import check_files
import check_lifting
import check_homology
import check_matchings
import check_permanents
import check_polynomials
import check_rank
import check_rational
import check_shortfall
import check_smith
import check_spaces
import fake_blackfield
import families
import hunt
from bench import Bench, Complaint, Ending
from matrices import Matrix

sys.path.append(str(Path(__file__).resolve().parent.parent / "compare"))
from fakes import Workshop  # noqa: E402

HERE = str(Path(__file__).resolve().parent)


class Killed(Exception):
    """The fake waits: somebody will stop it."""


class Within(Bench):
    """A bench that runs the fake within this process."""

    def process(self, argv, patience, kill):
        def stop(_):
            raise Killed

        out, err, before, argv = io.StringIO(), io.StringIO(), os.getcwd(), argv[5:] if argv[0] == "/bin/sh" else argv[1:]
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), unittest.mock.patch.object(fake_blackfield, "wait", stop):
                fake_blackfield.main(argv[0], argv[1:])
            code = 0
        except SystemExit as end:
            code = end.code
        except Killed:
            if not kill:
                raise Complaint("hang", "an end", "none")
            return True, Ending(-kill[1], "", "")
        finally:
            os.chdir(before)
        return False, Ending(code, out.getvalue(), err.getvalue())

    def offers(self, command, option):
        self.help[command] = fake_blackfield.HELP
        return super().offers(command, option)


def small(rng):
    """Matrices that naive oracles are quick with."""
    return families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, 8)))


class Hunted(Workshop):
    def setUp(self):
        super().setUp()
        patch = unittest.mock.patch.object(families, "any_matrix", small)
        self.addCleanup(patch.stop)
        patch.start()

    def bench(self, *faults, **options):
        self.addCleanup(setattr, fake_blackfield, "FAULTS", set())
        fake_blackfield.FAULTS = set(faults)
        return Within("fake", self.folder / "work", self.folder / "out", effort=0.05, use_flint=False, **options)

    def fake(self, *faults):
        """The same as a program."""
        source = f"import sys; sys.path.insert(0, {HERE!r})\nimport fake_blackfield as f\nf.FAULTS = {set(faults)!r}\nf.main(sys.argv[1], sys.argv[2:])"
        return self.program("blackfield", source)

    def kinds(self, bench, check, cases, until_found=True):
        """What a check complains of in its first cases."""
        for number in range(cases):
            bench.perform("it", check, random.Random(f"test:{number}"), f"it-{number}")
            if until_found and bench.found:
                break
        return {kind for _, kind, _, _, _ in bench.found}


class Faults(Hunted):
    """Every check sees the fault that it is there for."""

    def sees(self, check, fault, *kinds, cases=60):
        bench = self.bench(*fault.split("+"))
        found = self.kinds(bench, check, cases)
        self.assertTrue(found & set(kinds), f"{fault}: {[f[4] for f in bench.found]}")
        _, _, folder, command, _ = bench.found[0]
        self.assertTrue((Path(folder) / "finding.txt").read_text(encoding="utf-8").startswith("check"))
        self.assertIn(command, (Path(folder) / "commands.sh").read_text(encoding="utf-8"))

    def test_ranks(self):
        self.sees(check_rank.ranks, "rank too large", "rank too large, proven", "rank too large, heuristic")
        self.sees(check_rank.ranks, "proofs fall short", "wrong rank, proven")
        self.sees(check_rank.ranks, "no proof", "--proven without proof", "--error not kept")
        self.sees(check_rank.ranks, "loses an entry", "wrong rank, proven", "rank too large, proven")

    def test_devices(self):
        for fault in ("device", ""):
            bench = self.bench(fault, device="cuda")
            found = self.kinds(bench, check_rank.devices, 6)
            self.assertEqual(found, {"another answer on a device"} if fault else set(), [f[4] for f in bench.found])
        self.assertGreater(bench.compared["ranks on a device"], 20)
        without = self.bench("device")
        self.kinds(without, check_rank.devices, 2)
        self.assertEqual((without.compared, len(without.skipped)), ({}, 1))

    def test_codes_of_a_device(self):
        self.assertEqual(check_rank.device_codes("auto", ["--proven"]), {0})
        self.assertEqual(check_rank.device_codes("cuda", ["--method", "elimination"]), {5})
        self.assertEqual(check_rank.device_codes("cuda", ["--method", "wiedemann", "--format", "csr"]), {2})
        self.assertEqual(check_rank.device_codes("cuda", ["--method", "hybrid"]), {0})

    def test_batches(self):
        self.sees(check_rank.batches, "stops at a bad file", "wrong lines of a batch", "wrong code of a batch")
        self.sees(check_rank.batches, "loses an entry", "wrong lines of a batch")

    def test_threads(self):
        self.sees(check_rank.same_seed, "threads", "threads change the answer")

    def test_rational_ranks(self):
        self.sees(check_rational.rational, "no proof", "--proven without proof")
        self.sees(check_rational.tiny_error_mod_p, "certain by chance", "proven by chance")
        self.sees(check_rational.rational, "loses an entry", "wrong rank over Q, monte-carlo", "wrong rank over Q, proven")
        self.sees(check_rational.tiny_error, "underflow", "proven by chance")

    @unittest.mock.patch.object(attacks, "ROW_SPACES", attacks.ROW_SPACES[:1])
    def test_attacks(self):
        self.sees(attacks.rational, "same primes", "attack by the primes drawn")
        self.sees(attacks.row_space, "known seed", "attack by the row space", cases=2)
        self.sees(attacks.row_space, "proof fails", "exit code 1", cases=2)

    def test_certificates(self):
        self.sees(check_certificates.honest, "refuses", "honest certificate refused")
        self.sees(check_certificates.honest, "rank too large+believes", "wrong rank certified")
        self.sees(check_certificates.forged, "believes", "forgery accepted")

    def test_spaces(self):
        self.sees(check_spaces.kernels, "loses an entry", "no null vectors", "wrong dimension")
        self.sees(check_spaces.kernels, "repeats vectors", "no basis")
        self.sees(check_spaces.systems, "loses an entry", "no solution", "wrong consistency", "no contradiction")
        self.sees(check_spaces.systems, "always consistent", "wrong consistency")
        self.sees(check_spaces.systems, "contradicts by anything", "no contradiction")
        self.sees(check_spaces.large, "falls short+rank too large+proofs fall short", "wrong rank")
        self.sees(check_spaces.forms, "not reduced", "wrong form")
        self.sees(check_spaces.verdicts, "believes", "exit code 0")
        self.sees(check_spaces.verdicts, "refuses", "exit code 3")
        self.sees(check_spaces.determinants, "loses the sign", "wrong determinant")

    def test_smith_forms(self):
        self.sees(check_smith.forms, "loses an entry", "wrong invariant factors", "wrong rank of a Smith form")
        self.sees(check_smith.forms, "no proof", "--proven without proof")
        self.sees(check_smith.made, "forgets powers", "wrong invariant factors")
    def test_homology(self):
        self.sees(check_homology.spaces, "loses torsion", "wrong groups", cases=200)
        self.sees(check_homology.spaces, "not reduced", "wrong groups")
        self.sees(check_homology.chains, "loses torsion", "wrong groups")
        self.sees(check_homology.chains, "trusts chains", "exit code 0")

    def test_spaces_over_the_rationals(self):
        self.sees(check_spaces.rational, "forgets denominators", "wrong form")
        self.sees(check_spaces.rational, "not reduced", "wrong form")
        self.sees(check_spaces.rational, "repeats vectors", "no basis")
        self.sees(check_spaces.rational, "not primitive", "no primitive vector")

    def test_lifting(self):
        self.sees(check_lifting.systems, "forgets denominators", "no solution over Q", cases=20)
        self.sees(check_lifting.systems, "always consistent", "wrong consistency over Q", cases=20)
        self.sees(check_lifting.systems, "contradicts by anything", "no contradiction over Q", cases=20)
        self.sees(check_lifting.determinants, "loses the sign", "wrong determinant over Z")

    def test_polynomials(self):
        self.sees(check_polynomials.polynomials, "loses a factor", "wrong polynomial")
        self.sees(check_polynomials.polynomials, "loses an entry", "wrong polynomial")

    def test_permanents(self):
        self.sees(check_permanents.permanents, "loses signs", "wrong permanent")
        self.sees(check_permanents.closed_forms, "loses an entry", "wrong permanent")

    def test_matchings(self):
        self.sees(check_matchings.matchings, "loses signs", "wrong perfect matchings")
        self.sees(check_matchings.matchings, "forgets parity", "wrong perfect matchings")
        self.sees(check_matchings.matchings, "adds one", "wrong matchings by size")
        self.sees(check_matchings.rectangles, "loses an entry", "wrong permanent")
        self.sees(check_matchings.closed_forms, "loses an entry", "exit code 3")

    def test_checkpoints(self):
        # The fake knows no permanent of this size: one that is known to both.
        small = lambda bench, rng: (Matrix(2, 2, [(0, 0, 3), (1, 1, 4), (0, 1, rng.randint(1, 9))]), 12)
        with unittest.mock.patch.object(check_checkpoints, "dense", small):
            self.sees(check_checkpoints.resumed, "leaves states", "state left behind", cases=3)
            self.sees(check_checkpoints.damaged, "trusts states", "wrong permanent", cases=12)

    def test_files(self):
        self.sees(check_files.mutated, "reads on", "bad file read", cases=80)
        self.sees(check_files.mutated, "loses an entry", "file read wrongly", cases=80)
        self.sees(check_files.formats, "digest of the name", "formats differ")
        self.sees(check_files.huge_headers, "believes headers", "crash")

    def test_endings(self):
        self.sees(check_rank.ranks, "panics", "panic", cases=1)
        self.sees(check_rank.ranks, "hangs", "hang", cases=1)

    def test_shortfalls(self):
        bench = self.bench("falls short")
        small = lambda rng, n, p: (Matrix(4, 4, [(k, k, 1) for k in range(4)]), 4, 0)
        with unittest.mock.patch.object(check_shortfall, "families", lambda rng: ("identities", small)):
            self.kinds(bench, check_shortfall.shortfalls, 12)
        self.assertEqual(bench.found, [])
        total = hunt.Total()
        total.falls.join(bench.falls)
        found = list(hunt.alarms(total, bench.out))
        self.assertEqual([f[1] for f in found], ["falls short too often"])
        self.assertTrue((Path(found[0][2]) / "commands.sh").exists())


class Right(Hunted):
    """A program that is right is not complained of."""

    def test_every_quick_check(self):
        bench = self.bench()
        slow = ("resumed", "damaged", "closed-forms", "matchings-closed-forms", "shortfalls", "attack-rows")
        # The stand-in reads SMS and its old companions alone.
        left_out = (*slow, "packed", "texts")
        checks = [(name, check) for _, name, check, _ in hunt.CHECKS if name not in left_out]
        for name, check in checks:
            self.kinds(bench, check, 3, until_found=False)
            self.assertEqual([f[4] for f in bench.found], [], name)
        self.assertGreater(bench.compared["ranks mod p"], 3)

    def test_options_are_looked_up_in_the_help(self):
        bench = self.bench()
        self.assertTrue(bench.offers("rank", "--json"))
        self.assertFalse(bench.offers("rank", "--js"))
        self.assertEqual(bench.choices("rank", "--isa"), ["portable", "avx2"])
        self.assertEqual(bench.choices("rank", "--device"), [])
        drawn = {tuple(bench.instructions("rank", random.Random(k))) for k in range(20)}
        self.assertEqual(drawn, {(), ("--isa", "portable"), ("--isa", "avx2")})


class Processes(Hunted):
    def test_a_process_that_hangs(self):
        bench = Bench(self.fake("hangs"), self.folder / "work", self.folder / "out", patience=0.3)
        with self.assertRaisesRegex(Complaint, "hang"):
            bench.run("rank", "x")

    def test_a_process_can_be_stopped_at_a_moment(self):
        program = self.program("sleeper", "import time; time.sleep(20)")
        bench = Bench(program, self.folder / "work", self.folder / "out")
        start = time.monotonic()
        self.assertEqual(bench.run("x", kill=(0.2, signal.SIGTERM)).code, -signal.SIGTERM)
        self.assertLess(time.monotonic() - start, 10)

    def test_limits_of_memory(self):
        program = self.program("eater", "x = bytearray(500 << 20)")
        bench = Bench(program, self.folder / "work", self.folder / "out")
        self.assertEqual(bench.run("x").code, 0)
        with self.assertRaises(Complaint):
            bench.run("x", kilobytes=300 << 10)
        self.assertIn("ulimit -v 307200", bench.commands[-1])


class Command(Hunted):
    def hunt(self, *words, fault=""):
        self.fake(fault)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = hunt.main([*words, "--blackfield", str(self.folder / "blackfield"), "--out", str(self.folder / "out"), "--no-flint"])
        return code, out.getvalue()

    def test_same_cases_whatever_the_cores(self):
        def first(seed, step):
            workers = [hunt.schedule(seed, ("rank", "files"), k, step) for k in range(step)]
            return sorted((name, number) for worker in workers for name, _, number in itertools.islice(worker, 60 // step))

        self.assertEqual(first("7", 1), first("7", 3))
        self.assertEqual(len(set(first("7", 1))), 60)
        self.assertNotEqual(first("7", 1), first("8", 1))

    def test_clean(self):
        code, out = self.hunt("--cases", "4", "--cores", "2", "--seed", "1", "--only", "rank,permanent")
        self.assertEqual(code, 0, out)
        self.assertIn("4 cases", out)
        self.assertIn("nothing found", out)

    def test_found_and_shown_again(self):
        code, out = self.hunt("--cases", "8", "--cores", "2", "--seed", "1", "--only", "rank", fault="proofs fall short")
        self.assertEqual(code, 1)
        self.assertIn("wrong rank, proven", out)
        folder = next(path for path in sorted((self.folder / "out").iterdir()) if path.name.startswith("ranks-"))
        number = "-".join(folder.name.split("-")[:2])
        code, again = self.hunt("--case", number, "--seed", "1", fault="proofs fall short")
        self.assertEqual(code, 1, again)

    def test_usage(self):
        for words in (["--only", "ranc"], ["--case", "ranks-x"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                self.hunt(*words)


if __name__ == "__main__":
    unittest.main()
