// Products of polynomial matrices mod P < 2^31, exact: transforms modulo word primes, products at all points, Chinese remainders; short
// ones by the definition.
//
// A polynomial matrix is a list of coefficients, each row-major, residues of 32 bits. Its transform has, for each prime, for each point, a
// matrix likewise: entries lie side by side, so that a thread transforms one entry and a warp reads whole lines. A pass is up to five
// levels in registers.
//
// Transform: x^(2h) - c^2 = (x^h - c)(x^h + c). Block b of a level has the root c = roots[b] whatever the level (src/poly/cuda/roots.rs);
// c is stored beside floor(c 2^32 / q), so that a product by it modulo q is off by less than q (V. Shoup; D. Harvey, J. Symb. Comp. 60
// (2014)). Primes are q < 2^28: a sum of 256 products of residues stays below 2^64, and values that grow by 2q a level below 2^32 for five
// levels from 2q on. Points are 2^k.
//
// problem.cuh (src/poly/cuda/source.rs):
//   P          the modulus                   PRIMES     how many primes there are; a launch has one for each row of blocks
//   Q          the primes                    Q_BARRETT  floor(2^64 / q)
//   SCALE      for each prime and k, 2^-k mod q beside its quotient
//   GARNER     for i < j, q_i^-1 mod q_j beside its quotient, at j (j - 1) / 2 + i
//   Q_MOD_P    q mod P
//
// Launch contract: THREADS threads per block, fewer than 2^32 in all; roots: `table` pairs for each prime, at least half as many as points.
//   enter      a thread for each entry and each list of 2^levels coefficients: points / 2^levels * entries; the first pass. `from` begins
//       at `offset` and has `len` coefficients, zeros beyond.
//   forward    likewise, a later pass: blocks of 2^size points each. `last`: values below q, as `multiply` needs them.
//   inverse    likewise, undoing `forward`, without the factor 2^-levels.
//   multiply   128 threads, a block for each point and tile of 64 x 32 of the result.
//   leave      a thread for each entry of each coefficient lo ... lo + len - 1 of the product, modulo the number of points.
//   convolve   128 threads, a block for each coefficient lo ... lo + len - 1 and tile of 16 x 32: the product by the definition.
//   unwrap     a thread for each entry: coefficient `at` of `to` less coefficient 0.

#include "words.cuh"

#define THREADS 256

// w x mod q, less than 2q, for any x.
__device__ __forceinline__ u32 times(u32 x, uint2 w, u32 q) { return x * w.x - __umulhi(x, w.y) * q; }

__device__ __forceinline__ u32 below(u32 x, u32 bound) { return min(x, x - bound); }

// Level LEVEL and those after it of a block whose first root has number b; from below 2q to below (2 + 2 LEVELS) q.
template <int LEVELS, int LEVEL = 0>
__device__ __forceinline__ void split(u32 (&x)[1 << LEVELS], u32 b, const uint2 *__restrict__ roots, u32 q) {
    if constexpr (LEVEL < LEVELS) {
        constexpr int half = (1 << LEVELS) >> (LEVEL + 1);
#pragma unroll
        for (int t = 0; t < 1 << LEVEL; t++) {
            const uint2 w = roots[(b << LEVEL) + t];
#pragma unroll
            for (int k = 0; k < half; k++) {
                const u32 low = x[2 * half * t + k], high = times(x[2 * half * t + half + k], w, q);
                x[2 * half * t + k] = low + high;
                x[2 * half * t + half + k] = low + 2 * q - high;
            }
        }
        split<LEVELS, LEVEL + 1>(x, b, roots, q);
    }
}

// The same backwards, up to a factor 2^LEVELS; below 2q before and after.
template <int LEVELS, int LEVEL = LEVELS - 1>
__device__ __forceinline__ void join(u32 (&x)[1 << LEVELS], u32 b, const uint2 *__restrict__ roots, u32 q) {
    if constexpr (LEVEL >= 0) {
        constexpr int half = (1 << LEVELS) >> (LEVEL + 1);
#pragma unroll
        for (int t = 0; t < 1 << LEVEL; t++) {
            const uint2 w = roots[(b << LEVEL) + t];
#pragma unroll
            for (int k = 0; k < half; k++) {
                const u32 low = x[2 * half * t + k], high = x[2 * half * t + half + k];
                x[2 * half * t + k] = below(low + high, 2 * q);
                x[2 * half * t + half + k] = times(low + 2 * q - high, w, q);
            }
        }
        join<LEVELS, LEVEL - 1>(x, b, roots, q);
    }
}

template <int LEVELS>
__device__ __forceinline__ void put(u32 (&x)[1 << LEVELS], u32 *to, u64 step, u32 q, u32 last) {
#pragma unroll
    for (int j = 0; j < 1 << LEVELS; j++) {
        u32 y = below(below(below(x[j], 8 * q), 4 * q), 2 * q);
        if (last) y = below(y, q);
        to[j * step] = y;
    }
}

template <int LEVELS>
__device__ __forceinline__ void enter_levels(u32 *to, const u32 *from, u32 number, u32 points, u32 entries, u32 len,
                                             const uint2 *__restrict__ roots, u32 q, u32 last) {
    const u32 apart = points >> LEVELS;
    const u32 i = number / entries, entry = number % entries;
    if (i >= apart) return;
    const u64 at = (u64)i * entries + entry, step = (u64)apart * entries;
    u32 x[1 << LEVELS];
#pragma unroll
    for (int j = 0; j < 1 << LEVELS; j++) {
        x[j] = i + j * apart < len ? from[at + j * step] : 0;
#if P >= 0x8000000
        x[j] %= q;
#endif
    }
    split<LEVELS>(x, 0, roots, q);
    put<LEVELS>(x, to + at, step, q, last);
}

extern "C" __global__ void __launch_bounds__(THREADS)
enter(u32 *__restrict__ to, const u32 *__restrict__ from, u64 offset, const u32 *__restrict__ tables, u32 table, u32 points, u32 entries,
      u32 len, u32 levels, u32 last) {
    const u32 number = blockIdx.x * THREADS + threadIdx.x;
    const u32 q = Q[blockIdx.y];
    const uint2 *roots = (const uint2 *)tables + (u64)blockIdx.y * table;
    to += (u64)blockIdx.y * points * entries, from += offset;
    switch (levels) {
    case 0: enter_levels<0>(to, from, number, points, entries, len, roots, q, last); break;
    case 1: enter_levels<1>(to, from, number, points, entries, len, roots, q, last); break;
    case 2: enter_levels<2>(to, from, number, points, entries, len, roots, q, last); break;
    case 3: enter_levels<3>(to, from, number, points, entries, len, roots, q, last); break;
    case 4: enter_levels<4>(to, from, number, points, entries, len, roots, q, last); break;
    default: enter_levels<5>(to, from, number, points, entries, len, roots, q, last);
    }
}

// A pass in place over blocks of 2^size points.
template <int LEVELS, bool INVERSE>
__device__ __forceinline__ void pass(u32 *values, u32 number, u32 points, u32 entries, u32 size, const uint2 *__restrict__ roots, u32 q,
                                     u32 last) {
    const u32 list = number / entries, entry = number % entries, log = size - LEVELS;
    if (list >= points >> LEVELS) return;
    const u32 b = list >> log, i = list & ((1u << log) - 1);
    const u64 step = (u64)entries << log;
    u32 *at = values + (((u64)b << size) + i) * entries + entry;
    u32 x[1 << LEVELS];
#pragma unroll
    for (int j = 0; j < 1 << LEVELS; j++) x[j] = at[j * step];
    if (INVERSE) {
        join<LEVELS>(x, b, roots, q);
#pragma unroll
        for (int j = 0; j < 1 << LEVELS; j++) at[j * step] = x[j];
    } else {
        split<LEVELS>(x, b, roots, q);
        put<LEVELS>(x, at, step, q, last);
    }
}

#define PASS(INVERSE)                                                                                                         \
    const u32 number = blockIdx.x * THREADS + threadIdx.x;                                                                \
    const u32 q = Q[blockIdx.y];                                                                                               \
    const uint2 *roots = (const uint2 *)tables + (u64)blockIdx.y * table;                                                      \
    values += (u64)blockIdx.y * points * entries;                                                                              \
    switch (levels) {                                                                                                          \
    case 1: pass<1, INVERSE>(values, number, points, entries, size, roots, q, last); break;                                    \
    case 2: pass<2, INVERSE>(values, number, points, entries, size, roots, q, last); break;                                    \
    case 3: pass<3, INVERSE>(values, number, points, entries, size, roots, q, last); break;                                    \
    case 4: pass<4, INVERSE>(values, number, points, entries, size, roots, q, last); break;                                    \
    default: pass<5, INVERSE>(values, number, points, entries, size, roots, q, last);                                          \
    }

extern "C" __global__ void __launch_bounds__(THREADS)
forward(u32 *__restrict__ values, const u32 *__restrict__ tables, u32 table, u32 points, u32 entries, u32 size, u32 levels, u32 last) {
    PASS(false)
}

extern "C" __global__ void __launch_bounds__(THREADS)
inverse(u32 *__restrict__ values, const u32 *__restrict__ tables, u32 table, u32 points, u32 entries, u32 size, u32 levels) {
    const u32 last = 0;
    PASS(true)
}

// x mod q for any x, by the quotient with floor(2^64 / q), at most two too small.
__device__ __forceinline__ u32 residue(u64 x, u32 q, u64 barrett) {
    const u64 r = x - __umul64hi(x, barrett) * q;
    return below(below((u32)r, 2 * q), q);
}

// Terms of a product that lie in shared memory.
#define DEPTH 32
// Sums of so many products are exact.
#define EXACT 256

extern "C" __global__ void __launch_bounds__(128)
multiply(u32 *__restrict__ c, const u32 *__restrict__ a, const u32 *__restrict__ b, u32 points, u32 rows, u32 inner, u32 cols) {
    __shared__ __align__(16) u32 left[64][DEPTH + 4];
    __shared__ __align__(16) u32 right[DEPTH][32];
    const u32 across = (cols + 31) / 32, down = (rows + 63) / 64;
    const u32 tile = blockIdx.x % (across * down), row = tile / across * 64, col = tile % across * 32;
    const u64 point = (u64)blockIdx.y * points + blockIdx.x / (across * down);
    const u32 q = Q[blockIdx.y];
    const u64 barrett = Q_BARRETT[blockIdx.y];
    a += point * rows * inner, b += point * inner * cols, c += point * rows * cols;
    const u32 x = threadIdx.x % 8 * 4, y = threadIdx.x / 8 * 4;
    u64 sum[4][4] = {};
    for (u32 k = 0; k < inner; k += DEPTH) {
        for (u32 t = threadIdx.x; t < 64 * DEPTH; t += 128) {
            const u32 i = t / DEPTH, j = t % DEPTH;
            left[i][j] = row + i < rows && k + j < inner ? a[(u64)(row + i) * inner + k + j] : 0;
        }
        for (u32 t = threadIdx.x; t < DEPTH * 32; t += 128) {
            const u32 i = t / 32, j = t % 32;
            right[i][j] = k + i < inner && col + j < cols ? b[(u64)(k + i) * cols + col + j] : 0;
        }
        __syncthreads();
#pragma unroll
        for (u32 k4 = 0; k4 < DEPTH; k4 += 4) {
            u32 l[4][4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                const uint4 line = *(const uint4 *)&left[y + i][k4];
                l[i][0] = line.x, l[i][1] = line.y, l[i][2] = line.z, l[i][3] = line.w;
            }
#pragma unroll
            for (u32 kk = 0; kk < 4; kk++) {
                const uint4 r = *(const uint4 *)&right[k4 + kk][x];
#pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    sum[i][0] += (u64)l[i][kk] * r.x;
                    sum[i][1] += (u64)l[i][kk] * r.y;
                    sum[i][2] += (u64)l[i][kk] * r.z;
                    sum[i][3] += (u64)l[i][kk] * r.w;
                }
            }
        }
        if ((k + DEPTH) % EXACT == 0 && k + DEPTH < inner) {
#pragma unroll
            for (u32 t = 0; t < 16; t++) sum[t / 4][t % 4] = residue(sum[t / 4][t % 4], q, barrett);
        }
        __syncthreads();
    }
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
            if (row + y + i < rows && col + x + j < cols) c[(u64)(row + y + i) * cols + col + x + j] = residue(sum[i][j], q, barrett);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
leave(u32 *__restrict__ to, const u32 *__restrict__ values, u32 log_points, u32 entries, u32 lo, u32 len, u32 primes) {
    const u32 number = blockIdx.x * THREADS + threadIdx.x;
    const u32 t = number / entries, entry = number % entries, points = 1u << log_points;
    if (t >= len) return;
    values += (u64)((lo + t) & (points - 1)) * entries + entry;
    // Digits of the mixed radix representation d_0 + q_0 (d_1 + q_1 (...)).
    u32 digits[PRIMES];
#pragma unroll
    for (u32 j = 0; j < PRIMES; j++) {
        if (j >= primes) break;
        const u32 q = Q[j];
        u32 x = below(times(values[(u64)j * points * entries], SCALE[j][log_points], q), q);
#pragma unroll
        for (u32 i = 0; i < j; i++) x = below(times(x + q - below(digits[i], q), GARNER[j * (j - 1) / 2 + i], q), q);
        digits[j] = x;
    }
    u64 sum = 0;
#pragma unroll
    for (int j = PRIMES - 1; j >= 0; j--) {
        if (j < (int)primes) sum = (sum * Q_MOD_P[j] + digits[j]) % P;
    }
    to[number] = sum;
}

// A sum of products mod P goes on.
__device__ __forceinline__ void add_product(u64 &sum, u32 a, u32 b) {
    sum += (u64)a * b;
#if P >= 0x10000
    if (sum >= P * P) sum -= P * P;
#endif
}

extern "C" __global__ void __launch_bounds__(128)
convolve(u32 *__restrict__ c, const u32 *__restrict__ a, const u32 *__restrict__ b, u64 a_offset, u64 b_offset, u32 rows, u32 inner, u32 cols,
         u32 a_len, u32 b_len, u32 lo) {
    __shared__ __align__(16) u32 left[16][DEPTH + 4];
    __shared__ __align__(16) u32 right[DEPTH][32];
    const u32 across = (cols + 31) / 32, down = (rows + 15) / 16;
    const u32 tile = blockIdx.x % (across * down), row = tile / across * 16, col = tile % across * 32;
    const u32 number = blockIdx.x / (across * down), t = lo + number;
    a += a_offset, b += b_offset, c += (u64)number * rows * cols;
    const u32 x = threadIdx.x % 8 * 4, y = threadIdx.x / 8;
    u64 sum[4] = {};
    for (u32 i = t < b_len ? 0 : t - b_len + 1; i < a_len && i <= t; i++) {
        const u32 *from_a = a + (u64)i * rows * inner, *from_b = b + (u64)(t - i) * inner * cols;
        for (u32 k = 0; k < inner; k += DEPTH) {
            for (u32 s = threadIdx.x; s < 16 * DEPTH; s += 128) {
                const u32 g = s / DEPTH, h = s % DEPTH;
                left[g][h] = row + g < rows && k + h < inner ? from_a[(u64)(row + g) * inner + k + h] : 0;
            }
            for (u32 s = threadIdx.x; s < DEPTH * 32; s += 128) {
                const u32 g = s / 32, h = s % 32;
                right[g][h] = k + g < inner && col + h < cols ? from_b[(u64)(k + g) * cols + col + h] : 0;
            }
            __syncthreads();
#pragma unroll
            for (u32 k4 = 0; k4 < DEPTH; k4 += 4) {
                const uint4 line = *(const uint4 *)&left[y][k4];
                const u32 l[4] = {line.x, line.y, line.z, line.w};
#pragma unroll
                for (u32 kk = 0; kk < 4; kk++) {
                    const uint4 r = *(const uint4 *)&right[k4 + kk][x];
                    add_product(sum[0], l[kk], r.x);
                    add_product(sum[1], l[kk], r.y);
                    add_product(sum[2], l[kk], r.z);
                    add_product(sum[3], l[kk], r.w);
                }
            }
            __syncthreads();
        }
    }
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
        if (row + y < rows && col + x + j < cols) c[(u64)(row + y) * cols + col + x + j] = sum[j] % P;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
unwrap(u32 *__restrict__ to, u32 entries, u32 at) {
    const u32 entry = blockIdx.x * THREADS + threadIdx.x;
    if (entry >= entries) return;
    u32 *last = to + (u64)at * entries + entry;
    const u32 first = to[entry];
    *last = *last >= first ? *last - first : *last + (u32)P - first;
}
