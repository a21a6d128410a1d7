// Replays a kernel of the ladder and checks what it computed.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "app/session/launch_support.h"
#include "app/session/machine.h"
#include "app/session/session.h"
#include "kernels/ptx/parser.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kSeedOfA = 1, kSeedOfB = 2;
constexpr float kPoison = std::bit_cast<float>(0x7fc0dead);  ///< What C holds until a block writes it: a NaN that no arithmetic makes

struct Inputs {
  Problem problem;
  std::vector<float> a, b;  ///< Without padding
};

// A rectangle of C.
struct Part {
  std::uint64_t row = 0, rows = 0, column = 0, columns = 0;
};

std::vector<std::byte> padded_bytes(const MatrixLayout& layout, const std::vector<float>& values) {
  std::vector<std::byte> bytes(layout.padded_rows * layout.padded_columns * sizeof(float));  // Zeros
  for (std::uint64_t row = 0; row < layout.rows; ++row) {
    std::memcpy(bytes.data() + row * layout.padded_columns * sizeof(float), values.data() + row * layout.columns, layout.columns * sizeof(float));
  }
  return bytes;
}

std::vector<std::byte> poisoned_bytes(const MatrixLayout& layout) {
  std::vector<std::byte> bytes(layout.padded_rows * layout.padded_columns * sizeof(float));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof kPoison) std::memcpy(bytes.data() + at, &kPoison, sizeof kPoison);
  return bytes;
}

Buffer matrix(const char* name, const MatrixLayout& layout) {
  return {.name = name,
          .type = ElementType::f32,
          .rows = static_cast<std::uint32_t>(layout.padded_rows),
          .columns = layout.padded_columns,
          .pitch = layout.padded_columns};
}

replay::ScalarArgument kernel_int(std::uint64_t value) {
  const auto narrow = static_cast<std::int32_t>(value);
  replay::ScalarArgument argument{std::vector<std::byte>(sizeof narrow)};
  std::memcpy(argument.bytes.data(), &narrow, sizeof narrow);
  return argument;
}

replay::Launch make_launch(const LaunchPlan& plan) {
  return {.grid = plan.grid,
          .block = plan.block,
          .dynamic_shared_bytes = plan.dynamic_shared_bytes,
          .arguments = {replay::BufferArgument{0}, replay::BufferArgument{1}, replay::BufferArgument{2}, kernel_int(plan.kernel_m()),
                        kernel_int(plan.kernel_p()), kernel_int(plan.kernel_n())}};
}

std::vector<Part> parts_of_blocks(const LaunchPlan& plan, const std::optional<std::vector<Dim3>>& blocks) {
  if (!blocks) return {{0, plan.c.padded_rows, 0, plan.c.padded_columns}};
  std::vector<Part> parts;
  for (const Dim3& block : *blocks) {
    const std::uint64_t row = (plan.output.x_along_rows ? block.x : block.y) * plan.output.rows;
    const std::uint64_t column = (plan.output.x_along_rows ? block.y : block.x) * plan.output.columns;
    parts.push_back(
        {row, std::min(plan.output.rows, plan.c.padded_rows - row), column, std::min(plan.output.columns, plan.c.padded_columns - column)});
  }
  return parts;
}

std::vector<float> columns_of(const std::vector<float>& matrix, std::uint64_t matrix_columns, std::uint64_t column, std::uint64_t columns) {
  std::vector<float> part;
  part.reserve(matrix.size() / matrix_columns * columns);
  for (std::uint64_t at = column; at < matrix.size(); at += matrix_columns) {
    part.insert(part.end(), matrix.begin() + static_cast<std::ptrdiff_t>(at), matrix.begin() + static_cast<std::ptrdiff_t>(at + columns));
  }
  return part;
}

// Whether a part of the padded C equals the reference product bit for bit, and its padding is zero.
bool part_is_right(const Inputs& inputs, const LaunchPlan& plan, const std::vector<std::byte>& c, Part part) {
  const auto [m, p, n] = std::array{inputs.problem.m, inputs.problem.p, inputs.problem.n};
  const std::uint64_t rows = std::min(part.rows, m - std::min(m, part.row)), columns = std::min(part.columns, n - std::min(n, part.column));
  const auto a_begin = inputs.a.begin() + static_cast<std::ptrdiff_t>(std::min(m, part.row) * p);
  const std::vector<float> product = reference_product({a_begin, a_begin + static_cast<std::ptrdiff_t>(rows * p)},
                                                       columns_of(inputs.b, n, std::min(n, part.column), columns), rows, p, columns);
  std::vector<float> expected(part.columns), row_of_c(part.columns);
  for (std::uint64_t row = 0; row < part.rows; ++row) {
    std::fill(expected.begin(), expected.end(), 0.0f);
    if (row < rows) std::copy_n(product.begin() + static_cast<std::ptrdiff_t>(row * columns), columns, expected.begin());
    const std::uint64_t at = ((part.row + row) * plan.c.padded_columns + part.column) * sizeof(float);
    if (std::memcmp(expected.data(), c.data() + at, part.columns * sizeof(float)) != 0) return false;
  }
  return true;
}

std::uint64_t bytes_needed(const LaunchPlan& plan) {
  std::uint64_t elements = 0;
  for (const MatrixLayout* layout : {&plan.a, &plan.b, &plan.c})
    elements += layout->rows * layout->columns + layout->padded_rows * layout->padded_columns;
  return elements * sizeof(float);
}

// The names and dimensions that the descriptor knows.
void describe_shared_arrays(const LaunchPlan& plan, std::vector<SharedArray>& arrays) {
  for (SharedArray& array : arrays) {
    array.name = source_name_of(array.name);
    for (const SharedArray& known : plan.shared_arrays) {
      if (known.name != array.name) continue;
      array.element_bytes = known.element_bytes;
      array.rows = known.rows;
      array.pitch = known.pitch;
    }
  }
}

void complete(Recording& recording, const KernelDescriptor& kernel, const LaunchPlan& plan, const Problem& problem) {
  recording.kernel = kernel.id;
  recording.engine = "cpu";
  recording.device = cpu_name();
  for (SourceFile& file : recording.files) {
    if (file.name == kernel.source_file) file.text = ladder_source(kernel.source_file);
  }
  recording.ptx = ladder_ptx(kernel.source_file);
  recording.m = problem.m;
  recording.p = problem.p;
  recording.n = problem.n;
  recording.parameters = problem.parameters;
  recording.value_type = problem.value_type;
  describe_shared_arrays(plan, recording.shared_arrays);
}

Result<Recording> replay_plan(const KernelDescriptor& kernel, const Problem& problem, const LaunchPlan& plan, const replay::Options& options) {
  const std::string ptx_name = std::filesystem::path(kernel.source_file).replace_extension(".ptx").string();
  const Result<ptx::Module> module = ptx::parse(ladder_ptx(kernel.source_file), ptx_name);
  if (!module.ok()) return module.error();
  const ptx::Function* const entry = module->find_entry(plan.entry);
  if (entry == nullptr) return Error{fmt::format("no entry {}", plan.entry), ptx_name, "The PTX and the catalogue are of different versions."};
  const Result<replay::Program> program = replay::Program::decode(*module, entry->name);
  if (!program.ok()) return program.error();

  const Inputs inputs{problem, integer_matrix(problem.m, problem.p, kSeedOfA), integer_matrix(problem.p, problem.n, kSeedOfB)};
  replay::Memory memory;
  memory.add(matrix("A", plan.a), padded_bytes(plan.a, inputs.a));
  memory.add(matrix("B", plan.b), padded_bytes(plan.b, inputs.b));
  const std::uint32_t c = memory.add(matrix("C", plan.c), poisoned_bytes(plan.c));

  Result<Recording> recording = replay::run(*program, make_launch(plan), memory, options);
  if (!recording.ok()) return recording;
  const std::vector<Part> parts = parts_of_blocks(plan, options.replay_blocks);
  recording->verified =
      std::all_of(parts.begin(), parts.end(), [&](const Part& part) { return part_is_right(inputs, plan, memory.contents(c), part); });
  complete(*recording, kernel, plan, problem);
  return recording;
}

}  // namespace

Result<const KernelDescriptor*> find_kernel(const std::string& id) {
  if (const KernelDescriptor* kernel = catalog().find(id)) return kernel;
  std::vector<std::string> ids;
  for (const KernelDescriptor& kernel : catalog().kernels()) ids.push_back(kernel.id);
  return Error{fmt::format("there is no kernel `{}`", id), "", fmt::format("The kernels: {}.", fmt::join(ids, ", "))};
}

Result<Recording> record(const RecordRequest& request, replay::Progress* progress) {
  const Result<const KernelDescriptor*> kernel = find_kernel(request.kernel);
  if (!kernel.ok()) return kernel.error();
  const Result<Problem> problem = make_problem(**kernel, request.m, request.p, request.n, request.parameters, request.value_type);
  if (!problem.ok()) return problem.error();
  const LaunchPlan plan = (*kernel)->plan(*problem);
  const Result<replay::Options> options =
      replay_options(plan.grid, request.replay_blocks, request.event_blocks, request.cc, request.threads, progress);
  if (!options.ok()) return options.error();
  if (const Result<Done> fits = check_memory(bytes_needed(plan)); !fits.ok()) return fits.error();
  try {
    return replay_plan(**kernel, *problem, plan, *options);
  } catch (const std::bad_alloc&) {
    return Error{"out of memory", "", "Choose smaller matrices, or fewer blocks to keep events of."};
  }
}

}  // namespace warplens::app
