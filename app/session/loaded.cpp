#include <algorithm>

#include "app/session/session.h"

namespace warplens::app {
namespace {

// The file that most memory instructions come from.
std::uint32_t main_source_file(const Recording& recording) {
  std::vector<std::uint32_t> sites(recording.files.size());
  for (const Site& site : recording.sites) {
    if (site.line != 0 && site.file < sites.size()) ++sites[site.file];
  }
  return static_cast<std::uint32_t>(std::max_element(sites.begin(), sites.end()) - sites.begin());
}

}  // namespace

std::shared_ptr<const Loaded> make_loaded(Recording recording, analysis::ComputeCapability cc, std::filesystem::path path,
                                          const std::atomic<bool>* cancelled) {
  auto loaded = std::make_shared<Loaded>();
  loaded->recording = std::move(recording);
  loaded->cc = cc;
  loaded->report = analysis::report(loaded->recording, cc);
  loaded->phase_kinds = analysis::phase_kinds(loaded->recording);
  loaded->element_counts = analysis::element_counts(loaded->recording);
  loaded->divergence = analysis::divergence(loaded->recording);
  loaded->source_file = main_source_file(loaded->recording);
  loaded->compiled = as_compiled(loaded->recording, cc, std::nullopt, cancelled, path.empty() ? kMaxInstructionsToFollow : kMaxInstructionsOfFile);
  loaded->occupancy = occupancy_subject(loaded->recording, cancelled);
  loaded->path = std::move(path);
  return loaded;
}

}  // namespace warplens::app
