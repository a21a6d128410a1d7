// Whether a launch's textures and surfaces are what its kernel reads, and what their accesses are recorded
// as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"
#include "kernels/replay/texels.h"

namespace warplens::replay {

[[nodiscard]] std::optional<Error> check_textures(const Program::Code& code, const Launch& launch);

/// Writes what queries of textures give behind the parameters of a launch that `check_textures` lets through.
void answer_texture_queries(const Program::Code& code, const Launch& launch,
                            std::vector<std::byte>& parameters);

/// The kernel's sites: those of textures with the bytes of a texel of theirs.
[[nodiscard]] std::vector<Site> sites_of_launch(const Program::Code& code, const Launch& launch);

/// Returns what the coordinates of each tex, tld4, suld and sust mean in a launch that `check_textures` lets
/// through, in the order of the code. `bases`: the buffers' base addresses in recordings.
[[nodiscard]] std::vector<TexelSite> texel_sites(const Program::Code& code, const Launch& launch,
                                                 std::span<const std::uint64_t> bases);

}  // namespace warplens::replay
