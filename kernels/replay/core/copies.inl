// Part of a core: the addresses of cp.async. What it copies is kept by the block (block/copies.cpp).

// How many bytes of the source each lane reads: all, as many as the operand says, or none where the predicate
// holds. PTX ISA, "cp.async".
WARPLENS_INLINE void read_bytes_of_copy(Machine& m, const Instr* i, std::uint32_t* bytes) {
  WARPLENS_LANES bytes[l] = i->bytes;
  if (i->c != kNoRegister) {
    alignas(64) std::uint32_t scratch[kWarpSize];
    const std::uint32_t* sizes = lanes<std::uint32_t>(head(m, i->c), scratch);
    WARPLENS_LANES bytes[l] = sizes[l] < i->bytes ? sizes[l] : i->bytes;
  } else if (i->d != kNoRegister) {
    const std::uint32_t flip = (i->flags & kSecondNegated) != 0 ? 0xffffffffu : 0u;
    const auto ignored = static_cast<std::uint32_t>(head(m, i->d).base) ^ flip;
    WARPLENS_LANES bytes[l] = (ignored >> l & 1) != 0 ? 0 : i->bytes;
  }
}

// The address in shared memory: of the register `b`; `more`: the offset's halves, and whether it is wide.
WARPLENS_INLINE void destinations_of_copy(Machine& m, const Instr* i, std::uint64_t* address) {
  Instr to{};
  to.a = i->b;
  to.imm = static_cast<std::int64_t>(i->more[0] | std::uint64_t{i->more[1]} << 32);
  to.flags = static_cast<std::uint8_t>(i->more[2]);
  lane_addresses(m, &to, address);
}

const Instr* copy(Machine& m, const Instr* i) {
  const std::uint32_t from_site = i->site, to_site = i->site + 1, bytes = i->bytes;
  CopyRequest request;
  request.bytes = bytes;
  read_bytes_of_copy(m, i, request.read_bytes);
  LaneSet from, to;
  from.mask = 0;
  WARPLENS_LANES from.mask |= static_cast<std::uint32_t>(request.read_bytes[l] != 0) << l;
  from.mask &= m.active;
  const std::uint32_t reading = from.mask;
  lane_addresses(m, i, from.address);
  destinations_of_copy(m, i, to.address);
  to.mask = m.active & ~reading;
  if (from.mask != 0) {
    check_lanes(m, i, from_site, Where::global, from, bytes, request.read_bytes);
    if (from.mask != 0) record(m, from_site, from, reading);
  }
  to.mask |= from.mask;
  if (to.mask != 0) check_lanes(m, i, to_site, Where::shared, to, bytes);
  if (to.mask == 0) return i + 1;
  request.mask = to.mask;
  for (int l = 0; l < kWarpSize; ++l) {
    request.to[l] = static_cast<std::uint32_t>(to.address[l]);
    request.from[l] = (from.mask >> l & 1) != 0 ? from.at[l] : nullptr;
  }
  record(m, to_site, to, m.active);
  begin_copy(m, i, request);
  return i + 1;
}
