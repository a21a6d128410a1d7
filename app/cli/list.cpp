#include <fmt/core.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/measure/cpu_products.h"
#include "app/session/host.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/run.h"
#include "kernels/replay/replay.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

ordered_json kernel_json(const KernelDescriptor& kernel) {
  ordered_json parameters = ordered_json::array();
  for (const ParameterInfo& parameter : kernel.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"label", parameter.label},
                          {"default", parameter.default_value},
                          {"values", parameter.values}});
  }
  ordered_json extents = ordered_json::array();
  for (const ExtentInfo& extent : kernel.extents) {
    extents.push_back(
        {{"name", std::string(1, extent.name)}, {"label", extent.label}, {"default", extent.default_value}});
  }
  return {{"id", kernel.id},
          {"group", name_of(kernel.group)},
          {"shows", kernel.shows},
          {"source", kernel.source_file},
          {"sizes", extents},
          {"parameters", parameters},
          {"value_types", kernel.value_types}};
}

void print_json(std::ostream& out) {
  ordered_json json = {{"kernels", ordered_json::array()},
                       {"cpu_products", ordered_json::array()},
                       {"device_models", ordered_json::array()},
                       {"devices", ordered_json::array()}};
  for (const KernelDescriptor& kernel : catalog().kernels()) json["kernels"].push_back(kernel_json(kernel));
  json["kernels"].push_back(kernel_json(gpu::cublas_descriptor()));
  for (const measure::CpuProduct product : measure::kCpuProducts) {
    const auto missing = measure::what_is_missing_for(product);
    json["cpu_products"].push_back({{"id", measure::name_of(product)},
                                    {"shows", measure::explanation_of(product)},
                                    {"available", !missing}});
    if (missing) json["cpu_products"].back()["missing"] = *missing;
  }
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    json["device_models"].push_back(
        {{"cc", model.cc.name()}, {"architecture", model.architecture}, {"note", model.note}});
  }
  json["devices"].push_back({{"kind", "cpu"}, {"name", cpu_name()}});
  for (const gpu::Gpu& gpu : gpu::check_driver().gpus) {
    json["devices"].push_back(
        {{"kind", "gpu"}, {"name", gpu.name}, {"cc", fmt::format("{}.{}", gpu.cc_major, gpu.cc_minor)}});
  }
  print_document(out, json);
}

// "1, 2, 4", or "0 to 8" where nothing is left out.
std::string values_in_words(const std::vector<std::int64_t>& values) {
  const bool whole = values.back() - values.front() + 1 == static_cast<std::int64_t>(values.size());
  return whole && values.size() > 2 ? fmt::format("{} to {}", values.front(), values.back())
                                    : fmt::format("{}", fmt::join(values, ", "));
}

void print_kernel(std::ostream& out, const KernelDescriptor& kernel) {
  constexpr auto kLine = "  {:<20}{}\n";
  out << fmt::format(kLine, kernel.id, kernel.shows);
  if (kernel.group == KernelGroup::demonstrator) {
    for (const ExtentInfo& extent : kernel.extents) {
      out << fmt::format(
          kLine, "",
          fmt::format("-{} {} (if not given: {})", extent.name, extent.label, extent.default_value));
    }
  }
  for (const ParameterInfo& parameter : kernel.parameters) {
    out << fmt::format(kLine, "",
                       fmt::format("{} = {} (if not set: {})", parameter.name,
                                   values_in_words(parameter.values), parameter.default_value));
  }
  if (kernel.value_types.size() > 1)
    out << fmt::format(kLine, "", fmt::format("values: {}", fmt::join(kernel.value_types, ", ")));
}

void print_text(std::ostream& out) {
  for (const KernelGroup group : {KernelGroup::ladder, KernelGroup::demonstrator}) {
    out << fmt::format("{}{}\n", group == KernelGroup::ladder ? "" : "\n", name_of(group));
    for (const KernelDescriptor& kernel : catalog().kernels()) {
      if (kernel.group == group) print_kernel(out, kernel);
    }
    if (group == KernelGroup::ladder) print_kernel(out, gpu::cublas_descriptor());
  }
  out << "\nProducts on this processor (`warplens run`; in the window, Throughput)\n";
  for (const measure::CpuProduct product : measure::kCpuProducts) {
    out << fmt::format(
        "  {:<20}{}\n", measure::name_of(product),
        measure::what_is_missing_for(product).value_or(std::string(measure::explanation_of(product))));
  }
  out << "\nDevice models (--cc)\n";
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    out << fmt::format("  {:<6}{:<14}{}\n", model.cc.name(), model.architecture, model.note);
  }
  out << fmt::format("\nDevices\n  {} (CPU replay, {})\n", cpu_name(), replay::instruction_set());
  const gpu::DriverCheck driver = gpu::check_driver();
  for (const gpu::Gpu& gpu : driver.gpus)
    out << fmt::format("  {} (compute capability {}.{})\n", gpu.name, gpu.cc_major, gpu.cc_minor);
  if (!driver.missing.empty()) out << fmt::format("  no GPU: {}\n", driver.missing);
}

}  // namespace

void add_list(Program& program, Context& context) {
  auto json = std::make_shared<bool>(false);
  const Command command = program.add_command("list", "Kernels, device models, devices");
  command.add_flag("--json", *json, "One JSON document on standard output");
  command.action([&context, json] { *json ? print_json(context.out) : print_text(context.out); });
}

}  // namespace warplens::app
