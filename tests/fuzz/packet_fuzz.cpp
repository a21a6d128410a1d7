// Any bytes, in pieces of any size, give messages or an error; and a message is written and read again as the
// same.
#include <algorithm>
#include <cstdint>
#include <span>

#include "app/messages/message.h"
#include "app/messages/packet.h"
#include "require.h"

namespace {

void use(warplens::worker::Packet packet) {
  auto message = warplens::worker::to_message(std::move(packet));
  if (!message) {
    require(!message.error().what.empty(), "an error says what");
    return;
  }
  static_cast<void>(warplens::worker::error_from(message->body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{1} + data[0];
  std::span<const std::byte> left{reinterpret_cast<const std::byte*>(data + 1), size - 1};
  warplens::worker::PacketDecoder decoder({.text = 1u << 16, .bytes = 1u << 16});
  while (!left.empty()) {
    const std::size_t now = std::min(piece, left.size());
    decoder.feed(left.first(now));
    left = left.subspan(now);
    while (true) {
      auto packet = decoder.next();
      if (!packet) {
        require(!packet.error().what.empty(), "an error says what");
        return 0;
      }
      if (!*packet) break;
      const auto header = warplens::worker::header_of(**packet);
      require(header.size() == warplens::worker::kHeaderBytes, "a header has its size");
      use(**std::move(packet));
    }
  }
  return 0;
}
