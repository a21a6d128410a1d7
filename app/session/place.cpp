#include "app/session/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::string_view kOption = "--select", kSpaces = " \t\r\n";

Error bad_place(const std::string& text) {
  return {tr("`--select {text}` selects nothing", "text"_a = text), "",
          tr("Write {form}; what is left out is the first: blocks and warps are counted from 0, phases and "
             "steps from 1.",
             "form"_a = "--select block=X,Y,warp=W,phase=K,step=S")};
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

}  // namespace

// "block=3,2,warp=1": a part without `=` belongs to the block before it.
Result<Place> parse_place(const std::string& text) {
  std::string_view rest = trimmed(text);
  if (rest.starts_with(kOption)) rest = trimmed(rest.substr(kOption.size()));
  Place place;
  std::uint32_t* const block[] = {&place.block.x, &place.block.y, &place.block.z};
  std::size_t coordinate = std::size(block);
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(',', begin), rest.size());
    std::string_view part = rest.substr(begin, end - begin);
    begin = end + 1;
    std::uint32_t* value = nullptr;
    std::uint32_t first = 0;
    if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
      const std::string_view name = part.substr(0, equals);
      part.remove_prefix(equals + 1);
      coordinate = name == "block" ? 0 : std::size(block);
      value = name == "warp"    ? &place.warp
              : name == "phase" ? &place.phase
              : name == "step"  ? &place.step
                                : nullptr;
      first = name == "phase" || name == "step" ? 1 : 0;
    }
    if (coordinate < std::size(block)) value = block[coordinate++];
    if (value == nullptr) return bad_place(text);
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), *value);
    if (error != std::errc{} || stop != part.data() + part.size() || *value < first) return bad_place(text);
    *value -= first;
  }
  return place;
}

std::string option_of(const Place& place) {
  const std::string depth = place.block.z != 0 ? fmt::format(",{}", place.block.z) : std::string();
  return fmt::format("block={},{}{},warp={},phase={},step={}", place.block.x, place.block.y, depth,
                     place.warp, std::uint64_t{place.phase} + 1, std::uint64_t{place.step} + 1);
}

Place place_of(const Recording& recording, const Selection& selection) {
  if (selection.event_block >= recording.event_blocks.size()) return {};
  return {recording.event_blocks[selection.event_block], selection.warp, selection.phase, selection.step};
}

Result<Selection> selection_at(const Recording& recording, const Place& place) {
  const auto found = std::find(recording.event_blocks.begin(), recording.event_blocks.end(), place.block);
  if (found == recording.event_blocks.end()) {
    return Error{tr("the accesses of block {x},{y},{z} are not in the recording", "x"_a = place.block.x,
                    "y"_a = place.block.y, "z"_a = place.block.z),
                 "", tr("Record it: --blocks says which, in the window the menu Blocks.")};
  }
  Selection selection;
  selection.event_block = static_cast<std::uint32_t>(found - recording.event_blocks.begin());
  selection.warp = place.warp;
  selection.phase = place.phase;
  selection.step = place.step;
  return selection;
}

}  // namespace warplens::app
