#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/recordings.h"
#include "app/cli/report_text.h"
#include "app/session/navigation.h"
#include "app/session/place.h"
#include "app/session/prepared_view.h"
#include "kernels/base/text.h"
#include "viz/export/export.h"

namespace warplens::app {
namespace {

struct ExportOptions {
  std::string subject, view, select, cc = "9.0";
  std::filesystem::path output;
  float width = 1600, height = 900, scale = 1;
  bool light = false;
  LaunchOptions launch;
};

std::string names_of_views(const char* separator) {
  std::vector<std::string_view> names;
  for (const viz::View& view : viz::views()) {
    if (view.exported()) names.push_back(view.id);
  }
  return fmt::format("{}", fmt::join(names, separator));
}

/// "block 3,2 warp 0 phase 4 step 1".
std::string place_in_words(const Recording& recording, const Selection& selection) {
  if (selection.event_block >= recording.event_blocks.size()) return "which holds totals only";
  const Dim3 block = recording.event_blocks[selection.event_block];
  return fmt::format("block {},{} warp {} phase {} step {}", block.x, block.y, selection.warp,
                     selection.phase + 1, selection.step + 1);
}

void run_export(Context& context, const ExportOptions& options) {
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return context.misuse(cc.error());
  const Result<Place> place = options.select.empty() ? Place{} : parse_place(options.select);
  if (!place.ok()) return context.misuse(place.error());
  const viz::View* const view = viz::find_view(options.view);
  if (view == nullptr || !view->exported()) {
    return context.misuse({fmt::format("there is no view `{}`", options.view), "",
                           fmt::format("The views: {}.", names_of_views(", "))});
  }

  const Result<BlockChoice> blocks = options.launch.block_choice();
  if (!blocks.ok()) return context.misuse(blocks.error());
  std::optional<Recording> recording =
      load_or_record(context, options.subject, options.launch, *cc, *blocks,
                     options.select.empty() ? std::nullopt : std::optional(place->block));
  if (!recording) return;
  std::shared_ptr<const Loaded> loaded =
      make_loaded(std::move(*recording), *cc, path_of(options.subject), nullptr, MachineCode::made);
  if (blocks->all) {
    Result<std::shared_ptr<const Loaded>> counted = with_counts_for(*view, std::move(loaded));
    if (!counted.ok()) return context.fail(counted.error());
    loaded = *std::move(counted);
  }
  const Result<Selection> selection =
      options.select.empty() ? opening_selection(*loaded) : selection_at(*loaded->recording, *place);
  if (!selection.ok()) return context.fail(selection.error());
  Result<PreparedView> prepared = prepare_view(*view, loaded, *selection);
  if (!prepared.ok()) return context.fail(prepared.error());
  if (prepared->without_details) context.err << "warplens: " << prepared->without_details->message() << '\n';
  const viz::ExportRequest request{.view = options.view,
                                   .subject = std::move(prepared->subject),
                                   .width = options.width,
                                   .height = options.height,
                                   .scale = options.scale,
                                   .dark = !options.light};
  if (const Result<Done> done = viz::export_view(request, options.output); !done.ok())
    return context.fail(done.error());
  context.err << fmt::format("{}: {} of {}, {}\n", escaped(options.output.string()), options.view,
                             escaped(loaded->recording->kernel),
                             place_in_words(*loaded->recording, clamped(*loaded->recording, *selection)));
  if (loaded->recording->ended) {
    context.err << fmt::format("{}\n", run_in_words(*loaded->recording));
    context.status = kFailed;
  }
}

}  // namespace

void add_export(Program& program, Context& context) {
  auto options = std::make_shared<ExportOptions>();
  const CliCommand command = program.add_command("export", "A view as a picture or a table");
  command.add_option("subject", options->subject, "A kernel of `warplens list`, a PTX file or a recording's")
      .required()
      .value_name("KERNEL|FILE");
  command.add_option("--view", options->view, "What is drawn").required().value_name(names_of_views("|"));
  command.add_option("--select", options->select, "Which access; if not given, a telling one")
      .value_name("block=X,Y,warp=W,phase=K,step=S");
  command.add_option("--width", options->width, "Pixels").in_range(100, 20000).shows_default();
  command.add_option("--height", options->height, "Pixels").in_range(100, 20000).shows_default();
  command.add_option("--scale", options->scale, "Size of texts and lines").in_range(0.25, 8).shows_default();
  command.add_flag("--light", options->light, "Dark on light, for print");
  command.add_option("-o", options->output, "Where to; the extension says what")
      .required()
      .value_name("FILE.png|.svg|.csv|.json");
  command.add_option("--cc", options->cc, "Compute capability whose memory rules hold")
      .value_name("X.Y")
      .shows_default();
  options->launch.add_to(command);
  command.footer(
      "Examples:\n"
      "  warplens export tiled --view banks -o banks.svg\n"
      "  warplens export tiled.wlr --view coalescing --select block=3,2,warp=0,phase=5,step=2 --width 1200 "
      "--height 700 -o access.png\n"
      "  warplens export naive --size 64 --view heat -o touches.csv");
  command.action([&context, options] { run_export(context, *options); });
}

}  // namespace warplens::app
