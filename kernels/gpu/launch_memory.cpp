#include "kernels/gpu/launch_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/gpu/tensor_map.h"
#include "kernels/replay/outline.h"

namespace warplens::gpu {

bool LaunchMemory::allocate() {
  for (const Buffer& buffer : memory_.buffers()) {
    std::optional<DeviceBuffer> made;
    if (!step_(DeviceBuffer::allocate(context_, std::max<std::uint64_t>(buffer.bytes, 1)), made))
      return false;
    buffers_.push_back(std::move(*made));
  }
  for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
    const auto* const argument = std::get_if<replay::TextureArgument>(&launch_.arguments[k]);
    if (argument == nullptr) continue;
    std::optional<TextureObject> made;
    if (!step_(TextureObject::create(context_, argument->texture, buffers_[argument->buffer].address()),
               made))
      return false;
    textures_.emplace(k, std::move(*made));
  }
  return true;
}

/// Returns what a buffer holds at the start, with the addresses that are there.
std::vector<std::byte> LaunchMemory::as_on_device(std::uint32_t buffer) const {
  std::vector<std::byte> bytes = memory_.contents(buffer);
  put_addresses(bytes, memory_.addresses(buffer), bases());
  return bytes;
}

bool LaunchMemory::upload(const Stream& stream) {
  for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
    if (memory_.addresses(b).empty()) {
      if (!step_(buffers_[b].upload(memory_.contents(b), stream))) return false;
      continue;
    }
    std::vector<std::byte> contents = as_on_device(b);
    if (!(step_(encode_for_device(context_, contents)) && step_(buffers_[b].upload(contents, stream))))
      return false;
  }
  return std::ranges::all_of(textures_,
                             [&](const auto& texture) { return step_(texture.second.load(stream)); });
}

bool LaunchMemory::set_variables(const Module& module, const Stream& stream) {
  return std::ranges::all_of(launch_.variables, [&](VariableContents variable) {
    put_addresses(variable.bytes, variable.addresses, bases());
    return step_(module.set_global(variable, stream));
  });
}

bool LaunchMemory::add_parameters(Arguments& arguments) {
  std::vector<std::byte> parameters;
  if (auto error = replay::pass_arguments(code_, launch_, bases(), parameters))
    return step_(Result<Done>(std::move(*error)));
  for (const auto& [parameter, texture] : textures_) {
    const std::uint64_t handle = texture.handle();
    std::memcpy(&parameters[code_.parameter_offsets[parameter]], &handle, sizeof handle);
  }
  for (std::size_t k = 0; k < code_.parameters.size(); ++k) {
    const std::span<std::byte> bytes =
        std::span(parameters).subspan(code_.parameter_offsets[k], code_.parameters[k].bytes());
    if (!step_(encode_for_device(context_, bytes))) return false;
    arguments.add_bytes(bytes);
  }
  return true;
}

bool LaunchMemory::download(const Stream& stream) {
  for (const auto& [parameter, texture] : textures_) {
    if (!step_(texture.store(stream))) return false;
  }
  results_.resize(buffers_.size());
  for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
    results_[b].resize(memory_.contents(b).size());
    if (!step_(buffers_[b].download(results_[b], stream))) return false;
  }
  return true;
}

void LaunchMemory::take_results() {
  for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
    if (is_tensor_map(memory_.contents(b))) continue;  // As the driver encodes it, on the device alone
    replace_device_addresses(b, results_[b]);
    memory_.contents(b) = std::move(results_[b]);
  }
}

/// Replaces device addresses that a buffer holds after the run by those of the memory's buffers. Values that
/// are no address of a buffer stay as they are.
void LaunchMemory::replace_device_addresses(std::uint32_t buffer, std::vector<std::byte>& bytes) const {
  for (const PlacedAddress& place : memory_.addresses(buffer)) {
    std::uint64_t address = 0;
    std::memcpy(&address, &bytes[place.at], sizeof address);
    for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
      const std::uint64_t distance = address - buffers_[b].address();
      if (distance > memory_.buffers()[b].bytes) continue;  // One may point behind the last byte
      const std::uint64_t recorded = memory_.buffers()[b].base + distance;
      std::memcpy(&bytes[place.at], &recorded, sizeof recorded);
      if (distance < memory_.buffers()[b].bytes) break;
    }
  }
}

std::vector<std::uint64_t> LaunchMemory::bases() const {
  std::vector<std::uint64_t> bases;
  for (const DeviceBuffer& buffer : buffers_) bases.push_back(buffer.address());
  return bases;
}

bool LaunchMemory::lies_in_one_window() const {
  constexpr int kHalf = 32;
  return code_.global.variables.empty() && !code_.allocates && !buffers_.empty() &&
         std::all_of(buffers_.begin(), buffers_.end(), [&](const DeviceBuffer& buffer) {
           return buffer.address() >> kHalf == buffers_.front().address() >> kHalf &&
                  (buffer.address() + buffer.bytes()) >> kHalf == buffers_.front().address() >> kHalf;
         });
}

}  // namespace warplens::gpu
