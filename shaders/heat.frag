#version 330 core
// Values 0..1 in a texture, one texel a cell, through a colour table. Where several cells share a pixel, the greatest is shown: one costly cell among
// a thousand must not vanish. NaN is an empty cell.
uniform sampler2D values;
uniform sampler2D table;   // n x 1
uniform vec4 empty_colour;
uniform vec2 target_size;  // Pixels
in vec2 place;
out vec4 colour;

void main() {
  vec2 cells = vec2(textureSize(values, 0));
  vec2 extent = cells / target_size;
  ivec2 from = ivec2(floor(place * cells - 0.5 * extent + 0.001));
  ivec2 to = ivec2(floor(place * cells + 0.5 * extent - 0.001));
  if (extent.x <= 1.0) from.x = to.x = int(place.x * cells.x);
  if (extent.y <= 1.0) from.y = to.y = int(place.y * cells.y);
  from = clamp(from, ivec2(0), ivec2(cells) - 1);
  to = clamp(to, from, ivec2(cells) - 1);

  float greatest = -1.0;
  for (int y = from.y; y <= to.y; ++y) {
    for (int x = from.x; x <= to.x; ++x) {
      float value = texelFetch(values, ivec2(x, y), 0).r;
      if (value >= 0.0) greatest = max(greatest, value);  // False for NaN
    }
  }
  int entries = textureSize(table, 0).x;
  int entry = clamp(int(greatest * float(entries - 1) + 0.5), 0, entries - 1);
  colour = greatest < 0.0 ? empty_colour : texelFetch(table, ivec2(entry, 0), 0);
}
