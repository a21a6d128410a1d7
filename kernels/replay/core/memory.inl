// Part of a core: loads and stores. Accesses of all 32 lanes whose addresses form a line, in bounds and
// aligned, are done in one go; everything else goes lane by lane through `slow_access`, which also reports
// what is wrong.

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
  return access.low >= m.shared.begin && access.high + kTotal <= m.shared.end;
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
  return load_shaped<T, R, kCount>(m, i, m.shared.data + access.first, access.offset);
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
  load_elements<T, R, kCount>(m, i, m.shared.data + line.first, line.stride);
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
  SiteState& s = m.kernel.sites[i->site];
  const bool one = line.stride == 0, usual = one || line.stride == kTotal;
  if (!usual || kCount != 1 || s.last_stride != line.stride || m.log.next >= m.log.end ||
      m.recording_events || !m.shadow.all_initialised) {
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
  ++m.phase.row[s.column];
  count_pending(s, first);
  load_usual<T, R>(head(m, i->d), m.shared.data + first, one);
  return i + 1;
}

// Where in a buffer the first lane's address falls, if all lanes are in that buffer.
template <int kTotal, class Access>
WARPLENS_INLINE std::byte* global_place(Machine& m, const Instr* i, const Access& access) {
  if (access.low < 0) return nullptr;
  SiteState& s = m.kernel.sites[i->site];
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
  SiteState& s = m.kernel.sites[i->site];
  const bool one = line.stride == 0, usual = one || line.stride == kTotal;
  const bool inside = line.low >= 0 && static_cast<std::uint64_t>(line.low) >= s.region->base &&
                      static_cast<std::uint64_t>(line.high) + kTotal <= s.region->base + s.region->bytes;
  if (!usual || kCount != 1 || !inside || s.last_stride != line.stride || m.recording_events)
    return load_global_line<T, R, kCount>(m, i);
  const auto first = static_cast<std::uint64_t>(line.first);
  ++m.phase.row[s.column];
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
    if (access.low < m.shared.begin || high + kTotal > m.shared.end) return i + 1;
    if (!m.shadow.all_initialised && !footprint_is_marked(m.shadow.initialised, access.low, *shape))
      return i + 1;
    mark_footprint(m.shadow.read, access.low, *shape);
    mark_dirty(m.shadow, access.low, high, false);
    if (m.log.next >= m.log.end) make_room_in_log(m);
    *m.log.next++ = {i->index, static_cast<std::uint32_t>(access.first), kGroupLog, shape->counter.number};
    g.from = m.shared.data + access.first;
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
  m.phase.row[g.column] += g.loads;
  g.divergent += static_cast<std::uint64_t>(m.active != m.launched);
  g.last = shape;
  g.form = form;
  return i + 1;
}
template <int kTotal, bool kShared>
[[gnu::noinline]] const Instr* begin_irregular_loads(Machine& m, const Instr* i) {
  LoadGroup& g = m.kernel.load_groups[i->b];
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
  LoadGroup& g = m.kernel.load_groups[i->b];
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
  const LoadGroup& g = m.kernel.load_groups[i->b];
  return load_shaped<T, R, kCount>(m, i, g.from + i->c, g.last->counter.offsets);
}
template <class T, class R, int kCount>
[[gnu::noinline]] const Instr* load_line_of_group(Machine& m, const Instr* i) {
  const LoadGroup& g = m.kernel.load_groups[i->b];
  load_elements<T, R, kCount>(m, i, g.from + i->c, g.stride);
  return i + 1;
}
template <class T, class R, int kCount, bool kShared>
const Instr* load_of_group(Machine& m, const Instr* i) {
  const LoadGroup& g = m.kernel.load_groups[i->b];
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
  return store_shaped<T, K, kCount>(m, i, m.shared.data + access.first, access);
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
  store_elements<T, K, kCount>(m, i, m.shared.data + line.first, line.stride);
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
  return load_bank<T, R, kCount>(m, i, m.kernel.parameters, m.kernel.parameter_bytes);
}
template <class T, class R, int kCount>
const Instr* load_constant(Machine& m, const Instr* i) {
  return load_bank<T, R, kCount>(m, i, m.kernel.constants, m.kernel.constant_bytes);
}
