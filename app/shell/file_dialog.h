// Open and save dialogues: the desktop's own where it has one, else a field to type a path in.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/views/look.h"
#include "kernels/base/texts.h"

namespace warplens::app {

class FileDialog {
 public:
  enum class Kind : unsigned char { open, save };
  struct Request {
    Kind kind = Kind::open;
    std::string title;
    std::string proposal = {};
    std::string extension = ".wlr";                 ///< What is saved under a name without one gets it
    std::string files = tr("Warplens recordings");  ///< What has that extension
    std::function<void(const std::filesystem::path&)> chosen;
  };

  FileDialog();
  ~FileDialog();
  /// `chosen` is called when a file is; to be saved over one that exists, when that has been agreed to. `use_native` false: the field, always.
  void start(Request request, bool use_native = true);
  [[nodiscard]] bool active() const;
  /// Asks the desktop's dialogue whether it is done, or draws the field.
  void draw(const Look& look);

 private:
  struct Native;
  void draw_field(const Look& look);
  void draw_question(const Look& look);
  void take(std::filesystem::path path, bool agreed);

  std::unique_ptr<Native> native_;
  Request request_;
  std::string typed_;
  std::optional<std::filesystem::path> replaced_;  ///< A file that exists, while it is asked whether to save over it
  bool field_ = false;
};

}  // namespace warplens::app
