#include "kernels/ptx/instrument/rewrite.h"

#include <fmt/core.h>

#include <algorithm>

namespace warplens::ptx {

void Rewrite::after(std::uint32_t instruction, std::string code) {
  insert(instruction < place_.instructions.size() ? place_.instructions[instruction].end : place_.body.end,
         std::move(code));
}

void Rewrite::before_all(std::string code) {
  insertions_.insert(insertions_.begin(), {place_.code, std::move(code)});
}

void Rewrite::limit_threads(const Function& function, std::uint32_t threads_per_block) {
  if (function.max_threads == 0)
    insert(place_.body.begin - 1,
           fmt::format("\n.maxntid {}, 1, 1\n", threads_per_block));  // Before the brace
}

std::size_t Rewrite::start_of(std::uint32_t instruction) const {
  return instruction < place_.instructions.size() ? place_.instructions[instruction].begin : place_.body.end;
}

std::string Rewrite::finish(std::string_view declarations) {
  Rewrite* const own[] = {this};
  return finish(declarations, own);
}

std::string Rewrite::finish(std::string_view declarations, std::span<Rewrite* const> functions) {
  const std::string_view text = functions.front()->text_;
  std::string out;
  std::size_t at = 0;
  for (const FunctionText& function : locate_functions(text)) {
    out += text.substr(at, function.whole.begin - at);
    if (at == 0) out += declarations;
    at = function.whole.end;
    const auto own = std::find_if(functions.begin(), functions.end(), [&](const Rewrite* r) {
      return r->place_.whole.begin == function.whole.begin;
    });
    if (own != functions.end()) {
      (*own)->append_function(out);
    } else if (!function.is_entry) {
      out += text.substr(function.whole.begin, at - function.whole.begin);
    }
  }
  return out += text.substr(at);
}

void Rewrite::append_function(std::string& out) {
  std::stable_sort(insertions_.begin(), insertions_.end(),
                   [](const Insertion& a, const Insertion& b) { return a.at < b.at; });
  std::size_t at = place_.whole.begin;
  for (const Insertion& insertion : insertions_) {
    append_own(out, text_.substr(at, insertion.at - at));
    out += insertion.code;
    at = insertion.at;
  }
  append_own(out, text_.substr(at, place_.whole.end - at));
  out += '\n';
}

void Rewrite::append_own(std::string& out, std::string_view code) const {
  while (!code.empty()) {
    std::size_t first = code.size();
    const std::pair<std::string, std::string>* name = nullptr;
    for (const auto& renamed : renamed_) {
      const std::size_t found = code.find(renamed.first);
      if (found >= first) continue;
      first = found;
      name = &renamed;
    }
    out += code.substr(0, first);
    if (name == nullptr) return;
    out += name->second;
    code.remove_prefix(first + name->first.size());
  }
}

}  // namespace warplens::ptx
