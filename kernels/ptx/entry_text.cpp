#include "kernels/ptx/entry_text.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

#include "kernels/ptx/statements.h"

namespace warplens::ptx {
namespace {

bool is_of_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

class Reachable {
 public:
  explicit Reachable(std::string_view module)
      : module_(module), functions_(locate_functions(module)), kept_(functions_.size(), false) {
    for (std::size_t i = 0; i < functions_.size(); ++i) by_name_[functions_[i].name].push_back(i);
  }
  [[nodiscard]] bool has(std::string_view name) const { return by_name_.contains(name); }
  void keep(std::string_view name) {
    const auto named = by_name_.find(name);
    if (named == by_name_.end()) return;
    for (const std::size_t function : named->second) {
      if (kept_[function]) continue;
      kept_[function] = true;
      waiting_.push_back(function);
    }
  }
  /// Keeps what the text between functions names, and what that leads to.
  void follow() {
    std::size_t begin = 0;
    for (const FunctionText& function : functions_) {
      keep_named_in(begin, function.whole.begin);
      begin = function.whole.end;
    }
    keep_named_in(begin, module_.size());
    while (!waiting_.empty()) {
      const TextRange whole = functions_[waiting_.back()].whole;
      waiting_.pop_back();
      keep_named_in(whole.begin, whole.end);
    }
  }
  [[nodiscard]] std::string text() const {
    std::string text(module_);
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (kept_[i]) continue;
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(functions_[i].whole.begin);
      std::replace_if(
          begin, text.begin() + static_cast<std::ptrdiff_t>(functions_[i].whole.end),
          [](char c) { return c != '\n'; }, ' ');
    }
    return text;
  }

 private:
  void keep_named_in(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      const std::size_t from = at;
      while (at < end && is_of_identifier(module_[at])) ++at;
      if (at == from) {
        ++at;
      } else {
        keep(module_.substr(from, at - from));
      }
    }
  }

  std::string_view module_;
  std::vector<FunctionText> functions_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;
  std::vector<bool> kept_;
  std::vector<std::size_t> waiting_;
};

}  // namespace

std::string text_of_entry(std::string_view module, std::string_view entry) {
  Reachable reachable(module);
  if (!reachable.has(entry)) return std::string(module);
  reachable.keep(entry);
  reachable.follow();
  return reachable.text();
}

}  // namespace warplens::ptx
