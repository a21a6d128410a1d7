#include "app/launch_form/argument_buffers.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/launch_form/address_spec.h"
#include "kernels/base/texts.h"

namespace warplens::app {
namespace {

constexpr std::uint64_t kAddressBytes = sizeof(std::uint64_t);

std::uint64_t pitch_of(const BufferSpec& buffer) {
  return buffer.columns == 0 ? buffer.count : buffer.pitch;
}

/// Within an array of `count` elements, the place behind the last one among them; nullopt: beyond.
std::optional<std::uint64_t> place_in(const BufferSpec& buffer, const ReadAddress& address) {
  if (address.row && (*address.row > buffer.rows || address.element.value_or(0) > pitch_of(buffer)))
    return std::nullopt;
  const std::uint64_t place = address.row.value_or(0) * pitch_of(buffer) + address.element.value_or(0);
  return place <= buffer.count ? std::optional(place) : std::nullopt;
}

}  // namespace

std::span<const PlacedSpec> addresses_in(const ArgumentSpec& argument) {
  return std::visit([](const auto& spec) { return std::span<const PlacedSpec>(spec.addresses); }, argument);
}

std::optional<ReadAddress> read_address(const AddressSpec& address,
                                        std::span<const NamedArgument> arguments) {
  std::string name = address.buffer;
  ReadAddress read{.row = address.row, .element = address.element};
  for (;;) {
    const auto found = std::ranges::find(arguments, name, &NamedArgument::name);
    if (found != arguments.end()) {
      read.argument = static_cast<std::size_t>(found - arguments.begin());
      return read;
    }
    std::optional<std::uint64_t>& first = read.row ? read.row : read.element;
    if (!first) return std::nullopt;
    name += fmt::format("[{}]", *std::exchange(first, std::nullopt));
  }
}

ArgumentBuffers::ArgumentBuffers(std::span<const NamedArgument> arguments) : arguments_(arguments) {
  for (const NamedArgument& argument : arguments) {
    Buffers& buffers = of_.emplace_back();
    const auto* const spec = std::get_if<BufferSpec>(&argument.value);
    if (spec == nullptr) continue;
    buffers.elements = buffers.passed = count_++;
    if (spec->by_rows) buffers.passed = count_++;
  }
}

Result<std::vector<PlacedAddress>> ArgumentBuffers::placed(std::span<const PlacedSpec> addresses) const {
  std::vector<PlacedAddress> all;
  for (const PlacedSpec& one : addresses) {
    const Result<PlacedAddress> address = placed(one);
    if (!address.ok()) return address.error();
    all.push_back(*address);
  }
  return all;
}

Result<PlacedAddress> ArgumentBuffers::placed(const PlacedSpec& address) const {
  const std::optional<ReadAddress> read = read_address(address.to, arguments_);
  const auto* const buffer = read ? std::get_if<BufferSpec>(&arguments_[read->argument].value) : nullptr;
  if (buffer == nullptr || buffer->texture) {
    return Error{buffer == nullptr
                     ? tr("`{text}` leads to no buffer of the launch", "text"_a = text_of(address.to))
                     : tr("`{text}` leads to a texture or surface, which has no address",
                          "text"_a = text_of(address.to)),
                 "", tr("Behind & stands the name of an argument that is a buffer: A=f32[n], p=&A[64].")};
  }
  const bool is_in_table = buffer->by_rows && !read->row;
  const BufferSpec table{.type = ElementType::u64, .count = buffer->rows, .file = {}};
  const BufferSpec& whole = is_in_table ? table : *buffer;
  const std::optional<std::uint64_t> place = place_in(whole, *read);
  if (!place) {
    const std::string& name = arguments_[read->argument].name;
    return Error{tr("`{text}` lies outside of its buffer", "text"_a = text_of(address.to)), "",
                 whole.rows > 1
                     ? tr("{buffer} has {rows} rows of {pitch} elements.", "buffer"_a = name,
                          "rows"_a = whole.rows, "pitch"_a = pitch_of(whole))
                     : tr("{buffer} has {count} elements.", "buffer"_a = name, "count"_a = whole.count)};
  }
  if (bytes_of(whole.type, *place) * 2 != bytes_of(whole.type, *place * 2)) {
    return Error{
        tr("`{text}` does not begin at a byte", "text"_a = text_of(address.to)), "",
        tr("Elements of {type} lie two a byte: give an even index.", "type"_a = name_of(whole.type))};
  }
  const Buffers& buffers = of_[read->argument];
  return PlacedAddress{.at = address.at,
                       .buffer = is_in_table ? *buffers.passed : *buffers.elements,
                       .byte_offset = bytes_of(whole.type, *place)};
}

std::vector<PlacedAddress> ArgumentBuffers::rows(std::size_t argument) const {
  const auto& buffer = std::get<BufferSpec>(arguments_[argument].value);
  const std::uint64_t row_bytes = bytes_of(buffer.type, pitch_of(buffer));
  std::vector<PlacedAddress> table;
  for (std::uint64_t row = 0; row < buffer.rows; ++row) {
    table.push_back(
        {.at = row * kAddressBytes, .buffer = *of_[argument].elements, .byte_offset = row * row_bytes});
  }
  return table;
}

}  // namespace warplens::app
