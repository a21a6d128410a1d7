// What a recording on the GPU takes besides its plan: room for the frames of calls, and errors of device
// calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "kernels/base/result.h"
#include "kernels/gpu/context.h"
#include "kernels/ptx/instrument/record_frame.h"

namespace warplens::gpu {

/// While it lives calls whose depth no compiler knows have room for their frames (record_frame.h), too: as
/// deep as they may nest in the plain kernel, if the memory is there.
class RoomForCalls {
 public:
  RoomForCalls(const ContextPointer& context, bool is_needed) : context_(context) {
    if (!is_needed) return;
    const Result<std::size_t> own = context_->stack_bytes();
    if (!own.ok()) return;
    own_ = *own;
    std::size_t wanted = own_ * kTimes;
    while (wanted > own_ && !context_->set_stack_bytes(wanted).ok()) wanted /= 2;
  }
  ~RoomForCalls() {
    if (own_ != 0 && !context_->abandoned()) static_cast<void>(context_->set_stack_bytes(own_));
  }
  RoomForCalls(const RoomForCalls&) = delete;
  RoomForCalls& operator=(const RoomForCalls&) = delete;

 private:
  static constexpr std::size_t kTimes = 32;
  ContextPointer context_;
  std::size_t own_ = 0;
};

/// Fails at the first step that fails: device calls in a row without a line of error handling each.
class Steps {
 public:
  bool operator()(const Result<Done>& done) {
    if (!done.ok()) error_ = done.error();
    return done.ok();
  }
  template <class T>
  bool operator()(Result<T> made, std::optional<T>& to) {
    if (made.ok()) {
      to.emplace(std::move(*made));
    } else {
      error_ = made.error();
    }
    return made.ok();
  }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace warplens::gpu
