// Residues of dense matrices mod P < 2^32, and their digits: what the kernels on such matrices have in common.
//
// A matrix is row-major, with a stride that is a multiple of 16 bytes; what a row has beyond its columns is 0. problem.cuh
// (src/dense/cuda/source.rs) has
//   P           the modulus                    LANE      bits of a residue: 8, 16, 32, the fewest that hold p - 1
//   DIGITS      1, 2 or 4: P <= 256^DIGITS     HOPPER    1: products by wgmma of sm_90a; 0: by mma.sync

#pragma once
#include "words.cuh"

// Residues of 16 bytes.
#define LANES (128 / LANE)
// No row, no column.
#define NONE 0xffffffffu

union Word {
    uint4 whole;
    u32 part[4];
    Lane lane[LANES];
};

__device__ __forceinline__ u32 product_mod(u32 a, u32 b) {
#if LANE == 32
    return (u32)((u64)a * b % P);
#else
    return a * b % (u32)P;
#endif
}

// x + a b: P (P - 1) at most, which fits.
__device__ __forceinline__ u32 sum_product_mod(u32 x, u32 a, u32 b) {
#if LANE == 32
    return (u32)(((u64)a * b + x) % P);
#else
    return (a * b + x) % (u32)P;
#endif
}

__device__ __forceinline__ u32 sum_mod(u32 a, u32 b) {
    u32 rest = (u32)P - b;
    return a >= rest ? a - rest : a + b;
}

// a - b.
__device__ __forceinline__ u32 difference_mod(u32 a, u32 b) { return a >= b ? a - b : a + ((u32)P - b); }

__device__ __forceinline__ u32 negative_mod(u32 a) { return a ? (u32)P - a : 0; }

// 1 / a, by Fermat.
__device__ __forceinline__ u32 inverse_mod(u32 a) {
    u32 result = 1;
#pragma unroll 1
    for (u32 e = (u32)P - 2; e; e >>= 1, a = product_mod(a, a))
        if (e & 1) result = product_mod(result, a);
    return result;
}

// A number of DIGITS digits from -128 to 127 that is congruent to the residue x: its digits as bytes, the lowest first.
__device__ __forceinline__ u32 digits_of(u32 x) {
    const u32 ones = DIGITS == 4 ? 0x01010101u : DIGITS == 2 ? 0x0101u : 0x01u;
    const u32 mask = 0xffu * ones;
    const u32 centred = x > 127u * ones ? x - (u32)P : x;
    return (((centred + 128u * ones) & mask) ^ (128u * ones)) & mask;
}
