// What the packets say. The window asks; the worker answers each request by any number of `alive` and
// `progress`, and then one `result` or `error`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/messages/packet.h"
#include "kernels/base/result.h"

namespace warplens::worker {

/// Version of the messages and of what they carry. Both ends must have the same: it changes whenever any of
/// them does.
inline constexpr int kProtocolVersion = 5;

enum class MessageKind : std::uint8_t { hello, request, cancel, alive, progress, result, error };

struct Message {
  MessageKind kind = MessageKind::hello;
  std::uint64_t id = 0;  ///< Of the request that it is, or answers; 0: of none
  nlohmann::json body;
  std::vector<std::byte> bytes;
};

[[nodiscard]] Packet to_packet(Message message);
/// Any packet gives a message or an error. What the body holds is for its reader to check.
[[nodiscard]] Result<Message> to_message(Packet packet);

[[nodiscard]] nlohmann::json to_json(const Error& error);
[[nodiscard]] Error error_from(const nlohmann::json& object);

}  // namespace warplens::worker
