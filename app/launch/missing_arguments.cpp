#include "app/launch/missing_arguments.h"

#include <fmt/format.h>

#include "kernels/base/texts.h"
#include "kernels/ptx/parser.h"
#include "kernels/replay/program.h"

namespace warplens::app {

std::vector<std::string> missing_arguments(const LaunchForm& form, const FileEntry& entry) {
  std::vector<std::string> missing;
  for (const KernelParameter& parameter : entry.parameters) {
    if (form.find(parameter.name) != nullptr) continue;
    if (parameter.fields.empty()) missing.push_back(parameter.name);
    for (const ParameterField& field : parameter.fields) {
      std::string name = parameter.name + "." + field.name;
      if (form.find(name) == nullptr) missing.push_back(std::move(name));
    }
  }
  return missing;
}

Error true_reason(const LaunchRequest& request, Error error) {
  const FileKernel* const kernel = request.file_kernel();
  if (kernel == nullptr || !request.form || request.engine != Engine::cpu) return error;
  const FileWishes wishes{.text = kernel->cuda.empty() ? kernel->text : kernel->cuda,
                          .architecture = request.form->architecture,
                          .options = request.form->options};
  if (wishes.text->empty()) return error;
  const Result<KernelFile> file = open_kernel_file(kernel->file, wishes);
  const FileEntry* const entry = file.ok() ? file->find(kernel->entry) : nullptr;
  if (entry == nullptr || missing_arguments(*request.form, *entry).empty()) return error;
  const Result<ptx::Module> module = ptx::parse(file->ptx, kernel->file.filename().string());
  if (!module.ok()) return error;
  const ptx::Function* const function = module->find_entry(entry->name);
  if (function == nullptr) return error;
  const Result<replay::Inspection> inspection = replay::inspect(*module, *function);
  if (!inspection.ok() || inspection->unsupported.empty()) return error;
  const replay::Unsupported& first = inspection->unsupported.front();
  const bool in_source = first.file < module->files.size();
  const std::string source = in_source ? std::filesystem::path(module->files[first.file]).filename().string()
                                       : kernel->file.filename().string();
  return {tr("{reason}: it cannot run this kernel, nor guess its arguments", "reason"_a = first.reason),
          in_source ? fmt::format("{}:{}", source, first.line) : source,
          tr("Run `warplens check` to see everything in the kernel that cannot be replayed.")};
}

}  // namespace warplens::app
