"""Stand-ins for the programs that are compared: small Python scripts in a folder that is thrown away after the test."""

import stat
import sys
import tempfile
import textwrap
import unittest
import unittest.mock
from pathlib import Path


class Workshop(unittest.TestCase):
    """A test with a folder of its own, a 1 × 1 matrix in it, and a maker of programs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "m.sms").write_text("1 1 M\n1 1 1\n0 0 0\n")

    def program(self, name, source):
        path = self.folder / name
        path.write_text(f"#!{sys.executable} -IS\n" + textwrap.dedent(source))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def unhurried(self, module, hurried):
        """While this lasts, the programs that `module` executes have all the time they need on a busy machine, but for those whose
        words `hurried` accepts. Gives the list of (program, limit asked for)."""
        execute, asked = module.execute, []

        def patient(argv, threads, timeout, **options):
            asked.append((Path(argv[0]).name, timeout))
            return execute(argv, threads, timeout if hurried(argv) else 600, **options)

        patch = unittest.mock.patch.object(module, "execute", patient)
        patch.start()
        self.addCleanup(patch.stop)
        return asked
