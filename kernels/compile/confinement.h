// What a compiler may read and write. Private to kernels/compile.
#pragma once

#include <filesystem>
#include <vector>

namespace warplens::compile {

/// Whether the kernel can confine processes: it has Landlock (Linux 5.13), and it is switched on.
[[nodiscard]] bool can_confine();

/// Confines this process and those that it starts: from now on they read only files of the system, the
/// toolkits and `readable`, and write only in `writable`. Does nothing where can_confine() is false. False:
/// it failed though it should not.
[[nodiscard]] bool confine(const std::vector<std::filesystem::path>& readable,
                           const std::filesystem::path& writable);

}  // namespace warplens::compile
