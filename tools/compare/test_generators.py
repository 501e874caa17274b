"""Tests of the generated matrices."""

import random
import unittest

import generators
from fakes import Workshop


def read(path):
    lines = path.read_text().splitlines()
    rows, cols, kind = lines[0].split()
    entries = [tuple(map(int, line.split())) for line in lines[1:-1]]
    return int(rows), int(cols), kind, entries, lines[-1]


def signs_and_orders(a, b, c):
    """The terms of a determinant of three rows: sign and order."""
    return [(1, (a, b, c)), (1, (b, c, a)), (1, (c, a, b)), (-1, (a, c, b)), (-1, (b, a, c)), (-1, (c, b, a))]


class Generators(Workshop):
    def test_same_name_same_file(self):
        first = generators.generate("random-50-4", self.folder)
        text = first.read_bytes()
        first.unlink()
        self.assertEqual(generators.generate("random-50-4", self.folder).read_bytes(), text)
        self.assertNotEqual(text.split(b"\n", 1)[1], generators.generate("random-50-5", self.folder).read_bytes().split(b"\n", 1)[1])

    def test_random_has_so_many_entries_a_row(self):
        rows, cols, kind, entries, last = read(generators.generate("random-30-7", self.folder))
        self.assertEqual((rows, cols, kind, last), (30, 30, "M", "0 0 0"))
        self.assertEqual([sum(1 for i, _, _ in entries if i == row) for row in range(1, 31)], [7] * 30)
        self.assertEqual(len({(i, j) for i, j, _ in entries}), 210)
        self.assertTrue(all(1 <= j <= 30 and 0 < abs(v) < 100 for _, j, v in entries))

    def entries(self, name):
        rows, cols, _, entries, _ = read(generators.generate(name, self.folder))
        self.assertEqual(len({(i, j) for i, j, _ in entries}), len(entries), name)
        self.assertTrue(all(1 <= i <= rows and 1 <= j <= cols and 0 < v < 65521 for i, j, v in entries), name)
        return rows, cols, entries

    def test_blocks_are_full_and_shuffled(self):
        rows, cols, entries = self.entries("blocks-23-5")
        lines = [frozenset(j for i, j, _ in entries if i == row) for row in range(1, rows + 1)]
        # Rows of a block share its columns, and nobody else has them: four blocks of five and one of three.
        self.assertEqual((rows, cols, sorted(map(len, lines))), (23, 23, [3] * 3 + [5] * 20))
        self.assertEqual(sorted(map(len, set(lines))), [3, 5, 5, 5, 5])
        self.assertEqual(sum(map(len, set(lines))), 23)
        self.assertNotEqual(lines, sorted(lines, key=min))

    def test_a_full_column_on_a_triangle(self):
        rows, cols, entries = self.entries("column-30")
        self.assertEqual((rows, cols), (30, 30))
        self.assertEqual({i for i, j, _ in entries if j == 30}, set(range(1, 31)))
        self.assertTrue(all(j >= i and v == 1 for i, j, v in entries) and {(i, i, 1) for i in range(1, 31)} <= set(entries))

    def test_three_diagonals_shuffled(self):
        rows, cols, entries = self.entries("shuffled-30")
        self.assertEqual((rows, cols, len(entries)), (30, 30, 88))
        for side in (0, 1):
            weights = sorted(sum(1 for entry in entries if entry[side] == line) for line in range(1, 31))
            self.assertEqual(weights, [2, 2] + [3] * 28)
        self.assertTrue(any(abs(i - j) > 1 for i, j, _ in entries))

    def test_a_full_corner_on_a_sparse_rest(self):
        rows, cols, entries = self.entries("corner-40-6")
        self.assertEqual((rows, cols), (40, 40))
        self.assertLessEqual({(i, j) for i in range(1, 7) for j in range(1, 7)}, {(i, j) for i, j, _ in entries})
        self.assertTrue(all(sum(1 for i, _, _ in entries if i == row) == 3 for row in range(7, 41)))

    def test_product_is_the_product(self):
        rng = random.Random(1)
        left, right = generators.sparse_rows(rng, 9, 5, 3), generators.sparse_rows(rng, 5, 9, 3)
        for row, product in zip(left, generators.multiply(left, right)):
            direct = [sum(row.get(k, 0) * right[k].get(j, 0) for k in range(5)) for j in range(9)]
            self.assertEqual([product.get(j, 0) for j in range(9)], direct)
            self.assertNotIn(0, product.values())

    def test_product_has_the_rank_of_its_inner_size(self):
        rows, _, _, entries, _ = read(generators.generate("product-12-4-2", self.folder))
        matrix = [[0] * 12 for _ in range(rows)]
        for i, j, v in entries:
            matrix[i - 1][j - 1] = v
        p, rank = 65521, 0
        for col in range(12):
            pivot = next((r for r in range(rank, 12) if matrix[r][col] % p), None)
            if pivot is None:
                continue
            matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
            for r in range(rank + 1, 12):
                factor = matrix[r][col] * pow(matrix[rank][col], -1, p) % p
                matrix[r] = [(x - factor * y) % p for x, y in zip(matrix[r], matrix[rank])]
            rank += 1
        self.assertTrue(1 < rank <= 4, rank)

    def test_planted_ranks_are_what_the_name_says(self):
        shapes = ((30, 20, 12, ""), (20, 30, 20, ""), (9, 9, 9, ""), (5, 4, 0, ""), (7, 1, 1, ""), (30, 20, 12, "-4-5"), (9, 9, 9, "-1-1"))
        for rows, cols, rank, entries in shapes:
            m, n, kind, entries, _ = read(generators.generate(f"planted-{rows}-{cols}-{rank}-1{entries}", self.folder))
            self.assertEqual((m, n, kind, len({(i, j) for i, j, _ in entries})), (rows, cols, "M", len(entries)))
            dense = [[0] * cols for _ in range(rows)]
            for i, j, v in entries:
                self.assertTrue(v != 0 and abs(v) <= 5)
                dense[i - 1][j - 1] = v
            found, left = 0, [row for row in dense if any(row)]
            while left:
                pivot = left.pop()
                at = next(j for j, v in enumerate(pivot) if v)
                inverse = pow(pivot[at], -1, 65521)
                left = [[(x - row[at] * inverse * y) % 65521 for x, y in zip(row, pivot)] for row in left]
                left, found = [row for row in left if any(row)], found + 1
            self.assertEqual(found, rank)
        self.assertIsNone(generators.generate("planted-3-4-5-1", self.folder))

    def test_full_tall_and_filled_ones(self):
        rows, cols, _, entries, _ = read(generators.generate("full-9-7", self.folder))
        self.assertEqual((rows, cols), (9, 7))
        self.assertTrue(60 < len(entries) <= 63 and all(0 < v < 65521 for _, _, v in entries))
        rows, cols, _, entries, _ = read(generators.generate("full-9-8-2", self.folder))
        line = lambda i: {j: v for r, j, v in entries if r == i}
        a, b = line(1), line(2)
        for i in range(3, 10):
            c = line(i)
            minors = [sum(s * x.get(j, 0) * y.get(k, 0) * z.get(m, 0) for s, (x, y, z) in signs_and_orders(a, b, c)) for j, k, m in ((1, 2, 3), (4, 5, 6), (2, 5, 8))]
            self.assertEqual([minor % 65521 for minor in minors], [0, 0, 0])
        rows, cols, _, entries, _ = read(generators.generate("tenth-50", self.folder))
        self.assertTrue((rows, cols) == (50, 50) and 150 < len(entries) < 350)
        rows, cols, _, entries, _ = read(generators.generate("tall-40-6-3", self.folder))
        self.assertEqual((rows, cols, len(set((i, j) for i, j, _ in entries))), (40, 6, 120))

    def test_macaulay_rows_are_multiples(self):
        rows, cols, _, entries, _ = read(generators.generate("macaulay-3-3", self.folder))
        # Three quadrics times three variables; ten cubics in three variables, six terms a row.
        self.assertEqual((rows, cols, len(entries)), (9, 10, 54))
        values = lambda i: sorted(v for r, _, v in entries if r == i)
        self.assertEqual([values(1), values(4)], [values(3), values(6)])

    def test_dense_is_full(self):
        rows, _, _, entries, _ = read(generators.generate("dense-40", self.folder))
        self.assertTrue(1590 < len(entries) <= 1600)
        self.assertTrue(all(0 < v < 65536 for _, _, v in entries))

    def test_dense_with_signs_and_one_heavy_row(self):
        rows, cols, _, entries, _ = read(generators.generate("signed-20", self.folder))
        self.assertEqual((rows, cols), (20, 20))
        self.assertTrue(390 < len(entries) <= 400 and all(0 < abs(v) < 100 for _, _, v in entries))
        self.assertTrue(min(v for _, _, v in entries) < -50)
        _, _, _, entries, _ = read(generators.generate("heavy-20-3", self.folder))
        self.assertEqual(sorted(sum(i == row for i, _, _ in entries) for row in range(1, 21)), [3] * 19 + [20])

    def test_relations_by_integration_by_parts(self):
        # One propagator of mass 2: (97 - 89a) I(a) - 89a (4 I(a+1) + I(a)) = 0 for a = 1, 2, written from I(3) down to I(1).
        cols, rows = generators.ibp_rows(1, 2, 0)
        self.assertEqual((cols, rows), (3, [[(0, -712), (1, 97 - 178 - 178)], [(1, -356), (2, 97 - 89 - 89)]]))
        # Two: all weights of seeds, and every integral of a relation has at most one more dot or numerator.
        seeds = generators.ibp_seeds(2, 1, 1)
        self.assertEqual(sorted(seeds), [(-1, 1), (0, 1), (1, -1), (1, 0)])
        cols, rows = generators.ibp_rows(2, 1, 1)
        self.assertEqual((cols, len(rows)), (len(generators.ibp_seeds(2, 2, 2)), 8))

    def test_other_names_are_not_ours(self):
        self.assertIsNone(generators.generate("ch7-8-b4", self.folder))


if __name__ == "__main__":
    unittest.main()
