#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "app/kernel_file/host_launch.h"
#include "app/kernel_file/kernel_file.h"
#include "kernels/base/texts.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

Error no_kernel(const KernelFile& file) {
  std::vector<std::string> templates;
  for (const FileTemplate& one : file.templates)
    templates.push_back(fmt::format("{}<{}>", one.name, one.arguments));
  return {tr("there is no kernel in it"), file.file.filename().string(),
          templates.empty()
              ? tr("A kernel is a function declared `.entry` (in CUDA, __global__).")
              : tr("It has templates of kernels, {templates}: name an instance, such as {example}.",
                   "templates"_a = fmt::format("{}", fmt::join(templates, ", ")),
                   "example"_a = file.templates.front().example())};
}

/// "int T, bool B": at commas outside of brackets, without spaces before them.
std::vector<std::string> parts_of_arguments(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

/// Whether "k<L2,float>" may ask for "k<(Metric)1,float>": the source has names for enumerators, the PTX
/// their types and values.
bool may_be_called(const std::string& plain, const std::string& wanted) {
  const std::size_t open = plain.find('<');
  if (open == std::string::npos || !plain.ends_with('>') || !wanted.ends_with('>') ||
      wanted.substr(0, open + 1) != plain.substr(0, open + 1))
    return false;
  const auto arguments = [&](const std::string& name) {
    return parts_of_arguments(std::string_view(name).substr(open + 1, name.size() - open - 2));
  };
  return std::ranges::equal(
      arguments(plain), arguments(wanted), [](const std::string& has, const std::string& asks) {
        const bool is_name = !asks.empty() && std::isalpha(static_cast<unsigned char>(asks.front())) != 0 &&
                             asks != "true" && asks != "false";
        return has == asks || (has.starts_with('(') && is_name);
      });
}

}  // namespace

std::string FileTemplate::example() const {
  std::vector<std::string> values;
  for (const std::string& argument : parts_of_arguments(arguments)) {
    const bool is_type = argument.starts_with("typename") || argument.starts_with("class ");
    values.emplace_back(is_type ? "float" : argument.starts_with("bool ") ? "true" : "16");
  }
  return fmt::format("{}<{}>", name, fmt::join(values, ","));
}

const FileEntry* KernelFile::find(const std::string& name) const {
  const FileEntry* found = nullptr;
  for (const FileEntry& entry : kernels) {
    if (entry.name == name) return &entry;
    const std::string plain = ptx::comparable_name(entry.plain_name), wanted = ptx::comparable_name(name);
    if (plain != wanted && plain.substr(0, plain.find('<')) != wanted) continue;
    if (found != nullptr) return nullptr;
    found = &entry;
  }
  if (found != nullptr) return found;
  const auto has_base_name = [&](const FileEntry& entry) { return ptx::base_name(entry.plain_name) == name; };
  if (std::ranges::count_if(kernels, has_base_name) == 1)
    return &*std::ranges::find_if(kernels, has_base_name);
  if (!is_cuda()) return nullptr;
  // The instance that was asked for is among those that were compiled
  const auto is_asked_for = [&](const FileEntry& entry) {
    return may_be_called(ptx::comparable_name(entry.plain_name), ptx::comparable_name(name));
  };
  const auto first = std::ranges::find_if(kernels, is_asked_for);
  return std::ranges::count_if(kernels, is_asked_for) == 1 ? &*first : nullptr;
}

const FileEntry* first_entry(const KernelFile& file) {
  const auto says =
      std::ranges::find_if(file.kernels, [](const FileEntry& entry) { return !entry.launch.empty(); });
  if (says != file.kernels.end()) return &*says;
  const FileEntry* const launched = first_launched(file);
  return launched != nullptr || file.kernels.empty() ? launched : &file.kernels.front();
}

Result<const FileEntry*> choose_entry(const KernelFile& file, const std::string& entry) {
  if (file.kernels.empty()) return no_kernel(file);
  if (!entry.empty()) {
    if (const FileEntry* const found = file.find(entry)) return found;
  } else if (file.kernels.size() == 1) {
    return &file.kernels.front();
  } else {
    const auto says = [](const FileEntry& one) { return !one.launch.empty(); };
    const auto saying = std::ranges::count_if(file.kernels, says);
    if (saying == 1) return &*std::ranges::find_if(file.kernels, says);
    const FileEntry* const first = saying == 0 ? first_launched(file) : nullptr;
    if (first != nullptr) return first;
  }
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> names;
  for (const FileEntry& one : file.kernels) {
    if (names.size() < kMostNames) names.push_back(one.plain_name);
  }
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  const std::size_t more = file.kernels.size() - names.size();
  return Error{entry.empty() ? tr("there is more than one kernel in it")
                             : tr("no kernel, or more than one, is called `{name}`", "name"_a = entry),
               file.file.filename().string(),
               more > 0 ? tr_n(more, "Its kernels: {kernels}, and {n} more, which `warplens check` lists.",
                               "Its kernels: {kernels}, and {n} more, which `warplens check` lists.",
                               "kernels"_a = listed)
                        : tr("Its kernels: {kernels}.", "kernels"_a = listed)};
}

}  // namespace warplens::app
