// Where this machine has a CUDA toolkit. For those that load or run parts of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warplens::compile {

/// Folders that may hold a toolkit, the best first: `bin`, `lib` or `lib64`, and `include` lie below each.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_folders();
/// Those of the wheels that are installed beside a program in `folder`: with Warplens' own wheel, or by
/// tools/setup.sh.
[[nodiscard]] std::vector<std::filesystem::path> wheels_near(std::filesystem::path folder);
/// The folder of CUDA's own headers (cuda_fp16.h, cooperative_groups.h); empty if there is none.
[[nodiscard]] std::filesystem::path headers_folder();
/// A program of the toolkit: "nvcc", "ptxas", without symbolic links in its path. Empty if there is none.
[[nodiscard]] std::filesystem::path tool_path(const std::string& name);
/// The folder above that of the host compiler which nvcc calls, with its libraries and headers, where it is
/// installed outside the system's folders.
[[nodiscard]] std::vector<std::filesystem::path> host_compiler_folders();

}  // namespace warplens::compile
