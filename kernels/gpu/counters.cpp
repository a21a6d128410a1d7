#include "kernels/gpu/counters.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/texts.h"
#include "kernels/gpu/bench.h"
#include "kernels/gpu/cupti.h"
#include "kernels/gpu/instruction_counters.h"

namespace warplens::gpu {
namespace {

constexpr std::size_t kMaxPasses = 64;

/// CUPTI 13.0 gives one counter's value for both where shared loads and shared stores are asked for together
/// (seen on an H100; ncu gives each its own).
std::array<std::vector<CounterField>, 2> groups() {
  std::array<std::vector<CounterField>, 2> groups;
  for (const CounterField& field : kCounterFields)
    groups[field.value == &LaunchCounters::shared_store_wavefronts ? 1 : 0].push_back(field);
  return groups;
}

/// The counters of one launch: what they need of CUPTI, and given back at the end.
class CounterSession {
 public:
  CounterSession(const cupti::Api& api, Bench& bench, Progress& progress,
                 std::span<const CounterField> wanted)
      : api_(api), bench_(bench), progress_(progress), wanted_(wanted) {}
  CounterSession(const CounterSession&) = delete;
  CounterSession& operator=(const CounterSession&) = delete;
  ~CounterSession() {
    cupti::OfProfiler disable{.profiler = profiler_};
    if (profiler_ != nullptr && !bench_.context->abandoned())
      api_.disable(&disable);  // Else it would wait for a launch that does not end
    cupti::HostDeinitialize deinitialize{.host = host_};
    if (host_ != nullptr) api_.host_deinitialize(&deinitialize);
  }

  /// Adds what it counts to `counters`.
  Result<Done> count(LaunchCounters& counters) {
    for (const auto step : {&CounterSession::open, &CounterSession::choose_metrics,
                            &CounterSession::configure, &CounterSession::make_passes}) {
      if (Result<Done> done = (this->*step)(); !done.ok()) return done;
      if (step == &CounterSession::choose_metrics && names_.empty()) return Done{};
    }
    return read_values(counters);
  }

 private:
  [[nodiscard]] Result<Done> check(int result, const char* call) const {
    return result == cupti::kSuccess ? Result<Done>(Done{})
                                     : Result<Done>(cupti::error_of(api_, result, call));
  }

  Result<Done> open() {
    cupti::Initialize initialize;
    if (auto done = check(api_.initialize(&initialize), "cuptiProfilerInitialize"); !done.ok()) return done;
    cupti::GetChipName chip{.device = static_cast<std::size_t>(bench_.request.device)};
    if (auto done = check(api_.chip_name(&chip), "cuptiDeviceGetChipName"); !done.ok()) return done;
    cupti::GetCounterAvailability availability;
    if (auto done = check(api_.counter_availability(&availability), "cuptiProfilerGetCounterAvailability");
        !done.ok())
      return done;
    availability_.resize(availability.image_bytes);
    availability.image = availability_.data();
    if (auto done = check(api_.counter_availability(&availability), "cuptiProfilerGetCounterAvailability");
        !done.ok())
      return done;
    cupti::HostInitialize host{.chip = chip.chip, .availability = availability_.data()};
    if (auto done = check(api_.host_initialize(&host), "cuptiProfilerHostInitialize"); !done.ok())
      return done;
    host_ = host.host;
    return Done{};
  }

  /// Chooses the metrics that this GPU has.
  Result<Done> choose_metrics() {
    for (const CounterField& field : wanted_) {
      const char* name = field.metric;
      cupti::ConfigAddMetrics add{.host = host_, .names = &name, .count = 1};
      if (api_.add_metrics(&add) != cupti::kSuccess) continue;
      fields_.push_back(&field);
      names_.push_back(field.metric);
    }
    return Done{};
  }

  Result<Done> configure() {
    cupti::GetConfigImageSize size{.host = host_};
    if (auto done = check(api_.config_image_size(&size), "cuptiProfilerHostGetConfigImageSize"); !done.ok())
      return done;
    config_.resize(size.bytes);
    cupti::GetConfigImage image{.host = host_, .bytes = config_.size(), .image = config_.data()};
    if (auto done = check(api_.config_image(&image), "cuptiProfilerHostGetConfigImage"); !done.ok())
      return done;

    cupti::Enable enable{.context = bench_.context->handle()};
    if (auto done = check(api_.enable(&enable), "cuptiRangeProfilerEnable"); !done.ok()) return done;
    profiler_ = enable.profiler;
    cupti::GetCounterDataSize data{.profiler = profiler_, .names = names_.data(), .count = names_.size()};
    if (auto done = check(api_.counter_data_size(&data), "cuptiRangeProfilerGetCounterDataSize"); !done.ok())
      return done;
    data_.resize(data.bytes);
    cupti::CounterDataInitialize fill{.profiler = profiler_, .bytes = data_.size(), .data = data_.data()};
    if (auto done =
            check(api_.counter_data_initialize(&fill), "cuptiRangeProfilerCounterDataImageInitialize");
        !done.ok())
      return done;
    cupti::SetConfig set{.profiler = profiler_,
                         .config_bytes = config_.size(),
                         .config = config_.data(),
                         .data_bytes = data_.size(),
                         .data = data_.data()};
    set.size = offsetof(cupti::SetConfig, target_nesting) + sizeof(set.target_nesting);
    return check(api_.set_config(&set), "cuptiRangeProfilerSetConfig");
  }

  Result<Done> make_passes() {
    const Result<DeviceBuffer> other =
        DeviceBuffer::allocate(bench_.context, 2 * std::max<std::size_t>(bench_.context->gpu().l2_bytes, 1));
    for (std::size_t pass = 0; pass < kMaxPasses; ++pass) {
      // What a launch leaves the next may read: each begins with the same.
      if (auto done = bench_.subject.upload_inputs(bench_.stream); !done.ok()) return done;
      if (auto done = bench_.subject.poison_output(bench_.stream); !done.ok()) return done;
      if (other.ok()) {  // Where there is no memory for it, less has to come from DRAM
        if (auto done = other->fill(0, bench_.stream); !done.ok()) return done;
        if (auto done = bench_.stream.wait(progress_.watch()); !done.ok()) return done;
      }
      const Result<bool> last = make_pass();
      if (!last.ok()) return last.error();
      if (*last) {
        cupti::DecodeData decode{.profiler = profiler_};
        return check(api_.decode(&decode), "cuptiRangeProfilerDecodeData");
      }
    }
    return Error{
        tr("the GPU's counters cannot be read: they take more than {n} launches", "n"_a = kMaxPasses), "",
        ""};
  }

  /// Whether it was the last.
  Result<bool> make_pass() {
    cupti::OfProfiler of{.profiler = profiler_};
    if (auto done = check(api_.start(&of), "cuptiRangeProfilerStart"); !done.ok()) return done.error();
    cupti::PushRange push{.profiler = profiler_, .name = "launch"};
    if (auto done = check(api_.push_range(&push), "cuptiRangeProfilerPushRange"); !done.ok())
      return done.error();
    if (auto done = bench_.subject.launch(bench_.stream); !done.ok()) return done.error();
    if (auto done = bench_.stream.wait(progress_.watch()); !done.ok()) return done.error();
    if (auto done = check(api_.pop_range(&of), "cuptiRangeProfilerPopRange"); !done.ok()) return done.error();
    cupti::Stop stop{.profiler = profiler_};
    stop.size = offsetof(cupti::Stop, all_submitted) + sizeof(stop.all_submitted);
    if (auto done = check(api_.stop(&stop), "cuptiRangeProfilerStop"); !done.ok()) return done.error();
    return stop.all_submitted != 0;
  }

  Result<Done> read_values(LaunchCounters& counters) {
    std::vector<double> values(names_.size());
    cupti::EvaluateToGpuValues evaluate{.host = host_,
                                        .data = data_.data(),
                                        .data_bytes = data_.size(),
                                        .names = names_.data(),
                                        .count = names_.size(),
                                        .values = values.data()};
    if (auto done = check(api_.evaluate(&evaluate), "cuptiProfilerHostEvaluateToGpuValues"); !done.ok())
      return done;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (std::isfinite(values[i]) && values[i] >= 0)
        counters.*fields_[i]->value = static_cast<std::uint64_t>(std::llround(values[i]));
    }
    return Done{};
  }

  const cupti::Api& api_;
  Bench& bench_;
  Progress& progress_;
  std::span<const CounterField> wanted_;
  cupti::HostObject* host_ = nullptr;
  cupti::RangeProfiler* profiler_ = nullptr;
  std::vector<const CounterField*> fields_;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> availability_, config_, data_;
};

}  // namespace

Result<LaunchCounters> count_launch(const RunRequest& request, Progress* progress) {
  Progress unseen;
  Progress& seen = progress == nullptr ? unseen : *progress;
  if (const Result<Problem> problem = check_request(request); !problem.ok()) return problem.error();
  const Result<cupti::Api>& api = cupti::api();
  if (!api.ok()) return api.error();
  const Result<std::unique_ptr<Bench>> prepared = Bench::prepare(request, seen);
  if (!prepared.ok()) return prepared.error();
  LaunchCounters counters;
  for (const auto& wanted : groups()) {
    if (const Result<Done> done = CounterSession(*api, **prepared, seen, wanted).count(counters); !done.ok())
      return done.error();
  }
  if (counters == LaunchCounters{}) {
    return Error{tr("this GPU has none of the counters that are asked for"), "",
                 tr("They are known from compute capability 7.5 on.")};
  }
  Result<std::vector<InstructionCounters>> instructions = count_instructions(*api, **prepared, seen);
  if (instructions.ok()) {
    counters.instructions = *std::move(instructions);
  } else {
    counters.why_no_instructions = instructions.error().message();
  }
  counters.cc_major = (*prepared)->context->gpu().cc_major;
  counters.cc_minor = (*prepared)->context->gpu().cc_minor;
  return counters;
}

}  // namespace warplens::gpu
