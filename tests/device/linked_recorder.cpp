#include "device/linked_recorder.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "device/problems.h"
#include "kernels/catalog/catalog.h"
#include "kernels/gpu/matrix_pieces.h"
#include "kernels/gpu/record_plan.h"
#include "kernels/gpu/recorder_text.h"
#include "kernels/ptx/parser.h"
#include "kernels/recording/shape_table.h"
#include "kernels/replay/outline.h"
#include "kernels/replay/texture/textures.h"

namespace warplens::gpu {
namespace {

/// The functions that instrumented code calls.
const ptx::Module& recorder_functions() {
  static const ptx::Module kRecorder =
      *ptx::parse(*recorder_text::embedded_file("recorder.ptx"), "recorder.ptx");
  return kRecorder;
}

/// The replay's memory has room for the tables too: their bytes, and where they lie.
class Tables {
 public:
  explicit Tables(replay::Memory of_kernel) : memory(std::move(of_kernel)) {}

  template <class T>
  T* add(std::size_t count) {
    return reinterpret_cast<T*>(address(std::vector<std::byte>(std::max<std::size_t>(count, 1) * sizeof(T))));
  }
  /// Of zeros, which take memory only where they are touched.
  unsigned char* reserve(std::uint64_t bytes) {
    return reinterpret_cast<unsigned char*>(memory.buffers()[memory.reserve(described(bytes))].base);
  }
  template <class T>
  const T* add(const std::vector<T>& values) {
    std::vector<std::byte> bytes(std::max<std::size_t>(values.size(), 1) * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
    return reinterpret_cast<const T*>(address(std::move(bytes)));
  }
  /// What is there after the run.
  template <class T>
  std::vector<T> read(const T* at) {
    const std::span<const std::byte> bytes = bytes_at(at);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  std::span<const std::byte> bytes_at(const void* at) {
    for (std::uint32_t b = 0; b < memory.buffers().size(); ++b) {
      if (memory.buffers()[b].base == reinterpret_cast<std::uint64_t>(at)) return memory.bytes(b);
    }
    return {};
  }

  replay::Memory memory;

 private:
  std::uint64_t address(std::vector<std::byte> contents) {
    const Buffer description = described(contents.size());
    return memory.buffers()[memory.add(description, std::move(contents))].base;
  }
  static Buffer described(std::uint64_t bytes) {
    Buffer description;
    description.name = "table";
    description.type = ElementType::u8;
    description.columns = description.pitch = description.bytes = bytes;
    return description;
  }
};

std::vector<std::byte> parameters_of(const replay::Program::Code& code, const replay::Launch& launch,
                                     const replay::Memory& memory) {
  std::vector<std::byte> parameters;
  static_cast<void>(replay::pass_arguments(code, launch, memory.bases(), parameters));
  return parameters;
}

class Session {
 public:
  Session(const ptx::Module& module, const replay::Program& program, const replay::Launch& launch,
          const replay::Memory& memory, const replay::Options& options, const replay::Outline& outline,
          bool one_window)
      : module_(module),
        code_(program.code()),
        launch_(launch),
        memory_(memory),
        options_(options),
        outline_(outline),
        one_window_(one_window),
        recording_(replay::describe_launch(program.code(), launch, memory, outline, options)),
        parameters_(parameters_of(program.code(), launch, memory)),
        operand_accesses_(code_, parameters_, memory, outline.cluster, options.shared_base) {}

  [[nodiscard]] const RecordCosts& costs() const { return costs_; }
  Result<Recording> run() {
    if (auto error = record_totals()) return *error;
    if (auto error = record_events()) return *error;
    replay::drop_unexecuted(recording_, code_.generic_site);
    canonicalise(recording_);
    return std::move(recording_);
  }

 private:
  static constexpr std::uint32_t kShapes = 1u << 12, kRuns = 1u << 14, kOperands = 1u << 14;

  struct Kernel {
    ptx::InstrumentOptions how;
    ptx::Instrumented instrumented;
    replay::Program program;  ///< Of the instrumented code, with the recorder's functions
    std::unique_ptr<RecordPlan> plan;
    Recorder recorder{};
  };

  Result<Kernel> prepare(ptx::RecordMode mode, Tables& tables) {
    Kernel kernel;
    kernel.how = {.mode = mode,
                  .threads_per_block = static_cast<std::uint32_t>(launch_.block.count()),
                  .one_window = one_window_,
                  .choose_blocks = options_.replay_blocks.has_value()};
    const std::vector<replay::TexelSite> texels = replay::texel_sites(code_, launch_, memory_.bases());
    kernel.how.pieces_of = pieces_of_matrix;
    for (const replay::TexelSite& site : texels) kernel.how.texels.push_back(site.texels);
    kernel.instrumented = *ptx::instrument(module_, code_.function, kernel.how, code_.called);
    Result<ptx::Module> module = ptx::parse(kernel.instrumented.text, "instrumented.ptx");
    if (!module.ok()) return module.error();
    std::ranges::copy(recorder_functions().functions, std::back_inserter(module->functions));
    Result<replay::Program> program = replay::Program::decode(*module, code_.function.name);
    if (!program.ok()) return program.error();
    kernel.program = *std::move(program);
    Recorder& recorder = kernel.recorder;
    kernel.plan =
        std::make_unique<RecordPlan>(code_, kernel.instrumented, kernel.how, launch_.dynamic_shared_bytes);
    recorder.shared_variables = kernel.plan->shared_variables;
    recorder.local_variables = kernel.plan->local_variables;
    recorder.called_shared_variables = kernel.plan->called_shared_variables;
    recorder.calls_base = static_cast<std::uint32_t>(code_.local.bytes);
    if (!kernel.plan->functions.empty()) recorder.functions = tables.add(kernel.plan->functions);
    for (const Buffer& buffer : memory_.buffers())
      kernel.plan->regions.push_back({buffer.base, std::max<std::uint64_t>(buffer.bytes, 1), buffer.base});
    add_module_variables(kernel);
    recorder.texels = tables.add(texels);
    recorder.segments = tables.add(kernel.plan->segment_infos);
    recorder.values = tables.add(kernel.plan->value_infos);
    recorder.regions = tables.add(kernel.plan->regions);
    recorder.region_count = static_cast<std::uint32_t>(kernel.plan->regions.size());
    recorder.variables = tables.add(kernel.plan->variables);
    recorder.distance_roots = tables.add(kernel.plan->distance_roots);
    recorder.counted = tables.add(kernel.instrumented.counted);
    recorder.operands = tables.add(kernel.plan->operands_infos);
    recorder.distances = tables.add<std::int64_t>(kernel.plan->shifted.size());
    recorder.distances_known = tables.add<std::uint32_t>(kernel.plan->segments.size());
    recorder.variable_addresses = const_cast<std::uint32_t*>(
        tables.add(std::vector<std::uint32_t>(kernel.plan->variables.size(), kNoAddress)));
    recorder.segment_count = static_cast<std::uint32_t>(kernel.plan->segments.size());
    recorder.shared_address_bits = shared_address_bits(false);  // The replay has others
    recorder.shared_base = recording_.shared_base;
    recorder.grid[0] = launch_.grid.x;
    recorder.grid[1] = launch_.grid.y;
    recorder.grid[2] = launch_.grid.z;
    if (options_.replay_blocks)
      recorder.chosen_blocks =
          tables.add(std::vector<std::uint32_t>(outline_.blocks.begin(), outline_.blocks.end()));
    return kernel;
  }

  /// The instrumented module may have others before them.
  void add_module_variables(const Kernel& kernel) const {
    for (const auto& variable : code_.global.variables) {
      const auto& placed = kernel.program.code().global.variables;
      const auto there = std::find_if(placed.begin(), placed.end(),
                                      [&](const auto& other) { return other.name == variable.name; });
      if (there == placed.end()) continue;
      kernel.plan->regions.push_back(
          {replay::kModuleBase + there->offset, variable.bytes, replay::kModuleBase + variable.offset});
    }
  }

  std::optional<Error> launch(const Kernel& kernel, Tables& tables, std::uint64_t& instructions) {
    replay::Launch launch = launch_;
    const auto constants = std::as_bytes(std::span(&kernel.recorder, 1));
    launch.variables.push_back({"warplens_recorder", {constants.begin(), constants.end()}});
    if (options_.replay_blocks) launch.grid = {static_cast<std::uint32_t>(outline_.blocks.size()), 1, 1};
    replay::Options options{.shared_base = options_.shared_base, .threads = 1};
    // Loops that poll mbarriers count once they are instrumented, so that no poll ends a turn.
    if (polls_mbarriers(module_.text)) options.turn = 1u << 9;
    const Result<Recording> recording = replay::run(kernel.program, launch, tables.memory, options);
    if (!recording.ok()) return recording.error();
    for (const Finding& finding : recording->findings) {
      const bool is_the_kernels = finding.text.ends_with(
          "which are the system's on compute capability 8.0 and later");  // It goes on with it
      // Warps read slots of the tables that others may be filling, and compare all of what they read; votes
      // name lanes that have exited when the hardware waits for them.
      const bool reads_slot =
          finding.kind == FindingKind::block_race ||
          (finding.kind == FindingKind::race && finding.access && finding.access->space == Space::global);
      const bool is_by_design = reads_slot || finding.kind == FindingKind::absent_lanes;
      if (!is_the_kernels && !is_by_design) return Error{finding.text, "the recorder", ""};
    }
    instructions = recording->warp_instructions;
    return std::nullopt;
  }

  std::optional<Error> record_totals() {
    Tables tables(memory_);
    Result<Kernel> prepared = prepare(ptx::RecordMode::totals, tables);
    if (!prepared.ok()) return prepared.error();
    Kernel& kernel = *prepared;
    Recorder& recorder = kernel.recorder;
    recorder.shapes = tables.add<ShapeSlot>(kShapes);
    recorder.runs = tables.add<RunSlot>(kRuns);
    recorder.counts = tables.add<unsigned long long>(kRuns);
    recorder.executions = tables.add<Executions>(recorder.segment_count);
    recorder.shape_slots = kShapes;
    recorder.run_slots = kRuns;
    recorder.operand_values = tables.add<OperandsSlot>(kOperands);
    recorder.operand_slots = kOperands;
    recorder.count_copies = 1;
    recorder.full = tables.add<std::uint32_t>(1);
    if (auto error = launch(kernel, tables, costs_.totals)) return error;
    const std::uint32_t trouble = tables.read(recorder.full).front();
    if (trouble != 0)
      return Error{trouble == kInTurn ? "phases depend on turns" : "the tables are full", "", ""};
    const auto counts = tables.read(reinterpret_cast<const std::uint64_t*>(recorder.counts));
    const auto executions = tables.read(recorder.executions);
    const Result<Done> added =
        add_totals(*kernel.plan, code_, options_, operand_accesses_,
                   {tables.read(recorder.shapes), tables.read(recorder.runs), counts, executions,
                    tables.read(recorder.distances), tables.read(recorder.operand_values)},
                   recording_);
    return added.ok() ? std::nullopt : std::optional(added.error());
  }

  std::optional<Error> record_events() {
    if (outline_.event_blocks.empty()) return std::nullopt;
    constexpr std::uint64_t kBytesPerWarp = std::uint64_t{1} << 22;
    Tables tables(memory_);
    Result<Kernel> prepared = prepare(ptx::RecordMode::events, tables);
    if (!prepared.ok()) return prepared.error();
    Kernel& kernel = *prepared;
    std::vector<std::uint32_t> numbers(launch_.grid.count());
    for (std::uint32_t b = 0; b < outline_.event_blocks.size(); ++b)
      numbers[outline_.event_blocks[b]] = b + 1;
    kernel.recorder.event_block = tables.add(numbers);
    std::vector<unsigned long long> begin;
    for (std::uint64_t w = 0; w <= outline_.event_blocks.size() * outline_.warps; ++w)
      begin.push_back(w * kBytesPerWarp);
    kernel.recorder.log = tables.reserve(begin.back());
    kernel.recorder.log_begin = tables.add(begin);
    kernel.recorder.log_used = tables.add<unsigned long long>(begin.size() - 1);
    if (auto error = launch(kernel, tables, costs_.events)) return error;
    const auto used = tables.read(reinterpret_cast<const std::uint64_t*>(kernel.recorder.log_used));
    for (const std::uint64_t bytes : used) {
      if (bytes > kBytesPerWarp) return Error{"the log is full", "", ""};
    }
    begin.pop_back();
    const std::vector<std::int64_t> distances = tables.read(kernel.recorder.distances);
    const std::vector<std::uint32_t> addresses = tables.read(kernel.recorder.variable_addresses);
    const Result<Done> added =
        add_events(*kernel.plan, code_, options_, operand_accesses_,
                   {tables.bytes_at(kernel.recorder.log),
                    std::vector<std::uint64_t>(begin.begin(), begin.end()), used, distances, addresses},
                   recording_);
    return added.ok() ? std::nullopt : std::optional(added.error());
  }

  const ptx::Module& module_;
  const replay::Program::Code& code_;
  const replay::Launch& launch_;
  const replay::Memory& memory_;
  const replay::Options& options_;
  const replay::Outline& outline_;
  const bool one_window_;
  Recording recording_;
  std::vector<std::byte> parameters_;
  OperandAccesses operand_accesses_;
  RecordCosts costs_;
};

}  // namespace

Result<Recording> record_in_replay(const ptx::Module& module, const replay::Program& program,
                                   const replay::Launch& launch, const replay::Memory& memory,
                                   const replay::Options& options, bool one_window, RecordCosts* costs) {
  const Result<replay::Outline> outline = replay::outline(program.code(), launch, options);
  if (!outline.ok()) return outline.error();
  Session session(module, program, launch, memory, options, *outline, one_window);
  Result<Recording> recording = session.run();
  if (costs != nullptr) *costs = session.costs();
  return recording;
}

}  // namespace warplens::gpu
