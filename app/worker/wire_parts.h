// What the requests and results have in common. Private to app/worker.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::worker {

template <class T>
[[nodiscard]] nlohmann::json optional_json(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

template <class T>
[[nodiscard]] std::optional<T> optional_from(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

[[nodiscard]] inline nlohmann::json parameters_json(const std::vector<NamedValue>& parameters) {
  nlohmann::json list = nlohmann::json::array();
  for (const NamedValue& parameter : parameters) list.push_back({{"name", parameter.name}, {"value", parameter.value}});
  return list;
}

[[nodiscard]] inline std::vector<NamedValue> parameters_from(const nlohmann::json& list) {
  std::vector<NamedValue> parameters;
  for (const nlohmann::json& item : list) parameters.push_back({item.at("name").get<std::string>(), item.at("value").get<std::int64_t>()});
  return parameters;
}

}  // namespace warplens::worker
