// Parts of lesson_fields(). Private to app/lesson.
#pragma once

#include <vector>

#include "app/lesson/fields.h"

namespace warplens::app {

void add_access_fields(std::vector<LessonField>& fields);   ///< Of the selected access, its line, and what its lanes touch
void add_launch_fields(std::vector<LessonField>& fields);   ///< Of the launch: shape, phases, totals as written and as compiled
void add_derived_fields(std::vector<LessonField>& fields);  ///< Divergence, occupancy, arithmetic, findings, rates that were measured

[[nodiscard]] FieldValue text_field(std::string text);

}  // namespace warplens::app
