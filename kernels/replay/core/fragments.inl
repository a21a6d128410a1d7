// Part of a core: wmma.load and wmma.store. `a`, `imm`: where the matrix begins; `b`: the stride, or none;
// `c`: how many registers; `more`: where the FragmentAccess is, then the registers.

WARPLENS_INLINE const tensor::FragmentAccess& fragment_access(const Instr* i) {
  return *reinterpret_cast<const tensor::FragmentAccess*>(i->more[0] | std::uint64_t{i->more[1]} << 32);
}

// Visits the accesses: register, piece, and the lanes' addresses by state space, checked and recorded.
template <class Visit>
WARPLENS_INLINE void for_each_piece(Machine& m, const Instr* i, Touch touch, Visit visit) {
  if (m.active != 0xffffffffu || m.awaits_lanes) check_whole_warp(m, i);
  const tensor::FragmentAccess& access = fragment_access(i);
  alignas(64) std::uint64_t begin[kWarpSize], address[kWarpSize];
  std::uint32_t strides[kWarpSize];
  lane_addresses(m, i, begin);
  for (int l = 0; l < kWarpSize; ++l)
    strides[l] = i->b == kNoRegister ? access.default_stride : lane_value<std::uint32_t>(head(m, i->b), l);
  for (int reg = 0; reg < access.registers; ++reg) {
    for (int piece = 0; piece < access.pieces; ++piece) {
      const tensor::FragmentPlace* const places = access.places.data()[reg * access.pieces + piece].data();
      for (int l = 0; l < kWarpSize; ++l) {
        const std::uint64_t line = std::uint64_t{places[l].line} * strides[l] * access.element_bits / 8;
        address[l] = begin[l] + line + places[l].bytes;
      }
      LaneSet sets[kWheres];
      split_by_space(m, i, address, sets);
      for (int w = 0; w < kWheres; ++w) {
        if (sets[w].mask != 0) prepare(m, i, static_cast<Where>(w), sets[w], touch);
      }
      visit(reg, piece, sets);
    }
  }
}

const Instr* load_fragment(Machine& m, const Instr* i) {
  const tensor::FragmentAccess& access = fragment_access(i);
  alignas(64) std::uint64_t words[tensor::kMaxMatrixRegisters][kWarpSize] = {};
  for_each_piece(m, i, Touch::read, [&](int reg, int piece, const LaneSet* sets) WARPLENS_LAMBDA {
    std::uint64_t values[kWarpSize] = {};
    for (int w = 0; w < kWheres; ++w) load_lanes(sets[w], 0, access.piece_bytes, values);
    WARPLENS_LANES words[reg][l] |= values[l] << (8 * access.piece_bytes * piece);
  });
  for (std::uint32_t k = 0; k < i->c; ++k) {
    if (i->more[2 + k] != kNoRegister)
      write_register(m, i->more[2 + k], access.register_bytes, words[k % access.registers]);
  }
  return i + 1;
}

const Instr* store_fragment(Machine& m, const Instr* i) {
  const tensor::FragmentAccess& access = fragment_access(i);
  for_each_piece(m, i, Touch::write, [&](int reg, int piece, const LaneSet* sets) WARPLENS_LAMBDA {
    std::uint64_t values[kWarpSize];
    read_register(m, i->more[2 + reg], access.register_bytes, values);
    WARPLENS_LANES values[l] >>= 8 * access.piece_bytes * piece;
    for (int w = 0; w < static_cast<int>(Where::constant); ++w)
      store_lanes(sets[w], 0, access.piece_bytes, values);
  });
  return i + 1;
}
