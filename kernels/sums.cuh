// Sums of a row: what all products with sparse matrices have in common.
//
// Constants of problem.cuh beside those of block.cuh:
//   SIGNS, VALUES   whether there are entries ±1, and others   LONGEST   the most entries of a row
//   CARRY           LANE 32: whether a sum of LONGEST products may exceed 64 bits
//
// Exactness: see `sums_are_exact` of src/spmv/cuda/source.rs, line by line.

#pragma once
#include "block.cuh"

#define FLAG 0x80000000u

// The sums of a word of a row.
#if LANE == 1
struct Sums {
    Word sum;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < 4; i++) sum.part[i] = 0;
    }
    __device__ __forceinline__ void sign(const Word &x, int) {
#pragma unroll
        for (int i = 0; i < 4; i++) sum.part[i] ^= x.part[i];
    }
    // All entries mod 2 are 1, or zeros that somebody has written down.
    __device__ __forceinline__ void value(const Word &x, Value v) {
        if (v & 1) sign(x, 1);
    }
};
#elif LANE == 8
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

// The sums, reduced; with SCALED times the entry `target` of a diagonal.
template <bool SCALED>
__device__ __forceinline__ uint4 reduced(const Sums &sums, const u32 *diagonal, u32 target) {
    Word out;
#if LANE == 1
    out = sums.sum;
    if constexpr (SCALED) {
        if (!(__ldg(diagonal + target) & 1)) out.whole = make_uint4(0, 0, 0, 0);
    }
#elif LANE == 64
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
    return out.whole;
}
