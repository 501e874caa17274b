// Products with the transpose of a matrix from the storage of the matrix itself (sparse.cu): each entry adds to a row of sums, atomically.
//
// Words of rows are made one after the other, so that a row has the sums of one word: SUMS numbers of 64 bits. What a map computes on its way
// (rows of X behind its own) has rows of sums, too: groups are taken from the last to the first, so that such a row is known when its entries
// are added to others.
//
// Constants of problem.cuh beside those of block.cuh: SIGNS, VALUES (sparse.cu).
//
// Exactness: a row of sums has fewer than 2^31 terms. Mod P < 2^16 a term is a product below 2^32, with a sign; mod P < 2^32 it is a residue;
// from there on its halves of 32 bits are summed apart: less than 2^63 in all. Residues do not depend on the order in which atomics come.
//
// Launch contract: THREADS threads per block, in x alone. `sums` has SUMS numbers for each row that entries name, 0 before the first launch of
// a product and after the last.
//   push     a thread for each of `slots` slots from `first` on and each of LANES residues: adds the word `piece` of the rows of X that the slots'
//       targets name; where `inner`, of their rows of sums instead, which become 0.
//   gather   a thread for each of `rows` rows and LANES residues: the word `piece` of Y, and 0 for the sums.
//   gather_scaled   the same, times the diagonal.

#include "block.cuh"

#define FLAG 0x80000000u
#if LANE == 1
// Bits of 64 at a time.
#define PARTS 2
#define SUMS 2
#elif LANE == 64
#define PARTS LANES
#define SUMS (2 * LANES)
#else
#define PARTS LANES
#define SUMS LANES
#endif

// A part of a word: a residue, or 64 of them mod 2.
__device__ __forceinline__ u64 part_of(const u32 *block, u64 row, u32 piece, u32 l) {
#if LANE == 1
    return __ldg((const u64 *)block + (row * PIECES + piece) * PARTS + l);
#else
    return residue_at(block, WIDTH, row, piece * LANES + l);
#endif
}

// What has been added up, which becomes 0.
__device__ __forceinline__ u64 take(u64 *sums, u64 row, u32 l) {
    u64 *at = sums + row * SUMS;
#if LANE == 64
    const u64 low = at[2 * l], high = at[2 * l + 1];
    at[2 * l] = at[2 * l + 1] = 0;
    return residue_times(((u128)high << 32) + low, R2);
#else
    const u64 sum = at[l];
    at[l] = 0;
#if LANE == 1
    return sum;
#elif LANE == 32
    return sum % P;
#else
    const i64 rest = (i64)sum % (i64)P;
    return rest < 0 ? rest + (i64)P : rest;
#endif
#endif
}

__device__ __forceinline__ void add(u64 *sums, u64 row, u32 l, u64 x, u64 value, bool minus) {
    u64 *at = sums + row * SUMS;
#if LANE == 1
    if (value & 1) atomicXor(at + l, x);
#elif LANE == 64
    u64 term = value == 1 ? x : product_mod(value, x);
    if (minus && term) term = P - term;
    atomicAdd(at + 2 * l, term & 0xffffffffull);
    atomicAdd(at + 2 * l + 1, term >> 32);
#elif LANE == 32
    u64 term = value * x % P;
    atomicAdd(at + l, minus && term ? P - term : term);
#else
    const u64 term = value * x;
    atomicAdd(at + l, minus ? 0 - term : term);
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
push(const u32 *__restrict__ x, u64 *sums, const u32 *__restrict__ targets, const u32 *__restrict__ lengths, const u32 *__restrict__ bases,
     const u32 *__restrict__ indices, const u32 *__restrict__ value_bases, const u32 *__restrict__ value_indices,
     const u32 *__restrict__ values, u32 first, u32 slots, u32 which) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    const u32 number = (u32)(thread / PARTS), l = thread % PARTS, piece = which >> 1;
    if (number >= slots) return;
    const u32 slot = first + number, target = targets[slot];
    if (target == ~0u) return;
    const u64 part = which & 1 ? take(sums, target, l) : part_of(x, target, piece, l);
    if (part == 0) return;
#if SIGNS
    for (u32 e = 0; e < lengths[2 * slot]; e++) {
        const u32 index = indices[((u64)(bases[slot / 32] + e / 4) * 32 + slot % 32) * 4 + e % 4];
        add(sums, index & ~FLAG, l, part, 1, index >> 31);
    }
#endif
#if VALUES
    for (u32 e = 0; e < lengths[2 * slot + 1]; e++) {
        const u64 at = ((u64)(value_bases[slot / 32] + e / 4) * 32 + slot % 32) * 4 + e % 4;
        add(sums, value_indices[at] & ~FLAG, l, part, ((const Value *)values)[at], false);
    }
#endif
}

template <bool SCALED>
__device__ __forceinline__ void gather_word(u32 *y, u64 *sums, const u32 *diagonal, u32 rows, u32 piece) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x;
    const u64 row = thread / PARTS;
    const u32 l = thread % PARTS;
    if (row >= rows) return;
    u64 part = take(sums, row, l);
#if LANE == 1
    if (SCALED && !(diagonal[row] & 1)) part = 0;
    ((u64 *)y)[(row * PIECES + piece) * PARTS + l] = part;
#else
#if LANE == 64
    if (SCALED) part = residue_times(part, ((const u64 *)diagonal)[row]);
#else
    if (SCALED) part = part * diagonal[row] % P;
#endif
    ((Lane *)y)[row * WIDTH + piece * LANES + l] = (Lane)part;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
gather(u32 *__restrict__ y, u64 *__restrict__ sums, u32 rows, u32 piece) {
    gather_word<false>(y, sums, nullptr, rows, piece);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gather_scaled(u32 *__restrict__ y, u64 *__restrict__ sums, const u32 *__restrict__ diagonal, u32 rows, u32 piece) {
    gather_word<true>(y, sums, diagonal, rows, piece);
}
