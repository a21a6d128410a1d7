// The details of the block that a view draws, found in the background.
#pragma once

#include <memory>

#include "app/session/block_details.h"
#include "app/views/view.h"

namespace warplens::app {

class ViewDetails {
 public:
  explicit ViewDetails(const viz::View& view) : view_(view) {}

  /// Returns whether what is found has changed. Says in the panel why nothing can be.
  [[nodiscard]] bool follow(const Frame& frame);
  /// Puts what is found into a request to export the recording that was followed last.
  void amend(viz::ExportRequest& request) const;
  [[nodiscard]] const std::shared_ptr<const BlockDetails>& found() const { return found_; }

 private:
  const viz::View& view_;
  std::shared_ptr<const Loaded> loaded_;
  BlockDetailsFinder finder_;
  std::shared_ptr<const BlockDetails> found_;
};

}  // namespace warplens::app
