// JSON documents as the commands print them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace warplens::app {

/// One document, indented. Texts that are no UTF-8 are replaced in it, and what is not ASCII is escaped: a
/// terminal obeys some of that.
[[nodiscard]] std::string text_of_document(const nlohmann::ordered_json& document);
/// The same, and a line end.
void print_document(std::ostream& out, const nlohmann::ordered_json& document);

}  // namespace warplens::app
