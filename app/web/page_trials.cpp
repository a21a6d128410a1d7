// Accesses of one's own: the playground, and patterns in a table.
#include "app/session/navigation.h"
#include "app/session/playground.h"
#include "app/web/page_state.h"
#include "kernels/base/texts.h"
#include "viz/analysis/device_models.h"
#include "viz/analysis/pattern_csv.h"

namespace warplens::app::web {
namespace {

AccessOp op_of(const std::string& name) {
  return name == "store" ? AccessOp::store : name == "atomic" ? AccessOp::atomic : AccessOp::load;
}

}  // namespace

Answer answer_playground(PageState& state, const Json& request) {
  const Result<analysis::ComputeCapability> cc =
      analysis::parse_compute_capability(request.value("cc", "9.0"));
  if (!cc.ok()) return cc.error();
  const Playground playground{
      .space = request.value("space", "shared") == "global" ? Space::global : Space::shared,
      .op = op_of(request.value("op", "load")),
      .bytes = request.value("bytes", 4),
      .items = request.value("items", "lane * s + o"),
      .stride = request.value("stride", std::int64_t{32}),
      .offset = request.value("offset", std::int64_t{0}),
      .row_items = request.value("row_items", std::int64_t{32}),
      .padding = request.value("padding", std::int64_t{0}),
      .swizzle_bits = request.value("swizzle_bits", 0),
      .cc = *cc};
  Result<std::shared_ptr<const Loaded>> loaded = played(playground);
  if (!loaded.ok()) return loaded.error();
  state.loaded = *std::move(loaded);
  state.selection = opening_selection(*state.loaded);
  return Json{{"opened", json_of_opened(*state.loaded)},
              {"place", json_of_place(*state.loaded, state.selection)}};
}

Answer answer_pattern(PageState&, const Json& request) {
  const Result<analysis::ComputeCapability> cc =
      analysis::parse_compute_capability(request.value("cc", "9.0"));
  if (!cc.ok()) return cc.error();
  const Result<analysis::PatternTable> table = analysis::parse_patterns(request.at("csv").get<std::string>());
  if (!table.ok()) return table.error();
  return Json{{"csv", analysis::predictions_csv(*table, *cc)}};
}

}  // namespace warplens::app::web
