#!/usr/bin/env python3
"""Ranks mod p by the best programs: SpaSM, SparseRREF, LinBox's elimination, FFPACK's dense rank, blackfield.

Every program reads the same uncompressed text file in its own process, on one thread, contenders alternating (A B C A B C …).
A figure is the CPU seconds of the whole process, reading included (median over rounds), and its peak memory. Sections:
the table of matrices (always, unless --no-main), --large, --primes, --dense, --binary.

Exit codes: 0 tables printed; 1 ranks disagree, with each other or with what is known, or blackfield failed; 2 usage.
README.md says where the rivals come from and what makes the comparison fair.
"""

import argparse
import dataclasses
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Callable, Optional

import generators
from harness import LINBOX_HINT, ROOT, Cell, Failed, build_blackfield, build_driver, disagreements, execute, find_matrix, json_answer, machine, markdown, program
from harness import say, seconds

MODULUS = 65521
SECOND_MODULUS = 2**31 - 1
MATRICES = """bibd_81_3 mk11-b4 mk12-b3 ch7-8-b3 ch8-8-b3 ch7-8-b4 ch8-8-b4 shar_te2-b2 EX3 EX5 Franz6 kneser_6_2_1 Trefethen_2000
mat1916""".split()
LARGE = ["ch7-8-b5", "ch7-9-b4", "ch7-9-b5", "product-20000-15000-4", "random-20000-10"]
DENSE = ["dense-2000", "dense-4000"]
BINARY = ["half-8000-1", "half-16384-1"]
RIVALS = ["spasm", "sparserref", "linbox", "ffpack"]
# Ranks mod 65521 that datasets/MANIFEST.tsv does not have: theory (chessboard complexes), designs of full rank.
THEORY = {"ch7-8-b4": 48161, "ch7-8-b5": 92959, "ch7-9-b4": 89650, "ch7-9-b5": 227870, "bibd_81_3": 3240}


@dataclasses.dataclass
class Contender:
    """A command and how to read its rank. Words of `argv` may hold {file}, {p}, {threads}, {seed}."""

    name: str
    argv: list
    rank: Callable  # of the command and its Outcome, (rank, facts)
    ours: bool = False
    on_stdin: bool = False
    until: Optional[str] = None
    dense: bool = False  # needs 8 bytes for every entry, zero or not


def printed_rank(pattern):
    """Reads the rank that a program prints in words."""

    def read(argv, outcome):
        found = re.search(pattern, outcome.output + outcome.errors)
        if not found:
            raise Failed(f"{' '.join(argv)}: no rank on its output\n{outcome.errors}")
        return int(found[1]), {}

    return read


def json_rank(argv, outcome):
    """Rank and facts of a program that prints one JSON document; keys it does not have are left out."""
    answer = json_answer(argv, outcome)
    keys = ("method", "certainty", "error_bound", "phases", "reason", "cpu_seconds", "version")
    return answer["rank"], {key: answer[key] for key in keys if key in answer}


def contenders(args, blackfield, driver):
    """blackfield's columns first, then the rivals that are here."""
    out = []
    for column in args.ours:
        name, _, options = column.partition("=")
        common = [blackfield, "rank", "{file}", "-p", "{p}", "--threads", "{threads}", "--seed", "{seed}", "--json", "--quiet"]
        out.append(Contender(name, common + shlex.split(options), json_rank, ours=True))
    known = {}
    if args.spasm:
        # Its rank comes last, on standard error.
        known["spasm"] = Contender("SpaSM", [args.spasm, "--modulus", "{p}"], printed_rank(r"rank = (\d+)\s*$"), on_stdin=True)
    if args.sparserref:
        # It writes its echelon form after the rank: stopped there. A rank needs no back substitution.
        command = [args.sparserref, "{file}", "--field", "Zp", "--prime", "{p}", "--threads", "{threads}"]
        command += ["--no-backward-substitution", "--output", os.devnull]
        pattern = r"^rank: (\d+)"
        known["sparserref"] = Contender("SparseRREF", command, printed_rank("(?m)" + pattern), until=pattern)
        known["sparserref-1"] = dataclasses.replace(known["sparserref"], name="SparseRREF -m 1", argv=command + ["--method", "1"])
    if driver:
        for key, name, method in (("linbox", "LinBox", "elimination"), ("ffpack", "FFPACK dense", "dense")):
            known[key] = Contender(name, [driver, method, "{file}", "-p", "{p}", "--seed", "{seed}"], json_rank, dense=method == "dense")
    for key in args.rival:
        if key in known:
            out.append(known[key])
        else:
            say(f"{key} is not here: README.md says where it comes from")
    return out


def known_ranks(manifest=ROOT / "datasets" / "MANIFEST.tsv"):
    """{matrix: rank mod 65521} of the data sets, and of theory."""
    out = dict(THEORY)
    for line in manifest.read_text(encoding="utf-8").splitlines():
        words = line.split("\t")
        found = re.search(rf"\b{MODULUS}:(\d+)", words[5]) if len(words) > 5 else None
        if found:
            out[re.sub(r"^generated:|(\.(sms|mtx|rua))?(\.gz)?$", "", words[0])] = int(found[1])
    return out


def dimensions(path):
    """Rows and columns of an SMS or MatrixMarket file."""
    with open(path, encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.strip() and not line.startswith("%"):
                return tuple(int(word) for word in line.split()[:2])
    raise Failed(f"{path}: no dimensions")


def turn(args, contender, cell, matrix, file, modulus=MODULUS, threads=1, timeout=None, limit="cpu", seed=1):
    """One run of one contender, put into its cell."""
    if cell.stopped() or (cell.runs and cell.runs[0][0].cpu > args.once_above):
        return
    if contender.dense:
        rows, cols = dimensions(file)
        if rows * cols * 8 > args.dense_memory * 2**30:
            cell.missing = f"{rows * cols * 8 / 2**30:.0f} GB"
            return
    argv = [str(word).format(file=file, p=modulus, threads=threads, seed=seed) for word in contender.argv]
    timeout = timeout or args.timeout
    label = f"{matrix}, {contender.name}"
    try:
        outcome = execute(argv, threads, timeout, stdin=file if contender.on_stdin else os.devnull, until=contender.until, limit=limit)
        if outcome.expired:
            cell.expired = round(timeout, 1)
            say(f"{label}: not in {timeout:g} s")
            return
        rank, facts = contender.rank(argv, outcome)
    except Failed as e:
        if contender.ours:
            raise
        cell.missing = "failed"
        say(f"{label}: {e}")
        return
    cell.runs.append((outcome, rank, facts))
    say(f"{label}: rank {rank}, {outcome.cpu:.3f} s of CPU, {outcome.wall:.3f} s of wall, {outcome.megabytes:.0f} MB")


def measure_main(args, players, files):
    """{(matrix, contender): Cell}: contenders in turn, round by round."""
    cells = {(m, c.name): Cell() for m in files for c in players}
    for matrix, file in files.items():
        for number in range(args.runs):
            for c in players:
                turn(args, c, cells[matrix, c.name], matrix, file, seed=number + 1)
    return cells


def measure_large(args, players, files):
    """The same with several threads; a rival has ten times the wall seconds of the first of blackfield's columns until then."""
    cells = {(m, c.name): Cell() for m in files for c in players}
    common = {"threads": args.large_threads, "limit": "wall"}
    first = players[0]
    for matrix, file in files.items():
        for number in range(args.runs):
            for c in players:
                cell, ours = cells[matrix, c.name], cells[matrix, first.name]
                if c.ours:
                    turn(args, c, cell, matrix, file, timeout=args.large_timeout, seed=number + 1, **common)
                elif ours.runs:
                    turn(args, c, cell, matrix, file, timeout=10 * ours.median("wall"), seed=number + 1, **common)
    return cells


def measure_binary(args, players, files):
    """As `measure_main`, mod 2."""
    cells = {(m, c.name): Cell() for m in files for c in players}
    for matrix, file in files.items():
        for number in range(args.runs):
            for c in players:
                turn(args, c, cells[matrix, c.name], matrix, file, modulus=2, seed=number + 1)
    return cells


def measure_primes(args, ours, files):
    """{(matrix, modulus): Cell} of one column of blackfield's, the two moduli in turn."""
    cells = {(m, p): Cell() for m in files for p in (MODULUS, SECOND_MODULUS)}
    for matrix, file in files.items():
        for number in range(args.runs):
            for p in (MODULUS, SECOND_MODULUS):
                turn(args, ours, cells[matrix, p], f"{matrix} mod {p}", file, modulus=p, seed=number + 1)
    return cells


def best_rival(cells, matrix, rivals):
    """The fastest rival that finished: (name, its Cell). If none did: (None, the longest that one was given)."""
    done = [(cells[matrix, c.name].median("cpu"), c.name) for c in rivals if cells[matrix, c.name].runs]
    if done:
        name = min(done)[1]
        return name, cells[matrix, name]
    given = [cells[matrix, c.name].expired for c in rivals if cells[matrix, c.name].expired is not None]
    return None, max(given, default=None)


def ratio_text(value, lower_bound):
    return "–" if value is None else f"{'> ' if lower_bound else ''}{value:.2f}"


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def rank_text(cells, matrix, players):
    """The ranks found: one, if all agree."""
    found = sorted({rank for c in players for _, rank, _ in cells[matrix, c.name].runs})
    return " / ".join(map(str, found)) or "–"


def how(cell):
    """Method and certainty as blackfield names them."""
    return ", ".join(str(cell.facts()[key]) for key in ("method", "certainty") if key in cell.facts()) or "–"


def main_table(players, cells, matrices):
    """Seconds and memory of everybody, the best rival, and the ratios of each of blackfield's columns to it."""
    ours, rivals = [c for c in players if c.ours], [c for c in players if not c.ours]
    header = ["matrix", *(f"how ({c.name})" for c in ours), "rank", *(c.name for c in players), "best rival"]
    header += [title for c in ours for title in (f"best / {c.name}", f"memory {c.name} / best")]
    rows, speed, memory = [], {c.name: [] for c in ours}, {c.name: [] for c in ours}
    for matrix in matrices:
        name, best = best_rival(cells, matrix, rivals)
        row = [matrix, *(how(cells[matrix, c.name]) for c in ours), rank_text(cells, matrix, players)]
        row += [cells[matrix, c.name].show() for c in players] + [name or "–"]
        for c in ours:
            cell = cells[matrix, c.name]
            quotient = share = None
            if cell.runs and best is not None:
                quotient = (best.median("cpu") if name else best) / cell.median("cpu")
                speed[c.name].append(quotient)
            elif cell.expired is not None and name:
                # Slower than this; the mean may not leave it out.
                quotient = best.median("cpu") / cell.expired
                speed[c.name].append(quotient)
            if cell.runs and name:
                share = cell.peak() / best.peak()
                memory[c.name].append(share)
            slower = cell.expired is not None and quotient is not None
            row += ["< " + ratio_text(quotient, False) if slower else ratio_text(quotient, name is None), ratio_text(share, False)]
        rows.append(row)
    notes = []
    for c in ours:
        if speed[c.name]:
            note = f"best rival / {c.name}: geometric mean {geometric_mean(speed[c.name]):.2f}, least {min(speed[c.name]):.2f}"
            if memory[c.name]:
                note += f"; memory {c.name} / best rival: geometric mean {geometric_mean(memory[c.name]):.2f}, most {max(memory[c.name]):.2f}"
            notes.append(f"{note} ({len(speed[c.name])} matrices).")
    return markdown(header, rows, left=1 + len(ours)) + [""] + notes


def large_table(args, players, cells, matrices, known):
    header = ["matrix", "how", "rank", "known", *(f"{c.name}, wall" for c in players), f"{players[0].name}, CPU"]
    rows = [
        [matrix, how(cells[matrix, players[0].name]), rank_text(cells, matrix, players), str(known.get(matrix, "–"))]
        + [cells[matrix, c.name].show("wall") for c in players]
        + [seconds(cells[matrix, players[0].name].median("cpu"))]
        for matrix in matrices
    ]
    note = f"{args.large_threads} threads, wall seconds; a rival is given ten times {players[0].name}'s, and is not run again if that is not enough."
    return markdown(header, rows, left=2) + ["", note]


def primes_table(ours, cells, matrices):
    rows, ratios = [], []
    for matrix in matrices:
        small, large = cells[matrix, MODULUS], cells[matrix, SECOND_MODULUS]
        ratio = large.median("cpu") / small.median("cpu") if small.runs and large.runs else None
        ratios += [] if ratio is None else [ratio]
        rows.append([matrix, small.show(), large.show(), ratio_text(ratio, False)])
    lines = markdown(["matrix", f"{ours.name}, p = {MODULUS}", f"{ours.name}, p = {SECOND_MODULUS}", "ratio"], rows)
    if ratios:
        lines += ["", f"Ratio: geometric mean {geometric_mean(ratios):.2f}, most {max(ratios):.2f}."]
    return lines


def after_reading(cell):
    """CPU seconds between the read file and the answer: by the driver's own clock; of blackfield, whose phases are wall seconds, those
    other than reading and digest, less the share of the wall in which its one thread did not run."""
    values = []
    for outcome, _, facts in cell.runs:
        phases = facts.get("phases")
        if phases:
            wall = sum(t for name, t in phases.items() if name not in ("read", "digest"))
            values.append(wall * min(1, outcome.cpu / outcome.wall))
        else:
            values.append(facts["cpu_seconds"])
    return statistics.median(values) if values else None


def dense_table(players, cells, matrices):
    """Full matrices: the seconds after reading, which would drown the rest."""
    ours, rival = players
    rows = []
    for matrix in matrices:
        a, b = (after_reading(cells[matrix, c.name]) for c in (ours, rival))
        rows.append([matrix, seconds(a), seconds(b), f"{b / a:.2f}" if a and b else "–"])
    return markdown(["full matrix, CPU seconds after reading", ours.name, rival.name, f"{rival.name} / {ours.name}"], rows)


def binary_table(players, cells, matrices):
    """Whole processes and, in seconds, what comes after reading, with its ratio."""
    ours, rival = players
    rows = []
    for matrix in matrices:
        whole = [cells[matrix, c.name].show() for c in players]
        a, b = (after_reading(cells[matrix, c.name]) for c in players)
        rows.append([matrix, *whole, seconds(a), seconds(b), f"{b / a:.2f}" if a and b else "–"])
    after = [f"{c.name} after reading" for c in players]
    return markdown(["matrix", ours.name, rival.name, *after, f"{rival.name} / {ours.name} after reading"], rows)


def wrong_ranks(sections, known):
    """Lines about ranks mod 65521 that differ from each other or from the known one; those mod the second prime stand apart."""
    answers = []
    for cells in sections.values():
        for (matrix, who), cell in cells.items():
            where = f"{matrix} mod {who}" if who == SECOND_MODULUS else matrix
            answers += [(where, f"blackfield mod {who}" if isinstance(who, int) else who, rank) for _, rank, _ in cell.runs]
    asked = {matrix for matrix, _, _ in answers}
    return disagreements(answers + [(matrix, "what is known", rank) for matrix, rank in known.items() if matrix in asked])


def locate(args, blackfield, name):
    """The plain text file of a matrix."""
    return generators.generate(name, args.work) or find_matrix(name, args.work, blackfield, [*args.data, ROOT / "datasets"], form="sms")


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--matrix", nargs="+", default=MATRICES, metavar="NAME", help="files, or names that --data, generators.py or `blackfield generate` know")
    p.add_argument("--data", type=Path, nargs="+", default=[], metavar="FOLDER", help="folders with matrix files, searched before datasets/")
    p.add_argument("--large", action="store_true", help="matrices that rivals do not finish, several threads")
    p.add_argument("--primes", action="store_true", help=f"p = {SECOND_MODULUS} against p = {MODULUS}")
    p.add_argument("--dense", action="store_true", help="full matrices against FFPACK")
    p.add_argument("--binary", action="store_true", help="full matrices over GF(2) against M4RI")
    p.add_argument("--no-main", action="store_true", help="only the sections named")
    p.add_argument("--large-matrix", nargs="+", default=LARGE, metavar="NAME")
    p.add_argument("--large-threads", type=int, default=2, metavar="N")
    p.add_argument("--large-timeout", type=float, default=1800, metavar="S", help="wall seconds for blackfield (default 1800)")
    p.add_argument("--dense-matrix", nargs="+", default=DENSE, metavar="NAME")
    p.add_argument("--binary-matrix", nargs="+", default=BINARY, metavar="NAME")
    ours_help = "blackfield's columns; the first is the one that --large, --primes, --dense and --binary use; none: rivals alone (default: blackfield=)"
    p.add_argument("--ours", nargs="*", default=["blackfield="], metavar="NAME=OPTIONS", help=ours_help)
    p.add_argument("--rival", nargs="*", choices=[*RIVALS, "sparserref-1"], default=RIVALS, help=f"default: {' '.join(RIVALS)}")
    p.add_argument("-n", "--runs", type=int, default=5, help="rounds (default 5)")
    p.add_argument("--once-above", type=float, default=math.inf, metavar="S", help="a run of more than this many CPU seconds is not repeated")
    p.add_argument("--timeout", type=float, default=150, help="CPU seconds for one run (default 150)")
    p.add_argument("--dense-memory", type=float, default=8, metavar="GB", help="largest array for which FFPACK is started (default 8)")
    p.add_argument("--spasm", default=os.environ.get("SPASM"), metavar="PATH", help="SpaSM's `rank` (default: $SPASM)")
    p.add_argument("--sparserref", default=os.environ.get("SPARSERREF"), metavar="PATH", help="SparseRREF's program (default: $SPARSERREF)")
    p.add_argument("--m4ri", type=program, default=os.environ.get("M4RI"), metavar="PATH", help="the M4RI driver, see README.md (default: $M4RI)")
    p.add_argument("--driver", type=program, help="the LinBox driver (default: built into the work folder)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the driver and the matrices")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    args = p.parse_args(argv)
    if min(args.runs, args.large_threads, args.timeout, args.large_timeout) <= 0:
        p.error("-n, --large-threads and the timeouts must be positive")
    if not args.ours and (args.large or args.primes or args.dense or args.binary):
        p.error("--large, --primes, --dense and --binary need a column of --ours")
    if any("=" not in column for column in args.ours):
        p.error('--ours: NAME=OPTIONS, such as "proven=--method elimination"')
    return args


def sections_of(args, players, blackfield, known):
    """Measures the sections asked for: {section: its cells} and the lines to print."""
    sections, lines = {}, []

    def files(names):
        return {Path(name).name: locate(args, blackfield, name) for name in names}

    def add(title, cells, table):
        sections[title] = cells
        lines.extend([f"### {title}", "", *table, ""])

    if not args.no_main:
        chosen = files(args.matrix)
        cells = measure_main(args, players, chosen)
        add(f"Rank mod {MODULUS}: CPU seconds of one thread, reading included (peak memory)", cells, main_table(players, cells, chosen))
    if args.large:
        chosen = files(args.large_matrix)
        cells = measure_large(args, players, chosen)
        add("Large", cells, large_table(args, players, cells, chosen, known))
    if args.primes:
        chosen = files(args.matrix)
        cells = measure_primes(args, players[0], chosen)
        add("A prime of 31 bits", cells, primes_table(players[0], cells, chosen))
    if args.dense:
        pair = [players[0], *(c for c in players if c.dense)]
        if len(pair) == 2:
            chosen = files(args.dense_matrix)
            cells = measure_main(args, pair, chosen)
            add("Dense", cells, dense_table(pair, cells, chosen))
        else:
            lines.extend(["Dense: FFPACK is not here, or not asked for.", ""])
    if args.binary:
        if args.m4ri:
            pair = [players[0], Contender("M4RI", [args.m4ri, "{file}"], json_rank)]
            chosen = {f"{name} mod 2": file for name, file in files(args.binary_matrix).items()}
            cells = measure_binary(args, pair, chosen)
            add("Full matrices over GF(2): CPU seconds of one thread (peak memory)", cells, binary_table(pair, cells, chosen))
        else:
            lines.extend(["GF(2): M4RI is not here; README.md says how to build its driver.", ""])
    return sections, lines


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        driver = None
        if {"linbox", "ffpack"} & set(args.rival):
            driver = args.driver or build_driver(args.work.resolve())
            if driver is None:
                say(LINBOX_HINT)
        players = contenders(args, blackfield, driver)
        known = known_ranks()
        sections, lines = sections_of(args, players, blackfield, known)
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"rank_table: {e}")
        return 1
    facts = machine(driver, blackfield)
    print("\n".join(lines))
    print("Measured on " + ", ".join(f"{k}: {v}" for k, v in facts.items()) + f"; medians of {args.runs} alternating runs.")
    if args.output:
        cells = [
            {"section": title, "matrix": matrix, "contender": who, **cell.record("rank")}
            for title, section in sections.items()
            for (matrix, who), cell in section.items()
        ]
        args.output.write_text(json.dumps({"modulus": MODULUS, "machine": facts, "cells": cells}, indent=1) + "\n", encoding="utf-8")
    wrong = wrong_ranks(sections, known)
    for line in wrong:
        say(f"ranks disagree: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
