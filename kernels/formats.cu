// Products with sparse matrices in the formats of the source paper (section 2), to be compared with sliced ELL (sparse.cu).
//
// All entries are of one kind: +1 and -1, with the sign in the top bit of the index (SIGNS), or with values (VALUES). A thread makes one word of a
// row of Y, as in sparse.cu, unless said otherwise. NONE ends a row that is shorter than the format.
//
// Launch contract: THREADS threads per block, in x alone; indices are below the rows of X.
//   csr        a thread for each word of `rows` rows, whose entries are from starts[i] to starts[i + 1].
//   csr_warp   a warp for each row, PIECES <= 32: threads that make the same word share its entries.
//   ell        a thread for each word of a row; entry e of row i is at e * rows + i, e < width; NONE after the last.
//   ell_r      the same; row i has lengths[i] entries.
//   coo        a thread for each word and each CHUNK entries, by rows, in `which`: adds to `sums`, WIDTH numbers for each row, atomically.
//   coo_end    a thread for each word of a row: the sums, which become 0.
//   dia        a thread for each word of a row; diagonal d has the entry of row i at d * rows + i, in column i + offsets[d] if that is one; 0: none.
//       With SIGNS they are 1 and 2, for 1 and -1.

#include "sums.cuh"

#define NONE 0xffffffffu
#define CHUNK 32

__device__ __forceinline__ void entry(Sums &sums, const uint4 *x, u32 piece, u32 index, const u32 *values, u64 at) {
    Word word;
#if SIGNS
    word.whole = __ldg(x + (u64)(index & ~FLAG) * PIECES + piece);
    sums.sign(word, (int)index >> 31 | 1);
#else
    word.whole = __ldg(x + (u64)index * PIECES + piece);
    sums.value(word, __ldg((const Value *)values + at));
#endif
}

#define PLACE                                                                     \
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x, row = thread / PIECES; \
    const u32 piece = thread % PIECES;                                                 \
    if (row >= rows) return;                                                           \
    Sums sums;                                                                         \
    sums.clear();
#define STORE ((uint4 *)y)[row * PIECES + piece] = reduced<false>(sums, nullptr, 0);

extern "C" __global__ void __launch_bounds__(THREADS)
csr(const u32 *__restrict__ x, u32 *__restrict__ y, const u32 *__restrict__ starts, const u32 *__restrict__ indices,
    const u32 *__restrict__ values, u32 rows, u32 width) {
    PLACE
#pragma unroll 4
    for (u32 e = starts[row]; e < starts[row + 1]; e++) entry(sums, (const uint4 *)x, piece, __ldg(indices + e), values, e);
    STORE
}

#if PIECES <= 32 && LANE > 1
#define SHARED (32 / PIECES)

extern "C" __global__ void __launch_bounds__(THREADS)
csr_warp(const u32 *__restrict__ x, u32 *__restrict__ y, const u32 *__restrict__ starts, const u32 *__restrict__ indices,
         const u32 *__restrict__ values, u32 rows, u32 width) {
    __shared__ uint4 words[THREADS];
    const u32 row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32, piece = lane % PIECES, share = lane / PIECES;
    if (row >= rows) return;
    Sums sums;
    sums.clear();
    if (share < SHARED)
        for (u32 e = starts[row] + share; e < starts[row + 1]; e += SHARED)
            entry(sums, (const uint4 *)x, piece, __ldg(indices + e), values, e);
    words[threadIdx.x] = reduced<false>(sums, nullptr, 0);
    __syncwarp();
    if (share) return;
    Word all;
    all.whole = words[threadIdx.x];
    for (u32 s = 1; s < SHARED; s++) {
        Word more;
        more.whole = words[threadIdx.x + s * PIECES];
#pragma unroll
        for (int k = 0; k < LANES; k++) {
            const u64 sum = (u64)all.lane[k] + more.lane[k];
            all.lane[k] = (Lane)(sum >= P ? sum - P : sum);
        }
    }
    ((uint4 *)y)[(u64)row * PIECES + piece] = all.whole;
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
ell(const u32 *__restrict__ x, u32 *__restrict__ y, const u32 *__restrict__ lengths, const u32 *__restrict__ indices,
    const u32 *__restrict__ values, u32 rows, u32 width) {
    PLACE
    for (u32 e = 0; e < width; e++) {
        const u64 at = (u64)e * rows + row;
        const u32 index = __ldg(indices + at);
        if (index == NONE) break;
        entry(sums, (const uint4 *)x, piece, index, values, at);
    }
    STORE
}

extern "C" __global__ void __launch_bounds__(THREADS)
ell_r(const u32 *__restrict__ x, u32 *__restrict__ y, const u32 *__restrict__ lengths, const u32 *__restrict__ indices,
      const u32 *__restrict__ values, u32 rows, u32 width) {
    PLACE
    const u32 length = lengths[row];
#pragma unroll 4
    for (u32 e = 0; e < length; e++) {
        const u64 at = (u64)e * rows + row;
        entry(sums, (const uint4 *)x, piece, __ldg(indices + at), values, at);
    }
    STORE
}

extern "C" __global__ void __launch_bounds__(THREADS)
dia(const u32 *__restrict__ x, u32 *__restrict__ y, const u32 *__restrict__ offsets, const u32 *__restrict__ entries,
    const u32 *__restrict__ values, u32 rows, u32 width) {
    PLACE
    for (u32 d = 0; d < width; d++) {
        const u64 at = (u64)d * rows + row;
        const u32 column = (u32)row + offsets[d];
#if SIGNS
        const u32 kind = __ldg(entries + at);
        if (kind) entry(sums, (const uint4 *)x, piece, column | (kind == 2 ? FLAG : 0), values, at);
#else
        if (__ldg((const Value *)values + at)) entry(sums, (const uint4 *)x, piece, column, values, at);
#endif
    }
    STORE
}

#if LANE > 1 && LANE < 64
__device__ __forceinline__ void flush(Sums &sums, u64 *to, u32 row, u32 piece) {
    Word word;
    word.whole = reduced<false>(sums, nullptr, 0);
#pragma unroll
    for (int k = 0; k < LANES; k++) atomicAdd(to + (u64)row * WIDTH + piece * LANES + k, (u64)word.lane[k]);
    sums.clear();
}

extern "C" __global__ void __launch_bounds__(THREADS)
coo(const u32 *__restrict__ x, u64 *to, const u32 *__restrict__ which, const u32 *__restrict__ indices, const u32 *__restrict__ values,
    u32 nnz) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x, begin = thread / PIECES * CHUNK;
    const u32 piece = thread % PIECES;
    if (begin >= nnz) return;
    const u64 end = begin + CHUNK < nnz ? begin + CHUNK : nnz;
    Sums sums;
    sums.clear();
    u32 row = which[begin];
    for (u64 e = begin; e < end; e++) {
        if (which[e] != row) flush(sums, to, row, piece), row = which[e];
        entry(sums, (const uint4 *)x, piece, __ldg(indices + e), values, e);
    }
    flush(sums, to, row, piece);
}

extern "C" __global__ void __launch_bounds__(THREADS)
coo_end(u32 *__restrict__ y, u64 *__restrict__ to, u32 rows) {
    const u64 thread = (u64)blockIdx.x * THREADS + threadIdx.x, row = thread / PIECES;
    if (row >= rows) return;
    u64 *from = to + thread * LANES;
    Word word;
#pragma unroll
    for (int k = 0; k < LANES; k++) word.lane[k] = (Lane)(from[k] % P), from[k] = 0;
    ((uint4 *)y)[thread] = word.whole;
}
#endif
