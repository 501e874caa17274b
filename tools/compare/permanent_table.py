#!/usr/bin/env python3
"""Exact permanents by blackfield beside the times that the SUperman paper prints (D. Elbek et al., 2025, Table 5).

The paper's figures are its best on one H200, approximate results in floating point; ours are the CPU seconds of a whole process
(start and reading included) on one thread, exact integers, median over rounds, each checked against the known value.

Exit codes: 0 table printed; 1 a permanent is wrong or blackfield failed; 2 usage.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path

# The matrices of Table 5, then two more of the collection; 0-1 patterns.
MATRICES = """bcspwr02 d_ss curtis54 will57 impcol_b dwt_59 bfwb62 ww_36_pmec_36 west0067 CAG_mat72 steam3
mesh1e1 mycielskian6""".split()
KNOWN = re.compile(r"permanent of the 0-1 pattern = (\d+)")


def known_values(manifest):
    """The permanents that MANIFEST.tsv states, by file name."""
    lines = [line.split("\t") for line in manifest.read_text().splitlines()]
    found = [(line[0], KNOWN.search("\t".join(line))) for line in lines]
    return {name: match[1] for name, match in found if match}


def paper_times(path):
    """Seconds by matrix from a file of lines `name seconds`, the paper's column as the reader typed it."""
    return {name: float(value) for name, value in (line.split() for line in path.read_text().splitlines() if line.strip())}


def cpu_seconds(argv):
    """The standard output of a command, and its user + system seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, argv))}: {done.stderr.strip()}")
    return done.stdout, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the matrices and MANIFEST.tsv")
    parser.add_argument("--blackfield", type=Path, default=Path("target/release/blackfield"))
    parser.add_argument("--paper", type=Path, help="lines `name seconds`: the paper's column")
    parser.add_argument("--matrix", nargs="+", default=MATRICES)
    parser.add_argument("-n", "--rounds", type=int, default=3)
    args = parser.parse_args()
    known = known_values(args.data / "MANIFEST.tsv")
    paper = paper_times(args.paper) if args.paper else {}
    files = {name: next((f for f in sorted(args.data.iterdir()) if f.name.split(".")[0] == name), None) for name in args.matrix}
    if missing := [name for name, file in files.items() if file is None]:
        parser.error(f"not in {args.data}: {' '.join(missing)}")
    command = [args.blackfield, "permanent", "--pattern", "--json", "--quiet", "--threads", "1"]
    print("| matrix | n | permanent | method | blackfield CPU s | paper s |\n| --- | --- | --- | --- | --- | --- |")
    wrong = False
    for name, file in files.items():
        runs = [cpu_seconds([*command, file]) for _ in range(args.rounds)]
        answer = json.loads(runs[0][0])
        right = all(json.loads(out)["permanent"] == known.get(file.name, answer["permanent"]) for out, _ in runs)
        wrong |= not right
        seconds = statistics.median(seconds for _, seconds in runs)
        note = "" if right else " **wrong**"
        print(f"| {name} | {answer['n']} | {answer['permanent']}{note} | {answer['method']} | {seconds:.3f} | {paper.get(name, '')} |")
    _, together = cpu_seconds([*command, *files.values()])
    print(f"\nAll in one command: {together:.3f} CPU s ({os.cpu_count()} processors, one thread).")
    sys.exit(wrong)


if __name__ == "__main__":
    main()
