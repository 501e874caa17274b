#!/usr/bin/env python3
"""How honest is the time left? Long runs of blackfield with `--progress json`: what it said at 10, 25, 50 and 75 % of the time, and what was left.

    tools/compare/eta.py
    tools/compare/eta.py --case sequence gray --blackfield target/release/blackfield --output eta.json

A row is a command: the seconds that it took by the clock, the phase in which most of them went, and at each of the four moments the seconds
that were said to be left over those that were. The last line of progress before the moment counts, less what went by since; a moment at
which nothing was said is a dash. Below the table: in how many runs all of them are within a factor 2 from the first tenth on.
Exit code 1 if a command fails, if progress goes back within a phase, or with `--demand` if not all runs are within the factor.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import Failed, build_blackfield, environment, markdown, program, say

MOMENTS = (0.10, 0.25, 0.50, 0.75)
FACTOR = 2.0

# What to run: a name, what to make first, and what to time. DIR is the working folder. Each takes some ten seconds on two cores.
TEN = "65521,65519,65497,65479,65449,65447,65437,65423,65419,65413"
CASES = {
    "sequence": (("generate ch7-8-b4 -o DIR/ch784.sms",), "rank DIR/ch784.sms -p 65521 --method wiedemann"),
    "sequence, 2 moduli": (("generate bibd_81_3 -o DIR/bibd.sms",), "rank DIR/bibd.sms -p 2147483647,2147483629 --method wiedemann --block 2"),
    "sequence, 61 bits": (("random 24000 5",), f"rank DIR/random-24000-5.sms -p {2**61 - 1} --method wiedemann --block 8"),
    "row space": (("random 40000 8",), "rank DIR/random-40000-8.sms -p 65521 --method elimination"),
    "row space, 61 bits": (("random 20000 8",), f"rank DIR/random-20000-8.sms -p {2**61 - 1} --method elimination"),
    "row space, 10 moduli": (("random 18000 8",), f"rank DIR/random-18000-8.sms -p {TEN} --method elimination"),
    "gray": (("half 35",), "permanent DIR/half-35.sms --method gray --device cpu"),
    "frontier": (("half 29",), "permanent DIR/half-29.sms --method frontier"),
    "matchings by size": (("grid 14 30",), "matchings DIR/grid-14-30.sms --by-size"),
    "inclusion-exclusion": (("graph 46",), "matchings DIR/graph-46.sms --method inclusion-exclusion"),
    "null vectors": (("generate ch7-8-b4 -o DIR/ch784.sms",), "kernel DIR/ch784.sms --vectors 3000 -p 2147483647 -o DIR/n.sms"),
    "charpoly": (("full 5000 5000",), "charpoly DIR/full-5000-5000.npy -p 65521"),
    "determinant": (("random 5000 6",), "det DIR/random-5000-6.sms --proven"),
}


def scatter(number):
    """A number of 31 bits that depends on all bits of another."""
    number = (number + 1) * 0x9E3779B97F4A7C15 % 2**64
    return (number ^ number >> 29) * 0xBF58476D1CE4E5B9 % 2**64 >> 33


def entries(kind, numbers):
    """Shape and entries of a matrix that is made here: `grid A B`, `graph N`, `random N WEIGHT`, `half N`."""
    if kind == "grid":
        a, b = numbers
        edges = [(i, i + 1) for i in range(a * b) if (i + 1) % b] + [(i, i + b) for i in range((a - 1) * b)]
        return a * b, a * b, ((i, j, 1) for i, j in sorted(edges + [(j, i) for i, j in edges]))
    if kind == "graph":
        (n,) = numbers
        edges = {(i, j) for i in range(n) for j in range(i) if i == j + 1 or scatter(i * n + j) % 2}
        return n, n, ((i, j, 1) for i, j in sorted(edges | {(j, i) for i, j in edges}))
    if kind == "random":
        n, weight = numbers

        def row(i):
            # The diagonal makes a generic matrix nonsingular but for a few lines that are the same.
            columns = {scatter(i * weight + k) % n for k in range(weight - 1)} | {i}
            return ((i, j, 1 + scatter(i * n + j) % 9) for j in sorted(columns))

        return n, n, (entry for i in range(n) for entry in row(i))
    if kind == "half":
        (n,) = numbers
        return n, n, ((i, j, 1) for i in range(n) for j in range(n) if i == j or scatter(i * n + j) % 2)
    raise Failed(f"no kind of matrix: {kind}")


def write_full(file, rows, cols):
    """`full ROWS COLS`: a dense matrix of random bytes, in NumPy's format."""
    head = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {cols}), }}\n".encode("ascii")
    source = random.Random(rows * cols)
    with open(file, "wb") as out:
        out.write(b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head)
        for _ in range(rows):
            out.write(source.randbytes(cols))


def make(recipe, folder, blackfield):
    """Makes a matrix: by `blackfield generate`, or here."""
    words = recipe.split()
    if words[0] == "generate":
        argv = [str(blackfield)] + [word.replace("DIR", str(folder)) for word in words] + ["-q"]
        if subprocess.run(argv, check=False).returncode:
            raise Failed(f"{recipe}: no matrix")
        return
    if words[0] == "full":
        write_full(folder / ("-".join(words) + ".npy"), int(words[1]), int(words[2]))
        return
    file = folder / ("-".join(words) + ".sms")
    rows, cols, found = entries(words[0], [int(word) for word in words[1:]])
    with open(file, "w", encoding="ascii") as out:
        out.write(f"{rows} {cols} M\n")
        out.writelines(f"{i + 1} {j + 1} {v}\n" for i, j, v in found)
        out.write("0 0 0\n")


def watch(argv, threads):
    """Runs a command to its end; its seconds by the clock, and its lines of progress, each with the moment at which it arrived."""
    start, lines, last = time.monotonic(), [], ""
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(threads)) as run:
        for line in run.stderr:
            last = line
            if line.startswith("{"):
                progress = json.loads(line)
                if progress.get("schema") == "blackfield/progress/1":
                    lines.append((time.monotonic() - start, progress))
    if run.returncode:
        raise Failed(f"{' '.join(argv)}: exit code {run.returncode}: {last.strip()}")
    return time.monotonic() - start, lines


def steps_back(lines):
    """The first line of progress that is behind the one before it in the same phase of the same part, if there is one."""
    for (_, a), (_, b) in zip(lines, lines[1:]):
        same = a["phase"] == b["phase"] and a["parts"] == b["parts"] and b["phase_seconds"] >= a["phase_seconds"]
        if same and (b["done"] < a["done"] or (b["share"] or 0) < (a["share"] or 0)):
            return b
    return None


def ratio(seconds, lines, moment):
    """At that share of the time: seconds said to be left over those that were; None if nothing was said."""
    now = moment * seconds
    before = [(at, line) for at, line in lines if at <= now]
    if not before or before[-1][1]["left"] is None:
        return None
    at, line = before[-1]
    return max(line["left"] - (now - at), 0.0) / (seconds - now)


def longest(seconds, lines):
    """The phase in which most of the time went."""
    spent = {}
    for (at, line), (then, _) in zip(lines, lines[1:] + [(seconds, None)]):
        spent[line["phase"]] = spent.get(line["phase"], 0.0) + then - at
    return max(spent, key=spent.get) if spent else "-"


def is_honest(ratios):
    return all(r is not None and 1 / FACTOR <= r <= FACTOR for r in ratios)


def table(runs):
    header = ["run", "s", "longest phase"] + [f"{moment:.0%}" for moment in MOMENTS]
    shown = lambda r: "-" if r is None else f"{r:.2f}"
    rows = [[name, f"{run['seconds']:.1f}", run["phase"]] + [shown(r) for r in run["ratios"]] for name, run in runs.items()]
    honest = sum(is_honest(run["ratios"]) for run in runs.values())
    lines = "\n".join(markdown(header, rows))
    return f"{lines}\n\nWithin a factor {FACTOR:g} at all four moments: {honest} of {len(runs)} runs."


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="+", choices=sorted(CASES), default=list(CASES), help="which runs")
    parser.add_argument("--command", help="this command instead, with its arguments in one string")
    parser.add_argument("--blackfield", type=program, help="the program [default: a release build]")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path, help="a folder for the matrices, which is kept")
    parser.add_argument("--output", type=Path, help="every line of progress, as JSON")
    parser.add_argument("--demand", action="store_true", help="fail unless all are within the factor")
    args = parser.parse_args(argv)
    blackfield = args.blackfield or build_blackfield()
    runs, failed = {}, False
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.work or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases = {"command": ((), args.command)} if args.command else {name: CASES[name] for name in args.case}
        for name, (recipes, command) in cases.items():
            try:
                for recipe in recipes:
                    make(recipe, folder, blackfield)
                words = [word.replace("DIR", str(folder)) for word in command.split()]
                seconds, lines = watch([str(blackfield), *words, "--threads", str(args.threads), "--progress", "json"], args.threads)
                back = steps_back(lines)
                if back:
                    raise Failed(f"{name}: progress went back: {back}")
            except Failed as e:
                failed = True
                say(e)
                continue
            runs[name] = {"seconds": seconds, "phase": longest(seconds, lines), "ratios": [ratio(seconds, lines, m) for m in MOMENTS], "lines": lines}
            say(f"{name}: {seconds:.1f} s, {runs[name]['phase']}, {runs[name]['ratios']}")
    print(table(runs))
    if args.output:
        args.output.write_text(json.dumps(runs), encoding="utf-8")
    unmet = args.demand and not all(is_honest(run["ratios"]) for run in runs.values())
    return int(failed or unmet)


if __name__ == "__main__":
    sys.exit(main())
