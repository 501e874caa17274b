#!/usr/bin/env python3
"""Exact permanents by blackfield, next to the times that the SUperman paper prints and to FLINT.

Rows: the eleven matrices of the paper's Table 5 and all of them in one command; then matrices of other kinds. A figure of blackfield's is
the CPU seconds of a whole process on one thread (start and reading included, median over rounds, contenders in turn) and its peak memory.
The paper's figure is the best of its four columns (superman_table5.tsv): wall seconds on an H200 machine, in floating point. FLINT's is the
CPU seconds of the call alone. Every permanent is checked: against datasets/MANIFEST.tsv, a theorem, FLINT, or at least mod 2.

Exit codes: 0 table printed; 1 permanents disagree, or blackfield failed; 2 usage.
README.md says where FLINT comes from and what makes the comparison fair.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import generators
import oracles
from harness import HERE, ROOT, Cell, Failed, build_blackfield, disagreements, execute, find_matrix, json_answer, machine, markdown, program, say, seconds

TABLE_5 = "bcspwr02 d_ss curtis54 will57 impcol_b dwt_59 bfwb62 ww_36_pmec_36 west0067 CAG_mat72 steam3".split()
OTHERS = """mesh1e1 mycielskian6 bcsstk01 regular-80-3-1 regular-80-3-2 regular-80-3-3 regular-80-3-4 regular-80-3-5 regular-50-4-1
band-1000-3 dominoes-100-100 half-32-1 half-36-1""".split()
FLINT_MATRICES = ["half-32-1"]
WIDE = ["half-36-1"]
OURS, FLINT, TOGETHER = "blackfield", "FLINT", "all in one command"
FLINT_HINT = "FLINT is not here: README.md says where it comes from; going on without it"


def known_permanents(manifest=ROOT / "datasets" / "MANIFEST.tsv"):
    """{matrix: digits} of the permanents of 0–1 patterns that the data sets have."""
    out = {}
    for line in manifest.read_text(encoding="utf-8").splitlines():
        if found := re.search(r"permanent of the 0-1 pattern = (\d+)", line):
            out[re.sub(r"(\.(sms|mtx|rua))?(\.gz)?$", "", line.split("\t")[0])] = found[1]
    return out


def paper_seconds(table=HERE / "superman_table5.tsv"):
    """{matrix: (least seconds, the column that has it)}; the later column where two are equal."""
    lines = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    header, out = lines[0], {}
    for name, *cells in lines[1:]:
        times = [(float(cell), -k) for k, cell in enumerate(cells, 1) if re.fullmatch(r"[\d.]+", cell)]
        if len(cells) != len(header) - 1 or not times:
            raise Failed(f"{table}: {name} has no time, or not {len(header) - 1} columns")
        best, k = min(times)
        out[name] = best, header[-k]
    return out


def flint_library(given):
    """The shared library of FLINT: `given` itself, or what the python-flint of that interpreter brings; None if there is none."""
    if given is None:
        return None
    if re.search(r"\.(so|dylib|dll)\b", Path(given).name):
        return given
    script = "import flint, pathlib; print(*pathlib.Path(flint.__file__).parents[1].glob('python_flint.libs/libflint*'), sep='\\n')"
    try:
        found = subprocess.run([given, "-c", script], text=True, capture_output=True, check=True).stdout.split("\n")[0]
    except (OSError, subprocess.CalledProcessError) as e:
        say(f"{given}: {getattr(e, 'stderr', '') or e}")
        return None
    return found or None


def read_answers(argv, outcome):
    """All of blackfield's documents, one a line."""
    try:
        return [json.loads(line) for line in outcome.output.splitlines()]
    except ValueError as e:
        raise Failed(f"{' '.join(map(str, argv))}: no JSON on its output: {e}") from e


def run_ours(args, blackfield, files, threads=1):
    """One process for all the files: its outcome and its documents."""
    argv = [blackfield, "permanent", "--pattern", "--json", "--quiet", "--threads", threads, *files]
    outcome = execute(argv, threads, args.timeout, limit="cpu")
    if outcome.expired:
        return outcome, []
    answers = read_answers(argv, outcome)
    if len(answers) != len(files):
        raise Failed(f"{' '.join(map(str, argv))}: {len(answers)} documents for {len(files)} files")
    return outcome, answers


def turn_ours(args, blackfield, cell, label, files, threads=1):
    if cell.stopped() or long(args, cell):
        return
    outcome, answers = run_ours(args, blackfield, files, threads)
    if outcome.expired:
        cell.expired = args.timeout
        return say(f"{label}: not in {args.timeout:g} s")
    facts = {key: answers[0][key] for key in ("n", "nnz", "method", "certainty", "proof") if key in answers[0]} if len(files) == 1 else {}
    cell.runs.append((outcome, [answer["permanent"] for answer in answers], facts))
    say(f"{label}: {outcome.cpu:.3f} s of CPU, {outcome.wall:.3f} s of wall, {outcome.megabytes:.0f} MB")


def turn_flint(args, library, cell, label, file):
    if cell.stopped() or long(args, cell):
        return
    argv = [sys.executable, HERE / "flint_permanent.py", library, file]
    try:
        outcome = execute(argv, 1, args.timeout, limit="cpu")
        answer = None if outcome.expired else json_answer(argv, outcome)
    except Failed as e:
        cell.missing = "failed"
        return say(f"{label}, FLINT: {e}")
    if outcome.expired:
        cell.expired = args.timeout
        return say(f"{label}, FLINT: not in {args.timeout:g} s")
    outcome.cpu = answer["cpu_seconds"]
    cell.runs.append((outcome, [answer["permanent"]], {"version": answer["version"]}))
    say(f"{label}, FLINT {answer['version']}: {outcome.cpu:.3f} s of CPU")


def long(args, cell):
    """Whether one run is enough."""
    return bool(cell.runs) and cell.runs[0][0].cpu > args.once_above


def measure(args, blackfield, library, files):
    """{(matrix, contender): Cell}: round by round, all in turn."""
    cells = {(m, who): Cell() for m in files for who in (OURS, FLINT)}
    table_5 = [file for m, file in files.items() if m in TABLE_5]
    cells[TOGETHER, OURS] = Cell()
    wide = {m: Cell() for m in args.wide if m in files}
    for _ in range(args.runs):
        for m, file in files.items():
            turn_ours(args, blackfield, cells[m, OURS], m, [file])
            if library and m in args.flint_matrix:
                turn_flint(args, library, cells[m, FLINT], m, file)
        if table_5:
            turn_ours(args, blackfield, cells[TOGETHER, OURS], TOGETHER, table_5)
        for m, cell in wide.items():
            turn_ours(args, blackfield, cell, f"{m} on {args.wide_threads} threads", [files[m]], args.wide_threads)
    cells.update({(m, args.wide_threads): cell for m, cell in wide.items()})
    return cells


def in_words(digits):
    """A permanent in the width of a table."""
    return digits if len(digits) <= 24 else f"{digits[:12]}… ({len(digits.lstrip('-'))} digits)"


def digits_of(cells, matrix):
    """The permanents found, of all contenders."""
    keys = [key for key in cells if key[0] == matrix]
    return sorted({answers[0] for key in keys for _, answers, _ in cells[key].runs})


def checks(cells, matrix, file, known):
    """What is known of a permanent: {source: digits}, and its parity if nothing is."""
    found = {}
    if matrix in known:
        found["MANIFEST"] = known[matrix]
    elif (theorem := oracles.by_theorem(matrix)) is not None:
        found["theorem"] = str(theorem)
    flint = cells[matrix, FLINT].runs
    if flint:
        found[FLINT] = flint[0][1][0]
    return found, None if found else oracles.parity(oracles.read_pattern(file))


def wrong_permanents(cells, files, known):
    """Lines about permanents that differ from each other or from what is known, and the words that say what agrees."""
    answers, lines, words = [], [], {}
    for m, file in files.items():
        facts, odd = checks(cells, m, file, known)
        answers += [(m, source, digits) for source, digits in facts.items() if source != FLINT]
        digits = {found[0] for _, found, _ in cells[m, OURS].runs}
        odd_ones = [d for d in digits if odd is not None and int(d[-1]) % 2 != odd]
        lines += [f"{m}: {d} is not {odd} mod 2, as the determinant is" for d in odd_ones]
        told = [source if digits == {value} else f"**not {source}**" for source, value in facts.items()]
        words[m] = ", ".join(told) or ("**not mod 2**" if odd_ones else "mod 2")
    for (m, who), cell in cells.items():
        name = f"{OURS} on {who} threads" if isinstance(who, int) else who
        if m == TOGETHER:
            names = [matrix for matrix in files if matrix in TABLE_5]
            answers += [(matrix, TOGETHER, d) for _, found, _ in cell.runs for matrix, d in zip(names, found)]
        else:
            answers += [(m, name, found[0]) for _, found, _ in cell.runs]
    return lines + disagreements(answers), words


def times(ratio):
    """A quotient of seconds with three digits, large ones without a power of ten."""
    return f"{ratio:.3g}" if ratio < 1000 else f"{float(f'{ratio:.3g}'):.0f}"


def row(cells, matrix, paper, words):
    ours, flint = cells[matrix, OURS], cells[matrix, FLINT]
    facts, time = ours.facts(), ours.median("cpu")
    out = [matrix, " / ".join(map(in_words, digits_of(cells, matrix))) or "–", words[matrix] if ours.runs else "–"]
    out += [f"{facts['method']}, {facts['certainty']}" if facts else "–", str(facts.get("n", "–")), str(facts.get("nnz", "–")), ours.show()]
    best, column = paper.get(matrix, (None, None))
    out += [f"{best:.10g} ({column})" if best else "–", times(best / time) if best and time else "–"]
    given = seconds(flint.median("cpu")) if flint.runs else flint.show()
    return out + [given, times(flint.median("cpu") / time) if flint.runs and time else "–"]


def table(args, cells, files, paper, words):
    header = ["matrix", "permanent", "agrees with", "how", "n", "entries", "blackfield", "paper, best", "paper / blackfield", "FLINT"]
    out = markdown([*header, "FLINT / blackfield"], [row(cells, m, paper, words) for m in files], left=4)
    together = cells[TOGETHER, OURS]
    if together.runs:
        names = [m for m in files if m in TABLE_5]
        best = sum(paper[m][0] for m in names)
        apart = sum(cells[m, OURS].median("cpu") or 0 for m in names)
        note = f"The {len(names)} matrices of the paper's Table 5 in one command: {seconds(together.median('cpu'))} s of CPU, "
        note += f"{seconds(together.median('wall'))} s of wall, {together.peak():.0f} MB; one by one {seconds(apart)} s; the paper's best {best:.0f} s together."
        out += ["", note]
    for (m, threads), cell in cells.items():
        if isinstance(threads, int) and cell.runs:
            out += ["", f"{m} on {threads} threads: {seconds(cell.median('wall'))} s of wall, {seconds(cell.median('cpu'))} s of CPU, {cell.peak():.0f} MB."]
    return out


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--matrix", nargs="+", default=TABLE_5 + OTHERS, metavar="NAME", help="files, or names that --data or generators.py know")
    p.add_argument("--data", type=Path, nargs="+", default=[], metavar="FOLDER", help="folders with matrix files, searched before datasets/")
    p.add_argument("--flint", metavar="PYTHON_OR_LIB", help="an interpreter that has python-flint, or FLINT's shared library")
    p.add_argument("--flint-matrix", nargs="*", default=FLINT_MATRICES, metavar="NAME", help=f"where FLINT runs (default: {' '.join(FLINT_MATRICES)})")
    p.add_argument("--wide", nargs="*", default=WIDE, metavar="NAME", help=f"matrices to run on several threads too (default: {' '.join(WIDE)})")
    p.add_argument("--wide-threads", type=int, default=2, metavar="N")
    p.add_argument("-n", "--runs", type=int, default=5, help="rounds (default 5)")
    p.add_argument("--once-above", type=float, default=30, metavar="S", help="a run of more CPU seconds than this is not repeated (default 30)")
    p.add_argument("--timeout", type=float, default=300, help="CPU seconds for one run (default 300)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the matrices")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    args = p.parse_args(argv)
    if min(args.runs, args.timeout) <= 0 or args.wide_threads < 2:
        p.error("-n and --timeout must be positive, --wide-threads at least 2")
    return args


def locate(args, blackfield, name):
    """The plain text file of a matrix."""
    return generators.generate(name, args.work) or find_matrix(name, args.work, blackfield, [*args.data, ROOT / "datasets"], form="sms")


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        paper, known = paper_seconds(), known_permanents()
        blackfield = args.blackfield or build_blackfield()
        library = flint_library(args.flint)
        if library is None:
            say(FLINT_HINT)
        files = {Path(name).name: locate(args, blackfield, name) for name in args.matrix}
        cells = measure(args, blackfield, library, files)
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"permanent_table: {e}")
        return 1
    wrong, words = wrong_permanents(cells, files, known)
    print("\n".join(table(args, cells, files, paper, words)))
    facts = machine(None, blackfield)
    versions = {cell.facts()["version"] for (_, who), cell in cells.items() if who == FLINT and cell.runs}
    facts.update(flint=", ".join(versions)) if versions else None
    print("\nMeasured on " + ", ".join(f"{k}: {v}" for k, v in facts.items()) + f"; medians of {args.runs} alternating runs.")
    if args.output:
        records = [{"matrix": m, "contender": who, **cell.record("permanents")} for (m, who), cell in cells.items()]
        args.output.write_text(json.dumps({"machine": facts, "cells": records}, indent=1) + "\n", encoding="utf-8")
    for line in wrong:
        say(f"permanents disagree: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
