// Part of a core: the pattern of an access, a line or any other shape, and its counting and logging.

WARPLENS_INLINE void log_entry(Machine& m, const Instr* i, std::int64_t first, std::int64_t stride) {
  m.log.next->instruction = i->index;
  m.log.next->first = static_cast<std::uint32_t>(first);
  m.log.next->stride = static_cast<std::int32_t>(stride);
  m.log.next->mask = 0xffffffffu;
  ++m.log.next;
}

WARPLENS_INLINE void log_line(Machine& m, const Instr* i, std::int64_t first, std::int64_t stride) {
  if (m.log.next >= m.log.end) make_room_in_log(m);
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
  SiteState& s = m.kernel.sites[site];
  ++m.phase.row[s.column];
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
  ShapeCounter* last = m.kernel.sites[i->site].last;
  access.shape =
      last->mask == m.active && last->stride == kIrregular && same_offsets(last->offsets, access.offset)
          ? last
          : find_shape(m, i->site, m.active, access.offset);
  return access.shape != nullptr;
}

WARPLENS_INLINE void count_shaped(Machine& m, const Instr* i, const Shaped& access) {
  SiteState& s = m.kernel.sites[i->site];
  ++m.phase.row[s.column];
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
  if (m.log.next >= m.log.end) make_room_in_log(m);
  m.log.next->instruction = i->index;
  m.log.next->first = static_cast<std::uint32_t>(access.first);
  m.log.next->stride = kShapedLog;
  m.log.next->mask = access.shape->number;
  ++m.log.next;
}
