#include "kernels/ptx/opcodes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace warplens::ptx {
namespace {

// Suffixes come in families, and an opcode takes some of them: the same word can mean several things (`.lo` is half of a product, or "unsigned
// lower").
enum Family : std::uint32_t {
  kRounding = 1u << 0,
  kFtz = 1u << 1,
  kSat = 1u << 2,
  kRelu = 1u << 3,
  kApprox = 1u << 4,
  kExtremum = 1u << 5,  // .NaN .xorsign .abs
  kCarry = 1u << 6,
  kHalves = 1u << 7,  // .lo .hi .wide
  kShift = 1u << 8,   // .l .r .wrap .clamp .shiftamt
  kPermute = 1u << 9,
  kTest = 1u << 10,
  kCompare = 1u << 11,
  kBool = 1u << 12,
  kUniform = 1u << 13,
  kSpace = 1u << 14,
  kVector = 1u << 15,
  kMemory = 1u << 16,  // ordering, scope, caches
  kFence = 1u << 17,
  kAtomic = 1u << 18,
  kSync = 1u << 19,     // .sync
  kAligned = 1u << 20,  // .aligned, where nothing else is possible
  kMayAlign = 1u << 21,
  kShuffle = 1u << 22,
  kVote = 1u << 23,
  kMatrix = 1u << 24,  // shape, layout and number of matrices
};

struct Suffix {
  std::string_view word;
  std::uint32_t families;
  void (*apply)(Instruction&);
};

using I = Instruction;

void ignore(I&) {}

template <auto Member, auto Value = true>
void set(I& instruction) {
  instruction.*Member = Value;
}

template <std::uint16_t M, std::uint16_t N, std::uint16_t K>
void set_shape(I& instruction) {
  instruction.m = M;
  instruction.n = N;
  instruction.k = K;
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
    {"relaxed", kMemory, ignore},
    {"acquire", kMemory | kFence, ignore},
    {"release", kMemory | kFence, ignore},
    {"acq_rel", kMemory | kFence, ignore},
    {"cta", kMemory | kFence, ignore},
    {"cluster", kMemory | kFence, ignore},
    {"gpu", kMemory | kFence, ignore},
    {"sys", kMemory | kFence, ignore},
    {"gl", kFence, ignore},
    {"sc", kFence, ignore},
    {"proxy", kFence, ignore},
    {"alias", kFence, ignore},
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
    {"row", kMatrix, ignore},
    {"col", kMatrix, ignore},
    {"m8n8", kMatrix, ignore},
    {"m8n8k4", kMatrix, set_shape<8, 8, 4>},
    {"m8n8k16", kMatrix, set_shape<8, 8, 16>},
    {"m16n8k4", kMatrix, set_shape<16, 8, 4>},
    {"m16n8k8", kMatrix, set_shape<16, 8, 8>},
    {"m16n8k16", kMatrix, set_shape<16, 8, 16>},
    {"m16n8k32", kMatrix, set_shape<16, 8, 32>},
};

struct OpcodeInfo {
  Opcode opcode;
  std::uint32_t families;
  std::uint8_t fewest_types, most_types;
  std::string_view signature;               // see Form::signature
  BarrierMode barrier = BarrierMode::none;  // of bar and barrier
};

constexpr std::uint32_t kArithmetic = kRounding | kFtz | kSat | kCarry;
constexpr std::uint32_t kAccess = kSpace | kVector | kMemory;

// By the opcode's words, its fixed suffixes included: the longest match counts. Operands and suffixes: PTX ISA, "Instruction Set".
const std::unordered_map<std::string_view, OpcodeInfo> kOpcodes = {
    {"abs", {Opcode::abs, kFtz, 1, 1, "ds"}},
    {"activemask", {Opcode::activemask, 0, 1, 1, "d"}},
    {"add", {Opcode::add, kArithmetic, 1, 1, "dss"}},
    {"addc", {Opcode::addc, kCarry, 1, 1, "dss"}},
    {"and", {Opcode::and_, 0, 1, 1, "dss"}},
    {"atom", {Opcode::atom, kAccess | kAtomic, 1, 1, "DaS?ss"}},
    {"bar.sync", {Opcode::bar, 0, 0, 0, "s?s", BarrierMode::sync}},
    {"bar.arrive", {Opcode::bar, 0, 0, 0, "ss", BarrierMode::arrive}},
    {"bar.red.popc", {Opcode::bar, 0, 1, 1, "dss?s", BarrierMode::red_popc}},
    {"bar.red.and", {Opcode::bar, 0, 1, 1, "dss?s", BarrierMode::red_and}},
    {"bar.red.or", {Opcode::bar, 0, 1, 1, "dss?s", BarrierMode::red_or}},
    {"bar.warp.sync", {Opcode::bar_warp_sync, 0, 0, 0, "s"}},
    {"barrier.sync", {Opcode::barrier, kMayAlign, 0, 0, "s?s", BarrierMode::sync}},
    {"barrier.arrive", {Opcode::barrier, kMayAlign, 0, 0, "ss", BarrierMode::arrive}},
    {"barrier.red.popc", {Opcode::barrier, kMayAlign, 1, 1, "dss?s", BarrierMode::red_popc}},
    {"barrier.red.and", {Opcode::barrier, kMayAlign, 1, 1, "dss?s", BarrierMode::red_and}},
    {"barrier.red.or", {Opcode::barrier, kMayAlign, 1, 1, "dss?s", BarrierMode::red_or}},
    {"bfe", {Opcode::bfe, 0, 1, 1, "dsss"}},
    {"bfi", {Opcode::bfi, 0, 1, 1, "dssss"}},
    {"bfind", {Opcode::bfind, kShift, 1, 1, "ds"}},
    {"bmsk", {Opcode::bmsk, kShift, 1, 1, "dss"}},
    {"bra", {Opcode::bra, kUniform, 0, 0, "l"}},
    {"brev", {Opcode::brev, 0, 1, 1, "ds"}},
    {"brkpt", {Opcode::brkpt, 0, 0, 0, ""}},
    {"brx.idx", {Opcode::brx_idx, kUniform, 0, 0, "st"}},
    {"call", {Opcode::call, kUniform, 0, 0, ""}},
    {"clz", {Opcode::clz, 0, 1, 1, "ds"}},
    {"cnot", {Opcode::cnot, 0, 1, 1, "ds"}},
    {"copysign", {Opcode::copysign, 0, 1, 1, "dss"}},
    {"cos", {Opcode::cos, kApprox | kFtz, 1, 1, "ds"}},
    {"cp.async.ca", {Opcode::cp_async, kSpace | kMemory, 0, 0, "aas?ss"}},
    {"cp.async.cg", {Opcode::cp_async, kSpace | kMemory, 0, 0, "aas?ss"}},
    {"cp.async.commit_group", {Opcode::cp_async_commit_group, 0, 0, 0, ""}},
    {"cp.async.wait_all", {Opcode::cp_async_wait_all, 0, 0, 0, ""}},
    {"cp.async.wait_group", {Opcode::cp_async_wait_group, 0, 0, 0, "s"}},
    {"cvt", {Opcode::cvt, kRounding | kFtz | kSat | kRelu, 2, 2, "ds?s"}},
    {"cvt.pack", {Opcode::cvt_pack, kSat, 2, 3, "dss?s"}},
    {"cvta", {Opcode::cvta, kSpace, 1, 1, "ds"}},
    {"cvta.to", {Opcode::cvta, kSpace, 1, 1, "ds"}},
    {"div", {Opcode::div, kRounding | kFtz | kApprox, 1, 1, "dss"}},
    {"dp2a", {Opcode::dp2a, kHalves, 2, 2, "dsss"}},
    {"dp4a", {Opcode::dp4a, 0, 2, 2, "dsss"}},
    {"elect", {Opcode::elect, kSync, 0, 0, "d|s"}},
    {"ex2", {Opcode::ex2, kApprox | kFtz, 1, 1, "ds"}},
    {"exit", {Opcode::exit, 0, 0, 0, ""}},
    {"fence", {Opcode::fence, kFence, 0, 0, ""}},
    {"fma", {Opcode::fma, kRounding | kFtz | kSat | kRelu, 1, 1, "dsss"}},
    {"fns", {Opcode::fns, 0, 1, 1, "dsss"}},
    {"isspacep", {Opcode::isspacep, kSpace, 0, 0, "ds"}},
    {"ld", {Opcode::ld, kAccess, 1, 1, "Da?s"}},
    {"ldmatrix", {Opcode::ldmatrix, kSync | kAligned | kMatrix | kSpace, 1, 1, "Da"}},
    {"ldu", {Opcode::ldu, kAccess, 1, 1, "Da"}},
    {"lg2", {Opcode::lg2, kApprox | kFtz, 1, 1, "ds"}},
    {"lop3", {Opcode::lop3, kBool, 1, 1, "d|ssss?s"}},
    {"mad", {Opcode::mad, kArithmetic | kHalves, 1, 1, "dsss"}},
    {"mad24", {Opcode::mad24, kHalves | kSat, 1, 1, "dsss"}},
    {"madc", {Opcode::madc, kHalves | kCarry, 1, 1, "dsss"}},
    {"match", {Opcode::match, kVote | kSync, 1, 1, "d|ss"}},
    {"max", {Opcode::max, kFtz | kExtremum | kRelu, 1, 1, "dss"}},
    {"membar", {Opcode::membar, kFence, 0, 0, ""}},
    {"min", {Opcode::min, kFtz | kExtremum | kRelu, 1, 1, "dss"}},
    {"mma", {Opcode::mma, kSync | kAligned | kMatrix, 4, 4, "DSSS"}},
    {"mov", {Opcode::mov, 0, 1, 1, "DS"}},
    {"movmatrix", {Opcode::movmatrix, kSync | kAligned | kMatrix, 1, 1, "ds"}},
    {"mul", {Opcode::mul, kArithmetic | kHalves, 1, 1, "dss"}},
    {"mul24", {Opcode::mul24, kHalves, 1, 1, "dss"}},
    {"nanosleep", {Opcode::nanosleep, 0, 1, 1, "s"}},
    {"neg", {Opcode::neg, kFtz, 1, 1, "ds"}},
    {"not", {Opcode::not_, 0, 1, 1, "ds"}},
    {"or", {Opcode::or_, 0, 1, 1, "dss"}},
    {"popc", {Opcode::popc, 0, 1, 1, "ds"}},
    {"prefetch", {Opcode::prefetch, kSpace | kMemory, 0, 0, "a"}},
    {"prefetchu", {Opcode::prefetch, kMemory, 0, 0, "a"}},
    {"prmt", {Opcode::prmt, kPermute, 1, 1, "dsss"}},
    {"rcp", {Opcode::rcp, kRounding | kFtz | kApprox, 1, 1, "ds"}},
    {"red", {Opcode::red, kAccess | kAtomic, 1, 1, "aS?s"}},
    {"redux", {Opcode::redux, kSync | kAtomic, 1, 1, "dss"}},
    {"rem", {Opcode::rem, 0, 1, 1, "dss"}},
    {"ret", {Opcode::ret, kUniform, 0, 0, ""}},
    {"rsqrt", {Opcode::rsqrt, kApprox | kFtz, 1, 1, "ds"}},
    {"sad", {Opcode::sad, 0, 1, 1, "dsss"}},
    {"selp", {Opcode::selp, 0, 1, 1, "dsss"}},
    {"set", {Opcode::set, kCompare | kBool | kFtz, 2, 2, "dss?s"}},
    {"setp", {Opcode::setp, kCompare | kBool | kFtz, 1, 1, "d|ss?s"}},
    {"shf", {Opcode::shf, kShift, 1, 1, "dsss"}},
    {"shfl", {Opcode::shfl, kShuffle | kSync, 1, 1, "d|sss?s"}},
    {"shl", {Opcode::shl, 0, 1, 1, "dss"}},
    {"shr", {Opcode::shr, 0, 1, 1, "dss"}},
    {"sin", {Opcode::sin, kApprox | kFtz, 1, 1, "ds"}},
    {"slct", {Opcode::slct, kFtz, 2, 2, "dsss"}},
    {"sqrt", {Opcode::sqrt, kRounding | kFtz | kApprox, 1, 1, "ds"}},
    {"st", {Opcode::st, kAccess, 1, 1, "aS?s"}},
    {"stmatrix", {Opcode::stmatrix, kSync | kAligned | kMatrix | kSpace, 1, 1, "aS"}},
    {"sub", {Opcode::sub, kArithmetic, 1, 1, "dss"}},
    {"subc", {Opcode::subc, kCarry, 1, 1, "dss"}},
    {"szext", {Opcode::szext, kShift, 1, 1, "dss"}},
    {"tanh", {Opcode::tanh, kApprox, 1, 1, "ds"}},
    {"testp", {Opcode::testp, kTest, 1, 1, "ds"}},
    {"trap", {Opcode::trap, 0, 0, 0, ""}},
    {"vote", {Opcode::vote, kVote | kSync, 1, 1, "ds?s"}},
    {"xor", {Opcode::xor_, 0, 1, 1, "dss"}},
};

/// The longest beginning of `opcode` that the table knows, cut at a dot.
std::string_view find_root(std::string_view opcode) {
  constexpr int kMostWords = 3;
  std::array<std::size_t, kMostWords> ends{};
  int words = 0;
  for (std::size_t end = 0; words < kMostWords && end < opcode.size(); ++words) {
    end = std::min(opcode.find('.', end + 1), opcode.size());
    ends[words] = end;
  }
  while (words-- > 0) {
    const std::string_view root = opcode.substr(0, ends[words]);
    if (kOpcodes.contains(root)) return root;
  }
  return {};
}

Type find_type(std::string_view word) {
  for (int i = static_cast<int>(Type::pred); i <= static_cast<int>(Type::tf32); ++i) {
    if (name_of(static_cast<Type>(i)) == word) return static_cast<Type>(i);
  }
  return Type::none;
}

bool apply_suffix(std::string_view word, std::uint32_t families, Instruction& instruction) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.word != word || (suffix.families & families) == 0) continue;
    suffix.apply(instruction);
    return true;
  }
  return (families & kMemory) != 0 && (word.starts_with("L1::") || word.starts_with("L2::"));
}

/// Applies the suffixes, such as "global.v4.f32"; false if one is unknown, or the number of types is wrong.
bool apply_suffixes(std::string_view suffixes, const OpcodeInfo& info, Instruction& instruction) {
  Type* const types[] = {&instruction.type, &instruction.source_type, &instruction.b_type, &instruction.c_type};
  std::size_t type_count = 0;
  while (!suffixes.empty()) {
    const std::string_view word = suffixes.substr(0, suffixes.find('.'));
    suffixes.remove_prefix(std::min(word.size() + 1, suffixes.size()));
    if (const Type type = find_type(word); type != Type::none) {
      if (type_count == info.most_types) return false;
      *types[type_count++] = type;
    } else if (!apply_suffix(word, info.families, instruction)) {
      return false;
    }
  }
  return type_count >= info.fewest_types;
}

/// What holds by default or follows from the opcode's own words.
void complete(std::string_view root, Instruction& instruction) {
  if (root.starts_with("cp.async.c")) {
    instruction.space = StateSpace::shared;
    instruction.cache_global = root == "cp.async.cg";
  }
  if (instruction.space == StateSpace::none) instruction.space = StateSpace::generic;
  if (instruction.opcode == Opcode::cvta) instruction.to_space = StateSpace::generic;
  if (root == "cvta.to") std::swap(instruction.space, instruction.to_space);
}

/// `bar.cta.sync` and `barrier.cta.sync` are other spellings of `bar.sync` and `barrier.sync`.
std::string without_cta(std::string_view opcode) {
  for (const std::string_view barrier : {"bar", "barrier"}) {
    if (!opcode.starts_with(barrier) || !opcode.substr(barrier.size()).starts_with(".cta.")) continue;
    return std::string(barrier) + std::string(opcode.substr(barrier.size() + 4));
  }
  return std::string(opcode);
}

bool takes_space(const OpcodeInfo& info) {
  return (info.families & kSpace) != 0;
}

}  // namespace

Form decode_form(std::string_view written) {
  Form form;
  const std::string spelled = without_cta(written);
  const std::string_view opcode = spelled;
  const std::string_view root = find_root(opcode);
  if (root.empty()) return form;
  const OpcodeInfo& info = kOpcodes.at(root);
  Instruction instruction;
  instruction.opcode = info.opcode;
  instruction.barrier = info.barrier;
  if ((info.families & kMayAlign) != 0) instruction.aligned = false;
  const std::string_view suffixes = opcode.substr(std::min(root.size() + 1, opcode.size()));
  if (!apply_suffixes(suffixes, info, instruction)) return form;
  if (info.opcode == Opcode::mma && suffixes.find(".row.col.") == std::string_view::npos) return form;
  if (takes_space(info)) complete(root, instruction);
  form.prototype = std::move(instruction);
  form.signature = info.signature;
  return form;
}

}  // namespace warplens::ptx
