#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "viz/views/view.h"

namespace warplens::viz {
namespace {

/// One row a call of printf by a thread.
std::string table_of_output(const Subject& subject) {
  const Recording& recording = subject.recording();
  std::string table = "block_x,block_y,block_z,thread_x,thread_y,thread_z,file,line,text\n";
  for (const Message& message : recording.messages) {
    const Dim3 thread = index_from_linear(recording.block, message.thread);
    table += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", message.block.x, message.block.y, message.block.z, thread.x, thread.y,
        thread.z,
        message.file < recording.files.size() ? cell(recording.files[message.file].name) : std::string(),
        message.line, cell(message.text));
  }
  return table;
}

const RegisterView kOutput{
    {.id = "output",
     .title = marked("Output"),
     .shows = marked("What the kernel's threads print with printf"),
     .place = Place::middle_bottom,
     .rank = 46,
     .in_front = [](const Recording& recording) { return !recording.messages.empty(); },
     .table = table_of_output}};

}  // namespace
}  // namespace warplens::viz
