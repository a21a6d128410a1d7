#include "kernels/ladder_text.h"

#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"
#include "kernels/ladder_fatbins.h"
#include "kernels/ladder_listings.h"
#include "kernels/ptx/target.h"

namespace warplens {
namespace {

std::string_view text_of(std::string_view name) {
  const auto text = ladder_text::embedded_file(name);
  assert(text && "a descriptor names a source file that is not under kernels/ladder");
  return text.value_or("");
}

/// 90 of "sm_90".
int number_of(std::string_view architecture) {
  int number = 0;
  architecture.remove_prefix(std::min(architecture.find('_') + 1, architecture.size()));
  std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  return number;
}

/// Decompresses a frame that may not say how long its content is.
std::optional<std::string> decompressed(std::string_view frame) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_inBuffer input{frame.data(), frame.size(), 0};
  std::string text;
  for (std::size_t left = 1; left != 0;) {
    constexpr std::size_t kPiece = 1 << 17;
    text.resize(text.size() + kPiece);
    ZSTD_outBuffer output{text.data() + text.size() - kPiece, kPiece, 0};
    left = ZSTD_decompressStream(context.get(), &output, &input);
    text.resize(text.size() - kPiece + output.pos);
    const bool cut_short = output.pos == 0 && input.pos == input.size && left != 0;
    if (ZSTD_isError(left) != 0 || cut_short) return std::nullopt;
  }
  return text;
}

}  // namespace

std::string ladder_fatbin(std::string_view source_file) {
  const auto frame =
      ladder_fatbins::embedded_file(std::filesystem::path(source_file).stem().string() + ".fatbin.zst");
  return frame ? decompressed(*frame).value_or("") : "";
}

Result<std::string> ladder_listing(std::string_view source_file, std::string_view architecture) {
  const std::string name =
      fmt::format("{}.{}.sass", std::filesystem::path(source_file).stem().string(), architecture);
  if (const int needed = ladder_capability(source_file); number_of(architecture) < needed) {
    return Error{tr("it needs compute capability {major}.{minor} or later", "major"_a = needed / 10,
                    "minor"_a = needed % 10),
                 name, ""};
  }
  const auto frame = ladder_listings::embedded_file(name + ".zst");
  if (!frame) return Error{tr("there is no listing of its machine code"), name, ""};
  std::optional<std::string> text = decompressed(*frame);
  if (!text) return Error{tr("the listing is damaged"), name, tr("Rebuild Warplens.")};
  return std::move(*text);
}

std::string ladder_architecture(int cc_major) {
  if (cc_major < 7) return "";
  return cc_major == 7 ? "sm_75" : cc_major == 8 ? "sm_86" : "sm_90";
}

std::string_view ladder_ptx(std::string_view source_file) {
  return text_of(std::filesystem::path(source_file).replace_extension(".ptx").string());
}

int ladder_capability(std::string_view source_file) {
  return number_of(ptx::target_of(ladder_ptx(source_file)));
}

std::string_view ladder_source(std::string_view source_file) {
  return text_of(source_file);
}

}  // namespace warplens
