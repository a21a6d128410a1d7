// Part of a core: branches, reconvergence, exits, guards, barriers. Diverged lanes run one side after the
// other and meet at the immediate post-dominator of the branch: a stack holds those that wait.
//
// Executed instructions are counted a straight piece at a time: `segment` is where the piece began, and
// nothing in it changes the active mask. Thread instructions are those of lanes whose guard holds, of
// branches too; an instruction guarded off in all lanes still counts as a warp instruction.

WARPLENS_INLINE void end_segment(Machine& m, std::uint32_t end) {
  const std::uint32_t n = end - m.turn.segment;
  if (m.kernel.tensor_before != nullptr) {
    for (std::uint32_t k = m.kernel.tensor_before[m.turn.segment]; k < m.kernel.tensor_before[end]; ++k)
      ++m.kernel.tensor[k];
  }
  m.turn.executed += n;
  m.turn.threads += static_cast<std::uint64_t>(n) * static_cast<unsigned>(count_bits(m.active));
  m.turn.segment = end;
}

WARPLENS_INLINE void suspend(Machine& m, const Instr* pc, const Instr* join, std::uint32_t mask) {
  if (m.depth == m.capacity) grow_stack(m);
  m.stack[m.depth++] = {pc, join, mask};
}

// Goes on with the lanes that wait on top of the stack.
const Instr* resume_waiting(Machine& m) {
  while (m.depth > 0) {
    const Suspended& top = m.stack[--m.depth];
    const std::uint32_t mask = top.mask & m.alive;
    if (mask == 0) {
      if (m.calls != 0) forget_calls(m);
      continue;
    }
    m.active = mask;
    m.join = top.join;
    m.turn.segment = top.pc->index;
    if (m.active != m.alive) update_suspended(m);
    return top.pc;
  }
  m.active = 0;
  m.ended.why = Stop::exited;
  return nullptr;
}

const Instr* join(Machine& m, const Instr* i) {
  if (m.join != i) return i + 1;
  end_segment(m, i->index);
  return resume_waiting(m);
}

WARPLENS_INLINE std::uint32_t guard_mask(Machine& m, const Instr* i) {
  return (mask_of(m, i->a) ^ ((i->flags & kNegateGuard) != 0 ? 0xffffffffu : 0u)) & m.active;
}

const Instr* guard(Machine& m, const Instr* i) {
  const std::uint32_t active = m.active, holds = guard_mask(m, i);
  if (holds == active) return i + 1;
  const auto idle = static_cast<std::uint64_t>(count_bits(active & ~holds));
  if (holds == 0) {
    m.turn.threads -= idle;
    return i + 2;
  }
  end_segment(m, i->index);
  const std::uint64_t* suspended = m.suspended;
  m.active = holds;
  m.suspended = nullptr;
  m.single_step = true;
  const Instr* next = i[1].run(m, i + 1);
  m.single_step = false;
  m.active = active;
  m.suspended = suspended;
  if (next != nullptr) m.turn.threads -= idle;  // a warp that stops has counted the instruction itself
  return next;
}

// Every backward branch may end the warp's turn.
template <bool kBackward>
WARPLENS_INLINE const Instr* go_to(Machine& m, const Instr* i) {
  m.turn.segment = i->target->index;
  if constexpr (kBackward) {
    if ((i->flags & kWaitLoop) != 0) {
      m.ended.why = Stop::polled;
      m.ended.resume = i->target;
      return nullptr;
    }
    if ((i->flags & kOuterLoop) != 0) next_phase(m);
    if (m.turn.executed >= m.turn.yield_at) {
      m.ended.why = Stop::yielded;
      m.ended.resume = i->target;
      return nullptr;
    }
  }
  return i->target;
}
template <bool kBackward>
const Instr* branch(Machine& m, const Instr* i) {
  end_segment(m, i->index + 1);
  return go_to<kBackward>(m, i);
}

// Some lanes branch, some do not. Lanes that are at the join already just wait there.
template <bool kBackward>
const Instr* diverge(Machine& m, const Instr* i, std::uint32_t taken) {
  end_segment(m, i->index + 1);
  const std::uint32_t others = m.active & ~taken;
  m.turn.threads -= static_cast<std::uint64_t>(count_bits(others));
  if (i->join != nullptr && m.join != i->join) suspend(m, i->join, m.join, m.active);
  m.join = i->join;
  if ((i->flags & kExitsAtJoin) != 0) m.gone |= i->target == i->join ? taken : i + 1 == i->join ? others : 0u;
  if (i->target == i->join) {
    m.active = others;
    update_suspended(m);
    return i + 1;
  }
  if (i + 1 != i->join) suspend(m, i + 1, i->join, others);
  m.active = taken;
  update_suspended(m);
  return go_to<kBackward>(m, i);
}
template <bool kBackward>
const Instr* branch_if(Machine& m, const Instr* i) {
  const std::uint32_t taken = guard_mask(m, i);
  if (taken == 0) {
    m.turn.threads -= static_cast<std::uint64_t>(count_bits(m.active));
    return i + 1;
  }
  if (taken != m.active) return diverge<kBackward>(m, i, taken);
  end_segment(m, i->index + 1);
  return go_to<kBackward>(m, i);
}

// brx.idx: `more` holds the number of targets, then their positions relative to this instruction.
const Instr* branch_indexed(Machine& m, const Instr* i) {
  end_segment(m, i->index + 1);
  std::uint32_t index[kWarpSize];
  const Head& a = head(m, i->a);
  for (int l = 0; l < kWarpSize; ++l) index[l] = lane_value<std::uint32_t>(a, l);
  const std::uint32_t n = i->more[0];
  if (i->join != nullptr && m.join != i->join) suspend(m, i->join, m.join, m.active);
  m.join = i->join;
  std::uint32_t left = m.active;
  while (left != 0) {
    const std::uint32_t chosen = index[__builtin_ctz(left)];
    std::uint32_t mask = 0;
    for (int l = 0; l < kWarpSize; ++l)
      mask |= static_cast<std::uint32_t>((left >> l & 1) != 0 && index[l] == chosen) << l;
    left &= ~mask;
    if (chosen >= n) {
      m.alive &= ~mask;  // the PTX ISA leaves an index out of range undefined
      continue;
    }
    const Instr* target = i + static_cast<std::int32_t>(i->more[1 + chosen]);
    if (target != i->join) suspend(m, target, i->join, mask);
  }
  return resume_waiting(m);
}

const Instr* exit_threads(Machine& m, const Instr* i) {
  end_segment(m, i->index + 1);
  m.alive &= ~m.active;
  return resume_waiting(m);
}
const Instr* exit_threads_if(Machine& m, const Instr* i) {
  const std::uint32_t leaving = guard_mask(m, i);
  const auto staying = static_cast<std::uint64_t>(count_bits(m.active & ~leaving));
  if (leaving == 0) {
    m.turn.threads -= staying;
    return i + 1;
  }
  end_segment(m, i->index + 1);
  m.turn.threads -= staying;
  m.alive &= ~leaving;
  m.active &= ~leaving;
  return m.active != 0 ? i + 1 : resume_waiting(m);
}

// Calls (calls.cpp): behind each is an instruction where its lanes come back to.
const Instr* call(Machine& m, const Instr* i) {
  end_segment(m, i->index + 1);
  const std::uint32_t mask = i->a == kNoRegister ? m.active : guard_mask(m, i);
  m.turn.threads -= static_cast<std::uint64_t>(count_bits(m.active & ~mask));
  return mask == 0 ? i + 2 : begin_call(m, i, mask);
}
const Instr* after_call(Machine& m, const Instr* i) {
  return finish_call(m, i);
}
const Instr* return_from_call(Machine& m, const Instr* i) {
  end_segment(m, i->index + 1);
  const std::uint32_t leaving = i->a == kNoRegister ? m.active : guard_mask(m, i);
  m.turn.threads -= static_cast<std::uint64_t>(count_bits(m.active & ~leaving));
  if (leaving == 0) return i + 1;
  return_lanes(m, leaving);
  m.active &= ~leaving;
  return m.active != 0 ? i + 1 : resume_waiting(m);
}

WARPLENS_INLINE const Instr* stop_at(Machine& m, const Instr* i, Stop why) {
  end_segment(m, i->index + 1);
  m.ended.why = why;
  m.ended.at = i;
  m.ended.mask = m.active;
  m.ended.resume = i + 1;
  return nullptr;
}
const Instr* barrier(Machine& m, const Instr* i) {
  return stop_at(m, i, Stop::barrier);
}
const Instr* unsupported(Machine& m, const Instr* i) {
  return stop_at(m, i, Stop::unsupported);
}
const Instr* trap(Machine& m, const Instr* i) {
  return stop_at(m, i, Stop::trapped);
}
const Instr* nothing(Machine&, const Instr* i) {
  return i + 1;
}

void run(Machine& m, const Instr* start) {
  m.turn.segment = start->index;
  const Instr* i = start;
  while (i != nullptr) i = i->run(m, i);
}

// Eight words of the shadow at a time: one line of the cache.
inline constexpr std::uint64_t kGroup = 8;

bool conflicts(const Machine& m, const std::uint64_t* others_read, const std::uint64_t* others_written,
               const std::uint64_t* others_strong) {
  const SharedShadow& s = m.shadow;
  const std::uint64_t words = std::uint64_t{1} << (s.dirty_shift - 6);
  std::uint64_t conflict[kGroup] = {};
  // Where nobody has written there is nothing to conflict with.
  for (std::uint64_t parts = (s.dirty & s.others_dirty_written) | (s.dirty_written & s.others_dirty);
       parts != 0; parts &= parts - 1) {
    const std::uint64_t from = static_cast<std::uint64_t>(__builtin_ctzll(parts)) * words;
    for (std::uint64_t group = from; group < from + words; group += kGroup) {
      for (std::uint64_t k = 0; k < kGroup; ++k) {
        const std::uint64_t w = group + k;
        conflict[k] |= (s.written[w] & (others_read[w] | others_written[w] | others_strong[w])) |
                       (s.read[w] & (others_written[w] | others_strong[w])) |
                       (s.strong[w] & (others_read[w] | others_written[w]));
      }
    }
  }
  std::uint64_t any = 0;
  for (const std::uint64_t c : conflict) any |= c;
  return any != 0;
}

// Adds the parts of a bitmap to another, and clears them.
WARPLENS_INLINE void move_bits(std::uint64_t parts, std::uint64_t words, std::uint64_t* __restrict from,
                               std::uint64_t* __restrict to) {
  for (; parts != 0; parts &= parts - 1) {
    const std::uint64_t first = static_cast<std::uint64_t>(__builtin_ctzll(parts)) * words;
    for (std::uint64_t group = first; group < first + words; group += kGroup) {
      for (std::uint64_t w = group; w < group + kGroup; ++w) {
        to[w] |= from[w];
        from[w] = 0;
      }
    }
  }
}

void merge_shadow(Machine& m, std::uint64_t* others_read, std::uint64_t* others_written,
                  std::uint64_t* others_strong) {
  SharedShadow& s = m.shadow;
  const std::uint64_t words = std::uint64_t{1} << (s.dirty_shift - 6);
  move_bits(s.dirty, words, s.read, others_read);
  move_bits(s.dirty_written, words, s.written, others_written);
  move_bits(s.dirty_written, words, s.strong, others_strong);
  s.others_dirty |= s.dirty;
  s.others_dirty_written |= s.dirty_written;
  s.dirty = s.dirty_written = 0;
}
