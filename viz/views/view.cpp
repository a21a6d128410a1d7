#include "viz/views/view.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kernels/base/text.h"

namespace warplens::viz {
namespace {

std::vector<View>& registry() {
  static std::vector<View> views;
  return views;
}

}  // namespace

const std::vector<View>& views() {
  return registry();
}

const View* find_view(std::string_view id) {
  const auto found = std::ranges::find(registry(), id, &View::id);
  return found == registry().end() ? nullptr : &*found;
}

RegisterView::RegisterView(const View& view) {
  if (find_view(view.id) != nullptr) {
    std::fprintf(stderr, "two views have the id %s\n", std::string(view.id).c_str());
    std::abort();
  }
  registry().insert(std::ranges::upper_bound(registry(), view.rank, {}, &View::rank), view);
}

std::string cell(std::string_view of) {
  return csv_cell(of);
}

}  // namespace warplens::viz
