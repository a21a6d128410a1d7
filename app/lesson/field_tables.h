// Parts of lesson_fields(). Private to app/lesson.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/lesson/fields.h"

namespace warplens::app {

void add_access_fields(
    std::vector<LessonField>& fields);  ///< Of the selected access, its line, and what its lanes touch
void add_launch_fields(
    std::vector<LessonField>& fields);  ///< Of the launch: shape, phases, totals as written and as compiled
void add_derived_fields(std::vector<LessonField>& fields);  ///< Divergence, occupancy, arithmetic, findings,
                                                            ///< rates that were measured
void add_hopper_fields(
    std::vector<LessonField>& fields);  ///< Of boxes of tensors, mbarriers, roles and clusters

[[nodiscard]] FieldValue text_field(std::string text);
/// A count. Optional, as what looks fields up returns.
[[nodiscard]] std::optional<FieldValue> whole_field(std::uint64_t number);
/// A part of a whole, in percent; as a number from 0 to 100.
[[nodiscard]] FieldValue share_field(double share);

}  // namespace warplens::app
