// Whether a launch's textures and surfaces are what its kernel reads, and what their accesses are recorded as.
#pragma once

#include <optional>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/recording/recording.h"
#include "kernels/replay/code.h"
#include "kernels/replay/replay.h"

namespace warplens::replay {

[[nodiscard]] std::optional<Error> check_textures(const Program::Code& code, const Launch& launch);

/// The kernel's sites: those of textures with the bytes of a texel of theirs.
[[nodiscard]] std::vector<Site> sites_of_launch(const Program::Code& code, const Launch& launch);

}  // namespace warplens::replay
