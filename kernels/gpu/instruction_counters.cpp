#include "kernels/gpu/instruction_counters.h"

#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace warplens::gpu {
namespace {

/// The value that a metric's id stands for, by device. CUPTI 13.0 runs out of memory where a device is
/// configured anew (seen on an H100), so the configuration stays as long as the process.
using ValueOf = std::map<std::uint64_t, std::uint64_t InstructionCounters::*>;
std::map<std::uint32_t, ValueOf>& configured() {
  static std::map<std::uint32_t, ValueOf> devices;
  return devices;
}

/// What is switched on for one launch, and off at the end.
class InstructionSession {
 public:
  InstructionSession(const cupti::Api& api, Bench& bench, Progress& progress)
      : api_(api), bench_(bench), progress_(progress) {}
  InstructionSession(const InstructionSession&) = delete;
  InstructionSession& operator=(const InstructionSession&) = delete;
  ~InstructionSession() {
    if (bench_.context->abandoned()) return;  // It would wait for a launch that does not end
    cupti::SassDisable disable{.context = bench_.context->handle()};
    if (enabled_) api_.sass_disable(&disable);
  }

  Result<std::vector<InstructionCounters>> count() {
    for (const auto step :
         {&InstructionSession::configure, &InstructionSession::enable, &InstructionSession::launch}) {
      if (const Result<Done> done = (this->*step)(); !done.ok()) return done.error();
    }
    return read();
  }

 private:
  [[nodiscard]] std::uint32_t device() const { return static_cast<std::uint32_t>(bench_.request.device); }
  [[nodiscard]] Result<Done> check(int result, const char* call) const {
    return result == cupti::kSuccess ? Result<Done>(Done{})
                                     : Result<Done>(cupti::error_of(api_, result, call));
  }

  /// Configures the metrics that this GPU has.
  Result<Done> configure() {
    if (const auto known = configured().find(device()); known != configured().end()) {
      value_of_ = known->second;
      return Done{};
    }
    cupti::Initialize initialize;
    if (auto done = check(api_.initialize(&initialize), "cuptiProfilerInitialize"); !done.ok()) return done;
    cupti::GetChipName chip{.device = static_cast<std::size_t>(bench_.request.device)};
    if (auto done = check(api_.chip_name(&chip), "cuptiDeviceGetChipName"); !done.ok()) return done;
    std::vector<cupti::SassMetricConfig> configs;
    for (const InstructionField& field : kInstructionFields) {
      for (const char* const metric : field.metrics) {
        if (metric == nullptr) continue;
        cupti::SassGetProperties properties{.chip = chip.chip, .name = metric, .metric = {}};
        if (auto done = check(api_.sass_properties(&properties), "cuptiSassMetricsGetProperties"); !done.ok())
          return done;
        configs.push_back({.id = properties.metric.id});
        value_of_[properties.metric.id] = field.value;
      }
    }
    cupti::SassSetConfig set{.count = configs.size(), .configs = configs.data(), .device = device()};
    set.size = offsetof(cupti::SassSetConfig, device) + sizeof(set.device);
    Result<Done> done = check(api_.sass_set_config(&set), "cuptiSassMetricsSetConfig");
    if (done.ok()) configured()[device()] = value_of_;
    return done;
  }

  Result<Done> enable() {
    cupti::SassEnable enable{.context = bench_.context->handle()};
    enable.size = offsetof(cupti::SassEnable, lazily) + sizeof(enable.lazily);
    Result<Done> done = check(api_.sass_enable(&enable), "cuptiSassMetricsEnable");
    enabled_ = done.ok();
    return done;
  }

  Result<Done> launch() {
    if (auto done = bench_.subject.upload_inputs(bench_.stream); !done.ok()) return done;
    if (auto done = bench_.subject.poison_output(bench_.stream); !done.ok()) return done;
    if (auto done = bench_.stream.wait(progress_.watch()); !done.ok()) return done;
    if (auto done = bench_.subject.launch(bench_.stream); !done.ok()) return done;
    return bench_.stream.wait(progress_.watch());
  }

  Result<std::vector<InstructionCounters>> read() {
    cupti::SassGetDataProperties properties{.context = bench_.context->handle()};
    if (auto done = check(api_.sass_data_properties(&properties), "cuptiSassMetricsGetDataProperties");
        !done.ok())
      return done.error();
    std::vector<cupti::SassValue> values(properties.records * properties.instances);
    std::vector<cupti::SassRecord> records(properties.records);
    for (std::size_t i = 0; i < records.size(); ++i) records[i].values = &values[i * properties.instances];
    cupti::SassFlushData flush{.context = bench_.context->handle(),
                               .records = records.size(),
                               .instances = properties.instances,
                               .data = records.data()};
    flush.size = offsetof(cupti::SassFlushData, instances) + sizeof(flush.instances);
    if (auto done = check(api_.sass_flush(&flush), "cuptiSassMetricsFlushData"); !done.ok())
      return done.error();

    std::map<std::uint32_t, InstructionCounters> by_offset;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto known = value_of_.find(values[i].id);
      if (known == value_of_.end()) continue;
      InstructionCounters& counted = by_offset[records[i / properties.instances].offset];
      counted.*known->second += values[i].value;
    }
    std::vector<InstructionCounters> counted;
    for (auto& [offset, counters] : by_offset) {
      counters.offset = offset;
      counted.push_back(counters);
    }
    return counted;
  }

  const cupti::Api& api_;
  Bench& bench_;
  Progress& progress_;
  ValueOf value_of_;
  bool enabled_ = false;
};

}  // namespace

Result<std::vector<InstructionCounters>> count_instructions(const cupti::Api& api, Bench& bench,
                                                            Progress& progress) {
  return InstructionSession(api, bench, progress).count();
}

}  // namespace warplens::gpu
