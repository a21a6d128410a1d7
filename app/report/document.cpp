#include "app/report/document.h"

#include <nlohmann/json.hpp>

namespace warplens::app {

std::string text_of_document(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

void print_document(std::ostream& out, const nlohmann::ordered_json& document) {
  out << text_of_document(document) << '\n';
}

}  // namespace warplens::app
