"""Ranks mod p: every method and option against elimination by hand or by FLINT."""

import dataclasses
import json

import families
import primes
import shrink

# Fields of the JSON document that may differ between runs with the same seed.
UNSTABLE = {"seconds", "threads", "phases", "processor_seconds", "predicted", "file", "version"}


def options(bench, rng):
    """Words of the command line that change how the rank is found, never the rank; and exit codes that may be the answer to them."""
    words, codes = ["--seed", rng.choice((1, 1, rng.randrange(1 << 64)))], {0}
    method = rng.choice(("auto", "auto", "elimination", "hybrid", "wiedemann"))
    words += ["--method", method]
    if rng.random() < 0.3:
        words += ["--threads", rng.choice((1, 2, 3, 8))]
    if method in ("hybrid", "wiedemann"):
        if rng.random() < 0.4:
            words += ["--block", rng.choice((1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 7, 8, 8, 16, 16, 33))]
        if rng.random() < 0.2:
            words += ["--trials", rng.choice((2, 3, 7))]
        if rng.random() < 0.3:
            words += ["--route", rng.choice(("codegree", "both"))]
        elif rng.random() < 0.3:
            words += ["--error", rng.choice(("1e-6", "1e-12", "1e-30"))]
            codes.add(2)  # No field is large enough for every bound.
        if rng.random() < 0.3:
            words.append("--no-early-termination")
    elif rng.random() < 0.4:
        words += rng.choice((["--proven"], ["--error", "1e-30"], ["--error", "0.5"]))
    # Other methods plan no sparse product, and refuse.
    if method == "wiedemann" and rng.random() < 0.3:
        words += ["--format", rng.choice(("coo", "coo-s", "csr", "ell", "ell-r", "dia"))]
    if method == "wiedemann" and rng.random() < 0.3:
        words += ["--segregate", rng.choice(("always", "never"))]
    if rng.random() < 0.1:
        words += ["--max-memory", rng.choice(("1K", "100K", "2M", "100M", "2G"))]
        codes.add(4)
    words += bench.instructions("rank", rng)
    if bench.device and rng.random() < 0.3:
        words += ["--device", bench.device]
        codes |= device_codes(bench.device, words)
    return words, codes


def device_codes(device, words):
    """Exit codes that may be the answer because a device is asked for: a GPU that is demanded has no proofs and no formats of the processor's."""
    if device != "cuda":
        return {0}
    return {2} if {"--format", "--segregate"} & set(words) else {5} if {"--proven", "elimination"} & set(words) else {0}


def answers(ending):
    """The documents of one command, one a line."""
    return [dataclasses.replace(ending, out=line).json() for line in ending.out.splitlines()]


def ranks(bench, rng):
    """The rank mod p is the oracle's where the label is proven or monte-carlo, and at most that where it is heuristic, for every method,
    option and prime; --proven and --error are kept."""
    words, codes = options(bench, rng)
    slow = "hybrid" in words or "wiedemann" in words
    moduli = primes.some(rng, 3 if slow else 8)
    suffix = rng.choice(("sms", "sms", "mtx", "sms.gz"))

    def judge(matrices):
        names = [bench.store(f"{k}.{suffix}", matrix) for k, matrix in enumerate(matrices)]
        asked = [word for p in moduli for word in ("-p", p)]
        ending = bench.run("rank", *names, *asked, "--json", "-q", *words, codes=codes)
        if ending.code:
            return
        found, expected = answers(ending), [(name, p) for name in names for p in moduli]
        if [(a["file"], a["modulus"]) for a in found] != expected:
            raise bench.complaint("wrong files or moduli", expected, [(a["file"], a["modulus"]) for a in found])
        for k, answer in enumerate(found):
            matrix = matrices[k // len(moduli)]
            judge_rank(bench, matrix, answer, bench.truth.rank(matrix, answer["modulus"]), words)

    # Where an exit code may be the answer, each matrix has it for itself.
    many = 1 if len(codes) > 1 else 2 if slow else rng.randint(1, 8)
    bench.examine([families.any_matrix(rng) for _ in range(many)], judge, simpler=shrink.several(shrink.matrices))


def batches(bench, rng):
    """Several files and moduli have their line each, in order, whatever becomes of the others: `--bare` or labelled, with the code of the
    worst; a file that is missing or bad takes no line of another's."""
    moduli, bare = primes.some(rng, 3), rng.random() < 0.5
    bad = {k: rng.choice(("missing.sms", "bad.sms")) for k in range(4) if rng.random() < 0.3}

    def judge(matrices):
        bench.write("bad.sms", b"2 2 M\n1 one 1\n0 0 0\n")
        names = [bad.get(k) or bench.store(f"{k}.sms", matrix) for k, matrix in enumerate(matrices)]
        asked = [word for p in moduli for word in ("-p", p)] + (["--bare"] if bare else [])
        ending = bench.run("rank", *names, *asked, "-q", codes=(0, 3))
        bench.count("batches")
        if ending.code != (3 if any(name in bad.values() for name in names) else 0):
            raise bench.complaint("wrong code of a batch", "3 if a file is bad", ending.code)
        expected = []
        for name, matrix in zip(names, matrices):
            for p in moduli:
                rank = None if name in bad.values() else bench.truth.rank(matrix, p)
                if bare:
                    expected.append("" if rank is None else str(rank))
                elif rank is not None:
                    expected.append(f"{name}\t{p}\t{rank}")
        single = len(names) * len(moduli) == 1
        found = [line if bare or single else line.rpartition("\t")[0] for line in ending.out.splitlines()]
        if single:
            expected = [line.rpartition("\t")[2] for line in expected]
        if found != expected:
            raise bench.complaint("wrong lines of a batch", expected, ending.out[:300])

    bench.examine([families.any_matrix(rng) for _ in range(rng.randint(1, 4))], judge, simpler=shrink.several(shrink.matrices))


def judge_rank(bench, matrix, answer, truth, words=(), family="random", degree=1):
    """What every answer of `rank --json` has to be, if the rank is `truth`."""
    p, rank, label = answer["modulus"], answer["rank"], answer["certainty"]
    bench.count("ranks mod p")
    if (answer["rows"], answer["cols"]) != (matrix.rows, matrix.cols):
        raise bench.complaint("wrong shape", (matrix.rows, matrix.cols), (answer["rows"], answer["cols"]))
    how = f"rank {rank} mod {p} ({label}, error {answer['error_bound']}) by {answer['method']}"
    if label not in ("proven", "monte-carlo", "heuristic"):
        raise bench.complaint("unknown label", "proven, monte-carlo or heuristic", how)
    if "--proven" in words and label != "proven":
        raise bench.complaint("--proven without proof", "proven", how)
    if "--error" in words and not keeps_error(answer, words[list(words).index("--error") + 1]):
        raise bench.complaint("--error not kept", f"an error of at most {words[list(words).index('--error') + 1]}", how)
    if label == "heuristic" and "codegree" in words:
        bench.tally(f"{family}, codegree", answer, rank != truth)
    elif rank > truth:
        raise bench.complaint(f"rank too large, {label}", truth, how)
    elif label == "proven" and rank != truth:
        raise bench.complaint("wrong rank, proven", truth, how)
    elif label == "monte-carlo" and rank != truth:
        raise bench.complaint("wrong rank, monte-carlo", truth, how)
    elif label == "heuristic":
        bench.tally(family, answer, rank != truth, degree)


def keeps_error(answer, error):
    return answer["certainty"] == "proven" or answer["error_bound"] is not None and answer["error_bound"] <= float(error)


def stable(value):
    """A document without what may differ from run to run."""
    if isinstance(value, dict):
        return {k: stable(v) for k, v in value.items() if k not in UNSTABLE}
    if isinstance(value, list):
        return [stable(v) for v in value]
    return value


def same_seed(bench, rng):
    """The same seed gives the same document, seconds and threads apart, on every number of threads."""
    words, _ = options(bench, rng)
    # Where a step is made depends on the number of threads, if either place is allowed.
    for option in ("--threads",) + ("--device",) * (bench.device == "auto"):
        if option in words:
            at = words.index(option)
            del words[at : at + 2]
    moduli, numbers = primes.some(rng, 2), rng.sample((1, 2, 3, 5, 8, 16), 3)

    def judge(matrix):
        bench.store("a.sms", matrix)
        asked = [word for p in moduli for word in ("-p", p)]
        first = None
        for threads in numbers:
            ending = bench.run("rank", "a.sms", *asked, "--json", "-q", *words, "--threads", threads, codes=None)
            bench.count("documents of the same seed")
            document = ending.code, stable(answers(ending)) if ending.code == 0 else None
            # What threads take counts, too, so that a limit may be enough for few of them alone.
            if ending.code == 4 and "--max-memory" in words:
                continue
            if first is None:
                first = document
            elif document != first:
                raise bench.complaint("threads change the answer", json.dumps(first)[:2000], json.dumps(document)[:2000])

    bench.examine(families.any_matrix(rng), judge)


# A GPU compiles its kernels for each modulus and width: few of them, kept on disk.
GPU_MODULI = (2, 3, 251, 257, 65521, 65537, 2147483647, 4294967291, 2305843009213693951)
GPU_BLOCKS = (1, 4, 8, 16, 32, 64)


def devices(bench, rng):
    """On a GPU the rank mod p is what it is on the processor, of many matrices in one process: rank, certainty and run of block Wiedemann,
    right by the oracle; a limit on the memory of the device makes no difference, or a refusal with exit code 5."""
    if not bench.device:
        return bench.skip("devices: no --device to compare with the processor")
    moduli, words, codes = rng.sample(GPU_MODULI, 3), ["--seed", rng.randrange(1 << 64), "--method", rng.choice(("wiedemann", "hybrid"))], {0}
    words += ["--block", rng.choice(GPU_BLOCKS)]
    limit = []
    if rng.random() < 0.25:
        limit, codes = ["--max-device-memory", rng.choice(("1K", "64K", "1M", "64M", "1G"))], {0, 5}

    def judge(matrices):
        names = [bench.store(f"{k}.sms", matrix) for k, matrix in enumerate(matrices)]
        asked = [word for p in moduli for word in ("-p", p)]
        ending = bench.run("rank", *names, *asked, "--json", "-q", *words, "--device", bench.device, *limit, codes=codes)
        if ending.code:
            return
        there, here = answers(ending), answers(bench.run("rank", *names, *asked, "--json", "-q", *words, codes={0}))
        for k, (one, other) in enumerate(zip(there, here)):
            same = [(answer["rank"], answer["certainty"], answer["wiedemann"]) for answer in (other, one)]
            if same[0] != same[1]:
                raise bench.complaint("another answer on a device", *same)
            bench.count("ranks on a device")
            matrix = matrices[k // len(moduli)]
            judge_rank(bench, matrix, one, bench.truth.rank(matrix, one["modulus"]), words)

    bench.examine([families.any_matrix(rng) for _ in range(8)], judge, simpler=shrink.several(shrink.matrices))
