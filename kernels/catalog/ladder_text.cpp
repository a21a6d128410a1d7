#include "kernels/ladder_text.h"

#include <cassert>
#include <filesystem>
#include <string>

#include "kernels/catalog/catalog.h"

namespace warplens {
namespace {

std::string_view text_of(std::string_view name) {
  const auto text = ladder_text::embedded_file(name);
  assert(text && "a descriptor names a source file that is not under kernels/ladder");
  return text.value_or("");
}

}  // namespace

std::string_view ladder_ptx(std::string_view source_file) {
  return text_of(std::filesystem::path(source_file).replace_extension(".ptx").string());
}

std::string_view ladder_source(std::string_view source_file) {
  return text_of(source_file);
}

}  // namespace warplens
