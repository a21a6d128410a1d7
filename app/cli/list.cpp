#include <fmt/core.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/session/driver.h"
#include "app/session/machine.h"
#include "kernels/catalog/catalog.h"
#include "kernels/replay/replay.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

ordered_json kernel_json(const KernelDescriptor& kernel) {
  ordered_json parameters = ordered_json::array();
  for (const ParameterInfo& parameter : kernel.parameters) {
    parameters.push_back({{"name", parameter.name}, {"label", parameter.label}, {"default", parameter.default_value}, {"values", parameter.values}});
  }
  return {
      {"id", kernel.id}, {"shows", kernel.shows}, {"source", kernel.source_file}, {"parameters", parameters}, {"value_types", kernel.value_types}};
}

void print_json(std::ostream& out) {
  ordered_json json = {{"kernels", ordered_json::array()}, {"device_models", ordered_json::array()}, {"devices", ordered_json::array()}};
  for (const KernelDescriptor& kernel : catalog().kernels()) json["kernels"].push_back(kernel_json(kernel));
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    json["device_models"].push_back({{"cc", model.cc.name()}, {"architecture", model.architecture}, {"note", model.note}});
  }
  json["devices"].push_back({{"kind", "cpu"}, {"name", cpu_name()}});
  for (const Gpu& gpu : check_driver().gpus) {
    json["devices"].push_back({{"kind", "gpu"}, {"name", gpu.name}, {"cc", fmt::format("{}.{}", gpu.cc_major, gpu.cc_minor)}});
  }
  out << json.dump(2) << '\n';
}

void print_text(std::ostream& out) {
  out << "Kernels\n";
  for (const KernelDescriptor& kernel : catalog().kernels()) {
    out << fmt::format("  {:<20}{}\n", kernel.id, kernel.shows);
    for (const ParameterInfo& parameter : kernel.parameters) {
      out << fmt::format("  {:<20}{} = {} (if not set: {})\n", "", parameter.name, fmt::join(parameter.values, ", "), parameter.default_value);
    }
  }
  out << "\nDevice models (--cc)\n";
  for (const analysis::DeviceModel& model : analysis::device_models()) {
    out << fmt::format("  {:<6}{:<14}{}\n", model.cc.name(), model.architecture, model.note);
  }
  out << fmt::format("\nDevices\n  {} (CPU replay, {})\n", cpu_name(), replay::instruction_set());
  const DriverCheck driver = check_driver();
  for (const Gpu& gpu : driver.gpus) out << fmt::format("  {} (compute capability {}.{})\n", gpu.name, gpu.cc_major, gpu.cc_minor);
  if (!driver.missing.empty()) out << fmt::format("  no GPU: {}\n", driver.missing);
}

}  // namespace

void add_list(CLI::App& program, Context& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = program.add_subcommand("list", "Kernels, device models, devices");
  command->add_flag("--json", *json, "One JSON document on standard output");
  command->callback([&context, json] { *json ? print_json(context.out) : print_text(context.out); });
}

}  // namespace warplens::app
