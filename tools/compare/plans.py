#!/usr/bin/env python3
"""How accurate are plans? For matrices of many families: what `blackfield rank` predicted, what it took, and what the alternatives take.

    tools/compare/plans.py --data FOLDER
    tools/compare/plans.py --case full-2000-2000:65521 EX5:2 --blackfield target/release/blackfield

A row is a matrix and a prime: the step that took longest with its predicted and measured seconds, the seconds of the whole computation
(reading and digest apart) as planned, and those of the best way that was asked for by `--method`, which is given so many times as
long as `--patience` says. *regret* is the quotient; a way of the same steps is the plan's own. Below the table: how many of all predictions above 0.1 s (predicted or taken) stand within a
factor 3, and how many regrets are at most 1.3. One thread each; seconds are the program's own, by the clock: no more `--jobs` than quiet cores; the least of `-n` alternating runs of each way.
Exit code 1 if two ways disagree about a rank.
"""

import argparse
import concurrent.futures
import json
import subprocess
import sys
from pathlib import Path

from harness import ROOT, Failed, build_blackfield, disagreements, execute, json_answer, markdown, program, say, seconds
from rank_table import locate

WAYS = ("auto", "elimination", "hybrid", "wiedemann")
# Not part of any plan.
APART = ("read", "digest")
# Predictions count from here on, and stand within this factor.
COUNTS, FACTOR, REGRET = 0.1, 3.0, 1.3

CASES = """
    bibd_81_3:65521 bibd_81_3:2 mk11-b4:65521 mk11-b4:2 mk12-b3:65521 mk12-b3:2 ch7-8-b3:65521 ch7-8-b4:65521 ch7-8-b4:2 ch8-8-b4:65521 ch8-8-b4:3
    ch7-9-b4:65521 ch7-8-b5:65521 ch7-8-b5:2 ch7-9-b5:65521 ch8-8-b5:65521 ch8-8-b5:2 shar_te2-b2:65521 shar_te2-b2:2147483647
    EX3:65521 EX3:2 EX3:2147483647 EX5:65521 EX5:2 EX5:3 EX5:251 EX5:2147483647 EX6:65521
    Franz6:65521 kneser_8_3_1:65521 Trefethen_2000:65521 Trefethen_2000:4611686018427387847 mat1916:65521 mat1916:2147483647 hypercube_12:65521
    redheffer_3000:65521 wheel_101:65521 flower_20_1:65521 n3c6-b8:65521
    full-1000-1000:65521 full-2000-2000:65521 full-2000-2000:2 full-2000-2000:3 full-2000-2000:251 full-2000-2000:2147483647
    full-1000-1000:4611686018427387847 full-2000-2000-1200:65521 full-1500-1500-5:65521 full-500-20000:65521 full-20000-500:65521
    tenth-3000:65521 tenth-3000:2 tenth-3000:2147483647 macaulay-10-5:32003 macaulay-10-6:32003 macaulay-8-6:2147483647
    tall-500000-2000-5:65521 tall-500000-2000-5:2 tall-300000-3000-3:65521 random-5000-10:65521 random-20000-10:65521 random-20000-10:2
    random-300000-2:65521 random-3000-30:65521 product-5000-3000-4:65521 product-20000-15000-4:65521 product-20000-2000-4:65521
    blocks-20000-20:65521 blocks-6000-300:65521 column-100000:65521 shuffled-1000000:65521 corner-20000-1000:65521 corner-20000-1000:2147483647
""".split()


class Case:
    """One matrix and prime: the least seconds of every way, the steps of the plan, the ranks."""

    def __init__(self, name, p, file):
        self.name, self.p, self.file = name, p, file
        self.least, self.steps, self.ranks, self.answer = {}, [], {}, {}

    def run(self, blackfield, way, limit):
        argv = [blackfield, "rank", self.file, "-p", self.p, "--threads", 1, "--json", "-q", "--method", way]
        try:
            outcome = execute(argv, 1, limit, limit="cpu")
            if outcome.expired:
                return
            answer = json_answer(argv, outcome)
        except Failed as e:
            return say(f"{self.label()}, {way}: {str(e).splitlines()[-1]}")
        took = answer["seconds"] - sum(answer["phases"].get(phase, 0) for phase in APART)
        self.ranks.setdefault(way, answer["rank"])
        if took < self.least.get(way, float("inf")):
            self.least[way], self.answer[way] = took, answer
        say(f"{self.label()}, {way}: rank {answer['rank']} ({answer['certainty']}), {took:.3f} s")

    def label(self):
        return f"{self.name} mod {self.p}"

    def steps_of(self, way):
        return [(step["name"], step["found"]) for step in self.answer[way]["path"]]

    def others(self):
        """The ways that were asked for and are not the plan's own."""
        return [way for way in WAYS[1:] if way in self.least and self.steps_of(way) != self.steps_of("auto")]

    def planned(self):
        """The least time of the plan, however it was asked for: the same steps are the same computation."""
        return min(seconds for way, seconds in self.least.items() if way not in self.others())

    def forced(self):
        """The least time of another way that was asked for, and its name."""
        return min(((self.least[way], way) for way in self.others()), default=(None, "none"))

    def regret(self):
        best, _ = self.forced()
        return max(1.0, self.planned() / best) if best else 1.0

    def predictions(self):
        """(step, predicted, taken) of what the plan foretold."""
        path = self.answer["auto"]["path"]
        return [(step["name"], step["predicted"], step["seconds"]) for step in path if step["predicted"] is not None]

    def row(self):
        steps = [step for step in self.predictions() if counts(step)] or [("–", None, None)]
        name, predicted, taken = max(steps, key=lambda step: step[2] or 0)
        answer = self.answer["auto"]
        best, way = self.forced()
        others = "; ".join(f"{other} {seconds(self.least[other])}" for other in WAYS[1:] if other in self.least)
        mark = "" if predicted is None or holds((name, predicted, taken)) else " **!**"
        regret = self.regret()
        return [
            self.name,
            str(self.p),
            answer["certainty"],
            name,
            seconds(predicted) + mark,
            seconds(taken),
            seconds(self.planned()),
            others,
            f"**{regret:.2f}**" if regret > REGRET else f"{regret:.2f}",
        ]


def counts(step):
    return max(step[1], step[2]) >= COUNTS


def holds(step):
    return step[1] <= FACTOR * step[2] and step[2] <= FACTOR * step[1]


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--case", nargs="+", default=CASES, metavar="NAME:P", help="matrices that --data, generators.py or `blackfield generate` know, and primes")
    p.add_argument("--data", type=Path, nargs="+", default=[], metavar="FOLDER", help="folders with matrix files, searched before datasets/")
    p.add_argument("-n", "--runs", type=int, default=1, help="runs of each way (default 1)")
    p.add_argument("-j", "--jobs", type=int, default=1, help="cases at a time (default 1)")
    p.add_argument("--timeout", type=float, default=120, metavar="S", help="CPU seconds for the plan (default 120)")
    p.add_argument("--patience", type=float, default=2, metavar="X", help="other ways are given X times the time of the plan, and a second (default 2)")
    p.add_argument("--ways", nargs="*", default=list(WAYS[1:]), choices=WAYS[1:], help="ways to be forced (default: all)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the matrices")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all answers as JSON")
    args = p.parse_args(argv)
    if min(args.runs, args.jobs) < 1 or any(":" not in case for case in args.case):
        p.error("-n and -j must be positive, a case is NAME:P")
    return args


def measure(args, blackfield, case):
    for _ in range(args.runs):
        case.run(blackfield, "auto", args.timeout)
        if "auto" not in case.least:
            return
        for way in args.ways:
            case.run(blackfield, way, args.patience * case.least["auto"] + 1)


def summary(cases):
    steps = [step for case in cases for step in case.predictions() if counts(step)]
    kept = sum(map(holds, steps))
    regrets = [case.regret() for case in cases]
    small = sum(regret <= REGRET for regret in regrets)
    return [
        "",
        f"{kept} of {len(steps)} predictions of {COUNTS} s and more stand within a factor {FACTOR:g}.",
        f"Regret at most {REGRET:g} in {small} of {len(regrets)} cases, at most {max(regrets, default=1):.2f}.",
    ]


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        named = [(name, int(p)) for name, _, p in (words.rpartition(":") for words in args.case)]
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            names = list(dict(named))
            files = dict(zip(names, pool.map(lambda name: locate(args, blackfield, name), names)))
            cases = [Case(name, p, files[name]) for name, p in named]
            list(pool.map(lambda case: measure(args, blackfield, case), cases))
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"plans: {e}")
        return 1
    done = [case for case in cases if "auto" in case.least]
    header = ["matrix", "p", "certainty", "longest step", "predicted", "taken", "whole", "other ways, whole", "regret"]
    print("\n".join(markdown(header, [case.row() for case in done], left=4) + summary(done)))
    for case in cases:
        if case not in done:
            print(f"{case.label()}: not in {args.timeout:g} s")
    if args.output:
        answers = [{"matrix": c.name, "p": c.p, "least": c.least, "answers": c.answer} for c in cases]
        args.output.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
    wrong = disagreements((case.label(), way, rank) for case in cases for way, rank in case.ranks.items())
    for line in wrong:
        say(f"ranks disagree: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
