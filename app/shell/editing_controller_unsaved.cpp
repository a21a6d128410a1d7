// What becomes of edits that are not saved: asked about before they are lost, kept on the disk meanwhile,
// offered to the next start.
#include <utility>

#include "app/shell/dialogue.h"
#include "app/shell/editing_controller.h"
#include "app/shell/recording_controller.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

std::string name_to_show(const std::filesystem::path& file) {
  return escaped(file.filename().string());
}

}  // namespace

void EditingController::draw_questions(const Look& look) {
  draw_unsaved_question(look);
  draw_left_edits(look);
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
  if (!begin_dialogue(look, tr("Save the edits?"), "unsaved", 0.4f)) return;
  write_wrapped(look, tr("{file} has edits that are not saved.", "file"_a = name_to_show(editing_.file)),
                {.colour = look.palette->text});
  ImGui::Spacing();
  const bool save = dialogue_button(look, tr("Save"), "save") || dialogue_key(ImGuiKey_Enter);
  ImGui::SameLine();
  const bool discard = dialogue_button(look, tr("Discard"), "discard");
  ImGui::SameLine();
  const bool cancel = dialogue_button(look, tr("Cancel"), "cancel") || dialogue_key(ImGuiKey_Escape);
  if (save || discard || cancel) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (!save && !discard && !cancel) return;
  const std::function<void()> then = std::exchange(after_question_, nullptr);
  if (save) return this->save(then);
  if (cancel) return recordings_.drop_files_to_open();
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
  if (!begin_dialogue(look, tr("Restore the edits?"), "left_edits", 0.4f)) return;
  write_wrapped(look,
                tr("{file} had edits that were not saved when Warplens ended.",
                   "file"_a = name_to_show(left_edits_->file)),
                {.colour = look.palette->text});
  if (!left_edits_->lies_nowhere) {
    write_wrapped(look, escaped(left_edits_->file.string()),
                  {.colour = look.palette->muted, .size = 12, .font = picture::Font::mono});
  }
  ImGui::Spacing();
  const bool restore = dialogue_button(look, tr("Restore"), "restore") || dialogue_key(ImGuiKey_Enter);
  ImGui::SameLine();
  const bool discard = dialogue_button(look, tr("Discard"), "discard");
  ImGui::SameLine();
  const bool later = dialogue_button(look, tr("Ask again later"), "later") || dialogue_key(ImGuiKey_Escape);
  if (restore || discard || later) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (restore) return restore_left_edits();
  if (later) return left_edits_.reset();
  if (!discard) return;
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
                 .saved_text = left.lies_nowhere ? std::string() : text_of_source(left.file)});
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
