#include "kernels/gpu/ladder_code.h"

#include <filesystem>

#include "kernels/base/texts.h"
#include "kernels/ptx/parser.h"

namespace warplens::gpu {
namespace {

constexpr int kOldestMajor = 7, kOldestMinor = 5;  ///< compute_75: see cmake/ladder.cmake

std::string with_extension(std::string_view source_file, const char* extension) {
  return std::filesystem::path(source_file).replace_extension(extension).string();
}

}  // namespace

Result<Module> load_ladder(const ContextPointer& context, const KernelDescriptor& kernel) {
  const Gpu& gpu = context->gpu();
  if (gpu.cc_major * 10 + gpu.cc_minor < kOldestMajor * 10 + kOldestMinor) {
    return Error{tr("{gpu} has compute capability {major}.{minor}", "gpu"_a = gpu.name,
                    "major"_a = gpu.cc_major, "minor"_a = gpu.cc_minor),
                 "",
                 tr("Launches need {major}.{minor} or later; the replay on the CPU needs no GPU.",
                    "major"_a = kOldestMajor, "minor"_a = kOldestMinor)};
  }
  const std::string machine_code = ladder_fatbin(kernel.source_file);
  return Module::load(context,
                      machine_code.empty() ? ladder_ptx(kernel.source_file) : std::string_view(machine_code));
}

Result<std::string> mangled_entry(const KernelDescriptor& kernel, const std::string& entry) {
  const std::string ptx_name = with_extension(kernel.source_file, ".ptx");
  const Result<ptx::Module> module = ptx::parse(ladder_ptx(kernel.source_file), ptx_name);
  if (!module.ok()) return module.error();
  if (const ptx::Function* const found = module->find_entry(entry)) return found->name;
  return Error{tr("no entry {entry}", "entry"_a = entry), ptx_name,
               tr("The PTX and the catalogue are of different versions.")};
}

}  // namespace warplens::gpu
