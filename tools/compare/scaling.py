#!/usr/bin/env python3
"""How blackfield's work is shared by threads: the same commands on 1, 2, 4, … threads, pinned to so many processors.

A command is what follows the program's name, the matrix by name: "rank ch7-9-b4 -p 65521 --method wiedemann". Every round runs every
command with every number of threads, one after the other; figures are the least wall seconds over rounds, of each phase and of all
("seconds" of the document, reading included), behind them in parentheses the processor seconds of the same run and phase where the
program tells them, and how many times as fast it is as with the fewest threads. Answers must not depend on the number of threads.

Exit codes: 0 tables printed; 1 answers differ, or blackfield failed; 2 usage.
"""

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

from harness import ROOT, Failed, build_blackfield, execute, find_matrix, json_answer, machine, markdown, program, say, seconds

COMMANDS = [
    "rank ch7-9-b4 -p 65521 --method wiedemann",
    "rank ch7-7-b4 -p 65521 --method wiedemann --block 32",
    "rank ch7-7-b4 -p 2 --method wiedemann",
]
# What differs from run to run, and says nothing about the answer.
VOLATILE = {"threads", "seconds", "phases", "processor_seconds", "path", "reason", "plan", "file"}


def doublings(most):
    """1, 2, 4, … and `most` itself."""
    counts = [1]
    while 2 * counts[-1] <= most:
        counts.append(2 * counts[-1])
    return counts if counts[-1] == most else [*counts, most]


def pinned(argv, threads, cpus):
    """The command on the first so many of these processors; as it is where there are none to choose from."""
    return ["taskset", "-c", ",".join(map(str, cpus[:threads])), *argv] if cpus else argv


def run(args, blackfield, words, threads, cpus):
    """One run: {phase: (wall seconds, processor seconds or None)}, "all" among them, and the answer."""
    matrix = find_matrix(words[1], args.work, blackfield, (args.data, ROOT / "datasets"))
    argv = [blackfield, words[0], matrix, *words[2:], "--threads", threads, "--json", "--quiet"]
    argv = [str(word) for word in pinned(argv, threads, cpus)]
    outcome = execute(argv, threads, args.timeout)
    if outcome.expired:
        raise Failed(f"{' '.join(argv)}: not in {args.timeout:g} s")
    document = json_answer(argv, outcome)
    spent = document.get("processor_seconds", {})
    phases = {name: (wall, spent.get(name)) for name, wall in document.get("phases", {}).items()}
    phases["all"] = (document["seconds"], outcome.cpu)
    return phases, {name: value for name, value in document.items() if name not in VOLATILE}


def measure(args, blackfield, commands, cpus):
    """{command: {threads: {phase: (wall, processor)}}} of the least wall seconds of each phase."""
    least = {command: {threads: {} for threads in args.threads} for command in commands}
    answers = {}
    for number in range(args.runs):
        for command in commands:
            for threads in args.threads:
                phases, answer = run(args, blackfield, shlex.split(command), threads, cpus)
                if answers.setdefault(command, answer) != answer:
                    first, other = answers[command], answer
                    names = sorted(n for n in first.keys() | other.keys() if first.get(n) != other.get(n))
                    raise Failed(f"{command}: another answer with {threads} threads: {', '.join(names)}")
                known = least[command][threads]
                for name, spent in phases.items():
                    known[name] = min(known.get(name, spent), spent, key=lambda s: s[0])
                say(f"round {number + 1}, {threads} threads, {command}: {phases['all'][0]:.2f} s")
    return least


def cell(spent, base):
    if spent is None:
        return "–"
    wall, processor = spent
    ratio = f" ×{base[0] / wall:.2f}" if base and wall > 0 else ""
    return f"{seconds(wall)}{'' if processor is None else f' ({seconds(processor)})'}{ratio}"


def table(counts, by_threads, least_shown):
    """A row a phase that takes at least the share `least_shown` of all with the fewest threads."""
    fewest = by_threads[counts[0]]
    names = [n for n in fewest if n == "all" or fewest[n][0] >= least_shown * fewest["all"][0]]
    rows = [[name, *(cell(by_threads[c].get(name), fewest[name]) for c in counts)] for name in names]
    return markdown(["phase", *(f"{c} thread{'s' * (c > 1)}" for c in counts)], rows)


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("command", nargs="*", default=COMMANDS, help="a subcommand, a matrix, options; each one word for the shell")
    p.add_argument("--threads", nargs="+", type=int, metavar="N", help="default 1, 2, 4, … up to the processors there are")
    p.add_argument("-n", "--runs", type=int, default=3, help="rounds (default 3)")
    p.add_argument("--free", action="store_true", help="do not pin: let the system place the threads")
    p.add_argument("--share", type=float, default=0.005, help="leave out phases below this share of one thread's time (default 0.005)")
    p.add_argument("--data", type=Path, default=ROOT / "datasets", help="a folder with matrices")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="where generated matrices go")
    p.add_argument("--blackfield", type=program, help="a program that is built already")
    p.add_argument("--timeout", type=float, default=3600, help="seconds for each run (default 3600)")
    p.add_argument("--output", type=Path, help="write the figures there as JSON")
    args = p.parse_args(argv)
    if args.runs < 1 or (args.threads and min(args.threads) < 1):
        p.error("rounds and threads are at least 1")
    if any(len(shlex.split(command)) < 2 for command in args.command):
        p.error("a command is at least a subcommand and a matrix")
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    here = sorted(os.sched_getaffinity(0))
    args.threads = sorted(set(args.threads or doublings(len(here))))
    cpus = [] if args.free or args.threads[-1] > len(here) else here
    if not cpus and not args.free:
        say(f"{args.threads[-1]} threads on {len(here)} processors: not pinned")
    try:
        blackfield = args.blackfield or build_blackfield()
        least = measure(args, blackfield, args.command, cpus)
    except Failed as e:
        say(f"error: {e}")
        return 1
    facts = machine(None, blackfield)
    print(f"{facts['processor']}, {facts['cpus']} processors, {facts['blackfield']}; least of {args.runs}; seconds (processor seconds) ×speed-up\n")
    for command in args.command:
        print(f"`{command}`\n")
        print("\n".join(table(args.threads, least[command], args.share)), end="\n\n")
    if args.output:
        args.output.write_text(json.dumps({"machine": facts, "seconds": least}, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
