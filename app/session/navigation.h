// Where the selection goes: steps, phases, warps, blocks, source lines. Pure functions over a recording;
// every view and every key uses these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "app/session/loaded.h"
#include "app/session/selection.h"
#include "kernels/recording/recording.h"

namespace warplens::app {

/// The access that the selection names; nullopt where the warp makes none in that phase.
[[nodiscard]] std::optional<std::size_t> current_event(const Recording& recording,
                                                       const Selection& selection);

/// The selection moved to an access. The lane, the element or word, and the site stay; the line becomes the
/// access's own.
[[nodiscard]] Selection at_event(const Recording& recording, const Selection& selection, std::size_t event);
/// The selection in a block, with every index inside; nullopt where its events are not recorded.
[[nodiscard]] std::optional<Selection> in_block(const Recording& recording, Selection selection, Dim3 block);
/// The same selection with every index inside the recording.
[[nodiscard]] Selection clamped(const Recording& recording, Selection selection);

/// Over the warp's accesses, on into the neighbouring phases; stops at the first and the last.
[[nodiscard]] Selection moved_by_steps(const Recording& recording, const Selection& selection,
                                       std::int64_t steps);
[[nodiscard]] Selection moved_by_phases(const Recording& recording, const Selection& selection,
                                        std::int64_t phases);
[[nodiscard]] Selection moved_by_warps(const Recording& recording, const Selection& selection,
                                       std::int64_t warps);
[[nodiscard]] Selection moved_by_blocks(const Recording& recording, const Selection& selection,
                                        std::int64_t blocks);

/// The selected line, else the line of the current access; 0 if neither is known.
[[nodiscard]] std::uint32_t current_line(const Recording& recording, const Selection& selection);
/// Selects a line of a file and the warp's first access on it at or after the current phase's beginning, else
/// its first of all. A line without accesses is selected alone.
[[nodiscard]] Selection at_line(const Recording& recording, const Selection& selection, std::uint32_t file,
                                std::uint32_t line);
/// The same, but of the warp's accesses on the line the one with the most beyond its ideal; where the warp
/// has none of these, that of any recorded one whose row of Results::costs is of the line.
[[nodiscard]] Selection at_costliest(const Loaded& loaded, const Selection& selection, std::uint32_t file,
                                     std::uint32_t line);
/// The same for the accesses of some sites: their costliest, or where none costs more than its ideal the
/// first; unchanged if the warp makes none.
[[nodiscard]] Selection at_costliest(const Loaded& loaded, const Selection& selection,
                                     std::span<const std::uint32_t> sites);
/// Selects the warp's first access by one of the sites at or after the current phase's beginning, else its
/// first of all; unchanged if it makes none.
[[nodiscard]] Selection at_sites(const Recording& recording, const Selection& selection,
                                 std::span<const std::uint32_t> sites);

/// Selects a finding and its access, or the other one of a race: block, warp, phase, step, lane, and the
/// place that it is about. Where the block has no events here, the finding alone; one that is of no access
/// leads to the last one on its line.
[[nodiscard]] Selection at_finding(const Recording& recording, const Selection& selection,
                                   ChosenFinding chosen);
/// The block that this leads to.
[[nodiscard]] Dim3 block_of(const Finding& finding, ChosenFinding chosen);
/// The chosen one, else the first one of the current access.
[[nodiscard]] std::optional<ChosenFinding> finding_at(const Recording& recording, const Selection& selection);
/// The other access of the race that one is at; nullopt: one is at none.
[[nodiscard]] std::optional<ChosenFinding> other_access(const Recording& recording,
                                                        const Selection& selection);
/// Returns the next finding in the order of the list, and around at its end; nullopt: there is none.
[[nodiscard]] std::optional<ChosenFinding> next_finding(const Recording& recording,
                                                        const Selection& selection, int by);

/// The same place in another recording of the launch; a finding that was chosen is gone to, if it is there,
/// too.
[[nodiscard]] Selection carried_over(const Recording& from, const Selection& selection, const Recording& to);

/// Over the rows of Results::costs, from that of the current access, and around at the end: 1 for the next in
/// line, -1 for the costlier one. From an access that costs its ideal, to the costliest. Unchanged if there
/// is none.
[[nodiscard]] Selection moved_by_costs(const Loaded& loaded, const Selection& selection, int rows);

/// Where a recording opens: at its first finding; else where the kernel's descriptor says; else in a block of
/// the middle, well into its work, at the access that costs most over its ideal.
[[nodiscard]] Selection opening_selection(const Loaded& loaded);
/// The event block that it opens in: needs no events. 0 if there is none.
[[nodiscard]] std::uint32_t opening_block(const Recording& recording);
/// A selection in another recording of the same launch: in the same block, if this one has its events.
[[nodiscard]] Selection in_block_of(const Recording& other, Selection selection, const Recording& recording);

}  // namespace warplens::app
