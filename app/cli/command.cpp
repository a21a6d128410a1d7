#include "app/cli/command.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "viz/canvas/picture.h"

namespace warplens::app {

void Context::fail(const Error& error) {
  err << "warplens: " << error.message() << '\n';
  status = kFailed;
}

void Context::misuse(const Error& error) {
  err << "warplens: " << error.message() << '\n';
  status = kMisused;
}

std::string text_of_document(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

void print_document(std::ostream& out, const nlohmann::ordered_json& document) {
  out << text_of_document(document) << '\n';
}

Error out_of_memory() {
  return {"not enough memory for this", "",
          "Choose smaller matrices or buffers, or fewer blocks to keep accesses of"};
}

}  // namespace warplens::app
