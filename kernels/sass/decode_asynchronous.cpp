// Copies in bulk, products of warpgroups and mbarriers: compute capability 9.0. Operand orders are those that
// ptxas gives the instructions of PTX; NVIDIA does not document them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/sass/operand_reader.h"
#include "kernels/sass/operands.h"
#include "kernels/tensor/shared_matrix.h"

namespace warplens::sass {
namespace {

class AsynchronousDecoder : OperandReader {
 public:
  AsynchronousDecoder(const Instruction& instruction, const Setting& setting, Op& op)
      : OperandReader(instruction, setting), given_(op), op_({.guard = op.guard}) {}

  bool decode() {
    bool is_understood = true;
    if (instruction().opcode.ends_with("GMMA")) {
      is_understood = decode_product();
    } else if (is_any({"UTMALDG", "UTMASTG", "UTMAREDG"})) {
      is_understood = decode_tensor_copy();
    } else if (is_any({"UBLKCP", "UBLKRED"})) {
      is_understood = decode_copy_in_one_piece();
    } else if (is("SYNCS")) {
      is_understood = decode_mbarrier();
    } else if (is("ARRIVES") && launch().memory &&
               (instruction().has("ARVCNT") || instruction().has("TRANSCNT"))) {
      is_understood = decode_arrival_after_copies();
    } else if (is("USETMAXREG")) {
      decode_register_request();
    } else if (is("ELECT")) {
      is_understood = decode_election();
    } else if (!is_any(
                   {"UTMAPF", "UBLKPF", "UTMACCTL", "UTMACMDFLUSH"})) {  // Prefetches, the order of copies
      return false;
    }
    if (!is_understood) op_ = {.action = Action::unsupported, .guard = op_.guard};
    given_ = op_;
    return true;
  }

 private:
  /// Whether an operand is "[UR4]".
  [[nodiscard]] bool is_uniform_address(std::size_t i) const {
    return i < count() && at(i).kind == Kind::memory && at(i).address.base == kZeroRegister &&
           at(i).address.uniform_base != kUniformZeroRegister && at(i).address.offset == 0;
  }
  [[nodiscard]] static Source word(std::uint32_t reg) { return {.kind = Source::Kind::reg, .index = reg}; }
  [[nodiscard]] std::uint32_t register_in(std::size_t i) const {
    return kUniformRegisters + at(i).address.uniform_base;
  }
  /// Whether there are `n` operands, or one more: "desc[UR22]", the cache's policy.
  [[nodiscard]] bool has_operands(std::size_t n) const {
    return count() == n || (count() == n + 1 && at(n).text.starts_with("desc["));
  }

  /// "UTMALDG.2D.MULTICAST [UR8], [UR4], UR6": from UR8 on the address in shared memory, the mbarrier, the
  /// coordinates; UR4 and UR5 the address of the tensor map; UR6 in the upper half the blocks that it goes
  /// to. "UTMASTG.2D [UR8], [UR4]": without an mbarrier.
  bool decode_tensor_copy() {
    op_.action = Action::bulk_copy;
    BulkCopy& copy = op_.bulk;
    copy = {.loads = is("UTMALDG"),
            .is_reduction = is("UTMAREDG"),
            .is_multicast = instruction().has("MULTICAST")};
    for (std::uint32_t rank = 1; rank <= kMaxTensorRank; ++rank) {
      if (instruction().has(std::to_string(rank) + "D")) copy.rank = rank;
    }
    const bool is_known = copy.is_reduction ? !instruction().has("IM2COL")
                                            : has_only({"1D", "2D", "3D", "4D", "5D", "MULTICAST"});
    if (!is_known || copy.rank == 0 || !is_uniform_address(0) || !is_uniform_address(1) ||
        !has_operands(copy.is_multicast ? 3 : 2))
      return false;
    op_.a = word(register_in(1));
    op_.a_high = word(register_in(1) + 1);
    op_.b = word(register_in(0));
    copy.coordinates = register_in(0) + (copy.loads ? 2 : 1);
    if (copy.is_multicast) op_.c = source(2);
    return copy.coordinates + copy.rank <= kRegisters;
  }

  /// "UBLKCP.S.G [UR8], [UR4], UR12": to shared memory, whose address is in UR8 and its mbarrier's in UR9,
  /// from global memory; UR12 in the lower half the length in 16 bytes, in the upper half the blocks that a
  /// multicast goes to.
  bool decode_copy_in_one_piece() {
    const auto& modifiers = instruction().modifiers;
    if (modifiers.size() < 2 || !is_uniform_address(0) || !is_uniform_address(1) || !has_operands(3))
      return false;
    const bool loads = modifiers[0] == "S", from_shared = modifiers[1] == "S";
    op_.action = Action::bulk_copy;
    op_.bulk = {.loads = loads,
                .is_between = loads && from_shared,
                .is_reduction = is("UBLKRED"),
                .is_multicast = instruction().has("MULTICAST")};
    if ((!loads && (modifiers[0] != "G" || !from_shared)) || (!from_shared && modifiers[1] != "G") ||
        (!op_.bulk.is_reduction && !has_only({"S", "G", "MULTICAST"})))
      return false;
    const std::size_t shared = loads ? 0 : 1, other = 1 - shared;
    op_.a = word(register_in(other));
    if (!op_.bulk.is_between) op_.a_high = word(register_in(other) + 1);
    op_.b = word(register_in(shared));
    op_.c = source(2);
    return true;
  }

  /// "HGMMA.64x256x16.F32 R24, gdesc[UR4].tnspB, R24, gsb0": from UR4 on the descriptors of A and B.
  /// "HGMMA.64x64x16.F32 R24, R56, gdesc[UR4], R24": A in registers, B's descriptor at the same place.
  bool decode_product() {
    constexpr std::string_view kDescriptors = "gdesc[", kRows = "64x";
    const auto& operands = instruction().operands;
    const auto& modifiers = instruction().modifiers;
    const auto descriptors = std::ranges::find_if(
        operands, [&](const Operand& operand) { return operand.text.starts_with(kDescriptors); });
    const auto shape = std::ranges::find_if(
        modifiers, [&](const std::string& modifier) { return modifier.starts_with(kRows); });
    if (descriptors == operands.end() || shape == modifiers.end() || instruction().has("SP") ||
        !is_register(0))
      return false;
    const std::string_view text = descriptors->text;
    const std::size_t close = std::min(text.find(']'), text.size());
    const auto first = parse_operands(text.substr(kDescriptors.size(), close - kDescriptors.size()));
    const auto columns =
        parse_integer(std::string_view(*shape).substr(kRows.size(), shape->rfind('x') - kRows.size()));
    constexpr std::int64_t kMostColumns = 256;
    if (!first || first->size() != 1 || first->front().kind != Kind::uniform_reg || !columns ||
        *columns < tensor::kCoreRows || *columns > kMostColumns)
      return false;
    op_.action = Action::product;
    op_.product = {.a_is_in_registers = descriptors - operands.begin() == 2,
                   .a_is_mn_major = text.find("tnspA") != std::string_view::npos,
                   .b_is_mn_major = text.find("tnspB") != std::string_view::npos,
                   .columns = static_cast<std::uint32_t>(*columns)};
    const std::uint32_t from = register_of(first->front());
    if (!op_.product.a_is_in_registers) {
      op_.a = word(from);
      op_.a_high = word(from + 1);
    }
    op_.b = word(from + 2);
    op_.b_high = word(from + 3);
    op_.d = written(at(0));
    op_.d_count = result_registers(instruction());
    return from + 4 <= kRegisters && op_.d + op_.d_count <= kZeroRegister;
  }

  /// "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R24" tells whether a phase has ended. "SYNCS.EXCH.64 URZ,
  /// [UR10], UR4" sets an mbarrier up; "SYNCS.ARRIVE.TRANS64.A1T0 R14, [UR4], RZ" arrives at it, and may give
  /// its state.
  bool decode_mbarrier() {
    const auto where = std::ranges::find(instruction().operands, Kind::memory, &Operand::kind);
    const auto operand = static_cast<std::size_t>(where - instruction().operands.begin()) + 1;
    if (where == instruction().operands.end()) return false;
    const bool waits = instruction().has("PHASECHK") && is_predicate(0);
    if (waits) {
      op_.action = Action::wait;
      op_.p = predicate_of(at(0));
    } else if (is_register(0)) {
      op_.d = written(at(0));
      op_.d_count = 2;
    }
    const bool is_known =
        waits || instruction().has("EXCH") || instruction().has("ARRIVE") || instruction().has("CCTL");
    if (!launch().memory || !is_known) return is_known;
    op_.address = where->address;
    if (operand < count()) op_.a = source(operand);
    op_.waits_for_phase = waits;
    if (waits) return true;
    op_.action = Action::mbarrier;
    op_.change.makes = instruction().has("EXCH");
    op_.change.ends = instruction().has("CCTL");
    return !instruction().has("ARRIVE") || decode_arrival();
  }

  /// "ARRIVE.TRANS64.A1T0": so many arrivals (A) and bytes (T) that are to come: 0, 1, R: the operand, X:
  /// less by it. Without it, A1TR.
  bool decode_arrival() {
    using Count = MbarrierChange::Count;
    const auto is_counts = [](const std::string& m) { return m.size() == 4 && m[0] == 'A' && m[2] == 'T'; };
    const auto found = std::ranges::find_if(instruction().modifiers, is_counts);
    const std::string counts = found != instruction().modifiers.end() ? *found : "A1TR";
    const auto count_of = [](char letter) -> std::optional<Count> {
      switch (letter) {
        case '0': return Count::none;
        case '1': return Count::one;
        case 'R': return Count::operand;
        case 'X': return Count::minus_operand;
        default: return std::nullopt;
      }
    };
    const std::optional<Count> arrivals = count_of(counts[1]), bytes = count_of(counts[3]);
    if (!arrivals || !bytes) return false;
    op_.change.arrivals = *arrivals;
    op_.change.bytes = *bytes;
    op_.change.drops = instruction().has("OPTOUT");
    op_.change.is_in_cluster = instruction().has("RED");
    return std::ranges::all_of(instruction().modifiers, [&](const std::string& modifier) {
      constexpr std::string_view kKnown[] = {"ARRIVE", "TRANS64", "RED", "OPTOUT"};
      return modifier == counts || std::ranges::find(kKnown, std::string_view(modifier)) != std::end(kKnown);
    });
  }

  /// "ARRIVES.LDGSTSBAR.64.ARVCNT [UR6]": when the copies of the lane before it have landed, which is at once
  /// here. With TRANSCNT a byte that was expected has come.
  bool decode_arrival_after_copies() {
    using Count = MbarrierChange::Count;
    if (count() != 1 || at(0).kind != Kind::memory) return false;
    const bool is_arrival = instruction().has("ARVCNT");
    op_.action = Action::mbarrier;
    op_.address = at(0).address;
    op_.change.arrivals = is_arrival ? Count::one : Count::none;
    op_.change.bytes = is_arrival ? Count::none : Count::minus_one;
    return true;
  }

  /// "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xf0": whether other warps have given up enough registers.
  void decode_register_request() {
    if (!is_predicate(0)) return;
    op_.action = Action::wait;
    op_.p = predicate_of(at(0));
  }

  /// "ELECT P1, URZ, PT"
  bool decode_election() {
    op_.action = Action::elect;
    if (count() != 3 || !is_predicate(0) || !is_register(1) || !is_predicate(2)) return false;
    op_.p = predicate_of(at(0));
    op_.d = written(at(1));
    return at(2).index == kTruePredicate && !at(2).inverted;
  }

  Op& given_;
  Op op_;
};

}  // namespace

bool decode_asynchronous(const Instruction& instruction, const Setting& setting, Op& op) {
  return AsynchronousDecoder(instruction, setting, op).decode();
}

}  // namespace warplens::sass
