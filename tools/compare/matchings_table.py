#!/usr/bin/env python3
"""Hafnians of dense symmetric 0-1 matrices: blackfield against The Walrus (`pip install thewalrus`), one thread, alternating.

    tools/compare/matchings_table.py --walrus VENV/bin/python -n 3 --sizes 20 24 28

The Walrus computes in floating point: its value has to agree to nine digits. Its seconds are those of the function alone, compiled by a
call on a small matrix before; ours are CPU seconds of the whole process, start and reading included.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import harness

WALRUS = """
import json, sys, time, numpy, thewalrus
lines = [line.split() for line in open(sys.argv[1])]
n = int(lines[0][0])
a = numpy.zeros((n, n))
for i, j, v in lines[1:-1]:
    a[int(i) - 1, int(j) - 1] = float(v)
def took(m):
    start = time.process_time()
    value = thewalrus.hafnian(m, method=sys.argv[2])
    return value, time.process_time() - start
took(numpy.ones((10, 10)))
value, seconds = took(a)
print(json.dumps({"value": float(value), "seconds": seconds}))
"""


def graph(n, seed):
    """A random graph with edges of probability 1/2: each (v, w), v < w."""
    rng = random.Random(f"{n}:{seed}")
    return [(v, w) for w in range(n) for v in range(w) if rng.random() < 0.5]


def sms(n, edges):
    lines = [f"{i + 1} {j + 1} 1\n" for v, w in edges for i, j in ((v, w), (w, v))]
    return "".join([f"{n} {n} M\n", *lines, "0 0 0\n"])


def agree(exact, approximate):
    return abs(exact - approximate) <= 1e-9 * max(abs(exact), 1)


def ours(blackfield, file, words):
    outcome = harness.execute([blackfield, "matchings", file, "--json", "-q", "--threads", "1", *words], 1, 3600)
    document = json.loads(outcome.output)
    return int(document["perfect"]), outcome.cpu, document["method"]


def walrus(python, file, method):
    env = harness.environment(1) | {"NUMBA_NUM_THREADS": "1"}
    run = subprocess.run([python, "-c", WALRUS, file, method], capture_output=True, text=True, check=True, env=env)
    answer = json.loads(run.stdout)
    return answer["value"], answer["seconds"]


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walrus", help="a Python with thewalrus")
    parser.add_argument("--blackfield", help="a built program; default: a release build")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 24, 28, 32])
    parser.add_argument("--methods", nargs="+", default=["glynn", "recursive"], help="of The Walrus")
    parser.add_argument("--most", type=int, default=32, help="the largest order that The Walrus is given")
    parser.add_argument("-n", type=int, default=3, help="rounds; medians are shown")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    blackfield = args.blackfield or harness.build_blackfield()
    rows, wrong = [], False
    with tempfile.TemporaryDirectory() as folder:
        for n in args.sizes:
            file = str(Path(folder) / f"{n}.sms")
            Path(file).write_text(sms(n, graph(n, 1)))
            rivals = args.methods if args.walrus and n <= args.most else []
            times = {name: [] for name in ("ours", *rivals)}
            for _ in range(args.n):
                value, seconds, method = ours(blackfield, file, ["--method", "inclusion-exclusion"])
                times["ours"].append(seconds)
                for rival in rivals:
                    other, seconds = walrus(args.walrus, file, rival)
                    times[rival].append(seconds)
                    if not agree(value, other):
                        harness.say(f"{n} vertices: {value} by {method}, {other} by {rival}")
                        wrong = True
            median = {name: statistics.median(list_) for name, list_ in times.items()}
            best = min((median[rival] for rival in rivals), default=None)
            shown = [f"{median[rival]:.3g} s" if rival in median else "" for rival in args.methods]
            ratio = f"{best / median['ours']:.0f} x" if best else ""
            rows.append([str(n), str(value), f"{median['ours']:.3g} s", *shown, ratio])
    print("\n".join(harness.markdown(["n", "perfect matchings", "blackfield", *args.methods, "ratio"], rows)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
