#!/usr/bin/env python3
"""One computation on 1, 2, 4 CUDA GPUs of one host: how much sooner, and where the rest goes.

Block Wiedemann's rank of a planted matrix (`planted-M-N-R-S` of generators.py; default the shape of mpolyout2), a row a phase; permanents of
random 0-1 matrices of density 1/2; terms of a sequence by columns and by rows (`bench sequences`), which the program checks to be the same
bits; dense ranks on one and on all; a sigma-basis, which is for one GPU so far; copies between the GPUs and to the host (`bench links`).

Rounds go through the numbers of GPUs in turn; figures are medians of wall seconds, behind them how many times as fast that is as on the
fewest GPUs. Every answer must be the same on all of them, a planted rank that of the name, and the program must say that it used them all.

Exit codes: 0 tables printed; 1 answers differ, or blackfield failed (5 in its message: a GPU is missing); 2 usage.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

import generators
from harness import ROOT, Failed, build_blackfield, execute, json_answer, machine, markdown, program, say, seconds

MPOLYOUT2 = "planted-2410560-2086560-1352011-1"
PLANTED = re.compile(r"planted-\d+-\d+-(\d+)-\d+(?:-\d+-\d+)?")


def device(args, gpus):
    """The word for so many of the GPUs."""
    return "cuda:" + ",".join(map(str, args.ordinals[:gpus]))


def run(args, blackfield, words):
    """The document of one run."""
    argv = [str(word) for word in (blackfield, *words, "--threads", args.threads, "--json", "--quiet")]
    outcome = execute(argv, args.threads, args.timeout)
    if outcome.expired:
        raise Failed(f"{' '.join(argv)}: not in {args.timeout:g} s")
    return json_answer(argv, outcome), outcome.wall


def rank(args, blackfield, name, gpus):
    """({phase: seconds}, the answer) of block Wiedemann on so many GPUs."""
    file = generators.generate(name, args.work) or Path(name)
    words = ["rank", file, "-p", args.modulus, "--method", "wiedemann", "--block", args.block, "--device", device(args, gpus)]
    document, wall = run(args, blackfield, words)
    used = document["devices"]
    if len(used) > gpus or (len(used) < gpus and args.block * 2 >= 16 * gpus):
        raise Failed(f"{name}: {len(used)} GPUs were used instead of {gpus}")
    planted = PLANTED.fullmatch(name)
    if planted and document["rank"] != int(planted[1]):
        raise Failed(f"{name}: rank {document['rank']} instead of {planted[1]}")
    phases = {phase: spent for phase, spent in document["phases"].items() if phase != "read"}
    return {**phases, "after reading": document["seconds"] - document["phases"].get("read", 0), "process": wall}, document["rank"]


def permanent(args, blackfield, n, gpus):
    """The same of a permanent."""
    file = generators.generate(f"half-{n}-1", args.work)
    document, wall = run(args, blackfield, ["permanent", file, "--method", "gray", "--device", device(args, gpus)])
    return {"sum": document["path"][-1]["seconds"], "process": wall}, document["permanent"]


def bench(args, blackfield, what, devices):
    """{name: seconds} of a bench; None where the program has none on GPUs."""
    words = ["bench", what, "-p", args.modulus, "--device", devices] + (["--quick"] if args.quick else [])
    try:
        document, _ = run(args, blackfield, words)
    except Failed as e:
        if "exit code 2" in str(e):
            return None
        raise
    return {result["name"]: (result["seconds"], result["rate"], result["unit"]) for result in document["results"]}


def measure(args, blackfield, ask):
    """{gpus: {phase: median seconds}} over the rounds; all answers must be the same."""
    spent, answers = {gpus: [] for gpus in args.gpus}, {}
    for number in range(args.runs):
        for gpus in args.gpus:
            phases, answer = ask(gpus)
            spent[gpus].append(phases)
            answers[gpus] = answer
            if answer != answers[args.gpus[0]]:
                raise Failed(f"{answer} on {gpus} GPUs, {answers[args.gpus[0]]} on {args.gpus[0]}")
            say(f"round {number + 1}, {gpus} GPUs: {phases['process']:.2f} s")
    middle = lambda runs, phase: statistics.median(run.get(phase, 0.0) for run in runs)
    return {gpus: {phase: middle(runs, phase) for phase in runs[0]} for gpus, runs in spent.items()}


def table(args, what, medians):
    """A row a phase that takes a hundredth of all on the fewest GPUs."""
    fewest = medians[args.gpus[0]]
    names = [name for name in fewest if fewest[name] >= 0.01 * fewest["process"]]

    def cell(gpus, name):
        t = medians[gpus].get(name)
        return "–" if t is None else f"{seconds(t)} ×{fewest[name] / t:.2f}" if t > 0 else seconds(t)

    heads = [f"{gpus} GPU{'s' * (gpus > 1)}" for gpus in args.gpus]
    return markdown([what, *heads], [[name, *(cell(gpus, name) for gpus in args.gpus)] for name in names])


def rates(what, results):
    """A row a result of a bench."""
    rows = [[name, seconds(spent), f"{rate / 1e9:.1f}e9" if rate >= 1e9 else f"{rate:.3g}", unit] for name, (spent, rate, unit) in results.items()]
    return markdown([what, "seconds", "rate", "a second"], rows) if rows else [f"{what}: nothing measured"]


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--gpus", type=int, nargs="+", default=[1, 2, 4], metavar="N", help="numbers of GPUs (default 1 2 4)")
    p.add_argument("--ordinals", type=int, nargs="+", metavar="K", help="the GPUs, in this order (default 0 1 2 …); 0 0 0 0 tries all on one")
    p.add_argument("--matrix", nargs="*", default=[MPOLYOUT2], metavar="NAME", help=f"planted matrices, or files (default {MPOLYOUT2})")
    p.add_argument("--size", type=int, nargs="*", default=[46, 48], metavar="N", help="orders of permanents (default 46 48)")
    p.add_argument("--block", type=int, default=64, help="columns of block Wiedemann's blocks (default 64)")
    p.add_argument("-p", "--modulus", type=int, default=65521, help="(default 65521)")
    p.add_argument("--threads", type=int, default=16, metavar="N", help="host threads (default 16)")
    p.add_argument("-n", "--runs", type=int, default=3, help="rounds (default 3)")
    p.add_argument("--timeout", type=float, default=900, help="wall seconds for one run (default 900)")
    p.add_argument("--quick", action="store_true", help="small benches: to see that everything works")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the matrices")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all figures as JSON")
    args = p.parse_args(argv)
    args.gpus = sorted(set(args.gpus))
    args.ordinals = args.ordinals or list(range(args.gpus[-1]))
    if min(args.runs, args.timeout, args.block, *args.gpus, *args.size) <= 0:
        p.error("-n, --timeout, --block, --size and --gpus must be positive")
    if len(args.ordinals) < args.gpus[-1]:
        p.error(f"{args.gpus[-1]} GPUs need as many ordinals")
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    found = {}
    try:
        blackfield = args.blackfield or build_blackfield()
        for name in args.matrix:
            found[f"rank of {Path(name).name}, s = {args.block}"] = measure(args, blackfield, lambda gpus: rank(args, blackfield, name, gpus))
        for n in args.size:
            found[f"permanent of half-{n}-1"] = measure(args, blackfield, lambda gpus: permanent(args, blackfield, n, gpus))
        all_of_them = device(args, args.gpus[-1])
        benches = {
            "terms of a sequence": bench(args, blackfield, "sequences", all_of_them),
            "dense ranks": bench(args, blackfield, "ranks", all_of_them),
            "sigma-basis, one GPU": bench(args, blackfield, "sigma-basis", device(args, 1)),
            "copies": bench(args, blackfield, "links", all_of_them),
        }
    except (Failed, OSError) as e:
        say(f"gpu_scaling: {e}")
        return 1
    for what, medians in found.items():
        print("\n".join(table(args, what, medians)), end="\n\n")
    for what, results in benches.items():
        print("\n".join([f"{what}: not on GPUs"] if results is None else rates(what, results)), end="\n\n")
    facts = machine(None, blackfield)
    print("Measured on " + ", ".join(f"{k}: {v}" for k, v in facts.items()) + f"; medians of {args.runs} rounds, GPUs {args.ordinals}.")
    if args.output:
        record = {"machine": facts, "ordinals": args.ordinals, "medians": found, "benches": benches}
        args.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
