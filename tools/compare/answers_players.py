"""Who takes part in answers_table.py: commands, how their answers are read, how they are checked; and the sections."""

import dataclasses
import json
import re
import shutil
import string
import subprocess
from pathlib import Path
from typing import Callable, NamedTuple, Optional

import answers_check
from harness import Failed, json_answer, say

MODULUS = 65521
HERE = Path(__file__).resolve().parent


class Case(NamedTuple):
    """A matrix, or the folder of a complex, with its modulus; what else the contenders need is written when it is asked for."""

    name: str
    file: Path
    modulus: int
    work: Path
    answer: object = None

    def beside(self, end, make):
        path = self.work / f"{self.file.stem}.{self.modulus}{end}"
        if not path.exists():
            make(path)
        return path

    def right_side(self):
        return self.beside(".b.sms", lambda path: answers_check.right_side(self.file, path, self.modulus))

    def value(self, key, tools):
        """What stands for {key} in a command."""
        if key == "left":
            return self.beside(".left.sms", lambda path: answers_check.transpose(self.file, path))
        if key == "left_b":
            return self.beside(".left.b.sms", lambda path: answers_check.transpose(self.right_side(), path))
        if key == "program":
            return self.beside(".gp", lambda path: path.write_text(relations_program(self.file, self.modulus), encoding="ascii"))
        if key == "boundaries":
            return boundaries(self.file, tools.blackfield)
        if key in ("n", "kind"):
            return re.fullmatch(r"mk(\d+)", self.file.name)[1]
        return {"file": self.file, "p": self.modulus, "b": self.right_side}[key]


class Tools(NamedTuple):
    """Programs: ours, the folder of the drivers, those of others or None; and options for ours."""

    blackfield: Path
    drivers: Path
    spasm: Optional[Path] = None
    sparserref: Optional[str] = None
    gudhi: Optional[str] = None
    options: list = []


@dataclasses.dataclass
class Contender:
    """A command whose words may hold {file}, {p}, {b}, {out} and what else `Case.value` knows; `read` gives answer and facts of a run,
    `check` raises `Wrong` for what it wrote to {out} with `ending`. `dense`: it needs 8 bytes for every entry, zero or not."""

    name: str
    argv: list
    read: Callable
    check: Optional[Callable] = None
    ours: bool = False
    dense: bool = False
    ending: str = ""
    tools: Optional[Tools] = None

    def words(self, case, out, seed):
        """The command; a word {boundaries} alone becomes one word a file."""
        known, words = {"out": out, "seed": seed}, []
        for word in map(str, self.argv):
            keys = [key for _, key, _, _ in string.Formatter().parse(word) if key]
            for key in keys:
                if key not in known:
                    value = case.value(key, self.tools)
                    known[key] = value() if callable(value) else value
            words += map(str, known["boundaries"]) if word == "{boundaries}" else [word.format_map(known)]
        return words


def boundaries(folder, blackfield):
    """The plain boundary matrices of a complex that `blackfield generate --complex` knows by the name of the folder."""
    if not folder.exists():
        subprocess.run([str(blackfield), "generate", "--complex", folder.name, "-o", str(folder), "--quiet"], check=True, stdout=subprocess.DEVNULL)
        for packed in folder.glob("*.gz"):
            subprocess.run(["gzip", "-d", str(packed)], check=True)
    return sorted(folder.glob("d*.sms"), key=lambda path: int(re.search(r"\d+", path.name)[0]))


# Answers.


def key_of(key):
    """Reads one value of a JSON document, and the facts beside it."""

    def read(argv, outcome, _case):
        document = first_document(argv, outcome)
        facts = {name: document[name] for name in ("certainty", "phases", "cpu_seconds", "reason") if name in document}
        return str(document[key]), facts

    return read


def first_document(argv, outcome):
    """The JSON document on the first line, before whatever else a driver prints."""
    first = dataclasses.replace(outcome, output=outcome.output.partition("\n")[0])
    return json_answer(argv, first)


def printed(pattern, convert=str):
    """Reads what a program prints in words, the last that is found."""

    def read(argv, outcome, _case):
        found = re.findall(pattern, outcome.output + outcome.errors)
        if not found:
            raise Failed(f"{' '.join(argv)}: no answer on its output\n{outcome.errors[-500:]}")
        return convert(found[-1]), {}

    return read


def written_rows(argv, outcome, case):
    """The dimension that SparseRREF leaves to be seen: columns less rank."""
    rank, facts = printed(r"(?m)^rank: (\d+)")(argv, outcome, case)
    return str(answers_check.header(case.file)[1] - int(rank)), facts


def consistent(argv, outcome, _case):
    document = first_document(argv, outcome)
    return str(bool(document["consistent"])).lower(), {key: document[key] for key in ("certainty", "phases") if key in document}


def spasm_solves(argv, outcome, _case):
    """It has warnings for right sides without a solution."""
    return str("no solution" not in outcome.errors).lower(), {}


def form(pairs):
    """Invariant factors other than 1, as prime powers."""
    return " ".join(f"{factor}^{count}" for factor, count in answers_check.powers(pairs).items()) or "1 only"


def factors(argv, outcome, _case):
    document = first_document(argv, outcome)
    pairs = document["factors"] if "factors" in document else answers_check.multiplicities(document["diagonal"])
    return form((int(factor), int(count)) for factor, count in pairs), {key: document[key] for key in ("certainty", "phases") if key in document}


def listed(argv, outcome, _case):
    """Invariant factors that a computer algebra system prints as [a, b, …], zeros among them, perhaps over several lines."""
    found = re.search(r"\[([-\d,\s\\]*)\]", outcome.output)
    if not found:
        raise Failed(f"{' '.join(argv)}: no list on its output\n{outcome.errors[-500:]}")
    return form(answers_check.multiplicities(re.sub(r"[\s\\]", "", found[1]).split(",") if found[1].strip() else [])), {}


def polynomial(argv, outcome, _case):
    """Degree and the coefficients of x⁰ … as one number, by which polynomials are compared."""
    if outcome.output.count("\n") > 1:
        document, coefficients = first_document(argv, outcome), outcome.output.split("\n")[1:]
    else:
        document = json_answer(argv, outcome)
        coefficients = document["coefficients"]
    words = [word for word in coefficients if word]
    value = sum(int(word) * pow(3, k, answers_check.LARGE) for k, word in enumerate(words)) % answers_check.LARGE
    return f"degree {len(words) - 1}, {value:x} at 3", {key: document[key] for key in ("certainty", "phases", "cpu_seconds") if key in document}


def betti(argv, outcome, _case):
    """Our groups: Betti numbers and, over ℤ, torsion."""
    groups = json_answer(argv, outcome)["groups"]
    text = lambda g: f"{g['betti']}" + "".join(f"+({order})^{count}" for order, count in g["torsion"])
    return " ".join(map(text, groups)), {}


def gudhi_betti(argv, outcome, _case):
    document = json_answer(argv, outcome)
    return " ".join(map(str, document["betti"])), {"counted": document["seconds"]}


def logarithms(argv, outcome, case):
    """PARI's solver gives one vector; that it satisfies all relations is its own test."""
    found = re.search(r"(\d+) relations fail; (\d+) logarithms in (\d+) ms", outcome.output)
    if not found or found[1] != "0":
        raise Failed(f"{' '.join(argv)}: {outcome.output}{outcome.errors}")
    return "1", {"counted": int(found[3]) / 1000}


def relations_program(file, modulus):
    words = ["python3", str(HERE / "pari_kernel.py"), str(file), str(modulus)]
    return subprocess.run(words, check=True, text=True, capture_output=True).stdout


# Checks.


def null(p_of, **how):
    return lambda case, out: answers_check.null_vectors(case.file, out, p_of(case), int(case.answer), **how)


def solves(p_of, **how):
    def check(case, out):
        if case.answer == "true":
            answers_check.solution(case.file, case.right_side(), out, p_of(case), **how)

    return check


def modular(case):
    return case.modulus


def rational(_case):
    return 0


GUDHI = """
import itertools, json, sys, time, gudhi
n, p = int(sys.argv[1]), int(sys.argv[2])
number = {e: i for i, e in enumerate(itertools.combinations(range(n), 2))}
def matchings(free, chosen):
    if len(free) < 2:
        yield chosen
        return
    if len(free) % 2:
        yield from matchings(free[1:], chosen)
    for k in range(1, len(free)):
        yield from matchings(free[1:k] + free[k + 1 :], chosen + [number[free[0], free[k]]])
tree = gudhi.SimplexTree()
for facet in matchings(tuple(range(n)), []):
    tree.insert(facet)
start = time.process_time()
tree.compute_persistence(homology_coeff_field=p, persistence_dim_max=True)
numbers = tree.betti_numbers()
print(json.dumps({"betti": numbers, "seconds": time.process_time() - start, "version": gudhi.__version__}))
"""
# A sparse file, read into a dense matrix of each system's own.
PARI_READ = (
    'L = readstr("{file}"); S = apply(x -> eval(x), strsplit(L[1], " ")[1..2]); A = matrix(S[1], S[2]); '
    'for (k = 2, #L - 1, t = apply(x -> eval(x), strsplit(L[k], " ")); A[t[1], t[2]] = t[3]); '
)
GAP_READ = (
    'L := SplitString(ReadAll(InputTextFile("{file}")), "\\n");; S := SplitString(L[1], " ");; '
    "A := NullMat(Int(S[1]), Int(S[2]));; "
    'for k in [2..Length(L) - 1] do t := List(SplitString(L[k], " "), Int); A[t[1]][t[2]] := t[3]; od;; '
)


def pari(tail):
    """A GP program with {{file}} to be filled in; braces of its own are doubled."""
    return ["sh", "-c", f"printf %s '{PARI_READ}{tail}; quit' | gp -q -f --default parisizemax=12000000000"]


def gap(tail):
    return ["sh", "-c", f"printf %s '{GAP_READ}{tail} QUIT;' | gap -q -A"]


def players_of(key, tools, only=None):
    """The contenders of a section that are here, ours first."""
    ours, rivals = CONTENDERS[key](tools)
    ours.argv += tools.options
    found = [ours]
    for contender in rivals:
        first = str(contender.argv[0])
        if only is not None and not any(contender.name.lower().startswith(word.lower()) for word in only):
            continue
        if first == "None" or shutil.which(first) is None or (first == "sh" and not any(shutil.which(w) for w in ("gp", "gap") if w in contender.argv[2])):
            say(f"{contender.name} is not here: README.md says where it comes from")
            continue
        found.append(contender)
    return [dataclasses.replace(c, tools=tools) for c in found]


def blackfield(tools, *words, read, **more):
    return Contender("blackfield", [tools.blackfield, *words, "--threads", "1", "--seed", "{seed}", "--json", "--quiet"], read, ours=True, **more)


def spasm(tools, name):
    return str(tools.spasm / name) if tools.spasm else None


def kernel(tools):
    mod = ["-p", "{p}"]
    driver = [tools.drivers / "flint_driver", "kernel", "{file}", "{p}", "{out}"]
    dense = [tools.drivers / "linbox_answers", "kernel-dense", "{file}", "{p}", "{out}"]
    sparse = [tools.sparserref, "{file}", "--field", "Zp", "--prime", "{p}", "--threads", "1", "--kernel", "--output", "{out}"]
    count = printed(r"Kernel basis matrix is (\d+) x")
    return blackfield(tools, "kernel", "{file}", *mod, "-o", "{out}.sms", read=key_of("dimension"), check=null(modular), ending=".sms"), [
        Contender("SpaSM", [spasm(tools, "kernel"), "--matrix", "{file}", "--modulus", "{p}", "--output", "{out}"], count, null(modular, by_rows=True)),
        Contender("SparseRREF", sparse, written_rows, null(modular), ending=".kernel"),
        Contender("FFPACK dense", dense, key_of("dimension"), null(modular), dense=True),
        Contender("FLINT dense", driver, key_of("dimension"), null(modular), dense=True),
    ]


def left_kernel(tools):
    ours = blackfield(tools, "kernel", "{file}", "-p", "{p}", "--left", "-o", "{out}.sms", read=key_of("dimension"), check=null(modular, left=True, by_rows=True), ending=".sms")
    words = [spasm(tools, "kernel"), "--left", "--matrix", "{file}", "--modulus", "{p}", "--output", "{out}"]
    return ours, [Contender("SpaSM", words, printed(r"Kernel basis matrix is (\d+) x"), null(modular, left=True, by_rows=True))]


def solve(tools):
    linbox = lambda how: [tools.drivers / "linbox_answers", f"solve-{how}", "{file}", "{b}", "{p}", "{out}"]
    left = ["--matrix", "{left}", "--rhs", "{left_b}", "--modulus", "{p}", "--output", "{out}"]
    flint = [tools.drivers / "flint_driver", "solve", "{file}", "{b}", "{p}", "{out}"]
    return blackfield(tools, "solve", "{file}", "--rhs", "{b}", "-p", "{p}", "-o", "{out}.sms", read=consistent, check=solves(modular), ending=".sms"), [
        Contender("SpaSM", [spasm(tools, "solve"), *left], spasm_solves, solves(modular, by_rows=True)),
        Contender("LinBox elimination", linbox("elimination"), consistent, solves(modular)),
        Contender("LinBox Wiedemann", linbox("wiedemann"), consistent, solves(modular)),
        Contender("FFPACK dense", linbox("dense"), consistent, solves(modular), dense=True),
        Contender("FLINT dense", flint, consistent, solves(modular), dense=True),
    ]


def rational_solve(tools):
    words = ["{file}", "{b}", "{out}"]
    return blackfield(tools, "solve", "{file}", "--rhs", "{b}", "--rational", "-o", "{out}.sms", read=consistent, check=solves(rational), ending=".sms"), [
        Contender("FLINT", [tools.drivers / "flint_driver", "qsolve", *words], consistent, solves(rational), dense=True),
        Contender("IML", [tools.drivers / "iml_driver", "solve", *words], consistent, solves(rational), dense=True),
        Contender("LinBox Dixon", [tools.drivers / "linbox_answers", "qsolve", *words], consistent, solves(rational)),
    ]


def rational_kernel(tools):
    sparse = [tools.sparserref, "{file}", "--field", "QQ", "--threads", "1", "--kernel", "--output", "{out}"]
    ours = blackfield(tools, "kernel", "{file}", "--rational", "-o", "{out}.sms", read=key_of("dimension"), check=null(rational), ending=".sms")
    return ours, [
        Contender("SparseRREF", sparse, written_rows, null(rational), ending=".kernel"),
        Contender("FLINT", [tools.drivers / "flint_driver", "qkernel", "{file}", "{out}"], key_of("dimension"), null(rational), dense=True),
        Contender("IML", [tools.drivers / "iml_driver", "kernel", "{file}", "{out}"], key_of("dimension"), null(rational), dense=True),
    ]


def rational_rref(tools):
    sparse = [tools.sparserref, "{file}", "--field", "QQ", "--threads", "1", "--output", "{out}"]
    return blackfield(tools, "rref", "{file}", "--rational", "-o", "{out}.sms", read=key_of("rank"), ending=".sms"), [
        Contender("SparseRREF", sparse, printed(r"(?m)^rank: (\d+)")),
        Contender("FLINT", [tools.drivers / "flint_driver", "qrref", "{file}", "{out}"], key_of("rank"), dense=True),
    ]


def modular_rref(tools):
    sparse = [tools.sparserref, "{file}", "--field", "Zp", "--prime", "{p}", "--threads", "1", "--output", "{out}"]
    ours = blackfield(tools, "rref", "{file}", "-p", "{p}", "-o", "{out}.sms", read=key_of("rank"), ending=".sms")
    return ours, [Contender("SparseRREF", sparse, printed(r"(?m)^rank: (\d+)"))]


def smith(tools):
    return blackfield(tools, "smith", "{file}", read=factors), [
        Contender("LinBox valence", [tools.drivers / "linbox_answers", "smith", "{file}"], factors),
        Contender("FLINT", [tools.drivers / "flint_driver", "smith", "{file}"], factors, dense=True),
        Contender("PARI", pari("print(matsnf(A)~)"), listed, dense=True),
        Contender("GAP", gap("Print(DiagonalOfMat(NormalFormIntMat(A, 1).normal), \"\\n\");"), listed, dense=True),
    ]


def homology(tools):
    ours = blackfield(tools, "homology", "{boundaries}", "-p", "{p}", read=betti)
    return ours, [Contender("GUDHI", [tools.gudhi, "-c", GUDHI.replace("{", "{{").replace("}", "}}"), "{n}", "{p}"], gudhi_betti)]


def integral_homology(tools):
    return blackfield(tools, "homology", "{boundaries}", read=betti), []


def det(tools):
    return blackfield(tools, "det", "{file}", read=key_of("det")), [
        Contender("FLINT", [tools.drivers / "flint_driver", "det", "{file}"], key_of("det"), dense=True),
        Contender("LinBox", [tools.drivers / "linbox_answers", "det", "{file}"], key_of("det"), dense=True),
        Contender("PARI", pari('print("det: ", matdet(A))'), printed(r"det: (-?\d+)"), dense=True),
    ]


def of_polynomial(what):
    def section(tools):
        return blackfield(tools, what, "{file}", "-p", "{p}", read=polynomial), [
            Contender("LinBox", [tools.drivers / "linbox_answers", what, "{file}", "{p}"], polynomial, dense=what == "charpoly"),
            Contender("FLINT", [tools.drivers / "flint_driver", what, "{file}", "{p}"], polynomial, dense=True),
        ]

    return section


def discrete_logarithm(tools):
    ours = blackfield(tools, "kernel", "{file}", "-p", "{p}", "-o", "{out}.sms", read=key_of("dimension"), check=null(modular), ending=".sms")
    return ours, [Contender("PARI", ["gp", "-q", "-f", "{program}"], logarithms)]


class Section(NamedTuple):
    """A table: its title, what its answers are, the matrices, and the modulus where a matrix names none (0: none)."""

    title: str
    answer: str
    matrices: list
    modulus: int = 0
    complex: bool = False


SPARSE = """EX3 EX5 Franz6 G51 Trefethen_2000 YAO add20 bayer10 bcspwr10 bcsstk18_pattern bibd_14_7 bibd_17_4 bibd_49_3 can_1054 can_1072
ch6-6-b3 ch6-6-b4 ch7-6-b4 ch7-7-b3 ch7-8-b4 mat1916 memplus mk10-b3 mk11-b4 mk12-b3 n2c6-b6 n3c6-b8 rajat01 shar_te2-b2 watt_2""".split()
COMPLEXES = ["mk10", "mk11", "mk12"]
SQUARE = ["Trefethen_500", "Trefethen_2000", "mat1916", "hypercube_10", "signed-300"]
SECTIONS = {
    "kernel": Section(f"Null space mod {MODULUS}", "dimension", SPARSE, MODULUS),
    "left-kernel": Section(f"Left null space mod {MODULUS}", "dimension", SPARSE, MODULUS),
    "solve": Section(f"Solution mod {MODULUS} of one right side", "consistent", SPARSE, MODULUS),
    "rational-kernel": Section("Null space over ℚ", "dimension", ["Franz6", "mk10-b3", "bibd_49_3", "mk11-b4", "ch6-6-b4", "mk9-b3"]),
    "rational-solve": Section("Solution over ℚ of one right side", "consistent", ["Trefethen_500", "Trefethen_2000", "mat1916", "EX3", "signed-300"]),
    "rref": Section(f"Reduced echelon form mod {MODULUS}", "rank", ["ibp-4-6-2", "ibp-5-7-2", "Franz6", "mk10-b3", "bibd_49_3", "mk11-b4"], MODULUS),
    "rational-rref": Section("Reduced echelon form over ℚ", "rank", ["ibp-3-8-2", "ibp-4-6-2", "ibp-5-7-2", "Franz6", "mk10-b3", "bibd_49_3"]),
    "smith": Section(
        "Smith form",
        "prime powers in it",
        ["mk9-b3", "mk10-b3", "mk11-b4", "hypercube_8", "hypercube_9", "hypercube_10", "redheffer_1000", "Trefethen_500", "Franz6", "bibd_49_3", "mat1916"],
    ),
    "homology": Section("Homology over GF(3)", "Betti numbers", COMPLEXES, 3, complex=True),
    "integral-homology": Section("Homology over ℤ", "groups", COMPLEXES, complex=True),
    "det": Section("Determinant over ℤ", "determinant", ["Trefethen_500", "hypercube_10", "Trefethen_2000", "redheffer_2000", "signed-300"]),
    "minpoly": Section(f"Minimal polynomial mod {MODULUS}", "polynomial", SQUARE + ["EX3"], MODULUS),
    "charpoly": Section(f"Characteristic polynomial mod {MODULUS}", "polynomial", SQUARE, MODULUS),
    "logarithms": Section("A null vector for discrete logarithms", "dimension", ["relations_3000_2900_1:2^127-1", "relations_10000_9600_1:2^127-1"]),
}
CONTENDERS = {
    "kernel": kernel,
    "left-kernel": left_kernel,
    "solve": solve,
    "rational-kernel": rational_kernel,
    "rational-solve": rational_solve,
    "rref": modular_rref,
    "rational-rref": rational_rref,
    "smith": smith,
    "homology": homology,
    "integral-homology": integral_homology,
    "det": det,
    "minpoly": of_polynomial("minpoly"),
    "charpoly": of_polynomial("charpoly"),
    "logarithms": discrete_logarithm,
}
