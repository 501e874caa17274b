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
// Constants of problem.cuh (src/spmv/cuda/source.rs): those of sums.cuh, and CHAIN.
//
// Launch contract: THREADS threads per block, in x alone, unless said otherwise.
//   product, product_scaled, inner   a thread for each word of `slots` rows from slot `first` on, multiples of 32. `bases` and `value_bases`
//       have a number for each slice, in groups; `targets` one for each slot (~0: no row), `lengths` two. Indices and targets are below the
//       rows that the buffers of X and Y have. `inner` writes rows of X that none of its entries reads.
//   product_shared   as product_scaled, whose rows are also written to the blocks, on other GPUs, that `others` names: how many, and the
//       address of each, as large as Y.
//   chain   one block of CHAIN threads: rows of X itself, from those of [starts[first], starts[first + 1]) to those of [.., starts[last]), of
//       which those of one range are read by later ones only.
//   scatter   a thread for each of `count` residues, at places of their own: `rows` and `lanes` are those of the block. Where `keep` is 0,
//       it writes zeros.
//   columns  a thread for each of `count` words: those of the first columns, `words` of a row, to x from `part`, which has no others; where
//       `back` is not 0, to `part` from x. `words` is at most what a row has.
//   digits   a thread for each of rows * S elements; LANE 1, DEGREE <= 32: for each row, and `matrices` has DEGREE masks of 32 bits for each.

#include "sums.cuh"

struct Entries {
    const uint4 *indices;
    const u32 *values;
};

// A word of the row of X that an index names. With FRESH, rows of X may have been written by this launch.
template <bool FRESH>
__device__ __forceinline__ Word at(const uint4 *x, u32 index) {
    const uint4 *from = x + (u64)(index & ~FLAG) * PIECES;
    Word word;
    word.whole = FRESH ? *from : __ldg(from);
    return word;
}

// The values of a group of entries.
struct Values {
    Value of[4];
};

__device__ __forceinline__ Values values_of(const u32 *values, u64 group) {
    Values found;
#if LANE == 64
#pragma unroll
    for (int k = 0; k < 4; k++) found.of[k] = __ldg((const u64 *)values + 4 * group + k);
#else
    const uint4 all = __ldg((const uint4 *)values + group);
    found.of[0] = all.x, found.of[1] = all.y, found.of[2] = all.z, found.of[3] = all.w;
#endif
    return found;
}

template <bool SIGN>
__device__ __forceinline__ void add(Sums &sums, const Word &word, u32 index, const Values &values, int k) {
    if constexpr (SIGN) {
#if SIGNS
        sums.sign(word, (int)index >> 31 | 1);
#endif
    } else {
#if VALUES
        sums.value(word, values.of[k]);
#endif
    }
}

// The entries of one kind of a row, of which the first four indices are known: `count` of them, in groups of four that are 32 apart.
template <bool SIGN, bool FRESH>
__device__ __forceinline__ void entries(Sums &sums, const uint4 *x, const Entries &of, u64 group, u32 count, uint4 j) {
#pragma unroll 1
    for (u32 left = count; left; group += 32) {
        // Indices of the next group, values and rows of this one are asked for before any of them is waited for.
        uint4 next = j;
        if (left > 4) next = __ldg(of.indices + group + 32);
        Values values = {};
        if constexpr (!SIGN) values = values_of(of.values, group);
        Word a, b = {}, c = {}, d = {};
        a = at<FRESH>(x, j.x);
        if (left > 1) b = at<FRESH>(x, j.y);
        if (left > 2) c = at<FRESH>(x, j.z);
        if (left > 3) d = at<FRESH>(x, j.w);
        add<SIGN>(sums, a, j.x, values, 0);
        if (left > 1) add<SIGN>(sums, b, j.y, values, 1);
        if (left > 2) add<SIGN>(sums, c, j.z, values, 2);
        if (left > 3) add<SIGN>(sums, d, j.w, values, 3);
        left -= left < 4 ? left : 4;
        j = next;
    }
}

struct Matrix {
    const u32 *targets, *lengths, *bases, *indices, *value_bases, *value_indices, *values;
};

// What is known of the row in a slot before rows of X are read: also its first indices.
struct Row {
    u32 target;
    uint2 length;
    u64 signs, others;
    uint4 first_signs, first_others;
};

__device__ __forceinline__ Row find(const Matrix &a, u32 slot) {
    Row row = {};
    row.target = __ldg(a.targets + slot);
    row.length = __ldg((const uint2 *)a.lengths + slot);
#if SIGNS
    row.signs = (u64)__ldg(a.bases + slot / 32) * 32 + slot % 32;
    if (row.length.x) row.first_signs = __ldg((const uint4 *)a.indices + row.signs);
#endif
#if VALUES
    row.others = (u64)__ldg(a.value_bases + slot / 32) * 32 + slot % 32;
    if (row.length.y) row.first_others = __ldg((const uint4 *)a.value_indices + row.others);
#endif
    return row;
}

// One word of a row; also written to the same place of `others`, if there are any.
template <bool SCALED, bool FRESH>
__device__ __forceinline__ void word(const uint4 *x, uint4 *y, const Matrix &a, const u32 *diagonal, const Row &row, u32 piece,
                                     const u64 *others = nullptr) {
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
    const u64 place = (u64)target * PIECES + piece;
    const uint4 sum = reduced<SCALED>(sums, diagonal, target);
    y[place] = sum;
    if (others) {
        const u64 count = __ldg(others);
        for (u64 k = 1; k <= count; k++) ((uint4 *)__ldg(others + k))[place] = sum;
    }
}

template <bool SCALED>
__device__ __forceinline__ void rows(const uint4 *x, uint4 *y, const Matrix &a, const u32 *diagonal, u32 first, u32 slots,
                                     const u64 *others = nullptr) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    const u64 number = thread / PIECES;
    if (number < slots) word<SCALED, false>(x, y, a, diagonal, find(a, first + (u32)number), (u32)(thread % PIECES), others);
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
product_shared(const u32 *__restrict__ x, u32 *__restrict__ y, MATRIX, const u32 *__restrict__ diagonal, const u64 *__restrict__ others,
               u32 first, u32 slots) {
    rows<true>((const uint4 *)x, (uint4 *)y, THE_MATRIX, diagonal, first, slots, others);
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
    if (own < end - begin) ahead = find(a, begin + own);
    for (u32 range = first; range < last; range++) {
        const Row row = ahead;
        const u32 after = range + 1 < last ? __ldg(starts + range + 2) : end;
        if (own < after - end) ahead = find(a, end + own);
        if (own < end - begin) word<false, true>((const uint4 *)x, (uint4 *)x, a, nullptr, row, piece);
        for (u64 k = threadIdx.x + CHAIN; k < (u64)(end - begin) * PIECES; k += CHAIN)
            word<false, true>((const uint4 *)x, (uint4 *)x, a, nullptr, find(a, begin + (u32)(k / PIECES)), (u32)(k % PIECES));
        begin = end, end = after;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
scatter(u32 *__restrict__ x, const u32 *__restrict__ rows, const u32 *__restrict__ lanes, const u64 *__restrict__ residues, u32 count,
        u32 keep) {
    const u32 k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= count) return;
#if LANE == 1
    u32 *at = x + (u64)rows[k] * (WIDTH / 32) + lanes[k] / 32;
    const u32 bit = 1u << (lanes[k] % 32);
    if (keep && residues[k]) atomicOr(at, bit);
    else atomicAnd(at, ~bit);
#else
    ((Lane *)x)[(u64)rows[k] * WIDTH + lanes[k]] = keep ? (Lane)residues[k] : (Lane)0;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
columns(u32 *__restrict__ x, u32 *__restrict__ part, u32 words, u64 count, u32 back) {
    const u64 k = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (k >= count) return;
    u32 *at = x + k / words * (4 * PIECES) + k % words;
    if (back) part[k] = *at;
    else *at = part[k];
}

#if DEGREE > 1 && LANE == 1
// Each element of row i, DEGREE bits, times the matrix of row i, a mask for each of its rows, in place: a thread for each row, whose bits
// stream through it.
extern "C" __global__ void __launch_bounds__(THREADS)
digits(u32 *__restrict__ y, const u64 *__restrict__ matrices, u32 rows) {
    const u64 i = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows) return;
    const u32 *masks = (const u32 *)matrices + i * DEGREE;
    u32 mask[DEGREE];
#pragma unroll
    for (int d = 0; d < DEGREE; d++) mask[d] = __ldg(masks + d);
    u32 *row = y + i * (WIDTH / 32);
    // Bits that have been read and not been used, bits that have not been written, and how many.
    u64 ahead = 0, made = 0;
    u32 read = 0, known = 0, kept = 0, written = 0;
#pragma unroll 1
    for (u32 element = 0; element < S; element++) {
        if (known < DEGREE) ahead |= (u64)row[read++] << known, known += 32;
        u32 image = 0;
#pragma unroll
        for (int d = 0; d < DEGREE; d++) image ^= mask[d] & (0u - (u32)(ahead >> d & 1));
        ahead >>= DEGREE, known -= DEGREE;
        made |= (u64)image << kept, kept += DEGREE;
        if (kept >= 32) row[written++] = (u32)made, made >>= 32, kept -= 32;
    }
    // Padding is zeros.
    if (kept) row[written] = (u32)made;
}
#elif DEGREE > 1
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
