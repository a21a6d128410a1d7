// golden.h for the other kernels of the ladder: what each must count, worked out by hand in the same way. T
// is a power of two.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/golden.h"

namespace warplens::golden {

/// Distinct words of shared memory in the bank that has most: the wavefronts of a 4-byte access.
inline Count wavefronts(const std::vector<Count>& words) {
  std::vector<std::set<Count>> banks(32);
  Count max = 0;
  for (const Count word : words) {
    auto& bank = banks[word % 32];
    bank.insert(word);
    max = std::max<Count>(max, bank.size());
  }
  return max;
}

/// A patch cut off at the edges of a matrix of `rows` rows; no rows or no columns if nothing is left.
inline Patch cut(Patch patch, Count rows) {
  patch.rows = patch.row < rows ? std::min(patch.rows, rows - patch.row) : 0;
  patch.columns = patch.column < patch.pitch ? std::min(patch.columns, patch.pitch - patch.column) : 0;
  return patch;
}
inline bool empty(const Patch& patch) {
  return patch.rows == 0 || patch.columns == 0;
}
inline void add_load(Counts& counts, const Patch& patch) {
  if (empty(patch)) return;
  ++counts.load_requests;
  counts.load_sectors += sectors(patch);
}
inline void add_store(Counts& counts, const Patch& patch) {
  if (empty(patch)) return;
  ++counts.store_requests;
  counts.store_sectors += sectors(patch);
}
inline void add_shared_stores(Counts& counts, Count requests, Count wavefronts_each = 1) {
  counts.shared_store_requests += requests;
  counts.shared_store_wavefronts += requests * wavefronts_each;
}
inline void add_shared_loads(Counts& counts, Count requests, Count wavefronts_each = 1) {
  counts.shared_load_requests += requests;
  counts.shared_load_wavefronts += requests * wavefronts_each;
}

constexpr Count kLanes = 32, kMostThreads = 1024;

/// The buffering kernels: `threads` threads copy p words in strides, a warp 32 of them; then read all of them
/// for every 32 elements of a row or column of C, the same words for all lanes. nvcc reads four at once, and
/// a broadcast of 16 bytes takes a wavefront for each half-warp.
inline void add_buffer(Counts& counts, Count p, Count threads, Count blocks, Count elements) {
  for (Count first = 0; first < p; first += threads) {
    add_shared_stores(counts, blocks * divide_up(std::min(threads, p - first), kLanes));
  }
  for (Count first = 0; first < elements; first += kLanes) {
    add_shared_loads(counts, blocks * (p / 4), elements - first > kLanes / 2 ? 2 : 1);
    add_shared_loads(counts, blocks * (p % 4));
  }
}

inline Counts buffered_column(const Shape& shape) {
  const auto [m, p, n] = shape;
  const Count threads = std::min(m, kMostThreads);
  Counts counts;
  add_buffer(counts, p, threads, n, m);
  for (Count column = 0; column < n; ++column) {
    for (Count first = 0; first < p; first += threads) {
      for (Count k = first; k < std::min(first + threads, p); k += kLanes) {
        add_load(counts, {n, k, std::min(kLanes, std::min(first + threads, p) - k), column, 1});
      }
    }
    for (Count row = 0; row < m; row += kLanes) {
      for (Count k = 0; k < p; ++k) add_load(counts, {p, row, std::min(kLanes, m - row), k, 1});
      add_store(counts, {n, row, std::min(kLanes, m - row), column, 1});
    }
  }
  return counts;
}

inline Counts buffered_row(const Shape& shape) {
  const auto [m, p, n] = shape;
  const Count threads = std::min(n, kMostThreads);
  Counts counts;
  add_buffer(counts, p, threads, m, n);
  for (Count row = 0; row < m; ++row) {
    for (Count first = 0; first < p; first += threads) {
      for (Count k = first; k < std::min(first + threads, p); k += kLanes) {
        add_load(counts, {p, row, 1, k, std::min(kLanes, std::min(first + threads, p) - k)});
      }
    }
    for (Count column = 0; column < n; column += kLanes) {
      for (Count k = 0; k < p; ++k) add_load(counts, {n, k, 1, column, std::min(kLanes, n - column)});
      add_store(counts, {n, row, 1, column, std::min(kLanes, n - column)});
    }
  }
  return counts;
}

/// The tiled kernels with guards, one warp of a block at one step: which patches it loads. tiled_guarded
/// stores a word to both tiles in every lane and reads all T terms; tiled_dynamic stores what it loaded, and
/// only warps with an element of C read, up to p.
inline Counts guarded_tiles(const Shape& shape, Count T, bool dynamic) {
  const auto [m, p, n] = shape;
  const Count height = std::min(T, kLanes / T);
  Counts counts;
  for (Count top = 0; top < m; top += T) {
    for (Count left = 0; left < n; left += T) {
      for (Count y = 0; y < T; y += height) {
        const Patch c = cut({n, top + y, height, left, T}, m);
        for (Count k = 0; k < p; k += T) {
          const Patch a = cut({p, top + y, height, k, T}, m), b = cut({n, k + y, height, left, T}, p);
          add_load(counts, a);
          add_load(counts, b);
          add_shared_stores(counts, dynamic ? Count{!empty(a)} + Count{!empty(b)} : 2);
          add_shared_loads(counts, dynamic ? (empty(c) ? 0 : 2 * std::min(T, p - k)) : 2 * T);
        }
        add_store(counts, c);
      }
    }
  }
  return counts;
}

/// x and y swapped: a warp is T rows of `width` words. In shared memory its lanes stand on T rows T words
/// apart: T * T / 32 of them in a bank.
inline Counts tiled_swapped(const Shape& shape, Count T) {
  const Count m = round_up(shape.m, T), p = round_up(shape.p, T), n = round_up(shape.n, T),
              width = std::min(T, kLanes / T);
  const Count conflicting = std::max<Count>(1, T * T / kLanes);
  Counts counts;
  for (Count top = 0; top < m; top += T) {
    for (Count left = 0; left < n; left += T) {
      for (Count x = 0; x < T; x += width) {
        for (Count k = 0; k < p; k += T) {
          add_load(counts, {p, top, T, k + x, width});
          add_load(counts, {n, k, T, left + x, width});
          add_shared_stores(counts, 2, conflicting);
          add_shared_loads(counts, T, conflicting);
          add_shared_loads(counts, T);
        }
        add_store(counts, {n, top, T, left + x, width});
      }
    }
  }
  return counts;
}

inline Counts tiled_shared_a(const Shape& shape) {
  constexpr Count T = 16, kHeight = 2;
  const Count m = round_up(shape.m, T), p = round_up(shape.p, T), n = round_up(shape.n, T);
  Counts counts;
  for (Count row = 0; row < m; row += kHeight) {
    for (Count left = 0; left < n; left += T) {
      for (Count k = 0; k < p; k += T) {
        add_load(counts, {p, row, kHeight, k, T});
        for (Count i = 0; i < T; ++i) add_load(counts, {n, k + i, 1, left, T});
        add_shared_stores(counts, 1);
        add_shared_loads(counts, T);
      }
      add_store(counts, {n, row, kHeight, left, T});
    }
  }
  return counts;
}

/// Every tile is cut into patches as by `tiled`, but a warp takes four of them, and a word of B's tile serves
/// four reads of A's.
inline Counts tiled_unroll4(const Shape& shape, Count T) {
  const Count m = round_up(shape.m, T), p = round_up(shape.p, T), n = round_up(shape.n, T),
              height = std::min(T / 4, kLanes / T);
  Counts counts;
  for (Count row = 0; row < m; row += height) {
    for (Count left = 0; left < n; left += T) {
      for (Count k = 0; k < p; k += T) {
        add_load(counts, {p, row, height, k, T});
        add_load(counts, {n, k + row % T, height, left, T});
        add_shared_stores(counts, 2);
      }
      add_store(counts, {n, row, height, left, T});
    }
  }
  add_shared_loads(counts, m / height / 4 * (n / T) * p * 5);
  return counts;
}

/// A warp is 2 rows of 16 threads, each with T x T elements side by side: its lanes are T elements apart.
inline Counts register_tile(const Shape& shape, Count T) {
  constexpr Count kEdge = 16, kRowsOfThreads = 2, kWordsPerSector = 8;
  const Count m = round_up(shape.m, kEdge * T), p = shape.p, n = round_up(shape.n, kEdge * T);
  const auto distinct = [&](Count pitch, Count row, Count rows, Count column, Count columns) {
    std::set<Count> found;
    for (Count y = 0; y < rows; ++y) {
      for (Count x = 0; x < columns; ++x)
        found.insert(((row + y * T) * pitch + column + x * T) / kWordsPerSector);
    }
    return Count{found.size()};
  };
  Counts counts;
  for (Count top = 0; top < m; top += kRowsOfThreads * T) {
    for (Count left = 0; left < n; left += kEdge * T) {
      counts.load_requests += p * 2 * T;
      counts.store_requests += T * T;
      for (Count i = 0; i < T; ++i) {
        for (Count k = 0; k < p; ++k)
          counts.load_sectors +=
              distinct(p, top + i, kRowsOfThreads, k, 1) + distinct(n, k, 1, left + i, kEdge);
        for (Count j = 0; j < T; ++j)
          counts.store_sectors += distinct(n, top + i, kRowsOfThreads, left + j, kEdge);
      }
    }
  }
  return counts;
}

/// The kernels with 128 x 128 elements a block, on matrices padded to multiples of it and of 8 along p. Calls
/// `step` for each warp of each block at each step with what it is about: the block's first row and column,
/// the step's first term, and the number of the warp.
template <class Step>
void each_step_of_block_tiles(const Shape& shape, Step step) {
  constexpr Count kEdge = 128, K = 8, kWarps = 8;
  for (Count top = 0; top < shape.m; top += kEdge) {
    for (Count left = 0; left < shape.n; left += kEdge) {
      for (Count k = 0; k < shape.p; k += K) {
        for (Count warp = 0; warp < kWarps; ++warp) step(top, left, k, warp);
      }
    }
  }
}

/// A thread stores 8 x 8 elements. `requests` of a warp store them, 16 sectors or 4 each.
inline void add_stores_of_block_tiles(Counts& counts, const Shape& shape, Count requests,
                                      Count sectors_each) {
  const Count warps = divide_up(shape.m, 128) * divide_up(shape.n, 128) * 8;
  counts.store_requests += warps * requests;
  counts.store_sectors += warps * requests * sectors_each;
}

/// 4-byte accesses. A warp copies 4 rows of A's tile, 4 times, and 32 columns of a row of B's, 4 times. Of a
/// term it reads 8 times two words of A's tile, 8 words apart, and 8 times 16 consecutive ones of B's. It
/// stores 16 columns of two rows, 64 times.
inline Counts register_block(const Shape& shape) {
  const Count p = round_up(shape.p, 8), n = round_up(shape.n, 128);
  Counts counts;
  each_step_of_block_tiles(shape, [&](Count top, Count left, Count k, Count warp) {
    for (Count i = 0; i < 4; ++i) {
      add_load(counts, {p, top + 32 * i + 4 * warp, 4, k, 8});
      add_load(counts, {n, k + 2 * i + warp / 4, 1, left + warp % 4 * 32, 32});
    }
    add_shared_stores(counts, 8);
    add_shared_loads(counts, 8 * (8 + 8));
  });
  add_stores_of_block_tiles(counts, shape, 64, 4);
  return counts;
}

/// 16-byte accesses. A warp loads 16 rows of A's tile at once, and a row of B's. It stores the one by single
/// words, row r of column c to word 132 c + r: of 16 rows and two columns that are 4 apart all banks differ.
/// The other takes a wavefront for each quarter-warp. Of a term it reads two pieces of each tile. A request
/// to C stores 512 bytes.
inline Counts vector_load(const Shape& shape, Count wavefronts_of_a, Count wavefronts_of_b) {
  const Count p = round_up(shape.p, 8), n = round_up(shape.n, 128);
  Counts counts;
  each_step_of_block_tiles(shape, [&](Count top, Count left, Count k, Count warp) {
    add_load(counts, {p, top + 16 * warp, 16, k, 8});
    add_load(counts, {n, k + warp, 1, left, 128});
    add_shared_stores(counts, 4);
    add_shared_stores(counts, 1, 4);
    add_shared_loads(counts, 8 * 2, wavefronts_of_a);
    add_shared_loads(counts, 8 * 2, wavefronts_of_b);
  });
  add_stores_of_block_tiles(counts, shape, 16, 16);
  return counts;
}

/// Lanes that share 16 bytes with lane l xor 1 or l xor 2 are taken by half-warps: A's in vector_load, where
/// 16 lanes read the same, and both in warp_tile. There two lanes have the same 16 bytes of B's, and 8 the
/// same of A's.
constexpr Count kHalfWarps = 2, kQuarterWarps = 4;

/// Copies instead of loads and stores: A's tile by 4 bytes a lane as in register_block, each to word 132 c +
/// r, so of 4 rows and 8 columns to all banks; B's by 16 bytes past L1, which take no wavefront.
inline Counts async_copy(const Shape& shape) {
  const Count p = round_up(shape.p, 8), n = round_up(shape.n, 128);
  Counts counts;
  each_step_of_block_tiles(shape, [&](Count top, Count left, Count k, Count warp) {
    for (Count i = 0; i < 4; ++i) add_load(counts, {p, top + 32 * i + 4 * warp, 4, k, 8});
    add_load(counts, {n, k + warp, 1, left, 128});
    add_shared_stores(counts, 4);
    add_shared_stores(counts, 1, 0);
    add_shared_loads(counts, 8 * 4, kHalfWarps);
  });
  add_stores_of_block_tiles(counts, shape, 16, 16);
  return counts;
}

/// Tile sizes of the kernels with tensor cores: m x n elements of C a block, k terms a step. Eight warps.
struct TensorTile {
  Count m, n, k;
};

/// Calls `step` for each warp of each block at each step, as above.
template <class Step>
void each_step_of_tensor_tiles(const Shape& padded, const TensorTile& tile, Step step) {
  for (Count top = 0; top < padded.m; top += tile.m) {
    for (Count left = 0; left < padded.n; left += tile.n) {
      for (Count k = 0; k < padded.p; k += tile.k) {
        for (Count warp = 0; warp < 8; ++warp) step(top, left, k, warp);
      }
    }
  }
}
inline Shape padded_to(const Shape& shape, const TensorTile& tile) {
  return {round_up(shape.m, tile.m), round_up(shape.p, tile.k), round_up(shape.n, tile.n)};
}
/// Lanes store 8 rows of a sector each, of `bytes` bytes a lane: half of it at once where these are 4.
inline void add_stores_of_fragments(Counts& counts, const Shape& padded, Count bytes) {
  constexpr Count kSectorsEach = 8, kLanesTogether = 32;
  const Count requests = padded.m * padded.n * 4 / (bytes * kLanesTogether);
  counts.store_requests += requests;
  counts.store_sectors += requests * kSectorsEach;
}

/// The kernels of f16 with 128 x 128 elements a block and 64 terms a step. A warp copies 4 rows of A's tile,
/// 4 times, and 2 rows of B's, 4 times, 16 bytes a lane: a wavefront for each quarter-warp. Of 16 terms a
/// warp makes `loads` of the tiles. Patches are of words, of two elements each.
inline Counts tensor_tiles(const Shape& shape, Count loads, Count wavefronts_each, Count bytes_stored) {
  constexpr TensorTile kTile{128, 128, 64};
  const Shape padded = padded_to(shape, kTile);
  Counts counts;
  each_step_of_tensor_tiles(padded, kTile, [&](Count top, Count left, Count k, Count warp) {
    for (Count i = 0; i < 4; ++i) {
      add_load(counts, {padded.p / 2, top + 32 * i + 4 * warp, 4, k / 2, 32});
      add_load(counts, {padded.n / 2, k + 16 * i + 2 * warp, 2, left / 2, 64});
    }
    add_shared_stores(counts, 8, 4);
    add_shared_loads(counts, 4 * loads, wavefronts_each);
  });
  add_stores_of_fragments(counts, padded, bytes_stored);
  return counts;
}

/// A warp loads of each 16 x 16 fragment of A 8 rows of 16 bytes, 4 times, and of B's 4 rows of 16 bytes, 8
/// times: rows lie in sectors of their own. Stores are of 4 bytes.
inline Counts wmma_naive(const Shape& shape) {
  constexpr TensorTile kTile{64, 16, 16};
  const Shape padded = padded_to(shape, kTile);
  const Count fragments = padded.m / 16 * (padded.n / 16) * (padded.p / 16);
  Counts counts{.load_requests = fragments * (4 + 8), .load_sectors = fragments * (4 * 8 + 8 * 4)};
  add_stores_of_fragments(counts, padded, 4);
  return counts;
}

/// Copies past L1: 8 rows of A's tile, twice, and a row of B's, 4 times. Of 16 terms a warp loads 4 fragments
/// of A and 8 of B, of these two at once: 4 wavefronts each.
inline Counts mma_pipelined(const Shape& shape) {
  constexpr TensorTile kTile{128, 256, 32};
  const Shape padded = padded_to(shape, kTile);
  Counts counts;
  each_step_of_tensor_tiles(padded, kTile, [&](Count top, Count left, Count k, Count warp) {
    for (Count i = 0; i < 2; ++i) add_load(counts, {padded.p / 2, top + 64 * i + 8 * warp, 8, k / 2, 16});
    for (Count i = 0; i < 4; ++i) add_load(counts, {padded.n / 2, k + 8 * i + warp, 1, left / 2, 128});
    add_shared_stores(counts, 6, 0);
    add_shared_loads(counts, 2 * (4 + 4), 4);
  });
  add_stores_of_fragments(counts, padded, 8);
  return counts;
}

/// A bulk copy is recorded in accesses of 512 bytes, which take 16 sectors of global memory and 4 wavefronts
/// of shared memory.
inline constexpr Count kBulkBytes = 512;

/// Of a tile of 128 x 256 elements and a step of 64 terms: two warpgroups multiply four times 64 x 16 values
/// of A and 16 x 256 of B, of which wgmma reads 128 bytes a wavefront.
inline Counts wgmma_step(Count loaded_bytes) {
  constexpr Count kStage = (128 + 256) * 64 * 2 / kBulkBytes,
                  kReads = 2 * 4 * (64 + 256) * 16 * 2 / kBulkBytes;
  const Count loads = loaded_bytes / kBulkBytes;
  return {loads, 16 * loads, 0, 0, kReads, 4 * kReads, kStage, 4 * kStage};
}

inline Counts times(const Counts& counts, Count count) {
  return {count * counts.load_requests,         count * counts.load_sectors,
          count * counts.store_requests,        count * counts.store_sectors,
          count * counts.shared_load_requests,  count * counts.shared_load_wavefronts,
          count * counts.shared_store_requests, count * counts.shared_store_wavefronts};
}

/// Each warp stores 16 rows of 256 elements, 8 rows of 32 bytes at a time.
inline Counts tma_wgmma(const Shape& shape) {
  const Count tiles = round_up(shape.m, 128) / 128 * (round_up(shape.n, 256) / 256),
              steps = round_up(shape.p, 64) / 64;
  Counts counts = times(wgmma_step((128 + 256) * 64 * 2), tiles * steps);
  counts.store_requests = tiles * 8 * 64;
  counts.store_sectors = 8 * counts.store_requests;
  return counts;
}

/// A block loads half of B's tile, and gets all of it. Sums go to shared memory, 4 wavefronts for 32 lanes of
/// 8 bytes, and by bulk copies from there to C.
inline Counts warp_specialised(const Shape& shape) {
  const Count tiles = round_up(shape.m, 256) / 128 * (round_up(shape.n, 256) / 256),
              steps = round_up(shape.p, 64) / 64, stores = tiles * 128 * 256 * 4 / kBulkBytes;
  Counts counts = times(wgmma_step((128 + 128) * 64 * 2), tiles * steps);
  counts.store_requests = stores;
  counts.store_sectors = 16 * stores;
  counts.shared_load_requests += stores;
  counts.shared_load_wavefronts += 4 * stores;
  counts.shared_store_requests += tiles * 8 * 64;
  counts.shared_store_wavefronts += 4 * tiles * 8 * 64;
  return counts;
}

/// A step has 16 terms. Four warps copy A's tile, 4 rows of 8 values at a time; eight warps load 6 times 16
/// bytes a term, and once more ahead. C is stored by words 16 bytes apart.
inline Counts sgemm(const Shape& shape) {
  const Count blocks = round_up(shape.m, 256) / 256 * (round_up(shape.n, 128) / 128),
              steps = round_up(shape.p, 16) / 16, of_b = 16 * 128 * 4 / kBulkBytes, of_a = 256 * 16 / 32,
              loads = blocks * 8 * 6 * (16 * steps + 1), stores = blocks * 8 * 128;
  return {blocks * steps * (of_b + of_a),
          blocks * steps * (16 * of_b + 4 * of_a),
          stores,
          16 * stores,
          loads,
          2 * loads,
          blocks * steps * (of_b + of_a),
          blocks * steps * (4 * of_b + of_a)};
}

/// `tiled` with B's transpose in memory. A warp's lanes store T + P words apart, `height` neighbours each.
inline Counts corner_turning(const Shape& shape, Count T, Count P) {
  const Count m = round_up(shape.m, T), p = round_up(shape.p, T), n = round_up(shape.n, T),
              height = std::min(T, kLanes / T);
  std::vector<Count> stored;
  for (Count x = 0; x < T; ++x) {
    for (Count y = 0; y < height; ++y) stored.push_back(x * (T + P) + y);
  }
  Counts counts;
  for (Count top = 0; top < m; top += T) {
    for (Count left = 0; left < n; left += T) {
      for (Count y = 0; y < T; y += height) {
        for (Count k = 0; k < p; k += T) {
          add_load(counts, {p, top + y, height, k, T});
          add_load(counts, {p, left + y, height, k, T});
          add_shared_stores(counts, 1);
          add_shared_stores(counts, 1, wavefronts(stored));
          add_shared_loads(counts, 2 * T);
        }
        add_store(counts, {n, top + y, height, left, T});
      }
    }
  }
  return counts;
}

/// By the kernel's id, in its first value type; T is ignored where the kernel has none.
inline std::optional<Counts> expected_of_kernel(const std::string& kernel, const Shape& shape, Count T) {
  if (kernel == "buffered_column") return buffered_column(shape);
  if (kernel == "buffered_row") return buffered_row(shape);
  if (kernel == "tiled_dynamic") return guarded_tiles(shape, T, true);
  if (kernel == "tiled_guarded") return guarded_tiles(shape, 16, false);
  if (kernel == "tiled_padded") return tiled(shape, T);
  if (kernel == "tiled_swapped") return tiled_swapped(shape, T);
  if (kernel == "tiled_shared_a") return tiled_shared_a(shape);
  if (kernel == "tiled_unroll4") return tiled_unroll4(shape, T);
  if (kernel == "register_tile") return register_tile(shape, T);
  if (kernel == "volkov") return volkov(shape, 17);  // Stored row by row: no conflicts either
  if (kernel == "register_block") return register_block(shape);
  if (kernel == "vector_load") return vector_load(shape, kHalfWarps, kQuarterWarps);
  if (kernel == "warp_tile" || kernel == "double_buffered") return vector_load(shape, kHalfWarps, kHalfWarps);
  if (kernel == "async_copy" || kernel == "swizzled") return async_copy(shape);
  if (kernel == "wmma_naive") return wmma_naive(shape);
  // 2 fragments of A in 4 accesses each, 4 of B in 8. Tiles are padded: no conflicts.
  if (kernel == "wmma_shared") return tensor_tiles(shape, 2 * 4 + 4 * 8, 1, 4);
  // ldmatrix: 4 fragments of A, 4 of B two at once, of 4 matrices each, which take 8 wavefronts or one.
  if (kernel == "mma_plain") return tensor_tiles(shape, 4 + 2, 4 * 8, 8);
  if (kernel == "mma_swizzled") return tensor_tiles(shape, 4 + 2, 4, 8);
  if (kernel == "mma_pipelined") return mma_pipelined(shape);
  if (kernel == "tma_wgmma") return tma_wgmma(shape);
  if (kernel == "warp_specialised") return warp_specialised(shape);
  if (kernel == "sgemm") return sgemm(shape);
  if (kernel == "corner_turning") return corner_turning(shape, T, 1);
  return expected(kernel, shape, T);
}

}  // namespace warplens::golden
