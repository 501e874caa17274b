"""Tests of the checks by multiplication, and of what makes answers comparable."""

import unittest
from fractions import Fraction

import answers_check
from answers_check import Wrong
from fakes import Workshop

P = 65521


class Checks(Workshop):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def setUp(self):
        super().setUp()
        # x + 2y + 3z = 0 twice: rank 1.
        self.matrix = self.file("a.sms", "2 3 M\n1 1 1\n1 2 2\n1 3 3\n2 1 2\n2 2 4\n2 3 6\n0 0 0\n")

    def test_null_vectors_as_columns_and_rows(self):
        columns = self.file("n.sms", "3 2 M\n1 1 -2\n2 1 1\n1 2 -3\n3 2 1\n0 0 0\n")
        rows = self.file("t.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 4\n1 1 65519\n1 2 1\n2 1 -3\n2 3 1\n")
        for p in (P, 0):
            answers_check.null_vectors(self.matrix, columns, p, 2)
        answers_check.null_vectors(self.matrix, rows, P, 2, by_rows=True)
        # -2 is 65519 mod p alone.
        with self.assertRaisesRegex(Wrong, "breaks 2 equations"):
            answers_check.null_vectors(self.matrix, rows, 0, 2, by_rows=True)
        with self.assertRaisesRegex(Wrong, "not 2 of length 3"):
            answers_check.null_vectors(self.matrix, columns, P, 2, by_rows=True)
        with self.assertRaisesRegex(Wrong, "not 1 of length 3"):
            answers_check.null_vectors(self.matrix, columns, P, 1)

    def test_every_vector_counts(self):
        one_wrong = self.file("w.sms", "3 2 M\n1 1 -2\n2 1 1\n1 2 -3\n3 2 2\n0 0 0\n")
        with self.assertRaisesRegex(Wrong, "breaks 2 equations"):
            answers_check.null_vectors(self.matrix, one_wrong, P, 2)

    def test_left_null_vectors(self):
        answers_check.null_vectors(self.matrix, self.file("l.sms", "1 2 M\n1 1 -2\n1 2 1\n0 0 0\n"), P, 1, left=True, by_rows=True)
        with self.assertRaises(Wrong):
            answers_check.null_vectors(self.matrix, self.file("k.sms", "1 2 M\n1 1 2\n1 2 1\n0 0 0\n"), P, 1, left=True, by_rows=True)

    def test_a_file_cut_short(self):
        for text in ("3 1 M\n1 1 -2\n2 1 1\n", "3 1 3\n1 1 -2\n2 1 1\n"):
            with self.assertRaisesRegex(Wrong, "ends after 2 entries"):
                answers_check.null_vectors(self.matrix, self.file("cut.sms", text), P, 1)

    def test_solutions_with_fractions(self):
        b = self.file("b.sms", "2 1 M\n1 1 1\n2 1 2\n0 0 0\n")
        third = self.file("x.sms", "3 1 Q\n3 1 1/3\n0 0 0\n")
        answers_check.solution(self.matrix, b, third, 0)
        answers_check.solution(self.matrix, b, third, P)
        answers_check.solution(self.matrix, b, self.file("y.sms", "1 3 M\n1 1 1\n0 0 0\n"), P, by_rows=True)
        with self.assertRaisesRegex(Wrong, "2 equations of 2"):
            answers_check.solution(self.matrix, b, self.file("z.sms", "3 1 Q\n3 1 1/4\n0 0 0\n"), 0)
        with self.assertRaisesRegex(Wrong, "2 equations of 2"):
            answers_check.solution(self.matrix, b, self.file("0.sms", "3 1 Q\n0 0 0\n"), 0)

    def test_right_sides_are_consistent(self):
        for p in (P, 2, 0):
            path = self.folder / f"b{p}.sms"
            answers_check.right_side(self.matrix, path, p)
            b = [0, 0]
            for i, _, value in answers_check.entries(path, p or answers_check.LARGE):
                b[i] = value
            # The second equation is the double of the first.
            self.assertEqual(b[1], 2 * b[0] % (p or answers_check.LARGE))
        self.assertTrue(all(abs(int(line.split()[2])) < 25 for line in path.read_text().splitlines()[1:-1]))

    def test_transpose(self):
        answers_check.transpose(self.matrix, self.folder / "t.sms")
        self.assertEqual((self.folder / "t.sms").read_text(), "3 2 M\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n3 1 3\n3 2 6\n0 0 0\n")

    def test_residues(self):
        for top, bottom in ((1, 3), (-7, 2), (10**30, 7), (-5, 1)):
            value = answers_check.residue(f"{top}/{bottom}", P)
            self.assertEqual(value * bottom % P, top % P, Fraction(top, bottom))


class Forms(unittest.TestCase):
    def test_prime_powers(self):
        self.assertEqual(answers_check.powers([(1, 5), (6, 2), (12, 1)]), {2: 2, 3: 3, 4: 1})
        self.assertEqual(answers_check.powers([(-3, 1)]), {3: 1})
        large = 10**20 + 39  # without primes below 1000
        self.assertEqual(answers_check.powers([(4 * large, 1)]), {4: 1, large: 1})
        self.assertEqual(answers_check.powers([(1, 9)]), {})

    def test_multiplicities(self):
        self.assertEqual(answers_check.multiplicities(["1", "-1", "2", "0", "4", "2"]), [(1, 2), (2, 2), (4, 1)])


if __name__ == "__main__":
    unittest.main()
