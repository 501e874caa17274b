// Blocks of vectors mod p on a GPU, and residues: what all kernels on such blocks have in common.
//
// A block is row-major; a row has PIECES words of 16 bytes (uint4), filled up with zero residues. problem.cuh (src/spmv/cuda/source.rs) has
//   P           the modulus                    LANE      bits of a residue: 1, 8, 16, 32, 64, the fewest that hold p - 1
//   PIECES      words of a row                 THREADS   threads of a block of threads, in x alone
//   P_INVERSE, R2   LANE 64: -1/P mod 2^64 and 2^128 mod P
//   S, DEGREE   a row holds S elements of the field of P^DEGREE elements, by their digits

#pragma once
#include "words.cuh"

#define WIDTH (PIECES * 128 / LANE)
#define LANES (128 / LANE)

#if LANE == 64
typedef unsigned __int128 u128;
typedef __int128 i128;
typedef u64 Value;

// x / 2^64 mod P for x < P 2^64, by Montgomery.
__device__ __forceinline__ u64 shifted(u128 x) {
    u64 m = (u64)x * P_INVERSE;
    u64 r = (u64)((x + (u128)m * P) >> 64);
    return r >= P ? r - P : r;
}

// x c / 2^128 mod P, c < P: x mod P for c = R2.
__device__ __forceinline__ u64 residue_times(u128 x, u64 c) {
    u64 high = (u64)(x >> 64) % P;
    return shifted((u128)shifted(((u128)high << 64) | (u64)x) * c);
}

__device__ __forceinline__ u64 product_mod(u64 a, u64 b) { return residue_times((u128)a * b, R2); }
#else
typedef u32 Value;

__device__ __forceinline__ u64 product_mod(u64 a, u64 b) { return a * b % P; }
#endif

union Word {
    uint4 whole;
    u32 part[4];
#if LANE > 1
    Lane lane[LANES];
#endif
};

// A residue of a block whose rows have `width` residues with their padding.
__device__ __forceinline__ u64 residue_at(const u32 *block, u32 width, u64 row, u32 column) {
#if LANE == 1
    return __ldg(block + row * (width / 32) + column / 32) >> (column % 32) & 1;
#else
    return __ldg((const Lane *)block + row * width + column);
#endif
}
