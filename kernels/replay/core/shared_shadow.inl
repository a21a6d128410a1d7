// Part of a core: the bitmaps of shared memory that was read, written and initialised (SharedShadow).

enum class Touch { read, write, strong };

WARPLENS_INLINE std::uint64_t* touched_bits(Machine& m, Touch touch) {
  return touch == Touch::read ? m.shadow.read : touch == Touch::write ? m.shadow.written : m.shadow.strong;
}

// Bits [first, first + n) of a bitmap, n <= 64 and within one word.
WARPLENS_INLINE std::uint64_t short_run(std::uint64_t first, int n) {
  return (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << (first & 63);
}

WARPLENS_INLINE void mark_run(std::uint64_t* bits, std::uint64_t first, std::uint64_t n) {
  std::uint64_t word = first >> 6;
  const std::uint64_t last = (first + n - 1) >> 6;
  const std::uint64_t head_mask = ~std::uint64_t{0} << (first & 63),
                      tail_mask = ~std::uint64_t{0} >> (63 - ((first + n - 1) & 63));
  if (word == last) {
    bits[word] |= head_mask & tail_mask;
    return;
  }
  bits[word++] |= head_mask;
  for (; word < last; ++word) bits[word] = ~std::uint64_t{0};
  bits[last] |= tail_mask;
}
WARPLENS_INLINE bool run_is_marked(const std::uint64_t* bits, std::uint64_t first, std::uint64_t n) {
  std::uint64_t word = first >> 6;
  const std::uint64_t last = (first + n - 1) >> 6;
  const std::uint64_t head_mask = ~std::uint64_t{0} << (first & 63),
                      tail_mask = ~std::uint64_t{0} >> (63 - ((first + n - 1) & 63));
  if (word == last) return (~bits[word] & head_mask & tail_mask) == 0;
  std::uint64_t missing = ~bits[word++] & head_mask;
  for (; word < last; ++word) missing |= ~bits[word];
  return (missing | (~bits[last] & tail_mask)) == 0;
}

// 32 neighbouring values: whole words but for the ends.
template <int kTotal>
WARPLENS_INLINE void mark_neighbours(std::uint64_t* bits, std::uint64_t first) {
  constexpr int kBits = kTotal * kWarpSize;
  std::uint64_t* word = bits + (first >> 6);
  const auto shift = static_cast<int>(first & 63);
  if constexpr (kBits < 64) {
    word[0] |= short_run(first, kBits);
    if (shift + kBits > 64) word[1] |= ~std::uint64_t{0} >> (128 - shift - kBits);
  } else {
    word[0] |= ~std::uint64_t{0} << shift;
    for (int k = 1; k < kBits / 64; ++k) word[k] = ~std::uint64_t{0};
    if (shift != 0) word[kBits / 64] |= ~(~std::uint64_t{0} << shift);
  }
}

template <int kTotal>
WARPLENS_INLINE void mark_line(std::uint64_t* bits, std::int64_t first, std::int64_t stride) {
  if (stride == 0) {
    bits[first >> 6] |= short_run(static_cast<std::uint64_t>(first), kTotal);
  } else if (stride == kTotal) {
    mark_run(bits, static_cast<std::uint64_t>(first), kTotal * kWarpSize);
  } else {
    for (int l = 0; l < kWarpSize; ++l, first += stride)
      bits[first >> 6] |= short_run(static_cast<std::uint64_t>(first), kTotal);
  }
}
template <int kTotal>
WARPLENS_INLINE bool line_is_marked(const std::uint64_t* bits, std::int64_t first, std::int64_t stride) {
  if (stride == 0) return (~bits[first >> 6] & short_run(static_cast<std::uint64_t>(first), kTotal)) == 0;
  if (stride == kTotal) return run_is_marked(bits, static_cast<std::uint64_t>(first), kTotal * kWarpSize);
  std::uint64_t missing = 0;
  for (int l = 0; l < kWarpSize; ++l, first += stride)
    missing |= ~bits[first >> 6] & short_run(static_cast<std::uint64_t>(first), kTotal);
  return missing == 0;
}
WARPLENS_INLINE void mark_dirty(SharedShadow& shadow, std::int64_t low, std::int64_t high, bool written) {
  const std::uint64_t parts = (~std::uint64_t{0} << (low >> shadow.dirty_shift)) &
                              (~std::uint64_t{0} >> (63 - (high >> shadow.dirty_shift)));
  shadow.dirty |= parts;
  if (written) shadow.dirty_written |= parts;
}

// Whether another warp has written any of these bytes in this interval: then it matters whether it was the
// same value (slow_store).
template <int kTotal, class AddressOf>
WARPLENS_INLINE bool meets_others(const Machine& m, std::int64_t low, std::int64_t high,
                                  AddressOf address_of) {
  const std::uint64_t* bits = m.shadow.others_written;
  std::uint64_t near = 0;
  for (std::int64_t word = low >> 6; word <= high >> 6; ++word) near |= bits[word];
  if (near == 0) return false;
  std::uint64_t met = 0;
  for (std::uint32_t left = m.active; left != 0; left &= left - 1) {
    const auto at = static_cast<std::uint64_t>(address_of(__builtin_ctz(left)));
    met |= bits[at >> 6] & short_run(at, kTotal);
  }
  return met != 0;
}
