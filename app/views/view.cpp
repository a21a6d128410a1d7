#include "app/views/view.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "app/views/picture_view.h"

namespace warplens::app {
namespace {

std::map<std::string_view, RegisterWidget::Make>& registry() {
  static std::map<std::string_view, RegisterWidget::Make> widgets;
  return widgets;
}

}  // namespace

Frame Frame::with(std::shared_ptr<const Loaded> other, Selection& place, const Hover& was_over,
                  Hover& is_over, std::optional<BlockWanted>& block) const {
  return {.model = model,
          .shown = std::move(other),
          .look = look,
          .heat_painter = heat_painter,
          .meter = meter,
          .hovered = was_over,
          .selection = place,
          .wishes = wishes,
          .editing = editing,
          .block_wanted = block,
          .hover = is_over,
          .wake = wake,
          .watch = watch,
          .launch = launch,
          .other_launch = other_launch,
          .held = held,
          .refused = refused};
}

std::unique_ptr<Widget> make_widget(const viz::View& view) {
  const auto found = registry().find(view.id);
  if (found != registry().end()) return found->second();
  if (view.make != nullptr) return make_picture_panel(view);
  std::fprintf(stderr, "the view %s has neither a picture nor a widget\n", std::string(view.id).c_str());
  std::abort();
}

RegisterWidget::RegisterWidget(std::string_view view, Make make) {
  if (registry().emplace(view, make).second) return;
  std::fprintf(stderr, "two widgets are of the view %s\n", std::string(view).c_str());
  std::abort();
}

}  // namespace warplens::app
