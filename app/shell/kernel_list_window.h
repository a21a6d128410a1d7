// The kernels of a folder, or of a file, to choose one from: searched as one types, by keys and by the mouse.
// The files are read in the background.
#pragma once

#include <imgui.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/files/detached_work.h"
#include "app/kernel_file/kernel_list.h"
#include "app/views/look.h"

namespace warplens::app {

class KernelListWindow {
 public:
  struct Actions {
    std::function<void(const std::filesystem::path& file, const ListedKernel& kernel)> open;
    std::function<void(const std::string& title, const Error& error)> fail;
  };
  /// `wake` makes the event loop draw a frame; called from any thread.
  KernelListWindow(const std::function<void()>& wake, Actions actions);

  /// Lists the kernels of a folder, or of a file. A file that has one kernel is opened at once.
  void start(const std::filesystem::path& path);
  /// Shows the last list again.
  void show_again();
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] bool reading() const { return reading_.running(); }
  /// What is listed, or was last; empty: nothing yet.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::vector<ListedKernel>& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<UnreadFile>& unread() const { return unread_; }
  /// By index in kernels(), in the order shown.
  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }
  [[nodiscard]] std::size_t selected() const { return selected_; }
  void draw(const Look& look);

 private:
  struct Update {
    KernelListPart part = {};
    std::optional<Error> error = {};
  };
  void poll();
  void take(Update update);
  void finish();
  void close();
  void search();
  void accept(std::size_t row);
  void draw_field();
  void draw_table(const Look& look, ImVec2 size);
  [[nodiscard]] bool draw_row(const Look& look, std::size_t row);
  void draw_unread(const Look& look) const;
  void draw_buttons(const Look& look);
  [[nodiscard]] std::string status() const;
  static int on_key(ImGuiInputTextCallbackData* data);

  Actions actions_;
  std::filesystem::path path_;
  bool is_file_ = false;
  std::vector<ListedKernel> kernels_;
  std::vector<UnreadFile> unread_;
  std::size_t files_ = 0;
  std::string typed_;
  std::vector<std::size_t> rows_;
  std::size_t selected_ = 0;  ///< Of rows_
  bool active_ = false, was_reading_ = false, is_stopped_ = false, focus_field_ = false,
       scroll_wanted_ = false;
  int moved_ = 0;  ///< By rows, with keys, in this frame
  std::optional<std::size_t> accepted_;
  DetachedWork<Update> reading_;
};

}  // namespace warplens::app
