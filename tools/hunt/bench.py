"""Where a check works: a folder of its own, the program run in it under limits, and what becomes of a complaint.

Files are named relative to the folder, so that a finding is the folder's copy and the same commands in it.
"""

import dataclasses
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import traceback
from pathlib import Path

import shrink
from matrices import FORMATS
from shortfall import Falls, promised
from truth import Differ, Truth

# The ways in which the program may end, as its help lists them.
CODES = {0: "answer", 1: "check", 2: "usage", 3: "input", 4: "resources", 5: "device", 130: "interrupted"}

# One line for an error, whatever the caller's settings.
# Shortfalls promised for a run from which on it says little.
EXPECTED = 0.02
QUIET = {**os.environ, "RUST_BACKTRACE": "0"}


class Complaint(Exception):
    """A property does not hold. `kind` names which one, shortly: findings of one kind are the same finding."""

    def __init__(self, kind, expected, got):
        super().__init__(f"{kind}: expected {expected}, got {got}")
        self.kind, self.expected, self.got = kind, str(expected), str(got)


@dataclasses.dataclass
class Ending:
    """How a process ended: its exit code (below 0: the signal that ended it), what it printed."""

    code: int
    out: str
    err: str

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError as e:
            raise Complaint("no JSON", "a JSON document on standard output", f"{e}: {self.out[:200]!r}")


class Bench:
    """One worker's place. `same`: how many findings of one kind are kept; `patience`: seconds until a process hangs; `effort`: seconds for
    making a finding smaller; `isa`: instruction sets to try (all that the program names, if none is given); `device`: one to try beside
    the processor."""

    complaint = Complaint

    def __init__(self, program, folder, out, *, same=2, patience=60.0, effort=10.0, use_flint=True, isa=(), device=None):
        self.program, self.folder, self.out = [str(program)], Path(folder), Path(out)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.same, self.patience, self.effort, self.isa, self.device = same, patience, effort, list(isa), device
        self.truth, self.falls = Truth(use_flint), Falls()
        self.check, self.property, self.case, self.commands, self.help, self.sets = "", "", "", [], {}, {}
        self.runs, self.compared, self.seen, self.skipped, self.seconds, self.found = 0, {}, {}, {}, {}, []
        self.shrinking = False

    @staticmethod
    def slug(words):
        return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")

    def offers(self, command, option):
        """Whether `blackfield COMMAND` knows the option, by its help."""
        if command not in self.help:
            self.help[command] = subprocess.run(self.program + [command, "--help"], text=True, capture_output=True).stdout
        return re.search(rf"(?m)^ +(-\w, )?{re.escape(option)}\b", self.help[command]) is not None

    def choices(self, command, option):
        """The possible values of an option, by the help."""
        if not self.offers(command, option):
            return []
        _, _, behind = self.help[command].partition(f"{option} <")
        behind = re.split(r"\n +(?:-\w, )?--", behind)[0]
        if inline := re.search(r"\[possible values: ([^\]]*)\]", behind):
            return inline[1].split(", ")
        return re.findall(r"(?m)^ +- ([\w-]+):", behind)

    def instructions(self, command, rng):
        """`--isa` with a set that this machine has, half of the time: words of the command line."""
        if command not in self.sets:
            there = lambda name: self.process(self.program + [command, "/dev/null", "-p", "2", "--isa", name], self.patience, None)[1].code != 5
            self.sets[command] = [name for name in self.isa or self.choices(command, "--isa") if there(name)]
        if not self.sets[command]:
            self.skip(f"instruction sets: `{command}` has no --isa for this machine")
            return []
        return ["--isa", rng.choice(self.sets[command])] if rng.random() < 0.5 else []

    def skip(self, why):
        """Something that this machine or this program does not offer: said once in the summary, with how often."""
        self.skipped[why] = self.skipped.get(why, 0) + 1

    def count(self, what, n=1):
        if not self.shrinking:
            self.compared[what] = self.compared.get(what, 0) + n

    def clear(self):
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.commands = []

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return name

    def store(self, name, matrix):
        """Writes a matrix in the format that the end of the name stands for."""
        return self.write(name, FORMATS[name.partition(".")[2]](matrix))

    def tally(self, family, answer, fell_short, degree=1):
        """Counts a heuristic answer with so much promised (see `promised`); the first that falls short in a family is kept beside the findings, should there be too many."""
        if self.shrinking:
            return
        expected = promised(answer, degree)
        if expected > EXPECTED:  # By themselves: they would hide what the others of the family do.
            family += ", equal eigenvalues expected"
        if self.falls.add(family, expected, fell_short):
            self.keep_files(self.out / "short" / self.slug(family))

    def run(self, *words, kilobytes=None, patience=None, kill=None, codes=(0,)):
        """Runs the program in the folder, under a limit of its address space. `kill`: (seconds, signal) to end it with, where another
        ending is all right too. Complains of every ending that no input may lead to, and of exit codes beyond `codes`."""
        words = [str(word) for word in words]
        shown = f"blackfield {' '.join(map(shlex.quote, words))}"
        argv = self.program + words
        if kilobytes:
            argv = ["/bin/sh", "-c", 'ulimit -v "$0" && exec "$@"', str(kilobytes)] + argv
            shown = f"(ulimit -v {kilobytes}; {shown})"
        self.commands.append(f"# stopped by signal {kill[1]} after {kill[0]:.2f} s: {shown}" if kill else shown)
        self.runs += not self.shrinking
        killed, ending = self.process(argv, patience or self.patience, kill)
        if killed and ending.code in (-kill[1], 130):
            return ending
        said = ending.err.strip()[:400]
        if ending.code not in CODES:
            raise Complaint("crash", f"an exit code of {sorted(CODES)}", f"{ending.code}: {said}")
        if "internal error" in ending.err or "panicked" in ending.err:
            raise Complaint("panic", "an answer or an error", said)
        if codes is not None and ending.code not in codes:
            raise Complaint(f"exit code {ending.code}", f"exit code {' or '.join(map(str, codes))}", f"{ending.code}: {said}")
        return ending

    def attempt(self, judge, thing):
        """The complaint of a judge about a thing, None if there is none."""
        self.clear()
        try:
            judge(thing)
        except Complaint as complaint:
            return complaint
        return None

    def process(self, argv, patience, kill):
        """Runs a process; whether it was stopped, and its ending."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = subprocess.Popen(argv, cwd=self.folder, env=QUIET, **pipes)
        killed = False
        try:
            out, err = child.communicate(timeout=kill[0] if kill else patience)
        except subprocess.TimeoutExpired:
            killed = kill is not None
            try:
                os.kill(child.pid, kill[1] if kill else signal.SIGKILL)
                out, err = child.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                raise Complaint("hang", f"an end within {patience:g} s of signal {kill[1]}", "none")
            if not killed:
                raise Complaint("hang", f"an end within {patience:g} s", f"none: {self.commands[-1]}")
        return killed, Ending(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))

    def examine(self, matrix, judge, simpler=shrink.matrices):
        """Lets `judge` look at a matrix (or whatever `simpler` knows to make simpler); what it complains of is shrunk and kept."""
        complaint = self.attempt(judge, matrix)
        if complaint is None:
            return True
        key = f"{self.check}: {complaint.kind}"
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] > self.same:
            return False
        until = time.monotonic() + self.effort
        self.shrinking = True

        def still(candidate):
            again = self.attempt(judge, candidate)
            return again is not None and again.kind == complaint.kind

        smallest = shrink.shrink(matrix, still, until, simpler)
        final = self.attempt(judge, smallest)
        if final is None or final.kind != complaint.kind:  # It does not show every time: the first case as it was.
            final = self.attempt(judge, matrix) or complaint
        self.shrinking = False
        self.keep(final)
        return False

    def keep(self, complaint):
        """Writes a finding: the files of the folder, and a text with the property, the commands, what was expected and what came."""
        target = self.out / f"{self.case}-{self.slug(complaint.kind)}"
        self.keep_files(target)
        text = [f"check     {self.check}: {self.property}", f"case      {self.case}", "commands  commands.sh"]
        text += [f"kind      {complaint.kind}", f"expected  {complaint.expected}", f"got       {complaint.got}"]
        (target / "finding.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
        self.found.append((self.check, complaint.kind, str(target), self.commands[-1] if self.commands else "", str(complaint)))

    def keep_files(self, target):
        """Copies the folder, with the commands that were run in it."""
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.folder, target)
        text = f"# {self.check}, case {self.case}; in this folder:\n" + "\n".join(self.commands) + "\n"
        (target / "commands.sh").write_text(text, encoding="utf-8")

    def perform(self, name, check, rng, case):
        """One case of a check. A contradiction of oracles is a finding, too."""
        self.check, self.property, self.case = name, " ".join((check.__doc__ or "").split()), case
        self.clear()
        start = time.monotonic()
        try:
            check(self, rng)
        except Differ as differ:
            self.keep(Complaint("oracles differ", "one truth", differ))
        except Complaint as complaint:
            # From outside a judge: nothing to shrink.
            key = f"{name}: {complaint.kind}"
            self.seen[key] = self.seen.get(key, 0) + 1
            if self.seen[key] <= self.same:
                self.keep(complaint)
        except Exception:  # An answer without a field that its help promises, most likely; or a fault of the check.
            self.keep(Complaint("answer not understood", "a document as the help describes it", traceback.format_exc()))
        cases, seconds = self.seconds.get(name, (0, 0.0))
        self.seconds[name] = cases + 1, seconds + time.monotonic() - start
