#include "kernels/gpu/context.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <thread>

#include "kernels/base/texts.h"

namespace warplens::gpu {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kShortestSleep{20}, kLongestSleep{1000};
constexpr std::chrono::seconds kGrace{1};  ///< How long a cancelled wait still hopes for the launch to end

bool is_cancelled(const Watch& watch) {
  return watch.cancel != nullptr && watch.cancel->load(std::memory_order_relaxed);
}

// Polls until the query says that all is done. The sleeps grow, so that short launches are noticed soon and
// long ones cost no processor.
template <class Query>
Result<Done> poll(Context& context, Query query, const char* call, const Watch& watch) {
  const DriverApi& api = context.enter();
  const Waiting waiting(watch);
  auto sleep = kShortestSleep;
  Clock::time_point give_up = Clock::time_point::max();
  for (;;) {
    const CuResult result = query(api);
    const bool stop = is_cancelled(watch);
    if (result != kCuNotReady)
      return result == kCuSuccess && stop ? Result<Done>(Error{tr("cancelled"), "", ""})
                                          : context.check(result, call);
    if (stop) {
      give_up = std::min(give_up, Clock::now() + kGrace);
      if (Clock::now() > give_up) {
        context.abandon();
        return Error{tr("cancelled"), "", tr("The kernel still runs: only the end of its process stops it.")};
      }
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(sleep * 2, kLongestSleep);
  }
}

}  // namespace

Result<ContextPointer> Context::open(int device) {
  const Result<DriverApi>& api = driver_api();
  if (!api.ok()) return api.error();
  int count = 0;
  if (const CuResult result = api->device_count(&count); result != kCuSuccess)
    return driver_error(*api, result, "cuDeviceGetCount");
  if (device < 0 || device >= count) {
    return count == 0 ? Error{tr("the driver finds no GPU"), "", tr("See what nvidia-smi says.")}
                      : Error{tr("there is no GPU {device}", "device"_a = device), "",
                              tr("The driver finds {gpus}, counted from 0.", "gpus"_a = count)};
  }
  CuDevice handle = 0;
  if (const CuResult result = api->device_get(&handle, device); result != kCuSuccess)
    return driver_error(*api, result, "cuDeviceGet");
  CuContext context = nullptr;
  if (const CuResult result = api->primary_context_retain(&context, handle); result != kCuSuccess) {
    return driver_error(*api, result, "cuDevicePrimaryCtxRetain");
  }
  return ContextPointer(new Context(*api, handle, context));
}

Context::~Context() {
  if (!abandoned()) api_.primary_context_release(device_);
}

const DriverApi& Context::enter() const {
  api_.context_set_current(context_);
  return api_;
}

Result<Done> Context::check(CuResult result, const char* call) const {
  if (result == kCuSuccess) return Done{};
  return driver_error(api_, result, call);
}

Result<Context::Memory> Context::memory() const {
  std::size_t free = 0, total = 0;
  if (auto asked = check(enter().memory_info(&free, &total), "cuMemGetInfo"); !asked.ok())
    return asked.error();
  return Memory{free, total};
}

namespace {
constexpr int kStackLimit = 0;  // CU_LIMIT_STACK_SIZE
}

Result<std::size_t> Context::stack_bytes() const {
  std::size_t bytes = 0;
  if (auto asked = check(enter().context_get_limit(&bytes, kStackLimit), "cuCtxGetLimit"); !asked.ok())
    return asked.error();
  return bytes;
}
Result<Done> Context::set_stack_bytes(std::size_t bytes) const {
  return check(enter().context_set_limit(kStackLimit, bytes), "cuCtxSetLimit");
}

Result<Stream> Stream::create(const ContextPointer& context) {
  constexpr unsigned kNonBlocking = 1;
  CuStream stream = nullptr;
  if (auto made = context->check(context->enter().stream_create(&stream, kNonBlocking), "cuStreamCreate");
      !made.ok())
    return made.error();
  return Stream({context, stream});
}

Result<Done> Stream::wait(const Watch& watch) const {
  return poll(
      *context(), [this](const DriverApi& api) { return api.stream_query(handle()); }, "cuStreamQuery",
      watch);
}

Result<Done> Stream::follow(const Event& event) const {
  return context()->check(context()->enter().stream_wait_event(handle(), event.handle(), 0),
                          "cuStreamWaitEvent");
}

Result<Event> Event::create(const ContextPointer& context) {
  CuEvent event = nullptr;
  if (auto made = context->check(context->enter().event_create(&event, 0), "cuEventCreate"); !made.ok())
    return made.error();
  return Event({context, event});
}

Result<Done> Event::record(const Stream& stream) const {
  return event_.context()->check(event_.context()->enter().event_record(event_.get(), stream.handle()),
                                 "cuEventRecord");
}

Result<Done> Event::wait(const Watch& watch) const {
  return poll(
      *event_.context(), [this](const DriverApi& api) { return api.event_query(event_.get()); },
      "cuEventQuery", watch);
}

Result<double> Event::milliseconds_since(const Event& start) const {
  float milliseconds = 0;
  const DriverApi& api = event_.context()->enter();
  const CuResult result = api.event_elapsed(&milliseconds, start.event_.get(), event_.get());
  if (auto asked = event_.context()->check(result, "cuEventElapsedTime"); !asked.ok()) return asked.error();
  return double{milliseconds};
}

Result<DeviceBuffer> DeviceBuffer::allocate(const ContextPointer& context, std::size_t bytes) {
  CuDevicePointer address = 0;
  const CuResult result = context->enter().memory_allocate(&address, std::max<std::size_t>(bytes, 1));
  if (auto made = context->check(result, "cuMemAlloc"); !made.ok()) return made.error();
  return DeviceBuffer({context, address}, bytes);
}

Result<Done> DeviceBuffer::upload(std::span<const std::byte> from, const Stream& stream,
                                  std::size_t offset) const {
  assert(offset + from.size() <= bytes_);
  const Context& context = *memory_.context();
  return context.check(
      context.enter().copy_to_device(address() + offset, from.data(), from.size(), stream.handle()),
      "cuMemcpyHtoDAsync");
}

Result<Done> DeviceBuffer::download(std::span<std::byte> to, const Stream& stream, std::size_t offset) const {
  assert(offset + to.size() <= bytes_);
  const Context& context = *memory_.context();
  return context.check(
      context.enter().copy_to_host(to.data(), address() + offset, to.size(), stream.handle()),
      "cuMemcpyDtoHAsync");
}

Result<Done> DeviceBuffer::fill(std::uint8_t value, const Stream& stream) const {
  const Context& context = *memory_.context();
  return context.check(context.enter().fill_bytes(address(), value, bytes_, stream.handle()),
                       "cuMemsetD8Async");
}

}  // namespace warplens::gpu
