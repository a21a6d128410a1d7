#include "app/kernel_file/python_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/base/texts.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

Error cannot_choose(const std::filesystem::path& file, const PythonSource& source, const std::string& entry) {
  constexpr std::size_t kMostNames = 12;
  std::vector<std::string> names;
  for (const PythonKernel& kernel : source.kernels) {
    if (names.size() < kMostNames) names.push_back(kernel.name);
  }
  if (source.kernels.size() > kMostNames) names.emplace_back("…");
  return {entry.empty() ? tr("there is more than one kernel in it")
                        : tr("no kernel in it is called `{name}`", "name"_a = entry),
          file.filename().string(),
          tr("Its kernels: {kernels}.", "kernels"_a = fmt::format("{}", fmt::join(names, ", ")))};
}

/// Returns the kernels that a program launches.
std::vector<const PythonKernel*> launchable_kernels(const PythonSource& source) {
  std::vector<const PythonKernel*> kernels;
  for (const PythonKernel& kernel : source.kernels) {
    if (!kernel.is_called) kernels.push_back(&kernel);
  }
  return kernels;
}

Result<const PythonKernel*> choose_python_kernel(const std::filesystem::path& file,
                                                 const PythonSource& source, const std::string& entry) {
  if (source.kernels.empty()) {
    return Error{tr("there is no kernel in it"), file.filename().string(),
                 tr("A kernel is a function with @triton.jit or @cuda.jit, or a string that CuPy compiles.")};
  }
  if (!entry.empty()) {
    const PythonKernel* const found = source.find(ptx::base_name(ptx::plain_name(entry)));
    if (found == nullptr) return cannot_choose(file, source, entry);
    return found;
  }
  const std::vector<const PythonKernel*> kernels = launchable_kernels(source);
  const auto in_one_source = [&](const PythonKernel* kernel) {
    return kernel->cuda && kernel->cuda == kernels.front()->cuda;
  };
  if (kernels.size() == 1 || (!kernels.empty() && std::ranges::all_of(kernels, in_one_source)))
    return kernels.front();
  const auto says = [](const PythonKernel* kernel) { return !kernel->launch.empty(); };
  if (std::ranges::count_if(kernels, says) == 1) return *std::ranges::find_if(kernels, says);
  return cannot_choose(file, source, entry);
}

}  // namespace

Result<PythonUnit> python_unit(const std::filesystem::path& file, const std::string& text,
                               const FileWishes& wishes) {
  PythonSource source = read_python(text);
  const Result<const PythonKernel*> chosen = choose_python_kernel(file, source, wishes.entry);
  if (!chosen.ok()) return chosen.error();
  const PythonKernel& kernel = **chosen;
  const std::string where = fmt::format("{}:{}", file.filename().string(), kernel.line);
  const bool is_compiled_by_python =
      kernel.kind == PythonKernelKind::triton || kernel.kind == PythonKernelKind::numba;
  if (is_compiled_by_python && wishes.run_python) return imported_unit(file, text, kernel, wishes);
  if (is_compiled_by_python) {
    if (std::optional<PythonUnit> before = unit_imported_before(file, text, kernel))
      return *std::move(before);
  }
  switch (kernel.kind) {
    case PythonKernelKind::cupy:
      if (kernel.cuda) return PythonUnit{.cuda = std::move(source.cuda[*kernel.cuda])};
      return Error{tr("the source of `{name}` is made when the program runs", "name"_a = kernel.name), where,
                   tr("Give CuPy a plain string, or save what it becomes as a .cu file.")};
    case PythonKernelKind::cupy_elementwise:
      return Error{
          tr("`{name}` is an ElementwiseKernel, whose source CuPy writes when it is called",
             "name"_a = kernel.name),
          where,
          tr("Write it as a RawKernel, or save the source that CuPy keeps in its cache as a .cu file.")};
    case PythonKernelKind::numba:
      return Error{tr("there is no PTX of `{name}`: Numba makes it when the kernel is called, and keeps none",
                      "name"_a = kernel.name),
                   where,
                   tr("Allow to import the file, which runs it: --run-python. Or save what "
                      "`{name}.inspect_asm()` gives in the program as a .ptx file.",
                      "name"_a = kernel.name)};
    case PythonKernelKind::triton: return cached_triton_unit(file, text, kernel, wishes.architecture);
  }
  return Error{};
}

}  // namespace warplens::app
