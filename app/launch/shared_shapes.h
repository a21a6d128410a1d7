// The shapes of shared arrays, from the source: PTX has only how many bytes they take. Private to
// app/session.
#pragma once

#include <string>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::app {

/// Gives the arrays that `source` declares the rows and the pitch that it says, where its numbers, and those
/// that `kernel` ("tiled<16>") is an instance for, agree with the bytes that the array takes. An array of
/// more than two extents has all but the last as rows.
void give_shapes(std::vector<SharedArray>& arrays, const std::string& source, const std::string& kernel);

}  // namespace warplens::app
