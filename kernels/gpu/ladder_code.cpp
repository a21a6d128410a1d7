#include "kernels/gpu/ladder_code.h"

#include <filesystem>

#include "kernels/base/texts.h"
#include "kernels/ptx/parser.h"

namespace warplens::gpu {
namespace {

std::string with_extension(std::string_view source_file, const char* extension) {
  return std::filesystem::path(source_file).replace_extension(extension).string();
}

}  // namespace

std::optional<Error> why_too_old(const Gpu& gpu, const KernelDescriptor& kernel) {
  const int needed = ladder_capability(kernel.source_file);
  if (gpu.cc_major * 10 + gpu.cc_minor >= needed) return std::nullopt;
  return Error{tr("{gpu} has compute capability {major}.{minor}", "gpu"_a = gpu.name,
                  "major"_a = gpu.cc_major, "minor"_a = gpu.cc_minor),
               kernel.id,
               tr("Launches need {major}.{minor} or later; the replay on the CPU needs no GPU.",
                  "major"_a = needed / 10, "minor"_a = needed % 10)};
}

Result<Module> load_ladder(const ContextPointer& context, const KernelDescriptor& kernel) {
  if (auto too_old = why_too_old(context->gpu(), kernel)) return *std::move(too_old);
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
