// Part of a core: loads and stores. Accesses of all 32 lanes whose addresses form a line, in bounds and aligned, are done in one go; everything else
// goes lane by lane through `slow_access`, which also reports what is wrong.

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
  const std::uint64_t head_mask = ~std::uint64_t{0} << (first & 63), tail_mask = ~std::uint64_t{0} >> (63 - ((first + n - 1) & 63));
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
  const std::uint64_t head_mask = ~std::uint64_t{0} << (first & 63), tail_mask = ~std::uint64_t{0} >> (63 - ((first + n - 1) & 63));
  if (word == last) return (~bits[word] & head_mask & tail_mask) == 0;
  std::uint64_t missing = ~bits[word++] & head_mask;
  for (; word < last; ++word) missing |= ~bits[word];
  return (missing | (~bits[last] & tail_mask)) == 0;
}

template <int kTotal>
WARPLENS_INLINE void mark_line(std::uint64_t* bits, std::int64_t first, std::int64_t stride) {
  if (stride == 0) {
    bits[first >> 6] |= short_run(static_cast<std::uint64_t>(first), kTotal);
  } else if (stride == kTotal) {
    mark_run(bits, static_cast<std::uint64_t>(first), kTotal * kWarpSize);
  } else {
    for (int l = 0; l < kWarpSize; ++l, first += stride) bits[first >> 6] |= short_run(static_cast<std::uint64_t>(first), kTotal);
  }
}
template <int kTotal>
WARPLENS_INLINE bool line_is_marked(const std::uint64_t* bits, std::int64_t first, std::int64_t stride) {
  if (stride == 0) return (~bits[first >> 6] & short_run(static_cast<std::uint64_t>(first), kTotal)) == 0;
  if (stride == kTotal) return run_is_marked(bits, static_cast<std::uint64_t>(first), kTotal * kWarpSize);
  std::uint64_t missing = 0;
  for (int l = 0; l < kWarpSize; ++l, first += stride) missing |= ~bits[first >> 6] & short_run(static_cast<std::uint64_t>(first), kTotal);
  return missing == 0;
}
WARPLENS_INLINE void mark_dirty(SharedShadow& shadow, std::int64_t low, std::int64_t high) {
  shadow.dirty |= (~std::uint64_t{0} << (low >> shadow.dirty_shift)) & (~std::uint64_t{0} >> (63 - (high >> shadow.dirty_shift)));
}

WARPLENS_INLINE void log_line(Machine& m, const Instr* i, std::int64_t first, std::int64_t stride) {
  if (m.log >= m.log_end) make_room_in_log(m);
  m.log->instruction = i->index;
  m.log->first = static_cast<std::uint32_t>(first);
  m.log->stride = static_cast<std::int32_t>(stride);
  m.log->mask = 0xffffffffu;
  ++m.log;
}

WARPLENS_INLINE void count_line(Machine& m, std::uint32_t site, std::int64_t first, std::int64_t stride) {
  SiteState& s = m.sites[site];
  ++m.phase_row[s.column];
  if (s.last->stride == stride) {
    ++s.last->counts[static_cast<std::uint64_t>(first) % 256 >> s.shift];
  } else {
    count_affine(m, site, static_cast<std::uint64_t>(first), stride);
  }
  if (m.recording_events) record_affine_event(m, site, static_cast<std::uint64_t>(first), stride);
}

// Lanes' addresses as a line: `first` is lane 0's, [low, high] holds every lane's first byte.
struct Line {
  std::int64_t first, stride, low, high;
};
template <int kTotal>
WARPLENS_INLINE bool line_of(Machine& m, const Instr* i, Line& line) {
  const Head& a = head(m, i->a);
  if (m.active != 0xffffffffu || a.form == Form::vector) return false;
  line.first = static_cast<std::int64_t>(a.base) + i->imm;
  line.stride = a.stride;
  const std::int64_t last = line.first + (kWarpSize - 1) * a.stride;
  line.low = line.first < last ? line.first : last;
  line.high = line.first < last ? last : line.first;
  return ((line.first | line.stride) & (kTotal - 1)) == 0;
}

template <class T>
WARPLENS_INLINE T load_value(const std::byte* from) {
  T v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

// T: the element in memory; K: how the register keeps it; R: the register's integer type, for the extension of narrow elements.
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
      if (i->more[k] != kNoRegister) load_line<T, R>(head(m, i->more[k]), from + k * static_cast<int>(sizeof(T)), stride);
    }
  }
}

template <class T, class R, int kCount>
const Instr* load_shared(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line) || line.low < 0 || line.high + kTotal > m.shared_bytes) return slow_load(m, i);
  if (!m.shadow.all_initialised && !line_is_marked<kTotal>(m.shadow.initialised, line.first, line.stride)) return slow_load(m, i);
  mark_line<kTotal>(m.shadow.read, line.first, line.stride);
  mark_dirty(m.shadow, line.low, line.high);
  log_line(m, i, line.first, line.stride);
  count_line(m, i->site, line.first, line.stride);
  load_elements<T, R, kCount>(m, i, m.shared + line.first, line.stride);
  return i + 1;
}

// Where in a buffer the line falls, if it does as a whole.
template <int kTotal>
WARPLENS_INLINE std::byte* global_line(Machine& m, const Instr* i, const Line& line) {
  SiteState& s = m.sites[i->site];
  const auto low = static_cast<std::uint64_t>(line.low), high = static_cast<std::uint64_t>(line.high);
  const Region* r = s.region;
  if (low < r->base || high + kTotal > r->base + r->bytes) {
    r = find_region(m, low, kTotal);
    if (r == nullptr || high + kTotal > r->base + r->bytes) return nullptr;
    s.region = r;
  }
  return r->data + (static_cast<std::uint64_t>(line.first) - r->base);
}

template <class T, class R, int kCount>
const Instr* load_global(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line)) return slow_load(m, i);
  const std::byte* from = global_line<kTotal>(m, i, line);
  if (from == nullptr) return slow_load(m, i);
  count_line(m, i->site, line.first, line.stride);
  load_elements<T, R, kCount>(m, i, from, line.stride);
  return i + 1;
}

template <class T, class K, int kCount>
WARPLENS_INLINE void store_elements(Machine& m, const Instr* i, std::byte* to, std::int64_t stride) {
  for (int k = 0; k < kCount; ++k) store_line<T, K>(head(m, element_register(i, k)), to + k * static_cast<int>(sizeof(T)), stride);
}
// All lanes on one address: fine only if they store one value.
template <int kCount>
WARPLENS_INLINE bool stores_one_value(Machine& m, const Instr* i) {
  bool one = true;
  for (int k = 0; k < kCount; ++k) one &= head(m, element_register(i, k)).form == Form::uniform;
  return one;
}

template <class T, class K, int kCount>
const Instr* store_shared(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line) || line.low < 0 || line.high + kTotal > m.shared_bytes) return slow_store(m, i);
  if (line.stride == 0 && !stores_one_value<kCount>(m, i)) return slow_store(m, i);
  if (!m.shadow.all_initialised) mark_line<kTotal>(m.shadow.initialised, line.first, line.stride);
  mark_line<kTotal>(m.shadow.written, line.first, line.stride);
  mark_dirty(m.shadow, line.low, line.high);
  log_line(m, i, line.first, line.stride);
  count_line(m, i->site, line.first, line.stride);
  store_elements<T, K, kCount>(m, i, m.shared + line.first, line.stride);
  return i + 1;
}

template <class T, class K, int kCount>
const Instr* store_global(Machine& m, const Instr* i) {
  constexpr int kTotal = static_cast<int>(sizeof(T)) * kCount;
  Line line;
  if (!line_of<kTotal>(m, i, line) || (line.stride == 0 && !stores_one_value<kCount>(m, i))) return slow_store(m, i);
  std::byte* to = global_line<kTotal>(m, i, line);
  if (to == nullptr) return slow_store(m, i);
  count_line(m, i->site, line.first, line.stride);
  store_elements<T, K, kCount>(m, i, to, line.stride);
  return i + 1;
}

// Parameters and constants, read by an address known when decoding or by one in a register; no memory the record is about.
template <class T, class R, int kCount>
WARPLENS_INLINE const Instr* load_bank(Machine& m, const Instr* i, const std::byte* bank, std::uint64_t bytes) {
  const Head& a = head(m, i->a);
  const std::uint64_t address = a.base + static_cast<std::uint64_t>(i->imm);
  if (a.form != Form::uniform || !whole(m, i->d) || kCount != 1 || address + sizeof(T) > bytes || address % sizeof(T) != 0) return slow_load(m, i);
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
