// Part of a core: which handler runs an instruction. Null where no handler here does; then a LaneFunction
// may. Handlers in which kernels seldom spend time are compiled once: in the whole core, that of the
// instruction set that every machine has. The other cores leave them to it. They compute the same bits by
// shorter vectors, or with none at all, as divisions do.

template <bool kMax>
Handler select_float_reduction(bool nan, bool absolute) {
  if (nan) return absolute ? &reduce_floats<kMax, true, true> : &reduce_floats<kMax, true, false>;
  return absolute ? &reduce_floats<kMax, false, true> : &reduce_floats<kMax, false, false>;
}
Handler select_float_reduction(const Traits& t) {
  switch (t.atomic) {
    case ptx::AtomicOp::min: return select_float_reduction<false>(t.nan, t.absolute);
    case ptx::AtomicOp::max: return select_float_reduction<true>(t.nan, t.absolute);
    default: return nullptr;
  }
}

Handler select_warp(const Traits& t) {
  switch (t.opcode) {
    case Opcode::activemask: return &active_mask;
    case Opcode::shfl:
      switch (t.shuffle) {
        case ptx::ShuffleMode::up: return &shuffle<ptx::ShuffleMode::up>;
        case ptx::ShuffleMode::down: return &shuffle<ptx::ShuffleMode::down>;
        case ptx::ShuffleMode::bfly: return &shuffle<ptx::ShuffleMode::bfly>;
        case ptx::ShuffleMode::idx: return &shuffle<ptx::ShuffleMode::idx>;
        case ptx::ShuffleMode::none: break;
      }
      return nullptr;
    case Opcode::vote:
      switch (t.vote) {
        case ptx::VoteMode::all: return &vote<ptx::VoteMode::all>;
        case ptx::VoteMode::any: return &vote<ptx::VoteMode::any>;
        case ptx::VoteMode::uni: return &vote<ptx::VoteMode::uni>;
        case ptx::VoteMode::ballot: return &vote<ptx::VoteMode::ballot>;
        case ptx::VoteMode::none: break;
      }
      return nullptr;
    case Opcode::match:
      if (t.type == Type::b64)
        return t.vote == ptx::VoteMode::all ? &match<std::uint64_t, true> : &match<std::uint64_t, false>;
      return t.vote == ptx::VoteMode::all ? &match<std::uint32_t, true> : &match<std::uint32_t, false>;
    case Opcode::redux: {
      if (t.type == Type::f32) return select_float_reduction(t);
      const bool s = t.type == Type::s32;
      switch (t.atomic) {
        case ptx::AtomicOp::add: return &reduce<ptx::AtomicOp::add, std::uint32_t>;
        case ptx::AtomicOp::and_: return &reduce<ptx::AtomicOp::and_, std::uint32_t>;
        case ptx::AtomicOp::or_: return &reduce<ptx::AtomicOp::or_, std::uint32_t>;
        case ptx::AtomicOp::xor_: return &reduce<ptx::AtomicOp::xor_, std::uint32_t>;
        case ptx::AtomicOp::min:
          return s ? &reduce<ptx::AtomicOp::min, std::int32_t> : &reduce<ptx::AtomicOp::min, std::uint32_t>;
        case ptx::AtomicOp::max:
          return s ? &reduce<ptx::AtomicOp::max, std::int32_t> : &reduce<ptx::AtomicOp::max, std::uint32_t>;
        default: return nullptr;
      }
    }
    case Opcode::elect: return &elect;
    default: return nullptr;
  }
}

Handler select_move(const Traits& t) {
  if (t.clock) return t.register_bytes == 8 ? &read_clock<true> : &read_clock<false>;
  if (t.pack != 0 && t.unpack != 0) return &move_elements;
  if (t.pack != 0) return &pack;
  if (t.unpack != 0) return &unpack;
  if (t.type == Type::pred) return &predicate_logic<PredicateOp::mov>;
  return t.register_bytes == 8 ? &move<std::uint64_t> : &move<std::uint32_t>;
}

Handler select_control(const Traits& t) {
  switch (t.opcode) {
    case Opcode::bra:
      if (t.conditional) return t.backward ? &branch_if<true> : &branch_if<false>;
      return t.backward ? &branch<true> : &branch<false>;
    case Opcode::brx_idx: return &branch_indexed;
    case Opcode::ret:
    case Opcode::exit: return t.conditional ? &exit_threads_if : &exit_threads;
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::barrier_cluster_arrive:
    case Opcode::barrier_cluster_wait: return &barrier;
    case Opcode::trap: return &trap;
    case Opcode::bar_warp_sync: return &warp_barrier;
    case Opcode::brkpt:
    case Opcode::griddepcontrol_launch:  // Of a launch that depends on no other, and none on it
    case Opcode::griddepcontrol_wait:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::setmaxnreg_dec:
    case Opcode::setmaxnreg_inc:
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::pmevent: return &nothing;
    default: return nullptr;
  }
}

template <class K>
Handler select_slct(const Traits& t) {
  if (t.source_type != Type::f32) return &select_by_sign<K, std::int32_t, false>;
  return t.ftz ? &select_by_sign<K, float, true> : &select_by_sign<K, float, false>;
}

Handler select_here(const Traits& t) {
  switch (t.opcode) {
    case Opcode::ld:
    case Opcode::ldu: return select_load(t);
    case Opcode::st: return select_store(t);
    case Opcode::ldmatrix: return &load_matrices;
    case Opcode::stmatrix: return &store_matrices;
    case Opcode::cp_async: return &copy;
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c: return &load_fragment;
    case Opcode::wmma_store_d: return &store_fragment;
    case Opcode::movmatrix: return t.type == Type::b16 ? &transpose_matrix : nullptr;
    case Opcode::atom:
    case Opcode::red: return select_atomic(t);
    case Opcode::mov: return select_move(t);
    case Opcode::cvta:
      return t.space == StateSpace::generic ? &convert_address<false> : &convert_address<true>;
    case Opcode::isspacep: return &is_space;
    case Opcode::cvt: return select_cvt(t);
    case Opcode::setp: return select_comparison<false>(t, t.type);
    case Opcode::set: return is_result_of_set(t.type) ? select_comparison<true>(t, t.source_type) : nullptr;
    case Opcode::selp:
      return ptx::size_of(t.type) == 8 ? &select_by_predicate<std::uint64_t>
                                       : &select_by_predicate<std::uint32_t>;
    case Opcode::slct:
      return ptx::size_of(t.type) == 8 ? select_slct<std::uint64_t>(t) : select_slct<std::uint32_t>(t);
    case Opcode::min: return select_min_max<false>(t);
    case Opcode::max: return select_min_max<true>(t);
    default: break;
  }
  Handler (*const groups[])(const Traits&) = {&select_control, &select_warp, &select_logic, &select_float,
                                              &select_integer_arithmetic};
  for (const auto candidate : groups) {
    if (const Handler handler = candidate(t)) return handler;
  }
  return nullptr;
}
Handler select(const Traits& t) {
  const Handler here = select_here(t);
  if constexpr (kWholeCore) return here;
  return here != nullptr ? here : kCoreV2.select(t);
}
