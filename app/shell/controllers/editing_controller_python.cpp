// A kernel of Python is compiled by importing its file, which runs it: the user is asked first.
#include <utility>

#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/recording_controller.h"
#include "app/shell/dialogue.h"
#include "kernels/base/text.h"

namespace warplens::app {

void EditingController::draw_python_question(const Look& look) {
  if (!python_question_ || after_question_ || left_edits_ || shell_.messages.showing() ||
      shell_.file_dialog.active())
    return;
  if (!begin_dialogue(look, tr("Run the Python file?"), "run_python", 0.4f)) return;
  const PythonQuestion& question = *python_question_;
  const picture::Palette& palette = *look.palette;
  write_wrapped(look, question.without.what + ".", {.colour = palette.text});
  write_wrapped(look,
                tr("It can be compiled by importing the file, which runs what stands in it. Where Linux has "
                   "Landlock, that process reads the folders of the file's project and of Python alone, and "
                   "writes in a temporary folder alone; the network is open to it. It has the compilers' "
                   "limits of time and memory."),
                {.colour = palette.text});
  write_wrapped(look, escaped(question.file.string()),
                {.colour = palette.muted, .size = 12, .font = picture::Font::mono});
  ImGui::Spacing();
  const bool agreed = dialogue_button(look, tr("Run it"), "run");
  ImGui::SameLine();
  const bool refused = dialogue_button(look, tr("Cancel"), "cancel") || dialogue_key(ImGuiKey_Escape);
  if (agreed || refused) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (!agreed && !refused) return;
  const PythonQuestion asked = *std::exchange(python_question_, std::nullopt);
  if (agreed) open(asked.file, asked.kernel, true);
}

}  // namespace warplens::app
