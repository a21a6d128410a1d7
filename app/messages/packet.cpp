#include "app/messages/packet.h"

#include <array>
#include <cassert>
#include <cstring>

#include "kernels/base/texts.h"

namespace warplens::worker {
namespace {

constexpr std::array kMagic{std::byte{'W'}, std::byte{'L'}, std::byte{'F'}, std::byte{'1'}};

void put(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::uint64_t get(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

struct Sizes {
  std::size_t text = 0, bytes = 0;
};

Result<Sizes> sizes_in(std::span<const std::byte, kHeaderBytes> header, const PacketLimits& limits) {
  if (std::memcmp(header.data(), kMagic.data(), kMagic.size()) != 0) {
    return Error{
        tr("what was received is not a packet"), "",
        tr("Something else writes to the worker's standard output; it has to go to standard error.")};
  }
  const std::uint64_t text = get(header.subspan(4, 4)), bytes = get(header.subspan(8, 8));
  if (text > limits.text || bytes > limits.bytes) {
    return Error{
        tr("a packet of {text_size} and {size} bytes is too large", "text_size"_a = text, "size"_a = bytes),
        "",
        tr("It may have a text of {text_size} bytes and {size} bytes after it.", "text_size"_a = limits.text,
           "size"_a = limits.bytes)};
  }
  return Sizes{static_cast<std::size_t>(text), static_cast<std::size_t>(bytes)};
}

}  // namespace

std::vector<std::byte> header_of(const Packet& packet) {
  assert(packet.text.size() <= UINT32_MAX);
  std::vector<std::byte> bytes(kMagic.begin(), kMagic.end());
  put(bytes, packet.text.size(), 4);
  put(bytes, packet.bytes.size(), 8);
  return bytes;
}

void PacketDecoder::feed(std::span<const std::byte> piece) {
  if (error_) return;
  if (taken_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  buffer_.insert(buffer_.end(), piece.begin(), piece.end());
}

Result<std::optional<Packet>> PacketDecoder::next() {
  if (error_) return *error_;
  const std::span<const std::byte> left = std::span(buffer_).subspan(taken_);
  if (left.size() < kHeaderBytes) return std::optional<Packet>();
  const Result<Sizes> sizes = sizes_in(left.first<kHeaderBytes>(), limits_);
  if (!sizes.ok()) {
    error_ = sizes.error();
    buffer_.clear();
    taken_ = 0;
    return *error_;
  }
  const std::span<const std::byte> body = left.subspan(kHeaderBytes);
  if (body.size() < sizes->text || body.size() - sizes->text < sizes->bytes) return std::optional<Packet>();
  const auto text = body.first(sizes->text), bytes = body.subspan(sizes->text, sizes->bytes);
  taken_ += kHeaderBytes + sizes->text + sizes->bytes;
  return std::optional(Packet{std::string(reinterpret_cast<const char*>(text.data()), text.size()),
                              {bytes.begin(), bytes.end()}});
}

}  // namespace warplens::worker
