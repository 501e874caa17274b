"""The program's random numbers, worked out again: who knows the seed knows them, and that is what the attacks with a known seed use.

ChaCha20 as D. J. Bernstein published it (64-bit block counter, 64-bit stream number); the key from a 64-bit seed and the integers below a
bound as the Rust crates rand_core 0.10 and rand 0.10 document them; SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
"""

import struct

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1


def key_from_seed(seed):
    """32 bytes by PCG32, as `SeedableRng::seed_from_u64`."""
    words, state = [], seed & MASK64
    for _ in range(8):
        state = (state * 0x5851F42D4C957F2D + 0xA17654E46FBE17F3) & MASK64
        word = ((state >> 18 ^ state) >> 27) & MASK32
        turn = state >> 59
        words.append((word >> turn | word << (32 - turn)) & MASK32)
    return struct.pack("<8I", *words)


def block(key, counter, stream):
    """The 16 words of a block of the key stream."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key)]
    start += [counter & MASK32, counter >> 32, stream & MASK32, stream >> 32]
    x = list(start)
    for _ in range(10):
        for a, b, c, d in ROUNDS:
            p, q, r, s = x[a], x[b], x[c], x[d]
            p = p + q & MASK32
            s ^= p
            s = (s << 16 | s >> 16) & MASK32
            r = r + s & MASK32
            q ^= r
            q = (q << 12 | q >> 20) & MASK32
            p = p + q & MASK32
            s ^= p
            s = (s << 8 | s >> 24) & MASK32
            r = r + s & MASK32
            q ^= r
            x[a], x[b], x[c], x[d] = p, (q << 7 | q >> 25) & MASK32, r, s
    return [u + v & MASK32 for u, v in zip(x, start)]


ROUNDS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


class Stream:
    """The generator of a seed, on one of its streams."""

    def __init__(self, seed, stream=0):
        self.key, self.stream, self.counter, self.words = key_from_seed(seed), stream, 0, []

    def u32(self):
        if not self.words:
            self.words = block(self.key, self.counter, self.stream)[::-1]
            self.counter += 1
        return self.words.pop()

    def u64(self):
        low = self.u32()
        return low | self.u32() << 32

    def below(self, n):
        """`random_range(0..n)` of 32-bit integers: widening multiplication, once corrected."""
        result, low = divmod(self.u32() * n, 1 << 32)
        if low > (1 << 32) - n:
            result += low + (self.u32() * n >> 32) > MASK32
        return result


def split_mix(state, count):
    """The first `count` bytes."""
    out = bytearray()
    while len(out) < count:
        state = state + 0x9E3779B97F4A7C15 & MASK64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
        out += (z ^ z >> 31).to_bytes(8, "little")
    return bytes(out[:count])
