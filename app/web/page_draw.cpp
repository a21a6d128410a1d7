#include <sstream>

#include "app/report/document.h"
#include "app/report/report_json.h"
#include "app/session/prepared_view.h"
#include "app/web/page_state.h"
#include "kernels/base/texts.h"
#include "viz/analysis/costs.h"
#include "viz/export/export.h"

namespace warplens::app::web {
namespace {

Result<viz::ExportRequest> export_request(PageState& state, const Json& request) {
  if (!state.loaded) return nothing_open();
  const viz::View* const view = viz::find_view(request.at("view").get<std::string>());
  if (view == nullptr || !view->exported()) return Error{tr("there is no such view"), "", ""};
  Result<std::shared_ptr<const Loaded>> counted = with_counts_for(*view, state.loaded);
  if (!counted.ok()) return counted.error();
  state.loaded = *std::move(counted);
  Result<PreparedView> prepared = prepare_view(*view, state.loaded, state.selection);
  if (!prepared.ok()) return prepared.error();
  return viz::ExportRequest{.view = std::string(view->id),
                            .subject = std::move(prepared->subject),
                            .width = request.value("width", 1600.0F),
                            .height = request.value("height", 900.0F),
                            .scale = request.value("scale", 1.0F),
                            .dark = request.value("dark", true),
                            .subject_owner = std::move(prepared->loaded)};
}

}  // namespace

Answer answer_picture(PageState& state, const Json& request) {
  const Result<viz::ExportRequest> drawn = export_request(state, request);
  if (!drawn.ok()) return drawn.error();
  Result<std::string> svg = viz::make_file(*drawn, ".svg");
  if (!svg.ok()) return svg.error();
  return Json{{"svg", *std::move(svg)}};
}

Answer answer_table(PageState& state, const Json& request) {
  const Result<viz::ExportRequest> listed = export_request(state, request);
  if (!listed.ok()) return listed.error();
  Result<std::string> csv = viz::make_file(*listed, ".csv");
  if (!csv.ok()) return csv.error();
  return Json{{"csv", *std::move(csv)}};
}

Answer answer_report(PageState& state, const Json&) {
  if (!state.loaded) return nothing_open();
  const Recording& recording = *state.loaded->recording;
  const analysis::Report report = analysis::report(recording, state.loaded->cc);
  std::ostringstream text;
  write_report_json(text, recording, report, state.loaded->compiled,
                    analysis::costs_of_totals(recording, report));
  return Json{{"report", text.str()}};
}

Answer answer_save(PageState& state, const Json& request) {
  if (!state.loaded) return nothing_open();
  const Result<Done> saved = save(*state.loaded, request.at("file").get<std::string>());
  if (!saved.ok()) return saved.error();
  return Json::object();
}

}  // namespace warplens::app::web
