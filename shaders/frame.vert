#version 330 core
// In pixels from the top left corner, to what OpenGL counts in.
uniform vec2 scale, origin;
layout(location = 0) in vec2 place;
layout(location = 1) in vec2 texel;
layout(location = 2) in vec4 tint;
out vec2 texel_here;
out vec4 tint_here;

void main() {
  texel_here = texel;
  tint_here = tint;
  gl_Position = vec4(place * scale + origin, 0.0, 1.0);
}
