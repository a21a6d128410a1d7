#include "app/launch/launch_spec.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <vector>

namespace warplens::app {
namespace {

/// Splits at commas; a part that names nothing belongs to the part before it, as in entry=mm<16,8>.
std::vector<std::string> parts_of_spec(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string part(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (parts.empty() || part.find('=') != std::string::npos) {
      parts.push_back(part);
    } else {
      parts.back() += ',' + part;
    }
  }
  return parts;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t>* extent_named(LaunchWords& words, std::string_view name) {
  if (name == "size") return &words.size;
  if (name == "m") return &words.m;
  if (name == "p") return &words.p;
  if (name == "n") return &words.n;
  return nullptr;
}

Error not_understood(const std::string& spec, const std::string& part) {
  return {fmt::format("`{}` in `{}` sets nothing", part, spec), "",
          "Write KERNEL:NAME=VALUE,..., such as tiled:T=16,size=512,cc=1.0. Names: size, m, p, n, type, "
          "entry, cc, and the kernel's parameters."};
}

/// Sizes that the word says replace those of the options: a size for all does not mix with one of them.
void forget_other_sizes(LaunchWords& words, bool& told) {
  if (!told) words.size = words.m = words.p = words.n = std::nullopt;
  told = true;
}

}  // namespace

Result<LaunchSpec> parse_launch_spec(const std::string& text, const LaunchWords& defaults) {
  LaunchSpec spec{.subject = text, .words = defaults, .cc = {}};
  std::error_code error;
  const std::size_t folders = text.rfind('/', text.find('='));
  const std::size_t colon =
      text.find(':', folders == std::string::npos ? 0 : folders);  // A name of an entry may have some, too
  if (colon == std::string::npos || std::filesystem::exists(text, error)) return spec;
  spec.subject = text.substr(0, colon);
  bool sizes_told = false;
  for (const std::string& part : parts_of_spec(std::string_view(text).substr(colon + 1))) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
      return not_understood(text, part);
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    if (std::optional<std::uint64_t>* const extent = extent_named(spec.words, name)) {
      forget_other_sizes(spec.words, sizes_told);
      *extent = whole_number(value);
      if (!*extent) return not_understood(text, part);
    } else if (name == "type") {
      spec.words.value_type = value;
    } else if (name == "entry") {
      spec.words.entry = value;
    } else if (name == "cc") {
      const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(value);
      if (!cc.ok()) return cc.error();
      spec.cc = *cc;
    } else {
      std::erase_if(spec.words.parameters,
                    [&name](const std::string& other) { return other.starts_with(name + "="); });
      spec.words.parameters.push_back(part);
    }
  }
  return spec;
}

}  // namespace warplens::app
