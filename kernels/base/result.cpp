#include "kernels/base/result.h"

namespace warplens {

std::string Error::message() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) text += ". " + hint;
  return text;
}

}  // namespace warplens
