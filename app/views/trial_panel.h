// The playground of the kernels: a kernel's parameters move the picture of one of its accesses and, where
// there is a GPU, its measured rate together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/session/kernel_trial.h"
#include "app/views/picture_view.h"
#include "app/views/view.h"

namespace warplens::app {

class TrialPanel {
 public:
  TrialPanel();
  /// With the parameters that it had when it was last chosen.
  void choose(const KernelDescriptor& kernel);
  [[nodiscard]] const KernelDescriptor& kernel() const { return *kernel_; }
  void set_rules(analysis::ComputeCapability cc) { trial_.cc = cc; }

  void draw_controls(const Look& look);
  /// The picture, and below it what was timed. Returns what the panel's header says.
  [[nodiscard]] std::string draw(const Frame& frame);
  void amend(viz::ExportRequest& request) const;

 private:
  [[nodiscard]] std::string drawn_in_words() const;
  struct Timed {
    std::int64_t value = 0;  ///< Of the parameter
    const gpu::RunResult* run = nullptr;
    bool is_drawn = false;
  };
  [[nodiscard]] std::int64_t& value(const std::string& name);
  void draw_size(const Look& look);
  void draw_parameters(const Look& look);
  void draw_accesses(const Look& look);
  void take(const Frame& frame);
  void draw_picture(const Frame& frame, ImVec2 room);
  void draw_times(const Frame& frame);
  void draw_bars(const Look& look, const std::vector<Timed>& timed) const;
  void ask_gpu(const Frame& frame);
  /// False if it is known, was asked before, or cannot be launched.
  [[nodiscard]] bool ask_gpu_for(const KernelTrial& trial, const Frame& frame);
  /// What has been timed over the values of the parameter that was moved last, the others as they are.
  [[nodiscard]] std::vector<Timed> timed_over_moved(const GpuModel& gpu) const;

  const KernelDescriptor* kernel_ = nullptr;
  KernelTrial trial_;
  std::vector<KernelTrial> earlier_;      ///< Of the kernels that were chosen before
  const ParameterInfo* moved_ = nullptr;  ///< The parameter that was changed last
  std::optional<SourceAccess> access_;    ///< nullopt: where the recording opens
  std::vector<SourceAccess> accesses_;    ///< Of what is drawn
  TrialRecorder recorder_;
  std::shared_ptr<const Loaded> drawn_;
  std::optional<Error> refusal_;
  Selection selection_;
  Hover hovered_;
  std::optional<BlockWanted> no_block_;
  bool times_ = true;               ///< Whether the GPU is asked
  std::vector<KernelTrial> asked_;  ///< Of the GPU; none twice, whatever became of it, until that is wanted
  const ParameterInfo* swept_ = nullptr;  ///< All of whose values are to be timed
  PictureView picture_;
};

}  // namespace warplens::app
