// Part of a core: the handlers of setp and set.

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
