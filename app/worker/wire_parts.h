// What the requests and results have in common. Private to app/worker.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/recording/recording.h"

namespace warplens::worker {

/// A whole number that fits; json by itself cuts off what does not, and what stands behind a point.
template <std::integral T>
[[nodiscard]] T integer_from(const nlohmann::json& value) {
  if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>()))
    return static_cast<T>(value.get<std::uint64_t>());
  if (value.is_number_integer() && !value.is_number_unsigned() &&
      std::in_range<T>(value.get<std::int64_t>())) {
    return static_cast<T>(value.get<std::int64_t>());
  }
  throw nlohmann::json::out_of_range::create(401, "a number does not fit", &value);
}

template <class T>
[[nodiscard]] nlohmann::json optional_json(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

template <class T>
[[nodiscard]] std::optional<T> optional_from(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  if constexpr (std::integral<T>) {
    return integer_from<T>(value);
  } else {
    return value.get<T>();
  }
}

[[nodiscard]] inline nlohmann::json parameters_json(const std::vector<NamedValue>& parameters) {
  nlohmann::json list = nlohmann::json::array();
  for (const NamedValue& parameter : parameters)
    list.push_back({{"name", parameter.name}, {"value", parameter.value}});
  return list;
}

[[nodiscard]] inline std::vector<NamedValue> parameters_from(const nlohmann::json& list) {
  std::vector<NamedValue> parameters;
  for (const nlohmann::json& item : list)
    parameters.push_back({item.at("name").get<std::string>(), integer_from<std::int64_t>(item.at("value"))});
  return parameters;
}

}  // namespace warplens::worker
