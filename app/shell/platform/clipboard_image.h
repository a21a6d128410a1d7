// A picture on the clipboard, which GLFW cannot put there: it knows text alone.
#pragma once

#include <memory>
#include <string>

#include "kernels/base/result.h"

namespace warplens::app {

/// Owns the clipboard while a picture is on it, and answers other programs on a thread of its own.
class ClipboardImage {
 public:
  ClipboardImage();
  ~ClipboardImage();
  ClipboardImage(const ClipboardImage&) = delete;
  ClipboardImage& operator=(const ClipboardImage&) = delete;

  /// Replaces what is on the clipboard by a PNG. Other programs can read it until the window closes or
  /// something else is copied. The error says why the picture cannot be there: no X server, or a picture
  /// larger than the server takes in one piece.
  [[nodiscard]] Result<Done> offer(std::string png);

 private:
  class Owner;
  std::unique_ptr<Owner> owner_;
};

}  // namespace warplens::app
