// The parts of the C++ library that device code uses, as far as a page has room for them: libcu++ has all of
// it, and takes NVRTC a second. Not there: what needs the host.
#pragma once

namespace std {

typedef decltype(sizeof(0)) size_t;
typedef long long ptrdiff_t;
typedef decltype(nullptr) nullptr_t;

// <type_traits>
template <class T, T v>
struct integral_constant {
  static const T value = v;  // constexpr would be a variable in the PTX
  typedef T value_type;
  typedef integral_constant type;
  __host__ __device__ constexpr operator T() const noexcept { return v; }
  __host__ __device__ constexpr T operator()() const noexcept { return v; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool B, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  typedef T type;
};
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F>
struct conditional {
  typedef T type;
};
template <class T, class F>
struct conditional<false, T, F> {
  typedef F type;
};
template <bool B, class T, class F>
using conditional_t = typename conditional<B, T, F>::type;
template <class...>
using void_t = void;
template <class T>
struct type_identity {
  typedef T type;
};

template <class T>
struct remove_const : type_identity<T> {};
template <class T>
struct remove_const<const T> : type_identity<T> {};
template <class T>
struct remove_volatile : type_identity<T> {};
template <class T>
struct remove_volatile<volatile T> : type_identity<T> {};
template <class T>
struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T>
struct remove_reference : type_identity<T> {};
template <class T>
struct remove_reference<T&> : type_identity<T> {};
template <class T>
struct remove_reference<T&&> : type_identity<T> {};
template <class T>
struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T>
struct remove_pointer : type_identity<T> {};
template <class T>
struct remove_pointer<T*> : type_identity<T> {};
template <class T>
struct remove_pointer<T* const> : type_identity<T> {};
template <class T>
struct remove_extent : type_identity<T> {};
template <class T>
struct remove_extent<T[]> : type_identity<T> {};
template <class T, size_t N>
struct remove_extent<T[N]> : type_identity<T> {};
template <class T>
struct add_const : type_identity<const T> {};
template <class T>
struct add_pointer : type_identity<typename remove_reference<T>::type*> {};
template <class T>
struct add_lvalue_reference : type_identity<T&> {};
template <class T>
struct add_rvalue_reference : type_identity<T&&> {};
template <>
struct add_lvalue_reference<void> : type_identity<void> {};
template <>
struct add_rvalue_reference<void> : type_identity<void> {};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
using remove_volatile_t = typename remove_volatile<T>::type;
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
using remove_cvref_t = typename remove_cvref<T>::type;
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <class T>
using remove_extent_t = typename remove_extent<T>::type;
template <class T>
using add_const_t = typename add_const<T>::type;
template <class T>
using add_pointer_t = typename add_pointer<T>::type;
template <class T>
using add_lvalue_reference_t = typename add_lvalue_reference<T>::type;

template <class T>
__host__ __device__ typename add_rvalue_reference<T>::type declval() noexcept;

template <class T, class U>
struct is_same : false_type {};
template <class T>
struct is_same<T, T> : true_type {};
template <class T>
struct is_const : false_type {};
template <class T>
struct is_const<const T> : true_type {};
template <class T>
struct is_reference : false_type {};
template <class T>
struct is_reference<T&> : true_type {};
template <class T>
struct is_reference<T&&> : true_type {};
template <class T>
struct is_lvalue_reference : false_type {};
template <class T>
struct is_lvalue_reference<T&> : true_type {};
template <class T>
struct is_pointer : false_type {};
template <class T>
struct is_pointer<T*> : true_type {};
template <class T>
struct is_array : false_type {};
template <class T>
struct is_array<T[]> : true_type {};
template <class T, size_t N>
struct is_array<T[N]> : true_type {};
template <class T>
struct is_void : is_same<void, remove_cv_t<T>> {};

template <class T, class... Ts>
struct is_one_of_types : bool_constant<(is_same<T, Ts>::value || ...)> {};
template <class T>
struct is_floating_point : is_one_of_types<remove_cv_t<T>, float, double, long double> {};
template <class T>
struct is_integral : is_one_of_types<remove_cv_t<T>, bool, char, signed char, unsigned char, wchar_t,
                                     char16_t, char32_t, short, unsigned short, int, unsigned, long,
                                     unsigned long, long long, unsigned long long> {};
template <class T>
struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value>
struct is_signed : bool_constant<(T(-1) < T(0))> {};
template <class T>
struct is_signed<T, false> : false_type {};
template <class T>
struct is_unsigned : bool_constant<is_arithmetic<T>::value && !is_signed<T>::value> {};
template <class T>
struct is_enum : bool_constant<__is_enum(T)> {};
template <class T>
struct is_class : bool_constant<__is_class(T)> {};
template <class T>
struct is_empty : bool_constant<__is_empty(T)> {};
template <class T>
struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class T>
struct is_pod : bool_constant<__is_pod(T)> {};
template <class T>
struct is_trivial : bool_constant<__is_trivial(T)> {};
template <class B, class D>
struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class From, class To>
struct is_convertible : bool_constant<__is_convertible_to(From, To)> {};
template <class T, class... Arguments>
struct is_constructible : bool_constant<__is_constructible(T, Arguments...)> {};
template <class T>
struct is_scalar : bool_constant<is_arithmetic<T>::value || is_enum<T>::value || is_pointer<T>::value> {};
template <class T>
struct is_fundamental : bool_constant<is_arithmetic<T>::value || is_void<T>::value> {};
template <class T>
struct is_object : bool_constant<!is_reference<T>::value && !is_void<T>::value> {};
template <class T>
struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <size_t Bytes, size_t Alignment = 16>
struct aligned_storage {
  struct type {
    alignas(Alignment) unsigned char bytes[Bytes];
  };
};
template <size_t Bytes, size_t Alignment = 16>
using aligned_storage_t = typename aligned_storage<Bytes, Alignment>::type;
template <class T>
struct underlying_type : type_identity<__underlying_type(T)> {};
template <class T>
using underlying_type_t = typename underlying_type<T>::type;

template <class T, class U>
inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T>
inline constexpr bool is_const_v = is_const<T>::value;
template <class T>
inline constexpr bool is_reference_v = is_reference<T>::value;
template <class T>
inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T>
inline constexpr bool is_array_v = is_array<T>::value;
template <class T>
inline constexpr bool is_void_v = is_void<T>::value;
template <class T>
inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T>
inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T>
inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T>
inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T>
inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T>
inline constexpr bool is_enum_v = is_enum<T>::value;
template <class T>
inline constexpr bool is_class_v = is_class<T>::value;
template <class T>
inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
template <class B, class D>
inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <class From, class To>
inline constexpr bool is_convertible_v = is_convertible<From, To>::value;

template <class...>
struct conjunction : true_type {};
template <class First, class... Rest>
struct conjunction<First, Rest...> : bool_constant<(First::value && ... && Rest::value)> {};
template <class...>
struct disjunction : false_type {};
template <class First, class... Rest>
struct disjunction<First, Rest...> : bool_constant<(First::value || ... || Rest::value)> {};
template <class T>
struct negation : bool_constant<!T::value> {};

template <class T>
struct decay {
  typedef remove_reference_t<T> plain;
  typedef conditional_t<is_array<plain>::value, typename remove_extent<plain>::type*, remove_cv_t<plain>>
      type;
};
template <class T>
using decay_t = typename decay<T>::type;

template <size_t Bytes, bool Signed>
struct integer_of_size;
template <>
struct integer_of_size<1, true> : type_identity<signed char> {};
template <>
struct integer_of_size<2, true> : type_identity<short> {};
template <>
struct integer_of_size<4, true> : type_identity<int> {};
template <>
struct integer_of_size<8, true> : type_identity<long long> {};
template <>
struct integer_of_size<1, false> : type_identity<unsigned char> {};
template <>
struct integer_of_size<2, false> : type_identity<unsigned short> {};
template <>
struct integer_of_size<4, false> : type_identity<unsigned> {};
template <>
struct integer_of_size<8, false> : type_identity<unsigned long long> {};
template <class T>
struct make_unsigned : integer_of_size<sizeof(T), false> {};
template <class T>
struct make_signed : integer_of_size<sizeof(T), true> {};
template <class T>
using make_unsigned_t = typename make_unsigned<T>::type;
template <class T>
using make_signed_t = typename make_signed<T>::type;

template <class... Ts>
struct common_type;
template <class T>
struct common_type<T> : type_identity<decay_t<T>> {};
template <class T, class U, class... Rest>
struct common_type<T, U, Rest...>
    : common_type<decay_t<decltype(false ? declval<T>() : declval<U>())>, Rest...> {};
template <class... Ts>
using common_type_t = typename common_type<Ts...>::type;

template <class F, class... Arguments>
struct invoke_result : type_identity<decltype(declval<F>()(declval<Arguments>()...))> {};
template <class F, class... Arguments>
using invoke_result_t = typename invoke_result<F, Arguments...>::type;
template <class>
struct result_of;
template <class F, class... Arguments>
struct result_of<F(Arguments...)> : invoke_result<F, Arguments...> {};

// <utility>
template <class T, T... values>
struct integer_sequence {
  typedef T value_type;
  __host__ __device__ static constexpr size_t size() noexcept { return sizeof...(values); }
};
template <size_t... indices>
using index_sequence = integer_sequence<size_t, indices...>;
template <size_t N, size_t... rest>
struct counted_indices : counted_indices<N - 1, N - 1, rest...> {};
template <size_t... rest>
struct counted_indices<0, rest...> {
  typedef index_sequence<rest...> type;
  template <class T>
  using of = integer_sequence<T, static_cast<T>(rest)...>;
};
template <size_t N>
using make_index_sequence = typename counted_indices<N>::type;
template <class T, T N>
using make_integer_sequence = typename counted_indices<static_cast<size_t>(N)>::template of<T>;
template <class... Ts>
using index_sequence_for = make_index_sequence<sizeof...(Ts)>;

template <class T>
__host__ __device__ constexpr void swap(T& a, T& b) {
  T kept = a;
  a = b;
  b = kept;
}
template <class T, class U = T>
__host__ __device__ constexpr T exchange(T& object, U&& value) {
  T old = object;
  object = value;
  return old;
}
template <class T, class U>
struct pair {
  typedef T first_type;
  typedef U second_type;
  T first;
  U second;
  pair() = default;
  __host__ __device__ constexpr pair(const T& a, const U& b) : first(a), second(b) {}
  template <class V, class W>
  __host__ __device__ constexpr pair(const pair<V, W>& other) : first(other.first), second(other.second) {}
};
template <class T, class U>
__host__ __device__ constexpr pair<decay_t<T>, decay_t<U>> make_pair(T&& a, U&& b) {
  return {a, b};
}

// <algorithm>
template <class T>
__host__ __device__ constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
__host__ __device__ constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}
template <class T, class Less>
__host__ __device__ constexpr const T& min(const T& a, const T& b, Less less) {
  return less(b, a) ? b : a;
}
template <class T, class Less>
__host__ __device__ constexpr const T& max(const T& a, const T& b, Less less) {
  return less(a, b) ? b : a;
}
template <class T>
__host__ __device__ constexpr const T& clamp(const T& value, const T& low, const T& high) {
  return value < low ? low : high < value ? high : value;
}

// <functional>
template <class T = void>
struct plus {
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a + b; }
};
template <class T = void>
struct minus {
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a - b; }
};
template <class T = void>
struct multiplies {
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const { return a * b; }
};
template <class T = void>
struct less {
  __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a < b; }
};
template <class T = void>
struct greater {
  __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a > b; }
};
template <class T = void>
struct equal_to {
  __host__ __device__ constexpr bool operator()(const T& a, const T& b) const { return a == b; }
};

// <array>
template <class T, size_t N>
struct array {
  typedef T value_type;
  T elements[N > 0 ? N : 1];
  __host__ __device__ constexpr T& operator[](size_t i) { return elements[i]; }
  __host__ __device__ constexpr const T& operator[](size_t i) const { return elements[i]; }
  __host__ __device__ constexpr T* data() { return elements; }
  __host__ __device__ constexpr const T* data() const { return elements; }
  __host__ __device__ constexpr T* begin() { return elements; }
  __host__ __device__ constexpr const T* begin() const { return elements; }
  __host__ __device__ constexpr T* end() { return elements + N; }
  __host__ __device__ constexpr const T* end() const { return elements + N; }
  __host__ __device__ static constexpr size_t size() { return N; }
  __host__ __device__ constexpr void fill(const T& value) {
    for (size_t i = 0; i < N; ++i) elements[i] = value;
  }
};

// <limits>. One template: members of a specialization would be variables in the PTX.
template <class T>
struct numeric_limits {
  static const bool is_float = is_same<T, float>::value, is_double = is_same<T, double>::value;
  static const bool is_integer = is_integral<T>::value;
  static const bool is_specialized = is_integer || is_float || is_double;
  static const bool is_signed = std::is_signed<T>::value;
  static const bool has_infinity = is_float || is_double;
  static const bool has_quiet_NaN = is_float || is_double;
  static const int digits = is_float    ? 24
                            : is_double ? 53
                                        : static_cast<int>(8 * sizeof(T)) - (is_signed ? 1 : 0);
  __host__ __device__ static constexpr T max() noexcept {
    if constexpr (is_float)
      return 3.402823466e+38f;
    else if constexpr (is_double)
      return 1.7976931348623157e+308;
    else if constexpr (is_same<T, bool>::value)
      return true;
    else if constexpr (!is_integer)
      return T();
    else if constexpr (is_signed)
      return static_cast<T>(make_unsigned_t<T>(-1) >> 1);
    else
      return static_cast<T>(-1);
  }
  __host__ __device__ static constexpr T min() noexcept {
    if constexpr (is_float)
      return 1.175494351e-38f;
    else if constexpr (is_double)
      return 2.2250738585072014e-308;
    else if constexpr (is_integer && is_signed)
      return static_cast<T>(-max() - 1);
    else
      return T();
  }
  __host__ __device__ static constexpr T lowest() noexcept {
    if constexpr (has_infinity)
      return -max();
    else
      return min();
  }
  __host__ __device__ static constexpr T epsilon() noexcept {
    if constexpr (is_float)
      return 1.192092896e-7f;
    else if constexpr (is_double)
      return 2.220446049250313e-16;
    else
      return T();
  }
  __host__ __device__ static constexpr T infinity() noexcept {
    if constexpr (is_float)
      return __builtin_bit_cast(float, 0x7f800000);
    else if constexpr (is_double)
      return __builtin_bit_cast(double, 0x7ff0000000000000ll);
    else
      return T();
  }
  __host__ __device__ static constexpr T quiet_NaN() noexcept {
    if constexpr (is_float)
      return __builtin_bit_cast(float, 0x7fc00000);
    else if constexpr (is_double)
      return __builtin_bit_cast(double, 0x7ff8000000000000ll);
    else
      return T();
  }
};
template <class T>
struct numeric_limits<const T> : numeric_limits<T> {};

// <cmath>
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;

}  // namespace std
