#include "app/launch_form/address_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/launch_form/expression.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::string_view kNull = "null";
constexpr std::uint64_t kWord = sizeof(std::uint64_t);

/// Takes "[INDEX]" off the end; nullopt: there is none.
std::optional<std::string_view> take_index(std::string_view& text) {
  if (!text.ends_with(']')) return std::nullopt;
  std::size_t open = text.size();
  for (int depth = 0; open > 0;) {
    const char c = text[--open];
    depth += c == ']' ? 1 : c == '[' ? -1 : 0;
    if (depth == 0) break;
  }
  if (text[open] != '[') return std::nullopt;
  const std::string_view index = text.substr(open + 1, text.size() - open - 2);
  text = text.substr(0, open);
  return index;
}

Result<std::uint64_t> index_of(std::string_view text, const ArgumentScope& scope) {
  const Result<std::int64_t> value = evaluate(text, scope.values);
  if (!value.ok()) return value.error();
  if (*value < 0)
    return Error{tr("`{text}` is {value}", "text"_a = std::string(text), "value"_a = *value), "", ""};
  return static_cast<std::uint64_t>(*value);
}

/// Of what is not null.
Result<AddressSpec> address_of(std::string_view text, const ArgumentScope& scope) {
  if (!text.starts_with('&'))
    return Error{tr("`{text}` is no address", "text"_a = std::string(text)), "", ""};
  std::string_view name = text.substr(1);
  AddressSpec address;
  for (std::optional<std::uint64_t>* const to : {&address.element, &address.row}) {
    const std::optional<std::string_view> index = take_index(name);
    if (!index) break;
    const Result<std::uint64_t> value = index_of(*index, scope);
    if (!value.ok()) return value.error();
    *to = *value;
  }
  if (name.empty()) return Error{tr("`{text}` is no address", "text"_a = std::string(text)), "", ""};
  address.buffer = name;
  return address;
}

std::string indexed(std::string text, const std::optional<std::string>& row,
                    const std::optional<std::string>& element) {
  if (row) text += fmt::format("[{}]", *row);
  if (element) text += fmt::format("[{}]", *element);
  return text;
}

std::optional<std::string> index_text(const std::optional<std::uint64_t>& index) {
  return index ? std::optional(fmt::format("{}", *index)) : std::nullopt;
}

/// "64+i*32" where indices of entries 0, 1, .. go on so; nullopt: they do not.
template <class IndexOf>
std::optional<std::string> series(std::uint64_t entries, IndexOf index_of) {
  const std::uint64_t first = index_of(0), second = index_of(1);
  if (second < first) return std::nullopt;
  for (std::uint64_t i = 0; i < entries; ++i) {
    if (index_of(i) != first + i * (second - first)) return std::nullopt;
  }
  if (second == first) return fmt::format("{}", first);
  return fmt::format("{}{}", first == 0 ? "" : fmt::format("{}+", first),
                     second - first == 1 ? "i" : fmt::format("i*{}", second - first));
}

/// One address for all entries; nullopt: it takes more.
std::optional<std::string> text_of_all(const std::vector<PlacedSpec>& table, std::uint64_t entries) {
  if (table.size() != entries || entries < 3) return std::nullopt;
  const AddressSpec& like = table.front().to;
  const auto is_alike = [&](const PlacedSpec& one) {
    return one.to.buffer == like.buffer && one.to.row.has_value() == like.row.has_value() &&
           one.to.element.has_value() == like.element.has_value();
  };
  if (!std::ranges::all_of(table, is_alike)) return std::nullopt;
  std::optional<std::string> row, element;
  if (like.row) row = series(entries, [&](std::uint64_t i) { return *table[i].to.row; });
  if (like.element) element = series(entries, [&](std::uint64_t i) { return *table[i].to.element; });
  if (row.has_value() != like.row.has_value() || element.has_value() != like.element.has_value())
    return std::nullopt;
  return indexed("&" + like.buffer, row, element);
}

}  // namespace

bool is_address(std::string_view text) {
  return text.starts_with('&') || text == kNull;
}

Result<ScalarSpec> parse_address(std::string_view text, const ArgumentScope& scope) {
  ScalarSpec pointer{.type = "ptr", .bytes = std::vector<std::byte>(kWord)};
  if (text == kNull) return pointer;
  Result<AddressSpec> address = address_of(text, scope);
  if (!address.ok()) return address.error();
  pointer.addresses.push_back({.at = 0, .to = *std::move(address)});
  return pointer;
}

Result<std::vector<PlacedSpec>> parse_addresses(std::string_view list, std::uint64_t entries,
                                                const ArgumentScope& scope) {
  const std::vector<std::string_view> texts = parts_at_commas(list);
  if (texts.size() != entries && texts.size() != 1) {
    return Error{
        tr("it has {given} addresses for {count} entries", "given"_a = texts.size(), "count"_a = entries), "",
        ""};
  }
  std::vector<PlacedSpec> table;
  std::vector<NamedValue> values(scope.values.begin(), scope.values.end());
  std::erase_if(values, [](const NamedValue& value) { return value.name == "i"; });
  values.push_back({"i", 0});
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::string_view text = texts[texts.size() == 1 ? 0 : i];
    if (text == kNull) continue;
    values.back().value = static_cast<std::int64_t>(i);
    Result<AddressSpec> address = address_of(text, {.values = values, .type = {}});
    if (!address.ok()) return address.error();
    table.push_back({.at = i * kWord, .to = *std::move(address)});
  }
  return table;
}

std::string text_of(const AddressSpec& address) {
  return indexed("&" + address.buffer, index_text(address.row), index_text(address.element));
}

std::string text_of(const std::vector<PlacedSpec>& table, std::uint64_t entries) {
  if (const auto all = text_of_all(table, entries)) return *all;
  std::vector<std::string> texts(entries, std::string(kNull));
  for (const PlacedSpec& one : table) texts[one.at / kWord] = text_of(one.to);
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string text_within(const std::vector<PlacedSpec>& addresses) {
  std::string text;
  for (const PlacedSpec& one : addresses) text += fmt::format("@{}={}", one.at, text_of(one.to));
  return text;
}

Result<std::vector<PlacedSpec>> parse_within(std::string_view text, const ArgumentScope& scope) {
  std::vector<PlacedSpec> addresses;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('@', 1), text.size()), equals = text.find('=');
    PlacedSpec one;
    const char* const digits = text.data() + 1;
    const auto [stop, error] = std::from_chars(digits, text.data() + text.size(), one.at);
    if (!text.starts_with('@') || error != std::errc{} || equals >= end || stop != text.data() + equals) {
      return Error{tr("`{text}` is no address", "text"_a = std::string(text.substr(0, end))), "", ""};
    }
    Result<AddressSpec> address = address_of(text.substr(equals + 1, end - equals - 1), scope);
    if (!address.ok()) return address.error();
    one.to = *std::move(address);
    addresses.push_back(std::move(one));
    text.remove_prefix(end);
  }
  return addresses;
}

}  // namespace warplens::app
