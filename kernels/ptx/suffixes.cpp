#include "kernels/ptx/suffixes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "kernels/ptx/opcodes.h"

namespace warplens::ptx {
namespace {

struct Suffix {
  std::string_view word;
  std::uint64_t families;
  void (*apply)(Instruction&);
};

using I = Instruction;

void ignore(I&) {}

template <auto kMember, auto kValue = true>
void set(I& instruction) {
  instruction.*kMember = kValue;
}

/// The destination's state space is written before the source's.
template <StateSpace kSpaceOf, bool kOfCluster = false>
void add_space(I& instruction) {
  (instruction.to_space == StateSpace::none ? instruction.to_space : instruction.space) = kSpaceOf;
  instruction.of_cluster |= kOfCluster;
}

void set_shared_of_cluster(I& instruction) {
  instruction.space = StateSpace::shared;
  instruction.of_cluster = true;
}

template <bool kByColumns>
void add_layout(I& instruction) {
  if (kByColumns && instruction.layouts < 8)
    instruction.by_columns = static_cast<std::uint8_t>(instruction.by_columns | 1u << instruction.layouts);
  ++instruction.layouts;
}

constexpr Suffix kSuffixes[] = {
    {"rn", kRounding, set<&I::rounding, Rounding::rn>},
    {"rz", kRounding, set<&I::rounding, Rounding::rz>},
    {"rm", kRounding, set<&I::rounding, Rounding::rm>},
    {"rp", kRounding, set<&I::rounding, Rounding::rp>},
    {"rna", kRounding, set<&I::rounding, Rounding::rna>},
    {"rni", kRounding, set<&I::rounding, Rounding::rni>},
    {"rzi", kRounding, set<&I::rounding, Rounding::rzi>},
    {"rmi", kRounding, set<&I::rounding, Rounding::rmi>},
    {"rpi", kRounding, set<&I::rounding, Rounding::rpi>},
    {"ftz", kFtz, set<&I::ftz>},
    {"sat", kSat, set<&I::sat>},
    {"mask", kEvents, ignore},
    {"satfinite", kSatFinite, set<&I::sat_finite>},
    {"relu", kRelu, set<&I::relu>},
    {"approx", kApprox, set<&I::approx>},
    {"full", kApprox, set<&I::full>},
    {"NaN", kExtremum, set<&I::nan>},
    {"xorsign", kExtremum, set<&I::xor_sign>},
    {"abs", kExtremum, set<&I::absolute>},
    {"cc", kCarry, set<&I::carry_out>},
    {"lo", kHalves, set<&I::mul, MulMode::lo>},
    {"hi", kHalves, set<&I::mul, MulMode::hi>},
    {"wide", kHalves, set<&I::mul, MulMode::wide>},
    {"l", kShift, set<&I::left>},
    {"r", kShift, set<&I::right>},
    {"wrap", kShift, set<&I::wrap>},
    {"clamp", kShift, set<&I::clamp>},
    {"shiftamt", kShift, set<&I::shiftamt>},
    {"f4e", kPermute, set<&I::permute, PermuteMode::f4e>},
    {"b4e", kPermute, set<&I::permute, PermuteMode::b4e>},
    {"rc8", kPermute, set<&I::permute, PermuteMode::rc8>},
    {"ecl", kPermute, set<&I::permute, PermuteMode::ecl>},
    {"ecr", kPermute, set<&I::permute, PermuteMode::ecr>},
    {"rc16", kPermute, set<&I::permute, PermuteMode::rc16>},
    {"finite", kTest, set<&I::test, FloatTest::finite>},
    {"infinite", kTest, set<&I::test, FloatTest::infinite>},
    {"number", kTest, set<&I::test, FloatTest::number>},
    {"notanumber", kTest, set<&I::test, FloatTest::not_a_number>},
    {"normal", kTest, set<&I::test, FloatTest::normal>},
    {"subnormal", kTest, set<&I::test, FloatTest::subnormal>},
    {"eq", kCompare, set<&I::compare, Compare::eq>},
    {"ne", kCompare, set<&I::compare, Compare::ne>},
    {"lt", kCompare, set<&I::compare, Compare::lt>},
    {"le", kCompare, set<&I::compare, Compare::le>},
    {"gt", kCompare, set<&I::compare, Compare::gt>},
    {"ge", kCompare, set<&I::compare, Compare::ge>},
    {"lo", kCompare, set<&I::compare, Compare::lo>},
    {"ls", kCompare, set<&I::compare, Compare::ls>},
    {"hi", kCompare, set<&I::compare, Compare::hi>},
    {"hs", kCompare, set<&I::compare, Compare::hs>},
    {"equ", kCompare, set<&I::compare, Compare::equ>},
    {"neu", kCompare, set<&I::compare, Compare::neu>},
    {"ltu", kCompare, set<&I::compare, Compare::ltu>},
    {"leu", kCompare, set<&I::compare, Compare::leu>},
    {"gtu", kCompare, set<&I::compare, Compare::gtu>},
    {"geu", kCompare, set<&I::compare, Compare::geu>},
    {"num", kCompare, set<&I::compare, Compare::num>},
    {"nan", kCompare, set<&I::compare, Compare::nan>},
    {"and", kBool, set<&I::bool_op, BoolOp::and_>},
    {"or", kBool, set<&I::bool_op, BoolOp::or_>},
    {"xor", kBool, set<&I::bool_op, BoolOp::xor_>},
    {"uni", kUniform, set<&I::uniform>},
    {"global", kSpace, set<&I::space, StateSpace::global>},
    {"shared", kSpace, set<&I::space, StateSpace::shared>},
    {"shared::cta", kSpace, set<&I::space, StateSpace::shared>},
    {"shared::cluster", kSpace, set_shared_of_cluster},
    {"local", kSpace, set<&I::space, StateSpace::local>},
    {"const", kSpace, set<&I::space, StateSpace::constant>},
    {"param", kSpace, set<&I::space, StateSpace::param>},
    {"param::entry", kSpace, set<&I::space, StateSpace::param>},
    {"param::func", kSpace, set<&I::space, StateSpace::param>},
    {"v2", kVector, set<&I::vector, 2>},
    {"v4", kVector, set<&I::vector, 4>},
    {"v8", kVector, set<&I::vector, 8>},
    {"volatile", kMemory, set<&I::is_volatile>},
    {"nc", kMemory, set<&I::non_coherent>},
    {"cg", kMemory, set<&I::cache_global>},
    {"ca", kMemory, ignore},
    {"cs", kMemory, ignore},
    {"lu", kMemory, ignore},
    {"cv", kMemory, ignore},
    {"wb", kMemory, ignore},
    {"wt", kMemory, ignore},
    {"weak", kMemory, ignore},
    {"mmio", kMemory, ignore},
    {"noftz", kMemory, ignore},
    {"relaxed", kMemory | kFence, ignore},
    {"acquire", kMemory | kFence, ignore},
    {"release", kMemory | kFence, ignore},
    {"acq_rel", kMemory | kFence, ignore},
    {"cta", kMemory | kFence | kBarrier, ignore},
    {"cluster", kMemory | kFence, ignore},
    {"gpu", kMemory | kFence, ignore},
    {"sys", kMemory | kFence, ignore},
    {"gl", kFence, ignore},
    {"sc", kFence, ignore},
    {"proxy", kFence, ignore},
    {"alias", kFence, ignore},
    {"async", kFence, set<&I::fences_async_proxy>},
    {"async::generic", kFence, ignore},
    {"tensormap::generic", kFence, ignore},
    {"global", kFence, ignore},
    {"shared::cta", kFence, ignore},
    {"shared::cluster", kFence, ignore},
    {"sync_restrict::shared::cta", kFence, ignore},
    {"sync_restrict::shared::cluster", kFence, ignore},
    {"mbarrier_init", kFence, ignore},
    {"L2::cache_hint", kMemory | kBulk, set<&I::has_cache_policy>},
    {"L1", kMemory, ignore},
    {"L2", kMemory, ignore},
    {"add", kAtomic, set<&I::atomic, AtomicOp::add>},
    {"and", kAtomic, set<&I::atomic, AtomicOp::and_>},
    {"or", kAtomic, set<&I::atomic, AtomicOp::or_>},
    {"xor", kAtomic, set<&I::atomic, AtomicOp::xor_>},
    {"cas", kAtomic, set<&I::atomic, AtomicOp::cas>},
    {"exch", kAtomic, set<&I::atomic, AtomicOp::exch>},
    {"inc", kAtomic, set<&I::atomic, AtomicOp::inc>},
    {"dec", kAtomic, set<&I::atomic, AtomicOp::dec>},
    {"min", kAtomic, set<&I::atomic, AtomicOp::min>},
    {"max", kAtomic, set<&I::atomic, AtomicOp::max>},
    {"add", kSecondary, set<&I::secondary, AtomicOp::add>},
    {"min", kSecondary, set<&I::secondary, AtomicOp::min>},
    {"max", kSecondary, set<&I::secondary, AtomicOp::max>},
    {"po", kVideoProduct, set<&I::plus_one>},
    {"shr7", kVideoProduct, set<&I::scale, 7>},
    {"shr15", kVideoProduct, set<&I::scale, 15>},
    {"sync", kSync, set<&I::sync>},
    {"aligned", kAligned | kMayAlign, set<&I::aligned>},
    {"up", kShuffle, set<&I::shuffle, ShuffleMode::up>},
    {"down", kShuffle, set<&I::shuffle, ShuffleMode::down>},
    {"bfly", kShuffle, set<&I::shuffle, ShuffleMode::bfly>},
    {"idx", kShuffle, set<&I::shuffle, ShuffleMode::idx>},
    {"all", kVote, set<&I::vote, VoteMode::all>},
    {"any", kVote, set<&I::vote, VoteMode::any>},
    {"uni", kVote, set<&I::vote, VoteMode::uni>},
    {"ballot", kVote, set<&I::vote, VoteMode::ballot>},
    {"x1", kMatrix, set<&I::matrices, 1>},
    {"x2", kMatrix, set<&I::matrices, 2>},
    {"x4", kMatrix, set<&I::matrices, 4>},
    {"trans", kMatrix, set<&I::transposed>},
    {"row", kMatrix, add_layout<false>},
    {"col", kMatrix, add_layout<true>},
    {"popc", kMatrix, ignore},
    {"m8n8", kMatrix, ignore},
    {"1d", kTexture, set<&I::texture, TextureGeometry::one>},
    {"2d", kTexture, set<&I::texture, TextureGeometry::two>},
    {"3d", kTexture, set<&I::texture, TextureGeometry::three>},
    {"a1d", kTexture, set<&I::texture, TextureGeometry::layered_one>},
    {"a2d", kTexture, set<&I::texture, TextureGeometry::layered_two>},
    {"cube", kTexture, set<&I::texture, TextureGeometry::cube>},
    {"acube", kTexture, set<&I::texture, TextureGeometry::layered_cube>},
    {"trap", kTexture, set<&I::beyond, BeyondSurface::trap>},
    {"clamp", kTexture, set<&I::beyond, BeyondSurface::clamp>},
    {"zero", kTexture, set<&I::beyond, BeyondSurface::zero>},
    {"shared::cluster", kBulk, add_space<StateSpace::shared, true>},
    {"shared::cta", kBulk, add_space<StateSpace::shared>},
    {"global", kBulk, add_space<StateSpace::global>},
    {"mbarrier::complete_tx::bytes", kBulk | kCompletion, set<&I::completes_at_mbarrier>},
    {"bulk_group", kBulk, ignore},
    {"multicast::cluster", kBulk, set<&I::multicast>},
    {"noftz", kBulk, ignore},
    {"tile", kBulk, ignore},
    {"im2col", kBulk, set<&I::im2col>},
    {"im2col_no_offs", kBulk, set<&I::im2col>},
    {"tile", kTensorMap, ignore},
    {"b1024", kTensorMap, ignore},
    {"global_address", kTensorMap, set<&I::map_field, TensorMapField::global_address>},
    {"rank", kTensorMap, set<&I::map_field, TensorMapField::rank>},
    {"box_dim", kTensorMap, set<&I::map_field, TensorMapField::box_dim>},
    {"global_dim", kTensorMap, set<&I::map_field, TensorMapField::global_dim>},
    {"global_stride", kTensorMap, set<&I::map_field, TensorMapField::global_stride>},
    {"element_stride", kTensorMap, set<&I::map_field, TensorMapField::element_stride>},
    {"elemtype", kTensorMap, set<&I::map_field, TensorMapField::elemtype>},
    {"interleave_layout", kTensorMap, set<&I::map_field, TensorMapField::interleave_layout>},
    {"swizzle_mode", kTensorMap, set<&I::map_field, TensorMapField::swizzle_mode>},
    {"fill_mode", kTensorMap, set<&I::map_field, TensorMapField::fill_mode>},
    {"1d", kBulk, set<&I::dimensions, 1>},
    {"2d", kBulk, set<&I::dimensions, 2>},
    {"3d", kBulk, set<&I::dimensions, 3>},
    {"4d", kBulk, set<&I::dimensions, 4>},
    {"5d", kBulk, set<&I::dimensions, 5>},
    {"to", kTo, set<&I::to_space, StateSpace::generic>},
    {"sync", kBarrier, set<&I::barrier, BarrierMode::sync>},
    {"arrive", kBarrier, set<&I::barrier, BarrierMode::arrive>},
    {"red", kBarrier, ignore},
    {"popc", kBarrier, set<&I::barrier, BarrierMode::red_popc>},
    {"and", kBarrier, set<&I::barrier, BarrierMode::red_and>},
    {"or", kBarrier, set<&I::barrier, BarrierMode::red_or>},
};

using Rows = std::unordered_map<std::string_view, const OpcodeRow*>;

/// By OpcodeRow::written.
const Rows& written_rows() {
  static const Rows kRows = [] {
    Rows rows;
    for (const OpcodeRow& row : opcode_rows()) rows.emplace(row.written, &row);
    return rows;
  }();
  return kRows;
}

/// Returns the row of the longest beginning of `written` that the table has, cut at a dot; null if there is
/// none.
const OpcodeRow* find_row(std::string_view written) {
  constexpr int kMaxWords = 5;
  std::array<std::size_t, kMaxWords> ends{};
  int words = 0;
  for (std::size_t end = 0; words < kMaxWords && end < written.size(); ++words) {
    end = std::min(written.find('.', end + 1), written.size());
    ends[words] = end;
  }
  while (words-- > 0) {
    const auto found = written_rows().find(written.substr(0, ends[words]));
    if (found != written_rows().end()) return found->second;
  }
  return nullptr;
}

Type find_type(std::string_view word) {
  for (int i = static_cast<int>(Type::pred); i <= static_cast<int>(Type::b1); ++i) {
    if (name_of(static_cast<Type>(i)) == word) return static_cast<Type>(i);
  }
  return Type::none;
}

/// The shape of a product: `m16n8k16`.
bool apply_shape(std::string_view word, Instruction& instruction) {
  for (const auto& [letter, extent] : {std::pair('m', &I::m), std::pair('n', &I::n), std::pair('k', &I::k)}) {
    if (word.empty() || word.front() != letter) return false;
    const auto [end, error] =
        std::from_chars(word.data() + 1, word.data() + word.size(), instruction.*extent);
    if (error != std::errc()) return false;
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  }
  return word.empty();
}

bool apply_suffix(std::string_view word, std::uint64_t families, Instruction& instruction) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.word != word || (suffix.families & families) == 0) continue;
    suffix.apply(instruction);
    return true;
  }
  if ((families & kMatrix) != 0 && apply_shape(word, instruction)) return true;
  return (families & kMemory) != 0 && (word.starts_with("L1::") || word.starts_with("L2::"));
}

/// Applies the suffixes, such as "global.v4.f32"; false if one is unknown, or the number of types is wrong.
bool apply_suffixes(std::string_view suffixes, const OpcodeRow& row, Instruction& instruction) {
  Type* const types[] = {&instruction.type, &instruction.source_type, &instruction.b_type,
                         &instruction.c_type};
  std::size_t type_count = 0;
  while (!suffixes.empty()) {
    const std::string_view word = suffixes.substr(0, suffixes.find('.'));
    suffixes.remove_prefix(std::min(word.size() + 1, suffixes.size()));
    if (const Type type = find_type(word); type != Type::none) {
      const bool of_matrices_only = type >= Type::e4m3;
      if (type_count == row.max_types || (of_matrices_only && (row.suffixes & kMatrix) == 0)) return false;
      *types[type_count++] = type;
    } else if (!apply_suffix(word, row.suffixes, instruction)) {
      return false;
    }
  }
  return type_count >= row.min_types;
}

/// wmma.mma of f16 names the types of D and C only.
bool complete_product(std::string_view suffixes, Instruction& instruction) {
  if (instruction.b_type == Type::none) {
    instruction.c_type = instruction.source_type;
    instruction.source_type = instruction.b_type = Type::f16;
  }
  const bool counts_bits = suffixes.find("popc") != std::string_view::npos;
  return instruction.m != 0 && instruction.layouts == 2 && instruction.c_type != Type::none &&
         counts_bits == (instruction.source_type == Type::b1) &&
         counts_bits == (instruction.bool_op != BoolOp::none);
}

/// Whether there is a bulk copy of these state spaces. PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor".
bool is_bulk_copy(Opcode opcode, const Instruction& instruction) {
  const bool is_tensor =
      opcode == Opcode::cp_async_bulk_tensor || opcode == Opcode::cp_reduce_async_bulk_tensor;
  const bool reduces =
      opcode == Opcode::cp_reduce_async_bulk || opcode == Opcode::cp_reduce_async_bulk_tensor;
  const StateSpace from = instruction.space, to = instruction.to_space;
  if (is_tensor != (instruction.dimensions != 0) || reduces != (instruction.atomic != AtomicOp::none))
    return false;
  if (to == StateSpace::global)
    return from == StateSpace::shared && !instruction.completes_at_mbarrier && !instruction.of_cluster;
  const bool comes_from_shared = from == StateSpace::shared && !is_tensor;
  return to == StateSpace::shared && instruction.completes_at_mbarrier &&
         (comes_from_shared || (from == StateSpace::global && !reduces));
}

/// What holds by default or follows from the opcode; false if it needs other suffixes than it has.
bool complete(std::string_view suffixes, const OpcodeRow& row, Instruction& instruction) {
  if ((row.suffixes & kSpace) != 0 && instruction.space == StateSpace::none)
    instruction.space = StateSpace::generic;
  const bool is_of_mbarrier = row.effect == Effect::mbarrier || row.opcode == Opcode::mbarrier_pending_count;
  if (is_of_mbarrier) {
    return instruction.type == Type::b64 &&
           (instruction.space == StateSpace::shared || instruction.space == StateSpace::generic);
  }
  switch (row.opcode) {
    case Opcode::bar:
    case Opcode::barrier:
      return instruction.barrier != BarrierMode::none &&
             (count_destinations(instruction) > 0) == (instruction.type != Type::none);
    case Opcode::wmma_load_a:
    case Opcode::wmma_load_b:
    case Opcode::wmma_load_c:
    case Opcode::wmma_store_d: return instruction.m != 0 && instruction.layouts == 1;
    case Opcode::cp_async: instruction.space = StateSpace::shared; return true;
    case Opcode::cp_async_bulk:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_reduce_async_bulk_tensor: return is_bulk_copy(row.opcode, instruction);
    case Opcode::st_async:
    case Opcode::red_async: {
      // What is of global memory and completes at no mbarrier needs compute capability 10.0.
      const bool may_default = row.opcode == Opcode::red_async;
      const bool is_of_cluster = instruction.space == StateSpace::generic ||
                                 (instruction.space == StateSpace::shared && instruction.of_cluster);
      instruction.completes_at_mbarrier |= may_default;
      return instruction.completes_at_mbarrier && is_of_cluster;
    }
    case Opcode::tensormap_replace:
      return instruction.map_field != TensorMapField::none &&
             (instruction.space == StateSpace::global || instruction.space == StateSpace::generic ||
              (instruction.space == StateSpace::shared && !instruction.of_cluster));
    case Opcode::mapa:
    case Opcode::getctarank:
      return instruction.space == StateSpace::generic ||
             (instruction.space == StateSpace::shared && instruction.of_cluster);
    case Opcode::cvta:
      if (std::exchange(instruction.to_space, StateSpace::generic) != StateSpace::none)
        std::swap(instruction.space, instruction.to_space);
      return true;
    case Opcode::suld:
    case Opcode::sust: {
      const bool is_cube = instruction.texture == TextureGeometry::cube ||
                           instruction.texture == TextureGeometry::layered_cube;
      return instruction.texture != TextureGeometry::none && !is_cube &&
             instruction.beyond != BeyondSurface::none;
    }
    case Opcode::tld4_a:
    case Opcode::tld4_b:
    case Opcode::tld4_g:
    case Opcode::tld4_r:
    case Opcode::tex:
    case Opcode::tex_grad:
    case Opcode::tex_level:
      return instruction.texture != TextureGeometry::none && instruction.beyond == BeyondSurface::none;
    case Opcode::mma:
    case Opcode::mma_sp:
    case Opcode::mma_sp_ordered:
    case Opcode::wmma_mma: return complete_product(suffixes, instruction);
    default: return true;
  }
}

}  // namespace

bool is_known(std::string_view written) {
  return find_row(written) != nullptr;
}

Instruction decode_opcode(std::string_view written) {
  const OpcodeRow* const row = find_row(written);
  if (row == nullptr) return {};
  Instruction instruction;
  instruction.opcode = row->opcode;
  if ((row->suffixes & kMayAlign) != 0) instruction.aligned = false;
  const std::string_view suffixes = written.substr(std::min(row->written.size() + 1, written.size()));
  const bool is_known = apply_suffixes(suffixes, *row, instruction) && complete(suffixes, *row, instruction);
  return is_known ? instruction : Instruction{};
}

}  // namespace warplens::ptx
