// Formats JSON documents for the command line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

namespace warplens::app {

/// Returns the document as indented ASCII. Invalid UTF-8 is replaced. Other characters are escaped, because
/// some of them control terminals.
[[nodiscard]] std::string text_of_document(const nlohmann::ordered_json& document);
/// Writes text_of_document() and a line feed.
void print_document(std::ostream& out, const nlohmann::ordered_json& document);

}  // namespace warplens::app
