#!/usr/bin/env python3
"""Dense permanents by blackfield on CUDA GPUs: one GPU against several.

Rows: random 0–1 matrices of density ½ (`half-N-1` of generators.py). A figure is the wall seconds of a whole process, including driver
start-up and kernel compilation, and after the slash those of the computation alone, as blackfield counts them (median over
rounds, alternating between numbers of GPUs). Every run must give the same permanent, whose parity is checked, and for N up to --processor it must
agree with the processor's.

Exit codes: 0 table printed; 1 permanents disagree, or blackfield failed (5 in its message: there is no GPU); 2 usage.
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


def run(args, blackfield, file, gpus):
    """(wall seconds of the process, of the computation, permanent) on that many GPUs; 0: the processor."""
    device = "cuda" if gpus else "cpu"
    visible = ",".join(map(str, range(gpus)))
    argv = ["env", f"CUDA_VISIBLE_DEVICES={visible}", blackfield, "permanent", "--method", "gray", "--device", device, "--json", "--quiet", file]
    outcome = execute(argv, args.threads, args.timeout)
    if outcome.expired:
        raise Failed(f"{Path(file).name} on {gpus} GPUs: not in {args.timeout:g} s")
    answer = json_answer(argv, outcome)
    say(f"{Path(file).name} on {gpus} GPUs: {outcome.wall:.3f} s of wall")
    return outcome.wall, answer["path"][-1]["seconds"], answer["permanent"]


def measure(args, blackfield, n):
    """{gpus: [(process, computation)]} and the permanent."""
    file = generators.generate(f"half-{n}-1", args.work)
    times, found = {gpus: [] for gpus in args.gpus}, set()
    for _ in range(args.runs):
        for gpus in args.gpus:
            process, computation, permanent = run(args, blackfield, file, gpus)
            times[gpus].append((process, computation))
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
    medians = {gpus: [statistics.median(t) for t in zip(*runs)] for gpus, runs in times.items()}
    cells = [f"{seconds(process)} / {seconds(computation)}" for process, computation in medians.values()]
    first, last = list(medians.values())[0], list(medians.values())[-1]
    ratios = " / ".join(f"{a / b:.2f}" for a, b in zip(first, last))
    return [str(n), permanent if len(permanent) <= 24 else f"{permanent[:12]}… ({len(permanent)})", *cells, ratios, f"{2 ** (n - 1) / first[1]:.2e}"]


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--size", type=int, nargs="+", default=[36, 40, 42, 46], metavar="N")
    p.add_argument("--gpus", type=int, nargs="+", default=[1], metavar="N", help="numbers of GPUs, counted from the first (default 1)")
    p.add_argument("--processor", type=int, default=36, metavar="N", help="sizes up to this on the processor too, once (default 36)")
    p.add_argument("--threads", type=int, default=16, metavar="N", help="host threads (default 16)")
    p.add_argument("-n", "--runs", type=int, default=3, help="rounds (default 3)")
    p.add_argument("--timeout", type=float, default=600, help="wall seconds for one run (default 600)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the matrices")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all runs as JSON")
    args = p.parse_args(argv)
    if min(args.runs, args.timeout, *args.size, *args.gpus) <= 0:
        p.error("-n, --timeout, --size and --gpus must be positive")
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        found = {n: measure(args, blackfield, n) for n in args.size}
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"gpu_table: {e}")
        return 1
    columns = [f"{gpus} GPU{'s' * (gpus > 1)}: process / computation" for gpus in args.gpus]
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
