// Part of a core: the handlers of memory accesses.

// Loads and stores. T: in memory, R: in the register.
template <class T, class R, int kCount>
Handler select_load(StateSpace space) {
  switch (space) {
    case StateSpace::shared: return &load_shared<T, R, kCount>;
    case StateSpace::global: return &load_global<T, R, kCount>;
    case StateSpace::param: return &load_parameter<T, R, kCount>;
    case StateSpace::constant: return &load_constant<T, R, kCount>;
    case StateSpace::none:
    case StateSpace::generic:
    case StateSpace::local:
    case StateSpace::reg: break;
  }
  return &slow_load;
}
template <class T, class R, int kCount>
Handler select_grouped_load(StateSpace space) {
  return space == StateSpace::shared ? &load_of_group<T, R, kCount, true>
                                     : &load_of_group<T, R, kCount, false>;
}
Handler select_grouped_load(const Traits& t) {
  switch (ptx::size_of(t.type) * 16 + t.vector) {
    case 0x41: return select_grouped_load<std::uint32_t, std::uint32_t, 1>(t.space);
    case 0x42: return select_grouped_load<std::uint32_t, std::uint32_t, 2>(t.space);
    case 0x44: return select_grouped_load<std::uint32_t, std::uint32_t, 4>(t.space);
    case 0x81: return select_grouped_load<std::uint64_t, std::uint64_t, 1>(t.space);
    default: return select_grouped_load<std::uint64_t, std::uint64_t, 2>(t.space);
  }
}
Handler select_begin_loads(bool in_shared, int bytes) {
  switch (bytes) {
    case 4: return in_shared ? &begin_loads<4, true> : &begin_loads<4, false>;
    case 8: return in_shared ? &begin_loads<8, true> : &begin_loads<8, false>;
    default: return in_shared ? &begin_loads<16, true> : &begin_loads<16, false>;
  }
}
template <class T, class R>
Handler select_load(const Traits& t) {
  if (t.vector == 1) return select_load<T, R, 1>(t.space);
  if (t.vector == 2) return select_load<T, R, 2>(t.space);
  if constexpr (sizeof(T) < 8) {
    if (t.vector == 4) return select_load<T, R, 4>(t.space);
  }
  return &slow_load;
}
Handler select_load(const Traits& t) {
  const int bytes = ptx::size_of(t.type);
  if (t.grouped) return select_grouped_load(t);
  if (t.strong || bytes > 8) return bytes > 8 ? nullptr : &slow_load;
  const bool plain = bytes == t.register_bytes;
  if (bytes == 8 && plain) return select_load<std::uint64_t, std::uint64_t>(t);
  if (bytes == 4 && plain) return select_load<std::uint32_t, std::uint32_t>(t);
  if (t.register_bytes > 4 || t.vector != 1) return &slow_load;
  switch (t.type) {
    case Type::u8:
    case Type::b8: return select_load<std::uint8_t, std::uint32_t, 1>(t.space);
    case Type::s8:
      return t.register_bytes == 4 ? select_load<std::int8_t, std::int32_t, 1>(t.space)
                                   : select_load<std::int8_t, std::int16_t, 1>(t.space);
    case Type::s16:
      return t.register_bytes == 4 ? select_load<std::int16_t, std::int32_t, 1>(t.space)
                                   : select_load<std::int16_t, std::int16_t, 1>(t.space);
    default: return bytes == 2 ? select_load<std::uint16_t, std::uint32_t, 1>(t.space) : &slow_load;
  }
}
template <class T, class K, int kCount>
Handler select_store(StateSpace space) {
  return space == StateSpace::shared   ? &store_shared<T, K, kCount>
         : space == StateSpace::global ? &store_global<T, K, kCount>
                                       : &slow_store;
}
Handler select_store(const Traits& t) {
  const int bytes = ptx::size_of(t.type);
  if (bytes > 8 || t.space == StateSpace::param) return nullptr;
  if (t.strong || (t.register_bytes == 8) != (bytes == 8)) return &slow_store;
  switch (bytes * 16 + t.vector) {
    case 0x11: return select_store<std::uint8_t, std::uint32_t, 1>(t.space);
    case 0x21: return select_store<std::uint16_t, std::uint32_t, 1>(t.space);
    case 0x41: return select_store<std::uint32_t, std::uint32_t, 1>(t.space);
    case 0x42: return select_store<std::uint32_t, std::uint32_t, 2>(t.space);
    case 0x44: return select_store<std::uint32_t, std::uint32_t, 4>(t.space);
    case 0x81: return select_store<std::uint64_t, std::uint64_t, 1>(t.space);
    case 0x82: return select_store<std::uint64_t, std::uint64_t, 2>(t.space);
    default: return &slow_store;
  }
}
Handler select_atomic(const Traits& t) {
  const bool of_vector = t.vector != 1, adds = t.atomic == ptx::AtomicOp::add;
  switch (t.type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      if (!adds && t.atomic != ptx::AtomicOp::min && t.atomic != ptx::AtomicOp::max) return nullptr;
      return of_vector ? &atomic_of_vector : &atomic;
    case Type::f32: return !adds ? nullptr : of_vector ? &atomic_of_vector : &atomic;
    case Type::b128:
      return t.atomic == ptx::AtomicOp::cas || t.atomic == ptx::AtomicOp::exch ? &atomic_of_16_bytes
                                                                               : nullptr;
    default: break;
  }
  if (of_vector) return nullptr;
  switch (t.type) {
    case Type::f64: return adds ? &atomic : nullptr;
    case Type::b16: return t.atomic == ptx::AtomicOp::cas ? &atomic : nullptr;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::b64:
    case Type::u64:
    case Type::s64: return &atomic;
    default: return nullptr;
  }
}
