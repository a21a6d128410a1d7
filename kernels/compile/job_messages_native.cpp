#include "kernels/compile/job_messages.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace warplens::compile {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 30;
constexpr int kPollMilliseconds = 5;

bool send_all(int socket, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_all(int socket, std::span<std::uint8_t> bytes, const std::atomic<bool>* cancelled) {
  while (!bytes.empty()) {
    if (cancelled != nullptr && *cancelled) return false;
    pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t received = recv(socket, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

}  // namespace

json message_of(const Job& job) {
  json message = {{"files", job.files},
                  {"links", json::object()},
                  {"commands", json::array()},
                  {"outputs", job.outputs},
                  {"readable", json::array()},
                  {"seconds", job.limits.time.count()},
                  {"memory_bytes", job.limits.memory_bytes},
                  {"processes", job.limits.processes}};
  for (const auto& [name, folder] : job.links) message["links"][name] = folder.string();
  for (const Command& command : job.commands) {
    message["commands"].push_back({{"arguments", command.arguments}, {"log", command.log}});
  }
  for (const std::filesystem::path& folder : job.readable) message["readable"].push_back(folder.string());
  return message;
}

std::optional<Job> job_of(const json& message) {
  try {
    Job job;
    job.files = message.at("files").get<std::map<std::string, std::string>>();
    for (const auto& [name, folder] : message.at("links").items())
      job.links[name] = folder.get<std::string>();
    for (const json& command : message.at("commands")) {
      job.commands.push_back(
          {command.at("arguments").get<std::vector<std::string>>(), command.at("log").get<std::string>()});
    }
    job.outputs = message.at("outputs").get<std::vector<std::string>>();
    for (const json& folder : message.at("readable")) job.readable.emplace_back(folder.get<std::string>());
    job.limits = {.time = std::chrono::seconds(message.at("seconds").get<std::int64_t>()),
                  .memory_bytes = message.at("memory_bytes").get<std::uint64_t>(),
                  .processes = message.at("processes").get<std::uint32_t>()};
    return job;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

json message_of(const JobEnding& ending) {
  return {{"kind", static_cast<int>(ending.kind)},
          {"status", ending.status},
          {"program", ending.program},
          {"outputs", ending.outputs}};
}

std::optional<JobEnding> ending_of(const json& message) {
  try {
    return JobEnding{.kind = static_cast<JobEnding::Kind>(message.at("kind").get<int>()),
                     .status = message.at("status").get<int>(),
                     .program = message.at("program").get<std::string>(),
                     .outputs = message.at("outputs").get<std::map<std::string, std::string>>()};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

bool send_message(int socket, const json& message) {
  const std::vector<std::uint8_t> bytes = json::to_cbor(message);
  const std::uint64_t size = bytes.size();
  std::array<std::uint8_t, sizeof size> header;
  std::memcpy(header.data(), &size, sizeof size);
  return send_all(socket, header) && send_all(socket, bytes);
}

std::optional<json> receive_message(int socket, const std::atomic<bool>* cancelled) {
  std::uint64_t size = 0;
  std::array<std::uint8_t, sizeof size> header;
  if (!receive_all(socket, header, cancelled)) return std::nullopt;
  std::memcpy(&size, header.data(), sizeof size);
  if (size > kMaxMessageBytes) return std::nullopt;
  std::vector<std::uint8_t> bytes(size);
  if (!receive_all(socket, bytes, cancelled)) return std::nullopt;
  json message = json::from_cbor(bytes, true, false);
  if (message.is_discarded()) return std::nullopt;
  return message;
}

}  // namespace warplens::compile
