// stb_image as decode_png.cpp compiles it: private to that file.
#pragma once

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>
