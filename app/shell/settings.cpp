#include "app/shell/settings.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/views/look.h"

namespace warplens::app {
namespace {

constexpr std::size_t kRecentKept = 10;
constexpr const char* kFileName = "settings.json";

std::filesystem::path folder_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

Settings from_json(const nlohmann::json& json) {
  Settings settings;
  settings.dark = json.value("dark", settings.dark);
  settings.scale = json.value("scale", settings.scale);
  if (settings.scale != 0) settings.scale = std::clamp(settings.scale, kSmallestScale, kLargestScale);
  settings.measure = json.value("measure", settings.measure);
  settings.watchdog_seconds = std::clamp(json.value("watchdog_seconds", settings.watchdog_seconds), 1.0, 86400.0);
  settings.width = std::clamp(json.value("width", settings.width), 320, 16384);
  settings.height = std::clamp(json.value("height", settings.height), 240, 16384);
  for (const std::string& path : json.value("recent", std::vector<std::string>())) settings.recent.emplace_back(path);
  settings.hidden_views = json.value("hidden_views", settings.hidden_views);
  return settings;
}

}  // namespace

void Settings::add_recent(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  std::erase(recent, absolute);
  recent.insert(recent.begin(), absolute);
  if (recent.size() > kRecentKept) recent.resize(kRecentKept);
}

std::filesystem::path default_config_folder() {
  if (const auto folder = folder_from("XDG_CONFIG_HOME"); !folder.empty()) return folder / "warplens";
  if (const auto home = folder_from("HOME"); !home.empty()) return home / ".config" / "warplens";
  return "warplens-config";
}

Result<Settings> load_settings(const std::filesystem::path& folder) {
  const auto path = folder / kFileName;
  std::ifstream file(path);
  if (!file) return Settings{};
  try {
    return from_json(nlohmann::json::parse(file));
  } catch (const nlohmann::json::exception& error) {
    return Error{std::string("the settings cannot be read: ") + error.what(), path.string(),
                 "The defaults are used; the file is replaced when a setting changes"};
  }
}

Result<Done> save_settings(const Settings& settings, const std::filesystem::path& folder) {
  nlohmann::ordered_json json;
  json["dark"] = settings.dark;
  json["scale"] = settings.scale;
  json["measure"] = settings.measure;
  json["watchdog_seconds"] = settings.watchdog_seconds;
  json["width"] = settings.width;
  json["height"] = settings.height;
  json["recent"] = nlohmann::json::array();
  for (const auto& path : settings.recent) json["recent"].push_back(path.string());
  json["hidden_views"] = settings.hidden_views;
  return write_file(folder / kFileName, json.dump(2) + "\n");
}

Result<Done> write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const auto temporary = path.parent_path() / (path.filename().string() + ".new");
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file) return Error{"the file cannot be written", path.string(), "Check that the folder exists, is yours, and has room"};
  std::filesystem::rename(temporary, path, error);
  if (error) return Error{"the file cannot be put in place: " + error.message(), path.string(), "Check that the folder is yours"};
  return Done{};
}

}  // namespace warplens::app
