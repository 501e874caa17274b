#!/usr/bin/env python3
"""Dense permanents by blackfield on CUDA cards: one card against several.

Rows: random 0–1 matrices of density ½ (`half-N-1` of generators.py). A figure is the wall seconds of a whole process, the start of the
driver and the compilation of the kernel included, and after the bar those of the computation alone, as blackfield counts them (median over
rounds, numbers of cards in turn). Every run must give the same permanent, whose parity is checked, and for N up to --processor it must
be the processor's.

Exit codes: 0 table printed; 1 permanents disagree, or blackfield failed (5 inside its message: there is no card); 2 usage.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

import generators
import oracles
from harness import ROOT, Failed, build_blackfield, execute, json_answer, machine, markdown, program, say, seconds


def run(args, blackfield, file, cards):
    """(wall seconds of the process, of the computation, permanent) on that many cards; 0: the processor."""
    device = "cuda" if cards else "cpu"
    visible = ",".join(map(str, range(cards)))
    argv = ["env", f"CUDA_VISIBLE_DEVICES={visible}", blackfield, "permanent", "--method", "gray", "--device", device, "--json", "--quiet", file]
    outcome = execute(argv, args.threads, args.timeout)
    if outcome.expired:
        raise Failed(f"{Path(file).name} on {cards} cards: not in {args.timeout:g} s")
    answer = json_answer(argv, outcome)
    say(f"{Path(file).name} on {cards} cards: {outcome.wall:.3f} s of wall")
    return outcome.wall, answer["path"][-1]["seconds"], answer["permanent"]


def measure(args, blackfield, n):
    """{cards: [(process, computation)]} and the permanent."""
    file = generators.generate(f"half-{n}-1", args.work)
    times, found = {cards: [] for cards in args.cards}, set()
    for _ in range(args.runs):
        for cards in args.cards:
            process, computation, permanent = run(args, blackfield, file, cards)
            times[cards].append((process, computation))
            found.add(permanent)
    if n <= args.processor:
        found.add(run(args, blackfield, file, 0)[2])
    if len(found) > 1:
        raise Failed(f"half-{n}-1: permanents disagree: {', '.join(sorted(found))}")
    (permanent,) = found
    if int(permanent[-1]) % 2 != oracles.parity(oracles.read_pattern(file)):
        raise Failed(f"half-{n}-1: {permanent} has not the parity of the determinant")
    return times, permanent


def row(n, times, permanent):
    medians = {cards: [statistics.median(t) for t in zip(*runs)] for cards, runs in times.items()}
    cells = [f"{seconds(process)} / {seconds(computation)}" for process, computation in medians.values()]
    first, last = list(medians.values())[0], list(medians.values())[-1]
    ratios = " / ".join(f"{a / b:.2f}" for a, b in zip(first, last))
    return [str(n), permanent if len(permanent) <= 24 else f"{permanent[:12]}… ({len(permanent)})", *cells, ratios, f"{2 ** (n - 1) / first[1]:.2e}"]


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", type=int, nargs="+", default=[36, 40, 42, 46], metavar="N")
    p.add_argument("--cards", type=int, nargs="+", default=[1], metavar="N", help="numbers of cards, the first ones (default 1)")
    p.add_argument("--processor", type=int, default=36, metavar="N", help="sizes up to this on the processor too, once (default 36)")
    p.add_argument("--threads", type=int, default=16, metavar="N", help="threads beside the cards (default 16)")
    p.add_argument("-n", "--runs", type=int, default=3, help="rounds (default 3)")
    p.add_argument("--timeout", type=float, default=600, help="wall seconds for one run (default 600)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the matrices")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    args = p.parse_args(argv)
    if min(args.runs, args.timeout, *args.size, *args.cards) <= 0:
        p.error("-n, --timeout, --size and --cards must be positive")
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        found = {n: measure(args, blackfield, n) for n in args.size}
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"card_table: {e}")
        return 1
    columns = [f"{cards} card{'s' * (cards > 1)}: process / computation" for cards in args.cards]
    header = ["n", "permanent", *columns, "first / last", "settings a second, first"]
    print("\n".join(markdown(header, [row(n, *found[n]) for n in found], left=2)))
    facts = machine(None, blackfield)
    print("\nMeasured on " + ", ".join(f"{k}: {v}" for k, v in facts.items()) + f"; wall seconds, medians of {args.runs} alternating runs.")
    if args.output:
        records = [{"n": n, "permanent": permanent, "seconds": times} for n, (times, permanent) in found.items()]
        args.output.write_text(json.dumps({"machine": facts, "runs": records}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
