"""Checkpoints: runs that were killed, and states that somebody changed."""

import json
import signal

import mutate
from check_permanents import judge_permanents, rank_one_sum
from matrices import Matrix

GRAY = ("--method", "gray", "--checkpoint", "state", "--checkpoint-interval", "0.01", "--json", "-q")


STATES = ("--checkpoint", "states", "--checkpoint-interval", "0")
ANSWERS = (
    ("det",),
    ("det", "--proven"),
    ("smith",),
    ("minpoly", "-p", "65521", "--proven"),
    ("charpoly", "-p", "65521"),
    ("rank", "--rational", "--proven", "-p", "2,3"),
    ("rank", "-p", "65521", "--method", "wiedemann"),
)


def dense(bench, rng):
    """A full matrix whose Gray-code sum takes some tenths of a second, and its permanent: a diagonal plus rank one, in closed form, which the
    program sums by residues; or a 0-1 matrix of density one half, which it sums over the integers, by a run that nobody disturbs."""
    if rng.random() < 0.5:
        n = rng.randint(30, 32)
        matrix = Matrix(n, n, [(i, j, 1) for i in range(n) for j in range(n) if rng.getrandbits(1)])
        bench.store("a.sms", matrix)
        bench.truth.count("an undisturbed run")
        return matrix, int(bench.run("permanent", "a.sms", "--method", "gray", "--json", "-q").json()["permanent"])
    n, size = rng.randint(26, 27), rng.choice((1, 1, 2, 2, 9))
    draw = lambda: rng.choice((-1, 1)) * rng.randint(1, size)
    u, v, d = ([draw() for _ in range(n)] for _ in range(3))
    bench.truth.count("closed form")
    return Matrix.dense([[a * b + (d[i] if i == j else 0) for j, b in enumerate(v)] for i, a in enumerate(u)]), rank_one_sum(u, v, d)


def interrupted(bench, rng, matrix, name="a.sms"):
    """Kills a run at moments of chance until it leaves a state; whether there is one."""
    bench.store(name, matrix)
    threads = rng.choice((1, 2))
    for wait in (rng.uniform(0.03, 0.3), 0.1, 0.2):
        stop = rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        ending = bench.run("permanent", name, *GRAY, "--threads", threads, kill=(wait, stop))
        if ending.code == 0 or (bench.folder / "state").exists():
            break
    return (bench.folder / "state").exists()


def resumed(bench, rng):
    """A run that was killed at any moment, and perhaps again, ends with the right permanent when it is resumed, and removes its state."""
    matrix, truth = dense(bench, rng)
    for _ in range(rng.randint(1, 3)):
        interrupted(bench, rng, matrix)
    judge_permanents(bench, bench.run("permanent", "a.sms", *GRAY), [truth])
    bench.count("checkpoints resumed")
    if (bench.folder / "state").exists():
        raise bench.complaint("state left behind", "no state after the end", "a file")


def changed(rng, data):
    """A state that is as well formed as the true one, with another number in it."""
    try:
        state = json.loads(data)
    except ValueError:
        return mutate.number(rng, data)
    places = []

    def walk(value, put):
        if isinstance(value, dict):
            for key in value:
                walk(value[key], lambda new, value=value, key=key: value.__setitem__(key, new))
        elif isinstance(value, list):
            for k, one in enumerate(value):
                walk(one, lambda new, value=value, k=k: value.__setitem__(k, new))
        elif isinstance(value, int) and not isinstance(value, bool):
            places.append(lambda: put(max(0, value + rng.choice((-1, 1, 16)))))
        elif isinstance(value, str) and value.lstrip("-").isdigit():
            # A sum has low bits that must be 0: powers of 2 pass them.
            places.append(lambda: put(str(int(value) + rng.choice((-1, 1)) * (1 << rng.choice((0, 1, 16, 30, 40, 50))))))

    walk(state, None)
    if not places:
        return mutate.number(rng, data)
    rng.choice(places)()
    return json.dumps(state, indent=2).encode()


def damaged(bench, rng):
    """A checkpoint that was damaged, changed or is another matrix's is refused with exit code 3, or the permanent comes out right all the
    same: never another number."""
    matrix, truth = dense(bench, rng)
    if not interrupted(bench, rng, matrix):
        return bench.skip("checkpoints: the run was over before it wrote one")
    data = (bench.folder / "state").read_bytes()
    way = rng.choice(("change", "change", "bytes", "text", "foreign"))
    if way == "foreign":
        other = Matrix(matrix.rows, matrix.cols, matrix.entries[:-1] + [(matrix.rows - 1, matrix.cols - 1, 12)])
        (bench.folder / "state").unlink()
        if not interrupted(bench, rng, other, "b.sms"):
            return bench.skip("checkpoints: the run was over before it wrote one")
    else:
        bad = changed(rng, data) if way == "change" else mutate.some(rng, data, mutate.BINARY if way == "bytes" else mutate.TEXT)
        bench.write("state", bad)
    kept = bench.write("state.before", (bench.folder / "state").read_bytes())
    ending = bench.run("permanent", "a.sms", *GRAY, codes=(0, 3))
    bench.count("checkpoints damaged")
    if ending.code == 0:
        bench.commands[-1] += f"   # the state it began with is kept as {kept}"
        judge_permanents(bench, ending, [truth])


def answers(bench, rng):
    """Exact answers of runs that were killed at moments of chance, again and again, are those of a run that nobody disturbed, and leave no
    state; a state with a changed byte is refused with exit code 3, if it is read at all."""
    n = rng.randint(40, 120)
    command, *options = rng.choice(ANSWERS)
    share = rng.choice((0.05, 0.3, 0.9))
    draw = lambda: rng.choice((-1, 1)) * rng.choice((1, 2, 2, 3, 4, 6, 9))
    bench.store("a.sms", Matrix(n, n, [(i, j, draw()) for i in range(n) for j in range(n) if rng.random() < share]))
    truth = bench.run(command, "a.sms", *options, "-q").out
    folder, words = bench.folder / "states", (command, "a.sms", *options, *STATES, "-q")
    for _ in range(rng.randint(1, 4)):
        stop = rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        bench.run(*words, "--threads", rng.choice((1, 2)), kill=(rng.uniform(0.005, 0.2), stop))
    states = sorted(folder.glob("*.state"))
    if states and rng.random() < 0.3:
        data = bytearray(states[0].read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        states[0].write_bytes(data)
        if bench.run(*words, codes=(0, 3)).code == 3:
            bench.count("checkpoints of answers damaged")
            states[0].unlink()
    found = bench.run(*words).out
    bench.count("checkpoints of answers resumed")
    if found != truth:
        raise bench.complaint("wrong answer after a kill", truth[:200], found[:200])
    if any(folder.glob("*.state")):
        raise bench.complaint("state left behind", "no state after the end", "a file")
