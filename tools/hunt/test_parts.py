"""Tests of what the hunt is made of: oracles against each other, the small reader, the shrinker, the generator worked out again."""

import gzip
import random
import struct
import time
import unittest

import attacks
import chacha
import check_matchings
import check_permanents
import check_rational
import families
import mutate
import primes
import reader
import shortfall
import shrink
import truth
from matrices import FORMATS, Matrix, boeing, market, market_array, sms


class Oracles(unittest.TestCase):
    def setUp(self):
        self.rng = random.Random(1)

    def small(self, count, most=7):
        for _ in range(count):
            yield families.transformed(self.rng, self.rng.choice(families.FAMILIES)(self.rng, *families.shape(self.rng, most)))

    def test_ranks_agree(self):
        for a in self.small(150):
            over_q = truth.rank_rational(a)
            by_primes = [truth.rank_mod(a, p) for p in primes.EDGES]
            self.assertEqual(max(by_primes), over_q, a.entries)
            self.assertEqual([truth.rank_mod(a.transposed(), p) for p in primes.EDGES], by_primes)

    @unittest.skipIf(truth.flint is None, "python-flint is not installed")
    def test_ranks_agree_with_flint(self):
        for a in self.small(100, 12):
            for p in primes.EDGES:
                self.assertEqual(truth.rank_mod(a, p), truth.rank_mod_flint(a, p))
            self.assertEqual(truth.rank_rational(a), truth.rank_rational_flint(a))

    def test_known_ranks(self):
        for rows, cols in ((0, 0), (0, 3), (3, 0)):
            self.assertEqual(truth.rank_mod(Matrix(rows, cols, []), 2), 0)
            self.assertEqual(truth.rank_rational(Matrix(rows, cols, [])), 0)
        a = families.smith(self.rng, 5, 7, [1, 2, 6, 30])
        self.assertEqual([truth.rank_mod(a, p) for p in (2, 3, 5, 7)], [1, 2, 3, 4])
        twice = Matrix(1, 1, [(0, 0, 5), (0, 0, -5), (0, 0, 0)])
        self.assertEqual(truth.rank_mod(twice, 7), 0)

    def test_permanents_agree(self):
        for _ in range(40):
            a = check_permanents.any_square(self.rng)
            self.assertEqual(truth.permanent(a), truth.permanent_ryser(a))
            if truth.flint_library() is not None and a.rows >= 4 and all(abs(v) < 1 << 40 for _, _, v in a.entries):
                self.assertEqual(truth.permanent(a), truth.permanent_flint(a))
        self.assertEqual(truth.permanent(Matrix(0, 0, [])), 1)

    def test_matchings_agree_with_permanents_and_closed_forms(self):
        for _ in range(40):
            a = check_permanents.any_square(self.rng)
            if a.rows <= 6:
                both = [(i, a.rows + j, v) for i, j, v in a.entries]
                self.assertEqual(truth.matchings(Matrix(2 * a.rows, 2 * a.rows, both))[a.rows], truth.permanent(a))
        for _ in range(30):
            n, edges, value = self.rng.choice(check_matchings.CLOSED)(self.rng)
            if n <= 12:
                graph = Matrix(n, n, [(v, w, 1) for v, w in edges])
                self.assertEqual(truth.matchings(graph)[n // 2], value)
        self.assertEqual(truth.matchings(Matrix(0, 0, [])), [1])
        self.assertEqual(truth.matchings(Matrix(3, 3, [(0, 1, 5), (1, 2, -1)])), [1, 4])

    def test_closed_forms(self):
        seen = set()
        while len(seen) < 5:
            maker = self.rng.choice(check_permanents.CLOSED)
            a, value = maker(self.rng)
            if a.rows <= 11:
                self.assertEqual(truth.permanent(a), value, maker.__name__)
                seen.add(maker)

    def test_oracles_that_differ_are_told(self):
        oracles, a = truth.Truth(), Matrix(2, 2, [(0, 0, 1)])
        oracles.flint = True
        wrong = lambda matrix: 7
        with self.assertRaises(truth.Differ):
            oracles.choose(a, truth.rank_rational, wrong)

    def test_primes(self):
        sieve = [n for n in range(2, 2000) if all(n % d for d in range(2, int(n**0.5) + 1))]
        self.assertEqual([n for n in range(2000) if primes.is_prime(n)], sieve)
        known = [251, 257, 65521, 65537, 2**26 - 5, 2**26 + 15, 2**31 - 1, 2**32 - 5, 2**32 + 15, 2**50 - 27, 2**50 + 55, 2**61 - 1, 2**63 - 25]
        self.assertEqual([p for p in known if p not in primes.EDGES], [])
        for _ in range(50):
            self.assertTrue(all(primes.is_prime(p) and p < 2**63 for p in primes.some(self.rng, 5)))


class Reader(unittest.TestCase):
    def test_every_format_that_it_knows(self):
        rng = random.Random(2)
        for _ in range(100):
            a = families.transformed(rng, families.scattered(rng, *families.shape(rng, 5)))
            for write in (sms, market, lambda a: market(a, "real"), market_array, lambda a: gzip.compress(sms(a))):
                rows, cols, entries = reader.read(write(a))
                kept = {at: v for at, v in entries.items() if v}
                self.assertEqual((rows, cols), (a.rows, a.cols))
                self.assertEqual(kept, {(i, j): v for i, line in enumerate(a.lines()) for j, v in line.items()})

    def test_spellings(self):
        for text, number in (("+7", 7), ("1.0", 1), ("-2.50e1", -25), ("1200e-2", 12), (".5e1", 5), ("5.", 5)):
            self.assertEqual(reader.read(f"1 1 M\n1 1 {text}\n0 0 0\n".encode())[2], {(0, 0): number})
        symmetric = b"%%MatrixMarket matrix coordinate integer symmetric\n% x\n\n2 2 2\n1 1 3\n2 1 4\n"
        self.assertEqual(reader.read(symmetric)[2], {(0, 0): 3, (1, 0): 4, (0, 1): 4})

    def test_bad_files(self):
        good = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 3\n"
        bad = ["1 1 M\n1 1 1\n", "1 1 M\n2 1 1\n0 0 0\n", "1 1 M\n1 1 0.5\n0 0 0\n", "1 1 M\n1 1\n0 0 0\n", "1 1 M\n0 0 0\n1\n", "-1 1 M\n0 0 0\n"]
        bad += [good + "2 2 1\n", good.replace("2 2 1", "2 2 2"), good.replace("2 2 1", "2 2"), good.replace("1 1 3", "1 1 x"), good.replace("matrix", "vector", 1)]
        for text in bad:
            with self.assertRaises(reader.Bad, msg=text):
                reader.read(text.encode())
        with self.assertRaises(reader.Bad):
            reader.read(gzip.compress(b"1 1 M\n0 0 0\n")[:-3])
        for text in ("hello", "1 1 M\n1 1 1\r2\n0 0 0\n", "1 1 C\n0 0 0\n"):
            with self.assertRaises(reader.Unsure, msg=text):
                reader.read(text.encode())

    def test_harwell_boeing_has_cards_of_its_widths(self):
        lines = boeing(Matrix(2, 3, [(0, 0, 5), (1, 2, -70)])).decode().splitlines()
        self.assertEqual([len(line) for line in lines[:3]], [76, 70, 70])
        self.assertEqual(" ".join(lines[4:]).split(), ["1", "2", "2", "3", "1", "2", "5.", "-70."])
        self.assertEqual(len(FORMATS), 7)


class Shrinker(unittest.TestCase):
    def test_down_to_what_matters(self):
        rng = random.Random(3)
        a = Matrix(20, 30, [(rng.randrange(20), rng.randrange(30), rng.randint(2, 99)) for _ in range(100)] + [(7, 11, 12345)])
        still = lambda b: any(v > 10000 for _, _, v in b.entries)
        b = shrink.shrink(a, still, time.monotonic() + 20, shrink.matrices)
        self.assertEqual((b.rows, b.cols, len(b.entries)), (1, 1, 1))
        self.assertTrue(10000 < b.entries[0][2] <= 20001)

    def test_squares_stay_square(self):
        a = Matrix(6, 6, [(i, j, 3) for i in range(6) for j in range(6)])
        still = lambda b: b.rows == b.cols and sum(1 for i, j, v in b.entries if i == j) >= 2
        b = shrink.shrink(a, still, time.monotonic() + 20, shrink.squares)
        self.assertEqual((b.rows, sorted(b.entries)), (2, [(0, 0, 1), (1, 1, 1)]))

    def test_texts_and_lists(self):
        text = shrink.shrink(b"a\nbc\nneedle\nd\n", lambda data: b"needle" in data, time.monotonic() + 20, shrink.texts)
        self.assertEqual(text, b"needle")
        lists = shrink.several(lambda n: [n // 2] if n else [])
        self.assertEqual(shrink.shrink([9, 40, 3], lambda ns: max(ns) > 8, time.monotonic() + 20, lists), [10])

    def test_time_is_kept(self):
        start = time.monotonic()
        slow = lambda _: time.sleep(0.05) or True
        shrink.shrink(Matrix(40, 40, [(i, i, 2) for i in range(40)]), slow, start + 0.3, shrink.matrices)
        self.assertLess(time.monotonic() - start, 5)


class Generator(unittest.TestCase):
    def test_published_key_stream(self):
        words = struct.pack("<16I", *chacha.block(bytes(32), 0, 0))
        self.assertTrue(words.hex().startswith("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"))

    def test_residues_are_even(self):
        stream, counts = chacha.Stream(1), [0] * 7
        for _ in range(7000):
            counts[stream.below(7)] += 1
        self.assertTrue(all(850 < n < 1150 for n in counts), counts)

    def test_missed_columns_are_missed(self):
        rng, p, rows = random.Random(4), 65521, 120
        vectors = attacks.combinations(rows, p, 1)
        self.assertEqual(len(vectors), 80)
        column = attacks.missed_column(rng, vectors, rows, p)
        self.assertTrue(any(column))
        self.assertEqual({sum(a * b for a, b in zip(y, column)) % p for y in vectors}, {0})


class Rest(unittest.TestCase):
    def test_tails(self):
        self.assertEqual(shortfall.tail(0, 0.1), 1.0)
        self.assertAlmostEqual(shortfall.tail(1, 0.001), 0.001, delta=1e-5)
        self.assertLess(shortfall.tail(5, 0.01), 1e-11)
        self.assertEqual(shortfall.tail(3, 9.0), 1.0)
        falls = shortfall.Falls()
        self.assertEqual([falls.add("a", 1e-5, k >= 2) for k in range(5)], [False, False, True, False, False])
        falls.add("b", 1e-5, False)
        self.assertEqual([alarm[0] for alarm in falls.alarms()], ["a"])
        answer = {"modulus": 65521, "rank": 100, "wiedemann": {"extension_degree": 1, "block": 4}}
        self.assertAlmostEqual(shortfall.promised(answer), 1 / 65521)
        self.assertAlmostEqual(shortfall.promised(answer, 50), 50 / 65521)
        # Pairs of equal eigenvalues, r²/2q of them, are too many for one column and no matter for two.
        answer = {"modulus": 65521, "rank": 200, "wiedemann": {"extension_degree": 1, "block": 1}}
        self.assertAlmostEqual(shortfall.promised(answer), (200**2 / 2 + 1) / 65521, delta=1e-3)
        self.assertLess(shortfall.promised({**answer, "wiedemann": {"extension_degree": 1, "block": 2}}), 1e-3)
        self.assertEqual(shortfall.promised({**answer, "rank": 3000}), 1)

    def test_enough_primes_are_no_chance(self):
        # Of rank 1, entries of 40 bits behind contents of 100: minors of order 2 have at most 81 bits, those of order 3 hundreds.
        lines = [[(1 << 100) * ((1 << 39) + i + j) for j in range(3)] for i in range(3)]
        matrix = Matrix.dense(lines)
        self.assertLess(check_rational.minor_bits(matrix, 2), 83)
        self.assertGreater(check_rational.minor_bits(matrix, 3), 110)
        drawn = [{"modulus": modulus} for modulus in (65521, 65519, 65497, 65479, 65449, 65447, 65437, 65423)]
        answer = {"rank": 1, "minor_bits": 400.0, "random_primes": drawn}
        self.assertFalse(check_rational.by_chance(matrix, answer))
        self.assertTrue(check_rational.by_chance(matrix, {**answer, "rank": 2, "random_primes": [{"modulus": 2 + k} for k in range(8)]}))

    def test_mutations_keep_on_and_do_something(self):
        rng, data = random.Random(5), sms(Matrix(3, 3, [(0, 1, 5), (2, 2, -1)]))
        changed = sum(mutate.some(rng, data, mutate.TEXT) != data for _ in range(300))
        self.assertGreater(changed, 250)
        for ways in (mutate.TEXT, mutate.BINARY):
            for way in ways:
                for some in (b"", b"\n", b"x", data):
                    self.assertIsInstance(way(rng, some), bytes)


if __name__ == "__main__":
    unittest.main()
