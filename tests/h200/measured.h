// Reads what an H200 computed (tests/data/h200, made by tests/gpu/pack.py).
#pragma once

#include <zstd.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace warplens::h200 {

inline std::string read_text(const std::string& name) {
  std::ifstream file(std::string(WARPLENS_TEST_DATA "/h200/") + name, std::ios::binary);
  if (!file) throw std::runtime_error("missing test data: " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string read_compressed(const std::string& name) {
  const std::string packed = read_text(name);
  std::string out(ZSTD_getFrameContentSize(packed.data(), packed.size()), '\0');
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) || size != out.size()) throw std::runtime_error("damaged test data: " + name);
  return out;
}

inline std::vector<std::byte> bytes_of(const std::string& text, std::size_t offset, std::size_t size) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data()) + offset;
  return {data, data + size};
}

/// The lines of a text that are no comments, split at `separator`.
inline std::vector<std::vector<std::string>> rows_of(const std::string& text, char separator) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    rows.emplace_back();
    for (std::string word; std::getline(words, word, separator);) rows.back().push_back(word);
  }
  return rows;
}

}  // namespace warplens::h200
