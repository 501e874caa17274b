// Dense permanents: Nijenhuis–Wilf's sum in Gray-code order, one state of the sum per thread.
//
// The mathematics is described in src/permanent/gray/mod.rs. A *group* is 2^DIGITS consecutive positions of the walk;
// LANES threads work on each, one for every joint state of the lane columns. A thread holds the n row values in
// registers, changes the rows of one walked column per step, and sums over all settings of the low columns by a
// straight-line program.
//
// Two headers are generated for each matrix (src/permanent/gray/cuda/source.rs):
//   problem.cuh   constants: ROWS, LANES, DIGITS, TAILS, BLOCK, RESIDENT; EXACT and perhaps SHORT; for residues WORD_BITS (64 or 32),
//                 MODULI, TABLE
//   program.cuh   for residues RINGS, a Context for each modulus, with TABLE words: 1, constants, steps; change(x, digit, up, context): a
//                 walked column; step(x, sum, context): the straight-line program
//
// Launch contract: BLOCK threads per block; in x blocks for at least groups * LANES threads, in y one for each modulus.
// For each modulus `starts` holds ROWS values per group, `lanes` ROWS values per lane; their sum is the thread's first
// state. `first` is the low half of the number of the first group. `sums` takes LIMBS words for each group and lane,
// [modulus][group][limb][lane]: the signed terms, those of the group's last position counted as +. No index depends on
// the contents of a buffer.

#include "problem.cuh"

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef EXACT

// Narrow values are 32-bit integers, wide ones integers below 2^49 in doubles: the program builder proves the bounds.
typedef int Word;
typedef short Stored;

struct Context {
    __device__ __forceinline__ Word add(Stored a, Stored b) const { return (Word)a + (Word)b; }
};

#define LIMBS 4
#define LIMB_BITS 50

// 1.5 * 2^(52 + 50 k): adding it rounds to a multiple of 2^(50 k), which then appears in the low mantissa bits.
__device__ __forceinline__ double magic(int k) {
    return __hiloint2double(((1023 + 52 + LIMB_BITS * k) << 20) | 0x80000, 0);
}

// 2^52 + 2^31 + x is assembled from bits; the subtraction is exact and avoids the slow conversion unit.
__device__ __forceinline__ double wide(int x) {
    return __dsub_rn(__hiloint2double(0x43300000, x ^ 0x80000000), 4503601774854144.0);
}

struct Pair {
    double high, low;
};

// a b - c d = high + low: `determinant` of exact.rs, whose bounds hold here line by line.
__device__ __forceinline__ Pair determinant(double a, double b, double c, double d, double m) {
    double p = __fma_rn(a, b, m);
    double p_low = __fma_rn(a, b, -__dsub_rn(p, m));
    double q = __fma_rn(-c, d, p);
    double q_low = __fma_rn(-c, d, -__dsub_rn(q, p));
    return {__dsub_rn(q, m), __dadd_rn(p_low, q_low)};
}

// Limbs in units of 2^0, 2^50, 2^100, 2^150. A limb v of unit 2^(50 k) is added as the bits of v + magic(k): those of magic(k)
// vanish, since the sum changes its sign at every step and every step adds as many.
struct Sum {
    i64 limb[LIMBS];

    __device__ __forceinline__ void clear() {
        for (int k = 0; k < LIMBS; k++) limb[k] = 0;
    }

    __device__ __forceinline__ void add(int k, double v) {
        limb[k] += __double_as_longlong(v);
#if DIGITS == 0 // a single step, whose magic bits nothing cancels
        limb[k] -= __double_as_longlong(magic(k));
#endif
    }

    // + c (a0 (b0 d00 - b1 d01) - a1 (b0 d10 - b1 d11)): `Fused::tail` of exact.rs.
    __device__ __forceinline__ void tail(const Context &, double c, double a0, double a1, double b0, double b1, double d00,
                                         double d01, double d10, double d11) {
        Pair g = determinant(b0, d00, b1, d01, magic(1));
        Pair f = determinant(b0, d10, b1, d11, magic(1));
        Pair p = determinant(a0, g.low, a1, f.low, magic(1));
#ifdef SHORT
        double h1 = __dadd_rn(p.high, __fma_rn(a0, g.high, -__dmul_rn(a1, f.high)));
#else
        Pair q = determinant(a0, g.high, a1, f.high, magic(2));
        double h1 = __dadd_rn(p.high, q.low);
#endif
        double t0 = __fma_rn(c, p.low, magic(1));
        double r0 = __fma_rn(c, p.low, __dsub_rn(magic(1), t0));
        double t1 = __fma_rn(c, h1, magic(2));
        double r1 = __fma_rn(c, h1, __dsub_rn(magic(2), t1));
        add(0, __dadd_rn(r0, magic(0)));
        add(1, __dadd_rn(t0, r1));
#ifdef SHORT
        add(2, t1);
#else
        double t2 = __fma_rn(c, q.high, magic(3));
        double r2 = __fma_rn(c, q.high, __dsub_rn(magic(3), t2));
        add(2, __dadd_rn(t1, r2));
        add(3, t2);
#endif
    }

    __device__ __forceinline__ void negate(const Context &) {
        for (int k = 0; k < LIMBS; k++) limb[k] = -limb[k];
    }

    // After an even number of steps, every 2^11 tails: limbs but the highest into 0 ... 2^50 - 1.
    __device__ __forceinline__ void settle(u32 steps) {
        if (steps % (2048 / TAILS) == 0) {
            for (int k = 1; k < LIMBS; k++) {
                limb[k] += limb[k - 1] >> LIMB_BITS;
                limb[k - 1] &= (1LL << LIMB_BITS) - 1;
            }
        }
    }

    __device__ __forceinline__ u64 word(int k) const { return (u64)limb[k]; }
};

#else

// Residues: modulo 2^64, or modulo an odd p < 2^31 in Montgomery's form with R = 2^32 (residues.rs).
#if WORD_BITS == 64
typedef u64 Word;
#else
typedef u32 Word;
#endif
typedef Word Stored;

// A ring: its numbers, and a table: 1, the program's constants, the steps of `change`.
struct Context {
#if WORD_BITS == 32
    u32 p, negated_inverse;
#endif
    Word table[TABLE];

#if WORD_BITS == 64
    __device__ __forceinline__ Word add(Word a, Word b) const { return a + b; }
    __device__ __forceinline__ Word sub(Word a, Word b) const { return a - b; }
    __device__ __forceinline__ Word mul(Word a, Word b) const { return a * b; }
#else
    __device__ __forceinline__ Word add(Word a, Word b) const {
        u32 sum = a + b;
        return min(sum, sum - p);
    }
    __device__ __forceinline__ Word sub(Word a, Word b) const {
        u32 difference = a - b;
        return min(difference, difference + p);
    }
    __device__ __forceinline__ Word mul(Word a, Word b) const {
        u64 product = (u64)a * b;
        u32 m = (u32)product * negated_inverse;
        u32 sum = (u32)((product + (u64)m * p) >> 32);
        return min(sum, sum - p);
    }
#endif
};

#define LIMBS 1

struct Sum {
    Word value;

    __device__ __forceinline__ void clear() { value = 0; }

    __device__ __forceinline__ void tail(const Context &r, Word c, Word a0, Word a1, Word b0, Word b1, Word d00, Word d01,
                                         Word d10, Word d11) {
        Word g = r.sub(r.mul(b0, d00), r.mul(b1, d01));
        Word f = r.sub(r.mul(b0, d10), r.mul(b1, d11));
        value = r.add(value, r.mul(c, r.sub(r.mul(a0, g), r.mul(a1, f))));
    }

    __device__ __forceinline__ void negate(const Context &r) { value = r.sub(0, value); }

    __device__ __forceinline__ void settle(u32) {}

    __device__ __forceinline__ u64 word(int) const { return value; }
};

#endif

#include "program.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
permanent(const Stored *__restrict__ starts, const Stored *__restrict__ lanes, u64 *__restrict__ sums, u32 groups, u32 first) {
    const u64 thread = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 group = thread / LANES;
    const u32 lane = thread % LANES;
    if (group >= groups) return;
#ifdef EXACT
    const Context context{};
#else
    const Context &context = RINGS[MODULI == 1 ? 0 : blockIdx.y];
#endif
    const u64 own = (u64)blockIdx.y * groups + group;
    const Stored *at_start = starts + own * ROWS;
    const Stored *of_lane = lanes + (blockIdx.y * LANES + lane) * ROWS;
    Word x[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) x[row] = context.add(at_start[row], of_lane[row]);
    Sum sum;
    sum.clear();
    // Position q of the reflected Gray code comes from q - 1 by a change of digit k = the number of trailing zeros of q, upwards if
    // bit k + 1 of q is 0. Inside a group only the low DIGITS + 1 bits of q matter.
    const u32 origin = (first + (u32)group) << DIGITS;
    for (u32 done = 1;; done++) {
        step(x, sum, context);
        if (done == 1u << DIGITS) break;
        const u32 digit = __ffs(done) - 1;
        change(x, digit, ((origin | done) >> digit & 2) == 0, context);
        sum.negate(context);
        sum.settle(done);
    }
#pragma unroll
    for (int k = 0; k < LIMBS; k++) sums[(own * LIMBS + k) * LANES + lane] = sum.word(k);
}
