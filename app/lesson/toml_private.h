// toml++ as lesson.cpp compiles it: private to that file. Errors are values; and what it takes for granted of
// a text (that `[[` is followed by a name), but reports as an error all the same, is neither asserted nor
// assumed, for any text comes here.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ASSERT(condition) static_cast<void>(0)
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
