#include "app/cli/command.h"

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

Error out_of_memory() {
  return {"not enough memory for this", "",
          "Choose smaller matrices or buffers, or fewer blocks to keep accesses of"};
}

}  // namespace warplens::app
