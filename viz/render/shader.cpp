#include "viz/render/shader.h"

#include <string>

#include "shaders/shaders.h"
#include "viz/render/gl.h"

namespace warplens::render {
namespace {

template <class GetLength, class GetLog>
std::string log_of(GLuint object, GetLength get_length, GetLog get_log) {
  GLint length = 0;
  get_length(object, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length > 0 ? length : 1), '\0');
  get_log(object, static_cast<GLsizei>(log.size()), nullptr, log.data());
  return log.c_str();
}

Result<GLuint> compile(GLenum kind, std::string_view file) {
  const auto text = shaders::embedded_file(file);
  if (!text)
    return Error{"the shader is not in this program", std::string(file),
                 "Build it again: the shaders are embedded from the folder shaders"};
  const GLuint shader = glCreateShader(kind);
  const char* begin = text->data();
  const auto length = static_cast<GLint>(text->size());
  glShaderSource(shader, 1, &begin, &length);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled != 0) return shader;
  const Error error{
      "the driver does not compile the shader: " + log_of(shader, glGetShaderiv, glGetShaderInfoLog),
      std::string(file), "Set LIBGL_ALWAYS_SOFTWARE=1 to draw without the graphics card"};
  glDeleteShader(shader);
  return error;
}

}  // namespace

Result<std::uint32_t> link_program(std::string_view vertex_file, std::string_view fragment_file) {
  const auto vertex = compile(GL_VERTEX_SHADER, vertex_file);
  if (!vertex) return vertex.error();
  const auto fragment = compile(GL_FRAGMENT_SHADER, fragment_file);
  if (!fragment) {
    glDeleteShader(*vertex);
    return fragment.error();
  }
  const GLuint program = glCreateProgram();
  glAttachShader(program, *vertex);
  glAttachShader(program, *fragment);
  glLinkProgram(program);
  glDeleteShader(*vertex);
  glDeleteShader(*fragment);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked != 0) return program;
  const Error error{
      "the driver does not link the shaders: " + log_of(program, glGetProgramiv, glGetProgramInfoLog),
      std::string(fragment_file), ""};
  glDeleteProgram(program);
  return error;
}

}  // namespace warplens::render
