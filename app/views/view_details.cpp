#include "app/views/view_details.h"

#include <utility>

#include "kernels/base/texts.h"

namespace warplens::app {

bool ViewDetails::follow(const Frame& frame) {
  loaded_ = frame.shown;
  const bool needs_them = view_.needs_details != nullptr && frame.shown &&
                          view_.needs_details(frame.recording(), *frame.loaded().facts);
  finder_.follow(needs_them ? frame.shown : nullptr, frame.selection,
                 view_.of_cluster ? DetailsOf::cluster : DetailsOf::block, frame.wake);
  if (const std::string reason = finder_.failed(); !reason.empty())
    write_wrapped(frame.look, tr("The block cannot be replayed: {reason}.", "reason"_a = reason),
                  {.colour = frame.look.palette->costly});
  const std::shared_ptr<const BlockDetails> before = std::exchange(found_, finder_.found());
  return before != found_;
}

void ViewDetails::amend(viz::ExportRequest& request) const {
  if (loaded_ != nullptr && request.subject.results == loaded_.get()) request.subject.details = found_;
}

}  // namespace warplens::app
