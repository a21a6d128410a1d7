// The output of printf.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::replay {

/// The output of printf that is kept: the first messages, in block order.
class Messages {
 public:
  /// `block` is the linear index of message.block.
  void add(std::uint64_t block, Message message);
  void merge(Messages&& other);
  void give_to(Recording& recording);

 private:
  struct Kept {
    std::uint64_t block = 0;
    Message message;
  };
  std::vector<Kept> kept_;
  std::uint64_t bytes_ = 0, left_out_ = 0;
};

}  // namespace warplens::replay
