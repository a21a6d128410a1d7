#include "kernels/base/result.h"

#include <string_view>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens {
namespace {

// What an error quotes comes from files and may be of any length; a message is to be read. Of a place the end
// tells most: the name and the line.
constexpr std::size_t kLongestWhat = 200, kLongestWhere = 400, kLongestHint = 800;

}  // namespace

std::string Error::message() const {
  std::string said = cut_at_end(escaped(what), kLongestWhat);
  const std::string place = cut_at_begin(escaped(where), kLongestWhere),
                    advice = cut_at_end(escaped(hint), kLongestHint);
  if (place.empty() && advice.empty()) return said;
  if (place.empty()) return tr("{what}. {hint}", "what"_a = said, "hint"_a = advice);
  if (advice.empty()) return tr("{where}: {what}", "where"_a = place, "what"_a = said);
  return tr("{where}: {what}. {hint}", "where"_a = place, "what"_a = said, "hint"_a = advice);
}

}  // namespace warplens
