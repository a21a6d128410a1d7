#include "app/launch/expectation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <set>

#include "app/kernel_file/sources.h"
#include "app/launch/launch_support.h"
#include "app/launch_form/argument_buffers.h"
#include "app/launch_form/buffer_contents.h"
#include "app/launch_form/npy.h"
#include "app/launch_form/struct_fields.h"
#include "kernels/base/texts.h"
#include "kernels/compile/compile.h"
#include "kernels/compile/host_code.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

constexpr const char* kField = "expect";
constexpr const char* kEntry = "warplens_expected";
constexpr std::uint64_t kMostInstructions = std::uint64_t{1} << 30;  ///< Of a function: some seconds

Error bad(std::string what, std::string hint) {
  return {std::move(what), kField, std::move(hint)};
}

std::optional<std::size_t> place_of(std::span<const NamedArgument> arguments, std::string_view name) {
  const auto found = std::ranges::find(arguments, name, &NamedArgument::name);
  return found == arguments.end() ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(found - arguments.begin()));
}

const BufferSpec* buffer_of(const Expected& launch, std::optional<std::size_t> argument) {
  return argument ? std::get_if<BufferSpec>(&launch.arguments[*argument].value) : nullptr;
}

Result<std::vector<ExpectedBuffer>> from_file(const std::string& text, const Expected& launch) {
  const std::size_t colon = text.find(':');
  std::optional<std::size_t> argument;
  if (colon != std::string::npos) {
    argument = place_of(launch.arguments, text.substr(0, colon));
    if (buffer_of(launch, argument) == nullptr) {
      return bad(tr("`{name}` is no buffer of the launch", "name"_a = text.substr(0, colon)),
                 tr("Write BUFFER:FILE.npy, or cpu:FUNCTION."));
    }
  } else {
    const auto is_buffer = [](const NamedArgument& one) {
      return std::holds_alternative<BufferSpec>(one.value);
    };
    const auto last = std::ranges::find_if(launch.arguments.rbegin(), launch.arguments.rend(), is_buffer);
    if (last == launch.arguments.rend() || std::ranges::count_if(launch.arguments, is_buffer) > 1) {
      return bad(tr("`{text}` does not say which buffer it is for", "text"_a = text),
                 tr("Write BUFFER:FILE.npy."));
    }
    argument = static_cast<std::size_t>(launch.arguments.rend() - last) - 1;
  }
  BufferSpec buffer = *buffer_of(launch, argument);
  buffer.file = text.substr(colon == std::string::npos ? 0 : colon + 1);
  if (buffer.file.is_relative()) buffer.file = launch.file.parent_path() / buffer.file;
  if (!lies_in_any(buffer.file, launch.readable)) return outside_of_readable_folders(buffer.file);
  Result<std::vector<std::byte>> bytes = read_npy(buffer);
  if (!bytes.ok()) return bytes.error();
  return std::vector{
      ExpectedBuffer{.argument = static_cast<std::uint32_t>(*argument), .bytes = *std::move(bytes)}};
}

/// A function made ready to be run as a kernel.
struct Callable {
  replay::Launch launch;
  replay::Memory memory;
  std::set<std::uint32_t> left;     ///< Buffers of the launch that it says what they are to hold, ..
  std::set<std::uint32_t> reached;  ///< .. or may say: those that structures and tables of addresses lead to
};

Result<std::string> compiled(const compile::HostFunction& function, const Expected& launch,
                             const replay::Progress* progress) {
  const compile::Source source{.name = launch.file.filename().string(),
                               .text = compile::with_kernel_of(launch.source, function, kEntry),
                               .folder = launch.file.parent_path().empty() ? "." : launch.file.parent_path(),
                               .readable = launch.readable,
                               .instances = {},
                               .runs_host_functions = true,
                               .cancelled = progress != nullptr ? &progress->cancel : nullptr};
  static std::mutex mutex;
  static std::deque<std::pair<std::string, std::string>>
      kept;  // Source and PTX, the last ones: sizes change more often
  constexpr std::size_t kMax = 4;
  const std::lock_guard lock(mutex);
  for (const auto& [text, ptx] : kept) {
    if (text == source.text) return ptx;
  }
  const Result<compile::Compiled> made = compile::compile(source);
  if (!made.ok()) return made.error();
  if (made->ptx.empty()) {
    const Error why = compile::error_of(*made, source);
    return Error{
        tr("`{function}` cannot be run: {reason}", "function"_a = function.name, "reason"_a = why.what),
        why.where,
        tr("It is compiled for the replay, as a kernel is: what it calls must be in the file, or a device "
           "function.")};
  }
  kept.emplace_front(source.text, made->ptx);
  if (kept.size() > kMax) kept.pop_back();
  return made->ptx;
}

/// A scalar as wide as the function's parameter, from the kernel's argument or from a size.
std::optional<std::vector<std::byte>> scalar_for(const ptx::Variable& parameter, const std::string& name,
                                                 const Expected& launch) {
  if (const std::optional<std::size_t> argument = place_of(launch.arguments, name)) {
    const auto* const scalar = std::get_if<ScalarSpec>(&launch.arguments[*argument].value);
    return scalar != nullptr && scalar->bytes.size() == parameter.bytes() ? std::optional(scalar->bytes)
                                                                          : std::nullopt;
  }
  const auto value = std::ranges::find(launch.values, name, &NamedValue::name);
  if (value == launch.values.end() || ptx::is_float(parameter.type) ||
      parameter.bytes() > sizeof value->value)
    return std::nullopt;
  std::vector<std::byte> bytes(parameter.bytes());
  std::memcpy(bytes.data(), &value->value, bytes.size());
  return bytes;
}

bool points_at_const(const std::string& type) {
  return type.starts_with("const ") || type.find(" const*") != std::string::npos;
}

/// Adds a buffer, and all that addresses in it lead to.
void reach(std::uint32_t buffer, const Workload& workload, std::set<std::uint32_t>& reached) {
  if (!reached.insert(buffer).second) return;
  const auto table = workload.buffer_addresses.find(buffer);
  if (table == workload.buffer_addresses.end()) return;
  for (const PlacedAddress& address : table->second) reach(address.buffer, workload, reached);
}

Result<Callable> made_ready(const compile::HostFunction& function, const Expected& launch,
                            const ptx::Function& entry) {
  Callable callable;
  Workload workload = launch.workload;
  callable.launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 0, .arguments = {}};
  callable.memory = make_memory(workload).memory;
  const ArgumentBuffers buffers(launch.arguments);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const auto& [type, name] = function.parameters[i];
    const std::optional<std::size_t> argument = place_of(launch.arguments, name);
    const int depth = pointed_at(type).depth;
    if (buffer_of(launch, argument) != nullptr && depth > 0) {
      const std::uint32_t elements = *buffers.elements(*argument),
                          passed = depth > 1 ? *buffers.passed(*argument) : elements;
      callable.launch.arguments.emplace_back(replay::BufferArgument{.buffer = passed});
      if (workload.buffer_addresses.contains(passed)) {
        reach(passed, workload, callable.reached);
      } else if (!points_at_const(type)) {
        callable.left.insert(elements);
      }
      continue;
    }
    std::optional<std::vector<std::byte>> bytes =
        scalar_for(entry.variables[entry.parameters[i]], name, launch);
    if (!bytes) {
      return bad(tr("`{function}` takes `{type} {name}`, which the launch has not",
                    "function"_a = function.name, "type"_a = type, "name"_a = name),
                 tr("Call its parameters as the kernel's, or as sizes of the launch, and give them the same "
                    "types."));
    }
    replay::ScalarArgument scalar{.bytes = *std::move(bytes), .addresses = {}};
    const auto addresses = argument ? workload.scalar_addresses.find(static_cast<std::uint32_t>(*argument))
                                    : workload.scalar_addresses.end();
    if (addresses != workload.scalar_addresses.end()) scalar.addresses = addresses->second;
    for (const PlacedAddress& address : scalar.addresses) {
      if (depth == 1 && !points_at_const(type)) callable.left.insert(address.buffer);
      if (depth != 1) reach(address.buffer, workload, callable.reached);
    }
    callable.launch.arguments.emplace_back(std::move(scalar));
  }
  return callable;
}

Result<std::vector<ExpectedBuffer>> from_function(const std::string& name, const Expected& launch,
                                                  replay::Progress* progress) {
  const std::optional<compile::HostFunction> function = compile::find_host_function(launch.source, name);
  if (!function || function->is_template) {
    return bad(function ? tr("`{function}` is a template", "function"_a = name)
                        : tr("the source has no function `{function}`", "function"_a = name),
               tr("cpu:FUNCTION names a function that is defined in the kernel's file."));
  }
  const Result<std::string> ptx = compiled(*function, launch, progress);
  if (!ptx.ok()) return ptx.error();
  const Result<ptx::Module> module = ptx::parse(*ptx, launch.file.filename().string());
  if (!module.ok()) return module.error();
  const ptx::Function* const entry = module->find_entry(kEntry);
  if (entry == nullptr) return bad(tr("`{function}` cannot be run", "function"_a = name), "");
  Result<Callable> callable = made_ready(*function, launch, *entry);
  if (!callable.ok()) return callable.error();
  const Result<replay::Program> program = replay::Program::decode(*module, kEntry);
  if (!program.ok()) return program.error();
  replay::Options options{.threads = 1, .max_warp_instructions = kMostInstructions, .progress = progress};
  const Result<Recording> run = replay::run(*program, callable->launch, callable->memory, options);
  if (!run.ok()) {
    return bad(tr("`{function}` cannot be run: {reason}", "function"_a = name, "reason"_a = run.error().what),
               run.error().hint);
  }
  if (!run->findings.empty()) {
    return bad(
        tr("`{function}` goes wrong: {what}", "function"_a = name, "what"_a = run->findings.front().text),
        tr("Its buffers are those of the launch."));
  }
  std::vector<ExpectedBuffer> expected;
  const ArgumentBuffers buffers(launch.arguments);
  for (std::uint32_t argument = 0; argument < launch.arguments.size(); ++argument) {
    const std::optional<std::uint32_t> buffer = buffers.elements(argument);
    if (!buffer || launch.workload.buffer_addresses.contains(*buffer))
      continue;  // Addresses differ from launch to launch
    const std::vector<std::byte>& bytes = callable->memory.contents(*buffer);
    const bool is_changed = callable->reached.contains(*buffer) && bytes != launch.workload.contents[*buffer];
    if (callable->left.contains(*buffer) || is_changed)
      expected.push_back({.argument = argument, .bytes = bytes});
  }
  if (!expected.empty()) return expected;
  return bad(tr("`{function}` writes no buffer", "function"_a = name),
             tr("What is expected is what it leaves in a parameter that is a pointer to what is not const."));
}

/// Half the distance from 1 to the next value of the type; 0: an integer's.
double rounding_of(ElementType type) {
  switch (type) {
    case ElementType::f32: return 0x1p-24;
    case ElementType::f64: return 0x1p-53;
    case ElementType::f16: return 0x1p-11;
    case ElementType::bf16: return 0x1p-8;
    case ElementType::tf32: return 0x1p-11;
    case ElementType::e4m3: return 0x1p-4;
    case ElementType::e5m2: return 0x1p-3;
    default: return 0;
  }
}

}  // namespace

Result<std::vector<ExpectedBuffer>> parse_expectation(const std::string& text, const Expected& launch,
                                                      replay::Progress* progress) {
  constexpr std::string_view kFunction = "cpu:";
  const std::size_t tilde = text.rfind('~');
  const std::string source = text.substr(0, tilde);
  double tolerance = 0;
  if (tilde != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + tilde + 1, end, tolerance);
    if (error != std::errc{} || stop != end || !(tolerance >= 0 && tolerance <= 1)) {
      return bad(tr("`{text}` is no tolerance", "text"_a = text.substr(tilde + 1)),
                 tr("Write it as a part of the largest value: ~1e-4."));
    }
  }
  Result<std::vector<ExpectedBuffer>> expected =
      source.starts_with(kFunction) ? from_function(source.substr(kFunction.size()), launch, progress)
                                    : from_file(source, launch);
  if (!expected.ok()) return expected;
  for (ExpectedBuffer& buffer : *expected) buffer.tolerance = tolerance;
  return expected;
}

bool is_as_expected(const ExpectedBuffer& expected, const BufferSpec& buffer,
                    std::span<const std::byte> bytes) {
  constexpr double kRoundings = 64;
  const double rounding = rounding_of(buffer.type);
  const std::uint64_t columns = buffer.columns == 0 ? buffer.count : buffer.columns,
                      pitch = buffer.columns == 0 ? buffer.count : buffer.pitch;
  if (rounding == 0) {
    for (std::uint64_t row = 0; row < buffer.rows; ++row) {
      const std::uint64_t begin = bytes_of(buffer.type, row * pitch);
      if (std::memcmp(bytes.data() + begin, expected.bytes.data() + begin, bytes_of(buffer.type, columns)) !=
          0)
        return false;
    }
    return true;
  }
  const std::vector<double> wanted = elements_of(buffer, expected.bytes), found = elements_of(buffer, bytes);
  double largest = 0;
  bool integers = true;
  for (const double value : wanted) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    integers = integers && value == std::trunc(value);
  }
  integers = integers && largest * rounding <= 0.5;
  const double allowed = largest * (expected.tolerance > 0 ? expected.tolerance
                                    : integers             ? 0
                                                           : kRoundings * rounding);
  return std::ranges::equal(wanted, found, [allowed](double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other)) || std::abs(one - other) <= allowed;
  });
}

std::optional<bool> is_as_expected_in_part(const ExpectedBuffer& expected, const BufferSpec& buffer,
                                           std::span<const std::byte> before,
                                           std::span<const std::byte> after) {
  std::vector<std::byte> patched(expected.bytes);
  const auto each = static_cast<std::size_t>(size_of(buffer.type));
  bool has_changed = false;
  for (std::size_t at = 0; at + each <= std::min(after.size(), patched.size()); at += each) {
    if (std::memcmp(before.data() + at, after.data() + at, each) == 0) continue;
    std::memcpy(patched.data() + at, after.data() + at, each);
    has_changed = true;
  }
  return has_changed ? std::optional(is_as_expected(expected, buffer, patched)) : std::nullopt;
}

}  // namespace warplens::app
