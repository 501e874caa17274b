#!/usr/bin/env python3
"""How tight is `--max-memory`? For each matrix: the peak without a limit, the least limit under which the rank is found, and the peak then.

    tools/compare/memory_limits.py
    tools/compare/memory_limits.py --case mk12-b3 --threads 2 --blackfield target/release/blackfield

Limits are tried by bisection, to a twentieth. A limit under which the program ends must give the rank that it gives without a limit, or
exit code 4 and a message; anything else is an error, and the exit code 1. MB are 10^6 bytes, as the limit counts them.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import eta
from harness import Failed, build_blackfield, execute, markdown, program, say

# A name, what to make first (see eta.py), and what to ask. DIR is the working folder.
CASES = {
    "ch7-8-b5": ("generate ch7-8-b5 -o DIR/ch7-8-b5.sms", "rank DIR/ch7-8-b5.sms -p 65521"),
    "mk12-b3": ("generate mk12-b3 -o DIR/mk12-b3.sms", "rank DIR/mk12-b3.sms -p 65521"),
    "EX5": ("generate EX5 -o DIR/EX5.sms", "rank DIR/EX5.sms -p 65521"),
    "full, 2000 x 2000": ("full 2000 2000", "rank DIR/full-2000-2000.npy -p 65521"),
    "random, 20000, 4 a row": ("random 20000 4", "rank DIR/random-20000-4.sms -p 65521"),
}
STEP = 1.05


def attempt(argv, threads, timeout):
    """The answer, None if memory was refused, and the peak in MB."""
    try:
        run = execute(argv, threads, timeout)
    except Failed as e:
        if ": exit code 4\n" in str(e):
            return None, None
        raise
    if run.expired:
        raise Failed(f"{' '.join(argv)}: not in {timeout} s")
    return json.loads(run.output)["rank"], run.megabytes * 1.048576


def least(argv, threads, timeout, answer, high):
    """The least limit in MB under which there is an answer, and the peak under it."""
    low, best = 1.0, None
    while best is None or high > low * STEP:
        limit = high if best is None else (low * high) ** 0.5
        found, peak = attempt([*argv, "--max-memory", str(int(limit * 1e6))], threads, timeout)
        if found is None and best is None:
            low, high = high, 2 * high
        elif found is None:
            low = limit
        elif found != answer:
            raise Failed(f"{' '.join(argv)}: rank {found} with {limit:.0f} MB, {answer} without a limit")
        else:
            high, best = limit, peak
    return high, best


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="+", choices=sorted(CASES), default=list(CASES), help="which matrices")
    parser.add_argument("--blackfield", type=program, help="the program [default: a release build]")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a run")
    parser.add_argument("--work", type=Path, help="a folder for the matrices, which is kept")
    args = parser.parse_args(argv)
    blackfield = args.blackfield or build_blackfield()
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.work or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in args.case:
            recipe, command = CASES[name]
            try:
                eta.make(recipe, folder, blackfield)
                words = [str(blackfield), *(word.replace("DIR", str(folder)) for word in command.split()), "--json", "--threads", str(args.threads)]
                answer, free = attempt(words, args.threads, args.timeout)
                limit, peak = least(words, args.threads, args.timeout, answer, free)
            except Failed as e:
                failed = True
                say(e)
                continue
            rows.append([name, str(answer), f"{free:.0f}", f"{limit:.0f}", f"{peak:.0f}", f"{limit / peak:.2f}"])
            say(" ".join(rows[-1]))
    print("\n".join(markdown(["matrix", "rank", "peak without a limit, MB", "least limit, MB", "peak under it, MB", "limit / peak"], rows)))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
