#include "viz/render/gl.h"

#include <fmt/format.h>

namespace warplens::render {

Result<Done> load_functions(LoadFunction load) {
  const int version = gladLoadGL(load);
  if (version == 0)
    return Error{"no OpenGL functions were found", "OpenGL",
                 "Install a graphics driver, or Mesa's software renderer"};
  if (GLAD_VERSION_MAJOR(version) * 10 + GLAD_VERSION_MINOR(version) < 33) {
    return Error{fmt::format("the driver offers OpenGL {}.{}, and 3.3 is needed", GLAD_VERSION_MAJOR(version),
                             GLAD_VERSION_MINOR(version)),
                 "OpenGL", "Set LIBGL_ALWAYS_SOFTWARE=1 to draw without the graphics card"};
  }
  return Done{};
}

std::string describe_context() {
  const auto text = [](GLenum name) {
    const auto* bytes = glGetString(name);
    return bytes == nullptr ? std::string("unknown") : std::string(reinterpret_cast<const char*>(bytes));
  };
  return fmt::format("{}, OpenGL {}", text(GL_RENDERER), text(GL_VERSION));
}

}  // namespace warplens::render
