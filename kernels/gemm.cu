// Products of dense matrices mod P on int8 tensor cores: C = A B and C += A B, exact.
//
// A residue is a number of L = DIGITS digits from -128 to 127 to the base 256. With b = sum_j 256^j b_j
//   a b = sum_j (256^j a) b_j = sum_i 256^i sum_j (digit i of 256^j a mod P) b_j,
// so that a product mod P is one of int8 matrices with L rows, planes, for each row of A, and L L products for each pair of residues.
// The depth has the bytes (t, j) of term t. Sums of k terms are at most k L 2^14 in size, which has to stay below 2^31
// (`terms` in src/dense/cuda/source.rs).
//
// Packed operands: STEP = 128 bytes of the depth at a time; for each such step all rows of A (planes in turn for 8 rows each), or all
// columns of B, with 128 bytes each. Piece c of 16 bytes of a row r lies at c ^ (r % 8): the order in which tensor cores read shared
// memory without conflicts, so that tiles are copied as they are.
//
// Launch contract: sizes of packed operands are multiples: a_rows of 128 (rows L), b_cols of 256. C and its stride are aligned to 16 bytes.
//   pack_a   256 threads per block, a thread for each piece: steps * 8 * a_rows / L. Terms begin … end of `rows` rows, zeros
//       beyond. `negative`: of -A. `columns`, if `gathered`, names the column of each term.
//   pack_b   256 threads per block, a block for each step and 64 columns. Terms likewise; `lines`, if `gathered`, names the row of each term.
//   multiply     THREADS threads per block, any number of blocks; SHARED bytes of dynamic shared memory. C has `rows` rows and `cols`
//       columns, rounded up to 16 bytes. `add`: C += A B.

#include "dense.cuh"

// Bytes of the depth in a step, pieces, terms of a piece and of a step.
#define STEP 128
#define TERMS (16 / DIGITS)
#define STEP_TERMS (STEP / DIGITS)

extern "C" __global__ void __launch_bounds__(256)
pack_a(uint4 *__restrict__ to, const Lane *__restrict__ from, u64 offset, u32 stride, const u32 *__restrict__ columns, u32 gathered,
       u32 rows, u32 begin, u32 end, u32 a_rows, u32 steps, u32 negative) {
    const u64 thread = (u64)blockIdx.x * 256 + threadIdx.x;
    const u32 height = a_rows / DIGITS, piece = thread % 8;
    const u32 row = thread / 8 % height, step = thread / 8 / height;
    if (step >= steps) return;
    u32 words[DIGITS][4] = {};
    if (row < rows) {
        const Lane *line = from + offset + (u64)row * stride;
        const u32 first = begin + (step * 8 + piece) * TERMS;
#pragma unroll
        for (u32 t = 0; t < TERMS; t++) {
            u32 a = 0;
            if (first + t < end) a = line[gathered ? columns[first + t] : first + t];
            if (negative) a = negative_mod(a);
#pragma unroll
            for (u32 j = 0; j < DIGITS; j++) {
                const u32 digits = digits_of(a), byte = t * DIGITS + j;
#pragma unroll
                for (u32 i = 0; i < DIGITS; i++) words[i][byte / 4] |= (digits >> (8 * i) & 0xff) << (8 * (byte % 4));
                if (j + 1 < DIGITS) a = product_mod(a, 256 % P);
            }
        }
    }
#pragma unroll
    for (u32 i = 0; i < DIGITS; i++) {
        const u32 packed = row / 8 * (8 * DIGITS) + 8 * i + row % 8;
        to[((u64)step * a_rows + packed) * 8 + (piece ^ (packed % 8))] = make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
    }
}

extern "C" __global__ void __launch_bounds__(256)
pack_b(uint4 *__restrict__ to, const Lane *__restrict__ from, u64 offset, u32 stride, const u32 *__restrict__ lines, u32 gathered,
       u32 begin, u32 end, u32 cols, u32 b_cols, u32 steps) {
    __shared__ Lane tile[STEP_TERMS][64 + 32 / sizeof(Lane) / 8];
    const u32 bands = b_cols / 64, step = blockIdx.x / bands, left = blockIdx.x % bands * 64;
    for (u32 k = threadIdx.x; k < STEP_TERMS * 64; k += 256) {
        const u32 t = begin + step * STEP_TERMS + k / 64, col = left + k % 64;
        Lane x = 0;
        if (t < end && col < cols) x = from[offset + (u64)(gathered ? lines[t] : t) * stride + col];
        tile[k / 64][k % 64] = x;
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < 512; k += 256) {
        const u32 piece = k % 8, col = k / 8;
        u32 words[4] = {};
#pragma unroll
        for (u32 t = 0; t < TERMS; t++) {
            const u32 byte = t * DIGITS;
            words[byte / 4] |= digits_of(tile[piece * TERMS + t][col]) << (8 * (byte % 4));
        }
        to[((u64)step * b_cols + left + col) * 8 + (piece ^ (col % 8))] = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

// S mod P for any S of 32 bits.
__device__ __forceinline__ u32 residue(int s) {
    const int r = s % (int)(P < 0x80000000u ? P : 1);
    return r < 0 ? r + (u32)P : r;
}

// (S0 + 256 S1) TIMES mod P; TIMES is 1, or 2^16 for residues of 32 bits.
template <int TIMES>
__device__ __forceinline__ u32 residue(int s0, int s1) {
#if LANE == 32
    // Less than 2^56 in size, and P > 2^16: the quotient, below 2^40, is right or one off.
    const i64 s = ((i64)s1 * 256 + s0) * TIMES;
    const i64 r = s - __double2ll_rd((double)s * (1.0 / P)) * (i64)P;
    return (u32)(r < 0 ? r + (i64)P : r >= (i64)P ? r - (i64)P : r);
#else
    return (residue(s1) * 256 + residue(s0)) % (u32)P;
#endif
}

// Rows of 8-row groups in the tile of C of a block, and residues of a row with a gap against conflicts of banks.
#define TILE_ROWS (128 / DIGITS)
#define GAP (16 / sizeof(Lane))

// What 16 packed rows make of the sums s of rows g and g + 8 in columns col and col + 1: s[0] and s[1], residues of row g, from the planes 0
// and 1; or s[2] and s[3] as well, of row g + 8, if rows are planes. Of four planes, odd strips of rows have 2 and 3.
#define REDUCE(strip, s)                                                                                                      \
    {                                                                                                                          \
        if (DIGITS == 1) {                                                                                                     \
            (s)[0] = residue((s)[0]), (s)[1] = residue((s)[1]), (s)[2] = residue((s)[2]), (s)[3] = residue((s)[3]);            \
        } else if (DIGITS == 4 && (strip) % 2) {                                                                               \
            (s)[0] = residue<65536>((s)[0], (s)[2]), (s)[1] = residue<65536>((s)[1], (s)[3]);                                  \
        } else {                                                                                                               \
            (s)[0] = residue<1>((s)[0], (s)[2]), (s)[1] = residue<1>((s)[1], (s)[3]);                                          \
        }                                                                                                                      \
    }

// These residues to the tile; of four planes in two passes, even strips first.
#define PUT(pass, strip, g, col, width, s)                                                                                    \
    {                                                                                                                          \
        Lane *at = tile + ((DIGITS == 1 ? 16 : 8) * (DIGITS == 4 ? (strip) / 2 : (strip)) + (g)) * (width + GAP) + (col);      \
        if (DIGITS == 1) {                                                                                                     \
            at[0] = (s)[0], at[1] = (s)[1];                                                                                    \
            at[8 * (width + GAP)] = (s)[2], at[8 * (width + GAP) + 1] = (s)[3];                                                \
        } else if (DIGITS == 2) {                                                                                              \
            *(u32 *)at = (s)[0] | (s)[1] << (LANE % 32);                                                                       \
        } else if ((strip) % 2 == (pass)) {                                                                                    \
            at[0] = pass ? sum_mod(at[0], (s)[0]) : (s)[0];                                                                    \
            at[1] = pass ? sum_mod(at[1], (s)[1]) : (s)[1];                                                                    \
        }                                                                                                                      \
    }

// The tile to C, by `threads` threads.
template <int WIDTH>
__device__ __forceinline__ void store(const Lane *tile, Lane *c, u32 stride, u32 rows, u32 cols, u32 row, u32 col, u32 add, u32 thread,
                                      u32 threads) {
    const u32 across = WIDTH / LANES;
    for (u32 k = thread; k < TILE_ROWS * across; k += threads) {
        const u32 i = k / across, j = k % across * LANES;
        if (row + i >= rows || col + j >= cols) continue;
        uint4 *at = (uint4 *)(c + (u64)(row + i) * stride + col + j);
        Word sum;
        sum.whole = *(const uint4 *)(tile + i * (WIDTH + GAP) + j);
        if (add) {
            Word old;
            old.whole = *at;
#pragma unroll
            for (u32 l = 0; l < LANES; l++) sum.lane[l] = sum_mod(sum.lane[l], old.lane[l]);
        }
        *at = sum.whole;
    }
}

// The place of a tile: GROUP tiles of rows at a time, so that what runs together reads the same.
#define GROUP 16
__device__ __forceinline__ void place(u32 number, u32 down, u32 across, u32 &row, u32 &col) {
    const u32 first = number / (GROUP * across) * GROUP, height = min(GROUP, down - first), rest = number % (GROUP * across);
    row = first + rest % height;
    col = rest / height;
}

__device__ __forceinline__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

#if HOPPER
// One warp group copies, two multiply, 64 packed rows by 256 columns each.
#define STAGES 4
#define WIDE 256
#define A_BYTES (128 * STEP)
#define STAGE_BYTES (A_BYTES + WIDE * STEP)
#define TILE_BYTES 34816

__device__ __forceinline__ void wait(u32 barrier, u32 phase) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}"
                 ::"r"(barrier), "r"(phase) : "memory");
}

__device__ __forceinline__ void copy(u32 to, const u8 *from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

// Rows of 128 bytes, pieces exchanged within eight rows.
__device__ __forceinline__ u64 descriptor(u32 address) {
    return (u64)(address >> 4 & 0x3fff) | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62;
}

#define FOUR(i) "+r"(s[i]), "+r"(s[i + 1]), "+r"(s[i + 2]), "+r"(s[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// s += A B (s = A B unless `add`) for 32 bytes of the depth.
__device__ __forceinline__ void wgmma(int (&s)[128], u64 a, u64 b, u32 add) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\nwgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, p;\n}"
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48),
          SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)
        : "l"(a), "l"(b), "r"(add));
}

extern "C" __global__ void __launch_bounds__(384, 1)
multiply(const u8 *__restrict__ a, const u8 *__restrict__ b, Lane *__restrict__ c, u64 offset, u32 stride, u32 rows, u32 cols, u32 steps,
         u32 a_rows, u32 b_cols, u32 add) {
    extern __shared__ __align__(1024) u8 shared[];
    Lane *tile = (Lane *)(shared + STAGES * STAGE_BYTES);
    const u32 stages = shared_address(shared), full = stages + STAGES * STAGE_BYTES + TILE_BYTES, empty = full + 8 * STAGES;
    const u32 group = threadIdx.x / 128, thread = threadIdx.x % 128;
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * i));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(empty + 8 * i));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    c += offset;
    const u32 down = (rows + TILE_ROWS - 1) / TILE_ROWS, across = (cols + WIDE - 1) / WIDE;
    u32 stage = 0, phase = 0;
    if (group == 0) {
        if (thread == 0) {
            for (u32 number = blockIdx.x; number < down * across; number += gridDim.x) {
                u32 row, col;
                place(number, down, across, row, col);
                const u8 *from_a = a + (u64)row * A_BYTES, *from_b = b + (u64)col * (WIDE * STEP);
                // Not unrolled: nvcc 13.0 loses the upper half of an address in the third step of the rest.
#pragma unroll 1
                for (u32 k = 0; k < steps; k++) {
                    const u32 at = stages + stage * STAGE_BYTES, barrier = full + 8 * stage;
                    wait(empty + 8 * stage, phase ^ 1);
                    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(STAGE_BYTES) : "memory");
                    copy(at, from_a, A_BYTES, barrier);
                    copy(at + A_BYTES, from_b, WIDE * STEP, barrier);
                    from_a += (u64)a_rows * STEP, from_b += (u64)b_cols * STEP;
                    if (++stage == STAGES) stage = 0, phase ^= 1;
                }
            }
        }
        return;
    }
    int s[128];
    for (u32 number = blockIdx.x; number < down * across; number += gridDim.x) {
        u32 row, col, before = 0;
        place(number, down, across, row, col);
        for (u32 k = 0; k < steps; k++) {
            const u32 at = stages + stage * STAGE_BYTES;
            wait(full + 8 * stage, phase);
            const u64 first = descriptor(at + (group - 1) * (64 * STEP)), second = descriptor(at + A_BYTES);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (u32 i = 0; i < 4; i++) wgmma(s, first + 2 * i, second + 2 * i, k > 0 || i > 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            // The step before this one has been read.
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (k > 0 && thread == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + 8 * before) : "memory");
            before = stage;
            if (++stage == STAGES) stage = 0, phase ^= 1;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        // No sum is read before this.
#pragma unroll
        for (u32 i = 0; i < 128; i++) asm volatile("" : "+r"(s[i])::"memory");
        if (thread == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + 8 * before) : "memory");
        const u32 strip = (group - 1) * 4 + thread / 32, g = thread % 32 / 4;
#pragma unroll
        for (u32 j = 0; j < 32; j++) REDUCE(strip, s + 4 * j)
        for (u32 pass = 0; pass < (DIGITS == 4 ? 2 : 1); pass++) {
#pragma unroll
            for (u32 j = 0; j < 32; j++) PUT(pass, strip, g, 8 * j + 2 * (thread % 4), WIDE, s + 4 * j)
            asm volatile("bar.sync 1, 256;" ::: "memory");
        }
        store<WIDE>(tile, c, stride, rows, cols, row * TILE_ROWS, col * WIDE, add, threadIdx.x - 128, 256);
        asm volatile("bar.sync 1, 256;" ::: "memory");
    }
}
#else
// Eight warps, 64 packed rows by 32 columns each.
#define STAGES 3
#define WIDE 128
#define A_BYTES (128 * STEP)
#define STAGE_BYTES (A_BYTES + WIDE * STEP)

__device__ __forceinline__ void load(u32 *to, u32 stage, u32 row, u32 piece) {
    const u32 at = stage + row * STEP + ((piece ^ (row % 8)) << 4);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at) : "memory");
}

extern "C" __global__ void __launch_bounds__(256)
multiply(const u8 *__restrict__ a, const u8 *__restrict__ b, Lane *__restrict__ c, u64 offset, u32 stride, u32 rows, u32 cols, u32 steps,
         u32 a_rows, u32 b_cols, u32 add) {
    extern __shared__ __align__(1024) u8 shared[];
    Lane *tile = (Lane *)shared;
    const u32 stages = shared_address(shared), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u32 first = warp / 4 * 64, left = warp % 4 * 32;
    c += offset;
    const u32 down = (rows + TILE_ROWS - 1) / TILE_ROWS, across = (cols + WIDE - 1) / WIDE;
    for (u32 number = blockIdx.x; number < down * across; number += gridDim.x) {
        u32 row, col;
        place(number, down, across, row, col);
        int s[4][4][4] = {};
        auto begin = [&](u32 k) {
            if (k < steps) {
                const u8 *from_a = a + ((u64)k * a_rows + row * 128) * STEP, *from_b = b + ((u64)k * b_cols + col * WIDE) * STEP;
                const u32 at = stages + k % STAGES * STAGE_BYTES;
#pragma unroll
                for (u32 i = 0; i < STAGE_BYTES / 16 / 256; i++) {
                    const u32 byte = (i * 256 + threadIdx.x) * 16;
                    const u8 *from = byte < A_BYTES ? from_a + byte : from_b + (byte - A_BYTES);
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at + byte), "l"(from) : "memory");
                }
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
        };
        for (u32 k = 0; k + 1 < STAGES; k++) begin(k);
        for (u32 k = 0; k < steps; k++) {
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
            __syncthreads();
            begin(k + STAGES - 1);
            const u32 at = stages + k % STAGES * STAGE_BYTES;
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                u32 x[4][4], y[2][4];
#pragma unroll
                for (u32 r = 0; r < 4; r++) load(x[r], at, first + 16 * r + lane % 16, 2 * i + lane / 16);
#pragma unroll
                for (u32 q = 0; q < 2; q++) load(y[q], at + A_BYTES, left + 16 * q + lane / 16 * 8 + lane % 8, 2 * i + lane / 8 % 2);
#pragma unroll
                for (u32 r = 0; r < 4; r++)
#pragma unroll
                    for (u32 q = 0; q < 4; q++)
                        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                                     "{%0, %1, %2, %3};"
                                     : "+r"(s[r][q][0]), "+r"(s[r][q][1]), "+r"(s[r][q][2]), "+r"(s[r][q][3])
                                     : "r"(x[r][0]), "r"(x[r][1]), "r"(x[r][2]), "r"(x[r][3]), "r"(y[q / 2][q % 2 * 2]),
                                       "r"(y[q / 2][q % 2 * 2 + 1]));
            }
        }
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
#pragma unroll
        for (u32 r = 0; r < 4; r++)
#pragma unroll
            for (u32 q = 0; q < 4; q++) REDUCE(first / 16 + r, s[r][q])
        for (u32 pass = 0; pass < (DIGITS == 4 ? 2 : 1); pass++) {
#pragma unroll
            for (u32 r = 0; r < 4; r++)
#pragma unroll
                for (u32 q = 0; q < 4; q++) PUT(pass, first / 16 + r, lane / 4, left + 8 * q + 2 * (lane % 4), WIDE, s[r][q])
            __syncthreads();
        }
        store<WIDE>(tile, c, stride, rows, cols, row * TILE_ROWS, col * WIDE, add, threadIdx.x, 256);
        __syncthreads();
    }
}
#endif
