// Projections of blocks of vectors mod p: by sparse matrices whose weights come from pools (src/sequence/buckets.rs), and by dense ones.
//
// The rows of V are added up in S * POOL buckets, each row in few of them; the sums are weighted and added up by classes of POOL buckets.
// `starts` bounds the rows of each bucket, `rows` names them, ascending. A bucket is cut to `parts` of equal length: parts come before
// buckets in the order of blocks, so that blocks that run together read rows that lie together.
//
// V may be some columns of a block: Y has ROWS columns, rows of the products, and V has S.
//
// Constants of problem.cuh (src/sequence/cuda/projection.rs) beside those of block.cuh: POOL, ROWS, and Y_WIDTH, the residues of a row of Y
// with its padding.
//
// Exactness: sums of fewer than 2^32 residues, of up to 32 bits in 64, of 63 bits in 128.
//
// Launch contract: THREADS threads per block, in x alone.
//   bucket_sums   a block for each part and bucket; `starts` has ROWS * POOL + 1 numbers, `rows` what they bound, below the rows of V;
//       `partial` takes parts * ROWS * POOL * WIDTH words of 64 bits.
//   weigh    a thread for each of ROWS * S elements: term `number` of `terms`. For DEGREE 1.
//   totals   a thread for each of ROWS * POOL * WIDTH sums.
//   dense_sums     a block for each part of the rows and THREADS of ROWS * S * DEGREE^2 elements, elements first; Y is a block as V is;
//       `partial` takes parts * ROWS * S * DEGREE^2 words of 64 bits.
//   dense_totals   a thread for each of ROWS * S * DEGREE^2 elements: products of digits.

#include "block.cuh"

#define BUCKETS (ROWS * POOL)
// Words of a row that the threads of a block take at once, and rows.
#define ACROSS (PIECES < THREADS ? PIECES : THREADS)
#define DOWN (THREADS / ACROSS)

#if LANE == 64
typedef u128 Sum;
#else
typedef u64 Sum;
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
bucket_sums(const u32 *__restrict__ v, const u32 *__restrict__ rows, const u32 *__restrict__ starts, u64 *__restrict__ partial,
            u32 parts) {
#if LANE == 1
    __shared__ Word shared[THREADS];
#else
    __shared__ Sum shared[LANES][THREADS];
#endif
    const u32 part = blockIdx.x / BUCKETS, bucket = blockIdx.x % BUCKETS;
    const u32 first = starts[bucket], count = starts[bucket + 1] - first;
    const u32 begin = first + (u32)((u64)count * part / parts), end = first + (u32)((u64)count * (part + 1) / parts);
    const u32 across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
    for (u32 from = 0; from < PIECES; from += ACROSS) {
        const u32 piece = from + across;
#if LANE == 1
        // Sums mod 2 of 128 bits at once.
        Word sums;
        sums.whole = make_uint4(0, 0, 0, 0);
        if (piece < PIECES && down < DOWN) {
#pragma unroll 4
            for (u32 at = begin + down; at < end; at += DOWN) {
                Word word;
                word.whole = __ldg((const uint4 *)v + (u64)__ldg(rows + at) * PIECES + piece);
#pragma unroll
                for (int k = 0; k < 4; k++) sums.part[k] ^= word.part[k];
            }
        }
        shared[threadIdx.x] = sums;
        __syncthreads();
        for (u32 l = threadIdx.x; l < ACROSS * 4; l += THREADS) {
            const u32 k = l % 4, column = l / 4;
            if (from + column >= PIECES) continue;
            u32 sum = 0;
            for (u32 d = 0; d < DOWN; d++) sum ^= shared[d * ACROSS + column].part[k];
            u64 *to = partial + (u64)blockIdx.x * WIDTH + (from + column) * LANES + k * 32;
            for (u32 bit = 0; bit < 32; bit++) to[bit] = sum >> bit & 1;
        }
        __syncthreads();
#else
        Sum sums[LANES];
#pragma unroll
        for (int k = 0; k < LANES; k++) sums[k] = 0;
        if (piece < PIECES && down < DOWN) {
#pragma unroll 4
            for (u32 at = begin + down; at < end; at += DOWN) {
                Word word;
                word.whole = __ldg((const uint4 *)v + (u64)__ldg(rows + at) * PIECES + piece);
#pragma unroll
                for (int k = 0; k < LANES; k++) {
#if LANE == 64
                    sums[k] += word.lane[k];
#else
                    sums[k] += word.part[k * LANE / 32] >> (k * LANE % 32) & (u32)(0xffffffffu >> (32 - LANE));
#endif
                }
            }
        }
#pragma unroll
        for (int k = 0; k < LANES; k++) shared[k][threadIdx.x] = sums[k];
        __syncthreads();
        for (u32 l = threadIdx.x; l < ACROSS * LANES; l += THREADS) {
            const u32 k = l % LANES, column = l / LANES;
            Sum sum = 0;
            for (u32 d = 0; d < DOWN; d++) sum += shared[k][d * ACROSS + column];
            if (from + column < PIECES) {
#if LANE == 64
                const u64 word = residue_times(sum, R2);
#else
                const u64 word = sum;
#endif
                partial[(u64)blockIdx.x * WIDTH + (from + column) * LANES + k] = word;
            }
        }
        __syncthreads();
#endif
    }
}

// The sum of a bucket in a column, mod P.
__device__ __forceinline__ u64 bucket_total(const u64 *partial, u32 bucket, u32 column, u32 parts) {
    Sum sum = 0;
    for (u32 part = 0; part < parts; part++) sum += partial[((u64)part * BUCKETS + bucket) * WIDTH + column];
    return (u64)(sum % P);
}

// Term `number`: the weighted sums of the buckets of each class. For DEGREE 1.
extern "C" __global__ void __launch_bounds__(THREADS)
weigh(const u64 *__restrict__ partial, const u64 *__restrict__ weights, u64 *__restrict__ terms, u32 parts, u32 number) {
    const u32 element = blockIdx.x * THREADS + threadIdx.x;
    if (element >= ROWS * S) return;
    const u32 row = element / S, column = element % S;
    u64 sum = 0;
    for (u32 e = 0; e < POOL; e++) {
        const u32 bucket = row * POOL + e;
        sum += product_mod(weights[bucket], bucket_total(partial, bucket, column, parts));
        if (sum >= P) sum -= P;
    }
    terms[(u64)number * ROWS * S + element] = sum;
}

// The sums of all buckets for term `number`.
extern "C" __global__ void __launch_bounds__(THREADS)
totals(const u64 *__restrict__ partial, u64 *__restrict__ terms, u32 parts, u32 number) {
    const u32 element = blockIdx.x * THREADS + threadIdx.x;
    if (element >= BUCKETS * WIDTH) return;
    terms[(u64)number * BUCKETS * WIDTH + element] = bucket_total(partial, element / WIDTH, element % WIDTH, parts);
}

// Dense projections: the columns of Y and V by their digits, DOWN_USED and ACROSS_USED of them.

#define DOWN_USED (ROWS * DEGREE)
#define ACROSS_USED (S * DEGREE)
#define PRODUCTS (DOWN_USED * ACROSS_USED)

// The sums of up to 2^31 products of residues: up to 32 bits in 64; 32 bits in 96; more in 128, kept below 2^127.
struct Products {
#if LANE == 64
    u128 sum;
#else
    u64 sum;
    u32 carries;
#endif

    __device__ __forceinline__ void clear() {
        sum = 0;
#if LANE != 64
        carries = 0;
#endif
    }
    __device__ __forceinline__ void add(u64 a, u64 b) {
#if LANE == 64
        sum += (u128)a * b;
        if (sum >> 127) sum -= ((u128)1 << 127) / P * P;
#elif LANE == 32
        const u64 product = a * b;
        sum += product;
        carries += sum < product;
#else
        sum += (u32)a * (u32)b;
#endif
    }
    __device__ __forceinline__ u64 residue() const {
#if LANE == 64
        return residue_times(sum, R2);
#else
        return (sum % P + (u64)carries * ((~0ull % P + 1) % P)) % P;
#endif
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
dense_sums(const u32 *__restrict__ v, const u32 *__restrict__ y, u64 *__restrict__ partial, u32 rows, u32 parts) {
    const u32 tiles = (PRODUCTS + THREADS - 1) / THREADS;
    const u32 part = blockIdx.x / tiles, element = blockIdx.x % tiles * THREADS + threadIdx.x;
    if (element >= PRODUCTS) return;
    const u32 begin = (u32)((u64)rows * part / parts), end = (u32)((u64)rows * (part + 1) / parts);
    Products products;
    products.clear();
#pragma unroll 4
    for (u32 i = begin; i < end; i++) {
        products.add(residue_at(y, Y_WIDTH, i, element / ACROSS_USED), residue_at(v, WIDTH, i, element % ACROSS_USED));
    }
    partial[(u64)part * PRODUCTS + element] = products.residue();
}

extern "C" __global__ void __launch_bounds__(THREADS)
dense_totals(const u64 *__restrict__ partial, u64 *__restrict__ terms, u32 parts, u32 number) {
    const u32 element = blockIdx.x * THREADS + threadIdx.x;
    if (element >= PRODUCTS) return;
    u64 sum = 0;
    for (u32 part = 0; part < parts; part++) {
        sum += partial[(u64)part * PRODUCTS + element];
        if (sum >= P) sum -= P;
    }
    terms[(u64)number * PRODUCTS + element] = sum;
}
