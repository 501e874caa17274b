#!/usr/bin/env python3
"""The source paper's figures on CUDA GPUs, printed again for today's card: section 2 of its first half.

From `blackfield bench formats --device cuda`, whose results it compares with the processor's bit for bit: formats on bibd_81_3 relative to
CSR, by block width; entries ±1 apart or as values; 100 products in a row against as many one by one, copied; storage types by size of the
modulus. Beside them, on the same card and in the same run, rivals where Python has them: cuSPARSE's product of a sparse matrix and a
block in f64 (CuPy), and PyTorch's. A rival's block is random integers below 2^20, exact in f64 (which has no modulus); its product is
compared with one by integers. Rates are thousand million multiply-adds a second, of the device's events, medians.

Exit codes: 0 tables printed; 1 blackfield failed or a result is wrong; 2 usage.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

from harness import ROOT, Failed, build_blackfield, execute, json_answer, machine, markdown, program, say

# A modulus for each storage: bits, 8, 16, 32, 64 bits a residue.
MODULI = (2, 251, 65521, 2147483647, 2305843009213693951)
MAIN = 65521
LINE = re.compile(r"(?P<matrix>\S+), (?P<what>.*), (?P<width>\d+) vectors")


def bench(args, blackfield, modulus):
    """{(what, width): multiply-adds a second}, and the name of the matrix."""
    argv = [blackfield, "bench", "formats", "--device", "cuda", "--json", "--quiet", "-p", str(modulus)] + ["--quick"] * args.quick
    outcome = execute(argv, args.threads, args.timeout)
    if outcome.expired:
        raise Failed(f"bench formats mod {modulus}: not in {args.timeout:g} s")
    rates, matrix = {}, None
    for result in json_answer(argv, outcome)["results"]:
        parts = LINE.fullmatch(result["name"])
        if parts is None:
            raise Failed(f"bench formats printed a line that is none: {result['name']!r}")
        matrix = parts["matrix"]
        rates[parts["what"], int(parts["width"])] = result["rate"]
    if not rates:
        raise Failed("bench formats printed no results")
    return rates, matrix


def widths(rates):
    return sorted({width for _, width in rates})


def kinds(rates):
    """What was timed, in the order in which it was."""
    return list(dict.fromkeys(what for what, _ in rates))


def rate(rates, what, width):
    """In thousand millions, `-` where there is none."""
    found = rates.get((what, width))
    return "-" if found is None else f"{found / 1e9:.3g}"


def ratio(rates, above, below, width):
    a, b = rates.get((above, width)), rates.get((below, width))
    return "-" if a is None or b is None else f"{a / b:.2f}"


def table_of_formats(rates, rivals):
    """Rates by format and width, and relative to CSR."""
    header = ["format"] + [f"{w} vectors" for w in widths(rates)]
    formats = [what for what in kinds(rates) if "products" not in what]
    rows = [[what] + [f"{rate(rates, what, w)} ({ratio(rates, what, 'CSR', w)})" for w in widths(rates)] for what in formats]
    for name, found in rivals.items():
        rows.append([name] + [rate(found, name, w) if (name, w) in found else "-" for w in widths(rates)])
    return markdown(header, rows, left=1)


def table_of_signs(rates):
    apart, together = "sliced ELL", "sliced ELL with +-1 as values"
    header = ["width", "±1 apart", "as values", "gain"]
    rows = [[str(w), rate(rates, apart, w), rate(rates, together, w), ratio(rates, apart, together, w)] for w in widths(rates)]
    return markdown(header, rows, left=1)


def table_of_sequences(rates):
    (row,) = [what for what in kinds(rates) if what.endswith("in a row")]
    (single,) = [what for what in kinds(rates) if what.endswith("one by one")]
    header = ["width", row, single, "gain"]
    return markdown(header, [[str(w), rate(rates, row, w), rate(rates, single, w), ratio(rates, row, single, w)] for w in widths(rates)], left=1)


def table_of_storage(by_modulus):
    some = widths(next(iter(by_modulus.values())))
    header = ["modulus", "bits a residue"] + [f"{w} vectors" for w in some]
    bits = lambda p: 1 if p == 2 else next(b for b in (8, 16, 32, 64) if p <= 1 << b)
    rows = [[str(p), str(bits(p))] + [rate(rates, "sliced ELL", w) for w in some] for p, rates in by_modulus.items()]
    return markdown(header, rows, left=1)


def triples(args, blackfield, name):
    """The matrix as (rows, cols, [(i, j, value)])."""
    file = args.work / f"{name}.sms"
    subprocess.run([blackfield, "generate", name, "-o", file], check=True, stdout=subprocess.DEVNULL)
    lines = file.read_text(encoding="ascii").split("\n")
    rows, cols = map(int, lines[0].split()[:2])
    entries = [tuple(map(int, line.split())) for line in lines[1:] if line.strip()]
    return rows, cols, [(i - 1, j - 1, v) for i, j, v in entries if i]


def median(begin, end, product, times=7, products=8):
    """Median seconds of a product between two events; `end` gives milliseconds since `begin`."""
    found = []
    for _ in range(times + 1):
        mark = begin()
        for _ in range(products):
            product()
        found.append(end(mark) / 1e3 / products)
    return statistics.median(found[1:])


def by_cupy(matrix, some):
    """{(name, width): rate} of cuSPARSE; raises ImportError where there is no CuPy."""
    import cupy
    import cupyx.scipy.sparse as sparse
    import numpy

    name, (rows, cols, entries) = "cuSPARSE SpMM, f64", matrix
    i, j, v = (numpy.array(column) for column in zip(*entries))
    whole = lambda kind: sparse.csr_matrix((cupy.asarray(v.astype(kind)), (cupy.asarray(i), cupy.asarray(j))), shape=(rows, cols))
    a, rates = whole(numpy.float64), {}

    def begin():
        mark = cupy.cuda.Event()
        mark.record()
        return mark

    def end(mark):
        now = begin()
        now.synchronize()
        return cupy.cuda.get_elapsed_time(mark, now)

    for w in some:
        x = numpy.random.default_rng(w).integers(0, 1 << 20, (cols, w))
        block = cupy.asarray(x.astype(numpy.float64), order="F")
        expected = numpy.zeros((rows, w), numpy.int64)
        numpy.add.at(expected, i, v[:, None] * x[j])
        if not (cupy.asnumpy(a @ block) == expected).all():
            raise Failed(f"{name}, {w} vectors: a wrong product")
        rates[name, w] = len(entries) * w / median(begin, end, lambda: a @ block)
    return name, rates


def by_torch(matrix, some):
    """The same of PyTorch; raises ImportError where there is none with CUDA."""
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch without CUDA")
    name, (rows, cols, entries) = "PyTorch sparse CSR, f64", matrix
    i, j, v = (torch.tensor(column) for column in zip(*entries))
    a = torch.sparse_coo_tensor(torch.stack((i, j)), v.double(), (rows, cols)).cuda().to_sparse_csr()
    rates = {}

    def begin():
        mark = torch.cuda.Event(enable_timing=True)
        mark.record()
        return mark

    def end(mark):
        now = begin()
        now.synchronize()
        return mark.elapsed_time(now)

    for w in some:
        x = torch.randint(0, 1 << 20, (cols, w), generator=torch.Generator().manual_seed(w))
        block = x.double().cuda()
        expected = torch.zeros(rows, w, dtype=torch.int64).index_add_(0, i, v[:, None] * x[j])
        if not torch.equal((a @ block).cpu(), expected.double()):
            raise Failed(f"{name}, {w} vectors: a wrong product")
        rates[name, w] = len(entries) * w / median(begin, end, lambda: a @ block)
    return name, rates


def rivals(args, blackfield, name, some, ways=(by_cupy, by_torch)):
    """{name: rates} of those that are here; the others are named on standard error."""
    matrix, found = triples(args, blackfield, name), {}
    for way in ways:
        try:
            rival, rates = way(matrix, some)
            found[rival] = rates
        except ImportError as e:
            say(f"gpu: going on without {way.__name__.removeprefix('by_')}: {e}")
    return found


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--moduli", type=int, nargs="+", default=list(MODULI), metavar="P", help=f"for storage types (default {MODULI})")
    p.add_argument("--no-rivals", action="store_true", help="blackfield alone")
    p.add_argument("--quick", action="store_true", help="a small matrix and two widths: to see that everything works")
    p.add_argument("--threads", type=int, default=16, metavar="N", help="host threads (default 16)")
    p.add_argument("--timeout", type=float, default=600, help="wall seconds for one bench (default 600)")
    p.add_argument("--blackfield", type=program, help="the program to measure (default: a release build of this checkout)")
    p.add_argument("--work", type=Path, default=ROOT / "target" / "compare", help="folder for the matrix")
    p.add_argument("--output", type=Path, metavar="FILE.json", help="all rates as JSON")
    args = p.parse_args(argv)
    if args.threads <= 0 or args.timeout <= 0 or min(args.moduli) < 2:
        p.error("--threads and --timeout must be positive, --moduli primes")
    return args


def main(argv=None):
    args = parse(argv)
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        blackfield = args.blackfield or build_blackfield()
        main_rates, matrix = bench(args, blackfield, MAIN)
        by_modulus = {p: main_rates if p == MAIN else bench(args, blackfield, p)[0] for p in args.moduli}
        others = {} if args.no_rivals else rivals(args, blackfield, matrix, widths(main_rates))
    except (Failed, OSError, subprocess.CalledProcessError) as e:
        say(f"gpu: {e}")
        return 1
    sections = (
        (f"{matrix} mod {MAIN} by format, and relative to CSR", table_of_formats(main_rates, others)),
        ("Entries ±1 apart, without values", table_of_signs(main_rates)),
        ("Many products with vectors that stay, and one by one with vectors that are copied", table_of_sequences(main_rates)),
        ("Storage by size of the modulus, sliced ELL", table_of_storage(by_modulus)),
    )
    for title, lines in sections:
        print(f"### {title}\n\n" + "\n".join(lines) + "\n")
    facts = machine(None, blackfield)
    print("Measured on " + ", ".join(f"{k}: {v}" for k, v in facts.items()) + "; thousand million multiply-adds a second.")
    if args.output:
        flat = lambda rates: [{"what": what, "width": w, "rate": r} for (what, w), r in rates.items()]
        records = {"moduli": {str(p): flat(r) for p, r in by_modulus.items()}, "rivals": {n: flat(r) for n, r in others.items()}}
        args.output.write_text(json.dumps({"machine": facts, **records}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
