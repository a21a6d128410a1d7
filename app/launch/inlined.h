// Where inlined code stands in the source, and the calls that lead there. Private to app.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/ptx/module.h"
#include "kernels/recording/recording.h"
#include "kernels/sass/listing.h"

namespace warplens::app {

struct SourcePlace {
  std::uint32_t file = 0, line = 0;  ///< The file: an index into Recording::files
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// Puts each site of a recording, and each finding of an access, where its access stands: at the
/// innermost place whose text is had, of that and the calls that it was inlined at. Where no text is had, at
/// the innermost of all.
void place_sites(Recording& recording, const ptx::Module& module);
/// The same of a listing's instructions, by the texts of a recording.
void place_instructions(sass::Listing& listing, const Recording& recording);

/// By site: the calls that lead there, the innermost first; none where the access is not inlined.
[[nodiscard]] std::vector<std::vector<SourcePlace>> calls_to_sites(const Recording& recording);
/// The same of the access that a finding is of; none of others. `of_sites`: what calls_to_sites gives.
[[nodiscard]] std::vector<SourcePlace> calls_to_finding(
    const Recording& recording, const Finding& finding,
    const std::vector<std::vector<SourcePlace>>& of_sites);

}  // namespace warplens::app
