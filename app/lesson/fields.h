// The figures that the words of a lesson can name, each looked up in the recording: `{wavefronts}`,
// `{global_load.sectors}`, `{occupancy.warps}`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lesson/scene_player.h"
#include "kernels/base/result.h"

namespace warplens::app {

struct FieldValue {
  std::string text;              ///< As it is read: "1,024", "12.5 %", "A[3][64]"
  std::optional<double> number;  ///< What can be reckoned with
};

/// Where a field is looked up: a launch, and the place in it.
struct FieldPlace {
  const Loaded& loaded;
  const Selection& selection;
};

struct LessonField {
  std::string name;     ///< "shared_store.wavefronts"
  const char* meaning;  ///< What it is, in one sentence; shown by tr()
  const char* needs;    ///< Where it has a value, in one sentence; shown by tr(). Empty: everywhere
  std::function<std::optional<FieldValue>(const FieldPlace&)> value;
};

/// All but the parameters of a kernel and the sizes of a file's, which are fields by their own names (`{T}`),
/// or behind `parameter.` where a field is called so (`{parameter.block}`).
[[nodiscard]] const std::vector<LessonField>& lesson_fields();

/// By a field's name, behind `against.` of the launch that the scene is held against. The error says which
/// fields there are, or why it has no value.
[[nodiscard]] Result<FieldValue> field_value(std::string_view name, const StagedScene& staged);

/// "1,024", "2.5", "0.031"
[[nodiscard]] FieldValue number_field(double number);

/// The fields that go with the selected access, where a scene names none.
[[nodiscard]] std::vector<std::string> usual_figures(const StagedScene& staged);

}  // namespace warplens::app
