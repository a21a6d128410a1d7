// The grid of Banks: a row for each wavefront of an access, a column for each bank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/canvas/canvas.h"
#include "viz/picture/found.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

inline constexpr float kFlattestBankCell = 6, kFlattestBankCellInHall = 5, kLowestBankCell = 13,
                       kTallestBankCell = 26, kTallestBankCellBeside = 40;

inline constexpr float kSmallestBankNumber = 5, kBanksFigureInHall = 0.17f;

inline constexpr float kBankHeaderRow = 17, kMoreWavefrontsRow = 20, kBankNumbers = 30, kLaneGroupNames = 44;

/// The grid of wavefronts x banks, and how much of it there is room for.
struct BankGrid {
  Rect box;
  AccessOp op = AccessOp::load;
  std::vector<int> wavefronts;  ///< By row: which of the access's is drawn there; more than there is room for
  int rows = 0, banks = 32;
  float cell_width = 0, cell_height = 0;
  [[nodiscard]] Rect cell(int row, int bank, int width_in_banks = 1) const {
    return {box.x + static_cast<float>(bank) * cell_width, box.y + static_cast<float>(row) * cell_height,
            cell_width * static_cast<float>(width_in_banks), cell_height};
  }
};

/// Lanes that one bank serves in one wavefront with one word: the lowest one first. Under the rules of
/// compute capability 3.x a bank may serve two words, which share its cell.
struct BankService {
  analysis::LaneService first;
  std::uint32_t lanes = 0;
  int part = 0, parts = 1;  ///< Of the bank's words in that wavefront, in the order of their lanes
};

[[nodiscard]] std::vector<BankService> services_of(const std::vector<analysis::LaneService>& wavefront);

/// Where there are fewer banks than lanes, as many lanes as banks have a grid of their own, side by side;
/// else the warp has one.
[[nodiscard]] std::vector<std::uint32_t> lanes_by_grid(analysis::ComputeCapability cc);

/// What the grids have room for, at every step alike.
struct BankGridRoom {
  int rows = 1;  ///< The most wavefronts of any shared access of the recording; on CC 1.x of a half-warp,
                 ///< each of which has its grid
  bool groups_named = false;  ///< Some access is taken in several lane groups that share a grid: beside the
                              ///< rows there are their names
  std::size_t headers = 1;    ///< Lines above the rows
};

[[nodiscard]] BankGridRoom bank_grid_room(const Moment& moment, int enough);

/// Room for either of two that stand beside each other.
[[nodiscard]] BankGridRoom united_room(const BankGridRoom& a, const BankGridRoom& b);

[[nodiscard]] bool banks_are_for_hall(const Canvas& canvas);

/// Whether all rows are to be seen in a grid with its labels of that height.
[[nodiscard]] bool bank_rows_fit(const Canvas& canvas, const BankGridRoom& room, float height);

/// All rows in flat cells rather than some in higher ones.
[[nodiscard]] BankGrid lay_out_bank_grid(const Canvas& canvas, Rect box, int rows_wanted, int banks,
                                         float tallest);

void draw_bank_numbers(Canvas& canvas, Rect header, const BankGrid& grid);

void draw_empty_bank_grid(Canvas& canvas, const BankGrid& grid, Rect numbers);

/// Names, beside the first wavefront of each lane group, the lanes that it is for, and draws a line between
/// the groups.
void draw_lane_groups(Canvas& canvas, const BankGrid& grid, Rect names, const analysis::Unfolding& unfolding,
                      int lanes_together);

/// Draws one service in its cell. Further lanes of its word show as stripes of their colours along the
/// bottom.
void draw_service(Canvas& canvas, const BankGrid& grid, int row, const BankService& service,
                  const Recording& recording, const Highlight& highlight, const FoundHere& found);

/// A wavefront that serves several lanes with one word says so, in the empty cells beside it.
void draw_sharing(Canvas& canvas, const BankGrid& grid, int row, const BankService& service);

}  // namespace warplens::picture
