// Part of a core: the handlers of cvt.

// cvt between integers: every pair, extended into the register.
template <class Out, class To, class From>
Handler select_cvt_integer(const Traits& t) {
  if (t.sat) return rare<CvtInteger<Out, To, From, true>>();
  if constexpr (sizeof(To) >= 4) return elementwise<CvtInteger<Out, To, From, false>>();
  return rare<CvtInteger<Out, To, From, false>>();
}
template <class To, class From>
Handler select_cvt_integer(const Traits& t) {
  if constexpr (sizeof(To) == 8) {
    return select_cvt_integer<To, To, From>(t);
  } else if constexpr (kIsSigned<To>) {
    if (t.register_bytes == 8) return nullptr;
    if (t.register_bytes == 4) return select_cvt_integer<std::int32_t, To, From>(t);
    if constexpr (sizeof(To) <= 2) return select_cvt_integer<std::int16_t, To, From>(t);
    return nullptr;
  } else {
    if (t.register_bytes == 8) return nullptr;
    return select_cvt_integer<std::uint32_t, To, From>(t);
  }
}
template <class F, class From>
Handler select_to_float() {
  if constexpr (sizeof(From) == 4) return elementwise<CvtToFloat<F, From>>();
  return rare<CvtToFloat<F, From>>();
}
template <class From>
Handler select_cvt_to_integer(const Traits& t) {
  switch (t.type) {
    case Type::u8: return select_cvt_integer<std::uint8_t, From>(t);
    case Type::s8: return select_cvt_integer<std::int8_t, From>(t);
    case Type::u16: return select_cvt_integer<std::uint16_t, From>(t);
    case Type::s16: return select_cvt_integer<std::int16_t, From>(t);
    case Type::u32: return select_cvt_integer<std::uint32_t, From>(t);
    case Type::s32: return select_cvt_integer<std::int32_t, From>(t);
    case Type::u64: return select_cvt_integer<std::uint64_t, From>(t);
    case Type::s64: return select_cvt_integer<std::int64_t, From>(t);
    case Type::f32:
      return (sizeof(From) <= 2 || nearest(t)) && !t.sat ? select_to_float<float, From>() : nullptr;
    case Type::f64:
      return (sizeof(From) <= 4 || nearest(t)) && !t.sat ? select_to_float<double, From>() : nullptr;
    default: return nullptr;
  }
}
template <class To, class F, Rounding kRounding>
Handler select_cvt_rounded(const Traits& t) {
  if constexpr (sizeof(F) == 4) {
    if (t.ftz) return rare<CvtFromFloat<To, To, F, kRounding, true>>();
  }
  if constexpr (kRounding == Rounding::rzi && sizeof(F) == 4 && sizeof(To) == 4)
    return elementwise<CvtFromFloat<To, To, F, kRounding, false>>();
  return rare<CvtFromFloat<To, To, F, kRounding, false>>();
}
template <class To, class F>
Handler select_cvt_from_float(const Traits& t) {
  switch (t.rounding) {
    case Rounding::rni: return select_cvt_rounded<To, F, Rounding::rni>(t);
    case Rounding::rmi: return select_cvt_rounded<To, F, Rounding::rmi>(t);
    case Rounding::rpi: return select_cvt_rounded<To, F, Rounding::rpi>(t);
    default: return select_cvt_rounded<To, F, Rounding::rzi>(t);
  }
}
template <class F, Rounding kRounding>
Handler select_cvt_integral(const Traits& t) {
  if constexpr (sizeof(F) == 4) {
    if (t.ftz)
      return t.sat ? rare<CvtIntegral<F, kRounding, true, true>>()
                   : rare<CvtIntegral<F, kRounding, true, false>>();
  }
  return t.sat ? rare<CvtIntegral<F, kRounding, false, true>>()
               : rare<CvtIntegral<F, kRounding, false, false>>();
}
template <class F>
Handler select_cvt_same_float(const Traits& t) {
  switch (t.rounding) {
    case Rounding::rni: return select_cvt_integral<F, Rounding::rni>(t);
    case Rounding::rmi: return select_cvt_integral<F, Rounding::rmi>(t);
    case Rounding::rpi: return select_cvt_integral<F, Rounding::rpi>(t);
    case Rounding::rzi: return select_cvt_integral<F, Rounding::rzi>(t);
    default: break;
  }
  if (sizeof(F) == 4 && (t.ftz || t.sat)) return select_f32<CvtF32FromF32>(t);
  if (sizeof(F) == 4) return &move<std::uint32_t>;
  return t.sat ? nullptr : &move<std::uint64_t>;
}
template <class F>
Handler select_cvt_float(const Traits& t) {
  switch (t.type) {
    case Type::u16: return t.register_bytes == 8 ? nullptr : select_cvt_from_float<std::uint16_t, F>(t);
    case Type::s16: return t.register_bytes == 2 ? select_cvt_from_float<std::int16_t, F>(t) : nullptr;
    case Type::u32: return t.register_bytes == 4 ? select_cvt_from_float<std::uint32_t, F>(t) : nullptr;
    case Type::s32: return t.register_bytes == 4 ? select_cvt_from_float<std::int32_t, F>(t) : nullptr;
    case Type::u64: return select_cvt_from_float<std::uint64_t, F>(t);
    case Type::s64: return select_cvt_from_float<std::int64_t, F>(t);
    case Type::f32:
      if constexpr (sizeof(F) == 4) return select_cvt_same_float<float>(t);
      return nearest(t) ? select_f32<CvtF32FromF64>(t) : nullptr;
    case Type::f64:
      if constexpr (sizeof(F) == 8) return select_cvt_same_float<double>(t);
      return t.sat || !nearest(t) ? nullptr : select_ftz<CvtF64FromF32>(t);
    default: return nullptr;
  }
}
Handler select_cvt(const Traits& t) {
  if (t.sat_finite || (t.source_bytes == 8 && ptx::size_of(t.source_type) != 8)) return nullptr;
  if (t.register_bytes == 8 && ptx::size_of(t.type) != 8) return nullptr;
  switch (t.source_type) {
    case Type::u8: return select_cvt_to_integer<std::uint8_t>(t);
    case Type::s8: return select_cvt_to_integer<std::int8_t>(t);
    case Type::u16: return select_cvt_to_integer<std::uint16_t>(t);
    case Type::s16: return select_cvt_to_integer<std::int16_t>(t);
    case Type::u32: return select_cvt_to_integer<std::uint32_t>(t);
    case Type::s32: return select_cvt_to_integer<std::int32_t>(t);
    case Type::u64: return select_cvt_to_integer<std::uint64_t>(t);
    case Type::s64: return select_cvt_to_integer<std::int64_t>(t);
    case Type::f32: return select_cvt_float<float>(t);
    case Type::f64: return select_cvt_float<double>(t);
    default: return nullptr;
  }
}
