#include "app/session/finding_words.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/base/texts.h"
#include "kernels/recording/finding_texts.h"

namespace warplens::app {
namespace {

/// What stands in `text` in the places of the arguments of `english`, in their order, each as short as it can
/// be; nullopt: it is another sentence.
std::optional<std::vector<std::string>> read_back(std::string_view english, std::string_view text) {
  std::vector<std::string> arguments;
  std::size_t at = 0;
  for (std::size_t open = english.find('{'); open != std::string_view::npos;) {
    if (text.substr(at, open) != english.substr(0, open)) return std::nullopt;
    at += open;
    english.remove_prefix(english.find('}') + 1);
    open = english.find('{');
    const std::string_view after = english.substr(0, open);
    const bool last = open == std::string_view::npos;
    if (last && !text.substr(at).ends_with(after)) return std::nullopt;
    const std::size_t end = last ? text.size() - after.size() : text.find(after, at);
    if (end == std::string_view::npos || end < at) return std::nullopt;
    arguments.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return text.substr(at) == english ? std::optional(arguments) : std::nullopt;
}

std::string op_in_words(const std::string& op) {
  if (op == "load") return tr("load");
  if (op == "store") return tr("store");
  if (op == "atomic") return tr("atomic");
  if (op == "asynchronous copy") return tr("asynchronous copy");
  return op == "reduction" ? tr("reduction") : op;  // Others are names of instructions
}

std::uint64_t number_in(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// "store of 4 bytes to shared address 0x480"
std::string access_in_words(const std::string& access) {
  using namespace finding_texts;
  std::string op, address;
  std::uint64_t bytes = 0;
  const auto is = [&](const char* english) {
    const auto read = read_back(english, access);
    if (!read) return false;
    op = op_in_words((*read)[0]);
    bytes = number_in((*read)[1]);
    address = (*read)[2];
    return true;
  };
  if (is(kToShared)) {
    return tr_n(bytes, "{op} of {n} byte to shared address {address}",
                "{op} of {n} bytes to shared address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kAtShared)) {
    return tr_n(bytes, "{op} of {n} byte at shared address {address}",
                "{op} of {n} bytes at shared address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kToLocal)) {
    return tr_n(bytes, "{op} of {n} byte to local address {address}",
                "{op} of {n} bytes to local address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kAtLocal)) {
    return tr_n(bytes, "{op} of {n} byte at local address {address}",
                "{op} of {n} bytes at local address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kToConstant)) {
    return tr_n(bytes, "{op} of {n} byte to constant or parameter address {address}",
                "{op} of {n} bytes to constant or parameter address {address}", "op"_a = op,
                "address"_a = address);
  }
  if (is(kAtConstant)) {
    return tr_n(bytes, "{op} of {n} byte at constant or parameter address {address}",
                "{op} of {n} bytes at constant or parameter address {address}", "op"_a = op,
                "address"_a = address);
  }
  if (is(kToGlobal))
    return tr_n(bytes, "{op} of {n} byte to {address}", "{op} of {n} bytes to {address}", "op"_a = op,
                "address"_a = address);
  if (is(kAtGlobal))
    return tr_n(bytes, "{op} of {n} byte at {address}", "{op} of {n} bytes at {address}", "op"_a = op,
                "address"_a = address);
  return access;
}

/// Translates the text of a fault of one access; nullopt: it is none of them.
std::optional<std::string> fault_in_words(const std::string& text) {
  using namespace finding_texts;
  std::vector<std::string> read;
  std::string access;
  const auto is = [&](const char* english) {
    const auto arguments = read_back(english, text);
    if (!arguments) return false;
    read = *arguments;
    access = access_in_words(read.front());
    return true;
  };
  if (is(kMisaligned)) return tr(kMisaligned, "access"_a = access, "bytes"_a = read[1]);
  if (is(kUnwritten)) return tr(kUnwritten, "access"_a = access);
  if (is(kOverwritten)) return tr(kOverwritten, "access"_a = access);
  if (is(kReserved)) return tr(kReserved, "access"_a = access, "bytes"_a = read[1]);
  if (is(kPastShared))
    return tr(kPastShared, "access"_a = access, "distance"_a = read[1], "bytes"_a = read[2]);
  if (is(kPastLocal)) return tr(kPastLocal, "access"_a = access, "distance"_a = read[1], "bytes"_a = read[2]);
  if (is(kPast))
    return tr(kPast, "access"_a = access, "distance"_a = read[1], "buffer"_a = read[2], "bytes"_a = read[3]);
  if (is(kAcrossEnd)) return tr(kAcrossEnd, "access"_a = access, "buffer"_a = read[1], "bytes"_a = read[2]);
  if (is(kBefore))
    return tr(kBefore, "access"_a = access, "distance"_a = read[1], "buffer"_a = read[2],
              "bytes"_a = read[3]);
  if (is(kNowhere)) return tr(kNowhere, "access"_a = access);
  if (is(kInHeap)) return tr(kInHeap, "access"_a = access);
  if (is(kOutside)) return tr(kOutside, "access"_a = access);
  return std::nullopt;
}

}  // namespace

std::string sentence_for(const Finding& finding) {
  using namespace finding_texts;
  const std::string& text = finding.text;
  if (const auto read = read_back(kRace, text)) {
    return tr(kRace, "op"_a = op_in_words((*read)[0]), "bytes"_a = (*read)[1], "address"_a = (*read)[2],
              "warp"_a = (*read)[3], "other_op"_a = op_in_words((*read)[4]), "line"_a = (*read)[5],
              "other_warp"_a = (*read)[6], "lane"_a = (*read)[7]);
  }
  if (const auto read = read_back(kCopyRace, text)) {
    return tr(kCopyRace, "op"_a = op_in_words((*read)[0]), "bytes"_a = (*read)[1], "address"_a = (*read)[2],
              "warp"_a = (*read)[3], "other_op"_a = op_in_words((*read)[4]), "line"_a = (*read)[5],
              "other_warp"_a = (*read)[6], "lane"_a = (*read)[7]);
  }
  if (const auto read = read_back(kInFlight, text)) {
    return tr(kInFlight, "op"_a = op_in_words((*read)[0]), "bytes"_a = (*read)[1], "address"_a = (*read)[2],
              "lane"_a = (*read)[3], "warp"_a = (*read)[4], "line"_a = (*read)[5]);
  }
  if (const auto read = read_back(kSecondCopy, text)) {
    return tr(kSecondCopy, "bytes"_a = (*read)[0], "address"_a = (*read)[1], "lane"_a = (*read)[2],
              "warp"_a = (*read)[3], "line"_a = (*read)[4], "other_warp"_a = (*read)[5]);
  }
  if (const auto read = read_back(kChangedSource, text)) {
    return tr(kChangedSource, "bytes"_a = (*read)[0], "lane"_a = (*read)[1], "warp"_a = (*read)[2],
              "line"_a = (*read)[3]);
  }
  for (const char* english : {kMbarrierMisaligned, kMbarrierUnused, kMbarrierCompletes}) {
    if (const auto read = read_back(english, text))
      return tr(fmt::runtime(english), "address"_a = (*read)[0], "lane"_a = (*read)[1],
                "warp"_a = (*read)[2]);
  }
  for (const char* english : {kMbarrierMadeTwice, kMbarrierOverwritten}) {
    if (const auto read = read_back(english, text))
      return tr(fmt::runtime(english), "address"_a = (*read)[0], "lane"_a = (*read)[1], "warp"_a = (*read)[2],
                "line"_a = (*read)[3]);
  }
  if (const auto read = read_back(kMbarrierCount, text)) {
    return tr(kMbarrierCount, "count"_a = (*read)[0], "address"_a = (*read)[1], "lane"_a = (*read)[2],
              "warp"_a = (*read)[3]);
  }
  if (const auto read = read_back(kMbarrierArrivals, text)) {
    return tr(kMbarrierArrivals, "count"_a = (*read)[0], "address"_a = (*read)[1], "lane"_a = (*read)[2],
              "warp"_a = (*read)[3], "pending"_a = (*read)[4]);
  }
  if (const auto read = read_back(kWaitsAtMbarrier, text)) {
    return tr(kWaitsAtMbarrier, "lanes"_a = (*read)[0], "warp"_a = (*read)[1], "address"_a = (*read)[2],
              "pending"_a = (*read)[3], "expected"_a = (*read)[4], "bytes"_a = (*read)[5]);
  }
  for (const char* english : {kResultInFlight, kRegisterInFlight}) {
    if (const auto read = read_back(english, text))
      return tr(fmt::runtime(english), "op"_a = (*read)[0], "warp"_a = (*read)[1], "register"_a = (*read)[2],
                "line"_a = (*read)[3]);
  }
  for (const char* english : {kOtherShape, kNotFenced}) {
    if (const auto read = read_back(english, text))
      return tr(fmt::runtime(english), "warp"_a = (*read)[0], "register"_a = (*read)[1],
                "line"_a = (*read)[2]);
  }
  if (const auto read = read_back(kNeverFenced, text)) return tr(kNeverFenced, "warp"_a = (*read)[0]);
  if (const auto read = read_back(kLaneRace, text)) {
    return tr(kLaneRace, "op"_a = op_in_words((*read)[0]), "bytes"_a = (*read)[1], "address"_a = (*read)[2],
              "lane"_a = (*read)[3], "warp"_a = (*read)[4], "other_op"_a = op_in_words((*read)[5]),
              "line"_a = (*read)[6], "other_lane"_a = (*read)[7]);
  }
  if (const auto read = read_back(kBlockRace, text)) {
    return tr(kBlockRace, "op"_a = op_in_words((*read)[0]), "bytes"_a = (*read)[1], "element"_a = (*read)[2],
              "block"_a = (*read)[3], "thread"_a = (*read)[4], "other_op"_a = op_in_words((*read)[5]),
              "line"_a = (*read)[6], "other_block"_a = (*read)[7], "other_thread"_a = (*read)[8]);
  }
  if (const auto read = read_back(kPartOfWarp, text))
    return tr(kPartOfWarp, "lanes"_a = (*read)[0], "warp"_a = (*read)[1], "missing"_a = (*read)[2]);
  if (const auto read = read_back(kWaitsForOthers, text))
    return tr(kWaitsForOthers, "warp"_a = (*read)[0], "barrier"_a = (*read)[1]);
  if (const auto read = read_back(kWaitsForLanes, text)) {
    return tr(kWaitsForLanes, "lanes"_a = (*read)[0], "warp"_a = (*read)[1], "others"_a = (*read)[2],
              "line"_a = (*read)[3]);
  }
  for (const char* const waits : {kWaitsInBlock, kWaitsForBlocks, kWaitsForLaterBlocks}) {
    if (const auto read = read_back(waits, text))
      return tr(fmt::runtime(waits), "lanes"_a = (*read)[0], "warp"_a = (*read)[1]);
  }
  if (const auto read = read_back(kOutsideMask, text))
    return tr(kOutsideMask, "op"_a = (*read)[0], "lanes"_a = (*read)[1], "mask"_a = (*read)[2]);
  if (const auto read = read_back(kExitedBlock, text)) {
    return tr(kExitedBlock, "op"_a = (*read)[0], "lanes"_a = (*read)[1], "warp"_a = (*read)[2],
              "rank"_a = (*read)[3]);
  }
  if (const auto read = read_back(kAbsent, text)) {
    return tr(kAbsent, "op"_a = (*read)[0], "mask"_a = (*read)[1], "lanes"_a = (*read)[2],
              "warp"_a = (*read)[3], "missing"_a = (*read)[4]);
  }
  if (const auto read = read_back(kReadsAbsent, text)) {
    return tr(kReadsAbsent, "op"_a = (*read)[0], "lanes"_a = (*read)[1], "warp"_a = (*read)[2],
              "missing"_a = (*read)[3]);
  }
  if (const auto read = read_back(kFreesNothing, text)) return tr(kFreesNothing, "address"_a = (*read)[0]);
  if (const auto read = read_back(kAssertion, text)) return tr(kAssertion, "condition"_a = (*read)[0]);
  if (const auto read = read_back(kWaitForMore, text)) return tr(kWaitForMore, "barrier"_a = (*read)[0]);
  return fault_in_words(text).value_or(text);
}

}  // namespace warplens::app
