// Data exchanged between the lanes of a warp: shuffles, votes, the value of the first active lane.
#include <string_view>

#include "kernels/sass/operand_reader.h"

namespace warplens::sass {
namespace {

class LaneDecoder : OperandReader {
 public:
  LaneDecoder(const Instruction& instruction, const Setting& setting, Op& op)
      : OperandReader(instruction, setting), op_(op) {}

  bool decode() {
    if (is("SHFL") && count() == 5 && is_predicate(0)) {
      op_.action = Action::shuffle;
      op_.p = predicate_of(at(0));
      op_.d = written(at(1));
      op_.a = source(2);
      op_.b = source(3);
      op_.c = source(4);
      op_.shuffle = instruction().has("UP")     ? ShuffleMode::up
                    : instruction().has("DOWN") ? ShuffleMode::down
                    : instruction().has("BFLY") ? ShuffleMode::butterfly
                                                : ShuffleMode::index;
      return true;
    }
    if ((is("VOTE") || is("VOTEU")) && !instruction().has("EQ")) {
      if (!is_predicate(count() - 1)) return false;
      op_.action = Action::vote;
      op_.of_all = instruction().has("ALL");
      op_.in[0] = predicate(count() - 1);
      results(count() - 1);
      op_.uniform = false;
      return true;
    }
    if (is("MATCH") && is_register(count() - 1)) {
      op_.action = Action::match;
      op_.of_all = instruction().has("ALL");
      op_.a = source(count() - 1);
      if (instruction().has("U64")) op_.a_high = source(count() - 1, 1);
      results(count() - 1);
      return true;
    }
    if (is("R2UR")) return decode_first_lane();
    if (is("P2R")) return decode_packed_predicates();
    if (!is("REDUX") || count() != 2) return false;
    op_.action = Action::reduce;
    op_.function = reduction_function(instruction());
    op_.d = written(at(0));
    op_.a = source(1);
    op_.uniform = false;
    return true;
  }

 private:
  /// "R2UR.OR P0, UR12, R13": P0 holds in lanes that have another value than the first one, or where it held.
  bool decode_first_lane() {
    const std::size_t first = is_predicate(0) ? 1 : 0;
    if (count() != first + 2 || !has_only({"OR"}) || (first == 0 && instruction().has("OR"))) return false;
    op_.action = Action::first_lane;
    op_.p = first == 1 ? predicate_of(at(0)) : kTruePredicate;
    op_.in[0] =
        instruction().has("OR") ? PredicateSource{op_.p, false} : PredicateSource{kTruePredicate, true};
    op_.q = kTruePredicate;
    op_.d = written(at(first));
    op_.d_count = 1;
    op_.a = source(first + 1);
    op_.uniform = false;
    return true;
  }

  /// "P2R R16, PR, RZ, 0x1"
  bool decode_packed_predicates() {
    if (!is("P2R") || count() != 4 || at(1).text != "PR" || at(3).kind != Kind::immediate ||
        !instruction().modifiers.empty())
      return false;
    if (at(2).kind != Kind::reg || at(2).index != kZeroRegister) return false;
    op_.action = Action::pack_predicates;
    op_.d = written(at(0));
    op_.amount = static_cast<std::uint32_t>(at(3).value) & 0x7f;
    return true;
  }

  /// A predicate, a register, or both.
  void results(std::size_t end) {
    op_.d = kNoRegister;
    op_.p = op_.q = kTruePredicate;
    for (std::size_t i = 0; i < end; ++i) {
      if (is_predicate(i)) op_.p = predicate_of(at(i));
      if (is_register(i)) op_.d = written(at(i));
    }
  }

  Op& op_;
};

}  // namespace

bool decode_lanes(const Instruction& instruction, const Setting& setting, Op& op) {
  return LaneDecoder(instruction, setting, op).decode();
}

}  // namespace warplens::sass
