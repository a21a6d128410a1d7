// Part of a core: loads and stores. Accesses of all 32 lanes whose addresses form a line, in bounds and
// aligned, are done in one go; everything else goes lane by lane through `slow_access`, which also reports
// what is wrong.

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

WARPLENS_INLINE void log_entry(Machine& m, const Instr* i, std::int64_t first, std::int64_t stride) {
  m.log->instruction = i->index;
  m.log->first = static_cast<std::uint32_t>(first);
  m.log->stride = static_cast<std::int32_t>(stride);
  m.log->mask = 0xffffffffu;
  ++m.log;
}

WARPLENS_INLINE void log_line(Machine& m, const Instr* i, std::int64_t first, std::int64_t stride) {
  if (m.log >= m.log_end) make_room_in_log(m);
  log_entry(m, i, first, stride);
}

// One more access of the site's last counter.
WARPLENS_INLINE void count_pending(SiteState& s, std::uint64_t first) {
  const std::uint32_t alignment = first & 255u, half = alignment >> 7;
  if (s.pending_alignment[half] != alignment) {
    s.counts[s.pending_alignment[half] >> s.shift] += s.pending[half];
    s.pending_alignment[half] = static_cast<std::uint8_t>(alignment);
    s.pending[half] = 0;
  }
  ++s.pending[half];
}

WARPLENS_INLINE void count_line(Machine& m, std::uint32_t site, std::int64_t first, std::int64_t stride) {
  SiteState& s = m.sites[site];
  ++m.phase_row[s.column];
  if (s.last_stride == stride) {
    count_pending(s, static_cast<std::uint64_t>(first));
  } else {
    count_affine(m, site, static_cast<std::uint64_t>(first), stride);
  }
  if (m.recording_events) record_affine_event(m, site, static_cast<std::uint64_t>(first), stride);
}

// Strides beyond this go lane by lane: 32 of them must not overflow.
inline constexpr std::uint64_t kLongestStride = std::uint64_t{1} << 40;

// Lanes' addresses as a line: `first` is lane 0's, [low, high] holds every lane's first byte.
struct Line {
  std::int64_t first, stride, low, high;
};
template <int kTotal>
WARPLENS_INLINE bool line_of(Machine& m, const Instr* i, Line& line) {
  const Head& a = head(m, i->a);
  if (m.active != 0xffffffffu || a.form == Form::vector) return false;
  if (static_cast<std::uint64_t>(a.stride) + kLongestStride > 2 * kLongestStride) return false;
  line.first = static_cast<std::int64_t>(a.base + static_cast<std::uint64_t>(i->imm));
  if (line.first < 0) return false;
  line.stride = a.stride;
  const std::int64_t last = line.first + (kWarpSize - 1) * a.stride;
  line.low = line.first < last ? line.first : last;
  line.high = line.first < last ? last : line.first;
  return ((line.first | line.stride) & (kTotal - 1)) == 0;
}

// Addresses that form no line, or of part of the warp: offsets from the lowest active lane's, 0 for the
// others. One pattern often comes again and again, so what follows from it is kept with its counter.
struct Shaped {
  alignas(64) std::uint32_t offset[kWarpSize];
  std::int64_t first, low, high;  // of the lowest active lane; lowest and highest lane's first byte
  ShapeCounter* shape;
};

template <class K>
WARPLENS_INLINE bool offsets_of(const Head& a, std::uint32_t active, std::int64_t imm, Shaped& access) {
  alignas(64) K scratch[kWarpSize];
  const K* address = lanes<K>(a, scratch);
  const K first = address[__builtin_ctz(active)];
  K far = 0;
  WARPLENS_LANES {
    const K offset = (active >> l & 1) != 0 ? static_cast<K>(address[l] - first) : K(0);
    access.offset[l] = static_cast<std::uint32_t>(offset);
    if constexpr (sizeof(K) == 8) far |= offset + 0x80000000u;
  }
  access.first = static_cast<std::int64_t>(first + static_cast<std::uint64_t>(imm));
  if (access.first < 0 || access.first >= INT64_MAX / 2) return false;
  if constexpr (sizeof(K) == 8) return far >> 32 == 0;
  return true;
}

WARPLENS_INLINE bool same_offsets(const std::uint32_t* a, const std::uint32_t* b) {
  std::uint32_t different = 0;
  WARPLENS_LANES different |= a[l] ^ b[l];
  return different == 0;
}

template <int kTotal>
WARPLENS_INLINE bool shaped_of(Machine& m, const Instr* i, Shaped& access) {
  const Head& a = head(m, i->a);
  const bool near = (i->flags & kWideAddress) != 0 ? offsets_of<std::uint64_t>(a, m.active, i->imm, access)
                                                   : offsets_of<std::uint32_t>(a, m.active, i->imm, access);
  if (!near) return false;
  std::int32_t low = 0, high = 0;
  std::uint32_t bits = static_cast<std::uint32_t>(access.first);
  WARPLENS_LANES {
    const auto offset = static_cast<std::int32_t>(access.offset[l]);
    low = offset < low ? offset : low;
    high = offset > high ? offset : high;
    bits |= access.offset[l];
  }
  access.low = access.first + low;
  access.high = access.first + high;
  return (bits & (kTotal - 1)) == 0;
}

// The counter of the access's shape: the last one met at the site, as a rule.
WARPLENS_INLINE bool find_shape_of(Machine& m, const Instr* i, Shaped& access) {
  ShapeCounter* last = m.sites[i->site].last;
  access.shape =
      last->mask == m.active && last->stride == kIrregular && same_offsets(last->offsets, access.offset)
          ? last
          : find_shape(m, i->site, m.active, access.offset);
  return access.shape != nullptr;
}

WARPLENS_INLINE void count_shaped(Machine& m, const Instr* i, const Shaped& access) {
  SiteState& s = m.sites[i->site];
  ++m.phase_row[s.column];
  ++access.shape->counts[static_cast<std::uint64_t>(access.first) % 256 >> s.shift];
  if (m.active != m.launched) count_divergent(m, i->site);
  if (m.recording_events) {
    std::uint64_t address[kWarpSize];
    for (int l = 0; l < kWarpSize; ++l)
      address[l] = static_cast<std::uint64_t>(access.first + static_cast<std::int32_t>(access.offset[l]));
    record_event(m, i->site, m.active, address);
  }
}

template <int kTotal>
WARPLENS_INLINE void mark_shaped(std::uint64_t* bits, const Shaped& access, std::uint32_t active) {
  const int words = access.shape->footprint_words;
  const std::uint64_t word = static_cast<std::uint64_t>(access.low) >> 6,
                      shift = static_cast<std::uint64_t>(access.low) & 63;
  for (int k = 0; k < words; ++k) {
    bits[word + static_cast<unsigned>(k)] |= access.shape->footprint[k] << shift;
    if (const std::uint64_t carried = access.shape->footprint[k] >> 1 >> (63 - shift); carried != 0)
      bits[word + static_cast<unsigned>(k) + 1] |= carried;
  }
  if (words != 0) return;
  for (std::uint32_t left = active; left != 0; left &= left - 1) {
    const auto at = static_cast<std::uint64_t>(access.first +
                                               static_cast<std::int32_t>(access.offset[__builtin_ctz(left)]));
    bits[at >> 6] |= short_run(at, kTotal);
  }
}
template <int kTotal>
WARPLENS_INLINE bool shaped_is_marked(const std::uint64_t* bits, const Shaped& access, std::uint32_t active) {
  std::uint64_t missing = 0;
  for (std::uint32_t left = active; left != 0; left &= left - 1) {
    const auto at = static_cast<std::uint64_t>(access.first +
                                               static_cast<std::int32_t>(access.offset[__builtin_ctz(left)]));
    missing |= ~bits[at >> 6] & short_run(at, kTotal);
  }
  return missing == 0;
}

WARPLENS_INLINE void log_shaped(Machine& m, const Instr* i, const Shaped& access) {
  if (m.log >= m.log_end) make_room_in_log(m);
  m.log->instruction = i->index;
  m.log->first = static_cast<std::uint32_t>(access.first);
  m.log->stride = kShapedLog;
  m.log->mask = access.shape->number;
  ++m.log;
}

template <class T>
WARPLENS_INLINE T load_value(const std::byte* from) {
  T v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

// T: the element in memory; K: how the register keeps it; R: the register's integer type, for the extension
// of narrow elements.
template <class T, class R>
WARPLENS_INLINE void load_line(Head& d, const std::byte* from, std::int64_t stride) {
  using K = KeptType<R>;
  if (stride == 0) return set_uniform<K>(d, to_bits(static_cast<R>(load_value<T>(from))));
  K* to = lanes_of<K>(d);
  d.form = Form::vector;
  if (sizeof(T) == sizeof(K) && stride == static_cast<std::int64_t>(sizeof(T))) {
    __builtin_memcpy(to, from, sizeof(K) * kWarpSize);
    return;
  }
  for (int l = 0; l < kWarpSize; ++l) to[l] = to_bits(static_cast<R>(load_value<T>(from + l * stride)));
}
// One value for all lanes, or 32 neighbours.
template <class T, class R>
WARPLENS_INLINE void load_usual(Head& d, const std::byte* from, bool one) {
  using K = KeptType<R>;
  if (one) return set_uniform<K>(d, to_bits(static_cast<R>(load_value<T>(from))));
  K* to = lanes_of<K>(d);
  d.form = Form::vector;
  if constexpr (sizeof(T) == sizeof(K)) {
    __builtin_memcpy(to, from, sizeof(K) * kWarpSize);
  } else {
    WARPLENS_LANES to[l] = to_bits(static_cast<R>(load_value<T>(from + l * static_cast<int>(sizeof(T)))));
  }
}
template <class T, class K>
WARPLENS_INLINE void store_line(const Head& value, std::byte* to, std::int64_t stride) {
  alignas(64) K scratch[kWarpSize];
  const K* from = lanes<K>(value, scratch);
  if (sizeof(T) == sizeof(K) && stride == static_cast<std::int64_t>(sizeof(T))) {
    __builtin_memcpy(to, from, sizeof(K) * kWarpSize);
    return;
  }
  for (int l = 0; l < kWarpSize; ++l) {
    const T v = static_cast<T>(from[l]);
    __builtin_memcpy(to + l * stride, &v, sizeof v);
  }
}

const Instr* slow_load(Machine& m, const Instr* i);
const Instr* slow_store(Machine& m, const Instr* i);

// The registers of a vector access: element k.
WARPLENS_INLINE std::uint32_t element_register(const Instr* i, int k) {
  return i->count == 1 ? i->d : i->more[k];
}
inline constexpr std::uint32_t kNoRegister = 0xffffffffu;  ///< `_`

template <class T, class R, int kCount>
WARPLENS_INLINE void load_elements(Machine& m, const Instr* i, const std::byte* from, std::int64_t stride) {
  if constexpr (kCount == 1) {
    load_line<T, R>(head(m, i->d), from, stride);
  } else {
    for (int k = 0; k < kCount; ++k) {
      if (i->more[k] != kNoRegister)
        load_line<T, R>(head(m, i->more[k]), from + k * static_cast<int>(sizeof(T)), stride);
    }
  }
}

// `from` is where the lowest active lane reads; inactive lanes read there too, and their values are dropped.
template <class T, class R, int kCount>
WARPLENS_INLINE const Instr* load_shaped(Machine& m, const Instr* i, const std::byte* from,
                                         const std::uint32_t* offset) {
  using K = KeptType<R>;
  for (int k = 0; k < kCount; ++k) {
    const std::uint32_t d = kCount == 1 ? i->d : i->more[k];
    if (d == kNoRegister) continue;
    Head& h = head(m, d);
    const std::byte* element = from + k * static_cast<int>(sizeof(T));
    if (can_overwrite_all_lanes(m, d)) {
      K* to = lanes_of<K>(h);
      for (int l = 0; l < kWarpSize; ++l)
        to[l] = to_bits(static_cast<R>(load_value<T>(element + static_cast<std::int32_t>(offset[l]))));
      h.form = Form::vector;
      continue;
    }
    alignas(64) K values[kWarpSize];
    for (int l = 0; l < kWarpSize; ++l)
      values[l] = to_bits(static_cast<R>(load_value<T>(element + static_cast<std::int32_t>(offset[l]))));
    blend(m, h, values);
  }
  return i + 1;
}

// Whether all lanes are in the block's shared memory.
template <int kTotal, class Access>
WARPLENS_INLINE bool in_shared(const Machine& m, const Access& access) {
  return access.low >= m.shared_begin && access.high + kTotal <= m.shared_end;
}

template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_shared_shaped(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Shaped access;
  if (!shaped_of<kTotal>(m, i, access) || !in_shared<kTotal>(m, access)) return slow_load(m, i);
  if (!m.shadow.all_initialised && !shaped_is_marked<kTotal>(m.shadow.initialised, access, m.active))
    return slow_load(m, i);
  if (!find_shape_of(m, i, access)) return slow_load(m, i);
  mark_shaped<kTotal>(m.shadow.read, access, m.active);
  mark_dirty(m.shadow, access.low, access.high, false);
  log_shaped(m, i, access);
  count_shaped(m, i, access);
  return load_shaped<T, R, kCount>(m, i, m.shared + access.first, access.offset);
}

// Any line.
template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_shared_line(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return slow_load(m, i);
  if (!m.shadow.all_initialised && !line_is_marked<kTotal>(m.shadow.initialised, line.first, line.stride))
    return slow_load(m, i);
  mark_line<kTotal>(m.shadow.read, line.first, line.stride);
  mark_dirty(m.shadow, line.low, line.high, false);
  log_line(m, i, line.first, line.stride);
  count_line(m, i->site, line.first, line.stride);
  load_elements<T, R, kCount>(m, i, m.shared + line.first, line.stride);
  return i + 1;
}

// The inner loops of most kernels are made of these: one address for all lanes, or 32 neighbours, as at this
// site the last time. Everything that is not so goes elsewhere by a tail call, and the rest needs no call at
// all.
template <class T, class R, int kCount>
const Instr* load_shared(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return load_shared_shaped<T, R, kCount>(m, i);
  if (!in_shared<kTotal>(m, line)) return slow_load(m, i);
  SiteState& s = m.sites[i->site];
  const bool one = line.stride == 0, usual = one || line.stride == kTotal;
  if (!usual || kCount != 1 || s.last_stride != line.stride || m.log >= m.log_end || m.recording_events ||
      !m.shadow.all_initialised) {
    return load_shared_line<T, R, kCount>(m, i);
  }
  const auto first = static_cast<std::uint64_t>(line.first);
  if (one) {
    m.shadow.read[first >> 6] |= short_run(first, kTotal);
  } else {
    mark_neighbours<kTotal>(m.shadow.read, first);
  }
  mark_dirty(m.shadow, line.low, line.high, false);
  log_entry(m, i, line.first, line.stride);
  ++m.phase_row[s.column];
  count_pending(s, first);
  load_usual<T, R>(head(m, i->d), m.shared + first, one);
  return i + 1;
}

// Where in a buffer the first lane's address falls, if all lanes are in that buffer.
template <int kTotal, class Access>
WARPLENS_INLINE std::byte* global_place(Machine& m, const Instr* i, const Access& access) {
  if (access.low < 0) return nullptr;
  SiteState& s = m.sites[i->site];
  const auto low = static_cast<std::uint64_t>(access.low), high = static_cast<std::uint64_t>(access.high);
  const Region* r = s.region;
  if (low < r->base || high + kTotal > r->base + r->bytes) {
    r = find_region(m, low, kTotal);
    if (r == nullptr || high + kTotal > r->base + r->bytes) return nullptr;
    s.region = r;
  }
  return r->data + (static_cast<std::uint64_t>(access.first) - r->base);
}

template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_global_shaped(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Shaped access;
  if (!shaped_of<kTotal>(m, i, access)) return slow_load(m, i);
  const std::byte* from = global_place<kTotal>(m, i, access);
  if (from == nullptr || !find_shape_of(m, i, access)) return slow_load(m, i);
  count_shaped(m, i, access);
  return load_shaped<T, R, kCount>(m, i, from, access.offset);
}

template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_global_line(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return slow_load(m, i);
  const std::byte* from = global_place<kTotal>(m, i, line);
  if (from == nullptr) return slow_load(m, i);
  count_line(m, i->site, line.first, line.stride);
  load_elements<T, R, kCount>(m, i, from, line.stride);
  return i + 1;
}

template <class T, class R, int kCount>
const Instr* load_global(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return load_global_shaped<T, R, kCount>(m, i);
  SiteState& s = m.sites[i->site];
  const bool one = line.stride == 0, usual = one || line.stride == kTotal;
  const bool inside = line.low >= 0 && static_cast<std::uint64_t>(line.low) >= s.region->base &&
                      static_cast<std::uint64_t>(line.high) + kTotal <= s.region->base + s.region->bytes;
  if (!usual || kCount != 1 || !inside || s.last_stride != line.stride || m.recording_events)
    return load_global_line<T, R, kCount>(m, i);
  const auto first = static_cast<std::uint64_t>(line.first);
  ++m.phase_row[s.column];
  count_pending(s, first);
  load_usual<T, R>(head(m, i->d), s.region->data + (first - s.region->base), one);
  return i + 1;
}

// Groups of loads (LoadGroup).
WARPLENS_INLINE void mark_footprint(std::uint64_t* bits, std::int64_t low, const GroupShape& shape) {
  bits += low >> 6;
  const std::uint64_t* const footprint = shape.footprint;
  const auto words = static_cast<int>(shape.footprint_words), shift = static_cast<int>(low & 63);
  if (shift == 0) {
    for (int k = 0; k < words; ++k) bits[k] |= footprint[k];
  } else {
    for (int k = 0; k <= words; ++k) bits[k] |= footprint[k] << shift | footprint[k - 1] >> (64 - shift);
  }
}
WARPLENS_INLINE bool footprint_is_marked(const std::uint64_t* bits, std::int64_t low,
                                         const GroupShape& shape) {
  bits += low >> 6;
  const std::uint64_t* const footprint = shape.footprint;
  const auto words = static_cast<int>(shape.footprint_words), shift = static_cast<int>(low & 63);
  std::uint64_t missing = 0;
  if (shift == 0) {
    for (int k = 0; k < words; ++k) missing |= footprint[k] & ~bits[k];
  } else {
    for (int k = 0; k <= words; ++k)
      missing |= (footprint[k] << shift | footprint[k - 1] >> (64 - shift)) & ~bits[k];
  }
  return missing == 0;
}

// Checks and counts all of them. `access` is the lowest load's.
template <int kTotal, bool kShared, class Access>
WARPLENS_INLINE const Instr* open_group(Machine& m, const Instr* i, LoadGroup& g, const Access& access,
                                        GroupShape* shape, LoadForm form) {
  if (shape == nullptr) return i + 1;
  const std::int64_t high = access.high + g.span;
  if constexpr (kShared) {
    if (access.low < m.shared_begin || high + kTotal > m.shared_end) return i + 1;
    if (!m.shadow.all_initialised && !footprint_is_marked(m.shadow.initialised, access.low, *shape))
      return i + 1;
    mark_footprint(m.shadow.read, access.low, *shape);
    mark_dirty(m.shadow, access.low, high, false);
    if (m.log >= m.log_end) make_room_in_log(m);
    *m.log++ = {i->index, static_cast<std::uint32_t>(access.first), kGroupLog, shape->counter.number};
    g.from = m.shared + access.first;
  } else {
    if (access.low < 0) return i + 1;
    const auto low = static_cast<std::uint64_t>(access.low), end = static_cast<std::uint64_t>(high) + kTotal;
    const Region* r = g.region;
    if (low < r->base || end > r->base + r->bytes) {
      r = find_region(m, low, kTotal);
      if (r == nullptr || end > r->base + r->bytes) return i + 1;
      g.region = r;
    }
    g.from = r->data + (static_cast<std::uint64_t>(access.first) - r->base);
  }
  ++shape->counter.counts[(static_cast<std::uint64_t>(access.first) & 255u) >> g.shift];
  m.phase_row[g.column] += g.loads;
  g.divergent += static_cast<std::uint64_t>(m.active != m.launched);
  g.last = shape;
  g.form = form;
  return i + 1;
}
template <int kTotal, bool kShared>
[[gnu::noinline]] const Instr* begin_irregular_loads(Machine& m, const Instr* i) {
  LoadGroup& g = m.load_groups[i->b];
  Shaped access;
  if (!shaped_of<kTotal>(m, i, access)) return i + 1;
  GroupShape* shape = g.last;
  if (shape->counter.mask != m.active || shape->counter.stride != kIrregular ||
      !same_offsets(shape->counter.offsets, access.offset)) {
    shape = find_group_shape(m, i->b, kIrregular, m.active, access.offset);
  }
  return open_group<kTotal, kShared>(m, i, g, access, shape, LoadForm::irregular);
}
template <int kTotal, bool kShared>
const Instr* begin_loads(Machine& m, const Instr* i) {
  LoadGroup& g = m.load_groups[i->b];
  g.form = LoadForm::apart;
  if (m.recording_events) return i + 1;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return begin_irregular_loads<kTotal, kShared>(m, i);
  GroupShape* const shape = g.last->counter.stride == line.stride
                                ? g.last
                                : find_group_shape(m, i->b, line.stride, 0xffffffffu, nullptr);
  g.stride = line.stride;
  return open_group<kTotal, kShared>(m, i, g, line, shape,
                                     line.stride == 0        ? LoadForm::one
                                     : line.stride == kTotal ? LoadForm::neighbours
                                                             : LoadForm::line);
}
template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_irregular_of_group(Machine& m, const Instr* i) {
  const LoadGroup& g = m.load_groups[i->b];
  return load_shaped<T, R, kCount>(m, i, g.from + i->c, g.last->counter.offsets);
}
template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_line_of_group(Machine& m, const Instr* i) {
  const LoadGroup& g = m.load_groups[i->b];
  load_elements<T, R, kCount>(m, i, g.from + i->c, g.stride);
  return i + 1;
}
template <class T, class R, int kCount, bool kShared>
const Instr* load_of_group(Machine& m, const Instr* i) {
  const LoadGroup& g = m.load_groups[i->b];
  if (g.form == LoadForm::one) {
    load_elements<T, R, kCount>(m, i, g.from + i->c, 0);
    return i + 1;
  }
  if (g.form == LoadForm::neighbours) {
    load_elements<T, R, kCount>(m, i, g.from + i->c, static_cast<std::int64_t>(sizeof(T)) * kCount);
    return i + 1;
  }
  if (g.form == LoadForm::line) return load_line_of_group<T, R, kCount>(m, i);
  if (g.form == LoadForm::irregular) return load_irregular_of_group<T, R, kCount>(m, i);
  return kShared ? load_shared<T, R, kCount>(m, i) : load_global<T, R, kCount>(m, i);
}

template <class T, class K, int kCount>
WARPLENS_INLINE void store_elements(Machine& m, const Instr* i, std::byte* to, std::int64_t stride) {
  for (int k = 0; k < kCount; ++k)
    store_line<T, K>(head(m, element_register(i, k)), to + k * static_cast<int>(sizeof(T)), stride);
}
// All lanes on one address: fine only if they store one value.
template <int kCount>
WARPLENS_INLINE bool stores_one_value(Machine& m, const Instr* i) {
  bool one = true;
  for (int k = 0; k < kCount; ++k) one &= head(m, element_register(i, k)).form == Form::uniform;
  return one;
}

template <class T, class K, int kCount>
WARPLENS_INLINE const Instr* store_shaped(Machine& m, const Instr* i, std::byte* to, const Shaped& access) {
  for (int k = 0; k < kCount; ++k) {
    alignas(64) K scratch[kWarpSize];
    const K* from = lanes<K>(head(m, element_register(i, k)), scratch);
    for (std::uint32_t left = m.active; left != 0; left &= left - 1) {
      const int l = __builtin_ctz(left);
      const T v = static_cast<T>(from[l]);
      __builtin_memcpy(to + static_cast<std::int32_t>(access.offset[l]) + k * static_cast<int>(sizeof(T)), &v,
                       sizeof v);
    }
  }
  return i + 1;
}

template <class T, class K, int kCount>
[[gnu::noinline]] const Instr* store_shared_shaped(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Shaped access;
  if (!shaped_of<kTotal>(m, i, access) || !in_shared<kTotal>(m, access)) return slow_store(m, i);
  const auto address_of = [&](int l) WARPLENS_LAMBDA {
    return access.first + static_cast<std::int32_t>(access.offset[l]);
  };
  if (meets_others<kTotal>(m, access.low, access.high, address_of)) return slow_store(m, i);
  if (!find_shape_of(m, i, access) || !access.shape->distinct) return slow_store(m, i);
  if (!m.shadow.all_initialised) mark_shaped<kTotal>(m.shadow.initialised, access, m.active);
  mark_shaped<kTotal>(m.shadow.written, access, m.active);
  mark_dirty(m.shadow, access.low, access.high, true);
  log_shaped(m, i, access);
  count_shaped(m, i, access);
  return store_shaped<T, K, kCount>(m, i, m.shared + access.first, access);
}

template <class T, class K, int kCount>
[[gnu::noinline]] const Instr* store_global_shaped(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Shaped access;
  if (!shaped_of<kTotal>(m, i, access)) return slow_store(m, i);
  std::byte* to = global_place<kTotal>(m, i, access);
  if (to == nullptr || !find_shape_of(m, i, access) || !access.shape->distinct) return slow_store(m, i);
  count_shaped(m, i, access);
  return store_shaped<T, K, kCount>(m, i, to, access);
}

template <class T, class K, int kCount>
const Instr* store_shared(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return store_shared_shaped<T, K, kCount>(m, i);
  if (!in_shared<kTotal>(m, line)) return slow_store(m, i);
  if (line.stride == 0 && !stores_one_value<kCount>(m, i)) return slow_store(m, i);
  if (meets_others<kTotal>(m, line.low, line.high,
                           [&](int l) WARPLENS_LAMBDA { return line.first + l * line.stride; }))
    return slow_store(m, i);
  if (!m.shadow.all_initialised) mark_line<kTotal>(m.shadow.initialised, line.first, line.stride);
  mark_line<kTotal>(m.shadow.written, line.first, line.stride);
  mark_dirty(m.shadow, line.low, line.high, true);
  log_line(m, i, line.first, line.stride);
  count_line(m, i->site, line.first, line.stride);
  store_elements<T, K, kCount>(m, i, m.shared + line.first, line.stride);
  return i + 1;
}

template <class T, class K, int kCount>
const Instr* store_global(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return store_global_shaped<T, K, kCount>(m, i);
  if (line.stride == 0 && !stores_one_value<kCount>(m, i)) return slow_store(m, i);
  std::byte* to = global_place<kTotal>(m, i, line);
  if (to == nullptr) return slow_store(m, i);
  count_line(m, i->site, line.first, line.stride);
  store_elements<T, K, kCount>(m, i, to, line.stride);
  return i + 1;
}

// Parameters and constants, read by an address known when decoding or by one in a register; no memory the
// record is about.
template <class T, class R, int kCount>
WARPLENS_INLINE const Instr* load_bank(Machine& m, const Instr* i, const std::byte* bank,
                                       std::uint64_t bytes) {
  const Head& a = head(m, i->a);
  const std::uint64_t address = a.base + static_cast<std::uint64_t>(i->imm);
  if (a.form != Form::uniform || !can_overwrite_all_lanes(m, i->d) || kCount != 1 || address > bytes ||
      sizeof(T) > bytes - address || address % sizeof(T) != 0)
    return slow_load(m, i);
  set_uniform<KeptType<R>>(head(m, i->d), to_bits(static_cast<R>(load_value<T>(bank + address))));
  return i + 1;
}
template <class T, class R, int kCount>
const Instr* load_parameter(Machine& m, const Instr* i) {
  return load_bank<T, R, kCount>(m, i, m.parameters, m.parameter_bytes);
}
template <class T, class R, int kCount>
const Instr* load_constant(Machine& m, const Instr* i) {
  return load_bank<T, R, kCount>(m, i, m.constants, m.constant_bytes);
}
