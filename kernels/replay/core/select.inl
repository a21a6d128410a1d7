// Part of a core: which handler runs an instruction. Null where no handler here does; then a LaneFunction
// may. Handlers in which kernels seldom spend time are compiled once: in the whole core, that of the
// instruction set that every machine has. The other cores leave them to it. They compute the same bits by
// shorter vectors, or with none at all, as divisions do.

using ptx::Opcode;
using ptx::Rounding;
using ptx::StateSpace;
using ptx::Type;

/// The handler of an operation that is rare: null where this core leaves it to the whole one.
template <class Op>
Handler rare() {
  if constexpr (kWholeCore) return elementwise<Op>();
  return nullptr;
}

template <template <class> class Op>
Handler select_integer(Type t) {
  switch (t) {
    case Type::u16: return rare<Op<std::uint16_t>>();
    case Type::s16: return rare<Op<std::int16_t>>();
    case Type::u32: return elementwise<Op<std::uint32_t>>();
    case Type::s32: return elementwise<Op<std::int32_t>>();
    case Type::u64: return elementwise<Op<std::uint64_t>>();
    case Type::s64: return elementwise<Op<std::int64_t>>();
    default: return nullptr;
  }
}
template <template <class> class Op>
Handler select_rare_integer(Type t) {
  if constexpr (kWholeCore) return select_integer<Op>(t);
  return nullptr;
}
// Where the sign makes no difference.
template <template <class> class Op>
Handler select_bits(Type t) {
  switch (t) {
    case Type::b16:
    case Type::u16:
    case Type::s16: return rare<Op<std::uint16_t>>();
    case Type::b32:
    case Type::u32:
    case Type::s32: return elementwise<Op<std::uint32_t>>();
    case Type::b64:
    case Type::u64:
    case Type::s64: return elementwise<Op<std::uint64_t>>();
    default: return nullptr;
  }
}
template <template <class> class Op>
Handler select_rare_bits(Type t) {
  if constexpr (kWholeCore) return select_bits<Op>(t);
  return nullptr;
}
template <template <class> class Op>
Handler select_wide_bits(Type t) {
  switch (t) {
    case Type::b32:
    case Type::u32:
    case Type::s32: return rare<Op<std::uint32_t>>();
    case Type::b64:
    case Type::u64:
    case Type::s64: return rare<Op<std::uint64_t>>();
    default: return nullptr;
  }
}
template <template <class> class Op>
Handler select_to_wide(Type t) {
  switch (t) {
    case Type::u16: return rare<Op<std::uint16_t>>();
    case Type::s16: return rare<Op<std::int16_t>>();
    case Type::u32: return elementwise<Op<std::uint32_t>>();
    case Type::s32: return elementwise<Op<std::int32_t>>();
    default: return nullptr;
  }
}
template <template <bool, bool> class Op>
Handler select_f32(const Traits& t) {
  if (t.ftz) return t.sat ? rare<Op<true, true>>() : elementwise<Op<true, false>>();
  return t.sat ? rare<Op<false, true>>() : elementwise<Op<false, false>>();
}
template <template <bool> class Op>
Handler select_ftz(const Traits& t) {
  return t.ftz ? elementwise<Op<true>>() : elementwise<Op<false>>();
}

bool nearest(const Traits& t) {
  return t.rounding == Rounding::none || t.rounding == Rounding::rn;
}

template <class K, CarryOp kOp, bool kSigned>
Handler select_carry(bool in, bool out) {
  if constexpr (kWholeCore) {
    if (in) return out ? &with_carry<K, kOp, true, true, kSigned> : &with_carry<K, kOp, true, false, kSigned>;
    return &with_carry<K, kOp, false, true, kSigned>;
  }
  return nullptr;
}
template <CarryOp kOp, bool kSigned = false>
Handler select_carry(const Traits& t, bool in) {
  switch (t.type) {
    case Type::u32:
    case Type::s32:
    case Type::b32: return select_carry<std::uint32_t, kOp, kSigned>(in, t.carry_out);
    case Type::u64:
    case Type::s64:
    case Type::b64: return select_carry<std::uint64_t, kOp, kSigned>(in, t.carry_out);
    default: return nullptr;
  }
}

template <bool kMax>
Handler select_min_max(const Traits& t) {
  if (t.xor_sign || t.absolute || t.relu || t.sources != 2) return nullptr;
  if (t.type == Type::f32) {
    if (t.ftz)
      return t.nan ? rare<MinMaxFloat<float, true, true, kMax>>()
                   : elementwise<MinMaxFloat<float, true, false, kMax>>();
    return t.nan ? rare<MinMaxFloat<float, false, true, kMax>>()
                 : elementwise<MinMaxFloat<float, false, false, kMax>>();
  }
  if (t.type == Type::f64) return elementwise<MinMaxFloat<double, false, false, kMax>>();
  if constexpr (kMax) {
    return select_integer<Max>(t.type);
  } else {
    return select_integer<Min>(t.type);
  }
}

template <class F>
Handler select_worked_out(const Traits& t) {
  return t.ftz ? &approximate<F, true> : &approximate<F, false>;
}
Handler select_approximate(const Traits& t) {
  if (t.type != Type::f32) return nullptr;
  switch (t.opcode) {
    case Opcode::div: return t.approx ? select_ftz<DivApproxF32>(t) : select_ftz<DivF32>(t);
    case Opcode::rcp: return select_ftz<RcpF32>(t);
    case Opcode::sqrt: return select_ftz<SqrtF32>(t);
    case Opcode::rsqrt: return select_ftz<RsqrtF32>(t);
    case Opcode::ex2: return select_worked_out<Exp2>(t);
    case Opcode::lg2: return select_worked_out<Log2>(t);
    case Opcode::sin: return select_worked_out<Sine<false>>(t);
    case Opcode::cos: return select_worked_out<Sine<true>>(t);
    default: return nullptr;
  }
}
// Arithmetic of f32 and f64 that rounds to nearest.
Handler select_float(const Traits& t) {
  const bool f32 = t.type == Type::f32, f64 = t.type == Type::f64;
  if (!f32 && !f64) return nullptr;
  switch (t.opcode) {
    case Opcode::neg: return f64 ? elementwise<NegF64>() : select_ftz<NegF32>(t);
    case Opcode::abs: return f64 ? elementwise<AbsF64>() : select_ftz<AbsF32>(t);
    case Opcode::copysign: return f64 ? rare<CopysignF64>() : rare<CopysignF32>();
    default: break;
  }
  if (t.approx || t.full) return select_approximate(t);
  if (!nearest(t) || t.relu) return nullptr;
  switch (t.opcode) {
    case Opcode::add: return f64 ? elementwise<AddF64>() : select_f32<AddF32>(t);
    case Opcode::sub: return f64 ? elementwise<SubF64>() : select_f32<SubF32>(t);
    case Opcode::mul: return f64 ? elementwise<MulF64>() : select_f32<MulF32>(t);
    case Opcode::mad:
    case Opcode::fma: return f64 ? elementwise<FmaF64>() : select_f32<FmaF32>(t);
    case Opcode::div: return f64 ? elementwise<DivF64>() : select_ftz<DivF32>(t);
    case Opcode::rcp: return f64 ? elementwise<RcpF64>() : select_ftz<RcpF32>(t);
    case Opcode::sqrt: return f64 ? elementwise<SqrtF64>() : select_ftz<SqrtF32>(t);
    default: return nullptr;
  }
}

Handler select_integer_arithmetic(const Traits& t) {
  if (t.sat) return nullptr;
  switch (t.opcode) {
    case Opcode::add: return t.carry_out ? select_carry<CarryOp::add>(t, false) : select_bits<Add>(t.type);
    case Opcode::addc: return select_carry<CarryOp::add>(t, true);
    case Opcode::sub: return t.carry_out ? select_carry<CarryOp::sub>(t, false) : select_bits<Sub>(t.type);
    case Opcode::subc: return select_carry<CarryOp::sub>(t, true);
    case Opcode::mul:
      return t.mul == ptx::MulMode::wide ? select_to_wide<MulWide>(t.type)
             : t.mul == ptx::MulMode::hi ? select_integer<MulHi>(t.type)
                                         : select_bits<MulLo>(t.type);
    case Opcode::mad:
      if (t.carry_out || t.mul == ptx::MulMode::hi) {
        if (!t.carry_out) return select_integer<MadHi>(t.type);
        return t.mul != ptx::MulMode::hi ? select_carry<CarryOp::mad_lo>(t, false)
               : ptx::is_signed(t.type)  ? select_carry<CarryOp::mad_hi, true>(t, false)
                                         : select_carry<CarryOp::mad_hi>(t, false);
      }
      return t.mul == ptx::MulMode::wide ? select_to_wide<MadWide>(t.type) : select_bits<MadLo>(t.type);
    case Opcode::madc:
      return t.mul != ptx::MulMode::hi ? select_carry<CarryOp::mad_lo>(t, true)
             : ptx::is_signed(t.type)  ? select_carry<CarryOp::mad_hi, true>(t, true)
                                       : select_carry<CarryOp::mad_hi>(t, true);
    case Opcode::mul24:
      if (t.type == Type::s32)
        return t.mul == ptx::MulMode::hi ? rare<Mul24<std::int32_t, true>>()
                                         : rare<Mul24<std::int32_t, false>>();
      return t.mul == ptx::MulMode::hi ? rare<Mul24<std::uint32_t, true>>()
                                       : rare<Mul24<std::uint32_t, false>>();
    case Opcode::mad24:
      if (t.type == Type::s32)
        return t.mul == ptx::MulMode::hi ? rare<Mad24<std::int32_t, true>>()
                                         : rare<Mad24<std::int32_t, false>>();
      return t.mul == ptx::MulMode::hi ? rare<Mad24<std::uint32_t, true>>()
                                       : rare<Mad24<std::uint32_t, false>>();
    case Opcode::div: return select_rare_integer<Div>(t.type);
    case Opcode::rem: return select_rare_integer<Rem>(t.type);
    case Opcode::sad: return select_rare_integer<Sad>(t.type);
    case Opcode::neg: return select_integer<Neg>(t.type);
    case Opcode::abs: return select_integer<Abs>(t.type);
    default: return nullptr;
  }
}

Handler select_logic(const Traits& t) {
  const bool predicate = t.type == Type::pred;
  switch (t.opcode) {
    case Opcode::and_: return predicate ? &predicate_logic<PredicateOp::and_> : select_bits<And>(t.type);
    case Opcode::or_: return predicate ? &predicate_logic<PredicateOp::or_> : select_bits<Or>(t.type);
    case Opcode::xor_: return predicate ? &predicate_logic<PredicateOp::xor_> : select_bits<Xor>(t.type);
    case Opcode::not_: return predicate ? &predicate_logic<PredicateOp::not_> : select_bits<Not>(t.type);
    case Opcode::cnot: return select_rare_bits<CNot>(t.type);
    case Opcode::shl: return select_bits<Shl>(t.type);
    case Opcode::shr: return ptx::is_signed(t.type) ? select_integer<Shr>(t.type) : select_bits<Shr>(t.type);
    case Opcode::shf:
      if (t.left) return t.wrap ? rare<FunnelShift<true, true>>() : rare<FunnelShift<true, false>>();
      return t.wrap ? rare<FunnelShift<false, true>>() : rare<FunnelShift<false, false>>();
    case Opcode::lop3: return t.bool_op == ptx::BoolOp::none ? &lop3 : &lop3_test;
    case Opcode::bfe:
      return t.type == Type::u32   ? rare<Bfe<std::uint32_t>>()
             : t.type == Type::s32 ? rare<Bfe<std::int32_t>>()
             : t.type == Type::u64 ? rare<Bfe<std::uint64_t>>()
                                   : rare<Bfe<std::int64_t>>();
    case Opcode::bfi: return t.type == Type::b64 ? &bfi<std::uint64_t> : &bfi<std::uint32_t>;
    case Opcode::bfind:
      if (t.type == Type::u32)
        return t.shiftamt ? rare<Bfind<std::uint32_t, true>>() : rare<Bfind<std::uint32_t, false>>();
      if (t.type == Type::s32)
        return t.shiftamt ? rare<Bfind<std::int32_t, true>>() : rare<Bfind<std::int32_t, false>>();
      if (t.type == Type::u64)
        return t.shiftamt ? rare<Bfind<std::uint64_t, true>>() : rare<Bfind<std::uint64_t, false>>();
      return t.shiftamt ? rare<Bfind<std::int64_t, true>>() : rare<Bfind<std::int64_t, false>>();
    case Opcode::clz: return select_wide_bits<Clz>(t.type);
    case Opcode::popc: return select_wide_bits<Popc>(t.type);
    case Opcode::brev: return select_wide_bits<Brev>(t.type);
    case Opcode::bmsk: return t.wrap ? rare<Bmsk<true>>() : rare<Bmsk<false>>();
    case Opcode::fns: return rare<Fns>();
    case Opcode::prmt: return t.permute == ptx::PermuteMode::none ? elementwise<Prmt>() : nullptr;
    case Opcode::szext:
      if (t.type == Type::s32)
        return t.wrap ? rare<Szext<std::int32_t, true>>() : rare<Szext<std::int32_t, false>>();
      return t.wrap ? rare<Szext<std::uint32_t, true>>() : rare<Szext<std::uint32_t, false>>();
    case Opcode::dp4a:
      if (t.type == Type::s32)
        return t.source_type == Type::s32 ? rare<Dp4a<std::int8_t, std::int8_t>>()
                                          : rare<Dp4a<std::int8_t, std::uint8_t>>();
      return t.source_type == Type::s32 ? rare<Dp4a<std::uint8_t, std::int8_t>>()
                                        : rare<Dp4a<std::uint8_t, std::uint8_t>>();
    case Opcode::dp2a: {
      const bool high = t.mul == ptx::MulMode::hi, sa = t.type == Type::s32, sb = t.source_type == Type::s32;
      if (sa && sb)
        return high ? rare<Dp2a<std::int16_t, std::int8_t, true>>()
                    : rare<Dp2a<std::int16_t, std::int8_t, false>>();
      if (sa)
        return high ? rare<Dp2a<std::int16_t, std::uint8_t, true>>()
                    : rare<Dp2a<std::int16_t, std::uint8_t, false>>();
      if (sb)
        return high ? rare<Dp2a<std::uint16_t, std::int8_t, true>>()
                    : rare<Dp2a<std::uint16_t, std::int8_t, false>>();
      return high ? rare<Dp2a<std::uint16_t, std::uint8_t, true>>()
                  : rare<Dp2a<std::uint16_t, std::uint8_t, false>>();
    }
    default: return nullptr;
  }
}

// The name that a comparison of unsigned integers has for any type. Integers are always ordered.
template <class T>
constexpr ptx::Compare plain(ptx::Compare c) {
  using ptx::Compare;
  constexpr bool kOrdered = static_cast<T>(0.5) == T(0);
  switch (c) {
    case Compare::lo: return Compare::lt;
    case Compare::ls: return Compare::le;
    case Compare::hi: return Compare::gt;
    case Compare::hs: return Compare::ge;
    case Compare::equ: return kOrdered ? Compare::eq : c;
    case Compare::neu: return kOrdered ? Compare::ne : c;
    case Compare::ltu: return kOrdered ? Compare::lt : c;
    case Compare::leu: return kOrdered ? Compare::le : c;
    case Compare::gtu: return kOrdered ? Compare::gt : c;
    case Compare::geu: return kOrdered ? Compare::ge : c;
    default: return c;
  }
}
// Comparisons: setp and set.
template <class T, ptx::Compare kCompare, bool kFtz, bool kSet>
Handler select_test() {
  constexpr bool kOrdered = kCompare >= ptx::Compare::eq && kCompare <= ptx::Compare::ge;
  constexpr bool kUnordered =
      kCompare >= ptx::Compare::equ && kCompare <= ptx::Compare::geu;  // What compilers make of !(a > b)
  constexpr bool kOften = !kSet && sizeof(T) >= 4 && (kOrdered || kUnordered);
  if constexpr (kWholeCore || kOften) {
    using Holds = Test<kCompare, kFtz>;
    if constexpr (kSet) return &set_value<T, Holds>;
    return &setp<T, Holds>;
  }
  return nullptr;
}
template <class T, bool kFtz, bool kSet>
Handler select_test(ptx::Compare c) {
  using ptx::Compare;
#define WARPLENS_TEST(name) \
  case Compare::name: return select_test<T, plain<T>(Compare::name), kFtz, kSet>()
  switch (c) {
    WARPLENS_TEST(eq);
    WARPLENS_TEST(ne);
    WARPLENS_TEST(lt);
    WARPLENS_TEST(le);
    WARPLENS_TEST(gt);
    WARPLENS_TEST(ge);
    WARPLENS_TEST(lo);
    WARPLENS_TEST(ls);
    WARPLENS_TEST(hi);
    WARPLENS_TEST(hs);
    WARPLENS_TEST(equ);
    WARPLENS_TEST(neu);
    WARPLENS_TEST(ltu);
    WARPLENS_TEST(leu);
    WARPLENS_TEST(gtu);
    WARPLENS_TEST(geu);
    WARPLENS_TEST(num);
    WARPLENS_TEST(nan);
    case Compare::none: break;
  }
#undef WARPLENS_TEST
  return nullptr;
}
template <bool kSet>
Handler select_comparison(const Traits& t, Type operands) {
  switch (operands) {
    case Type::b16:
    case Type::u16: return select_test<std::uint16_t, false, kSet>(t.compare);
    case Type::s16: return select_test<std::int16_t, false, kSet>(t.compare);
    case Type::b32:
    case Type::u32: return select_test<std::uint32_t, false, kSet>(t.compare);
    case Type::s32: return select_test<std::int32_t, false, kSet>(t.compare);
    case Type::b64:
    case Type::u64: return select_test<std::uint64_t, false, kSet>(t.compare);
    case Type::s64: return select_test<std::int64_t, false, kSet>(t.compare);
    case Type::f32:
      return t.ftz ? select_test<float, true, kSet>(t.compare) : select_test<float, false, kSet>(t.compare);
    case Type::f64: return select_test<double, false, kSet>(t.compare);
    default: return nullptr;
  }
}

bool is_result_of_set(Type type) {
  return type == Type::u32 || type == Type::s32 || type == Type::f32 || type == Type::f16 ||
         type == Type::bf16;
}

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
  if (sizeof(F) == 4) return select_f32<CvtF32FromF32>(t);
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

// Loads and stores. T: in memory, R: in the register.
template <class T, class R, int kCount>
Handler select_load(StateSpace space) {
  switch (space) {
    case StateSpace::shared: return &load_shared<T, R, kCount>;
    case StateSpace::global: return &load_global<T, R, kCount>;
    case StateSpace::param: return &load_parameter<T, R, kCount>;
    case StateSpace::constant: return &load_constant<T, R, kCount>;
    default: return &slow_load;
  }
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
    case Opcode::barrier: return &barrier;
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
