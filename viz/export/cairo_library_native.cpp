#include "viz/export/cairo_library.h"

#include "kernels/base/library.h"
#include "kernels/base/texts.h"

namespace warplens::viz {
namespace {

Error no_pdf(const std::string& reason) {
  return {tr("the PDF cannot be made: {reason}", "reason"_a = reason), "",
          tr("Install cairo 1.16 or later (Debian and Ubuntu: libcairo2); other formats do not need it")};
}

Result<Cairo> load_cairo() {
  Library cairo({"libcairo.so.2"}), freetype({"libfreetype.so.6"});
  if (!cairo.found()) return no_pdf(tr("{library} is not installed", "library"_a = "libcairo.so.2"));
  if (!freetype.found()) return no_pdf(tr("{library} is not installed", "library"_a = "libfreetype.so.6"));
  Cairo functions;
#define WARPLENS_FIND(name) cairo.find("cairo_" #name, functions.name);
  WARPLENS_CAIRO_FUNCTIONS(WARPLENS_FIND)
#undef WARPLENS_FIND
  freetype.find("FT_Get_Char_Index", functions.char_index);
  freetype.find("FT_Init_FreeType", functions.init_freetype);
  freetype.find("FT_New_Memory_Face", functions.new_memory_face);
  for (const Library& library : {cairo, freetype}) {
    const std::string& missing = library.missing_symbol();
    if (!missing.empty())
      return no_pdf(tr("{library} has no {function}", "library"_a = library.name(), "function"_a = missing));
  }
  return functions;
}

}  // namespace

const Result<Cairo>& cairo() {
  static const Result<Cairo> kLoaded = load_cairo();
  return kLoaded;
}

}  // namespace warplens::viz
