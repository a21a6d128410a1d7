// Which lines of an edited text are which of the text as it was.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warplens::app {

/// By line of `now`, from 0: its line in `before`, or -1 for one that is new. Lines before and behind all
/// that differs are the same; of those between, as many as there were stand for one another in order, if
/// their number is the same.
[[nodiscard]] std::vector<std::int64_t> match_lines(std::string_view before, std::string_view now);

}  // namespace warplens::app
