#include "kernels/base/result.h"

#include <string_view>

#include "kernels/base/text.h"

namespace warplens {
namespace {

// What an error quotes comes from files and may be of any length; a message is to be read. Of a place the end tells most: the name and the line.
constexpr std::size_t kLongestWhat = 200, kLongestWhere = 400, kLongestHint = 800;

}  // namespace

std::string Error::message() const {
  std::string text = cut_at_end(escaped(what), kLongestWhat);
  if (!where.empty()) text = cut_at_begin(escaped(where), kLongestWhere) + ": " + text;
  if (!hint.empty()) text += ". " + cut_at_end(escaped(hint), kLongestHint);
  return text;
}

}  // namespace warplens
