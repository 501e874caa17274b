"""Tests of the theorems and of the generated 0–1 matrices: each against the sum over permutations."""

import unittest

import generators
import oracles
from fakes import Workshop


def permanent(rows):
    """By rows, with memory of the columns used."""
    sums = {0: 1}
    for row in rows:
        longer = {}
        for used, count in sums.items():
            for j in range(row.bit_length()):
                if row >> j & 1 and not used >> j & 1:
                    longer[used | 1 << j] = longer.get(used | 1 << j, 0) + count
        sums = longer
    return sum(sums.values())


class Oracles(Workshop):
    def rows(self, name):
        return oracles.read_pattern(generators.generate(name, self.folder))

    def test_theorems(self):
        for name in "dominoes-1-2 dominoes-3-4 dominoes-5-4 dominoes-4-4 band-3-1 band-5-2 band-9-1 band-10-3 band-12-2".split():
            self.assertEqual(oracles.by_theorem(name), permanent(self.rows(name)), name)
        self.assertEqual(oracles.domino_tilings(8, 8), 12988816)
        self.assertEqual(oracles.domino_tilings(7, 8), oracles.domino_tilings(8, 7))
        self.assertIsNone(oracles.by_theorem("half-8-1"))

    def test_determinants(self):
        self.assertEqual(oracles.determinant([[0, 2, 1], [3, 0, 4], [5, 6, 0]]), 2 * 4 * 5 + 1 * 3 * 6)
        self.assertEqual(oracles.determinant([[1, 2], [2, 4]]), 0)
        self.assertEqual(oracles.determinant([]), 1)

    def test_parity(self):
        found = set()
        for seed in range(20):
            rows = self.rows(f"half-7-{seed}")
            self.assertEqual(oracles.parity(rows), permanent(rows) % 2)
            found.add(oracles.parity(rows))
        self.assertEqual(found, {0, 1})

    def test_patterns_of_both_formats(self):
        expected = [0b011, 0b101, 0b010]
        sms = self.folder / "a.sms"
        sms.write_text("3 3 M\n1 1 -2\n1 2 1\n2 1 7\n2 3 4\n3 2 1\n3 3 0\n0 0 0\n")
        market = self.folder / "a.mtx"
        market.write_text("%%MatrixMarket matrix coordinate real symmetric\n% words\n3 3 4\n1 1 0.5\n2 1 1e-9\n3 2 4\n3 3 0.0\n")
        self.assertEqual(oracles.read_pattern(sms), expected)
        self.assertEqual(oracles.read_pattern(market), expected)

    def test_regular_matrices(self):
        for n, degree in ((20, 3), (15, 4), (5, 5)):
            rows = self.rows(f"regular-{n}-{degree}-1")
            self.assertEqual({bin(row).count("1") for row in rows}, {degree})
            self.assertEqual({sum(row >> j & 1 for row in rows) for j in range(n)}, {degree})
        self.assertNotEqual(self.rows("regular-20-3-1"), self.rows("regular-20-3-2"))

    def test_boards_and_halves(self):
        self.assertEqual(sum(bin(row).count("1") for row in self.rows("dominoes-3-4")), 3 * 3 + 2 * 4)
        self.assertIsNone(generators.generate("dominoes-3-3", self.folder))
        ones = sum(bin(row).count("1") for row in self.rows("half-40-1"))
        self.assertTrue(700 < ones < 900, ones)


if __name__ == "__main__":
    unittest.main()
