#include <array>
#include <utility>

#include "app/web/page_state.h"
#include "kernels/base/texts.h"

namespace warplens::app::web {
namespace {

struct PageWord {
  const char* name;
  const char* english;
};
constexpr std::array kPageWords{
    PageWord{"about", marked("What a CUDA kernel's memory accesses cost, from an exact record of them. "
                             "Everything is computed in this page: nothing is sent anywhere.")},
    PageWord{"skip", marked("Skip to the content")},
    PageWord{"launch", marked("Launch")},
    PageWord{"kernel", marked("Kernel")},
    PageWord{"type", marked("Type")},
    PageWord{"rules", marked("Memory rules")},
    PageWord{"run", marked("Run")},
    PageWord{"files", marked("Files")},
    PageWord{"open_file", marked("Open a recording or PTX")},
    PageWord{"drop",
             marked("Or drop a file here: a recording (.wlr), PTX (.ptx), or a table of accesses (.csv).")},
    PageWord{"save", marked("Save the recording")},
    PageWord{"save_picture", marked("Save the picture")},
    PageWord{"grid", marked("Grid")},
    PageWord{"block_shape", marked("Block")},
    PageWord{"arguments", marked("Arguments, one a line")},
    PageWord{"how_launched", marked("How the kernel is launched")},
    PageWord{"view", marked("View")},
    PageWord{"picture", marked("Picture")},
    PageWord{"table", marked("Table")},
    PageWord{"report", marked("Report")},
    PageWord{"access", marked("Selected access")},
    PageWord{"block", marked("Block")},
    PageWord{"warp", marked("Warp")},
    PageWord{"phase", marked("Phase")},
    PageWord{"step", marked("Step")},
    PageWord{"previous", marked("Previous access")},
    PageWord{"next", marked("Next access")},
    PageWord{"costliest", marked("Costliest access")},
    PageWord{"findings", marked("What is wrong")},
    PageWord{"right", marked("The result is right.")},
    PageWord{"wrong", marked("The result is wrong.")},
    PageWord{"explore", marked("Explore")},
    PageWord{"lessons", marked("Lessons")},
    PageWord{"playground", marked("Playground")},
    PageWord{"patterns", marked("Patterns")},
    PageWord{"language", marked("Language")},
    PageWord{"working", marked("Working..")},
    PageWord{"stop", marked("Stop")},
    PageWord{"stopped", marked("Stopped.")},
    PageWord{"ready", marked("Ready.")},
    PageWord{"scene", marked("Scene")},
    PageWord{"scenes", marked("Scenes")},
    PageWord{"back", marked("Back")},
    PageWord{"forward", marked("Next")},
    PageWord{"answer", marked("Show the answer")},
    PageWord{"question", marked("What do you expect?")},
    PageWord{"is_right", marked("Right.")},
    PageWord{"is_not_right", marked("Not quite: the right answer is marked.")},
    PageWord{"hidden_view", marked("Shown with the answer.")},
    PageWord{"figures", marked("Figures")},
    PageWord{"try_it", marked("Explore this launch")},
    PageWord{"try_values", marked("Try other values")},
    PageWord{"as_in_lesson", marked("As in the lesson")},
    PageWord{"space", marked("Memory")},
    PageWord{"shared", marked("Shared")},
    PageWord{"global", marked("Global")},
    PageWord{"operation", marked("Operation")},
    PageWord{"load", marked("Load")},
    PageWord{"store", marked("Store")},
    PageWord{"atomic", marked("Atomic")},
    PageWord{"bytes", marked("Bytes a lane")},
    PageWord{"items", marked("Item of a lane, from lane, s and o")},
    PageWord{"stride", marked("Stride s")},
    PageWord{"offset", marked("Offset o")},
    PageWord{"row_items", marked("Items a row")},
    PageWord{"padding", marked("Padding")},
    PageWord{"swizzle", marked("Swizzle bits")},
    PageWord{"csv", marked("Accesses as a table: op, bytes_per_lane, active_mask, lane_byte_offsets")},
    PageWord{"predict", marked("Count")},
    PageWord{"no_fetch",
             marked("The file cannot be fetched: the address is wrong, or its server does not let other "
                    "sites read it (CORS). Download it, and open it from here.")},
    PageWord{"no_file", marked("Open a recording (.wlr), PTX (.ptx), or a table of accesses (.csv).")},
    PageWord{"crashed",
             marked("The module ran out of memory, and was started anew. Choose a smaller launch.")}};

}  // namespace

Json words_of_page() {
  Json words = Json::object();
  for (const auto& [name, english] : kPageWords) words[name] = tr(english);
  return words;
}

}  // namespace warplens::app::web
