#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/cli/command.h"
#include "app/compiled/disk_cache.h"
#include "app/launch/host.h"
#include "app/launch/launch.h"
#include "kernels/base/text.h"
#include "kernels/compile/compile.h"
#include "kernels/compile/confinement.h"
#include "kernels/compile/machine_code.h"
#include "kernels/gpu/cublas.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/nvml.h"
#include "kernels/replay/replay.h"
#include "viz/export/cairo_library.h"

namespace warplens::app {
namespace {

struct Diagnosis {
  std::string name;
  bool ok = false;
  std::string found;   ///< What there is, or is not
  std::string advice;  ///< What to do about it; empty where nothing needs doing
};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

Diagnosis processor() {
  return {"processor", true,
          fmt::format("{}, {} threads, replay with {}, {:.1f} GiB of memory", cpu_name(),
                      std::thread::hardware_concurrency(), replay::instruction_set(),
                      static_cast<double>(physical_memory_bytes()) / 0x1p30),
          ""};
}

/// The fastest of a few: the first one starts threads, and whatever else runs here only slows them.
Diagnosis replay_rate() {
  constexpr int kTimes = 3;
  const LaunchRequest request =
      launch_of_kernel("tiled", {{"m", 512}, {"p", 512}, {"n", 512}});  // Enough for every thread
  double rate = 0;
  for (int i = 0; i < kTimes; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Result<Recording> recording = record(request);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!recording) return {"replay", false, recording.error().what, recording.error().hint};
    rate = std::max(rate, static_cast<double>(recording->warp_instructions) / seconds.count());
  }
  return {"replay", true,
          fmt::format("{:.0f} million PTX warp instructions per second, of `tiled` at 512", rate * 1e-6), ""};
}

Diagnosis driver(const gpu::DriverCheck& check) {
  if (check.version.empty()) return {"driver", false, check.missing, check.advice};
  return {"driver", true, fmt::format("NVIDIA driver for CUDA up to {}", check.version), ""};
}

Diagnosis gpu(const gpu::DriverCheck& check) {
  if (check.version.empty()) return {"GPU", false, "none without a driver", ""};
  if (check.gpus.empty()) return {"GPU", false, check.missing, check.advice};
  std::string found;
  for (const gpu::Gpu& one : check.gpus) {
    found += fmt::format("{}{} (compute capability {}.{}, {} SMs, {:.0f} GiB)", found.empty() ? "" : "; ",
                         one.name, one.cc_major, one.cc_minor, one.multiprocessors,
                         static_cast<double>(one.memory_bytes) / 0x1p30);
  }
  return {"GPU", true, found, ""};
}

Diagnosis cublas() {
  const gpu::CublasCheck check = gpu::check_cublas();
  if (check.version.empty()) return {"cuBLAS", false, check.missing, check.advice};
  return {"cuBLAS", true, fmt::format("{} ({})", check.version, check.library), ""};
}

Diagnosis nvml() {
  const gpu::NvmlCheck check = gpu::check_nvml();
  if (check.driver.empty()) return {"NVML", false, check.missing, check.advice};
  return {"NVML", true, fmt::format("of driver {}", check.driver), ""};
}

bool is_program(const std::string& path) {
  return !path.empty() && access(path.c_str(), X_OK) == 0;
}

std::string find_nvcc_on_path() {
  std::istringstream folders(environment("PATH") + ":/usr/local/cuda/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(folder + "/nvcc")) return folder + "/nvcc";
  }
  return {};
}

// The build may have used an nvcc that is not on the PATH, such as the project's own.
Diagnosis toolkit() {
  const std::string built_with = WARPLENS_NVCC;
  const std::string ptx = built_with.empty() ? "the kernels' PTX is the shipped one"
                                             : "the kernels' PTX was made by " + built_with;
  std::string nvcc = find_nvcc_on_path();
  if (nvcc.empty() && is_program(built_with)) nvcc = built_with;
  if (nvcc.empty()) {
    return {"CUDA toolkit", false, "no nvcc; " + ptx,
            "Only needed to compile the ladder anew: install the CUDA toolkit 13.0."};
  }
  return {"CUDA toolkit", true,
          nvcc == built_with ? nvcc + ", which made the kernels' PTX" : nvcc + "; " + ptx, ""};
}

/// For kernels of the user's own.
Diagnosis compiler() {
  const std::string compilers = compile::compilers();
  const std::string advice =
      "Only needed for kernels of your own: `pip install warplens[nvrtc]` for Python, tools/setup.sh in the "
      "sources, or the CUDA Toolkit 13.0.";
  if (compilers.empty())
    return {"compiler", false, "neither NVRTC nor nvcc: CUDA C++ cannot be opened, PTX can", advice};
  if (!compile::has_assembler())
    return {"compiler", false, compilers + "; without ptxas and nvdisasm nothing is counted as compiled",
            advice};
  return {"compiler", true, compilers + "; ptxas and nvdisasm", ""};
}

Diagnosis opengl() {
  const bool display = !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
  void* const library = dlopen("libGL.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr)
    return {"OpenGL", false, "no libGL.so.1", "Install it (libgl1); only the window needs it."};
  dlclose(library);
  if (!display)
    return {"OpenGL", false, "no display (DISPLAY and WAYLAND_DISPLAY are not set)",
            "Only the window needs one: `warplens export` draws without."};
  return {"OpenGL", true, "libGL.so.1, and a display", ""};
}

Diagnosis pdf() {
  if (const auto& cairo = viz::cairo(); !cairo) return {"PDF", false, cairo.error().what, cairo.error().hint};
  return {"PDF", true, "cairo and FreeType", ""};
}

// "Permission issue with performance counters", NVIDIA: the driver's module says whether only administrators
// may read them.
Diagnosis counters() {
  std::ifstream parameters("/proc/driver/nvidia/params");
  if (!parameters) return {"GPU counters", false, "no driver to ask", ""};
  for (std::string line; std::getline(parameters, line);) {
    if (line.rfind("RmProfilingAdminOnly:", 0) != 0) continue;
    if (line.find('1') == std::string::npos || geteuid() == 0) break;
    return {"GPU counters", false, "only administrators may read the GPU's performance counters",
            "Load the driver's module with NVreg_RestrictProfilingToAdminUsers=0 to compare with them."};
  }
  return {"GPU counters", true, "may be read", ""};
}

Diagnosis cache() {
  const DiskCache cache = listing_cache();
  if (cache.folder().empty())
    return {"cache", false, "neither XDG_CACHE_HOME nor HOME is set: machine code is made anew each time",
            ""};
  const DiskCache::Size size = cache.size();
  return {"cache", true,
          fmt::format("{}: {} listings of machine code, {} KB", cache.folder().string(), size.files,
                      size.bytes / 1000),
          ""};
}

Diagnosis confinement() {
  if (compile::can_confine())
    return {"confinement", true, "compilers read the source's folders only (Landlock)", ""};
  return {"confinement", false, "this kernel has no Landlock: a source's includes can read any file of yours",
          "Compile sources that you trust only."};
}

void clear_cache(Context& context) {
  const DiskCache cache = listing_cache();
  const DiskCache::Size removed = cache.clear();
  context.out << fmt::format("{}: {} listings removed, {} KB\n", escaped(cache.folder().string()),
                             removed.files, removed.bytes / 1000);
}

void run_doctor(Context& context, bool json) {
  const gpu::DriverCheck check = gpu::check_driver();
  const Diagnosis diagnoses[] = {processor(), replay_rate(), driver(check), gpu(check),    cublas(),
                                 nvml(),      toolkit(),     compiler(),    confinement(), cache(),
                                 opengl(),    pdf(),         counters()};
  if (!json) {
    for (const Diagnosis& diagnosis : diagnoses) {
      context.out << fmt::format("{:<4}{:<14}{}\n", diagnosis.ok ? "ok" : "-", diagnosis.name,
                                 diagnosis.found);
      if (!diagnosis.advice.empty()) context.out << fmt::format("{:<18}{}\n", "", diagnosis.advice);
    }
    return;
  }
  nlohmann::ordered_json document = {{"checks", nlohmann::ordered_json::array()}};
  for (const Diagnosis& diagnosis : diagnoses) {
    document["checks"].push_back({{"name", diagnosis.name},
                                  {"ok", diagnosis.ok},
                                  {"found", diagnosis.found},
                                  {"advice", diagnosis.advice}});
  }
  print_document(context.out, document);
}

}  // namespace

void add_doctor(Program& program, Context& context) {
  auto json = std::make_shared<bool>(false), clear = std::make_shared<bool>(false);
  const CliCommand command =
      program.add_command("doctor", "What is found on this machine, and what to do about what is missing");
  command.add_flag("--json", *json, "One JSON document on standard output");
  command.add_flag("--clear-cache", *clear, "Remove what is kept of machine code that was made before");
  command.action([&context, json, clear] { *clear ? clear_cache(context) : run_doctor(context, *json); });
}

}  // namespace warplens::app
