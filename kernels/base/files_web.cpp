// The files of a page are in its memory: nothing that fails half-way needs to be kept whole.
#include <cerrno>
#include <fstream>
#include <system_error>

#include "kernels/base/files.h"
#include "kernels/base/texts.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<std::vector<std::byte>> read_file(const fs::path& path, std::uint64_t max_bytes) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    return Error{tr("is not a file"), path.string(), tr("Name a file, not a folder or a device")};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    return Error{tr("cannot read the file: {reason}", "reason"_a = std::generic_category().message(ENOENT)),
                 path.string(), tr("Check the path and the name")};
  const auto size = static_cast<std::uint64_t>(file.tellg());
  if (size > max_bytes)
    return Error{
        tr("has {size} bytes, more than the {most} that are accepted", "size"_a = size, "most"_a = max_bytes),
        path.string(), ""};
  std::vector<std::byte> contents(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  return contents;
}

Result<Done> write_file(const fs::path& path, std::span<const std::byte> contents) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
  if (file.flush()) return Done{};
  return Error{tr("cannot write the file: {reason}", "reason"_a = std::generic_category().message(errno)),
               path.string(), ""};
}

Result<Done> write_text(const fs::path& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace warplens
