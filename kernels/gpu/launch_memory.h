// The buffers, textures and parameters of a launch that is recorded, on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernels/gpu/context.h"
#include "kernels/gpu/module.h"
#include "kernels/gpu/recording_steps.h"
#include "kernels/gpu/texture_object.h"
#include "kernels/replay/decode/code.h"
#include "kernels/replay/replay.h"

namespace warplens::gpu {

/// What fails is in `steps`, and returns false. What it is given must live as long.
class LaunchMemory {
 public:
  LaunchMemory(const ContextPointer& context, const replay::Program::Code& code, const replay::Launch& launch,
               replay::Memory& memory, Steps& steps)
      : context_(context), code_(code), launch_(launch), memory_(memory), step_(steps) {}

  [[nodiscard]] bool allocate();
  /// Brings the memory as it is at the start to the device.
  [[nodiscard]] bool upload(const Stream& stream);
  /// The same of the module's variables.
  [[nodiscard]] bool set_variables(const Module& module, const Stream& stream);
  /// Adds the kernel's parameters: device addresses, texture objects, tensor maps as the driver encodes them.
  [[nodiscard]] bool add_parameters(Arguments& arguments);
  /// Fetches the buffers after a run; they are there when the stream has been waited for.
  [[nodiscard]] bool download(const Stream& stream);
  /// Puts what was fetched into the memory, with addresses as recordings have them.
  void take_results();

  [[nodiscard]] const std::vector<DeviceBuffer>& buffers() const { return buffers_; }
  [[nodiscard]] std::vector<std::uint64_t> bases() const;
  /// Whether all buffers lie where addresses agree in their upper 32 bits. Module variables and what is
  /// allocated in the kernel lie elsewhere.
  [[nodiscard]] bool lies_in_one_window() const;

 private:
  [[nodiscard]] std::vector<std::byte> as_on_device(std::uint32_t buffer) const;
  void replace_device_addresses(std::uint32_t buffer, std::vector<std::byte>& bytes) const;

  ContextPointer context_;
  const replay::Program::Code& code_;
  const replay::Launch& launch_;
  replay::Memory& memory_;
  Steps& step_;
  std::vector<DeviceBuffer> buffers_;
  std::map<std::size_t, TextureObject> textures_;  ///< By parameter
  std::vector<std::vector<std::byte>> results_;    ///< Of the buffers, after a run
};

}  // namespace warplens::gpu
