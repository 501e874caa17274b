"""Files from anyone: every format, damaged in every way, and headers that promise more than there is."""

import families
import mutate
import packed as packings
import reader
import shrink
from check_rank import answers
from matrices import FORMATS, Matrix, zipped

MODULI = (2, 65521)
GIGABYTE = 1 << 20  # in kilobytes


def compact(entries):
    """The matrix of the lines that have entries: the rank is the same."""
    rows, cols = ({k: n for n, k in enumerate(sorted({at[side] for at in entries}))} for side in (0, 1))
    return Matrix(len(rows), len(cols), [(rows[i], cols[j], v) for (i, j), v in entries.items()])


def one_line(bench, ending, name):
    """An error is one line on standard error that names the file; one for each modulus, if memory ends after reading."""
    lines = [line for line in ending.err.splitlines() if line.strip() and "warning" not in line]
    if not 1 <= len(lines) <= (1 if ending.code == 3 else len(MODULI)) or ending.code == 3 and name not in lines[0]:
        raise bench.complaint("error message", f"one line that names {name}", ending.err[:300])


def judge_file(bench, data, limit):
    """Compares the program's reading of `data` with the small reader's."""
    name = bench.write("f", data)
    try:
        rows, cols, entries = reader.read(data)
        verdict = "matrix"
    except reader.Bad as bad:
        verdict, why = "bad", str(bad)
    except reader.Unsure as unsure:
        verdict, why = "unsure", str(unsure)
    asked = [word for p in MODULI for word in ("-p", p)]
    ending = bench.run("rank", name, *asked, "--json", "-q", kilobytes=limit, patience=20, codes=(0, 3, 4))
    bench.count(f"files taken as {verdict}")
    if ending.code:
        one_line(bench, ending, name)
    if verdict == "bad" and ending.code == 0:
        raise bench.complaint("bad file read", f"exit code 3: {why}", ending.out[:300])
    if verdict == "matrix":
        large = rows + cols > 10**6
        if ending.code == 3 or ending.code == 4 and not large:
            raise bench.complaint("good file refused", f"{rows} x {cols}, {len(entries)} entries", ending.err[:300])
        for answer in answers(ending) if ending.code == 0 else ():
            truth = bench.truth.rank(compact(entries), answer["modulus"])
            if (answer["rank"], answer["rows"], answer["cols"]) != (truth, rows, cols):
                raise bench.complaint("file read wrongly", (truth, rows, cols), (answer["rank"], answer["rows"], answer["cols"]))


def mutated(bench, rng):
    """A file that was damaged in any way gives the rank of what it says, or exit code 3 or 4 with one line that names it; never a crash, a
    hang, or another matrix; under a limit of the address space."""
    matrix = families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, 6)))
    suffix = rng.choice(sorted(FORMATS))
    data = FORMATS[suffix](matrix)
    if suffix.endswith("gz") and rng.random() < 0.5:
        text = FORMATS[suffix[:-3]](matrix)
        data = zipped(mutate.some(rng, text, mutate.TEXT))
    else:
        data = mutate.some(rng, data, mutate.BINARY if suffix.endswith("gz") else mutate.TEXT)
    limit = rng.choice((GIGABYTE // 4, GIGABYTE // 2, GIGABYTE))
    bench.examine(data, lambda bytes_: judge_file(bench, bytes_, limit), simpler=shrink.texts)


def formats(bench, rng):
    """The same matrix has the same digest and the same rank in every format, plain and compressed, and after `convert`."""
    state = rng.getrandbits(64)

    def judge(matrix):
        again, seen = type(rng)(state), {}
        for suffix in again.sample(sorted(FORMATS), 3):
            name = bench.store(f"a.{suffix}", matrix)
            ending = bench.run("rank", name, "-p", 65521, "--json", "-q")
            (answer,) = answers(ending)
            seen[name] = answer["digest"], answer["rank"], answer["rows"], answer["cols"]
            bench.count("formats compared")
        to = again.choice(("b.sms", "b.mtx", "b.sms.gz"))
        bench.run("convert", again.choice(sorted(seen)), to, "-q")
        (answer,) = answers(bench.run("rank", to, "-p", 65521, "--json", "-q"))
        seen[to] = answer["digest"], answer["rank"], answer["rows"], answer["cols"]
        if len(set(seen.values())) != 1:
            raise bench.complaint("formats differ", "one digest, one rank, one shape", seen)
        truth = bench.truth.rank(matrix, 65521)
        if answer["rank"] != truth:
            raise bench.complaint("wrong rank of a file", truth, answer["rank"])

    bench.examine(families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, 8))), judge)


def packed(bench, rng):
    """In a binary or packed file, and after `convert` to such a one, a matrix has the digest of its SMS; a damaged file gives an answer, or exit
    code 3 or 4 with one line that names it."""
    suffix, state = rng.choice(sorted(packings.WRITERS)), rng.getrandbits(64)

    def judge(matrix):
        again = type(rng)(state)
        if not packings.fits(matrix):
            bench.count("values beyond 64 bits")
            return
        data = packings.WRITERS[suffix](matrix)
        names = [bench.store("a.sms", matrix), bench.write(f"b.{suffix}", data)]
        to = again.choice(("c.npy", "c.npz", "c.mtx.xz", "c.sms.bz2", "c.mtx.zst"))
        bench.run("convert", names[1], to, "-q")
        seen = {}
        for name in names + [to]:
            (answer,) = answers(bench.run("rank", name, "-p", 65521, "--json", "-q"))
            seen[name] = answer["digest"], answer["rank"], answer["rows"], answer["cols"]
        if len(set(seen.values())) != 1:
            raise bench.complaint("packed files differ", "one digest, one rank, one shape", seen)
        bench.write("d", mutate.some(again, data, mutate.BINARY))
        ending = bench.run("rank", "d", "-p", 65521, "-q", kilobytes=GIGABYTE, patience=20, codes=(0, 3, 4))
        bench.count("packed files")
        if ending.code:
            one_line(bench, ending, "d")

    bench.examine(families.transformed(rng, rng.choice(families.FAMILIES)(rng, *families.shape(rng, 6))), judge)


SIZES = (0, 1, 2, 10**6, 2**24, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)


def header(rng):
    """A few bytes that declare a matrix of any size."""
    rows, cols = rng.choice(SIZES), rng.choice(SIZES + (rng.randrange(2**32),))
    count = rng.choice((0, 1, 1, 2**31, 2**40, 2**63, 2**64 - 1))
    entry = "1 1 1\n" if rows and cols else ""
    last = f"{rows} {cols} -3\n" if rows and cols and rng.random() < 0.3 else ""
    way = rng.randrange(6)
    if way <= 1:
        return f"{rows} {cols} M\n{entry}{last}0 0 0\n".encode()
    if way == 2:
        kind = rng.choice(("general", "symmetric", "skew-symmetric"))
        cols = cols if kind == "general" else rows
        return f"%%MatrixMarket matrix coordinate integer {kind}\n{rows} {cols} {count}\n{entry}".encode()
    if way == 3:
        return f"%%MatrixMarket matrix array integer general\n{rows} {cols}\n1\n".encode()
    if way == 4:
        many = lines_of(entry, last)
        return f"%%MatrixMarket matrix coordinate integer general\n{rows} {cols} {many}\n{entry}{last}".encode()
    cards = f"{rng.choice((3, count)):14d}{1:14d}{1:14d}{1:14d}{0:14d}\n"
    head = "x".ljust(80) + "\n" + cards + "RUA".ljust(14) + "".join(f"{n:14d}" for n in (rows, cols, count, 0)) + "\n"
    return (head + "(10I8)".ljust(16) + "(10I8)".ljust(16) + "(10F8.0)".ljust(20) + "\n       1       2\n       1\n      1.\n").encode()


def lines_of(*parts):
    return sum(part.count("\n") for part in parts)


COMMANDS = (
    ("rank", "f", "-p", "65521", "-q"),
    ("rank", "f", "-p", "2", "-q", "--method", "wiedemann"),
    ("rank", "f", "-p", "65521", "-q", "--proven"),
    ("rank", "f", "--rational", "-q"),
    ("rank", "f", "-p", "65521", "-q", "--certificate", "c"),
    ("rank", "f", "-p", "65521", "-q", "--method", "wiedemann", "--format", "csr"),
    ("info", "f", "-q"),
    ("convert", "f", "g.sms", "-q"),
    ("permanent", "f", "-q"),
    ("kernel", "f", "-p", "65521", "-q", "--dimension"),
    ("kernel", "f", "-p", "65521", "-q", "--vectors", "1", "-o", "n.sms"),
    ("solve", "f", "--rhs", "f", "-p", "65521", "-q"),
    ("rref", "f", "-p", "65521", "-q", "--pivots-only"),
)


def huge_headers(bench, rng):
    """No header alone makes the program ask for memory without end: under any limit of the address space it answers, or ends with exit code 3
    or 4 and one line."""
    limit = rng.choice((200, 200, 300, 400, 500, 1000, 2000, 6000)) << 10
    command = rng.choice(COMMANDS)

    def judge(data):
        bench.write("f", data)
        ending = bench.run(*command, kilobytes=limit, patience=30, codes=(0, 2, 3, 4) if "wiedemann" in command else (0, 3, 4))
        bench.count("huge headers")
        if ending.code:
            one_line(bench, ending, "f")

    # A smaller number is simpler, but the limit decides: the file is short enough.
    bench.examine(header(rng), judge, simpler=shrink.texts)
