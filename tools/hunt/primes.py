"""Moduli at the edge of every arithmetic: the smallest primes, and those beside each power of two where a word, a lane or a delay budget ends."""


def is_prime(n):
    """Miller-Rabin with the twelve bases that suffice below 2^64 (Sorenson, Webster 2017)."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % b == 0 for b in bases):
        return n in bases
    s = (n - 1 & 1 - n).bit_length() - 1
    for b in bases:
        x = pow(b, n - 1 >> s, n)
        if x != 1 and not any(pow(x, 1 << k, n) == n - 1 for k in range(s)):
            return False
    return True


def above(n):
    """The least prime beyond n."""
    n += 1
    while not is_prime(n):
        n += 1
    return n


def below(n):
    """The largest prime below n > 2."""
    n -= 1
    while not is_prime(n):
        n -= 1
    return n


# 2^b: 8 and 16 end lanes, 24 and 53 the mantissas of floating point, 26 and 32 products of two residues in double precision and in 64
# bits, 31 and 63 signed words, 50 the limbs of floating-point arithmetic, 61 a Mersenne prime.
EDGES = sorted(
    {2, 3, 5, 7, 11, 13, 127, 257, 65537, 2**31 - 1, 2**61 - 1, below(2**63)}
    | {near(2**b) for b in (8, 12, 15, 16, 24, 26, 31, 32, 50, 53, 62) for near in (below, above)}
)


# Beyond a word: where limbs of 64 bits end, with their highest bit free or not, Mersenne primes, and more than nine limbs.
LARGE = (2**63 + 29, 2**64 - 59, 2**64 + 13, 2**89 - 1, 2**127 - 1, 2**128 - 159, 2**521 - 1, 2**607 - 1, 2**1279 - 1)


def one(rng):
    """A modulus of any size."""
    return rng.choice(LARGE) if rng.random() < 0.3 else some(rng, 1)[0]


def some(rng, most):
    """Up to `most` moduli: edges of all sizes, and now and then any prime at all."""
    chosen = set(rng.sample(EDGES, rng.randint(1, min(most, len(EDGES)))))
    if rng.random() < 0.3:
        chosen.add(below(rng.randrange(3, 1 << rng.randint(2, 63)) + 1))
    return sorted(chosen)
