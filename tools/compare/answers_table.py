#!/usr/bin/env python3
"""Answers beyond the rank by the best programs: null spaces, systems, echelon forms, Smith forms, homology, determinants, polynomials.

    tools/compare/answers_table.py                                  # all sections
    tools/compare/answers_table.py solve smith --matrix mk11-b4     # some of them, on matrices of one's own choice

Every program reads the same uncompressed SMS file in its own process, on one thread, contenders alternating. A figure is the CPU seconds of
the whole process, reading and writing included (median over rounds), and its peak memory; of GUDHI and PARI's logarithms only the
seconds of the computation. Answers are compared, and what can be is multiplied out by answers_check.py: a rival whose answer
fails is shown as "wrong".

Exit codes: 0 tables printed; 1 answers disagree, or blackfield failed; 2 usage. README.md says where the rivals come from.
"""

import argparse
import json
import math
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import answers_check
import generators
from answers_players import SECTIONS, Case, Tools, boundaries, players_of
from harness import ROOT, Cell, Failed, build_blackfield, disagreements, execute, find_matrix, machine, markdown, program, say
from rank_table import best_rival, dimensions, geometric_mean, ratio_text


def locate(args, tools, name):
    """The plain SMS file of a matrix, entries that are no integers read as 1, as `rank --pattern` does."""
    file = generators.generate(Path(name).name, args.work) or find_matrix(name, args.work, tools.blackfield, [*args.data, ROOT / "datasets"], form="sms")
    if file.suffix == ".sms":
        return file
    target = args.work / f"{file.stem}.sms"
    if not target.exists():
        words = [tools.blackfield, "convert", file, target, "--quiet"]
        for extra in ([], ["--pattern"]):
            if subprocess.run([*map(str, words), *extra], capture_output=True).returncode == 0:
                return target
        raise Failed(f"{file} is no matrix that blackfield reads")
    return target


def case_of(args, tools, section, name):
    """A matrix, or a complex, of a section."""
    name, _, modulus = name.partition(":")
    p = answers_modulus(modulus) if modulus else section.modulus
    label = name if not modulus else f"{name} mod {modulus}"
    if section.complex:
        boundaries(args.work / name, tools.blackfield)
        return Case(label, args.work / name, p, args.work)
    return Case(Path(label).name, locate(args, tools, name), p, args.work)


def answers_modulus(word):
    """A prime in digits, or as 2^k-c."""
    if "^" not in word:
        return int(word)
    power, _, less = word.partition("-")
    base, exponent = power.split("^")
    return int(base) ** int(exponent) - int(less or 0)


def check(contender, case, out, limit):
    """Multiplies out what a contender wrote. False: there was nothing to check, or too much."""
    if contender.check is None or not os.path.exists(out) or os.path.getsize(out) > limit * 2**20:
        return False
    contender.check(case, out)
    return True


def turn(args, contender, cell, case, seed):
    """One run of one contender, put into its cell."""
    if cell.stopped() or (cell.runs and cell.runs[0][0].cpu > args.once_above):
        return
    if contender.dense and case.file.is_file():
        rows, cols = dimensions(case.file)
        gigabytes = max(rows, cols) * cols * 8 / 2**30
        if gigabytes > args.dense_memory:
            cell.missing = f"{gigabytes:.0f} GB"
            return
    out = args.work / f"answer.{os.getpid()}"
    for old in args.work.glob(f"{out.name}*"):
        old.unlink()
    label = f"{case.name}, {contender.name}"
    try:
        argv = contender.words(case, out, seed)
        outcome = execute(argv, 1, args.timeout, limit="cpu")
        if outcome.expired:
            cell.expired = round(args.timeout, 1)
            say(f"{label}: not in {args.timeout:g} s")
            return
        answer, facts = contender.read(argv, outcome, case)
        outcome.cpu = facts.pop("counted", outcome.cpu)
        written = Path(f"{out}{contender.ending}")
        facts["bytes"] = written.stat().st_size if written.exists() else None
        facts["checked"] = not cell.runs and check(contender, case._replace(answer=answer), written, args.check_limit)
    except (Failed, answers_check.Wrong) as e:
        if contender.ours:
            raise Failed(f"{label}: {e}") from e
        cell.missing = "wrong" if isinstance(e, answers_check.Wrong) else "failed"
        say(f"{label}: {str(e)[:200]} … {str(e)[-200:]}" if len(str(e)) > 400 else f"{label}: {e}")
        return
    cell.runs.append((outcome, answer, facts))
    say(f"{label}: {str(answer)[:60]}, {outcome.cpu:.3f} s of CPU, {outcome.megabytes:.0f} MB{', checked' if facts['checked'] else ''}")


def measure(task):
    """The cells of one case of a section, contenders in turn, round by round; the tables' section, the case, {contender: Cell}."""
    args, tools, key, case = task
    players = players_of(key, tools, args.rival)
    cells = {c.name: Cell() for c in players}
    for number in range(args.runs):
        for c in players:
            turn(args, c, cells[c.name], case, number + 1)
    return key, case.name, cells


def measure_all(args, tools, cases):
    """{section: {(case, contender): Cell}}, some cases side by side if that is asked for."""
    sections = {key: {} for key in cases}
    tasks = [(args, tools, key, case) for key, found in cases.items() for case in found]
    with multiprocessing.Pool(args.jobs) as pool:
        for key, case, cells in pool.imap_unordered(measure, tasks) if args.jobs > 1 else map(measure, tasks):
            sections[key] |= {(case, who): cell for who, cell in cells.items()}
    return sections


def shown(answer):
    """An answer in a table: a long one by its digits."""
    text = str(answer)
    return text if len(text) <= 32 else f"{text[:12]}… ({len(text)})"


def table(section, players, cells, cases):
    """Seconds and memory of everybody, the best rival's over ours, and their geometric mean."""
    ours, rivals = players[0], players[1:]
    rows, ratios, bounds = [], [], 0
    for case in cases:
        cell = cells[case.name, ours.name]
        name, best = best_rival(cells, case.name, rivals)
        ratio = (best.median("cpu") if name else best) / cell.median("cpu") if cell.runs and best else None
        ratios += [] if ratio is None else [ratio]
        bounds += ratio is not None and name is None
        answer = shown(cell.runs[0][1]) if cell.runs else "–"
        found = [f"**{cells[case.name, c.name].show()}**" if c.ours and cell.runs else cells[case.name, c.name].show() for c in players]
        rows.append([case.name, answer, *found, ratio_text(ratio, name is None)])
    lines = markdown(["matrix", section.answer, *(c.name for c in players), "best / blackfield"], rows)
    if ratios:
        note = f"Best rival / blackfield: geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f} ({len(ratios)} matrices"
        lines += ["", note + (f", {bounds} of them bounds, where no rival finished)." if bounds else ").")]
    return lines


def wrong_answers(sections):
    """Lines about matrices with more than one answer in a section."""
    found = [(f"{title}: {case}", who, str(answer)) for title, cells in sections.items() for (case, who), cell in cells.items() for _, answer, _ in cell.runs]
    return disagreements(found)


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("section", nargs="*", help=f"of {' '.join(SECTIONS)} (default: all)")
    p.add_argument("--matrix", nargs="+", metavar="NAME[:P]", help="instead of each section's own: files, or names that --data, generators.py or `blackfield generate` know")
    p.add_argument("--data", type=Path, nargs="+", default=[], metavar="FOLDER", help="folders with matrix files, searched before datasets/")
    p.add_argument("--rival", nargs="*", metavar="NAME", help="only these, by the first words of their names (default: all that are here)")
    p.add_argument("--ours", default="", metavar="OPTIONS", help="options for blackfield, such as --ours=--proven")
    p.add_argument("-n", "--runs", type=int, default=3, help="rounds (default 3)")
    p.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="so many matrices side by side, on as many quiet cores (default 1)")
    p.add_argument("--once-above", type=float, default=math.inf, metavar="S", help="a run of more than this many CPU seconds is not repeated")
    p.add_argument("--timeout", type=float, default=60, help="CPU seconds for one run (default 60)")
    p.add_argument("--dense-memory", type=float, default=4, metavar="GB", help="largest array for which a dense rival is started (default 4)")
    p.add_argument("--check-limit", type=float, default=100, metavar="MB", help="largest file that is multiplied out (default 100)")
    p.add_argument("--spasm", type=Path, default=os.environ.get("SPASM"), metavar="FOLDER", help="the folder of SpaSM's programs (default: $SPASM)")
    p.add_argument("--sparserref", default=os.environ.get("SPARSERREF"), metavar="PATH", help="SparseRREF's program (default: $SPARSERREF)")
    p.add_argument("--gudhi", default=os.environ.get("GUDHI"), metavar="PYTHON", help="a Python with gudhi (default: $GUDHI)")
    p.add_argument("--drivers", type=Path, help="the folder of the drivers (default: built into the work folder)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for drivers, matrices and answers")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    args = p.parse_args(argv)
    unknown = set(args.section) - set(SECTIONS)
    if unknown:
        p.error(f"no section {', '.join(sorted(unknown))}: there are {', '.join(SECTIONS)}")
    if min(args.runs, args.jobs, args.timeout) <= 0:
        p.error("-n, -j and --timeout must be positive")
    args.section = args.section or list(SECTIONS)
    return args


def build_drivers(work):
    """The folder with those drivers that can be built here."""
    for name in ("linbox_answers", "flint_driver", "iml_driver"):
        words = ["make", "--silent", "-C", str(Path(__file__).resolve().parent), f"BUILD={work}", f"{work}/{name}"]
        if subprocess.run(words, stdout=sys.stderr).returncode != 0:
            say(f"{name} cannot be built here: README.md says what it needs")
    return work


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    lines = []
    try:
        blackfield = args.blackfield or build_blackfield()
        tools = Tools(blackfield, args.drivers or build_drivers(args.work.resolve()), args.spasm, args.sparserref, args.gudhi, args.ours.split())
        cases = {key: [case_of(args, tools, SECTIONS[key], name) for name in args.matrix or SECTIONS[key].matrices] for key in args.section}
        sections = measure_all(args, tools, cases)
        for key, cells in sections.items():
            players = players_of(key, tools, args.rival)
            lines += [f"### {SECTIONS[key].title}", "", *table(SECTIONS[key], players, cells, cases[key]), ""]
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"answers_table: {e}")
        return 1
    facts = machine(None, blackfield)
    print("\n".join(lines))
    print("Measured on " + ", ".join(f"{k}: {v}" for k, v in facts.items()) + f"; medians of {args.runs} alternating runs.")
    if args.output:
        cells = [
            {"section": key, "matrix": case, "contender": who, **cell.record("answer")}
            for key, found in sections.items()
            for (case, who), cell in found.items()
        ]
        args.output.write_text(json.dumps({"machine": facts, "cells": cells}, indent=1, default=str) + "\n", encoding="utf-8")
    wrong = wrong_answers(sections)
    for line in wrong:
        say(f"answers disagree: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
