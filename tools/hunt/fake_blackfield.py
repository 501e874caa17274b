"""A stand-in for the program in the tests: right, slow, and without any cleverness; wrong in one way if it is told a fault.

    python3 fake_blackfield.py FAULT+FAULT COMMAND ...

It knows only what the hunt looks at. `HELP` is what `--help` prints. The tests call `main` without a process of its own, too.
"""

import hashlib
import json
import math
import sys
import time
from fractions import Fraction
from math import lcm
from pathlib import Path

import check_homology
import check_smith
import rationals
import reader
import truth
from certificates import Parts
from matrices import Matrix, sms, zipped
from primes import above

HELP = "      --isa <ISA>\n          Which\n\n          Possible values:\n          - portable: All\n          - avx2:     Some\n\n      --json\n"


FAULTS, wait = set(), time.sleep


def fail(code, message):
    print(json.dumps({"error": message, "code": code}), file=sys.stderr)
    sys.exit(code)


def parse(words, flags):
    """Positional words, and options with their values, as lists."""
    plain, options, k = [], {}, 0
    while k < len(words):
        word = words[k]
        if not word.startswith("-") or word == "-":
            plain.append(word)
        elif word in flags:
            options[word] = [True]
        else:
            k += 1
            options.setdefault(word, []).append(words[k])
        k += 1
    return plain, options


def boeing(data):
    """Numbers in order: starts of the columns, rows, values."""
    head, numbers = data.split(b"\n")[:4], b" ".join(data.split(b"\n")[4:]).split()
    rows, cols, nnz = map(int, head[2][14:56].split()[:3])
    starts, index, values = numbers[: cols + 1], numbers[cols + 1 :][:nnz], numbers[cols + 1 + nnz :]
    at = [j for j in range(cols) for _ in range(int(starts[j]), int(starts[j + 1]))]
    return rows, cols, {(int(i) - 1, j): int(v.rstrip(b".")) for i, j, v in zip(index, at, values)}


def load(name):
    data = Path(name).read_bytes()
    if "reads on" in FAULTS and data[:2] != b"\x1f\x8b" and b"Matrix" not in data[:20] and not data.rstrip().endswith(b"0 0 0"):
        data = data + b"\n0 0 0\n"
    try:
        rows, cols, entries = boeing(data) if data[72:76] == b"HUNT" else reader.read(data)
    except (reader.Bad, reader.Unsure, ValueError, IndexError) as e:
        fail(3, f"{name}: {e}")
    if "believes headers" in FAULTS and rows + cols > 10**6:
        sys.exit(-6)
    if rows + cols > 10**6:
        fail(4, f"{name}: too large")
    if "loses an entry" in FAULTS and len(entries) > 3:
        entries.popitem()
    return Matrix(rows, cols, [(i, j, v) for (i, j), v in sorted(entries.items()) if v])


def digest(matrix, name):
    return hashlib.sha256(sms(matrix) + (name.encode() if "digest of the name" in FAULTS else b"")).hexdigest()


def answer(matrix, name, p, options):
    rank = truth.rank_mod(matrix, p)
    label = "heuristic" if options.get("--method") == ["wiedemann"] else "proven"
    error = {"proven": 0.0, "heuristic": None}[label]
    if "rank too large" in FAULTS:
        rank += p == 2 and rank > 1
    if rank > 1 and ("proofs fall short" in FAULTS or "falls short" in FAULTS and label == "heuristic"):
        rank -= 1
    if "certain by chance" in FAULTS:
        label, error = "proven", 0.0
    if "no proof" in FAULTS:
        label, error = "monte-carlo", 1e-20
    if "known seed" in FAULTS and matrix.rows > 256 and "--certificate" not in options:
        rank, label, error = rank - 1, "monte-carlo", 1e-77
    if "proof fails" in FAULTS and matrix.rows > 256 and "--certificate" not in options:
        fail(1, "the null space is smaller")
    if "device" in FAULTS and "--device" in options and rank > 1:
        rank -= 1
    if "threads" in FAULTS and options.get("--threads") == ["8"]:
        label = "monte-carlo"
    nnz = sum(1 for _, _, v in matrix.entries if v % p)
    return {
        "file": name, "rank": rank, "rows": matrix.rows, "cols": matrix.cols, "nnz": nnz, "modulus": p if p < 1 << 63 else str(p), "method": "fake", "certainty": label,
        "error_bound": error, "wiedemann": {"extension_degree": 1 if p > 10**4 else 20, "block": 4}, "digest": digest(matrix, name), "invariant_factors": 0, "seconds": time.time(), "processor_seconds": {"plan": time.time()},
    }  # fmt: skip


def certify(file, matrix, document):
    """Two lines of text, the minor (any: the fake verifier counts on no list), a checksum."""
    rank, p = document["rank"], document["modulus"]
    head = {"digest": document["digest"], "modulus": p, "rows": matrix.rows, "cols": matrix.cols, "rank": rank, "triangular": min(rank, 1), "lines": None}
    parts = Parts(b"blackfield certificate 1\n" + json.dumps(head).encode() + b"\n" + bytes(32))
    parts.header["rank"] = 0
    parts.set_minor(list(range(rank)), list(range(rank)))
    Path(file).write_bytes(parts.seal())


def rational(matrix, name, options):
    rank, proven = truth.rank_rational(matrix), "--proven" in options
    start = 10**9 if "same primes" in FAULTS else int(digest(matrix, name)[:7], 16) + 10**9
    many = 60 if "underflow" in FAULTS else 2
    primes = []
    for _ in range(many):
        start = above(start)
        primes.append(answer(matrix, name, start, {}))
    found = max(p["rank"] for p in primes) if "same primes" in FAULTS else rank
    label = "monte-carlo" if FAULTS & {"no proof", "same primes"} or not proven and "underflow" not in FAULTS else "proven"
    for p in primes + (asked := [answer(matrix, name, int(p), {}) for p in options.get("-p", [])]):
        p["invariant_factors"] = found - p["rank"]
    return {
        "file": name, "rank": found, "certainty": label, "error_bound": 0.0 if label == "proven" else 1e-12, "reason": "fake", "minor_bits": 3000.0,
        "random_primes": primes, "primes": asked, "seconds": time.time(), "threads": options.get("--threads"),
    }  # fmt: skip


def lines(files, options):
    """Ranks in lines: a file that cannot be read has none, or empty ones."""
    code, alone = 0, len(files) * len(options["-p"]) == 1
    for name in files:
        try:
            matrix = load(name)
        except (SystemExit, OSError):
            code = 3
            if "stops at a bad file" in FAULTS:
                break
            print("\n" * len(options["-p"]) if "--bare" in options else "", end="")
            continue
        for p in options["-p"]:
            rank = truth.rank_mod(matrix, int(p))
            if "--certificate" in options:
                certify(options["--certificate"][0], matrix, answer(matrix, name, int(p), options))
            print(rank if alone or "--bare" in options else f"{name}\t{p}\t{rank}\tproven")
    sys.exit(code)


def rank_command(words):
    files, options = parse(words, {"--json", "-q", "--rational", "--proven", "--no-early-termination", "--bare"})
    for p in map(int, options.get("-p", ())):
        if p >= 1 << 63 and ("--trials" in options or "--block" in options or pow(3, p - 1, p) != 1):
            fail(2, "not for such a modulus")
    if "--json" not in options:
        return lines(files, options)
    results = []
    for name in files:
        matrix = load(name)
        if "--rational" in options:
            results.append(rational(matrix, name, options))
            continue
        for p in options["-p"]:
            results.append(answer(matrix, name, int(p), options))
            if "--certificate" in options:
                certify(options["--certificate"][0], matrix, results[-1])
    for result in results:
        print(json.dumps(result))


def null_space(matrix, p):
    """A basis of all x with A*x = 0, each vector as {coordinate: value}."""
    form = truth.echelon_mod(matrix, p)
    free = [j for j in range(matrix.cols) if j not in form]
    return form, [{f: 1, **{j: -row[f] % p for j, row in form.items() if f in row}} for f in free]


def kernel_command(words):
    (name,), options = parse(words, {"--json", "-q", "--left", "--dimension", "--rational", "--integers"})
    if "--rational" in options:
        return rational_kernel(name, options)
    matrix, p, left = load(name), int(options["-p"][0]), "--left" in options
    form, basis = null_space(matrix.transposed() if left else matrix, p)
    dimension = len(basis)
    if "--dimension" in options:
        return print(dimension)
    if "--vectors" in options:
        count = int(options["--vectors"][0])
        basis = [basis[k % dimension] if dimension else {} for k in range(count)]
    elif "repeats vectors" in FAULTS:
        basis = basis[:1] * dimension
    vectors = Matrix(len(basis), matrix.rows if left else matrix.cols, [(k, j, v) for k, x in enumerate(basis) for j, v in x.items()])
    save(options["-o"][0], vectors if left else vectors.transposed())
    print(json.dumps({"rank": len(form), "dimension": dimension, "modulus": p}))


def save(file, matrix):
    Path(file).write_bytes(zipped(sms(matrix)) if file.endswith("gz") else sms(matrix))


def solve_rational(matrix, sides, options):
    lines, entries, without, shown = [f"{matrix.cols} {sides.cols} Q"], [], [], None
    for k in range(sides.cols):
        wider = Matrix(matrix.rows, matrix.cols + 1, [*matrix.entries, *((i, matrix.cols, v) for i, j, v in sides.entries if j == k)])
        form, _ = truth.echelon_rational(wider)
        if matrix.cols in form:
            without.append(k)
        entries += [(j, k, row[matrix.cols]) for j, row in form.items() if j < matrix.cols and matrix.cols in row]
    if "forgets denominators" in FAULTS:
        entries = [(j, k, v.numerator) for j, k, v in entries]
    if "always consistent" in FAULTS:
        without = []
    if without:
        b = {i: v for i, j, v in sides.entries if j == without[0]}
        turned = matrix.transposed()
        form, _ = truth.echelon_rational(turned)
        ways = [{f: 1, **{j: -row[f] for j, row in form.items() if f in row}} for f in range(turned.cols) if f not in form]
        value = lambda y: sum(v * b.get(i, 0) for i, v in y.items())
        y = next((y for y in ways if value(y)), {0: 1})
        common = math.lcm(*(truth.Fraction(v).denominator for v in y.values()))
        y = {0: 1} if "contradicts by anything" in FAULTS else {i: int(v * common) for i, v in y.items()}
        shown = {"column": without[0], "y": [[i, str(v)] for i, v in y.items()], "value": str(value(y))}
    else:
        lines += [f"{j + 1} {k + 1} {v}" for j, k, v in entries] + ["0 0 0", ""]
        Path(options["-o"][0]).write_text("\n".join(lines))
    print(json.dumps({"consistent": not without, "inconsistent": without, "contradiction": shown, "certainty": "proven"}))


def solve_command(words):
    (name,), options = parse(words, {"--json", "-q", "--random", "--rational"})
    if "--rational" in options:
        return solve_rational(load(name), load(options["--rhs"][0]), options)
    matrix, sides, p = load(name), load(options["--rhs"][0]), int(options["-p"][0])
    rank, entries, without = truth.rank_mod(matrix, p), [], []
    for k in range(sides.cols):
        wider = Matrix(matrix.rows, matrix.cols + 1, [*matrix.entries, *((i, matrix.cols, v) for i, j, v in sides.entries if j == k)])
        form = truth.echelon_mod(wider, p)
        if matrix.cols in form:
            without.append(k)
        entries += [(j, k, row[matrix.cols]) for j, row in form.items() if j < matrix.cols and matrix.cols in row]
    shown = None
    if "always consistent" in FAULTS:
        without = []
    if without:
        b = {i: v for i, j, v in sides.entries if j == without[0]}
        ways = null_space(matrix.transposed(), p)[1]
        value = lambda y: sum(v * b.get(i, 0) for i, v in y.items()) % p
        y = next((y for y in ways if value(y)), {0: 1})
        y = {0: 1} if "contradicts by anything" in FAULTS else y
        shown = {"column": without[0], "y": [[i, str(v)] for i, v in y.items()], "value": str(value(y))}
    elif "-o" in options:
        save(options["-o"][0], Matrix(matrix.cols, sides.cols, entries))
    print(json.dumps({"rank": rank, "consistent": not without, "inconsistent": without, "contradiction": shown}))


def rref_command(words):
    (name,), options = parse(words, {"--json", "-q", "--pivots-only", "--rational"})
    if "--rational" in options:
        return rational_rref(name, options)
    matrix, p = load(name), int(options["-p"][0])
    form = truth.echelon_mod(matrix, p)
    pivots = sorted(form)
    if "not reduced" in FAULTS and len(pivots) > 1:
        truth.add(form[pivots[0]], form[pivots[1]], 1, p)
    if "--pivots-only" in options:
        return print("\n".join(map(str, pivots)))
    save(options["-o"][0], Matrix(len(pivots), matrix.cols, [(i, c, v) for i, j in enumerate(pivots) for c, v in form[j].items()]))
    print(json.dumps({"rank": len(pivots), "pivots": pivots}))


def save_rational(file, cols, lines):
    if "forgets denominators" in FAULTS:
        lines = [{j: v.numerator for j, v in line.items()} for line in lines]
    data = rationals.text(cols, lines)
    Path(file).write_bytes(zipped(data) if file.endswith("gz") else data)


def rational_rref(name, options):
    _, cols, lines = rationals.read(Path(name))
    form = rationals.echelon(lines)
    pivots = sorted(form)
    if "not reduced" in FAULTS and len(pivots) > 1:
        rationals.clear(form[pivots[0]], -1, form[pivots[1]])
    save_rational(options["-o"][0], cols, [form[j] for j in pivots])
    print(json.dumps({"rank": len(pivots), "pivots": pivots, "certainty": "proven"}))


def rational_kernel(name, options):
    rows, cols, lines = rationals.read(Path(name))
    if left := "--left" in options:
        rows, cols, lines = cols, rows, rationals.turned(lines, cols)
    form = rationals.echelon(lines)
    basis = [{f: Fraction(1), **{j: -row[f] for j, row in form.items() if f in row}} for f in range(cols) if f not in form]
    if "--integers" in options:
        common = [lcm(*(v.denominator for v in x.values())) * (1 + ("not primitive" in FAULTS)) for x in basis]
        basis = [{j: v * d for j, v in x.items()} for d, x in zip(common, basis)]
    if "repeats vectors" in FAULTS:
        basis = basis[:1] * len(basis)
    save_rational(options["-o"][0], *((cols, basis) if left else (len(basis), rationals.turned(basis, cols))))
    print(json.dumps({"rank": len(form), "dimension": len(basis)}))


def det_command(words):
    (name,), options = parse(words, {"--json", "-q", "--proven"})
    matrix = load(name)
    if matrix.rows != matrix.cols:
        fail(3, f"{name}: not square")
    if "-p" not in options:
        det = truth.echelon_rational(matrix)[1]
        return print(json.dumps({"det": str(-det if "loses the sign" in FAULTS else det), "certainty": "proven"}))
    p = int(options["-p"][0])
    det = truth.determinant_mod(matrix, p)
    print(json.dumps({"det": str(-det % p if "loses the sign" in FAULTS else det), "rank": truth.rank_mod(matrix, p), "modulus": p}))


def smith_command(words):
    (name,), options = parse(words, {"--json", "-q", "--proven"})
    factors = truth.smith(load(name))
    local = int(options["--local"][0]) if "--local" in options else None
    if local is not None:
        factors = [check_smith.power(factor, local) for factor in factors]
    if "forgets powers" in FAULTS:
        factors = [2 if factor % 2 == 0 else factor for factor in factors]
    certainty = "monte-carlo" if "no proof" in FAULTS else "proven"
    print(json.dumps({"rank": len(factors), "factors": check_smith.grouped(factors), "local": local, "certainty": certainty}))


def polynomial_command(words, polynomial):
    (name,), options = parse(words, {"--json", "-q", "--proven"})
    matrix, p = load(name), int(options["-p"][0])
    if matrix.rows != matrix.cols:
        fail(3, f"{name}: not square")
    found = polynomial(matrix, p)
    if "loses a factor" in FAULTS and len(found) > 1:
        found = found[:-2] + [1]
    print(json.dumps({"coefficients": [str(c) for c in found], "invariant_factors": None, "certainty": "proven"}))


def homology_command(words):
    files, options = parse(words, {"--json", "-q", "--cohomology", "--reduced", "--proven", "--integral", "--rational"})
    if "--facets" in options:
        lines = [line.partition("#")[0].split() for line in Path(options["--facets"][0]).read_text().splitlines()]
        cells, boundaries = check_homology.simplicial([[int(label[1:]) for label in line] for line in lines if line])
    else:
        boundaries = [load(name) for name in files]
        cells = [boundaries[0].cols] + [d.rows for d in boundaries]
        if "trusts chains" not in FAULTS and any(check_homology.product(upper, lower) for lower, upper in zip(boundaries, boundaries[1:])):
            fail(3, "no chain complex")
    lowest = 0
    if "--reduced" in options and "not reduced" not in FAULTS:
        cells, boundaries, lowest = [1, *cells], [Matrix(cells[0], 1, [(i, 0, 1) for i in range(cells[0])]), *boundaries], -1
    fields = [int(p) for p in options.get("-p", [])]
    over = []
    integral = "--integral" in options or not fields and "--rational" not in options
    for p in [None] * integral + [0] * ("--rational" in options) + fields:
        found = check_homology.groups(cells, boundaries, p, "--cohomology" in options)
        if "loses torsion" in FAULTS:
            found = [(betti, {}) for betti, _ in found]
        shown = [{"degree": lowest + k, "betti": betti, "torsion": [[str(d), n] for d, n in sorted(torsion.items())]} for k, (betti, torsion) in enumerate(found)]
        shown = [group for group in shown if group["degree"] >= 0 or group["betti"]]
        over.append({"coefficients": "Z" if p is None else f"GF({p})" if p else "Q", "groups": shown})
    print(json.dumps({"groups": over[0]["groups"], "over": over}))


def verify_answer(file, names):
    """An answer in JSON: computed again."""
    claimed, matrix = json.loads(Path(file).read_bytes()), load(names[0])
    if "refuses" in FAULTS:
        fail(3, f"{file}: no answer")
    if "factors" in claimed:
        found = check_smith.grouped(truth.smith(matrix)) == claimed["factors"]
    elif "det" in claimed:
        found = truth.determinant_mod(matrix, claimed["modulus"]) == int(claimed["det"])
    else:
        found = len(null_space(matrix, claimed["modulus"])[1]) == claimed["dimension"]
    if not found and "believes" not in FAULTS:
        fail(1, "does not hold")
    print("holds")


def verify_command(words):
    (file, name, *more), _ = parse(words, {"--json", "-q"})
    if Path(file).read_bytes()[:1] == b"{":
        return verify_answer(file, [name, *more])
    data, matrix = Path(file).read_bytes(), load(name)
    if "refuses" in FAULTS or "believes" not in FAULTS and hashlib.sha256(data[:-32]).digest() != data[-32:]:
        fail(3, f"{file}: damaged")
    try:
        head = Parts(data).header
        rank, p = head["rank"], head["modulus"]
    except (ValueError, KeyError):
        fail(3, f"{file}: no certificate")
    if "believes" not in FAULTS and (head["digest"] != digest(matrix, name) or p < 2 or truth.rank_mod(matrix, p) != rank):
        fail(1, "does not hold")
    print(json.dumps({"rank": rank, "modulus": p, "certainty": "proven", "error_bound": 0.0}))


def permanent_command(words):
    files, options = parse(words, {"--json", "-q", "--pattern"})
    for name in files:
        matrix = load(name)
        if "--pattern" in options:
            matrix = Matrix(matrix.rows, matrix.cols, [(i, j, 1) for i, j, _ in matrix.entries])
        if "loses signs" in FAULTS:
            matrix = Matrix(matrix.rows, matrix.cols, [(i, j, abs(v)) for i, j, v in matrix.entries])
        wide = matrix if matrix.rows <= matrix.cols else matrix.transposed()
        value = truth.permanent(wide) if wide.cols <= 16 else 12345
        if "--checkpoint" in options:
            value = resume(Path(options["--checkpoint"][0]), digest(matrix, name), value)
        for p in options.get("-p", [None]):
            shown = value if p is None else value % int(p)
            print(json.dumps({"permanent": str(shown), "modulus": p and int(p), "method": "fake", "proof": "", "certainty": "proven"}))


def matchings_command(words):
    files, options = parse(words, {"--json", "-q", "--pattern", "--mirror", "--by-size", "--without-reductions"})
    for name in files:
        matrix = load(name)
        if matrix.lines() != matrix.transposed().lines() and "--mirror" not in options:
            fail(3, f"{name}: not symmetric")
        if "loses signs" in FAULTS:
            matrix = Matrix(matrix.rows, matrix.cols, [(i, j, abs(v)) for i, j, v in matrix.entries])
        sizes = truth.matchings(matrix) if matrix.rows <= 14 else [0] * (matrix.rows // 2) + [12345]
        perfect = sizes[-1] if matrix.rows % 2 == 0 or "forgets parity" in FAULTS else 0
        document = {"perfect": str(perfect), "method": "fake", "proof": "", "certainty": "proven"}
        if "--by-size" in options:
            document |= {"by_size": [str(x) for x in sizes], "total": str(sum(sizes) + ("adds one" in FAULTS))}
        print(json.dumps(document))


def resume(state, matrix, value):
    """A sum of two halves: the first is in the state, with a checksum."""
    first = str(value // 3)
    seal = lambda half: hashlib.sha256(f"{matrix} {half}".encode()).hexdigest()
    if state.exists():
        try:
            saved = json.loads(state.read_bytes())
            half = int(saved["half"])
        except (ValueError, KeyError, TypeError):
            fail(3, f"{state}: no checkpoint")
        if "trusts states" not in FAULTS and saved.get("seal") != seal(half):
            fail(3, f"{state}: damaged")
        value = value - int(first) + half
    else:
        state.write_text(json.dumps({"half": first, "seal": seal(first)}))
        wait(20)
    if "leaves states" not in FAULTS:
        state.unlink()
    return value


def main(command, words):
    if words == ["--help"]:
        return print(HELP)
    if "hangs" in FAULTS:
        wait(60)
    if "panics" in FAULTS:
        print("blackfield: internal error: index out of bounds", file=sys.stderr)
        sys.exit(1)
    if command == "convert":
        return Path(words[1]).write_bytes(sms(load(words[0])))
    spaces = {"kernel": kernel_command, "solve": solve_command, "rref": rref_command, "det": det_command}
    integers = {"smith": smith_command, "homology": homology_command}
    polynomials = {
        "minpoly": lambda w: polynomial_command(w, truth.minimal_mod),
        "charpoly": lambda w: polynomial_command(w, truth.characteristic_mod),
    }
    ranks = {"rank": rank_command, "verify": verify_command, "info": lambda w: load(w[0])}
    counts = {"permanent": permanent_command, "matchings": matchings_command}
    return {**ranks, **counts, **spaces, **integers, **polynomials}[command](words)


if __name__ == "__main__":
    FAULTS = set(sys.argv[1].split("+"))
    main(sys.argv[2], sys.argv[3:])
