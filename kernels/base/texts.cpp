#include "kernels/base/texts.h"

#include <atomic>

namespace warplens {
namespace {

std::atomic<const Language*> chosen{nullptr};

}  // namespace

void use_language(const Language* language) {
  chosen = language;
}

const char* tr(const char* english) {
  const Language* const language = chosen;
  const char* const text = language == nullptr ? nullptr : language->text(english);
  return text == nullptr ? english : text;
}

const char* texts::of_count(std::uint64_t count, const char* one, const char* many) {
  const Language* const language = chosen;
  const char* const text = language == nullptr ? nullptr : language->text(one, many, count);
  return text != nullptr ? text : count == 1 ? one : many;
}

}  // namespace warplens
