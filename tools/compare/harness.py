"""What the comparison scripts share: a process run under a clock, the programs they build, the matrices they find.

`execute` runs one contender and measures it from outside: CPU seconds (user + system, all its threads), wall seconds, peak
resident memory. Nothing here knows which table is being made.
"""

import dataclasses
import gzip
import json
import os
import platform
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LINBOX_HINT = "LinBox is not here: on Debian or Ubuntu `apt-get install g++ make liblinbox-dev libopenblas-dev`; going on without it"


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def program(path):
    """A program named on a command line, as a shell takes it: Path("./name") alone is "name", which would be looked for in PATH."""
    return Path(path).absolute() if os.sep in path else Path(path)


def environment(threads):
    """The caller's environment without settings that pin OpenBLAS to another processor, for so many threads."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    env.update(OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS="1", RAYON_NUM_THREADS=str(threads))
    return env


class Failed(Exception):
    """A contender ended with an error or printed no answer."""


@dataclasses.dataclass
class Outcome:
    """One process: what it printed and what it took. `expired`: it ran past its limit and was stopped."""

    output: str
    errors: str
    cpu: float
    wall: float
    megabytes: float
    expired: bool


def peak_in_status(pid):
    """VmHWM of a live process in kB, 0 where it cannot be read."""
    try:
        return int(re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))[1])
    except (OSError, TypeError):
        return 0


def cpu_in_stat(pid):
    """CPU seconds that a live process has used so far, 0 where they cannot be read."""
    try:
        # Fields after the name in parentheses, which may hold spaces: utime and stime are the 14th and 15th of all.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0


def execute(argv, threads, timeout, *, stdin=os.devnull, until=None, limit="wall"):
    """Runs a program to its end, or to the first line of output in which the pattern `until` is found: there it is stopped, so that
    what a rival does after its answer is not held against it. `timeout` is in seconds of wall or of CPU time, as `limit` says; the
    latter (Linux) is fair on a busy machine. Raises Failed for an exit code other than 0.

    The kernel reports for a child at least the peak memory of the process that started it. A child whose peak is below that of this
    script has its own figure sampled every 2 ms instead.
    """
    argv = [str(word) for word in argv]
    start = time.monotonic()
    with open(stdin, "rb") as source:
        child = subprocess.Popen(argv, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(threads))
    # After the start: no less than what the child inherited.
    floor = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    late, ended = threading.Event(), threading.Event()
    sampled, errors, lines = [0], [], []

    # Not `child.kill`: it may reap the child, and with it the figures that `wait4` is to bring.
    def stop():
        try:
            os.kill(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def expire():
        late.set()
        stop()

    # Not RLIMIT_CPU: the kernel's clock for it was seen to run at a third of the one that it reports.
    def watch():
        while not ended.is_set() and (limit == "cpu" or sampled[0] <= floor):
            if sampled[0] <= floor:
                sampled[0] = max(sampled[0], peak_in_status(child.pid))
            if limit == "cpu" and cpu_in_stat(child.pid) > timeout:
                return expire()
            ended.wait(0.002 if sampled[0] <= floor else 0.05)

    # A program that sleeps uses up no CPU limit.
    timer = threading.Timer(timeout if limit == "wall" else 60 + 20 * timeout, expire)
    watchers = [timer, threading.Thread(target=watch), threading.Thread(target=lambda: errors.append(child.stderr.read()))]
    for watcher in watchers:
        watcher.start()
    answered = False
    for line in child.stdout:
        lines.append(line.decode(errors="replace"))
        if until and not answered and re.search(until, lines[-1]):
            answered = True
            sampled[0] = max(sampled[0], peak_in_status(child.pid))
            stop()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    timer.cancel()
    for watcher in watchers:
        watcher.join()
    child.stdout.close()
    child.stderr.close()
    peak = usage.ru_maxrss if usage.ru_maxrss > floor or not sampled[0] else sampled[0]
    cpu = usage.ru_utime + usage.ru_stime
    out = Outcome("".join(lines), errors[0].decode(errors="replace"), cpu, wall, peak / 1024, expired=False)
    if answered:
        return out
    if late.is_set():
        out.expired = True
    elif child.returncode != 0:
        raise Failed(f"{' '.join(argv)}: exit code {child.returncode}\n{out.errors}")
    return out


def json_answer(argv, outcome):
    """The JSON document that a program printed."""
    try:
        return json.loads(outcome.output)
    except ValueError as e:
        raise Failed(f"{' '.join(map(str, argv))}: no JSON on its output: {e}") from e


def build_driver(work):
    """The LinBox driver's path, or None where LinBox is not installed."""
    probe = "#include <linbox/linbox-config.h>\n"
    if not (shutil.which("make") and shutil.which("g++")):
        return None
    if subprocess.run(["g++", "-std=c++17", "-E", "-x", "c++", "-"], input=probe, text=True, capture_output=True).returncode != 0:
        return None
    say("building the LinBox driver (about half a minute)")
    subprocess.run(["make", "--silent", "-C", str(HERE), f"BUILD={work}"], check=True, env=environment(1), stdout=sys.stderr)
    driver = work / "linbox_driver"
    if "openblas" not in subprocess.run(["ldd", str(driver)], text=True, capture_output=True).stdout:
        say("warning: LinBox's BLAS here is not OpenBLAS; install libopenblas-dev for a fair comparison")
    return driver


def build_blackfield():
    subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "blackfield"], check=True, cwd=ROOT, stdout=sys.stderr)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "release" / "blackfield"


def find_matrix(name, work, blackfield, folders=(ROOT / "datasets",), form="mtx"):
    """An uncompressed file with the matrix: a path, a file of the folders, or one that `blackfield generate` writes as `form`.
    Compressed files are unpacked into the work folder."""
    given = Path(name)
    candidates = [given] + [Path(folder) / (name + end) for folder in folders for end in (".sms", ".mtx", ".sms.gz", ".mtx.gz")]
    for path in candidates:
        if path.is_file() and path.suffix == ".gz":
            plain = work / path.stem
            with gzip.open(path, "rb") as source, open(plain, "wb") as target:
                shutil.copyfileobj(source, target)
            return plain
        if path.is_file():
            return path
    generated = work / f"{name}.{form}"
    if not generated.exists():
        say(f"generating {name}")
        subprocess.run([str(blackfield), "generate", name, "-o", str(generated)], check=True, stdout=sys.stderr)
    return generated


def disagreements(answers):
    """Lines, one for each matrix on which `answers`, an iterable of (matrix, who, answer), has more than one answer."""
    found = {}
    for matrix, who, rank in answers:
        found.setdefault(matrix, {}).setdefault(rank, set()).add(who)
    return [
        f"{matrix}: " + "; ".join(f"{rank} by {', '.join(sorted(who))}" for rank, who in sorted(ranks.items()))
        for matrix, ranks in found.items()
        if len(ranks) > 1
    ]


def seconds(t):
    if t is None:
        return "–"
    return f"{t:.3f}" if t < 1 else f"{t:.2f}" if t < 100 else f"{t:.0f}"


class Cell:
    """All runs of one contender on one matrix: outcomes with their answers and facts; or why there is none."""

    def __init__(self):
        self.runs, self.expired, self.missing = [], None, None

    def median(self, what):
        values = [getattr(outcome, what) for outcome, _, _ in self.runs]
        return statistics.median(values) if values else None

    def peak(self):
        """The most memory of any run: short ones are sampled, and may miss it."""
        return max((outcome.megabytes for outcome, _, _ in self.runs), default=None)

    def facts(self):
        return self.runs[-1][2] if self.runs else {}

    def stopped(self):
        return self.expired is not None or self.missing is not None

    def show(self, what="cpu"):
        if self.expired is not None:
            return f"> {self.expired:g}"
        if not self.runs:
            return self.missing or "–"
        return f"{seconds(self.median(what))} ({self.peak():.0f} MB)"

    def record(self, kind):
        """For the JSON file, the answers by this name."""
        runs = [{"cpu": o.cpu, "wall": o.wall, "megabytes": o.megabytes, kind: answer, **facts} for o, answer, facts in self.runs]
        return {"runs": runs, "timeout": self.expired, "missing": self.missing}


def markdown(header, rows, left=1):
    """A table whose first `left` columns are text."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * left + " ---: |" * (len(header) - left)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def output_of(argv):
    try:
        return subprocess.run(argv, text=True, capture_output=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine(driver, blackfield):
    """What the figures were measured on, and with."""
    model = platform.processor() or platform.machine()
    try:
        model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))[1]
    except (OSError, TypeError):
        pass
    facts = {"processor": model, "cpus": os.cpu_count(), "blackfield": output_of([str(blackfield), "--version"])}
    if driver:
        facts["linbox"] = output_of(["pkg-config", "--modversion", "linbox"])
        facts["compiler"] = output_of(["g++", "-dumpfullversion"])
    return facts
