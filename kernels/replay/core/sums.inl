// Part of a core: sums of products (product_sums.h), whose lanes stay in the processor's registers from the
// first product to the last.

// 32 bytes of lanes.
#if defined(__FMA__) && defined(__AVX2__)
template <class T>
struct Piece;
template <>
struct Piece<float> {
  __m256 v;
  WARPLENS_INLINE static Piece at(const std::byte* from) {
    return {_mm256_loadu_ps(reinterpret_cast<const float*>(from))};
  }
  WARPLENS_INLINE static Piece all(const std::byte* from) {
    return {_mm256_broadcast_ss(reinterpret_cast<const float*>(from))};
  }
  WARPLENS_INLINE void add(Piece x, Piece y) { v = _mm256_fmadd_ps(x.v, y.v, v); }
  WARPLENS_INLINE void store(float* to) const { _mm256_store_ps(to, v); }
};
template <>
struct Piece<double> {
  __m256d v;
  WARPLENS_INLINE static Piece at(const std::byte* from) {
    return {_mm256_loadu_pd(reinterpret_cast<const double*>(from))};
  }
  WARPLENS_INLINE static Piece all(const std::byte* from) {
    return {_mm256_broadcast_sd(reinterpret_cast<const double*>(from))};
  }
  WARPLENS_INLINE void add(Piece x, Piece y) { v = _mm256_fmadd_pd(x.v, y.v, v); }
  WARPLENS_INLINE void store(double* to) const { _mm256_store_pd(to, v); }
};
#else
WARPLENS_INLINE float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
WARPLENS_INLINE double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
template <class T>
struct Piece {
  static constexpr int kLanes = kPieceBytes / static_cast<int>(sizeof(T));
  T v[kLanes];
  WARPLENS_INLINE static Piece at(const std::byte* from) {
    Piece piece;
    __builtin_memcpy(piece.v, from, sizeof piece.v);
    return piece;
  }
  WARPLENS_INLINE static Piece all(const std::byte* from) {
    Piece piece;
    for (T& value : piece.v) value = load_value<T>(from);
    return piece;
  }
  WARPLENS_INLINE void add(Piece x, Piece y) {
    for (int k = 0; k < kLanes; ++k) v[k] = fused(x.v[k], y.v[k], v[k]);
  }
  WARPLENS_INLINE void store(T* to) const { __builtin_memcpy(to, v, sizeof v); }
};
#endif

// Where the lanes of a group's loads read, from its `from` on.
struct Source {
  PieceForm form;
  const std::byte* from;
  std::int32_t piece[kMaxPieces];  // Unless scattered: of the first lane of each piece
  const std::uint32_t* lane;       // Scattered: of each lane
  std::uint32_t line[kWarpSize];   // What `lane` points to for lines
};

// False where the replay does the loads one by one.
WARPLENS_INLINE bool source_of(const LoadGroup& g, Source& s) {
  s.from = g.from;
  s.lane = s.line;
  switch (g.form) {
    case LoadForm::apart: return false;
    case LoadForm::one:
      s.form = PieceForm::one;
      for (std::int32_t& offset : s.piece) offset = 0;
      return true;
    case LoadForm::neighbours:
      s.form = PieceForm::neighbours;
      for (int q = 0; q < kMaxPieces; ++q) s.piece[q] = q * kPieceBytes;
      return true;
    case LoadForm::line: {
      s.form = PieceForm::scattered;
      constexpr std::int64_t kLongest = INT32_MAX / kWarpSize;
      if (g.stride > kLongest || g.stride < -kLongest) return false;
      const auto stride = static_cast<std::uint32_t>(g.stride);
      WARPLENS_LANES s.line[l] = static_cast<std::uint32_t>(l) * stride;
      return true;
    }
    case LoadForm::irregular:
      s.form = g.last->pieces;
      for (int q = 0; q < kMaxPieces; ++q) s.piece[q] = g.last->piece[q];
      s.lane = g.last->counter.offsets;
      return true;
  }
  return false;
}

template <class T, PieceForm form>
WARPLENS_INLINE Piece<T> fetch(const Source& s, std::uint32_t above, int q) {
  if constexpr (form == PieceForm::one) return Piece<T>::all(s.from + above + s.piece[q]);
  if constexpr (form == PieceForm::neighbours) return Piece<T>::at(s.from + above + s.piece[q]);
  constexpr int kLanes = kPieceBytes / static_cast<int>(sizeof(T));
  alignas(32) T values[kLanes];
  for (int k = 0; k < kLanes; ++k)
    values[k] = load_value<T>(s.from + above + static_cast<std::int32_t>(s.lane[q * kLanes + k]));
  return Piece<T>::at(reinterpret_cast<const std::byte*>(values));
}

template <class T, PieceForm x_form, PieceForm y_form>
WARPLENS_SHARED void sum_up(const Source& x, const Source& y, const std::uint32_t* products, T* sum) {
  constexpr int kPieces = kWarpSize * static_cast<int>(sizeof(T)) / kPieceBytes;
  Piece<T> sums[kPieces];
#pragma GCC unroll 8
  for (int q = 0; q < kPieces; ++q)
    sums[q] = Piece<T>::at(reinterpret_cast<const std::byte*>(sum) + q * kPieceBytes);
  const std::uint32_t n = *products++;
  for (std::uint32_t k = 0; k < n; ++k, products += 2) {
#pragma GCC unroll 8
    for (int q = 0; q < kPieces; ++q)
      sums[q].add(fetch<T, x_form>(x, products[0], q), fetch<T, y_form>(y, products[1], q));
  }
#pragma GCC unroll 8
  for (int q = 0; q < kPieces; ++q) sums[q].store(sum + q * (kPieceBytes / static_cast<int>(sizeof(T))));
}

template <class T, PieceForm x_form>
WARPLENS_INLINE void sum_up(const Source& x, const Source& y, const std::uint32_t* products, T* sum) {
  switch (y.form) {
    case PieceForm::one: return sum_up<T, x_form, PieceForm::one>(x, y, products, sum);
    case PieceForm::neighbours: return sum_up<T, x_form, PieceForm::neighbours>(x, y, products, sum);
    case PieceForm::scattered: return sum_up<T, x_form, PieceForm::scattered>(x, y, products, sum);
  }
}

// Before the first of its loads, behind the checks of its groups: all of it, or nothing where the loads are
// done one by one, or a sum is no number: then which bits it gets depends on each addition.
template <class T>
const Instr* add_up(Machine& m, const Instr* i) {
  using K = KeptType<T>;
  Source x, y;
  const LoadGroup &gx = m.kernel.load_groups[i->b], &gy = m.kernel.load_groups[i->c];
  if (!source_of(gx, x) || !source_of(gy, y)) return i + 1;
  if (gx.form == LoadForm::one && gy.form == LoadForm::one)
    return i + 1;  // One value for all lanes is best left one
  alignas(64) K before[kWarpSize];
  alignas(64) T sum[kWarpSize];
  const K* addend = lanes<K>(head(m, i->a), before);
  __builtin_memcpy(sum, addend, sizeof sum);
  switch (x.form) {
    case PieceForm::one: sum_up<T, PieceForm::one>(x, y, i->more, sum); break;
    case PieceForm::neighbours: sum_up<T, PieceForm::neighbours>(x, y, i->more, sum); break;
    case PieceForm::scattered: sum_up<T, PieceForm::scattered>(x, y, i->more, sum); break;
  }
  std::uint32_t no_number = 0;
  WARPLENS_LANES no_number |= static_cast<std::uint32_t>(sum[l] != sum[l]);
  if (no_number != 0) return i + 1;
  Head& d = head(m, i->d);
  const bool replace = can_overwrite_all_lanes(m, i->d);
  alignas(64) K beside[kWarpSize];
  K* to = place_of_lanes<K>(d, replace, beside);
  __builtin_memcpy(to, sum, sizeof sum);
  finish_lanes<K>(m, i, d, replace, to);
  return i + i->imm;
}
Handler select_add_up(bool wide) {
  return wide ? &add_up<double> : &add_up<float>;
}
