#include "app/version/version.h"

#include <fmt/core.h>
#include <zstd.h>

#include "commit.h"

namespace warplens::app {
namespace {

std::string kernels_made_by() {
  const std::string nvcc = WARPLENS_NVCC;
  return nvcc.empty() ? "as shipped" : "nvcc 13.0";
}

}  // namespace

const Version& version() {
  static const Version kVersion{
      .number = WARPLENS_VERSION,
      .commit = WARPLENS_COMMIT,
      .date = WARPLENS_COMMIT_DATE,
      .compiler = WARPLENS_COMPILER,
      .options = WARPLENS_BUILD_TYPE,
      .window = WARPLENS_HAS_WINDOW != 0,
      .fmt = fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
      .zstd = ZSTD_versionString(),
      .kernels = kernels_made_by(),
  };
  return kVersion;
}

std::string version_text() {
  const Version& of = version();
  const std::string commit =
      of.commit.empty() ? "commit not known" : fmt::format("commit {} of {}", of.commit, of.date);
  return fmt::format(
      "warplens {}\n{}\ncompiled by {}, {}\n{} the window; fmt {}, zstd {}; PTX of the kernels {}", of.number,
      commit, of.compiler, of.options, of.window ? "with" : "without", of.fmt, of.zstd, of.kernels);
}

}  // namespace warplens::app
