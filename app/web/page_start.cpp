#include <algorithm>
#include <array>

#include "app/languages/languages.h"
#include "app/launch/launch_menus.h"
#include "app/web/page_state.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"
#include "viz/analysis/device_models.h"
#include "viz/views/view.h"

namespace warplens::app::web {
namespace {

/// The most that the page lets one choose of an extent, by how many the kernel has: a replay by one thread
/// takes some seconds then.
std::int64_t largest_in_page(const KernelDescriptor& kernel, const ExtentInfo& extent) {
  constexpr std::array<std::int64_t, 4> kMost{0, 1 << 20, 1024, 512};
  const std::size_t extents = std::min(kernel.extents.size(), kMost.size() - 1);
  return std::min(kMost[extents], largest_in_window(kernel, extent));
}

Json json_of_kernel(const KernelDescriptor& kernel) {
  Json extents = Json::array(), parameters = Json::array();
  for (const ExtentInfo& extent : kernel.extents) {
    extents.push_back({{"name", std::string(1, extent.name)},
                       {"label", tr(extent.label.c_str())},
                       {"default", extent.default_value},
                       {"most", largest_in_page(kernel, extent)}});
  }
  for (const ParameterInfo& parameter : kernel.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"label", tr(parameter.label.c_str())},
                          {"default", parameter.default_value},
                          {"values", parameter.values}});
  }
  return {{"id", kernel.id},
          {"group", tr(name_of(kernel.group))},
          {"shows", tr(kernel.shows.c_str())},
          {"extents", std::move(extents)},
          {"parameters", std::move(parameters)},
          {"types", kernel.value_types}};
}

Json views_to_choose() {
  Json views = Json::array();
  for (const viz::View& view : viz::views()) {
    if (view.exported() && view.make != nullptr)
      views.push_back({{"id", view.id},
                       {"title", tr(view.title)},
                       {"shows", tr(view.shows)},
                       {"table", view.table != nullptr}});
  }
  return views;
}

Json lessons_to_choose() {
  Json lessons = Json::array();
  for (const std::string& name : shipped_lessons()) {
    const Result<OpenedLesson> opened = open_lesson(name);
    if (opened.ok())
      lessons.push_back({{"name", name}, {"title", opened->lesson.title}, {"about", opened->lesson.about}});
  }
  return lessons;
}

}  // namespace

Answer answer_start(PageState& state, const Json& request) {
  speak(request.at("language").get<std::string>());
  state.lesson.reset();
  Json languages = Json::array(), kernels = Json::array(), rules = Json::array();
  for (const SpokenLanguage& language : spoken_languages())
    languages.push_back({{"tag", language.tag}, {"name", language.name}});
  for (const KernelDescriptor& kernel : catalog().kernels()) kernels.push_back(json_of_kernel(kernel));
  for (const analysis::DeviceModel& model : analysis::device_models())
    rules.push_back(
        {{"cc", model.cc.name()}, {"architecture", model.architecture}, {"note", tr(model.note)}});
  return Json{{"language", language_spoken().tag}, {"languages", std::move(languages)},
              {"kernels", std::move(kernels)},     {"rules", std::move(rules)},
              {"views", views_to_choose()},        {"lessons", lessons_to_choose()},
              {"words", words_of_page()}};
}

}  // namespace warplens::app::web
