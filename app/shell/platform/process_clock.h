#pragma once

namespace warplens::app {

/// Wall-clock seconds since this process was started by the system, its loading included (/proc/self/stat, in
/// steps of 10 ms).
[[nodiscard]] double seconds_since_process_start();

}  // namespace warplens::app
