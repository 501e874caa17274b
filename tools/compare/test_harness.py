"""Tests of what the comparison scripts share."""

import gzip
import os
import sys
import unittest
import unittest.mock

import harness
from fakes import Workshop

PYTHON = sys.executable


class Execute(Workshop):
    def run_code(self, code, timeout=30, **options):
        return harness.execute([PYTHON, "-ISc", code], 1, timeout, **options)

    def test_output_and_seconds(self):
        out = self.run_code("import time; print('a'); t = time.process_time()\nwhile time.process_time() < t + 0.1: pass")
        self.assertEqual((out.output, out.expired), ("a\n", False))
        self.assertGreater(out.cpu, 0.1)
        self.assertGreater(out.wall, 0.1)

    def test_standard_input_is_the_file(self):
        out = self.run_code("import sys; print(sys.stdin.read())", stdin=self.folder / "m.sms")
        self.assertIn("1 1 M", out.output)
        self.assertEqual(self.run_code("import sys; print(len(sys.stdin.read()))").output, "0\n")

    def test_a_program_beside_us_is_not_looked_for_in_path(self):
        beside = self.folder / "beside"
        beside.write_text("#!/bin/sh\necho here\n")
        beside.chmod(0o755)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.assertEqual(harness.execute([harness.program("./beside")], 1, 30).output, "here\n")

    def test_exit_code_is_an_error(self):
        with self.assertRaisesRegex(harness.Failed, "exit code 3\nwhy"):
            self.run_code("import sys; sys.stderr.write('why'); sys.exit(3)")

    def test_stops_at_the_answer(self):
        out = self.run_code("import time; print('rank: 7', flush=True); time.sleep(60); print('more')", until=r"^rank: (\d+)")
        self.assertEqual((out.output, out.expired), ("rank: 7\n", False))
        self.assertLess(out.wall, 30)

    def test_wall_limit(self):
        self.assertTrue(self.run_code("import time; time.sleep(60)", timeout=0.2).expired)

    def test_cpu_limit_counts_work(self):
        # Nothing else ends the child: how soon it is seen is the machine's affair.
        with unittest.mock.patch.object(harness.threading, "Timer"):
            out = self.run_code("while True: pass", timeout=0.3, limit="cpu")
        self.assertTrue(out.expired)
        self.assertGreater(out.cpu, 0.2)

    def test_cpu_limit_does_not_count_sleep(self):
        # The child sleeps until its CPU seconds were looked at past the limit on the wall; its start takes no second of CPU.
        seen, start, cpu_in_stat = self.folder / "seen", harness.time.monotonic(), harness.cpu_in_stat

        def look(pid):
            if harness.time.monotonic() - start > 1.1:
                seen.touch()
            return cpu_in_stat(pid)

        with unittest.mock.patch.object(harness, "cpu_in_stat", look):
            out = self.run_code(f"import os, time\nwhile not os.path.exists({str(seen)!r}): time.sleep(0.05)", timeout=1, limit="cpu")
        self.assertFalse(out.expired)

    def test_memory_above_and_below_this_script(self):
        # This process is made larger than its children, whose figure the kernel then hides; the small one waits to be measured.
        ballast = bytearray(b"x") * (60 << 20)
        seen, peak_in_status = self.folder / "seen", harness.peak_in_status

        def look(pid):
            kilobytes = peak_in_status(pid)
            if kilobytes > 20 << 10:
                seen.touch()
            return kilobytes

        wait = f"import os, time; x = bytearray(b'x') * (20 << 20)\nwhile not os.path.exists({str(seen)!r}): time.sleep(0.01)"
        with unittest.mock.patch.object(harness, "peak_in_status", look):
            small = self.run_code(wait).megabytes
        large = self.run_code("x = bytearray(b'x') * (120 << 20)").megabytes
        del ballast
        self.assertTrue(20 < small < 60, small)
        self.assertTrue(120 < large < 180, large)

    def test_answer_must_be_json(self):
        with self.assertRaisesRegex(harness.Failed, "no JSON"):
            harness.json_answer(["x"], self.run_code("print('rank 7')"))


class Environment(unittest.TestCase):
    def test_drops_pinned_openblas(self):
        with unittest.mock.patch.dict("os.environ", {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_L2_SIZE": "512"}):
            env = harness.environment(3)
        self.assertNotIn("OPENBLAS_CORETYPE", env)
        self.assertNotIn("OPENBLAS_L2_SIZE", env)
        self.assertEqual((env["OMP_NUM_THREADS"], env["OPENBLAS_NUM_THREADS"]), ("3", "1"))


class Find(Workshop):
    def test_compressed_files_are_unpacked(self):
        text = (self.folder / "m.sms").read_bytes()
        (self.folder / "packed.sms.gz").write_bytes(gzip.compress(text))
        found = harness.find_matrix(str(self.folder / "packed.sms.gz"), self.folder, blackfield=None)
        self.assertEqual((found.name, found.read_bytes()), ("packed.sms", text))

    def test_folders_come_before_generating(self):
        self.assertEqual(harness.find_matrix("m", self.folder, None, [self.folder]), self.folder / "m.sms")
        maker = self.program("maker", "import sys; open(sys.argv[4], 'w').write(sys.argv[2])")
        found = harness.find_matrix("ch3-3-b1", self.folder, maker, [], form="sms")
        self.assertEqual((found.name, found.read_text()), ("ch3-3-b1.sms", "ch3-3-b1"))


class Disagreements(unittest.TestCase):
    def test_one_line_a_matrix(self):
        answers = [("a", "x", 3), ("a", "y", 4), ("a", "z", 3), ("b", "x", 1), ("b", "y", 1)]
        self.assertEqual(harness.disagreements(answers), ["a: 3 by x, z; 4 by y"])


if __name__ == "__main__":
    unittest.main()
