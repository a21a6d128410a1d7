#include "app/lesson/themed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "viz/export/svg.h"

namespace warplens::app {
namespace {

constexpr std::string_view kColourBegins = "=\"#";
constexpr std::size_t kColourLength = 7;  // "#rrggbb"

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Within tags, zeros at the end of decimals go, and attributes that say what holds without them.
std::string shortened(std::string_view element) {
  std::string out;
  bool in_tag = false;
  for (std::size_t i = 0; i < element.size(); ++i) {
    const char c = element[i];
    if (c == '<') in_tag = true;
    if (c == '>') in_tag = false;
    if (in_tag && c == '.' && i > 0 && is_digit(element[i - 1])) {
      std::size_t end = i + 1;
      while (end < element.size() && is_digit(element[end])) ++end;
      std::string_view decimals = element.substr(i, end - i);
      decimals = decimals.substr(0, decimals.find_last_not_of('0') + 1);
      if (decimals.size() > 1) out += decimals;
      i = end - 1;
      continue;
    }
    out += c;
  }
  for (const std::string_view needless : {" rx=\"0\"", " text-anchor=\"start\"", "\n"}) {
    for (std::size_t at = out.find(needless); at != std::string::npos; at = out.find(needless, at))
      out.erase(at, needless.size());
  }
  return out;
}

}  // namespace

std::string Theme::element(std::string_view dark, std::string_view light) {
  std::string twice = dark == light
                          ? std::string(dark)
                          : fmt::format("<g class=\"dark\">{}</g><g class=\"light\">{}</g>", dark, light);
  if (dark.size() != light.size()) return twice;
  std::string out;
  while (!dark.empty()) {
    const std::size_t at = std::min(dark.find(kColourBegins), dark.size());
    if (light.substr(0, at) != dark.substr(0, at)) return twice;
    out += dark.substr(0, at);
    dark.remove_prefix(at);
    light.remove_prefix(at);
    if (dark.empty()) break;
    if (!light.starts_with(kColourBegins)) return twice;
    const std::size_t before = kColourBegins.size() - 1;
    const std::string a(dark.substr(before, kColourLength)), b(light.substr(before, kColourLength));
    out += dark.substr(0, before);
    if (a == b) {
      out += a;
    } else {
      out += fmt::format("var(--k{})", variables_.try_emplace({a, b}, variables_.size()).first->second);
    }
    dark.remove_prefix(before + kColourLength);
    light.remove_prefix(before + kColourLength);
  }
  return out;
}

std::vector<std::string> Theme::elements(const picture::Picture& dark, const picture::Picture& light) {
  const std::vector<std::string> of_dark = viz::svg_elements(dark), of_light = viz::svg_elements(light);
  std::vector<std::string> both;
  for (std::size_t i = 0; i < std::max(of_dark.size(), of_light.size()); ++i) {
    both.push_back(
        shortened(element(i < of_dark.size() ? of_dark[i] : "", i < of_light.size() ? of_light[i] : "")));
  }
  return both;
}

std::string Theme::values(bool dark) const {
  std::string text;
  for (const auto& [colours, number] : variables_)
    text += fmt::format("--k{}:{};", number, dark ? colours.first : colours.second);
  return text;
}

}  // namespace warplens::app
