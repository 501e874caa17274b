// M-Basis mod P < 2^16 (src/sigma_basis/m_basis.rs): an order basis of a series of few coefficients by one thread block, in shared memory,
// rows combined by tensor cores.
//
// Step k eliminates the M x N matrix of the coefficients k of the residuals, rows by (shifted degree, index), adds the pivots to the other
// rows so that these coefficients vanish, and multiplies the pivots by x.
//
// Elimination. The guess, where N is even and P not small: the first N rows, those aside that were zero a step ago, are the pivots, and the
// leading minors of even order are not zero. Two pivots at a time, without a division: with the block (a b; c d) of rows y0, y1 in their
// columns, and (f0 f1) of a later row x in these, x becomes det x - f0 (d y0 - b y1) - f1 (a y1 - c y0). So a row is S times what it
// would be, S the product of the determinants; the columns of past pivots hold S times the factors of the pivots as they were (as in
// eliminate.cuh). One division by S at the end; where S = 0, or a row came back, the guess was wrong and eliminate.cuh does the step. The
// factors are unique, so that both give the same bits.
//
// Beside it. Factors change coefficient k + 1 of the residuals first, which is all that step k + 1 eliminates; the other warps change
// everything else while that goes on.
//
// Combination. A residue is 256 times a digit plus another, both from -128 to 127, the bytes of a half-word; so the sums of up to 64
// products are four products of int8 matrices. Multiplication by x moves nothing: the coefficients of a row of the basis lie in a ring.
//
// problem.cuh (src/sigma_basis/cuda/source.rs):
//   P          the modulus       LANE     16       M, N     rows and columns of the series, N <= 64
//   ORDER      the largest order of a launch      THREADS  of the block, more than 256      SHARED   bytes of its memory
//
// Launch contract: one block, SHARED bytes of dynamic shared memory; compute capability 8.0.
//   leaf    `order` steps on the coefficients of `series` from `offset` on, of which there are `given`, zeros beyond. `basis` has order + 1
//       coefficients. `degrees` and `changes` (last changes, counted from `before` on) are brought up to date. `inverses` of the residues
//       up to P / 2, two in a word.

#include "eliminate.cuh"

// Columns of residuals and bases, filled up to whole tasks of a warp.
#define N_PAD ((N + 15) / 16 * 16)
#define M_PAD ((M + 15) / 16 * 16)
// Half-words of a row: its residual, then its basis; rows that follow each other begin in different banks.
#define STRIDE (ORDER * N_PAD + (ORDER + 1) * M_PAD + 4)
#define OWN_PAD ((OWN + 3) / 4 * 4)
// Rows of a tile of the tensor cores; tiles that share the loads of the pivots; rows that change, at most.
#define TILE 16
#define TOGETHER 2
#define TARGETS ((M + 31) / 32 * 32)
// Residues are from LOW to HIGH, so that both digits fit a byte.
#define HIGH (P / 2 < 32639 ? (int)(P / 2) : 32639)
#define LOW (HIGH - (int)P + 1)
#define NONE 0xffffffffu
#define GUESS (P >= 256 && N % 2 == 0 && M >= N)

// v mod P for |v| < 2^34, at most 0.6 P either way below 2^33, 0.8 P from there on: the quotient is rounded, and off by v / 2^36. The
// difference is one of the low 32 bits. For P < 256, |v| < 2^31, less than P either way.
__device__ __forceinline__ int reduced(i64 v) {
#if P < 256
    return (int)v % (int)P;
#else
    const int quotient = ((i64)(int)(v >> 3) * (int)((((i64)1 << 36) / P + 1) / 2) + 0x80000000ll) >> 32;
    return (int)((u32)v - (u32)quotient * (u32)P);
#endif
}
__device__ __forceinline__ i64 times(int a, int b) { return (i64)a * b; }

// The same residue from LOW to HIGH; from 0 on.
__device__ __forceinline__ int digit_range(int r) { return r > HIGH ? r - (int)P : r < LOW ? r + (int)P : r; }
__device__ __forceinline__ u32 positive(int v) { return v < 0 ? v + (int)P : v; }
// Its two digits, and back.
__device__ __forceinline__ u32 digits(int v) { return ((u32)(v + 128) ^ 0x80) & 0xffff; }
__device__ __forceinline__ int value(u32 word) { return (int)(short)(word ^ 0x80) - 128; }

// 65536 high + 256 middle + low, |high| <= 2^20, |middle| <= 2^21, |low| < 2^21: sums of 64 products.
__device__ __forceinline__ int sum_of_digits(int high, int middle, int low) {
    constexpr int weight = 65536 % P > P / 2 ? (int)(65536 % P) - (int)P : (int)(65536 % P);
    if constexpr (weight > -4096 && weight < 4096) return reduced(times(high, weight) + 256 * middle + low);
    else return reduced(times(reduced(256 * high + middle), 256) + low);
}

// c += a b for a 16 x 32 and b 32 x 8 of bytes.
__device__ __forceinline__ void multiply(int (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// What a step adds to what.
struct Panel {
    // Of the pivot of each column: where coefficient 0 of its residual, and its ring of coefficients of the basis, begin in memory, and how
    // far the ring is turned. A column without a pivot has the row of another, and factors 0.
    __align__(16) int residual[N_WARP], basis[N_WARP], turn[N_WARP];
    // Likewise of the rows that are no pivots, and their numbers.
    int t_residual[TARGETS], t_basis[TARGETS], t_turn[TARGETS], t_row[TARGETS];
    // Their factors: the low digits, the high ones.
    __align__(16) u8 factors[2][TARGETS][N_WARP];
    // How many rows there are of each, and coefficients of the basis.
    int targets, pivots, len;
};

struct Shared {
    // The residuals' coefficients k by the rows' numbers.
    __align__(16) int work[M][N_WARP];
    // Of step k at k % 2, as everything that is there twice.
    Panel panel[2];
    // The two pivots that are next, and their columns by the warps that hold them.
    __align__(16) int pair[2][2][N_WARP];
    __align__(16) int columns[2][2][ELIMINATORS * OWN_PAD];
    u64 degrees[M];
    // Rows in the order of elimination; whether they are pivots, or guessed to be; whether they have a residual; whether it was guessed that
    // they have none.
    u32 order[2][M], lead[2][M], nonzero[2][M], zero_guess[2][M];
    // How often a row was multiplied by x; its last change.
    u32 shifts[M], change[M];
    // The pivot of each column; NONE: it has none. One of them.
    u32 column_of[N_WARP], any_pivot;
    u32 next[2][N_WARP];
    u32 count;
    // Zero where the guess was wrong.
    u32 scale, good;
    u64 least, meeting;
    __align__(16) u16 rows[M * STRIDE];
};

// The order of step k + 1 where lead[k % 2] are the pivots of step k, and rows that are zero stay so: those last.
__device__ __forceinline__ void sort_next(Shared &s, u32 k, u32 number, u32 count, u32 lane) {
    const u32 now = k % 2, then = (k + 1) % 2;
    for (u32 i = number; i < M; i += count) {
        const u64 di = s.degrees[i] + s.lead[now][i];
        const u32 zi = s.nonzero[now][i] == 0;
        u32 place = 0;
        for (u32 j0 = 0; j0 < M; j0 += 32) {
            const u32 j = j0 + lane, jj = j < M ? j : 0;
            const u64 dj = s.degrees[jj] + s.lead[now][jj];
            const u32 zj = s.nonzero[now][jj] == 0;
            const bool earlier = j < M && (zj < zi || (zj == zi && (dj < di || (dj == di && j < i))));
            place += __popc(__ballot_sync(ALL, earlier));
        }
        if (lane == 0) {
            s.order[then][place] = i, s.lead[then][i] = place < N, s.zero_guess[then][i] = zi;
            s.nonzero[then][i] = s.lead[now][i];
        }
    }
}

// The true order of step k.
__device__ __forceinline__ void sort_rows(Shared &s, u32 k, u32 number, u32 count, u32 lane) {
    for (u32 i = number; i < M; i += count) {
        const u64 di = s.degrees[i];
        u32 place = 0;
        for (u32 j0 = 0; j0 < M; j0 += 32) {
            const u32 j = j0 + lane, jj = j < M ? j : 0;
            const u64 dj = s.degrees[jj];
            place += __popc(__ballot_sync(ALL, j < M && (dj < di || (dj == di && j < i))));
        }
        if (lane == 0) s.order[k % 2][place] = i;
    }
}

// By one warp.
__device__ __forceinline__ u64 largest_degree(const Shared &s, u32 lane) {
    u64 top = 0;
    for (u32 i = lane; i < M; i += 32) top = max(top, s.degrees[i]);
    for (u32 d = 16; d > 0; d /= 2) top = max(top, (u64)__shfl_xor_sync(ALL, top, d));
    return top;
}

// The panel, but for the factors, where the first N rows are the pivots; by one warp.
__device__ __forceinline__ void guessed_panel(Shared &s, Panel &p, const u32 *order, u32 k, u32 lane) {
    const u64 top = largest_degree(s, lane);
    bool wrong = false;
    for (u32 r = lane; r < M; r += 32) {
        const u32 i = order[r], shift = s.shifts[i];
        const int residual = i * STRIDE - shift * N_PAD, basis = i * STRIDE + ORDER * N_PAD;
        if (r < N) p.residual[r] = residual, p.basis[r] = basis, p.turn[r] = shift;
        else p.t_residual[r - N] = residual, p.t_basis[r - N] = basis, p.t_turn[r - N] = shift, p.t_row[r - N] = i;
        wrong |= s.zero_guess[k % 2][i] && s.nonzero[k % 2][i];
    }
    wrong = __ballot_sync(ALL, wrong) != 0;
    if (lane == 0) {
        p.targets = M - N, p.pivots = N;
        // No row is longer than k + 1, nor than the largest shifted degree less the least shift.
        p.len = (int)min(top - s.least, (u64)k) + 1;
        s.good = !wrong;
    }
    // Row 0 of the panel is lane 0's.
    __syncwarp();
    for (u32 r = N + lane; r < N_WARP; r += 32) p.residual[r] = p.residual[0], p.basis[r] = p.basis[0], p.turn[r] = 0;
}

// Where coefficient c of a row is in its ring.
__device__ __forceinline__ int turned(int c, int turn) { return c < turn ? c - turn + ORDER + 1 : c - turn; }

// Rows t0 ... t0 + 16 TILES - 1 of those that change, 16 columns from x0 on of coefficient c, by one warp. `keep`: for the next step.
template <int TILES>
__device__ __forceinline__ void update(Shared &s, const Panel &p, u32 t0, bool in_basis, int c, int x0, const u32 (&a)[TILES][2][CHUNKS][4],
                                       bool keep, u32 k, u32 lane) {
    const int q = lane % 4, g = lane / 4;
    int hh[TILES][2][4] = {}, mid[TILES][2][4] = {}, ll[TILES][2][4] = {};
#pragma unroll
    for (int h = 0; h < CHUNKS; h++) {
        // Then every row changes, and none may be read.
        if (p.pivots == 0) break;
        u32 b[2][2][2]; // By the parity of the column, digit, half of the pivots.
#pragma unroll
        for (int half = 0; half < 2; half++) {
            u32 w[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int j = h * 32 + half * 16 + q * 4 + i;
                const int at = in_basis ? p.basis[j] + turned(c, p.turn[j]) * M_PAD : p.residual[j] + c * N_PAD;
                w[i] = *(const u32 *)&s.rows[at + x0 + 2 * g];
            }
            const u32 u0 = __byte_perm(w[0], w[1], 0x5140), u1 = __byte_perm(w[2], w[3], 0x5140);
            const u32 v0 = __byte_perm(w[0], w[1], 0x7362), v1 = __byte_perm(w[2], w[3], 0x7362);
            b[0][0][half] = __byte_perm(u0, u1, 0x5410);
            b[0][1][half] = __byte_perm(u0, u1, 0x7632);
            b[1][0][half] = __byte_perm(v0, v1, 0x5410);
            b[1][1][half] = __byte_perm(v0, v1, 0x7632);
        }
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int u = 0; u < 2; u++) {
                multiply(mid[t][u], a[t][0][h], b[u][1][0], b[u][1][1]);
                multiply(ll[t][u], a[t][0][h], b[u][0][0], b[u][0][1]);
                multiply(hh[t][u], a[t][1][h], b[u][1][0], b[u][1][1]);
                multiply(mid[t][u], a[t][1][h], b[u][0][0], b[u][0][1]);
            }
        }
    }
#pragma unroll
    for (int t = 0; t < TILES; t++) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int target = t0 + t * TILE + e * 8 + g;
            if (target >= p.targets) continue;
            const int at = in_basis ? p.t_basis[target] + turned(c, p.t_turn[target]) * M_PAD : p.t_residual[target] + c * N_PAD;
            uint2 *place = (uint2 *)&s.rows[at + x0 + 4 * q];
            const uint2 old = *place;
            int v[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int u = j & 1, n = e * 2 + (j >> 1);
                const u32 word = j < 2 ? old.x : old.y;
                const int before = value(j & 1 ? word >> 16 : word & 0xffff);
                v[j] = digit_range(sum_of_digits(hh[t][u][n], mid[t][u][n], ll[t][u][n] + before));
            }
            *place = make_uint2(digits(v[0]) | digits(v[1]) << 16, digits(v[2]) | digits(v[3]) << 16);
            if (keep) {
                const int i = p.t_row[target];
                *(int4 *)&s.work[i][x0 + 4 * q] = make_int4(v[0], v[1], v[2], v[3]);
                if (v[0] | v[1] | v[2] | v[3]) atomicOr(&s.nonzero[(k + 1) % 2][i], 1u);
            }
        }
    }
}

template <int TILES>
__device__ __forceinline__ void load_factors(u32 (&a)[TILES][2][CHUNKS][4], const Panel &p, u32 t0, u32 lane) {
    const int q = lane % 4, g = lane / 4;
#pragma unroll
    for (int t = 0; t < TILES; t++) {
#pragma unroll
        for (int d = 0; d < 2; d++) {
#pragma unroll
            for (int h = 0; h < CHUNKS; h++) {
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    a[t][d][h][r] = *(const u32 *)&p.factors[d][t0 + t * TILE + r % 2 * 8 + g][h * 32 + r / 2 * 16 + q * 4];
                }
            }
        }
    }
}

// Everything but coefficient k + 1 of the residuals, by `count` warps of which this is number `number`.
__device__ __forceinline__ void bulk(Shared &s, const Panel &p, u32 k, u32 order, u32 number, u32 count, u32 lane) {
    const int first = order > k + 2 ? (order - k - 2) * (N_PAD / 16) : 0, tasks = first + p.len * (M_PAD / 16);
    if (p.pivots == 0) return;
    for (u32 t0 = 0; t0 < (u32)p.targets; t0 += TILE * TOGETHER) {
        u32 a[TOGETHER][2][CHUNKS][4];
        load_factors<TOGETHER>(a, p, t0, lane);
        for (int task = number; task < tasks; task += count) {
            const bool in_basis = task >= first;
            const int j = in_basis ? task - first : task;
            if (in_basis) update<TOGETHER>(s, p, t0, true, j / (M_PAD / 16), j % (M_PAD / 16) * 16, a, false, k, lane);
            else update<TOGETHER>(s, p, t0, false, k + 2 + j / (N_PAD / 16), j % (N_PAD / 16) * 16, a, false, k, lane);
        }
    }
}

// Coefficient k + 1 of the residuals of rows that are no pivots.
__device__ __forceinline__ void ahead(Shared &s, const Panel &p, u32 k, u32 warp, u32 lane) {
    const u32 tiles = (p.targets + TILE - 1) / TILE;
    for (u32 task = warp; task < tiles * (N_PAD / 16); task += WARPS) {
        u32 a[1][2][CHUNKS][4];
        load_factors<1>(a, p, task / (N_PAD / 16) * TILE, lane);
        update<1>(s, p, task / (N_PAD / 16) * TILE, false, k + 1, task % (N_PAD / 16) * 16, a, true, k, lane);
    }
}

#if GUESS
// Steps of a round: their pivots are the same row of each warp that eliminates.
#define ROUND (ELIMINATORS / 2)
#define ROUNDS ((N + ELIMINATORS - 1) / ELIMINATORS)

// The pivots of the next step, which are row `own` of two warps, and their columns, of chunk `h`, for all.
__device__ __forceinline__ void publish(Shared &s, const int (&x)[OWN][CHUNKS], int own, int h, int step, u32 warp, u32 lane) {
    const u32 c = 2 * step, to = step % 2;
    if ((lane & ~1u) == c % 32) {
#pragma unroll
        for (int t = 0; t < OWN; t++) s.columns[to][lane % 2][warp * OWN_PAD + t] = x[t][h];
    }
    if ((warp & ~1u) == c % ELIMINATORS) {
#pragma unroll
        for (int i = 0; i < CHUNKS; i++) s.pair[to][warp % 2][i * 32 + lane] = x[own][i];
    }
}

// The factors by the guess.
__device__ __forceinline__ void eliminate_pairs(Shared &s, Panel &p, Meeting &meeting, const u32 *order, const u32 *__restrict__ inverses, u32 warp,
                                                u32 lane) {
    int x[OWN][CHUNKS], scale = 1;
#pragma unroll
    for (int t = 0; t < OWN; t++) {
        const u32 r = warp + ELIMINATORS * t;
#pragma unroll
        for (int h = 0; h < CHUNKS; h++) x[t][h] = r < M ? s.work[order[r]][h * 32 + lane] : 0;
    }
    publish(s, x, 0, 0, 0, warp, lane);
    // Rows of registers are numbered where the code is made, and so are rounds. Code of its own for each step is faster where rows are short,
    // slower where they are long.
#pragma unroll
    for (int round = 0; round < ROUNDS; round++) {
        const int h0 = round * ELIMINATORS / 32;
#pragma unroll(CHUNKS == 1 ? ROUND : 1)
        for (int step = round * ROUND; step < min((round + 1) * ROUND, N / 2); step++) {
            const u32 c = 2 * step, from = step % 2;
            meeting.wait();
            const int2 ab = *(const int2 *)&s.pair[from][0][c], cd = *(const int2 *)&s.pair[from][1][c];
            const int det = reduced(times(ab.x, cd.y) - times(ab.y, cd.x));
            int z0[CHUNKS], z1[CHUNKS];
#pragma unroll
            for (int h = 0; h < CHUNKS; h++) {
                int y0 = s.pair[from][0][h * 32 + lane], y1 = s.pair[from][1][h * 32 + lane];
                if (h == h0 && (lane & ~1u) == c % 32) {
                    y0 = lane % 2 ? 0 : scale, y1 = lane % 2 ? scale : 0;
#pragma unroll
                    for (int t = 0; t < OWN; t++) x[t][h] = 0;
                }
                z0[h] = -reduced(times(cd.y, y0) - times(ab.y, y1)), z1[h] = -reduced(times(ab.x, y1) - times(cd.x, y0));
            }
            scale = reduced(times(scale, det));
            int f0[OWN_PAD], f1[OWN_PAD];
#pragma unroll
            for (int t = round / 4 * 4; t < OWN_PAD; t += 4) {
                *(int4 *)&f0[t] = *(const int4 *)&s.columns[from][0][warp * OWN_PAD + t];
                *(int4 *)&f1[t] = *(const int4 *)&s.columns[from][1][warp * OWN_PAD + t];
            }
            // Past pivots change, too, which does no harm.
#pragma unroll
            for (int t = round; t < OWN; t++) {
#pragma unroll
                for (int h = 0; h < CHUNKS; h++) {
                    x[t][h] = reduced(times(det, x[t][h]) + times(f0[t], z0[h]) + times(f1[t], z1[h]));
                }
            }
            if (step + 1 < (round + 1) * ROUND) publish(s, x, round, h0, step + 1, warp, lane);
            else if (round + 1 < ROUNDS) publish(s, x, round + 1, (round + 1) * ELIMINATORS / 32, step + 1, warp, lane);
        }
    }
    const u32 product = positive(digit_range(scale));
    const int factor = digit_range(inverse(inverses, product));
#pragma unroll
    for (int t = N / ELIMINATORS; t < OWN; t++) {
        const u32 r = warp + ELIMINATORS * t;
        if (r < N || r >= M) continue;
#pragma unroll
        for (int h = 0; h < CHUNKS; h++) {
            const u32 word = digits(digit_range(reduced(times(x[t][h], factor))));
            p.factors[0][r - N][h * 32 + lane] = word, p.factors[1][r - N][h * 32 + lane] = word >> 8;
        }
    }
    if (warp == 0 && lane == 0) s.scale = product;
}
#endif

// The panel of any elimination; by one warp, then all.
__device__ __forceinline__ void any_panel(Shared &s, Panel &p, u32 k, u32 warp, u32 lane) {
    if (warp == 0) {
        u32 count = 0;
        for (u32 i0 = 0; i0 < M; i0 += 32) {
            const u32 i = i0 + lane;
            const bool target = i < M && !s.lead[k % 2][i];
            const u32 mask = __ballot_sync(ALL, target), t = count + __popc(mask & ((1u << lane) - 1));
            if (target) {
                p.t_residual[t] = i * STRIDE - s.shifts[i] * N_PAD, p.t_basis[t] = i * STRIDE + ORDER * N_PAD;
                p.t_turn[t] = s.shifts[i], p.t_row[t] = i;
            }
            count += __popc(mask);
        }
        const u64 top = largest_degree(s, lane);
        if (lane == 0) p.targets = count, p.pivots = s.count, p.len = (int)min(top - s.least, (u64)k) + 1;
        for (u32 c = lane; c < N_WARP; c += 32) {
            // Where a column has no pivot its factors are 0, and any pivot does: other rows change meanwhile.
            const u32 own = s.column_of[c], i = own == NONE ? s.any_pivot : own;
            p.residual[c] = i * STRIDE - s.shifts[i] * N_PAD, p.basis[c] = i * STRIDE + ORDER * N_PAD, p.turn[c] = s.shifts[i];
        }
    }
    __syncthreads();
    for (u32 number = threadIdx.x; number < p.targets * N_WARP; number += THREADS) {
        const u32 t = number / N_WARP, c = number % N_WARP, i = p.t_row[t];
        // A row without residual has no factors.
        const u32 word = digits(digit_range(c < N && s.nonzero[k % 2][i] ? s.work[i][c] : 0));
        p.factors[0][t][c] = word, p.factors[1][t][c] = word >> 8;
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
leaf(u32 *__restrict__ basis, u64 *__restrict__ degrees, u32 *__restrict__ changes, const u32 *__restrict__ series, u64 offset, u32 given,
     const u32 *__restrict__ inverses, u32 order, u32 before) {
    extern __shared__ __align__(16) u8 memory[];
    Shared &s = *(Shared *)memory;
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    series += offset;
    for (u32 number = threadIdx.x; number < M * STRIDE / 2; number += THREADS) ((u32 *)s.rows)[number] = 0;
    // Factors beyond the last row are never used, but are to be something.
    for (u32 number = threadIdx.x; number < sizeof(s.panel) / 4; number += THREADS) ((u32 *)s.panel)[number] = 0;
    for (u32 i = threadIdx.x; i < M; i += THREADS) {
        s.degrees[i] = degrees[i], s.change[i] = changes[i], s.shifts[i] = 0;
        s.nonzero[0][i] = s.zero_guess[0][i] = 0;
    }
    for (u32 number = threadIdx.x; number < M * N_WARP; number += THREADS) s.work[number / N_WARP][number % N_WARP] = 0;
    Meeting meeting(s.meeting);
    if (threadIdx.x == 0) s.count = s.any_pivot = 0, meeting.prepare();
    __syncthreads();
    for (u32 number = threadIdx.x; number < min(order, given) * M * N; number += THREADS) {
        const u32 c = number / (M * N), i = number / N % M, j = number % N;
        const int v = digit_range(series[number]);
        s.rows[i * STRIDE + c * N_PAD + j] = digits(v);
        if (c == 0) {
            s.work[i][j] = v;
            if (v) atomicOr(&s.nonzero[0][i], 1u);
        }
    }
    for (u32 i = threadIdx.x; i < M; i += THREADS) s.rows[i * STRIDE + ORDER * N_PAD + i] = digits(1);
    if (warp == 0) {
        u64 low = ~0ull;
        for (u32 i = lane; i < M; i += 32) low = min(low, s.degrees[i]);
        for (u32 d = 16; d > 0; d /= 2) low = min(low, (u64)__shfl_xor_sync(ALL, low, d));
        if (lane == 0) s.least = low;
    }
    __syncthreads();
    sort_rows(s, 0, warp, WARPS, lane);
    __syncthreads();
    for (u32 r = threadIdx.x; r < M; r += THREADS) s.lead[0][s.order[0][r]] = r < N;
    __syncthreads();
    for (u32 k = 0; k < order; k++) {
        Panel &p = s.panel[k % 2];
        const Panel &old = s.panel[(k + 1) % 2];
        u32 *sorted = s.order[k % 2];
        bool done = false;
        if (warp >= ELIMINATORS) {
#if GUESS
            if (warp == WARPS - 1) guessed_panel(s, p, sorted, k, lane);
            sort_next(s, k, warp - ELIMINATORS, WARPS - ELIMINATORS, lane);
#endif
            if (k > 0) bulk(s, old, k - 1, order, warp - ELIMINATORS, WARPS - ELIMINATORS, lane);
        }
#if GUESS
        else eliminate_pairs(s, p, meeting, sorted, inverses, warp, lane);
        __syncthreads();
        done = s.scale != 0 && s.good;
#endif
        if (!done) {
            __syncthreads();
            for (u32 i = threadIdx.x; i < M; i += THREADS) s.lead[k % 2][i] = 0;
            for (u32 c = threadIdx.x; c < N_WARP; c += THREADS) s.column_of[c] = NONE;
            sort_rows(s, k, warp, WARPS, lane);
            __syncthreads();
            if (warp < ELIMINATORS) {
                const u32 count = eliminate(
                    meeting, s.next, inverses, warp, lane, [&](u32 r, u32 c) { return positive(s.work[sorted[r]][c]); },
                    [&](u32 r, u32 c) { s.lead[k % 2][sorted[r]] = 1, s.column_of[c] = s.any_pivot = sorted[r]; },
                    [&](u32 r, u32 c, u32 x) {
                        // A pivot's residual is that of step k + 1.
                        if (!s.lead[k % 2][sorted[r]]) s.work[sorted[r]][c] = x;
                    });
                if (threadIdx.x == 0) s.count = count;
            }
            __syncthreads();
            any_panel(s, p, k, warp, lane);
            sort_next(s, k, warp, WARPS, lane);
            __syncthreads();
        }
        for (u32 i = THREADS - 1 - threadIdx.x; i < M; i += THREADS) {
            if (s.nonzero[k % 2][i]) s.change[i] = before + k + 1;
            if (s.lead[k % 2][i]) s.shifts[i]++, s.degrees[i]++;
        }
        if (k + 1 < order) ahead(s, p, k, warp, lane);
        __syncthreads();
    }
    if (order > 0) bulk(s, s.panel[(order + 1) % 2], order - 1, order, warp, WARPS, lane);
    __syncthreads();
    for (u32 number = threadIdx.x; number < (order + 1) * M * M; number += THREADS) {
        const u32 c = number / (M * M), i = number / M % M, j = number % M;
        basis[number] = positive(value(s.rows[i * STRIDE + ORDER * N_PAD + turned(c, s.shifts[i]) * M_PAD + j]));
    }
    for (u32 i = threadIdx.x; i < M; i += THREADS) degrees[i] = s.degrees[i], changes[i] = s.change[i];
}
static_assert(sizeof(Shared) <= SHARED, "the host counts too few bytes");
