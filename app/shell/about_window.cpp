#include "app/shell/about_window.h"

#include <string>
#include <utility>

#include "app/files/desktop.h"
#include "app/shell/dialogue.h"
#include "app/version/version.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

/// The folder `docs` of what this program was built from or is installed beside; empty: it is not at hand.
std::filesystem::path documentation_folder() {
  constexpr int kFoldersUp = 4;
  std::error_code error;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (int up = 0; up < kFoldersUp && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
    for (const char* docs : {"docs", "share/doc/warplens"}) {
      if (std::filesystem::exists(folder / docs / "own_kernels.md", error)) return folder / docs;
    }
  }
  return {};
}

}  // namespace

void AboutWindow::draw(const Look& look, Messages& messages, Notice& notice, double now) {
  for (const Error& error : opening_.take()) messages.add(tr("Opening the documentation"), error);
  if (!shown_ || messages.showing()) return;
  if (!begin_dialogue(look, tr("About Warplens"), "about", 0.4f)) return;
  write(look, "Warplens " + version().number,
        {.colour = look.palette->text, .size = 17, .font = picture::Font::sans_bold});
  write_wrapped(look, tr("Shows what a CUDA kernel's accesses cost, from an exact record of them."),
                {.colour = look.palette->text});
  ImGui::Spacing();
  if (!std::exchange(looked_for_, true)) documentation_ = documentation_folder();
  draw_documentation(look, notice, now);
  if (dialogue_button(look, tr("Close"), "close") || dialogue_key(ImGuiKey_Escape)) {
    shown_ = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void AboutWindow::draw_documentation(const Look& look, Notice& notice, double now) {
  if (documentation_.empty()) {
    write_wrapped(look, tr("Its documentation is in the folder `docs` of its sources."),
                  {.colour = look.palette->muted});
    ImGui::Spacing();
    return;
  }
  write_wrapped(look, tr("Its documentation is in this folder. Enter opens it, Ctrl+C copies its path:"),
                {.colour = look.palette->muted});
  const std::string folder = documentation_.string();
  if (ImGui::TextLink(labelled(folder, "documentation").c_str())) open_documentation();
  ImGui::Spacing();
  draw_folder_buttons(look, notice, now);
}

void AboutWindow::draw_folder_buttons(const Look& look, Notice& notice, double now) {
  if (dialogue_button(look, tr("Open folder"), "open") || dialogue_key(ImGuiKey_Enter)) open_documentation();
  ImGui::SameLine();
  const bool wanted = dialogue_button(look, tr("Copy path"), "copy");
  if (wanted || (ImGui::GetIO().KeyCtrl && dialogue_key(ImGuiKey_C))) {
    const std::string folder = documentation_.string();
    ImGui::SetClipboardText(folder.c_str());
    notice.show(tr("Copied: {text}", "text"_a = folder), now);
  }
  ImGui::SameLine();
}

void AboutWindow::open_documentation() {
  opening_.start([folder = documentation_](const auto& report) {
    if (const auto error = open_on_desktop(folder)) report(*error);
  });
}

}  // namespace warplens::app
