// Open and save dialogues, drawn in the window: a folder's list, a field for a name or a path, and what was
// used last.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/files/file_choice.h"
#include "app/views/look.h"
#include "kernels/base/texts.h"

namespace warplens::app {

class FileDialog {
 public:
  using Kind = FileChoice::Kind;
  struct Request {
    Kind kind = Kind::open;
    std::string title;
    std::filesystem::path folder = {};               ///< Shown first; empty: the working directory
    std::string name = {};                           ///< Proposed to save under
    std::string extension = ".wlr";                  ///< What is saved under a name without one gets it
    std::string files = tr("Warplens recordings");   ///< What has that extension
    std::vector<std::filesystem::path> recent = {};  ///< To open: files. To save: folders
    std::function<void(const std::filesystem::path&)> chosen = {};
  };

  /// `wake` makes the event loop draw a frame; called from any thread.
  explicit FileDialog(const std::function<void()>& wake) : choice_(wake) {}
  /// `chosen` is called when a file is; to be saved over one that exists, when that has been agreed to.
  void start(Request request);
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] const FileChoice& choice() const { return choice_; }
  void draw(const Look& look);

 private:
  void close();
  void draw_dialogue(const Look& look);
  void draw_way(const Look& look);
  void draw_parts(const Look& look);
  void draw_recent_menu(const Look& look);
  void draw_recent(const Look& look);
  void draw_field(const Look& look);
  void draw_options(const Look& look);
  void draw_filter(float beside, float all_of_it);
  void draw_new_folder(const Look& look);
  void draw_error(const Look& look) const;
  void draw_list(const Look& look, float height);
  void draw_table(const Look& look, ImVec2 size);
  bool draw_entry(const Look& look, std::size_t row);
  void draw_buttons(const Look& look);
  void draw_question(const Look& look);
  void follow_keys();
  [[nodiscard]] std::string status() const;
  [[nodiscard]] bool recent_beside(const Look& look) const;
  static int on_key(ImGuiInputTextCallbackData* data);

  FileChoice choice_;
  Request request_;
  bool active_ = false;
  std::string field_;         ///< As Dear ImGui has it
  bool focus_field_ = false;  ///< In the next frame
  bool in_field_ = false, complete_ = false;
  int moved_ = 0;         ///< By rows, with keys, in this frame
  int moves_shown_ = 0;   ///< FileChoice::moves() when the list was drawn last
  bool covered_ = false;  ///< By a menu of its own, in the frame before
  std::string new_folder_;
};

}  // namespace warplens::app
