#!/usr/bin/env python3
"""Compares blackfield with independent oracles on random, structured and adversarial inputs, until the time is up.

    tools/hunt/hunt.py --minutes 2 --seed 1 --cores 2

What it finds it shrinks, and writes to a folder with the commands that show it. Exit code 0: nothing found; 1: something; 2: it could not
hunt. The same seed goes through the same cases in the same order, whatever the number of cores; `--case` runs one of them again.
"""

import argparse
import multiprocessing
import os
import queue
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import attacks
import check_certificates
import check_checkpoints
import check_files
import check_lifting
import check_homology
import check_matchings
import check_permanents
import check_polynomials
import check_rank
import check_rational
import check_shortfall
import check_smith
import check_spaces
import check_texts
import truth
from bench import Bench
from shortfall import Falls

ROOT = Path(__file__).resolve().parent.parent.parent

# Group, name, check, and how often it comes in one round of all: the slow ones seldom.
CHECKS = (
    ("rank", "ranks", check_rank.ranks, 40),
    ("rank", "same-seed", check_rank.same_seed, 6),
    ("rank", "batches", check_rank.batches, 8),
    ("device", "devices", check_rank.devices, 16),
    ("rational", "rational", check_rational.rational, 24),
    ("rational", "rational-same-seed", check_rational.same_seed, 3),
    ("rational", "tiny-error", check_rational.tiny_error, 2),
    ("rational", "tiny-error-mod-p", check_rational.tiny_error_mod_p, 3),
    ("attack", "attack-primes", attacks.rational, 3),
    ("attack", "attack-rows", attacks.row_space, 1),
    ("certificate", "certificates", check_certificates.honest, 12),
    ("certificate", "forgeries", check_certificates.forged, 8),
    ("space", "kernels", check_spaces.kernels, 24),
    ("space", "large", check_spaces.large, 12),
    ("space", "systems", check_spaces.systems, 24),
    ("space", "forms", check_spaces.forms, 16),
    ("space", "verdicts", check_spaces.verdicts, 12),
    ("space", "determinants", check_spaces.determinants, 16),
    ("smith", "smith-forms", check_smith.forms, 16),
    ("smith", "smith-made", check_smith.made, 16),
    ("smith", "smith-diagonals", check_smith.diagonals, 6),
    ("space", "rational-spaces", check_spaces.rational, 12),
    ("lifting", "rational-systems", check_lifting.systems, 24),
    ("lifting", "integer-determinants", check_lifting.determinants, 24),
    ("space", "polynomials", check_polynomials.polynomials, 16),
    ("homology", "spaces", check_homology.spaces, 24),
    ("homology", "chains", check_homology.chains, 24),
    ("permanent", "permanents", check_permanents.permanents, 40),
    ("permanent", "closed-forms", check_permanents.closed_forms, 10),
    ("matchings", "matchings", check_matchings.matchings, 40),
    ("matchings", "matchings-closed-forms", check_matchings.closed_forms, 10),
    ("matchings", "rectangles", check_matchings.rectangles, 16),
    ("checkpoint", "resumed", check_checkpoints.resumed, 1),
    ("checkpoint", "damaged", check_checkpoints.damaged, 2),
    ("checkpoint", "answers-resumed", check_checkpoints.answers, 4),
    ("files", "files", check_files.mutated, 24),
    ("files", "formats", check_files.formats, 8),
    ("files", "packed", check_files.packed, 6),
    ("files", "headers", check_files.huge_headers, 6),
    ("files", "texts", check_texts.texts, 8),
    ("shortfall", "shortfalls", check_shortfall.shortfalls, 8),
)
GROUPS = tuple(dict.fromkeys(group for group, _, _, _ in CHECKS))


def schedule(seed, groups, first, step):
    """The cases of one worker, without end: (name, check, number), where numbers count the cases of a check from 0."""
    chosen = [check for check in CHECKS if check[0] in groups]
    turns = [(name, check, often, k) for _, name, check, often in chosen for k in range(often)]
    position, at = first, None
    while True:
        round_, place = divmod(position, len(turns))
        if at != round_:
            at, order = round_, random.Random(f"{seed}:{round_}").sample(turns, len(turns))
        name, check, often, k = order[place]
        yield name, check, round_ * often + k
        position += step


def case(bench, seed, name, check, number):
    bench.perform(name, check, random.Random(f"{seed}:{name}:{number}"), f"{name}-{number}")


def report(bench):
    """What a worker has to tell at its end."""
    told = {name: getattr(bench, name) for name in ("runs", "compared", "seen", "skipped", "seconds", "falls")}
    return {**told, "asked": bench.truth.asked}


def work(number, options, until, messages, stop):
    """One worker: every `cores`-th case until the time or the cases are up."""
    os.setpgrp()  # Ctrl-C is for the command alone, which lets the cases under way come to their end.
    with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
        bench = new_bench(options, Path(folder) / "bench")
        told = done = 0
        for name, check, k in schedule(options.seed, options.only, number, options.cores):
            over = number + done * options.cores >= options.cases if options.cases is not None else time.monotonic() >= until
            if over or stop.is_set():
                break
            case(bench, options.seed, name, check, k)
            done += 1
            for finding in bench.found[told:]:
                messages.put(("found", finding))
            told = len(bench.found)
        messages.put(("done", done, report(bench)))


def new_bench(options, folder):
    return Bench(
        options.blackfield, folder, options.out, same=options.same, use_flint=not options.no_flint, isa=options.isa, device=options.device
    )


def announce(finding):
    check, kind, folder, command, text = finding
    print(f"found by {check}: {text[:600]}\n  cd {folder} && {command}", flush=True)


def merge(into, counts):
    for key, n in counts.items():
        into[key] = into.get(key, 0) + n


class Total:
    """What all workers have done."""

    def __init__(self):
        self.cases, self.runs, self.found = 0, 0, []
        self.compared, self.asked, self.seen, self.skipped, self.seconds, self.falls = {}, {}, {}, {}, {}, Falls()

    def add(self, cases, report):
        self.cases, self.runs = self.cases + cases, self.runs + report["runs"]
        for name in ("compared", "asked", "seen", "skipped"):
            merge(getattr(self, name), report[name])
        for name, (n, seconds) in report["seconds"].items():
            before = self.seconds.get(name, (0, 0.0))
            self.seconds[name] = before[0] + n, before[1] + seconds
        self.falls.join(report["falls"])

    def summary(self, seconds, cores):
        """Lines of text: counts per check and oracle, and per second."""
        comparisons = sum(self.compared.values())
        rate = f"{comparisons / max(seconds, 1e-9):.0f} a second"
        yield f"{self.cases} cases, {self.runs} runs, {comparisons} comparisons in {seconds:.0f} s on {cores} workers: {rate}"
        yield "compared: " + ", ".join(f"{n} {what}" for what, n in sorted(self.compared.items()))
        yield "oracles:  " + ", ".join(f"{n} {what}" for what, n in sorted(self.asked.items()))
        yield "checks:   " + ", ".join(f"{n} {name} ({spent:.0f} s)" for name, (n, spent) in sorted(self.seconds.items()))
        for family, (runs, falls, expected) in sorted(self.falls.families.items()):
            if falls or " by " in family:
                yield f"heuristic, {family}: {falls} of {runs} fell short, {expected:.2g} promised"
        for why, n in sorted(self.skipped.items()):
            yield f"skipped {n} times: {why}"
        for kind, n in sorted(self.seen.items()):
            yield f"{n} times {kind}"


def alarms(total, out):
    """Families whose heuristic answers fall short too often, as findings."""
    for family, runs, falls, expected, chance in total.falls.alarms():
        text = f"{falls} of {runs} heuristic ranks of {family} fell short, {expected:.2g} promised: chance {chance:.1e}"
        folder = out / "short" / Bench.slug(family)
        yield "shortfalls", "falls short too often", str(folder), "sh commands.sh", text


def hunt(options):
    """All workers to their end; the total."""
    context = multiprocessing.get_context()
    messages, stop, start = context.Queue(), context.Event(), time.monotonic()
    until = start + 60 * options.minutes
    workers = [context.Process(target=work, args=(k, options, until, messages, stop)) for k in range(options.cores)]
    for worker in workers:
        worker.start()
    total, left = Total(), len(workers)
    while left:
        try:
            message = messages.get(timeout=5)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers):
                raise SystemExit("a worker ended without a word: see above")
            continue
        except KeyboardInterrupt:
            print("stopping after the cases under way", file=sys.stderr)
            stop.set()
            continue
        if message[0] == "found":
            total.found.append(message[1])
            announce(message[1])
        else:
            left -= 1
            total.add(*message[1:])
    for worker in workers:
        worker.join()
    return total, time.monotonic() - start


def one_case(options):
    """A single case again."""
    name, _, number = options.case.rpartition("-")
    check = next((check for _, known, check, _ in CHECKS if known == name), None)
    if check is None or not number.isdigit():
        raise SystemExit(f"--case {options.case}: expected NAME-NUMBER with a name of {', '.join(known for _, known, _, _ in CHECKS)}")
    start, total = time.monotonic(), Total()
    with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
        bench = new_bench(options, Path(folder) / "bench")
        case(bench, options.seed, name, check, int(number))
        total.add(1, report(bench))
        total.found = bench.found
        for finding in bench.found:
            announce(finding)
    return total, time.monotonic() - start


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    groups = lambda text: tuple(text.split(","))
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to hunt [2]")
    parser.add_argument("--cases", type=int, help="how many cases to go through, however long it takes")
    parser.add_argument("--case", help="one case again, by the name that its finding has")
    parser.add_argument("--seed", default=None, help="a number or any word [a new one, which is printed]")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, help="workers [all processors]")
    parser.add_argument("--only", type=groups, default=GROUPS, help=f"groups of checks, with commas between: {','.join(GROUPS)}")
    parser.add_argument("--blackfield", type=Path, help="the program [target/release/blackfield]")
    parser.add_argument("--out", type=Path, help="folder for what is found [a new temporary one]")
    parser.add_argument("--isa", type=groups, default=(), help="instruction sets for `--isa` of the program [all that it names]")
    parser.add_argument("--device", help="device to try beside the processor, such as cuda")
    parser.add_argument("--same", type=int, default=2, help="findings of one kind to keep, for each worker [2]")
    parser.add_argument("--no-flint", action="store_true", help="naive oracles only")
    options = parser.parse_args(argv)
    if unknown := set(options.only) - set(GROUPS):
        parser.error(f"--only: unknown {', '.join(sorted(unknown))}")
    options.blackfield = (options.blackfield or ROOT / "target" / "release" / "blackfield").absolute()
    if not os.access(options.blackfield, os.X_OK):
        parser.error(f"{options.blackfield} is no program: build it by `cargo build --release`, or name one by --blackfield")
    options.seed = options.seed or str(random.SystemRandom().randrange(10**9))
    options.out = (options.out or Path(tempfile.mkdtemp(prefix="hunt-found-"))).absolute()
    return options


def main(argv=None):
    options = arguments(argv)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    flint = truth.flint.__version__ if truth.flint and not options.no_flint else "none"
    print(f"hunt --seed {options.seed}: {options.blackfield}, python-flint {flint}, findings to {options.out}", flush=True)
    total, seconds = one_case(options) if options.case else hunt(options)
    for finding in alarms(total, options.out):
        total.found.append(finding)
        announce(finding)
    print("\n".join(total.summary(seconds, 1 if options.case else options.cores)))
    print(f"{len(total.found)} findings kept in {options.out}" if total.found else "nothing found")
    if options.out.is_dir() and not any(options.out.iterdir()):
        options.out.rmdir()
    return 1 if total.found else 0


if __name__ == "__main__":
    sys.exit(main())
