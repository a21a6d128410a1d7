#include "app/cli/record_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "app/cli/command.h"

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
  return Error{fmt::format("`--set {}` sets nothing", text), "", "Write --set NAME=VALUE with an integer, such as --set T=16."};
}

}  // namespace

Result<std::vector<NamedValue>> parse_parameters(const std::vector<std::string>& texts) {
  std::vector<NamedValue> parameters;
  for (const std::string& text : texts) {
    const Result<NamedValue> parameter = parse_parameter(text);
    if (!parameter.ok()) return parameter.error();
    parameters.push_back(*parameter);
  }
  return parameters;
}

void RecordOptions::add_problem_to(const Command& command) {
  const Option square =
      command.add_number("--size", size, "All of the kernel's sizes, such as m = p = n; what is not given is as `warplens list` says")
          .value_name("N");
  all = {square,
         command.add_number("-m", m, "Rows of A and C; what else it is for a demonstrator, `warplens list` says").value_name("M").excludes(square),
         command.add_number("-p", p, "Columns of A, rows of B").value_name("P").excludes(square),
         command.add_number("-n", n, "Columns of B and C").value_name("N").excludes(square),
         command.add_option("--set", parameters, "A parameter of the kernel, such as T=16").value_name("NAME=VALUE"),
         command.add_option("--type", value_type, "Type of the elements: f32, f64, i32").value_name("TYPE")};
}

void RecordOptions::add_to(const Command& command) {
  add_problem_to(command);
  all.push_back(command.add_option("--engine", engine, "Where it runs").one_of({"cpu", "gpu"}).value_name("cpu|gpu"));
  all.push_back(command.add_option("--blocks", blocks, "Only these blocks: all, or X,Y[;X,Y]...").value_name("BLOCKS"));
}

std::optional<std::uint64_t> RecordOptions::extent(const KernelDescriptor& kernel, char name) const {
  const std::optional<std::uint64_t> own = name == 'm' ? m : name == 'p' ? p : n;
  return own || !kernel.has_extent(name) ? own : size;
}

bool RecordOptions::given() const {
  return std::any_of(all.begin(), all.end(), [](Option option) { return option.given(); });
}

Result<RecordRequest> make_request(const std::string& kernel, const RecordOptions& options, analysis::ComputeCapability cc) {
  const Result<const KernelDescriptor*> descriptor = find_kernel(kernel);
  if (!descriptor.ok()) return descriptor.error();
  RecordRequest request;
  request.kernel = kernel;
  request.m = options.extent(**descriptor, 'm');
  request.p = options.extent(**descriptor, 'p');
  request.n = options.extent(**descriptor, 'n');
  request.value_type = options.value_type;
  request.cc = cc;
  request.engine = engine_of(options.engine);
  const Result<std::vector<NamedValue>> parameters = parse_parameters(options.parameters);
  if (!parameters.ok()) return parameters.error();
  request.parameters = *parameters;
  const Result<BlockChoice> blocks = parse_blocks(options.blocks);
  if (!blocks.ok()) return blocks.error();
  request.replay_blocks = *blocks;

  const Result<Problem> problem = make_problem(**descriptor, request.m, request.p, request.n, request.parameters, request.value_type);
  if (!problem.ok()) return problem.error();
  const Result<std::vector<Dim3>> inside = chosen_blocks((*descriptor)->plan(*problem).grid, request.replay_blocks);
  if (!inside.ok()) return inside.error();
  return request;
}

Engine engine_of(const std::string& name) {
  return name == "gpu" ? Engine::gpu : Engine::cpu;
}

}  // namespace warplens::app
