"""Tests of the hafnians' table; no rival needed."""

import unittest

import matchings_table


class Parts(unittest.TestCase):
    def test_graphs_are_the_same_for_the_same_seed(self):
        edges = matchings_table.graph(12, 1)
        self.assertEqual(edges, matchings_table.graph(12, 1))
        self.assertNotEqual(edges, matchings_table.graph(12, 2))
        self.assertTrue(all(0 <= v < w < 12 for v, w in edges) and 15 < len(edges) < 51)

    def test_files_have_both_halves(self):
        self.assertEqual(matchings_table.sms(3, [(0, 2)]), "3 3 M\n1 3 1\n3 1 1\n0 0 0\n")

    def test_nine_digits_decide(self):
        self.assertTrue(matchings_table.agree(10**20, 1e20 * (1 + 1e-12)) and matchings_table.agree(0, 1e-10))
        self.assertFalse(matchings_table.agree(10**20, 1.00001e20) or matchings_table.agree(3, 4.0))


if __name__ == "__main__":
    unittest.main()
