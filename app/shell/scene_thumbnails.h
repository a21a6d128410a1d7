// The scenes of a lesson as small pictures.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "app/lesson/given.h"
#include "app/views/picture_view.h"
#include "app/views/view.h"

namespace warplens::app {

class SceneThumbnails {
 public:
  explicit SceneThumbnails(std::size_t scenes) : pictures_(scenes) {}

  /// The scene's first view, at a place on the screen. Nothing yet where the scene is not ready, and a
  /// question mark where the view would tell the answer of a question that the class has not been asked.
  void draw(const Frame& frame, const GivenLesson& given, std::size_t scene, ImVec2 at, ImVec2 size);

 private:
  std::vector<std::unique_ptr<PictureView>> pictures_;  ///< By scene; null until it is drawn
};

}  // namespace warplens::app
