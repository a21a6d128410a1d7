#include "app/kernel_file/sources.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "kernels/base/files.h"
#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

namespace fs = std::filesystem;

/// Extensions of the languages that are compiled to PTX, and of what they include.
constexpr std::string_view kExtensions[] = {".cu",  ".cuh", ".c",   ".cc",  ".cpp", ".cxx", ".h",   ".hh",
                                            ".hpp", ".hxx", ".inl", ".inc", ".ipp", ".tcc", ".tpp", ".py",
                                            ".jl",  ".rs",  ".f90", ".cuf", ".cl",  ".ptx"};

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// Where the links and the dots of a path lead; nullopt if nothing is there.
std::optional<fs::path> resolved(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? std::nullopt : std::optional(real);
}

struct Found {
  std::optional<fs::path> path;
  bool outside = false;  ///< There is one, where it may not be read
};

Found find_source(const std::vector<fs::path>& folders, const fs::path& named) {
  Found found;
  for (const fs::path& folder : folders) {
    const std::optional<fs::path> root = resolved(folder.empty() ? "." : folder);
    if (!root) continue;
    // An absolute path stands for itself behind `/`.
    for (const fs::path& candidate : {*root / named, *root / named.filename()}) {
      const std::optional<fs::path> real = resolved(candidate);
      std::error_code error;
      if (!real || !fs::is_regular_file(*real, error)) continue;
      if (lies_in(*real, *root)) return {.path = real};
      found.outside = true;
    }
  }
  return found;
}

bool is_source_name(const fs::path& path) {
  const std::string extension = path.extension().string();
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) != std::end(kExtensions);
}

/// Why it was not read; empty if it was.
std::string read_source(const std::vector<fs::path>& folders, const fs::path& named,
                        std::uint64_t& bytes_left, std::string& text) {
  if (!is_source_name(named))
    return tr("`{extension}` is no extension of a source", "extension"_a = named.extension().string());
  const Found found = find_source(folders, named);
  if (!found.path)
    return found.outside ? tr("it lies outside the folders that may be read")
                         : tr("it is not in the PTX file's folder");
  if (!is_source_name(*found.path))
    return tr("it leads to a file with the extension `{extension}`",
              "extension"_a = found.path->extension().string());
  const Result<std::vector<std::byte>> bytes = read_file(*found.path, std::min(kMaxSourceBytes, bytes_left));
  if (!bytes.ok()) return bytes.error().what;
  const std::string_view read(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  if (read.find('\0') != std::string_view::npos) return tr("it is not text");
  bytes_left -= read.size();
  text = valid_utf8(read);
  return {};
}

}  // namespace

bool lies_in_any(const fs::path& path, const std::vector<fs::path>& folders) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return std::ranges::any_of(folders, [&](const fs::path& folder) {
    const std::optional<fs::path> root = resolved(folder.empty() ? "." : folder);
    return root && lies_in(real, *root);
  });
}

Error outside_of_readable_folders(const fs::path& file) {
  std::error_code error;
  return {tr("the source names a file outside its folder and its project"), file.string(),
          tr("If you want it to be read, give it yourself (--arg NAME=..), or name its folder (--sources "
             "FOLDER)."),
          fs::weakly_canonical(file, error).parent_path().string()};
}

std::vector<std::string> read_sources(const std::vector<fs::path>& folders,
                                      const std::vector<std::string>& named, std::vector<SourceFile>& files) {
  std::vector<std::string> reasons(files.size());
  std::uint64_t bytes_left = kMaxAllSourceBytes;
  for (std::size_t i = 0; i < files.size() && i < named.size(); ++i) {
    if (!named[i].empty()) reasons[i] = read_source(folders, named[i], bytes_left, files[i].text);
  }
  return reasons;
}

}  // namespace warplens::app
