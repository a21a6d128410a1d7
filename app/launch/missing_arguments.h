// What a launch of a file's kernel still lacks, and why it cannot be recorded.
#pragma once

#include <string>
#include <vector>

#include "app/kernel_file/kernel_file.h"
#include "app/launch/launch.h"

namespace warplens::app {

/// The parameters, or fields of structures among them, that no field of the form is for, in the kernel's
/// order.
[[nodiscard]] std::vector<std::string> missing_arguments(const LaunchForm& form, const FileEntry& entry);

/// Why a launch could not be recorded: where arguments are missing because the replay cannot run the kernel
/// and so could not guess them, what it cannot run; else `error`.
[[nodiscard]] Error true_reason(const LaunchRequest& request, Error error);

}  // namespace warplens::app
