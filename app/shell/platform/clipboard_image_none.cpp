// Where there is no X11, pictures are exported to files alone.
#if !__has_include(<xcb/xcb.h>)

#include "app/shell/platform/clipboard_image.h"
#include "kernels/base/texts.h"

namespace warplens::app {

class ClipboardImage::Owner {};

ClipboardImage::ClipboardImage() = default;
ClipboardImage::~ClipboardImage() = default;

Result<Done> ClipboardImage::offer(std::string) {
  return Error{tr("this build cannot put pictures on the clipboard"), tr("clipboard"),
               tr("Export the picture to a file instead.")};
}

}  // namespace warplens::app

#endif
