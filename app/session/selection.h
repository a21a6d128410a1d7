// The one selection that every view shows and can set.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/base/dim3.h"

namespace warplens::app {

struct ElementRef {
  std::uint32_t buffer = 0;
  std::uint64_t row = 0, column = 0;
  friend bool operator==(const ElementRef&, const ElementRef&) = default;
};

/// An element of a matrix in registers: see picture::MatrixElement.
struct MatrixElementRef {
  std::uint32_t matrix = 0, row = 0, column = 0;
  friend bool operator==(const MatrixElementRef&, const MatrixElementRef&) = default;
};

/// A finding that was chosen, and of a race which of the accesses.
struct ChosenFinding {
  std::uint32_t index = 0;  ///< In Recording::findings
  bool other = false;
  friend bool operator==(const ChosenFinding&, const ChosenFinding&) = default;
};

struct Selection {
  std::uint32_t event_block = 0;  ///< Index into Recording::event_blocks
  std::uint32_t warp = 0;
  std::uint32_t phase = 0;
  std::uint32_t step = 0;  ///< Index of the access within (block, warp, phase)
  std::optional<int> lane;
  std::uint32_t line = 0;             ///< Source line of the kernel's file; 0: the current access's
  std::optional<ElementRef> element;  ///< Of a buffer; excludes shared_word
  std::optional<std::uint32_t>
      shared_word;  ///< Byte offset / 4 in the block's shared memory; excludes element
  std::optional<MatrixElementRef> matrix_element;
  std::optional<std::uint32_t>
      site;  ///< The instruction whose divergence is counted; none: the first load from global memory

  std::optional<ChosenFinding> finding;  ///< Until one goes elsewhere

  friend bool operator==(const Selection&, const Selection&) = default;
};

/// A block that is not recorded, to be walked to.
struct BlockWanted {
  Dim3 block{0, 0, 0};
  std::optional<Selection>
      at;  ///< What is to be selected there, whichever event block it will be; nullopt: as it is now
};

/// What the pointer is over, for this frame: all views highlight it.
struct Hover {
  std::optional<int> lane;
  std::uint32_t line = 0;
  std::optional<std::size_t> event;
  std::optional<ElementRef> element;
  std::optional<std::uint32_t> shared_word;
  std::optional<MatrixElementRef> matrix_element;

  friend bool operator==(const Hover&, const Hover&) = default;
};

}  // namespace warplens::app
