#include <fmt/core.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/command.h"
#include "app/session/launch.h"
#include "kernels/base/figures.h"
#include "kernels/base/text.h"
#include "kernels/replay/program.h"

namespace warplens::app {
namespace {

using nlohmann::ordered_json;

struct EntryCheck {
  const ptx::Function* entry = nullptr;
  std::map<std::string, std::uint64_t> registers;                        ///< By type
  std::uint64_t shared_bytes = 0;                                        ///< Static
  bool dynamic_shared = false;                                           ///< It names dynamic shared memory
  std::map<std::string, std::map<std::string, std::uint64_t>> accesses;  ///< Instructions by space and operation
  std::vector<replay::Unsupported> unsupported;
};

const char* space_name(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::generic: return "generic";
    case ptx::StateSpace::global: return "global";
    case ptx::StateSpace::shared: return "shared";
    case ptx::StateSpace::local: return "local";
    default: return nullptr;  // Constants, parameters and registers are not what the memory model is about
  }
}

void count_accesses(const ptx::Function& entry, EntryCheck& check) {
  for (const ptx::Instruction& instruction : entry.instructions) {
    const std::optional<AccessOp> op = replay::access_op(instruction);
    if (!op) continue;
    if (op == AccessOp::cp_async) {  // Reads one space, writes the other
      ++check.accesses["global"][name_of(*op)];
      ++check.accesses["shared"][name_of(*op)];
    } else if (const char* const space = space_name(instruction.space)) {
      ++check.accesses[space][name_of(*op)];
    }
  }
}

Result<EntryCheck> check_entry(const ptx::Module& module, const ptx::Function& entry) {
  EntryCheck check{.entry = &entry};
  for (const ptx::Register& reg : entry.registers) ++check.registers[std::string(ptx::name_of(reg.type))];
  count_accesses(entry, check);
  for (const ptx::Variable& variable : entry.variables) check.dynamic_shared |= variable.space == ptx::StateSpace::shared && variable.is_extern;
  Result<replay::Inspection> inspection = replay::inspect(module, entry);
  if (!inspection.ok()) return inspection.error();
  check.shared_bytes = inspection->static_shared_bytes;
  check.unsupported = std::move(inspection->unsupported);
  return check;
}

std::string source_place(const ptx::Module& module, const replay::Unsupported& unsupported) {
  return unsupported.file < module.files.size() ? std::filesystem::path(module.files[unsupported.file]).filename().string() : std::string();
}

ordered_json entry_json(const ptx::Module& module, const EntryCheck& check) {
  ordered_json unsupported = ordered_json::array();
  for (const replay::Unsupported& one : check.unsupported) {
    unsupported.push_back(
        {{"ptx_line", one.ptx_line}, {"file", source_place(module, one)}, {"line", one.line}, {"text", one.text}, {"reason", one.reason}});
  }
  return {{"entry", check.entry->plain_name},     {"mangled", check.entry->name},           {"registers", check.registers},
          {"shared_bytes", check.shared_bytes},   {"dynamic_shared", check.dynamic_shared}, {"accesses", check.accesses},
          {"unsupported", std::move(unsupported)}};
}

void print_counts(std::ostream& out, const std::string& name, const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [of, count] : counts) parts.push_back(fmt::format("{} {}", with_thousands(count), of));
  out << fmt::format("  {:<15}{}\n", name, fmt::join(parts, ", "));
}

void print_entry(std::ostream& out, const ptx::Module& module, const EntryCheck& check) {
  constexpr std::size_t kLongestShown = 1024;
  out << cut_at_end(escaped(check.entry->plain_name), kLongestShown) << '\n';
  print_counts(out, "registers", check.registers);
  out << fmt::format("  shared memory  {} bytes{}\n", with_thousands(check.shared_bytes), check.dynamic_shared ? ", and what the launch gives" : "");
  for (const auto& [space, operations] : check.accesses) print_counts(out, space, operations);
  if (check.unsupported.empty()) out << "  the replay can run all of it\n";
  for (const replay::Unsupported& one : check.unsupported) {
    out << fmt::format("  PTX line {}, {}:{}: `{}`: {}\n", one.ptx_line, escaped(source_place(module, one)), one.line,
                       cut_at_end(escaped(one.text), kLongestShown), one.reason);
  }
}

void run_check(Context& context, const std::filesystem::path& file, bool json) {
  const Result<ptx::Module> module = load_ptx(file);
  if (!module.ok()) return context.fail(module.error());
  ordered_json document = {{"file", file.string()}, {"target", module->target}, {"entries", ordered_json::array()}};
  for (const ptx::Function& function : module->functions) {
    if (!function.is_entry) continue;
    const Result<EntryCheck> check = check_entry(*module, function);
    if (!check.ok()) return context.fail(check.error());
    if (json) {
      document["entries"].push_back(entry_json(*module, *check));
    } else {
      print_entry(context.out, *module, *check);
    }
  }
  if (json) print_document(context.out, document);
}

}  // namespace

void add_check(Program& program, Context& context) {
  struct CheckOptions {
    std::filesystem::path file;
    bool json = false;
  };
  auto options = std::make_shared<CheckOptions>();
  const Command command = program.add_command("check", "What the kernels in a PTX file use, and what of them the replay cannot run");
  command.add_option("file", options->file, "CUDA C++, or PTX made by nvcc -O3 -lineinfo -ptx").required().value_name("FILE.cu|FILE.ptx");
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.footer(
      "Registers are PTX's own, by type, of which there is no limit; the compiler of the machine code packs them.\n\n"
      "Example:\n"
      "  warplens check mm.ptx");
  command.action([&context, options] { run_check(context, options->file, options->json); });
}

}  // namespace warplens::app
