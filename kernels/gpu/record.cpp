#include "kernels/gpu/record.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <optional>

#include "kernels/base/texts.h"
#include "kernels/gpu/launch_memory.h"
#include "kernels/gpu/matrix_pieces.h"
#include "kernels/gpu/module.h"
#include "kernels/gpu/record_plan.h"
#include "kernels/gpu/recorder_text.h"
#include "kernels/gpu/recording_steps.h"
#include "kernels/ptx/leave_out.h"
#include "kernels/recording/shape_table.h"
#include "kernels/recording/validate.h"
#include "kernels/replay/outline.h"
#include "kernels/replay/texture/textures.h"

namespace warplens::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Sizes of the recorder's tables. Regular kernels need a few slots; where a table is full, the next sizes
/// are tried.
struct TableSizes {
  std::uint32_t shapes, runs, count_copies, operands;
};
constexpr TableSizes kTableSizes[] = {
    {1u << 12, 1u << 15, 32, 1u << 16}, {1u << 17, 1u << 20, 4, 1u << 20}, {1u << 21, 1u << 24, 1, 1u << 24}};

constexpr std::uint64_t kLogBytes = std::uint64_t{256} << 20;  ///< Of the first try
constexpr std::uint64_t kLogAlignment = 16;
constexpr int kLogAttempts = 4;
constexpr std::uint64_t kMaxLogBytes = std::uint64_t{8} << 30;
/// A thread's, in the recorder's functions: what even a block of 1,024 has. A kernel has at least as many as
/// what it calls.
constexpr int kRecorderRegisters = 64;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// Returns how many registers each thread of a block of so many threads can have.
int max_registers(std::uint64_t threads) {
  constexpr std::uint64_t kRegisterFile = 65536, kMax = 255, kThreadsTogether = 128, kRegistersTogether = 8;
  const std::uint64_t all = (threads + kThreadsTogether - 1) / kThreadsTogether * kThreadsTogether;
  return static_cast<int>(std::min(kMax, kRegisterFile / all / kRegistersTogether * kRegistersTogether));
}

bool nests_unknown(const replay::Program::Code& code) {
  const auto is_recursive = [](const replay::CalledPiece& piece) { return piece.is_recursive; };
  const auto is_by_address = [](const replay::CallSite& call) {
    return !call.system && call.piece == replay::kByAddress;
  };
  return std::ranges::any_of(code.pieces, is_recursive) || std::ranges::any_of(code.calls, is_by_address);
}

/// A recording in the making.
class Session {
 public:
  Session(const ContextPointer& context, const ptx::Module& module, const replay::Program& program,
          const replay::Launch& launch, replay::Memory& memory, const replay::Options& options,
          const replay::Outline& outline, RecordTimes& times, const Recording* known)
      : context_(context),
        module_(module),
        code_(program.code()),
        launch_(launch),
        memory_(memory),
        options_(options),
        outline_(outline),
        times_(times),
        known_(known),
        recording_(replay::describe_launch(program.code(), launch, memory, outline, options)),
        device_(context, program.code(), launch, memory, step_),
        texels_(replay::texel_sites(program.code(), launch, memory.bases())) {}

  Result<Recording> run() {
    const auto started = Clock::now();
    if (!(step_(Stream::create(context_), stream_) && place_parameters() && device_.allocate() &&
          (known_ != nullptr ? take_known() : record_totals() && download_memory()) && record_events())) {
      return step_.error();
    }
    replay::drop_unexecuted(recording_, code_.generic_site);
    canonicalise(recording_);
    recording_.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    return std::move(recording_);
  }

 private:
  /// The kernel as it is, for the blocks that an instrumented one leaves to it.
  struct Rest {
    std::optional<Module> loaded;
    std::optional<Function> function;
    std::optional<Stream> stream;
  };
  /// An instrumented kernel, ready to be launched.
  struct Kernel {
    ptx::Instrumented instrumented;
    std::unique_ptr<RecordPlan> plan;
    std::optional<Module> linked;
    std::optional<Function> function;
    std::vector<DeviceBuffer> tables;  ///< That stay as they are
    std::optional<DeviceBuffer> distances, distances_known, variable_addresses;
    std::vector<std::uint32_t> blocks;  ///< That are launched, linear; if none is named, the whole grid
    std::optional<Rest> rest;           ///< Launched beside it
    Recorder recorder{};
    CuDevicePointer recorder_address = 0;
  };

  [[nodiscard]] Watch watch() const {
    return options_.progress != nullptr ? Watch{&options_.progress->cancel, &options_.progress->gpu_waits}
                                        : Watch{};
  }
  bool fail(Error error) { return step_(Result<Done>(std::move(error))); }

  /// Lays the parameters out as recordings have them.
  bool place_parameters() {
    if (auto error = replay::pass_arguments(code_, launch_, memory_.bases(), parameters_))
      return fail(std::move(*error));
    operand_accesses_.emplace(code_, parameters_, memory_, outline_.cluster, recording_.shared_base);
    return true;
  }

  bool download_memory() { return device_.download(*stream_) && step_(stream_->wait(watch())); }

  template <class T>
  bool table(Kernel& kernel, const std::vector<T>& values, const T*& address) {
    std::optional<DeviceBuffer> made;
    if (!step_(DeviceBuffer::allocate(context_, std::max<std::size_t>(values.size() * sizeof(T), 1)), made))
      return false;
    if (!step_(made->upload(bytes_of(values), *stream_))) return false;
    address = reinterpret_cast<const T*>(made->address());
    kernel.tables.push_back(std::move(*made));
    return true;
  }

  bool prepare(Kernel& kernel, ptx::RecordMode mode) {
    const auto started = Clock::now();
    const auto threads = static_cast<std::uint32_t>(launch_.block.count());
    ptx::InstrumentOptions how{.mode = mode,
                               .threads_per_block = threads,
                               .one_window = device_.lies_in_one_window(),
                               .choose_blocks = !kernel.blocks.empty()};
    how.pieces_of = pieces_of_matrix;
    for (const replay::TexelSite& site : texels_) how.texels.push_back(site.texels);
    const auto made = ptx::instrument(module_, code_.function, how, code_.called);
    if (!made.ok()) return fail(made.error());
    kernel.instrumented = *made;
    kernel.plan = std::make_unique<RecordPlan>(code_, kernel.instrumented, how, launch_.dynamic_shared_bytes);

    // What the compiler gives to functions it gives to the kernel, too. The sums of a product of a warpgroup
    // take most registers: beside calls the optimiser finds no place for all that it would keep.
    const auto is_product = [](const ptx::OperandGroup* group) { return group->is_of_warp; };
    const PtxText texts[] = {
        {.name = module_.name,
         .text = kernel.instrumented.text,
         .max_registers = code_.called.empty() ? 0 : max_registers(launch_.block.count()),
         .optimise = std::ranges::none_of(kernel.plan->operands, is_product)},
        {"recorder.ptx", *recorder_text::embedded_file("recorder.ptx"), kRecorderRegisters}};
    if (!(step_(Module::link(context_, texts), kernel.linked) &&
          find_entry(*kernel.linked, kernel.function))) {
      return false;
    }
    times_.compile_ms += std::chrono::duration<double, std::milli>(Clock::now() - started).count();
    return fill_recorder(kernel);
  }

  bool find_entry(const Module& module, std::optional<Function>& function) {
    return step_(module.function(code_.function.name), function) &&
           (outline_.cluster.count() <= kPortableClusterBlocks || step_(function->allow_large_clusters())) &&
           (launch_.dynamic_shared_bytes == 0 ||
            step_(function->allow_dynamic_shared(launch_.dynamic_shared_bytes)));
  }

  /// What the blocks with a number in Recorder::event_block do not do.
  bool prepare_rest(Kernel& kernel) {
    const auto started = Clock::now();
    const Result<std::string> text =
        ptx::leave_out_blocks(module_, code_.function, static_cast<std::uint32_t>(launch_.block.count()));
    if (!text.ok()) return fail(text.error());
    Rest& rest = kernel.rest.emplace();
    if (!(step_(Module::load(context_, *text), rest.loaded) && find_entry(*rest.loaded, rest.function) &&
          step_(Stream::create(context_), rest.stream))) {
      return false;
    }
    const auto left_out = rest.loaded->global(ptx::kLeftOut);
    if (!left_out.ok()) return fail(left_out.error());
    times_.compile_ms += std::chrono::duration<double, std::milli>(Clock::now() - started).count();
    return device_.set_variables(*rest.loaded, *stream_) &&
           set_constant(left_out->address, kernel.recorder.event_block);
  }

  bool fill_recorder(Kernel& kernel) {
    const auto global = kernel.linked->global("warplens_recorder");
    if (!global.ok()) return fail(global.error());
    kernel.recorder_address = global->address;
    Recorder& recorder = kernel.recorder;
    const RecordPlan& plan = *kernel.plan;
    std::vector<Region>& regions = kernel.plan->regions;
    const std::vector<DeviceBuffer>& buffers = device_.buffers();
    for (std::uint32_t b = 0; b < buffers.size(); ++b) {
      regions.push_back({buffers[b].address(), std::max<std::uint64_t>(memory_.buffers()[b].bytes, 1),
                         memory_.buffers()[b].base});
    }
    for (const auto& variable : code_.global.variables) {
      const auto address = kernel.linked->global(variable.name);
      if (!address.ok()) return fail(address.error());
      regions.push_back({address->address, variable.bytes, replay::kModuleBase + variable.offset});
    }
    recorder.segment_count = static_cast<std::uint32_t>(plan.segments.size());
    if (!buffers.empty()) recorder.window = buffers.front().address() >> 32 << 32;
    recorder.region_count = static_cast<std::uint32_t>(regions.size());
    recorder.shared_variables = plan.shared_variables;
    recorder.local_variables = plan.local_variables;
    recorder.called_shared_variables = plan.called_shared_variables;
    recorder.calls_base = static_cast<std::uint32_t>(code_.local.bytes);
    if (!texels_.empty() && !table(kernel, texels_, recorder.texels)) return false;
    if (!plan.functions.empty() && !table(kernel, plan.functions, recorder.functions)) return false;
    recorder.shared_address_bits = shared_address_bits(outline_.cluster.count() > 1);
    recorder.shared_base = recording_.shared_base;
    recorder.grid[0] = launch_.grid.x;
    recorder.grid[1] = launch_.grid.y;
    recorder.grid[2] = launch_.grid.z;
    if (!(table(kernel, plan.segment_infos, recorder.segments) &&
          table(kernel, plan.value_infos, recorder.values) && table(kernel, regions, recorder.regions) &&
          table(kernel, plan.variables, recorder.variables) &&
          table(kernel, plan.distance_roots, recorder.distance_roots) &&
          table(kernel, kernel.instrumented.counted, recorder.counted) &&
          table(kernel, plan.operands_infos, recorder.operands) && make_distances(kernel))) {
      return false;
    }
    return kernel.blocks.empty() || table(kernel, kernel.blocks, recorder.chosen_blocks);
  }

  bool make_distances(Kernel& kernel) {
    const RecordPlan& plan = *kernel.plan;
    if (!(step_(DeviceBuffer::allocate(context_,
                                       std::max<std::size_t>(plan.shifted.size() * sizeof(std::int64_t), 1)),
                kernel.distances) &&
          step_(DeviceBuffer::allocate(context_, plan.segments.size() * sizeof(std::uint32_t)),
                kernel.distances_known))) {
      return false;
    }
    if (!step_(DeviceBuffer::allocate(
                   context_, std::max<std::size_t>(plan.variables.size() * sizeof(std::uint32_t), 1)),
               kernel.variable_addresses)) {
      return false;
    }
    kernel.recorder.variable_addresses =
        reinterpret_cast<std::uint32_t*>(kernel.variable_addresses->address());
    kernel.recorder.distances = reinterpret_cast<std::int64_t*>(kernel.distances->address());
    kernel.recorder.distances_known = reinterpret_cast<std::uint32_t*>(kernel.distances_known->address());
    return step_(kernel.variable_addresses->fill(0xff, *stream_)) &&
           step_(kernel.distances->fill(0, *stream_)) && step_(kernel.distances_known->fill(0, *stream_));
  }
  bool read_distances(const Kernel& kernel, std::vector<std::int64_t>& distances) {
    distances.resize(kernel.plan->shifted.size());
    return distances.empty() ||
           step_(kernel.distances->download(std::as_writable_bytes(std::span(distances)), *stream_));
  }

  /// Runs the kernel once on memory as it was at the start, and waits.
  bool launch(Kernel& kernel, double& milliseconds) {
    Arguments arguments;
    if (!device_.add_parameters(arguments)) return false;
    const Dim3 grid =
        kernel.blocks.empty() ? launch_.grid : Dim3{static_cast<std::uint32_t>(kernel.blocks.size()), 1, 1};
    std::optional<Event> begin, end;
    return device_.upload(*stream_) && device_.set_variables(*kernel.linked, *stream_) &&
           (kernel.recorder_address == 0 || set_constant(kernel.recorder_address, kernel.recorder)) &&
           step_(Event::create(context_), begin) && step_(Event::create(context_), end) &&
           step_(begin->record(*stream_)) && step_(start(*kernel.function, grid, arguments)) &&
           launch_rest(kernel, *begin, arguments) && step_(end->record(*stream_)) &&
           step_(end->wait(watch())) && take_time(*end, *begin, milliseconds);
  }
  [[nodiscard]] Result<Done> start(const Function& function, Dim3 grid, const Arguments& arguments) const {
    const LaunchConfiguration configuration = configuration_of(grid);
    if (auto fits = function.check_together(configuration); !fits.ok()) return fits;
    return function.launch(configuration, *stream_, arguments);
  }
  [[nodiscard]] LaunchConfiguration configuration_of(Dim3 grid) const {
    return {grid, launch_.block, launch_.dynamic_shared_bytes, code_.waits_for_grid, outline_.cluster};
  }
  /// Launches the rest of the blocks beside the kernel's own launch. What comes after that comes after both.
  bool launch_rest(const Kernel& kernel, const Event& begin, const Arguments& arguments) {
    if (!kernel.rest) return true;
    const Rest& rest = *kernel.rest;
    std::optional<Event> ended;
    return step_(rest.stream->follow(begin)) &&
           step_(rest.function->launch(configuration_of(launch_.grid), *rest.stream, arguments)) &&
           step_(Event::create(context_), ended) && step_(ended->record(*rest.stream)) &&
           step_(stream_->follow(*ended));
  }
  bool take_time(const Event& end, const Event& begin, double& milliseconds) {
    const Result<double> time = end.milliseconds_since(begin);
    if (!time.ok()) return fail(time.error());
    milliseconds = *time;
    return true;
  }
  template <class T>
  bool set_constant(CuDevicePointer address, const T& value) {
    return step_(
        context_->check(context_->enter().copy_to_device(address, &value, sizeof value, stream_->handle()),
                        "cuMemcpyHtoDAsync"));
  }

  /// Its sites are those that were met.
  bool take_known() {
    const std::vector<Site>& sites = recording_.sites;
    recording_.totals.resize(sites.size());
    auto site = sites.begin();
    for (std::size_t s = 0; s < known_->sites.size(); ++s) {
      site = std::find(site, sites.end(), known_->sites[s]);
      if (site == sites.end())
        return fail({tr("what is known of the launch is of another kernel"), code_.function.plain_name, ""});
      recording_.totals[static_cast<std::size_t>(site - sites.begin())] = known_->totals[s];
    }
    recording_.shapes = known_->shapes;
    recording_.phases = known_->phases;
    recording_.findings = known_->findings;
    recording_.blocks_extrapolated = known_->blocks_extrapolated;
    recording_.warp_instructions = known_->warp_instructions;
    recording_.thread_instructions = known_->thread_instructions;
    recording_.tensor = known_->tensor;
    return true;
  }

  /// The kernel as it is.
  bool run_plain() {
    Kernel kernel;
    return step_(Module::load(context_, module_.text), kernel.linked) &&
           find_entry(*kernel.linked, kernel.function) && launch(kernel, times_.events_ms);
  }

  bool record_totals() {
    Kernel kernel;
    kernel.blocks.assign(outline_.blocks.begin(), outline_.blocks.end());
    if (!prepare(kernel, ptx::RecordMode::totals)) return false;
    for (const TableSizes& sizes : kTableSizes) {
      bool full = false;
      if (!count_runs(kernel, sizes, full)) return false;
      if (!full) return true;
    }
    return fail({tr("the addresses of its accesses have more than {most} shapes to count",
                    "most"_a = kTableSizes[2].shapes),
                 code_.function.plain_name,
                 tr("Record fewer blocks, or on the CPU, which costs such accesses as they come.")});
  }

  bool count_runs(Kernel& kernel, const TableSizes& sizes, bool& full) {
    std::optional<DeviceBuffer> shapes, runs, counts, executions, operands, flag;
    const std::uint32_t operand_slots = kernel.plan->operands.empty() ? 1 : sizes.operands;
    const std::uint64_t execution_count = std::uint64_t{kernel.recorder.segment_count} * sizes.count_copies;
    if (!(step_(DeviceBuffer::allocate(context_, sizes.shapes * sizeof(ShapeSlot)), shapes) &&
          step_(DeviceBuffer::allocate(context_, sizes.runs * sizeof(RunSlot)), runs) &&
          step_(DeviceBuffer::allocate(
                    context_, std::uint64_t{sizes.runs} * sizes.count_copies * sizeof(std::uint64_t)),
                counts) &&
          step_(DeviceBuffer::allocate(context_, execution_count * sizeof(Executions)), executions) &&
          step_(DeviceBuffer::allocate(context_, operand_slots * sizeof(OperandsSlot)), operands) &&
          step_(DeviceBuffer::allocate(context_, sizeof(std::uint32_t)), flag))) {
      return false;
    }
    for (auto* const buffer : {&shapes, &runs, &counts, &executions, &operands, &flag}) {
      if (!step_((*buffer)->fill(0, *stream_))) return false;
    }
    Recorder& recorder = kernel.recorder;
    recorder.shapes = reinterpret_cast<ShapeSlot*>(shapes->address());
    recorder.runs = reinterpret_cast<RunSlot*>(runs->address());
    recorder.shape_slots = sizes.shapes;
    recorder.counts = reinterpret_cast<unsigned long long*>(counts->address());
    recorder.executions = reinterpret_cast<Executions*>(executions->address());
    recorder.operand_values = reinterpret_cast<OperandsSlot*>(operands->address());
    recorder.operand_slots = operand_slots;
    recorder.count_copies = sizes.count_copies;
    recorder.run_slots = sizes.runs;
    recorder.full = reinterpret_cast<std::uint32_t*>(flag->address());
    if (!launch(kernel, times_.totals_ms)) return false;

    std::vector<std::uint32_t> was_full(1);
    std::vector<ShapeSlot> all_shapes(sizes.shapes);
    std::vector<RunSlot> all_runs(sizes.runs);
    std::vector<std::uint64_t> all_counts(std::uint64_t{sizes.runs} * sizes.count_copies);
    std::vector<Executions> all_executions(execution_count);
    std::vector<OperandsSlot> all_operands(operand_slots);
    std::vector<std::int64_t> distances;
    if (!(step_(flag->download(std::as_writable_bytes(std::span(was_full)), *stream_)) &&
          step_(stream_->wait(watch()))))
      return false;
    full = (was_full[0] & kNoRoom) != 0;
    if (full) return true;
    if ((was_full[0] & kInTurn) != 0) {
      return fail({tr("lanes of a warp diverge and execute loops in turn: its phases depend on which of them "
                      "run first"),
                   code_.function.plain_name, tr("Record it on the CPU, where that is the same each time.")});
    }
    if (!(step_(shapes->download(std::as_writable_bytes(std::span(all_shapes)), *stream_)) &&
          step_(runs->download(std::as_writable_bytes(std::span(all_runs)), *stream_)) &&
          step_(counts->download(std::as_writable_bytes(std::span(all_counts)), *stream_)) &&
          step_(executions->download(std::as_writable_bytes(std::span(all_executions)), *stream_)) &&
          step_(operands->download(std::as_writable_bytes(std::span(all_operands)), *stream_)) &&
          read_distances(kernel, distances) && step_(stream_->wait(watch())))) {
      return false;
    }
    return step_(add_totals(*kernel.plan, code_, options_, *operand_accesses_,
                            {all_shapes, all_runs, all_counts, all_executions, distances, all_operands},
                            recording_));
  }

  /// Whether blocks without events are run by the kernel as it is. Those with events start first, and must
  /// leave room, since any of them may wait for what another block does; and the driver must run launches
  /// side by side. Module variables would not be the same ones.
  [[nodiscard]] bool runs_rest_apart() const {
    const std::size_t chosen = outline_.event_blocks.size();
    return !options_.replay_blocks && !code_.waits_for_grid && outline_.cluster.count() == 1 &&
           chosen < launch_.grid.count() &&
           chosen < static_cast<std::size_t>(context_->gpu().multiprocessors) &&
           code_.global.variables.empty() && std::getenv("CUDA_LAUNCH_BLOCKING") == nullptr;
  }

  bool record_events() {
    if (outline_.event_blocks.empty()) {
      if (known_ != nullptr && !run_plain()) return false;
    } else {
      Kernel kernel;
      const bool rest_apart = runs_rest_apart();
      const std::vector<std::uint64_t>& launched =
          rest_apart ? outline_.event_blocks : outline_.blocks;  // The latter: none, if none are chosen
      kernel.blocks.assign(launched.begin(), launched.end());
      if (!prepare(kernel, ptx::RecordMode::events)) return false;
      std::vector<std::uint32_t> numbers(launch_.grid.count());
      for (std::uint32_t b = 0; b < outline_.event_blocks.size(); ++b)
        numbers[outline_.event_blocks[b]] = b + 1;
      if (!table(kernel, numbers, kernel.recorder.event_block)) return false;
      if (rest_apart && !prepare_rest(kernel)) return false;
      const std::uint64_t warps = outline_.event_blocks.size() * outline_.warps;
      const std::uint64_t each =
          std::max<std::uint64_t>(kLogBytes / warps / kLogAlignment * kLogAlignment, 4096);
      std::vector<std::uint64_t> bytes(warps, each);
      bool complete = false;
      for (int attempt = 0; attempt < kLogAttempts && !complete; ++attempt) {
        if (!write_log(kernel, bytes, complete))
          return false;  // If not complete, `bytes` is now what there was to write, and some more
      }
      if (!complete) {
        return fail({tr("the accesses of the chosen blocks were more in each of {launches} launches than in "
                        "the one before",
                        "launches"_a = kLogAttempts),
                     code_.function.plain_name,
                     tr("What its blocks do depends on timing: record it on the CPU.")});
      }
    }
    if (known_ != nullptr && !download_memory()) return false;
    device_.take_results();
    return true;
  }

  /// One run with so many bytes of log for each warp. Where they are too few, `bytes` says afterwards how
  /// many it takes.
  bool write_log(Kernel& kernel, std::vector<std::uint64_t>& bytes, bool& complete) {
    std::vector<std::uint64_t> begin(1);
    for (const std::uint64_t of_warp : bytes) begin.push_back(begin.back() + of_warp);
    if (begin.back() > kMaxLogBytes) {
      return fail({tr("the accesses of the chosen blocks take {size:.1f} GiB to write down",
                      "size"_a = static_cast<double>(begin.back()) / 0x1p30),
                   code_.function.plain_name, tr("Choose fewer blocks to record.")});
    }
    std::optional<DeviceBuffer> log, begins, used;
    if (!(step_(DeviceBuffer::allocate(context_, std::max<std::uint64_t>(begin.back(), 1)), log) &&
          step_(DeviceBuffer::allocate(context_, begin.size() * sizeof begin[0]), begins) &&
          step_(DeviceBuffer::allocate(context_, bytes.size() * sizeof bytes[0]), used) &&
          step_(begins->upload(bytes_of(begin), *stream_)) && step_(used->fill(0, *stream_)) &&
          step_(log->fill(0, *stream_)))) {  // Lanes that are elsewhere write nothing
      return false;
    }
    kernel.recorder.log = reinterpret_cast<unsigned char*>(log->address());
    kernel.recorder.log_begin = reinterpret_cast<const unsigned long long*>(begins->address());
    kernel.recorder.log_used = reinterpret_cast<unsigned long long*>(used->address());
    if (!launch(kernel, times_.events_ms)) return false;

    std::vector<std::uint64_t> wanted(bytes.size());
    if (!(step_(used->download(std::as_writable_bytes(std::span(wanted)), *stream_)) &&
          step_(stream_->wait(watch()))))
      return false;
    complete = std::equal(wanted.begin(), wanted.end(), bytes.begin(),
                          [](std::uint64_t want, std::uint64_t have) { return want <= have; });
    if (!complete) {
      for (std::size_t w = 0; w < bytes.size(); ++w)
        bytes[w] = std::max(bytes[w], wanted[w] + wanted[w] / 4 / kLogAlignment * kLogAlignment);
      return true;
    }
    return read_log(kernel, *log, begin, wanted);
  }

  /// What was written, warp by warp: the rest of the log was never touched.
  bool read_log(const Kernel& kernel, const DeviceBuffer& log, const std::vector<std::uint64_t>& begin,
                const std::vector<std::uint64_t>& used) {
    std::vector<std::uint64_t> packed(1);
    for (const std::uint64_t bytes : used) packed.push_back(packed.back() + bytes);
    std::vector<std::byte> written(packed.back());
    for (std::size_t w = 0; w < used.size(); ++w) {
      if (used[w] != 0 &&
          !step_(log.download(std::span(written).subspan(packed[w], used[w]), *stream_, begin[w])))
        return false;
    }
    packed.pop_back();
    std::vector<std::int64_t> distances;
    std::vector<std::uint32_t> addresses(kernel.plan->variables.size());
    return read_distances(kernel, distances) &&
           (addresses.empty() || step_(kernel.variable_addresses->download(
                                     std::as_writable_bytes(std::span(addresses)), *stream_))) &&
           step_(stream_->wait(watch())) &&
           step_(add_events(*kernel.plan, code_, options_, *operand_accesses_,
                            {written, packed, used, distances, addresses}, recording_));
  }

  ContextPointer context_;
  const ptx::Module& module_;
  const replay::Program::Code& code_;
  const replay::Launch& launch_;
  replay::Memory& memory_;
  const replay::Options& options_;
  const replay::Outline& outline_;
  RecordTimes& times_;
  const Recording* known_;  ///< See `record`; null: nothing is
  Recording recording_;
  Steps step_;
  LaunchMemory device_;
  std::vector<std::byte> parameters_;  ///< As recordings have them
  std::optional<OperandAccesses> operand_accesses_;
  std::optional<Stream> stream_;
  std::vector<replay::TexelSite> texels_;
};

std::optional<Error> first_unsupported(const replay::Program& program) {
  if (program.unsupported().empty()) return std::nullopt;
  const replay::Unsupported& first = program.unsupported().front();
  return Error{tr("`{instruction}` cannot be recorded: {reason}", "instruction"_a = first.text,
                  "reason"_a = first.reason),
               tr("PTX line {line}", "line"_a = first.ptx_line),
               tr("Run `warplens check` to see everything in the kernel that cannot be.")};
}

}  // namespace

Result<Recording> record(const ContextPointer& context, const ptx::Module& module,
                         const replay::Program& program, const replay::Launch& launch, replay::Memory& memory,
                         const replay::Options& options, RecordTimes* times, const Recording* known) {
  if (auto error = first_unsupported(program)) return std::move(*error);
  if (program.code().waits_for_grid && options.replay_blocks) {
    return Error{tr("blocks that wait for the whole grid cannot be run without the rest of it on a GPU"),
                 program.code().function.plain_name,
                 tr("Record all of them, or on the CPU, where the others are taken to have come.")};
  }
  const Result<replay::Outline> outline = replay::outline(program.code(), launch, options);
  if (!outline.ok()) return outline.error();
  if (outline->cluster.count() > 1 && (options.replay_blocks || !program.code().cluster_handlers.empty())) {
    return Error{options.replay_blocks
                     ? tr("blocks of a cluster cannot be run one by one on a GPU")
                     : tr("accesses to another block's shared memory cannot be recorded on the GPU"),
                 program.code().function.plain_name, tr("Record on the CPU.")};
  }
  if (auto error = replay::check_textures(program.code(), launch)) return std::move(*error);
  RecordTimes own;
  const RoomForCalls room(context, nests_unknown(program.code()));
  try {
    return Session(context, module, program, launch, memory, options, *outline,
                   times != nullptr ? *times : own, known)
        .run();
  } catch (const std::bad_alloc&) {
    return Error{tr("not enough memory for the recording"), "",
                 tr("Record fewer blocks, or events of fewer.")};
  }
}

}  // namespace warplens::gpu
