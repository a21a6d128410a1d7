#include "app/views/parameter_field.h"

#include <imgui.h>

#include "app/views/look.h"

namespace warplens::app {

void parameter_field(const char* id, const ParameterInfo& info, std::int64_t& value,
                     const std::string& before) {
  const std::int64_t first = info.values.front(), last = info.values.back();
  if (last - first + 1 == static_cast<std::int64_t>(info.values.size()) && info.values.size() > 4) {
    ImGui::SliderScalar(id, ImGuiDataType_S64, &value, &first, &last, (before + "%lld").c_str(),
                        ImGuiSliderFlags_AlwaysClamp);
    return;
  }
  if (!ImGui::BeginCombo(id, (before + std::to_string(value)).c_str())) return;
  for (const std::int64_t allowed : info.values) {
    if (list_entry(std::to_string(allowed).c_str(), allowed == value)) value = allowed;
  }
  ImGui::EndCombo();
}

}  // namespace warplens::app
