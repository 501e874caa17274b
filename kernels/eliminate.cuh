// Elimination of an M x N matrix mod P by the first warps of a block, a step of M-Basis: included by basis.cu and pairs.cu.
//
// Row r, as it changes, is R_r + sum_j f_rj R_j over the pivots j so far, R_j as they were. A pivot, divided by its entry in column c, is
// subtracted from later rows; column c has no other use from then on and holds f_rj. A row without an entry outside the pivots' columns is
// no pivot: R_r = -sum_j f_rj R_j. Warps hold the rows in registers, a column or more for each lane; the next row goes through shared
// memory, so that one barrier of these warps separates two rows.

#pragma once
#include "words.cuh"

#define WARPS (THREADS / 32)
#define ALL 0xffffffffu
// Chunks of a row of an M x N matrix, and the columns that fill them.
#define CHUNKS ((N + 31) / 32)
#define N_WARP (CHUNKS * 32)
// Warps that eliminate, and the rows that each of them holds.
#define ELIMINATORS 8
#define OWN ((M + ELIMINATORS - 1) / ELIMINATORS)

// x mod P, x below 2^63: the quotient is right or one too small.
__device__ __forceinline__ u32 residue(u64 x) {
    const u32 r = x - __umul64hi(x, ~0ull / P) * P;
    return min(r, r - (u32)P);
}

// x + a b mod P for residues.
__device__ __forceinline__ u32 sum_with_product(u32 x, u32 a, u32 b) {
#if P < 0x10000
    // Less than P^2, and the quotient is right or one too small.
    const u32 sum = x + a * b, r = sum - __umulhi(sum, (u32)((1ull << 32) / P)) * (u32)P;
    return min(r, r - (u32)P);
#else
    return residue(x + (u64)a * b);
#endif
}

// 1/a mod P, a from 1 on; `inverses`, for LANE 16: of the residues up to P / 2, two in a word.
__device__ __forceinline__ u32 inverse(const u32 *__restrict__ inverses, u32 a) {
#if LANE == 16
    const bool high = a > P / 2;
    const u32 b = ((const u16 *)inverses)[high ? (u32)P - a : a];
    return high ? (u32)P - b : b;
#else
    u32 power = 1, square = a;
#pragma unroll 1
    for (u32 e = P - 2; e > 0; e >>= 1) {
        if (e & 1) power = residue((u64)power * square);
        square = residue((u64)square * square);
    }
    return power;
#endif
}

// Where the warps that eliminate wait for each other: a barrier in shared memory at which all their threads arrive. A named barrier ("bar.sync
// 1") would do, and does where there is nothing else, but racecheck takes it for one of all warps, and then what others wrote before the next
// barrier of all for races.
struct Meeting {
    u32 barrier, phase;

    __device__ __forceinline__ explicit Meeting(const u64 &place) : barrier((u32)__cvta_generic_to_shared(&place)), phase(0) {}
    // By one thread, before a barrier of all.
    __device__ __forceinline__ void prepare() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "n"(ELIMINATORS * 32) : "memory");
#endif
    }
    __device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ >= 800
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(barrier) : "memory");
        u32 done;
        do {
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(barrier), "r"(phase)
                         : "memory");
        } while (!done);
        phase ^= 1;
#else
        asm volatile("bar.sync 1, %0;" ::"n"(ELIMINATORS * 32) : "memory");
#endif
    }
};

// x's element in this column.
__device__ __forceinline__ u32 element(const u32 (&x)[CHUNKS], u32 column) {
    u32 found = 0;
#pragma unroll
    for (u32 h = 0; h < CHUNKS; h++) {
        const u32 here = __shfl_sync(ALL, x[h], column % 32);
        if (column / 32 == h) found = here;
    }
    return found;
}

// By warps below ELIMINATORS: residues load(r, c), the rows in order; pivot(r, c) by one thread for each; store(r, c, x) at the end. Returns
// the number of pivots.
template <class Load, class Pivot, class Store>
__device__ __forceinline__ u32 eliminate(Meeting &meeting, u32 (&next)[2][N_WARP], const u32 *__restrict__ inverses, u32 warp, u32 lane, Load load,
                                         Pivot pivot, Store store) {
    u32 x[OWN][CHUNKS], count = 0, taken[CHUNKS] = {};
#pragma unroll
    for (u32 t = 0; t < OWN; t++) {
        const u32 i = warp + ELIMINATORS * t;
#pragma unroll
        for (u32 h = 0; h < CHUNKS; h++) {
            const u32 c = h * 32 + lane;
            x[t][h] = i < M && c < N ? load(i, c) : 0;
            if (i == 0) next[0][c] = x[t][h];
        }
    }
    for (u32 r = 0; r < M && count < N; r++) {
        meeting.wait();
        u32 y[CHUNKS], column = N;
#pragma unroll
        for (u32 h = CHUNKS; h-- > 0;) {
            y[h] = next[r % 2][h * 32 + lane];
            const u32 mask = __ballot_sync(ALL, y[h] != 0) & ~taken[h];
            if (mask) column = h * 32 + __ffs(mask) - 1;
        }
        const bool found = column < N;
        if (found) {
            const u32 factor = inverse(inverses, element(y, column));
#pragma unroll
            for (u32 h = 0; h < CHUNKS; h++) {
                const bool here = h * 32 + lane == column;
                y[h] = here ? factor : sum_with_product(0, y[h], factor);
                if (column / 32 == h) taken[h] |= 1u << column % 32;
            }
            count++;
            if (warp == ELIMINATORS - 1 && lane == 0) pivot(r, column);
        }
#pragma unroll
        for (u32 t = 0; t < OWN; t++) {
            const u32 i = warp + ELIMINATORS * t;
            if (i <= r || i >= M) continue;
            if (found) {
                const u32 b = element(x[t], column), minus = b ? (u32)P - b : 0;
#pragma unroll
                for (u32 h = 0; h < CHUNKS; h++) x[t][h] = sum_with_product(h * 32 + lane == column ? 0 : x[t][h], minus, y[h]);
            }
            if (i == r + 1) {
#pragma unroll
                for (u32 h = 0; h < CHUNKS; h++) next[i % 2][h * 32 + lane] = x[t][h];
            }
        }
    }
    meeting.wait();
#pragma unroll
    for (u32 t = 0; t < OWN; t++) {
        const u32 i = warp + ELIMINATORS * t;
#pragma unroll
        for (u32 h = 0; h < CHUNKS; h++) {
            if (i < M && h * 32 + lane < N) store(i, h * 32 + lane, x[t][h]);
        }
    }
    return count;
}
