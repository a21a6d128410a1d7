#include "viz/analysis/as_compiled.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "kernels/base/texts.h"

namespace warplens::analysis {
namespace {

using Key = std::tuple<std::uint32_t, Space, AccessOp>;

std::map<Key, WidthCounts> count_widths(const Recording& recording, std::uint32_t file) {
  std::map<Key, WidthCounts> counts;
  for (std::size_t i = 0; i < recording.sites.size(); ++i) {
    const Site& site = recording.sites[i];
    if (site.file != file || site.line == 0 || recording.totals[i].requests == 0 || site.bytes == 0) continue;
    const auto width = static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(site.bytes)));
    if (width < WidthCounts{}.size())
      counts[{site.line, site.space, site.op}][width] += recording.totals[i].requests;
  }
  return counts;
}

/// Bytes, those of bulk copies among them.
std::uint64_t stored_to_global(const Report& report) {
  return report.global_store.requested_bytes + report.bulk_store_global.requested_bytes;
}
std::uint64_t stored_to_shared(const Report& report) {
  return report.shared_store.requested_bytes + report.bulk_load_shared.requested_bytes;
}

}  // namespace

std::vector<ChangedAccesses> changed_accesses(const Recording& written, std::uint32_t file,
                                              const Recording& compiled, std::uint32_t compiled_file) {
  // Of code without a line table no line says anything: PTX's own lines, which stand for it, are not in
  // machine code
  const auto has_line = [](const Site& site) { return site.line != 0; };
  if (std::ranges::none_of(compiled.sites, has_line)) return {};
  // Nor of a kind of accesses that the line table leaves out.
  const auto is_left_out = [&](const Key& key) {
    bool any = false, any_line = false;
    for (std::size_t i = 0; i < compiled.sites.size(); ++i) {
      const Site& site = compiled.sites[i];
      if (site.space != std::get<Space>(key) || site.op != std::get<AccessOp>(key) ||
          compiled.totals[i].requests == 0)
        continue;
      any = true;
      any_line = any_line || site.line != 0;
    }
    return any && !any_line;
  };
  std::map<Key, std::pair<WidthCounts, WidthCounts>> both;
  for (const auto& [key, counts] : count_widths(written, file)) both[key].first = counts;
  for (const auto& [key, counts] : count_widths(compiled, compiled_file)) both[key].second = counts;
  std::vector<ChangedAccesses> changed;
  for (const auto& [key, counts] : both) {
    if (counts.first == counts.second || is_left_out(key)) continue;
    const auto& [line, space, op] = key;
    changed.push_back(
        {.line = line, .space = space, .op = op, .written = counts.first, .compiled = counts.second});
  }
  return changed;
}

std::string in_words(const WidthCounts& counts) {
  std::string words;
  for (std::size_t width = 0; width < counts.size(); ++width) {
    if (counts[width] == 0) continue;
    // Translators: so many accesses of so many bytes
    const std::string one =
        tr("{accesses} of {bytes} B", "accesses"_a = with_thousands(counts[width]), "bytes"_a = 1u << width);
    words = words.empty() ? one : tr("{first}, {second}", "first"_a = words, "second"_a = one);
  }
  return words.empty() ? tr("none") : words;
}

std::string disagreement(const Report& written, const Report& compiled) {
  if (stored_to_global(written) != stored_to_global(compiled)) {
    return tr_n(stored_to_global(written),
                "{n} byte stored to global memory as written, {compiled} as compiled",
                "{n} bytes stored to global memory as written, {compiled} as compiled",
                "compiled"_a = with_thousands(stored_to_global(compiled)));
  }
  if (stored_to_shared(written) != stored_to_shared(compiled)) {
    return tr_n(stored_to_shared(written),
                "{n} byte stored to shared memory as written, {compiled} as compiled",
                "{n} bytes stored to shared memory as written, {compiled} as compiled",
                "compiled"_a = with_thousands(stored_to_shared(compiled)));
  }
  return {};
}

bool may_drop_stores(const Report& written, const Report& compiled) {
  return stored_to_global(written) == stored_to_global(compiled) &&
         stored_to_shared(written) > stored_to_shared(compiled);
}

}  // namespace warplens::analysis
