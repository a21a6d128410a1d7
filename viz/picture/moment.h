// Where one looks: one access of one warp of one recorded block, and what is pointed at there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recording/recording.h"
#include "viz/analysis/line_figures.h"
#include "viz/analysis/memory_rules.h"
#include "viz/analysis/totals.h"

namespace warplens::picture {

struct Moment {
  const Recording* recording = nullptr;
  analysis::ComputeCapability cc;
  std::uint32_t event_block = 0;  ///< Index into Recording::event_blocks
  std::uint32_t warp = 0;
  std::uint32_t phase = 0;
  std::uint32_t step = 0;  ///< Index of the access within (block, warp, phase)
  /// Index into Recording::findings: the one that is chosen, whose access is drawn even where it has no
  /// event.
  std::optional<std::uint32_t> finding = std::nullopt;

  [[nodiscard]] EventRange steps() const;  ///< The warp's accesses in the phase
  [[nodiscard]] std::optional<std::size_t> event()
      const;  ///< The current access; none if the warp has none in this phase
  [[nodiscard]] const Site& site_of(std::size_t event) const;  ///< Its instruction
  [[nodiscard]] analysis::WarpAccess access(std::size_t event) const;
  /// The warp's latest access in one of the spaces, at or before the current step; failing that the first one
  /// after it. A view of one kind of memory so never goes blank while one steps through accesses of the other
  /// kind.
  [[nodiscard]] std::optional<std::size_t> nearest(std::initializer_list<Space> spaces) const;
  [[nodiscard]] std::string block_name()
      const;  ///< "block (3, 2)"; "no block" of a recording of totals alone
};

struct ElementAt {
  std::uint32_t buffer = 0;
  std::uint64_t row = 0, column = 0;
  friend bool operator==(const ElementAt&, const ElementAt&) = default;
};

/// An element of a matrix in registers; `matrix`: its index among those of the instruction.
struct MatrixElement {
  std::uint32_t matrix = 0, row = 0, column = 0;
  friend bool operator==(const MatrixElement&, const MatrixElement&) = default;
};

/// What is selected or pointed at, in this or in another view.
struct Highlight {
  std::optional<int> lane;
  std::optional<std::uint32_t> shared_word;  ///< Byte offset in the block's shared memory / 4
  std::optional<ElementAt> element;
  std::optional<MatrixElement> matrix_element;
  std::uint32_t line = 0;  ///< Source line that is pointed at; 0: none
};

/// "phase 3"; "pass 43" of a kernel without barriers, whose phases are the passes of its loop.
[[nodiscard]] std::string phase_name(const Recording& recording, std::uint32_t phase);
/// "global load of A", "shared store to as"; "global load" where what it touches is unknown.
[[nodiscard]] std::string access_words(const Site& site, const std::string& of);
/// The same of a row of figures.
[[nodiscard]] std::string access_words(const analysis::LineFigures& figures);
/// The buffer or shared array that the lowest active lane of an access touches; empty if it is not known.
[[nodiscard]] std::string array_of(const Recording& recording, std::size_t event);
/// Returns, by site, array_of() of its first recorded access; empty without one.
[[nodiscard]] std::vector<std::string> arrays_of_sites(const Recording& recording);
/// Returns access_words() with array_of() of the access.
[[nodiscard]] std::string access_name(const Moment& moment, std::size_t event);
/// What to see in an access: analysis::describe, with the shared array that it lies in.
[[nodiscard]] std::string access_sentence(const Moment& moment, std::size_t event);
/// The same where that access stands for many: analysis::describe_like.
[[nodiscard]] std::string access_sentence_of_many(const Moment& moment, std::size_t event);
/// Name of the array in shared memory that holds an offset: "as"; empty if none does.
[[nodiscard]] std::string shared_array_name(const Recording& recording, std::uint64_t offset);
/// "A[3][64]" for an address in a matrix, "data[12]" in a buffer of one row, else "0x1400".
[[nodiscard]] std::string place_name(const Recording& recording, std::uint64_t address);
/// "as[3][17]" for a byte offset in shared memory, "as[113]" in an array of unknown shape, else "shared
/// memory + 0x1c4".
[[nodiscard]] std::string shared_place_name(const Recording& recording, std::uint64_t offset);
/// "0x5c4": the address that the kernel saw of a byte offset in shared memory.
[[nodiscard]] std::string shared_address_name(const Recording& recording, std::uint64_t offset);
/// "0x10001400".
[[nodiscard]] std::string hexadecimal(std::uint64_t value);
/// "lane 3", "lanes 0–15, 20"; "pieces 0–7" where accesses of this kind are made of pieces.
[[nodiscard]] std::string lanes_name(std::uint32_t mask, AccessOp op = AccessOp::load);
/// "3", "0–15, 20".
[[nodiscard]] std::string lane_numbers(std::uint32_t mask);
/// Lanes of the warp that exist (the last warp of a block may have fewer than 32 threads).
[[nodiscard]] std::uint32_t launched_lanes(const Recording& recording, std::uint32_t warp);

/// Which of the like accesses of a warp one is, from 1: those of the same source line, kind and array,
/// whichever copy of the line the compiler made them by. Of the phase; of all phases where these are passes
/// of a loop.
struct Turn {
  std::size_t number = 1, of = 1;
};
[[nodiscard]] Turn turn_of(const Moment& moment, std::size_t event);
/// "line 31 · shared load of as, 3 of 32 · warp 0 · phase 12 · step 3 of 64", the number being the turn.
[[nodiscard]] std::string moment_name(const Moment& moment, std::size_t event);

}  // namespace warplens::picture
