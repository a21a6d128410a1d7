// Every maker of pictures, and recordings to draw with them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/views/view.h"

namespace warplens::picture {

struct Subject {
  const char* name;
  Recording recording;
  Moment moment;
  std::shared_ptr<const analysis::Results> results = nullptr;
};

/// With the texts in their results in the language that is chosen now.
[[nodiscard]] std::vector<Subject> make_subjects();
/// The same, made once.
[[nodiscard]] const std::vector<Subject>& subjects();

using Maker = std::function<Picture(const viz::Subject&, Size, const Style&)>;

struct NamedMaker {
  std::string name;
  Maker make;
};

/// The views' and those of the window, also with something pointed at.
[[nodiscard]] const std::vector<NamedMaker>& makers();

}  // namespace warplens::picture
