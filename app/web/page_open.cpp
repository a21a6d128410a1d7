#include <algorithm>
#include <filesystem>

#include "app/launch/launch_menus.h"
#include "app/launch/launch_words.h"
#include "app/session/finding_words.h"
#include "app/session/navigation.h"
#include "app/web/page_state.h"
#include "kernels/base/texts.h"
#include "kernels/recording/file.h"
#include "viz/analysis/device_models.h"

namespace warplens::app::web {
namespace {

std::optional<std::uint64_t> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::vector<std::string> texts_in(const Json& object, const char* name) {
  return object.value(name, std::vector<std::string>());
}

LaunchWords words_of(const Json& request) {
  LaunchWords words;
  words.size = number_in(request, "size");
  words.m = number_in(request, "m");
  words.p = number_in(request, "p");
  words.n = number_in(request, "n");
  words.shared_bytes = number_in(request, "shared");
  words.parameters = texts_in(request, "set");
  words.value_type = request.value("type", "");
  words.entry = request.value("entry", "");
  words.grid = request.value("grid", "");
  words.block = request.value("block", "");
  words.arguments = texts_in(request, "arguments");
  words.limit = number_in(request, "limit");
  return words;
}

bool is_compiled_first(const std::string& subject) {
  const std::string extension = std::filesystem::path(subject).extension().string();
  return extension == ".cu" || extension == ".cuh" || extension == ".py";
}

Result<std::shared_ptr<const Loaded>> open_subject(const std::string& subject, const LaunchWords& words,
                                                   analysis::ComputeCapability cc) {
  const SubjectKind kind = kind_of(subject);
  if (kind == SubjectKind::recording) {
    Result<Recording> recording = load(subject);
    if (!recording.ok()) return recording.error();
    return make_loaded(*std::move(recording), cc, subject, nullptr, MachineCode::made);
  }
  if (is_compiled_first(subject))
    return Error{
        tr("a browser cannot compile {file}", "file"_a = std::filesystem::path(subject).filename().string()),
        "", tr("Compile on your machine, with nvcc -ptx -lineinfo FILE.cu, and open the PTX.")};
  const Result<LaunchRequest> request = make_request_to_record(kind, subject, words, cc, BlockChoice{});
  if (!request.ok()) return request.error();
  return record_loaded(*request, nullptr, MachineCode::made);
}

}  // namespace

Answer answer_open(PageState& state, const Json& request) {
  const Result<analysis::ComputeCapability> cc =
      analysis::parse_compute_capability(request.value("cc", "9.0"));
  if (!cc.ok()) return cc.error();
  state.loaded.reset();  // Two may be more than there is memory for
  Result<std::shared_ptr<const Loaded>> loaded =
      open_subject(request.at("subject").get<std::string>(), words_of(request), *cc);
  if (!loaded.ok()) return loaded.error();
  state.loaded = *std::move(loaded);
  state.selection = opening_selection(*state.loaded);
  return Json{{"opened", json_of_opened(*state.loaded)},
              {"place", json_of_place(*state.loaded, state.selection)}};
}

Json json_of_opened(const Loaded& loaded) {
  const Recording& recording = *loaded.recording;
  Json blocks = Json::array(), findings = Json::array(), parameters = Json::object();
  for (const Dim3 block : recording.event_blocks) blocks.push_back({block.x, block.y, block.z});
  constexpr std::size_t kMostFindings = 50;
  for (std::size_t i = 0; i < std::min(kMostFindings, recording.findings.size()); ++i)
    findings.push_back(sentence_for(recording.findings[i]));
  for (const NamedValue& parameter : recording.parameters) parameters[parameter.name] = parameter.value;
  return {{"kernel", recording.kernel},
          {"rules", loaded.cc.name()},
          {"sizes", {{"m", recording.m}, {"p", recording.p}, {"n", recording.n}}},
          {"parameters", std::move(parameters)},
          {"grid", {recording.grid.x, recording.grid.y, recording.grid.z}},
          {"block", {recording.block.x, recording.block.y, recording.block.z}},
          {"blocks", std::move(blocks)},
          {"findings", std::move(findings)},
          {"findings_count", recording.findings.size()},
          {"verified", loaded.verified ? Json(*loaded.verified) : Json(nullptr)}};
}

}  // namespace warplens::app::web
