// Banks over time: one column a shared access of the phase, one row a bank, the conflict degree as colour.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "viz/canvas/canvas.h"
#include "viz/picture/moment.h"

namespace warplens::picture {

inline constexpr std::size_t kMaxBanks = 32;

/// By bank, the conflict degree: in how many wavefronts of one lane group it is busy, in the group that has
/// it busiest. A group needs one.
[[nodiscard]] std::array<int, kMaxBanks> bank_degrees(const analysis::WarpAccess& access,
                                                      analysis::ComputeCapability cc);
/// The shared accesses of the phase of `event`, by the moment's warp.
[[nodiscard]] std::vector<std::size_t> shared_events_of_phase(const Moment& moment, std::size_t event);
[[nodiscard]] std::string wavefronts_in_words(std::uint64_t count);  ///< "16 wavefronts"

/// Fills `box`; `event` is marked, all shared accesses of its phase are drawn. Colours, banks and time are to
/// one scale with those of the phase of `beside`, where that is not null.
void draw_bank_heat(Canvas& canvas, Rect box, const Moment& moment, std::size_t event,
                    const Moment* beside = nullptr);

/// Requests of the phase by their number of wavefronts, as bars with figures; in `box`. Likewise.
void draw_wavefront_histogram(Canvas& canvas, Rect box, const Moment& moment, std::size_t event,
                              const Moment* beside = nullptr);

}  // namespace warplens::picture
