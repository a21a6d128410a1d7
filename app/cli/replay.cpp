#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/launch_options.h"
#include "app/cli/recordings.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

struct ReplayOptions {
  std::string file;
  std::filesystem::path output;
  std::string cc = "9.0";
  LaunchOptions launch;
  std::vector<std::string> dumps;
  bool json = false, fail_on_findings = false;
};

// "2:c.bin" or "view.data:c.bin": an argument that is a buffer, and the file that it is written to.
struct Dump {
  std::size_t argument = 0;
  std::string name;  ///< In place of the number
  std::filesystem::path file;
};

Error no_buffer(std::size_t argument) {
  return {fmt::format("argument {} is no buffer", argument), "",
          "--dump counts the kernel's parameters from 0."};
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Result<Dump> parse_dump(const std::string& text, const LaunchRequest& request) {
  const std::vector<NamedArgument>& arguments = request.arguments;
  const std::size_t colon = std::min(text.find(':'), text.size());
  Dump dump;
  if (!is_number(std::string_view(text).substr(0, colon))) dump.name = text.substr(0, colon);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + colon, dump.argument);
  if (colon == 0 || colon + 1 >= text.size() || (dump.name.empty() && error != std::errc{})) {
    return Error{fmt::format("`--dump {}` says not what to write where", text), "",
                 "Write --dump INDEX:FILE or --dump NAME:FILE, such as --dump 2:c.bin."};
  }
  dump.file = text.substr(colon + 1);
  if (!dump.name.empty()) return dump;
  // What the arguments are, or in which order, may be known only once the file is read: those with names may
  // stand in another order than the parameters.
  const bool in_order =
      std::ranges::all_of(arguments, [](const NamedArgument& argument) { return argument.name.empty(); });
  if (!request.form && (dump.argument >= arguments.size() ||
                        (in_order && !std::holds_alternative<BufferSpec>(arguments[dump.argument].value)))) {
    return no_buffer(dump.argument);
  }
  return dump;
}

struct Parsed {
  LaunchRequest request;
  std::vector<Dump> dumps;
};

// All that can be wrong with the options alone.
Result<Parsed> parse(const ReplayOptions& options) {
  Parsed parsed;
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return cc.error();
  Result<LaunchRequest> request = make_request(SubjectKind::kernel_file, options.file, options.launch, *cc);
  if (!request.ok()) return request.error();
  parsed.request = *std::move(request);
  if (!options.output.empty()) parsed.request.event_blocks = parsed.request.replay_blocks;
  for (const std::string& text : options.dumps) {
    const Result<Dump> dump = parse_dump(text, parsed.request);
    if (!dump.ok()) return dump.error();
    parsed.dumps.push_back(*dump);
  }
  if (!parsed.dumps.empty()) parsed.request.whole_result = true;
  return parsed;
}

/// The buffer that an argument makes, by its name, or that is called so.
std::optional<std::uint32_t> buffer_named(const std::string& name, const LaunchResult& result) {
  const std::vector<RecordedArgument>& arguments = result.recording.arguments;
  const auto argument = static_cast<std::size_t>(std::ranges::find(arguments, name, &RecordedArgument::name) -
                                                 arguments.begin());
  if (argument < result.buffers.size()) return result.buffers[argument];
  const std::vector<Buffer>& buffers = result.recording.buffers;
  const auto buffer = std::ranges::find(buffers, name, &Buffer::name);
  return buffer == buffers.end() ? std::nullopt
                                 : std::optional(static_cast<std::uint32_t>(buffer - buffers.begin()));
}

Result<Done> write_dump(const Dump& dump, const LaunchResult& result) {
  if (!dump.name.empty()) {
    if (const auto buffer = buffer_named(dump.name, result))
      return write_file(dump.file, result.memory.bytes(*buffer));
    std::vector<std::string> names;
    for (const Buffer& one : result.recording.buffers) names.push_back(escaped(one.name));
    return Error{fmt::format("`{}` is no buffer of the launch", escaped(dump.name)), "",
                 fmt::format("Its buffers: {}.", fmt::join(names, ", "))};
  }
  const std::optional<std::uint32_t> buffer =
      dump.argument < result.buffers.size() ? result.buffers[dump.argument] : std::nullopt;
  if (buffer) return write_file(dump.file, result.memory.bytes(*buffer));
  return no_buffer(dump.argument);
}

void run_replay(Context& context, const ReplayOptions& options) {
  const Result<Parsed> parsed = parse(options);
  if (!parsed.ok()) return context.misuse(parsed.error());

  const std::optional<LaunchResult> result = launch_until_interrupted(context, parsed->request);
  if (!result) return;
  tell_unread_sources(context, result->unread_sources);
  for (const Dump& dump : parsed->dumps) {
    if (const Result<Done> written = write_dump(dump, *result); !written.ok())
      return context.fail(written.error());
  }
  if (!options.output.empty()) {
    if (const Result<Done> saved = save(result->recording, options.output); !saved.ok())
      return context.fail(saved.error());
  }
  print_report(context, result->recording, parsed->request.cc, options.json);
  if (result->recording.ended || (options.fail_on_findings && !result->recording.findings.empty()))
    context.status = kFailed;
}

}  // namespace

void add_replay(Program& program, Context& context) {
  auto options = std::make_shared<ReplayOptions>();
  const CliCommand command =
      program.add_command("replay", "Replay a kernel of your own, from its CUDA C++ or its PTX");
  command.add_option("file", options->file, "CUDA C++, or PTX made by nvcc -O3 -lineinfo -ptx")
      .required()
      .value_name("FILE.cu|FILE.ptx");
  options->launch.add_problem_to(command);
  options->launch.add_file_to(command, false);
  options->launch.add_engine_to(command);
  command
      .add_option("--dump", options->dumps,
                  "Write a buffer's bytes after the run: which argument (from 0, or by name), and where to")
      .value_name("INDEX:FILE");
  command
      .add_option("--cc", options->cc,
                  "Compute capability: its memory rules hold, and shared memory begins where it does there")
      .value_name("X.Y")
      .shows_default();
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.add_flag("--fail-on-findings", options->fail_on_findings,
                   "Exit with 1 if anything wrong was found");
  command.add_option("-o", options->output, "Keep every access of the blocks in a file")
      .value_name("FILE.wlr");
  command.footer(
      "TYPE is f32, f64, i32 or u8; INIT is zero (if not given), iota, random (small integers) or file=PATH "
      "(raw, little-endian).\n\n"
      "Examples:\n"
      "  warplens replay sum.ptx --entry sum --grid 8 --block 128 --arg buf:f32:1024:random --arg buf:f32:8 "
      "--arg i32:1024 --dump 1:sums.bin\n"
      "  warplens replay mm.ptx --entry 'mm<16>' --grid 4,4 --block 16,16 --arg buf:f32:4096:iota --arg "
      "buf:f32:4096 --json");
  command.action([&context, options] { run_replay(context, *options); });
}

}  // namespace warplens::app
