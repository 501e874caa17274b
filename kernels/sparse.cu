// Sparse products with blocks of vectors mod p, and scalings by digits.
//
// A thread makes one word of a row of Y (block.cuh): it reads the same word of the rows of X that the row of A names, so that all loads of
// X are 16 bytes wide and those of a row adjacent.
//
// Matrix (src/spmv/cuda/layout.rs): rows in an order of their own, by slices of 32 rows; an entry of a slice is at
// [slice][group of 4 entries][row][entry of the group], so that a thread reads four indices at once and the rows of a slice together.
// Entries +1 and -1 are an index, with the sign in its top bit; other entries an index and a value. `lengths` bounds the entries of each row
// (signs, values), `targets` names its row of Y. A row has at most LONGEST entries: longer ones are cut to pieces whose sums are rows of X
// behind its own, and added up as entries 1.
//
// Constants of problem.cuh (src/spmv/cuda/source.rs) beside those of block.cuh:
//   SIGNS, VALUES   whether there are such entries   LONGEST   the most entries of a row
//   CARRY           LANE 32: whether a sum of LONGEST products may exceed 64 bits
//
// Exactness: see `sums_are_exact` of source.rs, line by line.
//
// Launch contract: THREADS threads per block, in x alone, unless said otherwise.
//   product, product_scaled, inner   a thread for each word of `slots` rows from slot `first` on, multiples of 32. `bases` and `value_bases`
//       have a number for each slice, in groups; `targets` one for each slot (~0: no row), `lengths` two. Indices and targets are below the
//       rows that the buffers of X and Y have. `inner` writes rows of X that none of its entries reads.
//   chain   one block of CHAIN threads: rows of X itself, from those of [starts[first], starts[first + 1]) to those of [.., starts[last]), of
//       which those of one range are read by later ones only.
//   scatter   a thread for each of `count` residues, at places of their own: `rows` and `lanes` are those of the block. Where `keep` is 0,
//       it writes zeros.
//   digits   a thread for each of rows * S elements.

#include "block.cuh"

#define FLAG 0x80000000u

// The sums of a word of a row.
#if LANE == 8
// Byte b of a part is summed together with those above it, sums[b] = sum of x >> 8 b mod 2^32; the sums of the bytes follow from differences.
struct Sums {
    u32 sums[4][4];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < 16; i++) sums[i / 4][i % 4] = 0;
    }
    __device__ __forceinline__ void sign(const Word &x, int v) {
#pragma unroll
        for (int i = 0; i < 16; i++) sums[i / 4][i % 4] += (u32)v * (x.part[i / 4] >> (8 * (i % 4)));
    }
    __device__ __forceinline__ void value(const Word &x, Value v) { sign(x, (int)v); }
    __device__ __forceinline__ u32 residue(int k) const {
        u32 sum = sums[k / 4][k % 4];
        if (k % 4 < 3) sum -= sums[k / 4][k % 4 + 1] << 8;
        int r = (int)sum % (int)P;
        return r < 0 ? r + (int)P : r;
    }
};
#elif LANE == 16
// Of a part h 2^16 + l the sums of the part mod 2^32 (products: 2^64) and of h: that of l is their difference.
struct Sums {
#if SIGNS
    u32 whole[4], high[4];
#endif
#if VALUES
    u64 products[4], high_products[4];
#endif

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < 4; i++) {
#if SIGNS
            whole[i] = high[i] = 0;
#endif
#if VALUES
            products[i] = high_products[i] = 0;
#endif
        }
    }
#if SIGNS
    __device__ __forceinline__ void sign(const Word &x, int v) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            whole[i] += (u32)v * x.part[i];
            high[i] += (u32)v * (x.part[i] >> 16);
        }
    }
#endif
#if VALUES
    __device__ __forceinline__ void value(const Word &x, Value v) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            products[i] += (u64)v * x.part[i];
            high_products[i] += (u64)v * (x.part[i] >> 16);
        }
    }
#endif
    __device__ __forceinline__ u32 residue(int k) const {
        const int i = k / 2;
        int sum = 0;
#if SIGNS
        sum = (int)(k % 2 ? high[i] : whole[i] - (high[i] << 16));
#endif
#if VALUES
        u64 total = k % 2 ? high_products[i] : products[i] - (high_products[i] << 16);
        return (u32)((total + (u64)((i64)sum + (i64)P * LONGEST)) % P);
#else
        int r = sum % (int)P;
        return r < 0 ? r + (int)P : r;
#endif
    }
};
#elif LANE == 32
struct Sums {
    i64 sums[4];
#if VALUES
    u64 products[4];
#if CARRY
    u32 carries[4];
#endif
#endif

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sums[i] = 0;
#if VALUES
            products[i] = 0;
#if CARRY
            carries[i] = 0;
#endif
#endif
        }
    }
    __device__ __forceinline__ void sign(const Word &x, int v) {
#pragma unroll
        for (int i = 0; i < 4; i++) sums[i] += (i64)v * (i64)x.part[i];
    }
#if VALUES
    __device__ __forceinline__ void value(const Word &x, Value v) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u64 product = (u64)v * x.part[i];
            products[i] += product;
#if CARRY
            carries[i] += products[i] < product;
#endif
        }
    }
#endif
    __device__ __forceinline__ u32 residue(int k) const {
        u64 total = (u64)(sums[k] + (i64)(P * LONGEST));
#if VALUES
        total += products[k] % P;
#if CARRY
        // 2^64 mod P.
        total += (u64)carries[k] * ((~0ull % P + 1) % P);
#endif
#endif
        return (u32)(total % P);
    }
};
#else
struct Sums {
    i128 sums[2];
#if VALUES
    u128 products[2];
#endif

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            sums[i] = 0;
#if VALUES
            products[i] = 0;
#endif
        }
    }
    __device__ __forceinline__ void sign(const Word &x, int v) {
#pragma unroll
        for (int i = 0; i < 2; i++) sums[i] += v < 0 ? -(i128)x.lane[i] : (i128)x.lane[i];
    }
#if VALUES
    // The sum stays below 2^127: a multiple of P between 2^127 - P and 2^127 is taken off where it is above.
    __device__ __forceinline__ void value(const Word &x, Value v) {
        const u128 most = ((u128)1 << 127) / P * P;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            products[i] += (u128)v * x.lane[i];
            if (products[i] >> 127) products[i] -= most;
        }
    }
#endif
    __device__ __forceinline__ u128 total(int k) const {
        u128 total = (u128)(sums[k] + (i128)P * LONGEST);
#if VALUES
        total += products[k];
#endif
        return total;
    }
};
#endif

struct Entries {
    const uint4 *indices;
    const u32 *values;
};

// The entries of one kind of a row: `count` of them, from `at` on in steps of 32 groups.
// With FRESH, rows of X may have been written by this launch.
template <bool SIGN, bool FRESH>
__device__ __forceinline__ void entry(Sums &sums, const uint4 *x, u32 index, const u32 *values, u64 at) {
    const uint4 *from = x + (u64)(index & ~FLAG) * PIECES;
    Word word;
    word.whole = FRESH ? *from : __ldg(from);
    if constexpr (SIGN) {
#if SIGNS
        sums.sign(word, (int)index >> 31 | 1);
#endif
    } else {
#if VALUES
        sums.value(word, __ldg((const Value *)values + at));
#endif
    }
}

// Up to four entries of a row, with these indices.
template <bool SIGN, bool FRESH>
__device__ __forceinline__ void four(Sums &sums, const uint4 *x, const Entries &of, u64 group, const uint4 &j, u32 count) {
    entry<SIGN, FRESH>(sums, x, j.x, of.values, 4 * group);
    if (count > 1) entry<SIGN, FRESH>(sums, x, j.y, of.values, 4 * group + 1);
    if (count > 2) entry<SIGN, FRESH>(sums, x, j.z, of.values, 4 * group + 2);
    if (count > 3) entry<SIGN, FRESH>(sums, x, j.w, of.values, 4 * group + 3);
}

// With FRESH, the first four indices are there.
template <bool SIGN, bool FRESH>
__device__ __forceinline__ void entries(Sums &sums, const uint4 *x, const Entries &of, u64 group, u32 count, const uint4 &ahead) {
    u32 done = 0;
    if constexpr (FRESH) {
        if (!count) return;
        four<SIGN, true>(sums, x, of, group, ahead, count);
        done = 4, group += 32;
    }
    // Four rows of X in flight; for values eight, since their sums take longer.
#pragma unroll SIGN ? 1 : 2
    for (; done + 4 <= count; done += 4, group += 32) four<SIGN, FRESH>(sums, x, of, group, __ldg(of.indices + group), 4);
    if (done < count) four<SIGN, FRESH>(sums, x, of, group, __ldg(of.indices + group), count - done);
}

struct Matrix {
    const u32 *targets, *lengths, *bases, *indices, *value_bases, *value_indices, *values;
};

// What is known of the row in a slot before rows of X are read; with FRESH also its first indices.
struct Row {
    u32 target;
    uint2 length;
    u64 signs, others;
    uint4 first_signs, first_others;
};

template <bool FRESH>
__device__ __forceinline__ Row find(const Matrix &a, u32 slot) {
    Row row = {};
    row.target = __ldg(a.targets + slot);
    row.length = __ldg((const uint2 *)a.lengths + slot);
#if SIGNS
    row.signs = (u64)__ldg(a.bases + slot / 32) * 32 + slot % 32;
    if (FRESH && row.length.x) row.first_signs = __ldg((const uint4 *)a.indices + row.signs);
#endif
#if VALUES
    row.others = (u64)__ldg(a.value_bases + slot / 32) * 32 + slot % 32;
    if (FRESH && row.length.y) row.first_others = __ldg((const uint4 *)a.value_indices + row.others);
#endif
    return row;
}

// One word of a row.
template <bool SCALED, bool FRESH>
__device__ __forceinline__ void word(const uint4 *x, uint4 *y, const Matrix &a, const u32 *diagonal, const Row &row, u32 piece) {
    const u32 target = row.target;
    if (target == ~0u) return;
    Sums sums;
    sums.clear();
#if SIGNS
    entries<true, FRESH>(sums, x + piece, {(const uint4 *)a.indices, nullptr}, row.signs, row.length.x, row.first_signs);
#endif
#if VALUES
    entries<false, FRESH>(sums, x + piece, {(const uint4 *)a.value_indices, a.values}, row.others, row.length.y, row.first_others);
#endif
    Word out;
#if LANE == 64
    u64 factor = R2;
    if constexpr (SCALED) factor = __ldg((const u64 *)diagonal + target);
#pragma unroll
    for (int k = 0; k < LANES; k++) out.lane[k] = residue_times(sums.total(k), factor);
#else
    u32 factor = 1;
    if constexpr (SCALED) factor = __ldg(diagonal + target);
    u32 residues[LANES];
#pragma unroll
    for (int k = 0; k < LANES; k++) {
        residues[k] = sums.residue(k);
#if LANE == 32
        if constexpr (SCALED) residues[k] = (u32)((u64)residues[k] * factor % P);
#else
        if constexpr (SCALED) residues[k] = residues[k] * factor % (u32)P;
#endif
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        u32 part = 0;
#pragma unroll
        for (int k = 0; k < LANES / 4; k++) part |= residues[i * (LANES / 4) + k] << (k * (LANE % 32));
        out.part[i] = part;
    }
#endif
    y[(u64)target * PIECES + piece] = out.whole;
}

template <bool SCALED>
__device__ __forceinline__ void rows(const uint4 *x, uint4 *y, const Matrix &a, const u32 *diagonal, u32 first, u32 slots) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    const u64 number = thread / PIECES;
    if (number < slots) word<SCALED, false>(x, y, a, diagonal, find<false>(a, first + (u32)number), (u32)(thread % PIECES));
}

#define MATRIX                                                                                                                        \
    const u32 *__restrict__ targets, const u32 *__restrict__ lengths, const u32 *__restrict__ bases, const u32 *__restrict__ indices, \
        const u32 *__restrict__ value_bases, const u32 *__restrict__ value_indices, const u32 *__restrict__ values
#define THE_MATRIX {targets, lengths, bases, indices, value_bases, value_indices, values}

extern "C" __global__ void __launch_bounds__(THREADS)
product(const u32 *__restrict__ x, u32 *__restrict__ y, MATRIX, u32 first, u32 slots) {
    rows<false>((const uint4 *)x, (uint4 *)y, THE_MATRIX, nullptr, first, slots);
}

extern "C" __global__ void __launch_bounds__(THREADS)
product_scaled(const u32 *__restrict__ x, u32 *__restrict__ y, MATRIX, const u32 *__restrict__ diagonal, u32 first, u32 slots) {
    rows<true>((const uint4 *)x, (uint4 *)y, THE_MATRIX, diagonal, first, slots);
}

extern "C" __global__ void __launch_bounds__(THREADS)
inner(u32 *x, MATRIX, u32 first, u32 slots) {
    rows<false>((const uint4 *)x, (uint4 *)x, THE_MATRIX, nullptr, first, slots);
}

extern "C" __global__ void __launch_bounds__(CHAIN, 1)
chain(u32 *x, MATRIX, const u32 *__restrict__ starts, u32 first, u32 last) {
    const Matrix a = THE_MATRIX;
    // All that does not depend on X is read while others finish the range before.
    const u32 own = threadIdx.x / PIECES, piece = threadIdx.x % PIECES;
    u32 begin = __ldg(starts + first), end = __ldg(starts + first + 1);
    Row ahead = {};
    if (own < end - begin) ahead = find<true>(a, begin + own);
    for (u32 range = first; range < last; range++) {
        const Row row = ahead;
        const u32 after = range + 1 < last ? __ldg(starts + range + 2) : end;
        if (own < after - end) ahead = find<true>(a, end + own);
        if (own < end - begin) word<false, true>((const uint4 *)x, (uint4 *)x, a, nullptr, row, piece);
        for (u64 k = threadIdx.x + CHAIN; k < (u64)(end - begin) * PIECES; k += CHAIN)
            word<false, true>((const uint4 *)x, (uint4 *)x, a, nullptr, find<true>(a, begin + (u32)(k / PIECES)), (u32)(k % PIECES));
        begin = end, end = after;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
scatter(u32 *__restrict__ x, const u32 *__restrict__ rows, const u32 *__restrict__ lanes, const u64 *__restrict__ residues, u32 count,
        u32 keep) {
    const u32 k = blockIdx.x * THREADS + threadIdx.x;
    if (k < count) ((Lane *)x)[(u64)rows[k] * WIDTH + lanes[k]] = keep ? (Lane)residues[k] : (Lane)0;
}

#if DEGREE > 1
// Each element of row i, DEGREE digits, times the matrix of row i (src/spmv/digit_scaling.rs), in place.
extern "C" __global__ void __launch_bounds__(THREADS)
digits(u32 *__restrict__ y, const u64 *__restrict__ matrices, u32 rows) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    const u64 i = thread / S;
    if (i >= rows) return;
    Lane *at = (Lane *)y + i * WIDTH + thread % S * DEGREE;
    const u64 *matrix = matrices + i * (DEGREE * DEGREE);
    u64 element[DEGREE];
#pragma unroll
    for (int d = 0; d < DEGREE; d++) element[d] = at[d];
    for (int column = 0; column < DEGREE; column++) {
        u64 sum = 0;
#pragma unroll
        for (int d = 0; d < DEGREE; d++) {
            sum += product_mod(element[d], matrix[d * DEGREE + column]);
            if (sum >= P) sum -= P;
        }
        at[column] = (Lane)sum;
    }
}
#endif
