#include "app/kernel_file/kernel_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>

#include "app/kernel_file/kernel_file.h"
#include "app/kernel_file/python_source.h"
#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/host/host_program.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostListedBytes = 64u << 20;
constexpr auto kReportInterval = std::chrono::milliseconds(50);
constexpr std::array<std::string_view, 4> kSkippedFolders{"build", "CMakeFiles", "__pycache__",
                                                          "node_modules"};
/// A folder with one of these is made by a build or by a package manager.
constexpr std::array<const char*, 3> kMarksOfOutput{"CMakeCache.txt", "build.ninja", "pyvenv.cfg"};

bool is_output_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name.starts_with('.') || std::ranges::find(kSkippedFolders, name) != kSkippedFolders.end() ||
      name.starts_with("cmake-build-"))
    return true;
  std::error_code ignored;
  return std::ranges::any_of(kMarksOfOutput,
                             [&](const char* mark) { return fs::exists(folder / mark, ignored); });
}

bool is_letter_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// Whether the source has the kernel's body, and not a declaration alone.
bool is_defined(std::string_view source, const std::string& name) {
  bool is_declared = false;
  for (std::size_t at = source.find(name); at != std::string_view::npos; at = source.find(name, at + 1)) {
    std::size_t end = at + name.size();
    const bool is_word = (at == 0 || !is_letter_of_word(source[at - 1])) &&
                         (end == source.size() || !is_letter_of_word(source[end]));
    while (end < source.size() && std::isspace(static_cast<unsigned char>(source[end])) != 0) ++end;
    if (!is_word || end == source.size() || source[end] != '(') continue;
    int depth = 0;
    for (; end < source.size(); ++end) {
      if (source[end] == '(') ++depth;
      if (source[end] == ')' && --depth == 0) break;
    }
    end = source.find_first_of("{;", end);
    if (end != std::string_view::npos && source[end] == '{') return true;
    is_declared = true;
  }
  return !is_declared;  // A macro may write it
}

std::vector<ListedKernel> kernels_of_cuda(const std::string& text) {
  std::vector<ListedKernel> kernels;
  std::map<std::string, std::string> launched;  ///< By name: with template arguments, as it is launched first
  for (const host::Launch& launch : host::interpret(text).launches) {
    const bool has_arguments = !launch.template_arguments.empty();
    launched.try_emplace(
        launch.kernel, has_arguments ? launch.kernel + "<" + launch.template_arguments + ">" : launch.kernel);
  }
  for (compile::SourceKernel& kernel : compile::kernels_in(text)) {
    if (!is_defined(text, kernel.name)) continue;
    const auto used = launched.find(kernel.name);
    std::string instance =
        used != launched.end() && used->second.ends_with('>') ? used->second : std::string();
    const LaunchKnown launch = !kernel.launch.empty()               ? LaunchKnown::comment
                               : used != launched.end()             ? LaunchKnown::in_file
                               : !kernel.template_arguments.empty() ? LaunchKnown::instance
                                                                    : LaunchKnown::guessed;
    kernels.push_back({.file = {},
                       .line = kernel.line,
                       .name = std::move(kernel.name),
                       .template_arguments = std::move(kernel.template_arguments),
                       .instance = std::move(instance),
                       .parameters = std::move(kernel.parameters),
                       .language = KernelLanguage::cuda,
                       .launch = launch});
  }
  return kernels;
}

std::vector<ListedKernel> kernels_of_python(const std::string& text) {
  std::vector<ListedKernel> kernels;
  PythonSource source = read_python(text);
  for (PythonKernel& kernel : source.kernels) {
    const bool is_cuda = kernel.kind == PythonKernelKind::cupy;
    std::string instance;
    if (kernel.cuda) {
      const std::vector<std::string>& all = source.cuda[*kernel.cuda].instances;
      const auto own = std::ranges::find_if(
          all, [&](const std::string& one) { return one.starts_with(kernel.name + "<"); });
      if (own != all.end()) instance = *own;
    }
    const bool needs_instance = !kernel.template_arguments.empty() && instance.empty();
    const LaunchKnown launch = !kernel.launch.empty()    ? LaunchKnown::comment
                               : kernel.is_launched      ? LaunchKnown::in_file
                               : kernel.is_called        ? LaunchKnown::device
                               : is_cuda && !kernel.cuda ? LaunchKnown::generated
                               : needs_instance          ? LaunchKnown::instance
                                                         : LaunchKnown::guessed;
    const KernelLanguage language = kernel.kind == PythonKernelKind::triton  ? KernelLanguage::triton
                                    : kernel.kind == PythonKernelKind::numba ? KernelLanguage::numba
                                                                             : KernelLanguage::cupy;
    kernels.push_back({.file = {},
                       .line = kernel.line,
                       .name = std::move(kernel.name),
                       .template_arguments = std::move(kernel.template_arguments),
                       .instance = std::move(instance),
                       .parameters = std::move(kernel.parameters),
                       .language = language,
                       .launch = launch});
  }
  return kernels;
}

/// "mm_param_0" of `.param .u64 .ptr .global .align 1 mm_param_0`: type and name.
compile::SourceParameter parameter_of_ptx(std::string_view written, const std::string& entry) {
  compile::SourceParameter parameter;
  std::size_t at = 0;
  std::string_view last;
  while (at < written.size()) {
    const std::size_t end = std::min(written.find_first_of(" \t\r\n", at), written.size());
    const std::string_view word = written.substr(at, end - at);
    const bool is_type = word.size() > 2 && word[0] == '.' &&
                         std::string_view("bsuf").find(word[1]) != std::string_view::npos &&
                         std::isdigit(static_cast<unsigned char>(word[2])) != 0;
    if (is_type && parameter.type.empty()) parameter.type = std::string(word.substr(1));
    if (!word.empty()) last = word;
    at = end + 1;
  }
  parameter.name = std::string(last.starts_with(entry + "_") ? last.substr(entry.size() + 1) : last);
  return parameter;
}

/// Reads entries by their headers alone: PTX may be long, and the list needs no instruction of it.
std::vector<ListedKernel> kernels_of_ptx(const std::string& text) {
  constexpr std::string_view kEntry = ".entry", kBlanks = " \t\r\n";
  const bool has_comment = text.find("warplens:") != std::string::npos;
  std::vector<ListedKernel> kernels;
  std::uint32_t line = 1;
  std::size_t counted = 0;
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at + 1)) {
    const std::size_t begin_of_line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    if (text.substr(begin_of_line, at - begin_of_line).find("//") != std::string::npos) continue;
    const std::size_t from = text.find_first_not_of(kBlanks, at + kEntry.size());
    if (from == std::string::npos || from == at + kEntry.size()) continue;
    std::size_t end = from;
    while (end < text.size() && (is_letter_of_word(text[end]) || text[end] == '%')) ++end;
    const std::string name = text.substr(from, end - from);
    if (name.empty()) continue;
    line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  text.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
    counted = from;
    ListedKernel kernel{.file = {},
                        .line = line,
                        .name = ptx::plain_name(name),
                        .language = KernelLanguage::ptx,
                        .launch = has_comment ? LaunchKnown::comment : LaunchKnown::guessed};
    const std::size_t open = text.find_first_not_of(kBlanks, end);
    const std::size_t close = open != std::string::npos && text[open] == '(' ? text.find(')', open) : open;
    for (std::size_t part = open; part < close && close != std::string::npos;) {
      const std::size_t stop = std::min(text.find(',', part + 1), close);
      compile::SourceParameter parameter =
          parameter_of_ptx(std::string_view(text).substr(part + 1, stop - part - 1), name);
      if (!parameter.name.empty()) kernel.parameters.push_back(std::move(parameter));
      part = stop;
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<ListedKernel> kernels_of_text(const fs::path& file, const std::string& text) {
  if (is_python_file(file)) return kernels_of_python(text);
  return is_cuda_file(file) ? kernels_of_cuda(text) : kernels_of_ptx(text);
}

class KernelLister {
 public:
  KernelLister(fs::path folder, const std::function<bool(KernelListPart)>& report)
      : folder_(std::move(folder)), report_(report) {}

  Result<Done> list() {
    std::error_code error;
    const fs::file_status status = fs::status(folder_, error);
    if (fs::is_directory(status)) {
      fs::directory_iterator readable(folder_, error);
      if (error)
        return Error{tr("the folder cannot be read: {reason}", "reason"_a = error.message()),
                     folder_.string(), tr("Change its permissions, or choose another folder.")};
      list_folder(folder_);
    } else if (fs::is_regular_file(status)) {
      const fs::path file = std::exchange(folder_, folder_.parent_path());
      list_file(file);
    } else {
      return Error{tr("there is no such file or folder"), folder_.string(), tr("Check the path.")};
    }
    static_cast<void>(report_(std::exchange(part_, {})));
    return Done{};
  }

 private:
  [[nodiscard]] fs::path relative(const fs::path& path) const { return path.lexically_relative(folder_); }

  void leave_unread(const fs::path& path, std::string reason) {
    part_.unread.push_back({relative(path), std::move(reason)});
  }

  void list_folder(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    fs::directory_iterator at(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) entries.push_back(*at);
    if (error) leave_unread(folder, error.message());
    std::ranges::sort(entries, {}, &fs::directory_entry::path);
    for (const fs::directory_entry& entry : entries) {
      report_when_due();
      if (!wanted_) return;
      std::error_code unknown;
      if (entry.is_symlink(unknown)) {
        look_at_link(entry.path());
      } else if (entry.is_directory(unknown)) {
        if (!is_output_folder(entry.path())) list_folder(entry.path());
      } else if (may_have_kernels(entry.path())) {
        list_file(entry.path());
      }
    }
  }

  /// What it leads to in the folder is listed where it lies.
  void look_at_link(const fs::path& link) {
    std::error_code error;
    const bool is_folder = fs::is_directory(link, error);
    if (!is_folder && !may_have_kernels(link)) return;
    const fs::path target = fs::canonical(link, error);
    if (error) return leave_unread(link, error.message());
    const fs::path inside = target.lexically_relative(fs::canonical(folder_, error));
    if (inside.empty() || *inside.begin() == "..")
      leave_unread(link, tr("the symbolic link leads out of the folder, and is not followed"));
  }

  void list_file(const fs::path& file) {
    const Result<std::vector<std::byte>> bytes = read_file(file, kMostListedBytes);
    if (bytes.ok()) {
      const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      for (ListedKernel& kernel : kernels_of_text(file, text)) {
        kernel.file = relative(file);
        part_.kernels.push_back(std::move(kernel));
      }
      ++part_.files;
    } else {
      leave_unread(file, bytes.error().what);
    }
  }

  void report_when_due() {
    const auto now = std::chrono::steady_clock::now();
    if (!wanted_ || now < reported_ + kReportInterval) return;
    reported_ = now;
    wanted_ = report_(std::exchange(part_, {}));
  }

  fs::path folder_;
  const std::function<bool(KernelListPart)>& report_;
  KernelListPart part_;
  std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
  bool wanted_ = true;
};

char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), lower_letter);
  return lower;
}

bool has_letters_in_order(std::string_view name, std::string_view typed) {
  std::size_t at = 0;
  for (const char c : typed) {
    at = name.find(c, at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  return true;
}

bool has_all_words(const std::string& text, std::string_view typed) {
  for (std::size_t at = 0; at < typed.size();) {
    const std::size_t end = std::min(typed.find(' ', at), typed.size());
    if (text.find(typed.substr(at, end - at)) == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

constexpr int kNoFit = 4;

int rank_of(const ListedKernel& kernel, const std::string& typed) {
  const std::string name = in_lower_case(kernel.name);
  if (name.starts_with(typed)) return 0;
  if (name.find(typed) != std::string::npos) return 1;
  if (has_all_words(name + " " + in_lower_case(kernel.file.string()), typed)) return 2;
  return has_letters_in_order(name, typed) ? 3 : kNoFit;
}

}  // namespace

const char* name_of(KernelLanguage language) {
  switch (language) {
    case KernelLanguage::cuda: return "CUDA C++";
    case KernelLanguage::ptx: return "PTX";
    case KernelLanguage::triton: return "Triton";
    case KernelLanguage::numba: return "Numba";
    case KernelLanguage::cupy: return "CuPy";
  }
  return "";
}

const char* id_of(KernelLanguage language) {
  switch (language) {
    case KernelLanguage::cuda: return "cuda";
    case KernelLanguage::ptx: return "ptx";
    case KernelLanguage::triton: return "triton";
    case KernelLanguage::numba: return "numba";
    case KernelLanguage::cupy: return "cupy";
  }
  return "";
}

const char* name_of(LaunchKnown launch) {
  switch (launch) {
    case LaunchKnown::comment: return tr("launch comment");
    case LaunchKnown::in_file: return tr("launched in the file");
    case LaunchKnown::instance: return tr("template");
    case LaunchKnown::guessed: return tr("not said");
    case LaunchKnown::device: return tr("called by kernels");
    case LaunchKnown::generated: return tr("made at run time");
  }
  return "";
}

const char* id_of(LaunchKnown launch) {
  switch (launch) {
    case LaunchKnown::comment: return "comment";
    case LaunchKnown::in_file: return "in_file";
    case LaunchKnown::instance: return "template";
    case LaunchKnown::guessed: return "unknown";
    case LaunchKnown::device: return "device_function";
    case LaunchKnown::generated: return "generated";
  }
  return "";
}

std::string parameters_in_words(const ListedKernel& kernel) {
  std::vector<std::string> words;
  const bool is_python =
      kernel.language == KernelLanguage::triton || kernel.language == KernelLanguage::numba;
  for (const compile::SourceParameter& parameter : kernel.parameters) {
    if (parameter.type.empty() || parameter.name.empty()) {
      words.push_back(parameter.type + parameter.name);
    } else {
      words.push_back(is_python ? fmt::format("{}: {}", parameter.name, parameter.type)
                                : fmt::format("{} {}", parameter.type, parameter.name));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string name_in_words(const ListedKernel& kernel) {
  return kernel.template_arguments.empty() ? kernel.name
                                           : fmt::format("{}<{}>", kernel.name, kernel.template_arguments);
}

bool may_have_kernels(const std::filesystem::path& path) {
  return is_cuda_file(path) || is_python_file(path) || path.extension() == ".ptx";
}

Result<Done> list_kernels(const std::filesystem::path& folder,
                          const std::function<bool(KernelListPart)>& report) {
  return KernelLister(folder, report).list();
}

std::vector<std::size_t> kernels_that_fit(const std::vector<ListedKernel>& kernels, std::string_view typed) {
  const std::string wanted = in_lower_case(typed);
  std::vector<std::pair<int, std::size_t>> ranked;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const int rank = wanted.empty() ? 0 : rank_of(kernels[i], wanted);
    if (rank < kNoFit) ranked.emplace_back(rank, i);
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<int, std::size_t>::first);
  std::vector<std::size_t> found;
  for (const auto& [rank, index] : ranked) found.push_back(index);
  return found;
}

}  // namespace warplens::app
