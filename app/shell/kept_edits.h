// Unsaved edits as they are kept on the disk, so that they outlive the window however it ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kernels/base/result.h"

namespace warplens::app {

/// A source with edits that its file lacks.
struct UnsavedSource {
  std::filesystem::path file;  ///< A name alone where it was never saved
  bool lies_nowhere = false;   ///< It was never saved
  std::string text;
  friend bool operator==(const UnsavedSource&, const UnsavedSource&) = default;
};

/// A file that no other process or object has locked as long as this exists.
class LockedFile {
 public:
  LockedFile() = default;
  /// Makes it if needed. Not locked if somebody else has locked it, or if it cannot be made.
  explicit LockedFile(const std::filesystem::path& path);
  ~LockedFile();
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&& other) noexcept;
  [[nodiscard]] bool locked() const { return descriptor_ >= 0; }
  /// Removes it, and lets it go.
  void remove();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The copies of a folder: each window that runs writes one of its own, beside a file that it keeps locked. A
/// copy without such a lock was left behind by a window that has ended.
class KeptEdits {
 public:
  explicit KeptEdits(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Replaces this window's copy.
  [[nodiscard]] Result<Done> keep(const UnsavedSource& source);
  /// Removes this window's copy, if there is one.
  void drop();

  /// What a window left behind. It is this object's until `forget`, and nobody else is offered it; nullopt:
  /// there is none. Copies that cannot be read are removed.
  [[nodiscard]] std::optional<UnsavedSource> take_left_behind();
  /// Removes the copy that was taken last.
  void forget();

 private:
  struct Copy {
    std::filesystem::path path;
    LockedFile lock;
  };
  std::filesystem::path folder_;
  std::optional<Copy> own_, taken_;
};

}  // namespace warplens::app
