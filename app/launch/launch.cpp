#include "app/launch/launch.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "app/kernel_file/variables.h"
#include "app/launch/launch_support.h"
#include "kernels/base/texts.h"
#include "kernels/ptx/demangle.h"

namespace warplens::app {
namespace {

Error not_enough_memory(const LaunchRequest& request) {
  return {tr("not enough memory for the replay of {kernel}", "kernel"_a = name_of(request)), "",
          request.catalog_kernel() != nullptr
              ? tr("Choose smaller matrices, or fewer blocks to keep events of.")
              : tr("Choose smaller buffers, or fewer blocks to keep events of.")};
}

void add_arguments(LaunchRequest& request, FileKernel& kernel, const Recording& recording) {
  for (const RecordedArgument& argument : recording.arguments) {
    Result<ArgumentSpec> value = parse_argument(argument.value);
    if (!value.ok()) {
      request.arguments.clear();  // As of a file that does not say
      return;
    }
    // Recordings name files without their folders: one that has a folder was made by somebody else, and reads
    // nothing.
    if (auto* const buffer = std::get_if<BufferSpec>(&*value)) buffer->file = buffer->file.filename();
    if (const std::optional<std::string> variable = variable_named(argument.name)) {
      request.variables.push_back({*variable, *std::move(value)});
      continue;
    }
    kernel.parameters.push_back(argument.name);
    request.arguments.push_back({argument.name, *std::move(value)});
  }
}

}  // namespace

std::optional<std::int64_t> LaunchRequest::value(std::string_view name) const {
  const auto found = std::ranges::find(values, name, &NamedValue::name);
  return found == values.end() ? std::nullopt : std::optional(found->value);
}

void LaunchRequest::set(std::string_view name, std::int64_t value) {
  const auto found = std::ranges::find(values, name, &NamedValue::name);
  if (found == values.end()) {
    values.push_back({std::string(name), value});
  } else {
    found->value = value;
  }
}

LaunchRequest launch_of_kernel(std::string id, std::vector<NamedValue> values) {
  LaunchRequest request;
  if (const KernelDescriptor* const kernel = catalog().find(id))
    request.value_type = kernel->value_types.front();
  request.origin = CatalogKernel{std::move(id)};
  request.values = std::move(values);
  return request;
}

std::string name_of(const LaunchRequest& request) {
  if (const CatalogKernel* const catalog_kernel = request.catalog_kernel()) return catalog_kernel->id;
  const FileKernel& kernel = *request.file_kernel();
  std::string file = kernel.file.filename().string();
  if (kernel.entry.empty()) return file;
  const std::string entry = ptx::plain_name(kernel.entry);
  return file.empty() ? entry : tr("{kernel} of {file}", "kernel"_a = entry, "file"_a = file);
}

LaunchRequest launch_of(const Recording& recording) {
  LaunchRequest request;
  request.engine = recording.engine == "gpu" ? Engine::gpu : Engine::cpu;
  if (const auto cc = analysis::parse_compute_capability(recording.unkept_cc); cc.ok()) request.cc = *cc;
  const BlockChoice events{.all = recording.event_blocks.size() == recording.blocks_total,
                           .blocks = recording.event_blocks};
  if (!recording.event_blocks.empty()) request.event_blocks = events.all ? BlockChoice{} : events;
  if (recording.blocks_counted != recording.blocks_total) request.replay_blocks = events;
  if (const KernelDescriptor* const kernel = ladder_kernel_of(recording)) {
    request.origin = CatalogKernel{kernel->id};
    for (const auto& [name, extent] : {std::pair{"m", recording.m}, {"p", recording.p}, {"n", recording.n}}) {
      if (extent != 0) request.set(name, static_cast<std::int64_t>(extent));
    }
    for (const NamedValue& parameter : recording.parameters) request.set(parameter.name, parameter.value);
    request.value_type = recording.value_type;
    return request;
  }
  FileKernel kernel{.file = recording.origin_file,
                    .entry = recording.entry,
                    .text = recording.ptx,
                    .sources = recording.files};
  add_arguments(request, kernel, recording);
  request.origin = std::move(kernel);
  request.shape = {.grid = recording.grid,
                   .block = recording.block,
                   .dynamic_shared_bytes = recording.dynamic_shared_bytes,
                   .cluster = recording.cluster};
  return request;
}

Result<Dim3> grid_of(const LaunchRequest& request) {
  if (request.file_kernel() != nullptr)
    return request.form && !request.form->grid.text.empty()
               ? extent_of(request.form->grid, values_of(*request.form))
               : request.shape.grid;
  const Result<const KernelDescriptor*> kernel = find_kernel(request.catalog_kernel()->id);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.values, request.value_type);
  if (!problem.ok()) return problem.error();
  return (*kernel)->plan(*problem).grid;
}

Result<Done> check(const LaunchRequest& request) {
  const Result<Dim3> grid = grid_of(request);
  if (!grid.ok()) return grid.error();
  if (const auto blocks = chosen_blocks(*grid, request.replay_blocks); !blocks.ok()) return blocks.error();
  if (!request.event_blocks) return Done{};
  if (const auto blocks = chosen_blocks(*grid, *request.event_blocks); !blocks.ok()) return blocks.error();
  return Done{};
}

Result<LaunchResult> launch(const LaunchRequest& request, replay::Progress* progress, gpu::RecordTimes* times,
                            const Verifier& verifier) {
  try {
    if (const CatalogKernel* const catalog_kernel = request.catalog_kernel())
      return launch_catalog_kernel(request, *catalog_kernel, progress, times, verifier);
    return launch_file_kernel(request, progress, times);
  } catch (const std::bad_alloc&) {
    return not_enough_memory(request);
  } catch (const std::length_error&) {  // Of a container that is asked for more than there are addresses
    return not_enough_memory(request);
  }
}

Result<gpu::RunRequest> run_request_of(const LaunchRequest& request) {
  if (const CatalogKernel* const catalog_kernel = request.catalog_kernel())
    return run_request_of_catalog_kernel(request, *catalog_kernel);
  return run_request_of_file_kernel(request);
}

Result<Recording> record(const LaunchRequest& request, replay::Progress* progress, gpu::RecordTimes* times,
                         const Verifier& verifier) {
  Result<LaunchResult> result = launch(request, progress, times, verifier);
  if (!result.ok()) return result.error();
  return std::move(result->recording);
}

}  // namespace warplens::app
