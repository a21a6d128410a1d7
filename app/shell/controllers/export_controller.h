// How views and handouts leave the window: the menu, the file dialogue, and the work in the background.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/commands.h"
#include "app/shell/exports.h"
#include "app/shell/platform/clipboard_image.h"
#include "app/shell/shell_context.h"

namespace warplens::app {

class RecordingController;

class ExportController {
 public:
  ExportController(const ShellContext& shell, RecordingController& recordings, const Look& look);

  void draw_menu();
  void ask_where_to_put_handout(const std::string& lesson);

  void add_commands(std::vector<Command>& commands);

 private:
  [[nodiscard]] bool can_export(const viz::View& view) const;
  void open_menu(std::size_t panel);
  void export_panel(std::size_t index, const ExportWay& way);
  void export_to(const std::filesystem::path& path, const viz::View& view, const viz::ExportRequest& request,
                 const std::shared_ptr<const Loaded>& loaded);
  void copy(const viz::View& view, const ExportWay& way, viz::ExportRequest request);
  void write_handout(const std::string& lesson, const std::filesystem::path& path);

  ShellContext shell_;
  RecordingController& recordings_;
  const Look& look_;  ///< What is on screen
  ExportMenu menu_;
  ClipboardImage clipboard_image_;
  std::filesystem::path folder_;  ///< Of the last export
};

}  // namespace warplens::app
