// Reduced row echelon forms of panels of rows, mod P: what products (gemm.cu) leave to be done.
//
// A panel has up to 1024 rows. Its pivots are found in windows of WINDOW columns, STRIP columns at a time: pivot column by pivot column, always
// with the first row that has an entry there (so that pivots are those of the rank profile matrix: J.-G. Dumas, C. Pernet, Z. Sultan, ISSAC
// 2015). They are guessed from the first STRIP rows with entries there that have not been taken, a thread for each entry (`corner`). If these
// rows are R, J their columns with pivots, other rows are cleared in J by -row[J] R[J]^-1; where that leaves no entry in the other columns,
// no row outside R has been a candidate before R was used up, and the guess is what elimination does (`lift`, on all multiprocessors).
// Otherwise one thread block holds the strip in registers, a row in each thread, and eliminates it. What has been done to rows is
//   rows <- rows + E (pivot rows)
// with a column of E for each pivot; a strip's E is applied to the window, and to the columns of E for pivots of earlier strips, which
// stand beside the window. The window's E is applied to the rest of the panel as one product.
//
// `window` is rows x 2 WINDOW, entries then E. `found`: 0: number of pivots of the window; 1: the least position that `leads` has
// found; from 2 on, for each pivot of the window its row, then (WINDOW later) its column in the window.
//
// Launch contract: all row-major, strides multiples of 16 bytes.
//   arrange      256 threads per block, a block for 256 columns of a row. panel[i][j] = rows[i][order[j]], or 0 where order[j] is NONE.
//   leads        256 threads per block, a block for each row. found[1] takes the least position >= from of an entry of a row that has not
//       been taken, if that is less than what it holds.
//   open_window     256 threads per block, a block for each row: the columns from `from` on, up to `end`; resets `found`.
//   corner       1024 threads, one block: columns STRIP * number, … of the window. `taken`: rows that are pivot rows, from this or earlier
//       windows. `guess` takes MAP + STRIP * STRIP numbers.
//   lift         256 threads per block, 32 rows each: after `corner`. `multipliers` takes rows x STRIP.
//   strip        1024 threads, one block: after `lift`. `lines` takes STRIP x 2 WINDOW: pivot rows as they were.
//   apply        256 threads per block, blocks: 2 WINDOW / 32 in x, 32 rows each in y. window += multipliers lines.
//   close_window    256 threads per block, a block for each row: the window to the panel, 0 in pivot columns, and 1 taken from the
//       diagonal of E.
//   gather       256 threads per block, a block for 256 columns of a row: to[first + i][j] = from[lines[i]][j].
//   clear        256 threads per block, a thread for each of rows x count: rows[i][columns[k]] = 0.
//   units        256 threads per block, a thread for each of count rows: rows[i][offset + i] = 1.
//   turn         256 threads per block, a block for 32 rows (x) and 32 columns (y) of `from`: to[l][i] = from[i][l].
//   deal         256 threads per block, a block for 256 of the `cols` columns (x) of a row (y) of a part, which has bands of `band` columns of
//       the whole, every parts-th from `number` on: whole[i][(j / band * parts + number) * band + j % band] = part[i][j], or, if `back` is
//       not 0, the reverse.
//   narrow       256 threads per block, a block for 256 of `width` columns (x) of a row (y): to[i][j] = the sum of from[i][j + k width],
//       for columns below `wide`, a multiple of `width`.

#include "dense.cuh"

#define WINDOW 256
#define STRIP 32
#define BESIDE (2 * WINDOW)

extern "C" __global__ void __launch_bounds__(256)
arrange(Lane *__restrict__ panel, const Lane *__restrict__ rows, const u32 *__restrict__ order, u64 offset, u32 panel_stride,
        u32 rows_stride, u32 cols) {
    const u32 j = blockIdx.x * 256 + threadIdx.x, i = blockIdx.y;
    if (j >= cols) return;
    const u32 from = order[j];
    panel[(u64)i * panel_stride + j] = from == NONE ? (Lane)0 : rows[offset + (u64)i * rows_stride + from];
}

extern "C" __global__ void __launch_bounds__(256)
leads(const Lane *__restrict__ panel, const u32 *__restrict__ taken, u32 *found, u32 stride, u32 from, u32 end) {
    const u32 i = blockIdx.x;
    if (taken[i]) return;
    const Lane *row = panel + (u64)i * stride;
    volatile u32 *least = found + 1;
    for (u32 first = from / LANES * LANES; first < end && first < *least; first += 256 * LANES) {
        const u32 at = first + threadIdx.x * LANES;
        if (at >= end) continue;
        Word word;
        word.whole = *(const uint4 *)(row + at);
#pragma unroll
        for (u32 l = LANES; l-- > 0;)
            if (word.lane[l] && at + l >= from && at + l < end) atomicMin(found + 1, at + l);
    }
}

extern "C" __global__ void __launch_bounds__(256)
open_window(Lane *__restrict__ window, const Lane *__restrict__ panel, u32 *found, u32 stride, u32 from, u32 end) {
    const u32 i = blockIdx.x, j = threadIdx.x;
    if (i == 0 && j == 0) found[0] = 0, found[1] = NONE;
    window[(u64)i * BESIDE + j] = from + j < end ? panel[(u64)i * stride + from + j] : (Lane)0;
    window[(u64)i * BESIDE + WINDOW + j] = 0;
}

// Guess: the pivots of a strip are in the first STRIP rows with entries there that have not been taken, its corner.
//   guess[0]     1: the guess holds      guess[1]  columns with pivots, a bit each      guess[2 + t]  the row of the pivot in column t
//   guess[MAP +]  a STRIP x STRIP matrix T: the corner's reduced row of the pivot in column t; in the columns of pivots, what the corner's
//       rows (each known by its column) are taken times to make it.
#define MAP (2 + STRIP)

// Fraction-free: a step takes each row times the pivot, so that no inverse is waited for; rows are made monic at the end.
extern "C" __global__ void __launch_bounds__(1024, 1)
corner(const Lane *__restrict__ window, const u32 *__restrict__ taken, u32 *__restrict__ guess, u32 rows, u32 number) {
    __shared__ u32 tile[2][STRIP][STRIP + 1], row_of[STRIP], counts[32], leads[STRIP];
    const u32 i = threadIdx.x, lane = i % 32, own = i / 32;
    // Rows without an entry in the strip have no pivot there.
    bool free = false;
    if (i < rows && !taken[i]) {
        const uint4 *words = (const uint4 *)(window + (u64)i * BESIDE + number * STRIP);
        u32 any = 0;
#pragma unroll
        for (u32 k = 0; k < STRIP * sizeof(Lane) / 16; k++) any |= words[k].x | words[k].y | words[k].z | words[k].w;
        free = any != 0;
    }
    const u32 votes = __ballot_sync(~0u, free);
    if (lane == 0) counts[own] = __popc(votes);
    if (i < STRIP) row_of[i] = NONE;
    __syncthreads();
    const u32 before = __reduce_add_sync(~0u, lane < own ? counts[lane] : 0) + __popc(votes & ((1u << lane) - 1));
    if (free && before < STRIP) row_of[before] = i;
    __syncthreads();
    const u32 row = row_of[own];
    u32 x = row == NONE ? 0 : window[(u64)row * BESIDE + number * STRIP + lane];
    tile[0][own][lane] = x;
    __syncthreads();
    // Entries in columns without pivots so far; in those with pivots what rows are taken times: row k of a pivot in column t, which so far
    // has been taken times all earlier pivots, `scale`, has that in column t.
    u32 current = 0, open = __ballot_sync(~0u, row_of[lane] != NONE), pivots = 0, scale = 1, lead = 1, place = NONE;
#pragma unroll 1
    for (u32 t = 0; t < STRIP; t++) {
        const u32 entry = tile[current][lane][t];
        const u32 vote = __ballot_sync(~0u, entry != 0) & open;
        if (!vote) continue;
        const u32 k = __ffs(vote) - 1, pivot = __shfl_sync(~0u, entry, k), mine = negative_mod(__shfl_sync(~0u, entry, own));
        const u32 line = tile[current][k][lane];
        if (own == k) {
            if (lane == t) x = scale;
            lead = pivot, place = t;
        } else {
            x = lane == t ? product_mod(mine, scale) : sum_product_mod(product_mod(pivot, x), mine, line);
            lead = product_mod(lead, pivot);
        }
        scale = product_mod(scale, pivot), open &= ~(1u << k), pivots |= 1u << t, current ^= 1;
        tile[current][own][lane] = x;
        __syncthreads();
    }
    if (lane == 0) leads[own] = place == NONE ? 0 : lead;
    __syncthreads();
    if (own == 0) leads[lane] = inverse_mod(leads[lane]);
    if (i < STRIP) guess[2 + i] = NONE;
    __syncthreads();
    if (i == 0) guess[0] = 1, guess[1] = pivots;
    if (place != NONE) {
        if (lane == 0) guess[2 + place] = row;
        guess[MAP + place * STRIP + lane] = product_mod(x, leads[own]);
    }
}

// The multipliers of the guess, for 32 rows in a block; it fails if a row that is not a pivot row keeps an entry.
extern "C" __global__ void __launch_bounds__(256)
lift(const Lane *__restrict__ window, const u32 *__restrict__ taken, u32 *__restrict__ guess, Lane *__restrict__ multipliers, u32 rows,
     u32 number) {
    __shared__ u32 map[STRIP][STRIP];
    const u32 lane = threadIdx.x % 32, pivots = guess[1], row = guess[2 + lane];
    for (u32 k = threadIdx.x; k < STRIP * STRIP; k += 256) map[k / STRIP][k % STRIP] = pivots >> (k / STRIP) & 1 ? guess[MAP + k] : 0;
    __syncthreads();
    bool fails = false;
    for (u32 i = blockIdx.x * 32 + threadIdx.x / 32; i < rows && i < blockIdx.x * 32 + 32; i += 8) {
        const u32 entry = window[(u64)i * BESIDE + number * STRIP + lane];
        u64 sum = 0;
#pragma unroll
        for (u32 t = 0; t < STRIP; t++) {
            const u64 term = (u64)__shfl_sync(~0u, entry, t) * map[t][lane];
#if LANE == 32
            sum += term % P;
#else
            sum += term;
#endif
        }
        const u32 known = (u32)(sum % P), self = __ballot_sync(~0u, row == i);
        u32 by = 0;
        if (pivots >> lane & 1) {
            by = negative_mod(known);
            // The corner's row of its own pivot, less itself.
            if (self) by = sum_mod(by, map[__ffs(self) - 1][lane]);
        } else if (known != entry && !self && !taken[i]) {
            fails = true;
        }
        multipliers[i * STRIP + lane] = by;
    }
    if (__any_sync(~0u, fails) && lane == 0) guess[0] = 0;
}

// A strip in registers, a row in each thread; returns which of its columns have pivots. All threads.
__device__ __forceinline__ u32 eliminate(const Lane *window, Lane *multipliers, u32 *taken, u32 *found, u32 *pivot_row, u32 before, u32 rows,
                                         u32 number) {
    __shared__ u32 first_of[32], pivot[STRIP];
    const u32 i = threadIdx.x, lane = i % 32;
    const bool inside = i < rows;
    // Columns t, t + 1, … and 0 … t - 1 of the strip: entries from t on, multipliers before, so that all indices are constants.
    u32 x[STRIP];
    bool free = inside && !taken[i];
    // The column in the strip whose pivot row this is; all columns with pivots.
    u32 own = NONE, pivots = 0;
    const Lane *row = window + (u64)(inside ? i : 0) * BESIDE + number * STRIP;
#pragma unroll
    for (u32 t = 0; t < STRIP; t++) x[t] = inside ? row[t] : 0;
#pragma unroll 1
    for (u32 t = 0; t < STRIP; t++) {
        const u32 vote = __ballot_sync(~0u, free && x[0]);
        if (lane == 0) first_of[i / 32] = vote ? i + __ffs(vote) - 1 : NONE;
        __syncthreads();
        const u32 first = __reduce_min_sync(~0u, first_of[lane]);
        if (i == first) {
            free = false, own = t, pivot_row[t] = i, pivot[0] = inverse_mod(x[0]);
#pragma unroll
            for (u32 u = 1; u < STRIP; u++) pivot[u] = x[u];
        }
        __syncthreads();
        if (first != NONE) pivots |= 1u << t;
        // What the pivot row is taken times, and added to: itself to nothing.
        u32 by = 0;
        if (first != NONE && x[0]) by = i == first ? pivot[0] : product_mod(negative_mod(x[0]), pivot[0]);
        if (by) {
            const bool others = i != first;
#pragma unroll
            for (u32 u = 1; u < STRIP; u++) x[u - 1] = sum_product_mod(others ? x[u] : 0, by, pivot[u]);
        } else {
#pragma unroll
            for (u32 u = 1; u < STRIP; u++) x[u - 1] = x[u];
        }
        x[STRIP - 1] = by;
    }
    if (inside) {
#pragma unroll
        for (u32 t = 0; t < STRIP; t++) multipliers[i * STRIP + t] = own == t ? difference_mod(x[t], 1) : x[t];
        if (own != NONE) {
            const u32 place = before + __popc(pivots & ((1u << own) - 1));
            taken[i] = 1, found[2 + place] = i, found[2 + WINDOW + place] = number * STRIP + own;
        }
    }
    return pivots;
}

extern "C" __global__ void __launch_bounds__(1024, 1)
strip(Lane *window, const u32 *__restrict__ guess, Lane *__restrict__ lines, Lane *__restrict__ multipliers, u32 *__restrict__ taken,
      u32 *__restrict__ found, u32 rows, u32 number) {
    __shared__ u32 pivot_row[STRIP];
    const u32 i = threadIdx.x, before = found[0];
    u32 pivots;
    if (guess[0]) {
        pivots = guess[1];
        if (i < STRIP && pivots >> i & 1) {
            const u32 row = guess[2 + i], place = before + __popc(pivots & ((1u << i) - 1));
            pivot_row[i] = row, taken[row] = 1, found[2 + place] = row, found[2 + WINDOW + place] = number * STRIP + i;
        }
    } else {
        pivots = eliminate(window, multipliers, taken, found, pivot_row, before, rows, number);
    }
    // The threads have read found[0].
    __syncthreads();
    if (i == 0) found[0] = before + __popc(pivots);
    for (u32 k = i; k < STRIP * BESIDE; k += 1024) {
        const u32 t = k / BESIDE, j = k % BESIDE;
        Lane value = 0;
        if (pivots >> t & 1) {
            Lane *at = window + (u64)pivot_row[t] * BESIDE + j;
            if (j == WINDOW + before + __popc(pivots & ((1u << t) - 1))) *at = 1;
            value = *at;
        }
        lines[k] = value;
    }
}

extern "C" __global__ void __launch_bounds__(256)
apply(Lane *__restrict__ window, const Lane *__restrict__ lines, const Lane *__restrict__ multipliers, u32 rows) {
    __shared__ u32 by[32][STRIP + 1], line[STRIP][32];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, top = blockIdx.y * 32, j = blockIdx.x * 32 + lane;
    for (u32 k = warp; k < 32; k += 8) {
        by[k][lane] = top + k < rows ? multipliers[(top + k) * STRIP + lane] : 0;
        line[k][lane] = lines[k * BESIDE + j];
    }
    __syncthreads();
    for (u32 k = warp; k < 32 && top + k < rows; k += 8) {
        Lane *at = window + (u64)(top + k) * BESIDE + j;
        u64 sum = *at;
#pragma unroll
        for (u32 t = 0; t < STRIP; t++) {
#if LANE == 32
            sum += (u64)by[k][t] * line[t][lane] % P;
#else
            sum += (u64)by[k][t] * line[t][lane];
#endif
        }
        *at = (Lane)(sum % P);
    }
}

extern "C" __global__ void __launch_bounds__(256)
close_window(Lane *__restrict__ panel, Lane *__restrict__ window, const u32 *__restrict__ found, u32 stride, u32 from, u32 end) {
    __shared__ u32 is_pivot[WINDOW];
    const u32 i = blockIdx.x, j = threadIdx.x;
    is_pivot[j] = 0;
    __syncthreads();
    if (j < found[0]) {
        is_pivot[found[2 + WINDOW + j]] = 1;
        if (found[2 + j] == i) {
            Lane *at = window + (u64)i * BESIDE + WINDOW + j;
            *at = difference_mod(*at, 1);
        }
    }
    __syncthreads();
    if (from + j < end) panel[(u64)i * stride + from + j] = is_pivot[j] ? (Lane)0 : window[(u64)i * BESIDE + j];
}

extern "C" __global__ void __launch_bounds__(256)
gather(Lane *__restrict__ to, const Lane *__restrict__ from, const u32 *__restrict__ lines, u32 stride, u32 first, u32 begin, u32 end) {
    const u32 j = begin + blockIdx.x * 256 + threadIdx.x, i = blockIdx.y;
    if (j < end) to[(u64)(first + i) * stride + j] = from[(u64)lines[i] * stride + j];
}

extern "C" __global__ void __launch_bounds__(256)
clear(Lane *__restrict__ rows, const u32 *__restrict__ columns, u32 stride, u32 count, u32 height) {
    const u64 thread = (u64)blockIdx.x * 256 + threadIdx.x;
    const u64 i = thread / count;
    if (i < height) rows[i * stride + columns[thread % count]] = 0;
}

extern "C" __global__ void __launch_bounds__(256)
units(Lane *__restrict__ rows, u32 stride, u32 offset, u32 count) {
    const u32 i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) rows[(u64)i * stride + offset + i] = 1;
}

extern "C" __global__ void __launch_bounds__(256)
turn(Lane *__restrict__ to, const Lane *__restrict__ from, u32 to_stride, u32 from_stride, u32 rows, u32 cols) {
    __shared__ Lane tile[32][33];
    const u32 top = blockIdx.x * 32, left = blockIdx.y * 32, x = threadIdx.x % 32;
    for (u32 y = threadIdx.x / 32; y < 32; y += 8)
        if (top + y < rows && left + x < cols) tile[y][x] = from[(u64)(top + y) * from_stride + left + x];
    __syncthreads();
    for (u32 y = threadIdx.x / 32; y < 32; y += 8)
        if (top + x < rows && left + y < cols) to[(u64)(left + y) * to_stride + top + x] = tile[x][y];
}

extern "C" __global__ void __launch_bounds__(256)
narrow(Lane *__restrict__ to, const Lane *__restrict__ from, u32 to_stride, u32 from_stride, u32 width, u32 wide) {
    const u32 j = blockIdx.x * 256 + threadIdx.x;
    if (j >= width) return;
    const Lane *line = from + (u64)blockIdx.y * from_stride;
    u32 sum = line[j];
    for (u32 k = j + width; k < wide; k += width) sum = sum_mod(sum, line[k]);
    to[(u64)blockIdx.y * to_stride + j] = (Lane)sum;
}

extern "C" __global__ void __launch_bounds__(256)
deal(Lane *__restrict__ whole, Lane *__restrict__ part, u32 whole_stride, u32 part_stride, u32 cols, u32 band, u32 parts, u32 number,
     u32 back) {
    const u32 j = blockIdx.x * 256 + threadIdx.x;
    if (j >= cols) return;
    Lane *one = whole + (u64)blockIdx.y * whole_stride + (j / band * parts + number) * band + j % band;
    Lane *other = part + (u64)blockIdx.y * part_stride + j;
    if (back) *other = *one;
    else *one = *other;
}
