#include "app/cli/command.h"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "viz/picture/picture.h"

namespace warplens::app {

void Context::fail(const Error& error) {
  err << "warplens: " << error.message() << '\n';
  status = kFailed;
}

void Context::misuse(const Error& error) {
  err << "warplens: " << error.message() << '\n';
  status = kMisused;
}

Result<Dim3> parse_extent(const std::string& text) {
  std::uint32_t extent[3] = {1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t& value : extent) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || value == 0) break;
    if (stop == end) return Dim3{extent[0], extent[1], extent[2]};
    if (*stop != ',') break;
    at = stop + 1;
  }
  return Error{fmt::format("`{}` is no extent", text), "", "An extent is X, X,Y or X,Y,Z, each at least 1."};
}

std::string text_of_document(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

void print_document(std::ostream& out, const nlohmann::ordered_json& document) {
  out << text_of_document(document) << '\n';
}

Error out_of_memory() {
  return {"not enough memory for this", "", "Choose smaller matrices or buffers, or fewer blocks to keep accesses of"};
}

}  // namespace warplens::app
