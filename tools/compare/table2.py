#!/usr/bin/env python3
"""Rank mod 65521 by block Wiedemann, LinBox and blackfield, in the layout of the source paper's Table 2.

Builds the LinBox driver of this folder, finds or generates the matrices, runs every contender in turn (A B C A B C …, so
that a busy minute affects all alike), checks that all ranks agree, and prints medians and ratios as markdown. One core: CPU
seconds; all cores: wall seconds. Reading the file and building LinBox's containers are in no figure but "whole process".

Exit codes: 0 table printed; 1 ranks disagree or a contender failed; 2 usage. README.md says what is compared and how.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from harness import LINBOX_HINT, ROOT, Failed, build_blackfield, build_driver, disagreements, execute, find_matrix, json_answer, machine, program, say, seconds

MODULUS = 65521
MATRICES = ["mat1916", "bibd_81_3", "EX5"]
PHASES = ["sequence", "sigma_basis", "codegree"]
# LinBox's block Wiedemann three times; README.md says what each one stands for.
VARIANTS = {
    "plain": ["--product", "csr-double", "--codegree", "horner"],
    "tuned": ["--product", "auto", "--codegree", "gemm"],
    "fflas": ["--product", "fflas", "--codegree", "gemm"],
}
SCALAR = {
    "scalar": ["--field", "uint32", "--container", "csr"],
    "scalar-double": ["--field", "double", "--container", "csr"],
}


def run(argv, threads, timeout):
    """One process: its JSON line with `process` = {cpu, wall} added, or None if it ran past `timeout` seconds."""
    outcome = execute(argv, threads, timeout)
    if outcome.expired:
        return None
    answer = json_answer(argv, outcome)
    answer["process"] = {"cpu": outcome.cpu, "wall": outcome.wall}
    return answer


def linbox_answer(answer, threads):
    """Seconds of a driver run as {name: seconds}."""
    out = {"process": answer["process"]["cpu" if threads == 1 else "wall"]}
    if answer["method"] == "bw":
        out.update(answer["cpu" if threads == 1 else "wall"])
    out["total"] = answer["cpu_seconds" if threads == 1 else "seconds"]
    return out


def blackfield_answer(answer, threads):
    """The same of a blackfield run. Its phases are wall seconds; whatever is neither reading nor one of the three counts as other."""
    phases = answer["phases"]
    out = {name: phases[name] for name in PHASES}
    out["other"] = sum(t for name, t in phases.items() if name != "read" and name not in PHASES)
    out["total"] = sum(out.values())
    out["process"] = answer["process"]["cpu" if threads == 1 else "wall"]
    return out


class Contender:
    """A command, and how to read its seconds."""

    def __init__(self, name, argv, read, one_core_only=False):
        self.name, self.argv, self.read, self.one_core_only = name, argv, read, one_core_only


def contenders(args, driver, blackfield):
    ours = [str(blackfield), "rank", "{file}", "-p", str(MODULUS), "--method", "wiedemann", "--json", "--quiet"]
    out = [Contender("blackfield", ours + ["--threads", "{threads}", "--seed", "{seed}"], blackfield_answer)]
    if driver:
        common = ["{file}", "-p", str(MODULUS), "--seed", "{seed}"]
        for name in args.rival:
            out.append(Contender(name, [str(driver), "bw", *common, *VARIANTS[name]], linbox_answer))
        if args.linbox_wiedemann:
            for name, options in SCALAR.items():
                out.append(Contender(name, [str(driver), "wiedemann", *common, *options], linbox_answer, one_core_only=True))
    return out


class Cell:
    """All runs of one contender on one matrix with one number of threads."""

    def __init__(self):
        self.runs, self.ranks, self.expired = [], [], None

    def median(self, row):
        values = [run[row] for run in self.runs if row in run]
        return statistics.median(values) if values else None

    def show(self, row):
        if self.expired is not None and row in ("total", "process"):
            return f"> {self.expired:g}"
        return seconds(self.median(row))


def measure(args, players, files):
    """{(matrix, threads, contender): Cell}, every contender once a round."""
    cells = {}
    for matrix, file in files.items():
        for threads in args.threads:
            playing = [c for c in players if threads == 1 or not c.one_core_only]
            for c in playing:
                cells[matrix, threads, c.name] = Cell()
            for turn in range(args.runs):
                for c in playing:
                    cell = cells[matrix, threads, c.name]
                    if cell.expired is not None:
                        continue
                    argv = [word.format(file=file, threads=threads, seed=turn + 1) for word in c.argv]
                    answer = run(argv, threads, args.timeout)
                    if answer is None:
                        cell.expired = args.timeout
                        say(f"{matrix}, {threads} threads, {c.name}: not in {args.timeout:g} s")
                        continue
                    cell.ranks.append(answer["rank"])
                    cell.runs.append(c.read(answer, threads))
                    process = answer["process"]
                    say(f"{matrix}, {threads} threads, {c.name}: rank {answer['rank']}, {cell.runs[-1]['total']:.3f} s")
                    if threads == 1 and process["wall"] > 1.2 * process["cpu"] + 0.1:
                        say(f"  busy machine: {process['wall']:.2f} s of wall for {process['cpu']:.2f} s of CPU")
    return cells


def check_ranks(cells):
    """Lines of disagreement, one a matrix; empty if every run found the same rank."""
    return disagreements((m, f"{name} ({threads} threads)", rank) for (m, threads, name), cell in cells.items() for rank in cell.ranks)


def table(args, players, cells, matrices):
    """The markdown lines of the table."""
    columns = [(m, t) for m in matrices for t in args.threads]
    names = [c.name for c in players]
    variants = [n for n in names if n in VARIANTS]
    scalars = [n for n in names if n in SCALAR]

    def row(title, cell_text):
        return f"| {title} | " + " | ".join(cell_text(m, t) for m, t in columns) + " |"

    def shown(title, name, what):
        return row(title, lambda m, t: cells[m, t, name].show(what) if (m, t, name) in cells else "–")

    def ratio(title, name, what):
        def text(m, t):
            theirs, ours = cells.get((m, t, name)), cells[m, t, "blackfield"]
            if theirs is None or not ours.median(what):
                return "–"
            value, mark = (theirs.expired, "> ") if theirs.expired is not None else (theirs.median(what), "")
            return "–" if value is None else f"{mark}{value / ours.median(what):.1f}"

        return row(title, text)

    lines = [
        "| mod %d, seconds | " % MODULUS + " | ".join(f"{m}, 1 core (CPU)" if t == 1 else f"{m}, {t} threads (wall)" for m, t in columns) + " |",
        "| --- |" + " ---: |" * len(columns),
    ]
    for title, what in (("Seq", "sequence"), ("σ-basis", "sigma_basis"), ("Interpolation", "codegree")):
        lines += [shown(f"{title}-LB {v}", v, what) for v in variants]
        lines.append(shown(f"{title}-blackfield", "blackfield", what))
    lines.append(shown("Other-blackfield", "blackfield", "other"))
    lines += [shown(f"Total-LB {v}", v, "total") for v in variants]
    lines.append(shown("Total-blackfield", "blackfield", "total"))
    lines += [shown(f"LinBox Wiedemann, {s}", s, "total") for s in scalars]
    lines += [shown(f"Whole process, {n}", n, "process") for n in names]
    lines += [ratio(f"**Total-LB {v} / blackfield**", v, "total") for v in variants]
    lines += [ratio(f"**Seq-LB {v} / blackfield**", v, "sequence") for v in variants]
    lines += [ratio(f"**LinBox Wiedemann, {s} / blackfield**", s, "total") for s in scalars]
    return lines


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--matrix", nargs="+", default=MATRICES, metavar="NAME", help="names that `blackfield generate` knows, of datasets/, or files")
    p.add_argument("--quick", action="store_true", help="mat1916 only")
    p.add_argument("-n", "--runs", type=int, default=3, help="rounds (default 3)")
    p.add_argument("--threads", type=int, nargs="+", default=sorted({1, os.cpu_count() or 1}), help="default: 1 and all")
    p.add_argument("--rival", nargs="*", choices=list(VARIANTS), default=list(VARIANTS), help="which of LinBox's block Wiedemann to run")
    p.add_argument("--linbox-wiedemann", action=argparse.BooleanOptionalAction, default=True, help="LinBox's scalar Wiedemann too")
    p.add_argument("--timeout", type=float, default=600, help="seconds for one run (default 600)")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the driver and the matrices")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--driver", type=program, help="the LinBox driver (default: built into the work folder)")
    args = p.parse_args(argv)
    if args.runs < 1 or min(args.threads) < 1 or args.timeout <= 0:
        p.error("-n, --threads and --timeout must be positive")
    if args.quick:
        args.matrix = ["mat1916"]
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        driver = args.driver or build_driver(args.work.resolve())
        if driver is None:
            say(LINBOX_HINT)
        files = {Path(name).name: find_matrix(name, args.work, blackfield) for name in args.matrix}
        players = contenders(args, driver, blackfield)
        cells = measure(args, players, files)
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"table2: {e}")
        return 1
    facts = machine(driver, blackfield)
    print("\n".join(table(args, players, cells, list(files))))
    print("\n" + ", ".join(f"{k}: {v}" for k, v in facts.items()) + f"; medians of {args.runs} alternating runs")
    if args.output:
        runs = [
            {"matrix": m, "threads": t, "contender": name, "ranks": c.ranks, "runs": c.runs, "timeout": c.expired}
            for (m, t, name), c in cells.items()
        ]
        args.output.write_text(json.dumps({"modulus": MODULUS, "machine": facts, "cells": runs}, indent=1) + "\n", encoding="utf-8")
    wrong = check_ranks(cells)
    for line in wrong:
        say(f"ranks disagree: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
