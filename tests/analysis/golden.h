// What the first kernels of the ladder must count, worked out from their source and the memory rules of
// CC 6.0 and later; no recording and none of the product's code is asked. C (m x n) = A (m x p) * B (p x n),
// row-major, 4-byte elements, every matrix at an address that is a multiple of 256.
//
// One fact carries them all. A block of T x T threads (T a power of two up to 32) is cut into warps of 32
// consecutive threads, x fastest: a warp is a *patch* of R = min(T, 32 / T) rows of T threads each. At each
// step its lanes touch a patch of a matrix, and a patch's sectors can be counted by hand: row r is the words
// [r * pitch + column, + columns), and word w lies in sector w / 8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace warplens::golden {

using Count = std::uint64_t;

struct Counts {
  Count load_requests = 0, load_sectors = 0, store_requests = 0, store_sectors = 0;  // Global memory
  Count shared_load_requests = 0, shared_load_wavefronts = 0;                        // As written
  Count shared_store_requests = 0, shared_store_wavefronts = 0;
};

struct Shape {
  Count m, p, n;
};

inline Count divide_up(Count value, Count by) {
  return (value + by - 1) / by;
}
inline Count round_up(Count value, Count to) {
  return divide_up(value, to) * to;
}

/// Rows [row, row + rows) and columns [column, column + columns) of a matrix of `pitch` words a row.
struct Patch {
  Count pitch, row, rows, column, columns;
};

/// Distinct sectors under a patch. Rows ascend, so a sector can come twice only as the last of one row and
/// the first of a later one.
inline Count sectors(const Patch& patch) {
  constexpr Count kWordsPerSector = 8;
  Count sum = 0;
  std::optional<Count> last;
  for (Count row = patch.row; row < patch.row + patch.rows; ++row) {
    const Count begin = (row * patch.pitch + patch.column) / kWordsPerSector;
    const Count end = (row * patch.pitch + patch.column + patch.columns - 1) / kWordsPerSector;
    sum += end - begin + 1 - (last == begin ? 1 : 0);
    last = end;
  }
  return sum;
}

/// The two naive kernels: a warp stands on `height` x `width` elements of C, cut off at C's edges; each of p
/// terms is one load of A, the patch's rows at column k, and one of B, the patch's columns at row k. A's
/// patch is the same for all warps side by side, and B's for all warps one above the other.
inline Counts guarded(const Shape& shape, Count height, Count width) {
  const Count down = divide_up(shape.m, height), across = divide_up(shape.n, width);
  Counts counts;
  counts.load_requests = down * across * 2 * shape.p;
  counts.store_requests = down * across;
  for (Count k = 0; k < shape.p; ++k) {
    for (Count row = 0; row < shape.m; row += height) {
      counts.load_sectors += across * sectors({shape.p, row, std::min(height, shape.m - row), k, 1});
    }
    for (Count column = 0; column < shape.n; column += width) {
      counts.load_sectors += down * sectors({shape.n, k, 1, column, std::min(width, shape.n - column)});
    }
  }
  for (Count row = 0; row < shape.m; row += height) {
    for (Count column = 0; column < shape.n; column += width) {
      counts.store_sectors +=
          sectors({shape.n, row, std::min(height, shape.m - row), column, std::min(width, shape.n - column)});
    }
  }
  return counts;
}

/// x along the columns of C: a warp is R rows of T elements.
inline Counts naive(const Shape& shape, Count T) {
  return guarded(shape, std::min(T, 32 / T), T);
}
/// x along the rows of C: a warp is T rows of R elements.
inline Counts naive_uncoalesced(const Shape& shape, Count T) {
  return guarded(shape, T, std::min(T, 32 / T));
}

/// `tiled`, on matrices padded to multiples of T. Each warp, each step: its R rows of a tile of A and of a
/// tile of B are loaded and stored to shared memory (32 consecutive words, or fewer for T < 8: one
/// wavefront), then 2 T words are read: as[y][i] is R words T apart, R * T <= 32, so in R banks, each
/// broadcast; bs[i][x] is T consecutive words. One wavefront either way.
inline Counts tiled(const Shape& shape, Count T) {
  const Count m = round_up(shape.m, T), p = round_up(shape.p, T), n = round_up(shape.n, T);
  const Count height = std::min(T, 32 / T), warps = m / height * (n / T), steps = p / T;
  Counts counts;
  counts.load_requests = warps * steps * 2;
  counts.store_requests = warps;
  counts.shared_store_requests = counts.shared_store_wavefronts = warps * steps * 2;
  counts.shared_load_requests = counts.shared_load_wavefronts = warps * steps * 2 * T;
  for (Count k = 0; k < p; k += T) {
    for (Count row = 0; row < m; row += height)
      counts.load_sectors += n / T * sectors({p, row, height, k, T});
    // The warps of a block share its tile of B among them: rows k .. k + T, `height` each; the same for each
    // of the m / T blocks down a column.
    for (Count row = k; row < k + T; row += height) {
      for (Count column = 0; column < n; column += T)
        counts.load_sectors += m / T * sectors({n, row, height, column, T});
    }
  }
  for (Count row = 0; row < m; row += height) {
    for (Count column = 0; column < n; column += T)
      counts.store_sectors += sectors({n, row, height, column, T});
  }
  return counts;
}

/// Volkov's kernels, on matrices padded to multiples of M x K x N = 16 x 32 x 64: 2 warps a block, p / K
/// steps. Every access to global memory is 32 consecutive, aligned words: 4 sectors. A warp, a step: M / 2
/// rows of A's tile and K rows of B loaded; M / 2 stores of the tile, and K * M reads of it, of one word
/// each: a broadcast. At the end M rows of C stored. The stores: lane l writes word l * leading_dimension +
/// c. With 17 all banks differ. With 16 the lanes fall on 2 banks, 16 words on each: 16 wavefronts.
inline Counts volkov(const Shape& shape, Count leading_dimension) {
  constexpr Count M = 16, N = 64, K = 32, kSectors = 4;
  const Count warps = divide_up(shape.m, M) * divide_up(shape.n, N) * 2, steps = divide_up(shape.p, K);
  Counts counts;
  counts.load_requests = warps * steps * (M / 2 + K);
  counts.load_sectors = counts.load_requests * kSectors;
  counts.store_requests = warps * M;
  counts.store_sectors = counts.store_requests * kSectors;
  counts.shared_store_requests = warps * steps * (M / 2);
  counts.shared_store_wavefronts = counts.shared_store_requests * (leading_dimension == 16 ? 16 : 1);
  counts.shared_load_requests = counts.shared_load_wavefronts = warps * steps * K * M;
  return counts;
}

/// By the kernel's id; T is ignored where the kernel has none.
inline std::optional<Counts> expected(const std::string& kernel, const Shape& shape, Count T) {
  if (kernel == "naive") return naive(shape, T);
  if (kernel == "naive_uncoalesced") return naive_uncoalesced(shape, T);
  if (kernel == "tiled") return tiled(shape, T);
  if (kernel == "volkov_transposed") return volkov(shape, 16);
  if (kernel == "volkov_padded") return volkov(shape, 17);
  return std::nullopt;
}

}  // namespace warplens::golden
