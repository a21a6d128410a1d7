// What becomes of edits that are not saved: asked about before they are lost, kept on the disk meanwhile,
// offered to the next start.
#include <utility>

#include "app/shell/app.h"
#include "app/shell/dialogue.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"

namespace warplens::app {
namespace {

constexpr double kCopyInterval = 1;  ///< In seconds

std::string name_to_show(const std::filesystem::path& file) {
  return escaped(file.filename().string());
}

}  // namespace

void App::once_saved(std::function<void()> then) {
  if (!editing_.unsaved()) return then();
  if (!after_question_) after_question_ = std::move(then);  // Else the question that is asked comes first
}

void App::quit() {
  once_saved([this] { quit_ = true; });
}

void App::give_up_edits() {
  editing_.on = false;
  replace_text(editing_.saved_text);
  keep_edits(true);
}

void App::draw_unsaved_question() {
  if (!after_question_ || messages_.showing() || file_dialog_.active()) return;
  if (!begin_dialogue(look_, tr("Save the edits?"), "unsaved", 0.4f)) return;
  write_wrapped(look_, tr("{file} has edits that are not saved.", "file"_a = name_to_show(editing_.file)),
                {.colour = look_.palette->text});
  ImGui::Spacing();
  const bool save = dialogue_button(look_, tr("Save"), "save") || dialogue_key(ImGuiKey_Enter);
  ImGui::SameLine();
  const bool discard = dialogue_button(look_, tr("Discard"), "discard");
  ImGui::SameLine();
  const bool cancel = dialogue_button(look_, tr("Cancel"), "cancel") || dialogue_key(ImGuiKey_Escape);
  if (save || discard || cancel) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (!save && !discard && !cancel) return;
  const std::function<void()> then = std::exchange(after_question_, nullptr);
  if (save) return save_source(then);
  if (cancel) return to_open_.clear();
  give_up_edits();
  then();
}

/// How often the copy is written does not depend on how fast one types.
void App::keep_edits(bool at_once) {
  if (!editing_.unsaved()) {
    kept_edits_.drop();
    kept_text_.clear();
    return;
  }
  if (cannot_keep_ || editing_.text == kept_text_ ||
      (!at_once && meter_.now() < kept_edits_at_ + kCopyInterval))
    return;
  kept_edits_at_ = meter_.now();
  const std::string text = editing_.lies_nowhere ? with_launch_of_row(editing_.text) : editing_.text;
  const auto kept = kept_edits_.keep({editing_.file, editing_.lies_nowhere, text});
  if (kept.ok()) {
    kept_text_ = editing_.text;
  } else {
    cannot_keep_ = true;
    messages_.add(tr("Keeping a copy of what is edited"), kept.error());
  }
}

void App::offer_left_edits() {
  left_edits_ = kept_edits_.take_left_behind();
}

void App::draw_left_edits() {
  if (!left_edits_ || after_question_ || messages_.showing() || file_dialog_.active() || busy()) return;
  if (!begin_dialogue(look_, tr("Restore the edits?"), "left_edits", 0.4f)) return;
  write_wrapped(look_,
                tr("{file} had edits that were not saved when Warplens ended.",
                   "file"_a = name_to_show(left_edits_->file)),
                {.colour = look_.palette->text});
  if (!left_edits_->lies_nowhere) {
    write_wrapped(look_, escaped(left_edits_->file.string()),
                  {.colour = look_.palette->muted, .size = 12, .font = picture::Font::mono});
  }
  ImGui::Spacing();
  const bool restore = dialogue_button(look_, tr("Restore"), "restore") || dialogue_key(ImGuiKey_Enter);
  ImGui::SameLine();
  const bool discard = dialogue_button(look_, tr("Discard"), "discard");
  ImGui::SameLine();
  const bool later = dialogue_button(look_, tr("Ask again later"), "later") || dialogue_key(ImGuiKey_Escape);
  if (restore || discard || later) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (restore) return restore_left_edits();
  if (later) return left_edits_.reset();
  if (!discard) return;
  kept_edits_.forget();
  offer_left_edits();
}

/// They become this window's edits, with a copy of its own.
void App::restore_left_edits() {
  const UnsavedSource left = *std::exchange(left_edits_, std::nullopt);
  once_saved([this, left] {
    take_source({.on = true,
                 .file = left.file,
                 .lies_nowhere = left.lies_nowhere,
                 .text = left.text,
                 .saved_text = left.lies_nowhere ? std::string() : text_of_source(left.file)});
    panels_.show("source");
    keep_edits(true);
    kept_edits_.forget();
  });
}

bool App::asks_before_leaving() {
  const FileKernel* const before = seen_menus_.launch.file_kernel();
  if (!editing_.unsaved() || before == nullptr || before->file != editing_.file || row_is_of_source())
    return false;
  once_saved([this, wanted = std::exchange(menus_, seen_menus_)] { menus_ = wanted; });
  return true;
}

std::string App::title() const {
  if (editing_.file.empty() || (!row_is_of_source() && !editing_.unsaved())) return "Warplens";
  return (editing_.unsaved() ? "*" : "") + name_to_show(editing_.file) + " - Warplens";
}

}  // namespace warplens::app
