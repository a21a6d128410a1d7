#include "app/cli/launch_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "app/cli/command.h"
#include "app/session/kernel_file.h"
#include "kernels/base/files.h"

namespace warplens::app {
namespace {

constexpr const char* kOfFile = "A kernel of a file";

Result<NamedValue> parse_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  NamedValue parameter{text.substr(0, equals), 0};
  if (equals != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, parameter.value);
    if (error == std::errc{} && stop == end) return parameter;
  }
  return Error{fmt::format("`--set {}` sets nothing", text), "", "Write --set NAME=VALUE with an integer, such as --set T=16."};
}

struct NamedText {
  std::string name, text;
};
Result<NamedText> parse_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size()) return NamedText{text.substr(0, equals), text.substr(equals + 1)};
  return Error{fmt::format("`--var {}` sets nothing", text), "", "Write --var NAME=SPEC, such as --var scale=f32:1.5 or --var filter=f32[25]:iota."};
}

bool any_given(const std::vector<Option>& options) {
  return std::any_of(options.begin(), options.end(), [](Option option) { return option.given(); });
}

Result<LaunchRequest> request_of_rung(const std::string& id, const LaunchOptions& options) {
  const Result<const KernelDescriptor*> kernel = find_kernel(id);
  if (!kernel.ok()) return kernel.error();
  if (any_given(options.of_file)) {
    return Error{fmt::format("{} is a kernel of the ladder: its grid, block and arguments follow from its sizes", id), "",
                 "--entry, --grid, --block, --shared, --arg, --var, --arch and --sources go with a file."};
  }
  Result<std::vector<NamedValue>> values = parse_parameters(options.parameters);
  if (!values.ok()) return values.error();
  for (const char name : {'m', 'p', 'n'}) {
    const std::optional<std::uint64_t> extent = options.extent(**kernel, name);
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();  // Larger than any kernel takes
    if (extent) values->push_back({std::string(1, name), static_cast<std::int64_t>(std::min(*extent, kMost))});
  }
  LaunchRequest request = launch_of_rung(id, *std::move(values));
  request.value_type = options.value_type;
  return request;
}

/// What the options say of the launch. What they leave out, the file's `// warplens:` comment says.
Result<LaunchForm> form_of(const LaunchOptions& options) {
  LaunchForm form;
  form.set("grid", options.grid);
  form.set("block", options.block);
  if (options.shared_bytes) form.set("shared", std::to_string(*options.shared_bytes));
  form.architecture = options.architecture;
  if (options.size) form.size = static_cast<std::int64_t>(std::min<std::uint64_t>(*options.size, INT64_MAX));
  for (const auto& [name, extent] : {std::pair{"m", options.m}, std::pair{"p", options.p}, std::pair{"n", options.n}}) {
    if (extent) form.set(name, std::to_string(*extent));
  }
  const Result<std::vector<NamedValue>> values = parse_parameters(options.parameters);
  if (!values.ok()) return values.error();
  for (const NamedValue& value : *values) form.set(value.name, std::to_string(value.value));
  for (const std::string& text : options.arguments) {
    const std::size_t equals = text.find('=');
    const bool named = equals != std::string::npos && equals < std::min(text.find(':'), text.find('['));
    if (named) {
      form.set(text.substr(0, equals), text.substr(equals + 1));
    } else {
      form.fields.push_back({"", text});
    }
  }
  for (const std::string& text : options.variables) {
    const Result<NamedText> variable = parse_variable(text);
    if (!variable.ok()) return variable.error();
    form.set("var:" + variable->name, variable->text);
  }
  return form;
}

bool says_its_launch(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = 256u << 20;
  const Result<std::vector<std::byte>> bytes = read_file(file, kMostBytes);
  return bytes.ok() && std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()).find("warplens:") != std::string_view::npos;
}

/// A PTX file whose launch the options say in full is not read for it.
Result<LaunchRequest> request_of_file(const std::string& file, const LaunchOptions& options) {
  LaunchRequest request;
  request.origin = FileKernel{.file = file, .entry = options.entry, .text = {}, .sources = {}, .source_folders = options.source_folders, .cuda = {}};
  const bool incomplete = options.grid.empty() || options.block.empty(), sizes_given = options.problem_given();
  if (sizes_given && !is_cuda_file(file) && !says_its_launch(file)) {
    return Error{fmt::format("{} is a file: its kernel's arguments say how large its problem is", file), "",
                 "Sizes, --set and --type go with a kernel of the ladder, or with a file that says its launch: // warplens: grid=(n+255)/256 ..."};
  }
  if (incomplete && !says_its_launch(file)) {
    return Error{
        fmt::format("{} is a file: how its kernel is launched has to be said", file), "",
        "Give --grid X,Y --block X,Y, and --arg for each parameter; or say it in the file: // warplens: grid=(n+255)/256 block=256 n=1000 ..."};
  }
  if (incomplete || is_cuda_file(file) || sizes_given) {
    Result<LaunchForm> form = form_of(options);
    if (!form.ok()) return form.error();
    request.form = *std::move(form);
    return request;
  }
  const Result<Dim3> grid = parse_extent(options.grid), block = parse_extent(options.block);
  if (!grid.ok()) return grid.error();
  if (!block.ok()) return block.error();
  request.shape = {.grid = *grid, .block = *block, .dynamic_shared_bytes = static_cast<std::uint32_t>(options.shared_bytes.value_or(0))};
  for (const std::string& text : options.arguments) {
    Result<NamedArgument> argument = parse_named_argument(text);
    if (!argument.ok()) return argument.error();
    request.arguments.push_back(*std::move(argument));
  }
  for (const std::string& text : options.variables) {
    const Result<NamedText> variable = parse_variable(text);
    if (!variable.ok()) return variable.error();
    Result<ArgumentSpec> value = parse_argument(variable->text);
    if (!value.ok()) return value.error();
    request.variables.push_back({variable->name, *std::move(value)});
  }
  return request;
}

}  // namespace

SubjectKind kind_of(const std::string& subject) {
  if (catalog().find(subject) != nullptr) return SubjectKind::rung;
  const std::filesystem::path extension = std::filesystem::path(subject).extension();
  if (extension == ".ptx" || is_cuda_file(subject)) return SubjectKind::kernel_file;
  std::error_code error;
  return extension == ".wlr" || std::filesystem::exists(subject, error) ? SubjectKind::recording : SubjectKind::rung;
}

Result<std::vector<NamedValue>> parse_parameters(const std::vector<std::string>& texts) {
  std::vector<NamedValue> parameters;
  for (const std::string& text : texts) {
    const Result<NamedValue> parameter = parse_parameter(text);
    if (!parameter.ok()) return parameter.error();
    parameters.push_back(*parameter);
  }
  return parameters;
}

void LaunchOptions::add_problem_to(const Command& command) {
  const Option square =
      command.add_number("--size", size, "All of the kernel's sizes, such as m = p = n; what is not given is as `warplens list` says")
          .value_name("N");
  of_problem = {
      square,
      command.add_number("-m", m, "Rows of A and C; what else it is for a demonstrator, `warplens list` says").value_name("M").excludes(square),
      command.add_number("-p", p, "Columns of A, rows of B").value_name("P").excludes(square),
      command.add_number("-n", n, "Columns of B and C").value_name("N").excludes(square),
      command.add_option("--set", parameters, "A parameter of the kernel, such as T=16").value_name("NAME=VALUE"),
      command.add_option("--type", value_type, "Type of the elements: f32, f64, i32").value_name("TYPE")};
}

void LaunchOptions::add_file_to(const Command& command, bool group) {
  const Option entry_option =
      command.add_option("--entry", entry, "The kernel: mangled, or plain where that is unique; not needed if there is one").value_name("NAME");
  const Option grid_option = command.add_option("--grid", grid, "Blocks").value_name("X[,Y[,Z]]");
  const Option block_option = command.add_option("--block", block, "Threads a block").value_name("X[,Y[,Z]]");
  of_file = {entry_option,
             grid_option,
             block_option,
             command.add_number("--shared", shared_bytes, "Dynamic shared memory a block", {.most = UINT32_MAX}).value_name("BYTES"),
             command
                 .add_option("--arg", arguments,
                             "An argument, in the kernel's order or by the parameter's name: TYPE:VALUE, such as i32:256, or buf:TYPE:COUNT[:INIT]")
                 .value_name("[NAME=]SPEC"),
             command
                 .add_option("--var", variables,
                             "What a __constant__ or __device__ variable is set to before the launch: SPEC as of --arg, or an array's buffer")
                 .value_name("NAME=SPEC"),
             command.add_option("--arch", architecture, "What CUDA C++ is compiled for: compute_75, if not given").value_name("compute_XX"),
             command
                 .add_option("--sources", source_folders,
                             "A folder that sources named by the PTX may be read from, and those below it; the PTX file's own always is")
                 .value_name("FOLDER")
                 .existing_folder()};
  if (group) {
    for (const Option& option : of_file) option.group(kOfFile);
  }
}

void LaunchOptions::add_engine_to(const Command& command) {
  of_engine = {
      command.add_option("--engine", engine, "Where it runs").one_of({"cpu", "gpu"}).value_name("cpu|gpu"),
      command.add_option("--blocks", blocks, "Only these blocks: all, or X,Y[;X,Y]...").value_name("BLOCKS"),
      command.add_flag("--whole", whole, "Run every block and verify the whole result, even where others are proved to behave alike"),
      command.add_number("--limit", limit, "End the launch after so many warp instructions, and say where it was", {.least = 1}).value_name("N")};
}

void LaunchOptions::add_to(const Command& command) {
  add_problem_to(command);
  add_engine_to(command);
  add_file_to(command, true);
}

std::optional<std::uint64_t> LaunchOptions::extent(const KernelDescriptor& kernel, char name) const {
  const std::optional<std::uint64_t> own = name == 'm' ? m : name == 'p' ? p : n;
  return own || !kernel.has_extent(name) ? own : size;
}

bool LaunchOptions::problem_given() const {
  return size || m || p || n || !parameters.empty() || any_given(of_problem);
}

bool LaunchOptions::given() const {
  return problem_given() || !entry.empty() || any_given(of_file) || any_given(of_engine);
}

Result<LaunchRequest> make_request(SubjectKind kind, const std::string& subject, const LaunchOptions& options, analysis::ComputeCapability cc) {
  Result<LaunchRequest> request = kind == SubjectKind::kernel_file ? request_of_file(subject, options) : request_of_rung(subject, options);
  if (!request.ok()) return request;
  request->cc = cc;
  request->engine = options.engine == "gpu" ? Engine::gpu : Engine::cpu;
  const Result<BlockChoice> blocks = parse_blocks(options.blocks);
  if (!blocks.ok()) return blocks.error();
  request->replay_blocks = *blocks;
  request->whole_result = options.whole;
  request->limit = options.limit.value_or(0);
  if (request->limit != 0 && request->engine == Engine::gpu) {
    return Error{"a GPU cannot end a launch after so many instructions", "", "--limit goes with --engine cpu."};
  }
  if (const Result<Done> sound = check(*request); !sound.ok()) return sound.error();
  return request;
}

}  // namespace warplens::app
