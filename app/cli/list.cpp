#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/kernel_file/kernel_list.h"
#include "app/launch/host.h"
#include "app/measure/cpu_products.h"
#include "kernels/base/text.h"
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

/// The kernels of a folder.
struct FolderList {
  std::string path;
  KernelListPart found;
};

ordered_json json_of(const ListedKernel& kernel) {
  ordered_json parameters = ordered_json::array();
  for (const compile::SourceParameter& parameter : kernel.parameters)
    parameters.push_back({{"type", parameter.type}, {"name", parameter.name}});
  return {{"name", kernel.name},
          {"file", kernel.file.string()},
          {"line", kernel.line},
          {"language", id_of(kernel.language)},
          {"template_arguments", kernel.template_arguments},
          {"parameters", parameters},
          {"launch", id_of(kernel.launch)}};
}

void print_folder_json(std::ostream& out, const FolderList& list) {
  ordered_json json = {{"folder", list.path},
                       {"files", list.found.files},
                       {"kernels", ordered_json::array()},
                       {"unread", ordered_json::array()}};
  for (const ListedKernel& kernel : list.found.kernels) json["kernels"].push_back(json_of(kernel));
  for (const UnreadFile& unread : list.found.unread)
    json["unread"].push_back({{"file", unread.file.string()}, {"reason", unread.reason}});
  print_document(out, json);
}

void print_folder_text(std::ostream& out, const FolderList& list) {
  constexpr std::size_t kWidestColumn = 48;
  std::vector<std::array<std::string, 5>> rows{{"KERNEL", "FILE", "LANGUAGE", "LAUNCH", "PARAMETERS"}};
  for (const ListedKernel& kernel : list.found.kernels) {
    rows.push_back({escaped(name_in_words(kernel)),
                    escaped(fmt::format("{}:{}", kernel.file.string(), kernel.line)),
                    name_of(kernel.language), name_of(kernel.launch), escaped(parameters_in_words(kernel))});
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], std::min(row[i].size(), kWidestColumn));
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) out << fmt::format("{:<{}}  ", row[i], widths[i]);
    out << row.back() << '\n';
  }
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  out << fmt::format("\n{} in {}\n", counted(list.found.kernels.size(), "kernel"),
                     counted(list.found.files, "file"));
}

void list_folder(Context& context, const std::string& path, bool json) {
  FolderList list{.path = path, .found = {}};
  std::atomic<bool> interrupted = false;
  const Interrupt interrupt(interrupted);
  const Result<Done> listed = list_kernels(path, [&](KernelListPart part) {
    std::ranges::move(part.kernels, std::back_inserter(list.found.kernels));
    std::ranges::move(part.unread, std::back_inserter(list.found.unread));
    list.found.files += part.files;
    return !interrupted;
  });
  if (!listed.ok()) return context.fail(listed.error());
  if (interrupted) return context.fail({"ended by Ctrl+C", path, ""});
  json ? print_folder_json(context.out, list) : print_folder_text(context.out, list);
  for (const UnreadFile& unread : list.found.unread) {
    context.err << fmt::format("warplens: {}\n", Error{unread.reason, unread.file.string(), ""}.message());
  }
}

}  // namespace

void add_list(Program& program, Context& context) {
  struct ListOptions {
    std::string path;
    bool json = false;
  };
  auto options = std::make_shared<ListOptions>();
  const CliCommand command =
      program.add_command("list", "Kernels, device models, devices; or the kernels of a folder's files");
  command
      .add_option("path", options->path,
                  "A folder, or a file: the kernels of its .cu, .cuh, .ptx and .py files, without compiling "
                  "or running them")
      .value_name("FOLDER|FILE");
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "Examples:\n"
      "  warplens list\n"
      "  warplens list ~/projects/solver --json");
  command.action([&context, options] {
    if (!options->path.empty()) return list_folder(context, options->path, options->json);
    options->json ? print_json(context.out) : print_text(context.out);
  });
}

}  // namespace warplens::app
