#include "kernels/recording/file.h"

#include "kernels/base/files.h"
#include "kernels/base/texts.h"
#include "kernels/recording/validate.h"

namespace warplens {

Result<Done> save(const Recording& recording, const std::filesystem::path& path) {
  if (const auto valid = validate(recording); !valid) {
    Error error = valid.error();
    error.what = tr("the recording is inconsistent and was not written: {where}: {what}", "where"_a = error.where, "what"_a = error.what);
    error.where = path.string();
    return error;
  }
  return write_file(path, encode(recording));
}

Result<Recording> load(const std::filesystem::path& path) {
  const auto bytes = read_file(path, kMaxLoadBytes);
  if (!bytes) return bytes.error();
  Result<Recording> recording = decode(*bytes, kMaxLoadBytes - bytes->size());
  if (recording) return recording;
  Error error = recording.error();
  error.where = error.where.empty() ? path.string() : tr("{file}: {place}", "file"_a = path.string(), "place"_a = error.where);
  return error;
}

}  // namespace warplens
