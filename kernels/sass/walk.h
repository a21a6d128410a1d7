// Follows values: cluster after cluster, the warps of a cluster's blocks in turns, each to where it waits for
// others. Private to kernels/sass.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/sass/warp.h"

namespace warplens::sass {

class Walk {
 public:
  Walk(const Program& program, const Launch& launch, const std::atomic<bool>* cancelled);

  void run();

  [[nodiscard]] const std::optional<Stop>& stop() const { return stop_; }
  [[nodiscard]] bool spent() const { return allowance_.spent(); }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] bool stored_unknown() const { return global_.stored_unknown(); }

 private:
  struct Block {
    Memories memories;
    std::vector<std::unique_ptr<Warp>> warps;
  };

  void run_cluster(Dim3 first);
  /// Lets warps past barriers that all have come to.
  static void release_barriers(Block& block);
  void release_cluster_barrier();

  const Launch& launch_;
  const std::atomic<bool>* cancelled_;
  Allowance allowance_;
  Tally tally_;
  Memory global_;
  std::vector<Block> cluster_;  ///< By rank
  std::optional<Stop> stop_;
};

}  // namespace warplens::sass
