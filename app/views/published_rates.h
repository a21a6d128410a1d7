// Figures that others published, drawn with one's own of the same kernel beside them.
#pragma once

#include <cstddef>
#include <string>

#include "app/views/picture_view.h"
#include "kernels/catalog/published.h"
#include "viz/picture/published.h"

namespace warplens::app {

class PublishedRates {
 public:
  PublishedRates();
  void draw_controls(const Frame& frame);
  void draw_picture(const Frame& frame);
  [[nodiscard]] std::string subtitle() const;

 private:
  [[nodiscard]] const PublishedTable* table() const;

  std::size_t chosen_ = 0;
  picture::Compared compared_;
  PictureView picture_, source_;
};

/// A table with what this window has measured of the same kernels.
[[nodiscard]] picture::Compared compared_with_own(const PublishedTable& table, const Frame& frame);

}  // namespace warplens::app
