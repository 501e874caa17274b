#!/usr/bin/env python3
"""What a certificate costs: `blackfield rank` with and without --certificate, alternating, and `blackfield verify`.

A figure is the wall seconds of one thread as the program counts them, from reading to the answer, including the certificate and its own check;
the least over rounds. Both runs must give the same rank, and every certificate must verify.

Exit codes: 0 table printed; 1 ranks disagree, or blackfield failed; 2 usage.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from harness import ROOT, Failed, build_blackfield, execute, find_matrix, json_answer, machine, markdown, program, say, seconds

MATRICES = ["ch8-8-b4", "mk13-b5", "EX5", "EX3", "mk12-b3", "ch7-8-b5"]


def answer(args, argv):
    outcome = execute([str(a) for a in argv], 1, args.timeout)
    if outcome.expired:
        raise Failed(f"{' '.join(map(str, argv))}: not in {args.timeout:g} s")
    return json_answer(argv, outcome)


def measure(args, blackfield, name):
    """{"plain", "certificate", "verify": seconds}, the rank and the bytes of the certificate."""
    matrix = find_matrix(name, args.work, blackfield, (args.data, ROOT / "datasets"))
    file, times, ranks = args.work / f"{name}.cert", {"plain": [], "certificate": [], "verify": []}, set()
    rank = [blackfield, "rank", matrix, "-p", args.modulus, "--threads", 1, "--json", "--quiet"]
    for _ in range(args.runs):
        for way, argv in (("plain", rank), ("certificate", [*rank, "--certificate", file])):
            found = answer(args, argv)
            times[way].append(found["seconds"])
            ranks.add(found["rank"])
        argv = [blackfield, "verify", file, matrix, "--threads", 1, "--json", "--quiet"]
        verdict = answer(args, argv)
        if not verdict["verdict"]:
            raise Failed(f"{name}: the certificate does not verify")
        times["verify"].append(verdict["seconds"])
        ranks.add(verdict["rank"])
    if len(ranks) > 1:
        raise Failed(f"{name}: ranks disagree: {', '.join(map(str, sorted(ranks)))}")
    say(f"{name}: done")
    return times, ranks.pop(), file.stat().st_size


def row(name, times, rank, size):
    least = {way: min(list_of) for way, list_of in times.items()}
    ratio = f"{least['certificate'] / least['plain']:.2f}" if least["plain"] > 0 else "–"
    return [name, str(rank), *(seconds(least[way]) for way in ("plain", "certificate")), ratio, seconds(least["verify"]), f"{size / 1000:.0f} kB"]


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--matrix", nargs="+", default=MATRICES, metavar="NAME", help="what `blackfield generate` or --data knows")
    p.add_argument("-p", "--modulus", type=int, default=65521)
    p.add_argument("-n", "--runs", type=int, default=5, help="rounds (default 5)")
    p.add_argument("--timeout", type=float, default=600, help="wall seconds for one run (default 600)")
    p.add_argument("--data", type=Path, default=ROOT / "datasets", metavar="FOLDER", help="where matrices are looked for first")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for matrices and certificates")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    args = p.parse_args(argv)
    if min(args.runs, args.timeout, args.modulus) <= 0:
        p.error("-n, --timeout and --modulus must be positive")
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        found = {name: measure(args, blackfield, name) for name in args.matrix}
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"certificates: {e}")
        return 1
    header = ["matrix", "rank", "without", "with certificate", "ratio", "verify", "certificate"]
    print("\n".join(markdown(header, [row(name, *found[name]) for name in found])))
    facts = machine(None, blackfield)
    measured = ", ".join(f"{k}: {v}" for k, v in facts.items())
    print(f"\nMeasured on {measured}; seconds of one thread mod {args.modulus}, least of {args.runs} alternating runs.")
    if args.output:
        records = [{"matrix": name, "rank": rank, "bytes": size, "seconds": times} for name, (times, rank, size) in found.items()]
        args.output.write_text(json.dumps({"machine": facts, "runs": records}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
