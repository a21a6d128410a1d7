// stb_image_write as png.cpp compiles it: private to that file.
#pragma once

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
