#include "kernels/base/texts.h"

#include <atomic>

namespace warplens {
namespace {

std::atomic<const Language*> chosen{nullptr};

class DecimalSign : public std::numpunct<char> {
 public:
  explicit DecimalSign(char sign) : sign_(sign) {}

 protected:
  [[nodiscard]] char do_decimal_point() const override { return sign_; }

 private:
  char sign_;
};

}  // namespace

Language::Language(const NumberSigns& signs)
    : signs_(signs), locale_(std::locale::classic(), new DecimalSign(signs.decimal)) {}

void use_language(const Language* language) {
  chosen = language;
}

const Language* language_in_use() {
  return chosen;
}

const NumberSigns& signs_in_use() {
  static const NumberSigns kEnglish;
  const Language* const language = chosen;
  return language == nullptr ? kEnglish : language->signs();
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

std::string texts::filled(const char* text, fmt::format_args arguments) {
  const Language* const language = chosen;
  return language == nullptr ? fmt::vformat(text, arguments)
                             : fmt::vformat(language->locale(), text, arguments);
}

}  // namespace warplens
