#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/record_options.h"
#include "app/cli/recordings.h"
#include "app/session/user_kernel.h"
#include "kernels/base/files.h"
#include "kernels/base/text.h"
#include "kernels/recording/file.h"

namespace warplens::app {
namespace {

struct Options {
  std::filesystem::path file, output;
  std::string entry, grid, block, engine = "cpu", blocks = "all", cc = "9.0";
  std::optional<std::uint64_t> shared_bytes;
  std::vector<std::string> arguments, dumps;
  std::vector<std::filesystem::path> source_folders;
  bool json = false, fail_on_findings = false;
};

// "2:c.bin": an argument that is a buffer, and the file that it is written to.
struct Dump {
  std::size_t argument = 0;
  std::filesystem::path file;
};

Result<Dump> parse_dump(const std::string& text, const std::vector<ArgumentSpec>& arguments) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  Dump dump;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + colon, dump.argument);
  if (error != std::errc{} || stop != text.data() + colon || colon + 1 >= text.size()) {
    return Error{fmt::format("`--dump {}` says not what to write where", text), "", "Write --dump INDEX:FILE, such as --dump 2:c.bin."};
  }
  if (dump.argument >= arguments.size() || !std::holds_alternative<BufferSpec>(arguments[dump.argument])) {
    return Error{fmt::format("argument {} is no buffer", dump.argument), "", "--dump counts the arguments from 0."};
  }
  dump.file = text.substr(colon + 1);
  return dump;
}

struct Parsed {
  UserKernelRequest request;
  std::vector<Dump> dumps;
};

// All that can be wrong with the options alone.
Result<Parsed> parse(const Options& options) {
  Parsed parsed;
  UserKernelRequest& request = parsed.request;
  request.file = options.file;
  request.entry = options.entry;
  request.source_folders = options.source_folders;
  request.dynamic_shared_bytes = static_cast<std::uint32_t>(options.shared_bytes.value_or(0));
  const Result<Dim3> grid = parse_extent(options.grid), block = parse_extent(options.block);
  if (!grid.ok()) return grid.error();
  if (!block.ok()) return block.error();
  request.grid = *grid;
  request.block = *block;
  for (const std::string& text : options.arguments) {
    const Result<ArgumentSpec> argument = parse_argument(text);
    if (!argument.ok()) return argument.error();
    request.arguments.push_back(*argument);
  }
  for (const std::string& text : options.dumps) {
    const Result<Dump> dump = parse_dump(text, request.arguments);
    if (!dump.ok()) return dump.error();
    parsed.dumps.push_back(*dump);
  }
  const Result<BlockChoice> blocks = parse_blocks(options.blocks);
  if (!blocks.ok()) return blocks.error();
  if (const auto inside = chosen_blocks(*grid, *blocks); !inside.ok()) return inside.error();
  request.replay_blocks = *blocks;
  if (!options.output.empty()) request.event_blocks = *blocks;
  const Result<analysis::ComputeCapability> cc = analysis::parse_compute_capability(options.cc);
  if (!cc.ok()) return cc.error();
  request.cc = *cc;
  request.engine = engine_of(options.engine);
  return parsed;
}

// What is missing in the report, and in the recording that is kept.
void tell_unread_sources(Context& context, const UserKernelRun& run) {
  constexpr std::size_t kMostTold = 5;
  for (std::size_t i = 0; i < std::min(kMostTold, run.unread_sources.size()); ++i) {
    const UnreadSource& source = run.unread_sources[i];
    context.err << fmt::format("warplens: without the source {}: {}\n", cut_at_begin(escaped(source.named), 200), escaped(source.reason));
  }
  if (run.unread_sources.empty()) return;
  if (run.unread_sources.size() > kMostTold) context.err << fmt::format("warplens: and without {} more\n", run.unread_sources.size() - kMostTold);
  context.err << "warplens: --sources FOLDER names a folder that sources may be read from\n";
}

void run(Context& context, const Options& options) {
  const Result<Parsed> parsed = parse(options);
  if (!parsed.ok()) return context.misuse(parsed.error());

  const Result<UserKernelRun> result = replay_user_kernel(parsed->request);
  if (!result.ok()) return context.fail(result.error());
  tell_unread_sources(context, *result);
  for (const Dump& dump : parsed->dumps) {
    const Result<Done> written = write_file(dump.file, result->memory.contents(*result->buffers[dump.argument]));
    if (!written.ok()) return context.fail(written.error());
  }
  if (!options.output.empty()) {
    if (const Result<Done> saved = save(result->recording, options.output); !saved.ok()) return context.fail(saved.error());
  }
  print_report(context, result->recording, parsed->request.cc, options.json);
  if (options.fail_on_findings && !result->recording.findings.empty()) context.status = kFailed;
}

}  // namespace

void add_replay(Program& program, Context& context) {
  auto options = std::make_shared<Options>();
  const Command command = program.add_command("replay", "Replay a kernel of your own, from its PTX");
  command.add_option("file", options->file, "PTX, made by nvcc -O3 -lineinfo -ptx").required().value_name("FILE.ptx");
  command.add_option("--entry", options->entry, "The kernel: mangled, or plain where that is unique; not needed if there is one").value_name("NAME");
  command.add_option("--grid", options->grid, "Blocks").required().value_name("X[,Y[,Z]]");
  command.add_option("--block", options->block, "Threads a block").required().value_name("X[,Y[,Z]]");
  command.add_number("--shared", options->shared_bytes, "Dynamic shared memory a block", {.most = UINT32_MAX}).value_name("BYTES");
  command.add_option("--arg", options->arguments, "An argument, in the kernel's order: i32:256 (u32, i64, u64, f32, f64), or buf:TYPE:COUNT[:INIT]")
      .value_name("SPEC");
  command.add_option("--engine", options->engine, "Where it runs").one_of({"cpu", "gpu"}).value_name("cpu|gpu");
  command.add_option("--blocks", options->blocks, "Only these blocks: all, or X,Y[;X,Y]...").value_name("BLOCKS");
  command.add_option("--dump", options->dumps, "Write a buffer's bytes after the run: which argument (from 0), and where to")
      .value_name("INDEX:FILE");
  command
      .add_option("--sources", options->source_folders,
                  "A folder that sources named by the PTX may be read from, and those below it; the PTX file's own always is")
      .value_name("FOLDER")
      .existing_folder();
  command.add_option("--cc", options->cc, "Compute capability: its memory rules hold, and shared memory begins where it does there")
      .value_name("X.Y")
      .shows_default();
  command.add_flag("--json", options->json, "One JSON document on standard output");
  command.add_flag("--fail-on-findings", options->fail_on_findings, "Exit with 1 if anything wrong was found");
  command.add_option("-o", options->output, "Keep every access of the blocks in a file").value_name("FILE.wlr");
  command.footer(
      "TYPE is f32, f64, i32 or u8; INIT is zero (if not given), iota, random (small integers) or file=PATH (raw, little-endian).\n\n"
      "Examples:\n"
      "  warplens replay sum.ptx --entry sum --grid 8 --block 128 --arg buf:f32:1024:random --arg buf:f32:8 --arg i32:1024 --dump 1:sums.bin\n"
      "  warplens replay mm.ptx --entry 'mm<16>' --grid 4,4 --block 16,16 --arg buf:f32:4096:iota --arg buf:f32:4096 --json");
  command.action([&context, options] { run(context, *options); });
}

}  // namespace warplens::app
