#version 330 core
// Without a texture: in software, looking white up in one takes most of the time.
in vec4 tint_here;
layout(location = 0) out vec4 colour;

void main() {
  colour = tint_here;
}
