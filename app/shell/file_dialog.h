// Open and save dialogues: the desktop's own where it has one, else a field to type a path in.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/views/look.h"

namespace warplens::app {

class FileDialog {
 public:
  enum class Kind : unsigned char { open, save };
  using Chosen = std::function<void(const std::filesystem::path&)>;

  FileDialog();
  ~FileDialog();
  /// `use_native` false: the field, always.
  void start(Kind kind, std::string title, const std::string& proposal, Chosen chosen, bool use_native = true);
  [[nodiscard]] bool active() const;
  /// Asks the desktop's dialogue whether it is done, or draws the field.
  void draw(const Look& look);

 private:
  struct Native;
  void draw_field(const Look& look);

  std::unique_ptr<Native> native_;
  std::string title_, typed_;
  Chosen chosen_;
  Kind kind_ = Kind::open;
  bool field_ = false;
};

}  // namespace warplens::app
