// M-Basis mod P < 2^31 (src/sigma_basis/m_basis.rs): an order basis of a series of few coefficients by one thread block, in shared memory;
// where P < 2^16 and tensor cores multiply bytes, pairs.cu is faster.
//
// Step k sorts the rows by (shifted degree, index), eliminates the M x N matrix of the coefficients k of the residuals, adds the pivots to
// the other rows so that these coefficients vanish, and multiplies the pivots by x.
//
// problem.cuh (src/sigma_basis/cuda/source.rs):
//   P          the modulus                   LANE     32, the bits of a residue in shared memory
//   M, N       rows and columns of the series; N_ROUND is N rounded up to a multiple of 8
//   ORDER      the largest order of a launch      THREADS   of the block      SHARED   bytes of its memory
//
// Launch contract: one block, SHARED bytes of dynamic shared memory.
//   leaf    `order` steps on the coefficients of `series` from `offset` on, of which there are `given`, zeros beyond. `basis` has order + 1
//       coefficients. `degrees` and `changes` (last changes, counted from `before` on) are brought up to date. `inverses`, of
//       pairs.cu, is not used.

#include "eliminate.cuh"

// Elements of a row: its residual, then its basis.
#define STRIDE (ORDER * N + (ORDER + 1) * M)
// Rows that share the loads of the pivots.
#define TOGETHER 8
__device__ __forceinline__ void add_product(u64 &sum, u32 a, u32 b) {
    sum += (u64)a * b;
#if P >= 0x10000
    if (sum >= P * P) sum -= P * P;
#endif
}

struct Shared {
    // The residuals' coefficients k, rows in the order of elimination; then factors of pivots.
    __align__(16) u32 work[M][N_ROUND];
    u64 degrees[M];
    // The number of a row by its place.
    u32 sorted[M];
    // How often a row was multiplied by x; whether it is a pivot, or changes otherwise.
    u32 shifts[M], pivot[M], combined[M];
    // Where the residual, and the basis, of a column's pivot begin.
    __align__(16) u32 residual[N_ROUND];
    __align__(16) u32 basis[N_ROUND];
    // The places of rows that change.
    u32 targets[M];
    u32 target_count, pivot_count;
    // The row that is eliminated next, and the one before.
    u32 next[2][N_WARP];
    u64 top, meeting;
    __align__(16) Lane rows[M * STRIDE];
};

// Sorts the rows, and copies the coefficients k of their residuals.
__device__ __forceinline__ void arrange(Shared &s, u32 *changes, u32 k, u32 before, u32 warp, u32 lane) {
    for (u32 i = warp; i < M; i += WARPS) {
        const u64 degree = s.degrees[i];
        u32 place = 0;
        for (u32 j0 = 0; j0 < M; j0 += 32) {
            const u32 j = j0 + lane;
            const bool earlier = j < M && (s.degrees[j < M ? j : 0] < degree || (s.degrees[j < M ? j : 0] == degree && j < i));
            place += __popc(__ballot_sync(ALL, earlier));
        }
        u32 any = 0;
        for (u32 c = lane; c < N_WARP; c += 32) {
            const u32 x = c < N ? s.rows[i * STRIDE + (k - s.shifts[i]) * N + c] : 0;
            if (c < N_ROUND) s.work[place][c] = x;
            any |= __ballot_sync(ALL, x != 0);
        }
        if (lane == 0) {
            s.sorted[place] = i;
            s.combined[i] = any != 0;
            s.pivot[i] = 0;
            if (any) changes[i] = before + k + 1;
            if (place == M - 1) s.top = degree;
        }
    }
}

// Lists the rows that change and the pivots' places. Where a column has no pivot, factors are 0.
__device__ __forceinline__ void list_rows(Shared &s, u32 k, u32 warp, u32 lane) {
    if (warp == WARPS - 1) {
        u32 count = 0;
        for (u32 r0 = 0; r0 < M; r0 += 32) {
            const u32 r = r0 + lane, i = r < M ? s.sorted[r] : 0;
            const bool target = r < M && s.combined[i] && !s.pivot[i];
            const u32 mask = __ballot_sync(ALL, target);
            if (target) s.targets[count + __popc(mask & ((1u << lane) - 1))] = r;
            count += __popc(mask);
        }
        if (lane == 0) s.target_count = count;
    }
    if (warp == 0) {
        for (u32 c = lane; c < N_ROUND; c += 32) {
            const u32 i = s.residual[c];
            s.residual[c] = i * STRIDE + (k + 1 - s.shifts[i]) * N;
            s.basis[c] = i * STRIDE + ORDER * N;
        }
    }
}

// Adds the pivots to the other rows: residuals from k + 1 on, `len` coefficients of the basis.
__device__ __forceinline__ void combine(Shared &s, u32 k, u32 order, u32 len, u32 warp, u32 lane) {
    const u32 in_residuals = (order - k - 1) * N, in_bases = len * M;
    const u32 first = (in_residuals + 31) / 32, chunks = first + (in_bases + 31) / 32;
    const u32 groups = (s.target_count + TOGETHER - 1) / TOGETHER;
    for (u32 task = warp; task < chunks * groups; task += WARPS) {
        const u32 group = task / chunks * TOGETHER, chunk = task % chunks;
        const bool in_basis = chunk >= first;
        const u32 x = (in_basis ? chunk - first : chunk) * 32 + lane;
        if (x >= (in_basis ? in_bases : in_residuals)) continue;
        const u32 *starts = in_basis ? s.basis : s.residual;
        u64 sum[TOGETHER];
        u32 at[TOGETHER], row[TOGETHER];
#pragma unroll
        for (u32 t = 0; t < TOGETHER; t++) {
            // Beyond the last one: once more, and nothing is written.
            row[t] = s.targets[min(group + t, s.target_count - 1)];
            const u32 i = s.sorted[row[t]];
            at[t] = i * STRIDE + (in_basis ? ORDER * N : (k + 1 - s.shifts[i]) * N) + x;
            sum[t] = s.rows[at[t]];
        }
        for (u32 c = 0; c < N_ROUND; c += 4) {
            const uint4 start = *(const uint4 *)&starts[c];
            const u32 v0 = s.rows[start.x + x], v1 = s.rows[start.y + x], v2 = s.rows[start.z + x], v3 = s.rows[start.w + x];
#pragma unroll
            for (u32 t = 0; t < TOGETHER; t++) {
                const uint4 f = *(const uint4 *)&s.work[row[t]][c];
                add_product(sum[t], f.x, v0);
                add_product(sum[t], f.y, v1);
                add_product(sum[t], f.z, v2);
                add_product(sum[t], f.w, v3);
            }
        }
#pragma unroll
        for (u32 t = 0; t < TOGETHER; t++) {
            if (group + t < s.target_count) s.rows[at[t]] = residue(sum[t]);
        }
    }
}

// Multiplies the pivots by x, of `len` coefficients before.
__device__ __forceinline__ void multiply_by_x(Shared &s, u32 len) {
    for (u32 number = threadIdx.x; number < M * M; number += THREADS) {
        const u32 i = number / M;
        if (!s.pivot[i]) continue;
        Lane *line = s.rows + i * STRIDE + ORDER * N + number % M;
        Lane carried = 0;
#pragma unroll 4
        for (u32 c = 0; c <= len; c++) {
            const Lane x = line[c * M];
            line[c * M] = carried;
            carried = x;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
leaf(u32 *__restrict__ basis, u64 *__restrict__ degrees, u32 *__restrict__ changes, const u32 *__restrict__ series, u64 offset, u32 given,
     const u32 *__restrict__ inverses, u32 order, u32 before) {
    extern __shared__ __align__(16) u8 memory[];
    Shared &s = *(Shared *)memory;
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    series += offset;
    Meeting meeting(s.meeting);
    if (threadIdx.x == 0) meeting.prepare();
    for (u32 number = threadIdx.x; number < order * M * N; number += THREADS) {
        const u32 c = number / (M * N), i = number / N % M, j = number % N;
        s.rows[i * STRIDE + c * N + j] = c < given ? series[number] : 0;
    }
    for (u32 number = threadIdx.x; number < M * (ORDER + 1) * M; number += THREADS) {
        const u32 i = number / ((ORDER + 1) * M), x = number % ((ORDER + 1) * M);
        s.rows[i * STRIDE + ORDER * N + x] = x == i;
    }
    for (u32 i = threadIdx.x; i < M; i += THREADS) s.degrees[i] = degrees[i], s.shifts[i] = 0;
#if N_ROUND > N
    for (u32 number = threadIdx.x; number < M * (N_ROUND - N); number += THREADS) {
        s.work[number / (N_ROUND - N)][N + number % (N_ROUND - N)] = 0;
    }
#endif
    __syncthreads();
    u64 least = ~0ull;
    for (u32 i = 0; i < M; i++) least = min(least, s.degrees[i]);
    for (u32 k = 0; k < order; k++) {
        for (u32 c = threadIdx.x; c < N_ROUND; c += THREADS) s.residual[c] = 0;
        arrange(s, changes, k, before, warp, lane);
        __syncthreads();
        // No row is longer than k + 1, nor than the largest shifted degree less the least shift.
        const u32 len = min(s.top - least, (u64)k) + 1;
        if (warp < ELIMINATORS) {
            const u32 count = eliminate(
                meeting, s.next, inverses, warp, lane, [&](u32 r, u32 c) { return s.work[r][c]; },
                [&](u32 r, u32 c) { s.pivot[s.sorted[r]] = 1, s.residual[c] = s.sorted[r]; },
                [&](u32 r, u32 c, u32 x) { s.work[r][c] = x; });
            if (threadIdx.x == 0) s.pivot_count = count;
        }
        __syncthreads();
        if (s.pivot_count == 0) continue;
        list_rows(s, k, warp, lane);
        __syncthreads();
        combine(s, k, order, len, warp, lane);
        __syncthreads();
        multiply_by_x(s, len);
        for (u32 i = threadIdx.x; i < M; i += THREADS) {
            if (s.pivot[i]) s.shifts[i]++, s.degrees[i]++;
        }
        __syncthreads();
    }
    for (u32 number = threadIdx.x; number < (order + 1) * M * M; number += THREADS) {
        const u32 c = number / (M * M), i = number / M % M;
        basis[number] = s.rows[i * STRIDE + ORDER * N + c * M + number % M];
    }
    for (u32 i = threadIdx.x; i < M; i += THREADS) degrees[i] = s.degrees[i];
}

static_assert(sizeof(Shared) <= SHARED, "the host counts too few bytes");
