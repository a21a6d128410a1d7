// Part of a core: products of matrices, and movmatrix. What the numbers mean is said in
// kernels/tensor; here the usual products, of finite numbers, are computed eight columns at a time.

template <class T>
using EightOf [[gnu::vector_size(8 * sizeof(T))]] = T;
using Eight = EightOf<std::int32_t>;
using EightWords = EightOf<std::uint32_t>;
using EightLong = EightOf<std::int64_t>;
using EightFloats = EightOf<float>;
using EightDoubles = EightOf<double>;

template <class V, class T>
WARPLENS_INLINE void load_eight(V& to, const T* from) {
  __builtin_memcpy(&to, from, sizeof to);
}
template <class V, class T>
WARPLENS_INLINE void store_eight(T* to, const V& from) {
  __builtin_memcpy(to, &from, sizeof from);
}

/// The elements of A and B as integers, or as significands with their exponents.
struct Factors {
  alignas(64) std::int32_t significand[tensor::kMaxMatrixElements];
  alignas(64) std::int32_t exponent[tensor::kMaxMatrixElements];
  bool all_finite = true;
};

WARPLENS_INLINE std::uint32_t element_of(const tensor::HeldMatrix& matrix, const std::byte* words, int at) {
  const std::uint32_t place = matrix.places[at];
  switch (matrix.bits) {
    case 4: return static_cast<std::uint32_t>(words[place / 2]) >> (4 * (place % 2)) & 15u;
    case 8: return static_cast<std::uint32_t>(words[place]);
    case 16: return reinterpret_cast<const std::uint16_t*>(words)[place];
    default: return reinterpret_cast<const std::uint32_t*>(words)[place];
  }
}
template <int kBits>
void gather_elements(const tensor::HeldMatrix& matrix, const std::byte* words, int count, std::int32_t* to) {
  tensor::HeldMatrix of = matrix;
  of.bits = kBits;
  for (int at = 0; at < count; ++at) to[at] = static_cast<std::int32_t>(element_of(of, words, at));
}
void gather(const tensor::HeldMatrix& matrix, const std::byte* words, int count, std::int32_t* to) {
  switch (matrix.bits) {
    case 4: return gather_elements<4>(matrix, words, count, to);
    case 8: return gather_elements<8>(matrix, words, count, to);
    case 16: return gather_elements<16>(matrix, words, count, to);
    default: return gather_elements<32>(matrix, words, count, to);
  }
}

/// What gather found, of a type of floats.
template <int kExponentBits, int kFractionBits, bool kHasInfinity = true>
void take_apart(Factors& factors, int count) {
  constexpr std::int32_t kTop = (1 << kExponentBits) - 1, kFraction = (1 << kFractionBits) - 1;
  Eight special = {};
  for (int at = 0; at < count; at += 8) {
    Eight bits;
    load_eight(bits, factors.significand + at);
    const Eight field = (bits >> kFractionBits) & kTop;
    Eight significand = (bits & kFraction) | ((field != 0) & (1 << kFractionBits));
    special |= kHasInfinity ? field == kTop : (field == kTop) & ((bits & kFraction) == kFraction);
    if constexpr (kFractionBits > tensor::kFactorBits) {
      significand >>= kFractionBits - tensor::kFactorBits;
    } else {
      significand <<= tensor::kFactorBits - kFractionBits;
    }
    const Eight at_least_one = field - (field == 0);  // Comparisons give -1
    const Eight exponent = (significand == 0) ? Eight{} + tensor::kExponentOfZero : at_least_one - kTop / 2;
    const Eight sign = -((bits >> (kExponentBits + kFractionBits)) & 1);
    store_eight(factors.significand + at, (significand ^ sign) - sign);
    store_eight(factors.exponent + at, exponent);
  }
  for (int j = 0; j < 8; ++j) factors.all_finite = factors.all_finite && special[j] == 0;
}
/// Gives subnormal numbers a significand of at least 1, as e4m3 converted to f16 needs.
void normalise(Factors& factors, int count) {
  constexpr int kTimes = 3;  // The bits of a fraction of e4m3
  for (int at = 0; at < count; at += 8) {
    Eight significand, exponent;
    load_eight(significand, factors.significand + at);
    load_eight(exponent, factors.exponent + at);
    for (int time = 0; time < kTimes; ++time) {
      const Eight is_small = (significand < 1 << tensor::kFactorBits) &
                             (significand > -(1 << tensor::kFactorBits)) & (significand != 0);
      significand += significand & is_small;
      exponent += is_small;  // Comparisons give -1
    }
    store_eight(factors.significand + at, significand);
    store_eight(factors.exponent + at, exponent);
  }
}
void take_apart(Factors& factors, int count, ptx::Type type) {
  switch (type) {
    case ptx::Type::bf16: return take_apart<8, 7>(factors, count);
    case ptx::Type::tf32: return take_apart<8, 23>(factors, count);
    case ptx::Type::e4m3: return take_apart<4, 3, false>(factors, count);
    case ptx::Type::e5m2: return take_apart<5, 2>(factors, count);
    default: return take_apart<5, 10>(factors, count);
  }
}

/// The sum so far, as a term of the next block. Returns false if one of them is not finite.
template <bool kHalf>
WARPLENS_INLINE bool take_sum_apart(Eight bits, Eight& significand, Eight& exponent) {
  constexpr int kFractionBits = kHalf ? 10 : 23;
  constexpr std::int32_t kTop = kHalf ? 31 : 255;
  const Eight field = (bits >> kFractionBits) & kTop;
  significand = (bits & ((1 << kFractionBits) - 1)) | ((field != 0) & (1 << kFractionBits));
  significand <<= tensor::kAccumulatorBits - kFractionBits;
  exponent = (significand == 0) ? Eight{} + tensor::kExponentOfZero : field - (field == 0) - kTop / 2;
  const Eight sign = -((bits >> (kHalf ? 15 : 31)) & 1);
  significand = (significand ^ sign) - sign;
  std::int32_t special = 0;
  for (int j = 0; j < 8; ++j) special |= field[j] == kTop ? 1 : 0;
  return special == 0;
}

/// sum * 2^exponent, exact in f64, as f16 rounded to nearest even.
WARPLENS_INLINE Eight halves_of(EightDoubles sum, Eight exponent) {
  const auto whole = reinterpret_cast<EightLong>(sum);
  const EightLong scaled = whole + (__builtin_convertvector(exponent, EightLong) << 52);
  const EightLong magnitude = scaled & 0x7fffffffffffffff;
  const EightLong e = (magnitude >> 52) - 1023;
  const EightLong mantissa = (magnitude & 0xfffffffffffff) | 0x10000000000000;
  const EightLong below = (e < -14) ? -14 - e : EightLong{};
  const EightLong shift = 42 + ((below > 20) ? EightLong{} + 20 : below);
  EightLong half = mantissa >> shift;
  const EightLong rest = mantissa & (((EightLong{} + 1) << shift) - 1), middle = (EightLong{} + 1)
                                                                                 << (shift - 1);
  half -= (rest > middle) | ((rest == middle) & ((half & 1) != 0));  // Comparisons give -1
  half += (e < -14) ? EightLong{} : (e + 14) << 10;
  half = ((e > 15) | (half > 0x7c00)) ? EightLong{} + 0x7c00 : half;
  half |= (half != 0) & ((scaled >> 63) & 1) << 15;
  half = (sum == 0) ? EightLong{} : half;
  return __builtin_convertvector(half, Eight);
}

/// The same as f32 truncated to so many bits behind the point.
WARPLENS_INLINE Eight floats_of(EightDoubles sum, Eight exponent, int bits) {
  const EightLong kept = reinterpret_cast<EightLong>(sum) & ~((std::int64_t{1} << (52 - bits)) - 1);
  EightLong scaled = kept + (__builtin_convertvector(exponent, EightLong) << 52);
  scaled = (sum == 0) ? EightLong{} : scaled;
  const EightLong field = (scaled >> 52) & 0x7ff;
  const EightLong odd = (sum != 0) & ((field < 1023 - 126) | (field > 1023 + 127));
  const auto singles = __builtin_convertvector(reinterpret_cast<EightDoubles>(scaled), EightFloats);
  auto result = reinterpret_cast<Eight>(singles);
  std::int64_t any = 0;
  for (int j = 0; j < 8; ++j) any |= odd[j];
  if (any != 0) {  // Subnormal, or too large
    for (int j = 0; j < 8; ++j) {
      result[j] = static_cast<std::int32_t>(
          tensor::float_of_sum(static_cast<std::int64_t>(sum[j]), exponent[j], bits));
    }
  }
  return result;
}

/// Eight columns of one row of an aligned sum. `rows`: of B, by term. Returns false where a sum is not
/// finite.
template <bool kHalf>
WARPLENS_INLINE bool add_aligned(const tensor::SumRule& rule, const Factors& a, int a_at, const Factors& b,
                                 const std::int32_t* b_rows, int terms, Eight& sum) {
  const int spare = 25 - rule.fraction_bits;
  for (int from = 0; from < terms; from += rule.block) {
    const int to = from + rule.block < terms ? from + rule.block : terms;
    Eight significand, exponent;
    if (!take_sum_apart<kHalf>(sum, significand, exponent)) return false;
    Eight greatest = exponent;
    for (int t = from; t < to; ++t) {
      Eight of_b;
      load_eight(of_b, b.exponent + b_rows[t]);
      const Eight of_product = of_b + a.exponent[a_at + t];
      greatest = (of_product > greatest) ? of_product : greatest;
    }
    const auto shifted = [&](Eight value, Eight lost) WARPLENS_LAMBDA {
      const Eight sign = value >> 31, magnitude = (value ^ sign) - sign;
      const Eight places = lost + spare;
      const Eight kept = magnitude >> ((places > 31) ? Eight{} + 31 : places);
      return (kept ^ sign) - sign;
    };
    // Two sums: each of at most eight products of less than 2^27, and C.
    Eight even = shifted(significand << (25 - tensor::kAccumulatorBits), greatest - exponent), odd = {};
    for (int t = from; t < to; ++t) {
      Eight of_b, exponent_of_b;
      load_eight(of_b, b.significand + b_rows[t]);
      load_eight(exponent_of_b, b.exponent + b_rows[t]);
      const Eight product = (of_b * a.significand[a_at + t]) << (25 - 2 * tensor::kFactorBits);
      const Eight term = shifted(product, greatest - exponent_of_b - a.exponent[a_at + t]);
      ((t & 1) != 0 ? odd : even) += term;
    }
    const EightDoubles exact =
        __builtin_convertvector(even, EightDoubles) + __builtin_convertvector(odd, EightDoubles);
    const Eight scale = greatest - rule.fraction_bits;
    sum = kHalf ? halves_of(exact, scale) : floats_of(exact, scale, rule.result_bits);
  }
  return true;
}

/// The words of registers of lanes: [register][lane].
struct HeldWords {
  alignas(64) std::byte words[tensor::kMaxMatrixRegisters * kWarpSize * 8];
};

template <class K>
void read_words(Machine& m, const std::uint32_t* registers, int count, HeldWords& to) {
  for (int r = 0; r < count; ++r) {
    alignas(64) K scratch[kWarpSize];
    const K* from = lanes<K>(head(m, registers[r]), scratch);
    __builtin_memcpy(to.words + r * sizeof scratch, from, sizeof scratch);
  }
}
template <class K>
void write_words(Machine& m, const Instr* i, const std::uint32_t* registers, int count,
                 const HeldWords& from) {
  for (int r = 0; r < count; ++r) {
    if (registers[r] == kNoRegister) continue;
    alignas(64) K beside[kWarpSize];
    Head& d = head(m, registers[r]);
    const bool replace = can_overwrite_all_lanes(m, registers[r]);
    K* to = place_of_lanes<K>(d, replace, beside);
    __builtin_memcpy(to, from.words + r * sizeof beside, sizeof beside);
    finish_lanes<K>(m, i, d, replace, to);
  }
}

/// The operands of a product, and where its result goes.
struct Product {
  HeldWords a, b, c, d;
  alignas(64) std::uint32_t metadata[kWarpSize];
};

/// Rows of B that the terms of each row of A stand for, as where the first column of the row is.
struct RowsOfB {
  alignas(
      64) std::int32_t at[tensor::kMaxMatrixElements];  ///< By row of A (one of all, but of mma.sp) and term
  bool by_row = false;
};
void find_rows(const tensor::MmaPlan& plan, const Product& product, RowsOfB& rows) {
  rows.by_row = plan.stored != nullptr;
  if (!rows.by_row) {
    for (int t = 0; t < plan.terms; ++t) rows.at[t] = t * plan.n;
    return;
  }
  std::uint16_t row[tensor::kMaxMatrixElements];
  find_rows_of_b(plan, product.metadata, row);
  for (int at = 0; at < plan.m * plan.terms; ++at) rows.at[at] = row[at] * plan.n;
}

/// What an element of D is when `of` has computed eight columns of a row from those of C: it gets where the
/// row's elements of A are, where the first of B is, the rows of B, and the eight sums so far.
template <class F>
bool each_eight(const tensor::MmaPlan& plan, Product& product, F of) {
  RowsOfB rows;
  find_rows(plan, product, rows);
  const int count = plan.matrices * plan.m * plan.n;
  alignas(64) std::int32_t sums[tensor::kMaxMatrixElements];
  gather(plan.c, product.c.words, count, sums);
  for (int row = 0; row < plan.matrices * plan.m; ++row) {
    for (int j = 0; j < plan.n; j += 8) {
      Eight sum;
      load_eight(sum, sums + row * plan.n + j);
      const int first_of_b = row / plan.m * plan.b_rows * plan.n + j;
      const std::int32_t* const by_term = rows.at + (rows.by_row ? row * plan.terms : 0);
      if (!of(row * plan.terms, first_of_b, by_term, sum)) return false;
      store_eight(sums + row * plan.n + j, sum);
    }
  }
  for (int at = 0; at < count; ++at) {
    const std::uint32_t place = plan.d.places[at];
    if (plan.d.bits == 16) {
      reinterpret_cast<std::uint16_t*>(product.d.words)[place] = static_cast<std::uint16_t>(sums[at]);
    } else {
      reinterpret_cast<std::uint32_t*>(product.d.words)[place] = static_cast<std::uint32_t>(sums[at]);
    }
  }
  return true;
}

template <bool kHalf>
bool multiply_floats(const tensor::MmaPlan& plan, Product& product) {
  const bool from_c = plan.rule.kind == tensor::SumKind::aligned;
  Factors a, b;
  const int a_count = plan.matrices * plan.m * plan.terms, b_count = plan.matrices * plan.b_rows * plan.n;
  gather(plan.a, product.a.words, a_count, a.significand);
  take_apart(a, a_count, plan.rule.a);
  gather(plan.b, product.b.words, b_count, b.significand);
  take_apart(b, b_count, plan.rule.b);
  if (!a.all_finite || !b.all_finite) return false;
  if (plan.rule.normalises) {
    if (plan.rule.a == ptx::Type::e4m3) normalise(a, a_count);
    if (plan.rule.b == ptx::Type::e4m3) normalise(b, b_count);
  }
  return each_eight(plan, product,
                    [&](int a_at, int b_at, const std::int32_t* rows, Eight& sum) WARPLENS_LAMBDA {
                      std::int32_t b_rows[tensor::kMaxTerms];  // From the first of these columns on
                      for (int t = 0; t < plan.terms; ++t) b_rows[t] = rows[t] + b_at;
                      if (from_c) return add_aligned<kHalf>(plan.rule, a, a_at, b, b_rows, plan.terms, sum);
                      Eight of_products = {}, significand, exponent;
                      if (!take_sum_apart<kHalf>(sum, significand, exponent)) return false;
                      if (!add_aligned<kHalf>(plan.rule, a, a_at, b, b_rows, plan.terms, of_products))
                        return false;
                      sum = reinterpret_cast<Eight>(reinterpret_cast<EightFloats>(of_products) +
                                                    reinterpret_cast<EightFloats>(sum));
                      return take_sum_apart<kHalf>(of_products, significand, exponent);
                    });
}

template <bool kSigned, int kBits>
void extend_integers(std::int32_t* values, int count) {
  for (int at = 0; at < count; ++at) {
    if (kSigned)
      values[at] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(values[at]) << (32 - kBits)) >> (32 - kBits);
  }
}
void extend_integers(ptx::Type type, std::int32_t* values, int count) {
  if (type == ptx::Type::s8) extend_integers<true, 8>(values, count);
  if (type == ptx::Type::s4) extend_integers<true, 4>(values, count);
}

bool multiply_integers(const tensor::MmaPlan& plan, Product& product) {
  alignas(64) std::int32_t a[tensor::kMaxMatrixElements];
  alignas(64) std::int32_t b[tensor::kMaxMatrixElements];
  const int a_count = plan.matrices * plan.m * plan.terms, b_count = plan.matrices * plan.b_rows * plan.n;
  gather(plan.a, product.a.words, a_count, a);
  extend_integers(plan.rule.a, a, a_count);
  gather(plan.b, product.b.words, b_count, b);
  extend_integers(plan.rule.b, b, b_count);
  return each_eight(
      plan, product, [&](int a_at, int b_at, const std::int32_t* rows, Eight& sum) WARPLENS_LAMBDA {
        Eight products = {};
        for (int t = 0; t < plan.terms; ++t) {
          Eight of_b;
          load_eight(of_b, b + rows[t] + b_at);
          if (plan.rule.kind == tensor::SumKind::integer) {
            products += of_b * a[a_at + t];
          } else {
            const Eight both = plan.rule.exclusive ? of_b ^ a[a_at + t] : of_b & a[a_at + t];
            for (int j = 0; j < 8; ++j) products[j] += count_bits(static_cast<std::uint32_t>(both[j]));
          }
        }
        const auto wrapped = reinterpret_cast<EightWords>(sum) + reinterpret_cast<EightWords>(products);
        const auto result = reinterpret_cast<Eight>(wrapped);
        if (plan.rule.saturates) {
          const Eight overflows = (~(sum ^ products) & (sum ^ result)) >> 31;
          const Eight limit = (sum >> 31) ^ 0x7fffffff;
          sum = (overflows & limit) | (~overflows & result);
        } else {
          sum = result;
        }
        return true;
      });
}

/// Fused multiply-adds rounded to nearest. Returns false where one gives a NaN, of which there are several.
bool multiply_doubles(const tensor::MmaPlan& plan, Product& product) {
  const auto gathered = [](const tensor::HeldMatrix& matrix, const HeldWords& from, int at) WARPLENS_LAMBDA {
    return __builtin_bit_cast(double, reinterpret_cast<const std::uint64_t*>(from.words)[matrix.places[at]]);
  };
  alignas(64) double b[tensor::kMaxMatrixElements];
  for (int at = 0; at < plan.b_rows * plan.n; ++at) b[at] = gathered(plan.b, product.b, at);
  auto* const results = reinterpret_cast<std::uint64_t*>(product.d.words);
  for (int row = 0; row < plan.m; ++row) {
    double sum[8];
    for (int j = 0; j < 8; ++j) sum[j] = gathered(plan.c, product.c, row * plan.n + j);
    for (int t = 0; t < plan.terms; ++t) {
      const double a = gathered(plan.a, product.a, row * plan.terms + t);
      for (int j = 0; j < 8; ++j) sum[j] = __builtin_fma(a, b[t * plan.n + j], sum[j]);
    }
    for (int j = 0; j < 8; ++j) {
      if (sum[j] != sum[j]) return false;
      results[plan.d.places[row * plan.n + j]] = __builtin_bit_cast(std::uint64_t, sum[j]);
    }
  }
  return true;
}

bool multiply_fast(const tensor::MmaPlan& plan, Product& product) {
  const bool in_half = plan.rule.d == ptx::Type::f16;
  switch (plan.rule.kind) {
    case tensor::SumKind::integer:
    case tensor::SumKind::bits: return multiply_integers(plan, product);
    case tensor::SumKind::aligned:
      if (plan.rule.c != plan.rule.d) return false;
      return in_half ? multiply_floats<true>(plan, product) : multiply_floats<false>(plan, product);
    case tensor::SumKind::aligned_then_c: return !in_half && multiply_floats<false>(plan, product);
    case tensor::SumKind::fma:
      return plan.rule.rounding == ptx::Rounding::rn && multiply_doubles(plan, product);
    case tensor::SumKind::fma_then_c:
    case tensor::SumKind::pairs_onto_c: break;
  }
  return false;
}

constexpr int kMaxColumnsOfGroup = 256, kBytesOfRow = 32, kMaxBytesOfColumn = 64;

/// Changes the signs of floats of so many bytes.
void negate(std::byte* elements, int count, int bytes) {
  for (int at = 0; at < count; ++at) elements[at * bytes + bytes - 1] ^= std::byte{0x80};
}
/// Elements of `rows` rows of `columns` each, of `bytes` bytes, as columns one behind the other.
void transpose(const std::byte* from, std::byte* to, int rows, int columns, int bytes) {
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      __builtin_memcpy(to + (column * rows + row) * bytes, from + (row * columns + column) * bytes,
                       static_cast<unsigned>(bytes));
  }
}

/// wgmma.mma_async: a warp's 16 rows, by eight columns. `imm`: number of the plan of one of these; `count`:
/// how many there are; `more`: see WarpgroupOperand.
const Instr* multiply_in_warpgroup(Machine& m, const Instr* i) {
  if (m.active != 0xffffffffu || m.awaits_lanes) check_whole_warp(m, i);
  const tensor::MmaPlan& plan = *m.kernel.products[i->imm];
  const WarpgroupFlags flags = WarpgroupFlags::of(i->more[kWarpgroupFlags]);
  const std::uint32_t* const d = i->more + kWarpgroupRegisters;
  const int bytes = plan.b.bits / 8, terms = plan.terms, tiles = i->count, rows_of_b = plan.b_rows;
  const int column_bytes = rows_of_b * bytes;
  alignas(64) std::byte columns[kMaxColumnsOfGroup * kMaxBytesOfColumn], rows[16 * kBytesOfRow];
  Product product;
  if (flags.a_is_in_registers) {
    read_words<std::uint32_t>(m, d + tiles * plan.d.registers, plan.a.registers, product.a);
    if (flags.negates_a) negate(product.a.words, 16 * terms, bytes);
  } else {
    read_warpgroup_matrix(m, i, false, rows);
    if (flags.negates_a) negate(rows, 16 * terms, bytes);
    if (flags.a_is_mn_major) {
      for (int eight = 0; eight < 2; ++eight)
        transpose(rows + eight * 8 * kBytesOfRow, product.a.words + eight * 8 * kBytesOfRow, terms, 8, bytes);
    } else {
      __builtin_memcpy(product.a.words, rows, sizeof rows);
    }
  }
  read_warpgroup_matrix(m, i, true, columns);
  if (flags.negates_b) negate(columns, 8 * tiles * rows_of_b, bytes);
  if (flags.is_sparse) {
    const Head& metadata = head(m, i->more[kWarpgroupMetadata]);
    for (int l = 0; l < kWarpSize; ++l) product.metadata[l] = lane_value<std::uint32_t>(metadata, l);
  }
  const std::uint32_t of_c = mask_of(m, i->more[kWarpgroupC]) ^ (flags.c_negated ? 0xffffffffu : 0u);
  const bool counts_c = (of_c & m.active) != 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const std::byte* const of_tile = columns + tile * 8 * column_bytes;
    if (flags.b_is_mn_major) {
      __builtin_memcpy(product.b.words, of_tile, static_cast<unsigned>(8 * column_bytes));
    } else {
      transpose(of_tile, product.b.words, 8, rows_of_b, bytes);
    }
    const std::uint32_t* const of_d = d + tile * plan.d.registers;
    if (counts_c) {
      read_words<std::uint32_t>(m, of_d, plan.d.registers, product.c);
    } else {
      __builtin_memset(product.c.words, 0, sizeof product.c.words);
    }
    if (!multiply_fast(plan, product))
      multiply_by_element(plan, product.a.words, product.b.words, product.c.words, product.metadata,
                          product.d.words);
    write_words<std::uint32_t>(m, i, of_d, plan.d.registers, product.d);
  }
  return i + 1;
}

/// `imm`: number of the plan; `more`: registers of D, A, B, C, and the metadata of mma.sp.
const Instr* multiply_matrices(Machine& m, const Instr* i) {
  if (m.active != 0xffffffffu || m.awaits_lanes) check_whole_warp(m, i);
  const tensor::MmaPlan& plan = *m.kernel.products[i->imm];
  Product product;
  const std::uint32_t *d = i->more, *a = d + plan.d.registers, *b = a + plan.a.registers,
                      *c = b + plan.b.registers, *metadata = c + plan.c.registers;
  const bool wide = plan.d.bits == 64;
  const auto read = [&](const std::uint32_t* registers, const tensor::HeldMatrix& matrix, HeldWords& to)
                        WARPLENS_LAMBDA {
                          wide ? read_words<std::uint64_t>(m, registers, matrix.registers, to)
                               : read_words<std::uint32_t>(m, registers, matrix.registers, to);
                        };
  read(a, plan.a, product.a);
  read(b, plan.b, product.b);
  read(c, plan.c, product.c);
  if (plan.stored != nullptr) {
    for (int l = 0; l < kWarpSize; ++l)
      product.metadata[l] = lane_value<std::uint32_t>(head(m, *metadata), l);
  }
  if (!multiply_fast(plan, product))
    multiply_by_element(plan, product.a.words, product.b.words, product.c.words, product.metadata,
                        product.d.words);
  wide ? write_words<std::uint64_t>(m, i, d, plan.d.registers, product.d)
       : write_words<std::uint32_t>(m, i, d, plan.d.registers, product.d);
  return i + 1;
}

/// movmatrix: lane l holds elements 2 (l % 4) and the next of row l / 4, and receives those of column l / 4.
const Instr* transpose_matrix(Machine& m, const Instr* i) {
  if (m.active != 0xffffffffu || m.awaits_lanes) check_whole_warp(m, i);
  const Head& a = head(m, i->a);
  const auto element = [&](int row, int column) WARPLENS_LAMBDA {
    return lane_value<std::uint32_t>(a, 4 * row + column / 2) >> (16 * (column % 2)) & 0xffffu;
  };
  alignas(64) std::uint32_t values[kWarpSize];
  for (int l = 0; l < kWarpSize; ++l) {
    const int column = l / 4, row = 2 * (l % 4);
    values[l] = element(row, column) | element(row + 1, column) << 16;
  }
  return write_values<std::uint32_t>(m, i, i->d, values);
}
