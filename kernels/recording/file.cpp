#include "kernels/recording/file.h"

#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/recording/validate.h"

namespace warplens {
namespace {

/// Bytes of a file that takes a fraction of a second, whatever it holds (max_cost).
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;

}  // namespace

Result<Done> save(const Recording& recording, const std::filesystem::path& path) {
  if (const auto valid = validate(recording); !valid) {
    Error error = valid.error();
    error.what = tr("the recording is inconsistent and was not written: {where}: {what}",
                    "where"_a = error.where, "what"_a = error.what);
    error.where = path.string();
    return error;
  }
  return write_file(path, encode(recording));
}

Result<Recording> load(const std::filesystem::path& path) {
  return load(path, {}, {});
}

Result<Recording> load(const std::filesystem::path& path, const ChooseBlock& choose,
                       const std::function<void(Recording)>& first) {
  const auto bytes = read_file(path, kMaxLoadBytes);
  if (!bytes) return bytes.error();
  if (first && bytes->size() > kReadAtOnce) {
    // What is wrong with the file is told of the whole of it.
    if (Result<Recording> part = decode_block(*bytes, choose, kMaxLoadBytes - bytes->size()); part.ok())
      first(*std::move(part));
  }
  Result<Recording> recording = decode(*bytes, kMaxLoadBytes - bytes->size());
  if (recording) return recording;
  Error error = recording.error();
  error.where = error.where.empty()
                    ? path.string()
                    : tr("{file}: {place}", "file"_a = path.string(), "place"_a = error.where);
  return error;
}

}  // namespace warplens
