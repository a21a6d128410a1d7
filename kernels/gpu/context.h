// A GPU's primary context, and what is released with it: memory, streams, events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/driver_api.h"

namespace warplens::gpu {

class Context;
using ContextPointer = std::shared_ptr<Context>;

/// The device's primary context. May be used from any thread, from one at a time.
class Context {
 public:
  [[nodiscard]] static Result<ContextPointer> open(int device = 0);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  /// Makes the context current on the calling thread, and returns the driver to call.
  const DriverApi& enter() const;
  /// The error of a driver's call, if it failed.
  [[nodiscard]] Result<Done> check(CuResult result, const char* call) const;
  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] CuContext handle() const { return context_; }

  struct Memory {
    std::uint64_t free = 0, total = 0;  ///< Bytes
  };
  /// Also tells whether the context still works: after a kernel's fault every call fails, in this process for
  /// good.
  [[nodiscard]] Result<Memory> memory() const;

  /// Bytes of stack that a thread has where the compiler cannot say how many it needs: functions call
  /// themselves, or by address.
  [[nodiscard]] Result<std::size_t> stack_bytes() const;
  [[nodiscard]] Result<Done> set_stack_bytes(std::size_t bytes) const;

  /// Releases nothing any more: to release would wait for a launch that does not end. Only the end of the
  /// process frees what is left.
  void abandon() { abandoned_ = true; }
  [[nodiscard]] bool abandoned() const { return abandoned_; }

 private:
  Context(const DriverApi& api, CuDevice device, CuContext context)
      : api_(api), device_(device), context_(context), gpu_(describe(api, device)) {}
  DriverApi api_;
  CuDevice device_;
  CuContext context_;
  Gpu gpu_;
  std::atomic<bool> abandoned_{false};
};

/// A handle of the driver with its one owner, which keeps the context open.
template <class Handle, CuResult (*DriverApi::*kRelease)(Handle)>
class Owned {
 public:
  Owned() = default;
  Owned(ContextPointer context, Handle handle) : context_(std::move(context)), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (context_ != nullptr && !context_->abandoned()) (context_->enter().*kRelease)(handle_);
  }

  [[nodiscard]] Handle get() const { return handle_; }
  [[nodiscard]] const ContextPointer& context() const { return context_; }

 private:
  ContextPointer context_;
  Handle handle_{};
};

/// What a wait heeds, and what it tells other threads. Either may be null.
struct Watch {
  /// Set to end the wait. A launch that has not ended a second later is left running, and its context
  /// abandoned.
  const std::atomic<bool>* cancel = nullptr;
  /// Grows when a wait begins, and when it ends: odd while one goes on.
  std::atomic<std::uint64_t>* waits = nullptr;
};

/// Tells of a wait for as long as it lives.
class Waiting {
 public:
  explicit Waiting(const Watch& watch) : waits_(watch.waits) { count(); }
  ~Waiting() { count(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void count() const {
    if (waits_ != nullptr) ++*waits_;
  }
  std::atomic<std::uint64_t>* waits_;
};

class Event;

/// Work in order. Non-blocking: it does not wait for the legacy default stream.
class Stream {
 public:
  [[nodiscard]] static Result<Stream> create(const ContextPointer& context);
  /// Waits for all that was asked of the stream, by polling. Errors: a kernel's fault, "cancelled".
  [[nodiscard]] Result<Done> wait(const Watch& watch) const;
  /// What is asked of it from now on is done after the event, which another stream records.
  [[nodiscard]] Result<Done> follow(const Event& event) const;
  [[nodiscard]] CuStream handle() const { return stream_.get(); }
  [[nodiscard]] const ContextPointer& context() const { return stream_.context(); }

 private:
  explicit Stream(Owned<CuStream, &DriverApi::stream_destroy> stream) : stream_(std::move(stream)) {}
  Owned<CuStream, &DriverApi::stream_destroy> stream_;
};

/// A point in a stream's work, with its time.
class Event {
 public:
  [[nodiscard]] static Result<Event> create(const ContextPointer& context);
  [[nodiscard]] Result<Done> record(const Stream& stream) const;
  [[nodiscard]] Result<Done> wait(const Watch& watch) const;
  /// Both have been waited for.
  [[nodiscard]] Result<double> milliseconds_since(const Event& start) const;
  [[nodiscard]] CuEvent handle() const { return event_.get(); }

 private:
  explicit Event(Owned<CuEvent, &DriverApi::event_destroy> event) : event_(std::move(event)) {}
  Owned<CuEvent, &DriverApi::event_destroy> event_;
};

/// Global memory, aligned to 256 bytes at least.
class DeviceBuffer {
 public:
  [[nodiscard]] static Result<DeviceBuffer> allocate(const ContextPointer& context, std::size_t bytes);
  [[nodiscard]] CuDevicePointer address() const { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Copies in the stream's order, from ordinary host memory, which may be changed as soon as the call
  /// returns.
  [[nodiscard]] Result<Done> upload(std::span<const std::byte> from, const Stream& stream,
                                    std::size_t offset = 0) const;
  /// Copies to ordinary host memory, which is written when the stream has been waited for. The call itself
  /// waits for what the stream does before it: wait for the stream first where that may take long.
  [[nodiscard]] Result<Done> download(std::span<std::byte> to, const Stream& stream,
                                      std::size_t offset = 0) const;
  [[nodiscard]] Result<Done> fill(std::uint8_t value, const Stream& stream) const;

 private:
  DeviceBuffer(Owned<CuDevicePointer, &DriverApi::memory_free> memory, std::size_t bytes)
      : memory_(std::move(memory)), bytes_(bytes) {}
  Owned<CuDevicePointer, &DriverApi::memory_free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace warplens::gpu
