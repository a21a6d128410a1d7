#include "app/messages/message.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/base/text.h"
#include "kernels/base/texts.h"

namespace warplens::worker {
namespace {

using nlohmann::json;

// By MessageKind.
constexpr std::array<std::string_view, 7> kNames{"hello",    "request", "cancel", "alive",
                                                 "progress", "result",  "error"};

std::optional<MessageKind> kind_of(const json& name) {
  if (!name.is_string()) return std::nullopt;
  const auto found = std::ranges::find(kNames, std::string_view(name.get_ref<const std::string&>()));
  if (found == kNames.end()) return std::nullopt;
  return static_cast<MessageKind>(found - kNames.begin());
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Packet to_packet(Message message) {
  const json text{{"kind", kNames[static_cast<std::size_t>(message.kind)]},
                  {"id", message.id},
                  {"body", std::move(message.body)}};
  // Error texts may quote what a driver or a file says, in whatever encoding.
  return {text.dump(-1, ' ', false, json::error_handler_t::replace), std::move(message.bytes)};
}

Result<Message> to_message(Packet packet) {
  json text = json::parse(packet.text, nullptr, false);
  if (!text.is_object()) return Error{tr("a message is no JSON object"), "", ""};
  const auto kind = kind_of(text["kind"]);
  if (!kind) return Error{tr("a message is of no kind that there is"), "", ""};
  if (!text["id"].is_number_unsigned()) return Error{tr("a message has no id"), "", ""};
  return Message{*kind, text["id"].get<std::uint64_t>(), std::move(text["body"]), std::move(packet.bytes)};
}

json to_json(const Error& error) {
  // What it quotes may be longer than a packet.
  constexpr std::size_t kLongest = 4096;
  return {{"what", cut_at_end(error.what, kLongest)},
          {"where", cut_at_begin(error.where, kLongest)},
          {"hint", cut_at_end(error.hint, kLongest)}};
}

Error error_from(const json& object) {
  if (!object.is_object()) return {tr("the worker failed, and does not say why"), "", ""};
  return {text_in(object, "what"), text_in(object, "where"), text_in(object, "hint")};
}

}  // namespace warplens::worker
