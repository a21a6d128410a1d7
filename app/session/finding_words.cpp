#include "app/session/finding_words.h"

#include <fmt/args.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/base/texts.h"
#include "kernels/recording/finding_texts.h"

namespace warplens::app {
namespace {

/// What stands in a text in the place of an argument of its English.
struct Argument {
  std::string name, value;
};

/// The arguments of `english` in their order, each as short as it can be; nullopt: it is another sentence.
std::optional<std::vector<Argument>> read_back(std::string_view english, std::string_view text) {
  std::vector<Argument> arguments;
  std::size_t at = 0;
  for (std::size_t open = english.find('{'); open != std::string_view::npos;) {
    if (text.substr(at, open) != english.substr(0, open)) return std::nullopt;
    at += open;
    const std::size_t close = english.find('}');
    const std::string_view name = english.substr(open + 1, close - open - 1);
    english.remove_prefix(close + 1);
    open = english.find('{');
    const std::string_view after = english.substr(0, open);
    const bool last = open == std::string_view::npos;
    if (last && !text.substr(at).ends_with(after)) return std::nullopt;
    const std::size_t end = last ? text.size() - after.size() : text.find(after, at);
    if (end == std::string_view::npos || end < at) return std::nullopt;
    arguments.push_back({std::string(name), std::string(text.substr(at, end - at))});
    at = end;
  }
  return text.substr(at) == english ? std::optional(arguments) : std::nullopt;
}

std::string op_in_words(const std::string& op) {
  if (op == "load") return tr("load");
  if (op == "store") return tr("store");
  if (op == "atomic") return tr("atomic");
  if (op == "asynchronous copy") return tr("asynchronous copy");
  return op == "reduction" ? tr("reduction") : op;  // Others are names of instructions
}

std::uint64_t number_in(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// "store of 4 bytes to shared address 0x480"
std::string access_in_words(const std::string& access) {
  using namespace finding_texts;
  std::string op, address;
  std::uint64_t bytes = 0;
  const auto is = [&](const char* english) {
    const auto read = read_back(english, access);
    if (!read) return false;
    op = op_in_words((*read)[0].value);
    bytes = number_in((*read)[1].value);
    address = (*read)[2].value;
    return true;
  };
  if (is(kToShared)) {
    return tr_n(bytes, "{op} of {n} byte to shared address {address}",
                "{op} of {n} bytes to shared address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kAtShared)) {
    return tr_n(bytes, "{op} of {n} byte at shared address {address}",
                "{op} of {n} bytes at shared address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kToLocal)) {
    return tr_n(bytes, "{op} of {n} byte to local address {address}",
                "{op} of {n} bytes to local address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kAtLocal)) {
    return tr_n(bytes, "{op} of {n} byte at local address {address}",
                "{op} of {n} bytes at local address {address}", "op"_a = op, "address"_a = address);
  }
  if (is(kToConstant)) {
    return tr_n(bytes, "{op} of {n} byte to constant or parameter address {address}",
                "{op} of {n} bytes to constant or parameter address {address}", "op"_a = op,
                "address"_a = address);
  }
  if (is(kAtConstant)) {
    return tr_n(bytes, "{op} of {n} byte at constant or parameter address {address}",
                "{op} of {n} bytes at constant or parameter address {address}", "op"_a = op,
                "address"_a = address);
  }
  if (is(kToGlobal))
    return tr_n(bytes, "{op} of {n} byte to {address}", "{op} of {n} bytes to {address}", "op"_a = op,
                "address"_a = address);
  if (is(kAtGlobal))
    return tr_n(bytes, "{op} of {n} byte at {address}", "{op} of {n} bytes at {address}", "op"_a = op,
                "address"_a = address);
  return access;
}

std::string in_words(const Argument& argument) {
  if (argument.name == "access") return access_in_words(argument.value);
  return argument.name == "op" || argument.name == "other_op" ? op_in_words(argument.value) : argument.value;
}

}  // namespace

std::string sentence_for(const Finding& finding) {
  for (const char* const english : finding_texts::kSentences) {
    const auto arguments = read_back(english, finding.text);
    if (!arguments) continue;
    fmt::dynamic_format_arg_store<fmt::format_context> translated;
    for (const Argument& argument : *arguments)
      translated.push_back(fmt::arg(argument.name.c_str(), in_words(argument)));
    return texts::filled(tr(english), translated);
  }
  return finding.text;
}

}  // namespace warplens::app
