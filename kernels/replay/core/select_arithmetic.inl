// Part of a core: the handlers of arithmetic and logic.

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
