// Gram matrices of blocks of vectors mod p on int8 tensor cores, exact: X^T D Z and Z^T D Z for a diagonal matrix D (src/sequence/gram.rs).
//
// A residue is a number of DIGITS digits from 0 to 255 to the base 256, the bytes that it is stored in, and a product of two residues
// sum_ij 256^(i + j) a_i b_j: sums for each i + j are kept in 32 bits, and put together mod P where a part of the rows ends.
//
// A block of threads takes a part of the rows for TILE columns of X and of Z, the left ones, and TILE columns of D Z, the right ones. Each of its
// threads brings four rows of four columns at a time, STEP rows in all, to shared memory: there are 3 TILE columns (X, Z, D Z) of each digit,
// and bytes of consecutive rows lie together, as tensor cores read them. Column c of a tile lies at c % 4 QUADS + c / 4, where threads of a
// warp write to different banks.
//
// Exactness: a sum has at most DIGITS products below 2^16 for each row: less than 2^32 for up to MOST_ROWS = 65536 / DIGITS rows of a part.
// The sums of parts are residues below 2^32, at most 2^32 of them.
//
// Constants of problem.cuh (src/sequence/cuda/gram.rs) beside those of block.cuh: TILE, 64 or 32. LANE is 8, 16 or 32, DEGREE 1.
//
// Launch contract:
//   gram    TEAM threads per block. Blocks: parts in x; in y, for each tile of left columns all tiles of right ones. Two BUFFERs of dynamic
//       shared memory. Rows `first` to `first` + `rows` - 1 of X, Z and `weights`, at most MOST_ROWS of a part. Adds to `sums`, which has
//       2 S S numbers for each `number`.
//   clear   THREADS threads per block; a thread for each of `count` numbers from number `first` on.

#include "block.cuh"

#define TEAM 256
#define DIGITS (LANE / 8)
#define SETS (2 * DIGITS - 1)
#define QUADS (TILE / 4)
#define GROUPS (TEAM / QUADS)
#define STEP (4 * GROUPS)
#define TILES ((WIDTH + TILE - 1) / TILE)

// Bytes from column to column, so that eight of them lie in different banks, and of all columns.
#define STRIDE (STEP + 16)
#define BUFFER (3 * TILE * DIGITS * STRIDE)

// Rows and columns of the product that a warp makes, of tiles of 16 rows and 8 columns.
#define PART (TILE / 2)
#define DOWN (PART / 16)
#define ACROSS (PART / 8)

static_assert(TILE == 64 || TILE == 32, "eight warps share a tile");

// Four residues of each of four rows: LANE / 8 words of four bytes a row.
struct Quads {
    u32 words[4][DIGITS];
};

__device__ __forceinline__ void load(Quads &to, const u32 *block, u64 row, u64 end, u32 quad) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const bool inside = row + i < end && quad < WIDTH / 4;
        const u32 *from = block + ((row + i) * (WIDTH / 4) + quad) * DIGITS;
#if DIGITS == 1
        to.words[i][0] = inside ? __ldg(from) : 0;
#elif DIGITS == 2
        const uint2 both = inside ? __ldg((const uint2 *)from) : make_uint2(0, 0);
        to.words[i][0] = both.x, to.words[i][1] = both.y;
#else
        const uint4 all = inside ? __ldg((const uint4 *)from) : make_uint4(0, 0, 0, 0);
        to.words[i][0] = all.x, to.words[i][1] = all.y, to.words[i][2] = all.z, to.words[i][3] = all.w;
#endif
    }
}

// Each row times its weight.
__device__ __forceinline__ Quads weighted(const Quads &of, const u32 *weights) {
    Quads to;
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int k = 0; k < DIGITS; k++) {
            u32 word = 0;
#pragma unroll
            for (int l = 0; l < 4 / DIGITS; l++) {
                const u32 residue = of.words[i][k] >> (l * LANE % 32) & (0xffffffffu >> (32 - LANE));
#if LANE == 32
                word = (u32)product_mod(residue, weights[i]);
#else
                word |= residue * weights[i] % (u32)P << (l * LANE);
#endif
            }
            to.words[i][k] = word;
        }
    }
    return to;
}

// Each digit of each column to its place, bytes of four rows at once.
__device__ __forceinline__ void put(unsigned char *shared, u32 matrix, const Quads &quads, u32 quad, u32 group) {
#pragma unroll
    for (int e = 0; e < 4; e++) {
#pragma unroll
        for (int d = 0; d < DIGITS; d++) {
            const int word = (e * DIGITS + d) / 4, byte = (e * DIGITS + d) % 4;
            const u32 pick = byte | (byte + 4) << 4;
            const u32 low = __byte_perm(quads.words[0][word], quads.words[1][word], pick);
            const u32 high = __byte_perm(quads.words[2][word], quads.words[3][word], pick);
            const u32 column = (matrix * DIGITS + d) * TILE + e * QUADS + quad;
            *(u32 *)(shared + column * STRIDE + 4 * group) = __byte_perm(low, high, 0x5410);
        }
    }
}

// Four matrices of 8 columns of 16 bytes; each thread of the warp names one of these columns.
__device__ __forceinline__ void matrices(u32 *to, u32 address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ __forceinline__ void multiply(u32 *sums, const u32 *a, const u32 *b) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(TEAM, 1)
gram(const u32 *__restrict__ x, const u32 *__restrict__ z, const u32 *__restrict__ weights, unsigned long long *__restrict__ sums, u32 first,
     u32 rows, u32 number) {
    extern __shared__ __align__(16) unsigned char shared[];
    const u32 quad = threadIdx.x % QUADS, group = threadIdx.x / QUADS;
    const u32 left = blockIdx.y / TILES, right = blockIdx.y % TILES;
    const u64 begin = first + (u64)rows * blockIdx.x / gridDim.x, end = first + (u64)rows * (blockIdx.x + 1) / gridDim.x;

    // This warp's columns: of X or of Z, and of D Z; what each thread names for `matrices`.
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u32 matrix = warp / 4, top = warp / 2 % 2 * PART, start = warp % 2 * PART;
    const u32 base = (u32)__cvta_generic_to_shared(shared);
    const u32 a_column = matrix * DIGITS * TILE + top + lane % 16, a_byte = lane / 16 * 16;
    const u32 b_column = 2 * DIGITS * TILE + start + lane % 8 + lane / 16 * 8, b_byte = lane / 8 % 2 * 16;

    u32 all[SETS][DOWN][ACROSS][4] = {};
    Quads of_x, of_z, of_right;
    u32 factors[4];
    const auto bring = [&](u64 row) {
        load(of_x, x, row, end, left * QUADS + quad);
        load(of_z, z, row, end, left * QUADS + quad);
        if (TILES > 1) load(of_right, z, row, end, right * QUADS + quad);
#pragma unroll
        for (int i = 0; i < 4; i++) factors[i] = row + i < end ? __ldg(weights + row + i) : 0;
    };
    bring(begin + 4 * group);
    u32 buffer = 0;
    for (u64 row = begin; row < end; row += STEP) {
        unsigned char *const here = shared + buffer * BUFFER;
        put(here, 0, of_x, quad, group);
        put(here, 1, of_z, quad, group);
        put(here, 2, weighted(TILES > 1 ? of_right : of_z, factors), quad, group);
        bring(row + STEP + 4 * group);
        // Whoever is here has done with the other buffer.
        __syncthreads();
#pragma unroll
        for (u32 byte = 0; byte < STEP; byte += 32) {
            const u32 from = base + buffer * BUFFER + byte;
            u32 a[DIGITS][DOWN][4], b[DIGITS][ACROSS / 2][4];
#pragma unroll
            for (int d = 0; d < DIGITS; d++) {
#pragma unroll
                for (int i = 0; i < DOWN; i++) matrices(a[d][i], from + (a_column + d * TILE + 16 * i) * STRIDE + a_byte);
#pragma unroll
                for (int j = 0; j < ACROSS / 2; j++) matrices(b[d][j], from + (b_column + d * TILE + 16 * j) * STRIDE + b_byte);
            }
#pragma unroll
            for (int d = 0; d < DIGITS; d++) {
#pragma unroll
                for (int e = 0; e < DIGITS; e++) {
#pragma unroll
                    for (int i = 0; i < DOWN; i++) {
#pragma unroll
                        for (int j = 0; j < ACROSS; j++) multiply(all[d + e][i][j], a[d][i], b[e][j / 2] + j % 2 * 2);
                    }
                }
            }
        }
        buffer ^= 1;
    }

    // The sums of a thread: rows lane / 4 and 8 more, columns 2 (lane % 4) and the next.
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                u64 residue = 0;
#pragma unroll
                for (int set = SETS - 1; set >= 0; set--) residue = (residue * 256 + all[set][i][j][k]) % P;
                const u32 a = top + 16 * i + lane / 4 + k / 2 * 8, b = start + 8 * j + lane % 4 * 2 + k % 2;
                const u32 row = left * TILE + a % QUADS * 4 + a / QUADS, column = right * TILE + b % QUADS * 4 + b / QUADS;
                if (row < S && column < S) atomicAdd(sums + ((u64)(2 * number + matrix) * S + row) * S + column, (unsigned long long)residue);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
clear(u64 *__restrict__ sums, u32 first, u32 count) {
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    if (at < count) sums[first + at] = 0;
}
