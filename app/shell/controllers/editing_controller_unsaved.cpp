// What becomes of edits that are not saved: asked about before they are lost, kept on the disk meanwhile,
// offered to the next start.
#include <utility>

#include "app/shell/controllers/editing_controller.h"
#include "app/shell/controllers/recording_controller.h"
#include "app/shell/dialogue.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

std::string name_to_show(const std::filesystem::path& file) {
  return escaped(file.filename().string());
}

/// A question about unsaved edits.
struct EditsQuestion {
  const char* title;
  const char* id;
  std::string text;
  std::filesystem::path file;    ///< Named beneath; empty: none
  const char *keep, *keep_id;    ///< Of the button that keeps the edits, which Enter presses
  const char *leave, *leave_id;  ///< Of the button that changes nothing, which Escape presses
};
enum class EditsAnswer : unsigned char { none, keep, discard, leave };

/// What the user answers in this frame.
EditsAnswer ask(const Look& look, const EditsQuestion& question) {
  if (!begin_dialogue(look, question.title, question.id, 0.4f)) return EditsAnswer::none;
  write_wrapped(look, question.text, {.colour = look.palette->text});
  if (!question.file.empty()) {
    write_wrapped(look, escaped(question.file.string()),
                  {.colour = look.palette->muted, .size = 12, .font = picture::Font::mono});
  }
  ImGui::Spacing();
  EditsAnswer answer = EditsAnswer::none;
  if (dialogue_button(look, question.keep, question.keep_id) || dialogue_key(ImGuiKey_Enter))
    answer = EditsAnswer::keep;
  ImGui::SameLine();
  if (dialogue_button(look, tr("Discard"), "discard")) answer = EditsAnswer::discard;
  ImGui::SameLine();
  if (dialogue_button(look, question.leave, question.leave_id) || dialogue_key(ImGuiKey_Escape))
    answer = EditsAnswer::leave;
  if (answer != EditsAnswer::none) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  return answer;
}

}  // namespace

void EditingController::draw_questions(const Look& look) {
  draw_unsaved_question(look);
  draw_left_edits(look);
  draw_python_question(look);
}

void EditingController::once_saved(std::function<void()> then) {
  if (!editing_.unsaved()) return then();
  if (!after_question_) after_question_ = std::move(then);  // Else the question that is asked comes first
}

void EditingController::give_up_edits() {
  editing_.on = false;
  replace_text(editing_.saved_text);
  keep_edits(true);
}

void EditingController::draw_unsaved_question(const Look& look) {
  if (!after_question_ || shell_.messages.showing() || shell_.file_dialog.active()) return;
  const EditsAnswer answer =
      ask(look, {.title = tr("Save the edits?"),
                 .id = "unsaved",
                 .text = tr("{file} has edits that are not saved.", "file"_a = name_to_show(editing_.file)),
                 .file = {},
                 .keep = tr("Save"),
                 .keep_id = "save",
                 .leave = tr("Cancel"),
                 .leave_id = "cancel"});
  if (answer == EditsAnswer::none) return;
  const std::function<void()> then = std::exchange(after_question_, nullptr);
  if (answer == EditsAnswer::keep) return save(then);
  if (answer == EditsAnswer::leave) return recordings_.drop_files_to_open();
  give_up_edits();
  then();
}

/// How often the copy is written does not depend on how fast one types.
void EditingController::keep_edits(bool at_once) {
  if (!editing_.unsaved()) {
    kept_edits_.drop();
    kept_text_.clear();
    return;
  }
  if (cannot_keep_ || editing_.text == kept_text_ ||
      (!at_once && shell_.now() < kept_edits_at_ + kCopyInterval))
    return;
  kept_edits_at_ = shell_.now();
  const std::string text = editing_.lies_nowhere ? with_launch_of_row(editing_.text) : editing_.text;
  const auto kept = kept_edits_.keep({editing_.file, editing_.lies_nowhere, text});
  if (kept.ok()) {
    kept_text_ = editing_.text;
  } else {
    cannot_keep_ = true;
    shell_.messages.add(tr("Keeping a copy of what is edited"), kept.error());
  }
}

void EditingController::offer_left_edits() {
  left_edits_ = kept_edits_.take_left_behind();
}

void EditingController::draw_left_edits(const Look& look) {
  if (!left_edits_ || after_question_ || shell_.messages.showing() || shell_.file_dialog.active() ||
      recordings_.busy())
    return;
  const EditsAnswer answer =
      ask(look, {.title = tr("Restore the edits?"),
                 .id = "left_edits",
                 .text = tr("{file} had edits that were not saved when Warplens ended.",
                            "file"_a = name_to_show(left_edits_->file)),
                 .file = left_edits_->lies_nowhere ? std::filesystem::path() : left_edits_->file,
                 .keep = tr("Restore"),
                 .keep_id = "restore",
                 .leave = tr("Ask again later"),
                 .leave_id = "later"});
  if (answer == EditsAnswer::keep) return restore_left_edits();
  if (answer == EditsAnswer::leave) return left_edits_.reset();
  if (answer != EditsAnswer::discard) return;
  kept_edits_.forget();
  offer_left_edits();
}

/// They become this window's edits, with a copy of its own.
void EditingController::restore_left_edits() {
  const UnsavedSource left = *std::exchange(left_edits_, std::nullopt);
  once_saved([this, left] {
    take_source({.on = true,
                 .file = left.file,
                 .lies_nowhere = left.lies_nowhere,
                 .text = left.text,
                 .saved_text = left.lies_nowhere ? std::string() : saved_text_of(left.file)});
    shell_.panels.show("source");
    keep_edits(true);
    kept_edits_.forget();
  });
}

bool EditingController::asks_before_leaving() {
  const FileKernel* const before = recordings_.seen_menus().launch.file_kernel();
  if (!editing_.unsaved() || before == nullptr || before->file != editing_.file || row_is_of_source())
    return false;
  once_saved(
      [this, wanted = std::exchange(shell_.menus, recordings_.seen_menus())] { shell_.menus = wanted; });
  return true;
}

std::string EditingController::title() const {
  if (editing_.file.empty() || (!row_is_of_source() && !editing_.unsaved())) return "Warplens";
  return (editing_.unsaved() ? "*" : "") + name_to_show(editing_.file) + " - Warplens";
}

}  // namespace warplens::app
