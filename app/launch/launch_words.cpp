#include "app/launch/launch_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "app/kernel_file/kernel_file.h"
#include "app/kernel_file/python_source.h"
#include "app/launch/launch_guess.h"
#include "app/launch/missing_arguments.h"
#include "kernels/base/files.h"
#include "kernels/compile/options.h"

namespace warplens::app {
namespace {

Result<NamedValue> parse_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  NamedValue parameter{text.substr(0, equals), 0};
  if (equals != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, parameter.value);
    if (error == std::errc{} && stop == end) return parameter;
  }
  return Error{fmt::format("`--set {}` sets nothing", text), "",
               "Write --set NAME=VALUE with an integer, such as --set T=16."};
}

struct NamedText {
  std::string name, text;
};
Result<NamedText> parse_variable(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size())
    return NamedText{text.substr(0, equals), text.substr(equals + 1)};
  return Error{fmt::format("`--var {}` sets nothing", text), "",
               "Write --var NAME=SPEC, such as --var scale=f32:1.5 or --var filter=f32[25]:iota."};
}

Result<LaunchRequest> request_of_kernel(const std::string& id, const LaunchWords& words) {
  const Result<const KernelDescriptor*> kernel = find_kernel(id);
  if (!kernel.ok()) return kernel.error();
  if (words.file_said()) {
    return Error{
        fmt::format("{} is a kernel of the ladder: its grid, block and arguments follow from its sizes", id),
        "", "--entry, --grid, --block, --shared, --arg, --var, --arch and --sources go with a file."};
  }
  Result<std::vector<NamedValue>> values = parse_parameters(words.parameters);
  if (!values.ok()) return values.error();
  for (const char name : {'m', 'p', 'n'}) {
    const std::optional<std::uint64_t> extent = words.extent(**kernel, name);
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();  // Larger than any kernel takes
    if (extent) values->push_back({std::string(1, name), static_cast<std::int64_t>(std::min(*extent, kMax))});
  }
  LaunchRequest request = launch_of_kernel(id, *std::move(values));
  if (!words.value_type.empty()) request.value_type = words.value_type;
  return request;
}

bool says_its_launch(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostText = 256u << 20;
  const Result<std::vector<std::byte>> bytes = read_file(file, kMostText);
  return bytes.ok() &&
         std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()).find("warplens:") !=
             std::string_view::npos;
}

/// The launch that the source itself makes, where nothing is said of it; what it does not tell is guessed.
Result<LaunchRequest> launch_of_source(const std::string& file, const LaunchWords& words,
                                       analysis::ComputeCapability cc) {
  FileWishes wishes{.entry = words.entry,
                    .architecture = words.architecture,
                    .cc = cc,
                    .source_folders = words.source_folders};
  Result<std::string> options = options_of(words.compiler);
  if (!options.ok()) return options.error();
  wishes.options = *options;
  if (words.entry.find('<') != std::string::npos) wishes.instances = {words.entry};
  if (words.compile_seconds) wishes.compile_time = std::chrono::seconds(*words.compile_seconds);
  const Result<KernelFile> opened = open_kernel_file(file, wishes);
  if (!opened.ok()) return opened.error();
  if (opened->ptx.empty()) return error_of(*opened);
  const Result<const FileEntry*> entry = choose_entry(*opened, words.entry);
  if (!entry.ok()) return entry.error();
  const std::size_t launch = words.source_launch.value_or(1) - 1, launches = (*entry)->launches.size();
  if (words.source_launch && launch >= launches) {
    return Error{fmt::format("the source makes {} launches of {}", launches, (*entry)->plain_name), file,
                 "--launch names one of them, counted from 1."};
  }
  Result<LaunchRequest> request = launch_of_entry(*opened, **entry, {}, nullptr, launch);
  if (!request.ok()) return request;
  auto& kernel = std::get<FileKernel>(request->origin);
  kernel.source_folders = words.source_folders;
  kernel.compile_time = wishes.compile_time;
  request->form->architecture = words.architecture;
  if (!options->empty()) request->form->options = *options;
  const std::vector<std::string> missing = missing_arguments(*request->form, **entry);
  if (missing.empty()) return request;
  return Error{fmt::format("nothing says what {} of {} is", missing.front(), (*entry)->plain_name), file,
               "Give --arg for each parameter, or say it in the file: // warplens: grid=(n+255)/256 "
               "block=256 n=1000 ..."};
}

/// A PTX file whose launch the options say in full is not read for it.
Result<LaunchRequest> request_of_file(const std::string& file, const LaunchWords& words,
                                      analysis::ComputeCapability cc) {
  if (is_cuda_file(file) && !words.launch_said() && (words.source_launch || !says_its_launch(file)))
    return launch_of_source(file, words, cc);
  LaunchRequest request;
  FileKernel kernel{
      .file = file, .entry = words.entry, .text = {}, .sources = {}, .source_folders = words.source_folders};
  kernel.run_python = words.run_python;
  if (words.compile_seconds) kernel.compile_time = std::chrono::seconds(*words.compile_seconds);
  request.origin = std::move(kernel);
  const bool incomplete = words.grid.empty() || words.block.empty(), sizes_given = words.problem_said();
  if (sizes_given && !is_source_file(file) && !says_its_launch(file)) {
    return Error{fmt::format("{} is a file: its kernel's arguments say how large its problem is", file), "",
                 "Sizes, --set and --type go with a kernel of the ladder, or with a file that says its "
                 "launch: // warplens: grid=(n+255)/256 ..."};
  }
  const bool may_be_known = is_cuda_file(file) || is_python_file(file) || says_its_launch(file);
  if (incomplete && !may_be_known) {
    return Error{fmt::format("{} is a file: how its kernel is launched has to be said", file), "",
                 "Give --grid X,Y --block X,Y, and --arg for each parameter; or say it in the file: // "
                 "warplens: grid=(n+255)/256 block=256 n=1000 ..."};
  }
  if (incomplete || is_source_file(file) || sizes_given) {
    Result<LaunchForm> form = launch_form_of(words);
    if (!form.ok()) return form.error();
    request.form = *std::move(form);
    return request;
  }
  const Result<Dim3> grid = parse_extent(words.grid), block = parse_extent(words.block);
  if (!grid.ok()) return grid.error();
  if (!block.ok()) return block.error();
  const Result<Dim3> cluster = words.cluster.empty() ? Dim3{1, 1, 1} : parse_extent(words.cluster);
  if (!cluster.ok()) return cluster.error();
  request.shape = {.grid = *grid,
                   .block = *block,
                   .dynamic_shared_bytes = static_cast<std::uint32_t>(words.shared_bytes.value_or(0)),
                   .cluster = *cluster};
  for (const std::string& text : words.arguments) {
    Result<NamedArgument> argument = parse_named_argument(text);
    if (!argument.ok()) return argument.error();
    request.arguments.push_back(*std::move(argument));
  }
  for (const std::string& text : words.variables) {
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
  if (catalog().find(subject) != nullptr) return SubjectKind::catalog_kernel;
  const std::filesystem::path extension = std::filesystem::path(subject).extension();
  if (extension == ".ptx" || is_source_file(subject)) return SubjectKind::kernel_file;
  std::error_code error;
  return extension == ".wlr" || std::filesystem::exists(subject, error) ? SubjectKind::recording
                                                                        : SubjectKind::catalog_kernel;
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

std::optional<std::uint64_t> LaunchWords::extent(const KernelDescriptor& kernel, char name) const {
  const std::optional<std::uint64_t> own = name == 'm' ? m : name == 'p' ? p : n;
  return own || !kernel.has_extent(name) ? own : size;
}

Result<BlockChoice> LaunchWords::block_choice() const {
  return blocks.empty() ? BlockChoice{} : parse_blocks(blocks);
}

bool LaunchWords::said() const {
  return problem_said() || file_said() || !engine.empty() || !blocks.empty() || whole || limit;
}

bool LaunchWords::problem_said() const {
  return size || m || p || n || !parameters.empty() || !value_type.empty();
}

bool LaunchWords::launch_said() const {
  return problem_said() || !grid.empty() || !block.empty() || !cluster.empty() || shared_bytes ||
         !arguments.empty() || !variables.empty();
}

bool LaunchWords::file_said() const {
  return !entry.empty() || !grid.empty() || !block.empty() || !cluster.empty() || !architecture.empty() ||
         shared_bytes || !arguments.empty() || !variables.empty() || !source_folders.empty() ||
         compile_seconds || source_launch || run_python || compiler.said();
}

bool CompilerWords::said() const {
  return !folders.empty() || !definitions.empty() || !undefined.empty() || !headers.empty() ||
         !standard.empty() || most_registers || fast_math || extended_lambda || relaxed_constexpr;
}

Result<std::string> options_of(const CompilerWords& words) {
  std::vector<std::string> options;
  const auto add = [&options](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) options.insert(options.end(), {name, value});
  };
  add("-I", words.folders);
  add("-D", words.definitions);
  add("-U", words.undefined);
  add("-include", words.headers);
  if (!words.standard.empty()) add("-std", {words.standard});
  if (words.most_registers) add("-maxrregcount", {std::to_string(*words.most_registers)});
  if (words.fast_math) options.emplace_back("-use_fast_math");
  if (words.extended_lambda) options.emplace_back("--extended-lambda");
  if (words.relaxed_constexpr) options.emplace_back("--expt-relaxed-constexpr");
  std::error_code error;
  const Result<compile::Options> parsed =
      compile::parse_options(options, std::filesystem::current_path(error));
  if (!parsed.ok()) return parsed.error();
  return compile::text_of(*parsed);
}

Result<Dim3> parse_extent(const std::string& text) {
  std::uint32_t extent[3] = {1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t& value : extent) {
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || value == 0) break;
    if (stop == end) return Dim3{extent[0], extent[1], extent[2]};
    if (*stop != ',') break;
    at = stop + 1;
  }
  return Error{fmt::format("`{}` is no extent", text), "", "An extent is X, X,Y or X,Y,Z, each at least 1."};
}

Result<LaunchForm> launch_form_of(const LaunchWords& words) {
  LaunchForm form;
  form.set("grid", words.grid);
  form.set("block", words.block);
  form.set("cluster", words.cluster);
  if (words.shared_bytes) form.set("shared", std::to_string(*words.shared_bytes));
  form.architecture = words.architecture;
  Result<std::string> options = options_of(words.compiler);
  if (!options.ok()) return options.error();
  form.options = *std::move(options);
  if (words.size) form.size = static_cast<std::int64_t>(std::min<std::uint64_t>(*words.size, INT64_MAX));
  for (const auto& [name, extent] :
       {std::pair{"m", words.m}, std::pair{"p", words.p}, std::pair{"n", words.n}}) {
    if (extent) form.set(name, std::to_string(*extent));
  }
  const Result<std::vector<NamedValue>> values = parse_parameters(words.parameters);
  if (!values.ok()) return values.error();
  for (const NamedValue& value : *values) form.set(value.name, std::to_string(value.value));
  for (const std::string& text : words.arguments) {
    const std::size_t equals = text.find('=');
    const bool named = equals != std::string::npos && equals < std::min(text.find(':'), text.find('['));
    if (named) {
      form.set(text.substr(0, equals), text.substr(equals + 1));
    } else {
      form.fields.push_back({"", text});
    }
  }
  for (const std::string& text : words.variables) {
    const Result<NamedText> variable = parse_variable(text);
    if (!variable.ok()) return variable.error();
    form.set("var:" + variable->name, variable->text);
  }
  return form;
}

Result<LaunchRequest> make_request(SubjectKind kind, const std::string& subject, const LaunchWords& words,
                                   analysis::ComputeCapability cc) {
  Result<LaunchRequest> request = kind == SubjectKind::kernel_file ? request_of_file(subject, words, cc)
                                                                   : request_of_kernel(subject, words);
  if (!request.ok()) return request;
  request->cc = cc;
  request->engine = words.engine == "gpu" ? Engine::gpu : Engine::cpu;
  const Result<BlockChoice> blocks = words.block_choice();
  if (!blocks.ok()) return blocks.error();
  request->replay_blocks = *blocks;
  request->whole_result = words.whole;
  request->limit = words.limit.value_or(0);
  if (request->limit != 0 && request->engine == Engine::gpu) {
    return Error{"a GPU cannot end a launch after so many instructions", "",
                 "--limit goes with --engine cpu."};
  }
  if (const Result<Done> sound = check(*request); !sound.ok()) return sound.error();
  return request;
}

}  // namespace warplens::app
