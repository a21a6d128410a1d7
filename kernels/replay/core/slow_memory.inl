// Part of a core: accesses lane by lane: any mask, any address, any state space, with every check; and
// atomics.

enum class Where : std::uint8_t { global, shared, local, constant, parameter };
inline constexpr int kWheres = 5;

WARPLENS_INLINE Where where_of(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::shared: return Where::shared;
    case ptx::StateSpace::local: return Where::local;
    case ptx::StateSpace::constant: return Where::constant;
    case ptx::StateSpace::param: return Where::parameter;
    case ptx::StateSpace::none:
    case ptx::StateSpace::generic:
    case ptx::StateSpace::global:
    case ptx::StateSpace::reg: break;
  }
  return Where::global;
}

// The lanes of one access that fall into one state space: addresses in that space, and where the bytes are.
struct LaneSet {
  std::uint32_t mask = 0;
  std::uint64_t address[kWarpSize];
  std::byte* at[kWarpSize];
};

WARPLENS_INLINE void lane_addresses(Machine& m, const Instr* i, std::uint64_t* address) {
  const Head& a = head(m, i->a);
  if ((i->flags & kWideAddress) != 0) {
    alignas(64) std::uint64_t scratch[kWarpSize];
    const std::uint64_t* p = lanes<std::uint64_t>(a, scratch);
    WARPLENS_LANES address[l] = p[l] + static_cast<std::uint64_t>(i->imm);
  } else {
    alignas(64) std::uint32_t scratch[kWarpSize];
    const std::uint32_t* p = lanes<std::uint32_t>(a, scratch);
    WARPLENS_LANES address[l] = static_cast<std::uint32_t>(p[l] + static_cast<std::uint32_t>(i->imm));
  }
}

WARPLENS_INLINE Where where_of_generic(std::uint64_t address) {
  switch (address & ~(kWindowBytes - 1)) {
    case kSharedWindow: return Where::shared;
    case kLocalWindow: return Where::local;
    case kConstantWindow: return Where::constant;
    case kParameterWindow: return Where::parameter;
    default: return Where::global;
  }
}

// Splits an access by state space. Generic addresses are turned into those of the space that they fall into.
void split_by_space(Machine& m, const Instr* i, const std::uint64_t* address, LaneSet* sets) {
  for (int w = 0; w < kWheres; ++w) sets[w].mask = 0;
  const auto space = static_cast<ptx::StateSpace>(i->space);
  if (space != ptx::StateSpace::generic) {
    LaneSet& set = sets[static_cast<int>(where_of(space))];
    set.mask = m.active;
    WARPLENS_LANES set.address[l] = address[l];
    return;
  }
  for (int l = 0; l < kWarpSize; ++l) {
    if ((m.active >> l & 1) == 0) continue;
    const Where where = where_of_generic(address[l]);
    LaneSet& set = sets[static_cast<int>(where)];
    set.mask |= 1u << l;
    set.address[l] = where != Where::global ? address[l] & (kWindowBytes - 1) : address[l];
  }
}
void split_by_space(Machine& m, const Instr* i, LaneSet* sets) {
  alignas(64) std::uint64_t address[kWarpSize];
  lane_addresses(m, i, address);
  split_by_space(m, i, address, sets);
}

WARPLENS_INLINE std::byte* locate(Machine& m, std::uint32_t site, Where where, int lane,
                                  std::uint64_t address, std::uint32_t total) {
  const auto inside = [&](std::byte* data, std::uint64_t bytes) WARPLENS_LAMBDA {
    return address <= bytes && total <= bytes - address ? data + address : nullptr;
  };
  switch (where) {
    case Where::shared:
      return inside(m.shared.data,
                    m.shared.end);  // From 0 on: what is the system's can be accessed (measured on an H100)
    case Where::local:
      return inside(m.memory.local + static_cast<std::uint64_t>(lane) * m.memory.local_bytes,
                    m.memory.local_bytes);
    case Where::constant: return inside(m.kernel.constants, m.kernel.constant_bytes);
    case Where::parameter: return inside(m.kernel.parameters, m.kernel.parameter_bytes);
    case Where::global: break;
  }
  SiteState& s = m.kernel.sites[site];
  if (address < s.region->base || address + total > s.region->base + s.region->bytes ||
      address + total < address) {
    const Region* r = find_region(m, address, total);
    if (r == nullptr) return nullptr;
    s.region = r;
  }
  return s.region->data + (address - s.region->base);
}

// Of lanes in shared memory, those below where the block's begins.
std::uint32_t lanes_below(const Machine& m, const LaneSet& set) {
  std::uint32_t below = 0;
  for (int l = 0; l < kWarpSize; ++l)
    below |= static_cast<std::uint32_t>(set.address[l] < m.shared.begin) << l;
  return below & set.mask;
}

// Whether nothing is wrong with any lane, as a rule: all lie in the block's shared memory, in one buffer, or
// in their local memory.
bool all_are_well(Machine& m, std::uint32_t site, Where where, LaneSet& set, std::uint32_t total) {
  if (where > Where::local) return false;
  const std::uint64_t some = set.address[__builtin_ctz(set.mask)];
  std::int64_t low = static_cast<std::int64_t>(some), high = low;
  std::uint64_t bits = 0;
  WARPLENS_LANES {
    const std::uint64_t address = (set.mask >> l & 1) != 0 ? set.address[l] : some;
    bits |= address;
    low = static_cast<std::int64_t>(address) < low ? static_cast<std::int64_t>(address) : low;
    high = static_cast<std::int64_t>(address) > high ? static_cast<std::int64_t>(address) : high;
  }
  if ((bits & (total - 1)) != 0 || low < 0) return false;
  const auto first = static_cast<std::uint64_t>(low), end = static_cast<std::uint64_t>(high) + total;
  std::uint64_t from = reinterpret_cast<std::uint64_t>(m.shared.data);
  if (where == Where::local) {
    if (end > m.memory.local_bytes) return false;
    from = reinterpret_cast<std::uint64_t>(m.memory.local);
    WARPLENS_LANES set.at[l] = reinterpret_cast<std::byte*>(
        from + static_cast<std::uint64_t>(l) * m.memory.local_bytes + set.address[l]);
    return true;
  }
  if (where == Where::shared) {
    if (first < m.shared.begin || end > m.shared.end) return false;
  } else {
    if (locate(m, site, where, 0, first, total) == nullptr) return false;
    const Region* const r = m.kernel.sites[site].region;
    if (end > r->base + r->bytes) return false;
    from = reinterpret_cast<std::uint64_t>(r->data) - r->base;
  }
  WARPLENS_LANES set.at[l] = reinterpret_cast<std::byte*>(from + set.address[l]);
  return true;
}

// Takes out the lanes that cannot be accessed, and says so; and says so of those that can, but should not.
// `reach`: how many of the `total` bytes each lane accesses; null: all.
void check_lanes(Machine& m, const Instr* i, std::uint32_t site, Where where, LaneSet& set,
                 std::uint32_t total, const std::uint32_t* reach = nullptr) {
  if (all_are_well(m, site, where, set, total)) return;
  std::uint32_t misaligned = 0, outside = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    if ((set.mask >> l & 1) == 0) continue;
    set.at[l] = locate(m, site, where, l, set.address[l], reach != nullptr ? reach[l] : total);
    if ((set.address[l] & (total - 1)) != 0) {
      misaligned |= 1u << l;
    } else if (set.at[l] == nullptr) {
      outside |= 1u << l;
    }
  }
  if (misaligned != 0) report_fault(m, i, site, Fault::misaligned, misaligned, set.mask, set.address);
  const std::uint32_t below = where == Where::shared ? lanes_below(m, set) & ~misaligned : 0;
  if ((outside | below) != 0)
    report_fault(m, i, site, Fault::out_of_bounds, outside | below, set.mask, set.address);
  set.mask &= ~(misaligned | outside);
}

// Lanes that store what another warp has just stored there; that changes nothing, and so is no race.
std::uint32_t repeated_stores(Machine& m, const Instr* i, const LaneSet& set, std::uint32_t total) {
  std::uint32_t repeated = 0;
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    const std::uint64_t run = short_run(set.address[l], static_cast<int>(total));
    if ((~m.shadow.others_written[set.address[l] >> 6] & run) != 0) continue;
    bool same = true;
    m.compared_values = true;
    for (int k = 0; k < i->count; ++k) {
      const Head& h = head(m, element_register(i, k));
      const std::uint64_t value =
          i->register_bytes == 8 ? lane_value<std::uint64_t>(h, l) : lane_value<std::uint32_t>(h, l);
      same &= __builtin_memcmp(set.at[l] + k * i->bytes, &value, i->bytes) == 0;
    }
    repeated |= static_cast<std::uint32_t>(same) << l;
  }
  return repeated;
}

void touch_shared(Machine& m, const Instr* i, const LaneSet& set, std::uint32_t total, Touch touch,
                  bool initialises) {
  std::uint64_t* bits = touched_bits(m, touch);
  const bool is_of_lanes = i->register_bytes != 0;  // Rows of matrices are of other lanes' registers
  const std::uint32_t mask =
      touch == Touch::write && is_of_lanes ? set.mask & ~repeated_stores(m, i, set, total) : set.mask;
  if (mask == 0) return;
  std::uint64_t* const initialised = m.shadow.initialised;
  initialises = initialises && !m.shadow.all_initialised;
  std::uint64_t parts = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t address = set.address[__builtin_ctz(left)],
                        run = short_run(address, static_cast<int>(total));
    bits[address >> 6] |= run;
    if (initialises) initialised[address >> 6] |= run;
    parts |= std::uint64_t{1} << (address >> m.shadow.dirty_shift);
  }
  m.shadow.dirty |= parts;
  if (touch != Touch::read) m.shadow.dirty_written |= parts;
  if (m.log.next >= m.log.end) make_room_in_log(m);
  *m.log.next = {i->index, 0, kIrregularLog, mask};
  auto* offsets = reinterpret_cast<std::uint32_t*>(m.log.next + 1);
  WARPLENS_LANES offsets[l] = static_cast<std::uint32_t>(set.address[l]);
  m.log.next += kIrregularLogEntries;
}

// Lanes that access bytes to which a bulk copy is in flight.
std::uint32_t lanes_in_bulk_flight(const Machine& m, const LaneSet& set, std::uint32_t total) {
  std::uint32_t lanes = 0;
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const std::uint64_t address = set.address[__builtin_ctz(left)];
    const bool meets =
        (m.shadow.bulk_in_flight[address >> 6] & short_run(address, static_cast<int>(total))) != 0;
    lanes |= static_cast<std::uint32_t>(meets) << __builtin_ctz(left);
  }
  return lanes;
}

void check_initialised(Machine& m, const Instr* i, std::uint32_t site, const LaneSet& set,
                       std::uint32_t total) {
  if (m.shadow.all_initialised) return;
  std::uint32_t missing = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    if ((set.mask >> l & 1) == 0) continue;
    // What is read while a copy of it is in flight is another finding.
    const std::uint64_t word = set.address[l] >> 6,
                        known = m.shadow.initialised[word] | m.shadow.in_flight[word];
    if ((~known & short_run(set.address[l], static_cast<int>(total))) != 0) missing |= 1u << l;
  }
  const std::uint32_t early = lanes_in_bulk_flight(m, set, total) & missing;
  if (early != 0) report_fault(m, i, site, Fault::in_flight, early, set.mask, set.address);
  if ((missing & ~early) != 0)
    report_fault(m, i, site, Fault::uninitialised, missing & ~early, set.mask, set.address);
}

// `asked`: the lanes that wanted to access memory.
void record(Machine& m, std::uint32_t site, const LaneSet& set, std::uint32_t asked) {
  ++m.phase.row[m.kernel.sites[site].column];
  if (asked != m.launched) count_divergent(m, site);
  count_irregular(m, site, set.mask, set.address);
  if (m.recording_events) record_event(m, site, set.mask, set.address);
}

// Whether the lanes access what the blocks of a cooperative launch meet by.
WARPLENS_INLINE bool in_grid_workspace(const LaneSet& set) {
  return set.address[__builtin_ctz(set.mask)] - kGridWorkspace < kGridWorkspaceBytes;
}

// Checks and records one space's lanes of a load or store; the lanes left in the set may be accessed.
void prepare(Machine& m, const Instr* i, Where where, LaneSet& set, Touch touch) {
  const bool generic = static_cast<ptx::StateSpace>(i->space) == ptx::StateSpace::generic;
  const std::uint32_t site =
      i->site + (generic && where <= Where::local ? static_cast<std::uint32_t>(where) : 0u);
  const std::uint32_t total = static_cast<std::uint32_t>(i->bytes) * i->count;
  check_lanes(m, i, site, where, set, total);
  if (set.mask == 0 || where > Where::local) return;
  if ((touch == Touch::strong || (i->flags & kStrong) != 0) && ++m.turn.strong_accesses >= kStrongInTurn)
    m.turn.yield_at = 0;
  if (where == Where::shared) {
    const bool exchange =
        touch == Touch::strong && static_cast<ptx::AtomicOp>(i->detail) == ptx::AtomicOp::exch;
    if (touch != Touch::write && !exchange) check_initialised(m, i, site, set, total);
    touch_shared(m, i, set, total, (i->flags & kStrong) != 0 ? Touch::strong : touch, touch != Touch::read);
    if (const std::uint32_t below = lanes_below(m, set); below != 0) {
      // Recordings have offsets from where the block's memory begins, 32 bits wide as addresses in it are.
      LaneSet wrapped = set;
      for (int l = 0; l < kWarpSize; ++l) wrapped.address[l] += std::uint64_t{below >> l & 1} << 32;
      return record(m, site, wrapped, m.active);
    }
  }
  if (where == Where::global && in_grid_workspace(set)) return;
  record(m, site, set, m.active);
}

WARPLENS_INLINE std::uint64_t load_lane(const std::byte* from, int bytes) {
  std::uint64_t v = 0;
  __builtin_memcpy(&v, from, static_cast<unsigned>(bytes));  // little-endian
  return v;
}
// Of each lane, `offset` behind where it accesses. A copy of as many bytes as a variable says would be a
// call.
template <class U>
WARPLENS_INLINE void load_lanes(const LaneSet& set, int offset, std::uint64_t* values) {
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    values[l] = load_value<U>(set.at[l] + offset);
  }
}
void load_lanes(const LaneSet& set, int offset, int bytes, std::uint64_t* values) {
  switch (bytes) {
    case 1: return load_lanes<std::uint8_t>(set, offset, values);
    case 2: return load_lanes<std::uint16_t>(set, offset, values);
    case 4: return load_lanes<std::uint32_t>(set, offset, values);
    default: return load_lanes<std::uint64_t>(set, offset, values);
  }
}
template <class U>
WARPLENS_INLINE void store_lanes(const LaneSet& set, int offset, const std::uint64_t* values) {
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    const auto value = static_cast<U>(values[l]);
    __builtin_memcpy(set.at[l] + offset, &value, sizeof value);
  }
}
void store_lanes(const LaneSet& set, int offset, int bytes, const std::uint64_t* values) {
  switch (bytes) {
    case 1: return store_lanes<std::uint8_t>(set, offset, values);
    case 2: return store_lanes<std::uint16_t>(set, offset, values);
    case 4: return store_lanes<std::uint32_t>(set, offset, values);
    default: return store_lanes<std::uint64_t>(set, offset, values);
  }
}
WARPLENS_INLINE std::uint64_t extend_loaded(const Instr* i, std::uint64_t v) {
  if ((i->flags & kSigned) == 0 || i->bytes == 8) return v;
  const int up = 64 - 8 * i->bytes;
  const auto extended = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << up) >> up);
  return i->register_bytes == 8 ? extended : extended & (i->register_bytes == 4 ? 0xffffffffu : 0xffffu);
}

void write_register(Machine& m, std::uint32_t d, int register_bytes, const std::uint64_t* values) {
  if (register_bytes == 8) {
    Head& h = head(m, d);
    if (!can_overwrite_all_lanes(m, d)) return blend(m, h, values);
    std::uint64_t* to = lanes_of<std::uint64_t>(h);
    WARPLENS_LANES to[l] = values[l];
    h.form = Form::vector;
    return;
  }
  alignas(64) std::uint32_t narrow[kWarpSize];
  WARPLENS_LANES narrow[l] = static_cast<std::uint32_t>(values[l]);
  Head& h = head(m, d);
  if (!can_overwrite_all_lanes(m, d)) return blend(m, h, narrow);
  std::uint32_t* to = lanes_of<std::uint32_t>(h);
  WARPLENS_LANES to[l] = narrow[l];
  h.form = Form::vector;
}
void read_register(Machine& m, std::uint32_t r, int register_bytes, std::uint64_t* values) {
  const Head& h = head(m, r);
  if (register_bytes == 8) {
    alignas(64) std::uint64_t scratch[kWarpSize];
    const std::uint64_t* from = lanes<std::uint64_t>(h, scratch);
    WARPLENS_LANES values[l] = from[l];
  } else {
    alignas(64) std::uint32_t scratch[kWarpSize];
    const std::uint32_t* from = lanes<std::uint32_t>(h, scratch);
    WARPLENS_LANES values[l] = from[l];
  }
}

const Instr* slow_load(Machine& m, const Instr* i) {
  LaneSet sets[kWheres];
  split_by_space(m, i, sets);
  for (int w = 0; w < kWheres; ++w) {
    if (sets[w].mask != 0) prepare(m, i, static_cast<Where>(w), sets[w], Touch::read);
  }
  for (int k = 0; k < i->count; ++k) {
    const std::uint32_t d = element_register(i, k);
    if (d == kNoRegister) continue;
    alignas(64) std::uint64_t values[kWarpSize] = {};
    for (const LaneSet& set : sets) load_lanes(set, k * i->bytes, i->bytes, values);
    if ((i->flags & kSigned) != 0) {
      WARPLENS_LANES values[l] = extend_loaded(i, values[l]);
    }
    write_register(m, d, i->register_bytes, values);
  }
  return i + 1;
}

// ldmatrix, stmatrix: `detail` matrices of 8 rows of 16 bytes; lane l names row l % 8 of matrix l / 8. PTX
// ISA, "ldmatrix".
using Rows = std::uint32_t[kWarpSize][4];

void locate_rows(Machine& m, const Instr* i, Touch touch, LaneSet& rows) {
  LaneSet sets[kWheres];
  split_by_space(m, i, sets);
  const std::uint32_t named = i->detail == 4 ? ~0u : (1u << (8 * i->detail)) - 1;
  rows = sets[static_cast<int>(Where::shared)];
  rows.mask &= named;
  for (int w = 0; w < kWheres; ++w) {
    const std::uint32_t elsewhere = w == static_cast<int>(Where::shared) ? 0u : sets[w].mask & named;
    if (elsewhere != 0)
      report_fault(m, i, i->site, Fault::out_of_bounds, elsewhere, elsewhere, sets[w].address);
  }
  if (rows.mask != 0) prepare(m, i, Where::shared, rows, touch);
}
// Lane l holds columns 2 (l % 4) and the next of row l / 4; of a transposed matrix rows and columns the other
// way round.
template <class Visit>
void for_each_half(bool is_transposed, int matrix, Visit visit) {
  for (int l = 0; l < kWarpSize; ++l) {
    for (int h = 0; h < 2; ++h) {
      const int a = l / 4, b = 2 * (l % 4) + h;
      visit(l, h, 8 * matrix + (is_transposed ? b : a), is_transposed ? a : b);
    }
  }
}
const Instr* load_matrices(Machine& m, const Instr* i) {
  LaneSet set;
  locate_rows(m, i, Touch::read, set);
  Rows rows = {};
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    __builtin_memcpy(rows[l], set.at[l], sizeof rows[l]);
  }
  for (int k = 0; k < i->detail; ++k) {
    alignas(64) std::uint64_t values[kWarpSize] = {};
    for_each_half((i->flags & kTransposed) != 0, k, [&](int l, int h, int row, int column) WARPLENS_LAMBDA {
      values[l] |= static_cast<std::uint64_t>(rows[row][column / 2] >> (16 * (column % 2)) & 0xffffu)
                   << (16 * h);
    });
    if (i->more[k] != kNoRegister) write_register(m, i->more[k], 4, values);
  }
  return i + 1;
}
const Instr* store_matrices(Machine& m, const Instr* i) {
  LaneSet set;
  locate_rows(m, i, Touch::write, set);
  Rows rows = {};
  for (int k = 0; k < i->detail; ++k) {
    alignas(64) std::uint64_t values[kWarpSize];
    read_register(m, i->more[k], 4, values);
    for_each_half((i->flags & kTransposed) != 0, k, [&](int l, int h, int row, int column) WARPLENS_LAMBDA {
      rows[row][column / 2] |= (static_cast<std::uint32_t>(values[l]) >> (16 * h) & 0xffffu)
                               << (16 * (column % 2));
    });
  }
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    __builtin_memcpy(set.at[l], rows[l], sizeof rows[l]);
  }
  return i + 1;
}

// Parameters of calls: each lane has its own, at an address that all share; no access of memory.
WARPLENS_INLINE std::byte* call_param_at(Machine& m, const Instr* i, int lane) {
  return m.memory.call_params + static_cast<std::uint64_t>(lane) * m.memory.call_param_bytes +
         head(m, i->a).base + static_cast<std::uint64_t>(i->imm);
}
const Instr* load_call_param(Machine& m, const Instr* i) {
  for (int k = 0; k < i->count; ++k) {
    const std::uint32_t d = element_register(i, k);
    if (d == kNoRegister) continue;
    alignas(64) std::uint64_t values[kWarpSize];
    for (int l = 0; l < kWarpSize; ++l)
      values[l] = extend_loaded(i, load_lane(call_param_at(m, i, l) + k * i->bytes, i->bytes));
    write_register(m, d, i->register_bytes, values);
  }
  return i + 1;
}
const Instr* store_call_param(Machine& m, const Instr* i) {
  for (int k = 0; k < i->count; ++k) {
    std::uint64_t values[kWarpSize];
    read_register(m, element_register(i, k), i->register_bytes, values);
    for (std::uint32_t left = m.active; left != 0; left &= left - 1) {
      const int l = __builtin_ctz(left);
      __builtin_memcpy(call_param_at(m, i, l) + k * i->bytes, &values[l], i->bytes);
    }
  }
  return i + 1;
}

// Lanes that store to an address that a lower lane of the same instruction stores another value to.
std::uint32_t clashing_lanes(Machine& m, const Instr* i, const LaneSet& set) {
  std::uint32_t clash = 0;
  std::uint32_t first_of[64];  // open addressing by address; lane + 1
  __builtin_memset(first_of, 0, sizeof first_of);
  for (int l = 0; l < kWarpSize; ++l) {
    if ((set.mask >> l & 1) == 0) continue;
    auto slot = static_cast<std::uint32_t>((set.address[l] * 0x9e3779b97f4a7c15u) >> 58);
    while (first_of[slot] != 0 && set.address[first_of[slot] - 1] != set.address[l]) slot = (slot + 1) & 63u;
    if (first_of[slot] == 0) {
      first_of[slot] = static_cast<std::uint32_t>(l) + 1;
      continue;
    }
    const int other = static_cast<int>(first_of[slot]) - 1;
    for (int k = 0; k < i->count; ++k) {
      const Head& h = head(m, element_register(i, k));
      const bool same = i->register_bytes == 8
                            ? lane_value<std::uint64_t>(h, l) == lane_value<std::uint64_t>(h, other)
                            : lane_value<std::uint32_t>(h, l) == lane_value<std::uint32_t>(h, other);
      if (!same) clash |= 1u << l | 1u << other;
    }
  }
  return clash;
}

const Instr* slow_store(Machine& m, const Instr* i) {
  LaneSet sets[kWheres];
  split_by_space(m, i, sets);
  for (int w = 0; w < kWheres; ++w) {
    LaneSet& set = sets[w];
    if (set.mask == 0) continue;
    prepare(m, i, static_cast<Where>(w), set, Touch::write);
    if (w >= static_cast<int>(Where::constant) || set.mask == 0) continue;
    if (w != static_cast<int>(Where::local) && (i->flags & kStrong) == 0) {
      const std::uint32_t clash = clashing_lanes(m, i, set);
      const bool generic = static_cast<ptx::StateSpace>(i->space) == ptx::StateSpace::generic;
      if (clash != 0)
        report_fault(m, i, i->site + (generic ? static_cast<std::uint32_t>(w) : 0u), Fault::write_write,
                     clash, set.mask, set.address);
    }
    for (int k = 0; k < i->count; ++k) {
      std::uint64_t values[kWarpSize];
      read_register(m, element_register(i, k), i->register_bytes, values);
      store_lanes(set, k * i->bytes, i->bytes, values);
    }
  }
  return i + 1;
}

// One lane's atomic operation: returns the new value of a memory word that holds `old`.
template <class S, class U>
WARPLENS_INLINE U updated_integer(ptx::AtomicOp op, U old, U b, U c) {
  switch (op) {
    case ptx::AtomicOp::and_: return old & b;
    case ptx::AtomicOp::or_: return old | b;
    case ptx::AtomicOp::xor_: return old ^ b;
    case ptx::AtomicOp::cas: return old == b ? c : old;
    case ptx::AtomicOp::exch: return b;
    case ptx::AtomicOp::add: return static_cast<U>(old + b);
    case ptx::AtomicOp::inc: return old >= b ? U{0} : static_cast<U>(old + 1);
    case ptx::AtomicOp::dec: return old == 0 || old > b ? b : static_cast<U>(old - 1);
    case ptx::AtomicOp::min: return static_cast<S>(b) < static_cast<S>(old) ? b : old;
    case ptx::AtomicOp::max: return static_cast<S>(b) > static_cast<S>(old) ? b : old;
    case ptx::AtomicOp::none: break;
  }
  return old;
}
template <class S, class U>
WARPLENS_INLINE U atomic_integer(std::byte* at, ptx::AtomicOp op, U b, U c, bool shared) {
  auto* word = reinterpret_cast<U*>(at);
  if (shared) {  // A block runs on one thread
    const U old = *word;
    *word = updated_integer<S, U>(op, old, b, c);
    return old;
  }
  U old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, updated_integer<S, U>(op, old, b, c), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
// f32 additions in global memory flush subnormals, those in shared memory keep them (PTX ISA, "atom").
WARPLENS_INLINE std::uint32_t atomic_add_f32(std::byte* at, std::uint32_t b, bool keep_subnormals) {
  const auto old = load_value<std::uint32_t>(at);
  const float x = __builtin_bit_cast(float, old), y = __builtin_bit_cast(float, b);
  const std::uint32_t sum = to_bits(keep_subnormals ? x + y : flush(flush(x) + flush(y)));
  __builtin_memcpy(at, &sum, sizeof sum);
  return old;
}
WARPLENS_INLINE std::uint64_t atomic_add_f64(std::byte* at, std::uint64_t b) {
  const auto old = load_value<std::uint64_t>(at);
  const std::uint64_t sum = to_bits(__builtin_bit_cast(double, old) + __builtin_bit_cast(double, b));
  __builtin_memcpy(at, &sum, sizeof sum);
  return old;
}
// .noftz: subnormals are kept in any memory.
std::uint64_t atomic_of_halves(const Instr* i, std::byte* at, std::uint64_t b) {
  const LaneFunction operation =
      find_half_atomic(static_cast<ptx::AtomicOp>(i->detail), static_cast<ptx::Type>(i->type));
  const std::uint64_t old = load_lane(at, i->bytes), updated = operation(old, b, 0);
  __builtin_memcpy(at, &updated, i->bytes);
  return old;
}
WARPLENS_INLINE std::uint64_t atomic_lane(const Instr* i, std::byte* at, std::uint64_t b, std::uint64_t c,
                                          bool shared) {
  const auto op = static_cast<ptx::AtomicOp>(i->detail);
  const auto b32 = static_cast<std::uint32_t>(b), c32 = static_cast<std::uint32_t>(c);
  switch (static_cast<ptx::Type>(i->type)) {
    case ptx::Type::f32: return atomic_add_f32(at, b32, shared);
    case ptx::Type::f64: return atomic_add_f64(at, b);
    case ptx::Type::f16:
    case ptx::Type::bf16:
    case ptx::Type::f16x2:
    case ptx::Type::bf16x2: return atomic_of_halves(i, at, b);
    case ptx::Type::s32: return atomic_integer<std::int32_t>(at, op, b32, c32, shared);
    case ptx::Type::s64: return atomic_integer<std::int64_t>(at, op, b, c, shared);
    case ptx::Type::b16:
      return atomic_integer<std::uint16_t>(at, op, static_cast<std::uint16_t>(b),
                                           static_cast<std::uint16_t>(c), shared);
    case ptx::Type::u64:
    case ptx::Type::b64: return atomic_integer<std::uint64_t>(at, op, b, c, shared);
    default: return atomic_integer<std::uint32_t>(at, op, b32, c32, shared);
  }
}

// Adds to words of 32 bits, the most usual of all: what each lane found is left in `results`.
WARPLENS_INLINE void add_to_words(const LaneSet& set, const std::uint32_t* b, bool shared,
                                  std::uint32_t* results) {
  for (std::uint32_t left = set.mask; left != 0; left &= left - 1) {
    const int l = __builtin_ctz(left);
    auto* word = reinterpret_cast<std::uint32_t*>(set.at[l]);
    if (shared) {  // A block runs on one thread
      results[l] = *word;
      *word += b[l];
    } else {
      results[l] = __atomic_fetch_add(word, b[l], __ATOMIC_RELAXED);
    }
  }
}
[[gnu::noinline]] const Instr* atomic_addition(Machine& m, const Instr* i) {
  const Where where = where_of(static_cast<ptx::StateSpace>(i->space));
  LaneSet set;
  set.mask = m.active;
  lane_addresses(m, i, set.address);
  alignas(64) std::uint32_t scratch[kWarpSize];
  alignas(64) std::uint32_t results[kWarpSize] = {};
  const std::uint32_t* b = lanes<std::uint32_t>(head(m, i->b), scratch);
  prepare(m, i, where, set, Touch::strong);
  add_to_words(set, b, where == Where::shared, results);
  if ((i->flags & kHasResult) == 0) return i + 1;
  Head& d = head(m, i->d);
  if (!can_overwrite_all_lanes(m, i->d)) {
    blend(m, d, results);
    return i + 1;
  }
  std::uint32_t* to = lanes_of<std::uint32_t>(d);
  WARPLENS_LANES to[l] = results[l];
  d.form = Form::vector;
  return i + 1;
}
WARPLENS_INLINE bool adds_to_words(const Instr* i) {
  const auto type = static_cast<ptx::Type>(i->type);
  return static_cast<ptx::AtomicOp>(i->detail) == ptx::AtomicOp::add &&
         (type == ptx::Type::u32 || type == ptx::Type::s32) &&
         static_cast<ptx::StateSpace>(i->space) != ptx::StateSpace::generic;
}

// atom and red: lane by lane in ascending order, so that results repeat.
const Instr* atomic(Machine& m, const Instr* i) {
  if (adds_to_words(i)) return atomic_addition(m, i);
  LaneSet sets[kWheres];
  split_by_space(m, i, sets);
  alignas(64) std::uint64_t results[kWarpSize] = {};
  std::uint64_t b[kWarpSize], c[kWarpSize] = {};
  read_register(m, i->b, i->bytes, b);
  if (static_cast<ptx::AtomicOp>(i->detail) == ptx::AtomicOp::cas) read_register(m, i->c, i->bytes, c);
  for (int w = 0; w < static_cast<int>(Where::constant); ++w) {
    LaneSet& set = sets[w];
    if (set.mask == 0) continue;
    prepare(m, i, static_cast<Where>(w), set, Touch::strong);
    for (int l = 0; l < kWarpSize; ++l) {
      if ((set.mask >> l & 1) != 0)
        results[l] = atomic_lane(i, set.at[l], b[l], c[l], w == static_cast<int>(Where::shared));
    }
  }
  if ((i->flags & kHasResult) != 0) write_register(m, i->d, i->register_bytes, results);
  return i + 1;
}

// Those of vectors, element by element; `more`: where the results go, then the sources.
constexpr int kMaxElements = 8;
const Instr* atomic_of_vector(Machine& m, const Instr* i) {
  LaneSet sets[kWheres];
  split_by_space(m, i, sets);
  std::uint64_t b[kMaxElements][kWarpSize];
  for (int k = 0; k < i->count; ++k) read_register(m, i->more[i->count + k], i->bytes, b[k]);
  for (int w = 0; w < static_cast<int>(Where::constant); ++w) {
    if (sets[w].mask != 0) prepare(m, i, static_cast<Where>(w), sets[w], Touch::strong);
  }
  for (int k = 0; k < i->count; ++k) {
    alignas(64) std::uint64_t results[kWarpSize] = {};
    for (int w = 0; w < static_cast<int>(Where::constant); ++w) {
      for (std::uint32_t left = sets[w].mask; left != 0; left &= left - 1) {
        const int l = __builtin_ctz(left);
        results[l] =
            atomic_lane(i, sets[w].at[l] + k * i->bytes, b[k][l], 0, w == static_cast<int>(Where::shared));
      }
    }
    if (i->more[k] != kNoRegister) write_register(m, i->more[k], i->register_bytes, results);
  }
  return i + 1;
}

// exch and cas of 16 bytes; `more`: low and high half of the result, of `b` and, for cas, of `c`. Kernels
// that have one run their blocks in order.
const Instr* atomic_of_16_bytes(Machine& m, const Instr* i) {
  LaneSet sets[kWheres];
  split_by_space(m, i, sets);
  struct Pair {
    std::uint64_t low, high;
  };
  const bool compares = static_cast<ptx::AtomicOp>(i->detail) == ptx::AtomicOp::cas;
  std::uint64_t sources[4][kWarpSize] = {};
  for (int k = 0; k < (compares ? 4 : 2); ++k) read_register(m, i->more[2 + k], 8, sources[k]);
  alignas(64) std::uint64_t low[kWarpSize] = {}, high[kWarpSize] = {};
  for (int w = 0; w < static_cast<int>(Where::constant); ++w) {
    if (sets[w].mask != 0) prepare(m, i, static_cast<Where>(w), sets[w], Touch::strong);
    for (std::uint32_t left = sets[w].mask; left != 0; left &= left - 1) {
      const int l = __builtin_ctz(left);
      const auto old = load_value<Pair>(sets[w].at[l]);
      low[l] = old.low;
      high[l] = old.high;
      const bool same = old.low == sources[0][l] && old.high == sources[1][l];
      if (compares && !same) continue;
      const Pair updated = compares ? Pair{sources[2][l], sources[3][l]} : Pair{sources[0][l], sources[1][l]};
      __builtin_memcpy(sets[w].at[l], &updated, sizeof updated);
    }
  }
  if (i->more[0] != kNoRegister) write_register(m, i->more[0], 8, low);
  if (i->more[1] != kNoRegister) write_register(m, i->more[1], 8, high);
  return i + 1;
}
