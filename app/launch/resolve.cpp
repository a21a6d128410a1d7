#include "app/launch/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/kernel_file/host_launch.h"
#include "app/kernel_file/kernel_file.h"
#include "app/kernel_file/sources.h"
#include "app/kernel_file/variables.h"
#include "kernels/base/texts.h"
#include "kernels/catalog/catalog.h"

namespace warplens::app {
namespace {

LaunchForm overlaid(LaunchForm form, const LaunchForm& over) {
  for (const char* name : {"m", "p", "n"}) {
    if (over.size && form.find(name) != nullptr) form.set(name, std::to_string(*over.size));
  }
  for (const FormField* field : {&over.grid, &over.block, &over.shared}) {
    if (!field->text.empty()) form.set(field->name, field->text, field->guessed);
  }
  for (const FormField& field : over.fields) {
    if (field.name.empty()) {
      form.fields.push_back(field);
    } else {
      form.set(field.name, field.text) = field;  // With its flags: guessed, of the comment
    }
  }
  if (!over.kernel.empty()) form.kernel = over.kernel;
  if (!over.product.empty()) form.product = over.product;
  if (!over.expect.empty()) form.expect = over.expect;
  if (!over.architecture.empty()) form.architecture = over.architecture;
  if (!over.options.empty()) form.options = over.options;
  return form;
}

/// Files that the source's comment names are read as its includes are: from its own folder and its project,
/// and the folders that the user names. A relative path is one from the source.
Result<Done> confine_files(std::vector<NamedArgument>& arguments, const std::string& prefix,
                           const LaunchForm& form, const KernelFile& file,
                           const std::vector<std::filesystem::path>& source_folders) {
  for (NamedArgument& argument : arguments) {
    auto* const buffer = std::get_if<BufferSpec>(&argument.value);
    const FormField* const field = form.find(prefix + argument.name);
    if (buffer == nullptr || buffer->fill != Fill::file || field == nullptr || !field->of_comment) continue;
    if (buffer->file.is_relative()) buffer->file = file.file.parent_path() / buffer->file;
    if (lies_in_any(buffer->file, readable_folders(file.file, source_folders))) continue;
    return outside_of_readable_folders(buffer->file);
  }
  return Done{};
}

Result<Done> work_out(LaunchRequest& request, const LaunchForm& form, const KernelFile& file,
                      const FileEntry& entry) {
  request.values = values_of(form);
  const Result<Dim3> grid = extent_of(form.grid, request.values),
                     block = extent_of(form.block, request.values);
  const Result<std::uint32_t> shared = shared_bytes_of(form, request.values);
  if (!grid.ok()) return grid.error();
  if (!block.ok()) return block.error();
  if (!shared.ok()) return shared.error();
  const Result<Dim3> cluster =
      form.cluster.text.empty() ? Dim3{1, 1, 1} : extent_of(form.cluster, request.values);
  if (!cluster.ok()) return cluster.error();
  Result<std::vector<NamedArgument>> arguments = arguments_of(form, entry.parameters);
  if (!arguments.ok()) return arguments.error();
  request.shape = {.grid = *grid, .block = *block, .dynamic_shared_bytes = *shared, .cluster = *cluster};
  request.arguments = *std::move(arguments);
  Result<std::vector<NamedArgument>> variables = variables_of(form, file.variables);
  if (!variables.ok()) return variables.error();
  request.variables = *std::move(variables);
  if (Result<Done> added = add_buffers_besides(request.arguments, request.variables, form); !added.ok())
    return added;
  const std::vector<std::filesystem::path>& folders = request.file_kernel()->source_folders;
  for (const Result<Done>& confined :
       {confine_files(request.arguments, "", form, file, folders),
        confine_files(request.variables, std::string(kVariablePrefix), form, file, folders)}) {
    if (!confined.ok()) return confined;
  }
  request.expect = form.expect;
  if (form.product.empty()) return Done{};
  const Result<ProductNames> product = parse_product(form.product);
  if (!product.ok()) return product.error();
  request.product = *product;
  return Done{};
}

std::vector<std::string> instances_of(const std::string& entry) {
  return entry.find('<') == std::string::npos ? std::vector<std::string>{} : std::vector{entry};
}

}  // namespace

std::string architecture_of(const LaunchRequest& request) {
  const FileKernel* const kernel = request.file_kernel();
  if (kernel == nullptr || !is_source_file(kernel->file)) return {};
  return architecture_for(kernel->cuda, kernel->entry,
                          request.form ? request.form->architecture : std::string(), request.cc);
}

LaunchRequest compiled_for_gpu(LaunchRequest request, std::span<const gpu::Gpu> gpus) {
  if (gpus.empty() ||
      architecture_of(request) != compile::architecture_of(request.cc.major, request.cc.minor))
    return request;
  const analysis::ComputeCapability device{gpus.front().cc_major, gpus.front().cc_minor};
  if (!(device < request.cc)) return request;
  if (!request.form) request.form.emplace();
  request.form->architecture = compile::architecture_of(device.major, device.minor);
  return request;
}

Result<LaunchRequest> resolved(LaunchRequest request, const std::atomic<bool>* cancelled) {
  FileKernel* const kernel = std::get_if<FileKernel>(&request.origin);
  if (kernel == nullptr || (!request.form && (!is_source_file(kernel->file) || !kernel->text.empty())))
    return request;
  const LaunchForm over = request.form.value_or(LaunchForm{});
  FileWishes wishes{.text = {},
                    .ptx = {},
                    .instances = instances_of(kernel->entry),
                    .entry = kernel->entry,
                    .architecture = over.architecture,
                    .options = over.options,
                    .cc = request.cc,
                    .source_folders = kernel->source_folders,
                    .compile_time = kernel->compile_time,
                    .run_python = kernel->run_python,
                    .arguments = over.fields,
                    .cancelled = cancelled};
  if (!kernel->cuda.empty()) wishes.text = kernel->cuda;
  if (!kernel->text.empty()) (kernel->cuda.empty() ? wishes.text : wishes.ptx) = kernel->text;
  const Result<KernelFile> file = open_kernel_file(kernel->file, wishes);
  if (!file.ok()) return file.error();
  if (file->ptx.empty()) return error_of(*file);
  const Result<const FileEntry*> entry = choose_entry(*file, kernel->entry);
  if (!entry.ok()) return entry.error();
  kernel->entry = (*entry)->name;
  kernel->parameters.clear();
  for (const KernelParameter& parameter : (*entry)->parameters) kernel->parameters.push_back(parameter.name);
  if (file->is_cuda()) {
    kernel->text = file->ptx;
    kernel->sources.push_back({compile::name_in_line_table(kernel->file), file->text});
    kernel->source_folders = readable_folders(kernel->file, kernel->source_folders);
  }
  if (!request.form) return request;
  const Result<LaunchForm> own = parse_form((*entry)->launch);
  if (!own.ok()) return own.error();
  request.form.reset();
  LaunchForm form = overlaid(*own, over);
  const bool is_by_order =
      std::ranges::any_of(form.fields, [](const FormField& field) { return field.name.empty(); });
  if (!is_by_order) read_host_launch(form, *file, **entry);
  const Result<Done> done = work_out(request, form, *file, **entry);
  if (!done.ok()) return done.error();
  return request;
}

namespace {

/// What the catalogue calls such a product, which cuBLAS may know by that name.
std::string value_type_of_product(ElementType operand, ElementType result) {
  const auto known = std::ranges::find_if(
      value_types(), [&](const ValueType& type) { return type.operand == operand && type.result == result; });
  if (known != value_types().end()) return known->name;
  return fmt::format("{} to {}", name_of(operand), name_of(result));
}

}  // namespace

std::optional<Problem> product_of(const LaunchRequest& request) {
  if (!request.product) return std::nullopt;
  const auto buffer_of = [&](const std::string& name) {
    const auto found = std::ranges::find(request.arguments, name, &NamedArgument::name);
    return found == request.arguments.end() ? nullptr : std::get_if<BufferSpec>(&found->value);
  };
  const BufferSpec* const a = buffer_of(request.product->a);
  const BufferSpec* const c = buffer_of(request.product->c);
  if (a == nullptr || c == nullptr) return std::nullopt;
  const auto columns_of = [](const BufferSpec& buffer) {
    return buffer.columns == 0 ? buffer.count : buffer.columns;
  };
  return Problem{.m = a->rows,
                 .p = columns_of(*a),
                 .n = columns_of(*c),
                 .parameters = {},
                 .value_type = value_type_of_product(a->type, c->type)};
}

}  // namespace warplens::app
