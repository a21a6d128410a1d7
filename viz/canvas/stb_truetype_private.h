// stb_truetype as fonts.cpp compiles it: private to that file, so that no other copy in the program (Dear
// ImGui has one) meets it.
#pragma once

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>
