#include "kernels/base/texts.h"
#include "viz/export/pdf.h"

namespace warplens::viz {

Result<std::string> to_pdf(const std::vector<picture::Picture>&, picture::Size, const std::string&) {
  return Error{tr("a browser has no PDF writer"), "", tr("Print the page to a PDF.")};
}

}  // namespace warplens::viz
