#include <fmt/core.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/recordings.h"
#include "app/cli/report_text.h"
#include "app/launch/launch_spec.h"
#include "app/report/report_json.h"
#include "app/session/comparison.h"
#include "app/session/grid_counts.h"
#include "app/session/matching.h"
#include "app/session/navigation.h"
#include "app/session/place.h"
#include "app/session/subject.h"
#include "kernels/base/text.h"
#include "kernels/gpu/run.h"
#include "kernels/recording/compare.h"
#include "viz/export/export.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

struct CompareOptions {
  std::string a, b, cc = "9.0";
  LaunchOptions launch;
  std::filesystem::path output;
  std::string view, select;
  float width = 1200, height = 800;
  bool time = false, json = false, light = false, difference = false, by_step = false;
};

struct Side {
  bool is_recording = false;
  std::shared_ptr<const Loaded> loaded;
  std::optional<MeasuredTime> measured;

  [[nodiscard]] ComparedSide compared() const { return {*loaded, measured}; }
  [[nodiscard]] const Recording& recording() const { return *loaded->recording; }
};

/// A launch of the same on the GPU.
Result<MeasuredTime> measure(const Recording& recording) {
  const Result<gpu::RunRequest> request = run_request_of(launch_of(recording));
  if (!request.ok()) return request.error();
  const Result<gpu::RunResult> result = gpu::run(*request);
  if (!result.ok()) return result.error();
  if (gpu::failed(*result)) return gpu::wrong_result(result->kernel);
  return measured_time(*result);
}

/// What is drawn of both above the table, and where.
struct ChosenPicture {
  const viz::View* view = nullptr;  ///< nullptr: the table alone
  Place place;
};

std::string names_of_pictures(const char* separator) {
  std::vector<std::string_view> names;
  for (const viz::View& view : viz::views()) {
    if (view.exported() && view.make != nullptr) names.push_back(view.id);
  }
  return fmt::format("{}", fmt::join(names, separator));
}

Result<ChosenPicture> chosen_picture(const CompareOptions& options) {
  if (options.view.empty()) {
    if (options.difference || options.by_step || !options.select.empty())
      return Error{"there is no picture to draw so", "", "Say which: --view NAME, and where to: -o FILE."};
    return ChosenPicture{};
  }
  const viz::View* const view = viz::find_view(options.view);
  if (view == nullptr || !view->exported() || view->make == nullptr)
    return Error{fmt::format("there is no picture `{}`", options.view), "",
                 fmt::format("The pictures: {}.", names_of_pictures(", "))};
  if (options.output.empty())
    return Error{"there is no file to draw the picture in", "", "Say which: -o FILE.png, or .svg."};
  if (options.difference && view->difference == nullptr)
    return Error{fmt::format("there is no picture of a difference for `{}`", options.view), "",
                 "Leave --difference out."};
  const Result<Place> place = options.select.empty() ? Place{} : parse_place(options.select);
  if (!place.ok()) return place.error();
  return ChosenPicture{view, *place};
}

/// Where all blocks are asked for and one is drawn, what is of the grid is counted. Null after saying why on
/// the context.
std::shared_ptr<const Loaded> with_counts(Context& context, std::shared_ptr<const Loaded> loaded,
                                          const viz::View& view) {
  if (!view.of_grid || !loaded->path.empty()) return loaded;
  Result<std::shared_ptr<const Loaded>> with = with_grid_counts(std::move(loaded));
  if (with.ok()) return *std::move(with);
  context.fail(with.error());
  return nullptr;
}

/// Nothing after saying why on the context.
std::optional<Side> make_side(Context& context, const std::string& named, const CompareOptions& options,
                              const ChosenPicture& chosen, analysis::ComputeCapability cc) {
  const Result<LaunchSpec> spec = parse_launch_spec(named, options.launch);
  if (!spec.ok()) {
    context.misuse(spec.error());
    return std::nullopt;
  }
  const analysis::ComputeCapability rules = spec->cc.value_or(cc);
  const bool is_recording = kind_of(spec->subject) == SubjectKind::recording;
  // To be drawn, accesses are kept; for the table, totals are enough.
  const std::optional<BlockChoice> blocks =
      chosen.view != nullptr ? std::optional(BlockChoice{}) : std::nullopt;
  std::optional<Recording> recording =
      load_or_record(context, spec->subject, spec->words, rules, blocks,
                     options.select.empty() ? std::nullopt : std::optional(chosen.place.block));
  if (!recording) return std::nullopt;
  tell_messages(context, *recording);
  Side side{is_recording,
            make_loaded(std::move(*recording), rules, path_of(spec->subject), nullptr, MachineCode::made),
            {}};
  if (chosen.view != nullptr) side.loaded = with_counts(context, std::move(side.loaded), *chosen.view);
  if (!side.loaded) return std::nullopt;
  if (!options.time) return side;
  Result<MeasuredTime> measured = measure(side.recording());
  if (!measured.ok()) {
    context.fail(measured.error());
    return std::nullopt;
  }
  side.measured = *std::move(measured);
  return side;
}

ordered_json amount_json(const std::optional<Amount>& amount) {
  if (!amount) return nullptr;
  return std::visit([](auto value) { return ordered_json(value); }, *amount);
}

ordered_json comparison_json(const Comparison& comparison, const Side& a, const Side& b) {
  ordered_json figures = ordered_json::array();
  for (const ComparedFigure& figure : comparison.figures) {
    const Verdict verdict = comparison.verdict(figure);
    figures.push_back(
        {{"id", figure.id},
         {"a", amount_json(figure.a)},
         {"b", amount_json(figure.b)},
         {"verdict", verdict == Verdict::none ? ordered_json(nullptr) : ordered_json(name_of(verdict))}});
  }
  ordered_json json = {
      {"why_not_judged",
       comparison.why_not_judged.empty() ? ordered_json(nullptr) : ordered_json(comparison.why_not_judged)},
      {"as_compiled_missing", ordered_json::array()},
      {"devices", ordered_json::array()},
      {"figures", std::move(figures)}};
  for (const std::string& why : {comparison.a_not_compiled, comparison.b_not_compiled})
    json["as_compiled_missing"].push_back(why.empty() ? ordered_json(nullptr) : ordered_json(why));
  for (const Side* const side : {&a, &b})
    json["devices"].push_back(side->measured ? ordered_json(side->measured->device) : ordered_json(nullptr));
  return json;
}

std::string side_in_words(const Side& side) {
  const Recording& recording = side.recording();
  std::string text = launch_in_words(recording);
  text += fmt::format("  {}, memory rules {}", escaped(recording.value_type), side.loaded->cc.name());
  if (side.measured)
    text += fmt::format(", timed on {}: the median of {}", escaped(side.measured->device),
                        side.measured->launches);
  return text;
}

void print_comparison(std::ostream& out, const Comparison& comparison, const Side& a, const Side& b) {
  constexpr auto kFormat = "{:<42}{:>18}{:>18}   {:<24}{}";
  out << fmt::format("A  {}\nB  {}\n", side_in_words(a), side_in_words(b));
  if (a.recording().ended || b.recording().ended)
    out << "A launch was ended at its limit: its figures are of what was run until then.\n";
  std::optional<FigureSource> source;
  for (const ComparedFigure& figure : comparison.figures) {
    if (figure.is_nothing()) continue;
    if (source != figure.source)
      out << '\n' << fmt::format("{:<42}{:>18}{:>18}   B against A\n", title_of(figure.source), "A", "B");
    source = figure.source;
    const std::string name =
        *figure.of == '\0' ? figure.figure : fmt::format("{}: {}", figure.of, figure.figure);
    const Verdict verdict = comparison.verdict(figure);
    std::string line = fmt::format(kFormat, "  " + name, in_words(figure.a), in_words(figure.b),
                                   change_in_words(figure), verdict == Verdict::same ? "" : name_of(verdict));
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
  out << '\n';
  if (!comparison.why_not_judged.empty()) out << comparison.why_not_judged << '\n';
  for (const auto& [name, why] :
       {std::pair{'A', comparison.a_not_compiled}, {'B', comparison.b_not_compiled}}) {
    if (!why.empty()) out << fmt::format("{} as compiled is not known: {}\n", name, escaped(why));
  }
}

/// False after saying why not on the context.
bool draw(Context& context, const CompareOptions& options, const ChosenPicture& chosen,
          const Comparison& comparison, const Side& a, const Side& b) {
  Selection selection;
  if (chosen.view != nullptr) {
    const Result<Selection> found =
        options.select.empty() ? opening_selection(*b.loaded) : selection_at(b.recording(), chosen.place);
    if (!found.ok()) {
      context.fail(found.error());
      return false;
    }
    selection = clamped(b.recording(), *found);
  }
  viz::Subject subject = subject_of(*b.loaded, selection);
  if (chosen.view != nullptr) {
    const MatchBy by = options.by_step ? MatchBy::step : MatchBy::phase;
    const Matched match = matched(*b.loaded, selection, *a.loaded, by);
    subject.beside = viz::Side{moment_of(*a.loaded, match.selection), a.loaded.get(), options.by_step};
    const char* const matched_by = options.by_step ? "matched by step" : "matched by phase";
    subject.drawn = viz::Drawn{chosen.view, options.difference,
                               match.difference.empty() ? std::string(matched_by) : match.difference};
  }
  subject.changes =
      std::make_shared<const picture::Changes>(changes_of(comparison, side_in_words(a), side_in_words(b)));
  const viz::ExportRequest request{.view = "compare",
                                   .subject = std::move(subject),
                                   .width = options.width,
                                   .height = options.height,
                                   .dark = !options.light,
                                   .subject_owner = b.loaded};
  const Result<Done> done = viz::export_view(request, options.output);
  if (!done.ok()) context.fail(done.error());
  return done.ok();
}

void run_compare(Context& context, const CompareOptions& options) {
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return context.misuse(cc.error());
  const Result<ChosenPicture> chosen = chosen_picture(options);
  if (!chosen.ok()) return context.misuse(chosen.error());
  const std::optional<Side> a = make_side(context, options.a, options, *chosen, *cc);
  if (!a) return;
  const std::optional<Side> b = make_side(context, options.b, options, *chosen, *cc);
  if (!b) return;
  // Only files are held against each other access by access: of a launch made now, totals are kept.
  const bool by_access = a->is_recording && b->is_recording;
  const std::vector<Difference> found =
      by_access ? differences(a->recording(), b->recording()) : std::vector<Difference>();
  const Comparison comparison = compare(a->compared(), b->compared());
  if (!options.output.empty() && !draw(context, options, *chosen, comparison, *a, *b)) return;
  if (options.json) {
    ordered_json json = {{"a", options.a},
                         {"b", options.b},
                         {"equal", by_access ? ordered_json(found.empty()) : ordered_json(nullptr)},
                         {"differences", by_access ? ordered_json::array() : ordered_json(nullptr)}};
    for (const Difference& difference : found) json["differences"].push_back(difference.what);
    json["totals"] = {{"a", totals_json(a->loaded->report)}, {"b", totals_json(b->loaded->report)}};
    json["comparison"] = comparison_json(comparison, *a, *b);
    print_document(context.out, json);
  } else {
    if (by_access) context.out << (found.empty() ? "The same accesses.\n" : "They differ:\n");
    for (const Difference& difference : found) context.out << "  " << escaped(difference.what) << '\n';
    if (by_access) context.out << '\n';
    print_comparison(context.out, comparison, *a, *b);
  }
  const bool right = by_access ? found.empty() : !failed(a->recording()) && !failed(b->recording());
  context.status = right ? kDone : kFailed;
}

}  // namespace

void add_compare(Program& program, Context& context) {
  auto options = std::make_shared<CompareOptions>();
  const CliCommand command = program.add_command(
      "compare",
      "Two launches side by side: what each costs, as written and as compiled, and takes of a GPU");
  command.add_option("a", options->a, "A kernel with its values, a file's, or a recording")
      .required()
      .value_name("A");
  command.add_option("b", options->b, "Another").required().value_name("B");
  options->launch.add_problem_to(command);
  command
      .add_option("--cc", options->cc,
                  "Compute capability whose memory rules hold, where A or B does not say")
      .value_name("X.Y")
      .shows_default();
  command.add_flag("--time", options->time, "Launch both on the GPU as well, verified and timed");
  command
      .add_option("-o", options->output,
                  "What changed as a picture or a table as well; the extension says what")
      .value_name("FILE.png|.svg|.csv");
  command.add_option("--view", options->view, "With -o: what is drawn of both above the table")
      .value_name(names_of_pictures("|"));
  command.add_flag("--difference", options->difference,
                   "With --view: B less A, in place of the picture of each; of banks, heat and source");
  command
      .add_option("--select", options->select, "With --view: which access of B; if not given, a telling one")
      .value_name("block=X,Y,warp=W,phase=K,step=S");
  command.add_flag(
      "--by-step", options->by_step,
      "With --view: for the k-th access of B's warp stands the k-th of A's; if not given, fill k for fill k");
  command.add_option("--width", options->width, "Pixels of the picture").in_range(100, 20000).shows_default();
  command.add_option("--height", options->height, "Pixels of the picture")
      .in_range(100, 20000)
      .shows_default();
  command.add_flag("--light", options->light, "Dark on light, for print");
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "A and B are KERNEL|FILE[:NAME=VALUE,...]: size, m, p, n, type, entry, cc, and the kernel's "
      "parameters. The options hold for both.\n"
      "Two recordings are held against each other access by access as well: the exit status is 1 if they are "
      "not the same. Engine, device and time "
      "may differ.\n\nExamples:\n"
      "  warplens compare volkov_transposed volkov_padded --size 512\n"
      "  warplens compare tiled:T=16 tiled:T=32 --time\n"
      "  warplens compare volkov_transposed volkov_padded --view banks -o banks.png\n"
      "  warplens compare tiled:cc=1.0 tiled:cc=9.0 --json\n"
      "  warplens compare cpu.wlr gpu.wlr");
  command.action([&context, options] { run_compare(context, *options); });
}

}  // namespace warplens::app
