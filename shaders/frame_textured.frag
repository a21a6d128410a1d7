#version 330 core
uniform sampler2D pixels;
in vec2 texel_here;
in vec4 tint_here;
layout(location = 0) out vec4 colour;

void main() {
  colour = tint_here * texture(pixels, texel_here);
}
