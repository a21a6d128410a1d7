#include "kernels/tensor/mma_plan.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "kernels/ptx/opcodes.h"

namespace warplens::tensor {
namespace {

using ptx::Opcode;
using ptx::Type;
using Bits = std::uint64_t;

enum class Family : std::uint8_t { f16, bf16, tf32, f64, fp8, int8, int4, b1, none };

Family family_of(Type type) {
  switch (type) {
    case Type::f16: return Family::f16;
    case Type::bf16: return Family::bf16;
    case Type::tf32: return Family::tf32;
    case Type::f64: return Family::f64;
    case Type::e4m3:
    case Type::e5m2: return Family::fp8;
    case Type::s8:
    case Type::u8: return Family::int8;
    case Type::s4:
    case Type::u4: return Family::int4;
    case Type::b1: return Family::b1;
    default: return Family::none;
  }
}

struct Shape {
  Family family;
  std::uint16_t m, n, k;
};
// PTX ISA, "Matrix Shape".
constexpr Shape kDense[] = {
    {Family::f16, 8, 8, 4},    {Family::f16, 16, 8, 8},   {Family::f16, 16, 8, 16},
    {Family::bf16, 16, 8, 8},  {Family::bf16, 16, 8, 16}, {Family::tf32, 16, 8, 4},
    {Family::tf32, 16, 8, 8},  {Family::f64, 8, 8, 4},    {Family::f64, 16, 8, 4},
    {Family::f64, 16, 8, 8},   {Family::f64, 16, 8, 16},  {Family::fp8, 16, 8, 16},
    {Family::fp8, 16, 8, 32},  {Family::int8, 8, 8, 16},  {Family::int8, 16, 8, 16},
    {Family::int8, 16, 8, 32}, {Family::int4, 8, 8, 32},  {Family::int4, 16, 8, 32},
    {Family::int4, 16, 8, 64}, {Family::b1, 8, 8, 128},   {Family::b1, 16, 8, 128},
    {Family::b1, 16, 8, 256},
};
constexpr Shape kSparse[] = {
    {Family::f16, 16, 8, 16},  {Family::f16, 16, 8, 32},   {Family::bf16, 16, 8, 16},
    {Family::bf16, 16, 8, 32}, {Family::tf32, 16, 8, 8},   {Family::tf32, 16, 8, 16},
    {Family::fp8, 16, 8, 64},  {Family::int8, 16, 8, 32},  {Family::int8, 16, 8, 64},
    {Family::int4, 16, 8, 64}, {Family::int4, 16, 8, 128},
};
constexpr Shape kOfWmma[] = {
    {Family::f16, 16, 16, 16},  {Family::f16, 8, 32, 16},  {Family::f16, 32, 8, 16},
    {Family::bf16, 16, 16, 16}, {Family::bf16, 8, 32, 16}, {Family::bf16, 32, 8, 16},
    {Family::int8, 16, 16, 16}, {Family::int8, 8, 32, 16}, {Family::int8, 32, 8, 16},
    {Family::tf32, 16, 16, 8},  {Family::f64, 8, 8, 4},    {Family::int4, 8, 8, 32},
    {Family::b1, 8, 8, 128},
};

/// Of one element in shared memory.
int bits_of(Type type) {
  return type == Type::b1 ? 1 : type == Type::tf32 ? 32 : 8 * ptx::size_of(type);
}

bool is_integer(Family family) {
  return family == Family::int8 || family == Family::int4 || family == Family::b1;
}

bool accumulates(Family family, const ptx::Instruction& i) {
  const bool is_wmma = i.opcode == Opcode::wmma_mma, equal = i.type == i.c_type;
  const auto is_narrow_or_single = [](Type type) { return type == Type::f16 || type == Type::f32; };
  if (is_integer(family)) return i.type == Type::s32 && equal;
  if (family == Family::f64) return i.type == Type::f64 && equal;
  if (family == Family::bf16 || family == Family::tf32) return i.type == Type::f32 && equal;
  if (!is_narrow_or_single(i.type) || !is_narrow_or_single(i.c_type)) return false;
  if (family == Family::fp8) return equal && (i.type == Type::f32 || !is_sparse(i));
  return equal || is_wmma || (has_four_products(i) && i.type == Type::f32);
}

/// How many groups of lanes there are to choose the metadata from.
unsigned count_selectors(const ptx::Instruction& i) {
  const int chunk = i.source_type == Type::tf32 ? 2 : family_of(i.source_type) == Family::int4 ? 8 : 4;
  return std::max(1u, 16u * static_cast<unsigned>(chunk) / i.k);
}

bool exists(const ptx::Instruction& i) {
  const Family family = family_of(i.source_type);
  const bool is_wmma = i.opcode == Opcode::wmma_mma;
  const auto shapes = is_wmma        ? std::span<const Shape>(kOfWmma)
                      : is_sparse(i) ? std::span<const Shape>(kSparse)
                                     : std::span<const Shape>(kDense);
  const bool has_shape = std::ranges::any_of(shapes, [&](const Shape& shape) {
    return shape.family == family && shape.m == i.m && shape.n == i.n && shape.k == i.k;
  });
  const bool may_differ =
      !is_wmma && (family == Family::fp8 || family == Family::int8 || family == Family::int4);
  const bool may_lie_otherwise =
      has_four_products(i) || (is_wmma && family != Family::int4 && family != Family::b1);
  constexpr int kRowCol = 2;
  const bool may_round = family == Family::f64 && i.rounding <= ptx::Rounding::rp;
  return has_shape && accumulates(family, i) &&
         (i.b_type == i.source_type || (may_differ && family_of(i.b_type) == family)) &&
         (i.by_columns == kRowCol || may_lie_otherwise) &&
         (!i.sat_finite || (is_integer(family) && family != Family::b1)) &&
         (i.rounding == ptx::Rounding::none || may_round) && i.bool_op != ptx::BoolOp::or_ &&
         (!is_sparse(i) ||
          (i.operands[5].kind == ptx::Operand::Kind::immediate && i.operands[5].bits < count_selectors(i)));
}

/// Products that are added at once, and what is kept of them, of f16, bf16 and tf32.
void set_alignment(SumRule& rule, Family family, int k, int compute_capability) {
  const bool is_single = family == Family::tf32;
  if (compute_capability >= 90) {
    rule.fraction_bits = 25;
    rule.block = is_single ? 8 : 16;
  } else if (compute_capability >= 80) {
    rule.fraction_bits = 24;
    rule.block = is_single ? 4 : 8;
  } else {
    rule.fraction_bits = compute_capability >= 75 ? 24 : 23;
    rule.block = compute_capability >= 75 ? 8 : 4;
  }
  rule.block = std::min<std::uint16_t>(rule.block, static_cast<std::uint16_t>(k));
}

SumRule rule_of(const ptx::Instruction& i, int terms, int compute_capability) {
  SumRule rule{.a = i.source_type, .b = i.b_type, .c = i.c_type, .d = i.type, .saturates = i.sat_finite};
  switch (family_of(i.source_type)) {
    case Family::f16:
      if (!has_four_products(i) || compute_capability < 80) {
        set_alignment(rule, Family::f16, terms, compute_capability);
      } else {
        rule.kind = i.type == Type::f16 ? SumKind::pairs_onto_c : SumKind::fma_then_c;
      }
      return rule;
    case Family::bf16: set_alignment(rule, Family::bf16, terms, compute_capability); return rule;
    case Family::tf32:
      set_alignment(rule, Family::tf32, terms, compute_capability);
      if (i.opcode == Opcode::wmma_mma) rule.block = 4;  // It is two mma of m16n8k4
      return rule;
    case Family::fp8:
      if (compute_capability >= 120) {
        set_alignment(rule, Family::fp8, terms, compute_capability);
        rule.block = static_cast<std::uint16_t>(terms);
      } else if (compute_capability >= 90) {
        rule.kind = SumKind::aligned_then_c;
        rule.normalises = i.source_type == Type::e4m3 || i.b_type == Type::e4m3;
        set_alignment(rule, Family::fp8, terms / 2, compute_capability);
      } else {
        rule.fraction_bits = rule.result_bits = 13;
        rule.block = std::min<std::uint16_t>(16, static_cast<std::uint16_t>(terms));
      }
      return rule;
    case Family::f64:
      rule.kind = SumKind::fma;
      if (i.rounding != ptx::Rounding::none) rule.rounding = i.rounding;
      return rule;
    case Family::b1:
      rule.kind = SumKind::bits;
      rule.exclusive = i.bool_op == ptx::BoolOp::xor_;
      return rule;
    case Family::int8:
    case Family::int4:
    case Family::none: break;
  }
  rule.kind = SumKind::integer;
  return rule;
}

Bits element(const HeldMatrix& matrix, const void* words, std::size_t at) {
  const std::size_t place = matrix.places[at];
  switch (matrix.bits) {
    case 4: return static_cast<const std::uint8_t*>(words)[place / 2] >> (4 * (place % 2)) & 15u;
    case 8: return static_cast<const std::uint8_t*>(words)[place];
    case 16: return static_cast<const std::uint16_t*>(words)[place];
    case 32: return static_cast<const std::uint32_t*>(words)[place];
    default: return static_cast<const std::uint64_t*>(words)[place];
  }
}

void set_element(const HeldMatrix& matrix, void* words, std::size_t at, Bits bits) {
  const std::size_t place = matrix.places[at];
  switch (matrix.bits) {
    case 16: static_cast<std::uint16_t*>(words)[place] = static_cast<std::uint16_t>(bits); break;
    case 32: static_cast<std::uint32_t*>(words)[place] = static_cast<std::uint32_t>(bits); break;
    default: static_cast<std::uint64_t*>(words)[place] = bits; break;
  }
}

HeldMatrix held(const Fragment& fragment) {
  return {.registers = fragment.registers, .bits = fragment.element_bits};
}

}  // namespace

std::vector<std::uint16_t> order_of_terms(const SumRule& rule, int terms) {
  std::vector<std::uint16_t> order(static_cast<std::size_t>(terms));
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  if (rule.kind == SumKind::aligned_then_c)
    std::stable_partition(order.begin(), order.end(), [](std::uint16_t k) { return k % 4 < 2; });
  return order;
}

void find_rows_of_b(const MmaPlan& plan, const std::uint32_t* metadata, std::uint16_t* rows) {
  const bool of_words = plan.rule.a == Type::tf32, of_pairs = plan.a.bits == 4;
  // Four bits say which elements of a chunk of A's row are stored: 2 of 4, 2 pairs of 8, 1 of 2.
  const int stored_in_chunk = of_words ? 1 : of_pairs ? 4 : 2;
  const int chunk = 2 * stored_in_chunk, lanes = plan.b_rows / chunk / 4;  // That have metadata of a row
  // A lane has those of rows i and i + 8, of four chunks each, but of narrow types those of one row.
  const bool has_one_row = plan.a.bits <= 8;
  for (int row = 0; row < plan.m; ++row) {
    for (int t = 0; t < plan.terms; ++t) {
      const int j = plan.stored[t], c = j / stored_in_chunk, in_chunk = j % stored_in_chunk;
      const int lane = 4 * (row % 8) + plan.selector * lanes + (has_one_row ? 2 * (c / 8) + row / 8 : c / 4);
      const std::uint32_t four =
          metadata[lane] >> (has_one_row ? 4 * (c % 8) : 16 * (row / 8) + 4 * (c % 4)) & 15u;
      const auto second = [&](int which) { return static_cast<int>(four >> (2 * which) & 3u); };
      const int index = of_words   ? static_cast<int>(four >> 1 & 1u)
                        : of_pairs ? 2 * second(in_chunk / 2) + in_chunk % 2
                                   : second(in_chunk);
      rows[row * plan.terms + t] = static_cast<std::uint16_t>(c * chunk + index);
    }
  }
}

void multiply_by_element(const MmaPlan& plan, const void* a, const void* b, const void* c,
                         const std::uint32_t* metadata, void* d) {
  std::array<std::uint16_t, kMaxMatrixElements> rows;
  if (plan.stored != nullptr) find_rows_of_b(plan, metadata, rows.data());
  std::vector<Bits> x(plan.terms), y(plan.terms);
  for (std::size_t i = 0; i < std::size_t{plan.matrices} * plan.m; ++i) {
    const std::size_t matrix = i / plan.m;
    for (std::size_t t = 0; t < plan.terms; ++t) x[t] = element(plan.a, a, i * plan.terms + t);
    for (std::size_t j = 0; j < plan.n; ++j) {
      for (std::size_t t = 0; t < plan.terms; ++t) {
        const std::size_t row = plan.stored != nullptr ? rows[i * plan.terms + t] : t;
        y[t] = element(plan.b, b, (matrix * plan.b_rows + row) * plan.n + j);
      }
      set_element(plan.d, d, i * plan.n + j,
                  dot_product(plan.rule, x, y, element(plan.c, c, i * plan.n + j)));
    }
  }
}

std::optional<MmaForm> MmaForm::of(const ptx::Instruction& instruction, int compute_capability) {
  if (!exists(instruction)) return std::nullopt;
  const int terms = fragment_of(instruction, MatrixRole::a).columns;
  return make(instruction, rule_of(instruction, terms, compute_capability));
}

MmaForm MmaForm::make(const ptx::Instruction& instruction, const SumRule& rule) {
  const Fragment a = fragment_of(instruction, MatrixRole::a), b = fragment_of(instruction, MatrixRole::b),
                 c = fragment_of(instruction, MatrixRole::c), d = fragment_of(instruction, MatrixRole::d);
  MmaForm form;
  MmaPlan& plan = form.plan_;
  plan.matrices = a.matrices;
  plan.m = instruction.m;
  plan.n = instruction.n;
  plan.terms = a.columns;
  plan.b_rows = b.rows;
  plan.a = held(a);
  plan.b = held(b);
  plan.c = held(c);
  plan.d = held(d);
  plan.rule = rule;
  const std::vector<std::uint16_t> order = order_of_terms(plan.rule, plan.terms);
  for (std::size_t row = 0; row < a.places.size(); row += plan.terms) {
    for (const std::uint16_t t : order) form.a_.push_back(a.places[row + t]);
  }
  form.b_ = b.places;
  if (is_sparse(instruction)) {
    form.stored_ = order;
  } else {
    for (std::size_t at = 0; at < b.places.size(); ++at) {
      const std::size_t row = at / plan.n, matrix = row / plan.b_rows;
      form.b_[at] = b.places[(matrix * plan.b_rows + order[row % plan.b_rows]) * plan.n + at % plan.n];
    }
  }
  form.c_ = c.places;
  form.d_ = d.places;
  if (is_sparse(instruction)) plan.selector = static_cast<std::uint8_t>(instruction.operands[5].bits);
  form.point_to_lists();
  plan.stored = is_sparse(instruction) ? form.stored_.data() : nullptr;
  return form;
}

/// What a vector holds stays in place when it is moved.
void MmaForm::point_to_lists() {
  plan_.a.places = a_.data();
  plan_.b.places = b_.data();
  plan_.c.places = c_.data();
  plan_.d.places = d_.data();
}

std::optional<MmaForm> MmaForm::of_warpgroup(const ptx::Instruction& instruction) {
  const bool is_sparse = instruction.opcode == Opcode::wgmma_mma_async_sp;
  if ((instruction.opcode != Opcode::wgmma_mma_async && !is_sparse) || instruction.m != 64 ||
      instruction.layouts != 0)
    return std::nullopt;
  const Family family = family_of(instruction.source_type);
  const bool has_columns = instruction.n % 8 == 0 && instruction.n >= 8 && instruction.n <= 256 &&
                           (!is_integer(family) || instruction.n <= 32 || instruction.n % 16 == 0);
  ptx::Instruction tile = instruction;
  tile.opcode = is_sparse ? Opcode::mma_sp : Opcode::mma;
  tile.m = 16;
  tile.n = 8;
  tile.c_type = tile.type;
  tile.by_columns = 2;
  constexpr std::size_t kSelector = 4, kSelectorOfTile = 5;
  if (is_sparse) {
    tile.operands.resize(kSelectorOfTile + 1);
    tile.operands[kSelectorOfTile] = instruction.operands[kSelector];
  }
  ptx::Instruction known = tile;  // mma.sp of fp8 has sums in f32 only
  if (is_sparse && family == Family::fp8 && tile.type == Type::f16) known.type = known.c_type = Type::f32;
  const bool counts_bits = family == Family::b1;
  constexpr int kBitsOfRow = 256;  // Of A, as it is stored
  if (!has_columns || family == Family::f64 || family == Family::int4 ||
      tile.k * bits_of(tile.source_type) != (is_sparse ? 2 : 1) * kBitsOfRow || !exists(known) ||
      counts_bits != (tile.bool_op == ptx::BoolOp::and_))
    return std::nullopt;
  constexpr int kHopper = 90;
  SumRule rule = rule_of(tile, counts_bits ? tile.k / 32 : is_sparse ? tile.k / 2 : tile.k, kHopper);
  if (family == Family::fp8) {
    rule.kind = SumKind::aligned;
    rule.normalises = false;
    rule.fraction_bits = rule.result_bits = 13;
    rule.block = 32;
  }
  MmaForm form = make(tile, rule);
  const auto by_rows = [](std::vector<std::uint16_t>& places) {
    std::iota(places.begin(), places.end(), std::uint16_t{0});
  };
  by_rows(form.b_);
  if (instruction.operands[1].kind != ptx::Operand::Kind::vector) by_rows(form.a_);
  return form;
}

std::optional<MmaForm> MmaForm::of_any(const ptx::Instruction& instruction, int compute_capability) {
  return ptx::effect_of(instruction) == ptx::Effect::warpgroup_product ? of_warpgroup(instruction)
                                                                       : of(instruction, compute_capability);
}

}  // namespace warplens::tensor
